//! Writes a certificate from a Horn problem and its model: `certificate PROBLEM MODEL FOLDER`.

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use shem_alethe::{clause_problems, prove_clause};
use shem_base::Budget;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().map(PathBuf::from).ok_or("usage: certificate PROBLEM MODEL FOLDER");
    let (script, model, folder) = (next()?, next()?, next()?);
    let (script, model) = (fs::read_to_string(script)?, fs::read_to_string(model)?);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("model.smt2"), &model)?;
    for (at, problem) in clause_problems(&script, &model)?.into_iter().enumerate() {
        let name = |suffix: &str| folder.join(format!("clause-{}.{suffix}", at + 1));
        let mut out = BufWriter::new(File::create(name("alethe"))?);
        let (text, result) = prove_clause(problem, &mut Budget::unlimited(), &mut out);
        out.flush()?;
        fs::write(name("smt2"), text)?;
        result.map_err(|error| format!("clause {}: {error}", at + 1))?;
    }
    Ok(())
}
