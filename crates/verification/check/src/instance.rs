//! Instances of clauses: whether given facts follow from given facts by one clause.
//!
//! Each argument of the clause gets a *slot*, a variable that takes the value of the fact there; the clause
//! then is one formula over slots and clause variables. Most clause variables are determined by the slots: an
//! argument is a variable, or an equation of the constraint has one unknown left. Which variables follow from
//! what is found once for each clause, as a list of assignments; a step of a derivation then costs a few
//! evaluations and makes no terms. Other variables keep the values of the step before, which are often right; if
//! not, a solver, one for each clause, looks for values.
//!
//! Conjuncts with quantifiers are left out of this and confirmed at the end, for the values found: by a refutation of
//! their negation.
//!
//! The result depends only on the evaluation of the whole formula at the end, and on that refutation.
//!
//! *Unspecified values.* SMT-LIB leaves open what the head of an empty list or a quotient by zero is: every function
//! that fills the gap gives an interpretation, and clauses are unsatisfiable only if none of them has a model. So a
//! step counts only if it is an instance whatever fills the gaps. Evaluation gives no value to what depends on them,
//! and a step without a value is undecided. For the same reason a step must not depend on how many elements a declared
//! sort has: only the first element may occur in it, and no array that such elements index, since two of these may
//! be equal in a small domain and different in a large one.

use std::collections::{BTreeMap, VecDeque};

use shem_base::{Budget, Rat};
use shem_chc::{Clause, Course};
use shem_smt::{Answer, Solver, Status};
use shem_term::{Evaluator, Sort, Store, Substitution, Symbol, Term, Value, View};

use crate::refute::{confirm, refute, with_values};
use crate::repetition;
use crate::rounds::Rounds;

/// Why a step whose clause has quantifiers is not judged.
const UNDECIDED: shem_base::UnknownReason =
    shem_base::UnknownReason::Incomplete("a quantified constraint was neither confirmed nor refuted");

/// Why a step that depends on what SMT-LIB leaves open is not judged.
const UNSPECIFIED: shem_base::UnknownReason = shem_base::UnknownReason::Incomplete(
    "a step depends on an unspecified value, such as a selector of another constructor or a division by zero",
);

/// Why a step that depends on the size of a declared sort is not judged.
const ELEMENTS: shem_base::UnknownReason =
    shem_base::UnknownReason::Incomplete("a step depends on the number of elements of a declared sort");

/// What evaluation says of a formula.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Truth {
    True,
    False,
    /// It depends on an unspecified value.
    Open,
}

/// Whether there is an instance.
pub(crate) enum InstanceSearch {
    Found,
    Absent,
}

/// A clause made ready for checking its instances.
pub(crate) struct Instances {
    /// Slots, in the order of the body and then the head; then the variables of the clause.
    symbols: Vec<Symbol>,
    /// Positions of the symbols by symbol.
    order: Vec<(Symbol, usize)>,
    slots: usize,
    /// The clause as a formula over the symbols, without the quantified conjuncts.
    formula: Term,
    /// The conjuncts with quantifiers.
    quantified: Vec<Term>,
    whole: Evaluator,
    /// Variables, by position, with the terms that they must equal.
    assignments: Vec<(usize, Sort, Evaluator)>,
    /// The terms of the assignments.
    solutions: Vec<Term>,
    /// Whether the assignments reach all variables of the formula.
    determined: bool,
    /// The current values: those of the slots are of this step, the others at first of the last one.
    values: Vec<Value>,
    /// Whether elements of declared sorts may be part of the values; and whether arrays are indexed by them.
    has_elements: bool,
    indexed_by_elements: bool,
    solver: Option<Solver>,
}

impl Instances {
    pub(crate) fn new(store: &mut Store, clause: &Clause) -> Instances {
        let arguments: Vec<Term> =
            clause.body.iter().chain(&clause.head).flat_map(|atom| atom.args.iter().copied()).collect();
        Instances::of(store, &arguments, clause.constraint, &clause.variables)
    }

