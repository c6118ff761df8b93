"""Shem and its engines on circuits, beside ABC's pdr and bmc3.

ABC and engines alone have so many seconds of the processor, the default strategy so many on each of two cores. `shem
convert aig` makes what ABC reads; constraints are folded, and latches without an initial value become inputs of the first step.
Results are kept in a file; the next run goes on with them. Prints a table, and the files on which two disagree, which is
an error.
"""
import json
import sys
import tempfile
from pathlib import Path

from shemtools import sets
from shemtools.circuits import abc
from shemtools.run import ANSWERS, run
from shemtools.tables import table

FIELDS = ["solver", "file", "limit", "answer", "seconds", "checked"]
RIVALS = {"abc-pdr": "pdr", "abc-bmc3": "bmc3"}
CORES = 2
ALL = "shem,ic3,bit-bmc,abc-pdr,abc-bmc3"


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("folder", type=Path, help="a folder of .btor2 files")
    parser.add_argument("results", help="a table of the runs, which is read first if it is there")
    parser.add_argument("--solvers", default=ALL, help=f"engines, `shem` for the strategy, and rivals [{ALL}]")
    parser.add_argument("--timeout", type=int, default=10, help="seconds a file [10]")
    parser.add_argument("--only-open", action="store_true",
                        help="ABC's bmc3 runs only where its pdr has no answer, so only its count with pdr is right")
    parser.add_argument("--abc", default="berkeley-abc", help="the program [berkeley-abc]")


def measure(options, solver, path):
    row = {"solver": solver, "file": path.name, "limit": options.timeout, "checked": ""}
    if solver in RIVALS:
        with tempfile.TemporaryDirectory() as folder:
            aig = Path(folder) / "circuit.aig"
            with open(aig, "wb") as out:
                if run([options.shem, "convert", "aig", path], 60, out=out).code:
                    return row | {"answer": "unknown", "seconds": "0.00"}
            answer, seconds = abc(options.abc, aig, RIVALS[solver], options.timeout, by_processor=True)
        return row | {"answer": answer, "seconds": f"{seconds:.2f}"}
    words, cores = ([], CORES) if solver == "shem" else (["-e", solver], 1)
    done = run([options.shem, "--json", *words, path], cores * options.timeout, by_processor=True)
    try:
        check = json.loads(done.out)["checks"][0]
    except (ValueError, LookupError):
        check = {"answer": "unknown"}
    return row | {"answer": check["answer"], "seconds": f"{done.seconds:.2f}", "checked": check.get("checked", "")}


def main(options):
    solvers = options.solvers.split(",")
    results = sets.Results(options.results, FIELDS, 3)
    files = sorted(options.folder.glob("*.btor2"))
    if not files:
        sys.exit("there are no .btor2 files")
    solved = {solver: {} for solver in solvers}
    for path in files:
        for solver in solvers:
            if options.only_open and solver == "abc-bmc3" and path.name in solved.get("abc-pdr", {}):
                continue
            if (solver, path.name, str(options.timeout)) not in results.found:
                results.add(measure(options, solver, path))
            row = results.found[solver, path.name, str(options.timeout)]
            if row["answer"] in ANSWERS:
                solved[solver][path.name] = row
    groups = {solver: [solver] for solver in solvers}
    groups["ABC's two"] = [solver for solver in solvers if solver in RIVALS]
    lines = []
    for name, members in groups.items():
        rows = {file: row for member in members for file, row in solved[member].items()}
        counts = [sum(row["answer"] == answer for row in rows.values()) for answer in ANSWERS]
        kinds = [sum(row["checked"] == kind for row in rows.values()) for kind in ("witness", "certificate")]
        elsewhere = {file for solver in solvers if solver not in members for file in solved[solver]}
        lines.append([name, len(rows), *counts, *kinds, len(set(rows) - elsewhere),
                      f"{sum(float(row['seconds']) for row in rows.values()):.1f}"])
    print("\n".join(table(["solver", "solved", *ANSWERS, "witness", "certificate", "alone", "seconds"], lines)))
    contradictions = 0
    for path in files:
        answers = {solver: solved[solver][path.name]["answer"] for solver in solvers if path.name in solved[solver]}
        if len(set(answers.values())) > 1:
            contradictions += 1
            print(f"{path.name}: " + ", ".join(f"{solver} {answer}" for solver, answer in answers.items()))
    return 1 if contradictions else 0
