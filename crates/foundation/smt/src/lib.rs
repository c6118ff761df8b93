//! shem-smt
