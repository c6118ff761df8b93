//! Running two programs on a course of files, by turns.
//!
//! Machines are noisy and drift, so the programs alternate on each file and the least time of several
//! runs counts. Time is user plus system time of the process: the wall clock would charge a program
//! for its neighbours.

use crate::judge::Answer;
use crate::process::{Ending, Program, Run};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The classes of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Unrollings of transition systems.
    Unrolling,
    /// Tiny queries.
    Tiny,
    /// The queries of engines.
    Engine,
}

impl Class {
    /// Its letter and name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unrolling => "a-unrolling",
            Self::Tiny => "b-tiny",
            Self::Engine => "c-engine",
        }
    }

    /// The greatest ratio to z3's time that we accept.
    pub fn goal(self) -> f64 {
        match self {
            Self::Unrolling => 1.0,
            Self::Tiny => 0.33,
            Self::Engine => 0.5,
        }
    }
}

/// A file to run and the answers it promises.
#[derive(Clone, Debug)]
pub struct Course {
    /// Its class.
    pub class: Class,
    /// Its name in the report.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// The promised answer of each check, where there is one.
    pub promised: Vec<Option<Answer>>,
}

impl Course {
    /// The course of a file, with the answers that its `(set-info :status …)` lines promise. `None` if
    /// the file checks nothing.
    pub fn of_file(class: Class, path: &Path) -> io::Result<Option<Self>> {
        let promised = promised_answers(&fs::read_to_string(path)?);
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok((!promised.is_empty()).then(|| Self { class, name, path: path.to_owned(), promised }))
    }

    /// Whether a program's answers are all decided and meet the promises.
    fn is_met_by(&self, answers: &[Answer]) -> bool {
        answers.len() == self.promised.len()
            && answers.iter().zip(&self.promised).all(|(&said, promised)| match promised {
                Some(promised) => said == *promised,
                None => said != Answer::Unknown,
            })
    }
}

/// Line by line, since the files have a command a line and are too deeply nested for our reader.
fn promised_answers(text: &str) -> Vec<Option<Answer>> {
    let mut status = None;
    let mut promised = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("(set-info :status ") {
            status = Answer::read(rest.trim_end().trim_end_matches(')'));
        } else if line.starts_with("(check-sat") {
            promised.push(status.take());
        }
    }
    promised
}

fn answers(output: &str) -> Vec<Answer> {
    output.lines().filter_map(|line| Answer::read(line.trim())).collect()
}

/// What one program needed for one file.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Least user and system time, in seconds.
    pub seconds: f64,
    /// Largest resident size, in bytes.
    pub memory: u64,
    /// Least wall time of each window between markers, in seconds; empty without markers.
    pub windows: Vec<f64>,
    /// Why the run does not count.
    pub trouble: Option<String>,
}

/// Two programs on one file.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The file's class.
    pub class: Class,
    /// The file's name.
    pub name: String,
    /// The number of checks.
    pub checks: usize,
    /// Shem's sample.
    pub shem: Sample,
    /// z3's sample.
    pub z3: Sample,
}

impl Comparison {
    /// Shem's time as a multiple of z3's.
    pub fn ratio(&self) -> f64 {
        self.shem.seconds / self.z3.seconds
    }

    /// Whether both programs met the promised answers and agreed.
    pub fn is_sound(&self) -> bool {
        self.shem.trouble.is_none() && self.z3.trouble.is_none()
    }
}

/// Two programs and the rules under which they meet.
#[derive(Clone, Debug)]
pub struct Contest {
    /// Shem.
    pub shem: Program,
    /// z3.
    pub z3: Program,
    /// Runs of each program on each file.
    pub runs: usize,
    /// Wall time that a run may take.
    pub limit: Duration,
}

impl Contest {
    /// Runs both programs on a file by turns.
    pub fn compare(&self, course: &Course) -> io::Result<Comparison> {
        let mut samples: [Option<Sample>; 2] = [None, None];
        let mut first_answers: Option<Vec<Answer>> = None;
        for _ in 0..self.runs.max(1) {
            for (program, sample) in [&self.shem, &self.z3].into_iter().zip(&mut samples) {
                if sample.as_ref().is_some_and(|sample| sample.trouble.is_some()) {
                    continue;
                }
                let (mut found, said) = self.run(program, course)?;
                if found.trouble.is_none() && first_answers.get_or_insert_with(|| said.clone()) != &said {
                    found.trouble = Some("the programs disagree".to_owned());
                }
                *sample = Some(match sample.take() {
                    None => found,
                    Some(before) => before.best_of(found),
                });
            }
        }
        let [Some(shem), Some(z3)] = samples else { return Err(io::Error::other("no run was made")) };
        Ok(Comparison {
            class: course.class,
            name: course.name.clone(),
            checks: course.promised.len(),
            shem,
            z3,
        })
    }
}

