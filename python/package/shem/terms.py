"""Expressions: sorts, terms and formulas, built by overloaded operators and written in SMT-LIB."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple, Union

from .sexpr import quote

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


class ArraysSort(Sort):
    """A sort of arrays.

    Attributes:
        index: the sort of the indices
        element: the sort of the elements
    """

    __slots__ = ("index", "element")

    def __init__(self, index: Sort, element: Sort) -> None:
        super().__init__(f"(Array {index.name} {element.name})")
        self.index = index
        self.element = element


def ArraySort(index: Sort, element: Sort) -> ArraysSort:
    """The sort of arrays."""
    return ArraysSort(index, element)


class BitVectorsSort(Sort):
    """A sort of bit-vectors.

    Attributes:
        width: how many bits they have
    """

    __slots__ = ("width",)

    def __init__(self, width: int) -> None:
        if isinstance(width, bool) or not isinstance(width, int) or width < 1:
            raise TypeError(f"{width!r} is not a number of bits; the least is 1")
        super().__init__(f"(_ BitVec {width})")
        self.width = width

    def size(self) -> int:
        """How many bits they have."""
        return self.width


def BitVecSort(size: int) -> BitVectorsSort:
    """The sort of bit-vectors of so many bits."""
    return BitVectorsSort(size)


class Expr:
    """A term or a formula.

    ``+``, ``-``, ``*``, ``/``, ``//``, ``%``, ``**``, ``abs`` and comparisons make new expressions; ``//`` and ``%`` are
    SMT-LIB's ``div`` and ``mod``, whose remainder is never negative. ``&``, ``|``, ``^`` and ``~`` combine formulas. Of
    bit-vectors all of these, ``<<`` and ``>>`` are as in z3: with a sign, where that makes a difference.
    ``==`` makes an equation, which is true in Python if both sides are the same expression.

    Attributes:
        op: ``var``, ``const``, ``app`` (of a function), ``forall``, ``exists``, or a symbol of SMT-LIB
        args: the arguments
        sort: the sort, if it is known
        value: the name of a variable, the value of a constant, the function that is applied, the variables of a quantifier
    """

    __slots__ = ("op", "args", "sort", "value", "_hash", "_free")

    def __init__(self, op: str, args: Sequence["Expr"] = (), sort: Optional[Sort] = None, value: Any = None) -> None:
        self.op = op
        self.args: Tuple[Expr, ...] = tuple(args)
        self.sort = sort
        self.value = value
        self._hash = hash((op, self.args, sort, value))
        #: The free variables of a quantified formula, so that nobody has to look into it again.
        self._free: Tuple[Expr, ...] = ()
        if op in ("forall", "exists"):
            bound = {variable.value for variable in value}
            self._free = tuple(v for v in free_variables(self.args[0]) if v.value not in bound)

    def __reduce__(self) -> Tuple[Callable[..., "Expr"], Tuple[List[Any]]]:
        """Each subexpression once, without recursion; hashes, which differ between processes, are computed anew."""
        numbers: Dict[int, int] = {}
        nodes: List[Tuple[str, Tuple[int, ...], Optional[Sort], Any]] = []

        def combine(term: "Expr", arguments: List[int]) -> int:
            value = term.value
            if term.op in ("forall", "exists"):
                value = [(variable.value, variable.sort) for variable in value]
            nodes.append((term.op, tuple(arguments), term.sort, value))
            return numbers.setdefault(id(term), len(nodes) - 1)

        fold(self, combine)
        return _restored, (nodes,)

    # -- identity

    def same(self, other: object) -> bool:
        """Whether this is the same expression, symbol by symbol."""
        if self is other:
            return True
        if not isinstance(other, Expr) or self._hash != other._hash:
            return False
        stack: List[Tuple[Expr, Expr]] = [(self, other)]
        seen: Set[Tuple[int, int]] = set()
        while stack:
            a, b = stack.pop()
            if a is b or (id(a), id(b)) in seen:
                continue
            seen.add((id(a), id(b)))
            if a.op != b.op or a.sort != b.sort or len(a.args) != len(b.args) or type(a.value) is not type(b.value):
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
        if isinstance(self.sort, BitVectorsSort):
            return literal(-self.value, self.sort) if self.op == "const" else Expr("bvneg", (self,), self.sort)
        _numbers("-", (self,))
        if self.op == "const":
            return Expr("const", (), self.sort, -self.value)
        return Expr("-", (self,), self.sort)

    def __pos__(self) -> "Expr":
        return self

    def __pow__(self, exponent: int) -> "Expr":
        if isinstance(exponent, bool) or not isinstance(exponent, int) or exponent < 0:
            raise TypeError(f"{exponent!r} is not a natural number; other exponents are not supported")
        return Product([self] * exponent) if exponent else literal(1, self.sort)

    def __lshift__(self, other: Any) -> "Expr":
        return word("bvshl", self, other)

    def __rlshift__(self, other: Any) -> "Expr":
        return word("bvshl", other, self)

    def __rshift__(self, other: Any) -> "Expr":
        return word("bvashr", self, other)

    def __rrshift__(self, other: Any) -> "Expr":
        return word("bvashr", other, self)

    def __abs__(self) -> "Expr":
        _numbers("abs", (self,))
        return If(self < 0, -self, self) if self.sort == REAL else Expr("abs", (self,), self.sort)

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
        return word("bvand", self, other) if _has_bits(self, other) else And(self, other)

    def __rand__(self, other: Any) -> "Expr":
        return word("bvand", other, self) if _has_bits(self) else And(other, self)

    def __or__(self, other: Any) -> "Expr":
        return word("bvor", self, other) if _has_bits(self, other) else Or(self, other)

    def __ror__(self, other: Any) -> "Expr":
        return word("bvor", other, self) if _has_bits(self) else Or(other, self)

    def __xor__(self, other: Any) -> "Expr":
        return word("bvxor", self, other) if _has_bits(self, other) else Xor(self, other)

    def __rxor__(self, other: Any) -> "Expr":
        return word("bvxor", other, self) if _has_bits(self) else Xor(other, self)

    def __invert__(self) -> "Expr":
        return Expr("bvnot", (self,), self.sort) if _has_bits(self) else Not(self)

    def __getitem__(self, index: Any) -> "Expr":
        return Select(self, index)

    # -- parts, by the names that z3 has for them

    def children(self) -> List["Expr"]:
        """The arguments."""
        return list(self.args)

    def num_args(self) -> int:
        """The number of arguments."""
        return len(self.args)

    def arg(self, index: int) -> "Expr":
        """An argument, counted from 0."""
        return self.args[index]

    def size(self) -> int:
        """How many bits a bit-vector has."""
        if not isinstance(self.sort, BitVectorsSort):
            raise TypeError(f"{self} is of sort {self.sort}, not a bit-vector")
        return self.sort.width

    # -- text

    def sexpr(self) -> str:
        """The expression in SMT-LIB."""
        return self.smtlib()

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


def _restored(nodes: List[Any]) -> Expr:
    """The expression that was pickled as these nodes."""
    made: List[Expr] = []
    for op, arguments, sort, value in nodes:
        if op in ("forall", "exists"):
            value = tuple(Const(name, of) for name, of in value)
        made.append(Expr(op, [made[number] for number in arguments], sort, value))
    return made[-1]


def literal(value: Any, sort: Optional[Sort] = None) -> Expr:
    """A Python value as an expression; of this sort, if there is a choice."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, bool):
        return Expr("const", (), BOOL, value)
    if isinstance(value, int) and isinstance(sort, BitVectorsSort):
        return Expr("const", (), sort, value % (1 << sort.width))
    if isinstance(value, int):
        return Expr("const", (), sort if sort == REAL else INT, Fraction(value) if sort == REAL else value)
    if isinstance(value, float):
        value = Fraction(repr(value))
    if isinstance(value, Fraction):
        return Expr("const", (), REAL, value)
    if hasattr(value, "to_expr"):
        return value.to_expr(sort)  # type: ignore[no-any-return]
    if isinstance(value, Function):
        raise TypeError(f"{value} is a function; {value}(…) is an expression")
    raise TypeError(f"{value!r} is neither an expression nor a number nor a truth value")


