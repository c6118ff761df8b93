//! The nodes that take part in a lemma, numbered anew.

use crate::check::meaning::{AtomMeaning, FunctionKind, NodeShape};
use shem_base::Rat;
use std::collections::BTreeMap;

/// The element that is true.
pub(super) const TRUTH: usize = 0;
/// The element that is false.
pub(super) const FALSITY: usize = 1;

/// An element that is a function applied to elements.
#[derive(Debug)]
pub(super) struct Application {
    pub(super) element: usize,
    pub(super) function: u32,
    pub(super) kind: FunctionKind,
    pub(super) args: Vec<usize>,
}

/// Nodes with all their parts; each is an element. True and false are always among them.
#[derive(Debug)]
pub(super) struct Universe {
    /// By element: the datatype that is its sort, with the number of its constructors.
    pub(super) datatypes: Vec<Option<(u32, u32)>>,
    pub(super) applications: Vec<Application>,
    /// Elements that say whether two elements are equal, with these.
    pub(super) equations: Vec<(usize, [usize; 2])>,
    pub(super) numerals: Vec<(usize, Rat)>,
    elements: BTreeMap<u32, usize>,
}

impl Universe {
    /// The nodes and all their parts, or the number of one that has no meaning.
    pub(super) fn of(
        nodes: impl IntoIterator<Item = u32>,
        meaning: &impl AtomMeaning,
    ) -> Result<Universe, u32> {
        let mut universe = Universe {
            datatypes: vec![None, None],
            applications: Vec::new(),
            numerals: Vec::new(),
            equations: Vec::new(),
            elements: BTreeMap::new(),
        };
        // With their parts as nodes; elements replace these when all are there.
        let mut applications = Vec::new();
        let mut equations = Vec::new();
        let mut waiting: Vec<u32> = nodes.into_iter().collect();
        while let Some(node) = waiting.pop() {
            if universe.elements.contains_key(&node) {
                continue;
            }
            let element = universe.datatypes.len();
            let element = match meaning.node(node).ok_or(node)? {
                NodeShape::Truth => TRUTH,
                NodeShape::Falsity => FALSITY,
                NodeShape::Leaf => element,
                NodeShape::Numeral(value) => {
                    universe.numerals.push((element, value));
                    element
                }
                NodeShape::Equation(a, b) => {
                    waiting.extend([a, b]);
                    equations.push((element, [a, b]));
                    element
                }
                NodeShape::Application { function, kind, args } => {
                    if arity(kind).is_some_and(|arity| arity != args.len()) {
                        return Err(node);
                    }
                    waiting.extend_from_slice(&args);
                    applications.push((element, function, kind, args));
                    element
                }
            };
            universe.elements.insert(node, element);
            if element == universe.datatypes.len() {
                universe.datatypes.push(meaning.datatype(node));
            }
        }
        for (element, function, kind, args) in applications {
            let args = args.iter().map(|node| universe.elements[node]).collect();
            universe.applications.push(Application { element, function, kind, args });
        }
        for (element, sides) in equations {
            universe.equations.push((element, sides.map(|node| universe.elements[&node])));
        }
        Ok(universe)
    }

    /// The number of elements.
    pub(super) fn len(&self) -> usize {
        self.datatypes.len()
    }

    /// The element that a node of the universe is.
    pub(super) fn element(&self, node: u32) -> usize {
        self.elements[&node]
    }
}

/// How many arguments functions of this kind have, if the kind tells.
fn arity(kind: FunctionKind) -> Option<usize> {
    match kind {
        FunctionKind::Free | FunctionKind::Constructor { .. } => None,
        FunctionKind::Selector { .. } | FunctionKind::Tester { .. } | FunctionKind::ConstantArray { .. } => {
            Some(1)
        }
        FunctionKind::Select | FunctionKind::Difference => Some(2),
        FunctionKind::Store => Some(3),
    }
}
