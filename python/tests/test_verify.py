"""@shem.verify: functions of Python with their answers, and what is refused."""

from __future__ import annotations

import random
import sys
import textwrap
import types
from pathlib import Path
from typing import Any, Dict, List, Optional

import pytest

import shem
import verified_functions
from random_functions import Generator
from shem import Unsupported, verify

FAILURES = (AssertionError, ZeroDivisionError, IndexError, ValueError)


def module_of(text: str, path: Path) -> types.ModuleType:
    """A module with this text, in a file, so that its source can be found."""
    path.write_text(textwrap.dedent(text))
    module = types.ModuleType(path.stem)
    exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    return module


def function_of(body: str, path: Path, head: str = "def f(n: int, b: bool):") -> Any:
    text = f"from shem import assume, nondet, verify\n@verify\n{head}\n" + textwrap.indent(
        textwrap.dedent(body), "    "
    )
    return module_of(text, path / "module.py").__dict__["f"]


@pytest.mark.parametrize("function", verified_functions.RIGHT, ids=lambda function: function.__name__)
def test_right(function):
    verification = function.verify(timeout=60)
    assert verification.verdict == "safe", verification
    assert verification.result.checked == "witness"
    assert verification.counterexample is None and "is safe" in str(verification)
    assert "safe" in verification._repr_html_()


@pytest.mark.parametrize("function", list(verified_functions.WRONG), ids=lambda function: function.__name__)
def test_wrong(function):
    verification = function.verify(timeout=60)
    assert verification.verdict == "unsafe", verification
    found = verification.counterexample
    assert found.exception == verified_functions.WRONG[function]
    assert found.confirmed, found.reason
    assert found.trace()[-1].line == found.line
    assert "confirmed by running it" in str(verification) and "unsafe" in verification._repr_html_()
    # The function can be called as before, and fails for these arguments; choices are random then.
    if not list(found.choices()):
        with pytest.raises(getattr(__builtins__, found.exception, None) or eval(found.exception)):
            function(**{name: list(v) if isinstance(v, list) else v for name, v in found.arguments.items()})


def test_invariants_are_in_the_functions_own_names():
    invariants = verified_functions.double.verify(timeout=60).invariants
    (loop,) = invariants
    assert verified_functions.double._program.source(loop.line).strip() == "while x < n:"
    assert set(loop.variables) == {"n", "x", "y"}
    assert loop.holds(n=5, x=2, y=4) and not loop.holds(n=5, x=2, y=5)
    assert verified_functions.double(4) == 8


def test_two_variables_of_an_invariant_never_share_a_name(tmp_path):
    body = "x = 0\nfor i in range(n):\n    k = 0\n    while k < 3:\n        k += 1\n        assert i >= 0 and k > 0"
    invariants = function_of(body, tmp_path).verify(timeout=60).invariants
    assert [len(set(invariant.variables)) for invariant in invariants] == [4, 6]
    assert "i" in invariants[0].variables and {"i", "next i"} < set(invariants[1].variables)


def test_the_trace_has_lines_and_values(tmp_path):
    function = function_of("x = 0\nwhile x < n:\n    x += 2\nassert x != 4", tmp_path)
    found = function.verify(timeout=60).counterexample
    assert found.confirmed and found.line == 7 and found.arguments["n"] in (3, 4)
    lines = [(step.line, step.values.get("x")) for step in found.trace()]
    assert lines == [(4, None), (5, 0), (6, 0), (5, 2), (6, 2), (5, 4), (7, 4)]


