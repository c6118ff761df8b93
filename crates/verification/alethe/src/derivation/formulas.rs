//! The assertions of a derivation, ready to be spoken of in a proof.
//!
//! The same assertion is used in many steps with other values of its variables. What is written about it again and
//! again is defined once, as a function of the variables: the bodies of its quantifiers, what occurs several times in it,
//! and whatever is above a quotient or remainder. A step then is as long as the values are, not as long as the
//! assertion.

use std::fmt::Write as _;
use std::io;

use rustc_hash::FxHashMap;
use shem_chc::System;
use shem_term::Value;

use crate::error::{Result, unsupported};
use crate::writer::{StepName, Writer};
use crate::written::{Quantifier, Script, Shape, Sort, TermId, Terms, VariableId, compute, decide, truth};

/// The nodes up to which something that occurs several times is written out each time.
const SMALL: usize = 4;

/// An assertion.
pub(super) struct Assertion {
    pub(super) root: TermId,
    /// The assumption, and the name of its formula.
    pub(super) step: StepName,
    pub(super) name: String,
    /// The terms that it consists of, parts first.
    pub(super) terms: Vec<TermId>,
    /// The variables that its quantifiers bind, in their order.
    pub(super) variables: Vec<VariableId>,
}

impl Assertion {
    pub(super) fn new(root: TermId, step: StepName, name: String) -> Assertion {
        Assertion { root, step, name, terms: Vec::new(), variables: Vec::new() }
    }
}

