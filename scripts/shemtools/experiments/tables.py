"""The tables of experiments: each function takes results and gives the head and the rows of one.

A number of ours is about the files that all runs of the experiment have been made on; the caption says how many these are,
and that the paper had others.
"""
import json
import re
import statistics

from shemtools import plot
from shemtools.experiments.model import ANSWERS, Found
from shemtools.tables import mean, table

MISSING = "–"


def by_answer(found):
    """Files solved, `sat` and `unsat` apart, with a virtual best of ours."""
    head, rows = ["", "paper sat", "paper unsat"], []
    for form in found.forms():
        head += [f"{form} sat", f"{form} unsat"]
    head += ["others sat", "others unsat"]
    best = {form: [set(), set()] for form in found.forms()}
    for one in found.experiment.configurations:
        row = [one.name, *found.experiment.figures.get(one.name, (MISSING, MISSING))]
        for form in found.forms():
            for at, answer in enumerate(ANSWERS):
                solved = set(found.solved(one, form, [answer]))
                best[form][at] |= solved
                row.append(len(solved) if one.words else MISSING)
        others = [found.baseline(one, [answer]) for answer in ANSWERS]
        rows.append(row + [MISSING if other is None else len(other) for other in others])
    row = ["virtual best", *found.experiment.figures.get("virtual best", (MISSING, MISSING))]
    for form in found.forms():
        row += [len(solved) for solved in best[form]]
    return head, [*rows, row + [MISSING, MISSING]]


def totals(found):
    """Files solved, with the median of the seconds, in which a file without an answer has twice the limit."""
    head, rows = ["", "paper"], []
    for form in found.forms():
        head += [form, f"{form}, median s"]
    for one in found.experiment.configurations:
        row = [one.name, found.experiment.figures.get(one.name, MISSING)]
        for form in found.forms():
            solved = found.solved(one, form)
            times = [*solved.values()] + [2 * found.longest()] * (len(found.files) - len(solved))
            row += [len(solved), f"{statistics.median(times):.2f}"] if one.words and times else [MISSING, MISSING]
        other = found.baseline(one)
        rows.append([*row, MISSING if other is None else len(other)])
    return [*head, "others"], rows


def by_set(found):
    """Files solved of each set; in brackets those that nobody else in the table solves, each form by itself."""
    head = ["", *(f"{name}: {form}" for name in found.experiment.sets for form in ("paper", *found.forms(), "others"))]
    rows = []
    for one in found.experiment.configurations:
        row = [one.name]
        for place in found.experiment.sets:
            row.append(found.experiment.figures[place].get(one.name, MISSING))
            for form in found.forms():
                solved = set(found.solved(one, form, place=place))
                rivals = [set(found.solved(other, form, place=place)) for other in found.experiment.runs if other != one]
                row.append(f"{len(solved)} ({len(solved.difference(*rivals))})" if one.words else MISSING)
            other = found.baseline(one, place=place)
            row.append(MISSING if other is None else len(other))
        rows.append(row)
    return head, rows


def short(seconds):
    return "<1" if seconds < 1 else f"{seconds:.2f}"


def by_file(found):
    """Seconds of each file beside those of the paper, whose first columns are the configurations."""
    runs = found.experiment.runs
    head = ["file", *(f"{run.name}: {form}" for run in runs for form in ("paper", *found.forms()))]
    rows = []
    for place, name in found.files:
        number = re.search(r"(\d+)\.smt2", name).group(1)
        row = [f"{place.rpartition('-')[2]} {number}"]
        for at, one in enumerate(runs):
            row.append(found.experiment.figures[place][number][at])
            for form in found.forms():
                solved = found.solved(one, form, place=place)
                row.append(short(solved[place, name]) if (place, name) in solved else "TO")
        rows.append(row)
    return head, rows


def duel(found):
    """Two configurations file by file, or one and the other solver of the second."""
    first, second, *_ = found.experiment.configurations
    rows = []
    for form in found.forms():
        one = found.solved(first, form)
        two = found.solved(second, form) if second.words else found.baseline(second) or {}
        both = [(one[key], two[key]) for key in one if key in two]
        hard = [(a, b) for a, b in both if max(a, b) >= found.longest() / 10]
        faster = sum(b < 0.9 * a for a, b in hard)
        ratio = f"{mean([a / b for a, b in hard if a > 0 and b > 0]):.2f}" if hard else MISSING
        rows.append([form, len(one), len(two), len(one.keys() - two.keys()), len(two.keys() - one.keys()), len(hard),
                     faster, ratio])
    head = ["", first.name, second.name, f"only {first.name}", f"only {second.name}", "both, not at once",
            f"of these, {second.name} more than a tenth faster", "time of the first over that of the second"]
    return head, rows