@pytest.mark.parametrize(
    "body, line, words",
    [
        ("x = 0\nx = 1.5", 5, "float is not supported"),
        ("x = n / 2", 4, "n / 2 is not supported"),
        ("return missing", 4, "missing is neither"),
        ("return y\ny = 1", 4, "y may have no value"),
        ("if n > 0:\n    y = 1\nassert y == 1", 6, "y may have no value"),
        ("for i in range(n):\n    pass\nassert i < n", 6, "i may have no value"),
        ("try:\n    x = 1\nfinally:\n    x = 2", 4, "try is not supported"),
        ("global x\nx = 1", 4, "global is not supported"),
        ("g = lambda: 1", 4, "not supported"),
        ("import os", 4, "import is not supported"),
        ("print(n)", 4, "print cannot be called here"),
        ("a = [1]\nc = a", 5, "second name"),
        ("a = [1]\nc = [a]", 5, "second name"),
        ("a = [1]\na = 2", 5, "a list in one place"),
        ("a = [1, 2]\nx = a[0:1]\n", 5, "parts of lists"),
        ("x = (y := n)", 4, "not supported"),
        ("x = sum([n])", 4, "sum cannot be called here"),
        ("del n", 4, "delete is not supported"),
        ("x = n ** n", 4, "not supported"),
        ("x = 'text'", 4, "str is not supported"),
        ("x = n if b else None", 4, "NoneType is not supported"),
        ("assert n is n", 4, "not supported"),
        ("for i in [1, 2]:\n    pass", 4, "loops go over"),
        ("def g():\n    pass", 4, "functiondef is not supported"),
        ("x: float = 0\nwith n:\n    pass", 5, "with is not supported"),
        ("x, y = n", 4, "several variables"),
        ("abs = 3\nx = abs(n)", 5, "abs is a variable here"),
        ("raise ValueError", 4, "raise is not supported"),
        ("x = ~b", 4, "~ of a truth value"),
    ],
)
def test_what_is_not_supported_is_refused_with_its_line(tmp_path, body, line, words):
    with pytest.raises(Unsupported) as raised:
        function_of(body, tmp_path)
    assert raised.value.lineno == line and words in str(raised.value), raised.value
    assert raised.value.filename.endswith("module.py") and raised.value.text


@pytest.mark.parametrize(
    "head, words",
    [
        ("def f(n):", "needs an annotation"),
        ("def f(n: float):", "float is not supported"),
        ("def f(*n: int):", "parameters with \\*"),
        ("async def f(n: int):", "written with def"),
    ],
)
def test_parameters_are_annotated(tmp_path, head, words):
    with pytest.raises(Unsupported, match=words):
        function_of("pass", tmp_path, head)


