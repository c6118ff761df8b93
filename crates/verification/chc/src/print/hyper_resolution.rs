//! Derivations as z3 prints proofs of Horn clauses: a tree of hyper-resolutions with ground facts.
//!
//! Each step is `((_ hyper-res 0 0 0 1 …) (asserted CLAUSE) PREMISE… FACT)`, with a pair of numbers for the conclusion
//! and one for each premise. z3 derives a predicate of its own from the bodies of clauses without a head, and
//! falsehood from it, by `mp`. Readers take the tree from the first argument of `mp`, and the fact of a node from its
//! last argument. The names that `let` binds begin with `@`, as no symbol of a script may.

use std::io::{self, Write};

use shem_term::{Store, quote_symbol};

use super::clause::ClauseText;
use crate::derivation::{Derivation, StepId};
use crate::system::{ClauseId, System};

/// Writes a derivation from the clauses of a system as a proof in the form of z3: one list of commands.
pub fn write_hyper_resolution(
    out: &mut impl Write,
    store: &mut Store,
    system: &System,
    derivation: &Derivation<ClauseId>,
) -> io::Result<()> {
    let goal = goal_name(system);
    writeln!(out, "((set-logic HORN)\n(declare-fun {goal} () Bool)\n(proof")?;
    let mut clauses = vec![false; system.clauses.len()];
    let mut open = 0;
    for (id, step) in derivation.steps() {
        let (rule, clause) = (step.rule.index(), system.clause(step.rule));
        if !std::mem::replace(&mut clauses[rule], true) {
            write!(out, "(let ((@c{rule} ")?;
            let text = ClauseText::with_goal(store, system, clause, &goal);
            text.write_closed(out, store, &clause.variables)?;
            writeln!(out, "))")?;
            open += 1;
        }
        write!(out, "(let (({} ((_ hyper-res 0 0", Node(id))?;
        for i in 1..=step.premises.len() {
            write!(out, " 0 {i}")?;
        }
        write!(out, ") (asserted @c{rule})")?;
        for &premise in step.premises {
            write!(out, " {}", Node(premise))?;
        }
        match &clause.head {
            None => write!(out, " {goal}")?,
            Some(head) => {
                let predicate = system.predicate(head.predicate);
                let name = quote_symbol(&predicate.name);
                let parenthesis = |text| if step.values.is_empty() { "" } else { text };
                write!(out, " {}{name}", parenthesis("("))?;
                for (value, &sort) in step.values.iter().zip(&predicate.sorts) {
                    write!(out, " {}", store.display_value(value, sort))?;
                }
                write!(out, "{}", parenthesis(")"))?;
            }
        }
        writeln!(out, ")))")?;
        open += 1;
    }
    let last = derivation.len().checked_sub(1).map(StepId::new);
    let last = last.ok_or_else(|| io::Error::other("the derivation has no steps"))?;
    write!(out, "(mp {} (asserted (=> {goal} false)) false)", Node(last))?;
    writeln!(out, "{}))", ")".repeat(open))
}

/// The name of a step.
struct Node(StepId);

impl std::fmt::Display for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "@s{}", self.0.index())
    }
}

/// A name for what the clauses without a head derive, which no predicate has.
fn goal_name(system: &System) -> String {
    let mut names = (0..).map(|number| format!("query!{number}"));
    let free = names.find(|name| system.predicates.iter().all(|predicate| predicate.name.as_ref() != name));
    free.expect("there are more names than predicates")
}
