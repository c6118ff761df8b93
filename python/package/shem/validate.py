"""Checks of witnesses by the SMT solver, clause by clause, whoever has found them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple

from .result import Derivation, Step, apply_definitions
from .solver import Solver
from .terms import And, Expr, Function, Not, literal, walk

if TYPE_CHECKING:
    from .horn import Horn


class WitnessError(ValueError):
    """A witness is wrong, or could not be judged.

    Attributes:
        clause: the number of the clause that it does not fit, from 0
    """

    def __init__(self, words: str, clause: Optional[int] = None) -> None:
        super().__init__(words)
        self.clause = clause


def validate(system: "Horn", witness: Any, timeout: Optional[float]) -> None:
    """See :meth:`Horn.validate`."""
    if isinstance(witness, Derivation):
        _validate_derivation(system, witness, timeout)
    elif isinstance(witness, Mapping):
        names = {key.name if isinstance(key, Function) else key: witness[key] for key in witness}
        _validate_model(system, names, timeout)
    else:
        raise TypeError(f"{witness!r} is neither a model nor a derivation")


def _open(clause: Expr) -> Expr:
    """A clause without the quantifiers around it."""
    while clause.op == "forall":
        clause = clause.args[0]
    return clause


def _validate_model(system: "Horn", definitions: Dict[str, Any], timeout: Optional[float]) -> None:
    for predicate in system.predicates():
        if predicate.name not in definitions:
            raise WitnessError(f"the model does not define {predicate.name}")
    for number, clause in enumerate(system.clauses):
        solver = Solver(timeout=timeout)
        solver.add(Not(apply_definitions(_open(clause), definitions)))
        answer = solver.check()
        if answer == "unknown":
            raise WitnessError(f"clause {number} was not decided: {solver.reason_unknown()}", number)
        if answer == "sat":
            raise WitnessError(f"clause {number} does not hold: {clause} at {solver.model()}", number)


def _validate_derivation(system: "Horn", derivation: Derivation, timeout: Optional[float]) -> None:
    steps: List[Step] = []
    for step in derivation:
        if any(not 0 <= premise < len(steps) for premise in step.premises):
            raise WitnessError(f"step {step.number} follows from steps that do not come before it")
        if not 0 <= step.clause < len(system.clauses):
            raise WitnessError(f"step {step.number}: there is no clause {step.clause}")
        _validate_step(system, step, [steps[premise] for premise in step.premises], timeout)
        steps.append(step)
    if not steps or steps[-1].predicate is not None:
        raise WitnessError("falsehood is not derived")


def _validate_step(system: "Horn", step: Step, premises: List[Step], timeout: Optional[float]) -> None:
    head, atoms, constraints = _parts_of(system, step.clause)
    needed = [] if head is None else [(head, step)]
    left = list(premises)
    if (None if head is None else head.value.name) != step.predicate or len(atoms) != len(left):
        raise WitnessError(f"step {step.number} is not one by clause {step.clause}", step.clause)
    for atom in atoms:
        # Premises of one predicate are in the order of the clause.
        fitting = next((premise for premise in left if premise.predicate == atom.value.name), None)
        if fitting is None:
            raise WitnessError(f"step {step.number} has no premise for {atom}", step.clause)
        left.remove(fitting)
        needed.append((atom, fitting))
    solver = Solver(timeout=timeout)
    solver.add(*constraints)
    for atom, fact in needed:
        if len(fact.values) != len(atom.args):
            raise WitnessError(f"step {fact.number} has {len(fact.values)} values for {atom}", step.clause)
        solver.add(*[term == literal(value, term.sort) for term, value in zip(atom.args, fact.values)])
    answer = solver.check()
    if answer != "sat":
        what = "does not follow" if answer == "unsat" else "was not decided"
        raise WitnessError(f"step {step.number}, {step}, {what} by clause {step.clause}", step.clause)


def _parts_of(system: "Horn", number: int) -> Tuple[Optional[Expr], List[Expr], List[Expr]]:
    """A clause as its head, the atoms of its body, and the constraint."""
    inner = _open(system.clauses[number])
    body, head = (inner.args[0], inner.args[1]) if inner.op == "=>" else (And(), inner)
    if inner.op == "=>" and len(inner.args) > 2:
        body, head = And(*inner.args[:-1]), inner.args[-1]
    atoms: List[Expr] = []
    constraints: List[Expr] = []
    stack = [body]
    while stack:
        part = stack.pop()
        if part.op == "and":
            stack.extend(reversed(part.args))
        elif _is_atom(part):
            atoms.append(part)
        else:
            constraints.append(part)
    if not _is_atom(head):
        constraints.append(Not(head))
    if any(_is_atom(term) for part in constraints for term in walk([part])):
        raise WitnessError(f"clause {number} is not a conjunction that implies an atom", number)
    return (head if _is_atom(head) else None), atoms, constraints


def _is_atom(term: Expr) -> bool:
    return term.op == "app" and type(term.value) is Function and term.value.range.name == "Bool"
