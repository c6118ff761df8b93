//! Formulas in mathematical notation.
//!
//! Terms are written from a stack of what is left to write, so depth costs no stack, and up to a number of characters,
//! since a term with much sharing may be exponentially long as a text. A linear relation has its positive summands on
//! the left and the others on the right: `x − y ≤ 3` is `x ≤ y + 3`.

use std::collections::BTreeMap;

use shem_base::Rat;
use shem_term::{Role, Store, Symbol, Term, View};

use crate::markup::{cut, escape};

/// How tightly a connective binds; an operand that binds less is put into parentheses.
const QUANTIFIER: u8 = 0;
const IFF: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const RELATION: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;
const ATOM: u8 = 7;

/// The characters of a number.
const MOST_DIGITS: usize = 60;

/// Names for symbols that are not to be written by their own.
pub(crate) type Names = BTreeMap<Symbol, String>;

/// Writes terms.
#[derive(Clone, Copy)]
pub(crate) struct Notation<'a> {
    pub(crate) store: &'a Store,
    pub(crate) names: &'a Names,
    /// Whether names are marked up.
    pub(crate) html: bool,
    /// The bytes up to which a term is written.
    pub(crate) limit: usize,
}

/// What is left to write.
enum Job {
    Text(&'static str),
    Owned(String),
    /// A term as an operand of what binds so tightly.
    Term(Term, u8),
}

impl Notation<'_> {
    /// A term; ends with an ellipsis where it is too long.
    pub(crate) fn term(&self, term: Term) -> String {
        let mut out = String::new();
        let mut jobs = vec![Job::Term(term, QUANTIFIER)];
        while let Some(job) = jobs.pop() {
            if out.len() > self.limit {
                out.push_str(" …");
                return out;
            }
            match job {
                Job::Text(text) => out.push_str(text),
                Job::Owned(text) => out.push_str(&text),
                Job::Term(term, context) => {
                    let (binds, parts) = self.parts(term);
                    let inside = binds < context;
                    if inside {
                        jobs.push(Job::Text(")"));
                    }
                    jobs.extend(parts.into_iter().rev());
                    if inside {
                        jobs.push(Job::Text("("));
                    }
                }
            }
        }
        out
    }

    /// The conjuncts of a formula, one by one; so many at most.
    pub(crate) fn conjuncts(&self, formula: Term, most: usize) -> Vec<String> {
        let conjuncts = self.store.conjuncts(formula);
        let mut lines: Vec<String> = conjuncts.iter().take(most).map(|&term| self.operand(term)).collect();
        if conjuncts.is_empty() {
            lines.push("true".to_owned());
        }
        if conjuncts.len() > most {
            lines.push(format!("… {} more", conjuncts.len() - most));
        }
        lines
    }

    /// A term as an operand of a conjunction.
    fn operand(&self, term: Term) -> String {
        let text = self.term(term);
        if self.parts(term).0 < AND { format!("({text})") } else { text }
    }

    /// A symbol by its name.
    pub(crate) fn symbol(&self, symbol: Symbol) -> String {
        let name = self.names.get(&symbol).map_or_else(|| self.store.name(symbol), String::as_str);
        self.name(name)
    }

    fn name(&self, name: &str) -> String {
        if self.html { format!("<i>{}</i>", escape(name)) } else { name.to_owned() }
    }

    fn sign(&self, plain: &'static str, markup: &'static str) -> Job {
        Job::Text(if self.html { markup } else { plain })
    }

