//! Cases as functions: a *move* says what the state after a step is, and values for the clause's variables.
//!
//! What a case determines is solved from its equations. What it leaves open is chosen: a bound that the case has for it, the
//! value that the argument had before, one more or less, or zero. A move that is taken where its guard holds is a step of
//! its clause, whatever was chosen.

use shem_base::Rat;
use shem_term::{Sort, Store, Substitution, Term, View};

use crate::cube::{Case, Cases};
use crate::linear::{Row, collect, term_of};
use crate::problem::Problem;

/// The greatest number of ways to choose what a case leaves open.
const MOST_WAYS: usize = 10;

/// A step as a function of the state before it.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    pub(crate) case: usize,
    /// Where the step can be taken: formulas over the variables of the source before the step.
    pub(crate) guard: Vec<Term>,
    /// The arguments of the target, over the same variables.
    pub(crate) updates: Vec<Term>,
    /// Values of the clause's variables, over the same variables.
    pub(crate) values: Vec<Term>,
}

/// The moves of a case, the most natural choice first.
pub(crate) fn moves_of(store: &mut Store, problem: &Problem, cases: &Cases, at: usize) -> Vec<Move> {
    let Case { transition, literals, rows, .. } = &cases.cases[at];
    let transition = &problem.transitions[*transition];
    let state = &problem.states[transition.source.expect("a transition has a source").index()];
    let next = &problem.nexts[transition.target.index()];
    let mut open: Vec<Term> = next.clone();
    let mut mentioned = literals.clone();
    mentioned.extend(&transition.values);
    open.extend(store.free_variables(&mentioned));
    open.sort_unstable();
    open.dedup();
    open.retain(|variable| !state.contains(variable));
    let mut solved = Solved { rows: rows.clone(), solutions: Vec::new() };
    while let Some((row, column)) = solved.solvable(store, &open) {
        solved.solve(row, column);
    }
    let is_solved = |column: Term| solved.solutions.iter().any(|(solved, ..)| *solved == column);
    let free: Vec<Term> = open.iter().copied().filter(|&column| !is_solved(column)).collect();
    let choices: Vec<Vec<Term>> = free
        .iter()
        .map(|&column| {
            let same = next.iter().position(|&variable| variable == column);
            let before = same.and_then(|at| state.get(at)).copied();
            let before = before.filter(|&variable| store.sort(variable) == store.sort(column));
            solved.choices(store, column, before, &free)
        })
        .collect();
    let mut moves: Vec<Move> = Vec::new();
    for way in ways(&choices) {
        let mut substitution = Substitution::new();
        substitution.bind(store, &free, &way);
        for (column, terms, constant) in &solved.solutions {
            let sort = store.sort(*column);
            let value = match sort {
                Sort::Bool => truth_of(store, terms, constant),
                _ if terms.iter().any(|(other, _)| store.sort(*other) == Sort::Real && sort == Sort::Int) => {
                    None
                }
                _ => Some(term_of(store, terms, constant, sort)),
            };
            let Some(value) = value else { continue };
            let value = store.substitute(value, &substitution);
            let symbol = store.as_var(*column).expect("an open column is a variable");
            substitution.insert(symbol, value);
        }
        let about_state = |store: &Store, terms: &[Term]| {
            store.free_variables(terms).iter().all(|variable| state.contains(variable))
        };
        let guard = store.substitute_all(literals, &substitution);
        let updates = store.substitute_all(next, &substitution);
        let values = store.substitute_all(&transition.values, &substitution);
        let guard = store.and(&guard);
        let guard = store.conjuncts(guard);
        let is_new = moves.iter().all(|other| other.guard != guard || other.updates != updates);
        let all: Vec<Term> = [&guard[..], &updates, &values].concat();
        if is_new && !guard.contains(&Term::FALSE) && about_state(store, &all) {
            moves.push(Move { case: at, guard, updates, values });
        }
    }
    moves
}

