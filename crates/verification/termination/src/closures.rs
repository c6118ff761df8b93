//! Transition invariants that are disjunctively well-founded, by questions of safety.
//!
//! The steps that go down in no level are taken together with the state in which a run of them began. That some function of a
//! list goes down between the two whenever the run is back at its predicate, is a question of safety, whose model is a
//! transition invariant (Podelski and Rybalchenko 2004). A counterexample is a path; the function that goes down along it, by Farkas'
//! lemma, is added to the list (Cook, Podelski and Rybalchenko 2006, who ask in this way for one function at a time).
//! The engines for these questions compose relations themselves where that pays, as transition power abstraction does.

use shem_base::{Budget, Effort};
use shem_chc::{Atom, Clause, Definition, Derivation, Predicate, PredicateId, StepId, System};
use shem_check::{Closure, Level, RankingFunction};
use shem_proof::NoProof;
use shem_smt::project::Projector;
use shem_smt::{Answer, Solver};
use shem_term::smtlib::Span;
use shem_term::{Sort, Store, Term, Value};

use crate::farkas::{Coefficient, Template, assert_implied};
use crate::linear::{rows_of, term_of, without_inequations};
use crate::problem::{Problem, Transition};
use crate::safety::{Safe, Safety};

/// The effort of one linear problem, and of one question about a path.
const EFFORT: Effort = Effort { conflicts: 20_000, pivots: 100_000, splits: 1_000 };
/// The greatest number of functions of a closure.
const MOST_FUNCTIONS: usize = 10;

/// A search for the closure of a predicate.
pub(crate) struct Closing<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) predicates: &'a [Predicate],
    /// Formulas that hold of all facts, by predicate.
    pub(crate) known: &'a [Term],
    pub(crate) levels: &'a [Level],
}

/// A transition with what makes a step of it one that goes down in no level.
struct Left<'a> {
    transition: &'a Transition,
    source: PredicateId,
    formula: Term,
}

/// How a predicate lies between a state of another one and a later state of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    /// No steps lead there.
    NoWay,
    /// Steps lead there, but none back.
    NoWayBack,
    Both,
}

