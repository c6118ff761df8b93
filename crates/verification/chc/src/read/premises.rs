//! Universal premises: predicates under a quantifier in the body of a clause.
//!
//! `(=> (and φ (forall ((q Int)) (=> g (p q x)))) …)` says that the head follows if the atom holds of all values. Such a
//! premise is kept as it is ([`Premise`]); a conjunction under the quantifier gives several. Where the variable has few
//! values, those of a Boolean, of an enumeration or of an integer between two numerals in the guard, the premise is the
//! conjunction of its instances, and an ordinary body.

use shem_base::Int;
use shem_term::smtlib::{ErrorKind, ReadError, Span};
use shem_term::{Sort, Store, Substitution, Term, View};

use super::clauses::{Extractor, Partial, too_large};
use super::contents::Role;
use crate::system::{Atom, Premise};

/// A quantifier is replaced by its instances if there are so many at most.
const MOST_VALUES: usize = 16;
/// How many premises one universal formula may have.
const MOST_PREMISES: usize = 256;

/// A premise some of whose disjuncts have not been looked at.
#[derive(Clone, Debug)]
struct Part {
    pending: Vec<Term>,
    variables: Vec<Term>,
    guard: Vec<Term>,
    atom: Option<Term>,
}

/// A premise as the extractor collects it: bound variables, guard and atom.
pub(super) type OpenPremise = (Vec<Term>, Term, Term);

impl Extractor {
    /// Adds a universal formula with predicates to the body of a clause.
    pub(super) fn add_universal(
        &mut self,
        store: &mut Store,
        (vars, body): (Vec<Term>, Term),
        clause: &mut Partial,
        span: Span,
    ) -> Result<(), ReadError> {
        for (at, &var) in vars.iter().enumerate() {
            let Some(values) = values_of(store, var, body) else { continue };
            let mut others = vars.clone();
            others.remove(at);
            for value in values {
                let instance = store.rename(body, &[var], &[value]);
                let premise = store.forall(&others, instance);
                clause.pending.push(!premise);
            }
            self.contents.extend(store);
            return Ok(());
        }
        let mut parts = vec![Part { pending: vec![body], variables: vars, guard: Vec::new(), atom: None }];
        let mut made = 1;
        'parts: while let Some(mut part) = parts.pop() {
            while let Some(disjunct) = part.pending.pop() {
                if !self.contents.has_predicate(disjunct) {
                    part.guard.push(!disjunct);
                    continue;
                }
                let negated = disjunct.is_negated();
                match store.view(disjunct) {
                    View::And(members) if negated => part.pending.extend(members.iter().map(|&t| !t)),
                    View::And(members) => {
                        made += members.len();
                        if made > MOST_PREMISES {
                            return Err(too_large(span));
                        }
                        for &member in members {
                            let mut own = part.clone();
                            own.pending.push(member);
                            parts.push(own);
                        }
                        continue 'parts;
                    }
                    View::Forall(vars, body) if !negated => {
                        part.variables.extend_from_slice(vars);
                        part.pending.push(body);
                    }
                    View::Var(_) | View::App(..) if !negated && part.atom.is_none_or(|a| a == disjunct) => {
                        part.atom = Some(disjunct);
                    }
                    _ => {
                        let name =
                            self.some_predicate(store, disjunct).map_or("a predicate", |s| store.name(s));
                        let message = format!(
                            "not a Horn clause: {name} under a quantifier in a body, where one atom may stand, not \
                             negated"
                        );
                        return Err(ReadError::new(ErrorKind::NotHorn, span, message));
                    }
                }
            }
            self.add_premise(store, part, clause, span)?;
        }
        Ok(())
    }

    fn add_premise(
        &mut self,
        store: &mut Store,
        part: Part,
        clause: &mut Partial,
        span: Span,
    ) -> Result<(), ReadError> {
        let guard = store.and(&part.guard);
        self.contents.extend(store);
        let Some(atom) = part.atom else {
            clause.constraint.push(store.forall(&part.variables, !guard));
            return Ok(());
        };
        let nested = |&arg: &Term| self.contents.has_predicate(arg);
        if matches!(store.view(atom), View::App(_, args) if args.iter().any(nested)) {
            let message = "not a Horn clause: a predicate inside an argument of another one";
            return Err(ReadError::new(ErrorKind::NotHorn, span, message));
        }
        for term in [guard, atom] {
            if self.contents.has_quantifier(term)
                || self.has_common_bits(store, term)
                || self.has_constructor_counts(store, term)
            {
                let message = "a quantifier, _size or an operation on single bits beside a predicate under a quantifier";
                return Err(ReadError::new(ErrorKind::Unsupported, span, message));
            }
        }
        let own = |store: &Store, term: Term| -> Vec<Term> {
            let free = store.free_variables(&[term]);
            part.variables.iter().copied().filter(|var| free.contains(var)).collect()
        };
        let in_atom = own(store, atom);
        if in_atom.is_empty() {
            // The guard may hold of some value, or the premise says nothing: cases of the clause.
            let in_guard = own(store, guard);
            let some = store.exists(&in_guard, guard);
            clause.pending.push(store.and2(some, !atom));
            self.contents.extend(store);
            return Ok(());
        }
        let mut renaming = Substitution::new();
        let mut variables = Vec::new();
        let free = store.free_variables(&[guard, atom]);
        for &var in part.variables.iter().filter(|var| free.contains(var)) {
            let (symbol, fresh) = self.fresh(store, var);
            renaming.insert(symbol, fresh);
            variables.push(fresh);
        }
        let (guard, atom) = (store.substitute(guard, &renaming), store.substitute(atom, &renaming));
        self.contents.extend(store);
        clause.premises.push((variables, guard, atom));
        Ok(())
    }

    /// The premise that was collected.
    pub(super) fn premise(&self, store: &Store, (variables, guard, atom): &OpenPremise) -> Premise {
        let View::App(symbol, args) = store.view(*atom) else {
            unreachable!("an atom with a bound variable")
        };
        let Role::Predicate(predicate) = self.contents.role(symbol) else {
            unreachable!("an atom has a declared predicate")
        };
        let atom = Atom { predicate, args: args.into() };
        Premise { variables: variables.as_slice().into(), guard: *guard, atom }
    }
}