@pytest.mark.parametrize(
    "body, verdict",
    [
        # Truth values are integers.
        ("assert True + True == 2 and (n == n) + 1 == 2", "safe"),
        ("x = b\nif n > 0:\n    x = 7\nassert x == 7 or x == b or x == 1", "safe"),
        ("x = n or 5\nassert x != 0", "safe"),
        ("x = n and 5\nassert x == 0 or x == 5", "safe"),
        ("x = n and 5\nassert x == 5", "unsafe"),
        # Chains of comparisons, and what they do not evaluate.
        ("assert not 0 < n < 1 and not 3 > n > 2", "safe"),
        ("assert not (n == 0 != 1 // n)", "unsafe"),
        ("assert not (n != 0 == 1 // n) or n > 1 or n < -1 or True", "safe"),
        # The variable of a loop may be assigned; the loop goes on as before.
        ("k = 0\nfor i in range(4):\n    i = 100\n    k += 1\nassert k == 4 and i == 100 or n > 0", "refused"),
        ("i = 0\nk = 0\nfor i in range(4):\n    i = 100\n    k += 1\nassert k == 4 and i == 100", "safe"),
        ("i = 9\nfor i in range(5, 5):\n    pass\nassert i == 9", "safe"),
        ("i = 9\nfor i in range(3):\n    pass\nassert i == 2", "safe"),
        ("i = 0\nfor i in range(7, 0, -3):\n    pass\nassert i == 1", "safe"),
        ("m = 3\nk = 0\nfor i in range(m):\n    m = 10\n    k += 1\nassert k == 3", "safe"),
        # Else belongs to loops that end by themselves.
        (
            "x = 0\nfor i in range(3):\n    if i == n:\n        break\nelse:\n    x = 1\nassert (x == 0) == (0 <= n < 3)",
            "safe",
        ),
        ("x = 0\nwhile x < 5:\n    x += 1\n    if x == n:\n        break\nelse:\n    assert not 1 <= n <= 5", "safe"),
        ("x = 0\nwhile x < 5:\n    x += 1\n    if x == 3:\n        continue\n    assert x != 3", "safe"),
        ("while True:\n    n += 1\n    if n > 5:\n        break\nassert n > 5", "safe"),
        # The right side first, then the targets from left to right.
        ("x, y = 1, 2\nx, y = y, x\nassert x == 2 and y == 1", "safe"),
        ("a = [1, 2]\ni = 0\ni, a[i] = 1, 9\nassert a[1] == 9 and a[0] == 1", "safe"),
        ("a = [5]\na[0] += a.pop() + 1", "unsafe"),
        ("a = [1, 2, 3]\nx = a.pop() - a.pop()\nassert x == 1 and len(a) == 1", "safe"),
        ("x = nondet()\ny = x - nondet()\nassume(y == 0)\nassert x == x", "safe"),
        ("x = 10\nx -= nondet()\nassert x != 3", "unsafe"),
        # Lists.
        ("a = [0] * n\nassert len(a) == n or n < 0", "safe"),
        ("a = [1, 2, 3]\nassert a[-1] == 3 and a[-3] == 1", "safe"),
        ("a = [1, 2, 3]\nx = a[-4]", "unsafe"),
        ("a = [1]\nb2 = a[:]\nb2[0] = 5\nassert a[0] == 1 and b2[0] == 5", "safe"),
        ("a = [1]\na.append(2)\nb2 = list(a)\na[0] = 9\nassert b2[0] == 1 and len(b2) == 2\nassert a", "safe"),
        ("a = [0]\nk = 0\nfor x in a:\n    k += 1\n    if k < 4:\n        a.append(k)\nassert k == 4", "safe"),
        ("a = []\na.pop()", "unsafe"),
        # Division.
        ("assert 7 // -2 == -4 and 7 % -2 == -1 and -7 // 2 == -4 and -7 % 2 == 1", "safe"),
        ("assume(n != 0)\nassert 0 // n == 0", "safe"),
        ("x = n % 0", "unsafe"),
        ("assert n % 2 == 0 or n % 2 == 1", "safe"),
        ("x = 5 % -n if n < 0 else 5 // (n + 1)\nassert x >= 0 or n > 100", "any"),
        ("assert (n << 2) == 4 * n and n ** 2 == n * n and +n == n", "safe"),
        ("x = b & (n > 0) | (not b)\nassert x == ((b and n > 0) or not b) and b ^ (not b)", "safe"),
        ("assert min(n, 3, 5) <= 3 and max(n, 2) >= 2 and abs(n) >= n and int(b) < 2 and bool(n) == (n != 0)", "safe"),
        ("assume(n > 3)\nassert n > 2", "safe"),
        ("assert n != 123456789012345678901234567890", "unsafe"),
        # Messages are evaluated only when the assertion fails, and may fail themselves.
        ("assert n != 3, str(1 // (n - 3))", "unsafe"),
        ("assert n == n, 1 // 0", "safe"),
    ],
)
def test_semantics(tmp_path, body, verdict):
    if verdict == "refused":
        with pytest.raises(Unsupported):
            function_of(body, tmp_path)
        return
    verification = function_of(body, tmp_path).verify(timeout=30)
    if verdict != "any":
        assert verification.verdict == verdict, verification
    assert verification.verdict != "unsafe" or verification.counterexample.confirmed


def test_indented_functions_keep_their_lines(tmp_path):
    text = "from shem import verify\nif True:\n    class Box:\n        @verify\n        def f(n: int) -> int:\n"
    text += '            """One.\nTwo."""\n            assert n != 3\n            return n\n'
    found = module_of(text, tmp_path / "inside.py").__dict__["Box"].f.verify(timeout=60).counterexample
    assert found.line == 8 and found.confirmed and found.trace()[-1].source.strip() == "assert n != 3"
    with pytest.raises(Unsupported):
        verify(lambda n: n)


