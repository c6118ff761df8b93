//! Transition systems in VMT, and circuits: each property is a question, and is answered in the words of the file.
//!
//! A property becomes the text of a script of clauses, which is read like any other: processes that are started read
//! the same text, and a witness is judged on what was read.

use std::io::{self, Write};
use std::sync::Arc;

use serde_json::{Value, json};
use shem_base::{Budget, StopToken};
use shem_chc::{PredicateId, Script, System, write_system};
use shem_circuit::{Circuit, NoCircuit, NoWitness, Transitions};
use shem_decide::{Answer, Verdict, Witness};
use shem_script::conversation::Halt;
use shem_script::diagnostic::Source;
use shem_term::smtlib::{ErrorKind, ReadError};
use shem_term::{Store, Term};
use shem_vmt::{
    Invariant, Product, Property, PropertyKind, Reduction, Run, Trace, TraceStep, Vmt, invariants,
};

use super::options::ProofFormat;
use super::session::{LastCheck, Session};
use super::{certificate, json, print};
use crate::format::CircuitFormat;

/// What a property came to.
struct Decided {
    system: Arc<System>,
    answer: Answer,
    reduction: Reduction,
}

/// Why a live property is not answered.
pub(crate) fn infinite_states(property: &Property, variable: &str) -> String {
    format!(
        "{} {}: the state variable {variable} may take infinitely many values; --live-bound N tries to \
         show that the formula fails at most N times",
        property.kind.word(),
        property.index
    )
}

/// A circuit that a transition system was made of.
#[derive(Clone, Copy)]
pub(super) struct Origin<'c> {
    pub(super) circuit: &'c Circuit,
    pub(super) transitions: &'c Transitions,
    pub(super) format: CircuitFormat,
}

/// A property that is asked about.
#[derive(Clone, Copy)]
struct Question<'q> {
    vmt: &'q Vmt,
    property: &'q Property,
    /// The circuit, if the witness is to be told in its words.
    origin: Option<Origin<'q>>,
    /// The product, if the property was a formula of temporal logic.
    product: Option<&'q Product>,
}

/// A witness in the words of the file.
enum Told {
    Invariants(Vec<Invariant>),
    Trace(Trace),
    /// A run of a circuit in its own format.
    Run(String),
}

/// Why there is no witness.
enum Untold {
    /// It cannot be found or written.
    Missing(String),
    /// It is wrong, so that the verdict cannot be believed.
    Wrong(String),
}

