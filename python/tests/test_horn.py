import os
import signal
import threading
import time

import pytest

import shem
from shem import BoolSort, Fixedpoint, ForAll, Function, Horn, Implies, And, Ints, IntSort, Real, RealSort

x, y = Ints("x y")
loop = Function("loop", IntSort(), IntSort(), BoolSort())

#: The Collatz sequence: nobody knows, so the search goes on until it is stopped.
#: Remainders without a pattern, of which the one in question comes late if at all.
ENDLESS = """
(set-logic HORN)
(declare-fun c (Int) Bool)
(assert (c 1))
(assert (forall ((n Int)) (=> (c n) (c (mod (+ (* 6364136223846793005 n) 1442695040888963407) 18446744073709551616)))))
(assert (forall ((n Int)) (=> (and (c n) (= n 7)) false)))
(check-sat)
"""


def counter(step, bad):
    system = Horn()
    system.rule(loop(0, 0))
    system.rule(loop(x + 1, y + step), loop(x, y))
    system.query(loop(x, y), bad)
    return system


@pytest.mark.parametrize("options", [{}, {"processes": False}, {"engine": "spacer"}, {"deterministic": True}])
def test_safe(options):
    result = counter(2, y != 2 * x).solve(timeout=60, **options)
    assert (result.verdict, result.checked) == ("sat", "witness"), result
    invariant = result.model[loop]
    assert invariant(3, 6) is True and invariant(3, 7) is False
    assert isinstance(invariant(x, y), shem.Expr)
    assert "loop(x, y) ⇔" in str(result.model)
    assert "define-fun loop" in result.model.smtlib
    # The invariant is inductive: the solver says so.
    solver = shem.Solver()
    solver.add(invariant(x, y), ~invariant(x + 1, y + 2))
    assert solver.check() == "unsat"
    assert result.statistics and "sat" in result._repr_html_()


def test_unsafe():
    result = counter(3, And(x == 5, y == 15)).solve(timeout=60)
    assert (result.verdict, result.checked) == ("unsat", "witness")
    steps = list(result.derivation)
    assert len(steps) == len(result.derivation) == 7
    assert steps[0].values == (0, 0) and steps[5].values == (5, 15)
    assert steps[6].predicate is None and steps[6].premises == (5,) and steps[6].clause == 2
    assert result.derivation.table()[1] == {
        "step": 1, "predicate": "loop", "x0": 1, "x1": 3, "premises": (0,), "clause": 1,
    }  # fmt: skip
    assert "<polyline" in result._repr_html_()
    assert str(steps[5]) == "loop(5, 15)"


def test_pandas():
    pandas = pytest.importorskip("pandas")
    frame = counter(3, x == 5).solve(timeout=60).derivation.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame["x1"][:3]) == [0, 3, 6]


def test_a_billion_steps_are_not_kept():
    system = counter(1, x == 1_000_000_000)
    result = system.solve(timeout=60)
    assert result.verdict == "unsat" and len(result.derivation) == 1_000_000_002
    assert [step.values for step in result.derivation.head(3)] == [(0, 0), (1, 1), (2, 2)]
    with pytest.raises(ValueError, match="steps"):
        result.derivation.table()
    assert "more steps" in str(result.derivation)


def test_reals_and_z3_style():
    level = Function("level", RealSort(), BoolSort())
    h = Real("h")
    tank = Fixedpoint()
    tank.register_relation(level)
    tank.declare_var(h)
    tank.rule(level(1))
    tank.rule(level(h / 2 + 1), [level(h), h < 10])
    assert tank.query(level(h), h > 2, timeout=60) == "unsat"
    assert tank.get_answer()["level"](1.5) is True
    assert tank.query(level(h), h > 1, timeout=60) == "sat"
    assert len(tank.get_answer()) == 3


def test_formulas_with_quantifiers():
    system = Horn().add(
        ForAll([x, y], Implies(And(x == 0, y == 0), loop(x, y))),
        ForAll([x, y], Implies(loop(x, y), loop(x + 1, y + 1))),
        ForAll([x, y], Implies(loop(x, y), x == y)),
    )
    assert system.solve(timeout=60).verdict == "sat"
    assert "<svg" in system._repr_html_()
    assert system.smtlib().startswith("(set-logic HORN)\n(declare-fun loop (Int Int) Bool)")


def test_files(tmp_path):
    path = tmp_path / "system.smt2"
    path.write_text(counter(2, y != 2 * x).smtlib())
    assert shem.solve(path, timeout=60).verdict == "sat"
    assert shem.solve(str(path), timeout=60, engine="kind").verdict in ("sat", "unknown")
    with pytest.raises(FileNotFoundError):
        shem.solve(tmp_path / "missing.smt2")


def test_mistakes():
    with pytest.raises(shem.ParseError) as raised:
        shem.solve("(declare-fun p (Int) Bool)\n(assert (forall ((x Int)) (q x)))")
    assert (raised.value.line, raised.value.column) == (2, 28)
    assert "q" in raised.value.message and "line 2" in str(raised.value)
    with pytest.raises(ValueError, match="spacr"):
        shem.solve("(check-sat)", engine="spacr")
    with pytest.raises(ValueError, match="seconds"):
        shem.solve("(check-sat)", timeout=-1)
    assert "spacer" in shem.engines()


def test_limits():
    since = time.monotonic()
    result = shem.solve(ENDLESS, timeout=0.5)
    assert result.verdict == "unknown" and result.model is None and result.derivation is None
    assert time.monotonic() - since < 10


def test_interrupt_and_other_threads():
    """Ctrl-C ends the search, and other threads of Python run meanwhile."""
    counted = [0]
    over = threading.Event()

    def count():
        while not over.is_set():
            counted[0] += 1
            time.sleep(0.001)

    def interrupt():
        time.sleep(0.6)
        os.kill(os.getpid(), signal.SIGINT)

    threads = [threading.Thread(target=count), threading.Thread(target=interrupt)]
    for thread in threads:
        thread.start()
    since = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        # A system without an error is unrolled for ever: x is 1, 2, 4, 7, 11, …
        p = Function("p", IntSort(), IntSort(), BoolSort())
        Horn().rule(p(1, 1)).rule(p(x + y, y + 1), p(x, y)).query(p(x, y), x == 5).solve(engine="bmc")
    assert time.monotonic() - since < 10
    over.set()
    for thread in threads:
        thread.join()
    assert counted[0] > 20


def test_text_with_comments():
    """Workers read the text as it is, with comments, and what stands after the check."""
    text = """; a comment
    (set-logic HORN)  ; another one
    (declare-fun p (Int Int) Bool)
    (assert (p 1 1))
    (assert (forall ((x Int) (y Int)) (=> (p x y) (p (+ x y) (+ y 1)))))
    (assert (forall ((x Int) (y Int)) (=> (and (p x y) (= x 46)) false)))
    (check-sat)
    (exit)
    """
    result = shem.solve(text, timeout=60)
    assert (result.verdict, result.warnings) == ("unsat", [])


def test_input_is_escaped():
    bad = Function("<script>alert(1)</script>", IntSort(), BoolSort())
    system = Horn().rule(bad(0)).rule(bad(x + 1), bad(x)).query(bad(x), x < 0)
    for part in (system, system.solve(timeout=60)):
        assert "<script" not in part._repr_html_()
