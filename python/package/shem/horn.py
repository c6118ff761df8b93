"""Systems of constrained Horn clauses, their models and derivations."""

from __future__ import annotations

import itertools
import os
import sys
from fractions import Fraction
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _shem
from .evaluate import evaluate
from .sexpr import quote, read_all, unquote
from .smtlib import from_tree, to_smtlib
from .terms import (
    BOOL,
    REAL,
    Const,
    Expr,
    ForAll,
    Function,
    Implies,
    And,
    Sort,
    free_variables,
    functions_of,
    literal,
    substitute,
    to_real,
)


class Definition:
    """What a model says of a predicate: a function that can be called and printed.

    Called with numbers and truth values it says whether the predicate holds there; called with expressions it gives the
    formula.
    """

    def __init__(self, name: str, parameters: Sequence[Expr], body: Expr, text: str) -> None:
        self.name = name
        self.parameters: Tuple[Expr, ...] = tuple(parameters)
        self.body = body
        #: The body in SMT-LIB.
        self.smtlib = text

    def __call__(self, *arguments: Any) -> Any:
        if len(arguments) != len(self.parameters):
            raise TypeError(f"{self.name} takes {len(self.parameters)} arguments, not {len(arguments)}")
        names = [parameter.value for parameter in self.parameters]
        if any(isinstance(argument, Expr) for argument in arguments):
            terms = []
            for argument, parameter in zip(arguments, self.parameters):
                term = literal(argument, parameter.sort)
                terms.append(to_real(term) if parameter.sort == REAL and term.sort != REAL else term)
            return substitute(self.body, dict(zip(names, terms)))
        values = []
        for argument, parameter in zip(arguments, self.parameters):
            values.append(Fraction(argument) if parameter.sort == REAL else argument)
        return evaluate(self.body, dict(zip(names, values)))

    def __str__(self) -> str:
        parameters = ", ".join(parameter.value for parameter in self.parameters)
        return f"{self.name}({parameters}) ⇔ {self.body}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .draw import definition_html

        return definition_html(self)


class Model(Mapping[str, Definition]):
    """A model of a system: the definition of each predicate, by its name."""

    def __init__(self, definitions: Iterable[Definition], text: str) -> None:
        self._definitions: Dict[str, Definition] = {found.name: found for found in definitions}
        #: The model in SMT-LIB.
        self.smtlib = text

    def __getitem__(self, predicate: Union[str, Function]) -> Definition:
        return self._definitions[predicate.name if isinstance(predicate, Function) else predicate]

    def __iter__(self) -> Iterator[str]:
        return iter(self._definitions)

    def __len__(self) -> int:
        return len(self._definitions)

    def __str__(self) -> str:
        return "\n".join(map(str, self._definitions.values()))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .draw import model_html

        return model_html(self)


class Step(NamedTuple):
    """A step of a derivation: a fact, the steps that it follows from, and the clause by which it does."""

    number: int
    #: The predicate; ``None`` is falsehood.
    predicate: Optional[str]
    values: Tuple[Any, ...]
    #: The numbers of the steps that it follows from.
    premises: Tuple[int, ...]
    #: The number of the clause, from 0, in the order of the input.
    clause: int

    def __str__(self) -> str:
        if self.predicate is None:
            return "false"
        return f"{self.predicate}({', '.join(map(str, self.values))})" if self.values else self.predicate


class Derivation:
    """A derivation of falsehood: a run of the program to a bad state. Its steps are made as they are asked for."""

    def __init__(self, outcome: _shem.Outcome) -> None:
        self._outcome = outcome
        self._count: int = outcome.step_count or 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Step]:
        for number, (predicate, values, premises, clause) in enumerate(self._outcome.steps()):
            name = None if predicate is None else unquote(predicate)
            yield Step(number, name, tuple(map(value_of, values)), tuple(premises), clause)

    def head(self, count: int = 10) -> List[Step]:
        """The first steps."""
        return list(itertools.islice(self, count))

    def table(self, limit: int = 1_000_000) -> List[Dict[str, Any]]:
        """A row for each step; more steps than the limit are an error."""
        if len(self) > limit:
            raise ValueError(f"the derivation has {len(self)} steps, more than {limit}")
        return [_row(step) for step in self]

    def to_pandas(self, limit: int = 1_000_000) -> Any:
        """The table as a DataFrame; needs pandas."""
        import pandas

        return pandas.DataFrame(self.table(limit)).set_index("step")

    def __str__(self) -> str:
        steps = [f"{step.number}: {step}" for step in self.head(20)]
        more = len(self) - len(steps)
        return "\n".join(steps + ([f"… and {more} more steps"] if more > 0 else []))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .draw import derivation_html

        return derivation_html(self)


