"""Functions of Python, verified: ``@shem.verify``.

The function becomes clauses (:mod:`shem.translate`). A model of them has an invariant for each loop. A derivation is a run
to a failure; the function is then run by Python with the arguments and choices of that run, and has to fail as announced.
"""

from __future__ import annotations

import functools
import sys
import threading
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Generic,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Tuple,
    TypeVar,
    Union,
    overload,
)

from .evaluate import ArrayValue, evaluate
from .horn import Termination
from .paths import Place
from .program import BOOL_KIND, LIST_KIND, Program, Unresolved
from .replay import AssumptionViolated, NoMoreChoices, choosing
from .result import Definition, Result, Step
from .substitute import substitute
from .terms import Const, Expr
from .translate import Translation

Returned = TypeVar("Returned")

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    Parameters = ParamSpec("Parameters")

    class _Typed(Generic[Parameters, Returned]):
        def __call__(self, *arguments: Parameters.args, **by_name: Parameters.kwargs) -> Returned: ...

else:
    # Python 3.9 has no variables that stand for parameters.
    Parameters = None

    class _Typed:
        def __class_getitem__(cls, _):
            return cls

        def __call__(self, *arguments, **by_name):
            return self._program.function(*arguments, **by_name)


#: Derivations with more steps are not gone through: there is no trace, and choices are not known.
_MOST_STEPS = 500_000

#: Runs with more steps are not confirmed.
_LONGEST_RUN = 20_000_000

#: Lists that are longer are not made for a run.
_LONGEST_LIST = 10_000_000


class Invariant:
    """What holds whenever a loop begins anew, in the names of the function.

    ``len(a)`` is the length of the list ``a``. In a loop over a range, the loop's variable stands for the value that it is
    about to get; ``next i`` does if the variable has another value before. ``old n`` is a parameter as it was given.

    Attributes:
        function: the name of the function
        line: the line of the loop
        formula: the invariant, an expression
    """

    def __init__(self, place: Place, definition: Definition) -> None:
        self.function = place.program.name
        self.line = place.line
        names: List[str] = []
        for name, kind in place.variables:
            shown = place.shown.get(name, name)
            names += [shown, f"len({shown})"] if kind == LIST_KIND else [shown]
        shown_as = {
            parameter.value: Const(name, parameter.sort) if parameter.sort else parameter
            for parameter, name in zip(definition.parameters, names)
        }
        self.formula: Expr = substitute(definition.body, shown_as)
        self.variables: Tuple[str, ...] = tuple(names)

    def holds(self, **values: Any) -> bool:
        """Whether the invariant holds for values of the variables, given by name; a list gives its length, too."""
        given: Dict[str, Any] = {}
        for name, value in values.items():
            given[name] = ArrayValue(0, dict(enumerate(value))) if isinstance(value, list) else value
            if isinstance(value, list):
                given[f"len({name})"] = len(value)
        return bool(evaluate(self.formula, given))

    def __str__(self) -> str:
        return f"line {self.line}: {self.formula}"

    __repr__ = __str__


class TraceStep(NamedTuple):
    """A line that is about to be run, with the values of the variables."""

    #: The name of the function.
    function: str
    #: The number of the line.
    line: int
    #: The line.
    source: str
    #: The values of the variables, by name; lists are lists.
    values: Dict[str, Any]

    def __str__(self) -> str:
        values = ", ".join(f"{name} = {value}" for name, value in self.values.items())
        return f"line {self.line}: {self.source.strip():<40} {values}".rstrip()


