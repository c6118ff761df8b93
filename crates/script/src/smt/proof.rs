//! `get-proof` with `:proof-format shem`: the derivation of a contradiction, as a list of steps.
//!
//! A proof is a list of S-expressions, one a line: first what the names mean, then the steps, each with its clause
//! and the reason for it. Names begin with `@`, which no symbol of a script does. `docs/smt.md` has the format.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use shem_base::{Lit, Rat, Var};
use shem_justify::{Gate, Meaning, NodeMeaning, NumberMeaning, Translation};
use shem_proof::{LemmaKind, LinearForm, Origin, Proof, Rule};
use shem_term::smtlib::Span;
use shem_term::{BitOp, Role, Sort, Store, Symbol, quote_symbol, write_rational};

use super::alethe::LATE_OPTION;
use super::interpreter::Interpreter;
use super::last::Last;
use super::print::list;
use super::respond::out_of_place;
use crate::conversation::Halt;

impl Interpreter<'_> {
    /// The proof that the last query has no model.
    pub(super) fn proof_text(&self, last: &Last<'_>, span: Span) -> Result<String, Halt> {
        let Last::Unsat { refutation, .. } = last else {
            let message = "there is no proof: the last command was not an unsatisfiable query";
            return Err(out_of_place(span, message));
        };
        if self.assertions.list.iter().any(|assertion| assertion.replaced) {
            return Err(out_of_place(span, LATE_OPTION));
        }
        let Some(proof) = refutation.proof() else {
            // An assumption is the negation of another one.
            return Ok("(proof)".to_owned());
        };
        let proof = proof.map_err(|error| Halt::Failure(format!("the proof is broken: {error}")))?;
        let names = |number: u32| {
            let name = self.assertions.list.get(number as usize).and_then(|assertion| assertion.name)?;
            Some(quote_symbol(self.reader.name(name)).into_owned())
        };
        let mut vocabulary = Vocabulary::new(&self.store, refutation.solver());
        vocabulary.collect(&proof);
        let mut lines = vec!["(proof".to_owned()];
        vocabulary.define(&mut lines);
        lines.extend(proof.steps().map(|step| {
            let clause = clause_text(proof.clause(step));
            let rule = rule_text(proof.rule(step), &names);
            format!("(step @s{} {clause} {rule})", step.index())
        }));
        Ok(lines.join("\n ") + ")")
    }
}

fn literal_text(lit: Lit) -> String {
    let var = lit.var().index();
    if lit.is_positive() { format!("@a{var}") } else { format!("(not @a{var})") }
}

fn clause_text(lits: &[Lit]) -> String {
    list(lits.iter().map(|&lit| literal_text(lit)), " ")
}

fn rule_text(rule: Rule<'_>, name: &impl Fn(u32) -> Option<String>) -> String {
    match rule {
        Rule::Input(Origin::Definition) => "definition".to_owned(),
        Rule::Input(Origin::Assertion(number)) => match name(number) {
            Some(name) => format!("assertion {number} :named {name}"),
            None => format!("assertion {number}"),
        },
        Rule::Lemma { kind, coeffs, nodes } => {
            let word = match kind {
                LemmaKind::Farkas => "farkas",
                LemmaKind::Dioph => "dioph",
                LemmaKind::Equality => "equality",
                LemmaKind::Bridge => "bridge",
            };
            if kind.has_coefficients() {
                format!("{word} {}", list(coeffs.iter().map(|coeff| number_text(coeff, false)), " "))
            } else {
                format!("{word} {}", list(nodes.iter().map(|node| format!("@n{node}")), " "))
            }
        }
        Rule::Resolution { first, rest } => {
            let mut text = format!("resolution @s{}", first.index());
            for step in rest {
                let pivot = literal_text(step.pivot);
                write!(text, " (@s{} {pivot})", step.premise.index())
                    .expect("a string takes all that is written");
            }
            text
        }
    }
}

fn number_text(value: &Rat, real: bool) -> String {
    let mut text = String::new();
    write_rational(&mut text, value, real).expect("a string takes all that is written");
    text
}

/// The variables, numbers and nodes of a proof with their meanings.
struct Vocabulary<'a, T> {
    store: &'a Store,
    translation: &'a T,
    atoms: BTreeMap<u32, Meaning>,
    numbers: BTreeMap<u32, NumberMeaning>,
    nodes: BTreeMap<u32, NodeMeaning>,
}

impl<'a, T: Translation> Vocabulary<'a, T> {
    fn new(store: &'a Store, translation: &'a T) -> Self {
        let (atoms, numbers, nodes) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Vocabulary { store, translation, atoms, numbers, nodes }
    }

