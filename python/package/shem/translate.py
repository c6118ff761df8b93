"""Python functions as Horn clauses.

Each place in a function has a predicate over the variables that have a value there: the start of each statement, the head
of each loop, the place after each call. A clause leads from one place to the next. A place where the run fails, by an
assertion, a division by zero, an index out of range or a step of 0, has a predicate, too, and a query forbids it. A
function that is called has a predicate for its results, over the arguments and the result, and one for its failures,
over the arguments; a call is a clause with a second premise, so recursion needs nothing more.

The values between two places are kept as expressions over the variables of the first one, in Python's order of
evaluation: what Python does not evaluate, behind ``and``, ``or``, ``if`` and chains of comparisons, lies on another path.
Where an operand is computed by a call, earlier operands are kept in temporary variables. Termination is not shown.
"""

from __future__ import annotations

import ast
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from .horn import Horn
from .program import BOOL_KIND, INT_KIND, LIST_KIND, NO_KIND, PURE, Kind, Program, assigned_names, resized_names
from .replay import assume, nondet
from .terms import BOOL, INT, And, ArraySort, Const, Expr, Function, If, IntVal, K, Not, Or, Sort, Store, literal


class Value(NamedTuple):
    """The value of an expression: a term, and for a list its length."""

    kind: Kind
    term: Expr
    length: Optional[Expr] = None


class Place:
    """A place in a function, with its predicate.

    Attributes:
        program: the function
        role: ``entry``, ``statement``, ``loop``, ``join``, ``call``, ``choice``, ``failure``, ``result`` or ``fails``
        line: the line
        variables: the variables in the order of the arguments; a list has two, with its length second
        shown: the names under which hidden variables are shown
        choice: the variable that :func:`nondet` has just given
        exception: the exception of a failure
        last_line: the last line of the statement that fails
    """

    def __init__(self, program: Program, role: str, line: int, name: str, variables: Sequence[Tuple[str, Kind]]) -> None:
        self.program = program
        self.role = role
        self.line = line
        self.variables = list(variables)
        self.shown: Dict[str, str] = {}
        self.choice: Optional[str] = None
        self.exception: Optional[str] = None
        self.last_line = line
        sorts = [parameter.sort or INT for parameter in self.parameters()]
        self.predicate = Function(name, *sorts, BOOL)

    def parameters(self) -> List[Expr]:
        """The variables of the predicate."""
        return [term for name, kind in self.variables for term in flatten(variable(name, kind))]


_SORTS: Dict[Kind, Sort] = {INT_KIND: INT, BOOL_KIND: BOOL, LIST_KIND: ArraySort(INT, INT)}


def variable(name: str, kind: Kind) -> Value:
    """A variable of a clause."""
    return Value(kind, Const(name, _SORTS[kind]), Const(f"len({name})", INT) if kind == LIST_KIND else None)


def flatten(value: Value) -> List[Expr]:
    """The terms of a value."""
    return [value.term] if value.length is None else [value.term, value.length]


class Path:
    """A path from a place: the values of variables, and the conditions under which it is taken."""

    def __init__(self, premises: List[Expr], values: Dict[str, Value], conditions: List[Expr]) -> None:
        self.premises = premises
        self.values = values
        self.conditions = conditions

    def on(self, condition: Expr) -> Optional["Path"]:
        """The path on which the condition holds, too; none if it cannot."""
        if condition.op == "const":
            return Path(self.premises, dict(self.values), list(self.conditions)) if condition.value else None
        return Path(self.premises, dict(self.values), [*self.conditions, condition])


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
        self.signatures = {id(called): _Signature(self, called) for called in self.called}
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


class _Signature:
    """The predicates of a function that is called: its results and its failures, over the arguments."""

    def __init__(self, translation: Translation, program: Program) -> None:
        self.arguments = list(program.parameters)
        self.changed = [(name, kind) for name, kind in self.arguments if kind == LIST_KIND and name in program.mutated]
        variables = list(self.arguments)
        if program.returns != NO_KIND:
            variables.append(("result", program.returns))
        variables += [(f"{name} afterwards", kind) for name, kind in self.changed]
        line = program.node.lineno
        self.result = translation.place(program, "result", line, variables)
        self.fails = translation.place(program, "fails", line, self.arguments)


class _Loop(NamedTuple):
    """A loop around a statement: where `break` and `continue` lead from."""

    breaks: List[Path]
    continues: List[Path]


