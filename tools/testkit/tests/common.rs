//! Shem as a library, in the role of the solver under test, and z3 as the oracle.

use shem_test_support::external::Z3;
use shem_testkit::batch::{Oracle, Reply, Solver};
use shem_testkit::process::Program;
use shem_testkit::sexpr::Sexpr;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

/// Shem in this process.
pub struct Library;

impl Solver for Library {
    fn respond(&self, scripts: &[String]) -> io::Result<Vec<Reply>> {
        Ok(scripts.iter().map(|script| respond(script)).collect())
    }
}

/// z3, if it is there.
pub fn z3() -> Option<Oracle> {
    let Ok(program) = Program::parse("z3", &[]) else {
        Z3.is_absent();
        return None;
    };
    Some(Oracle::new(program, Duration::from_secs(5)).expect("a scratch folder"))
}

/// Shem, but each response passes through a lie.
pub struct Liar(pub fn(&Sexpr) -> Sexpr);

impl Solver for Liar {
    fn respond(&self, scripts: &[String]) -> io::Result<Vec<Reply>> {
        let mut replies = Library.respond(scripts)?;
        for reply in &mut replies {
            reply.responses = reply.responses.iter().map(self.0).collect();
        }
        Ok(replies)
    }
}

fn respond(script: &str) -> Reply {
    let options = shem_script::smt::Options {
        check_models: true,
        check_cores: true,
        run: shem_script::options::RunOptions {
            timeout: Some(Duration::from_secs(10)),
            ..Default::default()
        },
        ..Default::default()
    };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    // A panic is a failure of this script, which the test must be able to name.
    let run = panic::catch_unwind(AssertUnwindSafe(|| {
        shem_script::smt::run_text("script", script.as_bytes(), &options, &mut out, &mut err)
    }));
    let mut reply = Reply::read(&String::from_utf8_lossy(&out));
    match run {
        Ok(shem_script::smt::Outcome::Completed) => {}
        Ok(shem_script::smt::Outcome::Failed) => {
            reply.trouble.get_or_insert_with(|| String::from_utf8_lossy(&err).into_owned());
        }
        Err(_) => reply.trouble = Some("panic".to_owned()),
    }
    reply
}
