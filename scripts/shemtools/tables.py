"""Tables in Markdown, means, and pages with plots."""
import math
import os
from pathlib import Path


def table(head, rows, left=1):
    """The lines of a table; its first columns are words, the others are numbers."""
    def line(cells):
        return "| " + " | ".join(str(cell) for cell in cells) + " |"
    rule = line(["---"] * left + ["---:"] * (len(head) - left))
    return [line(head), rule, *(line(row) for row in rows)]


def mean(ratios):
    """The geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def write_between(document, first, last, text):
    """Replaces what stands between two lines of a document."""
    before, rest = document.read_text().split(first)
    document.write_text(before + first + "\n" + text + "\n" + last + rest.split(last)[1])


class Page:
    """A page in Markdown, with pictures in a folder beside it."""

    def __init__(self, path, plots):
        self.path, self.plots, self.parts = Path(path), Path(plots), []
        self.plots.mkdir(parents=True, exist_ok=True)

    def add(self, *paragraphs):
        self.parts += [part for paragraph in paragraphs for part in (paragraph, "")]

    def picture(self, name, title, text):
        (self.plots / name).write_text(text)
        self.add(f"![{title}]({os.path.relpath(self.plots, self.path.resolve().parent)}/{name})")

    def write(self):
        self.path.write_text("\n".join(self.parts))
