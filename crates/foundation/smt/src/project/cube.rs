//! Cubes as lists of literals.

use std::cmp::Ordering;

use shem_base::Rat;
use shem_term::{Poly, Store, Term, View};

/// A bound on a polynomial: `poly <= value` or, if `upper` does not hold, `poly >= value`.
struct Bound {
    poly: Poly,
    upper: bool,
    value: Rat,
    strict: bool,
    literal: Term,
}

/// Brings a cube to a canonical form: sorted, without repetition, with the tightest bounds only of each
/// polynomial, and with an equality in place of two bounds that meet. A cube with a contradiction between
/// two of its literals becomes the false formula alone.
pub fn simplify_cube(store: &mut Store, cube: &mut Vec<Term>) {
    cube.sort_unstable();
    cube.dedup();
    cube.retain(|&t| t != Term::TRUE);
    if cube.contains(&Term::FALSE) || cube.windows(2).any(|w| w[0] == !w[1]) {
        cube.clear();
        cube.push(Term::FALSE);
        return;
    }
    let mut bounds: Vec<Bound> = Vec::new();
    let mut fixed: Vec<(Poly, Rat)> = Vec::new();
    for &literal in cube.iter() {
        let (poly, value, strict, upper) = match store.view(literal) {
            View::Le(poly, value) => (poly, value, literal.is_negated(), !literal.is_negated()),
            View::Lt(poly, value) => (poly, value, !literal.is_negated(), !literal.is_negated()),
            View::Eq(poly, value) if !literal.is_negated() => {
                fixed.push((poly, value.clone()));
                continue;
            }
            _ => continue,
        };
        // The negation of an integral bound is a bound one further.
        let (value, strict) = if strict && store.poly_is_integral(poly) {
            (if upper { value - &Rat::ONE } else { value + &Rat::ONE }, false)
        } else {
            (value.clone(), strict)
        };
        bounds.push(Bound { poly, upper, value, strict, literal });
    }
    bounds.sort_by(|a, b| {
        let tighter = if a.upper { a.value.cmp(&b.value) } else { b.value.cmp(&a.value) };
        (a.poly, a.upper).cmp(&(b.poly, b.upper)).then(tighter).then(b.strict.cmp(&a.strict))
    });
    let mut dropped: Vec<Term> = Vec::new();
    let mut added: Vec<Term> = Vec::new();
    let mut contradiction = fixed.windows(2).any(|w| w[0].0 == w[1].0 && w[0].1 != w[1].1);
    let mut start = 0;
    while start < bounds.len() {
        let poly = bounds[start].poly;
        let end = start + bounds[start..].iter().take_while(|b| b.poly == poly).count();
        let group = &bounds[start..end];
        start = end;
        let lower = group.iter().find(|b| !b.upper);
        let upper = group.iter().find(|b| b.upper);
        let kept = |b: &Bound| [lower, upper].into_iter().flatten().any(|k| k.literal == b.literal);
        dropped.extend(group.iter().filter(|b| !kept(b)).map(|b| b.literal));
        if let Some((_, value)) = fixed.iter().find(|f| f.0 == poly) {
            for bound in [lower, upper].into_iter().flatten() {
                contradiction |= excludes(bound, value);
                dropped.push(bound.literal);
            }
        } else if let (Some(lower), Some(upper)) = (lower, upper) {
            match lower.value.cmp(&upper.value) {
                Ordering::Greater => contradiction = true,
                Ordering::Equal if lower.strict || upper.strict => contradiction = true,
                Ordering::Equal => {
                    dropped.extend([lower.literal, upper.literal]);
                    added.push(store.poly_eq(poly, &lower.value));
                }
                Ordering::Less => {}
            }
        }
    }
    if contradiction {
        cube.clear();
        cube.push(Term::FALSE);
        return;
    }
    if !dropped.is_empty() {
        cube.retain(|t| !dropped.contains(t));
        cube.extend(added);
        cube.sort_unstable();
        cube.dedup();
    }
}

/// Whether a bound does not admit the value.
fn excludes(bound: &Bound, value: &Rat) -> bool {
    match value.cmp(&bound.value) {
        Ordering::Equal => bound.strict,
        order => order.is_gt() == bound.upper,
    }
}

#[cfg(test)]
mod tests {
    use shem_term::Sort;

    use super::*;

    #[test]
    fn bounds_subsume_meet_and_contradict() {
        let mut store = Store::new();
        let x = store.variable("x", Sort::Int);
        let u = store.variable("u", Sort::Real);
        let mut le = |t, n: i64| {
            let n = store.numeral(&Rat::from(n), store.sort(t));
            store.le(t, n)
        };
        let (x3, x5, x2, u1, u4) = (le(x, 3), le(x, 5), le(x, 2), le(u, 1), le(u, 4));
        let check = |store: &mut Store, cube: &[Term], expected: &str| {
            let mut cube = cube.to_vec();
            simplify_cube(store, &mut cube);
            let text: Vec<String> = cube.iter().map(|&t| store.display(t).to_string()).collect();
            assert_eq!(text.join(" "), expected);
        };
        check(&mut store, &[x5, x3, x5], "(<= x 3)");
        check(&mut store, &[x3, !x2], "(= x 3)");
        check(&mut store, &[x2, !x3], "false");
        check(&mut store, &[!u1, u4, !x2, x5], "(<= x 5) (>= x 3) (> u 1.0) (<= u 4.0)");
        check(&mut store, &[u1, !u1], "false");
        check(&mut store, &[Term::TRUE], "");
    }
}
