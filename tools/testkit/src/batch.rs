//! Many problems in one process.
//!
//! Starting z3 costs more than most of our problems, so they go through it by the hundred: each is
//! announced by an echoed marker and stands in a scope of its own. Shem gets its scripts likewise,
//! parted by `(reset)`. A process that hangs, crashes or leaves early loses only the problem it was at:
//! that one is run again alone, and the batch goes on after it.

use crate::judge::Answer;
use crate::process::{Ending, Program, Run, Scratch, marker};
use crate::sexpr::{Sexpr, read_all};
use std::fs;
use std::io;
use std::time::Duration;

/// z3 in the role of the judge.
#[derive(Debug)]
pub struct Oracle {
    program: Program,
    scratch: Scratch,
    /// Limit for one check in a batch; a problem that needs more is run alone.
    quick: Duration,
    /// Limit for one check alone.
    patient: Duration,
}

impl Oracle {
    /// An oracle that gives up on a problem after `patient`.
    pub fn new(program: Program, patient: Duration) -> io::Result<Self> {
        let quick = patient.min(Duration::from_secs(1));
        Ok(Self { program, scratch: Scratch::new()?, quick, patient })
    }

    /// Decides stand-alone problems (without their `check-sat`). A problem that z3 rejects gives its
    /// error message.
    pub fn decide(&self, problems: &[String]) -> io::Result<Vec<Result<Answer, String>>> {
        let mut answers = Vec::with_capacity(problems.len());
        while answers.len() < problems.len() {
            let rest = &problems[answers.len()..];
            let mut text = String::new();
            for (index, problem) in rest.iter().enumerate() {
                text.push_str(&format!("(echo \"#{index}\")\n(push 1)\n{problem}(check-sat)\n(pop 1)\n"));
            }
            text.push_str(&format!("(echo \"#{}\")\n", rest.len()));
            let whole = self.quick.max(Duration::from_secs(10));
            let run = self.run(&text, self.quick, whole)?;
            let blocks = blocks(&run.output, rest.len());
            for (block, problem) in blocks.iter().zip(rest) {
                answers.push(match read_decision(block) {
                    Ok(Answer::Unknown) => self.decide_alone(problem)?,
                    decided => decided,
                });
            }
            if blocks.len() < rest.len() {
                answers.push(self.decide_alone(&rest[blocks.len()])?);
            }
        }
        Ok(answers)
    }

    /// Decides one problem in a process of its own, where z3 may also use what it keeps for
    /// problems that are not incremental.
    fn decide_alone(&self, problem: &str) -> io::Result<Result<Answer, String>> {
        let limit = self.patient + Duration::from_secs(1);
        let run = self.run(&format!("{problem}(check-sat)\n"), self.patient, limit)?;
        Ok(if run.ending == Ending::Limit { Ok(Answer::Unknown) } else { read_decision(&run.output) })
    }

    fn run(&self, text: &str, each: Duration, whole: Duration) -> io::Result<Run> {
        let input = self.scratch.path("oracle.smt2");
        fs::write(&input, text)?;
        let further = [format!("-t:{}", each.as_millis()), "-memory:2000".to_owned()];
        self.program.run(&further, &input, whole)
    }
}

/// The answer in z3's output for one problem; any error makes the whole problem an error.
fn read_decision(output: &str) -> Result<Answer, String> {
    if let Some(error) = output.lines().find(|line| line.starts_with("(error")) {
        return Err(error.to_owned());
    }
    // A timeout may also be reported as a line of its own.
    Ok(output.lines().rev().find_map(Answer::read).unwrap_or(Answer::Unknown))
}

/// The output after each marker that is followed by another marker: at most `count` finished problems.
fn blocks(output: &str, count: usize) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut current: Option<String> = None;
    for line in output.lines() {
        if marker(line) == Some(current.as_ref().map_or(0, |_| blocks.len() + 1)) {
            blocks.extend(current.take());
            if blocks.len() == count {
                break;
            }
            current = Some(String::new());
        } else if let Some(text) = &mut current {
            text.push_str(line);
            text.push('\n');
        }
    }
    blocks
}

/// What the solver under test said to one script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Its responses in order, errors left out.
    pub responses: Vec<Sexpr>,
    /// What went wrong: an error, a crash, the time limit, output that cannot be read.
    pub trouble: Option<String>,
}

impl Reply {
    /// The reply in a solver's output.
    pub fn read(output: &str) -> Self {
        match read_all(output) {
            Err(error) => {
                Self { responses: Vec::new(), trouble: Some(format!("unreadable output: {error}")) }
            }
            Ok(responses) => {
                let (errors, responses): (Vec<_>, Vec<_>) =
                    responses.into_iter().partition(|response| response.head() == Some("error"));
                Self { responses, trouble: errors.first().map(ToString::to_string) }
            }
        }
    }
}