class _Body:
    """Translates the body of a function."""

    def __init__(self, translation: Translation, program: Program) -> None:
        self.translation = translation
        self.program = program
        self.signature: Optional[_Signature] = translation.signatures.get(id(program))
        self.is_top = program is translation.program
        self.path: Optional[Path] = None
        self.loops: List[_Loop] = []
        self.shown: Dict[str, str] = {}
        self.count = 0
        self.statement: Any = program.node

    # -- places and paths

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

    def new_place(self, role: str, node: Any, names: Sequence[str]) -> Place:
        path = self.here()
        place = self.translation.place(
            self.program, role, node.lineno, [(name, path.values[name].kind) for name in names]
        )
        for name in names:
            shown = self.shown.get(name, name)
            place.shown[name] = f"next {shown}" if shown != name and shown in names else shown
        return place

    def here(self) -> Path:
        assert self.path is not None, "only statements that can be reached are translated"
        return self.path

    def go(self, path: Path, place: Place) -> None:
        """The clause from a path to a place."""
        terms = [term for name, _ in place.variables for term in flatten(path.values[name])]
        body = [*path.premises, *path.conditions]
        self.translation.system.rule(place.predicate(*terms), *body)

    def at(self, place: Place) -> Path:
        """The path that begins at a place."""
        values = {name: variable(name, kind) for name, kind in place.variables}
        return Path([place.predicate(*place.parameters())], values, [])

    def cut(self, role: str, node: Any) -> Place:
        """A new place at the end of the path, where it begins anew."""
        place = self.new_place(role, node, list(self.here().values))
        self.go(self.here(), place)
        self.path = self.at(place)
        return place

    def join(self, paths: Sequence[Optional[Path]], node: Any) -> None:
        """Goes on where the paths meet, with the variables that have a value on all of them."""
        coming = [path for path in paths if path is not None]
        self.path = coming[0] if coming else None
        if len(coming) > 1:
            names = [name for name in coming[0].values if all(name in path.values for path in coming)]
            place = self.new_place("join", node, names)
            for path in coming:
                self.go(path, place)
            self.path = self.at(place)

    def assign(self, name: str, value: Value) -> None:
        self.here().values[name] = self.convert(value, self.program.kinds.get(name, value.kind))

    def hold(self, value: Value) -> str:
        """Keeps a value under a name of its own until the end of the statement."""
        self.count += 1
        name = f"$value {self.count}"
        self.here().values[name] = value
        return name

    def release(self, name: str) -> Value:
        return self.here().values.pop(name)

    def fail(self, condition: Expr, exception: str, node: Any, *premises: Expr) -> None:
        """The run fails here under a condition; it goes on otherwise."""
        path = self.here()
        if condition.op == "const" and not condition.value:
            return
        place = self.translation.place(self.program, "failure", node.lineno, [] if self.is_top else self.program.parameters)
        place.exception = exception
        place.line, place.last_line = _lines(self.statement)
        arguments = [] if self.is_top else self.entry_terms()
        fact = place.predicate(*arguments)
        self.translation.system.rule(fact, *path.premises, *path.conditions, condition, *premises)
        if self.is_top:
            self.translation.system.query(fact)
        elif self.signature is not None:
            head = self.signature.fails.predicate(*place.parameters())
            self.translation.system.rule(head, place.predicate(*place.parameters()))
        if not premises:
            path.conditions.append(Not(condition))

    def entry_terms(self) -> List[Expr]:
        """The arguments with which the function was called."""
        values = self.here().values
        found = [values.get(f"$old {name}") or values[name] for name, _ in self.program.parameters]
        return [term for value in found for term in flatten(value)]

    def leave(self, value: Optional[Value]) -> None:
        """The function returns."""
        if self.signature is not None:
            terms = self.entry_terms()
            if value is not None:
                terms += flatten(value)
            for name, _ in self.signature.changed:
                terms += flatten(self.here().values[name])
            head = self.signature.result.predicate(*terms)
            self.translation.system.rule(head, *self.here().premises, *self.here().conditions)
        self.path = None

    # -- statements

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

    # -- expressions

    def effects(self, node: ast.AST) -> bool:
        """Whether the evaluation may fail, choose, call or change something."""
        for part in ast.walk(node):
            if isinstance(part, ast.Subscript) and not isinstance(part.slice, ast.Slice):
                return True
            if isinstance(part, ast.Call) and self.program.callee(part) not in PURE:
                return True
            if isinstance(part, ast.BinOp) and isinstance(part.op, (ast.FloorDiv, ast.Mod)):
                divisor = _constant(part.right)
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

    @staticmethod
    def number(value: Value) -> Expr:
        if value.kind == BOOL_KIND:
            return IntVal(int(value.term.value)) if value.term.op == "const" else If(value.term, 1, 0)
        return value.term

    def integer(self, node: ast.expr) -> Expr:
        return self.number(self.lower(node))

    def convert(self, value: Value, kind: Kind) -> Value:
        return Value(INT_KIND, self.number(value)) if (value.kind, kind) == (BOOL_KIND, INT_KIND) else value

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
        term = self.integer(node.operand)
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
                if _constant(defaults.get(name)) is None:
                    self.program.refuse(node, f"{called.name} needs {name}")
                found.append((name, defaults[name]))
        return found


def _lines(statement: Any) -> Tuple[int, int]:
    """The first and the last line of a statement; of a compound one, of its head."""
    head = getattr(statement, "test", getattr(statement, "iter", None)) if hasattr(statement, "body") else None
    return statement.lineno, (statement if head is None else head).end_lineno


def _constant(node: Optional[ast.expr]) -> Optional[int]:
    """The number that a literal stands for."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _constant(node.operand)
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
