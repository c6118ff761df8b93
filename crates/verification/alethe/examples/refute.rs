//! Writes a proof that the problem in a file has no model: `refute PROBLEM > PROOF`.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use shem_alethe::Problem;
use shem_base::Budget;

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else { return ExitCode::FAILURE };
    let result = std::fs::read_to_string(&path).map_err(|error| error.to_string()).and_then(|text| {
        let mut problem = Problem::default();
        problem.read(&text).map_err(|error| error.to_string())?;
        let mut out = BufWriter::new(std::io::stdout().lock());
        problem.refute(&mut Budget::unlimited(), &mut out).map_err(|error| error.to_string())?;
        out.flush().map_err(|error| error.to_string())
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}
