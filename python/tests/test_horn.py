import logging
import os
import pickle
import pydoc
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

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
    with pytest.raises(shem.ParseError, match="is a parenthesis missing in the command of line 2"):
        shem.solve("(set-logic HORN)\n(assert (or true\n  false)\n(check-sat)\n")


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


def list_datatype():
    List = shem.Datatype("List")
    List.declare("nil")
    List.declare("cons", ("head", IntSort()), ("tail", List))
    return List.create()


def lengths(bad):
    """A list and its length, and what must not be."""
    List = list_datatype()
    length = Function("length", List, IntSort(), BoolSort())
    l = shem.Const("l", List)
    system = Horn().rule(length(List.nil, 0)).rule(length(List.cons(x, l), y + 1), length(l, y))
    return system.query(length(l, y), bad(List, l, y)), length, List


def test_models_over_datatypes():
    system, length, List = lengths(lambda List, l, y: y < 0)
    result = system.solve(timeout=60)
    assert result.verdict == "sat"
    nil = shem.DatatypeValue("nil")
    two = shem.DatatypeValue("cons", [5, shem.DatatypeValue("cons", [6, nil])])
    assert result.model[length](two, 2) is True and result.model[length](two, -1) is False
    again = pickle.loads(pickle.dumps(result))
    assert again.model[length](nil, 0) is True and again.model.smtlib == result.model.smtlib


def test_sizes_in_models_are_defined_once_and_can_be_called():
    """The invariant needs the sizes of lists, a recursive function."""
    List = list_datatype()
    app = Function("app", List, List, List, BoolSort())
    length = Function("length", List, IntSort(), BoolSort())
    u, v, w = (shem.Const(name, List) for name in "uvw")
    i, j, k, h = Ints("i j k h")
    system = Horn().rule(app(List.nil, v, v)).rule(app(List.cons(h, u), v, List.cons(h, w)), app(u, v, w))
    system.rule(length(List.nil, 0)).rule(length(List.cons(h, u), i + 1), length(u, i))
    system.query(app(u, v, w), length(u, i), length(v, j), length(w, k), k != i + j)
    result = system.solve(timeout=60)
    assert result.verdict == "sat"
    assert result.model.smtlib.count("(define-fun-rec |size of List|") <= 1
    assert result.model.smtlib.count("(define-fun app ") == 1
    lists = [shem.DatatypeValue("nil")]
    for number in range(3000):
        lists.append(shem.DatatypeValue("cons", [number, lists[-1]]))
    assert result.model[length](lists[3000], 3000) is True
    assert result.model[app](lists[1], lists[0], lists[1]) is True
    assert result.model[length](lists[3], 2) is False or result.model[app](lists[1], lists[1], lists[3]) is False


def test_values_of_datatypes_in_derivations():
    system, _, List = lengths(lambda List, l, y: l == List.cons(3, List.cons(4, List.nil)))
    result = system.solve(timeout=60)
    step = [step for step in result.derivation if step.predicate == "length"][-1]
    assert step.values[0].constructor == "cons" and step.values[0][0] == 3 and step.values[0][1][1].fields == ()
    system.validate(result.derivation)


def test_unsat_results_pickle():
    result = counter(3, And(x == 5, y == 15)).solve(timeout=60)
    again = pickle.loads(pickle.dumps(result))
    assert list(again.derivation) == list(result.derivation) and again.verdict == "unsat"
    with pytest.raises(ValueError, match="pickled"):
        again.report()
    kept = shem.Derivation(None, 10, result.derivation.head(3))
    assert len(kept) == 10 and len(kept.head(3)) == 3
    with pytest.raises(ValueError, match="3 were kept"):
        list(kept)


def test_pandas_keeps_integers():
    pandas = pytest.importorskip("pandas")
    large = 2**60 + 3
    p = Function("p", IntSort(), BoolSort())
    for number in (large, 2**70 + 1):
        frame = Horn().rule(p(number)).query(p(x)).solve(timeout=60).derivation.to_pandas()
        assert list(frame["x0"])[0] == number and pandas.isna(list(frame["x0"])[1])
    assert str(counter(3, x == 2).solve(timeout=60).derivation.to_pandas()["x0"].dtype) == "Int64"


def test_a_model_applied_to_expressions_does_not_capture():
    definition = shem.Definition("p", [x], shem.Exists(y, x == 2 * y), "")
    assert str(definition(y)) == "∃y!1. y = 2·y!1"
    p = Function("p", IntSort(), BoolSort())
    assert str(shem.Model([definition]).evaluate(p(y + 1))) == "∃y!1. y + 1 = 2·y!1"


