//! The languages in which problems are written. A text is recognised here and nowhere else: `input_format` tells the
//! languages of Horn problems apart, `horn_script` whether a script of SMT-LIB is a Horn problem at all.

mod horn_script;
mod input_format;

pub(crate) use horn_script::{is_horn_without_logic, split_opening};
pub(crate) use input_format::{
    CircuitFormat, Contents, InputFormat, read_contents, read_systems, recognise, text_of_bytes,
};
