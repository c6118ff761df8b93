"""Shem beside other solvers that are on the path, in tables and plots.

Files with `(set-logic HORN)` are run by shem, z3 and golem, other scripts by shem smt, z3 and yices-smt2; whoever is
not on the path is left out. One run at a time, all of them on the same cores. An answer is the list of sat and unsat
that a program prints; a file is solved if there are as many as the file has checks. Two programs that contradict each
other, or a `:status` of the file, are named, and the exit code is 1.

Times are wall times; with --processor-time they are those of the processor, in which other work on the machine hardly
shows, and every program has one core. Prints a table for each folder; with --page also writes it as a page, with cactus
and scatter plots beside it as SVG. What --results has already is not run again, so a run that was ended goes on where it
stopped. --peer adds a program, or gives another command to one of the above:
`z3gg=z3 -T:{limit} fp.spacer.global=true {file}`.
"""
import datetime
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from shemtools import plot, sets, smtlib
from shemtools.run import PATIENCE, run
from shemtools.tables import Page, mean, table

FIELDS = ["kind", "set", "file", "program", "answer", "seconds"]
ANSWERS = re.compile(r"^(sat|unsat)$", re.M)
PEERS = {
    "horn": {"z3": "z3 -T:{limit} {file}", "golem": "golem {file}"},
    "smt": {"z3": "z3 -T:{limit} {file}", "yices": "yices-smt2 {incremental} {file}"},
}
TITLES = {"horn": "Horn problems", "smt": "SMT scripts"}


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--limit", type=float, default=10, help="seconds a file [10]")
    parser.add_argument("--processor-time", action="store_true", help="measure and limit processor time, on one core")
    parser.add_argument("--files", type=int, help="the most files of a folder, evenly chosen")
    parser.add_argument("--runs", type=int, default=1, help="runs of what is solved; the least time counts [1]")
    parser.add_argument("--cores", type=int, help="how many cores a program may use")
    parser.add_argument("--memory", type=int, default=8, help="gigabytes of address space [8]")
    parser.add_argument("--results", type=Path, help="keep what was measured here")
    parser.add_argument("--page", help="write a page")
    parser.add_argument("--plots", default="docs/plots", help="where its plots go")
    parser.add_argument("--peer", action="append", default=[], help="another program: NAME=COMMAND")


class File:
    """A problem: where it is, what it is, and how many answers it asks for."""

    def __init__(self, folder, path):
        self.set, self.name, self.path, text = Path(folder).name, path.name, path, sets.read(path)
        self.kind = "horn" if smtlib.is_horn(text) else "smt"
        self.checks = len(re.findall(r"\(\s*check-sat", text))
        self.incremental = self.checks != 1 or re.search(r"\(\s*push", text) is not None
        self.status = smtlib.statuses(text)

    def on_disk(self, folder):
        """The path of the text, unpacked if need be."""
        if self.path.suffix != ".gz":
            return self.path
        path = Path(folder) / self.path.stem
        if not path.exists():
            path.write_text(sets.read(self.path))
        return path


def programs(options):
    """The commands by kind of file, those that are on the path."""
    jobs = "--jobs 1 " if options.processor_time else ""
    found = {"horn": {"shem": f"{options.shem} -t {{limit}} {jobs}{{file}}"},
             "smt": {"shem": f"{options.shem} smt -t {{limit}} {{file}}"}}
    given = dict(peer.split("=", 1) for peer in options.peer)
    for kind, peers in PEERS.items():
        found[kind] |= {name: command for name, command in {**peers, **given}.items()
                        if shutil.which(command.split()[0])}
    return found


