//! The judge: the only place where witnesses and certificates are judged.
//!
//! A witness is judged on the system as read, by the checker that shares no code with engines and passes. The witness
//! of an engine in this process is built and translated back through the passes first; that of another process is
//! read. A certificate is about the graph that its engine saw: it counts where there is no witness, or where nobody
//! wants one. That of another process was checked there, and is believed if the process is one of ours. A certificate that
//! is the witness before the passes are undone counts only where the witness itself takes too long to judge.
//!
//! Processes that have joined a run have to be shown something that they can check themselves. Of certificates that is a
//! k-inductive formula: it is sent as text, and becomes the claim of a [`Replay`] on a graph that the receiver prepares.
//!
//! What has to be checked depends on who is asked ([`Demand`]): one engine alone is checked as far as the user asks,
//! among several only what was checked counts, and a worker leaves its witness to the process that started it.

use std::time::Duration;

use shem_base::{Budget, Pace, Statistics, StopToken, UnknownReason};
use shem_chc::{ClauseId, Derivation, EdgeId, Graph, Interpretation, Model, System};
use shem_check::certificate::KInductive;
use shem_check::{Certificate, CertificateError, Validity, check_derivation, check_model};
use shem_engine::{Adaptor, Context, Engine, NoEvents, Outcome, Preparation, Proven, Replay, WitnessError};
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
use crate::evidence::{Local, Proof, Remote};
use crate::options::SolveOptions;
use crate::prepare::{Passes, Prepared, prepare};
use crate::reason::{NoWitness, Rejection};
use crate::runner::work_for;

/// How long building a witness may take that is of use to other processes only, if they can check the certificate, too.
/// If they cannot, it is built until another process has shown a verdict.
pub(crate) const WITNESS_TIME_FOR_PEERS: Duration = Duration::from_secs(1);

/// What has to be checked before a verdict counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// One engine: what the options ask for. The verdict counts even if nothing could be checked.
    AsAsked,
    /// One of several: a witness or a certificate, whatever the options say.
    Something,
    /// The same, where other processes can use a witness.
    ForPeers,
    /// A worker: its certificate; the witness is built, and judged by the process that receives it.
    Certificate,
}

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
    /// What has to be checked.
    pub demand: Demand,
    /// How certificates are checked.
    pub checker: CertificateChecker,
    /// Ends everything.
    pub stop: &'a StopToken,
    /// Stopped when another process has shown a verdict, so that nobody waits for what is for others only.
    pub shown_elsewhere: Option<&'a StopToken>,
}

/// Goes on until a token is stopped.
pub(crate) struct Until(pub(crate) StopToken);

impl Pace for Until {
    fn go_on_after(&self, _: u64) -> bool {
        !self.0.is_stopped()
    }
}

/// What is done with the evidence of an engine.
struct Steps {
    /// Check the certificate before anything else.
    certificate_first: bool,
    /// Build a witness, in this time.
    build: Option<Duration>,
    /// The witness is for other processes only.
    only_for_peers: bool,
    /// Judge the witness that was built.
    judge: bool,
    /// Check the certificate if there is no witness.
    certificate_last: bool,
}

/// How a witness of a graph becomes one of the system, and is judged there.
struct Kind<W, T> {
    back: fn(W, &mut Store, &System, &Preprocessed, &mut Budget) -> Result<T, BackError>,
    check: fn(&mut Store, &System, &T, &mut Budget) -> Validity,
    verdict: fn(Witness<T>) -> Verdict,
    /// Whether on some systems nothing but the witness counts: see [`System::needs_evaluation`].
    evaluated: bool,
}

const MODELS: Kind<Interpretation, Model> = Kind {
    back: |witness, store, system, preprocessed, budget| {
        let interpretation = preprocessed.interpretation(store, witness, budget)?;
        Ok(Model::of(&preprocessed.graph, &interpretation, system.predicates.len()))
    },
    check: check_model,
    verdict: Verdict::Sat,
    evaluated: false,
};

