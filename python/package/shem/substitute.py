"""Other expressions in the place of parts of an expression.

A variable that a quantifier binds is another variable than the free one of its name. It stays, and it is renamed where
it would capture a variable of what is put in.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Set, Tuple, Union

from .terms import Const, Expr, free_variables, of_sort

#: What is put in the place of what: variables by name, or whole expressions.
Replacements = Dict[Union[str, Expr], Expr]


def substitute(root: Expr, *replacements: Any) -> Expr:
    """The expression with others in the place of parts of it.

    >>> from shem import Ints
    >>> x, y = Ints('x y')
    >>> substitute(x + 1, (x, y)), substitute(x + 1, {x: y * 2}), substitute(x + 1, {'x': 3})
    (y + 1, y·2 + 1, 3 + 1)

    Pairs and dictionaries name what is replaced: a variable, its name, or any other expression. All of it is replaced at
    once. Bound variables stay.
    """
    entries = _entries(root, replacements)
    if not entries:
        return root
    results: Dict[Tuple[int, int], Expr] = {}
    scopes: List[_Scope] = [_Scope(entries)]
    inner: Dict[Tuple[int, int], Tuple[int, Tuple[Expr, ...]]] = {}
    stack: List[Tuple[Expr, int]] = [(root, 0)]
    while stack:
        term, scope = stack[-1]
        if (id(term), scope) in results:
            stack.pop()
            continue
        found = scopes[scope].entries.get(term.value if term.op == "var" else term)
        if found is not None:
            results[id(term), scope] = found
            continue
        below = scope
        if term.op in ("forall", "exists"):
            if (id(term), scope) not in inner:
                opened, bound = scopes[scope].under(term)
                inner[id(term), scope] = (len(scopes), bound)
                scopes.append(opened)
            below = inner[id(term), scope][0]
        missing = [(argument, below) for argument in term.args if (id(argument), below) not in results]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        arguments = [results[id(argument), below] for argument in term.args]
        value = term.value if below == scope else inner[id(term), scope][1]
        same = below == scope and all(new is old for new, old in zip(arguments, term.args))
        results[id(term), scope] = term if same else Expr(term.op, arguments, term.sort, value)
    return results[id(root), 0]


def _entries(root: Expr, replacements: Tuple[Any, ...]) -> Replacements:
    pairs: List[Tuple[Any, Any]] = []
    for given in replacements:
        if isinstance(given, Mapping):
            pairs.extend(given.items())
        elif isinstance(given, tuple) and len(given) == 2:
            pairs.append(given)
        elif isinstance(given, list):
            pairs.extend(given)
        else:
            raise TypeError(f"{given!r} is neither a pair of expressions nor a dictionary")
    sorts = {variable.value: variable.sort for variable in free_variables(root)}
    entries: Replacements = {}
    for what, by in pairs:
        if isinstance(what, str):
            key: Union[str, Expr] = what
            sort = sorts.get(what)
        elif isinstance(what, Expr):
            key = what.value if what.op == "var" else what
            sort = what.sort
            if what.op == "var" and sorts.get(what.value, sort) != sort:
                # Another variable of this name.
                continue
        else:
            raise TypeError(f"{what!r} is neither an expression nor the name of a variable")
        entries[key] = of_sort(by, sort, f"the place of {what}")
    return entries


class _Scope:
    """What is replaced at some place."""

    def __init__(self, entries: Replacements) -> None:
        self.entries = entries
        self._names: Optional[Dict[Union[str, Expr], Set[str]]] = None

    def _needed(self, key: Union[str, Expr]) -> Set[str]:
        """The names of the free variables of what is put in."""
        if self._names is None:
            self._names = {key: {v.value for v in free_variables(by)} for key, by in self.entries.items()}
        return self._names[key]

    def under(self, term: Expr) -> Tuple["_Scope", Tuple[Expr, ...]]:
        """What is replaced under a quantifier, and the variables that it binds then."""
        bound = {variable.value for variable in term.value}
        free = {variable.value for variable in free_variables(term.args[0])}
        entries: Replacements = {}
        taken: Set[str] = set()
        for key, by in self.entries.items():
            if isinstance(key, str):
                occurs = key in free and key not in bound
            else:
                inside = {variable.value for variable in free_variables(key)}
                occurs = inside <= free and not inside & bound
            if occurs:
                entries[key] = by
                taken |= self._needed(key)
        variables = []
        for variable in term.value:
            name = variable.value
            if name in taken:
                number = 1
                while f"{name}!{number}" in taken | free | bound:
                    number += 1
                renamed = Const(f"{name}!{number}", variable.sort)
                bound.add(renamed.value)
                entries[name] = renamed
                variable = renamed
            variables.append(variable)
        return _Scope(entries), tuple(variables)
