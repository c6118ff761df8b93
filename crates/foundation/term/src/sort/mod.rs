//! Sorts: their handles, the table that interns them, and datatypes.

mod analysis;
mod datatype;
mod fold;
mod handle;
mod size;
mod table;

pub use datatype::{
    Constructor, ConstructorDeclaration, Datatype, DatatypeDeclaration, DatatypeError, FieldSort,
};
pub use fold::{ConstructorTable, DatatypeTable};
pub use handle::{ArrayId, DatatypeId, DeclaredId, Sort};
pub use size::RecursiveDefinition;
pub use table::SORT_LIMIT;
pub(crate) use table::SortTable;
