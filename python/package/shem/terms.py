"""Expressions: sorts, terms and formulas, built by overloaded operators and written in SMT-LIB."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Callable, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from .sexpr import flat, read_all

Number = Union[int, Fraction]


class Sort:
    """A sort, by its name in SMT-LIB."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sort) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name


INT = Sort("Int")
REAL = Sort("Real")
BOOL = Sort("Bool")


def IntSort() -> Sort:
    """The sort of integers."""
    return INT


def RealSort() -> Sort:
    """The sort of reals."""
    return REAL


def BoolSort() -> Sort:
    """The sort of truth values."""
    return BOOL


def ArraySort(index: Sort, element: Sort) -> Sort:
    """The sort of arrays."""
    return Sort(f"(Array {index.name} {element.name})")


class Expr:
    """A term or a formula.

    ``+``, ``-``, ``*``, ``/``, ``//``, ``%`` and comparisons make new expressions; ``//`` and ``%`` are SMT-LIB's
    ``div`` and ``mod``, whose remainder is never negative. ``&``, ``|`` and ``~`` combine formulas. ``==`` makes an
    equation, which is true in Python if both sides are the same expression.
    """

    __slots__ = ("op", "args", "sort", "value", "_hash")

    def __init__(self, op: str, args: Sequence["Expr"] = (), sort: Optional[Sort] = None, value: Any = None) -> None:
        #: ``var``, ``const``, ``app`` (of a declared function), ``forall``, ``exists``, or a symbol of SMT-LIB.
        self.op = op
        self.args: Tuple[Expr, ...] = tuple(args)
        self.sort = sort
        #: The name of a variable or function, the value of a constant, the variables of a quantifier.
        self.value = value
        self._hash = hash((op, self.args, value))

    # -- identity

    def same(self, other: object) -> bool:
        """Whether this is the same expression, symbol by symbol."""
        if self is other:
            return True
        if not isinstance(other, Expr) or self._hash != other._hash:
            return False
        stack = [(self, other)]
        while stack:
            a, b = stack.pop()
            if a is b:
                continue
            if a.op != b.op or len(a.args) != len(b.args) or type(a.value) is not type(b.value):
                return False
            if a.op in ("forall", "exists"):
                if len(a.value) != len(b.value):
                    return False
                stack.extend(zip(a.value, b.value))
            elif a.value != b.value:
                return False
            stack.extend(zip(a.args, b.args))
        return True

    def __hash__(self) -> int:
        return self._hash

    def __bool__(self) -> bool:
        if self.op == "=" and len(self.args) == 2:
            return self.args[0].same(self.args[1])
        if self.op == "const" and isinstance(self.value, bool):
            return self.value
        raise TypeError(f"whether {self} holds depends on its variables; ask a Solver")

    # -- arithmetic

    def __add__(self, other: Any) -> "Expr":
        return _arith("+", self, other)

    def __radd__(self, other: Any) -> "Expr":
        return _arith("+", other, self)

    def __sub__(self, other: Any) -> "Expr":
        return _arith("-", self, other)

    def __rsub__(self, other: Any) -> "Expr":
        return _arith("-", other, self)

    def __mul__(self, other: Any) -> "Expr":
        return _arith("*", self, other)

    def __rmul__(self, other: Any) -> "Expr":
        return _arith("*", other, self)

    def __truediv__(self, other: Any) -> "Expr":
        return _arith("/", self, other, REAL)

    def __rtruediv__(self, other: Any) -> "Expr":
        return _arith("/", other, self, REAL)

    def __floordiv__(self, other: Any) -> "Expr":
        return _arith("div", self, other, INT)

    def __rfloordiv__(self, other: Any) -> "Expr":
        return _arith("div", other, self, INT)

    def __mod__(self, other: Any) -> "Expr":
        return _arith("mod", self, other, INT)

    def __rmod__(self, other: Any) -> "Expr":
        return _arith("mod", other, self, INT)

    def __neg__(self) -> "Expr":
        if self.op == "const":
            return Expr("const", (), self.sort, -self.value)
        return Expr("-", (self,), self.sort)

    def __pos__(self) -> "Expr":
        return self

    # -- comparisons

    def __lt__(self, other: Any) -> "Expr":
        return _compare("<", self, other)

    def __le__(self, other: Any) -> "Expr":
        return _compare("<=", self, other)

    def __gt__(self, other: Any) -> "Expr":
        return _compare(">", self, other)

    def __ge__(self, other: Any) -> "Expr":
        return _compare(">=", self, other)

    def __eq__(self, other: Any) -> "Expr":  # type: ignore[override]
        return _compare("=", self, other)

    def __ne__(self, other: Any) -> "Expr":  # type: ignore[override]
        return Not(_compare("=", self, other))

    # -- formulas and arrays

    def __and__(self, other: Any) -> "Expr":
        return And(self, other)

    def __rand__(self, other: Any) -> "Expr":
        return And(other, self)

    def __or__(self, other: Any) -> "Expr":
        return Or(self, other)

    def __ror__(self, other: Any) -> "Expr":
        return Or(other, self)

    def __invert__(self) -> "Expr":
        return Not(self)

    def __getitem__(self, index: Any) -> "Expr":
        return Select(self, index)

    # -- text

    def smtlib(self) -> str:
        """The expression in SMT-LIB."""
        from .smtlib import to_smtlib

        return to_smtlib(self)

    def __str__(self) -> str:
        from .notation import to_text

        return to_text(self)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from .notation import to_html

        return f"<span>{to_html(self)}</span>"


