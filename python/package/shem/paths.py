"""Places in a function, and paths from one to the next, which become clauses: see :mod:`shem.translate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from .program import BOOL_KIND, INT_KIND, LIST_KIND, NO_KIND, Kind, Program
from .terms import BOOL, INT, ArraySort, Const, Expr, Function, If, IntVal, Not, Sort

if TYPE_CHECKING:
    from .translate import Translation


class Value(NamedTuple):
    """The value of an expression: a term, and for a list its length."""

    kind: Kind
    term: Expr
    length: Optional[Expr] = None


class Place:
    """A place in a function, with its predicate.

    Attributes:
        program: the function
        role: ``entry``, ``statement``, ``loop``, ``join``, ``call``, ``choice``, ``failure``, ``result`` or ``fails``
        line: the line
        variables: the variables in the order of the arguments; a list has two, with its length second
        shown: the names under which hidden variables are shown
        choice: the variable that :func:`nondet` has just given
        exception: the exception of a failure
        last_line: the last line of the statement that fails
    """

    def __init__(
        self, program: Program, role: str, line: int, name: str, variables: Sequence[Tuple[str, Kind]]
    ) -> None:
        self.program = program
        self.role = role
        self.line = line
        self.variables = list(variables)
        self.shown: Dict[str, str] = {}
        self.choice: Optional[str] = None
        self.exception: Optional[str] = None
        self.last_line = line
        sorts = [parameter.sort or INT for parameter in self.parameters()]
        self.predicate = Function(name, *sorts, BOOL)

    def parameters(self) -> List[Expr]:
        """The variables of the predicate."""
        return [term for name, kind in self.variables for term in flatten(variable(name, kind))]


_SORTS: Dict[Kind, Sort] = {INT_KIND: INT, BOOL_KIND: BOOL, LIST_KIND: ArraySort(INT, INT)}


def variable(name: str, kind: Kind) -> Value:
    """A variable of a clause."""
    return Value(kind, Const(name, _SORTS[kind]), Const(f"len({name})", INT) if kind == LIST_KIND else None)


def flatten(value: Value) -> List[Expr]:
    """The terms of a value."""
    return [value.term] if value.length is None else [value.term, value.length]


class Path:
    """A path from a place: the values of variables, and the conditions under which it is taken."""

    def __init__(self, premises: List[Expr], values: Dict[str, Value], conditions: List[Expr]) -> None:
        self.premises = premises
        self.values = values
        self.conditions = conditions

    def on(self, condition: Expr) -> Optional["Path"]:
        """The path on which the condition holds, too; none if it cannot."""
        if condition.op == "const":
            return Path(self.premises, dict(self.values), list(self.conditions)) if condition.value else None
        return Path(self.premises, dict(self.values), [*self.conditions, condition])


class Signature:
    """The predicates of a function that is called: its results and its failures, over the arguments."""

    def __init__(self, translation: "Translation", program: Program) -> None:
        self.arguments = list(program.parameters)
        self.changed = [(name, kind) for name, kind in self.arguments if kind == LIST_KIND and name in program.mutated]
        variables = list(self.arguments)
        if program.returns != NO_KIND:
            variables.append(("result", program.returns))
        variables += [(f"{name} afterwards", kind) for name, kind in self.changed]
        line = program.node.lineno
        self.result = translation.place(program, "result", line, variables)
        self.fails = translation.place(program, "fails", line, self.arguments)


class PathTranslator:
    """Follows the paths through a function: where they lead, where they meet, and where they fail."""

    def __init__(self, translation: "Translation", program: Program) -> None:
        self.translation = translation
        self.program = program
        self.signature: Optional[Signature] = translation.signatures.get(id(program))
        self.is_top = program is translation.program
        self.path: Optional[Path] = None
        self.shown: Dict[str, str] = {}
        self.count = 0
        self.statement: Any = program.node

    def new_place(self, role: str, node: Any, names: Sequence[str]) -> Place:
        path = self.here()
        place = self.translation.place(
            self.program, role, node.lineno, [(name, path.values[name].kind) for name in names]
        )
        for name in names:
            shown = self.shown.get(name, name)
            place.shown[name] = f"next {shown}" if shown != name and shown in names else shown
        return place

    def here(self) -> Path:
        assert self.path is not None, "only statements that can be reached are translated"
        return self.path

    def go(self, path: Path, place: Place) -> None:
        """The clause from a path to a place."""
        terms = [term for name, _ in place.variables for term in flatten(path.values[name])]
        body = [*path.premises, *path.conditions]
        self.translation.system.rule(place.predicate(*terms), *body)

    def at(self, place: Place) -> Path:
        """The path that begins at a place."""
        values = {name: variable(name, kind) for name, kind in place.variables}
        return Path([place.predicate(*place.parameters())], values, [])

    def cut(self, role: str, node: Any) -> Place:
        """A new place at the end of the path, where it begins anew."""
        place = self.new_place(role, node, list(self.here().values))
        self.go(self.here(), place)
        self.path = self.at(place)
        return place

    def join(self, paths: Sequence[Optional[Path]], node: Any) -> None:
        """Goes on where the paths meet, with the variables that have a value on all of them."""
        coming = [path for path in paths if path is not None]
        self.path = coming[0] if coming else None
        if len(coming) > 1:
            names = [name for name in coming[0].values if all(name in path.values for path in coming)]
            place = self.new_place("join", node, names)
            for path in coming:
                self.go(path, place)
            self.path = self.at(place)

    def assign(self, name: str, value: Value) -> None:
        self.here().values[name] = self.convert(value, self.program.kinds.get(name, value.kind))

    def hold(self, value: Value) -> str:
        """Keeps a value under a name of its own until the end of the statement."""
        self.count += 1
        name = f"$value {self.count}"
        self.here().values[name] = value
        return name

    def release(self, name: str) -> Value:
        return self.here().values.pop(name)

    def fail(self, condition: Expr, exception: str, node: Any, *premises: Expr) -> None:
        """The run fails here under a condition; it goes on otherwise."""
        path = self.here()
        if condition.op == "const" and not condition.value:
            return
        place = self.translation.place(
            self.program, "failure", node.lineno, [] if self.is_top else self.program.parameters
        )
        place.exception = exception
        place.line, place.last_line = _lines(self.statement)
        arguments = [] if self.is_top else self.entry_terms()
        fact = place.predicate(*arguments)
        self.translation.system.rule(fact, *path.premises, *path.conditions, condition, *premises)
        if self.is_top:
            self.translation.system.query(fact)
        elif self.signature is not None:
            head = self.signature.fails.predicate(*place.parameters())
            self.translation.system.rule(head, place.predicate(*place.parameters()))
        if not premises:
            path.conditions.append(Not(condition))

    def entry_terms(self) -> List[Expr]:
        """The arguments with which the function was called."""
        values = self.here().values
        found = [values.get(f"$old {name}") or values[name] for name, _ in self.program.parameters]
        return [term for value in found for term in flatten(value)]

    def leave(self, value: Optional[Value]) -> None:
        """The function returns."""
        if self.signature is not None:
            terms = self.entry_terms()
            if value is not None:
                terms += flatten(value)
            for name, _ in self.signature.changed:
                terms += flatten(self.here().values[name])
            head = self.signature.result.predicate(*terms)
            self.translation.system.rule(head, *self.here().premises, *self.here().conditions)
        self.path = None

    @staticmethod
    def number(value: Value) -> Expr:
        if value.kind == BOOL_KIND:
            return IntVal(int(value.term.value)) if value.term.op == "const" else If(value.term, 1, 0)
        return value.term

    def convert(self, value: Value, kind: Kind) -> Value:
        return Value(INT_KIND, self.number(value)) if (value.kind, kind) == (BOOL_KIND, INT_KIND) else value


def _lines(statement: Any) -> Tuple[int, int]:
    """The first and the last line of a statement; of a compound one, of its head."""
    head = getattr(statement, "test", getattr(statement, "iter", None)) if hasattr(statement, "body") else None
    return statement.lineno, (statement if head is None else head).end_lineno
