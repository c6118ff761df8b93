"""Transition systems there and back through VMT: all forms have the same verdict.

Each PATH is a Horn problem with one predicate, or a folder of them. It is written as VMT (`shem convert vmt`), that as
clauses and in the fixed-point form, and each of these files is decided. A verdict that contradicts that of the problem,
or the one of `expected.csv` beside its folder, is a failure, and so is a file that cannot be converted; unknown
contradicts nothing, but is counted.
"""
import tempfile
from pathlib import Path

from shemtools import sets
from shemtools.run import ANSWERS, run


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--sample", type=int, help="how many files of each folder, evenly chosen")
    parser.add_argument("--timeout", type=float, default=10, help="seconds a run [10]")
    parser.add_argument("--options", default="--jobs 1", help="options for shem [--jobs 1]")


def convert(shem, file, folder):
    """The file in all forms, by name."""
    forms = {"problem": file}
    for form, suffix in [("vmt", "vmt"), ("chc", "smt2"), ("fixedpoint", "smt2")]:
        done = run([shem, "convert", form, forms.get("vmt", file)], 60)
        if done.code or not done.out:
            raise ValueError(f"not converted to {form}: {done.err.strip()}")
        forms[form] = Path(folder) / f"{form}.{suffix}"
        forms[form].write_text(done.out)
    return forms


def main(options):
    files = sets.problems(options.paths, options.sample)
    failures, solved, lost = [], {}, []
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            try:
                forms = convert(options.shem, file, folder)
            except ValueError as error:
                failures.append(f"{file}: {error}")
                continue
            verdicts = {}
            for form, path in forms.items():
                command = [options.shem, "-t", options.timeout, *options.options.split(), path]
                done = run(command, options.timeout + 60)
                verdicts[form] = done.answer
                if done.code or done.late:
                    failures.append(f"{file}: {form}: exit code {done.code}: {done.err.strip()}")
                solved[form] = solved.get(form, 0) + (done.answer in ANSWERS)
            known = {verdict for verdict in verdicts.values() if verdict in ANSWERS}
            known |= {sets.expected(file.parent.parent).get((file.parent.name, file.name))} & set(ANSWERS)
            if len(known) > 1:
                failures.append(f"{file}: verdicts differ: {verdicts}")
            if verdicts["problem"] in ANSWERS and any(v not in known for v in verdicts.values()):
                lost.append(f"{file}: {verdicts}")
            print(file.name, verdicts, flush=True)
    for line in lost:
        print("not decided in some form:", line)
    for line in failures:
        print("FAILURE:", line)
    print(f"{len(files)} files; decided: {solved}; {len(failures)} failures")
    return bool(failures)
