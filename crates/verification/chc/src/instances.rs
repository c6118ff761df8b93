//! Universal premises by finitely many of their instances.
//!
//! With some instances in place of a universal premise a clause asks for less, and so says more: a model of it is one of
//! the clause as read, under the quantifier (Bjørner, McMillan and Rybalchenko, *On solving universally quantified Horn
//! clauses*, SAS 2013, where the instances are chosen before the search, too). A derivation by it shows nothing.
//!
//! Which instances: what the head has in the place of the bound variable, since an invariant that is kept needs the fact
//! before of the same thing; indices of arrays, as what is read or written there was said by the instance for this index;
//! then what other atoms have in its place, variables of the same sort, and numerals at which a comparison somewhere in
//! the system changes its truth value. A guard that is neither true nor false of an
//! instance makes two clauses of one.

use std::collections::BTreeSet;

use shem_base::Int;
use shem_term::{Role, Store, Substitution, Term, View};

use crate::system::{Atom, Clause, ClauseId, Premise, System};

/// How many instances of each premise there are, by round.
const INSTANCES: [usize; 3] = [3, 8, 20];
/// How many numerals there are for all premises.
const MOST_NUMERALS: usize = 12;
/// How many guards of a clause may become cases.
const MOST_CASES: usize = 3;

/// A system with instances in place of universal premises.
#[derive(Clone, Debug)]
pub struct Instantiated {
    /// The system: its clauses are at least as strong as those it was made of.
    pub system: System,
    /// The clause that each was made of.
    pub origins: Vec<ClauseId>,
    /// Whether a further round has more instances.
    pub has_more: bool,
}

/// Puts instances in place of the universal premises of a system, more in each round.
pub fn instantiate_premises(store: &mut Store, system: &System, round: usize) -> Instantiated {
    let most = INSTANCES[round.min(INSTANCES.len() - 1)];
    let mut result = Instantiated {
        system: System {
            predicates: system.predicates.clone(),
            clauses: Vec::new(),
            first_stronger: system.first_stronger.map(|_| 0),
            names: Default::default(),
        },
        origins: Vec::new(),
        has_more: false,
    };
    let numerals = numerals(store, system);
    for (at, clause) in system.clauses.iter().enumerate() {
        let before = result.system.clauses.len();
        if clause.premises.is_empty() {
            result.system.clauses.push(clause.clone());
        } else {
            let (clauses, has_more) = instances_of(store, clause, &numerals, most);
            result.system.clauses.extend(clauses);
            result.has_more |= has_more && round + 1 < INSTANCES.len();
        }
        let made = before..result.system.clauses.len();
        if let Some(name) = system.clause_name(ClauseId::new(at)) {
            result.system.names.extend(made.clone().map(|new| (new, name.into())));
        }
        result.origins.extend(made.map(|_| ClauseId::new(at)));
    }
    result
}

/// A clause with instances of its premises, as one clause for each case of their guards; and whether there are more
/// instances.
fn instances_of(store: &mut Store, clause: &Clause, numerals: &[Term], most: usize) -> (Vec<Clause>, bool) {
    let mut variables = clause.variables.to_vec();
    let conjuncts: BTreeSet<Term> = match store.view(clause.constraint) {
        View::And(members) if !clause.constraint.is_negated() => members.iter().copied().collect(),
        _ => [clause.constraint].into(),
    };
    let mut body = clause.body.to_vec();
    let mut cases: Vec<(Term, Atom)> = Vec::new();
    let mut has_more = false;
    for premise in &clause.premises {
        let candidates: Vec<Vec<Term>> = (0..premise.variables.len())
            .map(|position| candidates(store, clause, (premise, position), numerals, &mut variables))
            .collect();
        let tuples = tuples(&candidates, most);
        let all = candidates.iter().fold(1_usize, |product, list| product.saturating_mul(list.len()));
        has_more |= tuples.len() < all;
        for tuple in tuples {
            let terms: Vec<Term> = tuple.iter().zip(&candidates).map(|(&at, list)| list[at]).collect();
            let guard = store.rename(premise.guard, &premise.variables, &terms);
            let args = &premise.atom.args;
            let args = args.iter().map(|&arg| store.rename(arg, &premise.variables, &terms)).collect();
            let atom = Atom { predicate: premise.atom.predicate, args };
            let members: &[Term] = match store.view(guard) {
                View::And(members) if !guard.is_negated() => members,
                _ => &[guard],
            };
            let holds = members.iter().all(|&member| member == Term::TRUE || conjuncts.contains(&member));
            if guard == Term::FALSE || body.contains(&atom) {
                continue;
            }
            if holds {
                body.push(atom);
            } else if cases.len() < MOST_CASES && !cases.contains(&(guard, atom.clone())) {
                cases.push((guard, atom));
            } else {
                has_more = true;
            }
        }
    }
    let mut clauses = Vec::new();
    for choice in 0..1_usize << cases.len() {
        let (mut members, mut own) = (vec![clause.constraint], body.clone());
        for (bit, (guard, atom)) in cases.iter().enumerate() {
            let holds = choice >> bit & 1 == 0;
            members.push(guard.xor(!holds));
            if holds && !own.contains(atom) {
                own.push(atom.clone());
            }
        }
        let constraint = store.and(&members);
        if constraint != Term::FALSE {
            clauses.push(renamed(store, &variables, constraint, &own, clause));
        }
    }
    (clauses, has_more)
}

