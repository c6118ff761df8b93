//! The table of a campaign.

use std::collections::BTreeMap;

use super::results::RunResult;

/// A line for each engine: problems solved, answers, wrong answers, and the time of what was solved.
pub(super) fn table(runs: &[RunResult], engines: &[String]) -> String {
    let mut rows =
        vec![["engine", "files", "solved", "sat", "unsat", "wrong", "errors", "seconds"].map(str::to_owned)];
    for engine in engines {
        let own: Vec<&RunResult> = runs.iter().filter(|run| run.engine == *engine).collect();
        let count = |is: &dyn Fn(&RunResult) -> bool| own.iter().filter(|run| is(run)).count().to_string();
        let seconds: f64 = own.iter().filter(|run| run.is_solved()).map(|run| run.seconds).sum();
        rows.push([
            engine.clone(),
            own.len().to_string(),
            count(&RunResult::is_solved),
            count(&|run| run.answer == "sat"),
            count(&|run| run.answer == "unsat"),
            count(&RunResult::is_wrong),
            count(&|run| run.answer == "error"),
            format!("{seconds:.1}"),
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        text += &(cells.collect::<Vec<_>>().join("  ") + "\n");
    }
    text + &disagreements(runs)
}

/// Wrong answers, and files on which engines contradict each other.
fn disagreements(runs: &[RunResult]) -> String {
    let mut text = String::new();
    for run in runs.iter().filter(|run| run.is_wrong()) {
        let right = run.expected.as_deref().unwrap_or_default();
        text += &format!("wrong: {}: {} says {}, expected is {right}\n", run.file, run.engine, run.answer);
    }
    let mut answers: BTreeMap<&str, &RunResult> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.is_solved()) {
        let first = answers.entry(&run.file).or_insert(run);
        if first.answer != run.answer {
            text += &format!(
                "contradiction: {}: {} says {}, {} says {}\n",
                run.file, first.engine, first.answer, run.engine, run.answer
            );
        }
    }
    text
}

/// Whether some answer is wrong or contradicts another.
pub(super) fn is_consistent(runs: &[RunResult]) -> bool {
    disagreements(runs).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_counted_and_compared() {
        let run = |file: &str, engine: &str, answer: &str, expected: Option<&str>| RunResult {
            file: file.to_owned(),
            engine: engine.to_owned(),
            answer: answer.to_owned(),
            expected: expected.map(str::to_owned),
            seconds: 0.5,
            checked: String::new(),
        };
        let runs = [
            run("a", "bmc", "unsat", Some("unsat")),
            run("a", "kind", "unknown", Some("unsat")),
            run("b", "bmc", "sat", Some("unsat")),
            run("b", "kind", "unsat", None),
        ];
        let expected = "\
engine  files  solved  sat  unsat  wrong  errors  seconds
bmc         2       2    1      1      1       0      1.0
kind        2       1    0      1      0       0      0.5
wrong: b: bmc says sat, expected is unsat
contradiction: b: bmc says sat, kind says unsat
";
        assert_eq!(table(&runs, &["bmc".to_owned(), "kind".to_owned()]), expected);
        assert!(!is_consistent(&runs) && is_consistent(&runs[..2]));
    }
}
