"""Lists the experiments: name, paper, what it shows, sets, runs."""
from shemtools.experiments.catalogue import EXPERIMENTS, named
from shemtools.experiments.model import words_of


def arguments(parser):
    parser.add_argument("--words", action="store_true", help="the command lines, too, in their pure form")


def main(options):
    for one in EXPERIMENTS:
        if one.same_as:
            print(f"{one.name:22} {one.paper}: the same as {one.same_as}")
            continue
        runs = ", ".join(run.name for run in one.runs)
        print(f"{one.name:22} {one.paper or 'own'}: {one.shows}; {', '.join(one.sets)}: {runs}")
        if options.words:
            print("".join(f"    shem {' '.join(words_of(run, 'pure'))}\n" for run in named(one.name).runs), end="")
    return 0
