//! The answers of a run as one object of JSON. `docs/json.md` describes it, and `docs/json.schema.json` has its form.

use serde_json::{Map, Value, json};
use shem_base::{Statistic, Statistics};
use shem_chc::{ClauseId, Derivation, System, model_texts, size_texts};
use shem_decide::{Answer, Verdict, Witness, allocator};
use shem_script::conversation::Mistake;
use shem_term::{Store, quote_symbol};

use super::options::ProofFormat;
use super::print::{self, Form};

/// The version of the form. It changes when a member is renamed, removed or given another meaning.
pub(crate) const VERSION: u64 = 2;

/// The object for a run: what each check came to, in order, and the mistake that ended the run, if one did.
pub(crate) fn run(checks: Vec<Value>, mistake: Option<&Mistake>, exit_code: u8) -> Value {
    let mut object = json!({
        "version": VERSION,
        "shem": env!("CARGO_PKG_VERSION"),
        "checks": checks,
    });
    if let Some(mistake) = mistake {
        object["error"] = error(mistake);
    }
    object["peak_memory_bytes"] = allocator::peak().into();
    object["exit_code"] = exit_code.into();
    object
}

/// A mistake, with its place if it has one.
fn error(mistake: &Mistake) -> Value {
    let mut object = json!({ "message": mistake.message });
    if let Some((file, place)) = &mistake.place {
        object["file"] = file.as_str().into();
        object["line"] = place.line.into();
        object["column"] = place.column.into();
    }
    object
}

/// What a check came to, with the witness if it is wanted in some form.
pub(super) fn check(store: &mut Store, system: &System, answer: &Answer, form: Option<Form<'_>>) -> Value {
    let Answer { verdict, engine, checked, shape_read, shape, statistics, warnings } = answer;
    let (seconds, counts, rates) = figures(statistics);
    let (witness, mut missing) = match form.map(|form| witness(store, system, verdict, form)) {
        None => (None, None),
        Some(Ok(witness)) => (witness, None),
        Some(Err(reason)) => (None, Some(reason)),
    };
    missing = verdict.missing().map(ToString::to_string).or(missing);
    let reason = if let Verdict::Unknown(reason) = verdict { Some(reason.to_string()) } else { None };
    let mut object = json!({
        "answer": verdict.word(),
        "reason": reason,
        "engine": engine,
        "checked": checked.to_string(),
        "witness": witness,
        "no_witness": missing,
        "shape": shape_read.to_string(),
        "preprocessed_shape": shape.to_string(),
        "warnings": warnings,
        "seconds": seconds,
        "counts": counts,
        "rates": rates,
    });
    if let Value::Object(members) = &mut object {
        members.retain(|_, value| !value.is_null());
    }
    object
}

/// A witness as a structure: the definitions of a model, or the steps of a derivation. The error says why there is
/// none.
fn witness(
    store: &mut Store,
    system: &System,
    verdict: &Verdict,
    form: Form<'_>,
) -> Result<Option<Value>, String> {
    match verdict {
        Verdict::Sat(Witness::Found(model)) => {
            let parameter = |(name, sort): (String, String)| json!({ "name": name, "sort": sort });
            let definitions = model_texts(store, system, model).into_iter().map(|definition| {
                let parameters: Vec<Value> = definition.parameters.into_iter().map(parameter).collect();
                json!({
                    "predicate": definition.name,
                    "parameters": parameters,
                    "body": definition.body,
                })
            });
            let mut object = json!({ "kind": "model", "definitions": definitions.collect::<Vec<_>>() });
            let sizes = size_texts(store, system, model);
            if !sizes.is_empty() {
                object["recursive_definitions"] = sizes.into();
            }
            Ok(Some(object))
        }
        Verdict::Unsat(Witness::Found(derivation)) => {
            print::check_length(derivation, form.expand).map_err(|error| error.to_string())?;
            let mut object =
                json!({ "kind": "derivation", "steps": steps(store, system, derivation, form.lines) });
            if form.proof_format != ProofFormat::Legacy {
                let mut text = Vec::new();
                print::witness(&mut text, store, system, verdict, form).map_err(|error| error.to_string())?;
                object["text"] = String::from_utf8_lossy(&text).into();
            }
            Ok(Some(object))
        }
        _ => Ok(None),
    }
}

/// The steps of a derivation; falsehood is derived by the last one. Steps and clauses are counted from 1, as in reports
/// and in printed derivations.
fn steps(
    store: &Store,
    system: &System,
    derivation: &Derivation<ClauseId>,
    lines: &[Option<usize>],
) -> Vec<Value> {
    let mut steps = Vec::new();
    let visited: Result<(), std::convert::Infallible> = derivation.visit_steps(store, |step| {
        let head = system.clause(step.rule).head.as_ref();
        let predicate = head.map(|head| system.predicate(head.predicate));
        let sorts = predicate.map_or(&[][..], |predicate| &predicate.sorts[..]);
        let value = |(value, &sort): (&shem_term::Value, &shem_term::Sort)| {
            store.display_value(value, sort).to_string()
        };
        let mut object = json!({
            "step": step.number + 1,
            "predicate": predicate.map_or("false".into(), |predicate| quote_symbol(&predicate.name)),
            "values": step.values.iter().zip(sorts).map(value).collect::<Vec<_>>(),
            "premises": step.premises.iter().map(|premise| premise + 1).collect::<Vec<_>>(),
            "clause": step.rule.index() + 1,
        });
        if let Some(name) = system.clause_name(step.rule) {
            object["name"] = name.into();
        }
        if let Some(line) = lines.get(step.rule.index()).copied().flatten() {
            object["line"] = line.into();
        }
        steps.push(object);
        Ok(())
    });
    let Ok(()) = visited;
    steps
}

type Figures = Map<String, Value>;

/// Times in seconds, counts, and what else was measured. Counts of a run without several processes are the same each
/// time; what is measured is not.
fn figures(statistics: &Statistics) -> (Figures, Figures, Figures) {
    let (mut seconds, mut counts, mut rates) = (Map::new(), Map::new(), Map::new());
    for (name, figure) in statistics.iter() {
        match figure {
            Statistic::Count(count) => counts.insert(name.to_owned(), count.into()),
            Statistic::Measure(measure) if is_time(name) => {
                seconds.insert(name.strip_prefix("time.").unwrap_or(name).to_owned(), measure.into())
            }
            Statistic::Measure(measure) => rates.insert(name.to_owned(), measure.into()),
        };
    }
    (seconds, counts, rates)
}

/// Whether a figure of this name is a number of seconds.
fn is_time(name: &str) -> bool {
    name.split('.')
        .any(|part| matches!(part, "time" | "stopping") || part == "seconds" || part.ends_with("-seconds"))
}
