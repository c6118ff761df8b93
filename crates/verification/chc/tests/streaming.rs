//! Long derivations are written step by step, at the same cost for each.

use std::io::{self, Write};

use shem_base::{Budget, Rat, StopToken};
use shem_chc::{ClauseId, Derivation, Script, write_intermediate, write_legacy};
use shem_check::DerivationValues;
use shem_term::{Store, Value};

/// Counts what is written and keeps the end.
#[derive(Default)]
struct Tail {
    lines: usize,
    last: Vec<u8>,
}

impl Write for Tail {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lines += bytes.iter().filter(|&&byte| byte == b'\n').count();
        self.last.extend_from_slice(bytes);
        let excess = self.last.len().saturating_sub(200);
        self.last.drain(..excess);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Counts up to a number of steps, with an input that is in no fact if `hidden` holds.
fn counting(steps: usize, hidden: bool) -> (Store, std::sync::Arc<shem_chc::System>, Derivation<ClauseId>) {
    let (variable, guard) = if hidden { ("(z Int)", "(> z x) (< z (+ x 2))") } else { ("", "") };
    let text = format!(
        "(declare-fun Inv (Int) Bool) (assert (Inv 0))
         (assert (forall ((x Int) (y Int) {variable}) (=> (and (Inv x) (= y (+ x 1)) {guard}) (Inv y))))
         (assert (forall ((x Int)) (=> (and (Inv x) (> x 0)) false)))"
    );
    let mut store = Store::new();
    let system = Script::read(&mut store, &text, &StopToken::new()).expect("a system").system;
    let mut derivation = Derivation::new();
    let mut last = derivation.push(ClauseId::new(0), &[], [Value::Num(Rat::ZERO)]);
    for i in 1..steps {
        last = derivation.push(ClauseId::new(1), &[last], [Value::Num(Rat::from(i as i64))]);
    }
    derivation.push(ClauseId::new(2), &[last], []);
    (store, system, derivation)
}

#[test]
fn a_million_steps() {
    const STEPS: usize = 1_000_000;
    let (mut store, system, derivation) = counting(STEPS, false);
    let mut out = Tail::default();
    write_legacy(&mut out, &store, &system, &derivation).expect("written");
    assert_eq!(out.lines, STEPS + 3);
    assert!(out.last.ends_with(b"1000000:\t(Inv 999999) ->  999999\n1000001:\tfalse ->  1000000\n\n"));
    let mut out = Tail::default();
    let mut values = DerivationValues::new(&system, &derivation);
    write_intermediate(&mut out, &mut store, &system, None, &derivation, &mut |store, step| {
        values.find(store, step, &mut Budget::unlimited())
    })
    .expect("written");
    assert_eq!(out.lines, 4 * (STEPS + 1));
    assert!(out.last.ends_with(b"4000003\t false  :premises 3999999 \n"));
}

#[test]
fn hidden_variables_of_many_steps() {
    const STEPS: usize = 20_000;
    let (mut store, system, derivation) = counting(STEPS, true);
    let mut out = Tail::default();
    let mut values = DerivationValues::new(&system, &derivation);
    write_intermediate(&mut out, &mut store, &system, None, &derivation, &mut |store, step| {
        values.find(store, step, &mut Budget::unlimited())
    })
    .expect("written");
    assert_eq!(out.lines, 4 * (STEPS + 1));
}