def test_calls(tmp_path):
    text = """
    from __future__ import annotations
    from shem import assume, nondet, verify

    @verify
    def is_even(n: int) -> bool:
        if n <= 0:
            return n == 0
        return is_odd(n - 1)

    @verify
    def is_odd(n: int) -> bool:
        return False if n <= 0 else is_even(n - 1)

    @verify
    def parity(n: int) -> None:
        assume(n >= 0)
        assert not (is_even(n) and is_odd(n))

    @verify
    def add(items: list[int], value: int = 3, *, twice: bool = False) -> int:
        items.append(value)
        if twice:
            items.append(value)
        return len(items)

    @verify
    def made(n: int) -> list[int]:
        items = [n]
        add(items, twice=True)
        return items

    @verify
    def uses() -> None:
        items = made(7)
        assert len(items) == 3 and items[0] == 7 and items[1] == 3
        before = len(items)
        assert before + add(items, before) == 7 and items[-1] == 3

    @verify
    def order(n: int) -> None:
        items = [n]
        assert len(items) - add(items) + len(items) == 1

    @verify
    def choose(low: int) -> int:
        x = nondet()
        assume(x > low)
        return x

    @verify
    def twice_chosen() -> None:
        assert choose(3) + choose(4) != 20
    """
    module = module_of(text, tmp_path / "calls.py")
    for name in ("parity", "uses", "order"):
        assert module.__dict__[name].verify(timeout=60).verdict == "safe", name
    found = module.__dict__["twice_chosen"].verify(timeout=60)
    assert found.verdict == "unsafe" and found.counterexample.confirmed
    assert sum(found.counterexample.choices()) == 20
    assert module.__dict__["made"](5) == [5, 3, 3]


@pytest.mark.parametrize(
    "body, words",
    [
        ("items = [1]\nreturn pair(items, items)", "given twice"),
        ("return plain(n)", "functions decorated with @verify"),
        ("x = nothing(n)\nreturn 0", "no result"),
        ("return flag(n)", "is a truth value"),
        ("return pair([1], [2])", "not the name of a list"),
        ("items = [1]\nreturn list(items)", "not the built-in function"),
    ],
)
def test_calls_that_are_refused(tmp_path, body, words):
    text = """
    from __future__ import annotations
    from typing import List
    from shem import verify

    def plain(n):
        return n

    @verify
    def nothing(n: int) -> None:
        n += 1

    @verify
    def list(items: List[int]) -> int:
        items.append(1)
        return 0

    @verify
    def flag(b: bool) -> int:
        return 1 if b else 2

    @verify
    def pair(a: List[int], b: List[int]) -> int:
        a.append(1)
        return len(b)

    @verify
    def f(n: int) -> int:
    """
    with pytest.raises(Unsupported, match=words):
        module_of(textwrap.dedent(text) + textwrap.indent(body, "    "), tmp_path / "refused.py")


def test_lists_of_the_caller_are_not_returned(tmp_path):
    for body in ("return a", "a = [1]\nreturn 0"):
        with pytest.raises(Unsupported, match="of the caller"):
            function_of(body, tmp_path, "def f(a: list[int]):")


def test_long_runs(tmp_path):
    """A run of three million steps has no trace, but its arguments are known, and Python confirms it."""
    found = (
        function_of("x = 0\nwhile x < 1000000:\n    x += 1\nassert n != 5", tmp_path).verify(timeout=60).counterexample
    )
    assert found.arguments["n"] == 5 and found.confirmed and found.exception == "AssertionError" and found.line == 7
    assert not found.trace()
    # Choices of such a run are not known.
    body = "x = 0\nwhile x < 1000000:\n    x += 1\nassert nondet() != 5"
    found = function_of(body, tmp_path).verify(timeout=60).counterexample
    assert not found.confirmed and "steps" in found.reason and "not confirmed" in str(found)


def test_a_wrong_counterexample_is_noticed():
    verification = verified_functions.off_by_one.verify(timeout=60)
    found = verification.counterexample
    found.arguments = {"n": -1}
    with pytest.raises(shem.CounterexampleError, match="AssumptionViolated"):
        found.confirm()


