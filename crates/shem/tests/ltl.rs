//! Linear temporal logic on random systems with few states, against lassos by explicit search.
//!
//! For each system all runs that come back to a state are listed, up to a length, and the formula is evaluated on them by the definition
//! of its operators. Where it is false on one, the answer has to be `unsat`; where the answer is `unsat`, the run that is printed has
//! to be one of the system, and the formula false on it. `SHEM_SYSTEMS=5000` asks for so many systems.

#![allow(clippy::print_stdout, reason = "counts of random systems, shown by --nocapture")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;
use shem_base::Rng;

/// The number of steps of a listed run, those of its repetition included, and that of formulas about a system.
const LONGEST: usize = 7;
const FORMULAS: usize = 6;
/// The depth of formulas, and the greatest number of listed runs.
const DEPTH: usize = 3;
const MOST_LASSOS: usize = 3_000;

/// A formula over the labels `p` (0) and `q` (1).
#[derive(Clone, Debug)]
enum Formula {
    Label(usize),
    Not(Box<Formula>),
    One(&'static str, Box<Formula>),
    Two(&'static str, Box<Formula>, Box<Formula>),
}

impl Formula {
    fn random(rng: &mut Rng, depth: usize) -> Formula {
        let kind = if depth == 0 { 0 } else { rng.below(8) };
        let part = |rng: &mut Rng| Box::new(Formula::random(rng, depth - 1));
        match kind {
            0 => Formula::Label(rng.index(2)),
            1 => Formula::Not(part(rng)),
            2..=4 => {
                Formula::One(["X", "F", "G", "F", "G", "X", "Y", "O", "H"][rng.below(9) as usize], part(rng))
            }
            _ => {
                let operator = *rng.pick(&["U", "R", "W", "M", "&", "|", "->", "<->", "S", "T"]);
                Formula::Two(operator, part(rng), part(rng))
            }
        }
    }

    /// Whether an operator of the past stands around one of the future, which is refused.
    fn is_refused(&self) -> bool {
        let is_past = |operator: &str| ["Y", "O", "H", "S", "T"].contains(&operator);
        match self {
            Formula::Label(_) => false,
            Formula::Not(inner) => inner.is_refused(),
            Formula::One(operator, inner) => inner.is_refused() || is_past(operator) && inner.has_future(),
            Formula::Two(operator, a, b) => {
                a.is_refused() || b.is_refused() || is_past(operator) && (a.has_future() || b.has_future())
            }
        }
    }

    fn has_future(&self) -> bool {
        match self {
            Formula::Label(_) => false,
            Formula::Not(inner) => inner.has_future(),
            Formula::One(operator, inner) => ["X", "F", "G"].contains(operator) || inner.has_future(),
            Formula::Two(operator, a, b) => {
                ["U", "R", "W", "M"].contains(operator) || a.has_future() || b.has_future()
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Formula::Label(label) => ["p", "q"][*label].to_owned(),
            Formula::Not(inner) => format!("!({})", inner.text()),
            Formula::One(operator, inner) => format!("{operator} ({})", inner.text()),
            Formula::Two(operator, a, b) => format!("({}) {operator} ({})", a.text(), b.text()),
        }
    }

    /// The values at all moments of a run after whose last moment comes `back`. Operators of the past look at the moments before, so the
    /// repetition has to be written out often enough for their values to be the same in its last two rounds.
    fn values(&self, run: &[[bool; 2]], back: usize) -> Vec<bool> {
        let count = run.len();
        let after = |at: usize| if at + 1 == count { back } else { at + 1 };
        // From the end on, twice: the second time what comes after the end is known.
        let later = |start: bool, value: &dyn Fn(usize, bool) -> bool| {
            let mut found = vec![start; count];
            for at in (0..count).rev().chain((0..count).rev()) {
                found[at] = value(at, found[after(at)]);
            }
            found
        };
        let earlier = |start: bool, value: &dyn Fn(usize, bool) -> bool| {
            let (mut found, mut before) = (Vec::new(), start);
            for at in 0..count {
                before = value(at, before);
                found.push(before);
            }
            found
        };
        match self {
            Formula::Label(label) => run.iter().map(|labels| labels[*label]).collect(),
            Formula::Not(inner) => inner.values(run, back).into_iter().map(|value| !value).collect(),
            Formula::One(operator, inner) => {
                let x = inner.values(run, back);
                match *operator {
                    "X" => (0..count).map(|at| x[after(at)]).collect(),
                    "F" => later(false, &|at, next| x[at] || next),
                    "G" => later(true, &|at, next| x[at] && next),
                    "Y" => (0..count).map(|at| at > 0 && x[at - 1]).collect(),
                    "O" => earlier(false, &|at, before| x[at] || before),
                    _ => earlier(true, &|at, before| x[at] && before),
                }
            }
            Formula::Two(operator, a, b) => {
                let (x, y) = (a.values(run, back), b.values(run, back));
                match *operator {
                    "U" => later(false, &|at, next| y[at] || x[at] && next),
                    "W" => later(true, &|at, next| y[at] || x[at] && next),
                    "R" => later(true, &|at, next| y[at] && (x[at] || next)),
                    "M" => later(false, &|at, next| y[at] && (x[at] || next)),
                    "S" => earlier(false, &|at, before| y[at] || x[at] && before),
                    "T" => earlier(true, &|at, before| y[at] && (x[at] || before)),
                    "&" => (0..count).map(|at| x[at] && y[at]).collect(),
                    "|" => (0..count).map(|at| x[at] || y[at]).collect(),
                    "->" => (0..count).map(|at| !x[at] || y[at]).collect(),
                    _ => (0..count).map(|at| x[at] == y[at]).collect(),
                }
            }
        }
    }

    /// Whether it is true at the start of a run that repeats itself from a moment on.
    fn holds(&self, run: &[[bool; 2]], back: usize) -> bool {
        let mut long = run.to_vec();
        let mut last = back;
        for _ in 0..2 * DEPTH {
            last = long.len();
            long.extend_from_slice(&run[back..]);
        }
        self.values(&long, last)[0]
    }
}

/// A system with numbered states, whose labels may depend on an input.
struct Finite {
    starts: Vec<usize>,
    steps: BTreeSet<(usize, usize)>,
    /// For each label the states in which it is true, for either value of the input.
    labels: [[Vec<bool>; 2]; 2],
    states: usize,
    /// Whether the states are truth values, not a number.
    plain: bool,
}

impl Finite {
    fn random(rng: &mut Rng) -> Finite {
        let states = rng.range(1..=4) as usize;
        let mut steps = BTreeSet::new();
        for _ in 0..rng.range(1..=6) {
            steps.insert((rng.index(states), rng.index(states)));
        }
        let starts = (0..rng.range(1..=2)).map(|_| rng.index(states)).collect();
        let with_input = rng.below(3) == 0;
        let truths = |rng: &mut Rng| -> Vec<bool> { (0..states).map(|_| rng.below(2) == 0).collect() };
        let labels = [0, 1].map(|_| {
            let first = truths(rng);
            let second = if with_input { truths(rng) } else { first.clone() };
            [first, second]
        });
        Finite { starts, steps, labels, states, plain: rng.below(2) == 0 }
    }

    /// The formula that the state is this one, before or after a step.
    fn at(&self, state: usize, suffix: &str) -> String {
        if !self.plain {
            return format!("(= s{suffix} {state})");
        }
        let bit = |place: usize| match state >> place & 1 {
            1 => format!("b{place}{suffix}"),
            _ => format!("(not b{place}{suffix})"),
        };
        format!("(and {} {})", bit(0), bit(1))
    }

    fn text(&self) -> String {
        let mut text = "(declare-fun i () Bool)\n".to_owned();
        let variables: &[(&str, &str)] =
            if self.plain { &[("b0", "Bool"), ("b1", "Bool")] } else { &[("s", "Int")] };
        for (name, sort) in variables {
            let _ = writeln!(text, "(declare-fun {name} () {sort})\n(declare-fun {name}.n () {sort})");
            let _ = writeln!(text, "(define-fun .{name} () {sort} (! {name} :next {name}.n))");
        }
        if !self.plain {
            text += "(define-fun range () Bool (! (and (<= 0 s) (<= s 3)) :trans true))\n";
        }
        let any = |parts: Vec<String>| format!("(or false {})", parts.join(" "));
        let starts = any(self.starts.iter().map(|&state| self.at(state, "")).collect());
        let step =
            |&(from, to): &(usize, usize)| format!("(and {} {})", self.at(from, ""), self.at(to, ".n"));
        let steps = any(self.steps.iter().map(step).collect());
        let _ = writeln!(text, "(define-fun init () Bool (! {starts} :init true))");
        let _ = writeln!(text, "(define-fun trans () Bool (! {steps} :trans true))");
        for (name, [first, second]) in ["p", "q"].iter().zip(&self.labels) {
            let where_true = |truths: &[bool]| {
                any((0..self.states).filter(|&state| truths[state]).map(|state| self.at(state, "")).collect())
            };
            let _ = writeln!(
                text,
                "(define-fun {name} () Bool (ite i {} {}))",
                where_true(second),
                where_true(first)
            );
        }
        text
    }

    fn label(&self, state: usize, input: usize) -> [bool; 2] {
        [0, 1].map(|label: usize| self.labels[label][input][state])
    }

    /// The runs that come back to a state, as their labels and the moment from which they repeat themselves.
    fn lassos(&self) -> Vec<(Vec<[bool; 2]>, usize)> {
        let mut found = Vec::new();
        let mut paths: Vec<(Vec<usize>, Vec<[bool; 2]>)> =
            self.starts.iter().map(|&state| (vec![state], Vec::new())).collect();
        while let Some((path, labels)) = paths.pop() {
            let last = path[path.len() - 1];
            for input in 0..2 {
                if input == 1 && self.label(last, 0) == self.label(last, 1) {
                    continue;
                }
                let labels = [&labels[..], &[self.label(last, input)]].concat();
                for &(_, next) in self.steps.iter().filter(|(from, _)| *from == last) {
                    let again = (0..path.len()).filter(|&at| path[at] == next);
                    found.extend(again.map(|at| (labels.clone(), at)));
                    if path.len() < LONGEST && found.len() < MOST_LASSOS {
                        paths.push(([&path[..], &[next]].concat(), labels.clone()));
                    }
                }
            }
        }
        found
    }

    /// The run that is printed in JSON, if it is one of the system.
    fn printed(&self, witness: &Value) -> (Vec<[bool; 2]>, usize) {
        let steps = witness["states"].as_array().expect("states");
        let back = witness["repeats"].as_u64().expect("a repetition") as usize;
        let truth = |value: &Value| value.as_str() == Some("true");
        let state = |step: &Value| match self.plain {
            true => usize::from(truth(&step["state"]["b0"])) + 2 * usize::from(truth(&step["state"]["b1"])),
            false => step["state"]["s"].as_str().and_then(|text| text.parse().ok()).expect("a number"),
        };
        let states: Vec<usize> = steps.iter().map(state).collect();
        assert!(self.starts.contains(&states[0]), "{witness}");
        assert_eq!(states[back], states[states.len() - 1], "{witness}");
        let mut labels = Vec::new();
        for (pair, next) in states.windows(2).zip(&steps[1..]) {
            assert!(self.steps.contains(&(pair[0], pair[1])), "{witness}");
            labels.push(self.label(pair[0], usize::from(truth(&next["inputs"]["i"]))));
        }
        (labels, back)
    }
}

/// The answers about formulas, as objects.
fn answers(text: &str, formulas: &[Formula]) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shem"));
    for formula in formulas {
        command.args(["--ltl", &formula.text()]);
    }
    command.args(["--json", "--print-witness", "--deterministic", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("the program reads");
    let output = child.wait_with_output().expect("the program ends");
    let object: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}\n{text}", String::from_utf8_lossy(&output.stderr)));
    object["checks"].as_array().expect("a list").clone()
}

#[test]
fn formulas_about_random_systems_are_answered_as_their_runs_say() {
    let count = std::env::var("SHEM_SYSTEMS").ok().and_then(|text| text.parse().ok()).unwrap_or(25_u64);
    let (mut safe, mut failing) = (0, 0);
    for seed in 0..count {
        let rng = &mut Rng::new(seed);
        let system = Finite::random(rng);
        let mut formulas = Vec::new();
        while formulas.len() < FORMULAS {
            let formula = Formula::random(rng, DEPTH);
            if !formula.is_refused() {
                formulas.push(formula);
            }
        }
        let (text, lassos) = (system.text(), system.lassos());
        for (formula, answer) in formulas.iter().zip(answers(&text, &formulas)) {
            let about = format!("seed {seed}: {}\n{text}", formula.text());
            let fails = lassos.iter().any(|(run, back)| !formula.holds(run, *back));
            match answer["answer"].as_str().expect("a word") {
                "sat" => {
                    assert!(!fails, "{about}");
                    safe += 1;
                }
                "unsat" => {
                    let (run, back) = system.printed(&answer["witness"]);
                    assert!(!formula.holds(&run, back), "{about}\n{answer}");
                    failing += 1;
                }
                other => panic!("{other}: {about}"),
            }
        }
    }
    println!("{safe} formulas hold, {failing} do not");
    assert!(safe >= 2 * count && failing >= count, "{safe} {failing}");
}
