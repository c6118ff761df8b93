//! Printing of operations on bit-vectors, by names that z3, cvc5 and Bitwuzla read.

use std::fmt;

use super::term::{Job, Printer};
use crate::bits::BitOp;
use crate::sort::Sort;
use crate::symbol::{Role, Symbol};
use crate::term::{Term, View};

impl Printer<'_> {
    /// An operation on bit-vectors. Products with -1 are negatives, and negated conjunctions of negations disjunctions.
    pub(super) fn bits(
        &mut self,
        op: BitOp,
        args: &[Term],
        result: Sort,
        out: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let store = self.store;
        match op {
            BitOp::Constant(number) => return write!(out, "{}", store.bit_value(number)),
            BitOp::Extract { high, low } => write!(out, "((_ extract {high} {low})")?,
            BitOp::SignExtend(by) => write!(out, "((_ sign_extend {by})")?,
            BitOp::FromInt => write!(out, "((_ int_to_bv {})", result.bit_width().unwrap_or(0))?,
            BitOp::Multiply if store.as_bit_vector(args[0]).is_some_and(|factor| factor.is_ones()) => {
                out.write_str("(bvneg")?;
                if args.len() > 2 {
                    self.jobs.push(Job::Close(1));
                    self.jobs.push(Job::Close(1));
                    self.jobs.extend(args[1..].iter().rev().map(|&arg| Job::Spaced(arg)));
                    return out.write_str(" (bvmul");
                }
                self.arguments(args[1..].iter().copied());
                return Ok(());
            }
            BitOp::Not if store.is_negated_disjunction(args[0]) && !self.is_named(args[0]) => {
                out.write_str("(bvor")?;
                self.jobs.push(Job::Close(1));
                let members = store.as_bit_op(args[0]).map_or(&[][..], |(_, members)| members);
                for &member in members.iter().rev() {
                    match (store.as_bit_vector(member), store.as_bit_op(member)) {
                        (Some(mask), _) => self.jobs.push(Job::Owned(format!(" {}", mask.not()))),
                        (None, Some((BitOp::Not, &[inner]))) if !self.is_named(member) => {
                            self.jobs.push(Job::Spaced(inner));
                        }
                        // By its name, so that no text is written twice.
                        _ => self.jobs.extend([Job::Close(1), Job::Spaced(member), Job::Text(" (bvnot")]),
                    }
                }
                return Ok(());
            }
            _ => write!(out, "({}", op.name())?,
        }
        self.arguments(args.iter().copied());
        Ok(())
    }

    /// Whether the negation of the term has a name of its own: that of the strict comparison.
    pub(super) fn has_strict_form(&self, view: View<'_>) -> bool {
        match view {
            View::App(symbol, _) => {
                let role = self.store.role(symbol);
                let is_comparison = matches!(role, Role::Bits(BitOp::LessEqual | BitOp::SignedLessEqual));
                is_comparison && self.symbols.and_then(|text| text(symbol)).is_none()
            }
            _ => false,
        }
    }

    /// The negation of `a <= b`.
    pub(super) fn strict_form(
        &mut self,
        symbol: Symbol,
        a: Term,
        b: Term,
        out: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let signed = self.store.role(symbol) == Role::Bits(BitOp::SignedLessEqual);
        out.write_str(if signed { "(bvslt" } else { "(bvult" })?;
        self.arguments([b, a].into_iter());
        Ok(())
    }
}