def test_plain_runs():
    with pytest.raises(shem.AssumptionViolated):
        verified_functions.double(-1)
    assert isinstance(shem.nondet(), int) and isinstance(shem.nondet(bool), bool)
    assert verify(timeout=5)(verified_functions.absolute._program.function).verify().verdict == "safe"


def failing_run(function: Any, seed: int, runs: int = 200) -> Optional[List[Any]]:
    """Arguments for which a run with random choices fails."""
    source = random.Random(seed)
    random.seed(seed)
    for _ in range(runs):
        arguments: List[Any] = []
        for _, kind in function._program.parameters:
            number = source.randint(-4, 4)
            arguments.append({"int": number, "bool": number > 0}.get(kind, [source.randint(-3, 3)] * abs(number)))
        shown = [list(a) if isinstance(a, list) else a for a in arguments]
        try:
            function(*arguments)
        except FAILURES:
            return shown
        except shem.AssumptionViolated:
            pass
    return None


def wrong_invariants(function: Any, invariants: List[shem.Invariant], seed: int) -> List[str]:
    """Invariants of loops with ``while`` that do not hold when Python comes to the loop."""
    program = function._program
    heads = {i.line: i for i in invariants if i.function == program.name and "while" in program.source(i.line)}
    wrong: List[str] = []

    def look(frame: types.FrameType, event: str, _: Any) -> Any:
        if frame.f_code is not program.function.__code__:
            return None
        invariant = heads.get(frame.f_lineno) if event == "line" else None
        if invariant is not None:
            known = {name: value for name, value in frame.f_locals.items() if name in invariant.variables}
            values: Dict[str, Any] = {
                name: int(value) if program.kinds[name] == "int" else value for name, value in known.items()
            }
            if all(name in values or name.startswith("len(") for name in invariant.variables):
                try:
                    if not invariant.holds(**values):
                        wrong.append(f"{invariant} at {values}")
                except ValueError:
                    pass
        return look

    if heads:
        sys.settrace(look)
        try:
            failing_run(function, seed, 50)
        finally:
            sys.settrace(None)
    return wrong


@pytest.mark.parametrize("part", range(4))
def test_random_functions(tmp_path, part):
    """What is called safe does not fail in many runs, its invariants hold in them, and counterexamples are confirmed."""
    verdicts: Dict[str, int] = {}
    for seed in range(15 * part, 15 * (part + 1)):
        module = module_of(Generator(seed).module(), tmp_path / f"random{seed}.py")
        function = module.__dict__["f"]
        verification = function.verify(timeout=5, processes=False)
        verdicts[verification.verdict] = verdicts.get(verification.verdict, 0) + 1
        if verification.verdict == "safe":
            assert failing_run(function, seed) is None, (seed, verification)
            assert wrong_invariants(function, verification.invariants, seed) == []
        if verification.verdict == "unsafe":
            assert verification.counterexample.confirmed, (seed, verification)
    assert verdicts.get("safe", 0) >= 3 and verdicts.get("unsafe", 0) >= 3, verdicts


def test_whether_a_function_ends():
    @shem.verify
    def double(n: int) -> int:
        x = y = 0
        while x < n:
            x += 1
            y += 2
        assert y == 2 * n or n < 0
        return y

    @shem.verify
    def passes(n: int) -> None:
        while n != 0:
            n -= 1

    @shem.verify
    def loops(n: int) -> None:
        while True:
            shem.assume(n > 3)

    @shem.verify
    def fails(n: int) -> None:
        while True:
            n -= 1
            assert n > 0

    @shem.verify
    def calls(n: int) -> None:
        passes(n)

    found = double.terminates()
    assert found.verdict == "YES" and "(ranking" in found.argument
    assert passes.terminates().verdict == "NO"
    assert loops.terminates().verdict == "NO"
    assert fails.terminates().verdict == "YES"
    found = calls.terminates()
    assert found.verdict == "MAYBE" and found.reason == "passes is called"
