//! `get-interpolants`: one formula for each group of assertions but the last.
//!
//! A group names assertions or assumptions of the last query. What no group names belongs to the last one.

use shem_smt::interpolate::{ItpError, Partition};
use shem_term::Term;
use shem_term::smtlib::{ErrorKind, InterpolationGroup, ReadError, Span};

use super::interpreter::Interpreter;
use super::judge;
use super::last::Last;
use super::print::list;
use super::respond::out_of_place;
use crate::conversation::Halt;

impl Interpreter<'_> {
    /// The interpolants of these groups in parentheses.
    pub(super) fn interpolants_text(
        &mut self,
        last: &mut Last<'_>,
        groups: &[InterpolationGroup],
        span: Span,
    ) -> Result<String, Halt> {
        let Last::Unsat { refutation, assumptions, gave_up } = last else {
            let message = "there are no interpolants: the last command was not an unsatisfiable query";
            return Err(out_of_place(span, message));
        };
        let texts = assumptions.iter().flatten().map(|text| unquoted(text));
        let assumptions: Vec<(Term, &str)> = refutation.assumptions().zip(texts).collect();
        let root = groups.len() - 1;
        let partition = self.partition(groups, &assumptions)?;
        // The parent of a group is the next one whose subtree contains it.
        let parent = |group: usize| (group + 1..=root).find(|&next| groups[next].subtree <= group);
        let parents: Vec<usize> = (0..=root).map(|group| parent(group).unwrap_or(root)).collect();
        let options = self.talk.script.interpolation.clone();
        let (mut budget, deadline) = self.budget();
        let found =
            refutation.tree_interpolants(&mut self.store, &partition, &parents, &options, &mut budget);
        drop(deadline);
        let found = match found {
            Ok(found) => found,
            Err(ItpError::Unknown(reason)) => {
                *gave_up = Some(reason);
                return Ok("unknown".to_owned());
            }
            Err(error) => return Err(out_of_place(span, error.to_string())),
        };
        if self.options.check_interpolants {
            let mut formulas: Vec<Vec<Term>> = vec![Vec::new(); groups.len()];
            for (number, assertion) in self.assertions.list.iter().enumerate() {
                formulas[partition.group(number as u32)].push(assertion.formula);
            }
            for &(term, _) in &assumptions {
                formulas[partition.group_of_assumption(term)].push(term);
            }
            judge::check_interpolants(&mut self.store, &formulas, &parents, &found).map_err(Halt::Failure)?;
        }
        Ok(list(found.iter().map(|&term| self.store.display(term)), "\n "))
    }

    /// Which group each assertion and assumption belongs to.
    fn partition(
        &self,
        groups: &[InterpolationGroup],
        assumptions: &[(Term, &str)],
    ) -> Result<Partition, ReadError> {
        let mut partition = Partition::new(groups.len());
        let mut taken = vec![false; self.assertions.list.len()];
        let members = groups
            .iter()
            .enumerate()
            .flat_map(|(group, members)| members.names.iter().map(move |name| (group, name)));
        for (group, &(name, place)) in members {
            let text = self.reader.name(name);
            if let Some(number) = self.assertions.list.iter().position(|a| a.name == Some(name)) {
                if std::mem::replace(&mut taken[number], true) {
                    let message = format!("the assertion {text} is in two groups");
                    return Err(ReadError::new(ErrorKind::Syntax, place, message));
                }
                partition.assign(number as u32, group);
            } else {
                let message = || format!("no assertion in force has the name {text}");
                let unknown = || ReadError::new(ErrorKind::Unknown, place, message());
                let found = assumptions.iter().find(|assumption| assumption.1 == text);
                partition.assign_assumption(found.ok_or_else(unknown)?.0, group);
            }
        }
        Ok(partition)
    }
}

/// A symbol as it was written, without the bars around it.
fn unquoted(text: &str) -> &str {
    text.strip_prefix('|').and_then(|rest| rest.strip_suffix('|')).unwrap_or(text)
}
