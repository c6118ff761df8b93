"""How a program uses the package, for the type checkers: see test_types. It is not run."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import List, Optional

import shem
from shem import And, BoolSort, Datatype, Fixedpoint, Function, Horn, If, Int, Ints, IntSort, Solver, Store, substitute


def clauses() -> Optional[bool]:
    x, y = Ints("x y")
    loop = Function("loop", IntSort(), IntSort(), BoolSort())
    system = Horn().rule(loop(0, 0)).rule(loop(x + 1, 2 + y), loop(x, y)).query(loop(x, y), (y != 2 * x) | (x < 0))
    result: shem.Result = system.solve(timeout=10)
    if result.model is not None:
        formula: shem.Expr = result.model[loop].body
        print(formula.smtlib(), result.statistics.get("time"), result.report())
    if result.derivation is not None:
        return all(step.values for step in result.derivation)
    ending: shem.Termination = system.terminates(timeout=10)
    if ending.argument is None:
        print(ending.reason, shem.terminates("file.ari").verdict)
    results: List[shem.Result] = shem.solve_many([system, "file.smt2"], executor=ThreadPoolExecutor(2), timeout=3)
    return results[0].verdict == shem.sat


def formulas() -> None:
    x = Int("x")
    a = shem.Array("a", IntSort(), IntSort())
    word: shem.Expr = shem.Concat(shem.Extract(3, 0, shem.BitVec("w", 8)) << 1, shem.BitVecVal(5, 4))
    solver = Solver(timeout=1.5)
    solver.add(shem.ULT(word, 200), word & 1 == 1, shem.BV2Int(word) == x)
    solver.add(And(x > 0 for x in Ints("p q")), Store(a, x, 1)[0] == 1, abs(x) % 3 == sum([x, x]), If(x > 0, x, 1) < 5)
    if solver.check(x > 1) == shem.sat:
        print(solver.model()[x], solver.model().evaluate(x + 1))
    print(substitute(x + 1, (x, a[0])), substitute(x + 1, {"x": 3}), shem.simplify(x + x))
    declared = Datatype("List")
    declared.declare("nil")
    declared.declare("cons", ("head", IntSort()), ("tail", declared))
    lists: shem.DatatypeSort = declared.create()
    print(lists.cons(1, lists.nil))
    fixed = Fixedpoint()
    fixed.register_relation(Function("p", IntSort(), BoolSort()))
    fixed.set(timeout=1000)


@shem.verify
def double(n: int) -> int:
    shem.assume(n >= 0)
    x = y = 0
    while x < n:
        x += 1
        y += 2 if shem.nondet(bool) else shem.nondet()
    assert y == 2 * n
    return y


@shem.verify(timeout=10)
def half(n: int) -> int:
    return n // 2


def verified() -> int:
    verification: shem.Verification = double.verify(timeout=5)
    for invariant in verification.invariants:
        print(invariant.line, invariant.formula, invariant.holds(n=1, x=0, y=0))
    if verification.counterexample is not None:
        print(verification.counterexample.arguments["n"], verification.counterexample.trace()[0].line)
    return double(3) + half(5)
