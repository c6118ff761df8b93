//! Formulas with quantifiers: elimination from the inside out.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{Budget, Rat, UnknownReason};
use shem_term::{Sort, Store, Substitution, Term, View};

use super::eliminate::eliminate;

/// What terms with a quantifier inside, without their negation, became.
type Memo = HashMap<Term, Term, FxBuildHasher>;

/// An equivalent formula without quantifiers. A universal block is the negation of an existential one.
pub fn eliminate_quantifiers(
    store: &mut Store,
    formula: Term,
    budget: &mut Budget,
) -> Result<Term, UnknownReason> {
    let mut memo = Memo::default();
    for term in store.subterms(&[formula]) {
        let mut quantified = matches!(store.view(term), View::Forall(..));
        store.for_each_child(term, |child| quantified |= memo.contains_key(&child.positive()));
        if quantified {
            let image = rebuild(store, term, &memo, budget)?;
            memo.insert(term, image);
        }
    }
    Ok(image(&memo, formula))
}

/// A formula without quantifiers that is satisfiable if and only if the given one is, for the use as an
/// assertion: existential blocks that are conjuncts are opened with fresh constants, all others are
/// eliminated. Its models satisfy the formula.
pub fn assertable(store: &mut Store, formula: Term, budget: &mut Budget) -> Result<Term, UnknownReason> {
    let mut members = Vec::new();
    let mut stack = vec![formula];
    while let Some(term) = stack.pop() {
        match store.view(term) {
            View::And(args) if !term.is_negated() => stack.extend(args.iter().rev()),
            View::Forall(vars, body) if term.is_negated() => {
                let vars = vars.to_vec();
                stack.push(!freshen(store, &vars, body));
            }
            _ => members.push(eliminate_quantifiers(store, term, budget)?),
        }
    }
    Ok(store.and(&members))
}

/// The body with fresh constants for the bound variables.
fn freshen(store: &mut Store, vars: &[Term], body: Term) -> Term {
    let mut renaming = Substitution::new();
    for &var in vars {
        let symbol = store.as_var(var).expect("a bound variable is a variable");
        let (name, sort) = (store.name(symbol).to_owned(), store.sort(var));
        renaming.insert(symbol, store.variable(&name, sort));
    }
    store.substitute(body, &renaming)
}

fn image(memo: &Memo, term: Term) -> Term {
    memo.get(&term.positive()).copied().unwrap_or(term.positive()).xor(term.is_negated())
}

/// The term with its children replaced by their images; a block is eliminated.
fn rebuild(store: &mut Store, term: Term, memo: &Memo, budget: &mut Budget) -> Result<Term, UnknownReason> {
    let zero = |store: &mut Store, sort| store.numeral(&Rat::ZERO, sort);
    Ok(match store.view(term) {
        View::True | View::Var(_) | View::Num(_) => term,
        View::App(symbol, args) => {
            let args: Vec<Term> = args.iter().map(|&t| image(memo, t)).collect();
            store.apply(symbol, &args)
        }
        View::And(args) => {
            let args: Vec<Term> = args.iter().map(|&t| image(memo, t)).collect();
            store.and(&args)
        }
        View::Iff(a, b) => store.iff(image(memo, a), image(memo, b)),
        View::Equal(a, b) => store.eq(image(memo, a), image(memo, b)),
        View::Ite(c, a, b) => store.ite(image(memo, c), image(memo, a), image(memo, b)),
        View::Forall(vars, body) => {
            let vars = vars.to_vec();
            !eliminate(store, &vars, !image(memo, body), budget)?
        }
        View::Le(poly, bound) => {
            let (sum, sort) = rebuilt_sum(store, poly, &Rat::ONE, &-bound, memo);
            let zero = zero(store, sort);
            store.le(sum, zero)
        }
        View::Lt(poly, bound) => {
            let (sum, sort) = rebuilt_sum(store, poly, &Rat::ONE, &-bound, memo);
            let zero = zero(store, sort);
            store.lt(sum, zero)
        }
        View::Eq(poly, value) => {
            let (sum, sort) = rebuilt_sum(store, poly, &Rat::ONE, &-value, memo);
            let zero = zero(store, sort);
            store.eq(sum, zero)
        }
        View::Divisible(modulus, poly, offset) => {
            let (modulus, offset) = (modulus.clone(), Rat::from(offset));
            let (sum, _) = rebuilt_sum(store, poly, &Rat::ONE, &offset, memo);
            store.divisible(&modulus, sum)
        }
        View::Linear(scale, poly, offset) => {
            let (scale, offset, sort) = (scale.clone(), offset.clone(), store.sort(term));
            let (sum, _) = rebuilt_sum(store, poly, &scale, &offset, memo);
            if sort == Sort::Real { store.to_real(sum) } else { sum }
        }
        View::Div(t, modulus) => {
            let modulus = modulus.clone();
            store.int_div(image(memo, t), &modulus)
        }
        View::Mod(t, modulus) => {
            let modulus = modulus.clone();
            store.int_mod(image(memo, t), &modulus)
        }
        View::ToInt(t) => store.to_int(image(memo, t)),
    })
}

/// `scale * poly + offset` with the images of the leaves, and its sort.
fn rebuilt_sum(
    store: &mut Store,
    poly: shem_term::Poly,
    scale: &Rat,
    offset: &Rat,
    memo: &Memo,
) -> (Term, Sort) {
    let integral = store.poly_is_integral(poly) && scale.is_integer() && offset.is_integer();
    let sort = if integral { Sort::Int } else { Sort::Real };
    let terms: Vec<(Rat, Term)> =
        store.poly_terms(poly).iter().map(|t| (scale.mul_int(&t.coeff), image(memo, t.leaf))).collect();
    (store.linear(&terms, offset, sort), sort)
}
