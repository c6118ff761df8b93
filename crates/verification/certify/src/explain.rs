//! One step of a derivation as a piece of an Alethe proof.
//!
//! With values for its variables, an assertion is a ground formula. It is false if the facts of the premises are true
//! and the fact of the step is not; so the assertion, the premises and the reasons why it would be false give the fact by
//! resolution. Reasons are found from the outside to the inside: a conjunction is false because of one member, a
//! disjunction because of all, an implication because of its premise and its conclusion; each has a rule whose clause is
//! a tautology. A universal formula is false because of an instance.
//!
//! What has no predicate is computed by the checker in one step (`evaluate`), which leaves the skeleton of the formula:
//! connectives and atoms, and truth values for the rest. Carcara's `evaluate` rounds quotients towards zero, and
//! SMT-LIB does not: so quotients and remainders are computed before, by `div_simplify` and `mod_simplify`, and their
//! values take their places by congruence, node by node up to the root.
//!
//! The cost of a step is linear in the size of the assertion for us and for the checker; the text is about as long as
//! its skeleton.

use std::fmt::{Display, Write as _};
use std::io;

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;
use shem_alethe::{Equal, Not, StepName, Writer};
use shem_term::{Store, Value};

use crate::assertion::Assertion;
use crate::error::{ProofError, unsupported};
use crate::evaluate::{truth, value_of};
use crate::formula::{Head, NodeId, Operator, VariableId};

/// Why what has no value cannot be computed.
const ZERO: &str = "a step divides by zero";

/// A fact: a predicate with values of its arguments.
pub(crate) struct Fact<'a> {
    pub(crate) predicate: u32,
    pub(crate) values: &'a [Value],
    pub(crate) text: &'a str,
}

/// The steps that say that true is true and that false is not.
#[derive(Clone, Copy)]
pub(crate) struct Truths {
    pub(crate) yes: StepName,
    pub(crate) no: StepName,
}

/// What a step of a derivation consists of.
pub(crate) struct Situation<'a> {
    pub(crate) store: &'a Store,
    pub(crate) assertion: &'a Assertion,
    /// The values of the assertion's nodes, and the texts of those of its variables.
    pub(crate) values: &'a [Option<Value>],
    pub(crate) literals: &'a [String],
    pub(crate) premises: &'a [(Fact<'a>, StepName)],
    pub(crate) head: Option<Fact<'a>>,
    pub(crate) number: u64,
    pub(crate) truths: Truths,
}

/// Writes the steps that derive the fact; gives the one that says it.
pub(crate) fn explain<W: io::Write>(
    proof: &mut Writer<W>,
    situation: &Situation<'_>,
) -> Result<StepName, ProofError> {
    let mut explanation = Explanation {
        proof,
        situation,
        named: HashSet::default(),
        equations: HashMap::default(),
        done: HashSet::default(),
        pending: Vec::new(),
        used: vec![situation.assertion.step],
    };
    let root = situation.assertion.root;
    match situation.assertion.formula.head(root) {
        Head::Quantifier(_) => explanation.pending.push((root, false)),
        _ => explanation.enter(root, &situation.assertion.name, false)?,
    }
    while let Some((node, wanted)) = explanation.pending.pop() {
        if explanation.done.insert((node, wanted)) {
            explanation.give_reason(node, wanted)?;
        }
    }
    let used = explanation.used;
    match (&situation.head, &used[..]) {
        (Some(_), [only]) => Ok(*only),
        (Some(fact), _) => Ok(proof.step("resolution", &[&fact.text], &used, &[])?),
        (None, _) => Ok(proof.step("resolution", &[], &used, &[])?),
    }
}

struct Explanation<'p, 's, W> {
    proof: &'p mut Writer<W>,
    situation: &'s Situation<'s>,
    /// The nodes of skeletons that have names.
    named: HashSet<NodeId, FxBuildHasher>,
    /// The steps that say what nodes are equal to.
    equations: HashMap<NodeId, StepName, FxBuildHasher>,
    done: HashSet<(NodeId, bool), FxBuildHasher>,
    /// Nodes that need a reason for their truth value.
    pending: Vec<(NodeId, bool)>,
    /// The clauses that give the fact by resolution.
    used: Vec<StepName>,
}

