//! Shem as a library: decides systems of constrained Horn clauses over integers, reals, truth values, bit-vectors,
//! arrays and datatypes.
//!
//! A [`Problem`] is a system of clauses with the [`Store`] of its terms. It is built by calls or read from SMT-LIB
//! text ([`Problem::parse`]). [`Problem::solve`] decides it: by the default strategy, which runs several engines in
//! threads of this process, or by one engine. The [`Answer`] has the verdict with its witness, a [`Model`] or a
//! [`Derivation`], which was validated on the clauses as they were given, by code that shares nothing with the
//! engines; [`Answer::checked`] says so.
//!
//! # A program with a loop
//!
//! Is `y <= x` always true in `x = 0; y = 0; while (*) { x = x + 2; y = y + 1; }`? A predicate `Inv` stands for the
//! states in which the loop condition is evaluated. Three clauses say what is known of it, and the last one asks for
//! a state that must not be there.
//!
//! ```
//! use libshem::{Checked, Options, Problem, Sort, Value, Verdict};
//!
//! let mut problem = Problem::new();
//! let inv = problem.declare("Inv", &[Sort::Int, Sort::Int])?;
//!
//! // Terms of the problem. What does not fit is an error, and calls nest.
//! let s = problem.terms();
//! let (x, y) = (s.variable("x", Sort::Int), s.variable("y", Sort::Int));
//! let start = s.and(&[s.eq(x, s.int(0))?, s.eq(y, s.int(0))?])?;
//! // A predicate applied to terms is an atom.
//! let here = s.apply(inv, &[x, y])?;
//! let next = s.apply(inv, &[s.add(&[x, s.int(2)])?, s.add(&[y, s.int(1)])?])?;
//! let bad = s.gt(y, x)?;
//!
//! // A clause has a body, a list of constraints and atoms, and a head. Its variables are universal.
//! problem.clause(&[start], here)?;
//! problem.clause(&[here], next)?;
//! // A query is a clause whose head is false.
//! problem.query(&[here, bad])?;
//!
//! let answer = problem.solve(&Options::default())?;
//! assert!(matches!(answer.verdict, Verdict::Sat(_)), "the bad states cannot be reached");
//! assert_eq!(answer.checked, Checked::Witness, "the model was validated");
//!
//! // The model defines each predicate: here it is an inductive invariant of the loop.
//! let model = answer.model().expect("a model");
//! let at = |x: i64, y: i64| model.holds(problem.store(), inv, &[Value::Num(x.into()), Value::Num(y.into())]);
//! assert_eq!((at(4, 2), at(0, 1)), (Some(true), Some(false)));
//! assert!(problem.model_text(model).contains("(define-fun Inv ((x Int) (y Int)) Bool"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What else there is
//!
//! - *Sat* means that the clauses have a model, so that no query can be derived: the program is safe. *Unsat* comes
//!   with a derivation of falsehood, whose steps have values: a run of the program to a bad state.
//! - [`Problem::declare_datatypes`], [`Terms::array_sort`] and [`Sort::bit_vec`] make sorts; [`Terms::bit_operation`] has
//!   the operations on bit-vectors.
//! - [`Problem::store_mut`] gives the store itself, whose builders check nothing but are without a `Result`.
//! - [`Options`] choose an engine with its settings, set [`Limits`] of time and memory, and carry a [`StopToken`] that
//!   another thread may stop. Whatever ends a search early, the verdict is *unknown* with the [reason](Undecided).
//! - [`Model::apply`] turns a predicate into its definition, a term like others: [`smt`] has the incremental solver,
//!   which can be asked about it.
//! - With the feature `scripts`, `script` has the interpreter of SMT-LIB scripts: a conversation with the solver.
//! - Mistakes of the caller are typed: [`BuildError`], and [`ParseError`] with line and column. A [`Fault`] is a
//!   mistake of ours that was noticed; there is no answer then.
//!
//! # Builds of dependents
//!
//! A solver without optimisation is fifty times slower. Cargo builds dependencies as the profile of *your* package says, so
//! put this into its `Cargo.toml`; your own code is still built without optimisation:
//!
//! ```toml
//! [profile.dev.package."*"]
//! opt-level = 2
//! ```
//!
//! The folder `examples` has a program for each of these. A [`Problem`] and its answers may be sent to another thread.
//! Messages go to the facade `log`; nothing is printed, and no process is started unless [`Options::workers`] says how. A
//! program may be its own worker: [`run_worker`].

mod error;
mod limits;
mod options;
mod problem;
mod termination;
mod terms;

pub use error::ParseError;
pub use limits::Limits;
pub use options::{Options, Workers};
pub use problem::{Problem, canonical_term};
pub use termination::Runs;
pub use terms::{Expression, IntoTerm, Terms};

pub use shem_base::{BitVec, Int, Rat, Statistic, Statistics, StopToken, UnknownReason};
pub use shem_chc::{
    Atom, BuildError, Clause, ClauseId, Definition, DefinitionText, Derivation, Model, Predicate,
    PredicateId, Shape, Step, StepId, System,
};
pub use shem_decide::allocator::CountingAllocator;
pub use shem_decide::{
    Answer, Cause, Checked, Fault, NoWitness, Observer, Shortening, ShorterDerivation, Undecided, Verdict,
    Witness, resident, run_worker,
};
pub use shem_engine::{
    Answers, EngineChoice, EngineDescription, Events, Progress, Reason, Registry, SettingError, Theories,
    UnknownEngine,
};
pub use shem_term::smtlib::{ErrorKind, Span};
pub use shem_term::{
    ConstructorDeclaration, DatatypeDeclaration, FieldSort, Sort, Store, Symbol, Term, Value, View,
    quote_symbol,
};
/// Whether all runs end: see [`Runs::terminates`].
pub use shem_termination::Answer as Termination;
pub use shem_transform::DisabledPasses;

/// Conversations with the solver in SMT-LIB: commands as text in, answers out.
#[cfg(feature = "scripts")]
pub mod script {
    pub use shem_script::options::RunOptions;
    pub use shem_script::smt::{Interrupt, Options, Outcome, run_interruptible, run_stream, run_text};
}

/// The incremental solver for arithmetic, functions, bit-vectors, arrays and datatypes, over the terms of a [`Store`].
pub mod smt {
    pub use shem_base::Budget;
    pub use shem_smt::{Answer, Model, Refutation, Solution, Solver, SolverOptions, Status};
}
