from fractions import Fraction

import os
import signal
import threading
import time

import pytest

from shem import (
    And, Array, Bools, Exists, Function, Int, Ints, IntSort, Not, Or, Real, Solver, SolverError, Store, interpolant,
    interpolants, project,
)  # fmt: skip

x, y, z = Ints("x y z")


def test_models():
    solver = Solver()
    r = Real("r")
    a = Array("a", IntSort(), IntSort())
    f = Function("f", IntSort(), IntSort())
    solver.add(x + y == 10, x > 2 * y, y > 0, 3 * r == 1, Store(a, 1, 5)[y] == 7, f(x) == 3, f(y) == 4)
    assert solver.check() == "sat"
    model = solver.model()
    assert model[x] + model["y"] == 10
    assert model[r] == Fraction(1, 3)
    assert model.evaluate(And(x > 2 * y, y > 0)) is True
    assert model[f](model[x]) == 3 and model[f](model[y]) == 4


def test_levels():
    solver = Solver()
    solver.add(x > 0)
    solver.push()
    solver.add(x < 0)
    assert solver.check() == "unsat"
    solver.pop()
    assert solver.check() == "sat" and len(solver.assertions()) == 1
    with pytest.raises(SolverError):
        solver.pop()


def test_assumptions_and_cores():
    solver = Solver()
    p, q = Bools("p q")
    solver.add(x > 5)
    assert solver.check(p, x < 3, q) == "unsat"
    assert [str(part) for part in solver.unsat_core()] == ["x < 3"]
    assert solver.check(p, Not(q)) == "sat"
    assert solver.model()["p"] is True
    solver.assert_and_track(y > x, "above")
    solver.assert_and_track(y < 2, "low")
    assert solver.check() == "unsat"
    assert {str(part) for part in solver.unsat_core()} == {"y > x", "y < 2"}


def test_interpolants():
    solver = Solver()
    solver.assert_and_track(And(x == 2 * z), "even")
    solver.assert_and_track(x == 2 * y + 1, "odd")
    assert solver.check() == "unsat"
    between = solver.interpolant("even")
    check = Solver()
    check.add(x == 2 * z, Not(between))
    assert check.check() == "unsat"
    assert str(interpolant(x == 2 * z, x == 7)) == "x mod 2 = 0"
    assert interpolant(x > 0, x > 1) is None
    assert len(interpolants([x > 0, y > x, z > y, z < 2])) == 3


def test_projection():
    result = project([x], And(y < x, x < z))
    check = Solver()
    check.add(result, z <= y + 1)
    assert check.check() == "unsat"
    solver = Solver()
    solver.add(x == 3 * y)
    assert str(solver.project(y)) == "x mod 3 = 0"


def test_mistakes():
    solver = Solver()
    with pytest.raises(SolverError, match="last answer"):
        solver.model()
    solver.add(x > 0)
    with pytest.raises(SolverError, match="sort"):
        solver.add(Real("x") > 0)
    # A mistake does no harm to what was said before.
    assert solver.check() == "sat"


def test_limits_and_interrupts():
    pigeons = [[Int(f"p{i}_{j}") for j in range(9)] for i in range(10)]
    solver = Solver()
    for row in pigeons:
        solver.add(*[And(v >= 0, v <= 1) for v in row], sum(row[1:], row[0]) >= 1)
    for j in range(9):
        column = [row[j] for row in pigeons]
        solver.add(Or(*[And(*[v <= 0 for v in column if v is not one]) for one in column]))
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    since = time.monotonic()
    try:
        solver.check()
    except KeyboardInterrupt:
        pass
    else:
        with pytest.raises(KeyboardInterrupt):
            time.sleep(10)
    assert time.monotonic() - since < 12
    solver.push()
    assert solver.check(x > 0, x < 0) in ("unsat", "unknown")
