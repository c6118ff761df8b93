//! Values as text, and text as values.
//!
//! A value travels without names: what it is made of follows from the sort that the receiver expects. A truth value is
//! a word, a number is written such as `-1/3`, an element of a declared sort is `@` and its number, the value of a
//! constructor is the number of the constructor and the fields in parentheses, and an array is its default and then
//! its indices, each with its element, in brackets: `(1 5 (0))` is a list of one number, `[0 3 7]` an array of zeros
//! but for a seven at 3.
//!
//! Nothing recurses: a list of a million elements is nested as deep.

use shem_base::{BitVec, Rat};
use shem_term::{Role, Sort, Store, Symbol, Value};

/// Adds the text of a value.
pub(crate) fn write_value(store: &Store, value: &Value, out: &mut String) {
    enum Job<'v> {
        Value(&'v Value),
        Close(char),
    }
    let mut jobs = vec![Job::Value(value)];
    while let Some(job) = jobs.pop() {
        let value = match job {
            Job::Close(mark) => {
                out.push(mark);
                continue;
            }
            Job::Value(value) => value,
        };
        if !out.is_empty() && !out.ends_with(['(', '[', ' ']) {
            out.push(' ');
        }
        match value {
            Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
            Value::Num(number) => out.push_str(&number.to_string()),
            Value::Bits(bits) => out.push_str(&bits.to_string()),
            Value::Element(_, number) => out.push_str(&format!("@{number}")),
            Value::Data(data) => {
                let Role::Constructor { index, .. } = store.role(data.constructor()) else {
                    unreachable!("a value is made by a constructor")
                };
                out.push_str(&format!("({index}"));
                jobs.push(Job::Close(')'));
                jobs.extend(data.fields().iter().rev().map(Job::Value));
            }
            Value::Array(array) => {
                out.push('[');
                jobs.push(Job::Close(']'));
                for (index, element) in array.entries().iter().rev() {
                    jobs.push(Job::Value(element));
                    jobs.push(Job::Value(index));
                }
                jobs.push(Job::Value(array.default()));
            }
        }
    }
}

/// A part of the text of a value.
enum Token<'t> {
    /// A constructor with its number.
    OpenData(&'t str),
    OpenArray,
    Close,
    CloseArray,
    Atom(&'t str),
}

/// Cuts the text of a value into parts.
fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(' ');
        let first = rest.chars().next()?;
        let word_end = |text: &str| text.find([' ', '(', ')', '[', ']']).unwrap_or(text.len());
        let (token, length) = match first {
            ')' => (Token::Close, 1),
            '[' => (Token::OpenArray, 1),
            ']' => (Token::CloseArray, 1),
            '(' => {
                let end = 1 + word_end(&rest[1..]);
                (Token::OpenData(&rest[1..end]), end)
            }
            _ => {
                let end = word_end(rest);
                (Token::Atom(&rest[..end]), end)
            }
        };
        rest = &rest[length..];
        Some(token)
    })
}

/// The longest number in the text of a value, in characters; `None` if a part of it is none of a value.
pub(crate) fn longest_number(text: &str) -> Option<usize> {
    let mut longest = 0;
    let mut count = 0;
    for token in tokens(text) {
        count += 1;
        if let Token::Atom(word) = token {
            let is_number = |word: &str| {
                let (numerator, denominator) = word.split_once('/').unwrap_or((word, "1"));
                let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
                let numerator = numerator.strip_prefix('-').unwrap_or(numerator);
                digits(numerator) && digits(denominator) && denominator.bytes().any(|b| b != b'0')
            };
            let is_element = word.strip_prefix('@').is_some_and(|number| number.parse::<u32>().is_ok());
            let is_value = matches!(word, "true" | "false") || is_element || bits(word).is_some();
            if !is_value && !is_number(word) {
                return None;
            }
            longest = longest.max(word.len());
        }
    }
    (count > 0).then_some(longest)
}

/// A value whose parts are being read.
enum OpenValue {
    Data(Symbol, Vec<Value>),
    /// The default, then indices and elements.
    Array(Sort, Vec<Value>),
}

impl OpenValue {
    /// The sort of the next part; `None` if there is none.
    fn next_sort(&self, store: &Store) -> Option<Sort> {
        match self {
            OpenValue::Data(constructor, fields) => {
                store.signature(*constructor).args.get(fields.len()).copied()
            }
            OpenValue::Array(sort, parts) => {
                let (index, element) = store.array_parts(*sort)?;
                Some(if parts.len() % 2 == 0 { element } else { index })
            }
        }
    }

    fn push(&mut self, value: Value) {
        match self {
            OpenValue::Data(_, parts) | OpenValue::Array(_, parts) => parts.push(value),
        }
    }
}

