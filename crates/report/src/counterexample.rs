//! Counterexamples: as a path, as curves of the variables over the steps, and as a table.
//!
//! A derivation may stand for a billion steps. Up to some number all of them are visited, and some of them kept; of
//! longer ones only some rounds of each repetition are looked at, which can be done without those before.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt::Write;

use shem_chc::{ClauseId, Derivation, Node, System};
use shem_term::{Store, Value};

use crate::markup::{coordinate, cut, escape, grouped, openable, short};

/// Up to so many steps all are visited.
const MOST_VISITED: u64 = 2_000_000;
/// Rows of the table: of the beginning and of the end.
const FIRST_ROWS: u64 = 40;
const LAST_ROWS: u64 = 20;
/// Points of a curve, at most twice as many.
const POINTS: u64 = 500;
/// Curves of a predicate, and predicates that have some.
const MOST_CURVES: usize = 12;
const MOST_PREDICATES: usize = 3;
/// Parts of a path that are shown, and steps of a round that is looked for.
const MOST_PARTS: usize = 60;
const LONGEST_ROUND: usize = 8;
/// How many values of a fact are shown in a cell.
const MOST_PAIRS: usize = 60;
/// The characters of a value.
const MOST_LETTERS: usize = 48;
/// The characters of a value that is opened.
const LONGEST_VALUE: usize = 1_000;

/// A step that is shown in the table.
struct Row {
    number: u64,
    rule: ClauseId,
    premises: Vec<u64>,
    values: Vec<String>,
}

/// The values of an argument: of so many steps in a row the least and the greatest one, so that nothing is lost that is
/// seen in a picture.
#[derive(Clone, Default)]
struct Curve {
    points: Vec<Point>,
    /// The steps that are looked at now, with the least and the greatest value so far.
    open: Option<(u64, Point, Point)>,
}

/// A step and a value.
type Point = (f64, f64);

impl Curve {
    /// Adds the value of a step, where so many steps are looked at together.
    fn add(&mut self, step: u64, value: f64, together: u64) {
        let (part, point) = (step / together, (step as f64, value));
        match &mut self.open {
            Some((own, low, high)) if *own == part => {
                if value < low.1 {
                    *low = point;
                }
                if value > high.1 {
                    *high = point;
                }
            }
            _ => {
                self.close();
                self.open = Some((part, point, point));
            }
        }
    }

    fn close(&mut self) {
        let Some((_, low, high)) = self.open.take() else { return };
        let (first, second) = if low.0 <= high.0 { (low, high) } else { (high, low) };
        self.points.push(first);
        if second != first {
            self.points.push(second);
        }
    }
}

/// What is kept of a derivation.
#[derive(Default)]
struct Kept {
    rows: Vec<Row>,
    /// By predicate: how many facts, and the numbers of each argument by step.
    facts: BTreeMap<usize, (u64, Vec<Curve>)>,
    /// Whether some step has several premises.
    tree: bool,
}

impl Kept {
    /// The same, with curves that are complete.
    fn closed(mut self) -> Kept {
        self.facts.values_mut().flat_map(|(_, curves)| curves).for_each(Curve::close);
        self
    }
}

/// A counterexample to be shown.
pub(crate) struct Counterexample<'a> {
    pub(crate) store: &'a Store,
    pub(crate) system: &'a System,
    pub(crate) derivation: &'a Derivation<ClauseId>,
    /// By predicate, names of its arguments.
    pub(crate) names: &'a [Vec<String>],
}

