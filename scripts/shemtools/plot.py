"""Line charts and scatter plots as SVG, for the scripts that measure.

A `Chart` maps values to a frame, linearly or by logarithms, and draws axes, grids, lines and marks. Colours are those
of Okabe and Ito, which people with colour blindness can tell apart; marks differ in shape as well.
"""
import math
from xml.sax.saxutils import escape

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"]
SHAPES = ["circle", "square", "triangle", "diamond", "cross", "plus", "circle"]
INK, PALE, GRID = "#24292f", "#57606a", "#e4e8ec"
FONT = "font-family=\"Inter, 'Segoe UI', Helvetica, Arial, sans-serif\""


def number(value):
    """A short text for a number on an axis."""
    if value >= 10**9 and 10 ** round(math.log10(value)) == value:
        return f"10^{round(math.log10(value))}"
    if value >= 1_000_000 and value % 1_000_000 == 0:
        return f"{value // 1_000_000:g} M"
    if value >= 1_000:
        return f"{int(value):,}".replace(",", "\u2009")
    return f"{value:g}"


class Axis:
    """Values of an axis, from the least to the greatest, and where they are in the frame."""

    def __init__(self, title, values, logarithmic, start, end, greatest=None):
        self.title, self.logarithmic, self.start, self.end = title, logarithmic, start, end
        low, high = min(values), max(values)
        if logarithmic:
            self.low, self.high = 10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high))
            if self.low == self.high:
                self.high *= 10
        else:
            self.low, self.step = 0, self.round_step((high or 1) / 6)
            self.high = self.step * math.ceil((high or 1) / self.step)
        self.high = greatest or self.high

    @staticmethod
    def round_step(rough):
        power = 10 ** math.floor(math.log10(rough))
        return next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough)

    def at(self, value):
        scale = (lambda v: math.log10(max(v, self.low))) if self.logarithmic else (lambda v: v)
        part = (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low))
        return self.start + part * (self.end - self.start)

    def ticks(self):
        """Values with and without a text."""
        if not self.logarithmic:
            count = round(self.high / self.step)
            return [(i * self.step, True) for i in range(count + 1)]
        found, power = [], self.low
        while power <= self.high * 1.001:
            found.append((power, True))
            found += [(m * power, False) for m in range(2, 10) if m * power < self.high]
            power *= 10
        return found


