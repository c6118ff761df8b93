//! The program `shem`; see `shem --help`.

use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = std::env::args_os().skip(1);
    ExitCode::from(shem::cli::run(args, &mut io::stdout().lock(), &mut io::stderr()))
}