def of_sort(value: Any, sort: Optional[Sort], place: str) -> Expr:
    """A value as an expression of a sort; integers become reals where reals are asked for."""
    term = literal(value, sort)
    if sort == REAL and term.sort == INT:
        return to_real(term)
    if term.sort is not None and sort is not None and term.sort != sort:
        raise TypeError(f"{place} takes {sort}, and {term} is of sort {term.sort}")
    return term


def _alike(values: Sequence[Any], place: str) -> List[Expr]:
    """Values as expressions of one sort."""
    sorts = [value.sort for value in values if isinstance(value, Expr)]
    given = next((sort for sort in sorts if sort not in (INT, None)), sorts[0] if sorts else None)
    terms = [literal(value, given) for value in values]
    if any(term.sort == REAL for term in terms):
        terms = [to_real(term) if term.sort == INT else term for term in terms]
    for term in terms[1:]:
        if term.sort is not None and terms[0].sort is not None and term.sort != terms[0].sort:
            raise TypeError(f"{place}: {terms[0]} is of sort {terms[0].sort}, {term} of sort {term.sort}")
    return terms


def _numbers(op: str, terms: Sequence[Expr]) -> None:
    for term in terms:
        if term.sort not in (INT, REAL, None):
            raise TypeError(f"{op}: {term} is of sort {term.sort}, not a number")


