//! Settings that describe themselves.
//!
//! The settings of an engine are a plain struct with typed fields. Its table has a row for each field: the name
//! as it is typed, what the value may be, a sentence of help, and the way to the field. Options, help, manual page,
//! completions and the tables of the documents are made of these rows, and defaults are read from
//! `Default::default()` through them, so that nothing is written twice.

use std::fmt;

use thiserror::Error;

/// What the text of a setting may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// `yes` or `no`.
    Switch,
    /// A number between these two.
    Number {
        /// The least.
        least: u64,
        /// The greatest.
        most: u64,
    },
    /// A number from `least`, or a word for what no number says.
    NumberOr {
        /// The least number.
        least: u64,
        /// The word.
        word: &'static str,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any text.
    Text,
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ValueKind::Switch => f.write_str("yes or no"),
            ValueKind::Number { least: 0, most } if most >= u64::from(u32::MAX) => f.write_str("a number"),
            ValueKind::Number { least, most } if most >= u64::from(u32::MAX) => {
                write!(f, "a number from {least}")
            }
            ValueKind::Number { least, most } => write!(f, "a number from {least} to {most}"),
            ValueKind::NumberOr { least, word } => write!(f, "a number from {least}, or {word}"),
            ValueKind::Choice([first @ .., last]) if !first.is_empty() => {
                write!(f, "{} or {last}", first.join(", "))
            }
            ValueKind::Choice(words) => f.write_str(&words.concat()),
            ValueKind::Text => f.write_str("a text"),
        }
    }
}

/// Why a setting was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingError {
    /// There is no such setting.
    #[error("the engine {engine} has no setting {name}")]
    Unknown {
        /// The engine.
        engine: &'static str,
        /// What was asked for.
        name: String,
    },
    /// The text is no value of the setting.
    #[error("{name} takes {kind}, not '{given}'")]
    Value {
        /// The name of the setting.
        name: &'static str,
        /// What would be a value.
        kind: ValueKind,
        /// What was given.
        given: String,
    },
}

/// A type whose values can be written as the text of a setting.
pub trait SettingValue: Sized {
    /// What texts there are.
    const KIND: ValueKind;

    /// The text of a value; [`from_text`](SettingValue::from_text) reads it back.
    fn to_text(&self) -> String;

    /// The value of a text, if it is one.
    fn from_text(text: &str) -> Option<Self>;
}

impl SettingValue for bool {
    const KIND: ValueKind = ValueKind::Switch;

    fn to_text(&self) -> String {
        if *self { "yes" } else { "no" }.to_owned()
    }

    fn from_text(text: &str) -> Option<bool> {
        match text {
            "yes" | "true" | "on" => Some(true),
            "no" | "false" | "off" => Some(false),
            _ => None,
        }
    }
}

impl SettingValue for String {
    const KIND: ValueKind = ValueKind::Text;

    fn to_text(&self) -> String {
        self.clone()
    }

    fn from_text(text: &str) -> Option<String> {
        Some(text.to_owned())
    }
}

/// A limit that may be missing.
impl SettingValue for Option<usize> {
    const KIND: ValueKind = ValueKind::NumberOr { least: 0, word: "none" };

    fn to_text(&self) -> String {
        self.map_or("none".to_owned(), |limit| limit.to_string())
    }

    fn from_text(text: &str) -> Option<Option<usize>> {
        if text == "none" { Some(None) } else { text.parse().ok().map(Some) }
    }
}

macro_rules! numbers {
    ($($number:ty),+) => {
        $(impl SettingValue for $number {
            const KIND: ValueKind = ValueKind::Number { least: 0, most: <$number>::MAX as u64 };

            fn to_text(&self) -> String {
                self.to_string()
            }

            fn from_text(text: &str) -> Option<$number> {
                text.parse().ok()
            }
        })+
    };
}

numbers!(u32, u64, usize);

/// Makes an enumeration a [`SettingValue`]: each value has a word.
#[macro_export]
macro_rules! choice {
    ($choice:ty { $($word:literal => $value:path),+ $(,)? }) => {
        impl $crate::SettingValue for $choice {
            const KIND: $crate::ValueKind = $crate::ValueKind::Choice(&[$($word),+]);

            fn to_text(&self) -> String {
                match self {
                    $($value => $word,)+
                }
                .to_owned()
            }

            fn from_text(text: &str) -> Option<$choice> {
                match text {
                    $($word => Some($value),)+
                    _ => None,
                }
            }
        }
    };
}

/// A row of the table of a settings struct.
pub trait SettingRow<S>: Sync {
    /// The name, as it is typed.
    fn name(&self) -> &'static str;

    /// What the value may be.
    fn kind(&self) -> ValueKind;

    /// A sentence of help, without a full stop.
    fn help(&self) -> &'static str;

    /// The value, as it is typed.
    fn get(&self, settings: &S) -> String;

    /// Sets the value that was typed.
    fn set(&self, settings: &mut S, text: &str) -> Result<(), SettingError>;
}

/// A struct of settings with its table.
pub trait Configurable: Default + 'static {
    /// A row for each field. Rows of several engines may share a name; then they mean the same.
    const ROWS: &'static [&'static dyn SettingRow<Self>];
}

/// The settings of an engine that has none.
impl Configurable for () {
    const ROWS: &'static [&'static dyn SettingRow<()>] = &[];
}

/// A row that stands for a field; see the macro [`field`](crate::field).
pub struct Field<S, V> {
    name: &'static str,
    kind: ValueKind,
    help: &'static str,
    get: fn(&S) -> &V,
    get_mut: fn(&mut S) -> &mut V,
    /// Another field that gets the same value.
    also: Option<fn(&mut S) -> &mut V>,
}

