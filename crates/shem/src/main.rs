//! The program `shem`; see `shem --help`.

use std::io;

fn main() {
    let args = std::env::args_os().skip(1);
    let code = shem::cli::run(args, &mut io::stdout().lock(), &mut io::stderr());
    // Leaving without unwinding saves freeing every term.
    std::process::exit(code.into());
}
