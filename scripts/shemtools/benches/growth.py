"""How time grows with the size of a problem, for families whose members differ in size only.

Families of programs: `chain` (n predicates in a row), `loops` (n loops one after the other), `calls` (n procedures,
each of which calls the next one twice), `diamonds` (n branches that join again). Loops with a deep error: `phases`, the
family by which transition power abstraction was shown to scale; `two-rates`, `remainder` and `square`. Every size is
run until one takes longer than the limit. With --processor-time times are those of the processor, on one core, in which
other work on the machine hardly shows. --print writes a member of a family to standard output, for other uses.
"""
import datetime
import shutil
import sys
import tempfile
from pathlib import Path

from shemtools import plot, sets
from shemtools.run import ANSWERS, PATIENCE, run
from shemtools.tables import Page, table

FIELDS = ["family", "program", "size", "seconds"]


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("--limit", type=float, default=10, help="seconds a run [10]")
    parser.add_argument("--processor-time", action="store_true", help="measure and limit processor time, on one core")
    parser.add_argument("--z3", default="z3")
    parser.add_argument("--family", action="append", choices=FAMILIES, help="only these")
    parser.add_argument("--engines", help="these engines in place of those of the family, with commas")
    parser.add_argument("--options", default="", help="more options for shem")
    parser.add_argument("--results", type=Path, help="keep what was measured here, and do not measure it again")
    parser.add_argument("--page", help="write a page")
    parser.add_argument("--plots", default="docs/plots", help="where its plots go")
    parser.add_argument("--print", nargs=2, metavar=("NAME", "SIZE"), help="print a member of a family")


def system(declarations, clauses):
    lines = ["(set-logic HORN)"]
    lines += [f"(declare-fun {name} ({sorts}) Bool)" for name, sorts in declarations]
    lines += [f"(assert (forall ({' '.join(f'({v} Int)' for v in variables.split())}) (=> (and {body}) {head})))"
              for variables, body, head in clauses]
    return "\n".join([*lines, "(check-sat)", ""])


def chain(n):
    """n steps, each of which adds one to a number that was zero: it is n at the end."""
    clauses = [("x", "(= x 0)", "(p0 x)")]
    clauses += [("x", f"(p{i} x)", f"(p{i + 1} (+ x 1))") for i in range(n)]
    clauses.append(("x", f"(p{n} x) (not (= x {n}))", "false"))
    return system([(f"p{i}", "Int") for i in range(n + 1)], clauses)


def loops(n):
    """n loops one after the other, in each of which two counters grow together: they are equal at the end."""
    clauses = [("x y", "(= x 0) (= y 0)", "(p0 x y)")]
    for i in range(n):
        clauses.append(("x y", f"(p{i} x y) (< x {10 * (i + 1)})", f"(p{i} (+ x 1) (+ y 1))"))
        clauses.append(("x y", f"(p{i} x y) (>= x {10 * (i + 1)})", f"(p{i + 1} x y)"))
    clauses.append(("x y", f"(p{n} x y) (not (= x y))", "false"))
    return system([(f"p{i}", "Int Int") for i in range(n + 1)], clauses)


def calls(n):
    """n procedures, each of which calls the next one twice; the last one does not make its argument smaller."""
    clauses = [("x y", "(>= y x)", f"(p{n} x y)")]
    clauses += [("x y z", f"(p{i + 1} x y) (p{i + 1} y z)", f"(p{i} x z)") for i in range(n)]
    clauses.append(("x y", "(p0 x y) (< y x)", "false"))
    return system([(f"p{i}", "Int Int") for i in range(n + 1)], clauses)


def diamonds(n):
    """n branches that join again, by which one or the other of two counters grows: their sum is n at the end."""
    clauses = [("x y", "(= x 0) (= y 0)", "(p0 x y)")]
    for i in range(n):
        clauses.append(("x y", f"(p{i} x y)", f"(p{i + 1} (+ x 1) y)"))
        clauses.append(("x y", f"(p{i} x y)", f"(p{i + 1} x (+ y 1))"))
    clauses.append(("x y", f"(p{n} x y) (not (= (+ x y) {n}))", "false"))
    return system([(f"p{i}", "Int Int") for i in range(n + 1)], clauses)


def phases(n):
    """x counts to 2n, and y, which was n, grows as well in the second half: they meet. It is said that they do not."""
    clauses = [
        ("x y", f"(= x 0) (= y {n})", "(p x y)"),
        ("x y", f"(p x y) (< x {2 * n})", f"(p (+ x 1) (ite (< x {n}) y (+ y 1)))"),
        ("x y", f"(p x y) (>= x {2 * n}) (= x y)", "false"),
    ]
    return system([("p", "Int Int")], clauses)


def deep(step, bad):
    """A loop from (0, 0) in which x counts steps and y becomes `step`, with an error where `bad` holds."""
    clauses = [("(= x 0) (= y 0)", "(p x y)"), ("(p x y)", f"(p (+ x 1) {step})"), (f"(p x y) {bad}", "false")]
    return system([("p", "Int Int")], [("x y", body, head) for body, head in clauses])


def two_rates(n):
    """y grows by two for n steps and falls by one after that; the error is 2n steps deep."""
    return deep(f"(ite (< x {n}) (+ y 2) (- y 1))", f"(= x {2 * n}) (= y {n})")