class Counterexample:
    """A run that fails.

    Attributes:
        arguments: the arguments of the function, by name
        exception: the name of the exception: ``AssertionError``, ``ZeroDivisionError``, ``IndexError`` or ``ValueError``
        function: the function in which it is raised
        line: the line in which it is raised
        confirmed: whether Python has run the function with these arguments and choices, and it has failed like this
        reason: why it is not confirmed
    """

    def __init__(self, translation: Translation, result: Result) -> None:
        assert result.derivation is not None
        self.confirmed = False
        self.reason: Optional[str] = None
        self._translation = translation
        self._count = len(result.derivation)
        #: The steps; none if there are too many.
        self._steps: List[Step] = list(result.derivation) if self._count <= _MOST_STEPS else []
        self.arguments: Dict[str, Any] = {}
        self.exception = ""
        self.function, self.line = translation.program.name, translation.program.node.lineno
        places = list(translation.places.values())
        #: Where the run may fail.
        self._failures = [place for place in places if place.role == "failure" and place.exception != "call"]
        if self._steps:
            self._failures = [self._failure()]
            entry = next((step for step in self._run() if self._place(step).role == "entry"), None)
            self._announce(self._failures[0])
        else:
            # The run begins with the first step if nothing is called.
            first = next(iter(result.derivation))
            entry = first if self._place(first).role == "entry" and not translation.called else None
            if entry is None or self._count > _LONGEST_RUN or any(place.choice for place in places):
                self.reason = f"the run has {self._count} steps"
        try:
            self.arguments = _values(self._place(entry), entry) if entry is not None else {}
        except OverflowError as error:
            self.reason = str(error)

    def _announce(self, failure: Place) -> None:
        self.exception = failure.exception or ""
        self.function, self.line = failure.program.name, failure.line

    def _place(self, step: Step) -> Place:
        return self._translation.places[step.predicate or ""]

    def _failure(self) -> Place:
        """The innermost place that fails."""
        step = self._steps[self._steps[-1].premises[0]]
        while True:
            place = self._place(step)
            # A failure in a function that is called is that of the function.
            inner = [self._steps[premise] for premise in step.premises]
            deeper = next((other for other in inner if self._place(other).role in ("fails", "failure")), None)
            if deeper is None:
                return place
            step = deeper

    def _run(self) -> Iterator[Step]:
        """The steps in the order of the run. A fact that is used twice is run twice."""
        stack: List[Tuple[int, bool]] = [(self._steps[-1].premises[0], False)]
        while stack:
            number, is_done = stack.pop()
            step = self._steps[number]
            if is_done or not step.premises:
                yield step
                continue
            stack.append((number, True))
            # The history of the function comes before the call that it makes.
            calls = [p for p in step.premises if self._place(self._steps[p]).role in ("result", "fails")]
            history = [p for p in step.premises if p not in calls]
            stack.extend((premise, False) for premise in reversed([*history, *calls]))

    def choices(self) -> Iterator[Union[int, bool]]:
        """What :func:`nondet` gives, in the order of the run."""
        for step in self._run() if self._steps else ():
            place = self._place(step)
            if place.choice is not None:
                yield _raw(place, step)[place.choice]

    def trace(self, limit: int = 1000) -> List[TraceStep]:
        """The run by lines, at most so many."""
        found: List[TraceStep] = []
        for step in self._run() if self._steps else ():
            place = self._place(step)
            if place.role == "statement" or (place.role == "loop" and found and found[-1].line != place.line):
                if len(found) >= limit:
                    break
                values = _values(place, step)
                found.append(TraceStep(place.program.name, place.line, place.program.source(place.line), values))
        return found

    def confirm(self) -> None:
        """Runs the function with the arguments and choices, and looks whether it fails as announced."""
        if self.reason is not None:
            return
        if not __debug__:
            self.reason = "Python runs without assertions (-O)"
            return
        outcome: List[Optional[BaseException]] = [None]

        def run() -> None:
            copies = {name: list(v) if isinstance(v, list) else v for name, v in self.arguments.items()}
            positional = [copies.pop(argument.arg) for argument in self._translation.program.node.args.posonlyargs]
            try:
                with choosing(self.choices()):
                    self._translation.program.function(*positional, **copies)
            except BaseException as error:
                outcome[0] = error

        before, size = sys.getrecursionlimit(), threading.stack_size(256 * 1024 * 1024)
        sys.setrecursionlimit(max(before, 100_000))
        try:
            # Deep recursion needs a thread with a stack of its own.
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
        finally:
            sys.setrecursionlimit(before)
            threading.stack_size(size)
        self._judge(outcome[0])

    def _judge(self, error: Optional[BaseException]) -> None:
        if isinstance(error, (RecursionError, MemoryError, KeyboardInterrupt)):
            self.reason = f"the run ends with {type(error).__name__}"
            return
        for failure in self._failures if error is not None else []:
            if _fits(error, failure):
                self._announce(failure)
                self.confirmed = True
                return
        got = "nothing" if error is None else f"{type(error).__name__}: {error}"
        raise CounterexampleError(
            f"{self.exception or 'a failure'} was expected in line {self.line} of {self.function} for {self.arguments}, and "
            f"{got} came; "
            "this is a mistake of Shem's"
        )

    def __str__(self) -> str:
        arguments = ", ".join(f"{name}={value}" for name, value in self.arguments.items())
        lines = [f"{self._translation.program.name}({arguments})"]
        shown = self.trace(40)
        lines += [f"  {step}" for step in shown]
        if len(shown) == 40:
            lines.append("  …")
        lines.append(f"  line {self.line}: {self.exception}")
        lines.append("confirmed by running it" if self.confirmed else f"not confirmed by running it: {self.reason}")
        return "\n".join(lines)

    __repr__ = __str__