    /// The same for a clause with these arguments, constraint and variables.
    pub(crate) fn of(
        store: &mut Store,
        arguments: &[Term],
        whole_constraint: Term,
        variables: &[Term],
    ) -> Instances {
        let mut conjuncts = Vec::new();
        let mut slots = Vec::new();
        for &argument in arguments {
            let sort = store.sort(argument);
            let slot = store.variable("slot", sort);
            slots.push(slot);
            conjuncts.push(store.eq(slot, argument));
        }
        let mut constraint = vec![whole_constraint];
        if let View::And(members) = store.view(whole_constraint)
            && !whole_constraint.is_negated()
        {
            constraint = members.to_vec();
        }
        let (quantified, plain): (Vec<Term>, Vec<Term>) =
            constraint.into_iter().partition(|&conjunct| store.has_quantifier(conjunct));
        conjuncts.extend(plain);
        let formula = store.and(&conjuncts);
        let count = slots.len();
        slots.extend_from_slice(variables);
        let symbols: Vec<Symbol> = slots.iter().map(|&v| store.as_var(v).expect("a variable")).collect();
        let mut order: Vec<(Symbol, usize)> = symbols.iter().enumerate().map(|(i, &s)| (s, i)).collect();
        order.sort_unstable();
        let has_elements = slots.iter().any(|&v| store.has_elements(store.sort(v)));
        let indexed_by_elements =
            has_elements && slots.iter().any(|&v| store.has_element_indices(store.sort(v)));
        let values = slots.iter().map(|&v| store.default_value(store.sort(v))).collect();
        let mut whole = quantified.clone();
        whole.push(formula);
        let Assignments { assignments, solutions, determined } =
            plan_assignments(store, &symbols, &order, count, &conjuncts, &whole);
        let whole = Evaluator::new(store, formula);
        Instances {
            symbols,
            order,
            slots: count,
            formula,
            quantified,
            whole,
            assignments,
            solutions,
            determined,
            values,
            has_elements,
            indexed_by_elements,
            solver: None,
        }
    }

