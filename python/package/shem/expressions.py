"""Expressions of Python on a path: see :mod:`shem.translate`."""

from __future__ import annotations

import ast
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from .paths import PathTranslator, Value, flatten, variable
from .program import BOOL_KIND, INT_KIND, LIST_KIND, NO_KIND, PURE, Kind, Program
from .replay import assume, nondet
from .terms import INT, And, Expr, If, IntVal, K, Not, Or, Store, literal


class ExpressionTranslator(PathTranslator):
    """Gives the values of expressions, in Python's order of evaluation."""

    def effects(self, node: ast.AST) -> bool:
        """Whether the evaluation may fail, choose, call or change something."""
        for part in ast.walk(node):
            if isinstance(part, ast.Subscript) and not isinstance(part.slice, ast.Slice):
                return True
            if isinstance(part, ast.Call) and self.program.callee(part) not in PURE:
                return True
            if isinstance(part, ast.BinOp) and isinstance(part.op, (ast.FloorDiv, ast.Mod)):
                divisor = constant(part.right)
                if not divisor:
                    return True
        return False

    def cuts(self, node: ast.AST) -> bool:
        """Whether the evaluation makes places."""
        branching = (ast.BoolOp, ast.IfExp, ast.Compare)
        for part in ast.walk(node):
            if isinstance(part, ast.Call) and self.program.callee(part) not in PURE:
                return True
            if isinstance(part, branching) and self.effects(part):
                return True
        return False

    def operands(self, nodes: Sequence[ast.expr]) -> List[Value]:
        """The values of expressions, evaluated one after another."""
        held: List[Union[str, Value]] = []
        for number, node in enumerate(nodes):
            value = self.lower(node)
            later = any(self.cuts(other) for other in nodes[number + 1 :])
            held.append(self.hold(value) if later else value)
        return [self.release(value) if isinstance(value, str) else value for value in held]

    def truth(self, node: ast.expr) -> Expr:
        """Whether the value of an expression counts as true."""
        if isinstance(node, ast.Name) and self.program.kind(node) == LIST_KIND:
            length = self.list_named(node).length
            assert length is not None
            return length != 0
        return self.as_truth(self.lower(node))

    @staticmethod
    def as_truth(value: Value) -> Expr:
        if value.kind == BOOL_KIND:
            return value.term
        return literal(value.term.value != 0) if value.term.op == "const" else value.term != 0

    def integer(self, node: ast.expr) -> Expr:
        return self.number(self.lower(node))

    def lower(self, node: ast.expr) -> Value:
        """The value of an expression that is a number or a truth value."""
        method = getattr(self, f"value_{type(node).__name__}", None)
        if method is None:
            self.program.refuse(node, f"{ast.unparse(node)} is not supported")
        value: Value = method(node)
        return value

    def value_Constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, bool):
            return Value(BOOL_KIND, literal(node.value))
        if isinstance(node.value, int):
            return Value(INT_KIND, literal(node.value))
        self.program.refuse(node, f"{type(node.value).__name__} is not supported: integers and truth values are")

    def value_Name(self, node: ast.Name) -> Value:
        found = self.named(node)
        if found.kind == LIST_KIND:
            self.program.refuse(node, f"the list {node.id} would get a second name, or is used as a number")
        return found

    def named(self, node: ast.Name) -> Value:
        if not self.program.is_local(node.id):
            self.program.refuse(node, f"{node.id} is neither a parameter nor a variable of {self.program.name}")
        found = self.here().values.get(node.id)
        if found is None:
            self.program.refuse(node, f"{node.id} may have no value here")
        return found

    def list_named(self, node: ast.expr) -> Value:
        if not isinstance(node, ast.Name):
            self.program.refuse(node, f"{ast.unparse(node)} is not the name of a list")
        found = self.named(node)
        if found.kind != LIST_KIND:
            self.program.refuse(node, f"{node.id} is not a list")
        return found

    def value_UnaryOp(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return Value(BOOL_KIND, Not(self.truth(node.operand)))
        operand = self.lower(node.operand)
        if isinstance(node.op, ast.Invert) and operand.kind == BOOL_KIND:
            self.program.refuse(node, "~ of a truth value goes out of Python; write not")
        term = self.number(operand)
        if isinstance(node.op, ast.USub):
            return Value(INT_KIND, -term)
        return Value(INT_KIND, term if isinstance(node.op, ast.UAdd) else -term - 1)

    def value_BinOp(self, node: ast.BinOp) -> Value:
        left, right = self.operands([node.left, node.right])
        return self.operate(node.op, left, right, node)

    def operate(self, op: ast.operator, left: Value, right: Value, node: Any) -> Value:
        """The value of an operator."""
        if LIST_KIND in (left.kind, right.kind):
            self.program.refuse(node, "this is not supported for lists")
        if isinstance(op, (ast.BitAnd, ast.BitOr, ast.BitXor)) and left.kind == right.kind == BOOL_KIND:
            a, b = left.term, right.term
            logical = And(a, b) if isinstance(op, ast.BitAnd) else Or(a, b) if isinstance(op, ast.BitOr) else a ^ b
            return Value(BOOL_KIND, logical)
        a, b = self.number(left), self.number(right)
        if isinstance(op, ast.Add):
            return Value(INT_KIND, a + b)
        if isinstance(op, ast.Sub):
            return Value(INT_KIND, a - b)
        if isinstance(op, ast.Mult):
            return Value(INT_KIND, a * b)
        if isinstance(op, (ast.FloorDiv, ast.Mod)):
            self.fail(literal(b.value == 0) if b.op == "const" else b == 0, "ZeroDivisionError", node)
            return Value(INT_KIND, floor_div(a, b) if isinstance(op, ast.FloorDiv) else floor_mod(a, b))
        exponent = b.value if b.op == "const" else None
        if isinstance(op, ast.Pow) and exponent is not None and 0 <= exponent <= 64:
            return Value(INT_KIND, a**exponent)
        if isinstance(op, (ast.LShift, ast.RShift)) and exponent is not None and 0 <= exponent <= 4096:
            power = 2**exponent
            return Value(INT_KIND, a * power if isinstance(op, ast.LShift) else floor_div(a, IntVal(power)))
        self.program.refuse(node, f"{ast.unparse(node)} is not supported")

    def value_BoolOp(self, node: ast.BoolOp) -> Value:
        return self.short_circuit(node, node.values, self.program.kind(node))

    def short_circuit(self, node: ast.BoolOp, values: List[ast.expr], kind: Kind) -> Value:
        """The first value that decides, or the last one."""
        if len(values) == 1:
            return self.convert(self.lower(values[0]), kind)
        first = self.convert(self.lower(values[0]), kind)
        decided = self.as_truth(first) if isinstance(node.op, ast.Or) else Not(self.as_truth(first))
        if not any(self.effects(value) for value in values[1:]):
            rest = self.short_circuit(node, values[1:], kind)
            if kind == BOOL_KIND:
                both = [first.term, rest.term]
                return Value(kind, Or(*both) if isinstance(node.op, ast.Or) else And(*both))
            return Value(kind, If(decided, first.term, rest.term))
        return self.either(node, decided, lambda: first, lambda: self.short_circuit(node, values[1:], kind))

    def either(self, node: ast.expr, condition: Expr, then: Any, otherwise: Any) -> Value:
        """One value or another, of which only one is computed."""
        start = self.here()
        ends = []
        self.count += 1
        name = f"$value {self.count}"
        for path, compute in ((start.on(condition), then), (start.on(Not(condition)), otherwise)):
            if path is not None:
                self.path = path
                value = compute()
                self.here().values[name] = value
                ends.append(self.path)
        self.join(ends, node)
        return self.release(name)

    def value_IfExp(self, node: ast.IfExp) -> Value:
        kind = self.program.kind(node)
        condition = self.truth(node.test)

        def then() -> Value:
            return self.convert(self.lower(node.body), kind)

        def otherwise() -> Value:
            return self.convert(self.lower(node.orelse), kind)

        if condition.op != "const" and not self.effects(node.body) and not self.effects(node.orelse):
            return Value(kind, If(condition, then().term, otherwise().term))
        return self.either(node, condition, then, otherwise)

    def value_Compare(self, node: ast.Compare) -> Value:
        left = self.lower_compared(node.left, node.comparators[0])
        return self.chain(node, left, list(node.ops), list(node.comparators))

    def lower_compared(self, node: ast.expr, following: ast.expr) -> Union[str, Value]:
        value = self.lower(node)
        return self.hold(value) if self.cuts(following) else value

    def chain(self, node: ast.Compare, left: Union[str, Value], ops: List[ast.cmpop], rest: List[ast.expr]) -> Value:
        """A chain of comparisons, which ends with the first one that does not hold."""
        right = self.lower(rest[0])
        known = self.release(left) if isinstance(left, str) else left
        holds = self.compare(ops[0], known, right, node)
        if len(rest) == 1:
            return Value(BOOL_KIND, holds)
        if not any(self.effects(value) for value in rest[1:]):
            return Value(BOOL_KIND, And(holds, self.chain(node, right, ops[1:], rest[1:]).term))

        def go_on() -> Value:
            return self.chain(node, self.hold(right), ops[1:], rest[1:])

        return self.either(node, Not(holds), lambda: Value(BOOL_KIND, literal(False)), go_on)

    def compare(self, op: ast.cmpop, left: Value, right: Value, node: ast.expr) -> Expr:
        if isinstance(op, (ast.Eq, ast.NotEq)) and left.kind == right.kind == BOOL_KIND:
            return left.term == right.term if isinstance(op, ast.Eq) else left.term != right.term
        a, b = self.number(left), self.number(right)
        if isinstance(op, ast.Eq):
            return a == b
        if isinstance(op, ast.NotEq):
            return a != b
        if isinstance(op, ast.Lt):
            return a < b
        if isinstance(op, ast.LtE):
            return a <= b
        if isinstance(op, ast.Gt):
            return a > b
        if isinstance(op, ast.GtE):
            return a >= b
        self.program.refuse(node, f"{ast.unparse(node)} is not supported")

    # -- lists

    def element(self, node: ast.Subscript, index: Expr) -> Tuple[str, Expr]:
        """The list and the index of an element, counted from the beginning; an index out of range fails."""
        items = self.list_named(node.value)
        assert items.length is not None and isinstance(node.value, ast.Name)
        self.fail(Or(index < -items.length, index >= items.length), "IndexError", node)
        if index.op == "const":
            return node.value.id, index if index.value >= 0 else items.length + index
        return node.value.id, If(index < 0, index + items.length, index)

    def value_Subscript(self, node: ast.Subscript) -> Value:
        if isinstance(node.slice, ast.Slice):
            self.program.refuse(node, "parts of lists are not supported; a[:] copies all of it")
        self.list_named(node.value)
        name, place = self.element(node, self.integer(node.slice))
        return Value(INT_KIND, self.here().values[name].term[place])

    def list_value(self, node: ast.expr, owned: bool = False) -> Value:
        """A list that has no other name; of a variable that is given up, `owned` says, its own."""
        if isinstance(node, ast.List):
            values = self.operands(node.elts)
            items = K(INT, 0)
            for number, value in enumerate(values):
                items = Store(items, number, self.number(value))
            return Value(LIST_KIND, items, IntVal(len(values)))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
            if len(node.left.elts) != 1:
                self.program.refuse(node, "only lists of one element are repeated")
            item, count = (self.number(value) for value in self.operands([node.left.elts[0], node.right]))
            length = IntVal(max(count.value, 0)) if count.op == "const" else If(count > 0, count, 0)
            return Value(LIST_KIND, K(INT, item), length)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            if node.slice.lower or node.slice.upper or node.slice.step:
                self.program.refuse(node, "parts of lists are not supported; a[:] copies all of it")
            return self.list_named(node.value)
        if isinstance(node, ast.Call):
            called = self.program.callee(node)
            if called is list and len(node.args) == 1 and not node.keywords:
                return self.list_named(node.args[0])
            if called == "copy" and not node.args and isinstance(node.func, ast.Attribute):
                return self.list_named(node.func.value)
            found = self.call(node) if isinstance(called, Program) else None
            if found is not None and found.kind == LIST_KIND:
                return found
        if owned and isinstance(node, ast.Name):
            return self.list_named(node)
        self.program.refuse(node, f"{ast.unparse(node)} would give a list a second name; copy it: a[:]")

    # -- calls

    def value_Call(self, node: ast.Call) -> Value:
        value = self.call(node)
        if value is None:
            self.program.refuse(node, f"{ast.unparse(node.func)} has no result")
        if value.kind == LIST_KIND:
            self.program.refuse(node, "a list is used as a number, or gets no name")
        return value

    def call(self, node: ast.Call, used: bool = True) -> Optional[Value]:
        """The value of a call; none if it has none."""
        called = self.program.callee(node)
        if isinstance(called, Program):
            return self.call_program(node, called, used)
        if node.keywords:
            self.program.refuse(node, "arguments by name are only for functions that are verified")
        if called is assume:
            if len(node.args) != 1:
                self.program.refuse(node, "assume takes one condition")
            condition = self.truth(node.args[0])
            self.here().conditions.append(condition)
            return None
        if called is nondet:
            return self.choose(node)
        if isinstance(called, str):
            return self.call_method(node, called)
        if called is len:
            if len(node.args) != 1:
                self.program.refuse(node, "len takes one list")
            length = self.list_named(node.args[0]).length
            assert length is not None
            return Value(INT_KIND, length)
        if called in PURE:
            return self.call_pure(node, called)
        self.program.refuse(node, f"{ast.unparse(node)} is not supported here")

    def choose(self, node: ast.Call) -> Value:
        kind = self.program.kind(node)
        if node.args and self.program.resolve(node.args[0]) not in (int, bool):
            self.program.refuse(node, "nondet() and nondet(bool) are supported")
        # A name that no variable of Python has.
        name = self.hold(variable("$chosen", kind))
        place = self.cut("choice", node)
        place.choice = name
        return self.release(name)

    def call_method(self, node: ast.Call, method: str) -> Optional[Value]:
        assert isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
        over = node.func.value
        self.list_named(over)
        if method == "append" and len(node.args) == 1:
            item = self.integer(node.args[0])
            items = self.list_named(over)
            assert items.length is not None
            self.here().values[over.id] = Value(LIST_KIND, Store(items.term, items.length, item), items.length + 1)
            return None
        if method == "pop" and not node.args:
            items = self.list_named(over)
            assert items.length is not None
            self.fail(items.length <= 0, "IndexError", node)
            last = items.length - 1
            self.here().values[over.id] = Value(LIST_KIND, items.term, last)
            return Value(INT_KIND, items.term[last])
        self.program.refuse(node, f"{ast.unparse(node)} is not supported here")

    def call_pure(self, node: ast.Call, called: Any) -> Value:
        values = self.operands(node.args)
        if called is bool and len(values) == 1:
            return Value(BOOL_KIND, self.as_truth(values[0]))
        if called is int and len(values) == 1:
            return Value(INT_KIND, self.number(values[0]))
        if called is abs and len(values) == 1:
            term = self.number(values[0])
            return Value(INT_KIND, If(term < 0, -term, term))
        if called in (min, max) and len(values) > 1:
            kind = self.program.kind(node)
            best = self.number(values[0])
            for value in values[1:]:
                term = self.number(value)
                best = If(term < best if called is min else term > best, term, best)
            return Value(BOOL_KIND, best != 0) if kind == BOOL_KIND else Value(INT_KIND, best)
        self.program.refuse(node, f"{ast.unparse(node)} is not supported")

    def call_program(self, node: ast.Call, called: Program, used: bool) -> Optional[Value]:
        """A call of a function that is verified: its results are a premise."""
        signature = self.translation.signatures[id(called)]
        given = self.arguments(node, called)
        kinds = dict(called.parameters)
        plain = [(name, argument) for name, argument in given if kinds[name] != LIST_KIND]
        values = dict(zip([name for name, _ in plain], self.operands([argument for _, argument in plain])))
        lists: Dict[str, str] = {}
        for name, argument in given:
            if kinds[name] == LIST_KIND:
                values[name] = self.list_named(argument)
                assert isinstance(argument, ast.Name)
                if argument.id in lists.values():
                    self.program.refuse(node, f"the list {argument.id} is given twice")
                lists[name] = argument.id
            elif (values[name].kind, kinds[name]) == (INT_KIND, BOOL_KIND):
                self.program.refuse(argument, f"{name} of {called.name} is a truth value")
        terms = [term for name, kind in called.parameters for term in flatten(self.convert(values[name], kind))]
        self.fail(literal(True), "call", node, signature.fails.predicate(*terms))
        path = self.here()
        held = None
        if called.returns != NO_KIND:
            result = variable("$result", called.returns)
            terms += flatten(result)
            held = self.hold(result)
        for name, kind in signature.changed:
            after = variable(f"$after {name}", kind)
            terms += flatten(after)
            path.values[lists[name]] = after
        path.premises = [*path.premises, signature.result.predicate(*terms)]
        self.cut("call", node)
        if held is None and used:
            self.program.refuse(node, f"{called.name} has no result, or none that is annotated")
        return self.release(held) if held is not None else None

    def arguments(self, node: ast.Call, called: Program) -> List[Tuple[str, ast.expr]]:
        """The arguments of a call in the order of their evaluation, each with the name of its parameter."""
        arguments = called.node.args
        names = [argument.arg for argument in [*arguments.posonlyargs, *arguments.args]]
        by_name = {argument.arg for argument in [*arguments.args, *arguments.kwonlyargs]}
        if len(node.args) > len(names) or any(isinstance(argument, ast.Starred) for argument in node.args):
            self.program.refuse(node, f"{called.name} does not take these arguments")
        found = list(zip(names, node.args))
        for keyword in node.keywords:
            if keyword.arg not in by_name or keyword.arg in dict(found):
                self.program.refuse(node, f"{called.name} does not take {keyword.arg} here")
            found.append((keyword.arg, keyword.value))
        defaults = dict(zip(reversed(names), reversed(arguments.defaults)))
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
            if default is not None:
                defaults[argument.arg] = default
        for name, _ in called.parameters:
            if name not in dict(found):
                if constant(defaults.get(name)) is None:
                    self.program.refuse(node, f"{called.name} needs {name}")
                found.append((name, defaults[name]))
        return found


def constant(node: Optional[ast.expr]) -> Optional[int]:
    """The number that a literal stands for."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = constant(node.operand)
        return None if inner is None else -inner
    return None


def floor_div(a: Expr, b: Expr) -> Expr:
    """Python's ``//``, which rounds down: SMT-LIB's ``div`` does so for divisors above 0."""
    if b.op == "const":
        return a // b if b.value > 0 else -a // -b if b.value < 0 else IntVal(0)
    return If(b > 0, a // b, -a // -b)


def floor_mod(a: Expr, b: Expr) -> Expr:
    """Python's ``%``, which has the sign of the divisor."""
    if b.op == "const":
        return a % b if b.value > 0 else -(-a % -b) if b.value < 0 else IntVal(0)
    return If(b > 0, a % b, -(-a % -b))
