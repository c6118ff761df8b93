"""shem smt beside bitwuzla, z3 and yices-smt2 on families of bit-vectors.

The families are those of the literature: products in two orders, sums in two orders and by their carries, sorting
networks, checksums bit by bit and by a table, counts of ones, distances of Hamming, tests for an overflow, and facts
about products and quotients of wide words. Folders are timed beside them, if any are given. --unroll takes folders of
circuits in BTOR2: whether something bad is reached after 5, 20 and 60 steps. Runs and tables are those of `scripts/bench
peers`, in processor time. Without a program `bitwuzla` on the path, its Python package is run, whose start counts as
well.

With --cnf PROGRAM, the example `dimacs` of shem-smt, the same scripts become clauses, and that program is timed beside
cadical, or the solver that --sat-solver names.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from shemtools import btor2, sets
from shemtools.benches import peers, theories
from shemtools.run import run
from shemtools.tables import mean, table


def arguments(parser):
    theories.arguments(parser)
    parser.add_argument("--unroll", action="append", default=[], help="a folder of circuits in BTOR2")
    parser.add_argument("--no-families", action="store_true", help="leave out the families, for folders and circuits alone")
    parser.add_argument("--steps", type=int, nargs="+", default=[5, 20, 60], help="the lengths of unrollings [5 20 60]")
    parser.add_argument("--cnf", help="time the SAT core, by this program, on the clauses of the scripts")
    parser.add_argument("--sat-solver", default="cadical -q", help="its rival [cadical -q]")


def script(declared, lines):
    """A script that declares bit-vectors by name and width."""
    return theories.script("QF_BV", [*(f"(declare-const {name} (_ BitVec {n}))" for name, n in declared), *lines])


def number(value, n):
    return f"(_ bv{value} {n})"


def fold(operation, terms):
    """One term after the other."""
    result = terms[0]
    for term in terms[1:]:
        result = f"({operation} {result} {term})"
    return result


def commuted_product(n):
    """A product in two orders, by equations that no rewriting sees through."""
    names = [(name, n) for name in ("x", "y", "u", "v")]
    return script(names, ["(assert (= (bvand u v) (bvand x y)))", "(assert (= (bvor u v) (bvor x y)))",
                          "(assert (or (= u x) (= u y)))", "(assert (distinct (bvmul x y) (bvmul u v)))"])


def distributed_product(n):
    """A product of a sum and the sum of the products."""
    names = [(name, n) for name in "xyz"]
    return script(names, ["(assert (distinct (bvmul x (bvadd y z)) (bvadd (bvmul x y) (bvmul x z))))"])


def factors(value, n):
    """A number as a product without overflow."""
    names = [("x", n), ("y", n)]
    half = number(1 << (n // 2), n)
    return script(names, [f"(assert (= (bvmul x y) {number(value, n)}))",
                          *(f"(assert (bvult {name} {half}))" for name in "xy"),
                          *(f"(assert (bvult {number(1, n)} {name}))" for name in "xy"), "(assert (bvule x y))"])


def adder(n, same):
    """A sum, and its bits by the carries."""
    carries = [(f"c{k}", 1) for k in range(n + 1)]
    bit = lambda name, k: f"((_ extract {k} {k}) {name})"
    lines = [f"(assert (= c0 {number(0, 1)}))"]
    digits = []
    for k in range(n):
        x, y, c = bit("x", k), bit("y", k), f"c{k}"
        digits.append(f"(bvxor {x} {y} {c})")
        lines.append(f"(assert (= c{k + 1} (bvor (bvand {x} {y}) (bvand {c} (bvxor {x} {y})))))")
    total = fold("concat", digits[::-1])
    goal = f"(distinct {total} (bvadd x y))" if same else f"(= {total} (bvadd x y {number(1 << (n - 1), n)}))"
    lines.append(f"(assert {goal})" if same else f"(assert (not {goal}))")
    return script([("x", n), ("y", n), *carries], lines)


def sums(count, n):
    """The sum of many words from the left and in pairs."""
    names = [f"x{k}" for k in range(count)]
    level, steps, declared = names, [], [(name, n) for name in names]
    while len(level) > 1:
        following = []
        for k in range(0, len(level) - 1, 2):
            name = f"s{len(steps)}"
            steps.append(f"(assert (= (bvsub {name} {level[k]}) {level[k + 1]}))")
            declared.append((name, n))
            following.append(name)
        level = following + level[len(level) - len(level) % 2:]
    return script(declared, [*steps, f"(assert (distinct {level[0]} {fold('bvadd', names)}))"])


def sorting_network(count, n, same):
    """A network of exchanges sorts; without its last one it does not."""
    wires, declared, lines = [f"x{k}" for k in range(count)], [(f"x{k}", n) for k in range(count)], []
    exchanges = [(k, k + 1) for turn in range(count) for k in range(turn % 2, count - 1, 2)]
    for at, (j, k) in enumerate(exchanges if same else exchanges[:-count]):
        low, high = f"l{at}", f"h{at}"
        declared += [(low, n), (high, n)]
        a, b = wires[j], wires[k]
        lines.append(f"(assert (= {low} (ite (bvule {a} {b}) {a} {b})))")
        lines.append(f"(assert (= {high} (ite (bvule {a} {b}) {b} {a})))")
        wires[j], wires[k] = low, high
    ordered = " ".join(f"(bvule {a} {b})" for a, b in zip(wires, wires[1:]))
    return script(declared, [*lines, f"(assert (not (and {ordered})))"])


def checksum(n, same):
    """A cyclic redundancy check of eight bits over n bits, twice: with a shift to the left, and mirrored."""
    polynomial = 0x07
    mirrored = int(f"{polynomial:08b}"[::-1], 2)
    left, right = number(0, 8), number(0, 8)
    lines, declared = [], [("message", n)]
    for k in range(n):
        bit = f"((_ extract {n - 1 - k} {n - 1 - k}) message)"
        lines.append(f"(assert (= l{k} (bvxor (bvshl {left} {number(1, 8)}) (ite (= (bvxor ((_ extract 7 7) {left}) {bit}) "
                     f"#b1) {number(polynomial, 8)} {number(0, 8)}))))")
        lines.append(f"(assert (= r{k} (bvxor (bvlshr {right} {number(1, 8)}) (ite (= (bvxor ((_ extract 0 0) {right}) {bit}) "
                     f"#b1) {number(mirrored, 8)} {number(0, 8)}))))")
        left, right = f"l{k}", f"r{k}"
        declared += [(left, 8), (right, 8)]
    swapped = fold("concat", [f"((_ extract {k} {k}) {right})" for k in range(8)])
    goal = f"(distinct {left} {swapped})" if same else f"(= {left} (bvnot {swapped}))"
    return script(declared, [*lines, f"(assert {goal})"])


def ones(n, name="x"):
    """The number of ones, bit by bit."""
    return fold("bvadd", [f"((_ zero_extend {n - 1}) ((_ extract {k} {k}) {name}))" for k in range(n)])


def ones_by_masks(n, name):
    """The number of ones, in pairs, pairs of pairs and so on: the steps and the result."""
    steps, width, before = [], 1, name
    while width < n:
        mask = sum(((1 << width) - 1) << k for k in range(0, n, 2 * width))
        after = f"{name}_{width}"
        shifted = f"(bvlshr {before} {number(width, n)})"
        steps.append((after, f"(bvadd (bvand {before} {number(mask, n)}) (bvand {shifted} {number(mask, n)}))"))
        before, width = after, 2 * width
    return steps, before


def popcount(n):
    steps, result = ones_by_masks(n, "x")
    lines = [f"(assert (= {name} {term}))" for name, term in steps]
    return script([("x", n), *((name, n) for name, _ in steps)], [*lines, f"(assert (distinct {result} {ones(n)}))"])


def hamming(n):
    """The distance of Hamming: the inequality of the triangle."""
    lines, declared, distances = [], [(name, n) for name in "xyz"], []
    for a, b in ("xy", "yz", "xz"):
        word = f"d{a}{b}"
        steps, result = ones_by_masks(n, word)
        declared += [(word, n), *((name, n) for name, _ in steps)]
        lines += [f"(assert (= {word} (bvxor {a} {b})))", *(f"(assert (= {name} {term}))" for name, term in steps)]
        distances.append(result)
    return script(declared, [*lines, f"(assert (bvult (bvadd {distances[0]} {distances[1]}) {distances[2]}))"])


def overflows(n):
    """Tests for an overflow of a sum and of a product, by wider words and as programs have them."""
    wide = lambda name: f"((_ zero_extend {n}) {name})"
    product = f"(bvmul {wide('x')} {wide('y')})"
    tests = {"sum": ("(bvult (bvadd x y) x)", f"(distinct ((_ extract {n} {n}) (bvadd {wide('x')} {wide('y')})) #b0)"),
             "product": (f"(and (distinct y {number(0, n)}) (bvult (bvudiv {number((1 << n) - 1, n)} y) x))",
                         f"(distinct ((_ extract {2 * n - 1} {n}) {product}) {number(0, n)})"),
             "predicate": ("(bvumulo x y)", f"(distinct ((_ extract {2 * n - 1} {n}) {product}) {number(0, n)})")}
    for name, (narrow, by_width) in tests.items():
        yield name, script([("x", n), ("y", n)], [f"(assert (distinct {narrow} {by_width}))"])


def wide_operations(n):
    """What programs rely on about products and quotients of wide words."""
    half = number(1 << (n // 2), n)
    zero = number(0, n)
    goals = {"remainder": f"(and (distinct y {zero}) (bvule y (bvurem x y)))",
             "quotient": f"(and (distinct y {zero}) (bvult x (bvudiv x y)))",
             "fits": f"(and (bvult x {number(1 << (n // 4), n)}) (bvult y {number(1 << (n // 4), n)}) (bvult {half} (bvmul x y)))",
             "even": f"(and (= (bvurem x {number(2, n)}) {zero}) (= ((_ extract 0 0) (bvmul x y)) #b1))",
             "address": f"(and (bvult x {half}) (bvult {number(8, n)} y) (bvult y {half}) (bvult {half} (bvadd z (bvmul x y))) "
                        f"(distinct (bvurem z y) {zero}))"}
    for name, goal in goals.items():
        yield name, script([("x", n), ("y", n), ("z", n)], [f"(assert {goal})"])


def families():
    """The scripts by family and name."""
    for n in (4, 6, 8):
        yield "products", f"commuted-{n}", commuted_product(n)
    for n in (4, 5, 6):
        yield "products", f"distributed-{n}", distributed_product(n)
    for value, n in ((3127, 16), (61937, 20), (999919, 24)):
        yield "products", f"factors-{value}", factors(value, n)
    for n in (32, 128, 512):
        yield "adders", f"{n}-unsat", adder(n, True)
        yield "adders", f"{n}-sat", adder(n, False)
    for count, n in ((4, 16), (6, 12), (8, 8)):
        yield "adders", f"sums-{count}-{n}", sums(count, n)
    for count, n in ((4, 8), (5, 6), (6, 4)):
        yield "sorting", f"{count}-{n}-unsat", sorting_network(count, n, True)
        yield "sorting", f"{count}-{n}-sat", sorting_network(count, n, False)
    for n in (16, 32, 64):
        yield "checksums", f"{n}-unsat", checksum(n, True)
        yield "checksums", f"{n}-sat", checksum(n, False)
    for n in (8, 16, 32):
        yield "ones", f"{n}", popcount(n)
        yield "ones", f"hamming-{n}", hamming(n)
    for n in (4, 8, 12):
        for name, text in overflows(n):
            yield "overflows", f"{name}-{n}", text
    for n in (32, 64, 128):
        for name, text in wide_operations(n):
            yield "wide", f"{name}-{n}", text
    yield from (("overflows", f"{name}-64", text) for name, text in overflows(64) if name == "sum")


def unrollings(folder, steps):
    """The unrollings of all circuits of a folder that are translated, by family and name."""
    for path in sorted(Path(folder).glob("*.btor2")):
        try:
            circuit = btor2.Circuit(path.read_text())
            for count in steps:
                yield f"unrolled-{count}", path.stem, circuit.unrolling(count)
        except btor2.Unsupported as reason:
            print(f"{path.name}: {reason} is not translated", file=sys.stderr)


def compare_sat_solvers(options, folders):
    """Times the SAT core beside another solver on the clauses of all scripts; an answer is a line that begins with s."""
    rows, ratios, wrong = [], [], 0
    programs = [f"{options.cnf} solve", options.sat_solver]
    with tempfile.TemporaryDirectory(prefix="shem-cnf-") as name:
        clauses = Path(name) / "clauses.cnf"
        for path in sets.problems(folders, options.files):
            written = subprocess.run([options.cnf, "write", path], capture_output=True, check=False)
            if written.returncode:
                continue
            clauses.write_bytes(written.stdout)
            runs = [run([*program.split(), str(clauses)], options.limit, True, options.memory) for program in programs]
            said = [re.findall(r"^s (\w+)", done.out, re.M) for done in runs]
            if [] not in said:
                ratios.append(max(runs[0].seconds, 0.001) / max(runs[1].seconds, 0.001))
                wrong += said[0] != said[1]
            rows.append([f"{path.parent.name}/{path.stem}", *(f"{done.seconds:.2f}" if words else "–"
                                                              for done, words in zip(runs, said))])
    print("\n".join(table(["clauses of", "shem", options.sat_solver.split()[0]], rows)))
    if ratios:
        print(f"\n{len(ratios)} solved by both, time shem / {options.sat_solver.split()[0]}: geometric mean "
              f"{mean(ratios):.2f}, greatest {max(ratios):.2f}; contradictions: {wrong}")
    return 1 if wrong else 0


def main(options):
    if not any(peer.startswith("bitwuzla=") for peer in options.peer):
        command = "bitwuzla {file}"
        if not shutil.which("bitwuzla"):
            command = f"{sys.executable} {Path(__file__).resolve().parents[2] / 'bitwuzla-oracle'} --plain {{file}}"
        options.peer.append(f"bitwuzla={command}")
    with tempfile.TemporaryDirectory() as name:
        if not options.no_families:
            theories.write(families(), name)
        for folder in options.unroll:
            theories.write(unrollings(folder, options.steps), name)
        options.folders = [*sorted(Path(name).iterdir()), *options.folders]
        return compare_sat_solvers(options, options.folders) if options.cnf else peers.main(options)
