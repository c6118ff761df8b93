//! Every part of Spacer, of lazy abstraction and of PD-KIND acts: a small system for each, on which a counter shows
//! that the part did something. Where it can be switched off, the engine gives up without it, or asks more, under the
//! same budget.
//!
//! Budgets count conflicts, pivots and case splits, and efforts count queries, so that a run is the same
//! everywhere. The systems go to the engines as they are written, without preprocessing. Those with more than a
//! loop or two were found by letting random systems be decided with and without the part.

mod lawi;
mod pdkind;
mod spacer;

use shem_base::{Budget, Statistics, StopToken};
use shem_chc::{Script, normalise};
use shem_engine::Engine;
use shem_term::Store;
use shem_test_support::engine::{Judged, run};

/// What an engine may use up for one system.
const CONFLICTS: u64 = 300;
const PIVOTS: u64 = 3_000;

/// A command of a loop: the condition and the values after it.
type Command<'a> = (&'a str, &'a str);

/// The declaration of a predicate over integers.
fn declare(predicate: &str, variables: &str) -> String {
    let sorts = vec!["Int"; variables.split(' ').count()].join(" ");
    format!("(declare-fun {predicate} ({sorts}) Bool)\n")
}

/// A clause over integer variables.
fn clause(variables: &str, body: &str, head: &str) -> String {
    let binders: Vec<String> = variables.split(' ').map(|name| format!("({name} Int)")).collect();
    format!("(assert (forall ({}) (=> (and {body}) {head})))\n", binders.join(" "))
}

/// The clauses of a loop.
fn commands(predicate: &str, variables: &str, commands: &[Command<'_>]) -> String {
    let step = |(guard, next): &Command<'_>| {
        clause(variables, &format!("({predicate} {variables}) {guard}"), &format!("({predicate} {next})"))
    };
    commands.iter().map(step).collect()
}

/// The commands of a loop as one clause that chooses between them.
fn choice(predicate: &str, variables: &str, commands: &[Command<'_>]) -> String {
    let next: Vec<String> = variables.split(' ').map(|name| format!("{name}.next")).collect();
    let mut ways = String::new();
    for (guard, values) in commands {
        let values = arguments(values);
        let updates: Vec<String> =
            next.iter().zip(values).map(|(name, value)| format!("(= {name} {value})")).collect();
        ways += &format!(" (and {guard} {})", updates.join(" "));
    }
    let body = format!("({predicate} {variables}) (or{ways})");
    clause(&format!("{variables} {}", next.join(" ")), &body, &format!("({predicate} {})", next.join(" ")))
}

/// The terms of a list, each a word or in parentheses.
fn arguments(list: &str) -> Vec<&str> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, letter) in list.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ' ' if depth == 0 => {
                found.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&list[start..]);
    found
}

/// One loop: initial states, commands, bad states.
fn one_loop(variables: &str, initial: &str, steps: &[Command<'_>], bad: &str) -> String {
    let mut text = declare("p", variables);
    text += &clause(variables, initial, &format!("(p {variables})"));
    text += &commands("p", variables, steps);
    text + &clause(variables, &format!("(p {variables}) {bad}"), "false")
}

/// Two loops, one after the other: the states in which the first is left are a condition between them.
fn two_loops(
    variables: &str,
    initial: &str,
    first: &[Command<'_>],
    between: &str,
    second: &[Command<'_>],
    bad: &str,
) -> String {
    let mut text = declare("p", variables) + &declare("q", variables);
    text += &clause(variables, initial, &format!("(p {variables})"));
    text += &commands("p", variables, first);
    text += &clause(variables, &format!("(p {variables}) {between}"), &format!("(q {variables})"));
    text += &commands("q", variables, second);
    text + &clause(variables, &format!("(q {variables}) {bad}"), "false")
}

/// Runs an engine on a system within the budget and judges its witness.
fn decide(text: &str, engine: &mut dyn Engine) -> (Judged, Statistics) {
    let mut store = Store::new();
    let script = Script::read(&mut store, text, &StopToken::new()).expect("a script");
    let graph = normalise(&mut store, &script.system);
    let budget = Budget { conflicts: CONFLICTS, pivots: PIVOTS, splits: CONFLICTS, ..Budget::unlimited() };
    run(&mut store, &graph, engine, budget)
}

/// The queries of an engine.
fn queries(statistics: &Statistics) -> u64 {
    let is_count =
        |name: &str| name == "queries" || name.starts_with("queries.") || name.ends_with(".queries");
    let counts = statistics.iter().filter(|(name, _)| is_count(name) && !name.contains("solver"));
    counts.map(|(name, _)| statistics.count(name)).sum()
}

/// What a part of an engine does for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Worth {
    /// Without the part there is no answer within the budget.
    Answer,
    /// Without the part more queries are asked, so many times as many at least.
    Queries(u64),
}

/// A system is decided with a part, as its counter shows.
#[track_caller]
fn takes_part(text: &str, expected: Judged, counter: &str, engine: &mut dyn Engine) -> Statistics {
    let (judged, statistics) = decide(text, engine);
    assert_eq!(judged, expected, "with it, {statistics}");
    assert!(statistics.count(counter) > 0, "{counter}: it does nothing, {statistics}");
    statistics
}

/// A system is decided with a part, as its counter shows, and not or less well without it.
#[track_caller]
fn acts(
    text: &str,
    expected: Judged,
    counter: &str,
    worth: Worth,
    with: &mut dyn Engine,
    without: &mut dyn Engine,
) {
    let statistics = takes_part(text, expected, counter, with);
    let (other, others) = decide(text, without);
    assert_eq!(others.count(counter), 0, "{counter}: it is not switched off, {others}");
    match worth {
        Worth::Answer => assert_eq!(other, Judged::Unknown, "without it, {others}"),
        Worth::Queries(times) => {
            assert_eq!(other, expected, "without it, {others}");
            let (used, needed) = (queries(&statistics), queries(&others));
            assert!(needed > used && needed >= times * used, "{counter}: {used} with it, {needed} without");
        }
    }
}