impl Contest {
    /// Runs Shem alone on two files by turns.
    pub fn measure_pair(&self, courses: [&Course; 2]) -> io::Result<[Sample; 2]> {
        let mut samples = [self.run(&self.shem, courses[0])?.0, self.run(&self.shem, courses[1])?.0];
        for _ in 1..self.runs {
            for (course, sample) in courses.into_iter().zip(&mut samples) {
                *sample = sample.clone().best_of(self.run(&self.shem, course)?.0);
            }
        }
        Ok(samples)
    }

    /// One run of a program: its sample, with trouble if a promise is not met, and its answers.
    fn run(&self, program: &Program, course: &Course) -> io::Result<(Sample, Vec<Answer>)> {
        let run = program.run(&[], &course.path, self.limit)?;
        let said = answers(&run.output);
        let mut sample = read_sample(&run);
        if sample.trouble.is_none() && !course.is_met_by(&said) {
            sample.trouble = Some(describe_miss(course, &said));
        }
        Ok((sample, said))
    }
}

fn describe_miss(course: &Course, said: &[Answer]) -> String {
    if said.len() != course.promised.len() {
        return format!("{} answers to {} checks", said.len(), course.promised.len());
    }
    let unknown = said.iter().filter(|&&answer| answer == Answer::Unknown).count();
    let wrong = said.iter().zip(&course.promised).filter(|&(said, promised)| {
        *said != Answer::Unknown && promised.is_some_and(|promised| promised != *said)
    });
    format!("{} wrong and {unknown} unknown answers", wrong.count())
}

fn read_sample(run: &Run) -> Sample {
    let times = run.marker_times();
    let windows = times.windows(2).map(|pair| pair[1].saturating_sub(pair[0]).as_secs_f64()).collect();
    let trouble = match run.ending {
        Ending::Exit(0) => None,
        Ending::Exit(code) => {
            Some(format!("exit code {code} {}", run.complaints.lines().next().unwrap_or("")))
        }
        Ending::Signal => Some("killed by a signal".to_owned()),
        Ending::Limit => Some("time limit".to_owned()),
    };
    Sample { seconds: run.cpu.as_secs_f64(), memory: run.memory, windows, trouble }
}

impl Sample {
    fn best_of(self, other: Self) -> Self {
        let windows = if self.windows.len() == other.windows.len() {
            self.windows.iter().zip(&other.windows).map(|(a, b)| a.min(*b)).collect()
        } else {
            self.windows
        };
        Self {
            seconds: self.seconds.min(other.seconds),
            memory: self.memory.max(other.memory),
            windows,
            trouble: self.trouble.or(other.trouble),
        }
    }

    /// The time of the last window as a multiple of the first's. `None` without windows, or when the
    /// markers did not arrive as they were passed because the program holds its output back.
    pub fn growth(&self) -> Option<(f64, f64, f64)> {
        let (&first, &last) = (self.windows.first()?, self.windows.last()?);
        let total: f64 = self.windows.iter().sum();
        let flowing = total > 0.3 * self.seconds && first > 0.0 && self.windows.len() > 1;
        flowing.then_some((first, last, last / first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Scratch;

    #[test]
    fn promises_belong_to_the_next_check() {
        let text =
            "(set-info :status sat)\n(check-sat)\n(check-sat)\n(set-info :status unsat)\n(check-sat)\n";
        assert_eq!(promised_answers(text), [Some(Answer::Sat), None, Some(Answer::Unsat)]);
    }

    #[test]
    fn wrong_and_missing_answers_are_noticed() {
        let scratch = Scratch::new().unwrap();
        let path = scratch.path("course.smt2");
        // A shell reads the promise as a comment would be read: the "solvers" just print.
        fs::write(&path, "(set-info :status sat)\n(check-sat)\n").unwrap();
        let course = Course::of_file(Class::Unrolling, &path).unwrap().unwrap();
        let solver = |body: &str| {
            let script = scratch.path(&format!("{}.sh", body.len()));
            fs::write(&script, body).unwrap();
            Program::parse(&format!("sh {}", script.display()), &[]).unwrap()
        };
        let contest = Contest {
            shem: solver("echo sat"),
            z3: solver("echo unsat"),
            runs: 2,
            limit: Duration::from_secs(10),
        };
        let comparison = contest.compare(&course).unwrap();
        assert_eq!(comparison.shem.trouble, None);
        assert!(comparison.z3.trouble.is_some() && !comparison.is_sound());
    }
}
