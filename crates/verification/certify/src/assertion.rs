//! An assertion, ready to be spoken of in a proof.
//!
//! The same assertion is used in many steps with other values of its variables. What is written about it again and
//! again is defined once, as a function of the variables: the bodies of its quantifiers, what occurs several times in it,
//! and whatever is above a quotient or remainder. A step then is as long as the values are, not as long as the
//! assertion.

use std::fmt::Write as _;
use std::io;

use shem_alethe::{StepName, Writer};
use shem_chc::System;
use shem_term::{Sort, quote_symbol};

use crate::formula::{Formula, Head, NodeId, Operator, VariableId};

/// The nodes up to which something that occurs several times is written out each time.
const SMALL: usize = 4;

/// A function for a node.
struct Definition {
    name: String,
    /// The variables that occur free in the node, in their order.
    parameters: Vec<VariableId>,
}

/// An assertion.
pub(crate) struct Assertion {
    pub(crate) formula: Formula,
    pub(crate) root: NodeId,
    /// The assumption, and the name of its formula.
    pub(crate) step: StepName,
    pub(crate) name: String,
    /// By node.
    definitions: Vec<Option<Definition>>,
    /// By node that is a unit: whether something in it is computed.
    computed: Vec<bool>,
    /// The names of the predicates.
    predicates: Vec<String>,
}

/// The name of a sort.
pub(crate) fn sort_name(sort: Sort) -> &'static str {
    match sort {
        Sort::Int => "Int",
        Sort::Real => "Real",
        _ => "Bool",
    }
}

enum Job {
    Node(NodeId),
    Text(&'static str),
}

impl Assertion {
    /// Prepares an assertion. The number tells it from others.
    pub(crate) fn new(
        formula: Formula,
        root: NodeId,
        number: usize,
        step: StepName,
        name: String,
        system: &System,
    ) -> Assertion {
        let mut uses = vec![0_u32; formula.len()];
        let mut size = vec![1_usize; formula.len()];
        let mut wanted = vec![false; formula.len()];
        for node in formula.nodes() {
            for &child in formula.children(node) {
                uses[child.index()] += 1;
                size[node.index()] = size[node.index()].saturating_add(size[child.index()]);
            }
            if let Head::Quantifier(_) = formula.head(node) {
                wanted[formula.children(node)[0].index()] = true;
                wanted[node.index()] = true;
            }
            wanted[node.index()] |= formula.rounds(node);
        }
        let mut assertion = Assertion {
            root,
            step,
            name,
            definitions: Vec::new(),
            computed: Vec::new(),
            predicates: system.predicates.iter().map(|p| quote_symbol(&p.name).into_owned()).collect(),
            formula,
        };
        for node in assertion.formula.nodes() {
            let at = node.index();
            let shared = uses[at] > 1 && size[at] > SMALL;
            let definition = (wanted[at] || shared).then(|| Definition {
                name: format!("@a{number}n{at}"),
                parameters: assertion.free_variables(node),
            });
            assertion.definitions.push(definition);
            let computed = assertion.is_computed(node);
            assertion.computed.push(computed);
        }
        assertion
    }

    /// The free variables of a node, all of whose children have been looked at.
    fn free_variables(&self, root: NodeId) -> Vec<VariableId> {
        let formula = &self.formula;
        let mut found = Vec::new();
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            if let Some(Some(definition)) = self.definitions.get(node.index()) {
                found.extend_from_slice(&definition.parameters);
                continue;
            }
            if let Head::Variable(variable) = formula.head(node) {
                found.push(variable);
            }
            stack.extend_from_slice(formula.children(node));
        }
        found.sort_unstable();
        found.dedup();
        if let Head::Quantifier(index) = formula.head(root) {
            let bound = &formula.quantifiers[index as usize].variables;
            found.retain(|variable| !bound.contains(variable));
        }
        found
    }

    /// Whether a checker computes something in a node, without its quantifiers and atoms.
    fn is_computed(&self, node: NodeId) -> bool {
        let formula = &self.formula;
        match formula.head(node) {
            Head::Constant(_) | Head::Predicate(_) | Head::Quantifier(_) => false,
            Head::Operator(_) if formula.is_mixed(node) => {
                formula.children(node).iter().any(|child| self.computed[child.index()])
            }
            Head::Variable(_) => false,
            Head::Operator(_) => true,
        }
    }

    /// Whether a checker computes something in the node.
    pub(crate) fn computes(&self, node: NodeId) -> bool {
        self.computed[node.index()]
    }

    /// The name of a predicate, with quotes if it needs some.
    pub(crate) fn predicate(&self, index: u32) -> &str {
        &self.predicates[index as usize]
    }

