"""Bit-vectors: expressions, their sorts, values and texts, against the solver's own."""

import itertools
import pickle
import random

import pytest

from shem import *
from shem.evaluate import evaluate

x, y = BitVecs("x y", 8)
n = Int("n")

#: Operations on two words of one width.
WORDS = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a & b,
    lambda a, b: a | b,
    lambda a, b: a ^ b,
    lambda a, b: a << b,
    lambda a, b: a >> b,
    lambda a, b: a / b,
    lambda a, b: a % b,
    UDiv,
    URem,
    SRem,
    LShR,
    RotateLeft,
    RotateRight,
    lambda a, b: -a + ~b,
    lambda a, b: If(ULT(a, b), a, b),
]

#: Relations between them.
RELATIONS = [
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
    lambda a, b: a == b,
    ULT,
    ULE,
    UGT,
    UGE,
]

#: Terms of a word of another width, or an integer.
OTHERS = [
    lambda a, b: Concat(a, b),
    lambda a, b: Extract(2, 1, a),
    lambda a, b: ZeroExt(3, a),
    lambda a, b: SignExt(3, a),
    lambda a, b: RotateLeft(a, 3),
    lambda a, b: RotateRight(a, 7),
    lambda a, b: RepeatBitVec(2, a),
    lambda a, b: Int2BV(BV2Int(a) * BV2Int(b, is_signed=True), 3),
    lambda a, b: BV2Int(a) - BV2Int(b, is_signed=True),
]


def holds(*formulas):
    """Whether formulas hold for all values of their variables."""
    solver = Solver(timeout=60)
    solver.add(Not(And(*formulas)))
    return solver.check() == "unsat"


@pytest.mark.parametrize("width", [1, 3, 4])
def test_values_are_those_of_the_solver(width):
    """Every operation on all words: what Python computes is what the solver makes of constants."""
    p, q = BitVecs("p q", width)
    facts = []
    operations = WORDS + RELATIONS + (OTHERS if width > 2 else [])
    for a, b in itertools.product(range(1 << width), repeat=2):
        for operation in operations:
            value = evaluate(operation(p, q), {"p": a, "q": b})
            term = operation(BitVecVal(a, width), BitVecVal(b, width))
            facts.append(term if value is True else Not(term) if value is False else term == value)
    assert len(facts) == len(operations) << (2 * width)
    assert holds(*facts)
    # A wrong one among them is found.
    assert not holds(*facts, BitVecVal(1, width) + 1 == BitVecVal(1, width))


def test_texts_are_read_back():
    generator = random.Random(7)
    for _ in range(200):
        term = generator.choice([x, y, BitVecVal(generator.randrange(256), 8)])
        for _ in range(generator.randrange(5)):
            other = generator.choice([x, y, Int2BV(n, 8), Extract(7, 0, Concat(x, y)), SignExt(4, Extract(3, 0, y))])
            term = generator.choice(WORDS)(term, other)
        formula = generator.choice(RELATIONS)(term, y)
        again = from_smtlib(formula.smtlib(), [x, y, n])
        assert again.same(formula) and again.sort == BoolSort()
        assert pickle.loads(pickle.dumps(formula)).same(formula)
        simpler = simplify(formula)
        for _ in range(5):
            values = {"x": generator.randrange(256), "y": generator.randrange(256), "n": generator.randrange(-999, 999)}
            assert evaluate(formula, values) == evaluate(simpler, values), (formula, simpler, values)


def test_models_have_numbers_without_a_sign():
    solver = Solver()
    solver.add(x < 0, x > -3, ULT(y, 4), x * y == -2)
    assert solver.check() == sat
    model = solver.model()
    assert 0xFD < model[x] <= 0xFF and model[y] < 4 and model[x] * model[y] % 256 == 254
    assert model.evaluate(BV2Int(x, is_signed=True)) == model[x] - 256
    assert model.as_expr(x).sort == BitVecSort(8) and model.as_expr(x).size() == 8
    solver.add(y != 1, y != 2)
    assert solver.check() == unsat