    /// How tightly a term binds, and its parts.
    fn parts(&self, term: Term) -> (u8, Vec<Job>) {
        let store = self.store;
        let negated = term.is_negated();
        let not = |parts: Vec<Job>| {
            let mut all = vec![Job::Text("¬")];
            all.extend(parts);
            (ATOM, all)
        };
        let pick = |yes: &'static str, no: &'static str| Job::Text(if negated { no } else { yes });
        match store.view(term) {
            View::True => (ATOM, vec![pick("true", "false")]),
            View::Var(symbol) => {
                let name = vec![Job::Owned(self.symbol(symbol))];
                if negated { not(name) } else { (ATOM, name) }
            }
            View::And(args) => {
                let binds = if negated { OR } else { AND };
                let mut parts = Vec::with_capacity(2 * args.len());
                for (i, &arg) in args.iter().enumerate() {
                    if i > 0 {
                        parts.push(match negated {
                            false => self.sign(" ∧ ", " <b>∧</b> "),
                            true => self.sign(" ∨ ", " <b>∨</b> "),
                        });
                    }
                    parts.push(Job::Term(if negated { !arg } else { arg }, binds + 1));
                }
                (binds, parts)
            }
            View::Iff(a, b) => (IFF, vec![Job::Term(a, IFF + 1), pick(" ⇔ ", " ⇎ "), Job::Term(b, IFF + 1)]),
            View::Equal(a, b) => (RELATION, vec![Job::Term(a, SUM), pick(" = ", " ≠ "), Job::Term(b, SUM)]),
            View::Ite(c, a, b) => {
                let mut parts = vec![Job::Text("(if "), Job::Term(c, QUANTIFIER), Job::Text(" then ")];
                parts.extend([
                    Job::Term(a, QUANTIFIER),
                    Job::Text(" else "),
                    Job::Term(b, QUANTIFIER),
                    Job::Text(")"),
                ]);
                if negated { not(parts) } else { (ATOM, parts) }
            }
            View::Forall(variables, body) => {
                let names: Vec<String> = variables
                    .iter()
                    .filter_map(|&v| store.as_var(v))
                    .map(|symbol| self.symbol(symbol))
                    .collect();
                let body = if negated { !body } else { body };
                let quantifier = if negated { "∃" } else { "∀" };
                let parts =
                    vec![Job::Owned(format!("{quantifier} {}: ", names.join(", "))), Job::Term(body, IFF)];
                (QUANTIFIER, parts)
            }
            // Integers that are greater than 3 are at least 4.
            View::Le(poly, bound) if negated && store.poly_is_integral(poly) => {
                self.relation(poly, &(bound + &Rat::ONE), [" ≥ ", " ≤ "])
            }
            View::Le(poly, bound) => {
                self.relation(poly, bound, if negated { [" &gt; ", " &lt; "] } else { [" ≤ ", " ≥ "] })
            }
            View::Lt(poly, bound) => {
                self.relation(poly, bound, if negated { [" ≥ ", " ≤ "] } else { [" &lt; ", " &gt; "] })
            }
            View::Eq(poly, bound) => {
                self.relation(poly, bound, if negated { [" ≠ "; 2] } else { [" = "; 2] })
            }
            View::Divisible(modulus, poly, offset) => {
                let mut parts = vec![Job::Owned(modulus.to_string()), pick(" ∣ ", " ∤ ")];
                let terms: Vec<(Rat, Term)> =
                    store.poly_terms(poly).iter().map(|t| (Rat::from(t.coeff.clone()), t.leaf)).collect();
                self.sum(&mut parts, &terms, &Rat::from(offset.clone()));
                (RELATION, parts)
            }
            View::Num(number) => (
                if number.is_negative() || !number.is_integer() { PRODUCT } else { ATOM },
                vec![Job::Owned(self.number(number))],
            ),
            View::Linear(scale, poly, offset) => {
                let terms: Vec<(Rat, Term)> = store
                    .poly_terms(poly)
                    .iter()
                    .map(|t| (&Rat::from(t.coeff.clone()) * scale, t.leaf))
                    .collect();
                let mut parts = Vec::new();
                self.sum(&mut parts, &terms, offset);
                let single = terms.len() == 1 && offset.is_zero();
                (if single { PRODUCT } else { SUM }, parts)
            }
            View::Div(term, modulus) => {
                (ATOM, vec![Job::Text("⌊"), Job::Term(term, PRODUCT), Job::Owned(format!(" / {modulus}⌋"))])
            }
            View::Mod(term, modulus) => {
                (PRODUCT, vec![Job::Term(term, ATOM), Job::Owned(format!(" mod {modulus}"))])
            }
            View::ToInt(term) => (ATOM, vec![Job::Text("⌊"), Job::Term(term, QUANTIFIER), Job::Text("⌋")]),
            View::App(symbol, args) => {
                let (binds, parts) = self.application(symbol, args);
                if !negated {
                    return (binds, parts);
                }
                match binds {
                    ATOM => not(parts),
                    _ => {
                        let mut inside = vec![Job::Text("(")];
                        inside.extend(parts);
                        inside.push(Job::Text(")"));
                        not(inside)
                    }
                }
            }
        }
    }

