"""Values of expressions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Dict, List

from .terms import REAL, Expr, fold, walk


class ArrayValue:
    """An array: one element everywhere, but for some indices."""

    __slots__ = ("default", "entries")

    def __init__(self, default: Any, entries: Dict[Any, Any] | None = None) -> None:
        self.default = default
        self.entries = {index: value for index, value in (entries or {}).items() if value != default}

    def __getitem__(self, index: Any) -> Any:
        return self.entries.get(index, self.default)

    def store(self, index: Any, value: Any) -> "ArrayValue":
        """The array with another element at an index."""
        return ArrayValue(self.default, {**self.entries, index: value})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArrayValue) and (self.default, self.entries) == (other.default, other.entries)

    def __hash__(self) -> int:
        return hash((self.default, frozenset(self.entries.items())))

    def __repr__(self) -> str:
        changes = "".join(f", {index}: {value}" for index, value in self.entries.items())
        return f"{{…: {self.default}{changes}}}"


def div(a: int, b: int) -> int:
    """The quotient of SMT-LIB: the remainder is not negative."""
    quotient = a // b
    return quotient if a - quotient * b >= 0 else quotient + 1


def _chain(compare: Any) -> Any:
    return lambda *values: all(compare(a, b) for a, b in zip(values, values[1:]))


_OPERATIONS = {
    "not": lambda a: not a,
    "and": lambda *values: all(values),
    "or": lambda *values: any(values),
    "=>": lambda *values: values[-1] or not all(values[:-1]),
    "xor": lambda *values: sum(values) % 2 == 1,
    "=": _chain(lambda a, b: a == b),
    "<": _chain(lambda a, b: a < b),
    "<=": _chain(lambda a, b: a <= b),
    ">": _chain(lambda a, b: a > b),
    ">=": _chain(lambda a, b: a >= b),
    "distinct": lambda *values: len(set(values)) == len(values),
    "ite": lambda condition, a, b: a if condition else b,
    "+": lambda *values: sum(values),
    "-": lambda a, *values: a - sum(values) if values else -a,
    "abs": abs,
    "to_real": Fraction,
    "to_int": lambda a: a.__floor__(),
    "is_int": lambda a: Fraction(a).denominator == 1,
    "select": lambda array, index: array[index],
    "store": lambda array, index, value: array.store(index, value),
}


def evaluate(root: Expr, values: Dict[str, Any]) -> Any:
    """The value of an expression under values of its variables, given by name.

    Integers are ints, reals fractions, truth values bools, arrays :class:`ArrayValue`. A ``ValueError`` says what has no
    value: a quantifier, a variable that is not given, a quotient by zero, a symbol that is not interpreted.
    """

    def combine(term: Expr, arguments: List[Any]) -> Any:
        op = term.op
        if op == "var":
            if term.value not in values:
                raise ValueError(f"{term.value} has no value")
            return values[term.value]
        if op == "const":
            return term.value
        if op == "*":
            product: Any = 1
            for argument in arguments:
                product *= argument
            return product
        if op in ("/", "div", "mod"):
            if arguments[1] == 0:
                raise ValueError("a quotient by zero has any value")
            if op == "/":
                return Fraction(arguments[0]) / Fraction(arguments[1])
            quotient = div(arguments[0], arguments[1])
            return quotient if op == "div" else arguments[0] - quotient * arguments[1]
        if op.startswith("(_ divisible "):
            return arguments[0] % int(op[len("(_ divisible ") : -1]) == 0
        if op.startswith("(as const "):
            return ArrayValue(arguments[0])
        if op in _OPERATIONS:
            return _OPERATIONS[op](*arguments)
        name = term.value.name if op == "app" else op
        raise ValueError(f"{name} is not interpreted")

    if any(term.op in ("forall", "exists") for term in walk([root])):
        raise ValueError("whether a quantified formula holds is not evaluated")
    result = fold(root, combine)
    return Fraction(result) if root.sort == REAL and isinstance(result, int) else result
