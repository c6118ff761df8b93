//! The page.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;

use shem_base::{Statistic, Statistics};
use shem_chc::{Graph, System, write_legacy, write_model};
use shem_decide::{Answer, Checked, Verdict};
use shem_term::Store;

use crate::counterexample::Counterexample;
use crate::markup::{cut, duration, escape, grouped, short};
use crate::picture::Picture;
use crate::predicates::{Predicates, argument_names};
use crate::timeline::Timeline;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What a page is made of.
pub struct Report<'a> {
    /// What was decided: the name of a file.
    pub name: &'a str,
    /// The part of it that was decided, if it has several.
    pub part: Option<&'a str>,
    /// The clauses as read.
    pub system: &'a System,
    /// For each clause, the line of the input in which its assertion begins, where that is known.
    pub lines: &'a [Option<usize>],
    /// The answer.
    pub answer: &'a Answer,
    /// The graph after the passes.
    pub preprocessed: Option<&'a Graph>,
    /// What happened on the way.
    pub timeline: &'a Timeline,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// The page for an answer. The terms of the report belong to the store.
pub fn page(store: &Store, report: &Report<'_>) -> String {
    let names = argument_names(store, report.system);
    let mut out = String::with_capacity(1 << 16);
    let nonce = begin(&mut out, report.name);
    header(&mut out, report);
    let (model, derivation) = (report.answer.model(), report.answer.derivation());
    out.push_str("<main>");
    if let Some(derivation) = derivation {
        let shown = Counterexample { store, system: report.system, derivation, names: &names };
        let text =
            text_to_copy("The derivation as text", |out| write_legacy(out, store, report.system, derivation));
        let _ = write!(
            out,
            "<section id=\"counterexample\"><h2>Counterexample</h2>{}{text}</section>",
            shown.html()
        );
    }
    graphs(&mut out, report);
    let predicates = Predicates { store, system: report.system, lines: report.lines, model, names: &names };
    let title = if model.is_some() { "Invariants and clauses" } else { "Clauses" };
    let text = model.map_or(String::new(), |model| {
        text_to_copy("The model in SMT-LIB", |out| write_model(out, store, report.system, model))
    });
    let _ = write!(out, "<section id=\"predicates\"><h2>{title}</h2>{}{text}</section>", predicates.html());
    let _ = write!(
        out,
        "<section id=\"engines\"><h2>Engines</h2>{}</section>",
        report.timeline.html(!matches!(report.answer.verdict, Verdict::Unknown(_)))
    );
    statistics(&mut out, &report.answer.statistics);
    finish(&mut out, &nonce);
    out
}

/// What a page begins with; gives the word that its script has.
pub(crate) fn begin(out: &mut String, name: &str) -> String {
    let (title, nonce) = (escape(&cut(name, 200)), nonce());
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-{nonce}'\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Shem: {title}</title><style>{STYLE}</style></head><body>"
    );
    nonce
}

/// What a page ends with, after its parts.
pub(crate) fn finish(out: &mut String, nonce: &str) {
    let _ = writeln!(
        out,
        "</main><footer>Made by Shem {}.</footer><script nonce=\"{nonce}\">{SCRIPT}</script></body></html>",
        env!("CARGO_PKG_VERSION")
    );
}

/// The bytes of a text that can be copied from the page.
const MOST_TEXT: usize = 200_000;

/// A text of limited length.
pub(crate) struct LimitedText(Vec<u8>);

