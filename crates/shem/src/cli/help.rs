//! The help text and the manual page, from the table of options.

use std::fmt::Write;

use shem_engine::Registry;

use super::table::{OptionRow, Scope, TABLE};
use crate::smt::Logic;

/// What the program can be asked for: the words, and what they mean.
pub(super) const JOBS: [(&str, &str); 6] = [
    ("shem [options] FILE", "decide a system of Horn clauses: sat, unsat or unknown"),
    ("shem smt [options] FILE", "run an SMT-LIB script"),
    ("shem shapes FILE…", "list the shapes of systems, before and after preprocessing"),
    ("shem strategy FILE", "list the engines that would be run, as command lines"),
    ("shem completions SHELL", "print completions for bash, zsh or fish"),
    ("shem man", "print the manual page"),
];

const VERDICT: &str = "sat means that the clauses have a model, unsat that falsehood can be derived. In the \
fixed-point form (declare-rel, rule, query) the verdict is that of the clauses, too: unsat if the query can be \
derived. z3 prints the opposite word for that form.";

const EXIT: &str = "The exit code is 0 for any verdict, unknown included, 1 for a mistake in the input or the \
command line, and 2 for a mistake of Shem's own, in which case no verdict is printed.";

/// The rows of one part of the help.
fn part(scope: Scope) -> impl Iterator<Item = &'static OptionRow> {
    TABLE.iter().filter(move |row| row.scope == scope)
}

/// The parts of the list of options.
const PARTS: [(&str, Scope); 3] = [
    ("options", Scope::Both),
    ("options for Horn problems", Scope::Horn),
    ("options for scripts (shem smt)", Scope::Smt),
];

/// The help.
pub(super) fn help() -> String {
    let mut text =
        String::from("Shem decides systems of constrained Horn clauses over linear arithmetic.\n\nusage:\n");
    for (words, meaning) in JOBS {
        let _ = writeln!(text, "  {words:<25}{meaning}");
    }
    text.push_str("FILE may be compressed by gzip, and - is the standard input.\n\n");
    fill(&mut text, VERDICT);
    fill(&mut text, EXIT);
    let width = TABLE.iter().map(|row| row.usage().len()).max().unwrap_or(0);
    for (title, scope) in PARTS {
        let _ = writeln!(text, "\n{title}:");
        for row in part(scope) {
            let _ = writeln!(text, "  {:width$}  {}", row.usage(), row.help);
        }
    }
    let _ = writeln!(text, "\nengines: {}", Registry::standard().names().collect::<Vec<_>>().join(", "));
    let _ = writeln!(text, "logics of scripts: {}", Logic::names().collect::<Vec<_>>().join(", "));
    text
}

/// Appends a paragraph in lines of at most 80 characters.
fn fill(text: &mut String, paragraph: &str) {
    let mut column = 0;
    for word in paragraph.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > 80 {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
}

/// A text as the manual's typesetter wants it.
fn roff(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\e"),
            '-' => escaped.push_str("\\-"),
            '…' => escaped.push_str("..."),
            c => escaped.push(c),
        }
    }
    if escaped.starts_with(['.', '\'']) { format!("\\&{escaped}") } else { escaped }
}

/// The manual page.
pub(super) fn manual() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut text = format!(".TH SHEM 1 \"\" \"shem {version}\"\n.SH NAME\n");
    let _ = writeln!(text, "shem \\- decides systems of constrained Horn clauses over linear arithmetic");
    text.push_str(".SH SYNOPSIS\n");
    for (words, _) in JOBS {
        let _ = writeln!(text, ".B {}\n.br", roff(words));
    }
    text.push_str(".SH DESCRIPTION\n");
    for (words, meaning) in JOBS {
        let _ = writeln!(text, ".TP\n.B {}\n{}", roff(words), roff(meaning));
    }
    let _ = writeln!(text, ".PP\nFILE may be compressed by gzip, and \\- is the standard input.");
    let _ = writeln!(text, ".PP\n{}", roff(VERDICT));
    for (title, scope) in PARTS {
        let _ = writeln!(text, ".SH {}", roff(&title.to_uppercase()));
        for row in part(scope) {
            let _ = writeln!(text, ".TP\n.B {}\n{}", roff(row.usage().trim_start()), roff(row.help));
        }
    }
    let engines = Registry::standard().names().collect::<Vec<_>>().join(", ");
    let _ = writeln!(text, ".SH ENGINES\n{}", roff(&engines));
    let _ = writeln!(text, ".SH EXIT STATUS\n{}", roff(EXIT));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_and_manual_name_every_option() {
        let (help, manual) = (help(), manual());
        for row in TABLE {
            assert!(help.contains(&format!("--{}", row.long)), "{}", row.long);
            assert!(manual.contains(&roff(&format!("--{}", row.long))), "{}", row.long);
        }
        for (words, _) in JOBS {
            assert!(help.contains(words));
        }
        assert!(help.contains("fixed-point form"));
    }

    #[test]
    fn names_are_unique() {
        for (at, row) in TABLE.iter().enumerate() {
            for other in &TABLE[..at] {
                assert_ne!(row.long, other.long);
                assert!(row.short.is_none() || row.short != other.short, "{}", row.long);
            }
        }
    }

    #[test]
    fn dots_and_backslashes_are_escaped() {
        assert_eq!(roff(".a\\b-c…"), "\\&.a\\eb\\-c...");
    }
}
