//! Cases of the reader.
