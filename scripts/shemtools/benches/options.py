"""What each option of an engine is worth: the engine by default, and with one option changed at a time.

Runs are those of `scripts/bench engines`, and go on where they stopped. At the end the tables are written: into
DOCUMENT, each between the lines `<!-- ENGINE -->` and `<!-- end ENGINE -->`, or to standard output. The exit code is 1 if
an answer is wrong or a witness was refused.
"""
import sys
from pathlib import Path

from shemtools.benches import engines
from shemtools.benches.engine_table import Table
from shemtools.tables import table, write_between

ARITHMETIC = ["lra-itp-algorithm=2", "lra-itp-algorithm=4", "lra-itp-algorithm=5"]
# For each engine the sets on which it is measured, and the changes, one a row.
CHANGES = {
    "kind": ("extra-small-lia,lra-ts", ["kind.simple-paths"]),
    "lawi": ("extra-small-lia,lia-lin", [
        *ARITHMETIC, "bool-itp-algorithm=pudlak", "bool-itp-algorithm=proof-sensitive", "forced-covering",
        "lawi.local-refinement=0", "lawi.local-refinement=0 lawi.path-labels=no",
    ]),
    "pdkind": ("extra-small-lia,lra-ts", [
        *ARITHMETIC, "bool-itp-algorithm=mcmillan", "pdkind.depth=1", "pdkind.order=oldest", "pdkind.order=random",
    ]),
    "scout": ("multi-phase-unsafe", ["scout.steps=1000", "scout.stream=0", "scout.runs=1"]),
    "spacer": ("extra-small-lia,lia-lin", [
        "spacer.subsume=no spacer.conjecture=no spacer.concretise=no spacer.restrain=no", "spacer.subsume=no",
        "spacer.conjecture=no", "spacer.concretise=no", "spacer.restrain=no", "spacer.restraints=30",
        "spacer.lemmas=core", "spacer.clauses=no", "spacer.retry=next", "spacer.retry=never",
    ]),
    "split-tpa": ("extra-small-lia,multi-phase-safe", [
        *ARITHMETIC[:2], "tpa.base=3", "tpa.base=4", "tpa.direction=backward", "tpa.steps=less-first", "tpa.use-qe",
    ]),
    "trl": ("extra-small-lia,multi-phase-safe", [
        "trl.direction=forward", "trl.direction=backward", "trl.divisibility=no", "trl.growth=no",
        "trl.precision=coarse", "trl.precision=sides", "trl.precision=quotients", "trl.prefix=0",
    ]),
}


def arguments(parser):
    engines.run_arguments(parser)
    parser.add_argument("document", type=Path, nargs="?")
    parser.add_argument("--only", choices=sorted(CHANGES), action="append", help="an engine [all]")
    parser.set_defaults(timeout=0.3, witness=3)


def name_of(engine, change):
    """How an engine with a change is called in the results; `=` and `:` mean something in entries."""
    return " ".join([engine, *change.replace("=", " ").split()])


def entry(engine, change):
    """An engine with a change as an entry of `scripts/bench engines`."""
    return f"{name_of(engine, change)}={':'.join([engine, *('--' + option for option in change.split())])}"


def rows(engine, changes, found, names):
    """What the engine solves by default, and with each change."""
    default = {key for key in found.solved[engine] if key[0] in names}
    for change in ["", *changes]:
        name = name_of(engine, change)
        solved = {key: row for key, row in found.solved[name].items() if key[0] in names}
        lost = sum((name, *key) in found.results for key in default - set(solved))
        label = ", ".join(f"`{option}`" for option in change.split()) or "all as by default"
        cells = [sum(key[0] == kind for key in solved) if found.ran[name, kind] else "–" for kind in names]
        unproved = sum(row["checked"] == "nothing" for row in solved.values())
        yield [label, *cells, len(solved), lost, len(set(solved) - default), unproved]


def main(options):
    wrong = []
    for engine in options.only or CHANGES:
        sets, changes = CHANGES[engine]
        options.sets, options.engines = sets, ",".join(entry(engine, change) for change in ["", *changes])
        engines.main(options)
        found, names = Table(options.bench, options.results), sets.split(",")
        head = ["changed", *(f"{kind} ({found.files.get(kind, 0)})" for kind in names)]
        head += ["total", "lost", "won", "without a witness in time"]
        text = "\n".join([*table(head, rows(engine, changes, found, names)), ""])
        if options.document:
            write_between(options.document, f"<!-- {engine} -->\n", f"<!-- end {engine} -->\n", text)
        else:
            print(f"## Engine {engine}\n\n{text}")
        wrong = found.wrong
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0