def to_real(term: Expr) -> Expr:
    """An integer term as a real one."""
    if term.op == "const":
        return Expr("const", (), REAL, Fraction(term.value))
    return Expr("to_real", (term,), REAL)


def _arith(op: str, a: Any, b: Any, sort: Optional[Sort] = None) -> Expr:
    if op == "+" and isinstance(a, int) and a == 0 and isinstance(b, Expr):
        # The first step of Python's sum().
        if not _has_bits(b):
            _numbers(op, (b,))
        return b
    a, b = _alike((a, b), op)
    if _has_bits(a) and op in _WORD_OPS:
        return Expr(_WORD_OPS[op], (a, b), a.sort)
    _numbers(op, (a, b))
    if sort == REAL:
        a, b = (to_real(side) if side.sort == INT else side for side in (a, b))
    elif sort == INT and REAL in (a.sort, b.sort):
        raise TypeError(f"{op} is for integers")
    return Expr(op, (a, b), sort or a.sort)


#: What operators of numbers are on bit-vectors.
_WORD_OPS = {"+": "bvadd", "-": "bvsub", "*": "bvmul", "/": "bvsdiv", "mod": "bvsmod"}
_WORD_COMPARISONS = {"<": "bvslt", "<=": "bvsle", ">": "bvsgt", ">=": "bvsge"}


def _has_bits(*values: Any) -> bool:
    """Whether one of these is a term of bit-vectors."""
    return any(isinstance(value, Expr) and isinstance(value.sort, BitVectorsSort) for value in values)


def word(op: str, a: Any, b: Any, sort: Optional[Sort] = None) -> Expr:
    """An operation on two bit-vectors of one width, which its result has, too, unless it has another sort."""
    a, b = _alike((a, b), op)
    for term in (a, b):
        if term.sort is not None and not _has_bits(term):
            raise TypeError(f"{op}: {term} is of sort {term.sort}, not a bit-vector")
    return Expr(op, (a, b), sort or a.sort)


def _compare(op: str, a: Any, b: Any) -> Expr:
    a, b = _alike((a, b), op)
    if op in _WORD_COMPARISONS and _has_bits(a):
        return Expr(_WORD_COMPARISONS[op], (a, b), BOOL)
    if op != "=":
        _numbers(op, (a, b))
    return Expr(op, (a, b), BOOL)


def IntVal(value: Union[int, str]) -> Expr:
    """An integer."""
    return literal(int(value))


def RealVal(value: Union[int, float, str, Fraction]) -> Expr:
    """A real: ``RealVal('1/3')``, ``RealVal(0.5)``."""
    return literal(Fraction(repr(value) if isinstance(value, float) else value))