    /// Looks for an instance with these values of the arguments, body first.
    pub(crate) fn search<'v>(
        &mut self,
        store: &mut Store,
        slots: impl Iterator<Item = &'v Value>,
        budget: &mut Budget,
    ) -> Result<InstanceSearch, shem_base::UnknownReason> {
        for (current, value) in self.values[..self.slots].iter_mut().zip(slots) {
            current.clone_from(value);
        }
        let truth = match self.assign(store) {
            Truth::True => self.holds(store),
            other => other,
        };
        match truth {
            Truth::True => {
                if self.holds_quantified(store, budget)? {
                    return self.found();
                }
                if self.determined {
                    return self.refute_quantified(store, budget);
                }
            }
            Truth::False if self.determined => return Ok(InstanceSearch::Absent),
            Truth::Open if self.determined => return Err(UNSPECIFIED),
            Truth::False | Truth::Open => {}
        }
        if self.quantified.is_empty() {
            self.solve(store, budget)
        } else {
            self.solve_quantified(store, budget)
        }
    }

    /// Whether the clause is shown to have instances in all of the first `count` rounds, with these courses of the
    /// arguments, body first. `false` if it is not known.
    pub(crate) fn holds_in_rounds(
        &mut self,
        store: &mut Store,
        slots: &[Course],
        rounds: &mut Rounds,
        count: u64,
        budget: &mut Budget,
    ) -> Result<bool, shem_base::UnknownReason> {
        if !self.quantified.is_empty() {
            return Ok(false);
        }
        let mut courses: Vec<Option<Course>> = vec![None; self.symbols.len()];
        for (course, slot) in courses.iter_mut().zip(slots) {
            *course = Some(slot.clone());
        }
        if !self.determined && !self.guess_courses(store, slots, &mut courses, count, budget)? {
            return Ok(false);
        }
        for ((position, sort, _), &solution) in self.assignments.iter().zip(&self.solutions) {
            let found = rounds.evaluate(store, solution, &|symbol| lookup(&self.order, &courses, symbol)?);
            match found {
                Some(course) if repetition::fits(&course, *sort) => courses[*position] = Some(course),
                _ => return Ok(false),
            }
        }
        let whole = rounds.evaluate(store, self.formula, &|symbol| lookup(&self.order, &courses, symbol)?);
        Ok(whole == Some(Course::Truth(true)))
    }

    /// Guesses courses of the variables that are not determined, by the values in the first rounds.
    fn guess_courses(
        &mut self,
        store: &mut Store,
        slots: &[Course],
        courses: &mut [Option<Course>],
        count: u64,
        budget: &mut Budget,
    ) -> Result<bool, shem_base::UnknownReason> {
        let degree = slots.iter().map(Course::degree).max().unwrap_or(0);
        let mut found: Vec<Vec<Value>> = vec![Vec::new(); self.symbols.len()];
        for round in 0..count.min(degree as u64 + 1) {
            let values: Vec<Value> = slots.iter().map(|course| course.at(round)).collect();
            if let InstanceSearch::Absent = self.search(store, values.iter(), budget)? {
                return Ok(false);
            }
            for (list, value) in found.iter_mut().zip(&self.values) {
                list.push(value.clone());
            }
        }
        for (position, values) in found.iter().enumerate().skip(self.slots) {
            let sort = store.signature(self.symbols[position]).result;
            let course = Course::through(values).filter(|course| repetition::fits(course, sort));
            courses[position] = course;
        }
        Ok(true)
    }

    /// The current values are an instance, unless it depends on the size of a declared sort.
    fn found(&self) -> Result<InstanceSearch, shem_base::UnknownReason> {
        if self.indexed_by_elements || self.has_elements && !self.values.iter().all(has_first_elements_only) {
            return Err(ELEMENTS);
        }
        Ok(InstanceSearch::Found)
    }

    /// Whether the conjuncts with quantifiers are shown to hold for the current values.
    fn holds_quantified(
        &self,
        store: &mut Store,
        budget: &mut Budget,
    ) -> Result<bool, shem_base::UnknownReason> {
        for &conjunct in &self.quantified {
            if !confirm(store, conjunct, &|_, symbol| self.value(symbol), budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The current values are the only ones possible, and a conjunct with quantifiers was not confirmed.
    fn refute_quantified(
        &self,
        store: &mut Store,
        budget: &mut Budget,
    ) -> Result<InstanceSearch, shem_base::UnknownReason> {
        let value = |_: &Store, symbol| self.value(symbol);
        let closed: Vec<Term> = self.quantified.iter().map(|&c| with_values(store, c, &value)).collect();
        match refute(store, &closed, budget)? {
            None => Ok(InstanceSearch::Absent),
            Some(_) => Err(UNDECIDED),
        }
    }

    fn value(&self, symbol: Symbol) -> Value {
        lookup(&self.order, &self.values, symbol).expect("a variable of the clause")
    }

    /// Looks for values of the variables that are no slots, where there are conjuncts with quantifiers.
    fn solve_quantified(
        &mut self,
        store: &mut Store,
        budget: &mut Budget,
    ) -> Result<InstanceSearch, shem_base::UnknownReason> {
        let slots = self.symbols[..self.slots].to_vec();
        let mut formulas = vec![self.formula];
        formulas.extend_from_slice(&self.quantified);
        let values = self.values.clone();
        let mut substitution = Substitution::new();
        for (&symbol, value) in slots.iter().zip(&values) {
            let sort = store.signature(symbol).result;
            let term = store.value_term(value, sort);
            substitution.insert(symbol, term);
        }
        for formula in &mut formulas {
            *formula = store.substitute(*formula, &substitution);
        }
        let Some(model) = refute(store, &formulas, budget)? else { return Ok(InstanceSearch::Absent) };
        for (current, &symbol) in self.values[self.slots..].iter_mut().zip(&self.symbols[self.slots..]) {
            *current = model.value_or_default(store, symbol);
        }
        match self.holds(store) {
            Truth::True if self.holds_quantified(store, budget)? => self.found(),
            Truth::Open => Err(UNSPECIFIED),
            _ => Err(UNDECIDED),
        }
    }

    /// Gives the determined variables their values. Not true if one has none: the slots contradict, or the value is
    /// unspecified.
    fn assign(&mut self, store: &Store) -> Truth {
        let Instances { order, assignments, values, .. } = self;
        for (position, sort, evaluator) in assignments {
            let value = evaluator.evaluate(store, &|symbol| lookup(order, values, symbol));
            match value {
                Some(value) if store.is_value(&value, *sort) => values[*position] = value,
                Some(_) => return Truth::False,
                None => return Truth::Open,
            }
        }
        Truth::True
    }

    fn holds(&mut self, store: &Store) -> Truth {
        let Instances { order, values, whole, .. } = self;
        match whole.evaluate(store, &|symbol| lookup(order, values, symbol)) {
            Some(Value::Bool(true)) => Truth::True,
            Some(_) => Truth::False,
            None => Truth::Open,
        }
    }

    fn solve(
        &mut self,
        store: &mut Store,
        budget: &mut Budget,
    ) -> Result<InstanceSearch, shem_base::UnknownReason> {
        let formula = self.formula;
        let mut equations = Vec::with_capacity(self.slots);
        for (&symbol, value) in self.symbols[..self.slots].iter().zip(&self.values) {
            let slot = store.var(symbol);
            equations.push(store.value_literal(slot, value));
        }
        let solver = self.solver.get_or_insert_with(|| {
            let mut solver = Solver::new(Default::default());
            solver.assert(store, formula);
            // They hold of all values, and let the solver find products that are right.
            for fact in store.product_facts(&[formula]) {
                solver.assert(store, fact);
            }
            solver
        });
        solver.push();
        for equation in equations {
            solver.assert(store, equation);
        }
        let answer = solver.check(store, budget);
        let status = answer.status();
        if let Answer::Sat(mut solution) = answer {
            let model = solution.model();
            for (current, &symbol) in self.values[self.slots..].iter_mut().zip(&self.symbols[self.slots..]) {
                *current = model.value_or_default(store, symbol);
            }
        }
        solver.pop();
        match status {
            Status::Sat => match self.holds(store) {
                Truth::True => self.found(),
                Truth::False => {
                    Err(shem_base::UnknownReason::Incomplete("the solver's model of a step is wrong"))
                }
                Truth::Open => Err(UNSPECIFIED),
            },
            Status::Unsat => Ok(InstanceSearch::Absent),
            Status::Unknown(reason) => Err(reason),
        }
    }
}

/// Finds the values of a clause's variables in steps of derivations.
pub struct StepInstances {
    instances: Instances,
}

impl StepInstances {
    /// Prepares a clause.
    pub fn new(store: &mut Store, clause: &Clause) -> StepInstances {
        StepInstances { instances: Instances::new(store, clause) }
    }

    /// Values of the clause's variables, in their order, for which its arguments, body first, have these values and its
    /// constraint holds. `None` if there are none.
    pub fn find<'v>(
        &mut self,
        store: &mut Store,
        arguments: impl Iterator<Item = &'v Value>,
        budget: &mut Budget,
    ) -> Result<Option<&[Value]>, shem_base::UnknownReason> {
        match self.instances.search(store, arguments, budget)? {
            InstanceSearch::Found => Ok(Some(&self.instances.values[self.instances.slots..])),
            InstanceSearch::Absent => Ok(None),
        }
    }
}

/// Whether of each declared sort only the first element is part of the value.
fn has_first_elements_only(value: &Value) -> bool {
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        if matches!(value, Value::Element(_, number) if *number > 0) {
            return false;
        }
        stack.extend(value.parts());
    }
    true
}

