//! Random circuits with few bits of state, judged by a search over all states: written and read again, as clauses and
//! back, and their runs.

use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write;

use shem_base::{BitVec, Rng};
use shem_circuit::{Circuit, Frame, Question, Run, RunFault, Value, aiger_text};
use shem_term::Store;
use shem_vmt::{NoTransitionSystem, Reduction, Vmt};

/// A random circuit, and how many of its states begin with something that is no number.
fn random(rng: &mut Rng) -> (String, usize) {
    loop {
        let (text, computed) = attempt(rng);
        // A value at the start may depend on itself.
        match Circuit::read_btor2(&text) {
            Err(error) if error.message == "the value of the state at the start depends on itself" => {}
            _ => return (text, computed),
        }
    }
}

/// States and inputs of two or three bits, some of them without an init or a next.
fn attempt(rng: &mut Rng) -> (String, usize) {
    let mut computed = 0;
    let mut text =
        "1 sort bitvec 1\n2 sort bitvec 2\n3 sort bitvec 3\n4 zero 2\n5 one 1\n6 ones 3\n".to_owned();
    // Lines by width.
    let mut words: [Vec<u32>; 3] = [vec![5], vec![4], vec![6]];
    let mut line = 6;
    let mut add = |text: &mut String, words: &mut [Vec<u32>; 3], width: usize, rest: &str| {
        line += 1;
        let _ = writeln!(text, "{line} {rest}");
        if width > 0 {
            words[width - 1].push(line);
        }
        line
    };
    let states: Vec<(usize, u32)> = (0..rng.range(1..=3))
        .map(|_| {
            let width = rng.range(1..=2) as usize;
            (width, add(&mut text, &mut words, width, &format!("state {width} s{width}")))
        })
        .collect();
    for width in 1..=2 {
        if rng.bool() {
            add(&mut text, &mut words, width, &format!("input {width} i{width}"));
        }
    }
    for _ in 0..rng.range(4..=14) {
        let width = rng.range(1..=3) as usize;
        let pick = |rng: &mut Rng, words: &[Vec<u32>; 3], width: usize| {
            let sign = if rng.chance(20) { "-" } else { "" };
            format!("{sign}{}", rng.pick(&words[width - 1]))
        };
        let (a, b) = (pick(rng, &words, width), pick(rng, &words, width));
        let operator =
            *rng.pick(&["and", "or", "xor", "add", "sub", "mul", "udiv", "srem", "sll", "sra", "rol"]);
        let comparison = *rng.pick(&["eq", "ult", "slte", "uaddo", "neq", "smulo"]);
        match rng.below(5) {
            0 => add(&mut text, &mut words, 1, &format!("{comparison} 1 {a} {b}")),
            1 => {
                let condition = pick(rng, &words, 1);
                add(&mut text, &mut words, width, &format!("ite {width} {condition} {a} {b}"))
            }
            2 if width > 1 => {
                add(&mut text, &mut words, width - 1, &format!("slice {} {a} {} 1", width - 1, width - 1))
            }
            2 => add(&mut text, &mut words, 2, &format!("uext 2 {a} 1")),
            _ => add(&mut text, &mut words, width, &format!("{operator} {width} {a} {b}")),
        };
    }
    for &(width, state) in &states {
        if rng.chance(70) {
            let any = rng.chance(40);
            computed += usize::from(any);
            let value = *rng.pick(if any { &words[width - 1] } else { &words[width - 1][..1] });
            add(&mut text, &mut words, 0, &format!("init {width} {state} {value}"));
        }
        if rng.chance(85) {
            let value = *rng.pick(&words[width - 1]);
            add(&mut text, &mut words, 0, &format!("next {width} {state} {value}"));
        }
    }
    if rng.chance(50) {
        let constraint = *rng.pick(&words[0]);
        add(&mut text, &mut words, 0, &format!("constraint {constraint}"));
    }
    let (a, b) = (*rng.pick(&words[0]), *rng.pick(&words[0]));
    let bad = add(&mut text, &mut words, 1, &format!("and 1 {a} {b}"));
    add(&mut text, &mut words, 0, &format!("bad {bad}"));
    (text, computed)
}