impl<W: io::Write> Explanation<'_, '_, W> {
    fn step(
        &mut self,
        rule: &str,
        clause: &[&dyn Display],
        premises: &[StepName],
        args: &[&dyn Display],
    ) -> Result<StepName, ProofError> {
        Ok(self.proof.step(rule, clause, premises, args)?)
    }

    /// A clause of the final resolution.
    fn clause(
        &mut self,
        rule: &str,
        clause: &[&dyn Display],
        premises: &[StepName],
        args: &[&dyn Display],
    ) -> Result<(), ProofError> {
        let step = self.step(rule, clause, premises, args)?;
        self.used.push(step);
        Ok(())
    }

    fn wrong<T>(&self) -> Result<T, ProofError> {
        Err(ProofError::Step(self.situation.number))
    }

    /// The node as it stands in the instance.
    fn raw(&self, node: NodeId) -> String {
        let mut text = String::new();
        let literal = |out: &mut String, variable: VariableId| {
            out.push_str(&self.situation.literals[variable.index()]);
        };
        self.situation.assertion.write(&mut text, node, &literal);
        text
    }

    /// The value of a node that is computed.
    fn literal(&self, node: NodeId) -> Result<String, ProofError> {
        let sort = self.situation.assertion.formula.sort(node);
        match value_of(self.situation.values, node) {
            Some(value) => Ok(self.situation.store.display_value(value, sort).to_string()),
            None => unsupported(ZERO),
        }
    }

    fn truth(&self, node: NodeId) -> Option<bool> {
        truth(value_of(self.situation.values, node))
    }

    /// The node in the skeleton.
    fn text(&self, node: NodeId) -> Result<String, ProofError> {
        let assertion = self.situation.assertion;
        if !assertion.formula.is_mixed(node) {
            return self.literal(node);
        }
        Ok(match assertion.formula.head(node) {
            Head::Operator(_) => format!("@s{}_{}", self.situation.number, node.index()),
            _ if node == assertion.root => assertion.name.clone(),
            _ => self.raw(node),
        })
    }

    /// Writes the skeleton of a node, with names for what it consists of.
    fn skeleton(&mut self, root: NodeId) -> Result<String, ProofError> {
        enum Job {
            Node(NodeId),
            Space,
            Close(NodeId),
        }
        let assertion = self.situation.assertion;
        let mut out = String::new();
        let mut jobs = vec![Job::Node(root)];
        while let Some(job) = jobs.pop() {
            let node = match job {
                Job::Node(node) => node,
                Job::Space => {
                    out.push(' ');
                    continue;
                }
                Job::Close(node) => {
                    let _ = write!(out, ") :named {})", self.text(node)?);
                    continue;
                }
            };
            match assertion.operator(node) {
                Some(operator) if assertion.formula.is_mixed(node) && self.named.insert(node) => {
                    let _ = write!(out, "(! ({}", operator.name());
                    jobs.push(Job::Close(node));
                    for &child in assertion.formula.children(node).iter().rev() {
                        jobs.push(Job::Node(child));
                        jobs.push(Job::Space);
                    }
                }
                _ => out.push_str(&self.text(node)?),
            }
        }
        Ok(out)
    }

    /// Goes on from a ground formula of this name to its skeleton.
    fn enter(&mut self, unit: NodeId, name: &str, wanted: bool) -> Result<(), ProofError> {
        let assertion = self.situation.assertion;
        self.pending.push((unit, wanted));
        if !assertion.computes(unit) {
            if assertion.operator(unit).is_some() && assertion.formula.is_mixed(unit) {
                let skeleton = self.skeleton(unit)?;
                let name = format!("@u{}_{}", self.situation.number, unit.index());
                self.proof.define(&name, &[], "Bool", &skeleton)?;
            }
            return Ok(());
        }
        let equation = if !assertion.formula.is_mixed(unit) {
            self.equation(unit)?
        } else {
            let rewritten = match assertion.formula.rounds(unit) {
                true => Some(self.round(unit)?),
                false => None,
            };
            let skeleton = self.skeleton(unit)?;
            match rewritten {
                None => self.step("evaluate", &[&Equal(name, &skeleton)], &[], &[])?,
                Some(rewritten) => {
                    let left = self.rewritten_name(unit);
                    let value = self.step("evaluate", &[&Equal(left, &skeleton)], &[], &[])?;
                    let skeleton = self.text(unit)?;
                    self.step("trans", &[&Equal(name, &skeleton)], &[rewritten, value], &[])?
                }
            }
        };
        let skeleton = self.text(unit)?;
        match wanted {
            false => self.clause("equiv1", &[&Not(name), &skeleton], &[equation], &[]),
            true => self.clause("equiv2", &[&name, &Not(&skeleton)], &[equation], &[]),
        }
    }

