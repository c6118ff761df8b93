//! shem-term
