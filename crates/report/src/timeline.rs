//! The time line of the engines: who ran when, who told the others how much, who won.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

use shem_decide::{Exchanged, Milestone, Observer, Running, Used};
use shem_engine::{Events, Progress};
use shem_exchange::{BoundedKind, Content};
use shem_transform::Preprocessed;

use crate::markup::{coordinate, cut, duration, escape, grouped};

/// The most looks at a team that are kept; then every second one is dropped.
const MOST_SAMPLES: usize = 2000;

/// The most messages that are shown.
const MOST_TOLD: usize = 400;

/// An engine at some time.
#[derive(Clone, Copy, Debug)]
struct Sample {
    time: f64,
    running: Running,
}

/// How an engine ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Won,
    GaveUp,
    Dropped,
}

/// An engine that took part.
#[derive(Clone, Debug)]
struct Member {
    name: String,
    entered: f64,
    samples: Vec<Sample>,
    end: Option<(f64, End)>,
}

/// What happened while a system was decided. Times are in seconds since it was made.
#[derive(Clone)]
pub struct Timeline {
    start: Instant,
    members: BTreeMap<usize, Member>,
    /// What was said, by whom and when.
    events: Vec<(f64, String, String)>,
    /// What engines have told the others: when, who, and what.
    told: Vec<(f64, usize, String)>,
    /// What was of use, and to whom.
    used: Vec<Used>,
    /// The graph after the passes.
    pub preprocessed: Option<Arc<Preprocessed>>,
    /// When the answer was there.
    finished: Option<f64>,
}

impl Default for Timeline {
    fn default() -> Timeline {
        Timeline {
            start: Instant::now(),
            members: BTreeMap::new(),
            events: Vec::new(),
            told: Vec::new(),
            used: Vec::new(),
            preprocessed: None,
            finished: None,
        }
    }
}

impl Observer for Timeline {
    fn prepared(&mut self, preprocessed: &Arc<Preprocessed>) {
        self.preprocessed = Some(Arc::clone(preprocessed));
    }

    fn entered(&mut self, member: usize, name: &str) {
        let entered = self.now();
        let new = || Member { name: name.to_owned(), entered, samples: Vec::new(), end: None };
        self.members.entry(member).or_insert_with(new);
    }

    fn team(&mut self, team: &[Running]) {
        let time = self.now();
        for running in team {
            self.entered(running.member, running.engine);
            let Some(member) = self.members.get_mut(&running.member) else { continue };
            if member.samples.len() >= MOST_SAMPLES {
                let mut keep = false;
                member.samples.retain(|_| {
                    keep = !keep;
                    keep
                });
            }
            member.samples.push(Sample { time, running: *running });
        }
    }

    fn milestone(&mut self, name: &str, what: Milestone<'_>) {
        let time = self.now();
        let (words, end) = match what {
            Milestone::Claimed(status) => (format!("says {status}"), None),
            Milestone::Accepted(status) => (format!("{status} is accepted"), Some(End::Won)),
            Milestone::GaveUp(reason) => (format!("gives up: {reason}"), Some(End::GaveUp)),
            Milestone::Dropped(reason) => (format!("is dropped: {reason}"), Some(End::Dropped)),
        };
        self.events.push((time, name.to_owned(), words));
        let Some(end) = end else { return };
        let open = self.members.values_mut().find(|member| member.name == name && member.end.is_none());
        match open {
            Some(member) => member.end = Some((time, end)),
            // An engine that nobody has announced ran from the beginning.
            None => {
                let number = self.members.len();
                let ended = Some((time, end));
                let member = Member { name: name.to_owned(), entered: 0.0, samples: Vec::new(), end: ended };
                self.members.entry(number).or_insert(member);
            }
        }
    }

    fn exchanged(&mut self, exchanged: &Exchanged) {
        let told = exchanged.told.iter().take(MOST_TOLD).filter_map(|told| {
            let time = told.at.saturating_duration_since(self.start).as_secs_f64();
            Some((time, told.member, words(&told.content()?)))
        });
        self.told = told.collect();
        self.used.clone_from(&exchanged.used);
    }
}

impl Events for Timeline {
    fn progress(&mut self, _: Progress) {}
}

impl Timeline {
    /// Nothing has happened yet, and time begins.
    pub fn new() -> Timeline {
        Timeline::default()
    }

