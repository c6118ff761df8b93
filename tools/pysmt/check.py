"""pySMT with Shem as its solver: satisfiability, models, push and pop, and pySMT's own examples.

usage: check.py SHEM
"""

import sys

from pysmt.environment import get_env
from pysmt.exceptions import SolverReturnedUnknownResultError
from pysmt.logics import QF_LIA, QF_LRA, QF_UFLIA, QF_UFLIRA
from pysmt.shortcuts import (GE, GT, LE, LT, And, Bool, Equals, Function, FunctionType, Iff, Int, Ite, Not, Or, Plus,
                             Real, Solver, Symbol, Times)
from pysmt.test.examples import get_example_formulae
from pysmt.typing import BOOL, INT, REAL

NAME = "shem"


def value(solver, symbol):
    """The value of a symbol. pySMT 0.9.6 leaves the end of the line, which the next command would take for its answer."""
    found = solver.get_py_value(symbol)
    solver.solver_stdout.readline()
    return found


def conversation():
    """What the documentation of pySMT shows first, step by step."""
    # The examples have symbols of one letter.
    x, y, b = Symbol("first", INT), Symbol("second", INT), Symbol("positive", BOOL)
    r = Symbol("third", REAL)
    with Solver(name=NAME, logic=QF_LIA) as solver:
        solver.add_assertion(And(GT(x, Int(3)), LT(Plus(x, y), Int(10)), Iff(b, GT(y, Int(0)))))
        assert solver.solve()
        values = {s: value(solver, s) for s in (x, y, b)}
        assert values[x] > 3 and values[x] + values[y] < 10 and values[b] == (values[y] > 0), values
        solver.push()
        solver.add_assertion(GT(y, Int(6)))
        assert not solver.solve()
        solver.pop()
        assert solver.solve()
        for bound in range(3):
            solver.push()
            solver.add_assertion(Equals(y, Int(bound)))
            assert solver.solve()
            assert value(solver, y) == bound
            solver.pop()
    with Solver(name=NAME, logic=QF_LRA) as solver:
        solver.add_assertion(And(Equals(Times(Real(3), r), Real(1)), Ite(b, GE(r, Real(0)), LE(r, Real(0)))))
        assert solver.solve()
        assert solver.get_value(r) == Real((1, 3)), solver.get_value(r)
        assert solver.get_py_value(b)
    f = Symbol("image", FunctionType(INT, [INT]))
    with Solver(name=NAME, logic=QF_UFLIA) as solver:
        solver.add_assertion(And(Equals(Function(f, [x]), Int(1)), Equals(Function(f, [y]), Int(2))))
        assert solver.solve()
        assert value(solver, x) != value(solver, y)
        solver.add_assertion(Equals(x, y))
        assert not solver.solve()
    with Solver(name=NAME, logic=QF_LIA) as solver:
        solver.add_assertion(Or(Not(b), Bool(False)))
        assert solver.solve() and not solver.get_py_value(b)


def examples():
    """The formulas of pySMT's own tests that are linear arithmetic, with functions or without."""
    count = 0
    for example in get_example_formulae(get_env()):
        logic = example.logic
        if not logic <= QF_UFLIRA or example.is_sat is None or example.expr.get_type() != BOOL:
            continue
        # SMT-LIB has no way to write such a name.
        if any(set(symbol.symbol_name()) & set("|\\") for symbol in example.expr.get_free_variables()):
            continue
        with Solver(name=NAME, logic=QF_UFLIRA) as solver:
            solver.add_assertion(example.expr)
            try:
                found = solver.solve()
            except SolverReturnedUnknownResultError:
                raise AssertionError(f"unknown: {example.expr}") from None
            assert found == example.is_sat, f"{found} instead of {example.is_sat}: {example.expr}"
            symbols = example.expr.get_free_variables()
            # pySMT asks for values of constants only.
            if found and not any(symbol.symbol_type().is_function_type() for symbol in symbols):
                model = solver.get_model()
                assert model.get_value(example.expr).is_true(), f"a wrong model of {example.expr}"
        count += 1
    assert count > 30, f"only {count} examples"
    return count


def main():
    get_env().factory.add_generic_solver(NAME, [sys.argv[1], "smt", "-"], [QF_LIA, QF_LRA, QF_UFLIA, QF_UFLIRA])
    conversation()
    print(f"pySMT: solving, models, push and pop; {examples()} examples of its own")


if __name__ == "__main__":
    main()
