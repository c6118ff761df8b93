//! Predicates as functions.
//!
//! A predicate is a function if its clauses determine some arguments, its *outputs*, from the others, its *inputs*: each
//! clause gives a case, with guards over the inputs and a term for each output (see `flow`). Without outputs it is a
//! function to truth values. Calls have to be for smaller arguments, and cases that overlap have to agree, which is
//! tested on values. Where a number gets smaller without bound, calls are made for natural numbers only; then the predicate
//! stands for the function on a *domain*: arguments with a natural number, or of a clause that does not ask for one.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::{Budget, Effort, Rng};
use shem_chc::{EdgeId, Graph, VertexId};
use shem_proof::NoProof;
use shem_smt::{Solver, Status};
use shem_term::{Sort, Store, Symbol, Term, Value};

use super::evaluate::{Machine, random_value};
use super::flow::Flow;

/// How a predicate is read.
#[derive(Clone, Debug)]
pub(super) struct Mode {
    /// The positions of the outputs.
    pub(super) outputs: Vec<usize>,
    /// A function for each output; without outputs one to truth values.
    pub(super) functions: Vec<Symbol>,
    /// The parameters of the functions: variables for the inputs.
    pub(super) parameters: Vec<Term>,
    /// Where the functions stand for the predicate, if that is not everywhere.
    pub(super) domain: Option<Term>,
}

impl Mode {
    /// What belongs to the inputs in a list with an entry for each argument.
    pub(super) fn inputs(&self, arguments: &[Term]) -> Vec<Term> {
        let inputs = (0..arguments.len()).filter(|at| !self.outputs.contains(at));
        inputs.map(|at| arguments[at]).collect()
    }

    /// Whether a function is one of the predicate: they have the same parameters.
    fn is_for(&self, function: &Function) -> bool {
        self.parameters == function.parameters
    }

    /// What the predicate says of these arguments.
    pub(super) fn formula(&self, store: &mut Store, arguments: &[Term]) -> Term {
        let inputs = self.inputs(arguments);
        if self.outputs.is_empty() {
            return store.apply(self.functions[0], &inputs);
        }
        let mut parts = Vec::new();
        for (&function, &output) in self.functions.iter().zip(&self.outputs) {
            let term = store.apply(function, &inputs);
            parts.push(store.eq(arguments[output], term));
        }
        if let Some(domain) = self.domain {
            parts.push(store.rename(domain, &self.parameters, &inputs));
        }
        store.and(&parts)
    }
}

/// The predicates that are read as functions.
pub(super) type Modes = BTreeMap<VertexId, Mode>;

/// A function.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) symbol: Symbol,
    pub(super) parameters: Vec<Term>,
    pub(super) cases: Vec<Case>,
    /// The value where no case applies.
    pub(super) default: Term,
    /// The cases as one term.
    pub(super) body: Term,
    pub(super) group: usize,
    pub(super) measure: Vec<usize>,
    pub(super) rank: usize,
    /// Whether some case applies to whatever arguments, as far as can be seen.
    is_total: bool,
}

/// A case of a function.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) guards: Vec<Term>,
    pub(super) output: Term,
}

/// What was found.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) functions: Vec<Function>,
    pub(super) modes: Modes,
}

/// The effort of a question about calls and cases.
const EFFORT: Effort = Effort { conflicts: 500, pivots: 20_000, splits: 500 };

/// The inputs on which cases are compared.
const TESTS: usize = 60;

/// The most combinations of modes that are tried for predicates that depend on each other.
const MOST_COMBINATIONS: usize = 60;

/// The most predicates that depend on each other.
const LARGEST_GROUP: usize = 4;

/// Reads all predicates that can be read; with domains, functions that are not defined everywhere stand for predicates
/// only where they are.
pub(super) fn read(
    store: &mut Store,
    graph: &Graph,
    with_domains: bool,
    seed: u64,
    budget: &Budget,
) -> Reading {
    let mut reading = Reading::default();
    for (number, group) in groups(graph).into_iter().enumerate() {
        if budget.check_stop().is_err() {
            break;
        }
        if group.len() <= LARGEST_GROUP {
            let mut attempt =
                Attempt { store, graph, reading: &mut reading, number, with_domains, seed, budget };
            attempt.read(&group);
        }
    }
    reading
}

