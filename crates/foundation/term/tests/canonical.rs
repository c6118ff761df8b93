//! Canonical forms, printing, substitution and evaluation, from the outside.

use shem_base::{Int, Rat};
use shem_term::{Sort, Store, Substitution, Symbol, Term, Value};

struct Fixture {
    store: Store,
    x: Term,
    y: Term,
    u: Term,
    v: Term,
    p: Term,
    q: Term,
}

fn fixture() -> Fixture {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Int);
    let y = store.variable("y", Sort::Int);
    let u = store.variable("u", Sort::Real);
    let v = store.variable("v", Sort::Real);
    let p = store.variable("p", Sort::Bool);
    let q = store.variable("q", Sort::Bool);
    Fixture { store, x, y, u, v, p, q }
}

#[track_caller]
fn check(f: &Fixture, term: Term, expected: &str) {
    assert_eq!(f.store.display(term).to_string(), expected);
}

#[test]
fn connectives_are_flat_sorted_and_free_of_complements() {
    let mut f = fixture();
    let (p, q) = (f.p, f.q);
    let inner = f.store.and(&[p, q]);
    let outer = f.store.and(&[q, inner, p]);
    assert_eq!(inner, outer);
    assert_eq!(f.store.and(&[p, q, !p]), Term::FALSE);
    assert_eq!(f.store.or(&[p, !p]), Term::TRUE);
    assert_eq!(f.store.and(&[]), Term::TRUE);
    assert_eq!(f.store.or(&[]), Term::FALSE);
    let or = f.store.or(&[p, !q]);
    check(&f, or, "(or p (not q))");
    check(&f, !or, "(and (not p) q)");
    let iff = f.store.iff(!p, q);
    check(&f, iff, "(not (= p q))");
    assert_eq!(f.store.iff(p, !q), iff);
    assert_eq!(f.store.ite(p, Term::TRUE, q), f.store.or2(p, q));
    assert_eq!(f.store.ite(!p, q, !q), f.store.iff(!p, q));
}

#[test]
fn integer_atoms_are_primitive_and_tight() {
    let mut f = fixture();
    let (x, y) = (f.x, f.y);
    let sum = f.store.add(&[x, x, y, y]);
    let five = f.store.int(5);
    let le = f.store.le(sum, five);
    check(&f, le, "(<= (+ x y) 2)");
    let ge = f.store.ge(sum, five);
    check(&f, ge, "(>= (+ x y) 3)");
    assert_eq!(ge, !le);
    assert_eq!(f.store.eq(sum, five), Term::FALSE);
    let gt = f.store.gt(five, sum);
    assert_eq!(gt, le);
    let negative = f.store.neg(sum);
    let minus_five = f.store.int(-5);
    assert_eq!(f.store.ge(negative, minus_five), le);
}

#[test]
fn real_atoms_keep_strictness() {
    let mut f = fixture();
    let (u, v) = (f.u, f.v);
    let half = f.store.real(Rat::new(Int::ONE, Int::from(2)));
    let scaled = f.store.scale(&Rat::new(Int::from(2), Int::from(3)), u);
    let sum = f.store.sub(scaled, v);
    let lt = f.store.lt(sum, half);
    check(&f, lt, "(< (+ (* 2.0 u) (* (- 3.0) v)) (/ 3.0 2.0))");
    let ge = f.store.ge(sum, half);
    assert_eq!(ge, !lt);
    let le = f.store.le(sum, half);
    assert_ne!(le, lt);
    check(&f, !le, "(> (+ (* 2.0 u) (* (- 3.0) v)) (/ 3.0 2.0))");
    check(&f, sum, "(+ (* (/ 2.0 3.0) u) (* (- 1.0) v))");
}

