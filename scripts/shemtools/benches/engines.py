"""Engines over benchmark sets: what each of them solves. `scripts/bench engine-table` makes a table of it.

Every engine is asked for every file: so many seconds to the verdict, more to build and check its witness, each run on
cores of its own. A file that RESULTS has already for an engine is not run again, so a run that was ended goes on where it
stopped; a file without an answer is run again if the limit is longer than it was: short limits first, then longer ones
for what is left. The exit code is 1 if an answer is wrong or a witness was refused.
"""
import json
import os
import queue
import sys
import threading
from pathlib import Path

from shemtools import sets
from shemtools.run import ANSWERS, run

ENGINES = "bit-bmc,bmc,hull,ic3,imc,kind,lawi,pdkind,scout,spacer,split-tpa,tpa,trl"
SETS = ["multi-phase-safe", "multi-phase-unsafe", "extra-small-lia", "lra-ts", "lia-lin", "lia-nonlin"]
FIELDS = ["solver", "set", "file", "verdict", "seconds", "checked", "witness_seconds", "limit", "reason"]


def run_arguments(parser):
    """The options of a run, which scripts/bench options has, too."""
    parser.add_argument("shem")
    parser.add_argument("bench", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--timeout", type=float, default=10, help="seconds to the verdict [10]")
    parser.add_argument("--witness", type=float, default=60, help="seconds more for the witness [60]")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time [1]")
    parser.add_argument("--first-core", type=int, default=0, help="the core of the first job [0]")
    parser.add_argument("--cores", type=int, default=1, help="cores for each run [1]")
    parser.add_argument("--missing", metavar="SOLVER", help="only files that a solver of the baseline solved")


def arguments(parser):
    run_arguments(parser)
    parser.add_argument("--engines", default=ENGINES, help="NAME, or NAME=ENGINE:OPTION:… for other options")


def named(entry):
    """`spacer` or `NAME=ENGINE:OPTION:...` as a name and arguments."""
    name, _, rest = entry.partition("=")
    engine, *options = (rest or name).split(":")
    return name, (["-e", engine] if engine else []) + options


def decide(options, words, file, cores):
    """One run: a row without its solver, set and file."""
    whole = options.timeout + 2 * options.witness
    done = run([options.shem, *words, "--json", "--validate", "--verdict-timeout", options.timeout,
                        "--witness-budget", options.witness, "-t", whole, file], whole + 10, cores=cores)
    row = {"limit": options.timeout, "seconds": f"{done.seconds:.2f}", "checked": "nothing", "witness_seconds": ""}
    if done.late:
        return row | {"verdict": "timeout", "seconds": f"{options.timeout:.2f}", "reason": "did not end"}
    for line in done.out.splitlines():
        checks = json.loads(line).get("checks", []) if line.startswith("{") else []
        if checks:
            spent = checks[0].get("seconds", {}).get("witness", 0.0)
            seconds, verdict = max(done.seconds - spent, 0), checks[0]["answer"]
            row |= {"verdict": verdict, "seconds": f"{seconds:.2f}", "checked": checks[0].get("checked", "nothing"),
                    "witness_seconds": f"{spent:.2f}", "reason": checks[0].get("reason", "")}
            # The watchdog needs a moment to end a run: what comes much later than the limit does not count.
            if verdict in ANSWERS and seconds > options.timeout + 0.5:
                row |= {"verdict": "timeout", "reason": f"{verdict} too late"}
            return row
    last = done.err.strip().splitlines()[-1:] or [""]
    return row | {"verdict": f"error({done.code})", "reason": last[0]}


def mistake(row, known):
    """What is wrong with a row, or None."""
    right = known.get((row["set"], row["file"]), row["verdict"])
    if row["verdict"].startswith("error") or row["verdict"] in ANSWERS and row["verdict"] != right:
        return f"{row['solver']}: {row['verdict']} on {row['set']}/{row['file']} {row['reason']}"
    return None


def main(options):
    results = sets.Results(options.results, FIELDS, 3)
    done = {key for key, row in results.found.items()
            if row["verdict"] in ANSWERS or float(row["limit"]) >= options.timeout}
    wanted = {(row["set"], row["file"]) for row in sets.rows(options.bench / "baseline.csv")
              if row["solver"] == options.missing and row["verdict"] in ANSWERS}
    known, todo, bad = sets.expected(options.bench), queue.Queue(), []
    for name, words in map(named, options.engines.split(",")):
        for kind in options.sets.split(","):
            for file in sorted((options.bench / kind).glob("*.smt2")):
                if (name, kind, file.name) not in done and (not options.missing or (kind, file.name) in wanted):
                    todo.put((name, words, kind, file))

    def work(cores):
        while True:
            try:
                name, words, kind, file = todo.get_nowait()
            except queue.Empty:
                return
            row = {"solver": name, "set": kind, "file": file.name, **decide(options, words, file, cores)}
            results.add(row)
            if wrong := mistake(row, known):
                bad.append(wrong)
                print(wrong, file=sys.stderr)

    cores, width = sorted(os.sched_getaffinity(0)), options.cores
    threads = [threading.Thread(target=work, args=({cores[(options.first_core + job * width + at) % len(cores)]
                                                    for at in range(width)},)) for job in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return 1 if bad else 0