def test_systems_are_read_and_changed(tmp_path):
    system = Horn.read(counter(2, y != 2 * x).smtlib())
    assert len(system) == 3 and [str(predicate) for predicate in system.predicates()] == ["loop"]
    assert system.solve(timeout=60).verdict == "sat"
    system.remove(2).query(loop(x, y), x == 2)
    assert system.solve(timeout=60).verdict == "unsat"
    first = list(system)[0]
    assert len(system.remove(first)) == 2 and system.solve(timeout=60).verdict == "sat"
    with pytest.raises(ValueError, match="not among"):
        system.remove(first)
    path = tmp_path / "lists.smt2"
    path.write_text(lengths(lambda List, l, y: y < 0)[0].smtlib())
    read = Horn.read(path)
    assert [sort.name for sort in read.datatypes()] == ["List"] and read.solve(timeout=60).verdict == "sat"
    with pytest.raises(shem.ParseError):
        Horn.read("(assert (p))")


def test_foreign_witnesses():
    system = counter(2, y != 2 * x)
    system.validate({"loop": lambda a, b: b == 2 * a})
    system.validate({loop: lambda a, b: And(b == 2 * a, a >= 0)})
    system.validate(
        shem.Model.parse(
            "sat\n(model (define-fun half ((a Int)) Int (* 2 a)) (define-fun loop ((a Int) (b Int)) Bool (= b (half a))))"
        )
    )
    system.validate(system.solve(timeout=60).model)
    with pytest.raises(shem.WitnessError, match="clause 1 does not hold") as raised:
        system.validate({"loop": lambda a, b: And(b == 2 * a, a < 5)})
    assert raised.value.clause == 1
    with pytest.raises(shem.WitnessError, match="does not define loop"):
        system.validate({})
    wrong = counter(3, And(x == 5, y == 15))
    found = wrong.solve(timeout=60).derivation
    wrong.validate(found)
    steps = list(found)
    forged = [*steps[:2], steps[2]._replace(values=(2, 7)), *steps[3:]]
    with pytest.raises(shem.WitnessError, match="step 2, .* does not follow"):
        wrong.validate(shem.Derivation(None, None, forged))
    with pytest.raises(shem.WitnessError, match="falsehood is not derived"):
        wrong.validate(shem.Derivation(None, None, steps[:-1]))


def test_fixedpoint_has_z3s_calls(tmp_path):
    p = Function("p", IntSort(), BoolSort())
    tank = Fixedpoint()
    tank.set(engine="spacer", timeout=60_000)
    tank.set("fp.engine", "spacer")
    tank.add_rule(p(0), name="start")
    tank.add_rule(p(x + 2), [p(x)])
    tank.add(Implies(p(x), p(x + 4)))
    assert tank.query(And(p(x), x == 3)) == "unsat" and tank.query(p) == "sat"
    assert len(tank.get_rules()) == 3 and tank.statistics() and "declare-fun p" in tank.sexpr()
    path = tmp_path / "rules.smt2"
    path.write_text(
        "(declare-rel q (Int)) (declare-var x Int) (rule (q 0)) (rule (=> (q x) (q (+ x 1)))) (query (and (q x) (> x 5)))"
    )
    read = Fixedpoint()
    (goal,) = read.parse_file(path)
    assert read.query(goal, timeout=60) == "sat" and len(read.get_rules()) == 2
    with pytest.raises(ValueError, match="no option colour"):
        tank.set(colour="red")


def test_reports_and_the_log(tmp_path, caplog):
    path = tmp_path / "page.html"
    with caplog.at_level(logging.DEBUG, logger="shem"):
        result = counter(2, y != 2 * x).solve(timeout=60)
    assert result.report(path) is None
    for page in (path.read_text(), result.report()):
        assert "<svg" in page and "loop" in page
    assert any("preparing 1 predicates" in record.getMessage() for record in caplog.records)
    caplog.clear()
    counter(2, y != 2 * x).solve(timeout=60)
    assert not caplog.records