/// The value of this sort that the text stands for.
pub(crate) fn read_value(store: &Store, text: &str, sort: Sort) -> Option<Value> {
    let mut frames: Vec<OpenValue> = Vec::new();
    let mut result = None;
    for token in tokens(text) {
        if result.is_some() {
            return None;
        }
        let expected = |frames: &[OpenValue]| match frames.last() {
            None => Some(sort),
            Some(frame) => frame.next_sort(store),
        };
        let value = match token {
            Token::OpenData(number) => {
                let datatype = store.datatype_of(expected(&frames)?)?;
                let constructor = datatype.constructors().get(number.parse::<usize>().ok()?)?;
                frames.push(OpenValue::Data(constructor.symbol, Vec::new()));
                continue;
            }
            Token::OpenArray => {
                let sort = expected(&frames)?;
                store.array_parts(sort)?;
                frames.push(OpenValue::Array(sort, Vec::new()));
                continue;
            }
            Token::Close => match frames.pop()? {
                OpenValue::Data(constructor, fields)
                    if fields.len() == store.signature(constructor).args.len() =>
                {
                    Value::data(constructor, fields)
                }
                _ => return None,
            },
            Token::CloseArray => match frames.pop()? {
                OpenValue::Array(sort, parts) if parts.len() % 2 == 1 => {
                    let mut parts = parts.into_iter();
                    let default = parts.next()?;
                    let mut entries = Vec::with_capacity(parts.len() / 2);
                    while let (Some(index), Some(element)) = (parts.next(), parts.next()) {
                        entries.push((index, element));
                    }
                    store.array_value(sort, default, entries)
                }
                _ => return None,
            },
            Token::Atom(word) => read_atom(word, expected(&frames)?)?,
        };
        match frames.last_mut() {
            None => result = Some(value),
            Some(frame) => frame.push(value),
        }
    }
    result.filter(|_| frames.is_empty())
}

/// The bit-vector that a literal stands for.
fn bits(word: &str) -> Option<BitVec> {
    match word.strip_prefix("#x") {
        Some(digits) => BitVec::from_digits(digits, 4),
        None => BitVec::from_digits(word.strip_prefix("#b")?, 1),
    }
}

fn read_atom(word: &str, sort: Sort) -> Option<Value> {
    match (word, sort) {
        ("true", Sort::Bool) => Some(Value::Bool(true)),
        ("false", Sort::Bool) => Some(Value::Bool(false)),
        (word, Sort::Int | Sort::Real) => {
            let number: Rat = word.parse().ok()?;
            (sort == Sort::Real || number.is_integer()).then_some(Value::Num(number))
        }
        (word, sort) if sort.bit_width().is_some() => {
            bits(word).filter(|bits| sort.bit_width() == Some(bits.width())).map(Value::Bits)
        }
        (word, sort) if sort.is_declared() => {
            word.strip_prefix('@')?.parse().ok().map(|number| Value::Element(sort, number))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shem_term::smtlib::{Lexer, Reader};

    const SORTS: &str = "(declare-sort U 0)
        (declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))
        (declare-datatypes ((Pair 0)) (((pair (first (List Int)) (second (Array Bool U))))))
        (declare-const a (List Int)) (declare-const b (Array Int (Array Int Real))) (declare-const c Pair)";

    /// The sorts of the three constants.
    fn sorts(store: &mut Store) -> Vec<Sort> {
        let (mut reader, mut lexer) = (Reader::new(), Lexer::new(SORTS).expect("a text"));
        while reader.next_command(&mut lexer, store).expect("a command").is_some() {}
        reader.declarations().iter().map(|d| store.signature(d.symbol).result).collect()
    }

    #[test]
    fn values_come_back_as_they_were() {
        let mut store = Store::new();
        let [list, array, pair] = sorts(&mut store)[..] else { panic!("three constants") };
        for (text, sort) in [
            ("true", Sort::Bool),
            ("-1/3", Sort::Real),
            ("(0)", list),
            ("(1 5 (1 -7 (0)))", list),
            ("[[1/2] 3 [0 -4 7 2 1]]", array),
            ("(0 (0) [@0 true @3])", pair),
        ] {
            let value = read_value(&store, text, sort).unwrap_or_else(|| panic!("{text}"));
            assert!(store.is_value(&value, sort), "{text}");
            let mut written = String::new();
            write_value(&store, &value, &mut written);
            let again = read_value(&store, &written, sort);
            assert_eq!(again.as_ref(), Some(&value), "{text}: {written}");
            assert!(longest_number(text).is_some());
        }
        // Entries in any order, and some that say what the default says.
        let texts = ["[[0] 3 [0 2 1] 4 [0]]", "[[0] 3 [5 2 1 7 0 3 0 4 5] 3 [0 2 1]]"];
        assert_eq!(read_value(&store, texts[0], array), read_value(&store, "[[0] 3 [0 2 1]]", array));
        assert_eq!(read_value(&store, texts[1], array), read_value(&store, texts[0], array));
    }

    #[test]
    fn other_texts_are_refused() {
        let mut store = Store::new();
        let [list, array, pair] = sorts(&mut store)[..] else { panic!("three constants") };
        for (text, sort) in [
            ("", Sort::Int),
            ("1/2", Sort::Int),
            ("1", Sort::Bool),
            ("@1", Sort::Int),
            ("(2)", list),
            ("(1 5)", list),
            ("(1 5 (0) (0))", list),
            ("(1 true (0))", list),
            ("(1 5 (0)", list),
            ("(0))", list),
            ("(0) (0)", list),
            ("0", list),
            ("[]", array),
            ("[[0] 3]", array),
            ("[[0] 3 [0] 4]", array),
            ("[0]", array),
            ("[[0)", array),
            ("(0 (0) [0])", pair),
            ("(x)", list),
            ("(", list),
        ] {
            assert_eq!(read_value(&store, text, sort), None, "{text}");
        }
        for text in ["", "x", "1/0", "--1", "@", "(1 5 z)", "1/2/3"] {
            assert_eq!(longest_number(text), None, "{text}");
        }
        assert_eq!(longest_number("(1 12345 [0 -77])"), Some(5));
        // A long list costs no stack.
        let deep = format!("{}(0){}", "(1 5 ".repeat(200_000), ")".repeat(200_000));
        let value = read_value(&store, &deep, list).expect("a list");
        let mut written = String::new();
        write_value(&store, &value, &mut written);
        assert_eq!(written, deep);
    }
}
