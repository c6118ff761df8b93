"""How much shorter derivations get before they are printed, and what it costs.

After unsat, the steps of the derivation as it was found and of the one that is printed are counted; both are of the same
run. Prints a table by folder: how many got shorter, how many are known to be the shortest, medians and sums of steps, and
the time for it, also as a part of the time that the answer took.
"""
import statistics
from pathlib import Path

from shemtools import sets
from shemtools.run import figures, run
from shemtools.tables import table

COLUMNS = ["file", "answer", "total", "prune", "found", "printed", "shortest"]


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("bench", help="a folder of benchmarks with expected.csv")
    parser.add_argument("sets", nargs="+", help="the sets")
    parser.add_argument("--timeout", type=float, default=10, help="seconds a file [10]")
    parser.add_argument("--csv", help="write a table of the files")


def measure(options, path):
    done = run([options.shem, "-t", options.timeout, "--print-witness", "--stats", path], options.timeout + 600)
    row, known = {"file": path, "answer": done.answer}, figures(done)
    if "derivation.steps.found" not in known:
        return row
    return row | {"total": known["time.total"], "prune": known.get("time.prune", 0),
                  "found": int(known["derivation.steps.found"]), "printed": int(known["derivation.steps.printed"]),
                  "shortest": int(known.get("derivation.shortest", 0))}


def summary(name, rows):
    found, printed = ([row[key] for row in rows] for key in ("found", "printed"))
    shorter, shortest = sum(row["printed"] < row["found"] for row in rows), sum(row["shortest"] for row in rows)
    times = [row["prune"] for row in rows]
    # Half a second, or a tenth of the time before, and as long again for the judge, on a busy machine.
    late = sum(row["prune"] > max(0.5, 0.1 * (row["total"] - row["prune"])) * 1.1 for row in rows)
    return [name, len(rows), shorter, shortest, f"{statistics.median(found):.0f}", f"{statistics.median(printed):.0f}",
            f"{max(found):,}", f"{max(printed):,}", f"{statistics.median(times):.2f}", f"{max(times):.2f}", late]


def main(options):
    verdicts, rows = sets.expected(options.bench), []
    for name in options.sets:
        for path in sets.problems([Path(options.bench) / name]):
            if verdicts.get((name, path.name)) == "unsat":
                rows.append(measure(options, path))
                sets.write_rows(options.csv, COLUMNS, rows)
    derivations = [row for row in rows if "found" in row]
    print(f"{len(rows)} files, {len(derivations)} derivations")
    folders = {}
    for row in derivations:
        folders.setdefault(row["file"].parent.name, []).append(row)
    head = ["set", "derivations", "shorter", "shortest", "median found", "printed", "longest found", "printed",
            "median s", "longest s", "beyond the budget"]
    groups = [*folders.items(), ("all", derivations)] if derivations else []
    print("\n".join(table(head, (summary(*group) for group in groups))))
    return 0