    /// Writes the definitions.
    pub(crate) fn define<W: io::Write>(&self, proof: &mut Writer<W>) -> io::Result<()> {
        for node in self.formula.nodes().filter(|&node| node != self.root || self.formula.rounds(node)) {
            let Some(definition) = &self.definitions[node.index()] else { continue };
            let mut bound: &[VariableId] = &[];
            if let Head::Quantifier(index) = self.formula.head(node) {
                bound = &self.formula.quantifiers[index as usize].variables;
            }
            let variable = |out: &mut String, variable: VariableId| match bound.contains(&variable) {
                true => out.push_str(&self.formula.variables[variable.index()].name),
                false => {
                    let _ = write!(out, "@{variable:?}");
                }
            };
            let parameters: Vec<(String, &str)> = definition
                .parameters
                .iter()
                .map(|&variable| {
                    (format!("@{variable:?}"), sort_name(self.formula.variables[variable.index()].sort))
                })
                .collect();
            let parameters: Vec<(&str, &str)> =
                parameters.iter().map(|(name, sort)| (name.as_str(), *sort)).collect();
            let sort = sort_name(self.formula.sort(node));
            let mut body = String::new();
            self.write_inside(&mut body, node, &variable);
            proof.define(&definition.name, &parameters, sort, &body)?;
            if let Head::Quantifier(index) = self.formula.head(node)
                && !self.formula.quantifiers[index as usize].universal
            {
                body.clear();
                self.write_dual(&mut body, index, self.formula.children(node)[0], &variable);
                proof.define(&format!("{}d", definition.name), &parameters, sort, &body)?;
            }
        }
        Ok(())
    }

    /// The universal formula whose negation an existential one is.
    fn write_dual(
        &self,
        out: &mut String,
        index: u32,
        body: NodeId,
        variable: &dyn Fn(&mut String, VariableId),
    ) {
        self.write_binders(out, "forall", index);
        out.push_str(" (not ");
        self.write(out, body, variable);
        out.push_str("))");
    }

    fn write_binders(&self, out: &mut String, quantifier: &str, index: u32) {
        let _ = write!(out, "({quantifier} (");
        for (i, &variable) in self.formula.quantifiers[index as usize].variables.iter().enumerate() {
            let space = if i == 0 { "" } else { " " };
            let variable = &self.formula.variables[variable.index()];
            let _ = write!(out, "{space}({} {})", variable.name, sort_name(variable.sort));
        }
        out.push(')');
    }

    /// Writes a node with these texts for its variables.
    pub(crate) fn write(&self, out: &mut String, node: NodeId, variable: &dyn Fn(&mut String, VariableId)) {
        self.write_jobs(out, vec![Job::Node(node)], variable);
    }

    /// Writes what a node consists of, whether it is defined or not.
    fn write_inside(&self, out: &mut String, node: NodeId, variable: &dyn Fn(&mut String, VariableId)) {
        let mut jobs = Vec::new();
        self.expand(out, node, &mut jobs, variable);
        self.write_jobs(out, jobs, variable);
    }

    /// An existential formula as the universal one whose negation it is.
    pub(crate) fn write_dual_use(
        &self,
        out: &mut String,
        node: NodeId,
        variable: &dyn Fn(&mut String, VariableId),
    ) {
        if let Some(definition) = &self.definitions[node.index()] {
            write_application(out, &format!("{}d", definition.name), &definition.parameters, variable);
        }
    }

    fn write_jobs(&self, out: &mut String, mut jobs: Vec<Job>, variable: &dyn Fn(&mut String, VariableId)) {
        while let Some(job) = jobs.pop() {
            match job {
                Job::Text(text) => out.push_str(text),
                Job::Node(node) => match &self.definitions[node.index()] {
                    Some(definition) => {
                        write_application(out, &definition.name, &definition.parameters, variable);
                    }
                    None => self.expand(out, node, &mut jobs, variable),
                },
            }
        }
    }

    /// Writes the beginning of a node; the rest is added to the jobs.
    fn expand(
        &self,
        out: &mut String,
        node: NodeId,
        jobs: &mut Vec<Job>,
        variable: &dyn Fn(&mut String, VariableId),
    ) {
        let children = self.formula.children(node);
        match self.formula.head(node) {
            Head::Constant(index) => out.push_str(&self.formula.constants[index as usize].text),
            Head::Variable(id) => variable(out, id),
            Head::Predicate(index) if children.is_empty() => out.push_str(self.predicate(index)),
            Head::Quantifier(index) => {
                let universal = self.formula.quantifiers[index as usize].universal;
                self.write_binders(out, if universal { "forall" } else { "exists" }, index);
                out.push(' ');
                jobs.push(Job::Text(")"));
                jobs.push(Job::Node(children[0]));
            }
            head => {
                let name = match head {
                    Head::Predicate(index) => self.predicate(index),
                    Head::Operator(operator) => operator.name(),
                    _ => unreachable!("other heads are written above"),
                };
                let _ = write!(out, "({name}");
                jobs.push(Job::Text(")"));
                for &child in children.iter().rev() {
                    jobs.push(Job::Node(child));
                    jobs.push(Job::Text(" "));
                }
            }
        }
    }

    /// The operator of a node.
    pub(crate) fn operator(&self, node: NodeId) -> Option<Operator> {
        match self.formula.head(node) {
            Head::Operator(operator) => Some(operator),
            _ => None,
        }
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