def _fits(error: Optional[BaseException], failure: Place) -> bool:
    """Whether an exception is the one of a place that fails, raised there."""
    # The message of an assertion may fail before the assertion does.
    is_message = failure.exception == "AssertionError" and failure.line in failure.program.with_message
    is_message = is_message and isinstance(error, Exception)
    if isinstance(error, (AssumptionViolated, NoMoreChoices)) or error is None:
        return False
    if type(error).__name__ != failure.exception and not is_message:
        return False
    trace, at = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code is failure.program.function.__code__:
            at = trace.tb_lineno
        trace = trace.tb_next
    return at is not None and failure.line <= at <= failure.last_line


class CounterexampleError(RuntimeError):
    """A counterexample that Python does not confirm: a mistake of Shem's that was noticed."""


def _raw(place: Place, step: Step) -> Dict[str, Any]:
    """The values of a place by the names of its variables; a list has an array and a length."""
    found: Dict[str, Any] = {}
    values = iter(step.values)
    for name, kind in place.variables:
        found[name] = (next(values), next(values)) if kind == LIST_KIND else next(values)
    return found


def _values(place: Place, step: Step) -> Dict[str, Any]:
    """The values of the variables that the function has, in Python."""
    found: Dict[str, Any] = {}
    kinds = dict(place.variables)
    for name, value in _raw(place, step).items():
        if name.startswith("$"):
            continue
        if kinds[name] == LIST_KIND:
            array, length = value
            if length > _LONGEST_LIST:
                raise OverflowError(f"{name} has {length} elements")
            found[name] = [array[index] for index in range(length)]
        else:
            found[name] = bool(value) if kinds[name] == BOOL_KIND else value
    return found


