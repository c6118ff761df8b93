//! A script by which another solver judges our terms of bit-vectors: `bit_vectors SEED COUNT WIDTH | z3 -in`.
//!
//! Each random term is compared with its canonical form as we print it, for all values, and with the value that we give
//! it at random ones. The answers are all `unsat` if both are right.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use shem_base::{BitVec, Rng};
use shem_term::smtlib::{Lexer, Reader};
use shem_term::{Sort, Store, Symbol, Value};
use shem_test_support::bits::BitTerms;

fn main() -> io::Result<()> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u64>().expect("a number"));
    let mut number = |default| numbers.next().unwrap_or(default);
    let (seed, count, widest) = (number(1), number(100), number(70) as u32);
    let mut rng = Rng::new(seed);
    let mut out = io::stdout().lock();
    writeln!(out, "(set-logic QF_BV)")?;
    for _ in 0..count {
        let widths: Vec<u32> = (0..3).map(|_| 1 + rng.below(u64::from(widest)) as u32).collect();
        let mut store = Store::new();
        let mut reader = Reader::new();
        reader.set_bit_vectors(true);
        let (mut symbols, mut declarations) = (Vec::new(), String::new());
        for (at, &width) in widths.iter().enumerate() {
            let symbol = store.declare(&format!("x{at}"), &[], Sort::bit_vec(width).expect("a width"));
            reader.name_term(&format!("x{at}"), store.var(symbol));
            symbols.push(symbol);
            writeln!(declarations, "(declare-const x{at} (_ BitVec {width}))").expect("a string");
        }
        let depth = 1 + rng.index(3);
        let mut terms = BitTerms { rng: &mut rng, variables: widths.clone(), widest };
        let text = match terms.rng.bool() {
            true => terms.formula(depth),
            false => terms.term(widths[0], depth),
        };
        let text = text.to_string();
        let mut lexer = Lexer::new(&text).expect("a text");
        let term =
            reader.read_term(&mut lexer, &mut store).unwrap_or_else(|error| panic!("{}", error.message));
        let values: Vec<BitVec> = widths.iter().map(|&width| random(&mut rng, width)).collect();
        let assignment = |symbol: Symbol| {
            let at = symbols.iter().position(|&own| own == symbol)?;
            Some(Value::Bits(values[at].clone()))
        };
        let value = store.evaluate(term, &assignment).expect("a value");
        writeln!(out, "(push 1)\n{declarations}(push 1)")?;
        writeln!(out, "(assert (distinct {text} {}))\n(check-sat)\n(pop 1)", store.display(term))?;
        for (at, value) in values.iter().enumerate() {
            writeln!(out, "(assert (= x{at} {value}))")?;
        }
        let value = store.display_value(&value, store.sort(term));
        writeln!(out, "(assert (distinct {text} {value}))\n(check-sat)\n(pop 1)")?;
    }
    Ok(())
}

fn random(rng: &mut Rng, width: u32) -> BitVec {
    let words: Vec<u64> = (0..=width / 64).map(|_| rng.next_u64()).collect();
    match rng.below(5) {
        0 => BitVec::new(width, rng.below(3)),
        1 => BitVec::ones(width),
        2 => BitVec::least(width),
        _ => BitVec::from_bits(width, |at| words[at as usize / 64] >> (at % 64) & 1 == 1),
    }
}