fn lookup<T: Clone>(order: &[(Symbol, usize)], values: &[T], symbol: Symbol) -> Option<T> {
    let at = order.binary_search_by_key(&symbol, |&(s, _)| s).ok()?;
    Some(values[order[at].1].clone())
}

/// A conjunct that may determine a variable once the others in it are known.
struct Equation {
    formula: Term,
    /// The positions of its unknown variables, each once.
    unknown: Vec<usize>,
    /// How many of them are still unknown.
    open: usize,
}

/// What determines variables.
struct Assignments {
    assignments: Vec<(usize, Sort, Evaluator)>,
    /// The terms of the assignments.
    solutions: Vec<Term>,
    /// Whether they reach all variables of the formula.
    determined: bool,
}

/// Finds which variables are determined by the slots, by which terms, and whether these are all variables of the
/// formula.
fn plan_assignments(
    store: &mut Store,
    symbols: &[Symbol],
    order: &[(Symbol, usize)],
    slots: usize,
    conjuncts: &[Term],
    whole: &[Term],
) -> Assignments {
    let position = |symbol: Symbol| {
        let at = order.binary_search_by_key(&symbol, |&(s, _)| s).expect("a variable of the clause");
        order[at].1
    };
    let mut known = vec![false; order.len()];
    known[..slots].fill(true);
    let mut variables_of: BTreeMap<Term, Vec<usize>> = BTreeMap::new();
    let mut equations = Vec::new();
    let mut equations_with: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
    let mut ready = VecDeque::new();
    for &conjunct in conjuncts {
        let mut leaves = Vec::new();
        match store.view(conjunct) {
            View::Var(_) => leaves.push(conjunct),
            View::Eq(poly, _) if !conjunct.is_negated() => {
                leaves.extend(store.poly_terms(poly).iter().map(|t| t.leaf));
            }
            View::Iff(a, b) => leaves.extend([a, b]),
            View::Equal(a, b) if !conjunct.is_negated() => leaves.extend([a, b]),
            _ => continue,
        }
        let mut unknown = Vec::new();
        for leaf in leaves {
            let variables = variables_of.entry(leaf.positive()).or_insert_with(|| {
                let free = match store.as_var(leaf) {
                    Some(_) => vec![leaf.positive()],
                    None => store.free_variables(&[leaf]),
                };
                free.into_iter().map(|v| position(store.as_var(v).expect("a variable"))).collect()
            });
            unknown.extend(variables.iter().copied().filter(|&v| !known[v]));
        }
        unknown.sort_unstable();
        unknown.dedup();
        for &variable in &unknown {
            equations_with[variable].push(equations.len());
        }
        if unknown.len() == 1 {
            ready.push_back(equations.len());
        }
        equations.push(Equation { formula: conjunct, open: unknown.len(), unknown });
    }
    let mut assignments = Vec::new();
    let mut solutions = Vec::new();
    while let Some(at) = ready.pop_front() {
        let Some(&variable) = equations[at].unknown.iter().find(|&&v| !known[v]) else { continue };
        let symbol = symbols[variable];
        let Some(solution) = solve_for(store, equations[at].formula, symbol) else { continue };
        known[variable] = true;
        let sort = store.signature(symbol).result;
        assignments.push((variable, sort, Evaluator::new(store, solution)));
        solutions.push(solution);
        for &other in &equations_with[variable] {
            equations[other].open -= 1;
            if equations[other].open == 1 {
                ready.push_back(other);
            }
        }
    }
    let free = store.free_variables(whole);
    let determined = free.into_iter().all(|v| known[position(store.as_var(v).expect("a variable"))]);
    Assignments { assignments, solutions, determined }
}