/// The value of a Boolean column that is a sum of columns with values zero and one.
fn truth_of(store: &Store, terms: &[(Term, Rat)], constant: &Rat) -> Option<Term> {
    match terms {
        [] => Some(Term::from_bool(!constant.is_zero())),
        [(column, factor)] if store.sort(*column) == Sort::Bool => {
            match (factor.is_one() && constant.is_zero(), factor.is_minus_one() && constant.is_one()) {
                (true, _) => Some(*column),
                (_, true) => Some(!*column),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Ways to choose one term of each list: the first ones, each other one alone, and all others together.
fn ways(choices: &[Vec<Term>]) -> Vec<Vec<Term>> {
    let first: Vec<Term> = choices.iter().filter_map(|list| list.first().copied()).collect();
    if first.len() < choices.len() {
        return Vec::new();
    }
    let mut result = vec![first.clone()];
    let most = choices.iter().map(Vec::len).max().unwrap_or(0);
    for at in 1..most {
        if choices.len() > 1 {
            result.push(choices.iter().map(|list| *list.get(at).unwrap_or(&list[0])).collect());
        }
        for (position, list) in choices.iter().enumerate() {
            if let Some(&other) = list.get(at) {
                let mut way = first.clone();
                way[position] = other;
                result.push(way);
            }
        }
    }
    result.truncate(MOST_WAYS);
    result
}

/// A column, with the multiples of others and the number whose sum it is.
type Solution = (Term, Vec<(Term, Rat)>, Rat);

/// Rows from which columns are solved.
struct Solved {
    rows: Vec<Row>,
    /// Columns with the sums that they are, in an order in which each mentions none that stands before it. Later ones are
    /// in terms of columns that stay.
    solutions: Vec<Solution>,
}

impl Solved {
    /// An equation and a column that it determines.
    fn solvable(&self, store: &Store, open: &[Term]) -> Option<(usize, Term)> {
        let equations = self.rows.iter().enumerate().filter(|(_, row)| row.is_equation);
        for (at, row) in equations {
            let is_integral =
                row.constant.is_integer() && row.terms.iter().all(|(_, factor)| factor.is_integer());
            for (column, factor) in &row.terms {
                if open.binary_search(column).is_err() || store.as_var(*column).is_none() {
                    continue;
                }
                let is_unit = factor.is_one() || factor.is_minus_one();
                let found = match store.sort(*column) {
                    Sort::Real => row.terms.iter().all(|(other, _)| !self.depends(store, *other, *column)),
                    _ => {
                        is_unit
                            && is_integral
                            && row.terms.iter().all(|(other, _)| {
                                store.sort(*other) != Sort::Real && !self.depends(store, *other, *column)
                            })
                    }
                };
                if found {
                    return Some((at, *column));
                }
            }
        }
        None
    }

    /// Whether a column is a term that mentions another one.
    fn depends(&self, store: &Store, term: Term, column: Term) -> bool {
        term != column
            && !matches!(store.view(term), View::Var(_))
            && store.free_variables(&[term]).contains(&column)
    }

    /// Solves an equation for a column, and replaces it everywhere.
    fn solve(&mut self, row: usize, column: Term) {
        let row = self.rows.swap_remove(row);
        let factor = row.factor(column).expect("the column is in the row").clone();
        let rest = row.terms.iter().filter(|(other, _)| *other != column);
        let terms: Vec<(Term, Rat)> = rest.map(|(other, own)| (*other, -&(own / &factor))).collect();
        let constant = -&(&row.constant / &factor);
        let replace = |into: &mut Vec<(Term, Rat)>, sum: &mut Rat| {
            let Some(at) = into.iter().position(|(other, _)| *other == column) else { return };
            let (_, times) = into.remove(at);
            into.extend(terms.iter().map(|(other, own)| (*other, own * &times)));
            *sum = &*sum + &(&constant * &times);
            *into = collect(std::mem::take(into));
        };
        for other in &mut self.rows {
            replace(&mut other.terms, &mut other.constant);
        }
        self.rows.retain(|row| !row.terms.is_empty());
        for (_, into, sum) in &mut self.solutions {
            replace(into, sum);
        }
        self.solutions.push((column, terms, constant));
    }

    /// Terms that a free column may be given.
    fn choices(&self, store: &mut Store, column: Term, before: Option<Term>, free: &[Term]) -> Vec<Term> {
        let sort = store.sort(column);
        if sort == Sort::Bool {
            return before.into_iter().chain([Term::TRUE, Term::FALSE]).collect();
        }
        let mut choices: Vec<Term> = before.into_iter().collect();
        for row in &self.rows {
            let Some(factor) = row.factor(column) else { continue };
            let others: Vec<(Term, Rat)> =
                row.terms.iter().filter(|(other, _)| *other != column).cloned().collect();
            if others.iter().any(|(other, _)| free.contains(other)) {
                continue;
            }
            let is_integral =
                |(other, factor): &(Term, Rat)| store.sort(*other) != Sort::Real && factor.is_integer();
            if sort == Sort::Real {
                let terms: Vec<(Term, Rat)> =
                    others.iter().map(|(other, own)| (*other, -&(own / factor))).collect();
                let bound = term_of(store, &terms, &-&(&row.constant / factor), sort);
                let one = store.real(Rat::from(1));
                let further =
                    if factor.is_positive() { store.add(&[bound, one]) } else { store.sub(bound, one) };
                choices.extend([bound, further]);
            } else if row.constant.is_integer() && factor.is_integer() && others.iter().all(is_integral) {
                // Below: factor * column >= -rest; above: -factor * column <= rest.
                let rest = term_of(store, &others, &row.constant, sort);
                let modulus = factor.abs().numer();
                let quotient = if modulus.is_one() { rest } else { store.int_div(rest, &modulus) };
                choices.push(if factor.is_positive() { store.neg(quotient) } else { quotient });
            }
        }
        let one = store.numeral(&Rat::from(1), sort);
        if let Some(before) = before {
            choices.extend([store.add(&[before, one]), store.sub(before, one)]);
        }
        choices.push(store.numeral(&Rat::from(0), sort));
        choices.push(one);
        let mut seen: Vec<Term> = Vec::new();
        choices.retain(|&choice| {
            !seen.contains(&choice) && {
                seen.push(choice);
                true
            }
        });
        choices
    }
}
