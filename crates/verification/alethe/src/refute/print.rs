//! The solver's proof as Alethe text.
//!
//! Every term that has arguments is defined under a name of its own before its first use, so that the text grows with
//! the number of terms and not with their depth. Steps of resolution leave it to the checker to find the pivots:
//! unit propagation from the negated clause suffices, because each step is a linear resolution.

use std::fmt::{Display, Write as _};
use std::io::Write;

use rustc_hash::{FxHashMap, FxHashSet};
use shem_base::{Lit, Rat, Var};
use shem_justify::{Meaning, NodeMeaning, NumberMeaning, Translation};
use shem_proof::{LemmaKind, LinearAtom, Origin, Proof, Rule};
use shem_term::{Symbol, Term, View};

use super::encode::{Encoder, Literal, Reason};
use crate::error::{ProofError, Result, no_step};
use crate::writer::{StepName, Writer};
use crate::written::{Forms, Linear, Shape, Sort, TermId};

/// Prints the proof; returns the number of steps.
pub(crate) fn print(encoder: Encoder<'_>, proof: &Proof, out: impl Write) -> Result<u64> {
    let mut printer = Printer {
        encoder,
        writer: Writer::new(out),
        defined: FxHashSet::default(),
        vars: FxHashMap::default(),
        nodes: FxHashMap::default(),
        tautologies: FxHashSet::default(),
        reasons: FxHashMap::default(),
        units: FxHashMap::default(),
        atoms: FxHashMap::default(),
    };
    printer.assume(proof)?;
    // Two variables of the solver may be written alike, and a clause about both has a literal and its negation then.
    // Such clauses are not written: resolution with them changes nothing, and Carcara 1.1.0 takes the two literals for
    // resolved with each other, so a mistake in a step that uses such a clause would not be seen.
    let mut steps: Vec<Option<StepName>> = Vec::with_capacity(proof.len());
    for step in proof.steps() {
        let mut clause = Vec::with_capacity(proof.clause(step).len());
        for &lit in proof.clause(step) {
            clause.push(printer.of_lit(lit)?);
        }
        if printer.is_tautology(&clause) {
            steps.push(None);
            continue;
        }
        let name = match proof.rule(step) {
            Rule::Input(Origin::Assertion(number)) => printer.input(number, &clause)?,
            Rule::Input(Origin::Definition) => printer.meaning(&clause)?,
            Rule::Lemma { kind: LemmaKind::Farkas, coeffs, .. } => printer.farkas(&clause, coeffs)?,
            Rule::Lemma { kind: LemmaKind::Dioph, coeffs, .. } => printer.dioph(&clause, coeffs)?,
            Rule::Lemma { kind: LemmaKind::Bridge, .. } => printer.meaning(&clause)?,
            Rule::Lemma { kind: LemmaKind::Equality, nodes, .. } => {
                let mut listed = Vec::with_capacity(nodes.len());
                for &node in nodes {
                    listed.push(printer.of_node(node)?);
                }
                printer.equality(&clause, &listed)?
            }
            Rule::Resolution { first, rest } => {
                let mut premises: Vec<StepName> = steps[first.index()].into_iter().collect();
                premises.extend(rest.iter().filter_map(|resolution| steps[resolution.premise.index()]));
                match &premises[..] {
                    [] => return no_step("a clause follows from tautologies"),
                    &[premise] => premise,
                    _ => printer.resolution(&clause, &premises)?,
                }
            }
        };
        steps.push(Some(name));
    }
    match proof.conclusion() {
        [] => Ok(printer.writer.steps()),
        _ => no_step("the last clause is not empty"),
    }
}

/// The state of printing.
pub(crate) struct Printer<'p, W> {
    pub(crate) encoder: Encoder<'p>,
    writer: Writer<W>,
    defined: FxHashSet<TermId>,
    vars: FxHashMap<Var, Literal>,
    nodes: FxHashMap<u32, TermId>,
    /// Steps whose clauses have a literal and its negation.
    tautologies: FxHashSet<StepName>,
    /// The steps of inputs, by number of assertion.
    reasons: FxHashMap<u32, StepName>,
    /// The steps of formulas that hold by themselves.
    pub(crate) units: FxHashMap<TermId, StepName>,
    /// The forms of the solver's inequalities, less their bounds.
    pub(crate) atoms: FxHashMap<TermId, Linear>,
}