/// All values of words of these widths.
fn all(widths: &[u32]) -> Vec<Vec<Value>> {
    let mut lists = vec![Vec::new()];
    for &width in widths {
        let longer = |list: &Vec<Value>| {
            let values = (0..1 << width).map(|number| Value::Bits(BitVec::new(width, number)));
            values.map(|value| [&list[..], &[value]].concat()).collect::<Vec<_>>()
        };
        lists = lists.iter().flat_map(longer).collect();
    }
    lists
}

/// The shortest run to a bad state, by search over all states and inputs.
fn search(circuit: &Circuit) -> Option<Run> {
    let widths =
        |nodes: Vec<shem_circuit::NodeId>| nodes.iter().map(|&node| circuit.width(node)).collect::<Vec<_>>();
    let inputs = all(&widths(circuit.inputs.iter().map(|input| input.node).collect()));
    let states = all(&widths(circuit.states.iter().map(|state| state.node).collect()));
    let Question::Bad(bad) = circuit.properties[0].question else { panic!("a bad state") };
    let one = Some(Value::Bits(BitVec::new(1, 1)));
    // The frames that were gone through, each with the one before it, and the states that were met.
    let mut frames: Vec<(Frame, Option<usize>)> = Vec::new();
    let mut met: BTreeSet<String> = BTreeSet::new();
    // States with the frame before them; those of the first moment have the inputs that they depend on in its place.
    let mut queue = VecDeque::new();
    for (state, input) in states.iter().flat_map(|state| inputs.iter().map(move |input| (state, input))) {
        let values = circuit.simulate(&state.iter().cloned().map(Some).collect::<Vec<_>>(), input);
        let begins = |(at, own): (usize, &shem_circuit::State)| {
            own.init.is_none_or(|init| values[init.index()].as_ref() == Some(&state[at]))
        };
        if circuit.states.iter().enumerate().all(begins) {
            queue.push_back((state.clone(), Err(input.clone())));
        }
    }
    while let Some((state, before)) = queue.pop_front() {
        let possible = |input: &&Vec<Value>| before.as_ref().err().is_none_or(|first| first == *input);
        for input in inputs.iter().filter(possible) {
            let values = circuit.simulate(&state.iter().cloned().map(Some).collect::<Vec<_>>(), input);
            if circuit.constraints.iter().any(|constraint| values[constraint.index()] != one) {
                continue;
            }
            frames.push((
                Frame { states: state.clone(), inputs: input.clone() },
                before.as_ref().ok().copied(),
            ));
            if values[bad.index()] == one {
                let mut run = Vec::new();
                let mut at = Some(frames.len() - 1);
                while let Some((frame, before)) = at.map(|at| &frames[at]) {
                    run.insert(0, frame.clone());
                    at = *before;
                }
                return Some(Run { property: 0, frames: run, repeats: None });
            }
            let goes = |next: &&Vec<Value>| {
                circuit.states.iter().zip(*next).all(|(own, after)| {
                    own.next.is_none_or(|node| values[node.index()].as_ref() == Some(after))
                })
            };
            for next in states.iter().filter(goes) {
                if met.insert(format!("{next:?}")) {
                    queue.push_back((next.clone(), Ok(frames.len() - 1)));
                }
            }
        }
    }
    None
}

/// The circuit of the clauses of a circuit, which has one property; nothing if they say nothing of states.
fn by_clauses(circuit: &Circuit) -> Option<Circuit> {
    let mut store = Store::new();
    let vmt = circuit.transitions(&mut store).vmt;
    let encoding = vmt.clauses(&mut store, &vmt.properties[0], Reduction::Invariant).expect("small clauses");
    match Vmt::of_clauses(&mut store, &encoding.system) {
        Err(NoTransitionSystem::NoPredicate) => None,
        vmt => {
            Some(Circuit::of_transitions(&mut store, &vmt.expect("a transition system")).expect("words only"))
        }
    }
}

