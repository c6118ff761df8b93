//! SMT-LIB printing, with `let` for shared subterms.
//!
//! A subterm that is used more than once and is worth a name is bound by a `let` around the formula (or
//! around the body of the quantifier in which it stands), innermost first. Printing keeps a stack of what is
//! left to write, so depth costs no stack.

use std::borrow::Cow;
use std::fmt;

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;
use shem_base::{Int, Rat};

use super::symbol::{quote_symbol, write_rational};
use crate::poly::Poly;
use crate::sort::Sort;
use crate::store::Store;
use crate::symbol::{Role, Symbol};
use crate::term::{Term, View};

/// What is written for a symbol instead of its name; `None` for the name.
pub type SymbolText<'a> = &'a (dyn Fn(Symbol) -> Option<&'a str> + 'a);

/// Prints a term; made by [`Store::display`].
#[derive(Clone, Copy)]
pub struct Display<'a> {
    store: &'a Store,
    term: Term,
    symbols: Option<SymbolText<'a>>,
    testers: bool,
    differences: bool,
}

impl<'a> Display<'a> {
    /// Writes some symbols as this says, without quotes; where they are bound, too.
    pub fn with_symbols(self, symbols: SymbolText<'a>) -> Display<'a> {
        Display { symbols: Some(symbols), ..self }
    }

    /// Writes `(- x y)` for the sum of `x` and `(- y)`, and `(<= x y)` where it is compared with zero.
    pub fn with_differences(self) -> Display<'a> {
        Display { differences: true, ..self }
    }

    /// Writes `(= t (C (first t) …))` for a tester, which some readers do not know.
    pub fn without_testers(self) -> Display<'a> {
        Display { testers: false, ..self }
    }
}

impl Store {
    /// The term in SMT-LIB syntax.
    pub fn display(&self, term: Term) -> Display<'_> {
        Display { store: self, term, symbols: None, testers: true, differences: false }
    }
}

impl fmt::Display for Display<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer::new(self).run(self.term, f)
    }
}

/// What is left to write.
pub(super) enum Job {
    Text(&'static str),
    Owned(String),
    Spaced(Term),
    /// A term; the flag says that a name bound to it is not to be used: this is its definition.
    Term(Term, bool),
    /// A leaf in a polynomial of sort `Real`, times a coefficient.
    Product(Term, Int, bool),
    Number(Rat, bool),
    /// A whole formula with its own `let`s.
    Block(Term),
    /// The end of a block in which these terms had names.
    Leave(Vec<Term>),
    Close(usize),
}

pub(super) struct Printer<'a> {
    pub(super) store: &'a Store,
    names: HashMap<usize, usize, FxBuildHasher>,
    /// The names of symbols in the term that look like ours.
    taken: HashSet<&'a str>,
    next_name: usize,
    pub(super) jobs: Vec<Job>,
    pub(super) symbols: Option<SymbolText<'a>>,
    pub(super) testers: bool,
    differences: bool,
}

impl<'a> Printer<'a> {
    fn new(display: &Display<'a>) -> Self {
        let &Display { store, term, symbols, testers, differences } = display;
        let mut taken = HashSet::new();
        for t in store.subterms(&[term]) {
            if let View::Var(symbol) | View::App(symbol, _) = store.view(t) {
                let name = symbols.and_then(|text| text(symbol)).unwrap_or_else(|| store.name(symbol));
                if name.starts_with(LET_PREFIX) {
                    taken.insert(name);
                }
            }
        }
        Printer {
            store,
            names: HashMap::default(),
            taken,
            next_name: 0,
            jobs: Vec::new(),
            symbols,
            testers,
            differences,
        }
    }

    /// Whether a `let` has given the term a name.
    pub(super) fn is_named(&self, term: Term) -> bool {
        self.names.contains_key(&term.index())
    }

