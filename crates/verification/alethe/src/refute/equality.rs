//! Lemmas of equality: congruence closure over the terms of a lemma, with a proof.
//!
//! The solver says of such a lemma which terms it is about, and not why it holds. So its negated literals are made
//! edges of a forest, and so are pairs of applications whose arguments are connected; a path in the forest is a chain of
//! equations (`eq_transitive`), an edge between applications has the paths of its arguments (`eq_congruent`). The clauses
//! of all these steps propagate to the contradiction. Boolean applications are equal to `true` or `false`.

use std::collections::{BTreeMap, VecDeque};
use std::io::Write;

use shem_base::Rat;

use super::bits::is_opaque;
use super::encode::Literal;
use super::print::Printer;
use crate::error::{Result, no_step};
use crate::writer::StepName;
use crate::written::{Head, Shape, Sort, TermId, is_arithmetic_operation};

/// Why two terms are equal.
#[derive(Clone, Copy, Debug)]
enum Edge {
    /// By this equation, which the negated clause has.
    Equation(TermId),
    /// By this literal of the negated clause: the formula is true, or false.
    Value(TermId, bool),
    /// They are applications of one function to equal arguments.
    Congruence,
}

/// The terms of a lemma, and which of them are equal.
#[derive(Default)]
struct Forest {
    elements: Vec<TermId>,
    index: BTreeMap<TermId, usize>,
    /// By element: a member of its class that represents it.
    classes: Vec<usize>,
    /// By element: the edges at it.
    edges: Vec<Vec<(usize, Edge)>>,
}

impl Forest {
    fn element(&mut self, id: TermId) -> usize {
        let next = self.elements.len();
        let element = *self.index.entry(id).or_insert(next);
        if element == next {
            self.elements.push(id);
            self.classes.push(element);
            self.edges.push(Vec::new());
        }
        element
    }

    /// Returns whether that is new.
    fn merge(&mut self, a: usize, b: usize, edge: Edge) -> bool {
        let (from, to) = (self.classes[a], self.classes[b]);
        if from == to {
            return false;
        }
        self.classes.iter_mut().filter(|class| **class == from).for_each(|class| *class = to);
        self.edges[a].push((b, edge));
        self.edges[b].push((a, edge));
        true
    }

    /// The elements and edges between two elements of one class.
    fn path(&self, from: usize, to: usize) -> Vec<(usize, usize, Edge)> {
        let mut before: BTreeMap<usize, (usize, Edge)> = BTreeMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(element) = queue.pop_front() {
            if element == to {
                break;
            }
            for &(next, edge) in &self.edges[element] {
                if next != from && !before.contains_key(&next) {
                    before.insert(next, (element, edge));
                    queue.push_back(next);
                }
            }
        }
        let mut path = Vec::new();
        let mut at = to;
        while at != from {
            let (previous, edge) = before[&at];
            path.push((previous, at, edge));
            at = previous;
        }
        path.reverse();
        path
    }
}

