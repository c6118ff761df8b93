//! SMT-LIB printing of terms, sorts and values.

mod application;
mod bits;
mod sort;
mod symbol;
mod term;
mod value;

pub use sort::DisplaySort;
pub use symbol::{quote_symbol, write_rational};
pub use term::{Display, SymbolText};
pub use value::DisplayValue;
