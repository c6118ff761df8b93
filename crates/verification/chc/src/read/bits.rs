//! Common bits of two numbers, neither of which is known.
//!
//! Where the clause says what one of them is, they are parts of the other and exact. Otherwise a new variable of the
//! clause takes their place, of which only bounds are known: the clause becomes stronger. A model of it is one of the
//! clause as written; a derivation that uses it shows nothing, and the system says so
//! ([`System::is_over_approximated`](crate::System::is_over_approximated)).

use shem_term::smtlib::{ErrorKind, ReadError, Span};
use shem_term::{Sort, Store, Symbol, Term, View, masked};

use super::clauses::Extractor;

impl Extractor {
    /// Whether the term has common bits in it.
    pub(super) fn has_common_bits(&self, store: &Store, term: Term) -> bool {
        self.common_bits.is_some_and(|symbol| !applications(store, symbol, term).is_empty())
    }

    /// The constraint without common bits, and whether it says more than before. Under a quantifier that stays there is
    /// no place for a variable of the clause: that is an error.
    pub(super) fn without_common_bits(
        &mut self,
        store: &mut Store,
        constraint: Term,
        span: Span,
    ) -> Result<(Term, bool), ReadError> {
        let Some(symbol) = self.common_bits else { return Ok((constraint, false)) };
        for term in store.subterms(&[constraint]) {
            if let View::Forall(_, body) = store.view(term)
                && self.has_common_bits(store, body)
            {
                let message = "operations on single bits of unknown numbers under a quantifier";
                return Err(ReadError::new(ErrorKind::Unsupported, span, message));
            }
        }
        let mut pairs: Vec<(Term, Term)> = Vec::new();
        let mut bounds: Vec<Term> = Vec::new();
        // Children come before their parents.
        for term in applications(store, symbol, constraint) {
            let Some((_, _, &[a, b])) = store.as_app(term) else { continue };
            let [a, b] = [a, b].map(|arg| store.replace(arg, &pairs));
            let number = |store: &Store, term| store.as_num(term).map(|number| number.numer());
            let value = match (number(store, a), number(store, b)) {
                (Some(mask), _) => masked(store, &mask, b),
                (_, Some(mask)) => masked(store, &mask, a),
                _ => {
                    let value = store.variable("bits", Sort::Int);
                    self.claimed.insert(value.index());
                    self.opened.push(value);
                    let zero = store.int(0);
                    bounds.extend([store.ge(value, zero), store.le(value, a), store.le(value, b)]);
                    value
                }
            };
            pairs.push((term, value));
        }
        let stronger = !bounds.is_empty();
        bounds.push(store.replace(constraint, &pairs));
        Ok((store.and(&bounds), stronger))
    }
}

/// The applications of a symbol in a term, sorted.
fn applications(store: &Store, symbol: Symbol, term: Term) -> Vec<Term> {
    let is_application = |&term: &Term| store.as_app(term).is_some_and(|(own, ..)| own == symbol);
    let mut found: Vec<Term> = store.subterms(&[term]).into_iter().filter(is_application).collect();
    found.sort_unstable();
    found
}
