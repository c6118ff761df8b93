"""Expressions written in SMT-LIB, and read from it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Container, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from . import _shem
from .bitvectors import constant, constant_text, is_operation, sort_of
from .datatypes import (
    CreateDatatypes,
    Datatype,
    DatatypeSort,
    RecursiveFunction,
    datatypes_of,
    declare_datatypes,
)
from .sexpr import flat, quote, read_all, unquote
from .terms import (
    BOOL,
    INT,
    REAL,
    ArraySort,
    BitVecSort,
    BitVectorsSort,
    Const,
    Expr,
    Function,
    Number,
    Sort,
    applied_functions,
    array_parts,
    fold,
    free_variables,
    functions_of,
    literal,
    walk,
)


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
    names: Dict[int, str] = {}
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
    uses: Dict[int, int] = {}
    order: List[Expr] = []

    def combine(term: Expr, _: List[None]) -> None:
        order.append(term)
        for argument in term.args:
            uses[id(argument)] = uses.get(id(argument), 0) + 1

    fold(root, combine)
    if any(term.op in ("forall", "exists") or _is_taken(term) for term in order):
        return []
    return [term for term in order if uses.get(id(term), 0) > 1 and any(argument.args for argument in term.args)]


def _is_taken(term: Expr) -> bool:
    """Whether the user has a name like those of shared subexpressions."""
    return term.op in ("var", "app") and str(getattr(term.value, "name", term.value)).startswith("shared ")


def summands(term: Expr, names: Container[int] = ()) -> List[Expr]:
    """The arguments of a sum or product that was made one by one, from ((a + b) + c) + d."""
    arguments: List[Expr] = []
    while True:
        first, op = term.args[0], term.op
        arguments.extend(reversed(term.args[1:]))
        if first.op != op or id(first) in names:
            arguments.append(first)
            return arguments[::-1]
        term = first


def _write(root: Expr, names: Dict[int, str], pieces: List[str]) -> None:
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
            elif isinstance(term.sort, BitVectorsSort):
                pieces.append(constant_text(term.value, term.sort.width))
            else:
                pieces.append(number_text(term.value, term.sort == REAL))
        else:
            if term.op in ("forall", "exists"):
                variables = " ".join(f"({quote(v.value)} {v.sort.name})" for v in term.value)
                head = f"{term.op} ({variables})"
            else:
                head = term.value.smtlib_name if term.op == "app" else term.op
            if not term.args:
                pieces.append(head)
                continue
            pieces.append(f"({head}")
            stack.append(")")
            for argument in reversed(summands(term, names) if term.op in ("+", "*") else term.args):
                stack.extend((argument, " "))


_BOOLEAN_OPS = frozenset("not and or => xor = distinct < <= > >= is_int".split())
_INT_OPS = frozenset("div mod to_int".split())


class Scope:
    """What names stand for in a text: variables, functions and sorts."""

    def __init__(
        self,
        variables: Iterable[Expr] = (),
        functions: Iterable[Function] = (),
        sorts: Iterable[Sort] = (),
    ) -> None:
        self.variables: Dict[str, Expr] = {variable.value: variable for variable in variables}
        self.functions: Dict[str, Function] = {}
        self.sorts: Dict[str, Sort] = {"Int": INT, "Real": REAL, "Bool": BOOL}
        for function in functions:
            self.declare(function)
        for sort in sorts:
            self.add_sort(sort)

    def declare(self, function: Function) -> None:
        """Makes a function known."""
        self.functions[function.name if type(function) is Function else unquote(function.smtlib_name)] = function

    def add_sort(self, sort: Sort) -> None:
        """Makes a sort known; with a datatype its constructors, selectors and testers."""
        self.sorts[sort.name] = sort
        if isinstance(sort, DatatypeSort):
            for function in sort.functions():
                self.declare(function)

    def sort(self, tree: Any) -> Sort:
        """The sort that an S-expression stands for."""
        if isinstance(tree, list) and len(tree) == 3 and tree[0] == "Array":
            return ArraySort(self.sort(tree[1]), self.sort(tree[2]))
        if isinstance(tree, list) and tree[:2] == ["_", "BitVec"]:
            return BitVecSort(int(tree[2]))
        name = flat(tree)
        return self.sorts.get(unquote(name)) or self.sorts.get(name) or Sort(name)

    def read_datatypes(self, tree: List[Any]) -> None:
        """Reads ``declare-datatypes`` or ``declare-datatype``; those with parameters stay unknown."""
        names, bodies = ([[tree[1], "0"]], [tree[2]]) if tree[0] == "declare-datatype" else (tree[1], tree[2])
        declared = {}
        for (name, arity), body in zip(names, bodies):
            if arity != "0" or (body and body[0] == "par"):
                return
            declared[unquote(name)] = Datatype(unquote(name))
        for (name, _), body in zip(names, bodies):
            for constructor in body:
                constructor = constructor if isinstance(constructor, list) else [constructor]
                fields = []
                for field, sort in constructor[1:]:
                    known = declared.get(unquote(sort)) if isinstance(sort, str) else None
                    fields.append((unquote(field), known if known is not None else self.sort(sort)))
                declared[unquote(name)].declare(unquote(constructor[0]), *fields)
        for sort in CreateDatatypes(list(declared.values())):
            self.add_sort(sort)

    def read_recursive(self, tree: List[Any]) -> None:
        """Reads ``define-fun-rec`` of a function of models."""
        _, name, parameters, sort, body = tree
        variables = [Const(unquote(parameter), self.sort(of)) for parameter, of in parameters]
        function = RecursiveFunction(unquote(name), variables, self.sort(sort))
        self.declare(function)
        inner = {**self.variables, **{p: variable for (p, _), variable in zip(parameters, variables)}}
        function.body = from_tree(body, self, inner)


#: Names and what they stand for, by ``let`` and quantifiers.
Names = Dict[str, Expr]


def from_tree(tree: Any, scope: Scope, variables: Optional[Names] = None) -> Expr:
    """The expression of an S-expression; `variables` has those of the scope, or others."""
    results: List[Expr] = []
    # Of each entry: what is to be read under which names, or what is to be made of so many results.
    work: List[Tuple[str, Any, Names]] = [("read", tree, scope.variables if variables is None else variables)]
    while work:
        kind, what, names = work.pop()
        if kind == "make":
            op, count = what
            arguments = results[len(results) - count :] if count else []
            del results[len(results) - count :]
            results.append(_make(op, arguments, scope))
            continue
        if kind == "quantifier":
            op, bound = what
            results.append(Expr(op, (results.pop(),), BOOL, bound))
            continue
        if kind == "let":
            let, body = what
            values = results[len(results) - len(let) :]
            del results[len(results) - len(let) :]
            work.append(("read", body, {**names, **dict(zip(let, values))}))
            continue
        if isinstance(what, str):
            results.append(_symbol(what, names, scope))
        elif what and what[0] == "let":
            work.append(("let", ([pair[0] for pair in what[1]], what[2]), names))
            work.extend(("read", pair[1], names) for pair in reversed(what[1]))
        elif what and what[0] in ("forall", "exists"):
            bound = tuple(Const(unquote(name), scope.sort(sort)) for name, sort in what[1])
            work.append(("quantifier", (what[0], bound), {}))
            work.append(("read", what[2], {**names, **{name: v for (name, _), v in zip(what[1], bound)}}))
        elif what and what[0] == "!":
            work.append(("read", what[1], names))
        elif what and what[0] == "_":
            results.append(_symbol(flat(what), {}, scope))
        elif what and what[0] == "as" and what[1] != "const":
            results.append(_symbol(what[1], {}, scope, scope.sort(what[2])))
        else:
            head = what[0]
            if isinstance(head, list):
                head = head[1] if head[0] == "as" and head[1] != "const" else flat(head)
            work.append(("make", (head, len(what) - 1), {}))
            work.extend(("read", argument, names) for argument in reversed(what[1:]))
    return results[0]


def _symbol(token: str, names: Names, scope: Scope, sort: Optional[Sort] = None) -> Expr:
    if token in names:
        return names[token]
    if unquote(token) in names:
        return names[unquote(token)]
    if token in ("true", "false"):
        return literal(token == "true")
    number = constant(token)
    if number is not None:
        return number
    if token[0].isdigit():
        return Expr("const", (), REAL, Fraction(token)) if "." in token else literal(int(token))
    if unquote(token) in scope.functions:
        return scope.functions[unquote(token)]()
    return Expr(unquote(token), (), sort)


def _make(op: str, arguments: List[Expr], scope: Scope) -> Expr:
    if op == "-" and len(arguments) == 1 and arguments[0].op == "const":
        return -arguments[0]
    if op == "/" and all(argument.op == "const" for argument in arguments) and arguments[1].value:
        return Expr("const", (), REAL, Fraction(arguments[0].value) / Fraction(arguments[1].value))
    function = scope.functions.get(unquote(op))
    if function is not None:
        return Expr("app", arguments, function.range, function)
    if op in _BOOLEAN_OPS or op.startswith("(_ divisible") or op.startswith("(_ is"):
        return Expr(op, arguments, BOOL)
    if op in ("+", "-", "*", "abs"):
        return Expr(op, arguments, REAL if any(a.sort == REAL for a in arguments) else arguments[0].sort)
    if is_operation(op):
        return Expr(op, arguments, sort_of(op, arguments))
    if op in _INT_OPS:
        return Expr(op, arguments, INT)
    if op in ("/", "to_real"):
        return Expr(op, arguments, REAL)
    if op == "ite":
        return Expr(op, arguments, arguments[1].sort)
    if op == "select":
        return Expr(op, arguments, array_parts(arguments[0].sort)[1])
    if op == "store":
        return Expr(op, arguments, arguments[0].sort)
    if op.startswith("(as const "):
        return Expr(op, arguments, scope.sort(read_all(op)[0][2]))
    return Expr(unquote(op), arguments)


def from_smtlib(
    text: str, variables: Iterable[Expr] = (), functions: Iterable[Function] = (), sorts: Iterable[Sort] = ()
) -> Expr:
    """The expression that a text in SMT-LIB stands for, over these variables, functions and datatypes."""
    trees = read_all(text)
    if len(trees) != 1:
        raise ValueError("this is not one expression")
    return from_tree(trees[0], Scope(variables, functions, sorts))


def declarations(formulas: Sequence[Expr], functions: Iterable[Function] = ()) -> List[str]:
    """The commands that declare the datatypes and functions of formulas, and further functions."""
    declared = {function.name: function for function in [*functions, *functions_of(formulas)]}
    datatypes = declare_datatypes(datatypes_of(formulas, declared.values()))
    commands = [datatypes] if datatypes else []
    for function in sorted(declared.values(), key=lambda function: function.name):
        commands.append(declare_function(function))
    return commands


def declare_function(function: Function) -> str:
    """The command that declares a function."""
    sorts = " ".join(sort.name for sort in function.sorts)
    return f"(declare-fun {function.smtlib_name} ({sorts}) {function.range.name})"


def simplify(value: Any) -> Expr:
    """The expression as the solver keeps it: constants folded, sums collected, trivial parts gone.

    >>> x = Int('x')
    >>> simplify(x + 1 + 2 * x + 4)
    3·x + 5
    """
    term = literal(value)
    if any(part.op == "app" and isinstance(part.value, RecursiveFunction) for part in walk([term])):
        return term
    variables = free_variables(term)
    commands = declarations([term])
    commands += [f"(declare-const {quote(v.value)} {v.sort.name})" for v in variables if v.sort is not None]
    text = _shem.simplify("\n".join(commands), to_smtlib(term))
    scope = Scope(variables, applied_functions([term]), datatypes_of([term]))
    return from_tree(read_all(text)[0], scope)
