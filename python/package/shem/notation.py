"""Expressions in mathematical notation: ``2·x ≤ y + 1 ∧ ¬p``."""

from __future__ import annotations

import html
from fractions import Fraction
from typing import Callable, Dict, List, Set, Tuple

from .bitvectors import indexed
from .smtlib import to_smtlib
from .terms import Expr, fold, walk

# How tightly an expression holds together; one is put in parentheses where a tighter one is needed.
_QUANTIFIER, _IMPLIES, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _MINUS, _ATOM = range(10)

_SIGNS = {"<=": "≤", ">=": "≥", "<": "<", ">": ">", "=": "="}

#: Operations on bit-vectors that Python has an operator for; the others have z3's names.
_BIT_SIGNS = {"bvand": "&", "bvor": "|", "bvxor": "^", "bvshl": "<<", "bvashr": ">>", "bvsdiv": "/", "bvsmod": "%"}
_BIT_COMPARISONS = {"bvslt": "<", "bvsle": "≤", "bvsgt": ">", "bvsge": "≥"}
_BIT_NAMES = {
    **{"bvult": "ULT", "bvule": "ULE", "bvugt": "UGT", "bvuge": "UGE", "bvlshr": "LShR", "bvudiv": "UDiv"},
    **{"bvurem": "URem", "bvsrem": "SRem", "concat": "Concat", "extract": "Extract", "zero_extend": "ZeroExt"},
    **{"sign_extend": "SignExt", "repeat": "RepeatBitVec", "rotate_left": "RotateLeft", "rotate_right": "RotateRight"},
    **{"ubv_to_int": "BV2Int", "int_to_bv": "Int2BV"},
}

Piece = Tuple[str, int]


def _number(value: object) -> Piece:
    if isinstance(value, bool):
        return ("true" if value else "false"), _ATOM
    if isinstance(value, Fraction) and value.denominator != 1:
        text = f"{abs(value.numerator)}/{value.denominator}"
        return (f"−{text}", _MINUS) if value < 0 else (text, _PRODUCT)
    number = int(value)  # type: ignore[call-overload]
    return (f"−{-number}", _MINUS) if number < 0 else (str(number), _ATOM)


