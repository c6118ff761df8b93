//! The judge: the only place where witnesses and certificates are judged.
//!
//! A witness is judged on the system as read, by the checker that shares no code with engines and passes. The witness of
//! an engine is about the graph that it was given: it is built or, if another process has sent it, read, and then
//! translated back through the passes. A certificate is about the graph, too, and is checked there. What is tried in
//! which order, and for how long, is a list of [`Step`]s.
//!
//! Processes that have joined a run have to be shown something that they can check themselves: a witness of the system as
//! read, or a k-inductive formula, which becomes the claim of a [`Replay`] on a graph that the receiver prepares.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use shem_base::{Budget, Pace, Statistics, StopToken, UnknownReason};
use shem_chc::{ClauseId, Derivation, EdgeId, Graph, Interpretation, Model, System};
use shem_check::certificate::KInductive;
use shem_check::{Certificate, CertificateError, Validity, check_derivation, check_model};
use shem_engine::{
    Adaptor, Context, Engine, NoEvents, Outcome, Preparation, Proven, Replay, WitnessError, WitnessSource,
};
use shem_exchange::{
    Formula, FormulaLimits, SentWitness, read_derivation, read_inductive, read_model, read_repeating,
    write_inductive,
};
use shem_term::{Store, Term};
use shem_transform::{BackError, Preprocessed};
use thiserror::Error;

use crate::answer::{Checked, Status, Verdict, Witness};
use crate::certificate::CertificateChecker;
use crate::clock::{Scheduled, stop_after};
use crate::demand::Step;
use crate::evidence::{Evidence, Findings, Local, Proof, Remote};
use crate::options::SolveOptions;
use crate::prepare::{Prepared, Variant};
use crate::reason::{NoWitness, Rejection};
use crate::runner::work_for;

/// Why the judge does not accept a claim.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// It is wrong.
    #[error(transparent)]
    Wrong(#[from] Rejection),
    /// Nothing shows it: a limit was reached, or there is nothing to judge.
    #[error("its witness could not be checked: {0}")]
    Undecided(#[from] NoWitness),
}

/// A verdict that counts.
#[derive(Debug)]
pub struct Accepted {
    /// The verdict, with its witness.
    pub verdict: Verdict,
    /// What was checked.
    pub checked: Checked,
    /// The certificate in the form in which it is sent, if other processes can check it.
    pub certificate: Option<SentWitness>,
    /// The store of the witness, if it is not the caller's.
    pub store: Option<Box<Store>>,
}

/// Judges claims about one system.
#[derive(Clone, Copy)]
pub struct Judge<'a> {
    /// The system as read.
    pub system: &'a System,
    /// What is asked for.
    pub options: &'a SolveOptions,
    /// How certificates are checked.
    pub checker: CertificateChecker,
    /// Ends everything.
    pub stop: &'a StopToken,
    /// Ends the step of the witness: another process has shown the verdict, so that it counts without one.
    pub shown_elsewhere: Option<&'a StopToken>,
}

/// Goes on until a token is stopped.
pub(crate) struct Until(pub(crate) StopToken);

impl Pace for Until {
    fn go_on_after(&self, _: u64) -> bool {
        !self.0.is_stopped()
    }
}

/// How a witness of a graph becomes one of the system, and is judged there.
struct WitnessKind<W, T> {
    back: fn(W, &mut Store, &System, &Preprocessed, &mut Budget) -> Result<T, BackError>,
    check: fn(&mut Store, &System, &T, &mut Budget) -> Validity,
    verdict: fn(Witness<T>) -> Verdict,
}

const MODELS: WitnessKind<Interpretation, Model> = WitnessKind {
    back: |witness, store, system, preprocessed, budget| {
        let interpretation = preprocessed.interpretation(store, witness, budget)?;
        Ok(Model::of(&preprocessed.graph, &interpretation, system.predicates.len()))
    },
    check: check_model,
    verdict: Verdict::Sat,
};