    /// A symbol as it is to be written.
    pub(super) fn symbol(&self, symbol: Symbol) -> Cow<'a, str> {
        match self.symbols.and_then(|text| text(symbol)) {
            Some(text) => text.into(),
            None => quote_symbol(self.store.name(symbol)),
        }
    }

    fn run(mut self, term: Term, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.jobs.push(Job::Block(term));
        while let Some(job) = self.jobs.pop() {
            match job {
                Job::Text(text) => out.write_str(text)?,
                Job::Owned(text) => out.write_str(&text)?,
                Job::Spaced(t) => {
                    out.write_str(" ")?;
                    self.jobs.push(Job::Term(t, false));
                }
                Job::Number(value, real) => write_rational(out, &value, real)?,
                Job::Close(count) => (0..count).try_for_each(|_| out.write_str(")"))?,
                Job::Product(leaf, coeff, real) => self.product(leaf, &coeff, real, out)?,
                Job::Block(t) => self.block(t),
                Job::Leave(terms) => {
                    for t in terms {
                        self.names.remove(&t.index());
                    }
                }
                Job::Term(t, definition) => self.term(t, definition, out)?,
            }
        }
        Ok(())
    }

    /// Binds names to the subterms that are shared inside this block and have none yet.
    fn block(&mut self, root: Term) {
        let shared = self.shared(root);
        if shared.is_empty() {
            self.jobs.push(Job::Term(root, false));
            return;
        }
        self.jobs.push(Job::Leave(shared.clone()));
        self.jobs.push(Job::Close(shared.len()));
        self.jobs.push(Job::Term(root, false));
        let mut names = Vec::with_capacity(shared.len());
        for _ in &shared {
            self.next_name += 1;
            while self.taken.contains(format!("{LET_PREFIX}{}", self.next_name).as_str()) {
                self.next_name += 1;
            }
            names.push(self.next_name);
        }
        // Jobs are taken from the end: the last definition is pushed first.
        for (&term, &name) in shared.iter().zip(&names).rev() {
            self.jobs.push(Job::Text(")) "));
            self.jobs.push(Job::Term(term, true));
            self.jobs.push(Job::Text(" "));
            self.jobs.push(Job::Number(Rat::from(name as i64), false));
            self.jobs.push(Job::Text(LET_OPEN));
            self.names.insert(term.index(), name);
        }
    }

    /// The subterms used at least twice inside the block, in order of definition. Bodies of quantifiers are
    /// blocks of their own.
    fn shared(&self, root: Term) -> Vec<Term> {
        let mut uses: HashMap<usize, u32, FxBuildHasher> = HashMap::default();
        let mut stack = vec![root];
        let mut shared = Vec::new();
        while let Some(term) = stack.pop() {
            if self.names.contains_key(&term.index()) {
                continue;
            }
            let count = uses.entry(term.index()).or_insert(0);
            *count += 1;
            if *count == 2 && self.worth_a_name(term) {
                shared.push(term.positive());
            }
            if *count == 1 && !matches!(self.store.view(term), View::Forall(..)) {
                self.store.for_each_child(term, |child| stack.push(child));
                // The argument of a tester may be written several times.
                if let View::App(symbol, &[arg]) = self.store.view(term)
                    && matches!(self.store.role(symbol), Role::Tester { .. })
                {
                    stack.push(arg);
                }
            }
        }
        shared.sort_unstable();
        shared
    }

    fn worth_a_name(&self, term: Term) -> bool {
        match self.store.view(term) {
            View::True | View::Var(_) | View::Num(_) | View::App(_, []) => false,
            View::Le(p, _) | View::Lt(p, _) | View::Eq(p, _) | View::Linear(_, p, _) => {
                self.store.poly_terms(p).len() > 3
            }
            _ => true,
        }
    }

    fn term(&mut self, term: Term, definition: bool, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let store = self.store;
        let negated = term.is_negated();
        if !definition && let Some(name) = self.names.get(&term.index()) {
            return if negated {
                write!(out, "(not {LET_PREFIX}{name})")
            } else {
                write!(out, "{LET_PREFIX}{name}")
            };
        }
        let view = store.view(term);
        // What has a negative form of its own is printed in it; the rest gets a `not`.
        let own_form =
            matches!(view, View::True | View::And(_) | View::Forall(..) | View::Le(..) | View::Lt(..))
                || self.has_strict_form(view);
        if negated && !own_form {
            out.write_str("(not ")?;
            self.jobs.push(Job::Close(1));
        }
        match view {
            View::True => out.write_str(if negated { "false" } else { "true" }),
            View::Var(symbol) => out.write_str(&self.symbol(symbol)),
            View::App(symbol, &[a, b]) if negated && self.has_strict_form(view) => {
                self.strict_form(symbol, a, b, out)
            }
            View::App(symbol, args) => self.application(symbol, args, out),
            View::And(args) => {
                out.write_str(if negated { "(or" } else { "(and" })?;
                self.arguments(args.iter().map(|t| t.xor(negated)));
                Ok(())
            }
            View::Iff(a, b) | View::Equal(a, b) => {
                out.write_str("(=")?;
                self.arguments([a, b].into_iter());
                Ok(())
            }
            View::Ite(c, a, b) => {
                out.write_str("(ite")?;
                self.arguments([c, a, b].into_iter());
                Ok(())
            }
            View::Forall(vars, body) => {
                out.write_str(if negated { "(exists (" } else { "(forall (" })?;
                for (i, &var) in vars.iter().enumerate() {
                    let symbol = store.as_var(var).expect("a bound variable is a variable");
                    let space = if i == 0 { "" } else { " " };
                    write!(out, "{space}({} {})", self.symbol(symbol), store.display_sort(store.sort(var)))?;
                }
                out.write_str(") ")?;
                self.jobs.push(Job::Close(1));
                self.jobs.push(Job::Block(body.xor(negated)));
                Ok(())
            }
            View::Le(poly, bound) => {
                let integral = store.poly_is_integral(poly);
                match (negated, integral) {
                    (false, _) => self.relation("(<= ", poly, bound.clone(), out),
                    (true, true) => self.relation("(>= ", poly, bound + &Rat::ONE, out),
                    (true, false) => self.relation("(> ", poly, bound.clone(), out),
                }
            }
            View::Lt(poly, bound) => {
                self.relation(if negated { "(>= " } else { "(< " }, poly, bound.clone(), out)
            }
            View::Eq(poly, value) => self.relation("(= ", poly, value.clone(), out),
            // Some readers do not know the symbol `divisible`.
            View::Divisible(modulus, poly, offset) => {
                out.write_str("(= (mod ")?;
                self.jobs.push(Job::Text(" 0)"));
                self.jobs.push(Job::Close(1));
                self.jobs.push(Job::Number(Rat::from(modulus.clone()), false));
                self.jobs.push(Job::Text(" "));
                self.sum(&Rat::ONE, poly, &Rat::from(offset.clone()), false);
                Ok(())
            }
            View::Num(value) => write_rational(out, value, store.sort(term) == Sort::Real),
            View::Linear(scale, poly, offset) => {
                self.sum(scale, poly, offset, store.sort(term) == Sort::Real);
                Ok(())
            }
            View::Div(t, modulus) => self.binary("(div", t, modulus, out),
            View::Mod(t, modulus) => self.binary("(mod", t, modulus, out),
            View::ToInt(t) => {
                out.write_str("(to_int")?;
                self.arguments([t].into_iter());
                Ok(())
            }
        }
    }

    fn binary(&mut self, open: &str, t: Term, modulus: &Int, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(open)?;
        self.jobs.push(Job::Close(1));
        self.jobs.push(Job::Number(Rat::from(modulus.clone()), false));
        self.jobs.push(Job::Text(" "));
        self.jobs.push(Job::Spaced(t));
        Ok(())
    }

    /// Schedules the arguments and the closing parenthesis.
    pub(super) fn arguments(&mut self, args: impl DoubleEndedIterator<Item = Term>) {
        self.jobs.push(Job::Close(1));
        self.jobs.extend(args.rev().map(Job::Spaced));
    }

    fn relation(
        &mut self,
        open: &'static str,
        poly: Poly,
        bound: Rat,
        out: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        // A comparison of an integral polynomial with a number is one of integers.
        let real = !self.store.poly_is_integral(poly);
        self.jobs.push(Job::Close(1));
        if bound.is_zero()
            && let Some((plus, minus)) = self.difference(poly)
        {
            self.jobs.push(Job::Product(minus, Int::ONE, real));
            self.jobs.push(Job::Text(" "));
            self.jobs.push(Job::Product(plus, Int::ONE, real));
            return out.write_str(open);
        }
        self.jobs.push(Job::Number(bound, real));
        self.jobs.push(Job::Text(" "));
        self.sum(&Rat::ONE, poly, &Rat::ZERO, real);
        out.write_str(open)
    }

    /// The terms of which a polynomial is the difference, if it is one and is to be written as such.
    fn difference(&self, poly: Poly) -> Option<(Term, Term)> {
        match self.store.poly_terms(poly) {
            [a, b] if self.differences && a.coeff.is_one() && b.coeff.is_minus_one() => {
                Some((a.leaf, b.leaf))
            }
            [a, b] if self.differences && a.coeff.is_minus_one() && b.coeff.is_one() => {
                Some((b.leaf, a.leaf))
            }
            _ => None,
        }
    }

    /// Schedules `scale * poly + offset`.
    fn sum(&mut self, scale: &Rat, poly: Poly, offset: &Rat, real: bool) {
        let terms = self.store.poly_terms(poly);
        let scaled = !scale.is_integer();
        if scale.is_one()
            && offset.is_zero()
            && let Some((plus, minus)) = self.difference(poly)
        {
            self.jobs.push(Job::Close(1));
            self.jobs.push(Job::Product(minus, Int::ONE, real));
            self.jobs.push(Job::Text(" "));
            self.jobs.push(Job::Product(plus, Int::ONE, real));
            self.jobs.push(Job::Text("(- "));
            return;
        }
        let count = terms.len() + usize::from(!offset.is_zero());
        if count > 1 {
            self.jobs.push(Job::Close(1));
        }
        if !offset.is_zero() {
            self.jobs.push(Job::Number(offset.clone(), real));
            self.jobs.push(Job::Text(" "));
        }
        for (i, t) in terms.iter().enumerate().rev() {
            if scaled {
                // (* scale leaf): a product with a fraction.
                self.jobs.push(Job::Close(1));
                self.jobs.push(Job::Product(t.leaf, Int::ONE, real));
                self.jobs.push(Job::Text(" "));
                self.jobs.push(Job::Number(scale.mul_int(&t.coeff), real));
                self.jobs.push(Job::Text("(* "));
            } else {
                self.jobs.push(Job::Product(t.leaf, &t.coeff * &scale.numer(), real));
            }
            if i > 0 {
                self.jobs.push(Job::Text(" "));
            }
        }
        if count > 1 {
            self.jobs.push(Job::Text("(+ "));
        }
    }

    fn product(&mut self, leaf: Term, coeff: &Int, real: bool, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lift = real && self.store.sort(leaf) == Sort::Int;
        let minus = *coeff == Int::MINUS_ONE;
        let mut closing = 0;
        if minus {
            out.write_str("(- ")?;
            closing += 1;
        } else if !coeff.is_one() {
            out.write_str("(* ")?;
            write_rational(out, &Rat::from(coeff.clone()), real)?;
            out.write_str(" ")?;
            closing += 1;
        }
        if lift {
            out.write_str("(to_real ")?;
            closing += 1;
        }
        if closing > 0 {
            self.jobs.push(Job::Close(closing));
        }
        self.jobs.push(Job::Term(leaf, false));
        Ok(())
    }
}

const LET_PREFIX: &str = "_let_";
const LET_OPEN: &str = "(let ((_let_";