/// The term that a variable must equal for the equation to hold, if it is a leaf there and nowhere else.
fn solve_for(store: &mut Store, equation: Term, symbol: Symbol) -> Option<Term> {
    let variable = store.var(symbol);
    match store.view(equation) {
        View::Var(_) => Some(Term::from_bool(!equation.is_negated())),
        View::Iff(a, b) => {
            let other = if a == variable { b } else { a };
            let alone = (a == variable || b == variable) && !mentions(store, other, variable);
            alone.then(|| other.xor(equation.is_negated()))
        }
        View::Equal(a, b) => {
            let other = if a == variable { b } else { a };
            let alone = (a == variable || b == variable) && !mentions(store, other, variable);
            alone.then_some(other)
        }
        View::Eq(poly, value) => {
            let value = value.clone();
            let terms = store.poly_terms(poly).to_vec();
            let own = terms.iter().find(|t| t.leaf == variable)?;
            let factor = Rat::from(own.coeff.clone());
            let mut rest = Vec::with_capacity(terms.len() - 1);
            for term in terms.iter().filter(|t| t.leaf != variable) {
                if mentions(store, term.leaf, variable) {
                    return None;
                }
                rest.push((-(Rat::from(term.coeff.clone()) / &factor), term.leaf));
            }
            Some(store.linear(&rest, &(value / factor), Sort::Real))
        }
        _ => None,
    }
}

fn mentions(store: &Store, term: Term, variable: Term) -> bool {
    match store.as_var(term) {
        Some(_) => term.positive() == variable,
        None => store.free_variables(&[term]).binary_search(&variable).is_ok(),
    }
}
