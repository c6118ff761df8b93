//! Bit-vectors: every operation beside its definition on integers, canonical forms, printing, and mistakes of users.

use rustc_hash::FxHashMap;
use shem_base::{BitVec, Int, Rng};
use shem_term::smtlib::{Lexer, ReadError, Reader};
use shem_term::{BitInteger, CommonBits, IntegerBits, Sort, Store, Substitution, Symbol, Term, Value};
use shem_test_support::bits::{BitTerms, RELATIONS, VALUE_WIDTH, WORDS, meaning};

fn reader(store: &mut Store, widths: &[u32]) -> (Reader, Vec<Symbol>) {
    let mut reader = Reader::new();
    reader.set_bit_vectors(true);
    let mut symbols = Vec::new();
    for (at, &width) in widths.iter().enumerate() {
        let symbol = store.declare(&format!("x{at}"), &[], Sort::bit_vec(width).expect("a width"));
        reader.name_term(&format!("x{at}"), store.var(symbol));
        symbols.push(symbol);
    }
    (reader, symbols)
}

fn try_read(store: &mut Store, reader: &mut Reader, text: &str) -> Result<Term, ReadError> {
    let mut lexer = Lexer::new(text).expect("a text");
    reader.read_term(&mut lexer, store)
}

fn read(store: &mut Store, reader: &mut Reader, text: &str) -> Term {
    try_read(store, reader, text).unwrap_or_else(|error| panic!("{text}: {}", error.message))
}

/// The value as a number; that of a truth value is 0 or 1.
fn number(value: &Value) -> u128 {
    match value {
        Value::Bool(truth) => u128::from(*truth),
        Value::Bits(bits) => u128::from(bits.to_u64().expect("few bits")),
        other => other.as_num().and_then(|n| n.to_int()).and_then(|n| n.to_i64()).expect("a number") as u128,
    }
}

fn evaluated(store: &Store, term: Term, symbols: &[Symbol], widths: &[u32], values: &[u128]) -> u128 {
    let assignment = |symbol: Symbol| {
        let at = symbols.iter().position(|&own| own == symbol)?;
        Some(Value::Bits(BitVec::new(widths[at], values[at] as u64)))
    };
    number(&store.evaluate(term, &assignment).expect("a value"))
}

/// All operations without indices, and some with.
fn operations(width: u32) -> Vec<(String, &'static str, Vec<u32>, usize)> {
    let mut found = Vec::new();
    for name in WORDS.iter().chain(&RELATIONS).copied().chain(["bvcomp", "concat"]) {
        found.push((name.to_owned(), name, Vec::new(), 2));
    }
    for name in ["bvnot", "bvneg", "bvnego"] {
        found.push((name.to_owned(), name, Vec::new(), 1));
    }
    for by in 0..=2 * width + 1 {
        for name in ["zero_extend", "sign_extend", "rotate_left", "rotate_right"] {
            found.push((format!("(_ {name} {by})"), name, vec![by], 1));
        }
        if by > 0 {
            found.push((format!("(_ repeat {by})"), "repeat", vec![by], 1));
        }
    }
    for high in 0..width {
        for low in 0..=high {
            found.push((format!("(_ extract {high} {low})"), "extract", vec![high, low], 1));
        }
    }
    found
}

