"""The incremental SMT solver."""

from __future__ import annotations

import functools
import threading
from fractions import Fraction
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Set, TypeVar, Union, cast

from . import _shem
from .datatypes import DatatypeSort, datatypes_of, declare_datatypes
from .evaluate import evaluate
from .result import Definition, apply_definitions, read_definition, value_of
from .sexpr import flat, quote, read_all, unquote
from .smtlib import Scope, declare_function, from_tree, to_smtlib
from .terms import And, Exists, Expr, Function, Sort, free_variables, functions_of, literal


class SolverError(ValueError):
    """The solver does not understand or cannot do what was asked; the words say why."""


Method = TypeVar("Method", bound=Callable[..., Any])


def _locked(method: Method) -> Method:
    """The method, for one thread at a time."""

    @functools.wraps(method)
    def alone(self: "Solver", *arguments: Any, **options: Any) -> Any:
        with self._lock:
            return method(self, *arguments, **options)

    return cast(Method, alone)


class SolverModel(Mapping[str, Any]):
    """The values of variables, by name, and the definitions of functions, which can be called."""

    def __init__(self, values: Dict[str, Any], sorts: Optional[Mapping[str, Optional[Sort]]] = None) -> None:
        self._values = values
        self._sorts = dict(sorts or {})

    def __getitem__(self, name: Union[str, Expr, Function]) -> Any:
        if isinstance(name, Function):
            return self._values[name.name]
        return self._values[_name(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def evaluate(self, term: Any) -> Any:
        """The value of a term in the model."""
        functions = {name: value for name, value in self._values.items() if isinstance(value, Definition)}
        term = literal(term)
        return evaluate(apply_definitions(term, functions) if functions else term, self._values)

    eval = evaluate

    def as_expr(self, name: Union[str, Expr]) -> Expr:
        """The value of a variable as an expression: an array as stores into a constant one."""
        return literal(self._values[_name(name)], self._sorts.get(_name(name)))

    def __repr__(self) -> str:
        return "[" + ", ".join(f"{name} = {value}" for name, value in self._values.items()) + "]"


class Solver:
    """Assertions that can be added and taken back, and questions about them.

    >>> x, y = Ints('x y')
    >>> solver = Solver()
    >>> solver.add(x + y == 10, x > 2 * y, y > 0)
    >>> solver.check()
    'sat'
    >>> solver.model().evaluate(x + y)
    10

    Threads may share a solver: each call waits until the one before it is done. ``with solver:`` keeps others out of several
    calls, so that ``model()`` is about one's own ``check()``.
    """

    def __init__(self, timeout: Optional[float] = None) -> None:
        """`timeout` is for each check, in seconds."""
        self._lock = threading.RLock()
        self._session = _shem.Session()
        self._datatypes: Dict[str, DatatypeSort] = {}
        self._variables: Dict[str, Expr] = {}
        self._functions: Dict[str, Function] = {}
        self._levels: List[List[Expr]] = [[]]
        self._names: List[Set[str]] = [set()]
        self._tracked: Dict[str, Expr] = {}
        self._assumed: Dict[str, Expr] = {}
        self._counter = 0
        self._last: Optional[str] = None
        self._run("(set-option :global-declarations true) (set-option :produce-interpolants true)")
        if timeout is not None:
            self._run(f"(set-option :timeout {int(timeout * 1000)})")

    def __enter__(self) -> "Solver":
        self._lock.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def _run(self, commands: str) -> str:
        reply = self._session.run(commands)
        if reply.startswith("(error"):
            raise SolverError(reply[len('(error "') : reply.rindex('"')].replace('""', '"'))
        return reply.strip()

    def _declare(self, formula: Expr) -> None:
        new: List[DatatypeSort] = []
        for sort in datatypes_of([formula]):
            known_sort = self._datatypes.get(sort.name)
            if known_sort is None:
                new.append(sort)
            elif known_sort.declaration() != sort.declaration():
                raise SolverError(f"{sort.name} has two declarations")
        if new:
            self._run(declare_datatypes(new))
            self._datatypes.update({sort.name: sort for sort in new})
        for variable in free_variables(formula):
            known = self._variables.get(variable.value)
            if known is None:
                if variable.sort is None:
                    raise SolverError(f"{variable.value} has no sort")
                self._run(f"(declare-const {quote(variable.value)} {variable.sort.name})")
                self._variables[variable.value] = variable
            elif known.sort != variable.sort:
                raise SolverError(f"{variable.value} is of sort {known.sort} and of sort {variable.sort}")
        for function in functions_of([formula]):
            known_function = self._functions.get(function.name)
            if known_function is None:
                self._run(declare_function(function))
                self._functions[function.name] = function
            elif known_function != function:
                raise SolverError(f"{function.name} has two declarations")

    def _scope(self) -> Scope:
        return Scope(self._variables.values(), self._functions.values(), self._datatypes.values())

    def _read(self, tree: Any) -> Expr:
        return from_tree(tree, self._scope())

    @_locked
    def add(self, *formulas: Any) -> None:
        """Asserts formulas."""
        for formula in formulas:
            formula = literal(formula)
            self._declare(formula)
            self._run(f"(assert {to_smtlib(formula)})")
            self._levels[-1].append(formula)

    @_locked
    def assert_and_track(self, formula: Any, label: Union[str, Expr]) -> None:
        """Asserts a formula under a name, which cores and interpolants are told by."""
        name = _name(label)
        formula = literal(formula)
        self._declare(formula)
        self._run(f"(assert (! {to_smtlib(formula)} :named {quote(name)}))")
        self._levels[-1].append(formula)
        self._names[-1].add(name)
        self._tracked[name] = formula

    @_locked
    def assertions(self) -> List[Expr]:
        """What is asserted."""
        return [formula for level in self._levels for formula in level]

    @_locked
    def push(self) -> None:
        """Opens a level; :meth:`pop` takes back what was asserted in it."""
        self._run("(push 1)")
        self._levels.append([])
        self._names.append(set())

    @_locked
    def pop(self, levels: int = 1) -> None:
        """Closes levels."""
        if not 0 <= levels < len(self._levels):
            raise SolverError(f"there are {len(self._levels) - 1} levels, not {levels}")
        self._run(f"(pop {levels})")
        del self._levels[len(self._levels) - levels :]
        del self._names[len(self._names) - levels :]

    @_locked
    def check(self, *assumptions: Any) -> str:
        """``"sat"``, ``"unsat"`` or ``"unknown"``: whether the assertions can hold together, under assumptions."""
        if len(assumptions) == 1 and isinstance(assumptions[0], (list, tuple)):
            assumptions = tuple(assumptions[0])
        self._assumed = {}
        if not assumptions:
            self._last = self._run("(check-sat)")
            return self._last
        for assumption in map(literal, assumptions):
            self._declare(assumption)
            if assumption.op == "var":
                self._assumed[quote(assumption.value)] = assumption
                continue
            # A name of its own for each, by which the core tells it.
            self._counter += 1
            name = f"|assumption {self._counter}|"
            self._run(f"(define-fun {name} () Bool {to_smtlib(assumption)})")
            self._assumed[name] = assumption
        self._last = self._run(f"(check-sat-assuming ({' '.join(self._assumed)}))")
        return self._last

    @_locked
    def reason_unknown(self) -> str:
        """Why the last check was not decided."""
        return self._run("(get-info :reason-unknown)")

    @_locked
    def model(self) -> SolverModel:
        """After ``sat``: the values of the variables."""
        self._expect("sat")
        values: Dict[str, Any] = {}
        scope = self._scope()
        for entry in read_all(self._run("(get-model)"))[0]:
            if not isinstance(entry, list) or entry[0] != "define-fun":
                continue
            _, name, parameters, sort, body = entry
            if name.startswith("|assumption "):
                continue
            if parameters:
                values[unquote(name)] = read_definition(entry, scope)
            else:
                values[unquote(name)] = _value(body, scope)
        return SolverModel(values, {name: variable.sort for name, variable in self._variables.items()})

    @_locked
    def statistics(self) -> Dict[str, Union[int, float]]:
        """Counts and times of the last check, by name."""
        found: Dict[str, Union[int, float]] = {}
        tokens = read_all(self._run("(get-info :all-statistics)"))[0]
        for name, value in zip(tokens[::2], tokens[1::2]):
            text = flat(value)
            found[name.lstrip(":")] = float(text) if "." in text else int(text)
        return found

    @_locked
    def unsat_core(self) -> List[Expr]:
        """After ``unsat``: the assumptions and tracked formulas that cannot hold together."""
        self._expect("unsat")
        core: List[Expr] = []
        if self._assumed:
            for tree in read_all(self._run("(get-unsat-assumptions)"))[0]:
                core.append(self._assumed[flat(tree)])
        if any(self._names):
            for name in read_all(self._run("(get-unsat-core)"))[0]:
                if unquote(flat(name)) in self._tracked:
                    core.append(self._tracked[unquote(flat(name))])
        return core

    @_locked
    def interpolant(self, *first: str) -> Expr:
        """After ``unsat``: what follows from the tracked formulas of these names, contradicts the other assertions, and
        has only symbols that both sides have."""
        self._expect("unsat")
        if not first:
            raise SolverError("an interpolant needs the names of tracked formulas")
        rest = [quote(name) for names in self._names for name in sorted(names) if name not in first]
        sides = [[quote(name) for name in first], rest]
        groups = [f"(and {' '.join(side)})" if len(side) > 1 else " ".join(side) for side in sides]
        reply = self._run(f"(get-interpolants {' '.join(groups)})")
        if reply == "unknown":
            raise SolverError(self.reason_unknown())
        return self._read(read_all(reply)[0][0])

    @_locked
    def project(self, variables: Union[Expr, Sequence[Expr]], formula: Any = None) -> Expr:
        """A formula without these variables that says for which values of the others there are values of them: the
        formula, or all that is asserted, with the variables eliminated."""
        body = And(*self.assertions()) if formula is None else literal(formula)
        quantified = Exists(variables, body)
        self._declare(quantified)
        reply = self._run(f"(get-qe {to_smtlib(quantified)})")
        if reply == "unknown":
            raise SolverError(self.reason_unknown())
        return self._read(read_all(reply)[0])

    def _expect(self, answer: str) -> None:
        if self._last != answer:
            raise SolverError(f"the last answer was {self._last}, not {answer}")

    def __repr__(self) -> str:
        return "[" + ", ".join(map(str, self.assertions())) + "]"


def _name(given: Union[str, Expr]) -> str:
    """The name of a variable, or the name itself."""
    return given if isinstance(given, str) else str(given.value if given.op == "var" else given)


def _value(tree: Any, scope: Scope) -> Any:
    term = from_tree(tree, scope)
    value = evaluate(term, {}) if term.sort is not None else value_of(flat(tree))
    return Fraction(value) if term.sort is not None and term.sort.name == "Real" else value


def interpolant(first: Any, second: Any) -> Optional[Expr]:
    """What follows from the first formula, contradicts the second, and has only symbols of both; ``None`` if the two can
    hold together."""
    found = interpolants([first, second])
    return found[0] if found is not None else None


def interpolants(formulas: Iterable[Any]) -> Optional[List[Expr]]:
    """The interpolants between formulas in a row that cannot hold together; ``None`` if they can."""
    solver = Solver()
    names = []
    for number, formula in enumerate(formulas):
        names.append(f"group{number}")
        solver.assert_and_track(formula, names[-1])
    answer = solver.check()
    if answer == "unknown":
        raise SolverError(solver.reason_unknown())
    if answer == "sat":
        return None
    reply = solver._run(f"(get-interpolants {' '.join(names)})")
    if reply == "unknown":
        raise SolverError(solver.reason_unknown())
    return [solver._read(tree) for tree in read_all(reply)[0]]


def project(variables: Union[Expr, Sequence[Expr]], formula: Any) -> Expr:
    """The formula with these variables eliminated: see :meth:`Solver.project`."""
    return Solver().project(variables, formula)
