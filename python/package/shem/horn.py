"""Systems of constrained Horn clauses, and how they are decided."""

from __future__ import annotations

import logging
import os
import sys
from typing import Any, Dict, Iterator, List, Mapping, Optional, Union

from . import _shem
from .datatypes import DatatypeSort, datatypes_of
from .result import Derivation, Model, Result
from .sexpr import read_all, unquote
from .smtlib import Scope, declarations, from_tree, to_smtlib
from .terms import BOOL, And, Const, Expr, ForAll, Function, Implies, free_variables, functions_of, literal

#: Messages of the solver: ``logging.getLogger("shem").setLevel(logging.DEBUG)`` shows what passes and engines do.
_LOGGER = logging.getLogger("shem")

#: Loads the extension module without the rest of the package and runs an engine; signals are for the process that has
#: started this one. The loader is the one behind importlib; taken from there it costs half of the time that Python takes
#: to start, and so it is with signals.
_WORKER = """
import sys
from _signal import SIG_IGN, SIGINT, SIGTERM, signal
try:
    from _frozen_importlib import module_from_spec, spec_from_loader
    from _frozen_importlib_external import ExtensionFileLoader
except ImportError:
    from importlib.machinery import ExtensionFileLoader
    from importlib.util import module_from_spec, spec_from_loader
loader = ExtensionFileLoader("_shem", sys.argv[1])
module = module_from_spec(spec_from_loader("_shem", loader))
loader.exec_module(module)
signal(SIGINT, SIG_IGN)
signal(SIGTERM, SIG_IGN)
sys.exit(module.worker(sys.argv[2:]))
"""


def _worker() -> List[str]:
    """The command that runs an engine in a process of its own: this Python, with the extension module."""
    path = getattr(_shem, "__file__", None)
    return [sys.executable, "-I", "-S", "-c", _WORKER, path] if sys.executable and path else []


#: What can be solved: a text in SMT-LIB, the path of a file, or a system built by calls.
Problem = Union[str, "os.PathLike[str]", "Horn"]


def solve(
    problem: Problem,
    *,
    engine: Optional[str] = None,
    settings: Optional[Mapping[str, Any]] = None,
    timeout: Optional[float] = None,
    memory: Optional[int] = None,
    seed: int = 0,
    deterministic: bool = False,
    jobs: Optional[int] = None,
    witness: bool = True,
    processes: bool = True,
) -> Result:
    """Decides a system of clauses: a text in SMT-LIB, the path of a file, or a :class:`Horn`.

    ``engine`` is the name of one of :func:`engines`; without it the default strategy runs several, in processes, or in
    threads if ``processes`` is off. ``timeout`` is in seconds, ``memory`` in megabytes. Ctrl-C ends the search. Text that
    is not a problem raises :class:`ParseError` with ``line`` and ``column``. What passes and engines do is told to the
    logger ``shem`` of Python's ``logging``.
    """
    text, level = text_of(problem), _LOGGER.getEffectiveLevel()
    outcome = _shem.solve(
        text,
        engine=engine,
        settings=[(name, str(value)) for name, value in (settings or {}).items()],
        timeout=timeout,
        memory=memory,
        seed=seed,
        deterministic=deterministic,
        jobs=jobs,
        witness=witness,
        worker=_worker() if processes and engine is None and not deterministic else [],
        log=(level, _LOGGER.log) if level <= logging.INFO else None,
    )
    return Result(outcome, name_of(problem), "declare-datatype" in text)


class Termination:
    """Whether all runs of a system end.

    Attributes:
        verdict: ``"YES"``: all runs end; ``"NO"``: some run is infinite; ``"MAYBE"``
        reason: why the verdict is ``"MAYBE"``
        argument: ranking functions after ``"YES"``; after ``"NO"`` a run to a set of states, and steps that stay in it
    """

    def __init__(self, verdict: str, reason: Optional[str], argument: Optional[str]) -> None:
        self.verdict = verdict
        self.reason = reason
        self.argument = argument

    def __str__(self) -> str:
        return f"{self.verdict}\n{self.argument}" if self.argument else f"{self.verdict}: {self.reason}"

    __repr__ = __str__


def terminates(problem: Problem, *, timeout: Optional[float] = None, memory: Optional[int] = None) -> Termination:
    """Whether all runs end of a system of linear clauses, or of an integer transition system in the language ARI: a text, the
    path of a file, or a :class:`Horn`.

    A run begins with a fact and goes on by clauses with one predicate in the body; clauses whose head is false are passed over.
    The argument for the answer was judged on the clauses. ``timeout`` is in seconds, ``memory`` in megabytes.
    """
    level = _LOGGER.getEffectiveLevel()
    log = (level, _LOGGER.log) if level <= logging.INFO else None
    return Termination(*_shem.terminates(text_of(problem), timeout=timeout, memory=memory, log=log))