const DERIVATIONS: WitnessKind<Derivation<EdgeId>, Derivation<ClauseId>> = WitnessKind {
    back: |witness, store, system, preprocessed, budget| {
        let derivation = preprocessed.derivation(store, witness, budget)?.map_rules(EdgeId::clause);
        Ok(derivation.concise(|clause| system.clause(clause).head.as_ref().map(|head| head.predicate)))
    },
    check: check_derivation,
    verdict: Verdict::Unsat,
};

/// What there is to judge.
struct Case<W> {
    /// How the witness is built or read, or why there is none.
    witness: Result<WitnessSource<W>, NoWitness>,
    certificate: Presented,
}

/// A certificate as it is presented.
enum Presented {
    None,
    Data(Certificate),
    /// By another process.
    Text(Arc<str>),
}

impl<W> From<Proven<W>> for Case<W> {
    fn from(Proven { witness, certificate }: Proven<W>) -> Case<W> {
        Case { witness: Ok(witness), certificate: certificate.map_or(Presented::None, Presented::Data) }
    }
}

impl Judge<'_> {
    /// Judges evidence by these steps. The store is the caller's.
    pub fn judge(
        &self,
        store: &mut Store,
        (status, evidence): (Status, Evidence),
        steps: &[Step],
    ) -> Result<Accepted, Refusal> {
        match evidence {
            Evidence::Judged(accepted) => Ok(*accepted),
            Evidence::Local(Local { store: mut own, variant, proof }) => {
                let used = own.as_deref_mut().unwrap_or(store);
                let accepted = match proof {
                    Proof::Safe(proven) => self.case(used, &variant, proven.into(), &MODELS, steps)?,
                    Proof::Unsafe(witness) => {
                        let case = Case { witness: Ok(witness), certificate: Presented::None };
                        self.case(used, &variant, case, &DERIVATIONS, steps)?
                    }
                };
                Ok(Accepted { store: own, ..accepted })
            }
            Evidence::Remote(Remote { variant, findings, .. }) => match status {
                Status::Sat => {
                    let witness = read_interpretation(&variant, &findings);
                    let certificate = findings.certificate.clone().map_or(Presented::None, Presented::Text);
                    self.case(store, &variant, Case { witness, certificate }, &MODELS, steps)
                }
                Status::Unsat => {
                    let witness = read_edges(&variant, &findings);
                    self.case(
                        store,
                        &variant,
                        Case { witness, certificate: Presented::None },
                        &DERIVATIONS,
                        steps,
                    )
                }
            },
        }
    }

    /// A certificate in the form in which it is sent to processes that have joined, if they can check it.
    fn portable(&self, store: &mut Store, graph: &Graph, certificate: &Certificate) -> Option<SentWitness> {
        self.options.join.as_ref()?;
        let (state, KInductive { formula, k }) = certificate.k_inductive(graph)?;
        write_inductive(store, state, *k, *formula, FormulaLimits::CERTIFICATE)
    }

    /// The certificate that is presented, if there is one and it can be read.
    fn read(
        &self,
        store: &mut Store,
        graph: &Graph,
        presented: Presented,
        stop: &StopToken,
    ) -> Result<Option<Certificate>, Refusal> {
        match presented {
            Presented::None => Ok(None),
            Presented::Data(certificate) => Ok(Some(certificate)),
            Presented::Text(text) => {
                let read = Certificate::unpack(store, graph, &text, &Budget::until(stop.clone()));
                // A stop is no mistake of who has sent it.
                match read {
                    Err(_) if stop.is_stopped() => Err(NoWitness::Validation(UnknownReason::Stopped).into()),
                    read => Ok(Some(read.map_err(|error| Rejection::Unreadable(error.to_string()))?)),
                }
            }
        }
    }

    /// Takes the steps until one succeeds.
    fn case<W: 'static, T>(
        &self,
        store: &mut Store,
        variant: &Variant,
        case: Case<W>,
        kind: &WitnessKind<W, T>,
        steps: &[Step],
    ) -> Result<Accepted, Refusal> {
        let Case { witness, certificate } = case;
        let graph = variant.graph();
        let (mut witness, mut certificate) = (Some(witness), Some(certificate));
        let mut missing = NoWitness::Unasked;
        let accepted = |witness, checked, certificate| {
            Ok(Accepted { verdict: (kind.verdict)(witness), checked, certificate, store: None })
        };
        for (i, step) in steps.iter().enumerate() {
            match (*step, steps.get(i + 1), self.checker.beside_witness(store.len())) {
                (Step::Witness(time), Some(&Step::Certificate(more)), Some(beside)) => {
                    let both = (witness.take(), certificate.take());
                    let (Some(witness), Some(presented)) = both else { continue };
                    let time = time.saturating_add(more);
                    let found = self.at_once(store, variant, (witness, presented), kind, (time, beside));
                    match found? {
                        (Ok(found), _) => return accepted(Witness::Found(found), Checked::Witness, None),
                        (Err(reason), Some(portable)) => {
                            return accepted(Witness::Missing(reason), Checked::Certificate, portable);
                        }
                        (Err(reason), None) => missing = reason,
                    }
                }
                (Step::Witness(time), ..) => {
                    let Some(witness) = witness.take() else { continue };
                    let (token, _scheduled) = self.limited(time);
                    match self.witness(store, &variant.preprocessed, witness, kind, token) {
                        Ok(found) => return accepted(Witness::Found(found), Checked::Witness, None),
                        Err(Refusal::Undecided(reason)) => missing = reason,
                        Err(wrong) => return Err(wrong),
                    }
                }
                (Step::Certificate(time), ..) => {
                    let Some(presented) = certificate.take() else { continue };
                    let (token, _scheduled) = self.limited(time);
                    if let Some(portable) = self.certificate(store, graph, presented, self.checker, &token)? {
                        return accepted(Witness::Missing(missing), Checked::Certificate, portable);
                    }
                }
                (Step::Nothing, ..) => return accepted(Witness::Missing(missing), Checked::Nothing, None),
            }
        }
        Err(missing.into())
    }

    /// Judges the witness, and in another thread the certificate: the witness or why there is none, and whether the
    /// certificate was accepted, with the form in which it is sent.
    #[expect(clippy::type_complexity, reason = "two results, of which one has a part that is sent")]
    fn at_once<W: 'static, T>(
        &self,
        store: &mut Store,
        variant: &Variant,
        (witness, presented): (Result<WitnessSource<W>, NoWitness>, Presented),
        kind: &WitnessKind<W, T>,
        (time, (checker, wait)): (Duration, (CertificateChecker, Duration)),
    ) -> Result<(Result<T, NoWitness>, Option<Option<SentWitness>>), Refusal> {
        let (witness_token, _witness_time) = self.limited(time);
        let (token, _time) = self.limited(time);
        let (judged, is_judged) = channel::<()>();
        let mut own = store.clone();
        let (witness, certificate) = thread::scope(|scope| {
            let (token, witness_token) = (&token, &witness_token);
            let checking = thread::Builder::new().spawn_scoped(scope, move || {
                let checked = self.certificate(&mut own, variant.graph(), presented, checker, token);
                if matches!(checked, Ok(Some(_)))
                    && !self.options.witness
                    && is_judged.recv_timeout(wait) == Err(RecvTimeoutError::Timeout)
                {
                    witness_token.stop();
                }
                checked
            });
            let found = self.witness(store, &variant.preprocessed, witness, kind, witness_token.clone());
            drop(judged);
            if !matches!(found, Err(Refusal::Undecided(_))) {
                token.stop();
            }
            // Without a thread there is no check.
            let certificate = checking.map_or(Ok(None), |thread| thread.join().unwrap_or(Ok(None)));
            (found, certificate)
        });
        match witness {
            Ok(found) => Ok((Ok(found), None)),
            Err(Refusal::Undecided(reason)) => Ok((Err(reason), certificate?)),
            Err(wrong) => Err(wrong),
        }
    }

    /// Whether a certificate is accepted, with the form in which it is sent.
    fn certificate(
        &self,
        store: &mut Store,
        graph: &Graph,
        presented: Presented,
        checker: CertificateChecker,
        stop: &StopToken,
    ) -> Result<Option<Option<SentWitness>>, Refusal> {
        let certificate = match self.read(store, graph, presented, stop) {
            Ok(Some(certificate)) => certificate,
            Ok(None) | Err(Refusal::Undecided(_)) => return Ok(None),
            Err(wrong) => return Err(wrong),
        };
        match checker.check(&(&certificate, graph), store, stop) {
            Ok(()) => Ok(Some(self.portable(store, graph, &certificate))),
            Err(CertificateError::Unknown(_)) => Ok(None),
            Err(CertificateError::Wrong(what)) => Err(Rejection::Certificate(what).into()),
        }
    }

    /// A token that is stopped after this time, or where time must not matter, after the work that stands for it.
    fn limited(&self, time: Duration) -> (StopToken, Option<Scheduled>) {
        if self.options.deterministic {
            return (StopToken::after_work(self.stop, work_for(time)), None);
        }
        let (token, scheduled) = stop_after(self.stop, time);
        (token, Some(scheduled))
    }

    /// Builds a witness, translates it back and judges it, until the token is stopped.
    fn witness<W: 'static, T>(
        &self,
        store: &mut Store,
        preprocessed: &Preprocessed,
        witness: Result<WitnessSource<W>, NoWitness>,
        kind: &WitnessKind<W, T>,
        mut token: StopToken,
    ) -> Result<T, Refusal> {
        if let Some(shown) = self.shown_elsewhere {
            token = StopToken::paced(&token, Until(shown.clone()));
        }
        let mut budget = Budget::until(token);
        let witness = witness?.get(store, &mut budget).map_err(|error| match error {
            WitnessError::Unknown(reason) => NoWitness::Building(reason).into(),
            WitnessError::Unavailable(reason) => NoWitness::from(reason).into(),
            WitnessError::Broken(what) => Refusal::Wrong(Rejection::Engine(what)),
        })?;
        let back = (kind.back)(witness, store, self.system, preprocessed, &mut budget);
        let found = back.map_err(|error| match error {
            BackError::Unknown(reason) => NoWitness::TranslatingBack(reason).into(),
            BackError::Broken(what) => Refusal::Wrong(Rejection::Back(what)),
        })?;
        accept((kind.check)(store, self.system, &found, &mut budget))?;
        Ok(found)
    }

    /// Judges the witness of the system as read that a process which has joined has sent, in this time.
    pub fn sent(
        &self,
        store: &mut Store,
        witness: &SentWitness,
        time: Duration,
    ) -> Result<Accepted, Refusal> {
        let (token, _scheduled) = self.limited(time);
        let mut budget = Budget::until(token.clone());
        let verdict = match witness {
            SentWitness::Inductive(k, formula) => {
                return self.sent_inductive(store, (*k, formula), time, &token);
            }
            SentWitness::Model(definitions) => {
                let model = read_model(store, self.system, definitions).map_err(Rejection::Unreadable)?;
                accept(check_model(store, self.system, &model, &mut budget))?;
                Verdict::Sat(Witness::Found(model))
            }
            SentWitness::Derivation(_) | SentWitness::Repeating(_) => {
                let read = read_clauses(store, self.system, witness).map_err(Rejection::Unreadable)?;
                accept(check_derivation(store, self.system, &read, &mut budget))?;
                Verdict::Unsat(Witness::Found(read))
            }
        };
        Ok(Accepted { verdict, checked: Checked::Witness, certificate: None, store: None })
    }

    /// Judges a formula that is said to be k-inductive, on the transition system that the passes make of the system
    /// here: by a witness, or else by the certificate.
    fn sent_inductive(
        &self,
        store: &mut Store,
        (k, formula): (usize, &Formula),
        time: Duration,
        stop: &StopToken,
    ) -> Result<Accepted, Refusal> {
        let preparation = Preparation { for_transition_systems: true, ..Preparation::default() };
        let system = Arc::new(self.system.clone());
        let mut prepared = Prepared::read(store, &system, &self.options.disabled_passes);
        let variant = prepared.variant(store, preparation, stop);
        let read = |store: &mut Store, state: &[Term]| read_inductive(store, state, formula);
        let mut context = Context {
            budget: Budget::until(stop.clone()),
            seed: 0,
            witness: self.options.witness,
            events: &mut NoEvents,
            statistics: Statistics::new(),
        };
        match Adaptor::new(Replay { k, read }).solve(store, variant.graph(), &mut context) {
            Outcome::Safe(proven) => {
                let steps = [Step::Certificate(time)];
                let both = [Step::Witness(time / 2), Step::Certificate(time)];
                let steps: &[Step] = if self.options.witness { &both } else { &steps };
                Judge { stop, ..*self }.case(store, &variant, proven.into(), &MODELS, steps)
            }
            Outcome::Unsafe(_) => Err(Rejection::Unreadable("falsehood can be derived".to_owned()).into()),
            Outcome::Unknown(reason) => Err(Rejection::Unreadable(reason.to_string()).into()),
        }
    }
}