impl Session<'_> {
    /// Answers the properties of a transition system.
    pub(super) fn run_properties(
        &mut self,
        mut store: Store,
        vmt: &Vmt,
        origin: Option<Origin<'_>>,
        source: Source<'_>,
    ) -> Result<(), Halt> {
        self.talk.asked = true;
        let chosen = |property: &&Property| self.options.property.is_none_or(|index| index == property.index);
        let properties: Vec<&Property> = vmt.properties.iter().filter(chosen).collect();
        match (&properties[..], self.options.property) {
            ([], Some(index)) => {
                return Err(Halt::Failure(format!("{}: there is no property {index}", source.name)));
            }
            ([], None) => {
                let _ = writeln!(self.talk.err, "shem: note: {} asks for nothing: no property", source.name);
            }
            ([_, _, ..], _) if self.options.print_certificate.is_some() => {
                let message = "a certificate is written for one property: choose it by --property";
                return Err(Halt::Failure(message.to_owned()));
            }
            _ => {}
        }
        for property in &properties {
            let mut question = Question { vmt, property, origin, product: None };
            let product;
            if property.kind == PropertyKind::Ltl {
                product = match vmt.product(&mut store, property) {
                    Ok(product) => product,
                    Err(reason) => {
                        let error = ReadError::new(ErrorKind::Unsupported, property.span, reason.to_string());
                        return Err(self.talk.mistake(source, &error));
                    }
                };
                let Product { vmt, property, .. } = &product;
                question = Question { vmt, property, origin: None, product: Some(&product) };
            }
            if let Some(stage) = self.options.dump_graph {
                let reduction = Reduction::of(property.kind);
                let system = self.encode(&mut store, question.vmt, question.property, reduction, source)?;
                return self.dump_graph(&system, stage);
            }
            if properties.len() > 1 && !self.options.json {
                writeln!(self.talk.out, "; {} {}", property.kind.word(), property.index)?;
            }
            self.answer_property(&mut store, question, source)?;
            self.talk.out.flush()?;
            if self.interrupted() {
                break;
            }
        }
        Ok(())
    }

    /// Decides a property and answers.
    fn answer_property(
        &mut self,
        store: &mut Store,
        question: Question<'_>,
        source: Source<'_>,
    ) -> Result<(), Halt> {
        let Question { vmt, property, .. } = question;
        let reduction = Reduction::of(property.kind);
        let variable = vmt.infinite_variable(store).filter(|_| reduction == Reduction::Lasso);
        let Some(variable) = variable else {
            let decided = self.decide_property(store, vmt, property, reduction, source)?;
            return self.tell_property(store, question, decided);
        };
        let Some(bound) = self.options.live_bound else {
            return self.answer_live(store, vmt, property, &infinite_states(property, variable));
        };
        let counted = self.decide_property(store, vmt, property, Reduction::Count(bound), source)?;
        if matches!(counted.answer.verdict, Verdict::Sat(_)) {
            return self.tell_property(store, question, counted);
        }
        if let Verdict::Unknown(reason) = &counted.answer.verdict {
            return Ok(self.tell_undecided(property, &reason.to_string())?);
        }
        let closed = self.decide_property(store, vmt, property, Reduction::Lasso, source)?;
        if matches!(closed.answer.verdict, Verdict::Unsat(_)) {
            return self.tell_property(store, question, closed);
        }
        let reason = format!(
            "{} {}: some run has more than {bound} failures, and none that meets a state twice was found",
            property.kind.word(),
            property.index
        );
        Ok(self.tell_undecided(property, &reason)?)
    }

    /// The clauses of a property, read from their text.
    fn encode(
        &mut self,
        store: &mut Store,
        vmt: &Vmt,
        property: &Property,
        reduction: Reduction,
        source: Source<'_>,
    ) -> Result<Arc<System>, Halt> {
        let mut text = Vec::new();
        let written = match vmt.clauses(store, property, reduction) {
            Ok(encoding) => {
                write_system(&mut text, store, &encoding.system).map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        if let Err(message) = written {
            let error = ReadError::new(ErrorKind::Unsupported, property.span, message);
            return Err(self.talk.mistake(source, &error));
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        self.store = Store::new();
        let script = match Script::read(&mut self.store, &text, &StopToken::new()) {
            Ok(script) => script,
            Err(error) => return Err(self.talk.mistake(Source::new("<clauses>", &text), &error)),
        };
        (self.script.text, self.script.checks) = (Arc::new(text.into_bytes()), 1);
        Ok(Arc::clone(script.first_system()))
    }

    fn decide_property(
        &mut self,
        store: &mut Store,
        vmt: &Vmt,
        property: &Property,
        reduction: Reduction,
        source: Source<'_>,
    ) -> Result<Decided, Halt> {
        let system = self.encode(store, vmt, property, reduction, source)?;
        let options = self.options;
        let witness = options.print_witness
            || options.print_model
            || options.print_certificate.is_some()
            || options.report.is_some()
            // The run is replayed.
            || property.kind == PropertyKind::Ltl
            || options.compute_witness.unwrap_or(false);
        let answer = self.decide(&system, &self.solve_options(witness), self.script.text.len())?;
        self.record.statistics.merge_prefixed("", &answer.statistics);
        self.record.statistics.add(&format!("checked.{}", answer.checked), 1);
        Ok(Decided { system, answer, reduction })
    }

    /// Answers `unknown`.
    pub(super) fn tell_undecided(&mut self, property: &Property, reason: &str) -> io::Result<()> {
        if self.options.json {
            let object = json!({ "property": describe(property), "answer": "unknown", "reason": reason });
            self.watchdog.keep(&object);
            self.record.answers.push(object);
        } else {
            writeln!(self.talk.out, "unknown")?;
        }
        self.talk.out.flush()?;
        writeln!(self.talk.err, "shem: unknown: {reason}")
    }

    fn tell_property(&mut self, store: &Store, question: Question<'_>, decided: Decided) -> Result<(), Halt> {
        let Question { property, origin, product, .. } = question;
        let Decided { system, mut answer, reduction } = decided;
        let options = self.options;
        if let Verdict::Unknown(reason) = &answer.verdict {
            return Ok(self.tell_undecided(property, &reason.to_string())?);
        }
        let mut comments = self.comments(&answer);
        let is_model = matches!(answer.verdict, Verdict::Sat(_));
        let wanted = options.print_witness || (options.print_model && is_model);
        let replayed = product.is_some() && !is_model;
        let told = match wanted || replayed {
            true => {
                if wanted {
                    let figures = self.prune(&system, &mut answer.verdict);
                    answer.statistics.merge_prefixed("", &figures);
                }
                self.in_words(store, question, &system, &answer.verdict, reduction)
            }
            false => Ok(None),
        };
        let told = match told {
            Ok(told) => told,
            Err(Untold::Wrong(reason)) => return Ok(self.tell_undecided(property, &reason)?),
            Err(Untold::Missing(reason)) => {
                comments += &format!("no witness: {reason}\n");
                None
            }
        };
        let told = told.filter(|_| wanted);
        if options.json {
            answer.statistics.set("time.read", self.reading_time());
            answer.statistics.set("time.total", self.watchdog.elapsed().as_secs_f64());
            let mut object = json::check(&mut self.store, &system, &answer, None);
            object["property"] = describe(property);
            if let Some(told) = &told {
                object["witness"] = told.json();
            }
            self.watchdog.keep(&object);
            self.record.answers.push(object);
        } else {
            writeln!(self.talk.out, "{}", answer.verdict.word())?;
        }
        let part = format!("{} {}", property.kind.word(), property.index);
        comments += &self.write_report(&system, &mut answer, Some(&part));
        let clauses = !is_model && options.proof_format != ProofFormat::Legacy;
        let printed = options.json || !clauses;
        self.last =
            Some(LastCheck { system, verdict: answer.verdict, read: self.script.text.len(), printed });
        match told {
            _ if options.json => {}
            // Steps in other formats are those of the clauses.
            Some(_) if clauses => self.print_witness(|_| true)?,
            Some(told) => told.write(&mut self.talk.out)?,
            None => {}
        }
        self.talk.out.flush()?;
        write!(self.talk.err, "{comments}")?;
        match origin {
            Some(origin) => self.write_certificate_circuit(origin, property)?,
            None => self.write_certificate()?,
        }
        Ok(())
    }

    /// If that is asked for: the circuit with the property strengthened by the invariant, in BTOR2 and, unless there are
    /// arrays, in AIGER.
    fn write_certificate_circuit(&mut self, origin: Origin<'_>, property: &Property) -> io::Result<()> {
        let Some(folder) = &self.options.print_certificate else { return Ok(()) };
        let Some(LastCheck { verdict: Verdict::Sat(Witness::Found(model)), .. }) = &self.last else {
            return Ok(());
        };
        let Origin { circuit, transitions, .. } = origin;
        let written = if property.kind == PropertyKind::Invariant {
            let definition = model.definition(PredicateId::new(0));
            let states: Vec<Term> = transitions.vmt.states.iter().map(|state| state.current).collect();
            let invariant = self.store.rename(definition.body, &definition.parameters, &states);
            circuit.strengthened(&self.store, transitions, property.index as usize, invariant)
        } else {
            Err(NoCircuit::Live)
        };
        let written = written.map_err(|reason| format!("no certificate: {reason}")).and_then(|circuit| {
            certificate::write_circuit(folder, &circuit)
                .map_err(|error| format!("shem: {}: {error}", folder.display()))
        });
        let Err(complaint) = written else { return Ok(()) };
        self.record.incomplete = true;
        writeln!(self.talk.err, "{complaint}")
    }

    /// The witness of a verdict in the words of the file, if there is one.
    fn in_words(
        &mut self,
        store: &Store,
        question: Question<'_>,
        system: &System,
        verdict: &Verdict,
        reduction: Reduction,
    ) -> Result<Option<Told>, Untold> {
        let Question { vmt, property, origin, product } = question;
        match verdict {
            Verdict::Sat(Witness::Found(model)) => {
                Ok(Some(Told::Invariants(invariants(vmt, &self.store, system, model, reduction))))
            }
            Verdict::Unsat(Witness::Found(derivation)) => {
                print::check_length(derivation, self.options.expand_derivation)
                    .map_err(|error| Untold::Missing(error.to_string()))?;
                let expanded = derivation
                    .has_repetitions()
                    .then(|| derivation.expanded(&self.store, u64::MAX))
                    .flatten();
                let derivation = expanded.as_ref().unwrap_or(derivation);
                let budget = &mut Budget::unlimited();
                let run = Run::of(vmt, &mut self.store, system, derivation, reduction, budget)
                    .map_err(|reason| Untold::Missing(reason.to_string()))?;
                if product.and_then(|product| product.replay(store, &run)) == Some(true) {
                    return Err(Untold::Wrong("the formula is true on the run that was found".to_owned()));
                }
                let Some(Origin { circuit, transitions, format }) = origin else {
                    return Ok(Some(Told::Trace(Trace::of(vmt, &self.store, &run))));
                };
                let run = shem_circuit::Run::of(circuit, transitions, property.index as usize, &run);
                match format.witness(circuit, &run) {
                    Ok(text) => Ok(Some(Told::Run(text))),
                    Err(NoWitness::Unsupported(reason)) => Err(Untold::Missing(reason.to_owned())),
                    Err(fault @ NoWitness::Fault(_)) => Err(Untold::Wrong(fault.to_string())),
                }
            }
            _ => Ok(None),
        }
    }
}

/// A property as JSON.
pub(super) fn describe(property: &Property) -> Value {
    json!({ "kind": property.kind.word(), "index": property.index, "name": property.name })
}

impl Told {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Told::Invariants(definitions) => {
                writeln!(out, "(")?;
                definitions.iter().try_for_each(|definition| writeln!(out, "  {definition}"))?;
                writeln!(out, ")")
            }
            Told::Trace(trace) => writeln!(out, "{trace}"),
            Told::Run(text) => out.write_all(text.as_bytes()),
        }
    }

    fn json(&self) -> Value {
        let pairs = |pairs: &[(String, String)]| {
            pairs
                .iter()
                .map(|(name, value)| (name.clone(), value.as_str().into()))
                .collect::<serde_json::Map<_, _>>()
        };
        match self {
            Told::Invariants(definitions) => {
                let definition = |definition: &Invariant| {
                    let parameter = |(name, sort): &(String, String)| json!({ "name": name, "sort": sort });
                    let parameters: Vec<Value> = definition.parameters.iter().map(parameter).collect();
                    json!({ "predicate": definition.name, "parameters": parameters, "body": definition.body })
                };
                let definitions: Vec<Value> = definitions.iter().map(definition).collect();
                json!({ "kind": "model", "definitions": definitions })
            }
            Told::Run(text) => json!({ "kind": "run", "text": text }),
            Told::Trace(trace) => {
                let step =
                    |step: &TraceStep| json!({ "inputs": pairs(&step.inputs), "state": pairs(&step.state) });
                let states: Vec<Value> = trace.steps.iter().map(step).collect();
                let mut object = json!({ "kind": "trace", "states": states });
                if !trace.last_inputs.is_empty() {
                    object["last_inputs"] = pairs(&trace.last_inputs).into();
                }
                if let Some(state) = trace.repeats {
                    object["repeats"] = state.into();
                }
                object
            }
        }
    }
}