    /// Finds all that the proof mentions, and what that is made of.
    fn collect(&mut self, proof: &Proof) {
        let (mut vars, mut nodes, mut numbers) = (BTreeSet::new(), Vec::new(), Vec::new());
        for step in proof.steps() {
            vars.extend(proof.clause(step).iter().map(|lit| lit.var().index() as u32));
            if let Rule::Resolution { rest, .. } = proof.rule(step) {
                vars.extend(rest.iter().map(|step| step.pivot.var().index() as u32));
            }
            if let Rule::Lemma { nodes: listed, .. } = proof.rule(step) {
                nodes.extend_from_slice(listed);
            }
        }
        let mut vars: Vec<u32> = vars.into_iter().collect();
        loop {
            if let Some(var) = vars.pop() {
                if self.atoms.contains_key(&var) {
                    continue;
                }
                let meaning = self.translation.meaning(Var::new(var));
                match &meaning {
                    Meaning::Inequality(atom) => numbers.extend(atom.terms.iter().map(|term| term.0)),
                    Meaning::Equation(a, b) => nodes.extend([*a, *b]),
                    Meaning::Bit(node, _) => nodes.push(*node),
                    Meaning::Gate(gate) => {
                        vars.extend(gate.inputs().iter().map(|lit| lit.var().index() as u32))
                    }
                    Meaning::Truth | Meaning::Symbol(_) | Meaning::Formula(_) | Meaning::Free => {}
                }
                self.atoms.insert(var, meaning);
            } else if let Some(number) = numbers.pop() {
                if !self.numbers.contains_key(&number) {
                    let meaning = self.translation.number(number);
                    match &meaning {
                        NumberMeaning::Node(node) | NumberMeaning::NodeQuotient(node, _) => nodes.push(*node),
                        NumberMeaning::Digit(lit) => vars.push(lit.var().index() as u32),
                        _ => {}
                    }
                    self.numbers.insert(number, meaning);
                }
            } else if let Some(node) = nodes.pop() {
                if !self.nodes.contains_key(&node) {
                    let meaning = self.translation.node(node);
                    match &meaning {
                        NodeMeaning::Application { args, .. } => nodes.extend_from_slice(args),
                        NodeMeaning::Equation(a, b) | NodeMeaning::Difference([a, b], _) => {
                            nodes.extend([*a, *b]);
                        }
                        NodeMeaning::Sum(form, _) => numbers.extend(form.terms.iter().map(|term| term.0)),
                        _ => {}
                    }
                    self.nodes.insert(node, meaning);
                }
            } else {
                return;
            }
        }
    }

    /// One line for each name, behind those of the names in it: a node is made of nodes with smaller numbers.
    fn define(&self, lines: &mut Vec<String>) {
        let mut of_nodes: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (&number, meaning) in &self.numbers {
            match meaning {
                NumberMeaning::Node(node) => of_nodes.entry(*node).or_default().push(number),
                NumberMeaning::Symbol(symbol) => {
                    lines.push(format!("(number @v{number} {})", self.symbol_text(*symbol)));
                }
                NumberMeaning::Term(term) => {
                    lines.push(format!("(number @v{number} {})", self.store.display(*term)));
                }
                NumberMeaning::Quotient(term, modulus) => {
                    let term = self.store.display(*term);
                    lines.push(format!("(number @v{number} (div {term} {modulus}))"));
                }
                NumberMeaning::Digit(_) | NumberMeaning::NodeQuotient(..) => {}
                NumberMeaning::Free { integral } => {
                    let sort = if *integral { "Int" } else { "Real" };
                    lines.push(format!("(number @v{number} :free {sort})"));
                }
            }
        }
        for (&node, meaning) in &self.nodes {
            lines.push(format!("(node @n{node} {})", self.node_text(meaning)));
            for number in of_nodes.get(&node).into_iter().flatten() {
                lines.push(format!("(number @v{number} @n{node})"));
            }
        }
        for (&var, meaning) in &self.atoms {
            lines.push(format!("(atom @a{var} {})", self.atom_text(meaning)));
        }
        for (number, meaning) in &self.numbers {
            match meaning {
                NumberMeaning::Digit(lit) => {
                    lines.push(format!("(number @v{number} (ite {} 1 0))", literal_text(*lit)));
                }
                NumberMeaning::NodeQuotient(node, modulus) => {
                    lines.push(format!("(number @v{number} (div @n{node} {modulus}))"));
                }
                _ => {}
            }
        }
    }