/// The vertices by strongly connected components, callees first.
fn groups(graph: &Graph) -> Vec<Vec<VertexId>> {
    let vertices: Vec<VertexId> = graph.vertices().collect();
    let mut below: BTreeMap<VertexId, BTreeSet<VertexId>> = BTreeMap::new();
    for &vertex in &vertices {
        let mut reached = BTreeSet::new();
        let mut open = vec![vertex];
        while let Some(vertex) = open.pop() {
            for edge in graph.incoming(vertex) {
                for &source in &graph.edge(edge).sources {
                    if reached.insert(source) {
                        open.push(source);
                    }
                }
            }
        }
        below.insert(vertex, reached);
    }
    let mut order = vertices.clone();
    order.sort_by_key(|vertex| (below[vertex].len(), *vertex));
    let mut groups: Vec<Vec<VertexId>> = Vec::new();
    let mut done = BTreeSet::new();
    for &vertex in &order {
        if done.insert(vertex) {
            let mut group = vec![vertex];
            for &other in &order {
                if below[&vertex].contains(&other) && below[&other].contains(&vertex) && done.insert(other) {
                    group.push(other);
                }
            }
            groups.push(group);
        }
    }
    groups
}

struct Attempt<'a> {
    store: &'a mut Store,
    graph: &'a Graph,
    reading: &'a mut Reading,
    number: usize,
    with_domains: bool,
    seed: u64,
    budget: &'a Budget,
}

/// How good a reading is: smaller is better.
type Rank = (usize, usize);

/// A reading of a group with its rank.
type Ranked = (Rank, Vec<Function>, Vec<(VertexId, Mode)>);