impl<W: Write> Printer<'_, W> {
    /// Writes down the premises that are used.
    fn assume(&mut self, proof: &Proof) -> Result<()> {
        for step in proof.steps() {
            let Rule::Input(Origin::Assertion(number)) = proof.rule(step) else { continue };
            let Reason::Premise(premise) = self.encoder.reasons[number as usize] else { continue };
            if !self.reasons.contains_key(&number) {
                let text = self.text(premise)?;
                self.reasons.insert(number, self.writer.assume(&text)?);
            }
        }
        Ok(())
    }

    /// Whether a clause has a literal and its negation.
    fn is_tautology(&self, clause: &[Literal]) -> bool {
        let terms = &self.encoder.script.terms;
        let mut seen: FxHashMap<TermId, bool> = FxHashMap::default();
        clause.iter().any(|&(id, positive)| {
            let (id, even) = terms.literal(id);
            let positive = positive == even;
            seen.insert(id, positive).is_some_and(|before| before != positive)
        })
    }

    /// The text of a term.
    fn text(&mut self, id: TermId) -> Result<String> {
        let (inner, _) = self.encoder.script.terms.literal(id);
        let mut stack = vec![inner];
        while let Some(&id) = stack.last() {
            let terms = &self.encoder.script.terms;
            let args = terms.parts(id).1;
            if args.is_empty() || self.defined.contains(&id) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let missing = args.iter().map(|&arg| terms.literal(arg).0);
            stack
                .extend(missing.filter(|arg| !terms.parts(*arg).1.is_empty() && !self.defined.contains(arg)));
            if stack.len() > before {
                continue;
            }
            let mut body = String::new();
            terms.write_inside(&mut body, id, &|out, part| self.write_name(out, part));
            self.writer.define(&format!("{id:?}"), &[], &terms.sort(id).text(), &body)?;
            self.defined.insert(id);
            stack.pop();
        }
        let mut text = String::new();
        self.encoder.script.terms.write(&mut text, id, &|out, part| self.write_name(out, part));
        Ok(text)
    }

    /// Writes the name of a term that is defined: all that have arguments are, but for negations.
    fn write_name(&self, out: &mut String, id: TermId) -> bool {
        let (head, args) = self.encoder.script.terms.parts(id);
        let defined = !args.is_empty() && head != "not";
        if defined {
            let _ = write!(out, "{id:?}");
        }
        defined
    }

    pub(crate) fn step(
        &mut self,
        rule: &str,
        clause: &[Literal],
        premises: &[StepName],
        args: &[String],
    ) -> Result<StepName> {
        let is_tautology = self.is_tautology(clause);
        let mut texts = Vec::with_capacity(clause.len());
        for &(id, positive) in clause {
            let text = self.text(id)?;
            texts.push(if positive { text } else { format!("(not {text})") });
        }
        let clause: Vec<&dyn Display> = texts.iter().map(|text| text as _).collect();
        let args: Vec<&dyn Display> = args.iter().map(|arg| arg as _).collect();
        let name = self.writer.step(rule, &clause, premises, &args)?;
        if is_tautology {
            self.tautologies.insert(name);
        }
        Ok(name)
    }

    /// The clause follows from the others by unit propagation, for which tautologies are of no use. One premise is given
    /// twice, as the rule wants two.
    pub(crate) fn resolution(&mut self, clause: &[Literal], premises: &[StepName]) -> Result<StepName> {
        let useful: Vec<StepName> =
            premises.iter().copied().filter(|premise| !self.tautologies.contains(premise)).collect();
        let premises = if useful.is_empty() { premises } else { &useful };
        match premises {
            &[premise] => self.step("resolution", clause, &[premise, premise], &[]),
            _ => self.step("resolution", clause, premises, &[]),
        }
    }

    /// A formula that holds by a rule alone.
    pub(crate) fn unit(&mut self, rule: &str, id: TermId, args: &[String]) -> Result<StepName> {
        if let Some(&known) = self.units.get(&id) {
            return Ok(known);
        }
        let name = self.step(rule, &[(id, true)], &[], args)?;
        self.units.insert(id, name);
        Ok(name)
    }

    pub(crate) fn truth(&mut self) -> Result<(TermId, StepName)> {
        let truth = self.encoder.script.terms.truth(true);
        Ok((truth, self.unit("true", truth, &[])?))
    }

    /// An input clause, which may have fewer literals than the step that proves it.
    fn input(&mut self, number: u32, clause: &[Literal]) -> Result<StepName> {
        let reason = self.encoder.reasons[number as usize].clone();
        if let Some(&known) = self.reasons.get(&number) {
            return Ok(known);
        }
        let name = match reason {
            // An assertion may have several clauses.
            Reason::Meaning => return self.meaning(clause),
            Reason::Premise(_) => return no_step("a premise is not assumed"),
            Reason::Rule(rule, clause, arg) => {
                let args: Vec<String> = arg.iter().map(usize::to_string).collect();
                self.step(rule, &clause, &[], &args)?
            }
            Reason::Equivalence(rule, left, right, forward) => {
                let equation = self.encoder.script.terms.equation(left, right);
                let premise = self.unit(rule, equation, &[])?;
                let rule = if forward { "equiv1" } else { "equiv2" };
                self.step(rule, &[(left, !forward), (right, forward)], &[premise], &[])?
            }
            Reason::Branch(conditional, then) => self.branch(conditional, then)?,
        };
        self.reasons.insert(number, name);
        Ok(name)
    }

    /// A conditional is equal to its branch.
    fn branch(&mut self, conditional: TermId, then: bool) -> Result<StepName> {
        let terms = &mut self.encoder.script.terms;
        let &[condition, first, second] = terms.parts(conditional).1 else {
            return no_step("a conditional without branches");
        };
        let (first, second) = (terms.equation(conditional, first), terms.equation(conditional, second));
        let choice = terms.formula("ite", &[condition, first, second]);
        let truth = terms.truth(true);
        let both = terms.formula("and", &[truth, choice]);
        let equation = terms.equation(truth, both);
        let holds = self.truth()?.1;
        let premise = self.unit("ite_intro", equation, &[])?;
        let implied = self.step("equiv1", &[(truth, false), (both, true)], &[premise], &[])?;
        let part = self.step("and_pos", &[(both, false), (choice, true)], &[], &["1".to_owned()])?;
        let (rule, equal) = if then { ("ite_pos2", first) } else { ("ite_pos1", second) };
        let case = self.step(rule, &[(choice, false), (condition, !then), (equal, true)], &[], &[])?;
        self.resolution(&[(condition, !then), (equal, true)], &[holds, implied, part, case])
    }

    /// A clause that follows from what its literals say.
    pub(crate) fn meaning(&mut self, clause: &[Literal]) -> Result<StepName> {
        let terms = &mut self.encoder.script.terms;
        let mut seen: FxHashMap<TermId, bool> = FxHashMap::default();
        for &(id, positive) in clause {
            let (id, even) = terms.literal(id);
            let positive = positive == even;
            if matches!((terms.parts(id).0, positive), ("true", true) | ("false", false)) {
                let rule = if positive { "true" } else { "false" };
                let premise = self.step(rule, &[(id, positive)], &[], &[])?;
                return if clause.len() == 1 { Ok(premise) } else { self.resolution(clause, &[premise]) };
            }
            if seen.insert(id, positive).is_some_and(|before| before != positive) {
                let twice = terms.not(id);
                let twice = terms.not(twice);
                let premise = self.step("not_not", &[(twice, false), (id, true)], &[], &[])?;
                return self.resolution(clause, &[premise]);
            }
        }
        if let Some(step) = self.arithmetic(clause)? {
            return Ok(step);
        }
        self.equality(clause, &[])
    }

    fn of_lit(&mut self, lit: Lit) -> Result<Literal> {
        let (id, positive) = match self.vars.get(&lit.var()) {
            Some(&known) => known,
            None => {
                let literal = self.of_var(lit.var())?;
                self.vars.insert(lit.var(), literal);
                literal
            }
        };
        Ok((id, positive == lit.is_positive()))
    }

    fn of_var(&mut self, var: Var) -> Result<Literal> {
        match self.encoder.solver.meaning(var) {
            Meaning::Truth => Ok((self.encoder.script.terms.truth(true), true)),
            Meaning::Symbol(symbol) => Ok((self.of_symbol(symbol)?, true)),
            Meaning::Inequality(atom) => Ok((self.of_atom(&atom)?, true)),
            Meaning::Bit(..) | Meaning::Gate(_) => no_step("a circuit of bit-vectors"),
            Meaning::Equation(a, b) => {
                let (a, b) = (self.of_node(a)?, self.of_node(b)?);
                let terms = &mut self.encoder.script.terms;
                for (constant, other) in [(a, b), (b, a)] {
                    match terms.parts(constant).0 {
                        "true" => return Ok((other, true)),
                        "false" => return Ok((other, false)),
                        _ => {}
                    }
                }
                Ok((terms.equation(a, b), true))
            }
            Meaning::Formula(formula) => {
                let View::Eq(poly, value) = self.encoder.store.view(formula) else {
                    let text = self.encoder.store.display(formula).to_string();
                    return no_step(format!("a gate {text}"));
                };
                let summands: Vec<(Term, Rat)> = self
                    .encoder
                    .store
                    .poly_terms(poly)
                    .iter()
                    .map(|summand| (summand.leaf, Rat::from(summand.coeff.clone())))
                    .collect();
                let value = value.clone();
                let mut form = Linear::default();
                for (leaf, coeff) in summands {
                    form.add_leaf(self.of_term(leaf)?, &coeff);
                }
                let real = self.is_real(&form);
                let sum = Forms::term(&mut self.encoder.script.terms, &form, real);
                let value = self.encoder.script.terms.number(&value, real);
                Ok((self.encoder.script.terms.equation(sum, value), !formula.is_negated()))
            }
            Meaning::Free => no_step("a variable without a meaning"),
        }
    }

    fn is_real(&self, form: &Linear) -> bool {
        form.terms.keys().any(|&leaf| *self.encoder.script.terms.sort(leaf) == Sort::Real)
    }

    fn of_symbol(&self, symbol: Symbol) -> Result<TermId> {
        let known = self.encoder.constants.get(&symbol).copied();
        known.ok_or_else(|| ProofError::Step(format!("the symbol {}", self.encoder.store.name(symbol))))
    }

    fn of_term(&self, term: Term) -> Result<TermId> {
        let known = self.encoder.written.get(&term).copied();
        known.ok_or_else(|| ProofError::Step(format!("the term {}", self.encoder.store.display(term))))
    }

    fn application(&mut self, symbol: Symbol, args: &[TermId]) -> Result<TermId> {
        let Some(&head) = self.encoder.heads.get(&symbol) else {
            return no_step(format!("the function {}", self.encoder.store.name(symbol)));
        };
        let sort = self.encoder.written_sort(self.encoder.store.signature(symbol).result);
        Ok(self.encoder.script.terms.intern(Shape::Apply(head, args.into()), sort))
    }

    fn of_number(&mut self, number: u32) -> Result<TermId> {
        match self.encoder.solver.number(number) {
            NumberMeaning::Symbol(symbol) => self.of_symbol(symbol),
            NumberMeaning::Term(term) => self.of_term(term),
            NumberMeaning::Node(node) => self.of_node(node),
            NumberMeaning::Quotient(..) | NumberMeaning::Free { .. } => no_step("a number without a meaning"),
            NumberMeaning::Digit(_) | NumberMeaning::NodeQuotient(..) => {
                no_step("a bit-vector as an integer")
            }
        }
    }

    fn of_atom(&mut self, atom: &LinearAtom) -> Result<TermId> {
        let mut form = Linear::default();
        for (number, coeff) in &atom.terms {
            form.add_leaf(self.of_number(*number)?, coeff);
        }
        let real = self.is_real(&form);
        let sum = Forms::term(&mut self.encoder.script.terms, &form, real);
        let bound = self.encoder.script.terms.number(&atom.bound, real);
        let id = self.encoder.script.terms.formula(if atom.strict { "<" } else { "<=" }, &[sum, bound]);
        form.constant = -atom.bound.clone();
        self.atoms.insert(id, form);
        Ok(id)
    }

    pub(crate) fn of_node(&mut self, root: u32) -> Result<TermId> {
        let mut stack = vec![root];
        while let Some(&node) = stack.last() {
            if self.nodes.contains_key(&node) {
                stack.pop();
                continue;
            }
            let id = match self.encoder.solver.node(node) {
                NodeMeaning::Truth => self.encoder.script.terms.truth(true),
                NodeMeaning::Falsity => self.encoder.script.terms.truth(false),
                NodeMeaning::Term(term) => self.of_term(term)?,
                NodeMeaning::Numeral(value, sort) => {
                    self.encoder.script.terms.number(&value, sort == shem_term::Sort::Real)
                }
                NodeMeaning::Application { symbol, args, .. } => {
                    let before = stack.len();
                    stack.extend(args.iter().filter(|arg| !self.nodes.contains_key(arg)));
                    if stack.len() > before {
                        continue;
                    }
                    let args: Vec<TermId> = args.iter().map(|arg| self.nodes[arg]).collect();
                    self.application(symbol, &args)?
                }
                NodeMeaning::Sum(sum, sort) => {
                    let mut form = Linear { constant: sum.constant, ..Linear::default() };
                    for (number, coeff) in &sum.terms {
                        form.add_leaf(self.of_number(*number)?, coeff);
                    }
                    Forms::term(&mut self.encoder.script.terms, &form, sort == shem_term::Sort::Real)
                }
                NodeMeaning::Equation(..)
                | NodeMeaning::Difference(..)
                | NodeMeaning::Free(_)
                | NodeMeaning::Unknown => {
                    return no_step("a node without a meaning");
                }
            };
            self.nodes.insert(node, id);
            stack.pop();
        }
        Ok(self.nodes[&root])
    }
}