def answers(command, file, options, folder):
    """The answers of a program, and the seconds that it took."""
    wall = options.limit * (PATIENCE if options.processor_time else 1)
    words = {"limit": f"{wall:g}", "file": str(file.on_disk(folder)),
             "incremental": "--incremental" if file.incremental else ""}
    argv = [word for word in (word.format(**words) for word in command.split()) if word]
    cores = set(range(options.cores)) if options.cores and not options.processor_time else None
    done = run(argv, options.limit, options.processor_time, options.memory, cores)
    if done.late or done.seconds > options.limit:
        return "", options.limit
    return " ".join(ANSWERS.findall(done.out)), done.seconds


def measure(options, files, commands, results):
    with tempfile.TemporaryDirectory(prefix="shem-peers-") as folder:
        for count, file in enumerate(files):
            for name, command in commands[file.kind].items():
                key = (file.kind, file.set, file.name, name)
                if key in results.found:
                    continue
                answer, seconds = answers(command, file, options, folder)
                for _ in range(options.runs - 1 if len(answer.split()) == file.checks else 0):
                    seconds = min(seconds, answers(command, file, options, folder)[1])
                results.add(dict(zip(FIELDS, [*key, answer, f"{seconds:.4f}"])))
            if sys.stderr.isatty():
                print(f"\r{count + 1} of {len(files)} files", end="\n" * (count + 1 == len(files)), file=sys.stderr)


class Comparison:
    """The results of one kind of files."""

    def __init__(self, kind, files, names, results, limit):
        self.kind, self.files, self.limit = kind, [file for file in files if file.kind == kind], limit
        self.names = [name for name in names if any(self.key(file, name) in results.found for file in self.files)]
        self.results = results

    def key(self, file, name):
        return (self.kind, file.set, file.name, name)

    def solved(self, file, name):
        """The seconds in which a program has solved a file, or None."""
        row = self.results.found.get(self.key(file, name), {"answer": ""})
        return float(row["seconds"]) if len(row["answer"].split()) == file.checks else None

    def contradictions(self):
        """Files about which two programs, or a program and the file itself, say different things."""
        for file in self.files:
            said = {name: self.results.found.get(self.key(file, name), {"answer": ""})["answer"].split()
                    for name in self.names}
            if len(file.status) == file.checks:
                said["the file"] = file.status
            for at in range(file.checks):
                words = {name: answers[at] for name, answers in said.items() if at < len(answers)}
                if len(set(words.values())) > 1:
                    yield f"{file.set}/{file.name}, check {at + 1}: " + ", ".join(
                        f"{name} {word}" for name, word in words.items())
                    break

    def ratio(self, files, name):
        """The geometric mean of shem's time over that of another program, where both solve a file."""
        pairs = [(self.solved(file, "shem"), self.solved(file, name)) for file in files]
        ratios = [max(ours, 0.001) / max(theirs, 0.001) for ours, theirs in pairs if None not in (ours, theirs)]
        return f"{mean(ratios):.2f}" if ratios else "–"

    def table(self):
        others = [name for name in self.names if name != "shem"]
        head = ["folder (files)", *self.names, "all others together", "only shem"]
        head += [f"only {name}" for name in others] + [f"time shem / {name}" for name in others]
        rows = []
        sets = list(dict.fromkeys(file.set for file in self.files))
        for name in [*sets, *([None] if len(sets) > 1 else [])]:
            files = [file for file in self.files if name in (None, file.set)]
            by = {n: {id(f) for f in files if self.solved(f, n) is not None} for n in self.names}
            together = set().union(*(by[n] for n in others)) if others else set()
            row = [f"{name or 'all'} ({len(files)})", *(len(by[n]) for n in self.names)]
            row += [len(together), len(by.get("shem", set()) - together)]
            for n in others:
                rest = set().union(*(by[m] for m in self.names if m != n))
                row.append(len(by[n] - rest))
            rows.append([*row, *(self.ratio(files, n) for n in others)])
        return "\n".join(table(head, rows))

    def plots(self):
        """The names and texts of the pictures."""
        series = []
        for name in self.names:
            times = sorted(t for t in (self.solved(file, name) for file in self.files) if t is not None)
            series.append((name, [(at + 1, max(seconds, 0.001)) for at, seconds in enumerate(times)]))
        series.sort(key=lambda one: -len(one[1]))
        words = f"{len(self.files)} files, {self.limit:g} s each: how many are solved in at most so many seconds each"
        picture = plot.lines(f"{TITLES[self.kind]}: files solved", words, ("files solved", False),
                             ("seconds", True), series, marks=False)
        yield f"cactus-{self.kind}.svg", "Cactus plot", picture
        for name in (name for name in self.names if name != "shem"):
            groups, gap = [], self.limit * 1.4
            for set_name in dict.fromkeys(file.set for file in self.files):
                pairs = []
                for file in self.files:
                    theirs, ours = self.solved(file, name), self.solved(file, "shem")
                    if file.set == set_name and (ours is not None or theirs is not None):
                        pairs.append((gap if theirs is None else theirs, gap if ours is None else ours))
                groups.append((set_name, pairs))
            words = "a mark is a file; below the diagonal Shem is faster, beyond the red lines there is no answer"
            picture = plot.scatter(f"{TITLES[self.kind]}: Shem and {name}", words, f"{name}, seconds",
                                   "Shem, seconds", groups, self.limit, 0.002)
            yield f"scatter-{self.kind}-{name}.svg", f"Shem and {name}", picture


