//! Every operator of BTOR2 beside its definition on integers: by simulation, as terms, as gates, and written and read
//! again.

use shem_base::{BitVec, Rng};
use shem_circuit::{Circuit, Question, Value};
use shem_term::{Store, Symbol, Value as TermValue};

fn wrap(number: i128, width: u32) -> u64 {
    (number & ((1 << width) - 1)) as u64
}

fn signed(number: u64, width: u32) -> i128 {
    let number = i128::from(number);
    if number >> (width - 1) & 1 == 1 { number - (1 << width) } else { number }
}

/// An operator with two words of the same width as arguments: the width of its result, and the result.
fn binary(name: &str, a: u64, b: u64, w: u32) -> (u32, u64) {
    let (x, y) = (i128::from(a), i128::from(b));
    let (s, t) = (signed(a, w), signed(b, w));
    let (least, greatest, size) = (-(1_i128 << (w - 1)), (1_i128 << (w - 1)) - 1, 1_i128 << w);
    let far = |by: i128| by >= i128::from(w);
    let outside = |number: i128| number < least || number > greatest;
    let turn = |by: u32| {
        let by = by % w;
        wrap((x << by) | (x >> (w - by)), w)
    };
    let word = |number: i128| (w, wrap(number, w));
    let truth = |value: bool| (1, u64::from(value));
    match name {
        "and" => word(x & y),
        "nand" => word(!(x & y)),
        "or" => word(x | y),
        "nor" => word(!(x | y)),
        "xor" => word(x ^ y),
        "xnor" => word(!(x ^ y)),
        "add" => word(x + y),
        "sub" => word(x - y),
        "mul" => word(x * y),
        "udiv" => word(if y == 0 { -1 } else { x / y }),
        "urem" => word(if y == 0 { x } else { x % y }),
        "sdiv" if t == 0 => word(if s < 0 { 1 } else { -1 }),
        "sdiv" => word(s / t),
        "srem" => word(if t == 0 { s } else { s % t }),
        "smod" => word(if t == 0 {
            s
        } else {
            s - t * s.div_euclid(t) - if s.rem_euclid(t) != 0 && t < 0 { -t } else { 0 }
        }),
        "sll" => word(if far(y) { 0 } else { x << y }),
        "srl" => word(if far(y) { 0 } else { x >> y }),
        "sra" => word(if far(y) { s >> 100 } else { s >> y }),
        "rol" => (w, turn((y % i128::from(w)) as u32)),
        "ror" => (w, turn(w - (y % i128::from(w)) as u32)),
        "concat" => (2 * w, wrap(x << w | y, 2 * w)),
        "eq" => truth(x == y),
        "neq" => truth(x != y),
        "ult" => truth(x < y),
        "ulte" => truth(x <= y),
        "ugt" => truth(x > y),
        "ugte" => truth(x >= y),
        "slt" => truth(s < t),
        "slte" => truth(s <= t),
        "sgt" => truth(s > t),
        "sgte" => truth(s >= t),
        "uaddo" => truth(x + y >= size),
        "saddo" => truth(outside(s + t)),
        "usubo" => truth(x < y),
        "ssubo" => truth(outside(s - t)),
        "umulo" => truth(x * y >= size),
        "smulo" => truth(outside(s * t)),
        "sdivo" => truth(s == least && t == -1),
        "iff" => truth(x == y),
        "implies" => truth(x <= y),
        _ => panic!("no operator {name}"),
    }
}

const BINARY: &str = "and nand or nor xor xnor add sub mul udiv urem sdiv srem smod sll srl sra rol ror concat eq neq ult \
                      ulte ugt ugte slt slte sgt sgte uaddo saddo usubo ssubo umulo smulo sdivo iff implies";