def seeded(found):
    """The files, with their forms, that the second configuration solves and the first does not, with the seed 0."""
    first, second = found.experiment.runs
    return [(form, pair) for form in found.forms() for pair in found.files
            if pair in found.solved(second, form) and pair not in found.solved(first, form)]


def by_seed(found):
    """For each of these files, how many runs have an answer, and their mean seconds."""
    head = ["form", "file", *(text for run in found.experiment.runs for text in (f"{run.name} solved", "mean s")), "seeds"]
    rows = []
    for form, (place, name) in seeded(found):
        row, most = [form, name.removesuffix(".smt2")], 0
        for run in found.experiment.runs:
            made = [found.row(run, form, place, name, seed) for seed in range(found.seeds)]
            made = [one for one in made if one]
            times = [float(one["seconds"]) for one in made if one["answer"] in ANSWERS]
            row += [len(times), f"{statistics.mean(times):.2f}" if times else MISSING]
            most = max(most, len(made))
        rows.append([*row, most])
    return head, rows


def family(name):
    """The set of problems of the thesis that a file of Sally's is of."""
    known = {"approximate_agreement": "approxagree", "azadmanesh": "azadmanesh", "cav12": "cav12", "hacms": "hacms",
             "misc": "misc", "oral_messages": "om", "tta_startup": "ttastartup", "tte_synchro": "ttesynchro",
             "unified-approx": "unifapprox"}
    return next((short for part, short in known.items() if part in name), "others")


def counted(row, ending):
    counts = json.loads(row["counts"] or "{}") if row else {}
    return sum(count for name, count in counts.items() if name.endswith(ending))


def decompositions(found):
    """Of the runs that end: files with a decomposition, vectors that were taken apart, those with several parts."""
    head = ["problems", "paper: files", "with one", "tried", "decomposed"]
    for form in found.forms():
        head += [f"{form}: files", "with one", "tried", "decomposed"]
    names = sorted({family(name) for _, name in found.files})
    rows = []
    for name in names:
        row = [name, *found.experiment.figures.get(name, [MISSING] * 4)]
        for form in found.forms():
            own = [found.row(found.experiment.runs[0], form, *pair) for pair in found.files if family(pair[1]) == name]
            own = [one for one in own if one["answer"] in ANSWERS]
            several = [counted(one, "decompositions.nontrivial") for one in own]
            tried = [counted(one, "decompositions.tried") for one in own]
            row += [len(own), sum(count > 0 for count in several), sum(tried), sum(several)]
        rows.append(row)
    return head, rows


def portfolio(found):
    """What a virtual portfolio would lose without each of its members: files, and PAR-2."""
    runs, limit = found.experiment.runs, found.longest()
    head, rows = ["", "paper: unique", "PAR-2 regret", "%"], [[run.name] for run in runs]
    for row, run in zip(rows, runs):
        row += found.experiment.figures[run.name]
    for form in found.forms():
        head += [f"{form}: unique", "PAR-2 regret", "%"]
        solved = {run.name: found.solved(run, form) for run in runs}

        def par2(members):
            return sum(min((solved[run.name].get(pair, 2 * limit) for run in members), default=2 * limit)
                       for pair in found.files)
        whole = par2(runs)
        for row, run in zip(rows, runs):
            rest = [other for other in runs if other != run]
            unique = solved[run.name].keys() - set().union(*(solved[other.name] for other in rest))
            regret = par2(rest) - whole
            row += [len(unique), f"{regret:.1f}", f"{100 * regret / whole:.1f}" if whole else MISSING]
    return head, rows


