"""What further cores and the exchange of lemmas are worth, in virtual time.

Runs the default strategy, or `--engine` with as many instances as cores, with `--virtual-cores N` for each N of
`--cores`, with the exchange of lemmas and without it (`--share none`). Prints by set and number of cores how many files
are solved within the limit of virtual time, and the median of the virtual seconds, in which a file that is not solved has
twice the limit. A run on N virtual cores takes up to N times the limit of processor time. Results are kept in a file; the
next run goes on with them.
"""
import json
import statistics
from pathlib import Path

from shemtools import sets
from shemtools.run import ANSWERS, run
from shemtools.tables import table

COLUMNS = ["set", "file", "cores", "share", "settings", "answer", "seconds", "work"]
CONTRARY = {"sat": "unsat", "unsat": "sat"}


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("bench", help="a folder of benchmarks with expected.csv")
    parser.add_argument("results", help="a table of the runs, which is read first if it is there")
    parser.add_argument("sets", nargs="+", help="the sets")
    parser.add_argument("--cores", default="1,2,4,8", help="numbers of virtual cores, with commas [1,2,4,8]")
    parser.add_argument("--limit", type=float, default=3, help="virtual seconds a file [3]")
    parser.add_argument("--every", type=int, default=6, help="take every so many-th file of a set [6]")
    parser.add_argument("--engine", help="instances of this engine in place of the default strategy")
    parser.add_argument("--share", default="default,none", help="values of --share, with commas [default,none]; "
                        "default is what the strategy chooses")
    parser.add_argument("--settings", default="", help="further words for all runs")


def ask(options, path, cores, share):
    """The answer with its virtual seconds and work."""
    words = [options.shem, "--virtual-cores", cores, "--verdict-timeout", options.limit, "--json"]
    words += [] if share == "default" else ["--share", share]
    words += ["-e", options.engine, "--instances", cores] if options.engine else []
    done = run([*words, *options.settings.split(), path], cores * options.limit * 4 + 30, by_processor=True)
    try:
        check = json.loads(done.out)["checks"][0]
    except (ValueError, LookupError):
        check = {"answer": "error"}
    return {"answer": check["answer"], "seconds": check.get("seconds", {}).get("virtual.seconds", ""),
            "work": check.get("counts", {}).get("virtual.work", "")}


def summary(name, cores, share, rows, options, verdicts):
    """The line of a table."""
    solved = [row for row in rows if row["answer"] in ANSWERS and float(row["seconds"] or 0) <= options.limit]
    times = [float(row["seconds"]) for row in solved] + [2 * options.limit] * (len(rows) - len(solved))
    wrong = sum(verdicts.get((row["set"], row["file"])) == CONTRARY[row["answer"]] for row in solved)
    return [name, cores, share, len(rows), len(solved), f"{statistics.median(times):.3f}",
            f"{sum(times):.1f}", wrong]


def main(options):
    verdicts = sets.expected(options.bench)
    results = sets.Results(options.results, COLUMNS, 5)
    settings = " ".join(filter(None, [options.engine, options.settings])) or "-"
    lines = []
    for name in options.sets:
        files = sets.problems([Path(options.bench) / name])[::options.every]
        for cores in map(int, options.cores.split(",")):
            for share in options.share.split(","):
                rows = []
                for path in files:
                    key = (name, path.name, str(cores), share, settings)
                    if key not in results.found:
                        row = dict(zip(COLUMNS, key))
                        results.add(row | ask(options, path, cores, share))
                    rows.append(results.found[key])
                lines.append(summary(name, cores, share, rows, options, verdicts))
    head = ["set", "cores", "exchange", "files", "solved", "median s", "sum s", "against expected.csv"]
    print("\n".join(table(head, lines)))
    return 0
