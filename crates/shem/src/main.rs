//! shem
fn main() {}
