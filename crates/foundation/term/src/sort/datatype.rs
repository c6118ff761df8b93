//! Datatypes: values made by constructors.
//!
//! A group of datatypes may be mutually recursive. It is announced first, so that fields may have the sorts of the
//! group and arrays of them, and then defined. Parametric datatypes are for the reader: the store knows
//! instances, each a datatype of its own.

use std::fmt;

use super::handle::{DatatypeId, Sort};
use super::table::SortTable;
use crate::store::Store;
use crate::symbol::{Role, Symbol};

/// A constructor of a datatype.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constructor {
    /// The symbol, whose arguments are the fields.
    pub symbol: Symbol,
    /// The selectors of the fields.
    pub selectors: Box<[Symbol]>,
    /// The symbol of the tester.
    pub tester: Symbol,
    /// Whether the name and the arguments do not determine the sort, so that it is written with `as`.
    pub qualified: bool,
}

/// A datatype.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datatype {
    pub(super) name: Box<str>,
    pub(super) arguments: Box<[Sort]>,
    pub(super) constructors: Box<[Constructor]>,
    pub(super) recursive: bool,
    pub(super) cardinality: Option<u64>,
    pub(super) base: u32,
    /// How many array sorts there were when the datatype was announced: those and no others cannot contain it.
    pub(super) arrays_before: usize,
}

impl Datatype {
    /// The name; of an instance of a parametric datatype, that of the latter.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The arguments of which a parametric datatype is the instance; none for other datatypes.
    pub fn arguments(&self) -> &[Sort] {
        &self.arguments
    }

    /// The constructors.
    pub fn constructors(&self) -> &[Constructor] {
        &self.constructors
    }

    /// Whether a value may contain another one of the datatype.
    pub fn is_recursive(&self) -> bool {
        self.recursive
    }

    /// The number of values if it is finite; `u64::MAX` means that many or more.
    pub fn cardinality(&self) -> Option<u64> {
        self.cardinality
    }

    /// A constructor that makes a value without one of the datatype at hand: taking it again and again for the
    /// fields comes to an end.
    pub fn base_constructor(&self) -> &Constructor {
        &self.constructors[self.base as usize]
    }
}

/// The sort of a field in a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldSort {
    /// A sort that exists.
    Sort(Sort),
    /// The datatype with this position in the group that is declared.
    Member(usize),
}

impl From<Sort> for FieldSort {
    fn from(sort: Sort) -> FieldSort {
        FieldSort::Sort(sort)
    }
}

/// The declaration of a constructor: its name, and its fields with the names of their selectors. `S` is [`FieldSort`]
/// where the group does not exist yet, and [`Sort`] where it is announced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstructorDeclaration<S = FieldSort> {
    /// The name.
    pub name: String,
    /// Names and sorts of the fields.
    pub fields: Vec<(String, S)>,
    /// See [`Constructor::qualified`].
    pub qualified: bool,
}

impl<S: Copy> ConstructorDeclaration<S> {
    /// A constructor whose name alone determines its sort.
    pub fn new(name: &str, fields: &[(&str, S)]) -> ConstructorDeclaration<S> {
        let fields = fields.iter().map(|&(name, sort)| (name.to_owned(), sort)).collect();
        ConstructorDeclaration { name: name.to_owned(), fields, qualified: false }
    }
}

/// The declaration of a datatype in a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatatypeDeclaration {
    /// The name.
    pub name: String,
    /// The constructors.
    pub constructors: Vec<ConstructorDeclaration>,
}

/// What is wrong with a group of datatypes; the position in the group says with which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatatypeError {
    /// A datatype without constructors.
    NoConstructor(usize),
    /// A datatype without a value: each constructor needs a value that exists already.
    IllFounded(usize),
    /// A datatype whose values contain arrays of its values.
    RecursionThroughArray(usize),
}

impl DatatypeError {
    /// The position in the group of the datatype that the error is about.
    pub fn member(self) -> usize {
        match self {
            DatatypeError::NoConstructor(member)
            | DatatypeError::IllFounded(member)
            | DatatypeError::RecursionThroughArray(member) => member,
        }
    }
}

impl fmt::Display for DatatypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DatatypeError::NoConstructor(_) => "a datatype needs a constructor",
            DatatypeError::IllFounded(_) => {
                "the datatype is ill-founded: each of its constructors needs a value of the datatype"
            }
            DatatypeError::RecursionThroughArray(_) => {
                "a datatype that contains arrays of itself is not supported yet"
            }
        })
    }
}

