"""What an experiment is: programs that are run over sets, and figures of a paper that stand beside what comes out.

A configuration is a command line of Shem. With the form `pure` it has `--pure` as well, with `best` it is as it stands. One
real core is measured by processor time, several cores by virtual time. Runs are kept by their command lines, so
experiments that need the same runs share them.
"""
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from shemtools import sets
from shemtools.run import ANSWERS, PATIENCE, run

COLUMNS = ["words", "time", "set", "file", "limit", "answer", "seconds", "counts"]
KEYS = 4
FORMS = ("pure", "best")
# The figures that tables need.
KEPT = re.compile(r"(^|\.)(invariant\..*|runs|depth|level|decompositions\..*|interpolants|virtual\.work)$")


@dataclass(frozen=True)
class Configuration:
    """A column or row of a table: its name in the paper, and how Shem does the same; no words for a solver that is not
    Shem, of which `baseline` names the results in the folder of benchmarks."""
    name: str
    words: str = ""
    cores: int = 0
    baseline: str = ""


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper."""
    name: str
    paper: str
    shows: str
    sets: tuple
    configurations: tuple
    # The function of `tables` that makes the table, and the figures of the paper that it takes.
    table: str
    figures: dict = field(default_factory=dict)
    files: str = ""  # How many files the paper had, and in how many seconds.
    plot: str = ""  # cactus or scatter
    same_as: str = ""  # An experiment of another paper with the same runs and figures.
    keeps_to: str = ""  # Only files whose name this pattern finds.
    seeds: bool = False
    sizes: tuple = ()  # Of a family of programs, in place of files.

    @property
    def runs(self):
        return [one for one in self.configurations if one.words]


def problems(experiment, bench, every):
    """The files of an experiment by set, each so many-th of a set."""
    if experiment.sizes:
        return [(experiment.sets[0], size) for size in experiment.sizes[::every]]
    found = []
    for name in experiment.sets:
        files = sets.problems([Path(bench) / name])
        found += [(name, path) for path in files if re.search(experiment.keeps_to, path.name)][::every]
    return found


def words_of(configuration, form, seed=0):
    """The words after the name of the program."""
    words = configuration.words.split() + (["--pure"] if form == "pure" else [])
    words += ["--virtual-cores", str(configuration.cores)] if configuration.cores else []
    return words + (["--seed", str(seed)] if seed else [])


def key_of(configuration, form, kind, place, path, seed=0):
    """What a run is kept by. Several cores have virtual time whatever is asked for."""
    time = "virtual" if configuration.cores else kind
    return (" ".join(words_of(configuration, form, seed)), time, place, getattr(path, "name", str(path)))


def measure(shem, key, path, limit, text=None):
    """One run as a row."""
    words = key[0].split()
    virtual = key[1] == "virtual"
    if virtual and "--virtual-cores" not in words:
        words += ["--virtual-cores", "1"]
    cores = int(words[words.index("--virtual-cores") + 1]) if virtual else 1
    words += ["--verdict-timeout", str(limit if virtual else limit * PATIENCE), "--trust", "--json"]
    done = run([shem, *words, "-" if text else path], 4 * cores * limit + 30 if virtual else limit, by_processor=True,
               text=text)
    try:
        check = json.loads(done.out)["checks"][0]
    except (ValueError, LookupError):
        check = {"answer": "timeout" if done.late else f"error({done.code})"}
    seconds = check.get("seconds", {}).get("virtual.seconds", limit) if virtual else done.seconds
    counts = {name: count for name, count in check.get("counts", {}).items() if count and KEPT.search(name)}
    answer = "timeout" if check["answer"] in ANSWERS and seconds > limit else check["answer"]
    row = {"limit": limit, "answer": answer, "seconds": f"{seconds:.3f}", "counts": json.dumps(counts)}
    return dict(zip(COLUMNS, key)) | row


def is_done(row, limit):
    """Whether a run need not be repeated: it has an answer, or had as much time."""
    return row is not None and (row["answer"] in ANSWERS or float(row["limit"]) >= limit)


class Found:
    """The results of an experiment: rows by configuration, form and file, and those of other solvers."""

    def __init__(self, experiment, bench, results, kind="processor", limit=None, seeds=1):
        self.experiment, self.kind, self.rows = experiment, kind, results.found
        self.limit, self.seeds = limit, seeds
        self.verdicts, self.made = sets.expected(bench), None
        solvers = {one.baseline for one in experiment.configurations}
        self.others = {(row["solver"], row["set"], row["file"]): row for row in sets.rows(Path(bench) / "baseline.csv")
                       if row["solver"] in solvers}
        self.files = self.with_results()

    def with_results(self):
        """The files that all configurations have been run on, of those that were run at all."""
        experiment, keys = self.experiment, set()
        for words, time, place, name in self.rows:
            if place in experiment.sets and re.search(experiment.keeps_to, name):
                keys.add((place, name))
        forms = self.forms()
        complete = [(place, name) for place, name in keys if forms and all(
            self.row(one, form, place, name) for one in experiment.runs for form in forms)]
        number = (lambda name: (int(name), "")) if experiment.sizes else (lambda name: (0, name))
        return sorted(complete, key=lambda pair: (experiment.sets.index(pair[0]), number(pair[1])))

    def forms(self):
        """The forms that were run."""
        if self.made is None:
            begun = {key[:2] for key in self.rows if key[2] in self.experiment.sets}
            self.made = [form for form in FORMS if any(
                key_of(one, form, self.kind, "", "")[:2] in begun for one in self.experiment.runs)]
        return self.made

    def row(self, configuration, form, place, name, seed=0):
        """A run as it counts: without an answer that took longer than the limit."""
        row = self.rows.get(key_of(configuration, form, self.kind, place, name, seed))
        if row and self.limit and row["answer"] in ANSWERS and float(row["seconds"]) > self.limit:
            return row | {"answer": "timeout"}
        return row

    def solved(self, configuration, form, answers=ANSWERS, place=None):
        """Seconds by file, of the files with one of these answers."""
        found = {}
        for at, name in self.files:
            row = self.row(configuration, form, at, name) if not place or at == place else None
            if row and row["answer"] in answers:
                found[at, name] = float(row["seconds"])
        return found

    def baseline(self, configuration, answers=ANSWERS, place=None):
        """The same of another solver, with its own limit; None if it was not run."""
        rows = {pair: self.others.get((configuration.baseline, *pair)) for pair in self.files}
        if not configuration.baseline or not any(rows.values()):
            return None
        return {pair: float(row["seconds"]) for pair, row in rows.items()
                if row and row["verdict"] in answers and place in (None, pair[0])}

    def longest(self):
        """The limit that unanswered runs had."""
        if self.limit:
            return self.limit
        rows = [self.row(one, form, *pair) for one in self.experiment.runs for form in self.forms() for pair in self.files]
        return max([float(row["limit"]) for row in rows if row], default=1)

    def wrong(self):
        """Answers that are not those that are known, or that contradict each other."""
        told, bad = {}, []
        for (words, _, place, name), row in self.rows.items():
            if row["answer"] in ANSWERS:
                known = self.verdicts.get((place, name)) or told.setdefault((place, name), row["answer"])
                if known in ANSWERS and known != row["answer"]:
                    bad.append(f"{row['answer']} on {place}/{name}: {words}")
        return bad
