"""Python functions as programs: what is supported, what names stand for, and which variables hold what.

A variable holds an integer, a truth value or a list of integers. A truth value is an integer in Python (``True + 1`` is
2), so a variable that is sometimes the one and sometimes the other is an integer here. A list is an object that may have
several names; here each has one: what would give it a second one is refused.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import types
from typing import Any, Dict, List, NoReturn, Optional, Set, Tuple

from .replay import assume, nondet

#: What a variable holds.
Kind = str
INT_KIND, BOOL_KIND, LIST_KIND, NO_KIND = "int", "bool", "list[int]", "None"


class Unsupported(SyntaxError):
    """Something in a function that :func:`verify` does not support; the place is that of a ``SyntaxError``."""


class Unresolved(Unsupported):
    """A name that stands for nothing yet: a function that is defined later."""


#: Built-in functions that have no effect but on their result.
PURE = {abs: "abs", min: "min", max: "max", int: "int", bool: "bool", len: "len"}

#: Built-in functions that only read the lists they are given.
_READING = ("len", "list")

#: Methods of lists.
LIST_METHODS = ("append", "pop", "copy")


class Program:
    """A function of Python, read.

    Attributes:
        function: the function
        name: its name
        parameters: names and kinds of its parameters
        returns: the kind of its result, as it is annotated
        kinds: what each local variable holds
    """

    def __init__(self, function: Any) -> None:
        if not isinstance(function, types.FunctionType):
            raise TypeError(f"{function!r} is not a function of Python")
        self.function = function
        self.name = function.__name__
        self.file = function.__code__.co_filename
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError) as error:
            raise Unsupported(f"the source of {self.name} is not there: {error}") from None
        self.lines = lines
        self.first = max(first, 1)
        node = self._parsed("".join(lines))
        if not isinstance(node, ast.FunctionDef):
            self.refuse(node, "only functions that are written with def are supported")
        self.node: ast.FunctionDef = node
        #: The lines of assertions whose messages Python evaluates when they fail, whatever comes of that.
        self.with_message: Set[int] = set()
        for part in ast.walk(node):
            if isinstance(part, ast.Assert) and part.msg is not None:
                self.with_message.add(part.lineno)
                part.msg = None
        if len(node.decorator_list) > 1:
            self.refuse(node, "other decorators are not supported")
        self.parameters = self._parameters()
        self.returns = self._kind_of_annotation(node.returns) if node.returns is not None else NO_KIND
        self.mutated = frozenset(_mutated(node.body))
        self.assigned = frozenset(assigned_names(node.body))
        for name, kind in self.parameters:
            if kind == LIST_KIND and name in self.assigned:
                self.refuse(node, f"{name} is a list of the caller, and gets another value; copy it under another name")
        #: What each local variable holds; empty until :meth:`infer` was called.
        self.kinds: Dict[str, Kind] = {}

    def _parsed(self, text: str) -> ast.stmt:
        """The statement that a text is, with the line numbers of its file."""
        # What is indented stands in a block.
        above = "if True:\n" if text[:1].isspace() else ""
        try:
            tree = ast.parse(above + text)
        except SyntaxError as error:
            raise Unsupported(f"the source of {self.name} cannot be read by itself: {error}") from None
        ast.increment_lineno(tree, self.first - 1 - len(above.splitlines()))
        first = tree.body[0]
        return first.body[0] if above and isinstance(first, ast.If) else first

    # -- places

    def refuse(self, node: Any, words: str) -> NoReturn:
        """Raises the exception for something that is not supported."""
        raise Unsupported(words, self.place(node))

    def place(self, node: Any) -> Tuple[str, int, int, str]:
        """The place of a node for a ``SyntaxError``."""
        line = getattr(node, "lineno", self.first)
        return self.file, line, getattr(node, "col_offset", 0) + 1, self.source(line)

    def source(self, line: int) -> str:
        """A line of the source."""
        at = line - self.first
        return self.lines[at].rstrip("\n") if 0 <= at < len(self.lines) else ""

    # -- names

    def _parameters(self) -> List[Tuple[str, Kind]]:
        arguments = self.node.args
        if arguments.vararg or arguments.kwarg:
            self.refuse(self.node, "parameters with * are not supported")
        found = []
        for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
            kind = self._kind_of_annotation(argument.annotation)
            if kind == NO_KIND:
                self.refuse(argument, f"{argument.arg} needs an annotation: int, bool or list[int]")
            found.append((argument.arg, kind))
        return found

    def _kind_of_annotation(self, node: Optional[ast.expr]) -> Kind:
        text = "None" if node is None else ast.unparse(node).replace(" ", "").strip("'\"")
        text = text[len("typing.") :] if text.startswith("typing.") else text
        kinds = {
            "int": INT_KIND,
            "bool": BOOL_KIND,
            "list[int]": LIST_KIND,
            "List[int]": LIST_KIND,
            "None": NO_KIND,
        }
        if text not in kinds:
            self.refuse(node, f"{text} is not supported: int, bool and list[int] are")
        return kinds[text]

    def is_local(self, name: str) -> bool:
        """Whether a name is that of a parameter or of a variable that is assigned."""
        return name in self.assigned or any(name == parameter for parameter, _ in self.parameters)

    def resolve(self, node: ast.expr) -> Any:
        """What a name, or an attribute of a module, stands for outside of the function."""
        if isinstance(node, ast.Attribute):
            owner = self.resolve(node.value)
            if isinstance(owner, types.ModuleType) and hasattr(owner, node.attr):
                return getattr(owner, node.attr)
            self.refuse(node, f"{ast.unparse(node)} is not supported")
        if not isinstance(node, ast.Name):
            self.refuse(node, f"{ast.unparse(node)} is not supported")
        if self.is_local(node.id):
            self.refuse(node, f"{node.id} is a variable here")
        code = self.function.__code__
        if node.id in code.co_freevars and self.function.__closure__:
            try:
                return self.function.__closure__[code.co_freevars.index(node.id)].cell_contents
            except ValueError:
                pass
        elif node.id in self.function.__globals__:
            return self.function.__globals__[node.id]
        elif hasattr(builtins, node.id):
            return getattr(builtins, node.id)
        raise Unresolved(f"{node.id} is not defined", self.place(node))

    def callee(self, node: ast.Call) -> Any:
        """What is called: ``"append"``, ``"pop"`` or ``"copy"`` for the methods of lists, a built-in function,
        :func:`assume`, :func:`nondet`, or a :class:`Program`."""
        function = node.func
        if (
            isinstance(function, ast.Attribute)
            and isinstance(function.value, ast.Name)
            and self.is_local(function.value.id)
        ):
            if function.attr in LIST_METHODS:
                return function.attr
            self.refuse(node, f"the method {function.attr} is not supported")
        if isinstance(function, ast.Name) and function.id == self.name and not self.is_local(self.name):
            # Before the decorator returns, the name does not stand for the function yet.
            try:
                found = self.resolve(function)
            except Unresolved:
                return self
            program = getattr(found, "_program", None)
            return (
                program
                if isinstance(program, Program)
                else self
                if found is self.function
                else self._not_verified(node)
            )
        found = self.resolve(function)
        program = getattr(found, "_program", None)
        if isinstance(program, Program):
            if isinstance(function, ast.Name) and function.id in _READING:
                self.refuse(node, f"{function.id} is not the built-in function here")
            return program
        known = [*PURE, range, list, assume, nondet]
        return found if any(found is one for one in known) else self._not_verified(node)

    def _not_verified(self, node: ast.Call) -> NoReturn:
        self.refuse(node, f"{ast.unparse(node.func)} cannot be called here: functions decorated with @verify can")

    def calls(self) -> List["Program"]:
        """The programs that are called, in the order of the text."""
        found = [self.callee(node) for node in _nodes(self.node.body) if isinstance(node, ast.Call)]
        return [program for program in found if isinstance(program, Program)]

    # -- kinds

    def infer(self) -> None:
        """Finds what each variable holds, by going through the assignments until nothing changes."""
        kinds: Dict[str, Kind] = dict(self.parameters)
        assignments = list(_assignments(self.node.body))
        changed = True
        while changed:
            changed = False
            for target, node, value in assignments:
                kind = value if isinstance(value, str) else self.kind(value, kinds)
                known = kinds.get(target)
                if kind == NO_KIND or kind == known or (known, kind) == (INT_KIND, BOOL_KIND):
                    continue
                if known is not None and LIST_KIND in (known, kind):
                    self.refuse(node, f"{target} is a list in one place and a number in another")
                kinds[target] = kind
                changed = True
        self.kinds = kinds

    def kind(self, node: ast.expr, kinds: Optional[Dict[str, Kind]] = None) -> Kind:
        """The kind of an expression; what is not known yet has none."""
        kinds = self.kinds if kinds is None else kinds
        if isinstance(node, ast.Constant):
            return BOOL_KIND if isinstance(node.value, bool) else INT_KIND
        if isinstance(node, ast.Name):
            return kinds.get(node.id, NO_KIND)
        if isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
            return BOOL_KIND
        if isinstance(node, ast.BoolOp):
            return self._joined(node.values, kinds)
        if isinstance(node, ast.IfExp):
            return self._joined([node.body, node.orelse], kinds)
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
                return LIST_KIND
            logical = isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.BitXor))
            return self._joined([node.left, node.right], kinds) if logical else INT_KIND
        if isinstance(node, ast.List) or (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)):
            return LIST_KIND
        if isinstance(node, ast.Call):
            return self._kind_of_call(node, kinds)
        return INT_KIND

    def _joined(self, nodes: List[ast.expr], kinds: Dict[str, Kind]) -> Kind:
        found = {self.kind(node, kinds) for node in nodes} - {NO_KIND}
        return LIST_KIND if LIST_KIND in found else INT_KIND if INT_KIND in found else BOOL_KIND if found else NO_KIND

    def _kind_of_call(self, node: ast.Call, kinds: Dict[str, Kind]) -> Kind:
        called = self.callee(node)
        if isinstance(called, Program):
            return called.returns
        if called in (list, "copy"):
            return LIST_KIND
        if called is bool:
            return BOOL_KIND
        if called is nondet and node.args and self.resolve(node.args[0]) is bool:
            return BOOL_KIND
        return self._joined(node.args, kinds) if called in (min, max) else INT_KIND


def _assignments(body: List[ast.stmt]) -> List[Tuple[str, ast.AST, Any]]:
    """Each assignment to a name: the name, where, and the expression, or a kind."""
    found: List[Tuple[str, ast.AST, Any]] = []

    def assign(target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            found.append((target.id, target, value))
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
            parts = values if len(values) == len(target.elts) else [INT_KIND] * len(target.elts)
            for part, of in zip(target.elts, parts):
                assign(part, of)

    for node in _nodes(body):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                assign(target, node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            assign(node.target, node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            read = ast.Name(node.target.id, ast.Load())
            assign(node.target, ast.copy_location(ast.BinOp(read, node.op, node.value), node))
        elif isinstance(node, ast.For):
            assign(node.target, INT_KIND)
        elif isinstance(node, ast.NamedExpr):
            assign(node.target, node.value)
    return found


def _nodes(body: List[ast.stmt]) -> List[ast.AST]:
    return [node for statement in body for node in ast.walk(statement)]


def assigned_names(body: List[ast.stmt]) -> Set[str]:
    """The names that are assigned."""
    return {name for name, _, _ in _assignments(body)}


def _mutated(body: List[ast.stmt], by_elements: bool = True) -> Set[str]:
    """The names of lists that may change: elements are assigned, a method is called, or another function gets them."""
    found: Set[str] = set()
    for node in _nodes(body):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            found |= {node.value.id} if by_elements else set()
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
                found.add(node.func.value.id)
            if not (isinstance(node.func, ast.Name) and node.func.id in _READING):
                given = [*node.args, *[keyword.value for keyword in node.keywords]]
                found |= {argument.id for argument in given if isinstance(argument, ast.Name)}
    return found


def resized_names(body: List[ast.stmt]) -> Set[str]:
    """The names of lists whose lengths may change: all that may change but by assignments to elements."""
    return assigned_names(body) | _mutated(body, by_elements=False)