class Chart:
    """A drawing with two axes."""

    def __init__(self, title, subtitle, x, y, width=760, height=460, right=150, greatest=None):
        self.width, self.height, self.right = width, height, right
        self.frame = (70, 76, width - right, height - 58)
        left, top, end, bottom = self.frame
        self.x = Axis(*x, left, end, greatest)
        self.y = Axis(*y, bottom, top, greatest)
        self.body = []
        self.text(24, 32, title, 17, INK, weight=600)
        self.text(24, 53, subtitle, 12, PALE)
        self.grid()

    def add(self, element):
        self.body.append(element)

    def text(self, x, y, words, size, colour, anchor="start", weight=400, turn=""):
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}" '
                 f'font-weight="{weight}"{turn}>{escape(words)}</text>')

    def line(self, x1, y1, x2, y2, colour, width=1.0, dashes=""):
        dashes = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.add(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
                 f'stroke-width="{width}"{dashes}/>')

    def grid(self):
        left, top, end, bottom = self.frame
        for value, named in self.x.ticks():
            at = self.x.at(value)
            self.line(at, top, at, bottom, GRID, 1.0 if named else 0.4)
            if named:
                self.text(at, bottom + 18, number(value), 11, PALE, "middle")
        for value, named in self.y.ticks():
            at = self.y.at(value)
            self.line(left, at, end, at, GRID, 1.0 if named else 0.4)
            if named:
                self.text(left - 8, at + 4, number(value), 11, PALE, "end")
        self.line(left, bottom, end, bottom, PALE)
        self.line(left, top, left, bottom, PALE)
        self.text((left + end) / 2, bottom + 42, self.x.title, 12, INK, "middle")
        middle = (top + bottom) / 2
        self.text(20, middle, self.y.title, 12, INK, "middle", turn=f' transform="rotate(-90 20 {middle:.1f})"')

    def mark(self, x, y, shape, colour, size=3.2):
        if shape == "circle":
            drawn = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" fill="{colour}"/>'
        elif shape in ("cross", "plus"):
            s = size
            way = f"M{x-s:.1f} {y-s:.1f}L{x+s:.1f} {y+s:.1f}M{x-s:.1f} {y+s:.1f}L{x+s:.1f} {y-s:.1f}" \
                if shape == "cross" else f"M{x-s:.1f} {y:.1f}L{x+s:.1f} {y:.1f}M{x:.1f} {y-s:.1f}L{x:.1f} {y+s:.1f}"
            drawn = f'<path d="{way}" stroke="{colour}" stroke-width="1.8" fill="none"/>'
        else:
            s = size * 1.15
            corners = {"square": [(-s, -s), (s, -s), (s, s), (-s, s)], "triangle": [(0, -s), (s, s), (-s, s)],
                       "diamond": [(0, -1.3 * s), (1.3 * s, 0), (0, 1.3 * s), (-1.3 * s, 0)]}[shape]
            points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
            drawn = f'<polygon points="{points}" fill="{colour}"/>'
        self.add(drawn)

    def series(self, at, points, marks=True):
        """A line through points, in the colour and shape of its number."""
        colour, shape = COLOURS[at % len(COLOURS)], SHAPES[at % len(SHAPES)]
        places = [(self.x.at(x), self.y.at(y)) for x, y in points]
        if len(places) > 1:
            way = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
            self.add(f'<path d="{way}" fill="none" stroke="{colour}" stroke-width="2" stroke-linejoin="round"/>')
        for x, y in places if marks else places[-1:]:
            self.mark(x, y, shape, colour)
        return places[-1] if places else None

    def names(self, ends):
        """Names of lines beside their ends, moved apart where they would overlap."""
        wanted = sorted((end[1], at, name) for at, name, end in ends if end)
        last = self.frame[1] - 10
        places = []
        for y, at, name in wanted:
            last = max(y, last + 17)
            places.append((last, at, name))
        surplus = max(0, last - self.frame[3]) if places else 0
        for y, at, name in places:
            colour, x = COLOURS[at % len(COLOURS)], self.frame[2] + 14
            self.mark(x, y - surplus - 4, SHAPES[at % len(SHAPES)], colour)
            self.text(x + 9, y - surplus, name, 12, colour, weight=600)

    def svg(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                f'width="{self.width}" height="{self.height}" {FONT}>')
        back = f'<rect width="{self.width}" height="{self.height}" rx="8" fill="#ffffff"/>'
        return "\n".join([head, back, *self.body, "</svg>", ""])


def lines(title, subtitle, x, y, series, marks=True):
    """A chart of named lines: `x` and `y` are a title and whether the axis is logarithmic."""
    points = [point for _, found in series for point in found] or [(1, 1)]
    chart = Chart(title, subtitle, (x[0], [p[0] for p in points], x[1]), (y[0], [p[1] for p in points], y[1]))
    ends = [(at, name, chart.series(at, found, marks)) for at, (name, found) in enumerate(series)]
    chart.names(ends)
    return chart.svg()


def scatter(title, subtitle, x_title, y_title, groups, limit, least):
    """Times of two programs against each other; `groups` are names with pairs of seconds, where `limit` is no answer."""
    times = [least, limit]
    # Beyond the limit there is room for those without an answer.
    chart = Chart(title, subtitle, (x_title, times, True), (y_title, times, True), 620, 600, 150, 2 * limit)
    left, top, end, bottom = chart.frame
    chart.line(left, bottom, chart.x.at(chart.x.high), chart.y.at(chart.y.high), PALE, 1)
    low, high = chart.x.low, chart.x.high
    chart.line(left, chart.y.at(10 * low), chart.x.at(high / 10), top, PALE, 0.8, "3 4")
    chart.line(chart.x.at(10 * low), bottom, end, chart.y.at(high / 10), PALE, 0.8, "3 4")
    chart.line(chart.x.at(limit), top, chart.x.at(limit), bottom, "#b42318", 0.9, "5 3")
    chart.line(left, chart.y.at(limit), end, chart.y.at(limit), "#b42318", 0.9, "5 3")
    ends = []
    for at, (name, pairs) in enumerate(groups):
        for x, y in pairs:
            chart.mark(chart.x.at(max(x, least)), chart.y.at(max(y, least)), SHAPES[at % len(SHAPES)],
                       COLOURS[at % len(COLOURS)], 3)
        ends.append((at, name, (0, top + 12 + 20 * at)))
    chart.names(ends)
    return chart.svg()