#[test]
fn languages_agree_on_random_circuits() {
    let mut rng = Rng::new(21);
    let (mut counts, mut compared, mut all_computed) = ([0, 0], 0, 0);
    for round in 0..150 {
        let (text, computed) = random(&mut rng);
        all_computed += computed;
        let circuit = Circuit::read_btor2(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let run = search(&circuit);
        counts[usize::from(run.is_some())] += 1;
        if let Some(run) = &run {
            run.check(&circuit).unwrap_or_else(|fault| panic!("{fault}: {text}"));
            assert!(run.btor2(&circuit).expect("no arrays").starts_with("sat\nb0\n#0\n"));
            // A run is not one if it ends before.
            let shorter = Run { frames: run.frames[..run.frames.len() - 1].to_vec(), ..run.clone() };
            assert!(matches!(shorter.check(&circuit), Err(RunFault::NotBad | RunFault::Malformed)), "{text}");
        }
        let again = Circuit::read_btor2(&circuit.btor2().expect("no arrays")).expect("what was written");
        let length = |run: &Option<Run>| run.as_ref().map(|run| run.frames.len());
        assert_eq!(length(&search(&again)), length(&run), "{text}");
        let gates = circuit.aiger(round % 2 == 0).expect("no arrays");
        let gates = aiger_text(&gates).unwrap_or_else(|| String::from_utf8_lossy(&gates).into_owned());
        let gates = Circuit::read_aiger(&gates).expect("what was written");
        let found = search(&gates);
        assert_eq!(length(&found), length(&run), "{text}");
        if let Some(found) = found {
            assert!(found.aiger(&gates).expect("bits").starts_with("1\nb0\n"));
        }
        let Some(clauses) = by_clauses(&circuit) else { continue };
        let bits: u32 = clauses.inputs.iter().map(|input| clauses.width(input.node)).sum();
        if bits <= 7 {
            compared += 1;
            assert_eq!(
                length(&search(&clauses)),
                length(&run),
                "{text}\n{}",
                clauses.btor2().expect("no arrays")
            );
        }
    }
    assert!(counts[0] > 20 && counts[1] > 20 && compared > 50, "{counts:?}, {compared}");
    assert!(all_computed > 30, "{all_computed}");
}

/// A counter that stays at 2 once it is there; the question is whether it is again and again at 2.
#[test]
fn lassos() {
    let text = "1 sort bitvec 1\n2 sort bitvec 2\n3 zero 2\n4 state 2 n\n5 init 2 4 3\n6 input 1 go\n7 one 2
        8 add 2 4 7\n9 constd 2 2\n10 eq 1 4 9\n11 ite 2 6 8 4\n12 ite 2 10 4 11\n13 next 2 4 12\n14 justice 2 10 6\n";
    let circuit = Circuit::read_btor2(text).expect("a good text");
    let frame = |go: u64| Frame {
        states: vec![Value::Bits(BitVec::zero(2))],
        inputs: vec![Value::Bits(BitVec::new(1, go))],
    };
    let run = |inputs: &[u64], repeats: usize| Run {
        property: 0,
        frames: inputs.iter().map(|&go| frame(go)).collect(),
        repeats: Some(repeats),
    };
    assert!(run(&[1, 1, 1], 2).check(&circuit).is_ok());
    assert!(
        run(&[0, 1, 1, 0, 1], 3).btor2(&circuit).expect("a run").starts_with("sat\nj0\n#0\n@0\n0 0 go@0\n")
    );
    assert_eq!(run(&[1, 1, 0], 2).check(&circuit), Err(RunFault::NotJust(1)));
    assert_eq!(run(&[1, 1, 1], 1).check(&circuit), Err(RunFault::NotClosed(1)));
    assert_eq!(run(&[0], 0).check(&circuit), Err(RunFault::NotJust(0)));
    assert_eq!(run(&[0], 1).check(&circuit), Err(RunFault::Malformed));
}

const PRELUDE: &str =
    "1 sort bitvec 1\n2 sort bitvec 8\n3 sort array 1 2\n4 state 2 x\n5 state 3 m\n6 input 1 i\n";

#[test]
fn mistakes_in_btor2() {
    // What follows the prelude, the column and the message.
    for (line, column, message) in [
        ("x sort bitvec 1", 1, "a number is expected, not x"),
        ("0 sort bitvec 1", 1, "lines are numbered from 1"),
        ("4 sort bitvec 1", 1, "the number 4 is that of an earlier line"),
        ("7", 2, "the line ends where an operator is expected"),
        ("7 sort word 1", 8, "a sort is bitvec or array, not word"),
        ("7 sort bitvec 0", 15, "a width is a number from 1 to 65536"),
        ("7 sort bitvec 65537", 15, "a width is a number from 1 to 65536"),
        ("7 sort bitvec 99999999999999999999", 15, "the number is too large"),
        ("7 write 3 5 6 6", 15, "the sort of the element is bitvec 1, and bitvec 8 is needed"),
        ("7 sort array 3 1", 14, "an array cannot be an index"),
        ("7 sort array 4 1", 14, "line 4 is no sort"),
        ("7 frob 1 4", 3, "there is no operator frob"),
        ("7 not 2 1", 9, "line 1 is no word or array"),
        ("7 not 2 9", 9, "there is no earlier line 9"),
        ("7 not 9 4", 7, "there is no earlier line 9"),
        ("7 not 2 four", 9, "the number of a line is expected, not four"),
        ("7 not 2 -5", 9, "an array has no bits to turn"),
        ("7 not 1 4", 7, "the sort of not is bitvec 8 here, not bitvec 1"),
        ("7 add 2 4 6", 11, "the width is 1, and 8 is needed"),
        ("7 add 2 4 ; more", 11, "the line ends where the number of a line is expected"),
        ("7 add 2 4", 10, "the line ends where the number of a line is expected"),
        ("7 read 2 4 6", 10, "an array is expected, not a bitvec 8"),
        ("7 and 2 5 5", 9, "a word is expected, not an array of bitvec 8 over bitvec 1"),
        ("7 eq 1 4 5", 10, "the sorts differ: bitvec 8 and array of bitvec 8 over bitvec 1"),
        ("7 iff 2 4 4", 9, "iff needs words of one bit"),
        ("7 slice 1 4 8 8", 13, "a word of 8 bits has no bits from 8 to 8"),
        ("7 slice 1 4 2 3", 13, "a word of 8 bits has no bits from 3 to 2"),
        ("7 uext 2 4 65530", 12, "a word has at most 65536 bits"),
        ("7 const 1 2", 11, "2 is no number of 1 bits"),
        ("7 const 1 10", 11, "10 is no number of 1 bits"),
        ("7 constd 2 256", 12, "256 is no number of 8 bits"),
        ("7 constd 2 -129", 12, "-129 is no number of 8 bits"),
        ("7 consth 2 fg", 12, "fg is no number of 8 bits"),
        ("7 zero 3", 8, "a constant is a word"),
        ("7 init 2 6 4", 10, "init needs a state"),
        ("7 next 1 4 6", 8, "the sort of the state is bitvec 8, not bitvec 1"),
        ("7 next 2 4 6", 12, "the sort of the value is bitvec 1, and bitvec 8 is needed"),
        (
            "7 next 3 5 4",
            12,
            "the sort of the value is bitvec 8, and array of bitvec 8 over bitvec 1 is needed",
        ),
        ("7 init 2 4 4", 12, "the value of the state at the start depends on itself"),
        ("7 bad 4", 7, "the width is 8, and 1 is needed"),
        ("7 justice 0", 11, "justice has at least one condition"),
        ("7 justice 3 6", 14, "the line ends where the number of a line is expected"),
        ("7 bad 6 name more", 14, "nothing is expected after the name"),
    ] {
        let text = format!("{PRELUDE}{line}\n");
        let error = Circuit::read_btor2(&text).expect_err(line);
        let place = error.span.start as usize + 1 - PRELUDE.len();
        assert_eq!((place, &*error.message), (column, message), "{line}");
    }
    let text = format!("{PRELUDE}7 sort array 1 3\n8 sort array 2 7\n9 sort array 1 8\n10 sort array 1 9\n");
    let error = Circuit::read_btor2(&text).expect_err("deep");
    assert_eq!(error.message, "more than 4 arrays one inside the other are not supported");
    assert_eq!(error.span.start as usize, text.len() - 2);
    let text = format!("{PRELUDE}7 next 2 4 4\n8 next 2 4 4\n");
    assert_eq!(Circuit::read_btor2(&text).expect_err("twice").message, "the state has a line next already");
}

#[test]
fn mistakes_in_aiger() {
    for (text, place, message) in [
        ("", 0, "the text ends before all that its counts promise"),
        ("aax 0 0 0 0 0\n", 0, "aag or aig is expected, not aax"),
        ("aag 0 0 0 0\n", 11, "the line ends where a count is expected"),
        ("aag 0 0 0 0 0 0 0 0 0 0\n", 22, "there are nine counts at most"),
        ("aag 1 1 0 0 0\n", 14, "the text ends before all that its counts promise"),
        ("aag 1 1 0 0 0\n4\n", 14, "4 is no literal: the greatest variable is 1"),
        ("aag 1 1 0 0 0\n3\n", 14, "3 cannot be defined: an even number above 0 is needed"),
        ("aag 1 2 0 0 0\n2\n2\n", 16, "2 is defined already"),
        ("aag 1 1 0 0 0\n2 2\n", 16, "the end of the line is expected"),
        ("aag 1 0 0 1 0\n2\n", 14, "the variable of literal 2 is not defined"),
        ("aag 1 0 1 0 0\n2 2 3\n", 18, "a latch begins with 0, 1, or any value by its own literal, not 3"),
        ("aag 2 0 0 1 2\n2\n2 4 4\n4 2 2\n", 16, "the gate depends on itself"),
        ("aag 1 1 0 0 0\n2\nx0 a\n", 16, "there is nothing that x0 could name"),
        ("aag 1 1 0 0 0\n2\ni1 a\n", 16, "there is nothing that i1 could name"),
        ("aag 0 0 0 0 0 0 0 1\n0\n", 20, "justice has at least one condition"),
        ("aig 3 1 0 0 1\n", 4, "inputs, latches and gates together are not as many as variables"),
        ("aig 9999999 9999999 0 0 0\n", 4, "more than 4194304 inputs are not supported"),
        ("aag 9999999999 0 0 0 0\n", 0, "there are too many variables"),
        ("aig 2 1 0 1 1\n4\n\u{5}\u{0}", 16, "the literals of a gate are not smaller ones"),
        ("aig 2 1 0 1 1\n4\n\u{0}\u{0}", 16, "the literals of a gate are not smaller ones"),
        ("aig 2 1 0 1 1\n4\n\u{2}\u{3}", 16, "the literals of a gate are not smaller ones"),
        ("aig 2 1 0 1 1\n4\n\u{2}", 17, "the difference of two literals is expected"),
    ] {
        let error = Circuit::read_aiger(text).expect_err(text);
        assert_eq!((error.span.start as usize, &*error.message), (place, message), "{text}");
    }
}

/// Whatever stands in a text, reading it ends with a circuit or a mistake.
#[test]
fn changed_texts_do_not_panic() {
    let mut rng = Rng::new(22);
    for _ in 0..400 {
        let (text, _) = random(&mut rng);
        let circuit = Circuit::read_btor2(&text).expect("a good text");
        let gates = circuit.aiger(rng.bool()).expect("no arrays");
        let gates = aiger_text(&gates).unwrap_or_else(|| String::from_utf8_lossy(&gates).into_owned());
        for (text, read) in [
            (text, Circuit::read_btor2 as fn(&str) -> Result<Circuit, shem_term::smtlib::ReadError>),
            (gates, Circuit::read_aiger),
        ] {
            let mut characters: Vec<char> = text.chars().collect();
            for _ in 0..rng.range(1..=3) {
                let at = rng.index(characters.len());
                match rng.below(4) {
                    0 => characters.truncate(at + 1),
                    1 => {
                        characters.remove(at);
                    }
                    2 => characters[at] = *rng.pick(&['0', '9', '-', ' ', '\n', ';', 'a', '\u{ff}']),
                    _ => characters.insert(at, *rng.pick(&['1', '7', '-', '\n'])),
                }
                if characters.is_empty() {
                    characters.push('1');
                }
            }
            let changed: String = characters.into_iter().collect();
            if let Ok(circuit) = read(&changed) {
                let mut store = Store::new();
                circuit.transitions(&mut store);
            }
        }
    }
}