/// Every operation at all values of small widths: folded, as a term over variables, with one argument a number, and
/// between integers.
#[test]
fn operations_are_those_of_integers() {
    for width in 1..=4 {
        let mut store = Store::new();
        let widths = [width, width];
        let (mut whole, symbols) = reader(&mut store, &widths);
        let mut between = Reader::new();
        let integers = ["i", "j"].map(|name| {
            let symbol = store.declare(name, &[], Sort::Int);
            between.name_term(name, store.var(symbol));
            symbol
        });
        for (text, name, indices, arity) in operations(width) {
            let over = |args: [&str; 2]| format!("({text} {})", args[..arity].join(" "));
            let general = read(&mut store, &mut whole, &over(["x0", "x1"]));
            let integer = |name: &str| format!("((_ int_to_bv {width}) {name})");
            let converted = over([&integer("i"), &integer("j")]);
            let is_formula = store.sort(general) == Sort::Bool;
            let converted = if is_formula { converted } else { format!("(ubv_to_int {converted})") };
            let converted = try_read(&mut store, &mut between, &converted);
            for a in 0..1_u128 << width {
                for b in 0..1_u128 << width {
                    let args = [(a, width), (b, width)];
                    let result = store.sort(general).bit_width().unwrap_or(1);
                    let expected = meaning(name, &indices, &args[..arity]) & ((1 << result) - 1);
                    let context = format!("{text} at {a}, {b} of width {width}");
                    let literal = |value: u128| format!("(_ bv{value} {width})");
                    let folded = read(&mut store, &mut whole, &over([&literal(a), &literal(b)]));
                    match store.as_bit_vector(folded) {
                        Some(value) => assert_eq!(value.to_u64(), Some(expected as u64), "{context}"),
                        None => assert_eq!(folded, Term::from_bool(expected == 1), "{context}"),
                    }
                    assert_eq!(evaluated(&store, general, &symbols, &widths, &[a, b]), expected, "{context}");
                    for mixed in [over(["x0", &literal(b)]), over([&literal(a), "x1"])] {
                        let term = read(&mut store, &mut whole, &mixed);
                        let value = evaluated(&store, term, &symbols, &widths, &[a, b]);
                        assert_eq!(value, expected, "{context}: {mixed}");
                    }
                    if let Ok(term) = converted {
                        // Any integer with the right remainder.
                        let assignment = |symbol: Symbol| {
                            let at = integers.iter().position(|&own| own == symbol)?;
                            let value = [a as i64 - (1 << width), b as i64 + (1 << width)][at];
                            Some(Value::Num(value.into()))
                        };
                        let value = store.evaluate(term, &assignment).expect("a value");
                        assert_eq!(number(&value), expected, "{context}, between integers");
                    }
                }
            }
        }
    }
}

/// Random terms have the values of what was written, and so has what is printed; printing and reading again changes
/// nothing.
#[test]
fn canonical_forms_keep_values() {
    let mut rng = Rng::new(11);
    let mut again = 0;
    for round in 0..3_000 {
        let widths: Vec<u32> = match round % 3 {
            0 => vec![1 + rng.below(4) as u32; 3],
            1 => vec![1, 2, 3, 4],
            _ => vec![8, 16, 8, 32],
        };
        let widest = if round % 3 == 2 { VALUE_WIDTH } else { 8 };
        let depth = 1 + rng.index(4);
        let mut store = Store::new();
        let (mut reader, symbols) = reader(&mut store, &widths);
        let mut terms = BitTerms { rng: &mut rng, variables: widths.clone(), widest };
        let written = match round % 2 {
            0 => terms.formula(depth),
            _ => terms.term(widths[0], depth),
        };
        let text = written.to_string();
        let term = read(&mut store, &mut reader, &text);
        assert_eq!(store.sort(term).bit_width(), written.width, "{text}");
        let printed = store.display(term).to_string();
        let back = read(&mut store, &mut reader, &printed);
        again += usize::from(back == term);
        for _ in 0..8 {
            let values: Vec<u128> = widths.iter().map(|&width| u128::from(rng.below(1 << width))).collect();
            let expected = written.value(&values);
            let value = evaluated(&store, term, &symbols, &widths, &values);
            assert_eq!(value, expected, "{text}\nis {printed}\nat {values:?}");
            let value = evaluated(&store, back, &symbols, &widths, &values);
            assert_eq!(value, expected, "{text}\nprinted {printed}\nread at {values:?}");
        }
    }
    // A few terms are pushed further when they are built again.
    assert!(again >= 2_900, "{again} of 3000 are read back as they were");
}