/// The bits of the line with this number, of so many bits, as properties of a circuit.
fn circuit(lines: &str, line: u32, result: u32, width: u32) -> Circuit {
    let mut text = format!(
        "1 sort bitvec {width}\n2 sort bitvec {result}\n3 sort bitvec 1\n4 input 1 a\n5 input 1 b ; the second\n{lines}"
    );
    for bit in 0..result {
        let number = 100 + 2 * bit;
        text += &format!("{number} slice 3 {line} {bit} {bit}\n{} bad {number} bit{bit}\n", number + 1);
    }
    Circuit::read_btor2(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The number whose bits the properties are, by simulation.
fn simulated(circuit: &Circuit, inputs: &[Value]) -> u64 {
    let values = circuit.simulate(&[], inputs);
    let bits = circuit.properties.iter().map(|property| {
        let Question::Bad(bad) = property.question else { panic!("a bad state") };
        values[bad.index()] == Some(Value::Bits(BitVec::new(1, 1)))
    });
    bits.enumerate().fold(0, |number, (at, bit)| number | u64::from(bit) << at)
}

fn bits(number: u64, width: u32) -> Vec<Value> {
    (0..width).map(|at| Value::Bits(BitVec::new(1, number >> at & 1))).collect()
}

/// Checks the result of a line by all that computes it.
fn check(
    lines: &str,
    line: u32,
    width: u32,
    cases: &[(u64, u64)],
    expected: impl Fn(u64, u64) -> (u32, u64),
) {
    let result = expected(0, 0).0;
    let plain = circuit(lines, line, result, width);
    let again = Circuit::read_btor2(&plain.btor2().expect("no arrays")).expect("what was written");
    let encoded = plain.aiger(true).expect("no arrays");
    let encoded =
        Circuit::read_aiger(&shem_circuit::aiger_text(&encoded).expect("AIGER")).expect("what was written");
    let gates = plain.aiger(false).expect("no arrays");
    let gates = Circuit::read_aiger(std::str::from_utf8(&gates).expect("text")).expect("what was written");
    let mut store = Store::new();
    let vmt = plain.transitions(&mut store).vmt;
    for &(a, b) in cases {
        let (_, value) = expected(a, b);
        let words = [a, b].map(|number| Value::Bits(BitVec::new(width, number)));
        assert_eq!(simulated(&plain, &words), value, "{lines}, {a} and {b} of {width} bits");
        assert_eq!(simulated(&again, &words), value, "{lines}, {a} and {b} of {width} bits, written");
        let single = [bits(a, width), bits(b, width)].concat();
        assert_eq!(
            simulated(&encoded, &single),
            value,
            "{lines}, {a} and {b} of {width} bits, encoded gates"
        );
        assert_eq!(simulated(&gates, &single), value, "{lines}, {a} and {b} of {width} bits, gates");
        let assignment = |symbol: Symbol| {
            let number = if store.name(symbol) == "a" { a } else { b };
            Some(if width == 1 {
                TermValue::Bool(number == 1)
            } else {
                TermValue::Bits(BitVec::new(width, number))
            })
        };
        for (at, property) in vmt.properties.iter().enumerate() {
            let bit = store.evaluate(!property.formula, &assignment);
            assert_eq!(
                bit,
                Some(TermValue::Bool(value >> at & 1 == 1)),
                "{lines}, {a} and {b}, bit {at} as a term"
            );
        }
    }
}

/// All pairs of short words, and some of longer ones.
fn cases(rng: &mut Rng, width: u32) -> Vec<(u64, u64)> {
    let size = 1_u64 << width;
    if width <= 3 {
        return (0..size * size).map(|pair| (pair / size, pair % size)).collect();
    }
    let special = [0, 1, size - 1, size / 2, size / 2 - 1, u64::from(width)];
    let mut cases: Vec<(u64, u64)> = special.iter().flat_map(|&a| special.map(|b| (a, b))).collect();
    cases.extend((0..40).map(|_| (rng.below(size), rng.below(size))));
    cases
}

#[test]
fn binary_operators() {
    let mut rng = Rng::new(11);
    for name in BINARY.split_ascii_whitespace() {
        for width in [1, 2, 3, 4, 5, 7, 8, 13] {
            if matches!(name, "iff" | "implies") && width > 1 {
                continue;
            }
            let sort = match binary(name, 0, 0, width).0 {
                result if result == width => 1,
                1 => 3,
                _ => 2,
            };
            let cases = cases(&mut rng, width);
            check(&format!("10 {name} {sort} 4 5\n"), 10, width, &cases, |a, b| binary(name, a, b, width));
            // A negative number is the word with its bits turned.
            let turned = |a: u64| wrap(!i128::from(a), width);
            check(&format!("10 {name} {sort} -4 5\n"), 10, width, &cases, |a, b| {
                binary(name, turned(a), b, width)
            });
        }
    }
}

#[test]
fn other_operators() {
    let mut rng = Rng::new(12);
    for width in [1, 2, 3, 5, 8] {
        let cases = cases(&mut rng, width);
        let unary = |line: &str, result: u32, value: &dyn Fn(u64) -> i128| {
            check(line, 10, width, &cases, |a, _| (result, wrap(value(a), result)));
        };
        unary("10 not 1 4\n", width, &|a| !i128::from(a));
        unary("10 neg 1 4\n", width, &|a| -i128::from(a));
        unary("10 inc 1 4\n", width, &|a| i128::from(a) + 1);
        unary("10 dec 1 4\n", width, &|a| i128::from(a) - 1);
        unary("10 redand 3 4\n", 1, &|a| i128::from(a == (1 << width) - 1));
        unary("10 redor 3 4\n", 1, &|a| i128::from(a != 0));
        unary("10 redxor 3 4\n", 1, &|a| i128::from(a.count_ones() % 2));
        unary("10 uext 2 4 3\n", width + 3, &|a| i128::from(a));
        unary("10 sext 2 4 3\n", width + 3, &|a| signed(a, width));
        unary("10 uext 1 4 0\n", width, &|a| i128::from(a));
        for low in 0..width {
            unary(&format!("10 slice 2 4 {} {low}\n", width - 1), width - low, &|a| i128::from(a >> low));
        }
        let chosen = |a: u64, b: u64| (width, if a & 1 == 1 { b } else { a });
        check("9 slice 3 4 0 0\n10 ite 1 9 5 4\n", 10, width, &cases, chosen);
        for (line, value) in [
            ("10 zero 1\n", 0),
            ("10 one 1\n", 1),
            ("10 ones 1\n", -1),
            ("10 constd 1 1\n", 1),
            ("10 constd 1 -1\n", -1),
            ("10 const 1 1\n", 1),
            ("10 consth 1 1\n", 1),
        ] {
            unary(line, width, &|_| value);
        }
    }
}

/// Reads, writes, conditionals and equations of arrays, by simulation and as terms.
#[test]
fn arrays() {
    let text = "1 sort bitvec 2\n2 sort bitvec 3\n3 sort array 1 2\n4 sort bitvec 1\n5 input 1 i\n6 input 1 j
        7 input 2 x\n8 input 2 y\n9 zero 2\n10 state 3 m\n11 init 3 10 9\n12 write 3 10 5 7\n13 write 3 12 6 8
        14 write 3 10 6 8\n15 write 3 14 5 7\n16 eq 4 13 15\n17 bad 16\n18 ult 4 5 6\n19 ite 3 18 12 14
        20 read 2 19 6\n21 read 2 13 5\n22 eq 4 20 21\n23 bad 22\n24 neq 4 12 10\n25 bad 24\n26 next 3 10 13\n";
    let circuit = Circuit::read_btor2(text).expect("a good text");
    let mut store = Store::new();
    let vmt = circuit.transitions(&mut store).vmt;
    let mut rng = Rng::new(13);
    for _ in 0..300 {
        let entries: Vec<(BitVec, BitVec)> =
            (0..4).map(|at| (BitVec::new(2, at), BitVec::new(3, rng.below(3)))).collect();
        let words = [(2, rng.below(4)), (2, rng.below(4)), (3, rng.below(3)), (3, rng.below(3))];
        let words = words.map(|(width, number)| BitVec::new(width, number));
        let [i, j, x, y] = words.clone().map(|word| word.to_u64().expect("small") as usize);
        let memory: Vec<u64> = entries.iter().map(|(_, element)| element.to_u64().expect("small")).collect();
        let written = |pairs: &[(usize, usize)]| {
            let mut memory = memory.clone();
            pairs.iter().for_each(|&(at, element)| memory[at] = element as u64);
            memory
        };
        let both = written(&[(i, x), (j, y)]);
        let chosen = if i < j { written(&[(i, x)]) } else { written(&[(j, y)]) };
        let expected =
            [both == written(&[(j, y), (i, x)]), chosen[j] == both[i], written(&[(i, x)]) != memory];
        let elements = entries.iter().map(|(at, element)| (at.clone(), Value::Bits(element.clone())));
        let state = Value::array(Value::Bits(BitVec::zero(3)), elements);
        let inputs = words.clone().map(Value::Bits);
        let values = circuit.simulate(&[Some(state)], &inputs);
        let assignment = |symbol: Symbol| {
            let sort = vmt.states.first().map(|state| store.sort(state.current)).expect("a state");
            let element = |bits: &BitVec| TermValue::Bits(bits.clone());
            Some(match store.name(symbol) {
                "i" => element(&words[0]),
                "j" => element(&words[1]),
                "x" => element(&words[2]),
                "y" => element(&words[3]),
                _ => {
                    let entries = entries.iter().map(|(at, value)| (element(at), element(value))).collect();
                    store.array_value(sort, element(&BitVec::zero(3)), entries)
                }
            })
        };
        for (at, property) in circuit.properties.iter().enumerate() {
            let Question::Bad(bad) = property.question else { panic!("a bad state") };
            let value = Some(Value::Bits(BitVec::new(1, u64::from(expected[at]))));
            assert_eq!(values[bad.index()], value, "property {at}");
            let term = store.evaluate(!vmt.properties[at].formula, &assignment);
            assert_eq!(term, Some(TermValue::Bool(expected[at])), "property {at} as a term");
        }
    }
}

/// Rows of an array of arrays are read, written and compared, by simulation and as terms.
#[test]
fn arrays_of_arrays() {
    let text = "1 sort bitvec 1\n2 sort bitvec 2\n3 sort array 1 2\n4 sort array 2 3\n5 state 4 m\n6 zero 2
        7 init 4 5 6\n8 input 2 i\n9 input 2 j\n10 input 1 k\n11 input 2 x\n12 read 3 5 8\n13 write 3 12 10 11
        14 write 4 5 8 13\n15 next 4 5 14\n16 read 3 14 9\n17 read 2 16 10\n18 eq 1 17 11\n19 bad 18
        20 eq 1 16 13\n21 bad 20\n22 neq 1 14 5\n23 bad 22\n24 state 3 row\n25 write 4 5 9 24\n26 eq 1 25 14\n27 bad 26\n";
    let circuit = Circuit::read_btor2(text).expect("a good text");
    let written = circuit.btor2().expect("no constant array but at the start");
    assert_eq!(Circuit::read_btor2(&written).expect("what was written").btor2(), Some(written));
    assert_eq!(circuit.aiger(false), None);
    let mut store = Store::new();
    let vmt = circuit.transitions(&mut store).vmt;
    let mut rng = Rng::new(17);
    let mut seen = [[0; 2]; 4];
    for _ in 0..300 {
        let mut cells = [[0_u64; 2]; 4];
        cells.iter_mut().flatten().for_each(|cell| *cell = rng.below(2));
        let row = [rng.below(2), rng.below(2)];
        let [i, j, k, x] = [rng.below(4), rng.below(4), rng.below(2), rng.below(3)];
        let mut after = cells;
        after[i as usize][k as usize] = x;
        let mut replaced = cells;
        replaced[j as usize] = row;
        let expected = [
            after[j as usize][k as usize] == x,
            after[j as usize] == after[i as usize],
            after != cells,
            replaced == after,
        ];
        // The default of a row is one of its elements, so that equal arrays have several forms.
        let row_value = |row: &[u64; 2]| {
            let bits = |number: u64| Value::Bits(BitVec::new(2, number));
            let entries = (0..2).map(|at| (BitVec::new(1, at as u64), bits(row[at])));
            Value::array(bits(row[0]), entries)
        };
        let entries = (0..4).map(|at| (BitVec::new(2, at as u64), row_value(&cells[at])));
        let memory = Value::array(row_value(&cells[3]), entries);
        let words = [(2, i), (2, j), (1, k), (2, x)].map(|(width, number)| BitVec::new(width, number));
        let values =
            circuit.simulate(&[Some(memory), Some(row_value(&row))], &words.clone().map(Value::Bits));
        let sorts: Vec<_> = vmt.states.iter().map(|state| store.sort(state.current)).collect();
        let term_row = |row: &[u64; 2]| {
            let bits = |width: u32, number: u64| TermValue::Bits(BitVec::new(width, number));
            let entries = (0..2).map(|at| (bits(1, at as u64), bits(2, row[at]))).collect();
            store.array_value(sorts[1], bits(2, 0), entries)
        };
        let assignment = |symbol: Symbol| {
            let word = |at: usize| TermValue::Bits(words[at].clone());
            Some(match store.name(symbol) {
                "i" => word(0),
                "j" => word(1),
                "k" => TermValue::Bool(k == 1),
                "x" => word(3),
                "row" => term_row(&row),
                _ => {
                    let index = |at: usize| TermValue::Bits(BitVec::new(2, at as u64));
                    let entries = (0..4).map(|at| (index(at), term_row(&cells[at]))).collect();
                    store.array_value(sorts[0], term_row(&[0, 0]), entries)
                }
            })
        };
        for (at, property) in circuit.properties.iter().enumerate() {
            let Question::Bad(bad) = property.question else { panic!("a bad state") };
            seen[at][usize::from(expected[at])] += 1;
            let value = Some(Value::Bits(BitVec::new(1, u64::from(expected[at]))));
            assert_eq!(values[bad.index()], value, "property {at}");
            let term = store.evaluate(!vmt.properties[at].formula, &assignment);
            assert_eq!(term, Some(TermValue::Bool(expected[at])), "property {at} as a term");
        }
    }
    assert!(seen.iter().flatten().all(|&count| count > 3), "{seen:?}");
}
