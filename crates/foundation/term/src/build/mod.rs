//! Builders: the only way to make terms, and where canonical forms are kept.

mod apply;
mod arith;
mod array;
mod atom;
mod bits;
mod boolean;
mod datatype;
mod linear;
mod product;
mod value;

pub(crate) use linear::LinearSum;

use crate::poly::PolyTerm;
use crate::term::Term;

/// Buffers that builders borrow, so that building a term that exists allocates nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct BuilderBuffers {
    terms: Vec<Term>,
    sum: LinearSum,
    poly: Vec<PolyTerm>,
}