def _row(step: Step) -> Dict[str, Any]:
    row: Dict[str, Any] = {"step": step.number, "predicate": step.predicate or "false"}
    row.update((f"x{i}", value) for i, value in enumerate(step.values))
    row["premises"] = step.premises
    row["clause"] = step.clause
    return row


def value_of(text: str) -> Any:
    """A value of SMT-LIB in Python: an int, a Fraction, a bool, an array; other values stay text."""
    if text.lstrip("-").isdigit():
        return int(text)
    term = from_tree(read_all(text)[0], {})
    try:
        return evaluate(term, {})
    except ValueError:
        return text


class Result:
    """What came of a system."""

    def __init__(self, outcome: _shem.Outcome) -> None:
        #: ``"sat"``: there is a model, the program is safe; ``"unsat"``: falsehood can be derived; ``"unknown"``.
        self.verdict: str = outcome.verdict
        #: Why the verdict is unknown, or why there is no witness.
        self.reason: Optional[str] = outcome.reason
        #: What was checked before the answer was given: ``"witness"``, ``"certificate"`` or ``"nothing"``.
        self.checked: str = outcome.checked
        #: Who decided.
        self.engine: str = outcome.engine
        self.warnings: List[str] = outcome.warnings
        #: Counts and times by name.
        self.statistics: Dict[str, Union[int, float]] = outcome.statistics
        self.model: Optional[Model] = _model(outcome)
        self.derivation: Optional[Derivation] = Derivation(outcome) if outcome.step_count is not None else None

    def __repr__(self) -> str:
        witness = self.model if self.model is not None else self.derivation
        if self.verdict == "unknown":
            return f"unknown: {self.reason}"
        return f"{self.verdict}\n{witness}" if witness is not None else self.verdict

    def _repr_html_(self) -> str:
        from .draw import result_html

        return result_html(self)


def _model(outcome: _shem.Outcome) -> Optional[Model]:
    found = outcome.definitions
    if found is None:
        return None
    definitions = []
    for name, parameters, body in found:
        variables = [Const(unquote(parameter), Sort(sort)) for parameter, sort in parameters]
        known = {parameter: variable for (parameter, _), variable in zip(parameters, variables)}
        definitions.append(Definition(unquote(name), variables, from_tree(read_all(body)[0], known), body))
    return Model(definitions, outcome.model_text or "")


#: Loads the extension module without the rest of the package and runs the program. The loader is the one behind
#: importlib; taken from there it costs half of the time that Python takes to start.
_WORKER = """
import sys
try:
    from _frozen_importlib import module_from_spec, spec_from_loader
    from _frozen_importlib_external import ExtensionFileLoader
except ImportError:
    from importlib.machinery import ExtensionFileLoader
    from importlib.util import module_from_spec, spec_from_loader
loader = ExtensionFileLoader("_shem", sys.argv[1])
module = module_from_spec(spec_from_loader("_shem", loader))
loader.exec_module(module)
sys.exit(module.main(sys.argv[2:]))
"""


def _worker() -> List[str]:
    """The command that runs an engine in a process of its own: this Python, with the program in the package."""
    path = getattr(_shem, "__file__", None)
    return [sys.executable, "-I", "-S", "-c", _WORKER, path] if sys.executable and path else []


def solve(
    problem: Union[str, "os.PathLike[str]"],
    *,
    engine: Optional[str] = None,
    settings: Optional[Mapping[str, str]] = None,
    timeout: Optional[float] = None,
    memory: Optional[int] = None,
    seed: int = 0,
    deterministic: bool = False,
    jobs: Optional[int] = None,
    witness: bool = True,
    processes: bool = True,
) -> Result:
    """Decides a system of clauses in SMT-LIB: a text, or the path of a file.

    ``engine`` is the name of one of :func:`engines`; without it the default strategy runs several, in processes, or in
    threads if ``processes`` is off. ``timeout`` is in seconds, ``memory`` in megabytes. Ctrl-C ends the search. Text that
    is not a problem raises :class:`ParseError` with ``line`` and ``column``.
    """
    text = _text_of(problem)
    return Result(
        _shem.solve(
            text,
            engine=engine,
            settings=[(name, str(value)) for name, value in (settings or {}).items()],
            timeout=timeout,
            memory=memory,
            seed=seed,
            deterministic=deterministic,
            jobs=jobs,
            witness=witness,
            worker=_worker() if processes and engine is None and not deterministic else [],
        )
    )


