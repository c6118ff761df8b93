import time
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
    BoolVal,
    Distinct,
    IntVal,
    IsInt,
    K,
    Not,
    Or,
    Product,
    Real,
    RealSort,
    RealVal,
    Select,
    Store,
    Sum,
    ToInt,
    ToReal,
    Xor,
    from_smtlib,
    simplify,
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
    for wrong in (
        lambda: p + 1,
        lambda: x < p,
        lambda: x == p,
        lambda: And(x),
        lambda: f(1),
        lambda: f(p, 1),
        lambda: x[1],
    ):
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


def test_substitution_does_not_capture():
    """What is put in keeps its variables, also under a quantifier that binds one of the same name."""
    z = Int("z")
    assert str(substitute(ForAll(y, x > y), {"x": y})) == "∀y!1. y > y!1"
    assert str(substitute(ForAll(y, Exists(x, And(x > y, z > y))), {z: x + y})) == "∀y!1. ∃x!1. x!1 > y!1 ∧ x + y > y!1"
    # What does not occur changes nothing, and neither does a bound variable.
    assert str(substitute(ForAll(y, y > 0), {"x": y, "y": z})) == "∀y. y > 0"
    deep = x > 0
    for _ in range(3000):
        deep = ForAll(y, And(deep, x > y))
    assert substitute(deep, (x, y)).value[0].value == "y!1"


def test_forms_of_substitution():
    for form in ((x, y), [(x, y)], {x: y}, {"x": y}):
        assert str(substitute(x + 1, form)) == "y + 1"
    assert str(substitute(x + y, (x, y), (y, x))) == "y + x"
    assert str(substitute(x + 1, {"x": 3})) == "3 + 1"
    assert str(substitute(r + 1, {r: 3})) == "3 + 1" and substitute(r, {r: x}).smtlib() == "(to_real x)"
    assert str(substitute(And(x + 1 > 0, x > 0), (x + 1, y))) == "y > 0 ∧ x > 0"
    assert substitute(x + 1, {Bool("x"): True}).same(x + 1)
    for wrong in (3, (x,), "x"):
        with pytest.raises(TypeError):
            substitute(x + 1, wrong)
    with pytest.raises(TypeError, match="the place of x takes Int"):
        substitute(x + 1, {x: p})


def test_pickled_expressions_are_the_same_in_other_processes():
    import pickle
    import subprocess
    import sys

    f = Function("f", IntSort(), BoolSort())
    term = ForAll(y, And(f(x + y), If(p, r, 1) > r, a[x] == 3))
    code = (
        "import pickle, sys; from shem import *; term = pickle.load(sys.stdin.buffer); x, y = Ints('x y'); f = Function('f', "
        "IntSort(), BoolSort()); a = Array('a', IntSort(), IntSort()); p, r = Bool('p'), Real('r'); "
        "again = ForAll(y, And(f(x + y), If(p, r, 1) > r, a[x] == 3)); "
        "assert again.same(term) and term in {again}; sys.stdout.buffer.write(pickle.dumps(again))"
    )
    run = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(term), stdout=subprocess.PIPE, check=True)
    again = pickle.loads(run.stdout)
    assert again.same(term) and {again: 1}[term] == 1
    deep = x
    for _ in range(20_000):
        deep = -(deep + 1)
    assert pickle.loads(pickle.dumps(deep)).same(deep)


def test_z3s_words():
    assert Sum(x, y, 1).smtlib() == Sum([x, y, 1]).smtlib() == Sum(t for t in (x, y, 1)).smtlib() == "(+ x y 1)"
    assert Product(x, 2).smtlib() == "(* x 2)" and Sum([]).value == 0 and Product().value == 1
    assert Xor(p, x > 0).smtlib() == (p ^ (x > 0)).smtlib() == "(xor p (> x 0))"
    assert abs(x).smtlib() == "(abs x)" and evaluate(abs(r), {"r": Fraction(-1, 2)}) == Fraction(1, 2)
    assert IntVal("12").value == 12 and RealVal("1/3").value == Fraction(1, 3) and BoolVal(True).value is True
    assert And(v > 0 for v in (x, y)).smtlib() == "(and (> x 0) (> y 0))" and Or([]).value is False
    assert (x**3).smtlib() == "(* x x x)" and (x**0).value == 1
    constant = K(IntSort(), 0)
    assert Store(constant, 1, 2).smtlib() == "(store ((as const (Array Int Int)) 0) 1 2)"
    assert (
        ToInt(r + 1).smtlib() == "(to_int (+ r 1.0))" and ToReal(x).sort == RealSort() and IsInt(r).sort == BoolSort()
    )
    assert x.children() == [] and (x + y).arg(1).same(y) and (x + 1).num_args() == 2 and x.sexpr() == "x"
    value = ArrayValue(7, {1: 5})
    assert value(1) == value[1] == 5 and value(2) == 7
    assert evaluate(a == value, {"a": ArrayValue(7, {1: 5})}) is True


def test_sums_are_linear():
    since = time.process_time()
    many = [Int(f"v{i}") for i in range(20_000)]
    total = sum(many)
    assert total.smtlib().startswith("(+ v0 v1 v2 ") and total.smtlib().count("(") == 1
    assert str(sum(many[:5000])).startswith("v0 + v1 + v2")
    assert evaluate(total, {f"v{i}": 1 for i in range(20_000)}) == 20_000
    assert time.process_time() - since < 10


def test_simplify():
    assert str(simplify(x + 1 + 2 * x + 4)) == "3·x + 5"
    assert str(simplify(And(x > 0, True, Or(p, Not(p))))) == "x ≥ 1"
    assert simplify(If(IntVal(1) > 0, x, y)).same(x)
    assert simplify(Store(a, 1, 2)[1]).value == 2


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: x + p, "x is of sort Int, p of sort Bool"),
        (lambda: If(p, x, p), "x is of sort Int, p of sort Bool"),
        (lambda: If(x, 1, 2), "x is of sort Int, not a formula"),
        (lambda: Store(a, p, 1), "an index of the array takes Int"),
        (lambda: Store(a, 1, True), "an element of the array takes Int"),
        (lambda: Store(x, 1, 1), "x is of sort Int, not an array"),
        (lambda: Distinct(x, p), "Distinct: x is of sort Int, p of sort Bool"),
        (lambda: -p, "p is of sort Bool, not a number"),
        (lambda: a < a, "not a number"),
        (lambda: Sum(x, p), "p of sort Bool"),
        (lambda: ForAll([x, x], x > 0), "bound twice"),
        (lambda: ForAll([Bool("x")], x > 0), "occurs as one of sort Int"),
        (lambda: Function("f", 3), "3 is not a sort"),
        (lambda: x + Function("f", IntSort(), IntSort()), "is a function"),
        (lambda: x == "text", "neither an expression"),
    ],
)
def test_mistakes_in_sorts_are_told_where_they_are_made(make, words):
    with pytest.raises(TypeError, match=words):
        make()
