"""How much smaller pruning makes the models that shem prints, and what it costs.

After sat, the model as it was found and the one that is printed are counted in characters; both are of the same run.
What is printed for the names and sorts of predicates, which no pruning changes, is counted too, and told apart:
*formulas* are the bodies of the definitions. Prints a table of sums and medians by folder, and the median of the time
for pruning beside the time for all else.
"""
import re
import statistics
from pathlib import Path

from shemtools import sets
from shemtools.run import figures, run
from shemtools.tables import table

COLUMNS = ["file", "answer", "total", "prune", "found", "printed", "headers"]


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--timeout", type=float, default=10, help="seconds a file [10]")
    parser.add_argument("--csv", help="write a table of the files")


def measure(options, path):
    done = run([options.shem, "-t", options.timeout, "--print-witness", "--stats", path], options.timeout + 600)
    row, known = {"file": path, "answer": done.answer}, figures(done)
    if row["answer"] != "sat":
        return row
    if "model.characters.found" not in known:
        return row | {"answer": "no model"}
    # All but the bodies: what a model of nothing but `true` has.
    definitions = re.findall(r"^  \(define-fun .* Bool$", done.out, re.M)
    headers = sum(len(definition) + len("\n    )\n") for definition in definitions) + len("(\n)\n")
    return row | {"total": known["time.total"], "prune": known.get("time.prune", 0), "headers": headers,
                  "found": int(known["model.characters.found"]), "printed": int(known["model.characters.printed"])}


def summary(name, rows):
    found, printed, headers = ([row[key] for row in rows] for key in ("found", "printed", "headers"))
    share = statistics.median(row["prune"] / max(row["total"] - row["prune"], 0.001) for row in rows)
    sums = [sum(found), sum(printed), sum(found) - sum(headers), sum(printed) - sum(headers)]
    return [name, len(rows), f"{statistics.median(found):.0f}", f"{statistics.median(printed):.0f}", *sums, f"{share:.1%}"]


def main(options):
    rows = []
    for path in options.files:
        rows.append(measure(options, path))
        sets.write_rows(options.csv, COLUMNS, rows)
    models = [row for row in rows if row["answer"] == "sat"]
    missing = sum(row["answer"] == "no model" for row in rows)
    print(f"{len(rows)} files, {len(models)} models, {missing} times sat without a model in time")
    folders = {}
    for row in models:
        folders.setdefault(Path(row["file"]).resolve().parent.name, []).append(row)
    head = ["set", "models", "median found", "printed", "sum found", "printed", "formulas found", "printed", "share"]
    groups = [*folders.items(), ("all", models)] if models else []
    print("\n".join(table(head, (summary(*group) for group in groups))))
    return 0
