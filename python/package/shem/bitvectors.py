"""Bit-vectors: z3's functions that make them, and the values and sorts of their operations in SMT-LIB.

Operators of Python are z3's: ``+``, ``-``, ``*``, ``&``, ``|``, ``^``, ``~``, ``<<``; ``>>`` keeps the sign, ``/``, ``%`` and
comparisons are those of numbers with a sign. The functions here are for numbers without one, and for parts.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple, Union

from .terms import BOOL, INT, BitVecSort, BitVectorsSort, Const, Consts, Expr, Sort, literal, of_sort, word


def BitVec(name: str, size: Union[int, BitVectorsSort]) -> Expr:
    """A variable of so many bits."""
    return Const(name, _sort(size))


def BitVecs(names: Union[str, Iterable[str]], size: Union[int, BitVectorsSort]) -> List[Expr]:
    """Variables of so many bits."""
    return Consts(names, _sort(size))


def BitVecVal(value: Union[int, str], size: Union[int, BitVectorsSort]) -> Expr:
    """A number in so many bits; what does not fit is cut off."""
    return literal(int(value), _sort(size))


def _sort(size: Union[int, BitVectorsSort]) -> BitVectorsSort:
    return size if isinstance(size, BitVectorsSort) else BitVecSort(size)


def is_bv(value: Any) -> bool:
    """Whether this is an expression of bit-vectors."""
    return isinstance(value, Expr) and isinstance(value.sort, BitVectorsSort)


def _bits(value: Any, place: str) -> Tuple[Expr, int]:
    """A term of bit-vectors, and its width."""
    if not isinstance(value, Expr) or not isinstance(value.sort, BitVectorsSort):
        what = f"is of sort {value.sort}" if isinstance(value, Expr) else "has no width"
        raise TypeError(f"{place}: {value} {what}, not a bit-vector")
    return value, value.sort.width


def _count(value: Any, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise TypeError(f"{place}: {value!r} is not a number of bits")
    return value


def UDiv(a: Any, b: Any) -> Expr:
    """The quotient without a sign; all ones by zero."""
    return word("bvudiv", a, b)


def URem(a: Any, b: Any) -> Expr:
    """The remainder without a sign; by zero the first number itself."""
    return word("bvurem", a, b)


def SRem(a: Any, b: Any) -> Expr:
    """The remainder with the sign of the first number; ``%`` has that of the second."""
    return word("bvsrem", a, b)


def LShR(a: Any, b: Any) -> Expr:
    """Shifted to the right, zeros from the left; ``>>`` repeats the sign."""
    return word("bvlshr", a, b)


def ULT(a: Any, b: Any) -> Expr:
    """Less, without a sign."""
    return word("bvult", a, b, BOOL)


def ULE(a: Any, b: Any) -> Expr:
    """Less or equal, without a sign."""
    return word("bvule", a, b, BOOL)


def UGT(a: Any, b: Any) -> Expr:
    """Greater, without a sign."""
    return word("bvugt", a, b, BOOL)


def UGE(a: Any, b: Any) -> Expr:
    """Greater or equal, without a sign."""
    return word("bvuge", a, b, BOOL)


def Extract(high: int, low: int, term: Any) -> Expr:
    """The bits from one to another, both included, the last bit being 0."""
    term, width = _bits(term, "Extract")
    if not _count(low, "Extract") <= _count(high, "Extract") < width:
        raise ValueError(f"Extract: {term} of {width} bits has none from {high} to {low}")
    return _make(f"(_ extract {high} {low})", term)


def Concat(*terms: Any) -> Expr:
    """Bit-vectors one after the other, the first one being the highest; given one by one or as a list."""
    parts = terms[0] if len(terms) == 1 and not isinstance(terms[0], Expr) else terms
    bits = [_bits(part, "Concat")[0] for part in parts]
    if not bits:
        raise TypeError("Concat: there is nothing to put together")
    return _make("concat", *bits) if len(bits) > 1 else bits[0]


def ZeroExt(count: int, term: Any) -> Expr:
    """So many zeros before a term."""
    return _make(f"(_ zero_extend {_count(count, 'ZeroExt')})", _bits(term, "ZeroExt")[0])


def SignExt(count: int, term: Any) -> Expr:
    """So many copies of the sign before a term."""
    return _make(f"(_ sign_extend {_count(count, 'SignExt')})", _bits(term, "SignExt")[0])


def RepeatBitVec(count: int, term: Any) -> Expr:
    """A term so many times, one after the other."""
    if _count(count, "RepeatBitVec") == 0:
        raise ValueError("RepeatBitVec: a repetition is at least one")
    return _make(f"(_ repeat {count})", _bits(term, "RepeatBitVec")[0])


def RotateLeft(term: Any, count: Any) -> Expr:
    """Rotated to the left by a number, or by a bit-vector."""
    return _rotate("left", term, count)


def RotateRight(term: Any, count: Any) -> Expr:
    """Rotated to the right by a number, or by a bit-vector."""
    return _rotate("right", term, count)


def _rotate(direction: str, term: Any, count: Any) -> Expr:
    term, width = _bits(term, "Rotate")
    if not isinstance(count, Expr):
        return _make(f"(_ rotate_{direction} {_count(count, 'Rotate') % width})", term)
    by = URem(of_sort(count, term.sort, "Rotate"), width)
    there, back = (term << by, LShR(term, width - by)) if direction == "left" else (LShR(term, by), term << (width - by))
    return there | back


def BV2Int(term: Any, is_signed: bool = False) -> Expr:
    """The integer that a bit-vector stands for, without a sign or with one."""
    return _make("sbv_to_int" if is_signed else "ubv_to_int", _bits(term, "BV2Int")[0])


def Int2BV(term: Any, size: Union[int, BitVectorsSort]) -> Expr:
    """An integer in so many bits; what does not fit is cut off."""
    return _make(f"(_ int_to_bv {_sort(size).width})", of_sort(term, INT, "Int2BV"))


def _make(op: str, *terms: Expr) -> Expr:
    return Expr(op, terms, sort_of(op, terms))


# -- operations of SMT-LIB: their sorts and values


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def _truncated(a: int, b: int) -> int:
    """The quotient, rounded towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _all(combine: Callable[[int, int], int]) -> Callable[..., int]:
    def combined(_: int, first: int, *rest: int) -> int:
        for value in rest:
            first = combine(first, value)
        return first

    return combined