impl Counterexample<'_> {
    /// The counterexample as HTML.
    pub(crate) fn html(&self) -> String {
        let kept = self.keep();
        let mut out = String::new();
        let steps = self.derivation.step_count();
        let _ = write!(out, "<p>{} steps lead to falsehood.</p>", grouped(steps));
        match kept.tree {
            true => out.push_str("<p class=\"note\">Some steps have several premises: the derivation is a tree, and the table names the premises of each step.</p>"),
            false => self.path(&mut out),
        }
        self.curves(&mut out, &kept);
        self.table(&mut out, &kept, steps);
        out
    }

    fn keep(&self) -> Kept {
        let mut kept = Kept::default();
        let total = self.derivation.step_count();
        if total <= MOST_VISITED {
            let visited: Result<(), Infallible> = self.derivation.visit_steps(self.store, |step| {
                self.keep_step(&mut kept, total, (step.number, step.rule, step.premises, step.values));
                Ok(())
            });
            let Ok(()) = visited;
            return kept.closed();
        }
        let mut next = 0_u64;
        let mut numbers: Vec<u64> = Vec::with_capacity(self.derivation.len());
        for node in self.derivation.nodes() {
            match node {
                Node::Step(_, step) => {
                    let premises: Vec<u64> = step.premises.iter().map(|id| numbers[id.index()]).collect();
                    self.keep_step(&mut kept, total, (next, step.rule, &premises, step.values));
                    numbers.push(next);
                    next += 1;
                }
                Node::Run(_, step, run) => {
                    let last = next + run.steps - 1;
                    let premises = [last.saturating_sub(1)];
                    self.keep_step(&mut kept, total, (last, step.rule, &premises, step.values));
                    numbers.push(last);
                    next = last + 1;
                }
                Node::Repetition(repetition) => {
                    let length = repetition.length() as u64;
                    let stride = (repetition.rounds() / POINTS).max(1);
                    let last = repetition.rounds() - 1;
                    let few = |round: u64| round < FIRST_ROWS || round + LAST_ROWS > last;
                    let mut round = 0;
                    while round <= last {
                        for position in 0..repetition.length() {
                            let number = next + round * length + position as u64;
                            let before = match (round, position) {
                                (0, 0) => numbers[repetition.premise().index()],
                                _ => number - 1,
                            };
                            let values = repetition.values(position, round);
                            let rule = repetition.rule(position);
                            self.keep_step(&mut kept, total, (number, rule, &[before], &values));
                        }
                        // Uneven steps, since values may have a period.
                        let uneven = stride / 2 + round.wrapping_mul(0x9e37_79b9_7f4a_7c15) % stride;
                        round += if few(round + 1) { 1 } else { uneven.max(1).min((last - round).max(1)) };
                    }
                    next += repetition.rounds() * length;
                    numbers.extend(next - length..next);
                }
            }
        }
        kept.closed()
    }

    fn keep_step(
        &self,
        kept: &mut Kept,
        total: u64,
        (number, rule, premises, values): (u64, ClauseId, &[u64], &[Value]),
    ) {
        kept.tree |= premises.len() > 1;
        let head = self.system.clause(rule).head.as_ref();
        if number < FIRST_ROWS || number + LAST_ROWS >= total {
            let sorts = head.map_or(&[][..], |head| &self.system.predicate(head.predicate).sorts[..]);
            let text = |(value, &sort): (&Value, &shem_term::Sort)| {
                cut(&self.store.display_value(value, sort).to_string(), LONGEST_VALUE)
            };
            let values = values.iter().zip(sorts).map(text).collect();
            kept.rows.push(Row { number, rule, premises: premises.to_vec(), values });
        }
        let Some(head) = head else { return };
        let (count, curves) = kept.facts.entry(head.predicate.index()).or_default();
        *count += 1;
        curves.resize(values.len(), Curve::default());
        for (curve, value) in curves.iter_mut().zip(values) {
            let y = match value {
                Value::Num(number) => number.to_f64(),
                Value::Bool(truth) => f64::from(u8::from(*truth)),
                _ => continue,
            };
            if y.is_finite() {
                curve.add(number, y, (total / POINTS).max(1));
            }
        }
    }

    /// The predicates on the way, with rounds that are repeated as such.
    fn path(&self, out: &mut String) {
        let label =
            |rule: ClauseId| self.system.clause(rule).head.as_ref().map(|head| head.predicate.index());
        // Parts: a word of predicates, and how often it is repeated.
        let mut parts: Vec<(Vec<Option<usize>>, u64)> = Vec::new();
        let mut plain: Vec<Option<usize>> = Vec::new();
        for node in self.derivation.nodes() {
            match node {
                Node::Step(_, step) => plain.push(label(step.rule)),
                Node::Repetition(repetition) => {
                    parts.extend(rounds(&std::mem::take(&mut plain)));
                    let word = (0..repetition.length()).map(|position| label(repetition.rule(position)));
                    parts.push((word.collect(), repetition.rounds()));
                }
                Node::Run(_, step, run) => {
                    parts.extend(rounds(&std::mem::take(&mut plain)));
                    parts.push((vec![label(step.rule)], run.steps));
                }
            }
        }
        parts.extend(rounds(&plain));
        // A repetition of a repetition's word is one.
        let mut merged: Vec<(Vec<Option<usize>>, u64)> = Vec::new();
        for (word, times) in parts {
            match merged.last_mut() {
                Some((last, count)) if *last == word => *count += times,
                _ => merged.push((word, times)),
            }
        }
        out.push_str("<h3>Path</h3><p class=\"path\">");
        // Rounds of rounds, too.
        let whole = rounds(&merged);
        let count = whole.len();
        let mut arrow = "";
        for (i, (parts, times)) in whole.iter().enumerate() {
            if count > MOST_PARTS && i == MOST_PARTS / 2 {
                let more = grouped((count - MOST_PARTS) as u64);
                let _ = write!(out, "{ARROW}<span class=\"gap\">… {more} more …</span>");
            }
            if count > MOST_PARTS && (MOST_PARTS / 2..count - MOST_PARTS / 2).contains(&i) {
                continue;
            }
            out.push_str(arrow);
            arrow = ARROW;
            repeated(out, *times, |out| {
                for (j, (word, times)) in parts.iter().enumerate() {
                    out.push_str(if j > 0 { ARROW } else { "" });
                    repeated(out, *times, |out| {
                        for (k, predicate) in word.iter().enumerate() {
                            out.push_str(if k > 0 { ARROW } else { "" });
                            self.chip(out, *predicate);
                        }
                    });
                }
            });
        }
        out.push_str("</p>");
    }

    /// A predicate on the way; none is falsehood.
    fn chip(&self, out: &mut String, predicate: Option<usize>) {
        let Some(at) = predicate else {
            out.push_str("<span class=\"chip false\">false</span>");
            return;
        };
        let name = escape(&cut(&self.system.predicates[at].name, MOST_LETTERS));
        let _ = write!(out, "<a class=\"chip\" href=\"#p{at}\" data-predicate=\"{at}\">{name}</a>");
    }

    fn curves(&self, out: &mut String, kept: &Kept) {
        let mut by_count: Vec<_> = kept.facts.iter().collect();
        by_count.sort_by_key(|(at, (count, _))| (std::cmp::Reverse(*count), **at));
        let mut shown = false;
        for (&at, (count, curves)) in by_count.into_iter().take(MOST_PREDICATES) {
            let changing: Vec<usize> = (0..curves.len())
                .filter(|&i| {
                    let points = &curves[i].points;
                    points.len() > 2 && points.iter().any(|&(_, y)| y != points[0].1)
                })
                .collect();
            if changing.is_empty() {
                continue;
            }
            if !shown {
                out.push_str("<h3>Values over the steps</h3>");
                shown = true;
            }
            let name = cut(&self.system.predicates[at].name, MOST_LETTERS);
            let _ = write!(
                out,
                "<h4>{} <small>{} facts</small></h4><div class=\"curves\">",
                escape(&name),
                grouped(*count)
            );
            for &i in changing.iter().take(MOST_CURVES) {
                out.push_str(&chart(&self.names[at][i], &curves[i].points));
            }
            out.push_str("</div>");
            let more = changing.len().saturating_sub(MOST_CURVES);
            if more > 0 {
                let _ = write!(out, "<p class=\"note\">{more} more arguments change.</p>");
            }
        }
    }

    fn table(&self, out: &mut String, kept: &Kept, total: u64) {
        // With one predicate each argument has a column.
        let single = match kept.facts.len() {
            1 => kept.facts.keys().next().copied().filter(|&at| self.names[at].len() <= MOST_CURVES),
            _ => None,
        };
        out.push_str("<h3>Steps</h3><div class=\"scroll\"><table class=\"steps\"><thead><tr><th>step</th><th>fact</th>");
        match single {
            Some(at) => self.names[at].iter().for_each(|name| {
                let _ = write!(out, "<th>{}</th>", escape(name));
            }),
            None => out.push_str("<th>values</th>"),
        }
        out.push_str("<th>clause</th><th>from</th></tr></thead><tbody>");
        let mut expected = 0;
        for row in &kept.rows {
            if row.number > expected {
                let span = 4 + single.map_or(1, |at| self.names[at].len());
                let _ = write!(
                    out,
                    "<tr class=\"gap\"><td colspan=\"{span}\">… {} steps …</td></tr>",
                    grouped(row.number - expected)
                );
            }
            expected = row.number + 1;
            let _ = write!(out, "<tr><td>{}</td>", grouped(row.number + 1));
            let head = self.system.clause(row.rule).head.as_ref().map(|head| head.predicate.index());
            match head {
                None => out.push_str("<td class=\"false\">false</td>"),
                Some(at) => {
                    let name = cut(&self.system.predicates[at].name, MOST_LETTERS);
                    let _ = write!(
                        out,
                        "<td><a href=\"#p{at}\" data-predicate=\"{at}\">{}</a></td>",
                        escape(&name)
                    );
                }
            }
            match (single, head) {
                (Some(_), Some(_)) => row.values.iter().for_each(|value| {
                    let _ = write!(out, "<td class=\"value\">{}</td>", openable(value, MOST_LETTERS));
                }),
                (Some(at), None) => self.names[at].iter().for_each(|_| out.push_str("<td></td>")),
                (None, Some(at)) => {
                    let pair = |(name, value): (&String, &String)| {
                        let value = openable(value, MOST_LETTERS);
                        format!("<span class=\"pair\"><i>{}</i> = {value}</span>", escape(name))
                    };
                    let named = self.names[at].iter().zip(&row.values);
                    let pairs: String = named.take(MOST_PAIRS).map(pair).collect();
                    let more = row.values.len().saturating_sub(MOST_PAIRS);
                    let rest = if more > 0 { format!("… {more} more") } else { String::new() };
                    let _ = write!(out, "<td class=\"value\">{pairs}{rest}</td>");
                }
                (None, None) => out.push_str("<td></td>"),
            }
            let premises: Vec<String> = row.premises.iter().map(|&number| grouped(number + 1)).collect();
            let name = self.system.clause_name(row.rule).map(|name| format!(" {}", cut(name, MOST_LETTERS)));
            let clause = format!("{}{}", row.rule.index() + 1, escape(&name.unwrap_or_default()));
            let _ = write!(out, "<td>{clause}</td><td>{}</td></tr>", premises.join(", "));
        }
        if total > expected {
            let _ = write!(out, "<tr class=\"gap\"><td>… {} steps …</td></tr>", grouped(total - expected));
        }
        out.push_str("</tbody></table></div>");
    }
}