impl Closing<'_> {
    /// The closure of a predicate. Functions that were found are kept for the next time.
    pub(crate) fn search(
        &self,
        store: &mut Store,
        predicate: PredicateId,
        functions: &mut Vec<RankingFunction>,
        safety: &mut dyn Safety,
        effort: u64,
        budget: &mut Budget,
    ) -> Option<Closure> {
        let left = self.left(store, budget);
        let between = self.between(&left, predicate);
        let start: Vec<Term> = self.problem.states[predicate.index()]
            .iter()
            .map(|&variable| {
                let name = store.name(store.as_var(variable).expect("a variable")).to_owned();
                let sort = store.sort(variable);
                store.variable(&name, sort)
            })
            .collect();
        loop {
            budget.check_stop().ok()?;
            let pairs = self.pairs(store, predicate, &start, &left, &between, functions);
            match safety.decide(store, &pairs.into(), effort)? {
                Safe::Yes(model) => {
                    let relation = |at: usize| match between[at] {
                        Between::Both => model.definition(PredicateId::new(at)).clone(),
                        way => Definition {
                            parameters: start.iter().chain(&self.problem.states[at]).copied().collect(),
                            body: Term::from_bool(way == Between::NoWayBack),
                        },
                    };
                    let relations = (0..self.predicates.len()).map(relation).collect();
                    return Some(Closure { predicate, relations, functions: functions.clone() });
                }
                Safe::No(derivation) => {
                    if functions.len() >= MOST_FUNCTIONS {
                        return None;
                    }
                    let function = self.along(store, predicate, &start, &left, &derivation, budget)?;
                    functions.push(function);
                }
            }
        }
    }

    /// The transitions with steps that go down in no level.
    fn left(&self, store: &mut Store, budget: &mut Budget) -> Vec<Left<'_>> {
        let mut left = Vec::new();
        for transition in &self.problem.transitions {
            let source = transition.source.expect("a transition has a source");
            let mut parts = vec![transition.formula, self.known[source.index()]];
            for level in self.levels {
                let [from, to] = [(source, &self.problem.states), (transition.target, &self.problem.nexts)];
                let [from, to] = [from, to].map(|(of, variables)| {
                    let function = &level.functions[of.index()];
                    let own = &variables[of.index()];
                    let value = |&phase: &Term| store.rename(phase, &function.parameters, own);
                    function.phases.iter().map(value).collect::<Vec<Term>>()
                });
                for (&before, &after) in from.iter().zip(&to) {
                    parts.push(store.ge(before, after));
                }
                parts.push(!goes_down(store, &from, &to));
            }
            let formula = store.and(&parts);
            let mut solver = Solver::with_proof(Default::default(), NoProof);
            solver.assert(store, formula);
            if !budget.within(EFFORT, |part| solver.check(store, part).is_unsat()) {
                left.push(Left { transition, source, formula });
            }
        }
        left
    }

    /// For each predicate, whether such steps lead there from this one, and back.
    fn between(&self, left: &[Left<'_>], predicate: PredicateId) -> Vec<Between> {
        let reach = |backwards: bool| {
            let mut seen = vec![false; self.predicates.len()];
            let mut pending = vec![predicate];
            while let Some(at) = pending.pop() {
                for Left { transition, source, .. } in left {
                    let (from, to) = match backwards {
                        false => (*source, transition.target),
                        true => (transition.target, *source),
                    };
                    if from == at && !std::mem::replace(&mut seen[to.index()], true) {
                        pending.push(to);
                    }
                }
            }
            seen
        };
        let ways = reach(false).into_iter().zip(reach(true));
        ways.map(|ways| match ways {
            (false, _) => Between::NoWay,
            (true, false) => Between::NoWayBack,
            (true, true) => Between::Both,
        })
        .collect()
    }

    /// The clauses of pairs of states: a state of the predicate, and a later one. They are safe if one of the functions goes
    /// down whenever both are of the predicate.
    fn pairs(
        &self,
        store: &mut Store,
        predicate: PredicateId,
        start: &[Term],
        left: &[Left<'_>],
        between: &[Between],
        functions: &[RankingFunction],
    ) -> System {
        let own = &self.predicates[predicate.index()].sorts;
        let mut system = System::default();
        for other in self.predicates {
            let sorts: Vec<Sort> = own.iter().chain(&other.sorts).copied().collect();
            let symbol = store.declare(&other.name, &sorts, Sort::Bool);
            system.predicates.push(Predicate { symbol, name: other.name.clone(), sorts: sorts.into() });
        }
        let of = |predicate: PredicateId, from: &[Term], to: &[Term]| Atom {
            predicate,
            args: from.iter().chain(to).copied().collect(),
        };
        // For each transition two clauses, by whose numbers `along` knows it.
        for Left { transition, source, formula } in left {
            let now = &self.problem.states[source.index()];
            let then = &self.problem.nexts[transition.target.index()];
            let leads = between[transition.target.index()] == Between::Both;
            let first = if leads && *source == predicate { *formula } else { Term::FALSE };
            let head = of(transition.target, if *source == predicate { now } else { start }, then);
            system.clauses.push(fresh_clause(store, None, first, Some(head)));
            let further =
                if leads && between[source.index()] == Between::Both { *formula } else { Term::FALSE };
            let (body, head) = (of(*source, start, now), of(transition.target, start, then));
            system.clauses.push(fresh_clause(store, Some(body), further, Some(head)));
        }
        let now = &self.problem.states[predicate.index()];
        let mut wrong = Vec::new();
        for RankingFunction { parameters, phases } in functions {
            let [from, to] = [start, now].map(|args| store.rename(phases[0], parameters, args));
            wrong.push(!goes_down(store, &[from], &[to]));
        }
        let wrong = store.and(&wrong);
        system.clauses.push(fresh_clause(store, Some(of(predicate, start, now)), wrong, None));
        system
    }

    /// A function that goes down along the path of a derivation, from a number that is not negative.
    fn along(
        &self,
        store: &mut Store,
        predicate: PredicateId,
        start: &[Term],
        left: &[Left<'_>],
        derivation: &Derivation<shem_chc::ClauseId>,
        budget: &mut Budget,
    ) -> Option<RankingFunction> {
        if derivation.has_repetitions() {
            return None;
        }
        // From falsehood back to the first step; the last one is the query.
        let mut chain = Vec::new();
        let mut at = derivation.step(StepId::new(derivation.len().checked_sub(1)?)).premises.first().copied();
        while let Some(id) = at {
            chain.push(id);
            at = derivation.step(id).premises.first().copied();
        }
        chain.reverse();
        let (mut formulas, mut values, mut now) = (Vec::new(), Vec::new(), start.to_vec());
        for (position, &id) in chain.iter().enumerate() {
            let step = derivation.step(id);
            let Left { transition, source, formula } = left.get(step.rule.index() / 2)?;
            let next = &self.problem.nexts[transition.target.index()];
            let mut old = self.problem.states[source.index()].clone();
            let mut others = store.free_variables(&[*formula]);
            others.retain(|variable| !old.contains(variable) && !next.contains(variable));
            old.extend(next.iter().chain(&others));
            let sorts: Vec<Sort> = next.iter().chain(&others).map(|&term| store.sort(term)).collect();
            let fresh: Vec<Term> = sorts.iter().map(|&sort| store.variable("between", sort)).collect();
            let new: Vec<Term> = now.iter().chain(&fresh).copied().collect();
            formulas.push(store.rename(*formula, &old, &new));
            now = fresh[..next.len()].to_vec();
            let (before, after) = step.values.split_at(start.len().min(step.values.len()));
            if position == 0 {
                values.push(store.value_cube(start, before));
            }
            values.push(store.value_cube(&now, after));
        }
        let mut solver = Solver::with_proof(Default::default(), NoProof);
        for &part in formulas.iter().chain(&values) {
            solver.assert(store, part);
        }
        let model = budget.within(EFFORT, |part| match solver.check(store, part) {
            Answer::Sat(mut solution) => Some(solution.model()),
            _ => None,
        })?;
        let mut literals = Projector::new().literals(store, &formulas, &model).ok()?;
        without_inequations(store, &mut literals, &model);
        let rows = rows_of(store, &literals);
        self.function(store, predicate, start, &now, &rows, budget)
    }

    /// A function that rows make go down from the first variables to the second ones.
    fn function(
        &self,
        store: &mut Store,
        predicate: PredicateId,
        start: &[Term],
        end: &[Term],
        rows: &[crate::linear::Row],
        budget: &mut Budget,
    ) -> Option<RankingFunction> {
        let factors: Vec<Term> = start.iter().map(|_| store.variable("a", Sort::Real)).collect();
        let constant = store.variable("b", Sort::Real);
        let unknown =
            |unknown: Term| Coefficient { unknowns: vec![(1.into(), unknown)], ..Coefficient::default() };
        let template = |variables: &[Term]| Template {
            columns: variables
                .iter()
                .zip(&factors)
                .map(|(&variable, &factor)| (variable, unknown(factor)))
                .collect(),
            constant: unknown(constant),
        };
        let before = template(start);
        let mut drop = before.clone();
        drop.add(-1, &template(end));
        drop.shift(-1);
        let mut solver = Solver::with_proof(Default::default(), NoProof);
        assert_implied(store, &mut solver, rows, &drop);
        assert_implied(store, &mut solver, rows, &before);
        let model = budget.within(EFFORT, |part| match solver.check(store, part) {
            Answer::Sat(mut solution) => Some(solution.model()),
            _ => None,
        })?;
        let value = |term: Term| match model.value_or_default(store, store.as_var(term).expect("an unknown"))
        {
            Value::Num(number) => number,
            _ => 0.into(),
        };
        let state = &self.problem.states[predicate.index()];
        let terms: Vec<_> =
            state.iter().zip(&factors).map(|(&variable, &factor)| (variable, value(factor))).collect();
        let terms: Vec<_> = terms.into_iter().filter(|(_, factor)| !factor.is_zero()).collect();
        let value = term_of(store, &terms, &value(constant), Sort::Real);
        Some(RankingFunction { parameters: state.clone().into(), phases: [value].into() })
    }
}

/// That phases go down: see [`Level`].
fn goes_down(store: &mut Store, from: &[Term], to: &[Term]) -> Term {
    let mut parts = Vec::new();
    let mut earlier: Option<Term> = None;
    for (&before, &after) in from.iter().zip(to) {
        let sort = store.sort(before);
        let one = store.numeral(&1.into(), sort);
        let drop = store.sub(before, after);
        let drop = earlier.map_or(drop, |earlier| store.add(&[drop, earlier]));
        parts.push(store.ge(drop, one));
        earlier = Some(before);
    }
    if let Some(last) = earlier {
        let zero = store.numeral(&0.into(), store.sort(last));
        parts.push(store.ge(last, zero));
    }
    store.and(&parts)
}

/// A clause with variables of its own.
fn fresh_clause(store: &mut Store, body: Option<Atom>, constraint: Term, head: Option<Atom>) -> Clause {
    let args = body.iter().chain(&head).flat_map(|atom| atom.args.iter().copied());
    let terms: Vec<Term> = args.chain([constraint]).collect();
    let old = store.free_variables(&terms);
    let fresh: Vec<Term> = old
        .iter()
        .map(|&variable| {
            let name = store.name(store.as_var(variable).expect("a variable")).to_owned();
            let sort = store.sort(variable);
            store.variable(&name, sort)
        })
        .collect();
    let mut renamed = |atom: Atom| Atom {
        predicate: atom.predicate,
        args: atom.args.iter().map(|&arg| store.rename(arg, &old, &fresh)).collect(),
    };
    let (body, head) = (body.map(&mut renamed), head.map(&mut renamed));
    Clause {
        constraint: store.rename(constraint, &old, &fresh),
        body: body.into_iter().collect(),
        variables: fresh.into(),
        premises: [].into(),
        head,
        span: Span::new(0, 0),
    }
}
