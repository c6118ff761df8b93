"""Expressions written in SMT-LIB, and read from it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Iterable, List, Optional, Tuple, Union

from .sexpr import flat, quote, read_all, unquote
from .terms import BOOL, INT, REAL, Const, Expr, Function, Number, Sort, array_parts, fold, literal

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
            bound = tuple(Const(unquote(name), Sort(flat(sort))) for name, sort in what[1])
            work.append(("quantifier", (what[0], bound), None))
            work.append(("read", what[2], {**scope, **{name: v for (name, _), v in zip(what[1], bound)}}))
        elif what and what[0] == "!":
            work.append(("read", what[1], scope))
        elif what and what[0] == "as" and what[1] != "const":
            results.append(Expr(flat(what), (), Sort(flat(what[2]))))
        else:
            head = what[0] if isinstance(what[0], str) else flat(what[0])
            work.append(("make", (head, len(what) - 1), None))
            work.extend(("read", argument, scope) for argument in reversed(what[1:]))
    return results[0]


def _symbol(token: str, scope: dict, functions: dict) -> Expr:
    if token in scope:
        return scope[token]
    if unquote(token) in scope:
        return scope[unquote(token)]
    if token in ("true", "false"):
        return literal(token == "true")
    if token[0].isdigit():
        return Expr("const", (), REAL, Fraction(token)) if "." in token else literal(int(token))
    if unquote(token) in functions:
        return functions[unquote(token)]()
    return Expr(token, ())


def _make(op: str, arguments: List[Expr], functions: dict) -> Expr:
    if op == "-" and len(arguments) == 1 and arguments[0].op == "const":
        return -arguments[0]
    if op == "/" and all(argument.op == "const" for argument in arguments) and arguments[1].value:
        return Expr("const", (), REAL, Fraction(arguments[0].value) / Fraction(arguments[1].value))
    if unquote(op) in functions:
        return Expr("app", arguments, functions[unquote(op)].range, functions[unquote(op)])
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
        return Expr(op, arguments, array_parts(arguments[0])[1])
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