impl Attempt<'_> {
    /// Reads the predicates of a group, if they can be read.
    fn read(&mut self, group: &[VertexId]) {
        let mut best: Option<Ranked> = None;
        for outputs in self.choices(group) {
            if self.budget.check_stop().is_err() {
                return;
            }
            let Some((rank, functions, modes)) = self.attempt(group, &outputs, &BTreeSet::new()) else {
                continue;
            };
            if best.as_ref().is_none_or(|best| rank < best.0) {
                let is_best = rank == (0, group.len());
                best = Some((rank, functions, modes));
                if is_best {
                    break;
                }
            }
        }
        if let Some((_, mut functions, mut modes)) = best {
            if self.with_domains {
                let partial: BTreeSet<VertexId> = modes
                    .iter()
                    .filter(|(_, mode)| {
                        let is_own = |f: &&Function| mode.functions.contains(&f.symbol);
                        !mode.outputs.is_empty() && !functions.iter().filter(is_own).all(|f| f.is_total)
                    })
                    .map(|(vertex, _)| *vertex)
                    .collect();
                let outputs: Vec<Vec<usize>> = modes.iter().map(|(_, mode)| mode.outputs.clone()).collect();
                if !partial.is_empty()
                    && let Some(found) = self.attempt(group, &outputs, &partial)
                {
                    (_, functions, modes) = found;
                }
            }
            self.reading.functions.extend(functions);
            self.reading.modes.extend(modes);
        }
    }

    /// Which arguments may be outputs, for each predicate of the group.
    fn choices(&self, group: &[VertexId]) -> Vec<Vec<Vec<usize>>> {
        let mut all: Vec<Vec<Vec<usize>>> = vec![Vec::new()];
        for &vertex in group {
            let count = self.graph.vertex(vertex).sorts().len();
            let mut own: Vec<Vec<usize>> = Vec::new();
            if count > 1 {
                own.extend((0..count).map(|at| vec![at]));
            }
            if count > 2 {
                for a in 0..count {
                    own.extend((a + 1..count).map(|b| vec![a, b]));
                }
            }
            // What a sum is made of: a tag and fields.
            if count > 3 {
                own.extend((0..count - 2).map(|a| vec![a, a + 1, a + 2]));
            }
            if count > 0 {
                own.push(Vec::new());
            }
            let mut next = Vec::new();
            for choice in &all {
                for outputs in &own {
                    let mut choice = choice.clone();
                    choice.push(outputs.clone());
                    next.push(choice);
                }
            }
            all = next;
            all.truncate(MOST_COMBINATIONS * 4);
        }
        all.truncate(MOST_COMBINATIONS);
        all
    }

    fn attempt(
        &mut self,
        group: &[VertexId],
        outputs: &[Vec<usize>],
        partial: &BTreeSet<VertexId>,
    ) -> Option<Ranked> {
        let mut modes = self.reading.modes.clone();
        let mut tests = BTreeMap::new();
        for (&vertex, outputs) in group.iter().zip(outputs) {
            let mut mode = self.mode(vertex, outputs);
            if partial.contains(&vertex) {
                let sorts: Vec<Sort> = mode.parameters.iter().map(|&p| self.store.sort(p)).collect();
                let test = self.store.declare("is defined", &sorts, Sort::Bool);
                mode.domain = Some(self.store.apply(test, &mode.parameters));
                tests.insert(vertex, test);
            }
            modes.insert(vertex, mode);
        }
        let mut functions = self.functions(group, &modes)?;
        // A function is defined where a case applies, of whose guards those of the calls are a part.
        for (vertex, test) in tests {
            let own = functions.iter().find(|f| modes[&vertex].functions.contains(&f.symbol))?.clone();
            let cases = own.cases.into_iter().map(|case| Case { output: Term::TRUE, ..case }).collect();
            functions.push(Function { symbol: test, cases, default: Term::FALSE, ..own });
        }
        if !self.measure(&mut functions, group, &mut modes) {
            return None;
        }
        let mut partial = 0;
        for function in &mut functions {
            function.is_total = is_total(self.store, function, self.budget);
            partial += usize::from(!function.is_total);
            finish(self.store, function);
        }
        let rest: usize =
            outputs.iter().map(|outputs| if outputs.is_empty() { 9 } else { outputs.len() }).sum();
        let known = self.reading.functions.len();
        self.reading.functions.extend(functions);
        let agrees = agree(self.store, &self.reading.functions, known, self.seed);
        let functions = self.reading.functions.split_off(known);
        let modes = group.iter().map(|vertex| (*vertex, modes[vertex].clone())).collect();
        agrees.then_some(((partial + if rest >= 9 { 5 } else { 0 }, rest), functions, modes))
    }

    fn mode(&mut self, vertex: VertexId, outputs: &[usize]) -> Mode {
        let store = &mut *self.store;
        let vertex = self.graph.vertex(vertex);
        let sorts = vertex.sorts();
        let inputs: Vec<Sort> =
            (0..sorts.len()).filter(|at| !outputs.contains(at)).map(|at| sorts[at]).collect();
        let parameters = inputs.iter().map(|&sort| store.variable("x", sort)).collect();
        let mut results: Vec<Sort> = outputs.iter().map(|&at| sorts[at]).collect();
        if results.is_empty() {
            results.push(Sort::Bool);
        }
        let functions = results.iter().map(|&sort| store.declare(vertex.name(), &inputs, sort)).collect();
        Mode { outputs: outputs.to_vec(), functions, parameters, domain: None }
    }

    /// The functions of the group, in these modes.
    fn functions(&mut self, group: &[VertexId], modes: &Modes) -> Option<Vec<Function>> {
        let mut functions = Vec::new();
        for &vertex in group {
            let mode = &modes[&vertex];
            let mut cases: Vec<Vec<Case>> = vec![Vec::new(); mode.functions.len()];
            let edges: Vec<EdgeId> = self.graph.incoming(vertex).collect();
            for id in edges {
                let edge = self.graph.edge(id);
                let target = self.graph.vertex(vertex).target().to_vec();
                let inputs = mode.inputs(&target);
                let known = (&inputs[..], &mode.parameters[..]);
                let mut flow = Flow::new(self.store, self.graph, edge, modes, None, known);
                flow.run(self.store);
                if !flow.is_complete() {
                    return None;
                }
                for (at, cases) in cases.iter_mut().enumerate() {
                    let output = match mode.outputs.get(at) {
                        Some(&output) => flow.value(self.store, target[output])?,
                        None => Term::TRUE,
                    };
                    cases.push(Case { guards: flow.guards.clone(), output });
                }
            }
            for (&symbol, cases) in mode.functions.iter().zip(cases) {
                let sort = self.store.signature(symbol).result;
                let default = self.store.default_value(sort);
                let default = self.store.value_term(&default, sort);
                functions.push(Function {
                    symbol,
                    parameters: mode.parameters.clone(),
                    cases,
                    default,
                    body: default,
                    group: self.number,
                    measure: Vec::new(),
                    rank: 0,
                    is_total: false,
                });
            }
        }
        Some(functions)
    }

    /// Finds measures for which all calls are smaller; domains are set where numbers have to be natural.
    fn measure(&mut self, functions: &mut [Function], group: &[VertexId], modes: &mut Modes) -> bool {
        let symbols: BTreeSet<Symbol> = functions.iter().map(|function| function.symbol).collect();
        let has_calls = functions.iter().any(|function| {
            let terms =
                function.cases.iter().flat_map(|case| case.guards.iter().copied().chain([case.output]));
            let terms: Vec<Term> = terms.collect();
            !calls(self.store, &terms, &symbols).is_empty()
        });
        if !has_calls {
            return true;
        }
        let mut choices: Vec<Vec<Vec<usize>>> = vec![Vec::new()];
        for vertex in group {
            let own = measures(self.store, &modes[vertex].parameters);
            let mut next = Vec::new();
            for choice in &choices {
                for measure in &own {
                    let mut choice = choice.clone();
                    choice.push(measure.clone());
                    next.push(choice);
                }
            }
            choices = next;
            choices.truncate(MOST_COMBINATIONS);
        }
        // A wrapper comes before or behind what it wraps.
        let orders: &[[bool; 2]] = match group.len() {
            1 => &[[false, false], [true, false]],
            _ => &[[false, false], [false, true]],
        };
        for &[bounded, reversed] in orders {
            for choice in &choices {
                let mut own = functions.to_vec();
                for function in &mut own {
                    let at = group.iter().position(|v| modes[v].is_for(function));
                    let at = at.expect("a vertex of the group");
                    function.measure.clone_from(&choice[at]);
                    function.rank = if reversed { group.len() - at } else { at };
                }
                let mut domain = None;
                if bounded {
                    let [position] = choice[0][..] else { continue };
                    let parameter = modes[&group[0]].parameters[position];
                    if self.store.sort(parameter) != Sort::Int {
                        continue;
                    }
                    domain = Some(self.bound(&mut own, position, &symbols));
                }
                if own.iter().all(|function| self.descends(function, &own, &symbols)) {
                    functions.clone_from_slice(&own);
                    if let Some(mode) = modes.get_mut(&group[0]) {
                        mode.domain = match (mode.domain, domain) {
                            (Some(a), Some(b)) => Some(self.store.and2(a, b)),
                            (a, b) => a.or(b),
                        };
                    }
                    return true;
                }
            }
        }
        false
    }

    /// Makes calls for natural numbers at this position only; where the functions stand for the predicate then.
    fn bound(&mut self, functions: &mut [Function], position: usize, symbols: &BTreeSet<Symbol>) -> Term {
        let zero = self.store.int(0);
        let mut domain = Vec::new();
        let is_relation = self.store.signature(functions[0].symbol).result == Sort::Bool
            && functions.iter().all(|f| f.cases.iter().all(|case| case.output == Term::TRUE));
        for (number, function) in functions.iter_mut().enumerate() {
            let parameter = function.parameters[position];
            let negative = self.store.lt(parameter, zero);
            let mut others = Vec::new();
            for case in &mut function.cases {
                let mut terms = case.guards.clone();
                terms.push(case.output);
                let calls = calls(self.store, &terms, symbols);
                if is_relation && !calls.is_empty() {
                    // A relation holds wherever nothing is known of it.
                    let free = |&guard: &Term| self::calls(self.store, &[guard], symbols).is_empty();
                    let mut guards: Vec<Term> = case.guards.iter().copied().filter(free).collect();
                    let naturals: Vec<Term> =
                        calls.iter().map(|(_, args)| self.store.ge(args[position], zero)).collect();
                    guards.push(!self.store.and(&naturals));
                    others.push(Case { guards, output: Term::TRUE });
                }
                if calls.is_empty() {
                    let mut formulas = case.guards.clone();
                    formulas.push(negative);
                    if number == 0 && ask(self.store, &formulas, self.budget) != Status::Unsat {
                        domain.push(self.store.and(&case.guards));
                    }
                }
                for (_, args) in calls.into_iter().rev() {
                    let natural = self.store.ge(args[position], zero);
                    case.guards.insert(0, natural);
                }
            }
            if number == 0 {
                domain.push(!negative);
            }
            function.cases.extend(others);
        }
        if is_relation {
            return Term::TRUE;
        }
        self.store.or(&domain)
    }

    /// Whether all calls of the function are for smaller arguments.
    fn descends(&mut self, function: &Function, all: &[Function], symbols: &BTreeSet<Symbol>) -> bool {
        let own = sum(self.store, &function.measure, &function.parameters);
        for case in &function.cases {
            let is_plain = |store: &Store, guard: Term| calls(store, &[guard], symbols).is_empty();
            let path: Vec<Term> =
                case.guards.iter().copied().filter(|&guard| is_plain(self.store, guard)).collect();
            let mut terms = case.guards.clone();
            terms.push(case.output);
            for (symbol, args) in calls(self.store, &terms, symbols) {
                let callee =
                    all.iter().find(|other| other.symbol == symbol).expect("a function of the group");
                let smaller = sum(self.store, &callee.measure, &args);
                let mut decreases = decreases(self.store, smaller, own);
                if callee.rank < function.rank {
                    let same = self.store.eq(smaller, own);
                    decreases = self.store.or2(decreases, same);
                }
                let mut formulas = path.clone();
                formulas.push(!decreases);
                if ask(self.store, &formulas, self.budget) != Status::Unsat {
                    return false;
                }
            }
        }
        true
    }
}

