"""S-expressions: symbols and lists as SMT-LIB writes them."""

from __future__ import annotations

from typing import Any, List

#: Names that stand for themselves in SMT-LIB.
_SIMPLE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789~!@$%^&*_-+=<>.?/")
_RESERVED = frozenset("! _ as let exists forall match par BINARY DECIMAL HEXADECIMAL NUMERAL STRING true false".split())


def quote(name: str) -> str:
    """A symbol as SMT-LIB writes it."""
    if name.startswith("|") and name.endswith("|") and len(name) > 1:
        return name
    if name and not name[0].isdigit() and name not in _RESERVED and set(name) <= _SIMPLE:
        return name
    if "|" in name or "\\" in name:
        raise ValueError(f"SMT-LIB has no symbol {name!r}")
    return f"|{name}|"


def unquote(name: str) -> str:
    """The name of a symbol without the bars around it."""
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] == "|" else name


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


def flat(tree: Any) -> str:
    """An S-expression as text."""
    return tree if isinstance(tree, str) else "(" + " ".join(map(flat, tree)) + ")"