@pytest.mark.parametrize("pool", [None, ThreadPoolExecutor, ProcessPoolExecutor])
def test_many_problems(pool, tmp_path, capsys):
    path = tmp_path / "system.smt2"
    path.write_text(counter(3, And(x == 5, y == 15)).smtlib())
    problems = [counter(2, y != 2 * x), path, counter(2, y != 2 * x).smtlib(), "(assert (p))", tmp_path / "missing"]
    told = []
    executor = pool(2) if pool else None
    options = {"timeout": 60, "processes": False, "executor": executor}
    results = shem.solve_many(problems, progress=lambda *n: told.append(n), return_exceptions=True, **options)
    assert [getattr(result, "verdict", type(result)) for result in results] == [
        "sat", "unsat", "sat", shem.ParseError, FileNotFoundError,
    ]  # fmt: skip
    assert told == [(count, 5) for count in range(1, 6)]
    assert len(results[1].derivation) == 7 and results[0].model["loop"](3, 6)
    assert (results[3].line, results[3].column) == (1, 10)
    shem.solve_many(problems[:2], progress=True, **options)
    assert "2/2" in capsys.readouterr().err
    with pytest.raises(shem.ParseError):
        shem.solve_many(problems[:4], **options)
    if executor is not None:
        executor.shutdown()


def test_help_shows_attributes():
    for thing, words in ((shem.Result, "verdict:"), (shem.Verification, "invariants:"), (shem.Expr, "args:")):
        assert words in pydoc.render_doc(thing)


def test_counterexamples_are_short() -> None:
    """Whatever engine is first, few steps are shown: from any start above 0, two facts are enough."""
    text = """
        (declare-fun p (Int) Bool)
        (assert (forall ((x Int)) (=> (>= x 0) (p x))))
        (assert (forall ((x Int)) (=> (p x) (p (+ x 1)))))
        (assert (forall ((x Int)) (=> (and (p x) (> x 50)) false)))
    """
    for engine in ("scout", "spacer", None):
        result = shem.solve(text, engine=engine)
        assert result.verdict == "unsat" and result.derivation is not None
        assert len(result.derivation) == 2
        assert result.statistics["derivation.steps.printed"] == 2
        assert result.statistics["derivation.steps.found"] >= 2


def test_workers_need_no_program():
    """A worker is this Python with the extension module; what is wrong with its words is told."""
    from shem.horn import _worker

    for words, message in [
        (["--worker=1", "-e", "bmc"], "shem: process 1 is not there"),
        (["--worker=x"], "shem: --worker=x cannot be read"),
    ]:
        run = subprocess.run([*_worker(), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert (run.returncode, run.stdout, run.stderr.strip()) == (1, "", message)


def test_the_module_is_the_program(tmp_path, monkeypatch):
    from shem import __main__ as main

    def call(*words):
        return subprocess.run([sys.executable, "-m", "shem", *words], capture_output=True, text=True)

    if main.program() is not None:
        file = tmp_path / "safe.smt2"
        file.write_text(counter(2, y != 2 * x).smtlib())
        assert call("-e", "spacer", str(file)).stdout == "sat\n"
        assert call("--version").stdout.startswith("shem ")
        assert call("--unheard-of").returncode == 1
    # An installation that has no program, and none on the path.
    monkeypatch.setattr(main, "__file__", str(tmp_path / "__main__.py"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="neither in this installation of the package nor on the path"):
        main.run()


def test_whether_runs_end():
    p = Function("p", IntSort(), IntSort(), BoolSort())
    system = Horn().rule(p(x, y)).rule(p(x + y, y - 1), p(x, y), x >= 0).query(p(x, y), x > 100)
    found = system.terminates(timeout=60)
    assert (found.verdict, found.reason) == ("YES", None)
    assert "(define-fun p ((x Int) (y Int)) Int" in found.argument and str(found).startswith("YES\n(ranking")
    system.rule(p(x, y + 1), p(x, y), x > 7)
    found = shem.terminates(system, timeout=60)
    assert found.verdict == "NO" and "(recurrence" in found.argument
    nonlinear = Horn().rule(loop(0, 0)).rule(loop(x, y + 1), loop(x, y), loop(y, x))
    found = nonlinear.terminates()
    assert found.verdict == "MAYBE" and found.argument is None
    assert found.reason == "a clause has several atoms in its body" and str(found) == f"MAYBE: {found.reason}"


def test_whether_runs_of_transition_systems_end(tmp_path):
    text = "(format LCTRS)\n(theory Ints)\n(fun f (-> Int Int))\n(entrypoint f)\n(rule (f x) (f (- x 1)) :guard (> x 0))\n"
    path = tmp_path / "down.ari"
    path.write_text(text)
    assert shem.terminates(path).verdict == shem.terminates(text).verdict == "YES"
    assert shem.terminates(text.replace("- x", "+ x")).verdict == "NO"
    with pytest.raises(shem.ParseError) as caught:
        shem.terminates(text.replace("(f x) (f", "(f x) (g"))
    assert caught.value.line == 5
    assert shem.terminates(text, timeout=0).verdict == "MAYBE"
