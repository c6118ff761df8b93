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

:func:`verify` proves assertions in Python functions or finds runs that violate them, :class:`Horn` builds systems from
expressions, :class:`Solver` answers questions about formulas.
"""

from ._shem import ParseError, __version__, engines
from .bitvectors import (
    BitVec,
    BitVecs,
    BitVecVal,
    BV2Int,
    Concat,
    Extract,
    Int2BV,
    is_bv,
    LShR,
    RepeatBitVec,
    RotateLeft,
    RotateRight,
    SignExt,
    SRem,
    UDiv,
    UGE,
    UGT,
    ULE,
    ULT,
    URem,
    ZeroExt,
)
from .datatypes import CreateDatatypes, Datatype, DatatypeSort, DatatypeValue, EnumSort, TupleSort
from .evaluate import ArrayValue
from .horn import Fixedpoint, Horn, Termination, solve, terminates
from .many import solve_many
from .result import Definition, Derivation, Model, Result, Step
from .smtlib import from_smtlib, simplify
from .solver import Solver, SolverError, SolverModel, interpolant, interpolants, project
from .substitute import substitute
from .terms import (
    And,
    Array,
    ArraySort,
    BitVecSort,
    Bool,
    Bools,
    BoolSort,
    BoolVal,
    Const,
    Consts,
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
    IntVal,
    IsInt,
    K,
    Not,
    Or,
    Product,
    Real,
    Reals,
    RealSort,
    RealVal,
    Select,
    Sort,
    Store,
    Sum,
    ToInt,
    ToReal,
    Xor,
)
from .program import Unsupported
from .replay import AssumptionViolated, assume, nondet
from .validate import WitnessError
from .verification import (
    Counterexample,
    CounterexampleError,
    Invariant,
    TraceStep,
    Verification,
    VerifiedFunction,
    verify,
)

#: Verdicts, as z3's users name them.
sat, unsat, unknown = "sat", "unsat", "unknown"

#: z3's other name for it.
Update = Store

__all__ = [
    "And",
    "Array",
    "ArraySort",
    "ArrayValue",
    "AssumptionViolated",
    "BV2Int",
    "BitVec",
    "BitVecSort",
    "BitVecVal",
    "BitVecs",
    "Bool",
    "BoolSort",
    "BoolVal",
    "Bools",
    "Concat",
    "Const",
    "Consts",
    "Counterexample",
    "CounterexampleError",
    "CreateDatatypes",
    "Datatype",
    "DatatypeSort",
    "DatatypeValue",
    "Definition",
    "Derivation",
    "Distinct",
    "EnumSort",
    "Exists",
    "Expr",
    "Extract",
    "Fixedpoint",
    "ForAll",
    "Function",
    "Horn",
    "If",
    "Implies",
    "Int",
    "Int2BV",
    "IntSort",
    "IntVal",
    "Ints",
    "Invariant",
    "IsInt",
    "K",
    "LShR",
    "Model",
    "Not",
    "Or",
    "ParseError",
    "Product",
    "Real",
    "RealSort",
    "RealVal",
    "Reals",
    "RepeatBitVec",
    "Result",
    "RotateLeft",
    "RotateRight",
    "SRem",
    "Select",
    "SignExt",
    "Solver",
    "SolverError",
    "SolverModel",
    "Sort",
    "Step",
    "Store",
    "Sum",
    "Termination",
    "ToInt",
    "ToReal",
    "TraceStep",
    "TupleSort",
    "UDiv",
    "UGE",
    "UGT",
    "ULE",
    "ULT",
    "URem",
    "Unsupported",
    "Update",
    "Verification",
    "VerifiedFunction",
    "WitnessError",
    "Xor",
    "ZeroExt",
    "assume",
    "engines",
    "from_smtlib",
    "interpolant",
    "interpolants",
    "is_bv",
    "nondet",
    "project",
    "sat",
    "simplify",
    "solve",
    "solve_many",
    "substitute",
    "terminates",
    "unknown",
    "unsat",
    "verify",
]
