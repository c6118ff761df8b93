//! What a script says of itself by `set-info`, and asks of the program by `get-info`.

use std::io::{self, Write};

use shem_term::smtlib::Span;

use crate::diagnostic::Source;

/// The answer that a script expects of its next check, by `:status`.
#[derive(Debug, Default)]
pub struct ExpectedStatus {
    next: Option<String>,
    /// How many answers contradicted what was expected.
    pub contradictions: usize,
}

impl ExpectedStatus {
    /// The next check should have this answer, or any if there is none.
    pub fn expect(&mut self, status: Option<&str>) {
        self.next = status.map(str::to_owned);
    }

    /// Compares an answer with the one that was expected, and warns if they contradict each other.
    pub fn compare(
        &mut self,
        answer: &str,
        source: Source<'_>,
        span: Span,
        err: &mut dyn Write,
    ) -> io::Result<()> {
        let Some(expected) = self.next.take() else { return Ok(()) };
        if !matches!((answer, &*expected), ("sat", "unsat") | ("unsat", "sat")) {
            return Ok(());
        }
        self.contradictions += 1;
        let (name, place) = (source.name, source.locate(span.start));
        let (line, column) = (place.line, place.column);
        writeln!(err, "{name}:{line}:{column}: warning: the answer is {answer}, the status is {expected}")
    }
}

/// What the program says of itself, given whether it goes on after a mistake.
pub fn program_info(keyword: &str, continued: bool) -> Option<&'static str> {
    match keyword {
        ":name" => Some("(:name \"Shem\")"),
        ":version" => Some(concat!("(:version \"", env!("CARGO_PKG_VERSION"), "\")")),
        ":authors" => Some("(:authors \"the Shem developers\")"),
        ":error-behavior" if continued => Some("(:error-behavior continued-execution)"),
        ":error-behavior" => Some("(:error-behavior immediate-exit)"),
        _ => None,
    }
}
