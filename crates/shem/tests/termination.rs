//! Whether runs end: a set of systems whose answers are known by construction, random systems over few states against
//! exhaustive search, mistakes in files, and the command line.
//!
//! `SHEM_SYSTEMS=20000` asks for so many random systems.

#![allow(clippy::print_stdout, reason = "counts of random systems, shown by --nocapture")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use shem_base::{Rng, StopToken};
use shem_decide::terminates;
use shem_term::Store;
use shem_term::smtlib::Location;
use shem_termination::{Runs, read_ari, word};

/// The work that an answer may cost.
const WORK: u64 = 40_000_000;

/// The files whose answer is not found.
const UNDECIDED: [&str; 0] = [];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The answer to a text in ARI, for so much work.
fn answer(text: &str, work: u64) -> &'static str {
    let mut store = Store::new();
    let runs = Runs::read(&mut store, text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let stop = StopToken::after_work(&StopToken::new(), work);
    word(&terminates(&mut store, &runs, &stop))
}

#[test]
fn the_set_is_answered_as_expected() {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder("tests/termination"))
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ari"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 60);
    let mut wrong = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("a readable file");
        let expected =
            text.lines().next().and_then(|line| line.strip_prefix("; expect ")).expect("an answer");
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let expected = if UNDECIDED.contains(&&*name) { "MAYBE" } else { expected };
        let found = answer(&text, WORK);
        if found != expected {
            wrong.push(format!("{name}: {expected} expected, {found} found"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A random system whose states are finitely many.
struct Finite {
    variables: usize,
    most: i64,
    locations: usize,
    rules: Vec<Rule>,
}

struct Rule {
    source: usize,
    target: usize,
    guard: Vec<(Linear, Comparison)>,
    updates: Vec<Update>,
}

/// Factors of the variables, and a number.
struct Linear {
    factors: Vec<i64>,
    constant: i64,
}

#[derive(Clone, Copy)]
enum Comparison {
    AtMostZero,
    Zero,
    NotZero,
}

enum Update {
    To(Linear),
    /// Anything that is at most this.
    AtMost(Linear),
    Anything,
}

impl Linear {
    fn random(rng: &mut Rng, variables: usize) -> Linear {
        let factors = (0..variables).map(|_| *rng.pick(&[0, 0, 1, 1, -1, 2])).collect();
        Linear { factors, constant: rng.range(-2..=2) }
    }

    fn value(&self, state: &[i64]) -> i64 {
        self.factors.iter().zip(state).map(|(factor, value)| factor * value).sum::<i64>() + self.constant
    }

    fn text(&self) -> String {
        let number = |n: i64| if n < 0 { format!("(- {})", -n) } else { n.to_string() };
        let mut text = format!("(+ {}", number(self.constant));
        for (at, &factor) in self.factors.iter().enumerate() {
            let _ = write!(text, " (* {} x{at})", number(factor));
        }
        text + ")"
    }
}

impl Finite {
    fn random(seed: u64) -> Finite {
        let rng = &mut Rng::new(seed);
        let (variables, locations) = (rng.range(1..=2) as usize, rng.range(1..=3) as usize);
        let mut rules = Vec::new();
        for _ in 0..rng.range(1..=4) {
            let comparisons =
                [Comparison::AtMostZero, Comparison::AtMostZero, Comparison::Zero, Comparison::NotZero];
            let guard =
                (0..rng.range(0..=2)).map(|_| (Linear::random(rng, variables), *rng.pick(&comparisons)));
            let guard = guard.collect();
            let update = |rng: &mut Rng| match rng.below(8) {
                0 => Update::Anything,
                1 => Update::AtMost(Linear::random(rng, variables)),
                _ => Update::To(Linear::random(rng, variables)),
            };
            let updates = (0..variables).map(|_| update(rng)).collect();
            rules.push(Rule { source: rng.index(locations), target: rng.index(locations), guard, updates });
        }
        Finite { variables, most: rng.range(1..=6), locations, rules }
    }

    fn text(&self) -> String {
        let mut text = "(format LCTRS)\n(theory Ints)\n".to_owned();
        for location in 0..self.locations {
            let _ = writeln!(text, "(fun l{location} (-> {}Int))", "Int ".repeat(self.variables));
        }
        text += "(entrypoint l0)\n";
        for Rule { source, target, guard, updates } in &self.rules {
            let (mut left, mut right, mut parts) = (String::new(), String::new(), String::new());
            for (at, update) in updates.iter().enumerate() {
                let _ = write!(left, " x{at}");
                let next = match update {
                    Update::To(to) => to.text(),
                    Update::AtMost(bound) => {
                        let _ = write!(parts, " (<= y{at} {})", bound.text());
                        format!("y{at}")
                    }
                    Update::Anything => format!("y{at}"),
                };
                let _ = write!(parts, " (<= 0 x{at} {}) (<= 0 {next} {})", self.most, self.most);
                let _ = write!(right, " {next}");
            }
            for (sum, comparison) in guard {
                let _ = match comparison {
                    Comparison::AtMostZero => write!(parts, " (<= {} 0)", sum.text()),
                    Comparison::Zero => write!(parts, " (= {} 0)", sum.text()),
                    Comparison::NotZero => write!(parts, " (distinct {} 0)", sum.text()),
                };
            }
            let _ = writeln!(text, "(rule (l{source}{left}) (l{target}{right}) :guard (and{parts}))");
        }
        text
    }

    fn states(&self) -> Vec<Vec<i64>> {
        let mut states = vec![Vec::new()];
        for _ in 0..self.variables {
            let longer = |state: &Vec<i64>| {
                (0..=self.most).map(|value| [&state[..], &[value]].concat()).collect::<Vec<_>>()
            };
            states = states.iter().flat_map(longer).collect();
        }
        states
    }

    /// The states after a step, by all rules.
    fn successors(&self, location: usize, state: &[i64], states: &[Vec<i64>]) -> Vec<(usize, Vec<i64>)> {
        let mut found = Vec::new();
        for rule in self.rules.iter().filter(|rule| rule.source == location) {
            let holds = |(sum, comparison): &(Linear, Comparison)| match comparison {
                Comparison::AtMostZero => sum.value(state) <= 0,
                Comparison::Zero => sum.value(state) == 0,
                Comparison::NotZero => sum.value(state) != 0,
            };
            if !rule.guard.iter().all(holds) {
                continue;
            }
            let fits = |next: &&Vec<i64>| {
                rule.updates.iter().zip(*next).all(|(update, &value)| match update {
                    Update::To(to) => to.value(state) == value,
                    Update::AtMost(bound) => value <= bound.value(state),
                    Update::Anything => true,
                })
            };
            found.extend(states.iter().filter(fits).map(|next| (rule.target, next.clone())));
        }
        found
    }

    /// Whether all runs end: whether no cycle can be reached. States without a step are taken away until none is left that
    /// has only steps to such states.
    fn ends(&self) -> bool {
        let states = self.states();
        let mut reached: BTreeSet<(usize, Vec<i64>)> = BTreeSet::new();
        let mut pending: Vec<(usize, Vec<i64>)> = states.iter().map(|state| (0, state.clone())).collect();
        while let Some((location, state)) = pending.pop() {
            if reached.insert((location, state.clone())) {
                pending.extend(self.successors(location, &state, &states));
            }
        }
        loop {
            let stays = |(location, state): &&(usize, Vec<i64>)| {
                self.successors(*location, state, &states).iter().any(|next| reached.contains(next))
            };
            let left: BTreeSet<(usize, Vec<i64>)> = reached.iter().filter(stays).cloned().collect();
            if left.len() == reached.len() {
                return left.is_empty();
            }
            reached = left;
        }
    }
}

#[test]
fn random_systems_over_few_states_are_answered_as_exhaustive_search_does() {
    let count = std::env::var("SHEM_SYSTEMS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let from = std::env::var("SHEM_SYSTEMS_FROM").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut counts = [[0_u64; 2]; 2];
    for seed in from..from + count {
        let system = Finite::random(seed);
        let (text, ends) = (system.text(), system.ends());
        let expected = if ends { "YES" } else { "NO" };
        let found = answer(&text, WORK);
        assert!(
            found == expected || found == "MAYBE",
            "seed {seed}: {found}, but {expected} is right:\n{text}"
        );
        if found == "MAYBE" {
            println!("seed {seed} is not decided; {expected} is right:\n{text}");
        }
        counts[usize::from(ends)][usize::from(found == "MAYBE")] += 1;
    }
    println!("not ending [decided, undecided]: {:?}; ending: {:?}", counts[0], counts[1]);
    let [[no, _], [yes, _]] = counts;
    assert!(no + yes > count / 2, "too few were decided: {counts:?}");
}

/// A text and what is wrong with it, with line and column.
#[track_caller]
fn check_mistake(text: &str, place: (usize, usize), words: &str) {
    let error = read_ari(&mut Store::new(), text).expect_err(text);
    let Location { line, column } = Location::of(text, error.span.start);
    assert_eq!((line, column), place, "{text}: {}", error.message);
    assert!(error.message.contains(words), "{text}: {}", error.message);
}

#[test]
fn mistakes_have_a_place() {
    let start = "(format LCTRS :smtlib 2.6)\n(theory Ints)\n(fun f (-> Int Int Int))\n";
    let whole = |rest: &str| format!("{start}{rest}");
    check_mistake("", (1, 1), "there is no (entrypoint f)");
    check_mistake("(theory Ints)", (1, 2), "a file begins with (format LCTRS)");
    check_mistake("(format TRS)", (1, 9), "the format TRS is not one of transition systems");
    check_mistake("(format LCTRS :version 1)", (1, 15), ":smtlib is expected");
    check_mistake("(format LCTRS) (theory Strings)", (1, 24), "the theory Strings is not supported");
    check_mistake("(format LCTRS) (sort List)", (1, 17), "the command sort is not supported");
    check_mistake("(format LCTRS) (fun f (-> Int List Int))", (1, 31), "the sort List is not supported");
    check_mistake("(format LCTRS) (fun f (->))", (1, 26), "a sort is expected");
    check_mistake(&whole("(fun f Int)"), (4, 6), "the location f is declared already");
    check_mistake(&whole("(entrypoint g)"), (4, 13), "g is no location");
    check_mistake(&whole("(entrypoint f)\n(entrypoint f)"), (5, 13), "two entry points");
    check_mistake(&whole("(rule (f x y) (g x y))"), (4, 16), "g is no location");
    check_mistake(&whole("(rule (f x y) (f x))"), (4, 16), "f takes 2 arguments, not 1");
    check_mistake(&whole("(rule (f x y) (f x (f y y)))"), (4, 21), "f");
    check_mistake(&whole("(rule (f x y) (f x (> x y)))"), (4, 20), "must be of sort Int, not Bool");
    check_mistake(&whole("(rule (f x y) (f x y) :guard (+ x y))"), (4, 30), "");
    check_mistake(&whole("(rule (f x y) (f x y) :guard (> x z) :var ((x Int) (y Int)))"), (4, 35), "z");
    check_mistake(&whole("(rule (f x y) (f x y) :var ((x Int) (x Int)))"), (4, 38), "declared already");
    check_mistake(&whole("(rule (f x y) (f x y) :cost 1)"), (4, 23), ":cost is not supported");
    check_mistake(&whole("(rule (f x y) (f x y) :guard (> x y)"), (4, 37), "");
    check_mistake(&whole("x"), (4, 1), "a command in parentheses is expected");
    check_mistake(&whole("(rule (f x y) (+ x y))"), (4, 16), "+ is no location");
}

#[test]
fn rules_are_read_as_the_competition_writes_them() {
    // Names with accents, equations for what comes after a step, variables that nobody declares, a nullary location.
    let text = "; a comment\n(format LCTRS)\n(theory Ints)\n(fun l0 (-> Int Int))\n(fun |l 1| (-> Int Int))\n(fun end Int)\n\
                (entrypoint l0)\n(rule (l0 x^0) (|l 1| x^post) :guard (= x^0 x^post))\n\
                (rule (|l 1| x^0) (|l 1| x^post)\n:guard\n(and (<= 1 (+ 0 x^0)) (= x^post (+ (- 1) x^0))))\n\
                (rule (|l 1| x) (end) :guard (exists ((y Int)) (and (> y x) (< y 3))))\n(rule (|l 1| (* 2 x)) (end) :var ((x Int)))";
    assert_eq!(answer(text, WORK), "YES");
    let no_end = text.replace("(+ (- 1) x^0)", "(+ 1 x^0)");
    assert_eq!(answer(&no_end, WORK), "NO");
}

fn shem(args: &[&str], input: &str) -> (String, String, Option<i32>) {
    use std::io::Write;
    let mut command = Command::new(env!("CARGO_BIN_EXE_shem"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("the program reads");
    let Output { stdout, stderr, status } = child.wait_with_output().expect("the program ends");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(stdout), text(stderr), status.code())
}

const DOWN: &str = "(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (p x)))
(assert (forall ((x Int)) (=> (and (p x) (> x 0)) (p (- x 1)))))
(assert (forall ((x Int)) (=> (and (p x) (< x (- 5))) false)))
(check-sat)
";

#[test]
fn the_command_line_answers_yes_no_or_maybe() {
    let (out, err, code) = shem(&["--terminates", "-"], DOWN);
    assert_eq!((&*out, &*err, code), ("YES\n", "", Some(0)));
    let (out, _, _) = shem(&["--terminates", "--print-witness", "-"], DOWN);
    let expected = "YES\n(ranking\n  (invariants)\n  (level\n    (define-fun p ((x Int)) Int x)))\n";
    assert_eq!(out, expected);
    let up = DOWN.replace("(- x 1)", "(+ x 1)");
    let (out, _, _) = shem(&["--terminates", "--print-witness", "-"], &up);
    assert!(out.starts_with("NO\n(recurrence\n  (stem\n    (p "), "{out}");
    let (out, _, code) = shem(&["--terminates", "--json", "--print-witness", "-"], &up);
    assert_eq!(code, Some(0));
    assert!(out.contains("\"answer\":\"NO\"") && out.contains("\"kind\":\"recurrence\""), "{out}");
    let products = DOWN.replace("(- x 1)", "(* x x)");
    let (out, err, code) = shem(&["--terminates", "-"], &products);
    assert_eq!((&*out, code), ("MAYBE\n", Some(0)));
    assert_eq!(err, "shem: maybe: a clause has a term that is not linear\n");
    let mistake = DOWN.replace("(p (- x 1))", "(p (- x y))");
    let (out, err, code) = shem(&["--terminates", "-"], &mistake);
    assert_eq!(code, Some(1));
    assert!(out.starts_with("(error \"line 4 column") && err.starts_with("<stdin>:4:"), "{out}{err}");
}

#[test]
fn pages_tell_functions_and_infinite_runs() {
    let path = std::env::temp_dir().join(format!("shem-terminates-{}.html", std::process::id()));
    let name = path.to_string_lossy().into_owned();
    let page = |text: &str| {
        let (out, err, code) = shem(&["--terminates", "--report", &name, "-"], text);
        assert_eq!((&*err, code), ("", Some(0)), "{out}");
        let page = fs::read_to_string(&path).expect("a page");
        fs::remove_file(&path).expect("a file that can be removed");
        (out, page)
    };
    let (out, yes) = page(DOWN);
    assert_eq!(out, "YES\n");
    for words in
        ["All runs end.", "<h2>Ranking functions</h2>", "<td>1</td><td>p</td>", "Invariants and clauses"]
    {
        assert!(yes.contains(words), "{words}: {yes}");
    }
    let (out, no) = page(&DOWN.replace("(- x 1)", "(+ x 1)"));
    assert_eq!(out, "NO\n");
    for words in ["Some run is infinite.", "<h2>An infinite run</h2>", "by clause 2", "The set of states"] {
        assert!(no.contains(words), "{words}: {no}");
    }
}

/// A step that changes nothing is a formula that says nothing, but a step.
#[test]
fn steps_that_change_nothing_are_steps() {
    let script = |clause: &str| {
        format!(
            "(declare-fun p (Int) Bool)\n(assert (p 7))\n(assert (forall ((x Int)) {clause}))\n(check-sat)\n"
        )
    };
    for (clause, expected) in [
        ("(=> (p x) (p x))", "NO\n"),
        ("(=> (and (p x) (> x 3)) (p x))", "NO\n"),
        ("(=> (and (p x) (> x 8)) (p x))", "YES\n"),
        ("(let ((a (p x))) (=> a a))", "MAYBE\n"),
    ] {
        assert_eq!(shem(&["--terminates", "-"], &script(clause)).0, expected, "{clause}");
    }
    let frozen = "(declare-fun x () Int)\n(define-fun s () Int (! x :next x))\n(define-fun i () Bool (! (= x 0) :init true))\n";
    assert_eq!(shem(&["--terminates", "-"], frozen).0, "NO\n");
}

#[test]
fn other_languages_have_runs_too() {
    let vmt = "(declare-const x Int)\n(declare-const x1 Int)\n(define-fun a () Int (! x :next x1))\n\
               (define-fun i () Bool (! (= x 9) :init true))\n\
               (define-fun t () Bool (! (and (> x 0) (< x1 x)) :trans true))\n\
               (define-fun p () Bool (! (> x 3) :invar-property 0))\n";
    assert_eq!(shem(&["--terminates", "-"], vmt).0, "YES\n");
    assert_eq!(shem(&["--terminates", "-"], &vmt.replace("(< x1 x)", "(> x1 x)")).0, "NO\n");
    let file = folder("tests/termination/lex-two.ari").to_string_lossy().into_owned();
    assert_eq!(shem(&[&file], "").0, "YES\n");
    let (out, _, code) = shem(&["-"], "(format LCTRS)\n(fun f Int)\n(entrypoint g)");
    assert_eq!(code, Some(1));
    assert!(out.contains("line 3 column 13: g is no location"), "{out}");
    let (clauses, _, _) = shem(&["convert", "chc", &file], "");
    assert_eq!(shem(&["--terminates", "-"], &clauses).0, "YES\n");
}
