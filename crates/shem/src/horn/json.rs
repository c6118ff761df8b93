//! Answers as JSON, written by hand: strings, numbers and flat objects are all that is needed.

use std::fmt::Write;

use shem_base::{Statistic, Statistics};

/// An object in the making.
#[derive(Clone, Debug)]
pub(super) struct Object {
    text: String,
}

impl Object {
    /// The object without members.
    pub(super) fn new() -> Object {
        Object { text: String::from("{") }
    }

    fn key(&mut self, key: &str) {
        if self.text.len() > 1 {
            self.text.push(',');
        }
        string(&mut self.text, key);
        self.text.push(':');
    }

    /// Adds a string.
    pub(super) fn string(&mut self, key: &str, value: &str) {
        self.key(key);
        string(&mut self.text, value);
    }

    /// Adds a string, or null.
    pub(super) fn optional(&mut self, key: &str, value: Option<&str>) {
        match value {
            Some(value) => self.string(key, value),
            None => self.raw(key, "null"),
        }
    }

    /// Adds a value that is JSON already.
    pub(super) fn raw(&mut self, key: &str, value: &str) {
        self.key(key);
        self.text.push_str(value);
    }

    /// Adds an object with the figures whose names the filter accepts and changes.
    pub(super) fn figures(
        &mut self,
        key: &str,
        statistics: &Statistics,
        name: impl Fn(&str, Statistic) -> Option<&str>,
    ) {
        let mut object = Object::new();
        for (full, figure) in statistics.iter() {
            if let Some(name) = name(full, figure) {
                object.raw(name, &number(figure));
            }
        }
        let text = object.finish();
        self.raw(key, &text);
    }

    /// The text.
    pub(super) fn finish(mut self) -> String {
        self.text.push('}');
        self.text
    }
}

fn number(figure: Statistic) -> String {
    match figure {
        Statistic::Count(count) => count.to_string(),
        Statistic::Measure(measure) if measure.is_finite() => format!("{measure}"),
        Statistic::Measure(_) => "null".to_owned(),
    }
}

fn string(text: &mut String, value: &str) {
    text.push('"');
    for c in value.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            '\r' => text.push_str("\\r"),
            c if c.is_control() => write!(text, "\\u{:04x}", c as u32).expect("a string takes all"),
            c => text.push(c),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_json() {
        let mut object = Object::new();
        object.string("a \"b\"", "x\n\t\\\u{1}é");
        object.optional("none", None);
        object.raw("list", "[1,2]");
        let mut statistics = Statistics::new();
        statistics.add("n.a", 3);
        statistics.set("m.b", 0.5);
        object.figures("n", &statistics, |name, _| name.strip_prefix("n."));
        object.figures("all", &statistics, |name, _| Some(name));
        assert_eq!(
            object.finish(),
            "{\"a \\\"b\\\"\":\"x\\n\\t\\\\\\u0001é\",\"none\":null,\"list\":[1,2],\
             \"n\":{\"a\":3},\"all\":{\"m.b\":0.5,\"n.a\":3}}"
        );
        assert_eq!(Object::new().finish(), "{}");
    }
}
