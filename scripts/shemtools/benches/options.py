"""What each option of an engine is worth: the engine by default, and with one option changed at a time.

Runs are those of `scripts/bench engines`, and go on where they stopped. At the end the table is written: into
DOCUMENT between its lines `<!-- options -->` and `<!-- end -->`, or to standard output. The exit code is 1 if an answer
is wrong or a witness was refused.
"""
import sys
from pathlib import Path

from shemtools.benches import engines
from shemtools.benches.engine_table import Table
from shemtools.tables import table, write_between

# For each engine the changes, one a row: options and their words.
CHANGES = {
    "spacer": [
        "subsume no, conjecture no, concretise no, restrain no", "subsume no", "conjecture no", "concretise no",
        "restrain no", "lemmas core", "clauses no", "retry next", "retry never",
    ],
}
FIRST, LAST = "<!-- options -->\n", "<!-- end -->\n"


def arguments(parser):
    engines.run_arguments(parser)
    parser.add_argument("document", type=Path, nargs="?")
    parser.add_argument("--engine", choices=sorted(CHANGES), default="spacer")
    parser.add_argument("--only", help="only rows whose change contains one of these words, and the default")
    parser.set_defaults(timeout=1, witness=20)


def entry(engine, change):
    """A change as an entry of `bench engines`: NAME=ENGINE:OPTION:WORD:..."""
    words = [word for option in change.split(", ") for word in (f"--{engine}.{option.split()[0]}", option.split()[1])]
    # A comma would end the entry.
    return f"{change.replace(', ', ' + ')}={':'.join([engine, *words])}"


def main(options):
    changes = [change for change in CHANGES[options.engine]
               if not options.only or any(word in change for word in options.only.split(","))]
    options.engines = ",".join([options.engine, *(entry(options.engine, change) for change in changes)])
    engines.main(options)
    found, names, rows = Table(options.bench, options.results), options.sets.split(","), []
    default = {key for key in found.solved[options.engine] if key[0] in names}
    for name in (engines.named(one)[0] for one in options.engines.split(",")):
        solved = {key: row for key, row in found.solved[name].items() if key[0] in names}
        lost = sum((name, *key) in found.results for key in default - set(solved))
        label = ", ".join(f"`{part}`" for part in name.split(" + ")) if name != options.engine else "all as by default"
        cells = [sum(key[0] == kind for key in solved) if found.ran[name, kind] else "–" for kind in names]
        unproved = sum(row["checked"] == "nothing" for row in solved.values())
        rows.append([label, *cells, len(solved), lost, len(set(solved) - default), unproved])
    head = ["changed", *(f"{kind} ({found.files.get(kind, 0)})" for kind in names)]
    lines = table([*head, "total", "lost", "won", "without a witness in time"], rows)
    text = "\n".join([*lines, "", f"Wrong answers and refused witnesses: {len(found.wrong)}.", ""])
    if options.document:
        write_between(options.document, FIRST, LAST, text)
    else:
        print(text, end="")
    for line in found.wrong:
        print(line, file=sys.stderr)
    return 1 if found.wrong else 0
