//! Unsat cores of Horn problems: which assertions a derivation uses.
//!
//! A derivation uses few clauses, but there may be another one with fewer assertions. With the option
//! `:minimal-unsat-cores` each assertion with a name is left out in turn: if falsehood can still be derived, it stays out,
//! and so does what the new derivation does not use. What cannot be decided in [`TIME`] stays in the core, and a note on
//! standard error says so.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use shem_chc::{ClauseId, Derivation, System};
use shem_decide::clock::stop_after;
use shem_decide::{Request, SolveOptions, Verdict, Witness, decide};
use shem_engine::NoEvents;
use shem_script::conversation::Halt;
use shem_term::quote_symbol;
use shem_term::smtlib::escape_string;

use super::session::{LastCheck, Session};

/// How long it is looked for a derivation without an assertion.
const TIME: Duration = Duration::from_secs(2);

/// Clauses by their numbers.
type Clauses = BTreeSet<ClauseId>;

impl Session<'_> {
    /// The names of the assertions that the derivation of the last check uses, in their order.
    pub(super) fn give_core(&mut self) -> Result<(), Halt> {
        let missing = self.missing("core", |verdict| matches!(verdict, Verdict::Unsat(_)))?;
        let text = match (missing, &self.last) {
            (None, Some(LastCheck { system, verdict: Verdict::Unsat(Witness::Found(derivation)), .. })) => {
                let (system, mut used) = (Arc::clone(system), clauses_of(derivation.clone()));
                if self.talk.script.minimal_unsat_cores {
                    used = self.minimise(&system, used)?;
                }
                let mut names: Vec<&str> = used.iter().filter_map(|&id| system.clause_name(id)).collect();
                names.dedup();
                let names: Vec<_> = names.into_iter().map(quote_symbol).collect();
                format!("({})", names.join(" "))
            }
            (missing, _) => format!("(error {})", escape_string(&missing.unwrap_or_default())),
        };
        writeln!(self.talk.out, "{text}")?;
        Ok(())
    }

    /// Leaves out assertions with names as long as falsehood can be derived.
    fn minimise(&mut self, system: &System, mut used: Clauses) -> Result<Clauses, Halt> {
        let names: BTreeSet<&str> = used.iter().filter_map(|&id| system.clause_name(id)).collect();
        let mut undecided = 0;
        for name in names {
            let (of_name, others): (Clauses, Clauses) =
                used.iter().partition(|&&id| system.clause_name(id) == Some(name));
            if of_name.is_empty() {
                continue;
            }
            // Assertions without names are never part of a core.
            let all = (0..system.clauses.len()).map(ClauseId::new);
            let kept: Vec<ClauseId> =
                all.filter(|id| system.clause_name(*id).is_none() || others.contains(id)).collect();
            let part = Arc::new(System {
                predicates: system.predicates.clone(),
                clauses: kept.iter().map(|&id| system.clause(id).clone()).collect(),
                ..System::default()
            });
            let options = SolveOptions { witness: true, ..self.options.solve.clone() };
            let request = Request { system: &part, options: &options, launch: None };
            let token = self.watchdog.begin_reading(false);
            let store = &mut self.store;
            let (stop, _scheduled) = stop_after(&token, TIME);
            let answer = decide(store, &request, &stop, &mut NoEvents);
            self.watchdog.end();
            match answer.map_err(|fault| self.withhold(&fault))?.verdict {
                Verdict::Unsat(Witness::Found(derivation)) => {
                    used = clauses_of(derivation.map_rules(|id| kept[id.index()]));
                }
                Verdict::Sat(_) => {}
                _ => undecided += 1,
            }
        }
        if undecided > 0 {
            let words = "whether the core is minimal was not found out: assertions not decided";
            writeln!(self.talk.err, "shem: {words}: {undecided}")?;
        }
        Ok(used)
    }
}

/// The clauses that a derivation uses.
fn clauses_of(derivation: Derivation<ClauseId>) -> Clauses {
    let mut used = Clauses::new();
    let _ = derivation.map_rules(|id| used.insert(id));
    used
}