    /// Adds the clause that says why a node of a skeleton has this truth value.
    fn give_reason(&mut self, node: NodeId, wanted: bool) -> Result<(), ProofError> {
        let assertion = self.situation.assertion;
        if self.truth(node) != Some(wanted) {
            let formula = &assertion.formula;
            let open =
                |node: NodeId| !formula.is_mixed(node) && value_of(self.situation.values, node).is_none();
            return if formula.nodes().any(open) { unsupported(ZERO) } else { self.wrong() };
        }
        if !assertion.formula.is_mixed(node) {
            let Truths { yes, no } = self.situation.truths;
            let reason = if wanted { yes } else { no };
            if !self.used.contains(&reason) {
                self.used.push(reason);
            }
            return Ok(());
        }
        match assertion.formula.head(node) {
            Head::Predicate(predicate) => self.atom(node, predicate, wanted),
            Head::Quantifier(index) => self.instance(node, index, wanted),
            Head::Operator(operator) => self.connective(node, operator, wanted),
            Head::Constant(_) | Head::Variable(_) => self.wrong(),
        }
    }

    fn connective(&mut self, node: NodeId, operator: Operator, wanted: bool) -> Result<(), ProofError> {
        let children = self.situation.assertion.formula.children(node);
        let name = self.text(node)?;
        if let Some(nested) = self.situation.assertion.formula.nested(node) {
            let nested_name = self.text(nested)?;
            let text = self.skeleton(nested)?;
            let equation = self.step("nary_elim", &[&Equal(&name, &text)], &[], &[])?;
            self.pending.push((nested, wanted));
            return match wanted {
                false => self.clause("equiv1", &[&Not(&name), &nested_name], &[equation], &[]),
                true => self.clause("equiv2", &[&name, &Not(&nested_name)], &[equation], &[]),
            };
        }
        let truths: Vec<Option<bool>> = children.iter().map(|&child| self.truth(child)).collect();
        let rule = match (operator, wanted, &truths[..]) {
            (Operator::Not, _, _) => {
                self.pending.push((children[0], !wanted));
                return Ok(());
            }
            (Operator::And | Operator::Or, _, _) if (operator == Operator::Or) == wanted => {
                // One member decides.
                let Some(at) = truths.iter().position(|&truth| truth == Some(wanted)) else {
                    return self.wrong();
                };
                let member = self.text(children[at])?;
                self.pending.push((children[at], wanted));
                return match wanted {
                    false => self.clause("and_pos", &[&Not(&name), &member], &[], &[&at]),
                    true => self.clause("or_neg", &[&name, &Not(&member)], &[], &[&at]),
                };
            }
            (Operator::And, _, _) => "and_neg",
            (Operator::Or, _, _) => "or_pos",
            (Operator::Implies, false, _) => "implies_pos",
            (Operator::Implies, true, &[Some(false), _]) => {
                let premise = self.text(children[0])?;
                self.pending.push((children[0], false));
                return self.clause("implies_neg1", &[&name, &premise], &[], &[]);
            }
            (Operator::Implies, true, _) => {
                let conclusion = self.text(children[1])?;
                self.pending.push((children[1], true));
                return self.clause("implies_neg2", &[&name, &Not(&conclusion)], &[], &[]);
            }
            (Operator::Equal, false, &[Some(true), _]) => "equiv_pos2",
            (Operator::Equal, false, _) => "equiv_pos1",
            (Operator::Equal, true, &[Some(true), _]) => "equiv_neg1",
            (Operator::Equal, true, _) => "equiv_neg2",
            (Operator::Xor, false, &[Some(false), _]) => "xor_pos1",
            (Operator::Xor, false, _) => "xor_pos2",
            (Operator::Xor, true, &[Some(false), _]) => "xor_neg1",
            (Operator::Xor, true, _) => "xor_neg2",
            (Operator::Ite, _, &[Some(condition), _, _]) => {
                let branch = children[if condition { 1 } else { 2 }];
                let texts = [self.text(children[0])?, self.text(branch)?];
                let condition_literal = literal_of(&texts[0], condition);
                let branch_literal = literal_of(&texts[1], wanted);
                let whole = literal_of(&name, !wanted);
                self.pending.push((branch, wanted));
                self.pending.push((children[0], condition));
                let rule = match (wanted, condition) {
                    (false, false) => "ite_pos1",
                    (false, true) => "ite_pos2",
                    (true, false) => "ite_neg1",
                    (true, true) => "ite_neg2",
                };
                return self.clause(rule, &[&whole, &condition_literal, &branch_literal], &[], &[]);
            }
            _ => return unsupported(format!("predicates inside {}", operator.name())),
        };
        // All members together decide; the clause has the opposite of each.
        let mut literals = vec![literal_of(&name, !wanted)];
        for (&child, &truth) in children.iter().zip(&truths) {
            let Some(truth) = truth else { return self.wrong() };
            literals.push(literal_of(&self.text(child)?, truth));
            self.pending.push((child, truth));
        }
        let literals: Vec<&dyn Display> = literals.iter().map(|literal| literal as &dyn Display).collect();
        self.clause(rule, &literals, &[], &[])
    }

