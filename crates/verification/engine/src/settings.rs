//! Settings that describe themselves.
//!
//! The macro [`settings`](crate::settings) declares each setting once: its field with type and default, the name as it is
//! typed, what the value may be, a sentence of help, and the section of a document that has its measurement. The struct,
//! its `Default` and its table of rows come from this declaration; options, help, manual page, completions and the tables
//! of the documents are made of the rows.

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

    /// The section with the measurement behind the default, as `DOCUMENT#SECTION` in the folder `docs`; `None` if it was
    /// not measured.
    fn measurement(&self) -> Option<&'static str>;

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
    measurement: Option<&'static str>,
    get: fn(&S) -> &V,
    get_mut: fn(&mut S) -> &mut V,
}

impl<S, V: SettingValue> Field<S, V> {
    /// The row of a field.
    pub const fn new(
        name: &'static str,
        help: &'static str,
        get: fn(&S) -> &V,
        get_mut: fn(&mut S) -> &mut V,
    ) -> Field<S, V> {
        Field { name, kind: V::KIND, help, measurement: None, get, get_mut }
    }

    /// The same with the section that has the measurement.
    pub const fn measured(mut self, section: &'static str) -> Field<S, V> {
        self.measurement = Some(section);
        self
    }

    /// The same for numbers between these two only.
    pub const fn between(mut self, least: u64, most: u64) -> Field<S, V> {
        self.kind = ValueKind::Number { least, most };
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

    fn measurement(&self) -> Option<&'static str> {
        self.measurement
    }

    fn get(&self, settings: &S) -> String {
        (self.get)(settings).to_text()
    }

    fn set(&self, settings: &mut S, text: &str) -> Result<(), SettingError> {
        let &Field { name, kind, .. } = self;
        let wrong = || SettingError::Value { name, kind, given: text.to_owned() };
        *(self.get_mut)(settings) = self.read(text).ok_or_else(wrong)?;
        Ok(())
    }
}

/// The row of a field, for [`Configurable::ROWS`]: name, path of the field, help, and the section with its measurement if
/// there is one.
#[macro_export]
macro_rules! field {
    ($name:literal, $($path:ident).+, $help:literal $(, $section:literal)?) => {
        $crate::Field::<Self, _>::new(
            $name,
            $help,
            |settings| &settings.$($path).+,
            |settings| &mut settings.$($path).+,
        )
        $(.measured($section))?
    };
}

/// Declares a struct of settings with its `Default` and its table. A setting is a line
/// `FIELD: TYPE = DEFAULT, NAME, HELP, SECTION;`, where the section with the measurement may be missing, and a number may
/// have a range: `NAME in LEAST..=MOST`. A field without a name is no setting by itself. Rows for parts of such fields
/// follow the struct.
///
/// ```
/// use shem_engine::{Configurable, field, settings};
///
/// #[derive(Clone, Debug, Default, PartialEq, Eq)]
/// pub struct Place {
///     row: u32,
///     column: u32,
/// }
///
/// settings! {
///     /// Settings of a search.
///     pub struct SearchSettings {
///         depth: u32 = 4, "search.depth" in 1..=9, "how deep it looks", "search.md#depth";
///         /// Where it begins.
///         start: Place = Place::default();
///     }
///     rows [field!("search.column", start.column, "the column where it begins")]
/// }
///
/// let names: Vec<&str> = SearchSettings::ROWS.iter().map(|row| row.name()).collect();
/// assert_eq!(names, ["search.depth", "search.column"]);
/// assert_eq!(SearchSettings::default().depth, 4);
/// ```
#[macro_export]
macro_rules! settings {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $settings:ident {
            $(
                $(#[$about:meta])*
                $field:ident: $type:ty = $default:expr
                $(, $name:literal $(in $least:literal..=$most:literal)?, $help:literal $(, $section:literal)?)?;
            )*
        }
        $(rows [$($row:expr),* $(,)?])?
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        $visibility struct $settings {
            $(
                $(#[$about])*
                $(#[doc = concat!("`", $name, "`: ", $help, ".")])?
                $visibility $field: $type,
            )*
        }

        impl Default for $settings {
            fn default() -> $settings {
                $settings { $($field: $default,)* }
            }
        }

        impl $crate::Configurable for $settings {
            const ROWS: &'static [&'static dyn $crate::SettingRow<$settings>] = &[
                $($(&$crate::field!($name, $field, $help $(, $section)?)$(.between($least, $most))?,)?)*
                $($(&$row,)*)?
            ];
        }
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
    /// The section with the measurement, if there is one.
    pub measurement: Option<&'static str>,
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
            measurement: row.measurement(),
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

    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    struct Pair {
        one: usize,
        other: usize,
    }

    crate::settings! {
        /// Settings of a test.
        struct Sample {
            flag: bool = false, "sample.flag", "a switch";
            limit: Option<usize> = None, "sample.limit", "a limit", "sample.md#limits";
            label: String = String::new(), "sample.label", "a text";
            range: u32 = 3, "sample.range" in 2..=4, "a number";
            /// Two numbers.
            pair: Pair = Pair::default();
        }
        rows [
            crate::field!("sample.number", pair.one, "a number").between(2, 8)
        ]
    }

    #[test]
    fn a_declaration_has_everything() {
        let all = SettingDescription::all::<Sample>();
        let found: Vec<(&str, &str, Option<&str>)> =
            all.iter().map(|row| (row.name, row.default.as_str(), row.measurement)).collect();
        assert_eq!(
            found,
            [
                ("sample.flag", "no", None),
                ("sample.limit", "none", Some("sample.md#limits")),
                ("sample.label", "", None),
                ("sample.range", "3", None),
                ("sample.number", "0", None),
            ]
        );
        assert_eq!(all[3].kind, ValueKind::Number { least: 2, most: 4 });
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
        let pair = set("sample.number", "8").expect("a value").pair;
        assert_eq!(pair, Pair { one: 8, other: 0 });
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