/// What is the same is one term.
#[test]
fn equal_terms_are_one() {
    let mut store = Store::new();
    let (mut reader, _) = reader(&mut store, &[8, 8, 8, 1]);
    for (left, right) in [
        ("(bvadd x0 x1 x0)", "(bvadd (bvmul #x02 x0) x1)"),
        ("(bvsub x0 x0)", "#x00"),
        ("(bvneg (bvneg x0))", "x0"),
        ("(bvnot (bvnot (bvadd x0 x1)))", "(bvadd x1 x0)"),
        ("(bvadd x0 (bvnot x0))", "#xff"),
        ("(bvor x0 x1)", "(bvnot (bvand (bvnot x1) (bvnot x0)))"),
        ("(bvadd (bvor x0 x1) (bvnot (bvor x0 x1)))", "#xff"),
        ("(bvand x0 (bvnot x0))", "#x00"),
        ("(bvxor x0 x1 x0)", "x1"),
        ("(bvxnor x0 x1)", "(bvxor (bvnot x0) x1)"),
        ("(bvshl x0 #x03)", "(bvmul x0 #x08)"),
        ("(bvudiv x0 #x10)", "(bvlshr x0 #x04)"),
        ("(bvurem x0 #x10)", "(concat #x0 ((_ extract 3 0) x0))"),
        ("(concat ((_ extract 7 4) x0) ((_ extract 3 0) x0))", "x0"),
        ("((_ extract 3 0) (bvadd x0 x1))", "(bvadd ((_ extract 3 0) x0) ((_ extract 3 0) x1))"),
        ("((_ extract 9 6) ((_ sign_extend 4) x0))", "((_ sign_extend 2) ((_ extract 7 6) x0))"),
        ("((_ rotate_left 3) ((_ rotate_right 3) x0))", "x0"),
        ("(= (bvmul #x03 x0) #x09)", "(= x0 #x03)"),
        ("(= (bvmul #x02 x0) #x09)", "false"),
        ("(= (bvmul #x04 x0) #x08)", "(= ((_ extract 5 0) x0) #b000010)"),
        ("(= (bvadd x0 x1) (bvadd x2 x1))", "(= x0 x2)"),
        ("(= (bvmul x0 (bvadd x1 x2)) (bvadd (bvmul x0 x1) (bvmul x0 x2)))", "true"),
        ("(= (bvmul (bvadd x0 x1) (bvsub x0 x1)) (bvadd (bvmul x0 x0) (bvneg (bvmul x1 x1)) #x01))", "false"),
        ("(= ((_ zero_extend 8) x0) #x0105)", "false"),
        ("(= (bvcomp x0 x1) #b1)", "(= x0 x1)"),
        ("(= x3 #b0)", "(not (= x3 #b1))"),
        ("(bvult x0 x1)", "(not (bvuge x0 x1))"),
        ("(bvuge x0 #x05)", "(not (bvule x0 #x04))"),
        ("(bvsgt x0 #x7f)", "false"),
        ("(bvsle x0 #x80)", "(= x0 #x80)"),
        ("(bvule ((_ zero_extend 8) x0) ((_ zero_extend 8) x1))", "(bvule x0 x1)"),
        ("((_ int_to_bv 8) (ubv_to_int x0))", "x0"),
        ("((_ int2bv 4) (bv2nat x0))", "((_ extract 3 0) x0)"),
        ("(bvsdiv_i x0 x1)", "(bvsdiv x0 x1)"),
        ("((_ bit2bool 7) x0)", "(bvslt x0 #x00)"),
    ] {
        let [first, second] = [left, right].map(|text| read(&mut store, &mut reader, text));
        let [one, other] = [first, second].map(|term| store.display(term).to_string());
        // The sign as a bit and as a comparison are two atoms.
        if left.contains("bit2bool") {
            assert_eq!(store.sort(first), store.sort(second));
            continue;
        }
        assert_eq!(first, second, "{left} is {one}, {right} is {other}");
    }
}

/// Equations of products of sums, which are multiplied out if that decides them, have the right value at all values.
#[test]
fn products_of_sums_are_multiplied_out() {
    let mut rng = Rng::new(23);
    let mut decided = 0;
    for round in 0..600 {
        let width = 1 + round % 3;
        let mut store = Store::new();
        let (mut reader, symbols) = reader(&mut store, &[width; 3]);
        let sum = |rng: &mut Rng| -> Vec<String> {
            let number = format!("(_ bv{} {width})", rng.below(1 << width));
            let leaves = ["x0", "x1", "x2", "(bvnot x1)", "(bvmul x0 x2)", &number];
            (0..1 + rng.index(3)).map(|_| leaves[rng.index(leaves.len())].to_owned()).collect()
        };
        let factors: Vec<Vec<String>> = (0..2 + rng.index(2)).map(|_| sum(&mut rng)).collect();
        let added = |members: &[String]| match members {
            [single] => single.clone(),
            _ => format!("(bvadd {})", members.join(" ")),
        };
        let product = factors.iter().map(|factor| added(factor)).collect::<Vec<String>>().join(" ");
        let mut members = vec![String::new()];
        for factor in &factors {
            members = members
                .iter()
                .flat_map(|member| factor.iter().map(move |leaf| format!("{member} {leaf}")))
                .collect();
        }
        let mut members: Vec<String> = members.iter().map(|member| format!("(bvmul{member})")).collect();
        if rng.chance(30) {
            members[0] = "x1".to_owned();
        }
        let text = format!("(= (bvmul {product}) {})", added(&members));
        let term = read(&mut store, &mut reader, &text);
        decided += usize::from(term == Term::TRUE);
        let sides = [format!("(bvmul {product})"), added(&members)];
        let sides = sides.map(|side| read(&mut store, &mut reader, &side));
        for number in 0..1_u128 << (3 * width) {
            let values: Vec<u128> = (0..3).map(|at| number >> (at * width) & ((1 << width) - 1)).collect();
            let [left, right] = sides.map(|side| evaluated(&store, side, &symbols, &[width; 3], &values));
            let value = evaluated(&store, term, &symbols, &[width; 3], &values);
            assert_eq!(value, u128::from(left == right), "{text} at {values:?}");
        }
    }
    assert!(decided > 200, "{decided}");
}

