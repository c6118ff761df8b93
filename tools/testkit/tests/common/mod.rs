//! Shem as a library, in the role of the solver under test.

use shem_testkit::batch::{Reply, Solver};
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

fn respond(script: &str) -> Reply {
    let options = shem::smt::Options {
        check_models: true,
        check_cores: true,
        timeout: Some(Duration::from_secs(10)),
        ..Default::default()
    };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    // A panic is a failure of this script, which the test must be able to name.
    let run = panic::catch_unwind(AssertUnwindSafe(|| {
        shem::smt::run_text("script", script.as_bytes(), &options, &mut out, &mut err)
    }));
    let mut reply = Reply::read(&String::from_utf8_lossy(&out));
    match run {
        Ok(shem::smt::Outcome::Completed) => {}
        Ok(shem::smt::Outcome::Failed) => {
            reply.trouble.get_or_insert_with(|| String::from_utf8_lossy(&err).into_owned());
        }
        Err(_) => reply.trouble = Some("panic".to_owned()),
    }
    reply
}
