//! The page of an answer about infinite runs: ranking functions level by level, or the way to a set of states and the steps that
//! stay in it; the clauses as a graph and by predicate, with the invariants or the set.

use std::fmt::Write;

use shem_chc::{ClauseId, Model, PredicateId, System};
use shem_check::{RankingArgument, Recurrence};
use shem_term::{Store, Term};
use shem_termination::{Answer, argument, word};

use crate::markup::{cut, duration, escape, grouped};
use crate::notation::{Names, Notation};
use crate::page::{begin, finish, text_to_copy};
use crate::picture::Picture;
use crate::predicates::{Predicates, argument_names};

/// How many levels, facts of a stem and steps are shown, and the bytes of a term.
const MOST_LEVELS: usize = 40;
const MOST_FACTS: usize = 200;
const MOST_STEPS: usize = 60;
const TERM: usize = 2_000;

/// What a page about infinite runs is made of.
pub struct TerminationReport<'a> {
    /// What was decided: the name of a file.
    pub name: &'a str,
    /// The part of it that was decided, if it has several.
    pub part: Option<&'a str>,
    /// The clauses on which the answer was judged.
    pub system: &'a System,
    /// The answer.
    pub answer: &'a Answer,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// The page for an answer. The terms of the report belong to the store.
pub fn termination_page(store: &Store, report: &TerminationReport<'_>) -> String {
    let TerminationReport { system, answer, .. } = *report;
    let mut out = String::with_capacity(1 << 16);
    let nonce = begin(&mut out, report.name);
    header(&mut out, report);
    out.push_str("<main>");
    let names = argument_names(store, system);
    let shown = Argument { store, system, names: &names };
    let (model, derivation, title) = match answer {
        Answer::Terminates(ranking) => {
            shown.levels(&mut out, ranking);
            (Some(&ranking.invariants), None, "Invariants and clauses")
        }
        Answer::Runs(recurrence) => {
            shown.infinite_run(&mut out, recurrence);
            (Some(&recurrence.set), Some(&recurrence.stem), "The set of states, and clauses")
        }
        Answer::Unknown(_) => (None::<&Model>, None, "Clauses"),
    };
    if model.is_some() {
        let text = text_to_copy("The argument as text", |out| {
            std::io::Write::write_all(out, argument(store, system, answer).as_bytes())
        });
        out.push_str(&text);
    }
    let graph = Picture::of_system(system, derivation);
    let _ = write!(
        out,
        "<section id=\"graph\"><h2>Clauses as a graph</h2><div class=\"scroll tab\" id=\"tab-graph-read\">{}</div></section>",
        graph.svg("graph-read")
    );
    let predicates = Predicates { store, system, lines: &[], model, names: &names };
    let _ = write!(out, "<section id=\"predicates\"><h2>{title}</h2>{}</section>", predicates.html());
    finish(&mut out, &nonce);
    out
}

fn header(out: &mut String, report: &TerminationReport<'_>) {
    let (class, words, checked) = match report.answer {
        Answer::Terminates(_) => (
            "sat",
            "All runs end.".to_owned(),
            "Each step was checked to go down: on the clauses as read, with proofs.",
        ),
        Answer::Runs(_) => (
            "unsat",
            "Some run is infinite.".to_owned(),
            "The run to the set, and that a step stays in it, were checked: on the clauses as read, with proofs.",
        ),
        Answer::Unknown(reason) => ("unknown", format!("Not decided: {reason}."), ""),
    };
    let part = report
        .part
        .map_or(String::new(), |part| format!("<span class=\"part\">{}</span>", escape(&cut(part, 200))));
    let _ = write!(
        out,
        "<header><p class=\"brand\">Shem</p><h1>{}{part}</h1><p class=\"verdict\"><span class=\"badge {class}\">{}</span> \
         <span>{}</span></p><p class=\"checked\">{checked}</p><dl class=\"facts\">",
        escape(&cut(report.name, 200)),
        word(report.answer),
        escape(&cut(&words, 600)),
    );
    let facts = [
        ("time", duration(report.seconds)),
        ("predicates", grouped(report.system.predicates.len() as u64)),
        ("clauses", grouped(report.system.clauses.len() as u64)),
    ];
    for (name, value) in facts {
        let _ = write!(out, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    }
    out.push_str("</dl></header>");
}

/// What arguments are shown with.
struct Argument<'a> {
    store: &'a Store,
    system: &'a System,
    names: &'a [Vec<String>],
}

