//! From an asserted formula to clauses.
//!
//! A clause is a disjunction, so a formula is taken apart disjunct by disjunct: disjunctions are dissolved,
//! universal quantifiers pulled out, a predicate becomes the head or, negated, an atom of the body, and what
//! has no predicate belongs, negated, to the constraint as a whole. Only where a conjunction, an equivalence
//! or a conditional *with predicates* is a disjunct does the clause fall into several, one for each member; a
//! disjunction of predicates in a body is such a place. Universal formulas in a body stay what they are (`premises`). Whatever has a conjunctive normal form of Horn clauses
//! is thus accepted, written in that form or not.
//!
//! Nothing recurses. Copies of clauses are counted, and a formula that needs too many of them is refused.

use shem_base::StampSet;
use shem_term::smtlib::{ErrorKind, ReadError, Span};
use shem_term::{Sort, Store, Substitution, Symbol, Term, View};

use super::constants::fix_operands;
use super::constructor_counts::ConstructorCount;
use super::contents::{Contents, Role};
use super::heap::{are_determined, binds_sort};
use super::premises::OpenPremise;
use crate::system::{Atom, Clause, Premise};

/// How many literals may be copied, all in all, to write the clauses of one assertion out.
const COPY_LIMIT: usize = 5_000_000;
/// How many disjuncts may be looked at for one assertion. Only sharing makes more of them than there is text.
const STEP_LIMIT: usize = 50_000_000;

/// A clause of which some disjuncts have not been looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct Partial {
    /// Disjuncts to look at, the next one last.
    pub(super) pending: Vec<Term>,
    /// The members of the constraint.
    pub(super) constraint: Vec<Term>,
    /// The atoms of the body.
    body: Vec<Term>,
    /// The universal premises.
    pub(super) premises: Vec<OpenPremise>,
    head: Option<Term>,
}

impl Partial {
    fn len(&self) -> usize {
        let atoms = self.body.len() + self.premises.len() + usize::from(self.head.is_some());
        self.pending.len() + self.constraint.len() + atoms
    }
}

/// A clause that falls into several: one for each of the options that are left, the next one last.
#[derive(Debug)]
struct Split {
    base: Partial,
    options: Vec<Term>,
}

/// Takes formulas apart. Variables are given to one clause each, so an extractor serves one store for long.
#[derive(Clone, Debug, Default)]
pub(super) struct Extractor {
    pub(super) contents: Contents,
    /// The variables that some quantifier has brought into a clause, and those of quantifiers that stay. Another
    /// quantifier that is opened gets new ones.
    pub(super) claimed: StampSet,
    /// The variables that the quantifiers of the assertion have brought, in their order.
    pub(super) opened: Vec<Term>,
    /// The symbol for the common bits of two numbers, if there are any.
    pub(super) common_bits: Option<Symbol>,
    /// The datatypes whose constructors are counted.
    pub(super) constructor_counts: Vec<ConstructorCount>,
    /// The sorts with heaps in them.
    pub(super) heaps: Vec<Sort>,
    /// Whether a clause of the last assertion says more than the assertion.
    pub(super) stronger: bool,
    /// Scratch: the variables that finished clauses of the assertion have, and the terms seen in one clause.
    taken: StampSet,
    seen: StampSet,
}

impl Extractor {
    /// Adds the clauses of an asserted formula to the list. The place is that of the command.
    pub(super) fn extract(
        &mut self,
        store: &mut Store,
        formula: Term,
        span: Span,
        clauses: &mut Vec<Clause>,
    ) -> Result<(), ReadError> {
        self.contents.extend(store);
        if formula == Term::TRUE {
            return Ok(());
        }
        self.opened.clear();
        self.taken.clear();
        self.stronger = false;
        let mut splits: Vec<Split> = Vec::new();
        let mut current = Partial { pending: vec![formula], ..Partial::default() };
        let (mut copied, mut steps, mut whole) = (0, 0, true);
        loop {
            while let Some(disjunct) = current.pending.pop() {
                steps += 1;
                if steps > STEP_LIMIT {
                    return Err(too_large(span));
                }
                if let Some(options) = self.look_at(store, disjunct, &mut current, span)? {
                    whole = false;
                    splits.push(Split { base: std::mem::take(&mut current), options });
                    copied += next_option(&mut splits, &mut current);
                }
            }
            clauses.push(self.finish(store, std::mem::take(&mut current), whole, span)?);
            if splits.is_empty() {
                return Ok(());
            }
            copied += next_option(&mut splits, &mut current);
            if copied > COPY_LIMIT {
                return Err(too_large(span));
            }
        }
    }