    fn now(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// The answer is there.
    pub fn finish(&mut self) {
        self.finished = Some(self.now());
    }

    /// The time line as HTML, of a problem that was decided or not.
    pub(crate) fn html(&self, decided: bool) -> String {
        if self.members.is_empty() {
            return match decided {
                true => "<p>No engine was needed: preprocessing decides it.</p>".to_owned(),
                false => "<p>No engine was started before the end.</p>".to_owned(),
            };
        }
        let total = self.finished.unwrap_or_else(|| self.now()).max(1e-6);
        let mut out = String::new();
        self.bars(&mut out, total);
        self.members(&mut out, total);
        self.exchange(&mut out);
        if self.events.is_empty() {
            return out;
        }
        out.push_str("<h3>What happened</h3><table class=\"events\"><tbody>");
        for (time, who, what) in self.events.iter().take(100) {
            let _ = write!(
                out,
                "<tr><td class=\"value\">{}</td><td><code>{}</code></td><td>{}</td></tr>",
                duration(*time),
                escape(&cut(who, 120)),
                escape(&cut(what, 400))
            );
        }
        out.push_str("</tbody></table>");
        out
    }

    fn bars(&self, out: &mut String, total: f64) {
        // As many characters of a name, in wide fonts.
        const LEFT: f64 = 236.0;
        const WIDTH: f64 = 860.0;
        const ROW: f64 = 26.0;
        let height = ROW * self.members.len() as f64 + 34.0;
        let x = |time: f64| LEFT + (WIDTH - LEFT - 50.0) * (time / total).clamp(0.0, 1.0);
        let _ = write!(
            out,
            "<div class=\"scroll\"><svg class=\"timeline\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\">"
        );
        for tick in 0..=4 {
            let time = total * f64::from(tick) / 4.0;
            let at = coordinate(x(time));
            let _ = write!(
                out,
                "<path class=\"grid\" d=\"M{at} 0V{}\"/><text class=\"tick\" x=\"{at}\" y=\"{}\">{}</text>",
                coordinate(height - 24.0),
                coordinate(height - 8.0),
                duration(time)
            );
        }
        for (row, member) in self.members.values().enumerate() {
            let top = ROW * row as f64 + 4.0;
            let name = cut(&member.name, 26);
            let _ = write!(
                out,
                "<text class=\"name\" x=\"{}\" y=\"{}\">{}<title>{}</title></text>",
                LEFT - 10.0,
                coordinate(top + 14.0),
                escape(&name),
                escape(&cut(&member.name, 400))
            );
            let end = member.end.map_or(total, |(time, _)| time);
            let bar = |out: &mut String, class: &str, from: f64, to: f64| {
                let width = (x(to) - x(from)).max(1.5);
                let _ = write!(
                    out,
                    "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"18\" rx=\"3\"/>",
                    coordinate(x(from)),
                    coordinate(top),
                    coordinate(width)
                );
            };
            bar(out, "there", member.entered, end);
            for (from, to) in member.turns(end) {
                bar(out, "turn", from, to);
            }
            let mut before = (0, 0);
            for sample in &member.samples {
                let (sent, taken) = (sample.running.sent, sample.running.taken);
                let at = coordinate(x(sample.time));
                if sent > before.0 {
                    let _ = write!(
                        out,
                        "<path class=\"told\" d=\"M{at} {}l4 7h-8z\"><title>told the others {} lemmas by {}</title></path>",
                        coordinate(top - 3.0),
                        grouped(sent - before.0),
                        duration(sample.time)
                    );
                }
                if taken > before.1 {
                    let _ = write!(
                        out,
                        "<path class=\"used\" d=\"M{at} {}l4 -7h-8z\"><title>used {} lemmas of others by {}</title></path>",
                        coordinate(top + 21.0),
                        grouped(taken - before.1),
                        duration(sample.time)
                    );
                }
                before = (sent.max(before.0), taken.max(before.1));
            }
            let mark = match member.end {
                Some((_, End::Won)) => "★",
                Some((_, End::GaveUp)) => "–",
                Some((_, End::Dropped)) => "✕",
                None => continue,
            };
            let won = mark == "★";
            let _ = write!(
                out,
                "<text class=\"{}\" x=\"{}\" y=\"{}\">{mark}</text>",
                if won { "end won" } else { "end" },
                coordinate(x(end) + 5.0),
                coordinate(top + 14.5)
            );
        }
        out.push_str("</svg></div><p class=\"legend\"><span class=\"key turn\"></span> its turn <span class=\"key there\"></span> waits \
             <span class=\"key told\">▲</span> told the others lemmas <span class=\"key used\">▼</span> used lemmas of others \
             <span class=\"key won\">★</span> won <span class=\"key\">–</span> gave up <span class=\"key\">✕</span> was dropped</p>");
    }

    /// The name of an engine.
    fn name(&self, member: usize) -> String {
        self.members.get(&member).map_or_else(String::new, |member| escape(&cut(&member.name, 120)))
    }

    /// Who has told whom what.
    fn exchange(&self, out: &mut String) {
        if !self.used.is_empty() {
            out.push_str(
                "<h3>Who helped whom</h3><table class=\"events\"><thead><tr><th>told by</th><th>used by</th>\
                 <th>formulas</th></tr></thead><tbody>",
            );
            for used in &self.used {
                let from = used.from.map_or_else(|| "one of several".to_owned(), |from| self.name(from));
                let _ = write!(
                    out,
                    "<tr><td><code>{from}</code></td><td><code>{}</code></td><td class=\"value\">{}</td></tr>",
                    self.name(used.by),
                    grouped(used.count)
                );
            }
            out.push_str("</tbody></table>");
        }
        if self.told.is_empty() {
            return;
        }
        out.push_str(
            "<details class=\"told\"><summary>What they told each other: the first messages of each</summary>\
             <p>Arguments are called x0, x1, … in their order, and y0, y1, … later.</p>\
             <table class=\"events\"><tbody>",
        );
        for (time, member, what) in &self.told {
            let _ = write!(
                out,
                "<tr><td class=\"value\">{}</td><td><code>{}</code></td><td><code>{}</code></td></tr>",
                duration(*time),
                self.name(*member),
                escape(&cut(what, 400))
            );
        }
        out.push_str("</tbody></table></details>");
    }

    /// Who ran for how long, and has told and used how much.
    fn members(&self, out: &mut String, total: f64) {
        if self.members.values().all(|member| member.samples.is_empty()) {
            return;
        }
        out.push_str(
            "<table class=\"members\"><thead><tr><th>engine</th><th>ran for</th><th>depth</th><th>lemmas</th>\
             <th>told the others</th><th>used of theirs</th><th>end</th></tr></thead><tbody>",
        );
        for member in self.members.values() {
            let last = member.samples.last().map(|sample| sample.running);
            let end = member.end.map_or(total, |(time, _)| time);
            let ran: f64 = member.turns(end).iter().map(|(from, to)| to - from).sum();
            let how = match member.end {
                Some((_, End::Won)) => "won",
                Some((_, End::GaveUp)) => "gave up",
                Some((_, End::Dropped)) => "was dropped",
                None => "was ended",
            };
            let number = |value: fn(&Running) -> u64| {
                last.as_ref().map_or(String::new(), |running| grouped(value(running)))
            };
            let _ = write!(
                out,
                "<tr><td><code>{}</code></td><td class=\"value\">{}</td><td class=\"value\">{}</td><td class=\"value\">{}</td>\
                 <td class=\"value\">{}</td><td class=\"value\">{}</td><td>{how}</td></tr>",
                escape(&cut(&member.name, 120)),
                duration(ran),
                number(|running| running.progress.depth),
                number(|running| running.progress.lemmas),
                number(|running| running.sent),
                number(|running| running.taken),
            );
        }
        out.push_str("</tbody></table>");
    }
}

/// What a message says.
fn words(content: &Content) -> String {
    match content {
        Content::Bounded(bounded) => {
            let (level, formula) = (bounded.level, bounded.formula.text());
            match &bounded.kind {
                BoundedKind::Reach => format!("within {level} steps: {formula}"),
                BoundedKind::Induction(states, distance) => {
                    format!(
                        "within {level} steps: {formula}; it excludes {states}, which reach a bad state in {distance} steps",
                        states = states.text()
                    )
                }
                BoundedKind::Power(_) => format!("power {level} of the steps: {formula}"),
                BoundedKind::Refuted => format!("fails within {level} steps: {formula}"),
                BoundedKind::Height(vertex) => format!("predicate {vertex} up to height {level}: {formula}"),
                BoundedKind::Derived(vertex) => format!("predicate {vertex} has: {formula}"),
            }
        }
        Content::Part(number, _) => format!("a model of part {number}"),
        Content::Invariant(definitions) => {
            let each = definitions.iter().map(|(name, formula)| format!("{name}: {}", formula.text()));
            format!("invariant: {}", each.collect::<Vec<_>>().join("; "))
        }
        Content::Verdict(_) => "a verdict with its witness".to_owned(),
    }
}

impl Member {
    /// When it had its turn.
    fn turns(&self, end: f64) -> Vec<(f64, f64)> {
        if self.samples.is_empty() {
            return vec![(self.entered, end)];
        }
        let mut turns: Vec<(f64, f64)> = Vec::new();
        for (i, sample) in self.samples.iter().enumerate().filter(|(_, sample)| sample.running.has_turn) {
            let until = self.samples.get(i + 1).map_or(end, |next| next.time).min(end).max(sample.time);
            // Whoever is started has its turn.
            let from = if i == 0 { self.entered.min(sample.time) } else { sample.time };
            match turns.last_mut() {
                Some((_, last)) if *last >= from => *last = until,
                _ => turns.push((from, until)),
            }
        }
        turns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_who_helped_whom_and_with_what() {
        let mut timeline = Timeline::new();
        timeline.entered(0, "spacer");
        timeline.entered(2, "kind <b>");
        timeline.told.push((0.5, 2, "invariant: p: (<= x0 5)".to_owned()));
        timeline.used.push(Used { by: 0, from: Some(2), count: 7 });
        timeline.used.push(Used { by: 2, from: None, count: 1 });
        let html = timeline.html(true);
        let helped =
            "<td><code>kind &lt;b&gt;</code></td><td><code>spacer</code></td><td class=\"value\">7</td>";
        assert!(html.contains(helped), "{html}");
        assert!(html.contains("<td><code>one of several</code></td>"), "{html}");
        assert!(html.contains("<code>invariant: p: (&lt;= x0 5)</code>"), "{html}");
    }
}
