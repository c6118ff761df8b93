//! Witnesses and systems as text.
//!
//! Everything is written piece by piece to a writer, and formulas with `let` for what they share, so that the
//! output is linear in what is written about.

mod clause;
mod hyper_resolution;
mod intermediate;
mod layout;
mod legacy;
mod model;
mod sorts;
mod source;
mod system;

pub use clause::reserved_names;
pub use hyper_resolution::write_hyper_resolution;
pub use intermediate::{InstanceFinder, WitnessError, write_intermediate};
pub use legacy::write_legacy;
pub use model::{DefinitionText, model_texts, size_texts, write_model, write_plain_model};
pub use sorts::write_sorts;
pub(crate) use sorts::write_sorts_of;
pub use system::{write_fixed_point, write_system};