/// The calls of these functions in terms, each once.
fn calls(store: &Store, terms: &[Term], symbols: &BTreeSet<Symbol>) -> Vec<(Symbol, Vec<Term>)> {
    let mut found = Vec::new();
    for term in store.subterms(terms) {
        if let Some((symbol, _, args)) = store.as_app(term)
            && symbols.contains(&symbol)
        {
            found.push((symbol, args.to_vec()));
        }
    }
    found
}

/// Positions whose sizes or numbers may be added up: single ones, and pairs of values of recursive datatypes.
pub(super) fn measures(store: &Store, variables: &[Term]) -> Vec<Vec<usize>> {
    let positions = 0..variables.len();
    let is_recursive = |&at: &usize| store.is_recursive(store.sort(variables[at]));
    let recursive: Vec<usize> = positions.clone().filter(is_recursive).collect();
    let numbers: Vec<usize> = positions.filter(|&at| store.sort(variables[at]) == Sort::Int).collect();
    let mut found: Vec<Vec<usize>> = recursive.iter().chain(&numbers).map(|&at| vec![at]).collect();
    for (at, &a) in recursive.iter().enumerate() {
        found.extend(recursive[at + 1..].iter().map(|&b| vec![a, b]));
    }
    found
}

/// The sum of the sizes or numbers at these positions.
pub(super) fn sum(store: &mut Store, positions: &[usize], terms: &[Term]) -> Term {
    let mut summands = vec![store.int(0)];
    for &at in positions {
        summands.push(if store.sort(terms[at]) == Sort::Int { terms[at] } else { store.size(terms[at]) });
    }
    store.add(&summands)
}

