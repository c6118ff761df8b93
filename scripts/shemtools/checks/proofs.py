"""The Alethe proofs that shem prints for unsatisfiable Horn problems, checked by Carcara.

Each FILE is solved with a limit. After unsat, the proof of `--proof-format alethe` must be `valid` for Carcara: `holey`
(a step was taken on trust) and every error fail, and so does a proof that shem cannot write, unless Carcara has no
rules for something in the problem, which is counted. Proofs that are not too large are looked through by
scripts/check-steps, too. A long derivation is not written out, and an engine may have none in time, which is told and
no failure. Other answers are passed over. Prints the seconds of solving, of printing and of Carcara, and sums and
medians at the end.
"""
import collections
import os
import re
import statistics
import sys
import tempfile
import time

from shemtools import oracles, sets
from shemtools.run import figures, run

LOOKED_THROUGH = 2_000_000
COLUMNS = ["file", "outcome", "solving", "printing", "carcara", "bytes", "looked through"]
# What is told about an answer without a proof, and how it is counted.
EXCUSES = [("more than {steps}", "long"), ("has no rules", "no rules")]


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("carcara")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--timeout", type=float, default=60, help="seconds to solve a file [60]")
    parser.add_argument("--steps", type=int, default=100000, help="the most steps that are written out [100000]")
    parser.add_argument("--csv", help="write a table of the files")


def check(options, name, folder):
    """A row about one file: the outcome, and the times."""
    proof, path = os.path.join(folder, "proof.alethe"), name
    if name.endswith(".gz"):
        # Carcara does not read compressed files.
        path = os.path.join(folder, "problem.smt2")
        with open(path, "w") as file:
            file.write(sets.read(name))
    with open(proof, "w") as out:
        done = run([options.shem, "-t", options.timeout, "--print-witness", "--proof-format", "alethe",
                    "--expand-derivation", options.steps, "--stats", path], 3600, out=out)
    with open(proof) as file:
        answer = file.readline().strip()
    row = {"file": name, "outcome": answer or "error"}
    if answer != "unsat":
        return row
    printing = figures(done).get("time.print", 0)
    row["solving"] = figures(done)["time.total"] - printing
    missing = re.search(r"no witness: (.*)", done.err)
    if missing:
        for words, outcome in EXCUSES:
            if words.format(steps=options.steps) in missing.group(1):
                return row | {"outcome": outcome}
        if "no Alethe proof" not in missing.group(1):
            return row | {"outcome": "no witness"}
    if missing or done.code != 0:
        return row | {"outcome": f"no proof: {done.err.strip()}"}
    start = time.monotonic()
    outcome = oracles.carcara(options.carcara, proof, path)
    row |= {"printing": printing, "carcara": time.monotonic() - start, "bytes": os.path.getsize(proof)}
    if outcome == "valid" and row["bytes"] <= LOOKED_THROUGH:
        outcome = oracles.steps(proof, path) or "valid"
        row["looked through"] = 1
    return row | {"outcome": outcome}


def main(options):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for path in options.files:
            rows.append(row := check(options, path, folder))
            times = " ".join(f"{key} {row[key]:.2f}" for key in ("solving", "printing", "carcara") if key in row)
            print(f"{path}: {row['outcome']} ({times})", flush=True)
    sets.write_rows(options.csv, COLUMNS, rows)
    counts = collections.Counter(row["outcome"] for row in rows)
    failures = [row["file"] for row in rows
                if row["outcome"] not in ("valid", "long", "no rules", "no witness", "sat", "unknown")]
    print(f"{len(rows)} files, {counts['valid']} proofs valid, {counts['long']} too long, "
          f"{counts['no witness']} without a witness,")
    print(f"{counts['no rules']} with terms for which Carcara has no rules, {len(failures)} failures")
    looked = sum(row.get("looked through", 0) for row in rows)
    print(f"{looked} proofs of up to {LOOKED_THROUGH} bytes were looked through by check-steps")
    for key in ("solving", "printing", "carcara") if counts["valid"] else ():
        times = [row[key] for row in rows if row["outcome"] == "valid"]
        print(f"{key}: sum {sum(times):.1f} s, median {statistics.median(times):.3f} s")
    for path in failures:
        print(f"failed: {path}", file=sys.stderr)
    return 1 if failures or not counts["valid"] else 0
