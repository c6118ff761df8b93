"""shem smt beside z3 and yices-smt2 on families of functions, arrays and datatypes.

The families are those of the literature: commuting stores, swaps, reads over chains of writes, chains of congruences,
and queens whose columns are an enumeration. Folders are timed beside them, if any are given, such as that of the
queries that `shem --dump-queries` writes. Runs and tables are those of `scripts/bench peers`, in processor time.
"""
import math
import random
import tempfile
from pathlib import Path

from shemtools.benches import peers


def arguments(parser):
    peers.arguments(parser)
    parser.set_defaults(processor_time=True, runs=3)
    # The families suffice.
    next(action for action in parser._actions if action.dest == "folders").nargs = "*"


def script(logic, lines):
    return "\n".join([f"(set-logic {logic})", *lines, "(check-sat)", ""])


def commuting_stores(n, same, seed):
    """The same stores in two orders; without the last of them on one side the arrays may differ."""
    rng = random.Random(seed)
    lines = ["(declare-sort Index 0)", "(declare-sort Element 0)"]
    lines += ["(declare-fun a () (Array Index Element))"]
    lines += [f"(declare-fun i{k} () Index)\n(declare-fun e{k} () Element)" for k in range(n)]
    lines += [f"(assert (not (= i{j} i{k})))" for j in range(n) for k in range(j)]
    orders = [list(range(n)) for _ in range(2)]
    for order in orders:
        rng.shuffle(order)
    if not same:
        orders[1].pop()
    sides = []
    for order in orders:
        term = "a"
        for k in order:
            term = f"(store {term} i{k} e{k})"
        sides.append(term)
    return script("QF_AX", [*lines, f"(assert (not (= {sides[0]} {sides[1]})))"])


def swaps(n, same, seed):
    """Swaps of elements, undone in reverse order: the array is what it was."""
    rng = random.Random(seed)
    lines = ["(declare-fun a0 () (Array Int Int))"]
    lines += [f"(declare-fun i{k} () Int)" for k in range(n)]
    pairs = [(rng.randrange(n), rng.randrange(n)) for _ in range(n)]
    steps = pairs + (pairs[::-1] if same else pairs[:0:-1])
    for number, (j, k) in enumerate(steps):
        a = f"a{number}"
        lines.append(f"(declare-fun a{number + 1} () (Array Int Int))")
        new = f"(store (store {a} i{j} (select {a} i{k})) i{k} (select {a} i{j}))"
        lines.append(f"(assert (= a{number + 1} {new}))")
    return script("QF_ALIA", [*lines, f"(assert (not (= a0 a{len(steps)})))"])


def reads_over_writes(n, same):
    """A read below a chain of writes at larger indices."""
    lines = ["(declare-fun a0 () (Array Int Int))", "(declare-fun x () Int)"]
    for k in range(n):
        lines.append(f"(declare-fun a{k + 1} () (Array Int Int))")
        lines.append(f"(assert (= a{k + 1} (store a{k} (+ x {k + 1}) {k})))")
    at = "x" if same else f"(+ x {n // 2})"
    return script("QF_ALIA", [*lines, f"(assert (not (= (select a0 {at}) (select a{n} {at}))))"])


def congruences(n, same):
    """f applied n times and m times is the identity, so it is gcd(n, m) times; asked of the greatest divisor."""
    power = lambda k: "(f " * k + "c" + ")" * k
    lines = ["(declare-sort U 0)", "(declare-fun f (U) U)", "(declare-fun c () U)"]
    lines += [f"(assert (= {power(n)} c))", f"(assert (= {power(n + 3)} c))"]
    divisor = math.gcd(n, n + 3)
    goal = divisor if same else (divisor - 1 if divisor > 1 else 0)
    formula = f"(not (= {power(goal)} c))" if goal else f"(not (= {power(1)} {power(2)}))"
    return script("QF_UF", [*lines, f"(assert {formula})"])


def diamonds(n):
    """n diamonds of equalities: 2^n paths, all of the same ends."""
    lines = ["(declare-sort U 0)"] + [f"(declare-fun x{k} () U)" for k in range(n + 1)]
    lines += [f"(declare-fun {side}{k} () U)" for side in "yz" for k in range(n)]
    for k in range(n):
        ways = [f"(and (= x{k} {side}{k}) (= {side}{k} x{k + 1}))" for side in "yz"]
        lines.append(f"(assert (or {' '.join(ways)}))")
    return script("QF_UF", [*lines, f"(assert (not (= x0 x{n})))"])


def queens(n, columns):
    """n queens, the column of each an element of an enumeration, the numbers of columns a function."""
    names = " ".join(f"(k{c})" for c in range(columns))
    lines = [f"(declare-datatype Column ({names}))", "(declare-fun number (Column) Int)"]
    lines += [f"(assert (= (number k{c}) {c}))" for c in range(columns)]
    lines += [f"(declare-fun q{r} () Column)" for r in range(n)]
    lines.append(f"(assert (distinct {' '.join(f'q{r}' for r in range(n))}))")
    for r in range(n):
        for s in range(r):
            difference = f"(- (number q{r}) (number q{s}))"
            lines.append(f"(assert (and (not (= {difference} {r - s})) (not (= {difference} (- {r - s})))))")
    return script("ALL", lines)


def lists(n, same):
    """A list of n elements taken apart again; or one that contains itself."""
    lines = ["(declare-datatype L ((nil) (cons (head Int) (tail L))))"]
    lines += [f"(declare-fun l{k} () L)\n(declare-fun x{k} () Int)" for k in range(n + 1)]
    lines += [f"(assert (= l{k + 1} (cons x{k} l{k})))" for k in range(n)]
    if same:
        return script("ALL", [*lines, f"(assert (= l0 l{n}))"])
    end = "(tail " * n + f"l{n}" + ")" * n
    return script("ALL", [*lines, f"(assert (= {end} l0))", f"(assert (> (head l{n}) x0))"])


def families():
    """The scripts by family and name."""
    for n in (6, 10, 16, 24):
        yield "commuting-stores", f"{n}-unsat", commuting_stores(n, True, n)
        yield "commuting-stores", f"{n}-sat", commuting_stores(n, False, n)
    for n in (3, 5, 7):
        yield "swaps", f"{n}-unsat", swaps(n, True, n)
        yield "swaps", f"{n}-sat", swaps(n, False, n)
    for n in (20, 60, 150):
        yield "reads", f"{n}-unsat", reads_over_writes(n, True)
        yield "reads", f"{n}-sat", reads_over_writes(n, False)
    for n in (50, 300, 1000):
        yield "congruences", f"{n}", congruences(n, True)
        yield "congruences", f"{n}-less", congruences(n, False)
    for n in (20, 100, 400):
        yield "diamonds", f"{n}", diamonds(n)
    for n in (4, 5, 6, 8):
        yield "queens", f"{n}", queens(n, n)
    yield "queens", "5-of-4", queens(5, 4)
    for n in (10, 50, 200):
        yield "lists", f"{n}-unsat", lists(n, True)
        yield "lists", f"{n}-sat", lists(n, False)


def write(scripts, name):
    """Writes scripts into a folder of each family."""
    for family, member, text in scripts:
        folder = Path(name) / family
        folder.mkdir(exist_ok=True)
        (folder / f"{member}.smt2").write_text(text)


def main(options):
    with tempfile.TemporaryDirectory() as name:
        write(families(), name)
        options.folders = [*sorted(Path(name).iterdir()), *options.folders]
        return peers.main(options)
