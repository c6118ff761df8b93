//! A problem divided into parts, and its answer put together from what is found about them.
//!
//! The graph after the passes that all preparations have in common is divided ([`Partition`]); each part goes through
//! the passes again, which may leave less of it than of the whole. What is found about a part is judged here before it counts:
//!
//! - Falsehood that is derived in a part is derived in the whole. The derivation is translated back to the edges of the whole and
//!   is evidence like that of any engine: the judge sees it on the system as read.
//! - A model of a part is judged on the clauses of the part. When there is one of each part, their combination is
//!   evidence for the whole, which the judge sees on the system as read, too. So nothing depends on the partition being
//!   right, or on who has found which part.

use std::sync::Arc;
use std::time::Duration;

use shem_base::{Budget, Statistics, StopToken};
use shem_chc::{
    Definition, Derivation, EdgeId, Fingerprint, Graph, Interpretation, Model, System, clauses_of,
};
use shem_check::{Validity, check_model};
use shem_engine::{Preparation, Proven, WitnessError, WitnessSource};
use shem_exchange::{Definitions, FormulaLimits, read_model, write_model};
use shem_term::{Store, Term};
use shem_transform::{BackError, DisabledPasses, Partition, PartitionBy};

use crate::answer::Status;
use crate::clock::stop_after;
use crate::evidence::{Claim, Evidence, Local, Proof};
use crate::judge::Refusal;
use crate::options::SolveOptions;
use crate::prepare::{Prepared, Variant};
use crate::reason::{NoWitness, Rejection, Undecided};
use crate::runner::{Event, work_for};

/// After how long without a sign a process counts as gone, if nothing else is said.
pub(crate) const SILENCE: Duration = Duration::from_secs(10);

/// How a problem is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Division {
    /// How many parts there may be; if that is not said, as many as suit the cores.
    pub parts: Option<usize>,
    /// What is divided.
    pub by: PartitionBy,
    /// Among processes that have joined, a part is given to another one if its process was not heard of for so long.
    pub silence: Duration,
}

impl Default for Division {
    fn default() -> Division {
        Division { parts: None, by: PartitionBy::default(), silence: SILENCE }
    }
}

/// A part, as those see it who work on it.
#[derive(Clone)]
pub struct Part {
    /// Its number.
    pub number: usize,
    graph: Arc<Graph>,
    disabled: DisabledPasses,
}

impl Part {
    /// The part prepared in this way.
    pub(crate) fn variant(
        &self,
        store: &mut Store,
        preparation: Preparation,
        stop: &StopToken,
    ) -> Arc<Variant> {
        Arc::new(Variant::prepared(store, (*self.graph).clone(), preparation, &self.disabled, stop))
    }
}

/// The parts of a problem, and what was found about them.
pub(crate) struct Parts {
    partition: Partition,
    /// The graph that was divided.
    whole: Arc<Variant>,
    parts: Vec<Part>,
    /// The clauses of each part, of which models and derivations speak that are judged or sent.
    systems: Vec<Arc<System>>,
    /// The models that were accepted.
    models: Vec<Option<Interpretation>>,
}

impl Parts {
    /// Divides a problem. `None` if it cannot be divided.
    pub(crate) fn of(
        store: &mut Store,
        prepared: &Prepared,
        (most, by): (usize, PartitionBy),
        options: &SolveOptions,
        stop: &StopToken,
    ) -> Option<Parts> {
        let whole = Arc::clone(prepared.base());
        let partition = Partition::of(store, whole.graph(), most, by, &Budget::until(stop.clone()))?;
        let disabled = &options.disabled_passes;
        let part = |(number, graph): (usize, &Graph)| {
            let (graph, disabled) = (Arc::new(graph.clone()), disabled.clone());
            Part { number, graph, disabled }
        };
        let parts: Vec<Part> = partition.parts().iter().enumerate().map(part).collect();
        let systems = partition.parts().iter().map(|graph| Arc::new(clauses_of(store, graph))).collect();
        log::debug!("divided into {} parts", parts.len());
        let models = vec![None; parts.len()];
        Some(Parts { partition, whole, parts, systems, models })
    }

