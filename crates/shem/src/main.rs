//! The program `shem`; see `shem --help`.

use std::io;
use std::process::ExitCode;

use shem_engine::Registry;

/// Counts the memory in use, for `--memory`.
#[global_allocator]
static ALLOCATOR: shem::memory::Counting = shem::memory::Counting;

fn main() -> ExitCode {
    let mut args = std::env::args_os();
    let program = args.next().unwrap_or_default();
    // Not locked: the thread that keeps the limits may have to give the answer.
    ExitCode::from(shem::cli::run_as(
        &program,
        &Registry::standard(),
        args,
        &mut io::stdout(),
        &mut io::stderr(),
    ))
}
