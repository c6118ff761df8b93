//! Tests of the congruence closure and of the theories on top of it.

mod cases;
mod certificates;
mod datatype_cases;
mod datatypes;
mod oracle;
mod sequences;
mod values;
