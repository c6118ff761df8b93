//! Systems with universal premises, by systems without.
//!
//! - With instances in place of the premises ([`instantiate_premises`]) clauses are stronger, so a model of that system is
//!   one of the clauses as read. The judge confirms it there, under the quantifiers, or it does not count.
//! - Without the clauses that have such premises less can be derived, so a derivation is one from the clauses as read.
//!
//! A derivation that goes through an instance shows nothing; then there are more instances in the next round. After the
//! last one the answer is *unknown*: no certificate is looked for that a premise holds of all values.

use std::sync::Arc;
use std::time::Instant;

use shem_base::{Budget, StopToken};
use shem_chc::{ClauseId, Derivation, Instantiated, System, instantiate_premises};
use shem_check::{Validity, check_derivation, check_model};
use shem_term::Store;

use crate::answer::{Answer, Checked, Verdict, Witness};
use crate::clock::stop_after;
use crate::decide::{Request, decide_plain};
use crate::observer::Observer;
use crate::options::SolveOptions;
use crate::reason::{Fault, Undecided};
use crate::runner::work_for;

/// Decides a system that has universal premises.
pub(crate) fn decide_universal(
    store: &mut Store,
    request: &Request<'_>,
    stop: &StopToken,
    observer: &mut dyn Observer,
) -> Result<Answer, Fault> {
    let started = Instant::now();
    let mut round = 0;
    loop {
        let Instantiated { system, origins, has_more } = instantiate_premises(store, request.system, round);
        let instantiated = decide_part(store, request, (&Arc::new(system), started), stop, observer)?;
        let mut answer = match &instantiated.verdict {
            Verdict::Sat(Witness::Found(model)) => {
                let model = model.clone();
                let (token, _scheduled) = if request.options.deterministic {
                    (StopToken::after_work(stop, work_for(request.options.witness_budget)), None)
                } else {
                    let (token, scheduled) = stop_after(stop, request.options.witness_budget);
                    (token, Some(scheduled))
                };
                let judged = check_model(store, request.system, &model, &mut Budget::until(token));
                return Ok(match judged {
                    Validity::Valid => answer_of(instantiated, request),
                    Validity::Invalid(defect) => undecided(instantiated, defect.to_string()),
                    Validity::Unknown(reason) => undecided(instantiated, reason.to_string()),
                });
            }
            Verdict::Sat(_) => return Ok(undecided(instantiated, "it was not translated back".to_owned())),
            Verdict::Unknown(_) => return Ok(instantiated),
            Verdict::Unsat(_) => instantiated,
        };
        if let Some(derivation) = derived(store, request.system, &origins, &answer.verdict, stop) {
            answer.verdict = Verdict::Unsat(Witness::Found(derivation));
            return Ok(answer_of(answer, request));
        }
        if round == 0 {
            let (system, origins) = without_premises(request.system);
            let exact = decide_part(store, request, (&Arc::new(system), started), stop, observer)?;
            if let Some(derivation) = derived(store, request.system, &origins, &exact.verdict, stop) {
                let verdict = Verdict::Unsat(Witness::Found(derivation));
                return Ok(answer_of(Answer { verdict, ..exact }, request));
            }
        }
        if !has_more || stop.is_stopped() {
            answer.verdict = Verdict::Unknown(Undecided::Instances);
            answer.checked = Checked::Nothing;
            return Ok(answer);
        }
        round += 1;
    }
}

/// Decides a system without universal premises, with a witness that was judged.
fn decide_part(
    store: &mut Store,
    request: &Request<'_>,
    (system, started): (&Arc<System>, Instant),
    stop: &StopToken,
    observer: &mut dyn Observer,
) -> Result<Answer, Fault> {
    let all = request.options;
    let verdict_time = match all.deterministic {
        true => all.verdict_time,
        false => all.verdict_time.map(|time| time.saturating_sub(started.elapsed())),
    };
    let options = SolveOptions { witness: true, verdict_time, ..all.clone() };
    let request = Request { system, options: &options, launch: request.launch };
    decide_plain(store, &request, stop, observer)
}

/// The derivation as one from the clauses as read, if it is one.
fn derived(
    store: &mut Store,
    system: &System,
    origins: &[ClauseId],
    verdict: &Verdict,
    stop: &StopToken,
) -> Option<Derivation<ClauseId>> {
    let Verdict::Unsat(Witness::Found(derivation)) = verdict else { return None };
    let derivation = derivation.clone().map_rules(|clause| origins[clause.index()]);
    let judged = check_derivation(store, system, &derivation, &mut Budget::until(stop.clone()));
    (judged == Validity::Valid).then_some(derivation)
}

/// The clauses without universal premises, and which they are.
fn without_premises(system: &System) -> (System, Vec<ClauseId>) {
    let is_plain = |&id: &usize| system.clauses[id].premises.is_empty();
    let kept: Vec<usize> = (0..system.clauses.len()).filter(is_plain).collect();
    let clauses = kept.iter().map(|&id| system.clauses[id].clone()).collect();
    let first_stronger = system.first_stronger.map(|_| 0);
    let system =
        System { predicates: system.predicates.clone(), clauses, first_stronger, ..System::default() };
    (system, kept.into_iter().map(ClauseId::new).collect())
}

/// The answer with its witness, if that is wanted.
fn answer_of(answer: Answer, request: &Request<'_>) -> Answer {
    let Answer { verdict, .. } = answer;
    let verdict = if request.options.witness { verdict } else { verdict.bare(Checked::Witness) };
    Answer { verdict, checked: Checked::Witness, ..answer }
}

fn undecided(answer: Answer, why: String) -> Answer {
    let verdict = Verdict::Unknown(Undecided::UnderQuantifiers(why));
    Answer { verdict, checked: Checked::Nothing, ..answer }
}
