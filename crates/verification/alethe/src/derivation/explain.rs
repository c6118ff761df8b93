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

use rustc_hash::{FxHashMap, FxHashSet};
use shem_term::{Store, Value};

use super::formulas::{Assertion, Formulas, Role, rounds};
use super::write::store_sort;
use crate::error::{Result, no_step, unsupported};
use crate::writer::{Equal, Not, StepName, Writer};
use crate::written::{Quantifier, TermId, VariableId, truth};

/// Why what has no value cannot be computed.
const ZERO: &str = "a step that divides by zero";

/// A fact: a predicate with values of its arguments.
pub(super) struct Fact<'a> {
    pub(super) predicate: u32,
    pub(super) values: &'a [Value],
    pub(super) text: &'a str,
}

/// The steps that say that true is true and that false is not.
#[derive(Clone, Copy)]
pub(super) struct Truths {
    pub(super) yes: StepName,
    pub(super) no: StepName,
}

/// What a step of a derivation consists of.
pub(super) struct Situation<'a> {
    pub(super) store: &'a Store,
    pub(super) formulas: &'a Formulas,
    pub(super) assertion: &'a Assertion,
    /// The values of the assertion's terms, and the texts of those of its variables.
    pub(super) values: &'a [Option<Value>],
    pub(super) literals: &'a [String],
    pub(super) premises: &'a [(Fact<'a>, StepName)],
    pub(super) head: Option<Fact<'a>>,
    pub(super) number: u64,
    pub(super) truths: Truths,
}