/// That a sum is natural and less than another one.
pub(super) fn decreases(store: &mut Store, smaller: Term, greater: Term) -> Term {
    let zero = store.int(0);
    let (natural, less) = (store.ge(smaller, zero), store.lt(smaller, greater));
    store.and2(natural, less)
}

/// What holds of the sizes of the values of recursive datatypes in these formulas.
pub(super) fn size_facts(store: &mut Store, formulas: &[Term]) -> Vec<Term> {
    let terms = store.subterms(formulas);
    let recursive: Vec<Term> = terms.into_iter().filter(|&t| store.is_recursive(store.sort(t))).collect();
    recursive.into_iter().map(|term| store.size_facts(term)).collect()
}

/// Whether formulas have a common solution.
fn ask(store: &mut Store, formulas: &[Term], budget: &Budget) -> Status {
    let mut solver = Solver::with_proof(Default::default(), NoProof);
    for fact in size_facts(store, formulas) {
        solver.assert(store, fact);
    }
    for &formula in formulas {
        solver.assert(store, formula);
    }
    solver.check(store, &mut budget.at_most(EFFORT)).status()
}

/// Whether some case applies whatever the arguments are.
fn is_total(store: &mut Store, function: &Function, budget: &Budget) -> bool {
    if function.cases.is_empty() {
        return false;
    }
    let mut formulas = Vec::new();
    for case in &function.cases {
        formulas.push(!store.and(&case.guards));
    }
    ask(store, &formulas, budget) == Status::Unsat
}

/// Puts the cases together, in the order of the clauses. If one of them always applies, the last one needs no guards.
fn finish(store: &mut Store, function: &mut Function) {
    let mut body = function.default;
    for (at, case) in function.cases.iter().rev().enumerate() {
        let guard = if at == 0 && function.is_total { Term::TRUE } else { store.and(&case.guards) };
        body = store.ite(guard, case.output, body);
    }
    function.body = body;
}

/// Whether cases that apply to the same arguments have the same value, as far as tests show, and whether some case
/// applies now and then. The functions from this index on are looked at.
fn agree(store: &Store, functions: &[Function], from: usize, seed: u64) -> bool {
    let machine = Machine::new(store, functions);
    let mut rng = Rng::new(seed ^ 0x5eed);
    for (number, function) in functions.iter().enumerate().skip(from) {
        let mut applied = function.cases.is_empty();
        for test in 0..TESTS {
            let depth = 1 + test % 4;
            let parameters = &function.parameters;
            let args: Vec<Value> =
                parameters.iter().map(|&p| random_value(store, &mut rng, store.sort(p), depth)).collect();
            match machine.cases(number, &args) {
                None => {}
                Some(values) => {
                    applied |= !values.is_empty();
                    if values.iter().any(|value| *value != values[0]) {
                        return false;
                    }
                }
            }
        }
        if !applied {
            return false;
        }
    }
    true
}
