//! Terms of arithmetic, functions, arrays, datatypes and bit-vectors: a hash-consed store, builders that keep canonical forms, substitution,
//! evaluation, and SMT-LIB in both directions.
//!
//! ```
//! use shem_term::{Sort, Store};
//!
//! let mut store = Store::new();
//! let x = store.variable("x", Sort::Int);
//! let y = store.variable("y", Sort::Int);
//! // 2x + 2y <= 5 is stored as x + y <= 2.
//! let sum = store.add(&[x, x, y, y]);
//! let five = store.int(5);
//! let atom = store.le(sum, five);
//! assert_eq!(store.display(atom).to_string(), "(<= (+ x y) 2)");
//! ```

mod bits;
mod bits_as_integers;
mod build;
mod eval;
mod integers_as_bits;
pub mod pack;
mod poly;
mod print;
mod product_facts;
mod reserved;
pub mod smtlib;
mod sort;
mod store;
mod subst;
mod symbol;
mod term;
mod traverse;
mod value;

pub use bits::{BitOp, MAX_WIDTH};
pub use bits_as_integers::{BitInteger, CommonBits, masked};
pub use eval::{Assignment, Evaluator};
pub use integers_as_bits::IntegerBits;
pub use poly::{Poly, PolyTerm};
pub use print::{Display, DisplaySort, DisplayValue, SymbolText, quote_symbol, write_rational};
pub use sort::{
    ArrayId, Constructor, ConstructorDeclaration, ConstructorTable, Datatype, DatatypeDeclaration,
    DatatypeError, DatatypeId, DatatypeTable, DeclaredId, FieldSort, RecursiveDefinition, SORT_LIMIT, Sort,
};
pub use store::Store;
pub use subst::Substitution;
pub use symbol::{Role, Signature, Symbol};
pub use term::{Term, View};
pub use value::{ArrayValue, DataValue, Value};
