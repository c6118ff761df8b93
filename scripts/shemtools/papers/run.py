"""Runs experiments of the papers, and prints their tables.

A name is one of `scripts/papers list`, the beginning of several, or `all`. Each configuration is run in the form of the paper
(`--pure`: only the passes of the papers, no parts of engines that they do not have) and as Shem is by default. Runs on
one core have a limit of processor time, or of virtual time with `--time virtual`; those on several cores are always in
virtual time. Answers are not judged (`--trust`), as in the papers, but compared with the known ones and with each other:
the exit code is 1 if one is wrong. Results are kept in a file. The next run goes on with them, and runs again what had
no answer and less time.
"""
import sys
from pathlib import Path

from shemtools import sets
from shemtools.benches.growth import phases
from shemtools.experiments import tables
from shemtools.experiments.catalogue import BY_NAME, chosen
from shemtools.experiments.model import (ANSWERS, COLUMNS, FORMS, KEYS, Found, is_done, key_of, measure, problems)


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("bench", type=Path, help="a folder of benchmarks with expected.csv")
    parser.add_argument("results", type=Path, help="a table of the runs, which is read first if it is there")
    parser.add_argument("names", nargs="+", help="the experiments")
    parser.add_argument("--limit", type=float, default=10, help="seconds a run [10]")
    parser.add_argument("--every", type=int, default=1, help="take every so many-th file of a set [1]")
    parser.add_argument("--forms", default="pure,best", help="pure, best or both [pure,best]")
    parser.add_argument("--time", choices=["processor", "virtual"], default="processor", help="of one core [processor]")
    parser.add_argument("--seeds", type=int, default=100, help="runs a file where seeds are compared [100]")


def wanted(experiment, options, results):
    """The runs of an experiment: keys, and what is run."""
    forms = [form for form in FORMS if form in options.forms.split(",")]
    for place, path in problems(experiment, options.bench, options.every):
        for form in forms:
            for configuration in experiment.runs:
                yield key_of(configuration, form, options.time, place, path), path
    if experiment.seeds:
        found = Found(experiment, options.bench, results, options.time)
        for form, (place, name) in tables.seeded(found):
            if form in forms:
                for configuration in experiment.runs:
                    for seed in range(1, options.seeds):
                        path = options.bench / place / name
                        yield key_of(configuration, form, options.time, place, path, seed), path


def main(options):
    results = sets.Results(options.results, COLUMNS, KEYS)
    for name in chosen(options.names):
        experiment = BY_NAME[name]
        for key, path in wanted(experiment, options, results):
            if not is_done(results.found.get(key), options.limit):
                text = phases(path) if experiment.sizes else None
                results.add(measure(options.shem, key, path, options.limit, text))
        found = Found(experiment, options.bench, results, options.time, seeds=options.seeds)
        print("\n".join(tables.section(found)) + "\n", flush=True)
    known = Found(BY_NAME["golem-table-1"], options.bench, results).wrong()
    unsafe = [f"sat on {row['file']} of phases" for row in results.found.values()
              if row["set"] == "phases" and row["answer"] == ANSWERS[0]]
    print("\n".join(known + unsafe), end="\n" if known + unsafe else "", file=sys.stderr)
    return 1 if known + unsafe else 0
