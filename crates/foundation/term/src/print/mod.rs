//! SMT-LIB printing of terms and sorts.

mod sort;
mod symbol;
mod term;

pub use sort::DisplaySort;
pub use symbol::{quote_symbol, write_rational};
pub use term::{Display, SymbolText};