    /// A quantified formula, because of the instance with the values at hand.
    fn instance(&mut self, node: NodeId, index: u32, wanted: bool) -> Result<(), ProofError> {
        let assertion = self.situation.assertion;
        let quantifier = &assertion.formula.quantifiers[index as usize];
        if quantifier.universal == wanted {
            return unsupported("a quantifier that is shown for all values");
        }
        let body = assertion.formula.children(node)[0];
        let name = self.text(node)?;
        let literals = self.situation.literals;
        let values: Vec<&dyn Display> =
            quantifier.variables.iter().map(|v| &literals[v.index()] as &dyn Display).collect();
        let instance_name = format!("@i{}_{}", self.situation.number, node.index());
        let instance = format!("(! {} :named {instance_name})", self.raw(body));
        let instance_literal = literal_of(&instance_name, wanted);
        if quantifier.universal {
            let either = format!("(or (not {name}) {instance})");
            let step = self.step("forall_inst", &[&either], &[], &values)?;
            self.clause("or", &[&Not(&name), &instance_literal], &[step], &[])?;
        } else {
            let mut dual = String::new();
            let literal = |out: &mut String, variable: VariableId| out.push_str(&literals[variable.index()]);
            assertion.write_dual_use(&mut dual, node, &literal);
            let equation = self.step("connective_def", &[&Equal(&name, Not(&dual))], &[], &[])?;
            self.clause("equiv2", &[&name, &Not(Not(&dual))], &[equation], &[])?;
            let either = format!("(or (not {dual}) (not {instance}))");
            let step = self.step("forall_inst", &[&either], &[], &values)?;
            self.clause("or", &[&Not(&dual), &instance_literal], &[step], &[])?;
        }
        self.enter(body, &instance_name, wanted)
    }

