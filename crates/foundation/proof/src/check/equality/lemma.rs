//! The judgement of one lemma.

use super::arrays::apply_arrays;
use super::closure::Closure;
use super::datatypes::apply_datatypes;
use super::universe::Universe;
use crate::check::error::CheckError;
use crate::check::meaning::AtomMeaning;
use crate::proof::StepId;
use shem_base::Lit;

pub(crate) fn check_equality(
    step: StepId,
    lits: &[Lit],
    nodes: &[u32],
    meaning: &impl AtomMeaning,
) -> Result<(), CheckError> {
    let mut equations = Vec::with_capacity(lits.len());
    for &lit in lits {
        let (a, b) = meaning.equation(lit.var()).ok_or(CheckError::Meaning(step, lit))?;
        equations.push((!lit, a, b));
    }
    let sides = equations.iter().flat_map(|&(_, a, b)| [a, b]);
    let universe = Universe::of(sides.chain(nodes.iter().copied()), meaning)
        .map_err(|node| CheckError::Node(step, node))?;
    let mut closure = Closure::new(&universe);
    for &(lit, a, b) in &equations {
        let (a, b) = (universe.element(a), universe.element(b));
        if lit.is_positive() {
            closure.merge(a, b);
        } else {
            closure.separate(a, b);
        }
    }
    // Every round but the last unites two classes, or finds two to be distinct.
    loop {
        if closure.is_contradictory() {
            return Ok(());
        }
        let changed = closure.apply_congruence(&universe)
            || closure.apply_equations(&universe)
            || closure.apply_booleans()
            || apply_datatypes(&universe, &mut closure)
            || apply_arrays(&universe, &mut closure);
        if !changed && !closure.is_contradictory() {
            return Err(CheckError::Equations(step));
        }
    }
}
