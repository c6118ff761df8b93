from fractions import Fraction

import pytest

from shem import (
    And,
    Array,
    Bool,
    Exists,
    ForAll,
    Function,
    If,
    Implies,
    Int,
    Ints,
    IntSort,
    BoolSort,
    Not,
    Or,
    Real,
    RealSort,
    Select,
    Store,
    from_smtlib,
    substitute,
)
from shem.evaluate import ArrayValue, evaluate

x, y = Ints("x y")
r = Real("r")
p = Bool("p")
a = Array("a", IntSort(), IntSort())


@pytest.mark.parametrize(
    "term, text",
    [
        (x + y + 1, "(+ x y 1)"),
        (2 * x - y, "(- (* 2 x) y)"),
        (-x, "(- x)"),
        (x // 3 + x % 3, "(+ (div x 3) (mod x 3))"),
        (x == -2, "(= x (- 2))"),
        (x != y, "(not (= x y))"),
        (r / 3 < 0.5, "(< (/ r 3.0) (/ 1.0 2.0))"),
        (r + x, "(+ r (to_real x))"),
        (And(p, Or(~p, x > 0)), "(and p (or (not p) (> x 0)))"),
        (Implies(p, x >= 1), "(=> p (>= x 1))"),
        (If(p, x, 0), "(ite p x 0)"),
        (ForAll([x], Exists(y, x < y)), "(forall ((x Int)) (exists ((y Int)) (< x y)))"),
        (Store(a, x, 1)[y] == 1, "(= (select (store a x 1) y) 1)"),
        (Int("a b") + Int("1st"), "(+ |a b| |1st|)"),
    ],
)
def test_smtlib(term, text):
    assert term.smtlib() == text
    again = from_smtlib(text, [x, y, r, p, a, Int("a b"), Int("1st")])
    assert again.same(term) or again.smtlib() == text


@pytest.mark.parametrize(
    "term, text",
    [
        (2 * x - y <= 1, "2·x − y ≤ 1"),
        (x + (-3) * y == 0, "x − 3·y = 0"),
        (And(Or(p, x > 0), Not(p)), "(p ∨ x > 0) ∧ ¬p"),
        (Not(x == y), "x ≠ y"),
        (2 * (x + y), "2·(x + y)"),
        (x % 2 == 1, "x mod 2 = 1"),
        (ForAll([x], Implies(p, x < y)), "∀x. p ⇒ x < y"),
        (Select(a, x + 1) == 0, "a[x + 1] = 0"),
        (r >= Fraction(-1, 2), "r ≥ −1/2"),
    ],
)
def test_notation(term, text):
    assert str(term) == text


def test_values():
    assert evaluate(-x // 2, {"x": 3}) == -2
    assert evaluate(x // -2, {"x": -3}) == 2
    assert evaluate(x % -2, {"x": -3}) == 1
    assert evaluate(r / 3, {"r": Fraction(1)}) == Fraction(1, 3)
    assert evaluate(Store(a, 1, 5)[1] + a[2], {"a": ArrayValue(7)}) == 12
    assert evaluate(from_smtlib("((_ divisible 3) x)", [x]), {"x": -6}) is True
    with pytest.raises(ValueError, match="y has no value"):
        evaluate(x + y, {"x": 1})
    with pytest.raises(ValueError, match="zero"):
        evaluate(x // 0, {"x": 1})
    with pytest.raises(ValueError, match="quantified"):
        evaluate(ForAll([x], x > 0), {})


def test_sorts_are_checked():
    f = Function("f", IntSort(), RealSort(), BoolSort())
    assert f(1, x).smtlib() == "(f 1 (to_real x))"
    for wrong in (lambda: p + 1, lambda: x < p, lambda: x == p, lambda: And(x), lambda: f(1), lambda: f(p, 1), lambda: x[1]):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(TypeError, match="ask a Solver"):
        bool(x < y)


def test_equality_in_python_is_identity():
    assert x + 1 == x + 1
    assert not (x + 1 == x + 2)
    assert len({x + 1, x + 1, y}) == 2
    assert (x + 1) in [y, x + 1]


def test_substitution_respects_binding():
    body = And(x > 0, ForAll([x], x < y))
    assert substitute(body, {"x": y + 1, "y": Int("z")}).smtlib() == "(and (> (+ y 1) 0) (forall ((x Int)) (< x z)))"


def test_deep_terms():
    term = x
    for _ in range(50_000):
        term = -(term + 1)
    assert len(term.smtlib()) > 100_000
    assert evaluate(term, {"x": 0}) in (0, -1)


def test_shared_parts_are_written_once():
    term = x + y
    for _ in range(60):
        term = term + 2 * term
    assert len(term.smtlib()) < 100_000
    assert len(str(term)) < 100_000
    assert evaluate(from_smtlib((term == 0).smtlib(), [x, y]), {"x": 1, "y": -1}) is True
    bound = ForAll([x], Exists(y, term == y))
    assert bound.smtlib().count("let") > 10