    /// How many parts there are.
    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    /// The part of this number.
    pub(crate) fn part(&self, number: usize) -> Part {
        self.parts[number].clone()
    }

    /// Whether a part has a model.
    pub(crate) fn is_solved(&self, number: usize) -> bool {
        self.models[number].is_some()
    }

    /// How many parts have a model.
    pub(crate) fn solved(&self) -> usize {
        self.models.iter().flatten().count()
    }

    /// What identifies a part among processes that divide the same problem.
    pub(crate) fn fingerprint(&self, store: &Store, number: usize) -> Fingerprint {
        Fingerprint::of_system(store, &self.systems[number])
    }

    /// What identifies this way to divide the problem.
    pub(crate) fn fingerprint_of_all(&self, store: &Store) -> Fingerprint {
        let predicates = self.systems[0].predicates.clone();
        let clauses = self.systems.iter().flat_map(|system| system.clauses.iter().cloned()).collect();
        Fingerprint::of_system(store, &System { predicates, clauses, ..System::default() })
    }

    /// What becomes of a claim about a part that is not solved: it is judged, and if it was the last that was missing, or
    /// if it is enough by itself, there is a claim about the whole. The model of the part comes as it is sent to others.
    pub(crate) fn rule(
        &mut self,
        store: &mut Store,
        number: usize,
        claim: Claim,
        (options, stop): (&SolveOptions, &StopToken),
    ) -> (Event, Option<Definitions>) {
        let Claim { by, engine, status, evidence, statistics, member } = claim;
        let Evidence::Local(found) = evidence else {
            return (Event::Failed { by, what: "its evidence is not of this process".to_owned() }, None);
        };
        if status == Status::Unsat {
            let event = match self.derived(found).map(Evidence::Local) {
                Some(evidence) => Event::Claim(Claim { by, engine, status, evidence, statistics, member }),
                None => Event::Failed { by, what: "it has shown nothing".to_owned() },
            };
            return (event, None);
        }
        let time = options.witness_budget;
        let (token, _scheduled) = if options.deterministic {
            (StopToken::after_work(stop, work_for(time)), None)
        } else {
            let (token, scheduled) = stop_after(stop, time);
            (token, Some(scheduled))
        };
        match self.take_model(store, number, found, &mut Budget::until(token)) {
            Ok(model) => {
                log::debug!("{by}: part {number} is safe, {} of {}", self.solved(), self.len());
                let event = self.whole(store).map_or(Event::Nothing, |local| {
                    let by = format!("{by}, the last of {} parts", self.len());
                    let evidence = Evidence::Local(local);
                    Event::Claim(Claim { by, engine, status, evidence, statistics, member })
                });
                (event, Some(model))
            }
            Err(Refusal::Wrong(rejection)) => (Event::Failed { by, what: rejection.to_string() }, None),
            Err(Refusal::Undecided(reason)) => {
                let reason = Undecided::Reported(format!("its part is safe, but nothing shows it: {reason}"));
                (Event::GaveUp { by, reason, statistics }, None)
            }
        }
    }

    /// What shows the whole to be safe, if every part has a model.
    pub(crate) fn whole(&self, store: &mut Store) -> Option<Local> {
        let models: Vec<Interpretation> = self.models.iter().flatten().cloned().collect();
        if models.len() < self.parts.len() {
            return None;
        }
        let interpretation = self.partition.interpretation(store, &models);
        let (witness, certificate) = (WitnessSource::Ready(interpretation), None);
        let proof = Proof::Safe(Proven { witness, certificate });
        Some(Local { store: None, variant: Arc::clone(&self.whole), proof })
    }

