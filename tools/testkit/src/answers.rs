//! The file of recorded answers.
//!
//! A line is `profile seed answers`, the answers as one letter a check: `s`, `u` or `?`. The file lets
//! `cargo test` compare with z3 where there is no z3.

use crate::generate::Profile;
use crate::judge::Answer;
use std::fmt::Write;

/// The recorded answers of one script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The script's profile.
    pub profile: Profile,
    /// The script's seed.
    pub seed: u64,
    /// z3's answers to its checks.
    pub answers: Vec<Answer>,
}

/// Reads a file of records; the error names the line.
pub fn read(text: &str) -> Result<Vec<Record>, String> {
    text.lines()
        .enumerate()
        .map(|(number, line)| read_line(line).ok_or_else(|| format!("line {}: {line}", number + 1)))
        .collect()
}

fn read_line(line: &str) -> Option<Record> {
    let mut words = line.split(' ');
    let profile = Profile::named(words.next()?)?;
    let seed = words.next()?.parse().ok()?;
    let answers = words.next()?.chars().map(|letter| match letter {
        's' => Some(Answer::Sat),
        'u' => Some(Answer::Unsat),
        '?' => Some(Answer::Unknown),
        _ => None,
    });
    let answers = answers.collect::<Option<Vec<_>>>()?;
    words.next().is_none().then_some(Record { profile, seed, answers })
}

/// The text of a file of records.
pub fn print(records: &[Record]) -> String {
    let mut text = String::new();
    for record in records {
        let answers: String = record
            .answers
            .iter()
            .map(|answer| match answer {
                Answer::Sat => 's',
                Answer::Unsat => 'u',
                Answer::Unknown => '?',
            })
            .collect();
        let _ = writeln!(text, "{} {} {answers}", record.profile.name(), record.seed);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_survive_the_file() {
        let text = "lia 3 ssu?\nlra 0 u\n";
        assert_eq!(print(&read(text).unwrap()), text);
        assert_eq!(read("lia 3 ssx\n"), Err("line 1: lia 3 ssx".to_owned()));
        assert!(read("nothing 3 s\n").is_err());
    }
}
