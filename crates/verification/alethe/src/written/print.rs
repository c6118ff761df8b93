//! The text of terms.

use std::borrow::Cow;
use std::fmt::Write as _;

use shem_term::quote_symbol;

use super::bits::is_reserved;
use super::terms::{Head, Shape, TermId, Terms, VariableId};

/// What is left to write.
enum Job {
    Term(TermId),
    Text(&'static str),
}

impl Terms {
    /// Writes a term. What `leaf` writes and returns true for is not looked into: terms that have a name.
    pub(crate) fn write(&self, out: &mut String, term: TermId, leaf: &dyn Fn(&mut String, TermId) -> bool) {
        if !leaf(out, term) {
            self.write_inside(out, term, leaf);
        }
    }

    /// Writes what a term consists of, whether it has a name or not.
    pub(crate) fn write_inside(
        &self,
        out: &mut String,
        term: TermId,
        leaf: &dyn Fn(&mut String, TermId) -> bool,
    ) {
        let mut jobs = Vec::new();
        self.begin(out, term, &mut jobs);
        while let Some(job) = jobs.pop() {
            match job {
                Job::Text(text) => out.push_str(text),
                Job::Term(term) => {
                    if !leaf(out, term) {
                        self.begin(out, term, &mut jobs);
                    }
                }
            }
        }
    }

    /// Writes the beginning of a term; the rest is added to the jobs.
    fn begin(&self, out: &mut String, term: TermId, jobs: &mut Vec<Job>) {
        match self.shape(term) {
            Shape::Number(value, false) => {
                let _ = write!(out, "{}", value.numer());
            }
            Shape::Number(value, true) if value.is_integer() => {
                let _ = write!(out, "{}.0", value.numer());
            }
            Shape::Number(value, true) => {
                let _ = write!(out, "(/ {} {})", value.numer(), value.denom());
            }
            Shape::Variable(variable) => out.push_str(&quote_symbol(&self.variable(*variable).name)),
            Shape::Quantifier(_) => {
                let quantifier = self.quantifier(term).expect("a quantifier");
                let word = if quantifier.universal { "forall" } else { "exists" };
                self.write_binders(out, word, &quantifier.variables);
                out.push(' ');
                jobs.extend([Job::Text(")"), Job::Term(quantifier.body())]);
            }
            Shape::Apply(head, args) if args.is_empty() => out.push_str(&self.head_text(*head)),
            Shape::Apply(head, args) => {
                let _ = write!(out, "({}", self.head_text(*head));
                jobs.push(Job::Text(")"));
                jobs.extend(args.iter().rev().flat_map(|&arg| [Job::Term(arg), Job::Text(" ")]));
            }
        }
    }

    fn head_text(&self, head: Head) -> Cow<'_, str> {
        let name = self.head_name(head);
        if is_reserved(name) { name.into() } else { quote_symbol(name) }
    }

    /// Writes the beginning of a quantified formula, up to its body.
    pub(crate) fn write_binders(&self, out: &mut String, quantifier: &str, variables: &[VariableId]) {
        let _ = write!(out, "({quantifier} (");
        for (i, &variable) in variables.iter().enumerate() {
            let space = if i == 0 { "" } else { " " };
            let variable = self.variable(variable);
            let _ = write!(out, "{space}({} {})", quote_symbol(&variable.name), variable.sort.text());
        }
        out.push(')');
    }
}