/// What stands between steps of a path.
const ARROW: &str = "<span class=\"arrow\">→</span>";

/// Writes a part of a path, and how often it is repeated.
fn repeated(out: &mut String, times: u64, write_part: impl FnOnce(&mut String)) {
    if times <= 1 {
        return write_part(out);
    }
    out.push_str("<span class=\"round\">");
    write_part(out);
    let _ = write!(out, "<span class=\"times\">×{}</span></span>", grouped(times));
}

/// A word with what is repeated in it, found from left to right.
fn rounds<T: Clone + PartialEq>(steps: &[T]) -> Vec<(Vec<T>, u64)> {
    let mut parts: Vec<(Vec<T>, u64)> = Vec::new();
    let mut at = 0;
    while at < steps.len() {
        let (mut best, mut covered) = ((1, 1), 1);
        for length in 1..=LONGEST_ROUND.min((steps.len() - at) / 2) {
            let word = &steps[at..at + length];
            let times = steps[at..].chunks_exact(length).take_while(|chunk| *chunk == word).count();
            if times > 1 && times * length > covered {
                (best, covered) = ((length, times), times * length);
            }
        }
        let (length, times) = best;
        parts.push((steps[at..at + length].to_vec(), times as u64));
        at += length * times;
    }
    parts
}

