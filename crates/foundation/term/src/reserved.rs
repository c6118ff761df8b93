//! The words of SMT-LIB that are no symbols unless they are quoted.

/// Words with a meaning of their own in terms and sorts. The reader numbers them in this order.
pub(crate) const RESERVED: [&str; 13] = [
    "let",
    "forall",
    "exists",
    "!",
    "_",
    "as",
    "match",
    "par",
    "BINARY",
    "DECIMAL",
    "HEXADECIMAL",
    "NUMERAL",
    "STRING",
];

/// Names of commands. Our reader knows a command by its place and takes them as symbols elsewhere; the standard
/// reserves them, so they are printed quoted.
pub(crate) const COMMANDS: [&str; 31] = [
    "assert",
    "check-sat",
    "check-sat-assuming",
    "declare-const",
    "declare-datatype",
    "declare-datatypes",
    "declare-fun",
    "declare-sort",
    "define-const",
    "define-fun",
    "define-fun-rec",
    "define-funs-rec",
    "define-sort",
    "echo",
    "exit",
    "get-assertions",
    "get-assignment",
    "get-info",
    "get-model",
    "get-option",
    "get-proof",
    "get-unsat-assumptions",
    "get-unsat-core",
    "get-value",
    "pop",
    "push",
    "reset",
    "reset-assertions",
    "set-info",
    "set-logic",
    "set-option",
];
