//! Fingerprints: hashes that identify a system or a transition system.
//!
//! A lemma that counts steps is about one transition system, after all passes; an invariant over predicates is
//! about one system as read. Each carries the fingerprint of what it is about. Equal problems have equal
//! fingerprints, whatever else is in their stores: the text of the problem is hashed, with variables named by
//! their positions.
//!
//! The hash is FNV-1a with 128 bits. It distinguishes problems that differ by accident; it is not secure against
//! collisions made on purpose, so what comes from outside is checked all the same.

use std::fmt::{self, Write};
use std::str::FromStr;

use shem_term::{Store, Symbol, Term};

use crate::system::{Atom, System};
use crate::transition::TransitionSystem;

/// The hash of a system or of a transition system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(u128);

/// The hash of the text so far.
struct Hasher(u128);

impl Write for Hasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
        Ok(())
    }
}

impl Hasher {
    fn new(kind: &str) -> Hasher {
        let mut hasher = Hasher(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        hasher.add(format_args!("{kind};"));
        hasher
    }

    fn add(&mut self, text: fmt::Arguments<'_>) {
        self.write_fmt(text).expect("a hasher takes all");
    }

    /// Adds a term, with the variables that have no name named by their order.
    fn term(&mut self, store: &Store, term: Term, names: &Names) {
        let is_new = |variable: &Term| names.find(store.as_var(*variable).expect("a variable")).is_none();
        let mut others = store.free_variables(&[term]);
        others.retain(is_new);
        if others.is_empty() {
            return self.named(store, term, names);
        }
        let mut names = names.clone();
        for (number, &variable) in others.iter().enumerate() {
            let name = format!("a{number}{}", store.display_sort(store.sort(variable)));
            names.0.push((store.as_var(variable).expect("a variable"), name));
        }
        names.0.sort();
        self.named(store, term, &names);
    }

    /// Adds a term all of whose variables have names.
    fn named(&mut self, store: &Store, term: Term, names: &Names) {
        let text = |symbol| names.find(symbol);
        self.add(format_args!("{};", store.display(term).with_symbols(&text)));
    }
}

/// Names of variables, SORTED by symbols.
#[derive(Clone)]
struct Names(Vec<(Symbol, String)>);

impl Names {
    /// Names by the positions in lists of variables. Made once for a clause: it may have hundreds of arguments.
    fn new(store: &Store, lists: &[(&str, &[Term])]) -> Names {
        let mut names: Vec<(Symbol, String)> = Vec::new();
        for (prefix, variables) in lists {
            for (at, &variable) in variables.iter().enumerate() {
                names.push((store.as_var(variable).expect("a variable"), format!("{prefix}{at}")));
            }
        }
        names.sort();
        names.dedup_by_key(|(symbol, _)| *symbol);
        Names(names)
    }

    fn find(&self, symbol: Symbol) -> Option<&str> {
        let at = self.0.binary_search_by_key(&symbol, |&(symbol, _)| symbol).ok()?;
        Some(self.0[at].1.as_str())
    }
}

impl Fingerprint {
    /// The fingerprint of a transition system: of its formulas.
    pub fn of_transitions(store: &Store, system: &TransitionSystem) -> Fingerprint {
        let mut hasher = Hasher::new("transitions");
        for &variable in &system.state {
            hasher.add(format_args!("{},", store.display_sort(store.sort(variable))));
        }
        let names = Names::new(store, &[("x", &system.state), ("y", &system.next)]);
        for formula in [system.initial, system.transition, system.bad] {
            hasher.term(store, formula, &names);
        }
        Fingerprint(hasher.0)
    }

    /// The fingerprint of a system as read: predicates with their names, clauses in their order.
    pub fn of_system(store: &Store, system: &System) -> Fingerprint {
        let mut hasher = Hasher::new("system");
        for predicate in &system.predicates {
            hasher.add(format_args!("{:?}", predicate.name));
            for &sort in &predicate.sorts {
                hasher.add(format_args!(" {}", store.display_sort(sort)));
            }
            hasher.add(format_args!(","));
        }
        for clause in &system.clauses {
            let names = Names::new(store, &[("x", &clause.variables)]);
            for &variable in &clause.variables {
                hasher.add(format_args!("{},", store.display_sort(store.sort(variable))));
            }
            hasher.term(store, clause.constraint, &names);
            let mut atom = |atom: &Atom| {
                hasher.add(format_args!("{}:", atom.predicate.index()));
                for &argument in &atom.args {
                    hasher.term(store, argument, &names);
                }
            };
            clause.body.iter().for_each(&mut atom);
            clause.head.iter().for_each(&mut atom);
            hasher.add(format_args!("{}.", clause.head.is_some()));
        }
        Fingerprint(hasher.0)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "h{:032x}", self.0)
    }
}

impl FromStr for Fingerprint {
    type Err = ();

    fn from_str(text: &str) -> Result<Fingerprint, ()> {
        let digits = text.strip_prefix('h').filter(|digits| digits.len() == 32).ok_or(())?;
        if digits.bytes().any(|b| !matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(());
        }
        u128::from_str_radix(digits, 16).map(Fingerprint).map_err(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use shem_base::StopToken;
    use shem_term::Sort;

    use super::*;
    use crate::Script;

    fn counter(store: &mut Store, prefix: &str, step: i64) -> TransitionSystem {
        let x = store.variable(&format!("{prefix}x"), Sort::Int);
        let y = store.variable(&format!("{prefix}y"), Sort::Int);
        let (zero, nine) = (store.int(0), store.int(9));
        let sum = store.linear(&[(1.into(), x)], &step.into(), Sort::Int);
        TransitionSystem {
            state: vec![x],
            next: vec![y],
            initial: store.eq(x, zero),
            transition: store.eq(y, sum),
            bad: store.eq(x, nine),
        }
    }

    #[test]
    fn names_do_not_matter_but_steps_do() {
        let (mut one, mut two) = (Store::new(), Store::new());
        two.variable("first", Sort::Int);
        let a = counter(&mut one, "a", 2);
        let b = counter(&mut two, "b", 2);
        let c = counter(&mut two, "b", 3);
        let a = Fingerprint::of_transitions(&one, &a);
        assert_eq!(a, Fingerprint::of_transitions(&two, &b));
        assert_ne!(a, Fingerprint::of_transitions(&two, &c));
        assert_eq!(a.to_string().parse(), Ok(a));
        assert_eq!("h12".parse::<Fingerprint>(), Err(()));
        assert_eq!("h+234567890123456789012345678901".parse::<Fingerprint>(), Err(()));
    }

    #[test]
    fn systems_are_told_apart() {
        let fingerprint = |text: &str| {
            let mut store = Store::new();
            let script = Script::read(&mut store, text, &StopToken::new()).expect("a script");
            Fingerprint::of_system(&store, &script.system)
        };
        let base = "(declare-fun p (Int) Bool) (assert (forall ((x Int)) (=> (> x 0) (p x))))";
        let renamed = "(declare-fun p (Int) Bool) (assert (forall ((y Int)) (=> (> y 0) (p y))))";
        let other = "(declare-fun p (Int) Bool) (assert (forall ((x Int)) (=> (> x 1) (p x))))";
        let query = "(declare-fun p (Int) Bool) (assert (forall ((x Int)) (=> (and (p x) (> x 0)) false)))";
        assert_eq!(fingerprint(base), fingerprint(renamed));
        assert_ne!(fingerprint(base), fingerprint(other));
        assert_ne!(fingerprint(base), fingerprint(query));
    }
}
