"""The table of what engines solve, from the results of `scripts/bench engines`.

Writes counts, the virtual best, wrong answers, kinds of witnesses, and what an engine of the same name in the baseline
solves and ours does not: into a document, below what stands there above these tables, or to standard output. The exit
code is 1 if an answer is wrong or a witness was refused.
"""
from collections import Counter, defaultdict
from pathlib import Path

from shemtools import sets
from shemtools.benches.engines import SETS, mistake
from shemtools.run import ANSWERS
from shemtools.tables import table


def arguments(parser):
    parser.add_argument("bench", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("document", type=Path, nargs="?")


class Table:
    """Results of engines and of other solvers, by solver, set and file."""

    def __init__(self, bench, results):
        known = sets.expected(bench)
        self.results = {(row["solver"], row["set"], row["file"]): row for row in sets.rows(results)}
        ran_on = {key[1] for key in self.results}
        self.sets = [name for name in SETS if name in ran_on] + sorted(ran_on - set(SETS))
        self.files = {name: len(list((bench / name).glob("*.smt2"))) for name in self.sets}
        self.solvers = list(dict.fromkeys(key[0] for key in self.results))
        self.solved, self.theirs = defaultdict(dict), defaultdict(dict)
        self.ran, self.limits = defaultdict(int), defaultdict(set)
        for (solver, kind, file), row in self.results.items():
            self.ran[solver, kind] += 1
            if row["verdict"] in ANSWERS:
                self.solved[solver][kind, file] = row
            else:
                self.limits[solver, kind].add(float(row["limit"]))
        for row in sets.rows(bench / "baseline.csv"):
            if row["verdict"] in ANSWERS and row["set"] in self.sets:
                self.theirs[row["solver"]][row["set"], row["file"]] = row
        # The limit that most runs without an answer had.
        limits = Counter(row["limit"] for row in self.results.values())
        self.usual = float(limits.most_common(1)[0][0]) if limits else 10.0
        self.wrong = [wrong for wrong in (mistake(row, known) for row in self.results.values()) if wrong]

    def counts(self, keys):
        """How many of the files are in each set, and all of them."""
        return [*(sum(key[0] == name for key in keys) for name in self.sets), len(keys)]

    def cell(self, solver, kind):
        mine = [row for key, row in self.solved[solver].items() if key[0] == kind]
        safe = sum(row["verdict"] == "sat" for row in mine)
        # The limit that the unsolved files had, where it is not the usual one.
        short = [f"{limit:g} s" for limit in sorted(self.limits[solver, kind]) if limit != self.usual]
        mark = f" [{', '.join(short)}]" if short else ""
        ran = self.ran[solver, kind]
        mark += "" if ran == self.files[kind] else f" of {ran}"
        return f"{len(mine)} ({safe}+{len(mine) - safe}){mark}" if ran else "–"

    def solved_files(self):
        rows = [[name, *(self.cell(name, kind) for kind in self.sets), len(self.solved[name])] for name in self.solvers]
        best = set().union(*(self.solved[name] for name in self.solvers))
        rows.append(["**virtual best**", *(f"**{count}**" for count in self.counts(best))])
        yield from table(["engine", *(f"{kind} ({self.files[kind]})" for kind in self.sets), "total"], rows)
        if self.theirs:
            golem = set().union(*(found for name, found in self.theirs.items() if name.startswith("golem")))
            together = {"virtual best of Golem": golem, "virtual best of all these": set().union(*self.theirs.values())}
            yield from ["", "Other solvers, as recorded beside the sets (10 s):", ""]
            yield from table(["solver", *self.sets, "total"], [
                [name, *self.counts(found)] for name, found in [*sorted(self.theirs.items()), *together.items()]])

    def seconds(self):
        for name in self.solvers:
            other, cells = self.theirs.get("golem-" + name, {}), []
            for kind in self.sets:
                both = [key for key in self.solved[name] if key in other and key[0] == kind]
                sums = [sum(float(rows[key]["seconds"]) for key in both) for rows in (self.solved[name], other)]
                cells.append(f"{sums[0]:.1f} / {sums[1]:.1f} ({len(both)})" if both else "–")
            if other:
                yield [f"{name} / golem-{name}", *cells]

    def witnesses(self):
        for name in self.solvers:
            kinds = [row["checked"] for row in self.solved[name].values()]
            witness, certificate = kinds.count("witness"), kinds.count("certificate")
            yield [name, len(kinds), witness, certificate, len(kinds) - witness - certificate]

    def lost(self):
        for name in self.solvers:
            if other := self.theirs.get("golem-" + name):
                lost = sorted(key for key in other if key not in self.solved[name] and self.ran[name, key[0]])
                won = [key for key in self.solved[name] if key not in other]
                listed = ", ".join(f"{'/'.join(key)} ({other[key]['seconds']} s)" for key in lost) or "none"
                yield f"- **{name}**: {len(lost)} lost, {len(won)} won. Lost: {listed}"


def main(options):
    found = Table(options.bench, options.results)
    text = "\n".join([
        "## Solved files", "",
        "In brackets: safe (sat) and unsafe (unsat); in square ones the limit of time where it was another one. A dash: the "
        "engine was not run on that set. The virtual best solves what any of the engines solves.", "",
        *found.solved_files(), "", "## Seconds on the files that both solve", "",
        "Theirs are of another day: orders of magnitude.", "",
        *table(["engine", *found.sets], found.seconds()), "", "## Witnesses", "",
        "Of the answers: the witness (model or derivation) was accepted by the validator, or the engine's certificate, or "
        "neither was ready in time. An answer whose witness is refused is an error, not an answer.", "",
        *table(["engine", "answers", "witness", "certificate", "none"], found.witnesses()), "",
        "## Solved by the engine of the same name in the baseline, not by ours", "", *found.lost(), "",
        f"Wrong answers and errors: {len(found.wrong)}.", *(f"- {wrong}" for wrong in found.wrong), ""])
    if options.document:
        head = options.document.read_text().split("## Solved files")[0] if options.document.exists() else ""
        options.document.write_text(head + text)
    else:
        print(text, end="")
    return 1 if found.wrong else 0