def name_of(problem: Problem) -> str:
    """What a problem is called in reports: the name of its file."""
    return "problem" if isinstance(problem, Horn) or _is_text(problem) else os.path.basename(os.fspath(problem))


def _is_text(problem: Any) -> bool:
    return isinstance(problem, str) and ("(" in problem or "\n" in problem or not problem.strip())


def text_of(problem: Problem) -> str:
    """A problem as text."""
    if isinstance(problem, Horn):
        return problem.smtlib()
    if isinstance(problem, str) and _is_text(problem):
        return problem
    path = os.fspath(problem)
    if path.endswith(".gz"):
        import gzip

        with gzip.open(path, "rt", encoding="utf-8") as file:
            return file.read()
    with open(path, encoding="utf-8") as file:
        return file.read()


class Horn:
    """A system of clauses, built by calls, or read by :meth:`read`.

    >>> x, y = Ints('x y')
    >>> loop = Function('loop', IntSort(), IntSort(), BoolSort())
    >>> system = Horn()
    >>> system.rule(loop(0, 0))
    >>> system.rule(loop(x + 1, y + 2), loop(x, y))
    >>> system.query(loop(x, y), y != 2 * x)
    >>> system.solve().verdict
    'sat'

    Attributes:
        clauses: the clauses, a list of expressions; a derivation names them by their numbers in it, from 0
    """

    def __init__(self) -> None:
        self.clauses: List[Expr] = []
        self._declared: Dict[str, Function] = {}

    @classmethod
    def read(cls, problem: Problem) -> "Horn":
        """The system in a text or a file, in any format that :func:`solve` takes."""
        system = cls()
        scope = Scope()
        for tree in read_all(_shem.normal_text(text_of(problem))):
            if tree[0] in ("declare-datatypes", "declare-datatype"):
                scope.read_datatypes(tree)
            elif tree[0] == "declare-fun":
                function = Function(unquote(tree[1]), *[scope.sort(sort) for sort in tree[2]], scope.sort(tree[3]))
                scope.declare(function)
                system._declared[function.name] = function
            elif tree[0] == "assert":
                system.add(from_tree(tree[1], scope))
        return system

    def add(self, *formulas: Any) -> "Horn":
        """Adds clauses; their free variables are universal."""
        for formula in map(literal, formulas):
            if formula.sort not in (BOOL, None):
                raise TypeError(f"{formula} is not a formula")
            self.clauses.append(ForAll(free_variables(formula), formula))
        return self

    def rule(self, head: Any, *body: Any) -> "Horn":
        """Adds the clause that the body implies the head."""
        return self.add(Implies(And(*body), head) if body else head)

    def query(self, *body: Any) -> "Horn":
        """Adds the clause that the body never holds."""
        return self.add(Implies(And(*body), False))

    def remove(self, clause: Union[int, Expr]) -> "Horn":
        """Removes a clause, given by its number or as an expression; it is an error if it is not there."""
        if isinstance(clause, int):
            del self.clauses[clause]
            return self
        closed = ForAll(free_variables(clause), clause)
        for number, known in enumerate(self.clauses):
            if known.same(closed):
                del self.clauses[number]
                return self
        raise ValueError(f"{clause} is not among the clauses")

    def __len__(self) -> int:
        return len(self.clauses)

    def __iter__(self) -> Iterator[Expr]:
        return iter(self.clauses)

    def predicates(self) -> List[Function]:
        """The predicates, by their names."""
        found = {**self._declared, **{function.name: function for function in functions_of(self.clauses)}}
        return sorted(found.values(), key=lambda function: function.name)

    def datatypes(self) -> List[DatatypeSort]:
        """The datatypes of the clauses."""
        return datatypes_of(self.clauses, self._declared.values())

    def smtlib(self) -> str:
        """The system in the format of CHC-COMP."""
        lines = ["(set-logic HORN)", *declarations(self.clauses, self._declared.values())]
        lines.extend(f"(assert {to_smtlib(clause)})" for clause in self.clauses)
        lines.append("(check-sat)")
        return "\n".join(lines) + "\n"

    def solve(self, **options: Any) -> Result:
        """Decides the system; the options are those of :func:`solve`."""
        return solve(self, **options)

    def terminates(self, *, timeout: Optional[float] = None, memory: Optional[int] = None) -> Termination:
        """Whether all runs of the clauses end: see :func:`terminates`."""
        return terminates(self, timeout=timeout, memory=memory)

    def validate(self, witness: Any, timeout: Optional[float] = None) -> None:
        """Checks a witness that anybody has found: a model (see :meth:`Model.parse`), functions of Python that make the
        formula of each predicate, by name, or a derivation. A :class:`WitnessError` says what is wrong with it."""
        from .validate import validate

        validate(self, witness, timeout)

    def __str__(self) -> str:
        return "\n".join(map(str, self.clauses))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .draw import system_html

        return system_html(self)


