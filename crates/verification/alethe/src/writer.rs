//! Proofs as Alethe text, written command by command.
//!
//! Alethe is the format of proofs that the checker Carcara reads: assumptions, which are assertions of the problem, and
//! steps, each with a clause, a rule, the steps that it follows from and arguments of the rule. A [`Writer`] numbers the
//! commands and keeps nothing of what it wrote, so that a proof of any length takes no memory. What terms look like is
//! their business: whatever can be displayed is a term here.
//!
//! Terms that occur often are [defined](Writer::define) once, as functions of what changes in them; a checker takes an
//! application of such a function for its body.
//!
//! ```
//! use shem_alethe::{Not, Writer};
//!
//! let mut text = Vec::new();
//! let mut proof = Writer::new(&mut text);
//! let both = proof.assume(&"(and p (not p))")?;
//! let first = proof.step("and", &[&"p"], &[both], &[&0])?;
//! let second = proof.step("and", &[&Not("p")], &[both], &[&1])?;
//! proof.step("resolution", &[], &[first, second], &[])?;
//! assert_eq!(proof.steps(), 3);
//! assert_eq!(
//!     String::from_utf8(text).unwrap().lines().last(),
//!     Some("(step t3 (cl) :rule resolution :premises (t1 t2))"),
//! );
//! # Ok::<(), std::io::Error>(())
//! ```

use std::fmt::{self, Display};
use std::io::{self, Write};

/// The name of a command that others refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepName {
    /// An assumption, by its number.
    Assumption(u64),
    /// A step, by its number.
    Step(u64),
}

impl Display for StepName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepName::Assumption(number) => write!(f, "h{number}"),
            StepName::Step(number) => write!(f, "t{number}"),
        }
    }
}

/// The negation of a term.
#[derive(Clone, Copy, Debug)]
pub struct Not<T>(pub T);

impl<T: Display> Display for Not<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(not {})", self.0)
    }
}

/// A function or connective applied to terms; the name alone if there are none.
#[derive(Clone, Copy, Debug)]
pub struct Apply<'a, T>(pub &'a str, pub &'a [T]);

impl<T: Display> Display for Apply<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Apply(name, args) = self;
        if args.is_empty() {
            return f.write_str(name);
        }
        write!(f, "({name}")?;
        args.iter().try_for_each(|arg| write!(f, " {arg}"))?;
        f.write_str(")")
    }
}

/// An equation, or an equivalence.
#[derive(Clone, Copy, Debug)]
pub struct Equal<A, B>(pub A, pub B);

impl<A: Display, B: Display> Display for Equal<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(= {} {})", self.0, self.1)
    }
}

/// Writes a proof.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    assumptions: u64,
    steps: u64,
}

impl<W: Write> Writer<W> {
    /// A proof without commands.
    pub fn new(out: W) -> Writer<W> {
        Writer { out, assumptions: 0, steps: 0 }
    }

    /// The number of steps so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// An assertion of the problem. All come before the first step.
    pub fn assume(&mut self, term: &dyn Display) -> io::Result<StepName> {
        let name = StepName::Assumption(self.assumptions);
        self.assumptions += 1;
        writeln!(self.out, "(assume {name} {term})")?;
        Ok(name)
    }

    /// Defines a function with parameters, given by names and sorts. Names begin with `@`, as those of the input do not.
    pub fn define(
        &mut self,
        name: &str,
        parameters: &[(&str, &str)],
        sort: &str,
        body: &dyn Display,
    ) -> io::Result<()> {
        debug_assert!(name.starts_with('@'), "{name} may be a name of the input");
        write!(self.out, "(define-fun {name} (")?;
        for (i, (parameter, sort)) in parameters.iter().enumerate() {
            let space = if i == 0 { "" } else { " " };
            write!(self.out, "{space}({parameter} {sort})")?;
        }
        writeln!(self.out, ") {sort} {body})")
    }

    /// A step: the clause, which follows by the rule from those of the premises.
    pub fn step(
        &mut self,
        rule: &str,
        clause: &[&dyn Display],
        premises: &[StepName],
        args: &[&dyn Display],
    ) -> io::Result<StepName> {
        self.steps += 1;
        let name = StepName::Step(self.steps);
        write!(self.out, "(step {name} (cl")?;
        clause.iter().try_for_each(|literal| write!(self.out, " {literal}"))?;
        write!(self.out, ") :rule {rule}")?;
        write_list(&mut self.out, ":premises", premises)?;
        write_list(&mut self.out, ":args", args)?;
        writeln!(self.out, ")")?;
        Ok(name)
    }

    /// Gives the output back.
    pub fn finish(self) -> W {
        self.out
    }
}

fn write_list<T: Display>(out: &mut impl Write, keyword: &str, items: &[T]) -> io::Result<()> {
    for (i, item) in items.iter().enumerate() {
        match i {
            0 => write!(out, " {keyword} ({item}")?,
            _ => write!(out, " {item}")?,
        }
    }
    if items.is_empty() { Ok(()) } else { write!(out, ")") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands() {
        let mut text = Vec::new();
        let mut proof = Writer::new(&mut text);
        let all = proof.assume(&"(forall ((x Int)) (p x))").expect("written");
        proof.define("@p", &[("x", "Int"), ("y", "Int")], "Bool", &Apply("p", &["x"])).expect("written");
        let instance = Apply("or", &[Not(Apply("@p", &[1, 2])), Not(Apply("q", &[]))]);
        let first = proof.step("forall_inst", &[&instance], &[], &[&1, &2]).expect("written");
        proof.step("resolution", &[&Equal(1, 2), &Not("q")], &[all, first], &[]).expect("written");
        let expected = "(assume h0 (forall ((x Int)) (p x)))
(define-fun @p ((x Int) (y Int)) Bool (p x))
(step t1 (cl (or (not (@p 1 2)) (not q))) :rule forall_inst :args (1 2))
(step t2 (cl (= 1 2) (not q)) :rule resolution :premises (h0 t1))
";
        assert_eq!(String::from_utf8(text).expect("text"), expected);
    }
}