/// Writes the steps that derive the fact; gives the one that says it.
pub(super) fn explain<W: io::Write>(proof: &mut Writer<W>, situation: &Situation<'_>) -> Result<StepName> {
    let mut explanation = Explanation {
        proof,
        situation,
        named: FxHashSet::default(),
        equations: FxHashMap::default(),
        done: FxHashSet::default(),
        pending: Vec::new(),
        used: vec![situation.assertion.step],
    };
    let root = situation.assertion.root;
    match situation.formulas.role(root) {
        Role::Quantifier(_) => explanation.pending.push((root, false)),
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
    named: FxHashSet<TermId>,
    /// The steps that say what nodes are equal to.
    equations: FxHashMap<TermId, StepName>,
    done: FxHashSet<(TermId, bool)>,
    /// Nodes that need a reason for their truth value.
    pending: Vec<(TermId, bool)>,
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
    ) -> Result<StepName> {
        Ok(self.proof.step(rule, clause, premises, args)?)
    }

    /// A clause of the final resolution.
    fn clause(
        &mut self,
        rule: &str,
        clause: &[&dyn Display],
        premises: &[StepName],
        args: &[&dyn Display],
    ) -> Result<()> {
        let step = self.step(rule, clause, premises, args)?;
        self.used.push(step);
        Ok(())
    }

    fn wrong<T>(&self) -> Result<T> {
        not_following(self.situation.number)
    }

    /// The node as it stands in the instance.
    fn raw(&self, node: TermId) -> String {
        let mut text = String::new();
        let literal = |out: &mut String, variable: VariableId| {
            out.push_str(&self.situation.literals[variable.index()]);
        };
        self.situation.formulas.write(&mut text, node, &literal);
        text
    }

    /// The value of a node that is computed.
    fn literal(&self, node: TermId) -> Result<String> {
        let sort = self.situation.formulas.terms.sort(node);
        match self.value(node) {
            Some(value) => Ok(self.situation.store.display_value(value, store_sort(sort)).to_string()),
            None => unsupported(ZERO),
        }
    }

    /// The value of a node that has one.
    fn value(&self, node: TermId) -> Option<&Value> {
        self.situation.values[node.index()].as_ref()
    }

    fn truth(&self, node: TermId) -> Option<bool> {
        truth(self.value(node))
    }

    /// The node in the skeleton.
    fn text(&self, node: TermId) -> Result<String> {
        let Situation { formulas, assertion, .. } = self.situation;
        if !formulas.is_mixed(node) {
            return self.literal(node);
        }
        Ok(match formulas.role(node) {
            Role::Operator(_) => format!("@s{}_{}", self.situation.number, node.index()),
            _ if node == assertion.root => assertion.name.clone(),
            _ => self.raw(node),
        })
    }

    /// Writes the skeleton of a node, with names for what it consists of.
    fn skeleton(&mut self, root: TermId) -> Result<String> {
        enum Job {
            Node(TermId),
            Space,
            Close(TermId),
        }
        let formulas = self.situation.formulas;
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
            match formulas.operator(node) {
                Some(operator) if formulas.is_mixed(node) && self.named.insert(node) => {
                    let _ = write!(out, "(! ({}", operator);
                    jobs.push(Job::Close(node));
                    for &child in formulas.terms.children(node).iter().rev() {
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
    fn enter(&mut self, unit: TermId, name: &str, wanted: bool) -> Result<()> {
        let formulas = self.situation.formulas;
        self.pending.push((unit, wanted));
        if !formulas.computes(unit) {
            if formulas.operator(unit).is_some() && formulas.is_mixed(unit) {
                let skeleton = self.skeleton(unit)?;
                let name = format!("@u{}_{}", self.situation.number, unit.index());
                self.proof.define(&name, &[], "Bool", &skeleton)?;
            }
            return Ok(());
        }
        let equation = if !formulas.is_mixed(unit) {
            self.equation(unit)?
        } else {
            let rewritten = match formulas.rounds(unit) {
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
    fn give_reason(&mut self, node: TermId, wanted: bool) -> Result<()> {
        let formulas = self.situation.formulas;
        if self.truth(node) != Some(wanted) {
            let open = |node: &TermId| !formulas.is_mixed(*node) && self.value(*node).is_none();
            let is_open = self.situation.assertion.terms.iter().any(open);
            return if is_open { unsupported(ZERO) } else { self.wrong() };
        }
        if !formulas.is_mixed(node) {
            let Truths { yes, no } = self.situation.truths;
            let reason = if wanted { yes } else { no };
            if !self.used.contains(&reason) {
                self.used.push(reason);
            }
            return Ok(());
        }
        match formulas.role(node) {
            Role::Predicate(predicate) => self.atom(node, predicate, wanted),
            Role::Quantifier(quantifier) => self.instance(node, quantifier, wanted),
            Role::Operator(operator) => self.connective(node, operator, wanted),
            Role::Leaf => self.wrong(),
        }
    }

    fn connective(&mut self, node: TermId, operator: &str, wanted: bool) -> Result<()> {
        let children = self.situation.formulas.terms.children(node);
        let name = self.text(node)?;
        if let Some(nested) = self.situation.formulas.nested(node) {
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
            ("not", _, _) => {
                self.pending.push((children[0], !wanted));
                return Ok(());
            }
            ("and" | "or", _, _) if (operator == "or") == wanted => {
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
            ("and", _, _) => "and_neg",
            ("or", _, _) => "or_pos",
            ("=>", false, _) => "implies_pos",
            ("=>", true, &[Some(false), _]) => {
                let premise = self.text(children[0])?;
                self.pending.push((children[0], false));
                return self.clause("implies_neg1", &[&name, &premise], &[], &[]);
            }
            ("=>", true, _) => {
                let conclusion = self.text(children[1])?;
                self.pending.push((children[1], true));
                return self.clause("implies_neg2", &[&name, &Not(&conclusion)], &[], &[]);
            }
            ("=", false, &[Some(true), _]) => "equiv_pos2",
            ("=", false, _) => "equiv_pos1",
            ("=", true, &[Some(true), _]) => "equiv_neg1",
            ("=", true, _) => "equiv_neg2",
            ("xor", false, &[Some(false), _]) => "xor_pos1",
            ("xor", false, _) => "xor_pos2",
            ("xor", true, &[Some(false), _]) => "xor_neg1",
            ("xor", true, _) => "xor_neg2",
            ("ite", _, &[Some(condition), _, _]) => {
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
            _ => return unsupported(format!("predicates inside {}", operator)),
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
    fn instance(&mut self, node: TermId, quantifier: &Quantifier, wanted: bool) -> Result<()> {
        let formulas = self.situation.formulas;
        if quantifier.universal == wanted {
            return unsupported("a quantifier that is shown for all values");
        }
        let body = quantifier.body();
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
            formulas.write_dual(&mut dual, node, &literal);
            let equation = self.step("connective_def", &[&Equal(&name, Not(&dual))], &[], &[])?;
            self.clause("equiv2", &[&name, &Not(Not(&dual))], &[equation], &[])?;
            let either = format!("(or (not {dual}) (not {instance}))");
            let step = self.step("forall_inst", &[&either], &[], &values)?;
            self.clause("or", &[&Not(&dual), &instance_literal], &[step], &[])?;
        }
        self.enter(body, &instance_name, wanted)
    }

    /// An atom, because it is one of the facts once its arguments are computed.
    fn atom(&mut self, node: TermId, predicate: u32, wanted: bool) -> Result<()> {
        let situation = self.situation;
        let args = situation.formulas.terms.children(node);
        let is_fact = |fact: &Fact<'_>| {
            fact.predicate == predicate
                && args.iter().zip(fact.values).all(|(&arg, value)| self.value(arg) == Some(value))
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
    fn equation(&mut self, node: TermId) -> Result<StepName> {
        if let Some(&known) = self.equations.get(&node) {
            return Ok(known);
        }
        if self.situation.formulas.rounds(node) {
            return self.round(node);
        }
        let (raw, literal) = (self.raw(node), self.literal(node)?);
        let step = self.compute(&raw, &literal)?;
        self.equations.insert(node, step);
        Ok(step)
    }

    /// A term without variables equals its value.
    fn compute(&mut self, term: &str, literal: &str) -> Result<StepName> {
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
    fn rewritten_name(&self, node: TermId) -> String {
        format!("@r{}_{}", self.situation.number, node.index())
    }

    /// The step that says what a node with quotients or remainders is equal to: its value or, if it has predicates, the
    /// node with values for what has none.
    fn round(&mut self, root: TermId) -> Result<StepName> {
        let formulas = self.situation.formulas;
        let mut nodes = vec![root];
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut at = 0;
        while let Some(&node) = nodes.get(at) {
            at += 1;
            for &child in formulas.terms.children(node) {
                if formulas.rounds(child) && !self.equations.contains_key(&child) && seen.insert(child) {
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

    fn round_node(&mut self, node: TermId) -> Result<StepName> {
        let formulas = self.situation.formulas;
        let Some(operator) = formulas.operator(node) else { return self.wrong() };
        let mut text = format!("({}", operator);
        let mut equations = Vec::new();
        for &child in formulas.terms.children(node) {
            let raw = self.raw(child);
            let part = if formulas.rounds(child) && formulas.is_mixed(child) {
                self.rewritten_name(child)
            } else if formulas.rounds(child) || rounds(operator) {
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
        if formulas.is_mixed(node) {
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
            "div" => self.step("div_simplify", &[&Equal(&text, &literal)], &[], &[])?,
            "mod" => self.step("mod_simplify", &[&Equal(&text, &literal)], &[], &[])?,
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

/// A step of the derivation does not follow from its assertion.
pub(super) fn not_following<T>(number: u64) -> Result<T> {
    no_step(format!("step {number} does not follow from its assertion as it stands in the input"))
}