def BoolVal(value: bool) -> Expr:
    """A truth value."""
    return literal(bool(value))


def _listed(values: Sequence[Any]) -> List[Any]:
    """Arguments that were given one by one, or as one list or generator."""
    if len(values) == 1 and not isinstance(values[0], (Expr, str)) and isinstance(values[0], Iterable):
        return list(values[0])
    return list(values)


def Sum(*terms: Any) -> Expr:
    """The sum of terms, given one by one or as a list; 0 of none."""
    return _nary("+", _listed(terms), 0)


def Product(*terms: Any) -> Expr:
    """The product of terms, given one by one or as a list; 1 of none."""
    return _nary("*", _listed(terms), 1)


def _nary(op: str, values: List[Any], neutral: int) -> Expr:
    terms = _alike(values, op)
    if _has_bits(*terms):
        op = _WORD_OPS[op]
    else:
        _numbers(op, terms)
    return Expr(op, terms, terms[0].sort) if len(terms) > 1 else terms[0] if terms else literal(neutral)


def ToReal(term: Any) -> Expr:
    """An integer term as a real one."""
    return of_sort(term, REAL, "ToReal")


def ToInt(term: Any) -> Expr:
    """The largest integer that is not above a real term."""
    return Expr("to_int", (of_sort(term, REAL, "ToInt"),), INT)


def IsInt(term: Any) -> Expr:
    """Whether a real term is an integer."""
    return Expr("is_int", (of_sort(term, REAL, "IsInt"),), BOOL)


# -- variables and functions


def Const(name: str, sort: Sort) -> Expr:
    """A variable of this sort."""
    return Expr("var", (), sort, name)