impl io::Write for LimitedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_TEXT {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is written, to be opened and copied.
pub(crate) fn text_to_copy(title: &str, write: impl FnOnce(&mut LimitedText) -> io::Result<()>) -> String {
    let mut text = LimitedText(Vec::new());
    if write(&mut text).is_err() {
        return format!("<p class=\"note\">{title}: too long for this page.</p>");
    }
    let lines: Vec<String> = String::from_utf8_lossy(&text.0).lines().map(escape).collect();
    format!("<details class=\"text\"><summary>{title}</summary><pre>{}</pre></details>", lines.join("\n"))
}

/// A word that the input cannot know, so that no script but ours runs.
fn nonce() -> String {
    let word = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", word(), word())
}

fn header(out: &mut String, report: &Report<'_>) {
    let answer = report.answer;
    let mut details = Vec::new();
    let (class, words) = match &answer.verdict {
        Verdict::Sat(_) => ("sat", "The clauses have a model: falsehood cannot be derived.".to_owned()),
        Verdict::Unsat(_) => ("unsat", "Falsehood can be derived.".to_owned()),
        Verdict::Unknown(reason) => {
            let (sentence, of_engines) = reason.explained(&answer.statistics);
            details = if of_engines.len() > 1 { of_engines } else { details };
            ("unknown", format!("Not decided: {sentence}."))
        }
    };
    let checked = match (&answer.verdict, answer.checked) {
        (Verdict::Unknown(_), _) => String::new(),
        (Verdict::Sat(_), Checked::Witness) => {
            "The model was checked against the clauses as read.".to_owned()
        }
        (_, Checked::Witness) => {
            "Each step of the derivation was checked against the clauses as read.".to_owned()
        }
        (_, Checked::Certificate) => "The engine's certificate was checked; no witness was.".to_owned(),
        (_, Checked::Nothing) => "Nothing was checked.".to_owned(),
    };
    let missing =
        answer.verdict.missing().map_or(String::new(), |reason| format!(" There is no witness: {reason}."));
    let part = report
        .part
        .map_or(String::new(), |part| format!("<span class=\"part\">{}</span>", escape(&cut(part, 200))));
    let _ = write!(
        out,
        "<header><p class=\"brand\">Shem</p><h1>{}{part}</h1><p class=\"verdict\"><span class=\"badge {class}\">{class}</span> \
         <span>{}</span></p><p class=\"checked\">{}{}</p><dl class=\"facts\">",
        escape(&cut(report.name, 200)),
        escape(&cut(&words, 600)),
        escape(&checked),
        escape(&cut(&missing, 400)),
    );
    let clauses = report.system.clauses.len() as u64;
    let facts = [
        (if class == "unknown" { "tried by" } else { "decided by" }, escape(answer.engine)),
        ("time", duration(report.seconds)),
        ("predicates", grouped(report.system.predicates.len() as u64)),
        ("clauses", grouped(clauses)),
        ("shape", escape(&answer.shape_read.to_string())),
        ("preprocessed", escape(&answer.shape.to_string())),
    ];
    for (name, value) in facts {
        let _ = write!(out, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    }
    out.push_str("</dl>");
    if !details.is_empty() {
        out.push_str("<details><summary>Why each engine gave up</summary><ul>");
        for detail in details.iter().take(40) {
            let _ = write!(out, "<li>{}</li>", escape(&cut(detail, 400)));
        }
        out.push_str("</ul></details>");
    }
    for warning in answer.warnings.iter().take(20) {
        let _ = write!(out, "<p class=\"warning\">{}</p>", escape(&cut(warning, 400)));
    }
    out.push_str("</header>");
}

fn graphs(out: &mut String, report: &Report<'_>) {
    let read = Picture::of_system(report.system, report.answer.derivation());
    out.push_str("<section id=\"graph\"><h2>Clauses as a graph</h2><div class=\"tabs\" role=\"tablist\">");
    out.push_str("<button type=\"button\" data-tab=\"graph-read\" class=\"active\">as read</button>");
    if report.preprocessed.is_some() {
        out.push_str("<button type=\"button\" data-tab=\"graph-after\">after preprocessing</button>");
    }
    out.push_str("</div><p class=\"note\">A click on a predicate shows its clauses");
    out.push_str(if report.answer.model().is_some() { " and its invariant.</p>" } else { ".</p>" });
    let _ = write!(out, "<div class=\"scroll tab\" id=\"tab-graph-read\">{}</div>", read.svg("graph-read"));
    if let Some(graph) = report.preprocessed {
        let after = Picture::of_graph(graph, report.system.predicates.len());
        let picture = match after.edges.is_empty() {
            true => "<p>Preprocessing has left nothing.</p>".to_owned(),
            false => after.svg("graph-after"),
        };
        let _ = write!(out, "<div class=\"scroll tab\" id=\"tab-graph-after\" hidden>{picture}</div>");
    }
    out.push_str("</section>");
}

fn statistics(out: &mut String, statistics: &Statistics) {
    let mut groups: BTreeMap<&str, Vec<(&str, String)>> = BTreeMap::new();
    for (name, figure) in statistics.iter() {
        let (group, rest) = name.split_once('.').unwrap_or(("general", name));
        let value = match figure {
            Statistic::Count(count) => grouped(count),
            Statistic::Measure(measure) if group == "time" => duration(measure),
            Statistic::Measure(measure) => short(measure),
        };
        groups.entry(group).or_default().push((rest, value));
    }
    out.push_str("<section id=\"statistics\"><h2>Statistics</h2><div class=\"groups\">");
    for (group, figures) in groups {
        let open = if group == "time" { " open" } else { "" };
        let _ = write!(
            out,
            "<details{open}><summary>{} <small>{}</small></summary><table><tbody>",
            escape(group),
            figures.len()
        );
        for (name, value) in figures {
            let _ =
                write!(out, "<tr><td>{}</td><td class=\"value\">{value}</td></tr>", escape(&cut(name, 100)));
        }
        out.push_str("</tbody></table></details>");
    }
    out.push_str("</div></section>");
}