    /// Puts a disjunct to its place in the clause. If the clause falls into several by it: their disjuncts.
    fn look_at(
        &mut self,
        store: &mut Store,
        disjunct: Term,
        clause: &mut Partial,
        span: Span,
    ) -> Result<Option<Vec<Term>>, ReadError> {
        if !self.contents.has_predicate(disjunct) {
            clause.constraint.push(!disjunct);
            return Ok(None);
        }
        let negated = disjunct.is_negated();
        match store.view(disjunct) {
            View::Var(symbol) => self.add_atom(store, disjunct, symbol, clause, span)?,
            View::App(symbol, args) => {
                if let Some(&arg) = args.iter().find(|&&arg| self.contents.has_predicate(arg)) {
                    let outer = store.name(symbol);
                    let message = match self.some_predicate(store, arg) {
                        Some(inner) => {
                            format!("not a Horn clause: {} inside an argument of {outer}", store.name(inner))
                        }
                        None => format!("not a Horn clause: a predicate inside an argument of {outer}"),
                    };
                    return Err(ReadError::new(ErrorKind::NotHorn, span, message));
                }
                self.add_atom(store, disjunct, symbol, clause, span)?;
            }
            View::And(members) if negated => clause.pending.extend(members.iter().rev().map(|&t| !t)),
            View::And(members) => {
                let (mut options, mut plain) = (Vec::new(), Vec::new());
                for &member in members {
                    let list = if self.contents.has_predicate(member) { &mut options } else { &mut plain };
                    list.push(member);
                }
                if !plain.is_empty() {
                    options.push(store.and(&plain));
                    self.contents.extend(store);
                }
                options.reverse();
                return Ok(Some(options));
            }
            View::Forall(vars, body) if !negated => {
                let vars = vars.to_vec();
                let body = self.open(store, &vars, body);
                clause.pending.push(body);
            }
            View::Forall(vars, body) => {
                let block = (vars.to_vec(), body);
                self.add_universal(store, block, clause, span)?;
            }
            View::Iff(a, b) => {
                let b = b.xor(negated);
                let options = vec![store.implies(b, a), store.implies(a, b)];
                self.contents.extend(store);
                return Ok(Some(options));
            }
            View::Ite(c, a, b) => {
                let (a, b) = (a.xor(negated), b.xor(negated));
                let options = vec![store.or2(c, b), store.implies(c, a)];
                self.contents.extend(store);
                return Ok(Some(options));
            }
            _ => {
                let name = self.some_predicate(store, disjunct).map_or("a predicate", |s| store.name(s));
                let place = match store.view(disjunct) {
                    View::Equal(..) => "a term",
                    _ => "an arithmetic term",
                };
                let message = format!("not a Horn clause: {name} inside {place}");
                return Err(ReadError::new(ErrorKind::NotHorn, span, message));
            }
        }
        Ok(None)
    }

    /// Makes a predicate the head, or adds it to the body if it is negated.
    fn add_atom(
        &mut self,
        store: &Store,
        atom: Term,
        symbol: Symbol,
        clause: &mut Partial,
        span: Span,
    ) -> Result<(), ReadError> {
        if atom.is_negated() {
            clause.body.push(atom.positive());
            return Ok(());
        }
        match clause.head.replace(atom) {
            None => Ok(()),
            Some(before) if before == atom => Ok(()),
            Some(before) => {
                let before = match store.view(before) {
                    View::Var(symbol) | View::App(symbol, _) => store.name(symbol),
                    _ => unreachable!("a head is an atom"),
                };
                let message = format!(
                    "not a Horn clause: it has two positive predicates, {before} and {}",
                    store.name(symbol)
                );
                Err(ReadError::new(ErrorKind::NotHorn, span, message))
            }
        }
    }

