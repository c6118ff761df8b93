from fractions import Fraction

import os
import pickle
import signal
import threading
import time

import pytest

from shem import (
    And, Array, Bools, Const, CreateDatatypes, Datatype, DatatypeValue, EnumSort, Function, Int, Ints, IntSort, Not, Or,
    Real, Solver, SolverError, Store, TupleSort, interpolant, interpolants, project,
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


def test_threads_share_a_solver():
    """Each call gets its own reply; ``with`` keeps a check and its model together."""
    solver = Solver()
    solver.add(x > 0)
    wrong = []

    def work(number):
        for i in range(60):
            try:
                if solver.check(x == number) != "sat" or solver.check(x == -1 - i, x < number) != "unsat":
                    wrong.append(number)
                with solver:
                    solver.push()
                    solver.add(y == number)
                    if solver.check() != "sat" or solver.model()[y] != number:
                        wrong.append(number)
                    solver.pop()
            except Exception as error:
                wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_datatypes():
    List = Datatype("List")
    List.declare("nil")
    List.declare("cons", ("head", IntSort()), ("tail", List))
    List = List.create()
    l = Const("l", List)
    solver = Solver()
    solver.add(List.is_cons(l), List.head(l) == x + 1, List.tail(l) != List.nil, List.head(List.tail(l)) == 7, x == 4)
    assert solver.check() == "sat"
    model = solver.model()
    value = model[l]
    assert isinstance(value, DatatypeValue) and value.constructor == "cons" and value.head == 5 and value.tail.head == 7
    assert value[0] == 5 and value.tail.tail is not None and str(value).startswith("cons(5, cons(7, ")
    assert model.evaluate(List.head(List.tail(l)) + 1) == 8 and model.evaluate(List.is_nil(l)) is False
    with pytest.raises(ValueError, match="any value"):
        model.evaluate(List.head(List.nil))
    # A value is an expression again.
    solver.add(l == value)
    assert solver.check() == "sat"
    solver.add(l != model.as_expr(l))
    assert solver.check() == "unsat"
    assert (
        pickle.loads(pickle.dumps(value)) == value and pickle.loads(pickle.dumps(List)).cons(1, List.nil).sort == List
    )
    with pytest.raises(TypeError, match="cons takes Int"):
        List.cons(True, List.nil)
    with pytest.raises(AttributeError):
        List.snoc
    Colour, (red, green) = EnumSort("Colour", ["red", "green"])
    Pair, pair, (first, second) = TupleSort("Pair", [IntSort(), Colour])
    q = Const("q", Pair)
    solver.add(second(q) != red, first(q) == 3)
    assert solver.check() == "unsat"
    fresh = Solver()
    fresh.add(second(q) != red, first(q) == 3, q == pair(3, green))
    assert fresh.check() == "sat" and str(fresh.model()[q]) == "Pair(3, green)"
    with pytest.raises(SolverError, match="two declarations"):
        fresh.add(Const("c", EnumSort("Colour", ["blue"])[0]) == Const("d", EnumSort("Colour", ["blue"])[0]))
    Tree, Forest = Datatype("Tree"), Datatype("Forest")
    Tree.declare("node", ("children", Forest))
    Forest.declare("empty")
    Forest.declare("grow", ("first", Tree), ("rest", Forest))
    Tree, Forest = CreateDatatypes(Tree, Forest)
    t = Const("t", Tree)
    fresh.add(Tree.children(t) != Forest.empty)
    assert fresh.check() == "sat" and fresh.model()[t].children.constructor == "grow"


def test_models_of_arrays_and_functions_can_be_called():
    a = Array("a", IntSort(), IntSort())
    f = Function("f", IntSort(), IntSort())
    solver = Solver()
    solver.add(a[1] == 5, a[2] == 6, f(3) == 4, f(x) == x + 2)
    assert solver.check() == "sat"
    model = solver.model()
    assert model[a](1) == 5 and model[a][2] == 6 and model[f](3) == 4
    assert model.evaluate(f(3) + a[1]) == 9
    again = Solver()
    again.add(a == model[a], a[1] != 5)
    assert again.check() == "unsat"
    assert solver.statistics()