def literal(value: Any, sort: Optional[Sort] = None) -> Expr:
    """A Python value as an expression."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, bool):
        return Expr("const", (), BOOL, value)
    if isinstance(value, int):
        return Expr("const", (), sort if sort == REAL else INT, Fraction(value) if sort == REAL else value)
    if isinstance(value, float):
        value = Fraction(repr(value))
    if isinstance(value, Fraction):
        return Expr("const", (), REAL, value)
    raise TypeError(f"{value!r} is neither an expression nor a number nor a truth value")


def _pair(a: Any, b: Any) -> Tuple[Expr, Expr]:
    sort = a.sort if isinstance(a, Expr) else b.sort if isinstance(b, Expr) else None
    a, b = literal(a, sort), literal(b, sort)
    if a.sort == REAL and b.sort == INT:
        b = to_real(b)
    elif a.sort == INT and b.sort == REAL:
        a = to_real(a)
    return a, b


def to_real(term: Expr) -> Expr:
    """An integer term as a real one."""
    if term.op == "const":
        return Expr("const", (), REAL, Fraction(term.value))
    return Expr("to_real", (term,), REAL)


def _arith(op: str, a: Any, b: Any, sort: Optional[Sort] = None) -> Expr:
    a, b = _pair(a, b)
    for side in (a, b):
        if side.sort not in (INT, REAL, None):
            raise TypeError(f"{side} is of sort {side.sort}, not a number")
    if sort == REAL:
        a, b = (to_real(side) if side.sort == INT else side for side in (a, b))
    elif sort == INT and REAL in (a.sort, b.sort):
        raise TypeError(f"{op} is for integers")
    if op in "+*" and a.op == op:
        return Expr(op, a.args + (b,), sort or a.sort)
    return Expr(op, (a, b), sort or a.sort)


def _compare(op: str, a: Any, b: Any) -> Expr:
    a, b = _pair(a, b)
    if op != "=" and BOOL in (a.sort, b.sort):
        raise TypeError(f"{op} is for numbers")
    if a.sort is not None and b.sort is not None and a.sort != b.sort:
        raise TypeError(f"{a} is of sort {a.sort}, {b} of sort {b.sort}")
    return Expr(op, (a, b), BOOL)


# -- variables and functions


def Const(name: str, sort: Sort) -> Expr:
    """A variable of this sort."""
    return Expr("var", (), sort, name)


def Int(name: str) -> Expr:
    """An integer variable."""
    return Const(name, INT)


def Real(name: str) -> Expr:
    """A real variable."""
    return Const(name, REAL)


def Bool(name: str) -> Expr:
    """A variable that is true or false."""
    return Const(name, BOOL)


def _several(names: Union[str, Iterable[str]], sort: Sort) -> List[Expr]:
    names = names.replace(",", " ").split() if isinstance(names, str) else names
    return [Const(name, sort) for name in names]


def Ints(names: Union[str, Iterable[str]]) -> List[Expr]:
    """Integer variables: ``x, y = Ints('x y')``."""
    return _several(names, INT)


def Reals(names: Union[str, Iterable[str]]) -> List[Expr]:
    """Real variables."""
    return _several(names, REAL)


def Bools(names: Union[str, Iterable[str]]) -> List[Expr]:
    """Variables that are true or false."""
    return _several(names, BOOL)


def Array(name: str, index: Sort, element: Sort) -> Expr:
    """An array variable."""
    return Const(name, ArraySort(index, element))


class Function:
    """A declared function; one to truth values is a predicate. Calling it makes an expression."""

    __slots__ = ("name", "sorts", "range")

    def __init__(self, name: str, *sorts: Sort) -> None:
        if not sorts:
            raise TypeError("a function needs at least the sort of its values")
        self.name = name
        self.sorts: Tuple[Sort, ...] = sorts[:-1]
        self.range = sorts[-1]

    def __call__(self, *arguments: Any) -> Expr:
        if len(arguments) != len(self.sorts):
            raise TypeError(f"{self.name} takes {len(self.sorts)} arguments, not {len(arguments)}")
        terms = []
        for argument, sort in zip(arguments, self.sorts):
            term = literal(argument, sort)
            if term.sort == INT and sort == REAL:
                term = to_real(term)
            if term.sort is not None and term.sort != sort:
                raise TypeError(f"{self.name} takes {sort}, and {term} is of sort {term.sort}")
            terms.append(term)
        return Expr("app", terms, self.range, self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and (self.name, self.sorts, self.range) == (
            other.name,
            other.sorts,
            other.range,
        )

    def __hash__(self) -> int:
        return hash((self.name, self.sorts, self.range))

    def __repr__(self) -> str:
        return self.name


# -- formulas


def _formulas(parts: Sequence[Any]) -> List[Expr]:
    if len(parts) == 1 and isinstance(parts[0], (list, tuple)):
        parts = parts[0]
    formulas = [literal(part) for part in parts]
    for formula in formulas:
        if formula.sort not in (BOOL, None):
            raise TypeError(f"{formula} is of sort {formula.sort}, not a formula")
    return formulas


def And(*formulas: Any) -> Expr:
    """All of these."""
    parts = _formulas(formulas)
    return Expr("and", parts, BOOL) if len(parts) > 1 else parts[0] if parts else literal(True)


def Or(*formulas: Any) -> Expr:
    """One of these."""
    parts = _formulas(formulas)
    return Expr("or", parts, BOOL) if len(parts) > 1 else parts[0] if parts else literal(False)


def Not(formula: Any) -> Expr:
    """Not this."""
    (formula,) = _formulas([formula])
    return formula.args[0] if formula.op == "not" else Expr("not", (formula,), BOOL)


def Implies(premise: Any, conclusion: Any) -> Expr:
    """If the one, then the other."""
    return Expr("=>", _formulas([premise, conclusion]), BOOL)


def If(condition: Any, then: Any, otherwise: Any) -> Expr:
    """One or the other, by a condition."""
    (condition,) = _formulas([condition])
    then, otherwise = _pair(then, otherwise)
    return Expr("ite", (condition, then, otherwise), then.sort)


def Distinct(*terms: Any) -> Expr:
    """No two of these are equal."""
    if len(terms) == 1 and isinstance(terms[0], (list, tuple)):
        terms = tuple(terms[0])
    first = next((term.sort for term in terms if isinstance(term, Expr)), None)
    return Expr("distinct", [literal(term, first) for term in terms], BOOL)


def array_parts(array: Expr) -> Tuple[Optional[Sort], Optional[Sort]]:
    """The sorts of the indices and the elements, if this is an array."""
    if array.sort is None or not array.sort.name.startswith("(Array "):
        return None, None
    parts = read_all(array.sort.name)[0]
    return Sort(flat(parts[1])), Sort(flat(parts[2]))


def Select(array: Expr, index: Any) -> Expr:
    """The element of an array at an index."""
    index_sort, element = array_parts(array)
    if element is None and array.sort is not None:
        raise TypeError(f"{array} is of sort {array.sort}, not an array")
    return Expr("select", (array, literal(index, index_sort)), element)


def Store(array: Expr, index: Any, element: Any) -> Expr:
    """The array with another element at an index."""
    index_sort, element_sort = array_parts(array)
    return Expr("store", (array, literal(index, index_sort), literal(element, element_sort)), array.sort)


def _quantified(op: str, variables: Any, body: Any) -> Expr:
    variables = [variables] if isinstance(variables, Expr) else list(variables)
    for variable in variables:
        if not isinstance(variable, Expr) or variable.op != "var":
            raise TypeError(f"{variable!r} is not a variable")
    (body,) = _formulas([body])
    return Expr(op, (body,), BOOL, tuple(variables)) if variables else body


def ForAll(variables: Any, body: Any) -> Expr:
    """For all values of the variables."""
    return _quantified("forall", variables, body)


def Exists(variables: Any, body: Any) -> Expr:
    """For some values of the variables."""
    return _quantified("exists", variables, body)


# -- walking


def walk(roots: Iterable[Expr]) -> Iterator[Expr]:
    """Each subexpression once."""
    seen = set()
    stack = list(roots)
    while stack:
        term = stack.pop()
        if id(term) not in seen:
            seen.add(id(term))
            yield term
            stack.extend(term.args)


def fold(root: Expr, combine: Callable[[Expr, List[Any]], Any]) -> Any:
    """The result at the root of combining each subexpression with what came of its arguments."""
    done: dict = {}
    stack = [root]
    while stack:
        term = stack[-1]
        if id(term) in done:
            stack.pop()
            continue
        missing = [argument for argument in term.args if id(argument) not in done]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        done[id(term)] = combine(term, [done[id(argument)] for argument in term.args])
    return done[id(root)]


def free_variables(root: Expr) -> List[Expr]:
    """The variables that no quantifier binds, by their first occurrence."""
    found: dict = {}
    stack: List[Tuple[Expr, frozenset]] = [(root, frozenset())]
    seen = set()
    while stack:
        term, bound = stack.pop()
        if (id(term), bound) in seen:
            continue
        seen.add((id(term), bound))
        if term.op == "var":
            if (term.value, term.sort) not in bound:
                found.setdefault((term.value, term.sort), term)
            continue
        if term.op in ("forall", "exists"):
            bound = bound | {(variable.value, variable.sort) for variable in term.value}
        stack.extend((argument, bound) for argument in reversed(term.args))
    return list(found.values())


def functions_of(roots: Iterable[Expr]) -> List[Function]:
    """The declared functions that occur."""
    found = {term.value.name: term.value for term in walk(roots) if term.op == "app"}
    return sorted(found.values(), key=lambda function: function.name)


def substitute(root: Expr, values: dict) -> Expr:
    """The expression with others in the place of variables, given by name. Bound variables stay."""

    def combine(term: Expr, arguments: List[Expr]) -> Expr:
        if term.op == "var":
            return values.get(term.value, term)
        if term.op in ("forall", "exists"):
            hidden = {variable.value for variable in term.value}
            inner = {name: value for name, value in values.items() if name not in hidden}
            return Expr(term.op, (substitute(term.args[0], inner),), BOOL, term.value)
        if not arguments:
            return term
        return Expr(term.op, arguments, term.sort, term.value)

    return fold(root, combine)