#[test]
fn mixed_atoms_round_only_without_reals() {
    let mut f = fixture();
    let xr = f.store.to_real(f.x);
    let bound = f.store.real(Rat::new(Int::from(5), Int::from(2)));
    let atom = f.store.le(xr, bound);
    check(&f, atom, "(<= x 2)");
    let mixed = f.store.add(&[xr, f.u]);
    let atom = f.store.le(mixed, bound);
    check(&f, atom, "(<= (+ (to_real x) u) (/ 5.0 2.0))");
    assert_eq!(f.store.to_int(xr), f.x);
    assert_eq!(f.store.is_int(xr), Term::TRUE);
    let floor = f.store.to_int(mixed);
    check(&f, floor, "(+ x (to_int u))");
}

#[test]
fn quotients_and_remainders_are_reduced() {
    let mut f = fixture();
    let (x, seven) = (f.x, f.store.int(7));
    let five_x = f.store.scale(&Rat::from(5), x);
    let t = f.store.add(&[five_x, seven]);
    let two = Int::from(2);
    let div = f.store.int_div(t, &two);
    check(&f, div, "(+ (* 2 x) (div (+ x 1) 2) 3)");
    let rem = f.store.int_mod(t, &two);
    check(&f, rem, "(mod (+ x 1) 2)");
    assert_eq!(f.store.int_mod(t, &Int::ONE), f.store.int(0));
    assert_eq!(f.store.int_div(x, &Int::MINUS_ONE), f.store.neg(x));
    let by_minus_two = f.store.int_div(x, &Int::from(-2));
    check(&f, by_minus_two, "(- (div x 2))");
    let one = f.store.int(1);
    let odd = f.store.eq(rem, one);
    check(&f, odd, "(= (mod x 2) 0)");
    assert_eq!(f.store.eq(rem, seven), Term::FALSE);
}

#[test]
fn divisibility_is_canonical() {
    let mut f = fixture();
    let (x, y) = (f.x, f.y);
    let six_x = f.store.scale(&Rat::from(6), x);
    assert_eq!(f.store.divisible(&Int::from(3), six_x), Term::TRUE);
    let one = f.store.int(1);
    let t = f.store.add(&[six_x, one]);
    assert_eq!(f.store.divisible(&Int::from(4), t), Term::FALSE);
    // 9 | 5x + 10y + 5 if and only if 9 | x + 2y + 1.
    let five_x = f.store.scale(&Rat::from(5), x);
    let ten_y = f.store.scale(&Rat::from(10), y);
    let five = f.store.int(5);
    let t = f.store.add(&[five_x, ten_y, five]);
    let nine = Int::from(9);
    let d = f.store.divisible(&nine, t);
    let two_y = f.store.scale(&Rat::from(2), y);
    let s = f.store.add(&[x, two_y, one]);
    for a in -9i64..9 {
        for b in -9i64..9 {
            let value =
                |sym: Symbol| Some(Value::Num(Rat::from(if f.store.name(sym) == "x" { a } else { b })));
            let expected = (5 * a + 10 * b + 5).rem_euclid(9) == 0;
            assert_eq!(f.store.evaluate(d, &value), Some(Value::Bool(expected)));
        }
    }
    let e = f.store.divisible(&nine, s);
    for a in -9i64..9 {
        let value = |_: Symbol| Some(Value::Num(Rat::from(a)));
        assert_eq!(f.store.evaluate(d, &value), f.store.evaluate(e, &value));
    }
}

#[test]
fn conditionals_of_numbers_dissolve_in_atoms() {
    let mut f = fixture();
    let (one, zero) = (f.store.int(1), f.store.int(0));
    let flag = f.store.ite(f.p, one, zero);
    assert_eq!(f.store.eq(flag, one), f.p);
    assert_eq!(f.store.le(flag, zero), !f.p);
}

