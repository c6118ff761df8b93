"""Results for notebooks: tables, curves and graphs as HTML and SVG without scripts."""

from __future__ import annotations

import html
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from .notation import to_html
from .terms import Expr, walk

if TYPE_CHECKING:
    from .horn import Horn
    from .result import Definition, Derivation, Model, Result, Step
    from .verification import Verification

#: Colours of curves, from Okabe and Ito's palette, which colour-blind people can tell apart.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
#: How many steps are looked at for curves.
_CURVE_STEPS = 2_000
#: How many rows of a table are shown at its beginning.
_ROWS = 12
#: Graphs with more predicates are not drawn.
_GRAPH_NODES = 40

_CELL = 'style="text-align:left;padding:2px 10px;font-family:monospace"'


def _escape(value: Any) -> str:
    return html.escape(str(value))


def definition_html(definition: "Definition") -> str:
    """A definition as a line."""
    parameters = ", ".join(_escape(parameter.value) for parameter in definition.parameters)
    head = f"<b>{_escape(definition.name)}</b>({parameters})"
    return f'<div style="font-family:serif;font-size:110%">{head} ⇔ {to_html(definition.body)}</div>'


def model_html(model: "Model") -> str:
    """A model, one line for each predicate."""
    return "".join(definition_html(definition) for definition in model.values())


def derivation_html(derivation: "Derivation") -> str:
    """The first steps as a table, and the values over the steps as curves."""
    steps = derivation.head(_CURVE_STEPS)
    width = max((len(step.values) for step in steps), default=0)
    titles = ["step", "fact"] + [f"x{i}" for i in range(width)]
    head = "".join(f"<th {_CELL}>{title}</th>" for title in titles)
    rows = "".join(_row_html(step, width) for step in steps[:_ROWS])
    hidden = len(derivation) - min(len(steps), _ROWS)
    more = f"<div>… and {hidden} more steps</div>" if hidden > 0 else ""
    return f"<table><tr>{head}</tr>{rows}</table>{more}{curves_svg(steps)}"


def _row_html(step: "Step", width: int) -> str:
    values = [_escape(value) for value in step.values] + [""] * (width - len(step.values))
    cells = [str(step.number), _escape(step.predicate or "false")] + values
    return "<tr>" + "".join(f"<td {_CELL}>{cell}</td>" for cell in cells) + "</tr>"


def curves_svg(steps: List["Step"]) -> str:
    """The numbers among the arguments over the steps, for the predicate that occurs most."""
    counts: Dict[Optional[str], int] = {}
    for step in steps:
        if any(_is_number(value) for value in step.values):
            counts[step.predicate] = counts.get(step.predicate, 0) + 1
    if not counts or max(counts.values()) < 3:
        return ""
    predicate = max(counts, key=lambda name: counts[name])
    rows = [step for step in steps if step.predicate == predicate]
    columns = [i for i, value in enumerate(rows[0].values) if _is_number(value)][: len(_COLOURS)]
    curves = [[(step.number, float(step.values[i])) for step in rows] for i in columns]
    points = [point for curve in curves for point in curve]
    low_x, high_x = min(x for x, _ in points), max(x for x, _ in points)
    low_y, high_y = min(y for _, y in points), max(y for _, y in points)
    span_x, span_y = (high_x - low_x) or 1, (high_y - low_y) or 1
    wide, high, left, top = 560, 200, 60, 14

    def place(point: Tuple[int, float]) -> str:
        x = left + (point[0] - low_x) / span_x * (wide - left - 90)
        y = top + (high_y - point[1]) / span_y * (high - top - 28)
        return f"{x:.1f},{y:.1f}"

    lines = []
    for number, (column, curve) in enumerate(zip(columns, curves)):
        colour = _COLOURS[number]
        lines.append(
            f'<polyline fill="none" stroke="{colour}" stroke-width="1.6" points="{" ".join(map(place, curve))}"/>'
            f'<text x="{wide - 78}" y="{top + 10 + 15 * number}" fill="{colour}">x{column}</text>'
        )
    axis = (
        f'<path d="M{left} {top}V{high - 28}H{wide - 90}" fill="none" stroke="#888"/>'
        f'<text x="{left - 6}" y="{top + 8}" text-anchor="end">{high_y:g}</text>'
        f'<text x="{left - 6}" y="{high - 28}" text-anchor="end">{low_y:g}</text>'
        f'<text x="{left}" y="{high - 12}">{low_x}</text>'
        f'<text x="{wide - 90}" y="{high - 12}" text-anchor="end">step {high_x}</text>'
    )
    title = f"<title>{_escape(predicate)} over the steps</title>"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" '
        f'font-family="sans-serif" font-size="11" fill="#333">{title}{axis}{"".join(lines)}</svg>'
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, Fraction)) and not isinstance(value, bool)


def system_html(system: "Horn") -> str:
    """The clauses, and how the predicates hang together."""
    clauses = "".join(f"<li>{to_html(clause)}</li>" for clause in system.clauses[:100])
    more = f"<div>… and {len(system.clauses) - 100} more</div>" if len(system.clauses) > 100 else ""
    return f'<ol start="0" style="font-family:serif">{clauses}</ol>{more}{graph_svg(system)}'


def _edges(system: "Horn") -> List[Tuple[str, str]]:
    edges: List[Tuple[str, str]] = []
    for clause in system.clauses:
        body, head = _parts(clause)
        sources = sorted({term.value.name for part in body for term in walk([part]) if term.op == "app"})
        target = head.value.name if head is not None and head.op == "app" else "false"
        edges.extend((source, target) for source in sources or ["start"])
    return edges


