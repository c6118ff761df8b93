"""The checks of an engine's solvers on the files of a folder, by the processor's time.

Every file gets some seconds of processor time; what is open then is interrupted. The rates are of processor time, so
other work on the machine does not matter. The classes of times come from the wall clock: take them on an idle machine.
"""
import collections

from shemtools import sets
from shemtools.run import ANSWERS, figures, run

BELOW = "searched.below."


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("folder")
    parser.add_argument("--engine", default="spacer")
    parser.add_argument("--seconds", type=float, default=1.0, help="processor time a file [1]")
    parser.add_argument("--name", default="", help="only files whose name contains this")


def main(options):
    prefix, total = f"{options.engine}.smt.", collections.Counter()
    seconds = solved = 0
    files = [file for file in sets.problems([options.folder]) if options.name in file.name]
    print(f"{'file':36}{'answer':10}{'cpu':>7}{'queries':>9}{'searched':>10}{'a second':>10}")
    for file in files:
        done = run([options.shem, "-e", options.engine, "--stats", file], options.seconds, True, interrupt=True)
        own = {key[len(prefix):]: value for key, value in figures(done).items() if key.startswith(prefix)}
        total.update(own)
        seconds += done.seconds
        solved += done.answer in ANSWERS
        queries, searched = own.get("queries", 0), own.get("searched", 0)
        print(f"{file.name[:35]:36}{done.answer:10}{done.seconds:7.2f}{queries:9.0f}{searched:10.0f}"
              f"{searched / max(done.seconds, 1e-9):10.0f}", flush=True)
    print(f"\n{len(files)} files, {solved} solved, {seconds:.2f} seconds")
    for name in ("queries", "searched", "searched.sat", "searched.decided"):
        print(f"{name:20}{total[name]:9.0f}{total[name] / seconds:10.0f} a second")
    print(f"\n{'microseconds':14}{'checks':>9}{'share':>8}{'seconds':>9}{'share':>8}")
    classes = sorted(key for key in total if key.startswith(BELOW) and not key.endswith(".seconds"))
    whole = sum(total[key + ".seconds"] for key in classes)
    for key in classes:
        count, spent = total[key], total[key + ".seconds"]
        print(f"< {int(key[len(BELOW):]):<12}{count:9.0f}{count / total['searched']:8.1%}{spent:9.3f}"
              f"{spent / max(whole, 1e-9):8.1%}")
    return 0