impl<W: Write> Printer<'_, W> {
    /// Proves a clause of equations, Boolean applications and their negations; the listed terms take part.
    pub(crate) fn equality(&mut self, clause: &[Literal], listed: &[TermId]) -> Result<StepName> {
        let (truth, falsity) = {
            let terms = &mut self.encoder.script.terms;
            (terms.truth(true), terms.truth(false))
        };
        let mut forest = Forest::default();
        let (top, bottom) = (forest.element(truth), forest.element(falsity));
        let mut apart: Vec<(TermId, usize, usize)> = Vec::new();
        let mut merges: Vec<(usize, usize, Edge)> = Vec::new();
        for &(id, positive) in clause {
            let (id, even) = self.encoder.script.terms.literal(id);
            let holds = positive != even;
            let terms = &self.encoder.script.terms;
            match terms.parts(id) {
                ("=", &[a, b]) if *terms.sort(a) != Sort::Bool || !self.is_application(id) => {
                    let (a, b) = (forest.element(a), forest.element(b));
                    if holds { merges.push((a, b, Edge::Equation(id))) } else { apart.push((id, a, b)) }
                }
                _ => {
                    let element = forest.element(id);
                    merges.push((element, if holds { top } else { bottom }, Edge::Value(id, holds)));
                }
            }
        }
        for &id in listed {
            forest.element(id);
        }
        // Arguments are elements, too.
        let mut applications: Vec<(usize, Head, Vec<usize>)> = Vec::new();
        let mut next = 0;
        while next < forest.elements.len() {
            let id = forest.elements[next];
            if self.is_application(id)
                && let Shape::Apply(head, args) = self.encoder.script.terms.shape(id)
            {
                let args = args.iter().map(|&arg| forest.element(arg)).collect();
                applications.push((next, *head, args));
            }
            next += 1;
        }
        // Negations that are arguments have the opposite value.
        for (element, &id) in forest.elements.iter().enumerate() {
            let (inner, even) = self.encoder.script.terms.literal(id);
            let value = merges.iter().find_map(|&(_, _, edge)| match edge {
                Edge::Value(known, value) if known == inner && id != inner => Some(value == even),
                _ => None,
            });
            if let Some(value) = value {
                merges.push((element, if value { top } else { bottom }, Edge::Value(id, value)));
            }
        }
        for (a, b, edge) in merges {
            forest.merge(a, b, edge);
        }
        loop {
            if let Some((a, b, conclusion)) = self.contradiction(&forest, &apart, top, bottom) {
                return self.explain(&forest, a, b, conclusion, clause);
            }
            let mut changed = false;
            let mut first: BTreeMap<(Head, Vec<usize>), usize> = BTreeMap::new();
            for (element, head, args) in &applications {
                let args = args.iter().map(|&arg| forest.classes[arg]).collect();
                let other = *first.entry((*head, args)).or_insert(*element);
                changed |= forest.merge(other, *element, Edge::Congruence);
            }
            if !changed {
                return no_step("a clause whose reason was not found");
            }
        }
    }

    /// Two elements of one class that are not equal, and the equation, if it is a literal of the clause.
    fn contradiction(
        &self,
        forest: &Forest,
        apart: &[(TermId, usize, usize)],
        top: usize,
        bottom: usize,
    ) -> Option<(usize, usize, Option<TermId>)> {
        if let Some(&(id, a, b)) = apart.iter().find(|(_, a, b)| forest.classes[*a] == forest.classes[*b]) {
            return Some((a, b, Some(id)));
        }
        if forest.classes[top] == forest.classes[bottom] {
            return Some((top, bottom, None));
        }
        let mut numerals: BTreeMap<usize, (usize, Rat)> = BTreeMap::new();
        for (element, &id) in forest.elements.iter().enumerate() {
            let Some(value) = self.encoder.script.terms.signed_literal(id) else { continue };
            let (other, before) =
                numerals.entry(forest.classes[element]).or_insert((element, value.clone())).clone();
            if before != value {
                return Some((other, element, None));
            }
        }
        None
    }

    fn explain(
        &mut self,
        forest: &Forest,
        a: usize,
        b: usize,
        conclusion: Option<TermId>,
        clause: &[Literal],
    ) -> Result<StepName> {
        let mut steps = Vec::new();
        let equation = match conclusion {
            Some(equation) => equation,
            None => {
                let (a, b) = (forest.elements[a], forest.elements[b]);
                let equation = self.encoder.script.terms.equation(a, b);
                if *self.encoder.script.terms.sort(a) == Sort::Bool {
                    let negated = [(equation, false), (a, false), (b, true)];
                    steps.push(self.step("equiv_pos2", &negated, &[], &[])?);
                    steps.push(self.truth()?.1);
                    steps.push(self.step("false", &[(b, false)], &[], &[])?);
                } else {
                    steps.push(self.step("la_generic", &[(equation, false)], &[], &["1".to_owned()])?);
                }
                equation
            }
        };
        // Equations to be proved: each once, those that others need behind them.
        let mut wanted = vec![(a, b, equation)];
        let mut done: std::collections::BTreeSet<TermId> = std::collections::BTreeSet::new();
        while let Some((a, b, equation)) = wanted.pop() {
            if !done.insert(equation) {
                continue;
            }
            let path = forest.path(a, b);
            let mut chain = Vec::with_capacity(path.len());
            for &(from, to, edge) in &path {
                let (from_id, to_id) = (forest.elements[from], forest.elements[to]);
                let link = match edge {
                    Edge::Equation(id) => id,
                    // An edge of its own is the equation itself.
                    Edge::Congruence if path.len() == 1 => equation,
                    _ => self.encoder.script.terms.equation(from_id, to_id),
                };
                chain.push((link, false));
                match edge {
                    Edge::Equation(_) => {}
                    Edge::Value(id, value) => {
                        steps.push(self.boolean(link, from_id, to_id, id, value)?);
                        let constant = self.encoder.script.terms.truth(value);
                        steps.push(if value {
                            self.truth()?.1
                        } else {
                            self.step("false", &[(constant, false)], &[], &[])?
                        });
                    }
                    Edge::Congruence => {
                        self.congruence(forest, from_id, to_id, link, &mut wanted, &mut steps)?;
                    }
                }
            }
            match chain[..] {
                [] => steps.push(self.unit("eq_reflexive", equation, &[])?),
                [(link, _)] if link == equation => {}
                [link] => {
                    steps.push(self.step("eq_transitive", &[link, link, (equation, true)], &[], &[])?);
                }
                _ => {
                    chain.push((equation, true));
                    steps.push(self.step("eq_transitive", &chain, &[], &[])?);
                }
            }
        }
        self.resolution(clause, &steps)
    }

    /// The equation of a formula with its truth value.
    fn boolean(
        &mut self,
        link: TermId,
        from: TermId,
        to: TermId,
        id: TermId,
        value: bool,
    ) -> Result<StepName> {
        debug_assert!(from == id || to == id);
        let rule = if value { "equiv_neg1" } else { "equiv_neg2" };
        self.step(rule, &[(link, true), (from, !value), (to, !value)], &[], &[])
    }

    fn congruence(
        &mut self,
        forest: &Forest,
        from: TermId,
        to: TermId,
        link: TermId,
        wanted: &mut Vec<(usize, usize, TermId)>,
        steps: &mut Vec<StepName>,
    ) -> Result<()> {
        let terms = &mut self.encoder.script.terms;
        let (left, right) = (terms.parts(from).1.to_vec(), terms.parts(to).1.to_vec());
        let mut step = Vec::with_capacity(left.len() + 1);
        for (&a, &b) in left.iter().zip(&right) {
            let equal = self.encoder.script.terms.equation(a, b);
            step.push((equal, false));
            wanted.push((forest.index[&a], forest.index[&b], equal));
        }
        step.push((link, true));
        steps.push(self.step("eq_congruent", &step, &[], &[])?);
        Ok(())
    }

    /// Whether a term is an application of a function that is declared or has no rules.
    fn is_application(&self, id: TermId) -> bool {
        let terms = &self.encoder.script.terms;
        match terms.parts(id) {
            (_, []) => false,
            ("mod" | "abs" | "to_int" | "is_int" | "select" | "store", _) => true,
            ("/" | "div", _) => !is_arithmetic_operation(&self.encoder.script.terms, id),
            (name, _) => self.encoder.script.is_declared(name) || is_opaque(self.encoder.script, id),
        }
    }
}
