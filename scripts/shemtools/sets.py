"""Folders of benchmarks, their known verdicts, and results that a run keeps so that the next one goes on with them.

A folder of benchmarks has a folder of .smt2 files for each set, `expected.csv` (set, file, verdict) and, if there is
one, `baseline.csv` (solver, set, file, verdict, seconds) of other solvers.
"""
import csv
import gzip
import sys
import threading
from pathlib import Path


def read(path):
    """The text of a file, unpacked if need be."""
    with (gzip.open if str(path).endswith(".gz") else open)(path, "rt", errors="replace") as file:
        return file.read()


def problems(paths, most=None):
    """The files that are named, and the .smt2 files of folders: of each folder at most so many, evenly chosen."""
    found = []
    for path in map(Path, paths):
        files = [path]
        if path.is_dir():
            files = sorted([*path.glob("**/*.smt2"), *path.glob("**/*.smt2.gz")])
            if most and len(files) > most:
                files = [files[at * len(files) // most] for at in range(most)]
        found += files
    if not found:
        sys.exit("there are no .smt2 files")
    return found


def rows(path):
    """The rows of a table; none if there is no such file."""
    if not Path(path).exists():
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def expected(bench):
    """The known verdicts of a folder of benchmarks, by set and file."""
    return {(row["set"], row["file"]): row["verdict"] for row in rows(Path(bench) / "expected.csv")}


class Results:
    """Rows of a table by their first fields, written to a file, if there is one, as they come."""

    def __init__(self, path, fields, keys):
        self.fields, self.keys, self.lock, self.file = fields, keys, threading.Lock(), None
        self.found = {self.key(row): row for row in (rows(path) if path else [])}
        if path:
            self.file = open(path, "w", newline="")
            self.writer = csv.DictWriter(self.file, fields)
            self.writer.writeheader()
            self.writer.writerows(self.found.values())
            self.file.flush()

    def key(self, row):
        return tuple(str(row[name]) for name in self.fields[:self.keys])

    def add(self, row):
        """Keeps a row; an older one with the same key is forgotten by the next run."""
        with self.lock:
            self.found[self.key(row)] = {name: str(value) for name, value in row.items()}
            if self.file:
                self.writer.writerow(row)
                self.file.flush()


def write_rows(path, fields, found):
    """Writes a table, if a path is given."""
    if path:
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, fields)
            writer.writeheader()
            writer.writerows(found)