    fn application(&self, symbol: Symbol, args: &[Term]) -> (u8, Vec<Job>) {
        let name = self.symbol(symbol);
        let infix = |sign: &'static str| {
            let mut parts = Vec::new();
            for (i, &arg) in args.iter().enumerate() {
                if i > 0 {
                    parts.push(Job::Text(sign));
                }
                parts.push(Job::Term(arg, ATOM));
            }
            (PRODUCT, parts)
        };
        match (self.store.role(symbol), args) {
            (Role::Select, &[array, index]) => (
                ATOM,
                vec![Job::Term(array, ATOM), Job::Text("["), Job::Term(index, QUANTIFIER), Job::Text("]")],
            ),
            (Role::Store, &[array, index, element]) => {
                let mut parts = vec![Job::Term(array, ATOM), Job::Text("["), Job::Term(index, QUANTIFIER)];
                parts.extend([Job::Text(" ↦ "), Job::Term(element, QUANTIFIER), Job::Text("]")]);
                (ATOM, parts)
            }
            (Role::ConstantArray, &[element]) => {
                (ATOM, vec![Job::Text("[· ↦ "), Job::Term(element, QUANTIFIER), Job::Text("]")])
            }
            (Role::Product, _) => infix(" · "),
            (Role::RealQuotient, _) => infix(" / "),
            (Role::IntQuotient, _) => infix(" div "),
            (Role::Remainder, _) => infix(" mod "),
            (Role::Selector { .. }, &[value]) => {
                (ATOM, vec![Job::Term(value, ATOM), Job::Owned(format!(".{name}"))])
            }
            (Role::Tester { datatype, constructor }, &[value]) => {
                let made = self.store.datatype(datatype).constructors()[constructor as usize].symbol;
                (RELATION, vec![Job::Term(value, SUM), Job::Owned(format!(" is {}", self.symbol(made)))])
            }
            (_, []) => (ATOM, vec![Job::Owned(name)]),
            _ => {
                let mut parts = vec![Job::Owned(format!("{name}("))];
                for (i, &arg) in args.iter().enumerate() {
                    if i > 0 {
                        parts.push(Job::Text(", "));
                    }
                    parts.push(Job::Term(arg, QUANTIFIER));
                }
                parts.push(Job::Text(")"));
                (ATOM, parts)
            }
        }
    }

    /// A relation of a sum and a number; the second sign is for the relation read from the right.
    fn relation(&self, poly: shem_term::Poly, bound: &Rat, signs: [&'static str; 2]) -> (u8, Vec<Job>) {
        let terms: Vec<(Rat, Term)> =
            self.store.poly_terms(poly).iter().map(|t| (Rat::from(t.coeff.clone()), t.leaf)).collect();
        let flip = terms.iter().all(|(coefficient, _)| coefficient.is_negative());
        let turned = |number: &Rat| if flip { -number } else { number.clone() };
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (coefficient, leaf) in &terms {
            let coefficient = turned(coefficient);
            match coefficient.is_negative() {
                false => left.push((coefficient, *leaf)),
                true => right.push((-&coefficient, *leaf)),
            }
        }
        let bound = turned(bound);
        let moved = bound.is_negative() && !right.is_empty();
        let (extra, rest) = if moved { (-&bound, Rat::ZERO) } else { (Rat::ZERO, bound) };
        let sign = signs[usize::from(flip)];
        let sign = match (self.html, sign) {
            (false, " &lt; ") => " < ",
            (false, " &gt; ") => " > ",
            _ => sign,
        };
        let mut parts = Vec::new();
        self.sum(&mut parts, &left, &extra);
        parts.push(Job::Text(sign));
        self.sum(&mut parts, &right, &rest);
        (RELATION, parts)
    }

    fn sum(&self, parts: &mut Vec<Job>, terms: &[(Rat, Term)], offset: &Rat) {
        if terms.is_empty() {
            parts.push(Job::Owned(self.number(offset)));
            return;
        }
        // What is added comes first.
        let (plus, minus): (Vec<_>, Vec<_>) = terms.iter().partition(|(c, _)| !c.is_negative());
        for (i, (coefficient, leaf)) in plus.into_iter().chain(minus).enumerate() {
            match (i, coefficient.is_negative()) {
                (0, false) => {}
                (0, true) => parts.push(Job::Text("−")),
                (_, false) => parts.push(Job::Text(" + ")),
                (_, true) => parts.push(Job::Text(" − ")),
            }
            let size = coefficient.abs();
            if !size.is_one() {
                parts.push(Job::Owned(format!("{}·", self.number(&size))));
            }
            parts.push(Job::Term(*leaf, if size.is_one() { PRODUCT } else { ATOM }));
        }
        if !offset.is_zero() {
            parts.push(Job::Text(if offset.is_negative() { " − " } else { " + " }));
            parts.push(Job::Owned(self.number(&offset.abs())));
        }
    }

    fn number(&self, number: &Rat) -> String {
        cut(&number.to_string(), MOST_DIGITS).replace('-', "−")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shem_term::Sort;
    use shem_term::smtlib::{Lexer, Reader};

    /// A formula over x, y, n and b as it is written.
    fn written(text: &str) -> String {
        let mut store = Store::new();
        let mut reader = Reader::new();
        let declarations =
            "(declare-fun x () Int)(declare-fun y () Int)(declare-fun n () Int)(declare-fun b () Bool)
            (declare-fun a () (Array Int Int))(declare-fun r () Real)";
        let mut lexer = Lexer::new(declarations).expect("a short text");
        while reader.next_command(&mut lexer, &mut store).expect("declarations").is_some() {}
        let term =
            reader.read_term(&mut Lexer::new(text).expect("a short text"), &mut store).expect("a term");
        let names = Names::new();
        Notation { store: &store, names: &names, html: false, limit: 1000 }.term(term)
    }

    #[test]
    fn relations_have_no_minus_where_none_is_needed() {
        assert_eq!(written("(<= (- x y) 3)"), "x ≤ y + 3");
        assert_eq!(written("(>= x 4)"), "x ≥ 4");
        assert_eq!(written("(<= (- x) 4)"), "x ≥ −4");
        assert_eq!(written("(= (* 2 x) y)"), "2·x = y");
        assert_eq!(written("(not (= x y))"), "x ≠ y");
        assert_eq!(written("(< r 1.5)"), "r < 3/2");
    }

    #[test]
    fn connectives_bind_as_usual() {
        assert_eq!(written("(and b (or (> x 0) (> y 0)))"), "b ∧ (x ≥ 1 ∨ y ≥ 1)");
        assert_eq!(written("(not b)"), "¬b");
        assert_eq!(written("(exists ((z Int)) (= x (* 2 z)))"), "∃ z: x = 2·z");
        assert_eq!(written("(= (select (store a x 1) y) (mod n 3))"), "a[x ↦ 1][y] = n mod 3");
    }

    #[test]
    fn deep_and_shared_terms_end() {
        let mut store = Store::new();
        let mut term = store.variable("x", Sort::Bool);
        for i in 0..200_000 {
            let other = store.variable(&format!("y{i}"), Sort::Bool);
            let both = store.and2(term, other);
            term = store.iff(both, term);
        }
        let names = Names::new();
        let text = Notation { store: &store, names: &names, html: true, limit: 500 }.term(term);
        assert!(text.ends_with('…') && text.len() < 700, "{text}");
    }
}