impl std::error::Error for DatatypeError {}

impl Store {
    /// Declares a group of datatypes, whose fields may have sorts of the group.
    pub fn declare_datatypes(&mut self, group: &[DatatypeDeclaration]) -> Result<Vec<Sort>, DatatypeError> {
        let members: Vec<Sort> = group.iter().map(|d| self.announce_datatype(&d.name, &[])).collect();
        let resolve = |&(ref name, sort): &(String, FieldSort)| match sort {
            FieldSort::Sort(sort) => (name.clone(), sort),
            FieldSort::Member(member) => (name.clone(), members[member]),
        };
        let constructors: Vec<Vec<ConstructorDeclaration<Sort>>> = group
            .iter()
            .map(|datatype| {
                let constructors = datatype.constructors.iter().map(|c| ConstructorDeclaration {
                    name: c.name.clone(),
                    fields: c.fields.iter().map(resolve).collect(),
                    qualified: c.qualified,
                });
                constructors.collect()
            })
            .collect();
        self.define_datatypes(&members, &constructors)?;
        Ok(members)
    }

    /// A new datatype, to be defined by [`Store::define_datatypes`] before a term of it is made. The arguments are
    /// those of an instance of a parametric datatype.
    pub fn announce_datatype(&mut self, name: &str, arguments: &[Sort]) -> Sort {
        self.sort_table.announce_datatype(name, arguments)
    }

    /// Defines datatypes that were announced, all that are not defined yet and occur in their fields among them.
    /// After an error they have no constructors.
    ///
    /// # Panics
    /// If one of the sorts is not a datatype that was announced and not defined.
    pub fn define_datatypes(
        &mut self,
        group: &[Sort],
        constructors: &[Vec<ConstructorDeclaration<Sort>>],
    ) -> Result<(), DatatypeError> {
        assert_eq!(group.len(), constructors.len(), "constructors for each member of the group");
        let ids: Vec<DatatypeId> = group
            .iter()
            .map(|sort| {
                let id = sort.as_datatype().filter(|&id| self.datatype(id).constructors.is_empty());
                id.expect("a datatype that was announced and not defined")
            })
            .collect();
        let analysis = super::analysis::analyse(&self.sort_table, &ids, constructors)?;
        for (&id, declarations) in ids.iter().zip(constructors) {
            let made: Box<[Constructor]> = declarations
                .iter()
                .enumerate()
                .map(|(index, declaration)| self.make_constructor(id, index as u32, declaration))
                .collect();
            self.sort_table.datatype_mut(id).constructors = made;
        }
        self.sort_table.record(&ids, analysis);
        Ok(())
    }

    fn make_constructor(
        &mut self,
        datatype: DatatypeId,
        index: u32,
        declaration: &ConstructorDeclaration<Sort>,
    ) -> Constructor {
        let ConstructorDeclaration { name, fields, qualified } = declaration;
        let sort = Sort::from(datatype);
        let sorts: Vec<Sort> = fields.iter().map(|field| field.1).collect();
        let symbol = self.declare_with_role(name, &sorts, sort, Role::Constructor { datatype, index });
        let selectors = fields.iter().enumerate().map(|(field, (name, result))| {
            let role = Role::Selector { datatype, constructor: index, field: field as u32 };
            self.declare_with_role(name, &[sort], *result, role)
        });
        let selectors = selectors.collect();
        let role = Role::Tester { datatype, constructor: index };
        let tester = self.declare_with_role(&format!("is-{name}"), &[sort], Sort::Bool, role);
        Constructor { symbol, selectors, tester, qualified: *qualified }
    }

    /// The datatype with this number.
    pub fn datatype(&self, id: DatatypeId) -> &Datatype {
        self.sort_table.datatype(id)
    }

    /// The constructor with this symbol.
    ///
    /// # Panics
    /// If the symbol is no constructor.
    pub fn constructor(&self, symbol: Symbol) -> &Constructor {
        match self.role(symbol) {
            Role::Constructor { datatype, index } => &self.datatype(datatype).constructors[index as usize],
            _ => panic!("a constructor"),
        }
    }
}

impl SortTable {
    pub(super) fn announced(name: &str, arguments: &[Sort], arrays_before: usize) -> Datatype {
        Datatype {
            name: name.into(),
            arguments: arguments.into(),
            constructors: Box::new([]),
            recursive: false,
            cardinality: None,
            base: 0,
            arrays_before,
        }
    }
}