/// A clause with variables of its own.
fn renamed(
    store: &mut Store,
    variables: &[Term],
    constraint: Term,
    body: &[Atom],
    origin: &Clause,
) -> Clause {
    let mut renaming = Substitution::new();
    let mut own = Vec::with_capacity(variables.len());
    for &variable in variables {
        let symbol = store.as_var(variable).expect("a variable");
        let (name, sort) = (store.name(symbol).to_owned(), store.sort(variable));
        let fresh = store.variable(&name, sort);
        renaming.insert(symbol, fresh);
        own.push(fresh);
    }
    let mut atom = |atom: &Atom| {
        let args = store.substitute_all(&atom.args, &renaming).into();
        Atom { predicate: atom.predicate, args }
    };
    let body = body.iter().map(&mut atom).collect();
    let head = origin.head.as_ref().map(&mut atom);
    let constraint = store.substitute(constraint, &renaming);
    let premises = Box::default();
    Clause { variables: own.into(), constraint, body, premises, head, span: origin.span }
}

/// Terms over the variables of the clause for a bound variable, the most promising ones first; a new variable of the
/// clause if there is nothing else.
fn candidates(
    store: &mut Store,
    clause: &Clause,
    (premise, position): (&Premise, usize),
    numerals: &[Term],
    variables: &mut Vec<Term>,
) -> Vec<Term> {
    let bound = premise.variables[position];
    let sort = store.sort(bound);
    let known: BTreeSet<Term> = clause.variables.iter().copied().collect();
    let mut found: Vec<Term> = Vec::new();
    let mut add = |store: &Store, term: Term| {
        let fits = store.sort(term) == sort && !found.contains(&term);
        if fits && store.free_variables(&[term]).iter().all(|variable| known.contains(variable)) {
            found.push(term);
        }
    };
    let places: Vec<usize> =
        (0..premise.atom.args.len()).filter(|&i| premise.atom.args[i] == bound).collect();
    let same = |atom: &&Atom| atom.predicate == premise.atom.predicate;
    for atom in clause.head.iter().filter(same) {
        places.iter().for_each(|&place| add(store, atom.args[place]));
    }
    let mut roots = vec![clause.constraint];
    roots.extend(clause.body.iter().chain(&clause.head).flat_map(|atom| atom.args.iter()));
    roots.extend(premise.atom.args.iter().chain([&premise.guard]));
    for term in store.subterms(&roots) {
        if let Some((_, Role::Select | Role::Store, args)) = store.as_app(term) {
            add(store, args[1]);
        }
    }
    for atom in clause.body.iter().filter(same) {
        places.iter().for_each(|&place| add(store, atom.args[place]));
    }
    for &variable in &clause.variables {
        add(store, variable);
    }
    for &number in numerals {
        add(store, number);
    }
    if found.is_empty() {
        let name = store.name(store.as_var(bound).expect("a variable")).to_owned();
        let fresh = store.variable(&name, sort);
        variables.push(fresh);
        found.push(fresh);
    }
    found
}

/// Zero, and the numerals with which linear forms are compared, with their neighbours.
fn numerals(store: &mut Store, system: &System) -> Vec<Term> {
    let roots: Vec<Term> = system.clauses.iter().map(|clause| clause.constraint).collect();
    let mut found: BTreeSet<Int> = BTreeSet::new();
    for term in store.subterms(&roots) {
        if let View::Le(_, bound) | View::Lt(_, bound) | View::Eq(_, bound) = store.view(term)
            && found.len() < MOST_NUMERALS
        {
            let floor = bound.floor();
            found.extend([&floor - &Int::ONE, &floor + &Int::ONE, floor]);
        }
    }
    found.remove(&Int::ZERO);
    std::iter::once(Int::ZERO).chain(found).map(|number| store.int(number)).collect()
}

/// Choices of one candidate for each variable, those of promising ones first.
fn tuples(candidates: &[Vec<Term>], most: usize) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = Vec::new();
    let greatest: usize = candidates.iter().map(|list| list.len() - 1).sum();
    for sum in 0..=greatest {
        let mut partial: Vec<Vec<usize>> = vec![Vec::new()];
        for list in candidates {
            let mut next = Vec::new();
            for tuple in &partial {
                let left = sum - tuple.iter().sum::<usize>();
                next.extend((0..list.len().min(left + 1)).map(|at| {
                    let mut longer = tuple.clone();
                    longer.push(at);
                    longer
                }));
            }
            partial = next;
        }
        found.extend(partial.into_iter().filter(|tuple| tuple.iter().sum::<usize>() == sum));
        if found.len() >= most {
            found.truncate(most);
            break;
        }
    }
    found
}