def _with_sign(apply: Callable[[int, int], Any]) -> Callable[[int, int, int], Any]:
    return lambda width, a, b: apply(_signed(a, width), _signed(b, width))


#: Operations whose result has the width of their arguments, as functions of that width and the arguments; of what they
#: give, the last bits are taken.
_WORDS: Dict[str, Callable[..., int]] = {
    "bvnot": lambda _, a: ~a,
    "bvneg": lambda _, a: -a,
    "bvadd": _all(lambda a, b: a + b),
    "bvsub": _all(lambda a, b: a - b),
    "bvmul": _all(lambda a, b: a * b),
    "bvand": _all(lambda a, b: a & b),
    "bvor": _all(lambda a, b: a | b),
    "bvxor": _all(lambda a, b: a ^ b),
    "bvnand": lambda _, a, b: ~(a & b),
    "bvnor": lambda _, a, b: ~(a | b),
    "bvxnor": lambda _, a, b: ~(a ^ b),
    "bvudiv": lambda _, a, b: a // b if b else -1,
    "bvurem": lambda _, a, b: a % b if b else a,
    "bvsdiv": _with_sign(lambda a, b: _truncated(a, b) if b else (1 if a < 0 else -1)),
    "bvsrem": _with_sign(lambda a, b: a - b * _truncated(a, b) if b else a),
    "bvsmod": _with_sign(lambda a, b: a % b if b else a),
    "bvshl": lambda width, a, b: a << b if b < width else 0,
    "bvlshr": lambda width, a, b: a >> b if b < width else 0,
    "bvashr": lambda width, a, b: _signed(a, width) >> min(b, width),
}