def _text_of(problem: Union[str, "os.PathLike[str]"]) -> str:
    if isinstance(problem, str) and ("(" in problem or "\n" in problem or not problem.strip()):
        return problem
    path = os.fspath(problem)
    if path.endswith(".gz"):
        import gzip

        with gzip.open(path, "rt", encoding="utf-8") as file:
            return file.read()
    with open(path, encoding="utf-8") as file:
        return file.read()


class Horn:
    """A system of clauses, built by calls.

    >>> x, y = Ints('x y')
    >>> loop = Function('loop', IntSort(), IntSort(), BoolSort())
    >>> system = Horn()
    >>> system.rule(loop(0, 0))
    >>> system.rule(loop(x + 1, y + 2), loop(x, y))
    >>> system.query(loop(x, y), y != 2 * x)
    >>> system.solve().verdict
    'sat'
    """

    def __init__(self) -> None:
        self.clauses: List[Expr] = []

    def add(self, *formulas: Any) -> "Horn":
        """Adds formulas: clauses like ``ForAll([x], Implies(p(x), q(x)))``. Free variables are universal."""
        for formula in formulas:
            formula = literal(formula)
            if formula.sort not in (BOOL, None):
                raise TypeError(f"{formula} is not a formula")
            self.clauses.append(ForAll(free_variables(formula), formula))
        return self

    def rule(self, head: Any, *body: Any) -> "Horn":
        """Adds the clause that the body implies the head."""
        return self.add(Implies(And(*body), head) if body else head)

    def query(self, *body: Any) -> "Horn":
        """Adds the clause that the body never holds."""
        return self.add(Implies(And(*body), False))

    def smtlib(self) -> str:
        """The system in the format of CHC-COMP."""
        lines = ["(set-logic HORN)"]
        for function in functions_of(self.clauses):
            sorts = " ".join(sort.name for sort in function.sorts)
            lines.append(f"(declare-fun {quote(function.name)} ({sorts}) {function.range.name})")
        lines.extend(f"(assert {to_smtlib(clause)})" for clause in self.clauses)
        lines.append("(check-sat)")
        return "\n".join(lines) + "\n"

    def solve(self, **options: Any) -> Result:
        """Decides the system; the options are those of :func:`solve`."""
        return solve(self.smtlib(), **options)

    def __str__(self) -> str:
        return "\n".join(map(str, self.clauses))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .draw import system_html

        return system_html(self)


class Fixedpoint:
    """Much as z3's class of this name: relations, rules, and a query that asks whether something can be derived."""

    def __init__(self) -> None:
        self._system = Horn()
        self._last: Optional[Result] = None

    def register_relation(self, *relations: Function) -> None:
        """Rules declare the relations that they mention, so this is not needed."""

    def declare_var(self, *variables: Expr) -> None:
        """Free variables of rules are universal, so this is not needed."""

    def rule(self, head: Any, body: Any = None) -> None:
        """Adds a rule."""
        parts = [] if body is None else list(body) if isinstance(body, (list, tuple)) else [body]
        self._system.rule(head, *parts)

    def fact(self, head: Any) -> None:
        """Adds a fact."""
        self.rule(head)

    def query(self, *goals: Any, **options: Any) -> str:
        """Whether the goal can be derived: ``"sat"`` if it can, as z3 says it, and ``"unsat"`` if it cannot."""
        system = Horn()
        system.clauses = list(self._system.clauses)
        system.query(*goals)
        self._last = system.solve(**options)
        return {"sat": "unsat", "unsat": "sat"}.get(self._last.verdict, "unknown")

    def get_answer(self) -> Union[Model, Derivation, None]:
        """After a query: the derivation of the goal, or the invariants that exclude it."""
        if self._last is None:
            raise ValueError("nothing was asked")
        return self._last.model if self._last.model is not None else self._last.derivation

    def reason_unknown(self) -> Optional[str]:
        """Why the last query was not decided."""
        return self._last.reason if self._last is not None else None
