//! Messages on the wire: random ones, shrunk if they fail, are read back as they were written, and whatever else
//! comes is refused without a panic.

use proptest::prelude::*;
use shem_base::Rat;
use shem_chc::{ClauseId, Derivation, Fingerprint, StepId};
use shem_engine::Span;
use shem_exchange::{
    Bounded, BoundedKind, Content, Definitions, Formula, FormulaLimits, Note, SentStep, SentWitness, decode,
    encode, write_derivation,
};
use shem_term::{Store, Value};
use shem_test_support::shrink::config;

fn fingerprint() -> impl Strategy<Value = Fingerprint> {
    any::<u128>().prop_map(|number| format!("h{number:032x}").parse().expect("a fingerprint"))
}

/// Formulas over `x0` and `x1` in the printer's symbols.
fn formula() -> impl Strategy<Value = Formula> {
    let atom = (0..2usize, any::<i64>(), 0..3usize).prop_map(|(place, number, relation)| {
        let relation = ["<=", ">=", "="][relation];
        let number = if number < 0 { format!("(- {})", number.unsigned_abs()) } else { number.to_string() };
        format!("({relation} x{place} {number})")
    });
    let text = atom.prop_recursive(3, 12, 3, |inner| {
        (0..3usize, proptest::collection::vec(inner, 1..3)).prop_map(|(connective, members)| match connective
        {
            0 => format!("(and {})", members.join(" ")),
            1 => format!("(or {})", members.join(" ")),
            _ => format!("(not {})", members[0]),
        })
    });
    text.prop_map(|text| Formula::new(&text, FormulaLimits::LEMMA).expect("a formula"))
}

fn value() -> impl Strategy<Value = Value> {
    let fraction = (any::<i64>(), 1i64..1000).prop_map(|(num, den)| Value::Num(Rat::new(num, den)));
    prop_oneof![any::<bool>().prop_map(Value::Bool), fraction]
}

fn bounded() -> impl Strategy<Value = Bounded> {
    let kind = prop_oneof![
        Just(BoundedKind::Reach),
        (formula(), 0..1000usize).prop_map(|(states, distance)| BoundedKind::Induction(states, distance)),
        prop_oneof![Just(Span::AtMost), Just(Span::Less), Just(Span::Equal)].prop_map(BoundedKind::Power),
    ];
    (0..100_000usize, formula(), kind).prop_map(|(level, formula, kind)| Bounded { level, formula, kind })
}

/// Names as the input may have them, quoted or not.
fn name() -> impl Strategy<Value = Box<str>> {
    prop_oneof!["[a-z][a-z0-9_!]{0,8}", "[a-z ();|\n\\\\\"]{1,8}"].prop_map(String::into_boxed_str)
}

fn definitions() -> impl Strategy<Value = Definitions> {
    proptest::collection::vec((name(), formula()), 0..4)
}

/// A derivation whose premises are earlier steps.
fn derivation() -> impl Strategy<Value = Vec<SentStep>> {
    let step = (
        any::<u32>(),
        proptest::collection::vec(any::<u32>(), 0..3),
        proptest::collection::vec(value(), 0..3),
    );
    proptest::collection::vec(step, 1..6).prop_map(|steps| {
        let mut derivation = Derivation::new();
        for (at, (clause, mut premises, values)) in steps.into_iter().enumerate() {
            premises.retain(|_| at > 0);
            let premises: Vec<StepId> = premises.iter().map(|&p| StepId::new(p as usize % at)).collect();
            derivation.push(ClauseId::new(clause as usize), &premises, values);
        }
        write_derivation(&Store::new(), &derivation)
    })
}

fn note() -> impl Strategy<Value = Note> {
    let content = prop_oneof![
        bounded().prop_map(Content::Bounded),
        definitions().prop_map(Content::Invariant),
        definitions().prop_map(|model| Content::Verdict(SentWitness::Model(model))),
        derivation().prop_map(|steps| Content::Verdict(SentWitness::Derivation(steps))),
        (0..1000usize, definitions()).prop_map(|(number, model)| Content::Part(number, model)),
    ];
    (any::<u64>(), fingerprint(), content).prop_map(|(sender, about, content)| Note {
        sender,
        about,
        content,
    })
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn messages_are_read_back(note in note()) {
        let text = encode(&note).expect("a short message");
        let read = decode(text.as_bytes());
        prop_assert!(read.is_ok(), "{}: {:?}", text, read);
        prop_assert_eq!(read.expect("checked"), note, "{}", text);
    }

    /// A message with a byte changed or cut off is refused or is another one; reading it does not panic, and what is
    /// accepted can be written again.
    #[test]
    fn damaged_messages_do_no_harm(note in note(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = encode(&note).expect("a short message").into_bytes();
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        if let Ok(other) = decode(&bytes) {
            let text = encode(&other).expect("no longer than before");
            prop_assert_eq!(decode(text.as_bytes()).expect("written by us"), other);
        }
    }
}