    /// The model of a part that an engine has found, judged on the part, as it is sent. It counts from now on.
    pub(crate) fn take_model(
        &mut self,
        store: &mut Store,
        number: usize,
        found: Local,
        budget: &mut Budget,
    ) -> Result<Definitions, Refusal> {
        let Local { store: own, variant, proof: Proof::Safe(Proven { witness, .. }) } = found else {
            return Err(NoWitness::Unasked.into());
        };
        let system = Arc::clone(&self.systems[number]);
        let mut own = own.unwrap_or_else(|| Box::new(store.clone()));
        let witness = witness.get(&mut own, budget).map_err(|error| match error {
            WitnessError::Unknown(reason) => NoWitness::Building(reason).into(),
            WitnessError::Unavailable(reason) => NoWitness::from(reason).into(),
            WitnessError::Broken(what) => Refusal::Wrong(Rejection::Engine(what)),
        })?;
        let back = variant.preprocessed.interpretation(&mut own, witness, budget);
        let interpretation = back.map_err(|error| match error {
            BackError::Unknown(reason) => NoWitness::TranslatingBack(reason).into(),
            BackError::Broken(what) => Refusal::Wrong(Rejection::Back(what)),
        })?;
        let graph = &self.parts[number].graph;
        let model = model_of(graph, &interpretation);
        let written = write_model(&mut own, &system, &model, FormulaLimits::NONE);
        let too_large =
            || Refusal::from(NoWitness::Reported("the model of a part cannot be written".to_owned()));
        let definitions = written.ok_or_else(too_large)?;
        self.read(store, number, &definitions, budget)?;
        Ok(definitions)
    }

    /// A model of a part as it was sent. It is judged on the part and counts from now on.
    pub(crate) fn read(
        &mut self,
        store: &mut Store,
        number: usize,
        definitions: &Definitions,
        budget: &mut Budget,
    ) -> Result<(), Refusal> {
        if self.is_solved(number) {
            return Ok(());
        }
        let (system, graph) = (Arc::clone(&self.systems[number]), Arc::clone(&self.parts[number].graph));
        let model = read_model(store, &system, definitions).map_err(Rejection::Unreadable)?;
        match check_model(store, &system, &model, budget) {
            Validity::Valid => {}
            Validity::Invalid(defect) => return Err(Rejection::Witness(defect).into()),
            Validity::Unknown(reason) => return Err(NoWitness::Validation(reason).into()),
        }
        let mut interpretation = Interpretation::new();
        for (vertex, Definition { parameters, body }) in graph.vertices().zip(&model.definitions) {
            interpretation.insert(vertex, store.rename(*body, parameters, graph.vertex(vertex).state()));
        }
        self.models[number] = Some(interpretation);
        Ok(())
    }

    /// What an engine that has derived falsehood in a part has found, as evidence for the whole.
    pub(crate) fn derived(&self, found: Local) -> Option<Local> {
        let Local { store, variant, proof: Proof::Unsafe(witness) } = found else { return None };
        let back = move |store: &mut Store, budget: &mut Budget, derivation: Derivation<EdgeId>| {
            variant.preprocessed.derivation(store, derivation, budget).map_err(|error| match error {
                BackError::Unknown(reason) => WitnessError::Unknown(reason),
                BackError::Broken(what) => WitnessError::Broken(what.into()),
            })
        };
        let proof = Proof::Unsafe(witness.then(back));
        Some(Local { store, variant: Arc::clone(&self.whole), proof })
    }

    /// The figures.
    pub(crate) fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::new();
        statistics.set("all", self.len() as u64);
        statistics.set("solved", self.solved() as u64);
        statistics
    }
}

/// An interpretation as a model of the graph's clauses.
pub(crate) fn model_of(graph: &Graph, interpretation: &Interpretation) -> Model {
    let definition = |vertex| Definition {
        parameters: graph.vertex(vertex).state().into(),
        body: interpretation.get(vertex).unwrap_or(Term::TRUE),
    };
    Model { definitions: graph.vertices().map(definition).collect() }
}