def _term(root: Expr, name: Callable[[str], str]) -> str:
    def put(piece: Piece, least: int) -> str:
        text, strength = piece
        return text if strength >= least else f"({text})"

    def infix(pieces: List[Piece], sign: str, strength: int) -> Piece:
        return sign.join(put(piece, strength + 1) for piece in pieces), strength

    def total(pieces: List[Piece]) -> Piece:
        text = put(pieces[0], _SUM)
        for piece in pieces[1:]:
            if piece[0].startswith("−") and piece[1] >= _SUM:
                text += f" − {piece[0][1:]}"
            else:
                text += f" + {put(piece, _PRODUCT)}"
        return text, _SUM

    # Sums and products that only begin a longer one, (a + b) + c, are written as parts of it.
    beginnings = _beginnings(root)
    parts: Dict[int, List[Piece]] = {}

    def combine(term: Expr, pieces: List[Piece]) -> Piece:
        op = term.op
        if op in ("+", "*"):
            begun = parts.pop(id(term.args[0]), None)
            if begun is not None:
                begun.extend(pieces[1:])
                pieces = begun
            if id(term) in beginnings:
                parts[id(term)] = pieces
                return "", _ATOM
        if op == "var":
            return name(term.value), _ATOM
        if op == "const":
            return _number(term.value)
        if op in ("forall", "exists"):
            sign = "∀" if op == "forall" else "∃"
            variables = ", ".join(name(variable.value) for variable in term.value)
            return f"{sign}{variables}. {put(pieces[0], _QUANTIFIER)}", _QUANTIFIER
        if op == "and":
            return infix(pieces, " ∧ ", _AND)
        if op == "or":
            return infix(pieces, " ∨ ", _OR)
        if op == "=>":
            return infix(pieces, " ⇒ ", _IMPLIES)
        if op == "not":
            inner = term.args[0]
            if inner.op == "=" and len(inner.args) == 2:
                return pieces[0][0].replace(" = ", " ≠ ", 1) if pieces[0][0].count(" = ") == 1 else (
                    f"¬({pieces[0][0]})"
                ), _COMPARE
            return f"¬{put(pieces[0], _NOT)}", _NOT
        if op in _BIT_COMPARISONS:
            return infix(pieces, f" {_BIT_COMPARISONS[op]} ", _COMPARE)
        if op in _BIT_SIGNS:
            return f" {_BIT_SIGNS[op]} ".join(put(piece, _ATOM) for piece in pieces), _COMPARE
        if op == "bvnot":
            return f"~{put(pieces[0], _ATOM)}", _MINUS
        if op in ("bvadd", "bvsub", "bvmul", "bvneg"):
            op = {"bvadd": "+", "bvsub": "-", "bvmul": "*", "bvneg": "-"}[op]
        bits, indices = indexed(op)
        if bits in _BIT_NAMES and term.sort is not None:
            numbers = [(str(index), _ATOM) for index in indices]
            behind = bits in ("rotate_left", "rotate_right", "int_to_bv")
            return f"{_BIT_NAMES[bits]}({_list(pieces + numbers if behind else numbers + pieces)})", _ATOM
        if op in _SIGNS:
            return infix(pieces, f" {_SIGNS[op]} ", _COMPARE)
        if op == "+":
            return total(pieces)
        if op == "-":
            if len(pieces) == 1:
                return f"−{put(pieces[0], _PRODUCT)}", _MINUS
            return f"{put(pieces[0], _SUM)} − " + " − ".join(put(p, _PRODUCT) for p in pieces[1:]), _SUM
        if op == "*":
            first = pieces[0]
            rest = "·".join(put(piece, _ATOM) for piece in pieces[1:])
            if term.args[0].op == "const" and first[1] == _MINUS:
                return f"−{first[0][1:]}·{rest}", _MINUS
            return f"{put(first, _ATOM)}·{rest}", _PRODUCT
        if op == "/":
            return infix(pieces, " / ", _PRODUCT)
        if op in ("div", "mod"):
            return infix(pieces, f" {op} ", _PRODUCT)
        if op == "abs":
            return f"|{pieces[0][0]}|", _ATOM
        if op == "to_real":
            return pieces[0]
        if op == "to_int":
            return f"⌊{pieces[0][0]}⌋", _ATOM
        if op == "select":
            return f"{put(pieces[0], _ATOM)}[{pieces[1][0]}]", _ATOM
        if op == "store":
            return f"{put(pieces[0], _ATOM)}[{pieces[1][0]} ↦ {pieces[2][0]}]", _ATOM
        if op == "ite":
            return f"if {pieces[0][0]} then {pieces[1][0]} else {pieces[2][0]}", _QUANTIFIER
        if op == "distinct":
            return infix(pieces, " ≠ ", _COMPARE) if len(pieces) == 2 else (f"distinct({_list(pieces)})", _ATOM)
        if op.startswith("(_ divisible "):
            return f"{op[len('(_ divisible ') : -1]} | {put(pieces[0], _SUM)}", _COMPARE
        if op.startswith("(_ is "):
            return f"is {name(op[len('(_ is ') : -1])}({pieces[0][0]})", _ATOM
        if op.startswith("(as const "):
            return f"[… ↦ {pieces[0][0]}]", _ATOM
        head = name(term.value.name if op == "app" else op)
        return (f"{head}({_list(pieces)})" if pieces else head), _ATOM

    text: str = fold(root, combine)[0]
    return text


def _beginnings(root: Expr) -> Set[int]:
    """The sums and products that occur once, as the first argument of another one."""
    uses: Dict[int, int] = {}
    first: Set[int] = set()
    for term in walk([root]):
        for argument in term.args:
            uses[id(argument)] = uses.get(id(argument), 0) + 1
        if term.op in ("+", "*") and term.args[0].op == term.op:
            first.add(id(term.args[0]))
    return {number for number in first if uses[number] == 1}


def _list(pieces: List[Piece]) -> str:
    return ", ".join(text for text, _ in pieces)


#: Larger expressions, with shared parts written out, are shown in SMT-LIB, which has names for shared parts.
_MOST_NODES = 20_000


def to_text(root: Expr) -> str:
    """The expression in mathematical notation, as plain text."""
    if fold(root, lambda _, sizes: min(1 + sum(sizes), _MOST_NODES + 1)) > _MOST_NODES:
        return to_smtlib(root)
    return _term(root, lambda name: name)


def to_html(root: Expr) -> str:
    """The same for a page; names are escaped."""
    # Signs like < stand between names, so that the whole is escaped at once.
    return html.escape(to_text(root))