impl<S, V: SettingValue> Field<S, V> {
    /// The row of a field.
    pub const fn new(
        name: &'static str,
        help: &'static str,
        get: fn(&S) -> &V,
        get_mut: fn(&mut S) -> &mut V,
    ) -> Field<S, V> {
        Field { name, kind: V::KIND, help, get, get_mut, also: None }
    }

    /// The same for numbers between these two only.
    pub const fn between(mut self, least: u64, most: u64) -> Field<S, V> {
        self.kind = ValueKind::Number { least, most };
        self
    }

    /// The same, and another field, which may have a row of its own after this one, gets the same value.
    pub const fn and_also(mut self, also: fn(&mut S) -> &mut V) -> Field<S, V> {
        self.also = Some(also);
        self
    }

    /// The value of a text, if it is one that the row allows.
    fn read(&self, text: &str) -> Option<V> {
        if let ValueKind::Number { least, most } = self.kind {
            let number: u64 = text.parse().ok()?;
            if !(least..=most).contains(&number) {
                return None;
            }
        }
        V::from_text(text)
    }
}

impl<S, V: SettingValue> SettingRow<S> for Field<S, V> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn kind(&self) -> ValueKind {
        self.kind
    }

    fn help(&self) -> &'static str {
        self.help
    }

    fn get(&self, settings: &S) -> String {
        (self.get)(settings).to_text()
    }

    fn set(&self, settings: &mut S, text: &str) -> Result<(), SettingError> {
        let read = || {
            let &Field { name, kind, .. } = self;
            self.read(text).ok_or_else(|| SettingError::Value { name, kind, given: text.to_owned() })
        };
        *(self.get_mut)(settings) = read()?;
        if let Some(also) = self.also {
            *also(settings) = read()?;
        }
        Ok(())
    }
}

/// The row of a field, for [`Configurable::ROWS`]: name, path of the field, help.
#[macro_export]
macro_rules! field {
    ($name:literal, $($path:ident).+, $help:literal) => {
        $crate::Field::<Self, _>::new(
            $name,
            $help,
            |settings| &settings.$($path).+,
            |settings| &mut settings.$($path).+,
        )
    };
}

/// A row without the way to its field: what a user can know of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingDescription {
    /// The name, as it is typed.
    pub name: &'static str,
    /// What the value may be.
    pub kind: ValueKind,
    /// A sentence of help.
    pub help: &'static str,
    /// The default, as it would be typed.
    pub default: String,
}

impl SettingDescription {
    /// The descriptions of all settings of a struct.
    pub fn all<S: Configurable>() -> Vec<SettingDescription> {
        let defaults = S::default();
        let describe = |row: &&'static dyn SettingRow<S>| SettingDescription {
            name: row.name(),
            kind: row.kind(),
            help: row.help(),
            default: row.get(&defaults),
        };
        S::ROWS.iter().map(describe).collect()
    }

    /// Whether the name alone, without a value, says something: it turns on what is off.
    pub fn is_flag(&self) -> bool {
        self.kind == ValueKind::Switch && self.default == "no"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Sample {
        flag: bool,
        number: usize,
        limit: Option<usize>,
        label: String,
        twin: usize,
    }

    impl Configurable for Sample {
        const ROWS: &'static [&'static dyn SettingRow<Sample>] = &[
            &field!("sample.flag", flag, "a switch"),
            &field!("sample.number", number, "a number").between(2, 8).and_also(|s| &mut s.twin),
            &field!("sample.limit", limit, "a limit"),
            &field!("sample.label", label, "a text"),
        ];
    }

    fn set(name: &str, text: &str) -> Result<Sample, String> {
        let mut sample = Sample::default();
        let row = Sample::ROWS.iter().find(|row| row.name() == name).expect("a row");
        row.set(&mut sample, text).map_err(|error| error.to_string())?;
        assert_eq!(row.get(&sample), text);
        Ok(sample)
    }

    #[test]
    fn values_are_read_and_written() {
        assert!(set("sample.flag", "yes").expect("a value").flag);
        let both = set("sample.number", "8").expect("a value");
        assert_eq!((both.number, both.twin), (8, 8));
        assert_eq!(set("sample.limit", "7").expect("a value").limit, Some(7));
        assert_eq!(set("sample.limit", "none").expect("a value").limit, None);
        assert_eq!(set("sample.label", "any words").expect("a value").label, "any words");
    }

    #[test]
    fn mistakes_say_what_is_wanted() {
        for (name, text, words) in [
            ("sample.flag", "maybe", "sample.flag takes yes or no, not 'maybe'"),
            ("sample.number", "9", "sample.number takes a number from 2 to 8, not '9'"),
            ("sample.number", "-1", "sample.number takes a number from 2 to 8, not '-1'"),
            ("sample.limit", "some", "sample.limit takes a number from 0, or none, not 'some'"),
        ] {
            assert_eq!(set(name, text).err().as_deref(), Some(words));
        }
    }

    #[test]
    fn kinds_in_words() {
        for (kind, words) in [
            (ValueKind::Number { least: 0, most: u64::MAX }, "a number"),
            (ValueKind::Number { least: 1, most: u64::MAX }, "a number from 1"),
            (ValueKind::Choice(&["one"]), "one"),
            (ValueKind::Choice(&["one", "two", "three"]), "one, two or three"),
        ] {
            assert_eq!(kind.to_string(), words);
        }
    }
}
