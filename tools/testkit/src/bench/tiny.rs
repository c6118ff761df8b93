//! Tiny queries by the hundred thousand, the load of a Horn engine.
//!
//! One transition with two branches over six integers stays asserted; source and target cubes change.
//! A marker is echoed before the first query and after each thousand, so that the cost of early and
//! late queries can be told apart.

use crate::rng::Rng;
use std::fmt::Write;

const STATE: usize = 6;

/// Queries between two markers.
pub const WINDOW: usize = 1_000;

/// Levels of the lemmas that are not active.
const LEVELS: usize = 10;

/// Two guarded commands: the first counts up while the state is small, the second swaps and resets.
const TRANSITION: &str = "(or
  (and (< x0 x1) (<= (+ x2 x3) 40) (= y0 (+ x0 1)) (= y1 x1) (= y2 (+ x2 x0)) (= y3 (- x3 1)) (= y4 x5) (= y5 (+ x4 x5)))
  (and (>= x0 x1) (= y0 0) (= y1 (+ x1 2)) (= y2 x3) (= y3 x2) (= y4 (+ x4 (* 2 x0))) (= y5 (- x5 x1))))";

fn preamble() -> String {
    let mut text = String::from("(set-logic QF_LIA)\n");
    for prefix in ["x", "y"] {
        for index in 0..STATE {
            let _ = writeln!(text, "(declare-fun {prefix}{index} () Int)");
        }
    }
    let _ = writeln!(text, "(assert {TRANSITION})");
    text
}

fn numeral(value: i64) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

/// A bound on one of the six numbers or on a difference of two.
fn literal(rng: &mut Rng, prefix: &str) -> String {
    let head = *rng.pick(&["<=", ">=", "<", ">"]);
    let first = rng.below(STATE);
    let constant = numeral(rng.range(-12, 12));
    if rng.chance(75) {
        format!("({head} {prefix}{first} {constant})")
    } else {
        let second = (first + 1 + rng.below(STATE - 1)) % STATE;
        format!("({head} (- {prefix}{first} {prefix}{second}) {constant})")
    }
}

fn mark(text: &mut String, query: usize) {
    if query.is_multiple_of(WINDOW) {
        let _ = writeln!(text, "(echo \"#{}\")", query / WINDOW);
    }
}

/// Queries in scopes: push, the cubes, check, pop.
pub fn with_scopes(queries: usize) -> String {
    let mut rng = Rng::new(20);
    let mut text = preamble();
    for query in 0..queries {
        mark(&mut text, query);
        text.push_str("(push 1)\n");
        for prefix in ["x", "y"] {
            text.push_str("(assert (and");
            for _ in 0..3 + rng.below(3) {
                let _ = write!(text, " {}", literal(&mut rng, prefix));
            }
            text.push_str("))\n");
        }
        text.push_str("(check-sat)\n(pop 1)\n");
    }
    mark(&mut text, queries);
    text
}

/// Queries under assumptions. The stand-ins for the literals are declared up front, as an engine that
/// keeps its proxies does; a query assumes about eight of them.
pub fn under_assumptions(queries: usize) -> String {
    let mut rng = Rng::new(21);
    let mut text = preamble();
    let proxies = 240;
    declare_proxies(&mut text, &mut rng, proxies);
    assuming_queries(&mut text, &mut rng, queries, proxies, "");
    text
}

/// As [`under_assumptions`], with 20 lemmas that each query activates and `inactive` further lemmas on
/// ten levels that each query switches off. The queries are the same for any number of lemmas.
pub fn inactive_lemmas(inactive: usize, queries: usize) -> String {
    let mut rng = Rng::new(22);
    let mut text = preamble();
    let proxies = 240;
    declare_proxies(&mut text, &mut rng, proxies);
    text.push_str("(declare-fun active () Bool)\n");
    for _ in 0..20 {
        let _ = writeln!(text, "(assert (=> active (or {} {})))", lemma(&mut rng), lemma(&mut rng));
    }
    // The queries must not depend on the number of inactive lemmas, so these have their own stream.
    let mut lemmas = Rng::new(23);
    let mut always = String::from("active ");
    for level in 0..LEVELS {
        let _ = writeln!(text, "(declare-fun level{level} () Bool)");
        let _ = write!(always, "(not level{level}) ");
    }
    for number in 0..inactive {
        let _ = writeln!(text, "(assert (=> level{} {}))", number % LEVELS, lemma(&mut lemmas));
    }
    assuming_queries(&mut text, &mut rng, queries, proxies, &always);
    text
}

/// A lemma over three of the target's numbers.
fn lemma(rng: &mut Rng) -> String {
    let first = rng.below(STATE);
    let second = (first + 1 + rng.below(2)) % STATE;
    let third = (second + 1 + rng.below(2)) % STATE;
    let (a, b) = (rng.range(1, 9), rng.range(1, 9));
    let constant = numeral(rng.range(60, 2_000));
    format!("(<= (+ (* {a} y{first}) (* (- {b}) y{second}) y{third}) {constant})")
}

fn declare_proxies(text: &mut String, rng: &mut Rng, count: usize) {
    for number in 0..count {
        let prefix = if number % 2 == 0 { "x" } else { "y" };
        let literal = literal(rng, prefix);
        let _ = writeln!(text, "(declare-fun p{number} () Bool)\n(assert (=> p{number} {literal}))");
    }
}

fn assuming_queries(text: &mut String, rng: &mut Rng, queries: usize, proxies: usize, always: &str) {
    for query in 0..queries {
        mark(text, query);
        let _ = write!(text, "(check-sat-assuming ({always}");
        for side in 0..2 {
            for _ in 0..3 + rng.below(3) {
                let _ = write!(text, "p{} ", 2 * rng.below(proxies / 2) + side);
            }
        }
        text.push_str("))\n");
    }
    mark(text, queries);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sexpr::read_all;

    #[test]
    fn scripts_are_the_same_every_time() {
        assert_eq!(with_scopes(50), with_scopes(50));
        assert_eq!(under_assumptions(50), under_assumptions(50));
        let count = |text: String| read_all(&text).unwrap().len();
        assert_eq!(count(inactive_lemmas(100, 10)) - count(inactive_lemmas(0, 10)), 100);
    }

    #[test]
    fn windows_are_marked() {
        let text = with_scopes(2 * WINDOW);
        assert_eq!(text.matches("(echo").count(), 3);
        assert_eq!(text.matches("(check-sat)").count(), 2 * WINDOW);
    }

    #[test]
    fn inactive_lemmas_leave_the_queries_alone() {
        let queries = |text: &str| -> Vec<String> {
            text.lines().filter(|line| line.starts_with("(check")).map(str::to_owned).collect()
        };
        assert_eq!(queries(&inactive_lemmas(0, 20)), queries(&inactive_lemmas(500, 20)));
    }
}
