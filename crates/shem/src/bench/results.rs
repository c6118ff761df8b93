//! The results of runs, and the file that keeps them.
//!
//! A line is one run: file, engine, answer, expected answer, seconds, and what was checked, separated by commas. Text
//! with commas or quotes stands in quotes, as is usual.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// The first line of the file.
const HEADER: &str = "file,engine,answer,expected,seconds,checked";

/// What one run came to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RunResult {
    pub(super) file: String,
    pub(super) engine: String,
    /// `sat`, `unsat`, `unknown`, or `error`.
    pub(super) answer: String,
    /// The right answer, if it is known.
    pub(super) expected: Option<String>,
    pub(super) seconds: f64,
    pub(super) checked: String,
}

impl RunResult {
    /// Whether there is a verdict.
    pub(super) fn is_solved(&self) -> bool {
        matches!(&*self.answer, "sat" | "unsat")
    }

    /// Whether the verdict contradicts the right answer.
    pub(super) fn is_wrong(&self) -> bool {
        let known = |answer: &&String| matches!(&***answer, "sat" | "unsat");
        self.is_solved() && self.expected.as_ref().filter(known).is_some_and(|right| *right != self.answer)
    }

    fn line(&self) -> String {
        let expected = self.expected.as_deref().unwrap_or_default();
        let seconds = format!("{:.3}", self.seconds);
        [&*self.file, &self.engine, &self.answer, expected, &seconds, &self.checked].map(quoted).join(",")
    }

    fn read(line: &str) -> Option<RunResult> {
        let fields = fields(line);
        let [file, engine, answer, expected, seconds, checked] = <[String; 6]>::try_from(fields).ok()?;
        let expected = Some(expected).filter(|text| !text.is_empty());
        Some(RunResult { file, engine, answer, expected, seconds: seconds.parse().ok()?, checked })
    }
}

/// A field as it is written.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// The fields of a line.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let (mut inside, mut letters) = (false, line.chars().peekable());
    while let Some(letter) = letters.next() {
        match letter {
            '"' if inside && letters.peek() == Some(&'"') => {
                letters.next();
                fields.last_mut().expect("there is one").push('"');
            }
            '"' => inside = !inside,
            ',' if !inside => fields.push(String::new()),
            letter => fields.last_mut().expect("there is one").push(letter),
        }
    }
    fields
}

/// The results so far, and the file to which more are added.
#[derive(Default)]
pub(super) struct Results {
    pub(super) runs: Vec<RunResult>,
    out: Option<File>,
}

impl Results {
    /// Takes what a file has, if there is one. A last line that was cut off is written anew.
    pub(super) fn open(path: Option<&Path>) -> io::Result<Results> {
        let Some(path) = path else { return Ok(Results::default()) };
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            text => text?,
        };
        if !text.is_empty() && text.lines().next() != Some(HEADER) {
            return Err(io::Error::other(format!(
                "this is no file of results: its first line is not {HEADER}"
            )));
        }
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let runs = text[..whole].lines().skip(1).filter_map(RunResult::read).collect();
        let mut out = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        out.set_len(whole as u64)?;
        io::Seek::seek(&mut out, io::SeekFrom::End(0))?;
        if whole == 0 {
            writeln!(out, "{HEADER}")?;
        }
        Ok(Results { runs, out: Some(out) })
    }

    /// Whether there is a result of this run.
    pub(super) fn has(&self, file: &str, engine: &str) -> bool {
        self.runs.iter().any(|run| run.file == file && run.engine == engine)
    }

    pub(super) fn add(&mut self, run: RunResult) -> io::Result<()> {
        if let Some(out) = &mut self.out {
            writeln!(out, "{}", run.line())?;
            out.flush()?;
        }
        self.runs.push(run);
        Ok(())
    }
}

/// Right answers by file, from lines FILE,ANSWER; further fields are not read.
pub(super) fn read_expected(path: &Path) -> io::Result<BTreeMap<String, String>> {
    let text = fs::read_to_string(path)?;
    let pairs = text.lines().filter_map(|line| match &fields(line)[..] {
        [file, answer, ..] if matches!(&**answer, "sat" | "unsat") => Some((file.clone(), answer.clone())),
        _ => None,
    });
    Ok(pairs.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_back() {
        let run = RunResult {
            file: "a, \"b\".smt2".to_owned(),
            engine: "spacer --x 1".to_owned(),
            answer: "sat".to_owned(),
            expected: Some("unsat".to_owned()),
            seconds: 1.5,
            checked: "witness".to_owned(),
        };
        assert_eq!(run.line(), "\"a, \"\"b\"\".smt2\",spacer --x 1,sat,unsat,1.500,witness");
        assert!(run.is_wrong());
        assert_eq!(RunResult::read(&run.line()), Some(run));
        assert_eq!(RunResult::read("a,b,sat"), None);
    }
}