def _parts(clause: Expr) -> Tuple[List[Expr], Optional[Expr]]:
    while clause.op == "forall":
        clause = clause.args[0]
    if clause.op == "=>":
        return list(clause.args[:-1]), clause.args[-1]
    return ([], clause) if clause.op == "app" else ([clause], None)


def graph_svg(system: "Horn") -> str:
    """The predicates in layers, from the facts to the queries."""
    edges = list(dict.fromkeys(_edges(system)))
    names = list(dict.fromkeys(["start"] + [name for edge in edges for name in edge]))
    if len(names) > _GRAPH_NODES:
        return f"<div>{len(names)} predicates</div>"
    layer = {"start": 0}
    queue = ["start"]
    for name in queue:
        for source, target in edges:
            if source == name and target not in layer:
                layer[target] = layer[name] + 1
                queue.append(target)
    for name in names:
        layer.setdefault(name, 1)
    if "false" in layer:
        layer["false"] = max(layer.values()) + (0 if layer["false"] == max(layer.values()) else 1)
    rows: Dict[int, List[str]] = {}
    for name in names:
        rows.setdefault(layer[name], []).append(name)
    wide = 150 * max(len(row) for row in rows.values())
    high = 76 * (max(rows) + 1)
    at = {
        name: (wide * (i + 1) / (len(row) + 1), 38 + 76 * number)
        for number, row in rows.items()
        for i, name in enumerate(row)
    }
    shapes = []
    for source, target in edges:
        (x1, y1), (x2, y2) = at[source], at[target]
        if source == target:
            d = f"M{x1 + 44:.0f} {y1 - 8:.0f}c40 -18 40 34 0 16"
        elif y2 > y1:
            d = f"M{x1:.0f} {y1 + 15:.0f}L{x2:.0f} {y2 - 19:.0f}"
        else:
            d = f"M{x1 - 44:.0f} {y1:.0f}C{x1 - 100:.0f} {y1:.0f} {x2 - 100:.0f} {y2:.0f} {x2 - 48:.0f} {y2:.0f}"
        shapes.append(f'<path d="{d}" fill="none" stroke="#666" marker-end="url(#shem-arrow)"/>')
    for name, (x, y) in at.items():
        colour = {"start": "#e8f2ea", "false": "#f8e4df"}.get(name, "#e6eef7")
        shown = name if len(name) <= 14 else name[:13] + "…"
        shapes.append(
            f'<rect x="{x - 44:.0f}" y="{y - 15:.0f}" width="88" height="30" rx="6" fill="{colour}" stroke="#888"/>'
            f'<text x="{x:.0f}" y="{y + 4:.0f}" text-anchor="middle">{_escape(shown)}<title>{_escape(name)}</title></text>'
        )
    arrow = (
        '<defs><marker id="shem-arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0L10 5L0 10z" fill="#666"/></marker></defs>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" '
        f'font-family="sans-serif" font-size="11" fill="#222">{arrow}{"".join(shapes)}</svg>'
    )


def result_html(result: "Result") -> str:
    """The verdict and its witness."""
    colour = {"sat": "#2e7d32", "unsat": "#b3261e"}.get(result.verdict, "#6b6b6b")
    meaning = {
        "sat": "the clauses have a model: no bad state can be reached",
        "unsat": "falsehood can be derived: a bad state can be reached",
    }.get(result.verdict, _escape(result.reason or ""))
    checked = f", {_escape(result.checked)} checked" if result.verdict != "unknown" else ""
    verdict = f'<b style="color:{colour}">{_escape(result.verdict)}</b>'
    head = f"<div>{verdict} {meaning} ({_escape(result.engine)}{checked})</div>"
    witness = result.model if result.model is not None else result.derivation
    return head + (witness._repr_html_() if witness is not None else "")


def verification_html(verification: "Verification") -> str:
    """The verdict on a function, with its invariants beside their lines, or with the run that fails."""
    program = verification.program
    colour = {"safe": "#2e7d32", "unsafe": "#b3261e"}.get(verification.verdict, "#6b6b6b")
    meaning = {"safe": "no run fails", "unsafe": "a run fails"}.get(verification.verdict, verification.reason or "")
    head = (
        f'<div><code>{_escape(program.name)}</code> <b style="color:{colour}">{_escape(verification.verdict)}</b> '
        f"{_escape(meaning)}</div>"
    )
    rows = []
    if verification.counterexample is not None:
        found = verification.counterexample
        for step in found.trace(40):
            values = ", ".join(f"{name} = {value}" for name, value in step.values.items())
            rows.append((step.line, step.source, values))
        rows.append((found.line, found.exception, "confirmed by running it" if found.confirmed else found.reason or ""))
    else:
        by_line = {invariant.line: str(invariant.formula) for invariant in verification.invariants}
        for number, text in enumerate(program.lines):
            line = program.first + number
            rows.append((line, text.rstrip("\n"), by_line.get(line, "")))
    cells = "".join(
        f'<tr><td {_CELL}>{line}</td><td {_CELL}><span style="white-space:pre">{_escape(source)}</span></td>'
        f"<td {_CELL}>{_escape(values)}</td></tr>"
        for line, source, values in rows
    )
    return f"{head}<table>{cells}</table>"
