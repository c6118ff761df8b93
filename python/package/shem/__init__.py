"""Shem from Python: constrained Horn clauses and SMT, with witnesses that were checked.

>>> import shem
>>> result = shem.solve('''
... (declare-fun loop (Int) Bool)
... (assert (forall ((x Int)) (=> (= x 0) (loop x))))
... (assert (forall ((x Int)) (=> (loop x) (loop (+ x 2)))))
... (assert (forall ((x Int)) (=> (and (loop x) (= x 7)) false)))
... ''')
>>> result.verdict, result.model['loop'](4), result.model['loop'](7)
('sat', True, False)

:class:`Horn` builds systems from expressions, :class:`Solver` answers questions about formulas.
"""

from ._shem import ParseError, __version__, engines
from .evaluate import ArrayValue
from .horn import Definition, Derivation, Fixedpoint, Horn, Model, Result, Step, solve
from .solver import Solver, SolverError, SolverModel, interpolant, interpolants, project
from .terms import (
    And,
    Array,
    ArraySort,
    Bool,
    Bools,
    BoolSort,
    Const,
    Distinct,
    Exists,
    Expr,
    ForAll,
    Function,
    If,
    Implies,
    Int,
    Ints,
    IntSort,
    Not,
    Or,
    Real,
    Reals,
    RealSort,
    Select,
    Sort,
    Store,
    from_smtlib,
    substitute,
)

#: Verdicts, as z3's users name them.
sat, unsat, unknown = "sat", "unsat", "unknown"

__all__ = [name for name in dir() if not name.startswith("_") and name not in ("evaluate", "horn", "terms")]
