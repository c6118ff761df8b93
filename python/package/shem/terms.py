"""Expressions: sorts, terms and formulas, built by overloaded operators and written in SMT-LIB."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Callable, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

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


#: Names that stand for themselves in SMT-LIB.
_SIMPLE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789~!@$%^&*_-+=<>.?/")
_RESERVED = frozenset(
    "! _ as let exists forall match par BINARY DECIMAL HEXADECIMAL NUMERAL STRING true false".split()
)


def quote(name: str) -> str:
    """A symbol as SMT-LIB writes it."""
    if name.startswith("|") and name.endswith("|") and len(name) > 1:
        return name
    if name and not name[0].isdigit() and name not in _RESERVED and set(name) <= _SIMPLE:
        return name
    if "|" in name or "\\" in name:
        raise ValueError(f"SMT-LIB has no symbol {name!r}")
    return f"|{name}|"


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


def _array_parts(array: Expr) -> Tuple[Optional[Sort], Optional[Sort]]:
    if array.sort is None or not array.sort.name.startswith("(Array "):
        return None, None
    parts = read_all(array.sort.name)[0]
    return Sort(_flat(parts[1])), Sort(_flat(parts[2]))


def Select(array: Expr, index: Any) -> Expr:
    """The element of an array at an index."""
    index_sort, element = _array_parts(array)
    if element is None and array.sort is not None:
        raise TypeError(f"{array} is of sort {array.sort}, not an array")
    return Expr("select", (array, literal(index, index_sort)), element)


def Store(array: Expr, index: Any, element: Any) -> Expr:
    """The array with another element at an index."""
    index_sort, element_sort = _array_parts(array)
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


# -- SMT-LIB


def number_text(value: Number, real: bool) -> str:
    """A number in SMT-LIB."""
    if value < 0:
        return f"(- {number_text(-value, real)})"
    if not real:
        return str(value)
    fraction = Fraction(value)
    if fraction.denominator == 1:
        return f"{fraction.numerator}.0"
    return f"(/ {fraction.numerator}.0 {fraction.denominator}.0)"


def to_smtlib(root: Expr) -> str:
    """The expression in SMT-LIB. Larger subexpressions that occur more than once are named by ``let``."""
    pieces: List[str] = []
    while root.op in ("forall", "exists"):
        variables = " ".join(f"({quote(v.value)} {v.sort.name})" for v in root.value)
        pieces.append(f"({root.op} ({variables}) ")
        root = root.args[0]
    closing = len(pieces)
    names: dict = {}
    for number, term in enumerate(_shared(root)):
        pieces.append(f"(let ((|shared {number}| ")
        _write(term, names, pieces)
        pieces.append(")) ")
        names[id(term)] = f"|shared {number}|"
        closing += 1
    _write(root, names, pieces)
    pieces.append(")" * closing)
    return "".join(pieces)


def _shared(root: Expr) -> List[Expr]:
    """The subexpressions with arguments of their own that occur more than once, inner ones first; none under further
    quantifiers, whose variables would escape."""
    uses: dict = {}
    order: List[Expr] = []

    def combine(term: Expr, _: List[None]) -> None:
        order.append(term)
        for argument in term.args:
            uses[id(argument)] = uses.get(id(argument), 0) + 1

    fold(root, combine)
    if any(term.op in ("forall", "exists") for term in order):
        return []
    return [term for term in order if uses.get(id(term), 0) > 1 and any(argument.args for argument in term.args)]


def _write(root: Expr, names: dict, pieces: List[str]) -> None:
    """Writes an expression; subexpressions with a name are written by it."""
    stack: List[Union[str, Expr]] = [root]
    while stack:
        term = stack.pop()
        if isinstance(term, str):
            pieces.append(term)
        elif id(term) in names:
            pieces.append(names[id(term)])
        elif term.op == "var":
            pieces.append(quote(term.value))
        elif term.op == "const":
            if isinstance(term.value, bool):
                pieces.append("true" if term.value else "false")
            else:
                pieces.append(number_text(term.value, term.sort == REAL))
        else:
            if term.op in ("forall", "exists"):
                variables = " ".join(f"({quote(v.value)} {v.sort.name})" for v in term.value)
                head = f"{term.op} ({variables})"
            else:
                head = quote(term.value.name) if term.op == "app" else term.op
            if not term.args:
                pieces.append(head)
                continue
            pieces.append(f"({head}")
            stack.append(")")
            for argument in reversed(term.args):
                stack.extend((argument, " "))


def read_all(text: str) -> List[Any]:
    """The S-expressions in a text: strings and lists."""
    stack: List[List[Any]] = [[]]
    at, end = 0, len(text)
    while at < end:
        c = text[at]
        if c in " \t\r\n":
            at += 1
        elif c == ";":
            at = text.find("\n", at)
            at = end if at < 0 else at
        elif c == "(":
            stack.append([])
            at += 1
        elif c == ")":
            done = stack.pop()
            if not stack:
                raise ValueError("a closing parenthesis too many")
            stack[-1].append(done)
            at += 1
        elif c == "|":
            close = text.index("|", at + 1)
            stack[-1].append(text[at : close + 1])
            at = close + 1
        elif c == '"':
            close = at + 1
            while True:
                close = text.index('"', close)
                if text[close : close + 2] != '""':
                    break
                close += 2
            stack[-1].append(text[at : close + 1])
            at = close + 1
        else:
            start = at
            while at < end and text[at] not in ' \t\r\n();|"':
                at += 1
            stack[-1].append(text[start:at])
    if len(stack) != 1:
        raise ValueError("a parenthesis is not closed")
    return stack[0]


def _flat(tree: Any) -> str:
    return tree if isinstance(tree, str) else "(" + " ".join(map(_flat, tree)) + ")"


_BOOLEAN_OPS = frozenset("not and or => xor = distinct < <= > >= is_int".split())
_INT_OPS = frozenset("div mod to_int".split())


def from_tree(tree: Any, variables: dict, functions: Optional[dict] = None) -> Expr:
    """The expression of an S-expression; `variables` has those that are known by name."""
    functions = functions or {}
    results: List[Expr] = []
    # Of each entry: what is to be read in which scope, or what is to be made of so many results.
    work: List[Tuple[str, Any, Any]] = [("read", tree, variables)]
    while work:
        kind, what, scope = work.pop()
        if kind == "make":
            op, count = what
            arguments = results[len(results) - count :] if count else []
            del results[len(results) - count :]
            results.append(_make(op, arguments, functions))
            continue
        if kind == "quantifier":
            op, bound = what
            results.append(Expr(op, (results.pop(),), BOOL, bound))
            continue
        if kind == "let":
            names, body = what
            values = results[len(results) - len(names) :]
            del results[len(results) - len(names) :]
            work.append(("read", body, {**scope, **dict(zip(names, values))}))
            continue
        if isinstance(what, str):
            results.append(_symbol(what, scope, functions))
        elif what and what[0] == "let":
            work.append(("let", ([pair[0] for pair in what[1]], what[2]), scope))
            work.extend(("read", pair[1], scope) for pair in reversed(what[1]))
        elif what and what[0] in ("forall", "exists"):
            bound = tuple(Const(_unquote(name), Sort(_flat(sort))) for name, sort in what[1])
            work.append(("quantifier", (what[0], bound), None))
            work.append(("read", what[2], {**scope, **{name: v for (name, _), v in zip(what[1], bound)}}))
        elif what and what[0] == "!":
            work.append(("read", what[1], scope))
        elif what and what[0] == "as" and what[1] != "const":
            results.append(Expr(_flat(what), (), Sort(_flat(what[2]))))
        else:
            head = what[0] if isinstance(what[0], str) else _flat(what[0])
            work.append(("make", (head, len(what) - 1), None))
            work.extend(("read", argument, scope) for argument in reversed(what[1:]))
    return results[0]


def _unquote(name: str) -> str:
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] == "|" else name


def _symbol(token: str, scope: dict, functions: dict) -> Expr:
    if token in scope:
        return scope[token]
    if _unquote(token) in scope:
        return scope[_unquote(token)]
    if token in ("true", "false"):
        return literal(token == "true")
    if token[0].isdigit():
        return Expr("const", (), REAL, Fraction(token)) if "." in token else literal(int(token))
    if _unquote(token) in functions:
        return functions[_unquote(token)]()
    return Expr(token, ())


def _make(op: str, arguments: List[Expr], functions: dict) -> Expr:
    if op == "-" and len(arguments) == 1 and arguments[0].op == "const":
        return -arguments[0]
    if op == "/" and all(argument.op == "const" for argument in arguments) and arguments[1].value:
        return Expr("const", (), REAL, Fraction(arguments[0].value) / Fraction(arguments[1].value))
    if _unquote(op) in functions:
        return Expr("app", arguments, functions[_unquote(op)].range, functions[_unquote(op)])
    if op in _BOOLEAN_OPS or op.startswith("(_ divisible") or op.startswith("(_ is"):
        return Expr(op, arguments, BOOL)
    if op in ("+", "-", "*", "abs"):
        return Expr(op, arguments, REAL if any(a.sort == REAL for a in arguments) else arguments[0].sort)
    if op in _INT_OPS:
        return Expr(op, arguments, INT)
    if op in ("/", "to_real"):
        return Expr(op, arguments, REAL)
    if op == "ite":
        return Expr(op, arguments, arguments[1].sort)
    if op == "select":
        return Expr(op, arguments, _array_parts(arguments[0])[1])
    if op == "store":
        return Expr(op, arguments, arguments[0].sort)
    if op.startswith("(as const "):
        return Expr(op, arguments, Sort(op[len("(as const ") : -1]))
    return Expr(op, arguments)


def from_smtlib(text: str, variables: Iterable[Expr] = (), functions: Iterable[Function] = ()) -> Expr:
    """The expression that a text in SMT-LIB stands for, over these variables and functions."""
    trees = read_all(text)
    if len(trees) != 1:
        raise ValueError("this is not one expression")
    known = {variable.value: variable for variable in variables}
    return from_tree(trees[0], known, {function.name: function for function in functions})
