//! What the checker of proofs is told: lemmas are judged with the meanings that the clauses are.

use shem_base::{Rat, Var};
use shem_proof::{AtomMeaning, FunctionKind, LinearAtom, LinearForm, NodeShape};
use shem_term::{DatatypeId, Role, Store, Symbol};

use crate::literal::Statements;
use crate::translation::{Meaning, NodeMeaning, Translation};

impl<T: Translation> AtomMeaning for Statements<'_, T> {
    fn atom(&self, var: Var) -> Option<LinearAtom> {
        match self.translation.meaning(var) {
            Meaning::Inequality(atom) => Some(atom),
            _ => None,
        }
    }

    fn is_integer(&self, number: u32) -> bool {
        self.is_integer_number(number)
    }

    fn equation(&self, var: Var) -> Option<(u32, u32)> {
        match self.translation.meaning(var) {
            Meaning::Equation(a, b) if self.are_comparable(a, b) => Some((a, b)),
            _ => None,
        }
    }

    fn node(&self, node: u32) -> Option<NodeShape> {
        Some(match self.well_formed(node)? {
            NodeMeaning::Application { symbol, args, .. } => NodeShape::Application {
                function: symbol.index() as u32,
                kind: kind(self.store, symbol),
                args,
            },
            NodeMeaning::Numeral(value, _) => NodeShape::Numeral(value),
            NodeMeaning::Equation(a, b) => NodeShape::Equation(a, b),
            NodeMeaning::Difference(arrays, _) => NodeShape::Application {
                function: DIFFERENCE,
                kind: FunctionKind::Difference,
                args: arrays.to_vec(),
            },
            NodeMeaning::Truth => NodeShape::Truth,
            NodeMeaning::Falsity => NodeShape::Falsity,
            NodeMeaning::Term(_) | NodeMeaning::Sum(..) | NodeMeaning::Free(_) => NodeShape::Leaf,
            NodeMeaning::Unknown => return None,
        })
    }

    fn linear_form(&self, node: u32) -> Option<LinearForm> {
        match self.well_formed(node)? {
            NodeMeaning::Sum(form, _) => Some(form),
            NodeMeaning::Application { number: Some(number), .. } => {
                Some(LinearForm { terms: vec![(number, Rat::ONE)], constant: Rat::ZERO })
            }
            _ => None,
        }
    }

    fn datatype(&self, node: u32) -> Option<(u32, u32)> {
        let id = self.sort_of_node(node)?.as_datatype()?;
        Some((id.index() as u32, self.store.datatype(id).constructors().len() as u32))
    }
}

/// The function that gives differences; no symbol has this index.
const DIFFERENCE: u32 = u32::MAX;

/// What a symbol does.
fn kind(store: &Store, symbol: Symbol) -> FunctionKind {
    let number = |datatype: DatatypeId| datatype.index() as u32;
    match store.role(symbol) {
        Role::Function
        | Role::Product
        | Role::RealQuotient
        | Role::IntQuotient
        | Role::Remainder
        | Role::Bits(_) => FunctionKind::Free,
        Role::Constructor { datatype, index } => {
            FunctionKind::Constructor { datatype: number(datatype), index }
        }
        Role::Selector { datatype, constructor, field } => {
            FunctionKind::Selector { datatype: number(datatype), constructor, field }
        }
        Role::Tester { datatype, constructor } => {
            FunctionKind::Tester { datatype: number(datatype), constructor }
        }
        Role::Select => FunctionKind::Select,
        Role::Store => FunctionKind::Store,
        Role::ConstantArray => {
            let index = store.array_parts(store.signature(symbol).result).map(|(index, _)| index);
            FunctionKind::ConstantArray { indices: index.map_or(1, |index| store.least_cardinality(index)) }
        }
    }
}