#[test]
fn substitution_is_simultaneous_and_avoids_capture() {
    let mut f = fixture();
    let (x, y) = (f.x, f.y);
    let (sx, sy) = (f.store.as_var(x).unwrap(), f.store.as_var(y).unwrap());
    let diff = f.store.sub(x, y);
    let three = f.store.int(3);
    let atom = f.store.le(diff, three);
    let mut swap = Substitution::new();
    swap.insert(sx, y);
    swap.insert(sy, x);
    let swapped = f.store.substitute(atom, &swap);
    let expected = {
        let diff = f.store.sub(y, x);
        f.store.le(diff, three)
    };
    assert_eq!(swapped, expected);
    // (forall ((y Int)) (<= x y)) with x := y + 1 must not capture.
    let body = f.store.le(x, y);
    let all = f.store.forall(&[y], body);
    let mut map = Substitution::new();
    let one = f.store.int(1);
    let y_plus_1 = f.store.add(&[y, one]);
    map.insert(sx, y_plus_1);
    let result = f.store.substitute(all, &map);
    assert_eq!(f.store.free_variables(&[result]), vec![y]);
}

#[test]
fn shared_subterms_are_printed_once() {
    let mut f = fixture();
    let mut t = f.store.or2(f.p, f.q);
    for i in 0..40 {
        let fresh = f.store.variable(&format!("_let_{i}"), Sort::Bool);
        let a = f.store.iff(t, fresh);
        let b = f.store.ite(fresh, t, f.p);
        t = f.store.and2(a, b);
    }
    let text = f.store.display(t).to_string();
    assert!(text.len() < 8000, "{} bytes", text.len());
    assert!(text.starts_with("(let ((_let_40 ("), "{}", &text[..80]);
}

#[test]
fn names_of_a_quantified_body_end_with_it() {
    let mut f = fixture();
    let bound = f.store.variable("z", Sort::Bool);
    let shared = f.store.iff(f.p, f.q);
    // The equivalence is used twice under the quantifier and once outside, where its name is unknown.
    let (a, b) = (f.store.ite(bound, shared, f.p), f.store.ite(bound, f.q, shared));
    let body = f.store.iff(a, b);
    let all = f.store.forall(&[bound], body);
    let t = f.store.iff(all, shared);
    let text = f.store.display(t).to_string();
    assert_eq!(text.matches("(= p q)").count(), 2, "{text}");
    assert!(text.ends_with("(= p q))") || text.starts_with("(= (= p q)"), "{text}");
}

#[test]
fn subterms_are_replaced_with_their_negations() {
    let mut f = fixture();
    let zero = f.store.int(0);
    let positive = f.store.gt(f.x, zero);
    let block = f.store.forall(&[f.y], positive);
    let choice = f.store.ite(block, f.x, zero);
    let atom = f.store.le(choice, f.x);
    let all = f.store.and(&[!block, atom]);
    let replaced = f.store.replace(all, &[(block.positive(), f.q.xor(block.is_negated()))]);
    let choice = f.store.ite(f.q, f.x, zero);
    let atom = f.store.le(choice, f.x);
    let expected = f.store.and(&[!f.q, atom]);
    assert_eq!(replaced, expected);
    assert_eq!(f.store.replace(all, &[]), all);
}

#[test]
fn a_million_levels_are_no_problem() {
    let mut f = fixture();
    let (mut t, mut s) = (f.p, f.x);
    let mut chain = f.p;
    for i in 0..1_000_000 {
        t = if i % 2 == 0 { f.store.iff(t, f.q) } else { f.store.ite(f.p, t, f.q) };
        let one = f.store.int(1);
        s = f.store.ite(f.p, s, one);
        s = f.store.add(&[s, one]);
        let fresh = f.store.variable("b", Sort::Bool);
        chain = f.store.and2(chain, fresh);
    }
    let zero = f.store.int(0);
    let atom = f.store.le(s, zero);
    let all = f.store.and(&[t, atom, chain]);
    assert!(f.store.display(all).to_string().len() > 1_000_000);
    let value = |sym: Symbol| {
        Some(if f.store.signature(sym).result == Sort::Bool {
            Value::Bool(true)
        } else {
            Value::Num(Rat::from(-5_000_000))
        })
    };
    assert_eq!(f.store.evaluate(all, &value), Some(Value::Bool(true)));
    let mut map = Substitution::new();
    map.insert(f.store.as_var(f.q).unwrap(), f.p);
    f.store.substitute(all, &map);
}