def invariants(found):
    """The transition invariants that prove safety: of which sequence, and grounded where."""
    head, rows = ["set", "", "less", "equal", "full", "left", "right"], []
    for place in found.experiment.sets:
        figures = found.experiment.figures[place]
        rows.append([place, "paper", *(figures[kind] for kind in head[2:])])
        for form in found.forms():
            names = []
            for pair in found.files:
                row = found.row(found.experiment.runs[0], form, *pair)
                if pair[0] == place and row["answer"] == "sat":
                    counts = json.loads(row["counts"] or "{}")
                    names += [name for name, count in counts.items() for _ in range(count) if "invariant." in name]
            rows.append([place, form, *(sum(f".{kind}." in name for name in names) for kind in head[2:])])
    return head, rows


def by_size(found):
    """Seconds by the size of a program."""
    runs = found.experiment.runs
    head = ["N", *(f"{run.name}: {form}" for run in runs for form in found.forms())]
    rows = [["paper", *(found.experiment.figures[run.name] if at == 0 else "" for run in runs
                        for at, _ in enumerate(found.forms()))]]
    for place, name in found.files:
        row = [name]
        for run in runs:
            for form in found.forms():
                solved = found.solved(run, form)
                row.append(f"{solved[place, name]:.2f}" if (place, name) in solved else "TO")
        rows.append(row)
    return head, rows


MAKERS = {maker.__name__: maker for maker in (
    by_answer, totals, by_set, by_file, duel, by_seed, decompositions, portfolio, invariants, by_size)}


def section(found: Found):
    """The caption and the table, as lines."""
    experiment = found.experiment
    counts = [f"{sum(place == name for place, _ in found.files)} of {name}" for name in experiment.sets]
    virtual = any(one.cores for one in experiment.runs)
    time = "virtual time" if virtual or found.kind == "virtual" else "processor time"
    what = f"**{experiment.name}**: {experiment.shows}."
    if experiment.paper:
        figures = "; ".join(f"{name}: {figure}" for name, figure in experiment.figures.items())
        told = f" with these figures: {figures}" if experiment.table == "duel" and figures else ""
        what += f" Paper ({experiment.paper}): {experiment.files}{told}."
    if not found.files:
        return [what, "", "Not run."]
    head, rows = MAKERS[experiment.table](found)
    ours = f"Ours: {', '.join(counts)}, {found.longest():g} s of {time}."
    solvers = sorted({one.baseline for one in experiment.configurations if one.baseline})
    other = f" Others, on the same files with 10 s of wall time: {', '.join(solvers)}." if solvers and "others" in \
        " ".join(head) else ""
    return [f"{what} {ours}{other}", "", *table(head, rows)]


def cactus(found):
    """How many files were solved within so many seconds."""
    series = []
    for one in found.experiment.runs:
        for form in found.forms():
            times = sorted(found.solved(one, form).values())
            if times:
                series.append((f"{one.name}, {form}", [(number, max(time, 0.01)) for number, time in enumerate(times, 1)]))
    return plot.lines(found.experiment.name, found.experiment.shows, ("files solved", False), ("seconds", True), series,
                      False) if series else None


def scatter(found):
    """Two configurations file by file, `sat` and `unsat` apart."""
    first, second, *_ = found.experiment.configurations
    limit, groups = found.longest(), []
    for form in found.forms():
        for answer in ANSWERS:
            one = found.solved(first, form, [answer])
            two = found.solved(second, form, [answer]) if second.words else found.baseline(second, [answer]) or {}
            pairs = [(min(one.get(pair, limit), limit), min(two.get(pair, limit), limit)) for pair in one.keys() | two.keys()]
            groups.append((f"{answer}, {form}", sorted(pairs)))
    groups = [(name, pairs) for name, pairs in groups if pairs]
    return plot.scatter(found.experiment.name, found.experiment.shows, first.name, second.name, groups, limit, 0.01) \
        if groups else None


def sizes(found):
    series = []
    for one in found.experiment.runs:
        for form in found.forms():
            points = sorted((int(name), max(time, 0.01)) for (_, name), time in found.solved(one, form).items())
            if points:
                series.append((f"{one.name}, {form}", points))
    return plot.lines(found.experiment.name, found.experiment.shows, ("N", True), ("seconds", True), series) if series \
        else None


PLOTS = {maker.__name__: maker for maker in (cactus, scatter, sizes)}


def picture(found):
    """The plot, if the experiment has one."""
    return PLOTS[found.experiment.plot](found) if found.experiment.plot else None
