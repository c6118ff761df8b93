"""Certificates of satisfiability, checked without Shem, for many files.

Each FILE is solved with a limit. After sat with a model, the certificate that shem writes is given to
scripts/check-certificate, which calls Carcara. A certificate with a clause that has no proof, or one that is not
accepted, is a failure, and the reason is told. Other answers are passed over; an answer without a model in time is
counted.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

from shemtools import oracles, sets
from shemtools.run import figures, run

CHECK = oracles.STEPS.with_name("check-certificate")
COLUMNS = ["file", "outcome", "solving", "writing", "checking", "bytes"]


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("carcara")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--timeout", type=float, default=10, help="seconds to solve a file [10]")
    parser.add_argument("--csv", help="write a table of the files")


def check(options, path, folder):
    done = run([options.shem, "-t", options.timeout, "--print-certificate", folder, "--stats", path], 3600)
    row = {"file": path, "outcome": done.out.partition("\n")[0] or "error"}
    if row["outcome"] != "sat":
        return row
    if not os.path.exists(os.path.join(folder, "model.smt2")):
        return row | {"outcome": "no model"}
    writing = figures(done)["time.certificate"]
    size = sum(entry.stat().st_size for entry in os.scandir(folder))
    row |= {"solving": round(done.seconds - writing, 3), "writing": writing, "bytes": size}
    missing = re.findall(r"^no certificate: (.*)", done.err, re.M)
    if missing or done.code != 0:
        return row | {"outcome": f"incomplete, {len(missing)} clauses: {(missing or [done.err])[0][:300]}"}
    start = time.monotonic()
    checked = subprocess.run([CHECK, path, folder, options.carcara], capture_output=True, text=True)
    row["checking"] = round(time.monotonic() - start, 3)
    return row | {"outcome": "right" if checked.returncode == 0 else checked.stderr.strip()[-400:]}


def main(options):
    rows = []
    for path in options.files:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(check(options, path, folder))
        print(f"{path}: {rows[-1]['outcome']}", flush=True)
        sets.write_rows(options.csv, COLUMNS, rows)
    right = [row for row in rows if row["outcome"] == "right"]
    missing = sum(row["outcome"] == "no model" for row in rows)
    failures = [row for row in rows if row["outcome"] not in ("right", "no model", "unsat", "unknown")]
    print(f"{len(rows)} files, {len(right)} certificates accepted, {len(failures)} not, "
          f"{missing} times sat without a model in time")
    for key in ("solving", "writing", "checking", "bytes") if right else ():
        found = [row[key] for row in right]
        print(f"{key}: sum {sum(found):.1f}, median {statistics.median(found):.3f}, greatest {max(found):.1f}")
    for row in failures:
        print(f"failed: {row['file']}: {row['outcome']}", file=sys.stderr)
    return 1 if failures or not right else 0
