//! shem-base