/// A curve with its least and its greatest value.
fn chart(name: &str, points: &[(f64, f64)]) -> String {
    const WIDTH: f64 = 260.0;
    const HEIGHT: f64 = 96.0;
    // Nine characters of a number, in wide fonts.
    const LEFT: f64 = 72.0;
    const TOP: f64 = 10.0;
    let least = points.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
    let greatest = points.iter().map(|p| p.1).fold(f64::NEG_INFINITY, f64::max);
    let (first, last) = (points[0].0, points[points.len() - 1].0);
    let scale = |value: f64, low: f64, high: f64| if high > low { (value - low) / (high - low) } else { 0.5 };
    let x = |value: f64| LEFT + (WIDTH - LEFT - 8.0) * scale(value, first, last);
    let y = |value: f64| TOP + (HEIGHT - TOP - 20.0) * (1.0 - scale(value, least, greatest));
    let line: Vec<String> =
        points.iter().map(|&(a, b)| format!("{},{}", coordinate(x(a)), coordinate(y(b)))).collect();
    let dots = match points.len() {
        0..=24 => points
            .iter()
            .map(|&(a, b)| {
                format!("<circle cx=\"{}\" cy=\"{}\" r=\"2.4\"/>", coordinate(x(a)), coordinate(y(b)))
            })
            .collect(),
        _ => String::new(),
    };
    format!(
        "<figure><svg class=\"curve\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\">\
         <path class=\"axis\" d=\"M{LEFT} {TOP}V{bottom}H{right}\"/>\
         <text class=\"low\" x=\"{label}\" y=\"{bottom}\">{}</text><text class=\"high\" x=\"{label}\" y=\"{upper}\">{}</text>\
         <text class=\"from\" x=\"{LEFT}\" y=\"{under}\">{}</text><text class=\"to\" x=\"{right}\" y=\"{under}\">{}</text>\
         <polyline points=\"{}\"/>{dots}</svg><figcaption>{}</figcaption></figure>",
        short(least),
        short(greatest),
        short(first + 1.0),
        short(last + 1.0),
        line.join(" "),
        escape(&cut(name, MOST_LETTERS)),
        bottom = coordinate(HEIGHT - 20.0),
        right = coordinate(WIDTH - 8.0),
        label = coordinate(LEFT - 6.0),
        upper = coordinate(TOP + 8.0),
        under = coordinate(HEIGHT - 6.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_keep_what_is_seen() {
        let mut curve = Curve::default();
        (0..1000).for_each(|step| curve.add(step, f64::from((step % 100) as u32), 100));
        curve.close();
        assert_eq!(curve.points[..4], [(0.0, 0.0), (99.0, 99.0), (100.0, 0.0), (199.0, 99.0)]);
        assert_eq!(curve.points.len(), 20);
    }

    #[test]
    fn rounds_are_found() {
        let word = |text: &str| text.bytes().map(|c| Some(c as usize)).collect::<Vec<_>>();
        let shown = |text: &str| {
            let part = |(word, times): (Vec<Option<usize>>, u64)| {
                let letters: String = word.iter().map(|c| c.map_or('!', |c| c as u8 as char)).collect();
                format!("{letters}{times}")
            };
            rounds(&word(text)).into_iter().map(part).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown("abc"), "a1 b1 c1");
        assert_eq!(shown("aaaab"), "a4 b1");
        assert_eq!(shown("xababababy"), "x1 ab4 y1");
        assert_eq!(shown(""), "");
    }
}