def remainder(n):
    """y changes with a period of three; the error is 6n steps deep."""
    return deep("(+ y (ite (= (mod x 3) 0) 5 (- 1)))", f"(>= x {6 * n}) (>= y {6 * n})")


def square(n):
    """y is the sum of the first numbers; the error is n steps deep."""
    return deep("(+ y x)", f"(>= x {n}) (>= y {n * (n - 1) // 2})")


SIZES = [10, 30, 100, 300, 1_000, 3_000, 10_000]
DEEP = [10**k for k in range(1, 10)]
DEEPER = [10**k for k in range(3, 13)]
RUNNING = ["scout", "tpa", "split-tpa", "trl"]
# Name: generator, title, what grows, sizes, answer, programs.
FAMILIES = {
    "chain": (chain, "A chain of predicates", "predicates", SIZES, "sat", ["shem", "z3"]),
    "loops": (loops, "Loops one after the other", "loops", SIZES, "sat", ["shem", "z3"]),
    "calls": (calls, "Procedures that call the next one twice", "procedures", SIZES, "sat", ["shem", "z3"]),
    "diamonds": (diamonds, "Branches that join again", "branches", SIZES, "sat", ["shem", "z3"]),
    "phases": (phases, "A loop of two phases with a deep error", "steps of a phase", DEEP, "unsat",
               ["shem", "split-tpa", "spacer", "bmc", "z3"]),
    "two-rates": (two_rates, "A loop with two rates", "steps of a phase", DEEPER, "unsat", RUNNING),
    "remainder": (remainder, "A loop with a period", "sixths of the depth", DEEPER, "unsat", RUNNING),
    "square": (square, "A sum that grows as a square", "steps", DEEPER, "unsat", RUNNING),
}


def programs(options, name):
    return options.engines.split(",") if options.engines else FAMILIES[name][5]


def seconds(options, program, text, answer):
    """The seconds until the answer, or nothing."""
    wall = options.limit * (PATIENCE if options.processor_time else 1)
    with tempfile.NamedTemporaryFile("w", suffix=".smt2") as file:
        file.write(text)
        file.flush()
        engine = ["-e", program] if program != "shem" else ["--jobs", "1"] if options.processor_time else []
        command = [options.shem, "-t", f"{wall:g}", *engine, *options.options.split(), file.name]
        if program == "z3":
            command = [options.z3, f"-T:{wall:g}", file.name]
        done = run(command, options.limit, options.processor_time)
    if done.answer in ANSWERS and done.answer != answer:
        sys.exit(f"{program}: {done.answer} in place of {answer}")
    return f"{done.seconds:.4f}" if done.answer == answer and done.seconds <= options.limit else ""


def measure(options, name, results):
    """The seconds by program and size; nothing for sizes beyond the first that took too long."""
    make, _, _, sizes, answer, _ = FAMILIES[name]
    for program in programs(options, name):
        if program == "z3" and not shutil.which(options.z3):
            continue
        for size in sizes:
            key = (name, program, str(size))
            if key not in results.found:
                used = seconds(options, program, make(size), answer)
                results.add(dict(zip(FIELDS, [*key, used])))
            used = results.found[key]["seconds"]
            print(f"{name} {program} {size}: {used or '–'}", flush=True)
            if not used:
                break


def times(options, name, results):
    """The seconds of each program by size, where there was an answer."""
    return {program: {size: float(row["seconds"]) for size in FAMILIES[name][3]
                      if (row := results.found.get((name, program, str(size)))) and row["seconds"]}
            for program in programs(options, name)}


def write_page(options, names, results):
    page = Page(options.page, options.plots)
    page.add("# How time grows",
             f"Made on {datetime.date.today().isoformat()} by `scripts/bench growth`: seconds of "
             f"{'processor time on one core' if options.processor_time else 'wall time'}, at most {options.limit:g} "
             "each. `–` is no answer, or that a smaller member took too long already. "
             "`scripts/bench growth SHEM --print NAME SIZE` prints a member.")
    for name in names:
        make, title, what, sizes, answer, _ = FAMILIES[name]
        found = times(options, name, results)
        page.add(f"## {title}", f"`{name}`: {' '.join(make.__doc__.split())}")
        words = f"{'safe' if answer == 'sat' else 'unsafe'}; a line ends at the last size that was decided within " \
                f"{options.limit:g} s"
        series = [(program if program in ("shem", "z3") else f"-e {program}", list(points.items()))
                  for program, points in found.items() if points]
        page.picture(f"growth-{name}.svg", title, plot.lines(title, words, (what, True), ("seconds", True), series))
        page.add("\n".join(table(["n", *found], (
            [plot.number(size), *(f"{points[size]:.2f}" if size in points else "–" for points in found.values())]
            for size in sizes if any(size in points for points in found.values())), 0)))
    page.write()


def main(options):
    if options.print:
        name, size = options.print
        sys.stdout.write(FAMILIES[name][0](int(size)))
        return 0
    results = sets.Results(options.results, FIELDS, 3)
    names = options.family or list(FAMILIES)
    for name in names:
        measure(options, name, results)
    if options.page:
        write_page(options, names, results)
    return 0