def Consts(names: Union[str, Iterable[str]], sort: Sort) -> List[Expr]:
    """Variables of this sort."""
    return _several(names, sort)


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
    """A declared function; one to truth values is a predicate. Calling it makes an expression.

    Attributes:
        name: its name
        sorts: the sorts of its arguments
        range: the sort of its values
    """

    __slots__ = ("name", "sorts", "range")

    def __init__(self, name: str, *sorts: Sort) -> None:
        if not sorts:
            raise TypeError("a function needs at least the sort of its values")
        for sort in sorts:
            if not isinstance(sort, Sort):
                raise TypeError(f"{sort!r} is not a sort")
        self.name = name
        self.sorts: Tuple[Sort, ...] = sorts[:-1]
        self.range = sorts[-1]

    @property
    def smtlib_name(self) -> str:
        """What SMT-LIB writes for it where it is applied."""
        return quote(self.name)

    def arity(self) -> int:
        """The number of arguments."""
        return len(self.sorts)

    def __call__(self, *arguments: Any) -> Expr:
        if len(arguments) != len(self.sorts):
            raise TypeError(f"{self.name} takes {len(self.sorts)} arguments, not {len(arguments)}")
        terms = [of_sort(argument, sort, self.name) for argument, sort in zip(arguments, self.sorts)]
        return Expr("app", terms, self.range, self)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and (self.name, self.sorts, self.range) == (
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
    formulas = [literal(part) for part in _listed(parts)]
    for formula in formulas:
        if formula.sort not in (BOOL, None):
            raise TypeError(f"{formula} is of sort {formula.sort}, not a formula")
    return formulas


def And(*formulas: Any) -> Expr:
    """All of these, given one by one, or as a list or generator."""
    parts = _formulas(formulas)
    return Expr("and", parts, BOOL) if len(parts) > 1 else parts[0] if parts else literal(True)


def Or(*formulas: Any) -> Expr:
    """One of these, given one by one, or as a list or generator."""
    parts = _formulas(formulas)
    return Expr("or", parts, BOOL) if len(parts) > 1 else parts[0] if parts else literal(False)


def Not(formula: Any) -> Expr:
    """Not this."""
    (formula,) = _formulas([formula])
    if formula.op == "const":
        return literal(not formula.value)
    return formula.args[0] if formula.op == "not" else Expr("not", (formula,), BOOL)


def Xor(first: Any, second: Any) -> Expr:
    """One of the two, not both."""
    return Expr("xor", _formulas([first, second]), BOOL)


def Implies(premise: Any, conclusion: Any) -> Expr:
    """If the one, then the other."""
    return Expr("=>", _formulas([premise, conclusion]), BOOL)


def If(condition: Any, then: Any, otherwise: Any) -> Expr:
    """One or the other, by a condition."""
    (condition,) = _formulas([condition])
    then, otherwise = _alike((then, otherwise), "If")
    return Expr("ite", (condition, then, otherwise), then.sort)


def Distinct(*terms: Any) -> Expr:
    """No two of these are equal."""
    return Expr("distinct", _alike(_listed(terms), "Distinct"), BOOL)


def array_parts(sort: Optional[Sort]) -> Tuple[Optional[Sort], Optional[Sort]]:
    """The sorts of the indices and the elements, if this is a sort of arrays."""
    if isinstance(sort, ArraysSort):
        return sort.index, sort.element
    return None, None


def _array(array: Any, place: str) -> Tuple[Optional[Sort], Optional[Sort]]:
    if not isinstance(array, Expr) or (array.sort is not None and not isinstance(array.sort, ArraysSort)):
        sort = f" is of sort {array.sort}, not" if isinstance(array, Expr) else " is not"
        raise TypeError(f"{place}: {array}{sort} an array")
    return array_parts(array.sort)


def Select(array: Expr, index: Any) -> Expr:
    """The element of an array at an index."""
    index_sort, element = _array(array, "Select")
    return Expr("select", (array, of_sort(index, index_sort, "an index of the array")), element)


def Store(array: Expr, index: Any, element: Any) -> Expr:
    """The array with another element at an index."""
    index_sort, element_sort = _array(array, "Store")
    place = of_sort(index, index_sort, "an index of the array")
    return Expr("store", (array, place, of_sort(element, element_sort, "an element of the array")), array.sort)


def K(index: Sort, element: Any) -> Expr:
    """The array that has the same element everywhere."""
    element = literal(element)
    if element.sort is None:
        raise TypeError(f"{element} has no sort")
    sort = ArraySort(index, element.sort)
    return Expr(f"(as const {sort.name})", (element,), sort)


def _quantified(op: str, variables: Any, body: Any) -> Expr:
    variables = [variables] if isinstance(variables, Expr) else list(variables)
    sorts = {}
    for variable in variables:
        if not isinstance(variable, Expr) or variable.op != "var":
            raise TypeError(f"{variable!r} is not a variable")
        if variable.value in sorts:
            raise TypeError(f"{variable} is bound twice")
        sorts[variable.value] = variable.sort
    (body,) = _formulas([body])
    for variable in free_variables(body):
        if sorts.get(variable.value, variable.sort) != variable.sort:
            of = sorts[variable.value]
            raise TypeError(f"{variable} is bound as one of sort {of}, and occurs as one of sort {variable.sort}")
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
    done: Dict[int, Any] = {}
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
    found: Dict[Tuple[str, Optional[Sort]], Expr] = {}
    stack = [root]
    seen = set()
    while stack:
        term = stack.pop()
        if id(term) in seen:
            continue
        seen.add(id(term))
        if term.op == "var":
            found.setdefault((term.value, term.sort), term)
        elif term.op in ("forall", "exists"):
            for variable in term._free:
                found.setdefault((variable.value, variable.sort), variable)
        else:
            stack.extend(reversed(term.args))
    return list(found.values())


def applied_functions(roots: Iterable[Expr]) -> List[Function]:
    """The functions that occur, by their names; two of one name are a mistake."""
    found: Dict[str, Function] = {}
    for term in walk(roots):
        if term.op == "app" and found.setdefault(term.value.name, term.value) != term.value:
            raise TypeError(f"{term.value.name} has two declarations")
    return sorted(found.values(), key=lambda function: function.name)


def functions_of(roots: Iterable[Expr]) -> List[Function]:
    """The declared functions that occur: no constructors, selectors and the like."""
    return [function for function in applied_functions(roots) if type(function) is Function]