    /// The body of a universal block whose variables become variables of the clause.
    pub(super) fn open(&mut self, store: &mut Store, vars: &[Term], body: Term) -> Term {
        if vars.iter().all(|v| !self.claimed.contains(v.index())) {
            for var in vars {
                self.claimed.insert(var.index());
            }
            self.opened.extend_from_slice(vars);
            return body;
        }
        let mut renaming = Substitution::new();
        for &var in vars {
            let (symbol, fresh) = self.fresh(store, var);
            renaming.insert(symbol, fresh);
            self.opened.push(fresh);
        }
        let body = store.substitute(body, &renaming);
        self.contents.extend(store);
        body
    }

    /// The symbol of a variable, and a new variable of the same name and sort.
    pub(super) fn fresh(&mut self, store: &mut Store, var: Term) -> (Symbol, Term) {
        let symbol = store.as_var(var).expect("a bound variable is a variable");
        let (name, sort) = (store.name(symbol).to_owned(), store.sort(var));
        let fresh = store.variable(&name, sort);
        self.claimed.insert(fresh.index());
        (symbol, fresh)
    }

    /// The clause, all of whose disjuncts have been looked at.
    fn finish(
        &mut self,
        store: &mut Store,
        clause: Partial,
        whole: bool,
        span: Span,
    ) -> Result<Clause, ReadError> {
        let mut members = clause.constraint;
        let mut body = Vec::with_capacity(clause.body.len());
        self.seen.clear();
        for &atom in &clause.body {
            // The same atom twice says nothing new, but would make a linear clause look nonlinear.
            if !self.seen.insert(atom.index()) {
                continue;
            }
            body.push(self.atom(store, atom, &mut members));
        }
        let mut head = clause.head.map(|atom| self.atom(store, atom, &mut members));
        let mut premises: Vec<Premise> = Vec::with_capacity(clause.premises.len());
        premises.extend(clause.premises.iter().map(|premise| self.premise(store, premise)));
        let constraint = store.and(&members);
        let constraint = fix_operands(store, constraint, self.common_bits, &mut self.seen);
        self.contents.extend(store);
        let opened = match self.contents.has_quantifier(constraint) {
            true => self.open_constraint(store, constraint),
            false => constraint,
        };
        let (mut constraint, stronger) = self.without_common_bits(store, opened, span)?;
        self.stronger |= stronger;
        constraint = self.without_constructor_counts(store, constraint, &mut body, span)?;
        self.contents.extend(store);
        self.check_heaps(store, constraint, (&body, &premises), head.as_ref(), span)?;
        if whole {
            return Ok(Clause {
                variables: self.opened.as_slice().into(),
                constraint,
                body: body.into(),
                premises: premises.into(),
                head,
                span,
            });
        }
        // Clauses of the same assertion must not share variables: whoever comes later gets new ones.
        let mut variables = self.variables(store, constraint, (&body, &premises), head.as_ref());
        let mut renaming = Substitution::new();
        for var in &mut variables {
            if !self.taken.insert(var.index()) {
                let (symbol, fresh) = self.fresh(store, *var);
                self.taken.insert(fresh.index());
                renaming.insert(symbol, fresh);
                *var = fresh;
            }
        }
        if !renaming.is_empty() {
            constraint = store.substitute(constraint, &renaming);
            let universal = premises.iter_mut().map(|premise| &mut premise.atom);
            for arg in body.iter_mut().chain(universal).chain(&mut head).flat_map(|atom| &mut atom.args) {
                *arg = store.substitute(*arg, &renaming);
            }
            for premise in &mut premises {
                premise.guard = store.substitute(premise.guard, &renaming);
            }
        }
        let (variables, body, premises) = (variables.into(), body.into(), premises.into());
        Ok(Clause { variables, constraint, body, premises, head, span })
    }

