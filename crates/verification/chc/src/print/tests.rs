//! Golden cases of the printers.