    fn atom_text(&self, meaning: &Meaning) -> String {
        match meaning {
            Meaning::Truth => "true".to_owned(),
            Meaning::Symbol(symbol) => self.symbol_text(*symbol),
            Meaning::Formula(formula) => self.store.display(*formula).to_string(),
            Meaning::Inequality(atom) => {
                let relation = if atom.strict { "<" } else { "<=" };
                let sum = self.sum_text(&atom.terms, &Rat::ZERO, false);
                format!("({relation} {sum} {})", number_text(&atom.bound, false))
            }
            Meaning::Equation(a, b) => format!("(= @n{a} @n{b})"),
            Meaning::Bit(node, place) => format!("(= ((_ extract {place} {place}) @n{node}) #b1)"),
            Meaning::Gate(gate) => {
                let name = match gate {
                    Gate::And(_) => "and",
                    Gate::Xor(_) => "xor",
                    Gate::Choose(_) => "ite",
                    Gate::Majority(_) => ":majority",
                };
                let inputs: Vec<String> = gate.inputs().iter().map(|&lit| literal_text(lit)).collect();
                format!("({name} {})", inputs.join(" "))
            }
            Meaning::Free => ":free Bool".to_owned(),
        }
    }

    fn node_text(&self, meaning: &NodeMeaning) -> String {
        match meaning {
            NodeMeaning::Term(term) => self.store.display(*term).to_string(),
            NodeMeaning::Application { symbol, args, .. } if args.is_empty() => self.head_text(*symbol),
            NodeMeaning::Application { symbol, args, .. } => {
                let args: Vec<String> = args.iter().map(|arg| format!("@n{arg}")).collect();
                format!("({} {})", self.head_text(*symbol), args.join(" "))
            }
            NodeMeaning::Numeral(value, sort) if sort.bit_width().is_some() => {
                format!("(_ bv{value} {})", sort.bit_width().unwrap_or(0))
            }
            NodeMeaning::Numeral(value, sort) => number_text(value, *sort == Sort::Real),
            NodeMeaning::Sum(LinearForm { terms, constant }, sort) => {
                self.sum_text(terms, constant, *sort == Sort::Real)
            }
            NodeMeaning::Equation(a, b) => format!("(= @n{a} @n{b})"),
            NodeMeaning::Difference([a, b], sort) => {
                format!(":difference @n{a} @n{b} {}", self.store.display_sort(*sort))
            }
            NodeMeaning::Truth => "true".to_owned(),
            NodeMeaning::Falsity => "false".to_owned(),
            NodeMeaning::Free(sort) => format!(":free {}", self.store.display_sort(*sort)),
            NodeMeaning::Unknown => ":unknown".to_owned(),
        }
    }

    /// The sum of multiples of numbers and a constant.
    fn sum_text(&self, terms: &[(u32, Rat)], constant: &Rat, real: bool) -> String {
        let mut parts: Vec<String> = Vec::new();
        for (number, coeff) in terms {
            parts.push(if *coeff == Rat::ONE {
                format!("@v{number}")
            } else {
                format!("(* {} @v{number})", number_text(coeff, real))
            });
        }
        if !constant.is_zero() || parts.is_empty() {
            parts.push(number_text(constant, real));
        }
        if parts.len() == 1 { parts.remove(0) } else { format!("(+ {})", parts.join(" ")) }
    }

    fn symbol_text(&self, symbol: Symbol) -> String {
        quote_symbol(self.store.name(symbol)).into_owned()
    }

    /// A symbol at the head of an application.
    fn head_text(&self, symbol: Symbol) -> String {
        let store = self.store;
        let name = self.symbol_text(symbol);
        let qualified = || format!("(as {name} {})", store.display_sort(store.signature(symbol).result));
        match store.role(symbol) {
            Role::ConstantArray => qualified(),
            Role::Bits(BitOp::Extract { high, low }) => format!("(_ {name} {high} {low})"),
            Role::Bits(BitOp::SignExtend(by)) => format!("(_ {name} {by})"),
            Role::Bits(BitOp::FromInt) => {
                format!("(_ {name} {})", store.signature(symbol).result.bit_width().unwrap_or(0))
            }
            Role::Constructor { .. } if store.constructor(symbol).qualified => qualified(),
            Role::Tester { datatype, constructor } => {
                let constructor = store.datatype(datatype).constructors()[constructor as usize].symbol;
                format!("(_ is {})", self.symbol_text(constructor))
            }
            _ => name,
        }
    }
}