/// All values of a bound variable for which the body does not hold by itself, if they are few.
fn values_of(store: &mut Store, var: Term, body: Term) -> Option<Vec<Term>> {
    let sort = store.sort(var);
    if sort == Sort::Bool {
        return Some(vec![Term::FALSE, Term::TRUE]);
    }
    if sort == Sort::Int {
        let (low, high) = bounds_of(store, var, body)?;
        let mut values = Vec::new();
        let mut value = low;
        while value <= high {
            if values.len() == MOST_VALUES {
                return None;
            }
            values.push(store.int(value.clone()));
            value = &value + &Int::ONE;
        }
        return Some(values);
    }
    let constructors = store.datatype_of(sort)?.constructors();
    let symbols: Vec<_> = constructors.iter().map(|constructor| constructor.symbol).collect();
    let is_enumeration = symbols.iter().all(|&symbol| store.signature(symbol).args.is_empty());
    (is_enumeration && symbols.len() <= MOST_VALUES)
        .then(|| symbols.iter().map(|&symbol| store.construct(symbol, &[])).collect())
}

/// The numerals between which a variable lies where a disjunction does not hold by itself.
fn bounds_of(store: &Store, var: Term, body: Term) -> Option<(Int, Int)> {
    let View::And(members) = store.view(body) else { return None };
    if !body.is_negated() {
        return None;
    }
    let (mut low, mut high): (Option<Int>, Option<Int>) = (None, None);
    for &member in members {
        let View::Le(poly, bound) = store.view(member) else { continue };
        let [single] = store.poly_terms(poly) else { continue };
        if single.leaf != var || single.coeff != Int::ONE {
            continue;
        }
        if member.is_negated() {
            let least = &bound.floor() + &Int::ONE;
            low = Some(low.map_or(least.clone(), |low| low.max(least)));
        } else {
            let most = bound.floor();
            high = Some(high.map_or(most.clone(), |high| high.min(most)));
        }
    }
    Some((low?, high?))
}
