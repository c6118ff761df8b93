//! What the caller tells of its datatypes.

use crate::equality::closure::Closure;
use crate::equality::node::{Function, Kind, NodeSort};

/// A constructor of a datatype.
#[derive(Clone, Debug)]
pub struct Constructor {
    /// Builds a value from its fields.
    pub function: Function,
    /// Says whether a value was built by this constructor.
    pub tester: Function,
    /// Give the fields, one selector each.
    pub selectors: Vec<Function>,
    /// The sorts of the fields.
    pub fields: Vec<NodeSort>,
}

/// A datatype.
#[derive(Clone, Debug)]
pub struct Datatype {
    /// The sort of its values.
    pub sort: NodeSort,
    /// Its constructors; at least one.
    pub constructors: Vec<Constructor>,
    /// Whether it has finitely many values.
    pub finite: bool,
}

/// All datatypes that were told, by the numbers that [`Kind`] uses for them.
#[derive(Debug, Default)]
pub(crate) struct DatatypeTable {
    datatypes: Vec<Option<Datatype>>,
    /// The datatype of each sort that is one.
    of_sort: Vec<Option<u32>>,
}

impl DatatypeTable {
    /// Takes note of a datatype, and tells the closure the kinds of its functions.
    pub(crate) fn declare(&mut self, number: u32, datatype: Datatype, closure: &mut Closure) {
        for (index, constructor) in (0..).zip(&datatype.constructors) {
            closure.declare(constructor.function, Kind::Constructor { datatype: number, index });
            closure.declare(constructor.tester, Kind::Tester { datatype: number, constructor: index });
            for (field, &selector) in (0..).zip(&constructor.selectors) {
                closure.declare(selector, Kind::Selector { datatype: number, constructor: index, field });
            }
        }
        let sort = datatype.sort.index();
        if self.of_sort.len() <= sort {
            self.of_sort.resize(sort + 1, None);
        }
        self.of_sort[sort] = Some(number);
        if self.datatypes.len() <= number as usize {
            self.datatypes.resize(number as usize + 1, None);
        }
        self.datatypes[number as usize] = Some(datatype);
    }

    /// Whether there is no datatype.
    pub(crate) fn is_empty(&self) -> bool {
        self.datatypes.is_empty()
    }

    /// The datatype of a sort.
    #[inline]
    pub(crate) fn of_sort(&self, sort: NodeSort) -> Option<&Datatype> {
        let number = (*self.of_sort.get(sort.index())?)?;
        self.datatypes[number as usize].as_ref()
    }

    /// The number of fields of a constructor that are of datatypes themselves.
    pub(crate) fn count_nested(&self, constructor: &Constructor) -> usize {
        constructor.fields.iter().filter(|&&sort| self.of_sort(sort).is_some()).count()
    }
}