    /// Looks where the heaps of a clause come from.
    fn check_heaps(
        &mut self,
        store: &Store,
        constraint: Term,
        (body, premises): (&[Atom], &[Premise]),
        head: Option<&Atom>,
        span: Span,
    ) -> Result<(), ReadError> {
        if self.heaps.is_empty() {
            return Ok(());
        }
        let is_heap = |variable: &Term| self.heaps.contains(&store.sort(*variable));
        if binds_sort(store, &self.heaps, constraint)
            || premises.iter().any(|premise| premise.variables.iter().any(is_heap))
        {
            let message = "a quantifier over heaps inside of a constraint or a premise";
            return Err(ReadError::new(ErrorKind::Unsupported, span, message));
        }
        let variables = self.variables(store, constraint, (body, premises), head);
        self.stronger |= !are_determined(store, &self.heaps, &variables, constraint, body);
        Ok(())
    }

    /// The variables that occur free in a clause, sorted.
    fn variables(
        &mut self,
        store: &Store,
        constraint: Term,
        (body, premises): (&[Atom], &[Premise]),
        head: Option<&Atom>,
    ) -> Vec<Term> {
        self.seen.clear();
        let (mut found, mut bound) = (Vec::new(), Vec::new());
        let mut stack = vec![constraint.positive()];
        for premise in premises {
            stack.push(premise.guard.positive());
            bound.extend_from_slice(&premise.variables);
        }
        for atom in body.iter().chain(premises.iter().map(|premise| &premise.atom)).chain(head) {
            stack.extend(atom.args.iter().map(|t| t.positive()));
        }
        while let Some(term) = stack.pop() {
            if self.seen.insert(term.index()) {
                match store.view(term) {
                    View::Var(_) => found.push(term),
                    View::Forall(vars, _) => bound.extend_from_slice(vars),
                    _ => {}
                }
                store.for_each_child(term, |child| stack.push(child.positive()));
            }
        }
        found.sort_unstable();
        bound.sort_unstable();
        found.retain(|variable| bound.binary_search(variable).is_err());
        found
    }

    /// An atom from its term. An argument with a quantifier, with common bits or with a number of constructors becomes a
    /// variable that equals it, an equation that goes to the constraint.
    fn atom(&mut self, store: &mut Store, term: Term, constraint: &mut Vec<Term>) -> Atom {
        let (symbol, mut args) = match store.view(term) {
            View::Var(symbol) => (symbol, Box::default()),
            View::App(symbol, args) => (symbol, Box::<[Term]>::from(args)),
            _ => unreachable!("an atom is a predicate"),
        };
        let Role::Predicate(predicate) = self.contents.role(symbol) else {
            unreachable!("an atom has a declared predicate")
        };
        for arg in &mut args {
            if self.contents.has_quantifier(*arg)
                || self.has_common_bits(store, *arg)
                || self.has_constructor_counts(store, *arg)
            {
                let variable = store.variable("argument", store.sort(*arg));
                self.claimed.insert(variable.index());
                self.opened.push(variable);
                constraint.push(store.eq(variable, *arg));
                *arg = variable;
            }
        }
        Atom { predicate, args }
    }

    /// A predicate that occurs in the term.
    pub(super) fn some_predicate(&self, store: &Store, term: Term) -> Option<Symbol> {
        let mut term = term;
        loop {
            if let View::Var(symbol) | View::App(symbol, _) = store.view(term)
                && matches!(self.contents.role(symbol), Role::Predicate(_))
            {
                return Some(symbol);
            }
            let mut next = None;
            store.for_each_child(term, |child| {
                if next.is_none() && self.contents.has_predicate(child) {
                    next = Some(child);
                }
            });
            term = next?;
        }
    }
}

/// Takes the next option of the innermost split into `current`. Gives the number of literals that this cost.
fn next_option(splits: &mut Vec<Split>, current: &mut Partial) -> usize {
    let split = splits.last_mut().expect("a split that has options left");
    let option = split.options.pop().expect("a split has options");
    let mut copied = 0;
    if split.options.is_empty() {
        *current = splits.pop().expect("the innermost split").base;
    } else {
        copied = 1 + split.base.len();
        *current = split.base.clone();
    }
    current.pending.push(option);
    copied
}

#[cold]
pub(super) fn too_large(span: Span) -> ReadError {
    let message = "the clauses of this assertion are too many to be written out";
    ReadError::new(ErrorKind::Unsupported, span, message)
}
