//! The program `shem`; see `shem --help`.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use shem_engine::Registry;
use shem_script::options::Terminal;

/// Counts the memory in use, for `--memory`.
#[global_allocator]
static ALLOCATOR: shem_decide::allocator::CountingAllocator = shem_decide::allocator::CountingAllocator;

fn main() -> ExitCode {
    let mut args = std::env::args_os();
    let program = args.next().unwrap_or_default();
    // Not locked: the thread that keeps the limits may have to give the answer.
    let (mut out, mut err) = (io::stdout(), io::stderr());
    let terminal =
        Terminal { input: io::stdin().is_terminal(), output: out.is_terminal(), error: err.is_terminal() };
    let registry = Registry::standard();
    let code = shem::cli::run_at(terminal, &program, &registry, args, &mut out, &mut err);
    // A shell ends its loop only if the program ends by the signal itself.
    if let 130 | 143 = code {
        let _ = signal_hook::low_level::emulate_default_handler(i32::from(code) - 128);
    }
    ExitCode::from(code)
}