def version(command):
    program = command.split()[0]
    flag = "-version" if Path(program).name == "golem" else "--version"
    try:
        done = subprocess.run([program, flag], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown version"
    return (done.stdout or done.stderr).strip().split("\n")[0] or "unknown version"


def write_page(options, comparisons, commands):
    """The page, and the plots beside it."""
    page = Page(options.page, options.plots)
    how = "processor time on one core" if options.processor_time else \
        f"wall time on {options.cores or os.cpu_count()} cores"
    page.add("# Shem beside other solvers",
             f"Made on {datetime.date.today().isoformat()} by `scripts/bench peers`: "
             f"{options.limit:g} s of {how} a file, one run at a time. "
             "A file counts as solved if every check in it is answered; times are the geometric mean of Shem's over "
             "the other's where both solve a file. z3 and yices are run as they come; Shem judges its own witness "
             "before it answers, within the same time.")
    seen = {name: command for found in commands.values() for name, command in found.items()}
    page.add("\n".join(table(["program", "version"], ((name, version(command)) for name, command in seen.items()), 2)))
    for comparison in comparisons:
        wrong = list(comparison.contradictions())
        page.add(f"## {TITLES[comparison.kind]}", comparison.table(),
                 "Contradictions: " + ("; ".join(wrong) if wrong else "none") + ".")
        for name, title, picture in comparison.plots():
            page.picture(name, title, picture)
    words = [*(Path(folder).name for folder in options.folders), f"--limit {options.limit:g}"]
    words += ["--processor-time"] if options.processor_time else []
    words += [f"--files {options.files}"] if options.files else []
    page.add("Made anew by", f"    scripts/bench peers SHEM {' '.join(words)} --page {options.page}")
    page.write()


def main(options):
    files = [File(folder, path) for folder in options.folders for path in sets.problems([folder], options.files)]
    files = [file for file in files if file.checks > 0]
    commands = programs(options)
    results = sets.Results(options.results, FIELDS, 4)
    measure(options, files, commands, results)
    comparisons = [Comparison(kind, files, list(commands[kind]), results, options.limit) for kind in PEERS]
    comparisons = [comparison for comparison in comparisons if comparison.files]
    for comparison in comparisons:
        print(f"{TITLES[comparison.kind]}\n\n{comparison.table()}\n")
    wrong = [words for comparison in comparisons for words in comparison.contradictions()]
    for words in wrong:
        print(f"contradiction: {words}")
    if options.page:
        write_page(options, comparisons, commands)
    return 1 if wrong else 0
