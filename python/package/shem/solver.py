"""The incremental SMT solver."""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Set, Union

from . import _shem
from .evaluate import evaluate
from .horn import Definition, value_of
from .terms import (
    And,
    Const,
    Exists,
    Expr,
    Function,
    Sort,
    free_variables,
    from_tree,
    functions_of,
    literal,
    quote,
    read_all,
    to_smtlib,
    _flat,
    _unquote,
)


class SolverError(ValueError):
    """The solver does not understand or cannot do what was asked; the words say why."""


class SolverModel(Mapping[str, Any]):
    """The values of variables, by name, and the definitions of functions."""

    def __init__(self, values: Dict[str, Any]) -> None:
        self._values = values

    def __getitem__(self, name: Union[str, Expr, Function]) -> Any:
        if isinstance(name, Expr):
            name = name.value if name.op == "var" else str(name)
        elif isinstance(name, Function):
            name = name.name
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def evaluate(self, term: Any) -> Any:
        """The value of a term in the model."""
        return evaluate(literal(term), self._values)

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
    """

    def __init__(self, timeout: Optional[float] = None) -> None:
        """`timeout` is for each check, in seconds."""
        self._session = _shem.Session()
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

    def _run(self, commands: str) -> str:
        reply = self._session.run(commands)
        if reply.startswith("(error"):
            raise SolverError(reply[len('(error "') : reply.rindex('"')].replace('""', '"'))
        return reply.strip()

    def _declare(self, formula: Expr) -> None:
        commands = []
        for variable in free_variables(formula):
            known = self._variables.get(variable.value)
            if known is None:
                if variable.sort is None:
                    raise SolverError(f"{variable.value} has no sort")
                self._variables[variable.value] = variable
                commands.append(f"(declare-const {quote(variable.value)} {variable.sort.name})")
            elif known.sort != variable.sort:
                raise SolverError(f"{variable.value} is of sort {known.sort} and of sort {variable.sort}")
        for function in functions_of([formula]):
            known_function = self._functions.get(function.name)
            if known_function is None:
                self._functions[function.name] = function
                sorts = " ".join(sort.name for sort in function.sorts)
                commands.append(f"(declare-fun {quote(function.name)} ({sorts}) {function.range.name})")
            elif known_function != function:
                raise SolverError(f"{function.name} has two declarations")
        if commands:
            self._run(" ".join(commands))

    def _read(self, tree: Any) -> Expr:
        return from_tree(tree, dict(self._variables), self._functions)

    def add(self, *formulas: Any) -> None:
        """Asserts formulas."""
        for formula in formulas:
            formula = literal(formula)
            self._declare(formula)
            self._run(f"(assert {to_smtlib(formula)})")
            self._levels[-1].append(formula)

    def assert_and_track(self, formula: Any, name: Union[str, Expr]) -> None:
        """Asserts a formula under a name, which cores and interpolants are told by."""
        name = name.value if isinstance(name, Expr) else name
        formula = literal(formula)
        self._declare(formula)
        self._run(f"(assert (! {to_smtlib(formula)} :named {quote(name)}))")
        self._levels[-1].append(formula)
        self._names[-1].add(name)
        self._tracked[name] = formula

    def assertions(self) -> List[Expr]:
        """What is asserted."""
        return [formula for level in self._levels for formula in level]

    def push(self) -> None:
        """Opens a level; :meth:`pop` takes back what was asserted in it."""
        self._run("(push 1)")
        self._levels.append([])
        self._names.append(set())

    def pop(self, levels: int = 1) -> None:
        """Closes levels."""
        if not 0 <= levels < len(self._levels):
            raise SolverError(f"there are {len(self._levels) - 1} levels, not {levels}")
        self._run(f"(pop {levels})")
        del self._levels[len(self._levels) - levels :]
        del self._names[len(self._names) - levels :]

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

    def reason_unknown(self) -> str:
        """Why the last check was not decided."""
        return self._run("(get-info :reason-unknown)")

    def model(self) -> SolverModel:
        """After ``sat``: the values of the variables."""
        self._expect("sat")
        values: Dict[str, Any] = {}
        for entry in read_all(self._run("(get-model)"))[0]:
            if not isinstance(entry, list) or entry[0] != "define-fun":
                continue
            _, name, parameters, sort, body = entry
            if name.startswith("|assumption "):
                continue
            if parameters:
                variables = [Const(_unquote(p), Sort(_flat(s))) for p, s in parameters]
                known = {p: variable for (p, _), variable in zip(parameters, variables)}
                body_term = from_tree(body, known, self._functions)
                values[_unquote(name)] = Definition(_unquote(name), variables, body_term, _flat(body))
            else:
                values[_unquote(name)] = _value(body, Sort(_flat(sort)))
        return SolverModel(values)

    def unsat_core(self) -> List[Expr]:
        """After ``unsat``: the assumptions and tracked formulas that cannot hold together."""
        self._expect("unsat")
        core: List[Expr] = []
        if self._assumed:
            for tree in read_all(self._run("(get-unsat-assumptions)"))[0]:
                core.append(self._assumed[_flat(tree)])
        if any(self._names):
            for name in read_all(self._run("(get-unsat-core)"))[0]:
                if _unquote(_flat(name)) in self._tracked:
                    core.append(self._tracked[_unquote(_flat(name))])
        return core

    def interpolant(self, *first: str) -> Expr:
        """After ``unsat``: what follows from the tracked formulas of these names, contradicts the other assertions, and
        has only symbols that both sides have."""
        self._expect("unsat")
        rest = [quote(name) for names in self._names for name in sorted(names) if name not in first]
        groups = [f"(and {' '.join(map(quote, first))})" if len(first) > 1 else quote(first[0])]
        groups.append(f"(and {' '.join(rest)})" if len(rest) > 1 else " ".join(rest))
        reply = self._run(f"(get-interpolants {' '.join(groups)})")
        if reply == "unknown":
            raise SolverError(self.reason_unknown())
        return self._read(read_all(reply)[0][0])

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


def _value(tree: Any, sort: Sort) -> Any:
    value = value_of(_flat(tree))
    from fractions import Fraction

    return Fraction(value) if sort.name == "Real" and isinstance(value, int) else value


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
