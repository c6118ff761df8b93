"""How answers are judged over benchmark sets, and what judging costs.

The default strategy is run on each file, and where it answers, `--trust` right after it, so that both see the same
machine. Prints a table by set: what is solved, what of it was judged by its witness, by a certificate or not at all, and
the time on what is solved over that of `--trust`. Results are kept in a file; the next run goes on with them.
"""
import json
from pathlib import Path

from shemtools import sets
from shemtools.run import ANSWERS, run
from shemtools.tables import table

COLUMNS = ["set", "file", "answer", "engine", "checked", "seconds", "trusted", "trusted_seconds"]
KINDS = ("witness", "certificate", "nothing")


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("bench", help="a folder of benchmarks with expected.csv")
    parser.add_argument("results", help="a table of the files, which is read first if it is there")
    parser.add_argument("sets", nargs="+", help="the sets")
    parser.add_argument("--timeout", type=float, default=10, help="seconds a file [10]")


def ask(options, path, *more):
    """The answer to the first check of a file, and the seconds on the wall."""
    done = run([options.shem, "--json", "-t", options.timeout, *more, path], options.timeout + 20)
    try:
        check = json.loads(done.out)["checks"][0]
    except (ValueError, LookupError):
        check = {"answer": "error"}
    return check, done.seconds


def measure(options, name, path):
    check, seconds = ask(options, path)
    row = {"set": name, "file": path.name, "answer": check["answer"], "engine": check.get("engine", ""),
           "checked": check.get("checked", ""), "seconds": f"{seconds:.2f}", "trusted": "", "trusted_seconds": ""}
    if row["answer"] in ANSWERS:
        check, seconds = ask(options, path, "--trust")
        row |= {"trusted": check["answer"], "trusted_seconds": f"{seconds:.2f}"}
    return row


def summary(name, rows, verdicts):
    solved = [row for row in rows if row["answer"] in ANSWERS]
    both = [row for row in solved if row["trusted"] in ANSWERS]
    judged, trusted = (sum(float(row[key]) for row in both) for key in ("seconds", "trusted_seconds"))
    known = {"sat": "unsat", "unsat": "sat"}
    wrong = sum(verdicts.get((row["set"], row["file"])) == known[row["answer"]] or
                row["trusted"] == known[row["answer"]] for row in solved)
    counts = [sum(row["checked"] == kind for row in solved) for kind in KINDS]
    ratio = f"{judged / trusted:.2f}" if trusted else "–"
    return [name, len(rows), len(solved), *counts, wrong, f"{judged:.1f}", f"{trusted:.1f}", ratio]


def main(options):
    verdicts = sets.expected(options.bench)
    results = sets.Results(options.results, COLUMNS, 2)
    groups = {}
    for name in options.sets:
        for path in sets.problems([Path(options.bench) / name]):
            if (name, path.name) not in results.found:
                results.add(measure(options, name, path))
            groups.setdefault(name, []).append(results.found[name, path.name])
    groups["all"] = [row for rows in groups.values() for row in rows]
    head = ["set", "files", "solved", *KINDS, "against expected.csv", "judged s", "trusted s", "ratio"]
    print("\n".join(table(head, (summary(name, rows, verdicts) for name, rows in groups.items()))))
    return 0