/// What a term is to a derivation.
pub(super) enum Role<'a> {
    /// A predicate of the system, by its position, applied to terms.
    Predicate(u32),
    Quantifier(&'a Quantifier),
    /// An operator applied to terms, or a truth value.
    Operator(&'a str),
    /// A number or a variable.
    Leaf,
}

/// What is known of a term.
#[derive(Clone, Default)]
struct Knowledge {
    /// Whether a predicate or a quantifier is in the term; what has neither is computed.
    mixed: bool,
    /// Whether a quotient or remainder of integers is in the term, outside of its quantifiers and atoms.
    rounds: bool,
    /// Whether a checker computes something in the term, outside of its quantifiers and atoms.
    computed: bool,
    /// The variables that occur free in a term that is defined as a function of them, in their order.
    parameters: Option<Vec<VariableId>>,
}

/// The assertions that a derivation uses.
pub(super) struct Formulas {
    pub(super) terms: Terms,
    pub(super) assertions: Vec<Assertion>,
    /// By head, the position of the predicate.
    predicates: Vec<Option<u32>>,
    /// By term.
    knowledge: Vec<Knowledge>,
    /// By implication of more than two terms, the implication `(=> a (=> b …))` that it stands for. Its parts are never
    /// computed on their own, so they are other terms than those that are written alike.
    nested: FxHashMap<TermId, TermId>,
}

/// Whether an operator computes a quotient or remainder of integers.
pub(super) fn rounds(operator: &str) -> bool {
    matches!(operator, "div" | "mod")
}

impl Formulas {
    /// Prepares assertions of a script; refuses what a checker has no rules for.
    pub(super) fn new(script: Script, assertions: Vec<Assertion>, system: &System) -> Result<Formulas> {
        let mut predicates = Vec::new();
        for (position, predicate) in system.predicates.iter().enumerate() {
            if let Some(head) = script.terms.known_head(&predicate.name) {
                predicates.resize(predicates.len().max(head.index() + 1), None);
                predicates[head.index()] = Some(position as u32);
            }
        }
        let roots: Vec<TermId> = assertions.iter().map(|assertion| assertion.root).collect();
        let used = script.terms.within(&roots);
        for &id in &used {
            if matches!(script.terms.sort(id), Sort::BitVec(_)) {
                return unsupported("values of bit-vectors");
            }
            if let Shape::Apply(head, _) = script.terms.shape(id) {
                let name = script.terms.head_name(*head);
                if script.is_declared(name) && predicates.get(head.index()).is_none_or(Option::is_none) {
                    return unsupported(format!("the symbol {name}, which is no predicate"));
                }
            }
        }
        let knowledge = vec![Knowledge::default(); script.terms.len()];
        let mut formulas =
            Formulas { terms: script.terms, assertions, predicates, knowledge, nested: FxHashMap::default() };
        let mut implications = Vec::new();
        for &id in &used {
            formulas.classify(id)?;
            if let (Role::Operator("=>"), [_, _, _, ..]) = (formulas.role(id), formulas.terms.children(id))
                && formulas.is_mixed(id)
            {
                implications.push(id);
            }
        }
        for implication in implications {
            formulas.nest(implication);
        }
        for at in 0..formulas.assertions.len() {
            let mut terms = formulas.terms.within(&roots[at..=at]);
            let nested: Vec<TermId> =
                terms.iter().filter_map(|term| formulas.nested.get(term).copied()).collect();
            if !nested.is_empty() {
                terms = formulas.terms.within(&[&roots[at..=at], &nested].concat());
            }
            let assertion = &mut formulas.assertions[at];
            for &term in &terms {
                if let Some(quantifier) = formulas.terms.quantifier(term) {
                    assertion.variables.extend_from_slice(&quantifier.variables);
                }
            }
            assertion.variables.sort_unstable();
            assertion.terms = terms;
        }
        formulas.choose_definitions(&roots);
        Ok(formulas)
    }

    /// Finds out what is to be known of a term whose parts are known.
    fn classify(&mut self, id: TermId) -> Result<()> {
        let children = self.terms.children(id);
        let any = |flag: fn(&Knowledge) -> bool| children.iter().any(|c| flag(&self.knowledge[c.index()]));
        let mut known = Knowledge { mixed: any(|part| part.mixed), ..Knowledge::default() };
        match self.role(id) {
            Role::Leaf => {}
            Role::Predicate(_) => known.mixed = true,
            Role::Quantifier(quantifier) => {
                let is_known = |sort: &Sort| matches!(sort, Sort::Bool | Sort::Int | Sort::Real);
                if !quantifier.variables.iter().all(|&variable| is_known(&self.terms.variable(variable).sort))
                {
                    return unsupported("variables of sorts other than Bool, Int and Real");
                }
                known.mixed = true;
            }
            Role::Operator(name @ ("select" | "store")) => return unsupported(name),
            Role::Operator(name) => {
                let allowed = match (name, children) {
                    ("and" | "or" | "=>" | "ite", _) | (_, [] | [_] | [_, _]) => true,
                    _ => !known.mixed,
                };
                if !allowed {
                    return unsupported(format!("predicates inside {name} of {} terms", children.len()));
                }
                known.rounds = rounds(name) || any(|part| part.rounds);
                known.computed = match known.mixed {
                    true => any(|part| part.computed),
                    false => !children.is_empty(),
                };
            }
        }
        self.knowledge[id.index()] = known;
        Ok(())
    }

    /// Makes the implication `(=> a (=> b …))` that `(=> a b …)` stands for.
    fn nest(&mut self, implication: TermId) {
        let children = self.terms.children(implication).to_vec();
        let (&last, before) = children.split_last().expect("an implication has a conclusion");
        let mut nested = last;
        for &premise in before.iter().rev() {
            let of = |flag: fn(&Knowledge) -> bool| {
                flag(&self.knowledge[premise.index()]) || flag(&self.knowledge[nested.index()])
            };
            let known = Knowledge {
                mixed: true,
                rounds: of(|part| part.rounds),
                computed: of(|part| part.computed),
                parameters: None,
            };
            nested = self.terms.separate_formula("=>", &[premise, nested]);
            self.knowledge.push(known);
        }
        self.nested.insert(implication, nested);
    }

    /// Chooses the terms that are defined.
    fn choose_definitions(&mut self, roots: &[TermId]) {
        let mut used: Vec<TermId> =
            self.assertions.iter().flat_map(|assertion| assertion.terms.iter().copied()).collect();
        used.sort_unstable();
        used.dedup();
        let mut uses = vec![0_u32; self.terms.len()];
        let mut size = vec![1_usize; self.terms.len()];
        let mut wanted = vec![false; self.terms.len()];
        for &id in &used {
            for &child in self.terms.children(id) {
                uses[child.index()] += 1;
                size[id.index()] = size[id.index()].saturating_add(size[child.index()]);
            }
            if let Some(quantifier) = self.terms.quantifier(id) {
                wanted[quantifier.body().index()] = true;
                wanted[id.index()] = true;
            }
            wanted[id.index()] |= self.rounds(id);
        }
        for root in roots {
            // An assertion has a name already.
            wanted[root.index()] &= self.terms.quantifier(*root).is_none();
        }
        for &id in &used {
            let at = id.index();
            if wanted[at] || (uses[at] > 1 && size[at] > SMALL) {
                self.knowledge[at].parameters = Some(self.free_variables(id));
            }
        }
    }

    /// The free variables of a term, all of whose parts have been looked at.
    fn free_variables(&self, root: TermId) -> Vec<VariableId> {
        let mut found = Vec::new();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if let Some(parameters) = &self.knowledge[id.index()].parameters {
                found.extend_from_slice(parameters);
                continue;
            }
            if let Shape::Variable(variable) = self.terms.shape(id) {
                found.push(*variable);
            }
            stack.extend_from_slice(self.terms.children(id));
        }
        found.sort_unstable();
        found.dedup();
        if let Some(quantifier) = self.terms.quantifier(root) {
            found.retain(|variable| !quantifier.variables.contains(variable));
        }
        found
    }

    pub(super) fn role(&self, id: TermId) -> Role<'_> {
        match self.terms.shape(id) {
            Shape::Number(..) | Shape::Variable(_) => Role::Leaf,
            Shape::Quantifier(_) => Role::Quantifier(self.terms.quantifier(id).expect("a quantifier")),
            Shape::Apply(head, _) => match self.predicates.get(head.index()) {
                Some(&Some(predicate)) => Role::Predicate(predicate),
                _ => Role::Operator(self.terms.head_name(*head)),
            },
        }
    }

    /// The operator of a term.
    pub(super) fn operator(&self, id: TermId) -> Option<&str> {
        match self.role(id) {
            Role::Operator(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn is_mixed(&self, id: TermId) -> bool {
        self.knowledge[id.index()].mixed
    }

    pub(super) fn rounds(&self, id: TermId) -> bool {
        self.knowledge[id.index()].rounds
    }

    /// Whether a checker computes something in the term.
    pub(super) fn computes(&self, id: TermId) -> bool {
        self.knowledge[id.index()].computed
    }

    /// The nested implication that a term stands for.
    pub(super) fn nested(&self, id: TermId) -> Option<TermId> {
        self.nested.get(&id).copied()
    }

    /// Computes the values of an assertion's terms for given values of its variables and given facts. Terms without a value
    /// have `None`.
    ///
    /// What has no predicate and no quantifier is computed from its parts as a checker does it: all of them need a value.
    /// What has predicates has a value if the known atoms decide it; a universal formula is false if its body is false for
    /// the values at hand, an existential one true if its body is.
    pub(super) fn evaluate(
        &self,
        assertion: &Assertion,
        variables: &[Value],
        atom: impl Fn(u32, &[&Value]) -> Option<bool>,
        values: &mut Vec<Option<Value>>,
    ) {
        values.resize(self.terms.len(), None);
        for (&variable, value) in assertion.variables.iter().zip(variables) {
            values[self.terms.variable(variable).term.index()] = Some(value.clone());
        }
        for &id in &assertion.terms {
            let children = self.terms.children(id);
            let known =
                || children.iter().map(|child| values[child.index()].as_ref()).collect::<Option<Vec<_>>>();
            let value = match self.role(id) {
                Role::Leaf => match self.terms.shape(id) {
                    Shape::Number(value, _) => Some(Value::Num(value.clone())),
                    _ => continue,
                },
                Role::Predicate(predicate) => {
                    known().and_then(|args| atom(predicate, &args)).map(Value::Bool)
                }
                Role::Quantifier(quantifier) => {
                    let decisive = Value::Bool(!quantifier.universal);
                    values[quantifier.body().index()].clone().filter(|value| *value == decisive)
                }
                Role::Operator(operator) if self.is_mixed(id) => {
                    let truths: Vec<Option<bool>> =
                        children.iter().map(|child| truth(values[child.index()].as_ref())).collect();
                    decide(operator, &truths).map(Value::Bool)
                }
                Role::Operator(operator) => known().and_then(|args| compute(operator, &args)),
            };
            values[id.index()] = value;
        }
    }

    /// Writes the definitions.
    pub(super) fn define<W: io::Write>(&self, proof: &mut Writer<W>) -> io::Result<()> {
        for at in 0..self.terms.len() {
            let id = TermId::new(at);
            let Some(parameters) = &self.knowledge[at].parameters else { continue };
            let quantifier = self.terms.quantifier(id);
            let bound = quantifier.map_or(&[][..], |quantifier| &quantifier.variables);
            let variable = |out: &mut String, variable: VariableId| match bound.contains(&variable) {
                true => out.push_str(&shem_term::quote_symbol(&self.terms.variable(variable).name)),
                false => {
                    let _ = write!(out, "{variable:?}");
                }
            };
            let parameters: Vec<(String, String)> = parameters
                .iter()
                .map(|&variable| (format!("{variable:?}"), self.terms.variable(variable).sort.text()))
                .collect();
            let parameters: Vec<(&str, &str)> =
                parameters.iter().map(|(name, sort)| (name.as_str(), sort.as_str())).collect();
            let sort = self.terms.sort(id).text();
            let mut body = String::new();
            self.terms.write_inside(&mut body, id, &|out, part| self.write_short(out, part, &variable));
            proof.define(&format!("{id:?}"), &parameters, &sort, &body)?;
            if let Some(quantifier) = quantifier
                && !quantifier.universal
            {
                body.clear();
                self.terms.write_binders(&mut body, "forall", &quantifier.variables);
                body.push_str(" (not ");
                self.write(&mut body, quantifier.body(), &variable);
                body.push_str("))");
                proof.define(&format!("{id:?}d"), &parameters, &sort, &body)?;
            }
        }
        Ok(())
    }

    /// Writes a term with these texts for its variables.
    pub(super) fn write(&self, out: &mut String, id: TermId, variable: &dyn Fn(&mut String, VariableId)) {
        self.terms.write(out, id, &|out, part| self.write_short(out, part, variable));
    }

    /// Writes an existential formula as the universal one whose negation it is.
    pub(super) fn write_dual(
        &self,
        out: &mut String,
        id: TermId,
        variable: &dyn Fn(&mut String, VariableId),
    ) {
        if let Some(parameters) = &self.knowledge[id.index()].parameters {
            write_application(out, &format!("{id:?}d"), parameters, variable);
        }
    }

    /// Writes a variable, or the application of the function that a term is defined as. Whether the term is one of these.
    fn write_short(&self, out: &mut String, id: TermId, variable: &dyn Fn(&mut String, VariableId)) -> bool {
        match (self.terms.shape(id), &self.knowledge[id.index()].parameters) {
            (Shape::Variable(name), _) => variable(out, *name),
            (_, Some(parameters)) => write_application(out, &format!("{id:?}"), parameters, variable),
            _ => return false,
        }
        true
    }
}

fn write_application(
    out: &mut String,
    name: &str,
    parameters: &[VariableId],
    variable: &dyn Fn(&mut String, VariableId),
) {
    if parameters.is_empty() {
        out.push_str(name);
        return;
    }
    let _ = write!(out, "({name}");
    for &parameter in parameters {
        out.push(' ');
        variable(out, parameter);
    }
    out.push(')');
}
