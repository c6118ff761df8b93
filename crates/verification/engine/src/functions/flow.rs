//! How values flow through an edge.
//!
//! Some variables of an edge are *given*. Conjuncts of the label and sources of which all inputs are known make more
//! variables known, as terms over what is given: an equation with a variable, or with a constructor, whose other side is
//! known; a source whose outputs are functions of its inputs. What is known on both sides is a *guard*.

use std::collections::BTreeSet;

use shem_base::{Int, Rat};
use shem_chc::{Edge, Graph};
use shem_term::{Role, Store, Substitution, Term, View};

use super::reading::Modes;

/// What is known of an edge.
pub(super) struct Flow<'a> {
    graph: &'a Graph,
    edge: &'a Edge,
    modes: &'a Modes,
    /// The variables that are given.
    given: BTreeSet<Term>,
    /// What other variables are, as terms over what is given.
    known: Substitution,
    /// What has to hold, over what is given, in the order in which it became known.
    pub(super) guards: Vec<Term>,
    /// Conjuncts with variables that are not known.
    open: Vec<Term>,
    /// The positions of sources that have not been used.
    sources: Vec<usize>,
}

impl<'a> Flow<'a> {
    /// Nothing is known but that these variables are these terms, whose variables are given. Sources without a mode, and
    /// the one at this position, are left out.
    pub(super) fn new(
        store: &mut Store,
        graph: &'a Graph,
        edge: &'a Edge,
        modes: &'a Modes,
        without: Option<usize>,
        (variables, terms): (&[Term], &[Term]),
    ) -> Flow<'a> {
        let mut known = Substitution::new();
        known.bind(store, variables, terms);
        let given = store.free_variables(terms).into_iter().collect();
        let label = store.substitute(edge.label, &known);
        let open = without_rebuilt(store, label);
        let sources = (0..edge.sources.len()).filter(|&at| Some(at) != without).collect();
        Flow { graph, edge, modes, given, known, guards: Vec::new(), open, sources }
    }

    /// Whether all variables of a term are given.
    fn is_known(&self, store: &Store, term: Term) -> bool {
        store.free_variables(&[term]).iter().all(|v| self.given.contains(v))
    }

    /// The term for a term over the variables of the edge, if all of these are known.
    pub(super) fn value(&self, store: &mut Store, term: Term) -> Option<Term> {
        let term = store.substitute(term, &self.known);
        self.is_known(store, term).then_some(term)
    }

    /// Whether everything is known.
    pub(super) fn is_complete(&self) -> bool {
        self.open.is_empty() && self.sources.is_empty()
    }

    /// Makes known what follows from what is known.
    pub(super) fn run(&mut self, store: &mut Store) {
        loop {
            if self.use_label(store) {
                continue;
            }
            if !self.use_source(store) {
                return;
            }
        }
    }

    fn bind(&mut self, store: &mut Store, variable: Term, term: Term) {
        let mut one = Substitution::new();
        let (variable, term) = if variable.is_negated() { (!variable, !term) } else { (variable, term) };
        one.bind(store, &[variable], &[term]);
        self.known.bind(store, &[variable], &[term]);
        let mut open = Vec::with_capacity(self.open.len());
        for &formula in &self.open {
            let formula = store.substitute(formula, &one);
            open.extend(store.conjuncts(formula));
        }
        self.open = open;
    }

    /// Uses a conjunct of the label; `false` if none can be used.
    fn use_label(&mut self, store: &mut Store) -> bool {
        for at in 0..self.open.len() {
            let formula = self.open[at];
            if formula == Term::TRUE {
                self.open.swap_remove(at);
                return true;
            }
            if self.is_known(store, formula) {
                self.open.remove(at);
                self.guards.push(formula);
                return true;
            }
            if store.as_var(formula).is_some() {
                self.open.remove(at);
                self.bind(store, formula, Term::TRUE);
                return true;
            }
            let is_unknown = |flow: &Flow<'_>, term: Term| {
                store.as_var(term).is_some() && !flow.given.contains(&term.positive())
            };
            match store.view(formula) {
                View::Equal(a, b) | View::Iff(a, b) => {
                    let sign = formula.is_negated();
                    let is_truth = store.sort(a) == shem_term::Sort::Bool;
                    if sign && !is_truth {
                        continue;
                    }
                    let found = [(a, b), (b, a)].into_iter().find(|&(a, b)| {
                        self.is_known(store, a)
                            && (is_unknown(self, b) || (!sign && is_construction(store, b)))
                    });
                    let Some((a, b)) = found else { continue };
                    self.open.remove(at);
                    if store.as_var(b).is_some() {
                        self.bind(store, b, if sign { !a } else { a });
                    } else {
                        self.take_apart(store, a, b);
                    }
                    return true;
                }
                View::Eq(poly, value) if !formula.is_negated() => {
                    let terms = store.poly_terms(poly).to_vec();
                    let mut open = terms.iter().filter(|t| !self.is_known(store, t.leaf));
                    let Some(one) = open.next().cloned() else { continue };
                    let is_one = one.coeff == Int::ONE || one.coeff == -Int::ONE;
                    if open.next().is_some() || !is_one || !is_unknown(self, one.leaf) {
                        continue;
                    }
                    let (sort, value) = (store.sort(one.leaf), value.clone());
                    // leaf = (value - rest) / coeff, and the coefficient is its own inverse.
                    let sign = Rat::from(one.coeff.clone());
                    let rest: Vec<(Rat, Term)> = terms
                        .iter()
                        .filter(|t| t.leaf != one.leaf)
                        .map(|t| (-(Rat::from(t.coeff.clone()) * sign.clone()), t.leaf))
                        .collect();
                    let term = store.linear(&rest, &(value * sign), sort);
                    self.open.remove(at);
                    self.bind(store, one.leaf, term);
                    return true;
                }
                _ => {}
            }
        }
        false
    }

    /// A known term is a construction: it is made by the constructor, and its fields are the arguments.
    fn take_apart(&mut self, store: &mut Store, known: Term, construction: Term) {
        let (symbol, _, args) = store.as_app(construction).expect("a construction");
        let args = args.to_vec();
        let constructor = store.constructor(symbol).clone();
        let test = store.test(constructor.tester, known);
        if test != Term::TRUE {
            self.guards.push(test);
        }
        for (selector, arg) in constructor.selectors.into_iter().zip(args) {
            let field = store.select_field(selector, known);
            let equation = store.eq(field, arg);
            self.open.extend(store.conjuncts(equation));
        }
    }

    /// Uses a source whose inputs are known; `false` if there is none.
    fn use_source(&mut self, store: &mut Store) -> bool {
        for at in 0..self.sources.len() {
            let position = self.sources[at];
            let Some(mode) = self.modes.get(&self.edge.sources[position]) else { continue };
            let variables = self.graph.source_variables(self.edge, position).to_vec();
            let inputs: Option<Vec<Term>> = (0..variables.len())
                .filter(|argument| !mode.outputs.contains(argument))
                .map(|argument| self.value(store, variables[argument]))
                .collect();
            let Some(inputs) = inputs else { continue };
            self.sources.remove(at);
            if let Some(domain) = mode.domain {
                let mut one = Substitution::new();
                one.bind(store, &mode.parameters, &inputs);
                let domain = store.substitute(domain, &one);
                if domain != Term::TRUE {
                    self.guards.push(domain);
                }
            }
            let functions = mode.functions.clone();
            if mode.outputs.is_empty() {
                let holds = store.apply(functions[0], &inputs);
                self.guards.push(holds);
                return true;
            }
            for (function, output) in functions.into_iter().zip(mode.outputs.clone()) {
                let term = store.apply(function, &inputs);
                let output = store.substitute(variables[output], &self.known);
                if store.as_var(output).is_some() && !self.given.contains(&output.positive()) {
                    self.bind(store, output, term);
                } else {
                    let equation = store.eq(output, term);
                    self.open.extend(store.conjuncts(equation));
                }
            }
            return true;
        }
        false
    }

    /// Gives a variable that is not known: an input of a source that no other source makes known if there is one,
    /// otherwise any. `None` if everything is known.
    pub(super) fn give(&mut self, store: &mut Store) -> Option<Term> {
        let (mut inputs, mut outputs) = (Vec::new(), BTreeSet::new());
        for &position in &self.sources {
            let Some(mode) = self.modes.get(&self.edge.sources[position]) else { continue };
            let variables = self.graph.source_variables(self.edge, position);
            for (argument, &variable) in variables.iter().enumerate() {
                let term = store.substitute(variable, &self.known);
                let free = store.free_variables(&[term]);
                let unknown = free.into_iter().filter(|v| !self.given.contains(v));
                if mode.outputs.contains(&argument) {
                    outputs.extend(unknown);
                } else {
                    inputs.extend(unknown);
                }
            }
        }
        let unknown = |v: &Term| !self.given.contains(v);
        let chosen = inputs.iter().copied().find(|v| !outputs.contains(v)).or(inputs.first().copied());
        let chosen = chosen.or_else(|| store.free_variables(&self.open).into_iter().find(unknown))?;
        self.given.insert(chosen);
        Some(chosen)
    }
}

/// The conjuncts of a label, without terms that are rebuilt of their own fields where their constructor is known.
fn without_rebuilt(store: &mut Store, label: Term) -> Vec<Term> {
    let mut conjuncts = store.conjuncts(label);
    let mut pairs = Vec::new();
    for &formula in &conjuncts {
        if let Some((_, Role::Tester { datatype, constructor }, &[whole])) = store.as_app(formula)
            && !formula.is_negated()
        {
            let constructor = store.datatype(datatype).constructors()[constructor as usize].clone();
            let fields: Vec<Term> =
                constructor.selectors.iter().map(|&selector| store.select_field(selector, whole)).collect();
            let rebuilt = store.construct(constructor.symbol, &fields);
            pairs.push((rebuilt, whole, formula));
        }
    }
    for (rebuilt, whole, test) in pairs {
        for formula in &mut conjuncts {
            if *formula != test {
                *formula = store.replace(*formula, &[(rebuilt, whole)]);
            }
        }
    }
    let label = store.and(&conjuncts);
    store.conjuncts(label)
}

fn is_construction(store: &Store, term: Term) -> bool {
    matches!(store.as_app(term), Some((_, Role::Constructor { .. }, _)))
}
