"""Values of expressions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Callable, Dict, List, Mapping, Optional

from .bitvectors import is_operation, value_of_operation
from .datatypes import Constructor, DatatypeValue, RecursiveFunction, Selector, Tester
from .terms import REAL, ArraysSort, Expr, K, Sort, Store, fold, of_sort, walk


class ArrayValue:
    """An array: one element everywhere, but for some indices. ``array[index]`` and ``array(index)`` are its elements.

    Attributes:
        default: the element everywhere else
        entries: the other elements by their indices
    """

    __slots__ = ("default", "entries")

    def __init__(self, default: Any, entries: Optional[Mapping[Any, Any]] = None) -> None:
        self.default = default
        self.entries: Dict[Any, Any] = {i: value for i, value in (entries or {}).items() if value != default}

    def __getitem__(self, index: Any) -> Any:
        return self.entries.get(index, self.default)

    __call__ = __getitem__

    def store(self, index: Any, value: Any) -> "ArrayValue":
        """The array with another element at an index."""
        return ArrayValue(self.default, {**self.entries, index: value})

    def to_expr(self, sort: Optional[Sort]) -> Expr:
        """The array as an expression: stores into a constant array."""
        if not isinstance(sort, ArraysSort):
            raise TypeError(f"{self} is an array, not of sort {sort}")
        term = K(sort.index, of_sort(self.default, sort.element, "the array"))
        for index, value in self.entries.items():
            term = Store(term, index, value)
        return term

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArrayValue) and (self.default, self.entries) == (other.default, other.entries)

    def __hash__(self) -> int:
        return hash((self.default, frozenset(self.entries.items())))

    def __repr__(self) -> str:
        changes = "".join(f", {index}: {value}" for index, value in self.entries.items())
        return f"{{…: {self.default}{changes}}}"


class _Unspecified:
    """What a term is where its theory leaves the value open; the words say why."""

    def __init__(self, why: str) -> None:
        self.why = why


def div(a: int, b: int) -> int:
    """The quotient of SMT-LIB: the remainder is not negative."""
    quotient = a // b
    return quotient if a - quotient * b >= 0 else quotient + 1


def _chain(compare: Callable[[Any, Any], bool]) -> Callable[..., bool]:
    return lambda *values: all(compare(a, b) for a, b in zip(values, values[1:]))


def _product(*values: Any) -> Any:
    product: Any = 1
    for value in values:
        product *= value
    return product


def _quotient(op: str, a: Any, b: Any) -> Any:
    if b == 0:
        return _Unspecified("a quotient by zero has any value")
    if op == "/":
        return Fraction(a) / Fraction(b)
    quotient = div(a, b)
    return quotient if op == "div" else a - quotient * b


_OPERATIONS: Dict[str, Callable[..., Any]] = {
    "not": lambda a: not a,
    "and": lambda *values: all(values),
    "or": lambda *values: any(values),
    "=>": lambda *values: values[-1] or not all(values[:-1]),
    "xor": lambda *values: sum(values) % 2 == 1,
    "=": _chain(lambda a, b: bool(a == b)),
    "<": _chain(lambda a, b: bool(a < b)),
    "<=": _chain(lambda a, b: bool(a <= b)),
    ">": _chain(lambda a, b: bool(a > b)),
    ">=": _chain(lambda a, b: bool(a >= b)),
    "distinct": lambda *values: len(set(values)) == len(values),
    "ite": lambda condition, a, b: a if condition else b,
    "+": lambda *values: sum(values),
    "-": lambda a, *values: a - sum(values) if values else -a,
    "*": _product,
    "/": lambda a, b: _quotient("/", a, b),
    "div": lambda a, b: _quotient("div", a, b),
    "mod": lambda a, b: _quotient("mod", a, b),
    "abs": abs,
    "to_real": Fraction,
    "to_int": lambda a: a.__floor__(),
    "is_int": lambda a: Fraction(a).denominator == 1,
    "select": lambda array, index: array[index],
    "store": lambda array, index, value: array.store(index, value),
}


def evaluate(root: Expr, values: Mapping[str, Any]) -> Any:
    """The value of an expression under values of its variables, given by name.

    Integers are ints, bit-vectors ints without a sign, reals fractions, truth values bools, arrays :class:`ArrayValue`, values of datatypes
    :class:`DatatypeValue`. A ``ValueError`` says what has no value: a quantifier, a variable that is not given, a quotient
    by zero, a field of another constructor, a symbol that is not interpreted.
    """
    if any(term.op in ("forall", "exists") for term in walk([root])):
        raise ValueError("whether a quantified formula holds is not evaluated")
    result = _evaluate(root, values, {}, False)
    if isinstance(result, _Unspecified):
        raise ValueError(result.why)
    return Fraction(result) if root.sort == REAL and isinstance(result, int) else result


def evaluate_value(root: Expr) -> Any:
    """The value that a term of values stands for: symbols that are not known are constructors."""
    result = _evaluate(root, {}, {}, True)
    if isinstance(result, _Unspecified):
        raise ValueError(result.why)
    return result


#: The values of recursive functions at the values that were met.
_Cache = Dict[Any, Any]


def _evaluate(root: Expr, values: Mapping[str, Any], cache: _Cache, only_values: bool) -> Any:
    def combine(term: Expr, arguments: List[Any]) -> Any:
        op = term.op
        if op == "var":
            if term.value not in values:
                return _Unspecified(f"{term.value} has no value")
            return values[term.value]
        if op == "const":
            return term.value
        if any(isinstance(argument, _Unspecified) for argument in arguments):
            return _partly(op, arguments)
        if op == "app":
            return _apply(term.value, arguments, cache)
        if op.startswith("(_ divisible "):
            return arguments[0] % int(op[len("(_ divisible ") : -1]) == 0
        if op.startswith("(as const "):
            return ArrayValue(arguments[0])
        if op in _OPERATIONS:
            return _OPERATIONS[op](*arguments)
        if is_operation(op) and term.sort is not None:
            return value_of_operation(term, arguments)
        if only_values:
            return DatatypeValue(op, arguments)
        return _Unspecified(f"{op} is not interpreted")

    return fold(root, combine)


def _partly(op: str, arguments: List[Any]) -> Any:
    """What is known though some arguments are not."""
    known = [argument for argument in arguments if not isinstance(argument, _Unspecified)]
    if op == "and" and False in known:
        return False
    if op == "or" and True in known:
        return True
    if op == "=>" and (arguments[-1] is True or any(argument is False for argument in arguments[:-1])):
        return True
    if op == "ite" and not isinstance(arguments[0], _Unspecified):
        return arguments[1] if arguments[0] else arguments[2]
    return next(argument for argument in arguments if isinstance(argument, _Unspecified))


def _apply(function: Any, arguments: List[Any], cache: _Cache) -> Any:
    if isinstance(function, Constructor):
        return DatatypeValue(function.name, arguments, [selector.name for selector in function.selectors])
    if isinstance(function, Tester):
        return arguments[0].constructor == function.constructor.name
    if isinstance(function, Selector):
        value = arguments[0]
        if value.constructor != function.constructor.name:
            return _Unspecified(f"{function.name} of {value} has any value")
        return value.fields[function.constructor.selectors.index(function)]
    if isinstance(function, RecursiveFunction) and function.body is not None:
        return _recursive(function, arguments, cache)
    return _Unspecified(f"{function.name} is not interpreted")


def _recursive(function: RecursiveFunction, arguments: List[Any], cache: _Cache) -> Any:
    """The value of a recursive function of one argument, at the parts of the argument first, so that each needs only
    what is known already."""
    if function.body is None or len(arguments) != 1:
        return _Unspecified(f"{function.name} is not interpreted")
    stack = [(arguments[0], False)]
    while stack:
        value, parts_known = stack.pop()
        if (function.name, value) in cache:
            continue
        if not parts_known and isinstance(value, DatatypeValue):
            stack.append((value, True))
            stack.extend((field, False) for field in value.fields if isinstance(field, DatatypeValue))
            continue
        found = _evaluate(function.body, {function.parameters[0].value: value}, cache, False)
        cache[function.name, value] = found
    return cache[function.name, arguments[0]]
