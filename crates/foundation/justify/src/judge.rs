//! The judgement of a whole refutation.

use shem_base::{Lit, Var};
use shem_proof::{Origin, Proof, Rule, check};
use shem_term::{Store, Term};

use crate::clause::{Consequences, normal};
use crate::error::RefutationError;
use crate::literal::{Literal, Statements};
use crate::translation::{Assertion, Translation};

/// What a refutation may use.
#[derive(Clone, Copy, Debug, Default)]
pub struct Premises<'a> {
    /// The asserted formulas, by the numbers that the proof has for them.
    pub assertions: &'a [Assertion],
    /// Formulas that are assumed to hold.
    pub assumptions: &'a [Term],
    /// Guards that are assumed to be true.
    pub guards: &'a [Var],
}

/// Checks that the proof refutes the premises.
///
/// ```
/// use shem_base::{Lit, Var};
/// use shem_justify::{Meaning, NumberMeaning, Premises, RefutationError, Translation, check_refutation};
/// use shem_proof::{Origin, Proof, ProofLog, ProofSink};
/// use shem_term::{Sort, Store, Symbol};
///
/// // The variable 0 of the proof is p.
/// struct Direct(Symbol);
/// impl Translation for Direct {
///     fn meaning(&self, _: Var) -> Meaning {
///         Meaning::Symbol(self.0)
///     }
///     fn number(&self, _: u32) -> NumberMeaning {
///         NumberMeaning::Free { integral: false }
///     }
/// }
///
/// let mut store = Store::new();
/// let p = store.variable("p", Sort::Bool);
/// let direct = Direct(store.as_var(p).unwrap());
/// let mut log = ProofLog::new();
/// let first = log.input(&[Var::new(0).positive()], Origin::Assertion(0));
/// let second = log.input(&[!Var::new(0).positive()], Origin::Assertion(1));
/// let root = log.derive(&[first, second]);
/// let proof = Proof::extract(&log, root).unwrap();
///
/// let contradiction = [p.into(), (!p).into()];
/// let premises = Premises { assertions: &contradiction, ..Premises::default() };
/// assert_eq!(check_refutation(&mut store, &proof, &direct, premises), Ok(()));
/// let repetition = [p.into(), p.into()];
/// let premises = Premises { assertions: &repetition, ..Premises::default() };
/// let refused = check_refutation(&mut store, &proof, &direct, premises);
/// assert!(matches!(refused, Err(RefutationError::Unjustified(_))));
/// ```
pub fn check_refutation<T: Translation>(
    store: &mut Store,
    proof: &Proof,
    translation: &T,
    premises: Premises<'_>,
) -> Result<(), RefutationError> {
    let mut statements = Statements::new(store, translation);
    statements.find_operations(proof);
    let conclusion = check(proof, &statements)?;
    let mut consequences = Consequences::default();
    for step in proof.steps() {
        let Rule::Input(origin) = proof.rule(step) else { continue };
        let mut literals = Vec::with_capacity(proof.clause(step).len());
        for &lit in proof.clause(step) {
            literals.push(statements.of_lit(lit).ok_or(RefutationError::Meaning(step, lit))?);
        }
        let Some(clause) = normal(literals) else { continue };
        if let Origin::Assertion(number) = origin {
            let missing = RefutationError::Assertion(step, number);
            let assertion = *premises.assertions.get(number as usize).ok_or(missing)?;
            if consequences.follows_from_assertion(&mut statements, number, assertion, &clause) {
                continue;
            }
        }
        if !consequences.follows_from_meaning(&mut statements, &clause)
            && !statements.follows_from_operation(&clause)
        {
            return Err(RefutationError::Unjustified(step));
        }
    }
    check_conclusion(&mut statements, conclusion, premises)
}

/// Every literal of the conclusion contradicts an assumption.
fn check_conclusion<T: Translation>(
    statements: &mut Statements<'_, T>,
    conclusion: &[Lit],
    premises: Premises<'_>,
) -> Result<(), RefutationError> {
    if conclusion.is_empty() {
        return Ok(());
    }
    let mut excluded: Vec<Literal> = vec![Literal::FALSE];
    for &formula in premises.assumptions {
        excluded.push(statements.of_formula(!formula));
    }
    for &guard in premises.guards {
        excluded.extend(statements.of_guard(guard).map(|literal| !literal));
    }
    excluded.sort_unstable();
    for &lit in conclusion {
        let literal = statements.of_lit(lit);
        if literal.is_none_or(|literal| excluded.binary_search(&literal).is_err()) {
            return Err(RefutationError::Conclusion(lit));
        }
    }
    Ok(())
}