/// How the model that a worker has sent is read.
fn read_interpretation(
    variant: &Arc<Variant>,
    findings: &Arc<Findings>,
) -> Result<WitnessSource<Interpretation>, NoWitness> {
    findings.witness.as_ref().map_err(|reason| NoWitness::Reported(reason.clone()))?;
    let (variant, findings) = (variant.clone(), findings.clone());
    Ok(WitnessSource::Deferred(Box::new(move |store, _| {
        let (Some(sent), Ok(SentWitness::Model(definitions))) = (variant.sent_before(), &findings.witness)
        else {
            return Err(unreadable("it is no model".to_owned()));
        };
        let model = read_model(store, &sent.system, definitions).map_err(unreadable)?;
        Ok(sent.interpretation(store, variant.graph(), &model))
    })))
}

/// How the derivation that a worker has sent is read.
fn read_edges(
    variant: &Arc<Variant>,
    findings: &Arc<Findings>,
) -> Result<WitnessSource<Derivation<EdgeId>>, NoWitness> {
    findings.witness.as_ref().map_err(|reason| NoWitness::Reported(reason.clone()))?;
    let (variant, findings) = (variant.clone(), findings.clone());
    Ok(WitnessSource::Deferred(Box::new(move |store, _| {
        let (Some(sent), Ok(witness)) = (variant.sent_before(), &findings.witness) else {
            return Err(unreadable("it is no derivation".to_owned()));
        };
        let derivation = read_clauses(store, &sent.system, witness).map_err(unreadable)?;
        Ok(sent.derivation(derivation))
    })))
}

fn unreadable(what: String) -> WitnessError {
    WitnessError::Broken(format!("its witness cannot be read: {what}").into())
}

/// Reads a derivation by the clauses of a system.
fn read_clauses(
    store: &mut Store,
    system: &System,
    witness: &SentWitness,
) -> Result<Derivation<ClauseId>, String> {
    match witness {
        SentWitness::Derivation(steps) => read_derivation(store, system, steps),
        SentWitness::Repeating(nodes) => read_repeating(store, system, nodes),
        SentWitness::Model(_) | SentWitness::Inductive(..) => Err("it is no derivation".to_owned()),
    }
}

/// The judgement of the checker on a witness.
fn accept(validity: Validity) -> Result<(), Refusal> {
    match validity {
        Validity::Valid => Ok(()),
        Validity::Invalid(defect) => Err(Rejection::Witness(defect).into()),
        Validity::Unknown(reason) => Err(NoWitness::Validation(reason).into()),
    }
}