class Verification:
    """What came of a function.

    Attributes:
        verdict: ``"safe"``: no run fails; ``"unsafe"``: a run fails; ``"unknown"``
        reason: why the verdict is unknown
        invariants: after ``"safe"`` the :class:`Invariant` of each loop, by line
        counterexample: after ``"unsafe"`` the :class:`Counterexample`
        system: the clauses that the function became
        result: the :class:`Result` for the clauses
    """

    def __init__(self, translation: Translation, result: Result) -> None:
        self.program = translation.program
        self.system = translation.system
        self.result = result
        self.verdict: str = {"sat": "safe", "unsat": "unsafe"}.get(result.verdict, "unknown")
        self.reason = result.reason
        self.invariants: List[Invariant] = []
        self.counterexample: Optional[Counterexample] = None
        if result.model is not None:
            loops = [place for place in translation.places.values() if place.role == "loop"]
            found = [
                Invariant(place, result.model[place.predicate]) for place in loops if place.predicate in result.model
            ]
            self.invariants = sorted(found, key=lambda invariant: invariant.line)
        if result.derivation is not None:
            self.counterexample = Counterexample(translation, result)
            self.counterexample.confirm()

    def __str__(self) -> str:
        name = self.program.name
        if self.verdict == "safe":
            unchecked = " (Shem has not checked this answer)" if self.result.checked == "nothing" else ""
            lines = [f"{name} is safe: no run fails{unchecked}"]
            return "\n".join(lines + [f"  {invariant}" for invariant in self.invariants])
        if self.verdict == "unsafe":
            return f"{name} is unsafe: a run fails\n{self.counterexample or self.reason}"
        return f"{name} is not decided: {self.reason}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .draw import verification_html

        return verification_html(self)


class VerifiedFunction(_Typed[Parameters, Returned]):
    """A function that can be called as before, and verified: see :func:`verify`."""

    def __init__(self, function: Callable[Parameters, Returned], options: Dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self._program = Program(function)
        self._options = options
        self._last: Optional[Verification] = None
        try:
            Translation(self._program)
        except Unresolved:
            # It calls something that is defined later.
            pass

    def verify(self, **options: Any) -> Verification:
        """Whether no run fails; the options are those of :func:`solve`."""
        translation = Translation(self._program)
        result = translation.system.solve(**{"timeout": 60, **self._options, **options})
        self._last = Verification(translation, result)
        return self._last

    def terminates(self, *, timeout: Optional[float] = 60, memory: Optional[int] = None) -> Termination:
        """Whether all runs end, for all arguments: see :func:`terminates`. A run that fails has ended. Functions that call others,
        or use lists, are not decided."""
        translation = Translation(self._program)
        if translation.called:
            return Termination("MAYBE", f"{translation.called[0].name} is called", None)
        return translation.system.terminates(timeout=timeout, memory=memory)

    @property
    def verification(self) -> Verification:
        """The last answer, or a first one."""
        return self._last if self._last is not None else self.verify()

    def __repr__(self) -> str:
        return f"<verified function {self._program.name}>"

    def _repr_html_(self) -> str:
        return self.verification._repr_html_()


@overload
def verify(function: Callable[Parameters, Returned]) -> VerifiedFunction[Parameters, Returned]: ...


@overload
def verify(
    **options: Any,
) -> Callable[[Callable[Parameters, Returned]], VerifiedFunction[Parameters, Returned]]: ...


def verify(function: Any = None, **options: Any) -> Any:
    """Verifies a function: no run of it, for any arguments, fails by an assertion, a division by zero, an index out of
    range or a range with step 0.

    >>> @shem.verify
    ... def double(n: int) -> int:
    ...     shem.assume(n >= 0)
    ...     x = y = 0
    ...     while x < n:
    ...         x += 1
    ...         y += 2
    ...     assert y == 2 * n
    ...     return y
    >>> double.verify().verdict
    'safe'
    >>> double(4)
    8

    ``@verify(timeout=10)`` gives options of :func:`solve`; without one the time limit is 60 seconds. Supported are integers,
    truth values and lists of integers, ``if``, ``while``, ``for`` over ranges and lists, ``assert``, ``return``,
    :func:`assume`, :func:`nondet`, calls of other functions that are verified, and recursion. Anything else raises
    :class:`Unsupported` with its line. Whether runs end is another question, :meth:`VerifiedFunction.terminates`; two lists that
    are parameters are two lists.
    """
    if function is None:
        return lambda given: VerifiedFunction(given, options)
    return VerifiedFunction(function, options)
