"""Python functions as Horn clauses.

Each place in a function has a predicate over the variables that have a value there: the start of each statement, the head
of each loop, the place after each call. A clause leads from one place to the next. A place where the run fails, by an
assertion, a division by zero, an index out of range or a step of 0, has a predicate, too, and a query forbids it. A
function that is called has a predicate for its results, over the arguments and the result, and one for its failures,
over the arguments; a call is a clause with a second premise, so recursion needs nothing more.

The values between two places are kept as expressions over the variables of the first one, in Python's order of
evaluation: what Python does not evaluate, behind ``and``, ``or``, ``if`` and chains of comparisons, lies on another path.
Where an operand is computed by a call, earlier operands are kept in temporary variables. An infinite run of the function goes through
the head of some loop again and again, and so does one of the clauses, if nothing is called.
"""

from __future__ import annotations

import ast
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from .expressions import ExpressionTranslator
from .horn import Horn
from .paths import Path, Place, Signature, Value, variable
from .program import BOOL_KIND, INT_KIND, LIST_KIND, NO_KIND, Kind, Program, assigned_names, resized_names
from .terms import And, Expr, IntVal, Not, Or, Store, literal


class Translation:
    """A function, and all that it calls, as clauses.

    Attributes:
        system: the clauses
        places: the places by the names of their predicates
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.system = Horn()
        self.places: Dict[str, Place] = {}
        self.reached: List[Program] = [program]
        self.called: List[Program] = []
        for reached in self.reached:
            for called in reached.calls():
                if called not in self.called:
                    self.called.append(called)
                if called not in self.reached:
                    self.reached.append(called)
        for reached in self.reached:
            reached.infer()
        self.signatures = {id(called): Signature(self, called) for called in self.called}
        for reached in self.reached:
            _Body(self, reached).translate()

    def place(self, program: Program, role: str, line: int, variables: Sequence[Tuple[str, Kind]]) -> Place:
        """A new place."""
        number = sum(1 for other in self.reached[: self.reached.index(program)] if other.name == program.name)
        prefix = program.name if not number else f"{program.name} ({number + 1})"
        name = base = f"{prefix} {role} {line}"
        count = 1
        while name in self.places:
            count += 1
            name = f"{base} ({count})"
        place = Place(program, role, line, name, variables)
        self.places[name] = place
        return place


class _Loop(NamedTuple):
    """A loop around a statement: where `break` and `continue` lead from."""

    breaks: List[Path]
    continues: List[Path]


class _Body(ExpressionTranslator):
    """Translates the body of a function."""

    def __init__(self, translation: Translation, program: Program) -> None:
        super().__init__(translation, program)
        self.loops: List[_Loop] = []

    def translate(self) -> None:
        program = self.program
        entry = self.translation.place(program, "entry", program.node.lineno, program.parameters)
        values = {name: variable(name, kind) for name, kind in program.parameters}
        lengths = [value.length >= 0 for value in values.values() if value.length is not None]
        self.translation.system.rule(entry.predicate(*entry.parameters()), *lengths)
        self.path = Path([entry.predicate(*entry.parameters())], {}, [])
        for name, value in values.items():
            self.assign(name, value)
            changes = name in program.assigned or (value.kind == LIST_KIND and name in program.mutated)
            if changes and (self.signature is not None or not self.is_top):
                self.path.values[f"$old {name}"] = value
                self.shown[f"$old {name}"] = f"old {name}"
        self.block(program.node.body)
        if self.path is not None:
            if program.returns != NO_KIND and self.signature is not None:
                program.refuse(program.node.body[-1], f"{program.name} may end here without a result")
            self.leave(None)

    def block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            if self.path is None:
                return
            self.statement = statement
            method = getattr(self, f"do_{type(statement).__name__}", None)
            if method is None:
                name = type(statement).__name__.lower()
                self.program.refuse(statement, f"{name} is not supported")
            if not isinstance(statement, (ast.Pass,)):
                self.cut("statement", statement)
            method(statement)
            if self.path is not None:
                for name in [name for name in self.path.values if name.startswith("$value ")]:
                    del self.path.values[name]

    def do_Pass(self, node: ast.Pass) -> None:
        pass

    def do_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return
        if isinstance(node.value, ast.Call) and self.call(node.value, used=False) is None:
            return
        if not isinstance(node.value, ast.Call):
            self.lower(node.value)

    def do_Assert(self, node: ast.Assert) -> None:
        self.fail(Not(self.truth(node.test)), "AssertionError", node)

    def do_Return(self, node: ast.Return) -> None:
        program = self.program
        if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
            if program.returns != NO_KIND and self.signature is not None:
                program.refuse(node, f"{program.name} returns nothing here, and {program.returns} is announced")
            self.leave(None)
            return
        if program.kind(node.value) == LIST_KIND or program.returns == LIST_KIND:
            if isinstance(node.value, ast.Name) and any(node.value.id == name for name, _ in program.parameters):
                program.refuse(node, "a list of the caller is returned; return a copy")
            value = self.list_value(node.value, owned=True)
        else:
            value = self.lower(node.value)
        if program.returns == NO_KIND:
            if self.signature is not None:
                program.refuse(node, f"{program.name} is called, so its result needs an annotation")
            self.leave(None)
            return
        if program.returns == BOOL_KIND and value.kind == INT_KIND:
            program.refuse(node, "an integer is returned where bool is announced")
        if LIST_KIND in (program.returns, value.kind) and program.returns != value.kind:
            program.refuse(node, f"{value.kind} is returned where {program.returns} is announced")
        self.leave(self.convert(value, program.returns))

    def do_Assign(self, node: ast.Assign) -> None:
        if isinstance(node.value, (ast.Tuple,)):
            names = [self.hold(self.lower(part)) for part in node.value.elts]
            values = [self.release(name) for name in names]
            for target in node.targets:
                if not isinstance(target, (ast.Tuple, ast.List)) or len(target.elts) != len(values):
                    self.program.refuse(node, "a tuple is assigned to something else than as many variables")
                self.store_all(target.elts, values)
            return
        if self.program.kind(node.value) == LIST_KIND:
            if len(node.targets) > 1 or not isinstance(node.targets[0], ast.Name):
                self.program.refuse(node, "a list gets one name, that of a variable")
            self.assign(node.targets[0].id, self.list_value(node.value))
            return
        value = self.lower(node.value)
        for target in node.targets:
            if isinstance(target, (ast.Tuple, ast.List)):
                self.program.refuse(node, "a number is assigned to several variables")
        self.store_each(node.targets, value)

    def store_each(self, targets: Sequence[ast.expr], value: Value) -> None:
        self.store_all(targets, [value] * len(targets))

    def store_all(self, targets: Sequence[ast.expr], values: Sequence[Value]) -> None:
        names = [self.hold(value) for value in values]
        for target, name in zip(targets, names):
            self.store(target, name)

    def store(self, target: ast.expr, held: str) -> None:
        """Assigns the value that is held to a variable or an element."""
        if isinstance(target, ast.Name):
            self.assign(target.id, self.release(held))
        elif isinstance(target, ast.Subscript):
            index = self.integer(target.slice)
            self.put(target, index, self.release(held))
        else:
            self.program.refuse(target, f"an assignment to {ast.unparse(target)} is not supported")

    def put(self, target: ast.Subscript, index: Expr, value: Value) -> None:
        name, place = self.element(target, index)
        old = self.here().values[name]
        self.here().values[name] = Value(LIST_KIND, Store(old.term, place, self.number(value)), old.length)

    def do_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.do_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            read = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            old = self.hold(self.lower(read))
            right = self.lower(node.value)
            self.assign(target.id, self.operate(node.op, self.release(old), right, node))
        elif isinstance(target, ast.Subscript):
            index = self.hold(Value(INT_KIND, self.integer(target.slice)))
            name, place = self.element(target, self.here().values[index].term)
            old = self.hold(Value(INT_KIND, self.here().values[name].term[place]))
            right = self.lower(node.value)
            result = self.operate(node.op, self.release(old), right, node)
            self.put(target, self.release(index).term, result)
        else:
            self.program.refuse(node, f"an assignment to {ast.unparse(target)} is not supported")

    def do_If(self, node: ast.If) -> None:
        condition = self.truth(node.test)
        start = self.here()
        ends = []
        for branch, body in ((start.on(condition), node.body), (start.on(Not(condition)), node.orelse)):
            self.path = branch
            self.block(body)
            ends.append(self.path)
        self.join(ends, node)

    def do_While(self, node: ast.While) -> None:
        head = self.cut("loop", node)
        condition = self.truth(node.test)
        self.loop(node, head, condition, lambda: None, [])

    def loop(self, node: Any, head: Place, condition: Expr, begin: Any, hidden: List[str]) -> None:
        """The rest of a loop whose condition has been computed."""
        start = self.here()
        loop = _Loop([], [])
        self.loops.append(loop)
        self.path = start.on(condition)
        if self.path is not None:
            begin()
            self.block(node.body)
        self.loops.pop()
        for path in [self.path, *loop.continues]:
            if path is not None:
                self.go(path, head)
        self.path = start.on(Not(condition))
        self.block(node.orelse)
        ends = [self.path, *loop.breaks]
        for path in ends:
            if path is not None:
                for name in hidden:
                    del path.values[name]
        self.join(ends, node)

    def do_Break(self, node: ast.Break) -> None:
        self.loops[-1].breaks.append(self.here())
        self.path = None

    def do_Continue(self, node: ast.Continue) -> None:
        self.loops[-1].continues.append(self.here())
        self.path = None

    def do_For(self, node: ast.For) -> None:
        if not isinstance(node.target, ast.Name):
            self.program.refuse(node.target, "the target of a loop is one variable")
        self.count += 1
        following, kept, stepping = (f"${what} {self.count}" for what in ("next", "stop", "step"))
        hidden = [following]
        target = node.target.id
        self.shown[following] = target
        if isinstance(node.iter, ast.Name):
            self.loop_over_list(node, node.iter, following)
            return
        if not isinstance(node.iter, ast.Call) or self.program.callee(node.iter) is not range:
            self.program.refuse(node.iter, "loops go over range(…) and over lists")
        arguments = node.iter.args
        if not 1 <= len(arguments) <= 3 or node.iter.keywords:
            self.program.refuse(node.iter, "range takes one to three arguments")
        values = self.operands(arguments)
        numbers = [self.number(value) for value in values]
        start, stop = (IntVal(0), numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])
        step = numbers[2] if len(numbers) == 3 else IntVal(1)
        self.fail(literal(step.value == 0) if step.op == "const" else step == 0, "ValueError", node)
        self.here().values[following] = Value(INT_KIND, start)
        if step.op != "const":
            hidden.append(stepping)
            self.here().values[stepping] = Value(INT_KIND, step)
            self.shown[stepping] = f"step of {target}"
        stop_node = arguments[0] if len(arguments) == 1 else arguments[1]
        resized = {name for name in resized_names(node.body) if self.program.kinds.get(name) == LIST_KIND}
        changed = assigned_names(node.body) | resized | {target}
        read = {part.id for part in ast.walk(stop_node) if isinstance(part, ast.Name)}
        stays = not self.effects(stop_node) and not read & changed
        if not stays:
            hidden.append(kept)
            self.here().values[kept] = Value(INT_KIND, stop)
            self.shown[kept] = f"stop of {target}"
        head = self.cut("loop", node)
        at = self.here().values[following].term
        step = self.here().values[stepping].term if step.op != "const" else step
        end = self.integer(stop_node) if stays else self.here().values[kept].term
        if step.op == "const":
            condition = at < end if step.value > 0 else at > end
        else:
            condition = Or(And(step > 0, at < end), And(step < 0, at > end))

        def begin() -> None:
            self.assign(target, Value(INT_KIND, at))
            self.here().values[following] = Value(INT_KIND, at + step)

        self.loop(node, head, condition, begin, hidden)

    def loop_over_list(self, node: ast.For, over: ast.Name, following: str) -> None:
        assert isinstance(node.target, ast.Name)
        target = node.target.id
        if over.id in assigned_names(node.body) or over.id == target:
            self.program.refuse(node, f"{over.id} stands for another list within the loop")
        if self.list_named(over).length is None:
            self.program.refuse(node, f"{over.id} is not a list")
        self.shown[following] = f"index of {target}"
        self.here().values[following] = Value(INT_KIND, IntVal(0))
        head = self.cut("loop", node)
        at, items = self.here().values[following].term, self.here().values[over.id]
        assert items.length is not None

        def begin() -> None:
            self.assign(target, Value(INT_KIND, items.term[at]))
            self.here().values[following] = Value(INT_KIND, at + 1)

        self.loop(node, head, at < items.length, begin, [following])