class Fixedpoint:
    """z3's class of this name: relations, rules, and a query that asks whether something can be derived."""

    def __init__(self) -> None:
        self._system = Horn()
        self._options: Dict[str, Any] = {}
        self._last: Optional[Result] = None

    def set(self, *arguments: Any, **options: Any) -> None:
        """Options for queries: those of :func:`solve`, and z3's ``timeout`` in milliseconds; ``engine`` may be
        ``'spacer'``, ``'datalog'`` or ``'auto-config'``. z3's options for its engines have no meaning here."""
        for name, value in [*zip(arguments[::2], arguments[1::2]), *options.items()]:
            key = str(name).lstrip(":").replace("-", "_")
            if key == "timeout":
                self._options["timeout"] = value / 1000
            elif key == "engine":
                self._options["engine"] = "spacer" if value == "spacer" else None
            elif key in ("memory", "seed", "deterministic", "jobs", "settings", "witness", "processes"):
                self._options[key] = value
            elif "." not in key and not key.startswith(("fp_", "spacer_", "datalog_", "print_", "generate_")):
                raise ValueError(f"there is no option {name}")

    def register_relation(self, *relations: Function) -> None:
        """Makes relations known; those that rules mention are known anyway."""
        for relation in relations:
            self._system._declared[relation.name] = relation

    def declare_var(self, *variables: Expr) -> None:
        """Free variables of rules are universal, so this is not needed."""

    def rule(self, head: Any, body: Any = None, name: Optional[str] = None) -> None:
        """Adds a rule."""
        parts = [] if body is None else list(body) if isinstance(body, (list, tuple)) else [body]
        self._system.rule(head, *parts)

    add_rule = rule

    def add(self, *rules: Any) -> None:
        """Adds rules that are formulas."""
        self._system.add(*rules)

    assert_exprs = add

    def fact(self, head: Any, name: Optional[str] = None) -> None:
        """Adds a fact."""
        self.rule(head)

    def query(self, *goals: Any, **options: Any) -> str:
        """Whether the goal can be derived: ``"sat"`` if it can, as z3 says it, and ``"unsat"`` if it cannot. A relation
        stands for any fact of it."""
        system = Horn()
        system.clauses = list(self._system.clauses)
        system._declared = dict(self._system._declared)
        formulas = []
        for goal in goals:
            if isinstance(goal, Function):
                goal = goal(*[Const(f"{goal.name}!{number}", sort) for number, sort in enumerate(goal.sorts)])
            formulas.append(goal)
        system.query(*formulas)
        self._last = system.solve(**{**self._options, **options})
        return {"sat": "unsat", "unsat": "sat"}.get(self._last.verdict, "unknown")

    def get_answer(self) -> Union[Model, Derivation, None]:
        """After a query: the derivation of the goal, or the invariants that exclude it."""
        return self._result().model if self._result().model is not None else self._result().derivation

    def get_rules(self) -> List[Expr]:
        """The rules."""
        return list(self._system.clauses)

    def parse_string(self, text: str) -> List[Expr]:
        """Adds the rules in a text, in z3's format or in that of CHC-COMP; gives the queries in it, for :meth:`query`."""
        queries = []
        read = Horn.read(text)
        self._system._declared.update(read._declared)
        for clause in read:
            inner = clause.args[0] if clause.op == "forall" else clause
            if inner.op == "=>" and inner.args[1].op == "const" and inner.args[1].value is False:
                queries.append(inner.args[0])
            else:
                self._system.add(clause)
        return queries

    def parse_file(self, path: Union[str, "os.PathLike[str]"]) -> List[Expr]:
        """The same for a file."""
        with open(path, encoding="utf-8") as file:
            return self.parse_string(file.read())

    def statistics(self) -> Dict[str, Union[int, float]]:
        """Counts and times of the last query."""
        return self._result().statistics

    def reason_unknown(self) -> Optional[str]:
        """Why the last query was not decided."""
        return self._last.reason if self._last is not None else None

    def sexpr(self) -> str:
        """The rules in SMT-LIB."""
        return self._system.smtlib()

    def _result(self) -> Result:
        if self._last is None:
            raise ValueError("nothing was asked")
        return self._last

    def __repr__(self) -> str:
        return repr(self._system)

    def _repr_html_(self) -> str:
        return self._system._repr_html_()