/// The forms in which terms are printed.
#[test]
fn printed_forms() {
    let mut store = Store::new();
    let (mut reader, _) = reader(&mut store, &[8, 8, 5]);
    for (text, expected) in [
        ("(bvneg x0)", "(bvneg x0)"),
        ("(bvsub x0 x1)", "(bvadd x0 (bvneg x1))"),
        ("(bvneg (bvmul x0 x1))", "(bvneg (bvmul x0 x1))"),
        ("(bvor x0 x1)", "(bvor x0 x1)"),
        ("(bvor x0 #x0f)", "(bvor x0 #x0f)"),
        ("(bvult x0 x1)", "(bvult x0 x1)"),
        ("(bvsgt x0 x1)", "(bvslt x1 x0)"),
        ("(bvadd x2 #b00011)", "(bvadd x2 #b00011)"),
        ("(ubv_to_int x0)", "(ubv_to_int x0)"),
        ("((_ zero_extend 3) x2)", "(concat #b000 x2)"),
        ("(_ bv255 8)", "#xff"),
    ] {
        let term = read(&mut store, &mut reader, text);
        assert_eq!(store.display(term).to_string(), expected);
    }
    assert_eq!(store.display_sort(Sort::bit_vec(8).expect("a width")).to_string(), "(_ BitVec 8)");
}

/// Wide ones, beyond words: the sum of a number and its negation.
#[test]
fn wide_terms() {
    let mut store = Store::new();
    let (mut reader, symbols) = reader(&mut store, &[65_536, 4_096]);
    let all = read(&mut store, &mut reader, "(bvadd x0 (bvnot x0))");
    assert!(store.as_bit_vector(all).is_some_and(BitVec::is_ones));
    let repeated = read(&mut store, &mut reader, "((_ repeat 65536) #b1)");
    assert_eq!(repeated, all);
    let product = read(&mut store, &mut reader, "(bvmul x1 x1 (bvadd x1 (_ bv1 4096)))");
    let assignment = |symbol: Symbol| {
        (symbol == symbols[1]).then(|| Value::Bits(BitVec::least(4_096).add(&BitVec::new(4_096, 3))))
    };
    let value = store.evaluate(product, &assignment).expect("a value");
    // (2^4095 + 3)^2 is 9, and 9 (2^4095 + 4) has the highest bit.
    let expected = BitVec::least(4_096).add(&BitVec::new(4_096, 36));
    assert_eq!(value, Value::Bits(expected));
}