def test_arrays_and_functions_of_bit_vectors():
    memory = Array("memory", BitVecSort(8), BitVecSort(16))
    f = Function("f", BitVecSort(8), BitVecSort(8))
    solver = Solver()
    solver.add(memory[x] == 0xFFFF, memory[3] == 7, f(x) == x + 1, f(255) == 9)
    assert solver.check() == sat
    model = solver.model()
    assert model[memory][model[x]] == 0xFFFF and model[memory][3] == 7 and model[x] not in (3, 255)
    assert model["f"](model[x]) == (model[x] + 1) % 256 and model["f"](-1) == 9


def test_clauses_over_bit_vectors():
    loop = Function("loop", BitVecSort(8), BoolSort())
    system = Horn()
    system.rule(loop(0))
    system.rule(loop(x + 2), loop(x))
    system.query(loop(x), x == 7)
    result = system.solve(timeout=60)
    assert (result.verdict, result.checked) == ("sat", "witness")
    invariant = result.model[loop]
    assert invariant(4) is True and invariant(7) is False and invariant(-2) is True
    assert holds(Implies(invariant(x), invariant(x + 2)))
    system.query(loop(x), x == 6)
    result = system.solve(timeout=60)
    assert result.verdict == "unsat"
    assert [step.values for step in result.derivation][-2] == (6,)
    system.validate(result.derivation)
    assert len(Horn.read(system.smtlib())) == len(system)


def test_interpolants_and_projection():
    z = BitVec("z", 8)
    between = interpolant(And(x == y & 1, y == 3), And(x == z << 1, z == 1))
    assert between is not None and holds(Implies(And(x == y & 1, y == 3), between))
    assert holds(Not(And(between, x == z << 1, z == 1)))
    assert holds(project(y, x == y * 2) == (x & 1 == 0))


def test_mistakes_are_told_where_they_are_made():
    z = BitVec("z", 9)
    for mistake, words in [
        (lambda: x + z, r"x is of sort \(_ BitVec 8\), z of sort \(_ BitVec 9\)"),
        (lambda: x + n, "BitVec"),
        (lambda: x // y, "not a number"),
        (lambda: abs(x), "not a number"),
        (lambda: n << 1, "n is of sort Int, not a bit-vector"),
        (lambda: ULT(n, 1), "not a bit-vector"),
        (lambda: And(x, y), "not a formula"),
        (lambda: x & True, "Bool"),
        (lambda: ZeroExt(-1, x), "not a number of bits"),
        (lambda: BV2Int(n), "not a bit-vector"),
        (lambda: Int2BV(x, 8), "takes Int"),
        (lambda: Concat(x, 3), "3 has no width"),
        (lambda: BitVec("x", 0), "the least is 1"),
        (lambda: n.size(), "not a bit-vector"),
    ]:
        with pytest.raises(TypeError, match=words):
            mistake()
    for high, low in [(8, 0), (2, 3)]:
        with pytest.raises(ValueError, match="of 8 bits has none"):
            Extract(high, low, x)


def test_notation():
    for term, text in [
        ((x + 1) * y, "(x + 1)·y"),
        (x & y == 1, "(x & y) = 1"),
        (ULT(x, ~y), "ULT(x, ~y)"),
        (Concat(Extract(3, 0, x), x) >> 2, "Concat(Extract(3, 0, x), x) >> 2"),
        (RotateLeft(x, 3) - y, "RotateLeft(x, 3) − y"),
        (x < -1, "x < 255"),
    ]:
        assert str(term) == text
    assert Sum(x, y, x).smtlib() == "(bvadd x y x)" and sum([x, y]).smtlib() == "(bvadd x y)"
    assert (x == -1).smtlib() == "(= x #xff)" and BitVecVal(5, 3).smtlib() == "#b101"
    assert from_smtlib("(_ bv5 3)").same(BitVecVal(5, 3)) and is_bv(x) and not is_bv(n)