    /// An atom, because it is one of the facts once its arguments are computed.
    fn atom(&mut self, node: NodeId, predicate: u32, wanted: bool) -> Result<(), ProofError> {
        let situation = self.situation;
        let args = situation.assertion.formula.children(node);
        let is_fact = |fact: &Fact<'_>| {
            fact.predicate == predicate
                && args
                    .iter()
                    .zip(fact.values)
                    .all(|(&arg, value)| value_of(situation.values, arg) == Some(value))
        };
        let mut reason = None;
        let fact = match wanted {
            true => situation.premises.iter().find(|(fact, _)| is_fact(fact)).map(|(fact, step)| {
                reason = Some(*step);
                fact
            }),
            false => situation.head.as_ref().filter(|fact| is_fact(fact)),
        };
        let Some(fact) = fact else { return self.wrong() };
        let text = self.raw(node);
        if text != fact.text {
            let mut equations = Vec::new();
            for &arg in args {
                if self.raw(arg) != self.literal(arg)? {
                    equations.push(self.equation(arg)?);
                }
            }
            let equation = self.step("cong", &[&Equal(&text, fact.text)], &equations, &[])?;
            match wanted {
                true => self.clause("equiv2", &[&text, &Not(fact.text)], &[equation], &[])?,
                false => self.clause("equiv1", &[&Not(&text), &fact.text], &[equation], &[])?,
            }
        }
        self.used.extend(reason.filter(|reason| !self.used.contains(reason)));
        Ok(())
    }

    /// The step that says what a node without predicates is equal to.
    fn equation(&mut self, node: NodeId) -> Result<StepName, ProofError> {
        if let Some(&known) = self.equations.get(&node) {
            return Ok(known);
        }
        if self.situation.assertion.formula.rounds(node) {
            return self.round(node);
        }
        let (raw, literal) = (self.raw(node), self.literal(node)?);
        let step = self.compute(&raw, &literal)?;
        self.equations.insert(node, step);
        Ok(step)
    }

    /// A term without variables equals its value.
    fn compute(&mut self, term: &str, literal: &str) -> Result<StepName, ProofError> {
        let equation = Equal(term, literal);
        if !literal.starts_with('(') {
            return self.step("evaluate", &[&equation], &[], &[]);
        }
        // The checker compares texts with constants; a negative number or a fraction is none.
        let step = self.step("evaluate", &[&Equal(equation, "true")], &[], &[])?;
        let step = self.step("equiv2", &[&equation, &Not("true")], &[step], &[])?;
        let yes = self.situation.truths.yes;
        self.step("resolution", &[&equation], &[step, yes], &[])
    }

    /// The name of a node with predicates after its quotients and remainders have been computed.
    fn rewritten_name(&self, node: NodeId) -> String {
        format!("@r{}_{}", self.situation.number, node.index())
    }

    /// The step that says what a node with quotients or remainders is equal to: its value or, if it has predicates, the
    /// node with values for what has none.
    fn round(&mut self, root: NodeId) -> Result<StepName, ProofError> {
        let formula = &self.situation.assertion.formula;
        let mut nodes = vec![root];
        let mut seen: HashSet<NodeId, FxBuildHasher> = HashSet::default();
        let mut at = 0;
        while let Some(&node) = nodes.get(at) {
            at += 1;
            for &child in formula.children(node) {
                if formula.rounds(child) && !self.equations.contains_key(&child) && seen.insert(child) {
                    nodes.push(child);
                }
            }
        }
        // Children come before their parents.
        nodes.sort_unstable();
        let mut last = None;
        for node in nodes {
            last = Some(self.round_node(node)?);
        }
        match last {
            Some(step) => Ok(step),
            None => self.wrong(),
        }
    }

    fn round_node(&mut self, node: NodeId) -> Result<StepName, ProofError> {
        let assertion = self.situation.assertion;
        let formula = &assertion.formula;
        let Some(operator) = assertion.operator(node) else { return self.wrong() };
        let mut text = format!("({}", operator.name());
        let mut equations = Vec::new();
        for &child in formula.children(node) {
            let raw = self.raw(child);
            let part = if formula.rounds(child) && formula.is_mixed(child) {
                self.rewritten_name(child)
            } else if formula.rounds(child) || operator.rounds() {
                self.literal(child)?
            } else {
                raw.clone()
            };
            if part != raw {
                equations.push(self.equation(child)?);
            }
            let _ = write!(text, " {part}");
        }
        text.push(')');
        let raw = self.raw(node);
        if formula.is_mixed(node) {
            let right = format!("(! {text} :named {})", self.rewritten_name(node));
            let step = self.step("cong", &[&Equal(&raw, right)], &equations, &[])?;
            self.equations.insert(node, step);
            return Ok(step);
        }
        let literal = self.literal(node)?;
        let mut steps = Vec::new();
        if !equations.is_empty() {
            steps.push(self.step("cong", &[&Equal(&raw, &text)], &equations, &[])?);
        }
        steps.push(match operator {
            Operator::IntDivide => self.step("div_simplify", &[&Equal(&text, &literal)], &[], &[])?,
            Operator::Modulo => self.step("mod_simplify", &[&Equal(&text, &literal)], &[], &[])?,
            _ => self.compute(&text, &literal)?,
        });
        let step = match steps[..] {
            [single] => single,
            _ => self.step("trans", &[&Equal(&raw, &literal)], &steps, &[])?,
        };
        self.equations.insert(node, step);
        Ok(step)
    }
}

/// The formula, or its negation.
fn literal_of(text: &str, negated: bool) -> String {
    if negated { format!("(not {text})") } else { text.to_owned() }
}
