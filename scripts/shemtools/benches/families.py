"""What ways of deciding a system solve, by families of files.

A family is the first of the words of --families that the name of a file has. Every row is run on every file for so many
seconds of the processor, the strategy for so many on each of two cores; other solvers are those of baseline.csv. Results are
kept in a file; the next run goes on with them. The exit code is 1 if an answer contradicts expected.csv.
"""
import sys
from pathlib import Path

from shemtools import sets
from shemtools.benches.engines import mistake, named
from shemtools.run import ANSWERS, run
from shemtools.tables import table

FIELDS = ["solver", "set", "file", "verdict", "seconds", "reason"]
FAMILIES = "vmt,SLayerCF,reve,Consistency,dillig,qarmc,ssh,IntDualyzer"
ROWS = "integers=spacer,ideal integers=spacer:--abstraction=no-wraps,bits=ic3"
STRATEGY, CORES = "strategy", 2


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("bench", type=Path, help="a folder of benchmarks with expected.csv")
    parser.add_argument("results", type=Path, help="a table of the files, which is read first if it is there")
    parser.add_argument("set", help="the set")
    parser.add_argument("--families", default=FAMILIES, help=f"words in names [{FAMILIES}]")
    parser.add_argument("--rows", default=ROWS, help="NAME=ENGINE:OPTION:… for each row")
    parser.add_argument("--timeout", type=float, default=10, help="seconds of the processor [10]")
    parser.add_argument("--only", help="run only this row")


def programs(options):
    """Each row with its command line and its seconds of the processor."""
    rows = {name: [options.shem, *words] for name, words in map(named, options.rows.split(","))}
    rows[STRATEGY] = [options.shem]
    seconds = {STRATEGY: CORES * options.timeout}
    return {name: (words, seconds.get(name, options.timeout)) for name, words in rows.items()}


def main(options):
    results, known = sets.Results(options.results, FIELDS, 3), sets.expected(options.bench)
    families = options.families.split(",")
    files = sets.problems([options.bench / options.set])
    rows = programs(options)
    for name, (words, seconds) in rows.items():
        for path in files:
            if (name, options.set, path.name) in results.found or options.only not in (None, name):
                continue
            done = run([*words, path], seconds, by_processor=True)
            results.add({"solver": name, "set": options.set, "file": path.name, "verdict": done.answer,
                         "seconds": f"{done.seconds:.2f}", "reason": ""})

    def family(file):
        return next((word for word in families if word in file), "others")

    found = [row for row in results.found.values() if row["set"] == options.set]
    others = [row for row in sets.rows(options.bench / "baseline.csv") if row["set"] == options.set]
    columns = [word for word in [*families, "others"] if any(family(path.name) == word for path in files)]

    def line(name, mine):
        counts = [sum(row["verdict"] in ANSWERS and family(row["file"]) == word for row in mine) for word in columns]
        sat = sum(row["verdict"] == "sat" for row in mine)
        return [name, *counts, f"{sum(counts)} ({sat}+{sum(counts) - sat})"]

    sizes = [f"{word} ({sum(family(path.name) == word for path in files)})" for word in columns]
    names = [*rows, *dict.fromkeys(row["solver"] for row in others)]
    lines = [line(name, [row for row in found + others if row["solver"] == name]) for name in names]
    print("\n".join(table(["", *sizes, f"all ({len(files)})"], lines)))
    wrong = [text for text in (mistake(row, known) for row in found) if text]
    for text in wrong:
        print(text, file=sys.stderr)
    return 1 if wrong else 0
