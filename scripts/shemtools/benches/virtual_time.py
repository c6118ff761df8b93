"""How well virtual time stands for real time: their correlation.

Runs single engines with `--virtual-cores 1` and takes the virtual seconds and the processor's seconds of the same run:
processor time hardly depends on what else the machine does, as the time of two cores would. Runs that end within
`--least` seconds are left out, since starting the program is not counted as work. Prints, for each engine and for all, the
correlation of the seconds and that of their logarithms, and the median of virtual over real seconds, which says how
many units of work an engine does in a second.
"""
import json
import math
import statistics
from pathlib import Path

from shemtools import sets
from shemtools.run import run
from shemtools.tables import table

COLUMNS = ["set", "file", "engine", "answer", "virtual", "real"]


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("bench", help="a folder of benchmarks")
    parser.add_argument("results", help="a table of the runs, which is read first if it is there")
    parser.add_argument("sets", nargs="+", help="the sets")
    parser.add_argument("--engines", default="spacer,pdkind,split-tpa", help="the engines [spacer,pdkind,split-tpa]")
    parser.add_argument("--limit", type=float, default=3, help="virtual seconds a run [3]")
    parser.add_argument("--every", type=int, default=6, help="take every so many-th file of a set [6]")
    parser.add_argument("--least", type=float, default=0.05, help="seconds below which a run is left out [0.05]")


def measure(options, name, path, engine):
    words = ["-e", engine, "--virtual-cores", 1, "--verdict-timeout", options.limit, "--trust", "--json"]
    done = run([options.shem, *words, path], 20 * options.limit, by_processor=True)
    try:
        check = json.loads(done.out)["checks"][0]
    except (ValueError, LookupError):
        check = {"answer": "error"}
    virtual = check.get("seconds", {}).get("virtual.seconds", "")
    return {"set": name, "file": path.name, "engine": engine, "answer": check["answer"], "virtual": virtual,
            "real": f"{done.seconds:.3f}"}


def summary(name, rows, least):
    pairs = [(float(row["virtual"]), float(row["real"])) for row in rows if row["virtual"]]
    pairs = [(virtual, real) for virtual, real in pairs if real >= least and virtual > 0]
    if len(pairs) < 3:
        return [name, len(pairs), "–", "–", "–"]
    virtual, real = zip(*pairs)
    plain = statistics.correlation(virtual, real)
    logarithms = statistics.correlation([math.log(x) for x in virtual], [math.log(x) for x in real])
    ratio = statistics.median(v / r for v, r in pairs)
    return [name, len(pairs), f"{plain:.3f}", f"{logarithms:.3f}", f"{ratio:.2f}"]


def main(options):
    results = sets.Results(options.results, COLUMNS, 3)
    found = []
    for name in options.sets:
        for path in sets.problems([Path(options.bench) / name])[::options.every]:
            for engine in options.engines.split(","):
                if (name, path.name, engine) not in results.found:
                    results.add(measure(options, name, path, engine))
                found.append(results.found[name, path.name, engine])
    groups = [(f"{engine} on {name}", [row for row in found if (row["engine"], row["set"]) == (engine, name)])
              for engine in options.engines.split(",") for name in options.sets]
    head = ["runs", "number", "correlation", "of logarithms", "virtual / real"]
    print("\n".join(table(head, (summary(*group, options.least) for group in [*groups, ("all", found)]))))
    return 0
