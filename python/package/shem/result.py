"""What comes of a system of clauses: the verdict with its model or its derivation."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import (
    Any,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
    overload,
)

from . import _shem
from .evaluate import evaluate, evaluate_value
from .sexpr import flat, read_all, unquote
from .smtlib import Scope, from_tree
from .substitute import substitute
from .terms import BOOL, REAL, BitVectorsSort, Const, Expr, Function, fold, literal, of_sort


class Definition:
    """What a model says of a predicate or function: something that can be called and printed.

    Called with numbers and truth values it gives the value there; called with expressions it gives the expression.

    Attributes:
        name: the name of the predicate
        parameters: its parameters, variables
        body: the expression over them
        smtlib: the body in SMT-LIB
    """

    def __init__(self, name: str, parameters: Sequence[Expr], body: Expr, text: str) -> None:
        self.name = name
        self.parameters: Tuple[Expr, ...] = tuple(parameters)
        self.body = body
        self.smtlib = text

    def __call__(self, *arguments: Any) -> Any:
        if len(arguments) != len(self.parameters):
            raise TypeError(f"{self.name} takes {len(self.parameters)} arguments, not {len(arguments)}")
        names = [parameter.value for parameter in self.parameters]
        if any(isinstance(argument, Expr) for argument in arguments):
            pairs = zip(arguments, self.parameters)
            terms = [of_sort(argument, parameter.sort, self.name) for argument, parameter in pairs]
            return substitute(self.body, dict(zip(names, terms)))
        values = []
        for argument, parameter in zip(arguments, self.parameters):
            if isinstance(parameter.sort, BitVectorsSort):
                argument = of_sort(argument, parameter.sort, self.name).value
            values.append(Fraction(argument) if parameter.sort == REAL else argument)
        return evaluate(self.body, dict(zip(names, values)))

    def __str__(self) -> str:
        parameters = ", ".join(parameter.value for parameter in self.parameters)
        head = f"{self.name}({parameters})" if parameters else self.name
        return f"{head} {'⇔' if self.body.sort == BOOL else '='} {self.body}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .draw import definition_html

        return definition_html(self)


class Model(Mapping[str, Definition]):
    """A model of a system: the definition of each predicate, by its name or by the predicate.

    Attributes:
        smtlib: the model in SMT-LIB
    """

    def __init__(self, definitions: Iterable[Definition], text: str = "") -> None:
        self._definitions: Dict[str, Definition] = {found.name: found for found in definitions}
        self.smtlib = text

    @classmethod
    def parse(cls, text: str, datatypes: Iterable[Any] = ()) -> "Model":
        """A model that some solver has printed: ``define-fun`` commands, in a list or not; answers before it are skipped."""
        scope = Scope(sorts=datatypes)
        definitions: List[Definition] = []
        known: Dict[str, Definition] = {}
        stack = list(reversed(read_all(text)))
        while stack:
            tree = stack.pop()
            if not isinstance(tree, list) or not tree:
                continue
            if tree[0] == "define-fun-rec":
                scope.read_recursive(tree)
            elif tree[0] == "define-fun":
                definition = read_definition(tree, scope)
                definition.body = apply_definitions(definition.body, known)
                definitions.append(definition)
                known[definition.name] = definition
                scope.declare(
                    Function(definition.name, *[p.sort or BOOL for p in definition.parameters], scope.sort(tree[3]))
                )
            else:
                stack.extend(reversed(tree))
        return cls(definitions, text)

    def __getitem__(self, predicate: Union[str, Function]) -> Definition:
        return self._definitions[predicate.name if isinstance(predicate, Function) else predicate]

    def __contains__(self, predicate: object) -> bool:
        return (predicate.name if isinstance(predicate, Function) else predicate) in self._definitions

    def __iter__(self) -> Iterator[str]:
        return iter(self._definitions)

    def __len__(self) -> int:
        return len(self._definitions)

    def evaluate(self, formula: Expr) -> Expr:
        """The formula with the definitions in the place of the predicates."""
        return apply_definitions(formula, self._definitions)

    def __str__(self) -> str:
        return "\n".join(map(str, self._definitions.values()))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .draw import model_html

        return model_html(self)


def apply_definitions(formula: Expr, definitions: Mapping[str, Any]) -> Expr:
    """The formula with definitions, or functions of Python that make expressions, in the place of what they define."""

    def combine(term: Expr, arguments: List[Expr]) -> Expr:
        if term.op == "app" and type(term.value) is Function and term.value.name in definitions:
            definition = definitions[term.value.name]
            return (
                definition.body
                if isinstance(definition, Definition) and not arguments
                else literal(definition(*arguments))
            )
        return Expr(term.op, arguments, term.sort, term.value) if arguments else term

    result: Expr = fold(formula, combine)
    return result


def read_definition(tree: List[Any], scope: Scope) -> Definition:
    """The definition that a ``define-fun`` is."""
    _, name, parameters, _, body = tree
    variables = [Const(unquote(parameter), scope.sort(sort)) for parameter, sort in parameters]
    names = {**scope.variables, **{parameter: variable for (parameter, _), variable in zip(parameters, variables)}}
    return Definition(unquote(name), variables, from_tree(body, scope, names), flat(body))


class Step(NamedTuple):
    """A step of a derivation: a fact, the steps that it follows from, and the clause by which it does."""

    #: The number of the step, from 0.
    number: int
    #: The predicate; ``None`` is falsehood.
    predicate: Optional[str]
    #: The values of its arguments.
    values: Tuple[Any, ...]
    #: The numbers of the steps that it follows from.
    premises: Tuple[int, ...]
    #: The number of the clause, from 0, in the order of the input.
    clause: int

    def __str__(self) -> str:
        if self.predicate is None:
            return "false"
        return f"{self.predicate}({', '.join(map(str, self.values))})" if self.values else self.predicate


#: The steps that a pickled derivation keeps.
_PICKLED_STEPS = 1_000_000


class Derivation:
    """A derivation of falsehood: a run of the program to a bad state. Its steps are made as they are asked for.

    A pickled derivation keeps its first million steps; asking for more raises a ``ValueError``.
    """

    def __init__(
        self, outcome: Optional[_shem.Outcome], count: Optional[int] = None, kept: Sequence[Step] = ()
    ) -> None:
        self._outcome = outcome
        self._kept: Sequence[Step] = kept
        self._count: int = (
            count if count is not None else (outcome.step_count or 0) if outcome is not None else len(kept)
        )

    def __reduce__(self) -> Tuple[Any, ...]:
        return Derivation, (None, self._count, self.head(_PICKLED_STEPS))

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Step]:
        if self._outcome is None:
            yield from self._kept
            if len(self._kept) < self._count:
                raise ValueError(f"of the {self._count} steps {len(self._kept)} were kept when this was pickled")
            return
        for number, (predicate, values, premises, clause) in enumerate(self._outcome.steps()):
            name = None if predicate is None else unquote(predicate)
            yield Step(number, name, tuple(map(value_of, values)), tuple(premises), clause)

    def head(self, count: int = 10) -> List[Step]:
        """The first steps."""
        return list(itertools.islice(self, min(count, self._count)))

    def table(self, limit: int = 1_000_000) -> List[Dict[str, Any]]:
        """A row for each step; more steps than the limit are an error."""
        if len(self) > limit:
            raise ValueError(f"the derivation has {len(self)} steps, more than {limit}")
        return [_row(step) for step in self]

    def to_pandas(self, limit: int = 1_000_000) -> Any:
        """The table as a DataFrame; needs pandas. Integers stay integers, however large."""
        import pandas  # type: ignore[import-untyped, unused-ignore]

        rows = self.table(limit)
        width = max((len(row) for row in rows), default=4) - 4
        columns: Dict[str, Any] = {name: [row[name] for row in rows] for name in ("step", "predicate")}
        for name in (f"x{i}" for i in range(width)):
            values = [row.get(name) for row in rows]
            whole = all(value is None or (type(value) is int and abs(value) < 2**63) for value in values)
            columns[name] = pandas.Series(values, dtype="Int64" if whole else object)
        columns.update({name: [row[name] for row in rows] for name in ("premises", "clause")})
        return pandas.DataFrame(columns).set_index("step")

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
    """A value of SMT-LIB in Python: an int, a Fraction, a bool, an array, a value of a datatype."""
    if text.lstrip("-").isdigit():
        return int(text)
    return evaluate_value(from_tree(read_all(text)[0], Scope()))


class Result:
    """What came of a system.

    Attributes:
        verdict: ``"sat"``: there is a model, the program is safe; ``"unsat"``: falsehood can be derived; ``"unknown"``
        reason: why the verdict is unknown, or why there is no witness
        checked: what was checked before the answer was given: ``"witness"``, ``"certificate"`` or ``"nothing"``
        engine: who decided
        warnings: what went wrong without harm to the answer
        statistics: counts and times by name
        model: the :class:`Model` after ``"sat"``
        derivation: the :class:`Derivation` after ``"unsat"``
    """

    def __init__(self, outcome: _shem.Outcome, name: str = "problem", has_datatypes: bool = True) -> None:
        self.verdict: str = outcome.verdict
        self.reason: Optional[str] = outcome.reason
        self.checked: str = outcome.checked
        self.engine: str = outcome.engine
        self.warnings: List[str] = outcome.warnings
        self.statistics: Dict[str, Union[int, float]] = outcome.statistics
        self.model: Optional[Model] = _model(outcome, has_datatypes)
        self.derivation: Optional[Derivation] = Derivation(outcome) if outcome.step_count is not None else None
        self._outcome: Optional[_shem.Outcome] = outcome
        self._name = name

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_outcome": None}

    @overload
    def report(self) -> str: ...

    @overload
    def report(self, path: Any) -> None: ...

    def report(self, path: Any = None) -> Optional[str]:
        """A page of HTML about the answer, written to the path or, without one, given back: graph, invariants or
        counterexample, what the engines did. Results that were pickled have none."""
        if self._outcome is None:
            raise ValueError("this result was pickled; a page is made where the problem was solved")
        page = self._outcome.report(self._name)
        if path is None:
            return page
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
        return None

    def __repr__(self) -> str:
        witness = self.model if self.model is not None else self.derivation
        if self.verdict == "unknown":
            return f"unknown: {self.reason}"
        return f"{self.verdict}\n{witness}" if witness is not None else self.verdict

    def _repr_html_(self) -> str:
        from .draw import result_html

        return result_html(self)


def _model(outcome: _shem.Outcome, has_datatypes: bool) -> Optional[Model]:
    found = outcome.definitions
    if found is None:
        return None
    scope = Scope()
    for tree in read_all(outcome.system_text) if has_datatypes else []:
        if tree[0] == "declare-datatypes":
            scope.read_datatypes(tree)
    for text in outcome.recursive_definitions:
        scope.read_recursive(read_all(text)[0])
    definitions = []
    for name, parameters, body in found:
        variables = [Const(unquote(parameter), scope.sort(read_all(sort)[0])) for parameter, sort in parameters]
        known = {parameter: variable for (parameter, _), variable in zip(parameters, variables)}
        definitions.append(Definition(unquote(name), variables, from_tree(read_all(body)[0], scope, known), body))
    return Model(definitions, outcome.model_text or "")