#: Operations whose result is a truth value.
_COMPARISONS: Dict[str, Callable[..., bool]] = {
    "bvult": lambda _, a, b: a < b,
    "bvule": lambda _, a, b: a <= b,
    "bvugt": lambda _, a, b: a > b,
    "bvuge": lambda _, a, b: a >= b,
    "bvslt": _with_sign(lambda a, b: a < b),
    "bvsle": _with_sign(lambda a, b: a <= b),
    "bvsgt": _with_sign(lambda a, b: a > b),
    "bvsge": _with_sign(lambda a, b: a >= b),
}

#: Those whose result has another sort or width, and those with indices.
_OTHERS = frozenset("concat bvcomp ubv_to_int sbv_to_int bv2nat".split())
_INDEXED = frozenset("extract zero_extend sign_extend repeat rotate_left rotate_right int_to_bv int2bv nat2bv".split())


def indexed(op: str) -> Tuple[str, List[int]]:
    """The name of an operation and its indices: of ``(_ extract 7 0)`` the name is ``extract``."""
    if not op.startswith("(_ "):
        return op, []
    name, *indices = op[3:-1].split()
    return name, [int(index) for index in indices] if all(index.isdigit() for index in indices) else []


def is_operation(op: str) -> bool:
    """Whether this is an operation of bit-vectors."""
    name, indices = indexed(op)
    return name in _INDEXED if indices else name in _WORDS or name in _COMPARISONS or name in _OTHERS


def sort_of(op: str, terms: Any) -> Optional[Sort]:
    """The sort of an operation on terms, if those have sorts of bit-vectors."""
    name, indices = indexed(op)
    if name in ("ubv_to_int", "sbv_to_int", "bv2nat"):
        return INT
    if name in ("int_to_bv", "int2bv", "nat2bv"):
        return BitVecSort(indices[0])
    if op in _COMPARISONS:
        return BOOL
    if not all(isinstance(term.sort, BitVectorsSort) for term in terms):
        return None
    first = terms[0].sort
    if name == "concat":
        return BitVecSort(sum(term.sort.width for term in terms))
    if name == "bvcomp":
        return BitVecSort(1)
    if name == "extract":
        return BitVecSort(indices[0] - indices[1] + 1)
    if name in ("zero_extend", "sign_extend"):
        return BitVecSort(first.width + indices[0])
    if name == "repeat":
        return BitVecSort(first.width * indices[0])
    return first  # type: ignore[no-any-return]


def value_of_operation(term: Expr, values: List[int]) -> Any:
    """The value of an operation at values of its arguments; numbers are without a sign."""
    name, indices = indexed(term.op)
    sort = term.args[0].sort
    width = sort.width if isinstance(sort, BitVectorsSort) else 0
    if name in _COMPARISONS:
        return _COMPARISONS[name](width, *values)
    if name == "sbv_to_int":
        return _signed(values[0], width)
    if name in ("ubv_to_int", "bv2nat"):
        return values[0]
    if name == "bvcomp":
        return int(values[0] == values[1])
    if name in _WORDS:
        value = _WORDS[name](width, *values)
    elif name == "concat":
        value = 0
        for argument, part in zip(term.args, values):
            value = value << _bits(argument, name)[1] | part
    elif name == "extract":
        value = values[0] >> indices[1]
    elif name == "sign_extend":
        value = _signed(values[0], width)
    elif name == "repeat":
        value = sum(values[0] << (width * number) for number in range(indices[0]))
    elif name in ("rotate_left", "rotate_right"):
        by = indices[0] % width if name == "rotate_left" else -indices[0] % width
        value = values[0] << by | values[0] >> (width - by)
    else:
        value = values[0]
    return value % (1 << _bits(term, name)[1])


def constant(text: str) -> Optional[Expr]:
    """The number that a token or ``(_ bv5 8)`` stands for, if it is one of bit-vectors."""
    if text.startswith("#b") or text.startswith("#x"):
        base, bits = (2, 1) if text[1] == "b" else (16, 4)
        return BitVecVal(int(text[2:], base), bits * (len(text) - 2))
    if text.startswith("(_ bv"):
        value, size = text[5:-1].split()
        return BitVecVal(value, int(size))
    return None


def constant_text(value: int, width: int) -> str:
    """A number in SMT-LIB."""
    return f"#x{value:0{width // 4}x}" if width % 4 == 0 else f"#b{value:0{width}b}"