/// A solver under test: replies to scripts, in whatever way it is run.
pub trait Solver {
    /// One reply a script.
    fn respond(&self, scripts: &[String]) -> io::Result<Vec<Reply>>;
}

/// The solver under test as a process.
#[derive(Debug)]
pub struct Subject {
    program: Program,
    scratch: Scratch,
    limit: Duration,
}

impl Subject {
    /// A subject that is stopped on a script after `limit`.
    pub fn new(program: Program, limit: Duration) -> io::Result<Self> {
        Ok(Self { program, scratch: Scratch::new()?, limit })
    }

    fn respond_alone(&self, script: &str) -> io::Result<Reply> {
        let run = self.run(script)?;
        let mut reply = Reply::read(&run.output);
        reply.trouble = match run.ending {
            Ending::Limit => Some(format!("no end after {} s", self.limit.as_secs())),
            Ending::Signal => Some(format!("killed by a signal: {}", run.complaints.trim())),
            Ending::Exit(code) if code > 1 => Some(format!("exit code {code}: {}", run.complaints.trim())),
            Ending::Exit(_) => reply.trouble,
        };
        Ok(reply)
    }

    fn run(&self, text: &str) -> io::Result<Run> {
        let input = self.scratch.path("subject.smt2");
        fs::write(&input, text)?;
        self.program.run(&[], &input, self.limit)
    }
}

impl Solver for Subject {
    fn respond(&self, scripts: &[String]) -> io::Result<Vec<Reply>> {
        let mut replies = Vec::with_capacity(scripts.len());
        while replies.len() < scripts.len() {
            let rest = &scripts[replies.len()..];
            if let [script] = rest {
                replies.push(self.respond_alone(script)?);
                break;
            }
            let mut text = String::new();
            for (index, script) in rest.iter().enumerate() {
                text.push_str(&format!("(reset)\n(echo \"#{index}\")\n{script}"));
            }
            text.push_str(&format!("(echo \"#{}\")\n", rest.len()));
            let run = self.run(&text)?;
            let blocks = blocks(&run.output, rest.len());
            replies.extend(blocks.iter().map(|block| Reply::read(block)));
            if blocks.len() < rest.len() {
                replies.push(self.respond_alone(&rest[blocks.len()])?);
            }
        }
        Ok(replies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_cut_at_markers() {
        assert_eq!(blocks("#0\nsat\n\"#1\"\nunsat\nsat\n#2\n", 2), ["sat\n", "unsat\nsat\n"]);
        assert_eq!(blocks("#0\nsat\n#1\nuns", 2), ["sat\n"]);
        assert!(blocks("", 2).is_empty());
        assert_eq!(blocks("#0\n#1\n#2\n", 2), ["", ""]);
    }

    #[test]
    fn decisions_and_replies_are_read() {
        assert_eq!(read_decision("timeout\nunknown\n"), Ok(Answer::Unknown));
        assert_eq!(read_decision("sat\n"), Ok(Answer::Sat));
        assert!(read_decision("(error \"line 1\")\nsat\n").is_err());
        let reply = Reply::read("sat\n((x 1))\n(error \"no\")\n");
        assert_eq!(reply.responses.len(), 2);
        assert_eq!(reply.trouble.as_deref(), Some("(error \"no\")"));
        assert!(Reply::read("(sat").trouble.is_some());
    }

    #[test]
    fn a_crash_costs_only_the_script_it_happened_in() {
        // The subject is a shell that "solves" scripts which are shell commands.
        let script = "#!/bin/sh\nwhile read -r line; do case \"$line\" in \
            '(echo'*) echo \"$line\" | sed 's/.*\"\\(.*\\)\".*/\\1/';; crash) exit 7;; say*) echo sat;; esac; \
            done < \"$1\"\n";
        let scratch = Scratch::new().unwrap();
        let path = scratch.path("fake.sh");
        fs::write(&path, script).unwrap();
        let program = Program::parse(&format!("sh {}", path.display()), &[]).unwrap();
        let subject = Subject::new(program, Duration::from_secs(10)).unwrap();
        let scripts = ["say\n", "say\ncrash\n", "say\nsay\n", "say\n"].map(str::to_owned);
        let replies = subject.respond(&scripts).unwrap();
        let counts: Vec<_> = replies.iter().map(|reply| reply.responses.len()).collect();
        assert_eq!(counts, [1, 1, 2, 1]);
        let troubled: Vec<_> = replies.iter().map(|reply| reply.trouble.is_some()).collect();
        assert_eq!(troubled, [false, true, false, false]);
    }
}