impl Argument<'_> {
    fn predicate(&self, at: usize) -> String {
        escape(&cut(&self.system.predicates[at].name, 80))
    }

    /// A term over the parameters of a predicate.
    fn term(&self, at: usize, parameters: &[Term], term: Term) -> String {
        let named = parameters.iter().zip(&self.names[at]);
        let names: Names = named
            .filter_map(|(&variable, name)| Some((self.store.as_var(variable)?, name.clone())))
            .collect();
        Notation { store: self.store, names: &names, html: true, limit: TERM }.term(term)
    }

    fn levels(&self, out: &mut String, ranking: &RankingArgument) {
        out.push_str("<section id=\"ranking\"><h2>Ranking functions</h2>");
        for closure in &ranking.closures {
            let at = closure.predicate.index();
            let functions = closure.functions.iter().take(MOST_LEVELS);
            let functions: Vec<String> =
                functions.map(|function| self.term(at, &function.parameters, function.phases[0])).collect();
            let _ = write!(
                out,
                "<p>Between any two states of {} in a run, one of these goes down, from a number that is not negative: {}. The \
                 transition invariant that shows it is in the argument as text.</p>",
                self.predicate(at),
                functions.join(", ")
            );
        }
        if ranking.levels.is_empty() && !ranking.closures.is_empty() {
            out.push_str("</section>");
            return;
        }
        if ranking.levels.is_empty() {
            out.push_str("<p class=\"note\">No step leads back to where it came from, so no function is needed.</p></section>");
            return;
        }
        out.push_str(
            "<p class=\"note\">Each step goes down in some level, and up in none before it. A level with several phases goes down \
             once the phases before are not positive.</p><table><thead><tr><th>level</th><th>predicate</th><th>function</th></tr>\
             </thead><tbody>",
        );
        for (number, level) in ranking.levels.iter().take(MOST_LEVELS).enumerate() {
            for (at, function) in level.functions.iter().enumerate() {
                let is_zero = |&phase: &Term| self.store.as_num(phase).is_some_and(|value| value.is_zero());
                if function.phases.iter().all(is_zero) {
                    continue;
                }
                let phases = function.phases.iter().map(|&phase| self.term(at, &function.parameters, phase));
                let phases: Vec<String> = phases.collect();
                let _ = write!(
                    out,
                    "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
                    number + 1,
                    self.predicate(at),
                    phases.join(" <small>and then</small> ")
                );
            }
        }
        out.push_str("</tbody></table>");
        if ranking.levels.len() > MOST_LEVELS {
            let _ = write!(out, "<p class=\"note\">… {} more levels</p>", ranking.levels.len() - MOST_LEVELS);
        }
        out.push_str("</section>");
    }

    fn infinite_run(&self, out: &mut String, recurrence: &Recurrence) {
        out.push_str("<section id=\"infinite\"><h2>An infinite run</h2><h4>The way to the set</h4><ol>");
        let mut count = 0_usize;
        for (_, step) in recurrence.stem.steps() {
            let Some(head) = &self.system.clause(step.rule).head else { continue };
            count += 1;
            if count > MOST_FACTS {
                continue;
            }
            let sorts = &self.system.predicate(head.predicate).sorts;
            let values = step.values.iter().zip(sorts.iter());
            let values: Vec<String> = values
                .map(|(value, &sort)| escape(&cut(&self.store.display_value(value, sort).to_string(), 60)))
                .collect();
            let _ = write!(
                out,
                "<li>{}({}) <span class=\"note\">by clause {}</span></li>",
                self.predicate(head.predicate.index()),
                values.join(", "),
                step.rule.index() + 1
            );
        }
        out.push_str("</ol>");
        if count > MOST_FACTS {
            let _ = write!(out, "<p class=\"note\">… {} more facts</p>", count - MOST_FACTS);
        }
        out.push_str("<h4>Steps of which one stays in the set, from each of its states</h4><ul>");
        let mut shown = 0;
        for (at, choices) in recurrence.choices.iter().enumerate() {
            let definition = recurrence.set.definition(PredicateId::new(at));
            if definition.body == Term::FALSE {
                continue;
            }
            for choice in choices {
                shown += 1;
                if shown > MOST_STEPS {
                    continue;
                }
                let values = self.values(at, &definition.parameters, choice.clause, &choice.values);
                let _ = write!(
                    out,
                    "<li>{} by clause {}{values}</li>",
                    self.predicate(at),
                    choice.clause.index() + 1
                );
            }
        }
        out.push_str("</ul>");
        if shown > MOST_STEPS {
            let _ = write!(out, "<p class=\"note\">… {} more steps</p>", shown - MOST_STEPS);
        }
        out.push_str("</section>");
    }

    /// The values that a step gives to the variables of its clause.
    fn values(&self, at: usize, parameters: &[Term], clause: ClauseId, values: &[Term]) -> String {
        let variables = self.system.clause(clause).variables.iter().zip(values).take(MOST_STEPS);
        let shown: Vec<String> = variables
            .map(|(&variable, &value)| {
                let name = escape(&cut(&self.store.display(variable).to_string(), 80));
                format!("<i>{name}</i> = {}", self.term(at, parameters, value))
            })
            .collect();
        if shown.is_empty() { String::new() } else { format!(" with {}", shown.join(", ")) }
    }
}