const DERIVATIONS: Kind<Derivation<EdgeId>, Derivation<ClauseId>> = Kind {
    back: |witness, store, system, preprocessed, budget| {
        let derivation = preprocessed.derivation(store, witness, budget)?.map_rules(EdgeId::clause);
        Ok(derivation.concise(|clause| system.clause(clause).head.as_ref().map(|head| head.predicate)))
    },
    check: check_derivation,
    verdict: Verdict::Unsat,
    evaluated: true,
};

impl Judge<'_> {
    /// Judges what an engine of this process has found. The store is the caller's; `certified` is called when a
    /// certificate was accepted and a witness is still to be built, with the certificate if others can check it.
    pub fn local(
        &self,
        store: &mut Store,
        evidence: Local,
        certified: &mut dyn FnMut(Option<&SentWitness>),
    ) -> Result<Accepted, Refusal> {
        let Local { store: mut own, preprocessed, proof } = evidence;
        let used = own.as_deref_mut().unwrap_or(store);
        let accepted = match proof {
            Proof::Safe(proven) => self.proven(used, &preprocessed, proven, &MODELS, certified)?,
            Proof::Unsafe(witness) => {
                let proven = Proven { witness, certificate: None };
                self.proven(used, &preprocessed, proven, &DERIVATIONS, certified)?
            }
        };
        Ok(Accepted { store: own, ..accepted })
    }

    /// A certificate in the form in which it is sent, if others can check it and there are any.
    fn portable(
        &self,
        store: &mut Store,
        graph: &Graph,
        certificate: Option<&Certificate>,
    ) -> Option<SentWitness> {
        if !matches!(self.demand, Demand::ForPeers | Demand::Certificate) {
            return None;
        }
        let (state, KInductive { formula, k }) = certificate?.k_inductive(graph)?;
        write_inductive(store, state, *k, *formula, FormulaLimits::CERTIFICATE)
    }

    fn steps(&self, has_certificate: bool, is_portable: bool) -> Steps {
        let SolveOptions { witness, validate, witness_budget, .. } = *self.options;
        let is_worker = self.demand == Demand::Certificate;
        let only_for_peers = self.demand == Demand::ForPeers && has_certificate && !witness;
        let build = match self.demand {
            Demand::AsAsked => witness.then_some(witness_budget),
            Demand::Certificate => Some(witness_budget),
            Demand::ForPeers if only_for_peers && is_portable => {
                Some(witness_budget.min(WITNESS_TIME_FOR_PEERS))
            }
            Demand::ForPeers if only_for_peers => Some(witness_budget),
            Demand::Something | Demand::ForPeers => (witness || !has_certificate).then_some(witness_budget),
        };
        Steps {
            // If the witness is for others only, there may be no time left after it.
            certificate_first: is_worker || only_for_peers,
            build,
            only_for_peers,
            judge: !is_worker,
            certificate_last: !is_worker && (validate || self.demand != Demand::AsAsked),
        }
    }

    fn proven<W: 'static, T>(
        &self,
        store: &mut Store,
        preprocessed: &Preprocessed,
        proven: Proven<W>,
        kind: &Kind<W, T>,
        certified: &mut dyn FnMut(Option<&SentWitness>),
    ) -> Result<Accepted, Refusal> {
        let Proven { witness, mut certificate } = proven;
        let graph = &preprocessed.graph;
        let portable = self.portable(store, graph, certificate.as_ref());
        let is_witness = certificate.as_ref().is_some_and(|certificate| certificate.is_witness());
        let mut steps = self.steps(certificate.is_some() && !is_witness, portable.is_some());
        // After a short search the witness does not take long.
        if is_witness && self.checker == CertificateChecker::SINGLE {
            steps.certificate_first = false;
        }
        if kind.evaluated && self.system.needs_evaluation(store) {
            certificate = None;
            steps.build = steps.build.or(Some(self.options.witness_budget));
        }
        let mut checked = Checked::Nothing;
        if steps.certificate_first {
            checked = self.certificate(store, graph, certificate.take())?;
        }
        if checked == Checked::Certificate {
            certified(portable.as_ref());
            if self.demand == Demand::Certificate && !self.options.witness && is_witness {
                steps.build = Some(self.options.witness_budget.min(self.checker.witness_time()));
            } else if self.demand == Demand::Certificate && !self.options.witness {
                let verdict = (kind.verdict)(Witness::Unwanted);
                return Ok(Accepted { verdict, checked, certificate: portable, store: None });
            }
        }
        let mut missing = None;
        if let Some(time) = steps.build {
            let (mut token, _scheduled) = self.limited(time);
            if let Some(shown) = self.shown_elsewhere.filter(|_| steps.only_for_peers) {
                token = StopToken::paced(&token, Until(shown.clone()));
            }
            let mut budget = Budget::until(token);
            let build = || {
                let target = self.build(store, preprocessed, witness, kind, &mut budget)?;
                if steps.judge {
                    accept((kind.check)(store, self.system, &target, &mut budget))?;
                    checked = Checked::Witness;
                }
                Ok(target)
            };
            match build() {
                Ok(found) => {
                    let verdict = (kind.verdict)(Witness::Found(found));
                    return Ok(Accepted { verdict, checked, certificate: portable, store: None });
                }
                Err(Refusal::Undecided(reason)) => missing = Some(reason),
                Err(wrong) => return Err(wrong),
            }
        }
        // What the witness left of its time may be nothing: the certificate has its own.
        if steps.certificate_last && checked == Checked::Nothing {
            checked = self.certificate(store, graph, certificate.take())?;
        }
        let witness = match missing {
            Some(reason) if checked == Checked::Nothing => return Err(reason.into()),
            Some(reason) if self.options.witness => Witness::Missing(reason),
            _ if checked == Checked::Nothing && self.demand != Demand::AsAsked => {
                // Without a witness only the certificate could show something, and it could not be checked.
                return Err(NoWitness::Validation(UnknownReason::Stopped).into());
            }
            _ => Witness::Unwanted,
        };
        Ok(Accepted { verdict: (kind.verdict)(witness), checked, certificate: portable, store: None })
    }

    /// A token that is stopped after this time, or where time must not matter, after the work that stands for it.
    fn limited(&self, time: Duration) -> (StopToken, Option<Scheduled>) {
        if self.options.deterministic {
            return (StopToken::after_work(self.stop, work_for(time)), None);
        }
        let (token, scheduled) = stop_after(self.stop, time);
        (token, Some(scheduled))
    }

    /// Checks a certificate, if there is one.
    fn certificate(
        &self,
        store: &mut Store,
        graph: &Graph,
        certificate: Option<Certificate>,
    ) -> Result<Checked, Rejection> {
        let Some(certificate) = certificate else { return Ok(Checked::Nothing) };
        let (token, _scheduled) = self.limited(self.options.witness_budget);
        match self.checker.check(&(&certificate, graph), store, &token) {
            Ok(()) => Ok(Checked::Certificate),
            Err(CertificateError::Unknown(_)) => Ok(Checked::Nothing),
            Err(CertificateError::Wrong(what)) => Err(Rejection::Certificate(what)),
        }
    }

    /// Builds a witness and translates it back.
    fn build<W: 'static, T>(
        &self,
        store: &mut Store,
        preprocessed: &Preprocessed,
        evidence: shem_engine::Evidence<W>,
        kind: &Kind<W, T>,
        budget: &mut Budget,
    ) -> Result<T, Refusal> {
        let witness = evidence.get(store, budget).map_err(|error| match error {
            WitnessError::Unknown(reason) => NoWitness::Building(reason).into(),
            WitnessError::Unavailable(reason) => NoWitness::from(reason).into(),
            WitnessError::Broken(what) => Refusal::Wrong(Rejection::Engine(what)),
        })?;
        (kind.back)(witness, store, self.system, preprocessed, budget).map_err(|error| match error {
            BackError::Unknown(reason) => NoWitness::TranslatingBack(reason).into(),
            BackError::Broken(what) => Refusal::Wrong(Rejection::Back(what)),
        })
    }

    /// Judges what another process has sent, in this time. The certificate that it has accepted counts if there is no
    /// witness, and at last if the witness could not be judged.
    pub fn remote(
        &self,
        store: &mut Store,
        status: Status,
        remote: &Remote,
        time: Duration,
        at_last: bool,
    ) -> Result<Accepted, Refusal> {
        let judged = match &remote.witness {
            Ok(witness) => self.sent(store, witness, time),
            Err(reason) => Err(NoWitness::Reported(reason.clone()).into()),
        };
        let certificate = remote.certificate.clone();
        match judged {
            Ok(accepted) => Ok(Accepted { certificate: accepted.certificate.or(certificate), ..accepted }),
            Err(Refusal::Undecided(_))
                if remote.certified
                    && (at_last || remote.witness.is_err() || !self.options.witness)
                    && !(status == Status::Unsat && self.system.needs_evaluation(store)) =>
            {
                let verdict = status.without_witness(NoWitness::CertificateInstead);
                Ok(Accepted { verdict, checked: Checked::Certificate, certificate, store: None })
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// Judges a witness that was sent.
    fn sent(&self, store: &mut Store, witness: &SentWitness, time: Duration) -> Result<Accepted, Refusal> {
        let (token, _scheduled) = self.limited(time);
        let mut budget = Budget::until(token.clone());
        let verdict = match witness {
            SentWitness::Inductive(k, formula) => {
                return self.sent_inductive(store, (*k, formula), time, &token);
            }
            SentWitness::Model(definitions) => {
                let model = read_model(store, self.system, definitions).map_err(Rejection::Unreadable)?;
                accept(check_model(store, self.system, &model, &mut budget))?;
                Ok(Verdict::Sat(Witness::Found(model)))
            }
            SentWitness::Derivation(steps) => {
                let read = read_derivation(store, self.system, steps);
                self.sent_derivation(store, read, &mut budget)
            }
            SentWitness::Repeating(nodes) => {
                let read = read_repeating(store, self.system, nodes);
                self.sent_derivation(store, read, &mut budget)
            }
        };
        Ok(Accepted { verdict: verdict?, checked: Checked::Witness, certificate: None, store: None })
    }

    /// Judges a formula that is said to be k-inductive, on the transition system that the passes make of the system
    /// here: by a certificate, and if a witness is wanted, by that.
    fn sent_inductive(
        &self,
        store: &mut Store,
        (k, formula): (usize, &Formula),
        time: Duration,
        stop: &StopToken,
    ) -> Result<Accepted, Refusal> {
        let preparation = Preparation { for_transition_systems: true, ..Preparation::default() };
        let passes = Passes { preparation, ..self.options.passes() };
        let Prepared { preprocessed, .. } = prepare(store, self.system, &passes, stop);
        let read = |store: &mut Store, state: &[Term]| read_inductive(store, state, formula);
        let mut context = Context {
            budget: Budget::until(stop.clone()),
            seed: 0,
            witness: self.options.witness,
            events: &mut NoEvents,
            statistics: Statistics::new(),
        };
        let claim = Adaptor::new(Replay { k, read }).solve(store, &preprocessed.graph, &mut context);
        match claim {
            Outcome::Safe(proven) => {
                let witness_budget = self.options.witness_budget.min(time);
                let options = &SolveOptions { witness_budget, ..self.options.clone() };
                let judge = Judge { options, demand: Demand::Something, stop, ..*self };
                judge.proven(store, &preprocessed, proven, &MODELS, &mut |_| {})
            }
            Outcome::Unsafe(_) => Err(Rejection::Unreadable("falsehood can be derived".to_owned()).into()),
            Outcome::Unknown(reason) => Err(Rejection::Unreadable(reason.to_string()).into()),
        }
    }

    fn sent_derivation(
        &self,
        store: &mut Store,
        read: Result<Derivation<ClauseId>, String>,
        budget: &mut Budget,
    ) -> Result<Verdict, Refusal> {
        let derivation = read.map_err(Rejection::Unreadable)?;
        accept(check_derivation(store, self.system, &derivation, budget))?;
        Ok(Verdict::Unsat(Witness::Found(derivation)))
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
