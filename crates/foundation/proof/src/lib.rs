//! shem-proof