/// Mistakes are named with their place.
#[test]
fn mistakes_have_places() {
    let mut store = Store::new();
    let (mut reader, _) = reader(&mut store, &[8, 4]);
    for (text, place, message) in [
        ("(bvadd x0 x1)", "x1", "expected a term of sort (_ BitVec 8), found one of sort (_ BitVec 4)"),
        ("(bvadd x0 true)", "true", "expected a term of sort (_ BitVec n), found one of sort Bool"),
        ("(bvnot x0 x0)", "(bvnot x0 x0)", "bvnot takes one argument, not 2"),
        ("(bvadd x0)", "(bvadd x0)", "bvadd takes at least two arguments, not 1"),
        (
            "((_ extract 8 0) x0)",
            "((_ extract 8 0) x0)",
            "bit 8 of a term with 8 bits, which are numbered from 0",
        ),
        ("((_ extract 2 3) x0)", "2 3", "the first index of extract is less than the second: 2 < 3"),
        ("((_ extract 2) x0)", "2", "extract takes two indices"),
        ("((_ zero_extend 65535) x0)", "((_ zero_extend 65535) x0)", "bit-vectors have at most 65536 bits"),
        ("((_ repeat 4294967295) x0)", "((_ repeat 4294967295) x0)", "bit-vectors have at most 65536 bits"),
        ("((_ repeat 0) x0)", "0", "a repetition is at least one"),
        ("(_ bv256 8)", "bv256", "the number does not fit 8 bits"),
        ("(_ bv0 0)", "0", "a bit-vector has at least one bit"),
        ("(_ bv0 65537)", "65537", "bit-vectors have at most 65536 bits"),
        ("(_ bv0 99999999999)", "99999999999", "expected a small numeral, found 99999999999"),
        ("(= x0 x1)", "x1", "expected a term of sort (_ BitVec 8), found one of sort (_ BitVec 4)"),
        ("(exists ((y (_ BitVec 0))) true)", "0", "a bit-vector has at least one bit"),
        ("(exists ((y (_ BitVec 8 8))) true)", "8 8", "BitVec takes one index"),
        (
            "(exists ((y (_ FloatingPoint 8 24))) true)",
            "FloatingPoint",
            "the sort FloatingPoint is not supported yet",
        ),
    ] {
        let error = try_read(&mut store, &mut reader, text).expect_err(text);
        let span = error.span;
        assert_eq!(
            (&text[span.start as usize..span.end as usize], &*error.message),
            (place, message),
            "{text}"
        );
    }
}

/// What a reader that is not told otherwise refuses: whatever is no conversion of integers.
#[test]
fn a_reader_for_solving_gives_no_bit_vectors() {
    let mut store = Store::new();
    let mut reader = Reader::new();
    for name in ["i", "j"] {
        let variable = store.variable(name, Sort::Int);
        reader.name_term(name, variable);
    }
    for text in [
        "#x0f",
        "(bvadd #x01 #x02)",
        "(exists ((b (_ BitVec 4))) (= b #x0))",
        "(= (bvand ((_ int_to_bv 9) i) ((_ int_to_bv 9) j)) #b000000000)",
        "(= ((_ int_to_bv 4097) i) (_ bv0 4097))",
    ] {
        assert!(try_read(&mut store, &mut reader, text).is_err(), "{text}");
    }
    for text in [
        "(= (ubv_to_int ((_ int_to_bv 8) (+ i j))) 3)",
        "(bvslt (bvadd ((_ int_to_bv 8) i) #x01) (bvand ((_ int_to_bv 8) j) #x0f))",
        "(= #x01 #x02)",
        "(! (bvult ((_ int_to_bv 8) i) #x05) :named small)",
    ] {
        let term = read(&mut store, &mut reader, text);
        let has_bits = |term: &Term| store.sort(*term).bit_width().is_some();
        assert!(!store.subterms(&[term]).iter().any(has_bits), "{text}");
    }
    assert!(reader.labels().iter().all(|(_, term)| store.as_bit_op(*term).is_none()));
}

/// Operations on single bits of unknown integers: up to eight bits they are exact, and with more they are once the symbol
/// for common bits has its meaning.
#[test]
fn common_bits_of_integers() {
    let mut store = Store::new();
    let mut reader = Reader::new();
    reader.set_keeps_common_bits(true);
    let variables = ["i", "j", "k"].map(|name| {
        let variable = store.variable(name, Sort::Int);
        reader.name_term(name, variable);
        store.as_var(variable).expect("a variable")
    });
    type Meaning = fn(i64, i64, i64) -> i64;
    let operations: [(&str, Meaning); 8] = [
        ("(bvand i j)", |i, j, _| i & j),
        ("(bvor i j)", |i, j, _| i | j),
        ("(bvxor i j k)", |i, j, k| i ^ j ^ k),
        ("(bvand i j k)", |i, j, k| i & j & k),
        ("(bvor (bvnot i) j k)", |i, j, k| !i | j | k),
        ("(bvor (bvshl i one) (bvadd j k))", |i, j, k| i << 1 | (j + k)),
        ("(bvand (bvor i j three) (bvnot k))", |i, j, k| (i | j | 3) & !k),
        ("(bvnor (bvand i j) (bvxor i k))", |i, j, k| !(i & j | i ^ k)),
    ];
    for width in [1, 3, 8, 9, 16] {
        for (pattern, meaning) in operations {
            let mask = (1 << width) - 1;
            let casts = ["i", "j", "k"].map(|name| format!("({name} ((_ int_to_bv {width}) {name}))"));
            let numbers = format!("(one (_ bv1 {width})) (three (_ bv{} {width}))", 3 & mask);
            let text = format!("(let ({} {numbers}) (ubv_to_int {pattern}))", casts.join(" "));
            let term = read(&mut store, &mut reader, &text);
            for seed in 0..40_i64 {
                let values = [7_919, 104_729, 1_299_709].map(|prime| ((seed * prime) >> 3) & 0xffff);
                let mut substitution = Substitution::new();
                for (symbol, value) in variables.iter().zip(values) {
                    substitution.insert(*symbol, store.int(value));
                }
                let mut found = store.substitute(term, &substitution);
                // The innermost ones have numbers.
                while store.as_num(found).is_none() {
                    assert!(width > 8, "{text}");
                    let application = store.subterms(&[found]).into_iter().find_map(|term| {
                        let (symbol, _, args) = store.as_app(term)?;
                        assert_eq!(Some(symbol), reader.common_bits(), "{text}");
                        let &[a, b] = args else { panic!("two arguments") };
                        let number = |term| store.as_num(term)?.numer().to_i64();
                        Some((term, number(a)? & number(b)?))
                    });
                    let (application, value) = application.expect("an application to numbers");
                    let value = store.int(value);
                    found = store.replace(found, &[(application, value)]);
                }
                let [i, j, k] = values;
                let expected = store.int(meaning(i, j, k) & mask);
                assert_eq!(found, expected, "{text} for {values:?}");
            }
        }
    }
    assert!(reader.common_bits().is_some());
}

