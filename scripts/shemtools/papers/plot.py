"""Makes tables and plots of experiments out of results, beside the figures of the papers.

Prints the tables, or writes them into a document, between the lines `<!-- NAME -->` and `<!-- end NAME -->` that it has for
some of them; what else stands in the document stays. Plots are written to a folder, unless there are no points to draw.
"""
from pathlib import Path

from shemtools import sets
from shemtools.experiments import tables
from shemtools.experiments.catalogue import BY_NAME, chosen
from shemtools.experiments.model import COLUMNS, KEYS, Found
from shemtools.tables import write_between


def arguments(parser):
    parser.add_argument("bench", type=Path, help="the folder of benchmarks")
    parser.add_argument("results", type=Path, help="what scripts/papers run has kept")
    parser.add_argument("names", nargs="+", help="the experiments")
    parser.add_argument("--page", type=Path, help="write the tables into this document")
    parser.add_argument("--plots", type=Path, help="write plots to this folder")
    parser.add_argument("--limit", type=float, help="count answers within so many seconds only")
    parser.add_argument("--time", choices=["processor", "virtual"], default="processor", help="of one core [processor]")
    parser.add_argument("--seeds", type=int, default=100, help="runs a file where seeds are compared [100]")


def main(options):
    if not options.results.exists():
        raise SystemExit(f"there is no {options.results}")
    rows = {tuple(row[name] for name in COLUMNS[:KEYS]): row for row in sets.rows(options.results)}
    results = type("Rows", (), {"found": rows})
    for name in chosen(options.names):
        found = Found(BY_NAME[name], options.bench, results, options.time, options.limit, options.seeds)
        if options.plots and found.files and (drawn := tables.picture(found)):
            options.plots.mkdir(parents=True, exist_ok=True)
            (options.plots / f"papers-{name}.svg").write_text(drawn)
        text = "\n".join(tables.section(found))
        marker = f"<!-- {name} -->"
        if not options.page:
            print(text + "\n")
        elif marker in options.page.read_text():
            write_between(options.page, marker, f"<!-- end {name} -->", f"\n{text}\n")
    return 0