/// Formulas over variables that are integers of a known range have the same truth, and so have they when they are about
/// bit-vectors again.
#[test]
fn integers_stand_for_bits_and_back() {
    let mut rng = Rng::new(17);
    let (mut translated, mut returned) = (0, 0);
    for round in 0..3_000 {
        let widths: Vec<u32> = match round % 3 {
            0 => vec![1 + rng.below(4) as u32; 3],
            1 => vec![1, 2, 3, 4],
            _ => vec![8, 16, 8, 32],
        };
        let widest = if round % 3 == 2 { VALUE_WIDTH } else { 8 };
        let depth = 1 + rng.index(4);
        let mut store = Store::new();
        let (mut reader, symbols) = reader(&mut store, &widths);
        let written = BitTerms { rng: &mut rng, variables: widths.clone(), widest }.formula(depth);
        let text = written.to_string();
        let formula = read(&mut store, &mut reader, &text);
        let has_sign: Vec<bool> = widths.iter().map(|_| rng.bool()).collect();
        let (mut integers, mut bits) = (FxHashMap::default(), FxHashMap::default());
        let mut numbers = Vec::new();
        for (at, &symbol) in symbols.iter().enumerate() {
            let number = store.declare(&format!("i{at}"), &[], Sort::Int);
            numbers.push(number);
            let (term, variable) = (store.var(number), store.var(symbol));
            let size = Int::from(2).pow(widths[at]);
            let least = if has_sign[at] { -&Int::from(2).pow(widths[at] - 1) } else { Int::ZERO };
            let range = Some((least.clone(), &(&least + &size) - &Int::ONE));
            integers.insert(variable, BitInteger { term, range });
            bits.insert(term, IntegerBits { bits: variable, has_sign: has_sign[at] });
        }
        let Ok(over_integers) = store.bits_as_integers(formula, &integers, &mut CommonBits::Refused) else {
            continue;
        };
        translated += 1;
        let back = store.integers_as_bits(over_integers, &bits);
        returned += usize::from(back.is_some());
        for _ in 0..8 {
            let values: Vec<u128> = widths.iter().map(|&width| u128::from(rng.below(1 << width))).collect();
            let expected = written.value(&values);
            let assignment = |symbol: Symbol| {
                let at = numbers.iter().position(|&own| own == symbol)?;
                let value = BitVec::new(widths[at], values[at] as u64);
                let value = if has_sign[at] { value.to_signed() } else { value.to_int() };
                Some(Value::Num(value.into()))
            };
            let value = number(&store.evaluate(over_integers, &assignment).expect("a value"));
            let shown = store.display(over_integers);
            assert_eq!(value, expected, "{text}\nis {shown}\nat {values:?}, signs {has_sign:?}");
            if let Some(back) = back {
                let value = evaluated(&store, back, &symbols, &widths, &values);
                let back = store.display(back);
                assert_eq!(value, expected, "{text}\nis {shown}\nand {back}\nat {values:?}");
            }
        }
    }
    assert!(translated >= 2_000 && returned >= 1_500, "{translated} there, {returned} back");
}
