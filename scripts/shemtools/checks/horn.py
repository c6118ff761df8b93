"""Random Horn problems over arrays and datatypes: engines, z3 and the judges of witnesses agree.

A problem has one to three predicates over integers, arrays, records, enumerations, sums and lists; clauses begin,
change or join their facts like the steps of a small program. A field is taken only where the constructor is known, so
that the answer does not depend on what a selector means elsewhere. Every entry, the options of a run of shem, has to
end with a verdict whose witness was validated or with `unknown`; verdicts must not contradict each other, nor those of
z3: Spacer's, or that of its bounded search, which finds derivations by unrolling. Where the default strategy says
`sat`, z3 has to confirm the printed model by substitution, too. A problem that fails is written to a folder. Needs z3
on the path.
"""
import collections
import os
import random
import re
import tempfile

from shemtools import oracles
from shemtools.run import ANSWERS, run
from shemtools.smtlib import model_question

DECLARATIONS = """
(declare-datatype Color ((red) (green) (blue)))
(declare-datatype Pair ((pair (fst Int) (snd Bool))))
(declare-datatype Shape ((dot) (circle (radius Int)) (box (corner Pair) (width Int))))
(declare-datatype Chain ((end) (link (first Int) (rest Chain))))
(declare-datatype Heap ((heap (size Int) (cells (Array Int Int)))))
"""

# By sort: the constructors with their selectors and the sorts of their fields.
DATATYPES = {
    "Color": {"red": [], "green": [], "blue": []},
    "Pair": {"pair": [("fst", "Int"), ("snd", "Bool")]},
    "Shape": {"dot": [], "circle": [("radius", "Int")], "box": [("corner", "Pair"), ("width", "Int")]},
    "Chain": {"end": [], "link": [("first", "Int"), ("rest", "Chain")]},
    "Heap": {"heap": [("size", "Int"), ("cells", "(Array Int Int)")]},
}

# By sort: the sorts of indices and elements.
ARRAYS = {
    "(Array Int Int)": ("Int", "Int"),
    "(Array Int Pair)": ("Int", "Pair"),
    "(Array Color Int)": ("Color", "Int"),
    "(Array Int (Array Int Int))": ("Int", "(Array Int Int)"),
    "(Array Int Bool)": ("Int", "Bool"),
}

SORTS = ["Bool", *DATATYPES, *ARRAYS]

ENTRIES = [
    "",
    "-e bmc",
    "-e kind",
    "-e spacer",
    "-e spacer --spacer.lemmas=core",
    "-e spacer --abstraction=no-arrays",
    "-e spacer --abstraction=shared-cells",
    "-e hull --abstraction=shared-cells --hull.orders",
    "-e spacer --abstraction=sizes",
    "-e imc",
    "-e lawi",
    "-e pdkind",
]


class Clause:
    """A clause in the making: variables by sort, and the conjuncts of the body."""

    def __init__(self, rng):
        self.rng = rng
        self.variables = []
        self.parts = []

    def fresh(self, sort):
        name = f"v{len(self.variables)}"
        self.variables.append((name, sort))
        return name

    def variable(self, sort):
        fitting = [name for name, own in self.variables if own == sort]
        return self.rng.choice(fitting) if fitting else self.constant(sort)

    def constant(self, sort, depth=2):
        rng = self.rng
        if sort == "Int":
            number = rng.choice([0, 0, 1, 1, 2, 3, 5, -1, -2])
            return str(number) if number >= 0 else f"(- {-number})"
        if sort == "Bool":
            return rng.choice(["true", "false"])
        if sort in ARRAYS:
            return f"((as const {sort}) {self.constant(ARRAYS[sort][1], depth - 1)})"
        constructors = DATATYPES[sort]
        name = rng.choice(list(constructors)) if depth > 0 else next(iter(constructors))
        return self.construct(name, [self.constant(field, depth - 1) for _, field in constructors[name]])

    @staticmethod
    def construct(name, args):
        return f"({name} {' '.join(args)})" if args else name

    def term(self, sort, depth):
        """A term over the variables."""
        rng = self.rng
        if depth == 0 or rng.random() < 0.25:
            return self.constant(sort) if rng.random() < 0.25 else self.variable(sort)
        kind = rng.random()
        if kind < 0.15:
            then, otherwise = self.term(sort, depth - 1), self.term(sort, depth - 1)
            return f"(ite {self.formula(depth - 1)} {then} {otherwise})"
        if kind < 0.45:
            read = self.part(sort, depth)
            if read:
                return read
        if sort == "Int":
            left = self.term(sort, depth - 1)
            if rng.random() < 0.6:
                return f"(+ {left} {self.constant(sort)})"
            return f"({rng.choice('+-')} {left} {self.term(sort, depth - 1)})"
        if sort in ARRAYS:
            index, element = ARRAYS[sort]
            array = self.term(sort, depth - 1)
            return f"(store {array} {self.term(index, depth - 1)} {self.term(element, depth - 1)})"
        if sort in DATATYPES:
            name = rng.choice(list(DATATYPES[sort]))
            return self.construct(name, [self.term(field, depth - 1) for _, field in DATATYPES[sort][name]])
        return self.formula(depth - 1)

    def part(self, sort, depth):
        """An element of an array or a field of a datatype, of variables that there are."""
        rng = self.rng
        choices = []
        for name, own in self.variables:
            if own in ARRAYS and ARRAYS[own][1] == sort:
                choices.append((name, own, None, None))
            for constructor, fields in DATATYPES.get(own, {}).items():
                choices += [(name, own, constructor, field) for field, of in fields if of == sort]
        if not choices:
            return None
        name, own, constructor, field = rng.choice(choices)
        if constructor is None:
            return f"(select {name} {self.term(ARRAYS[own][0], depth - 1)})"
        if len(DATATYPES[own]) == 1:
            return f"({field} {name})"
        if rng.random() < 0.5:
            # The case is a condition of the clause, by an equation.
            args = [self.fresh(of) for _, of in DATATYPES[own][constructor]]
            self.parts.append(f"(= {name} {self.construct(constructor, args)})")
            return args[[own_field for own_field, _ in DATATYPES[own][constructor]].index(field)]
        return f"(ite ((_ is {constructor}) {name}) ({field} {name}) {self.constant(sort)})"

    def formula(self, depth):
        rng = self.rng
        if depth > 0 and rng.random() < 0.3:
            word = rng.choice(["and", "or", "or", "=>"])
            return f"({word} {self.formula(depth - 1)} {self.formula(depth - 1)})"
        sorts = [sort for _, sort in self.variables] or ["Int"]
        sort = "Int" if rng.random() < 0.5 else rng.choice(sorts)
        if sort in DATATYPES and len(DATATYPES[sort]) > 1 and rng.random() < 0.5:
            return f"((_ is {rng.choice(list(DATATYPES[sort]))}) {self.variable(sort)})"
        left, right = self.term(sort, depth), self.term(sort, depth)
        if sort == "Int":
            return f"({rng.choice(['=', '<=', '<', '>', '>=', 'distinct'])} {left} {right})"
        return f"({rng.choice(['=', '=', 'distinct'])} {left} {right})"

    def atom(self, predicate):
        name, sorts = predicate
        return self.construct(name, [self.fresh(sort) for sort in sorts])

    def text(self, head):
        body = "(and true " + " ".join(self.parts) + ")"
        clause = f"(=> {body} {head})"
        if self.variables:
            bound = " ".join(f"({name} {sort})" for name, sort in self.variables)
            clause = f"(forall ({bound}) {clause})"
        return f"(assert {clause})"


def step(rng, sources, target):
    """A clause with a predicate in its head: a fact, a step or a join."""
    clause = Clause(rng)
    for source in sources:
        clause.parts.append(clause.atom(source))
    name, sorts = target
    if not sources:
        clause.fresh("Int")
    for _ in range(rng.choice([0, 1, 1, 2]) if sources else rng.choice([0, 0, 1])):
        clause.parts.append(clause.formula(1))
    args = []
    for sort in sorts:
        kind = rng.random()
        if not sources:
            args.append(clause.constant(sort) if kind < 0.75 else clause.term(sort, 1))
        elif kind < 0.45:
            args.append(clause.variable(sort))
        else:
            args.append(clause.term(sort, 2))
    return clause.text(Clause.construct(name, args))


def query(rng, predicates):
    clause = Clause(rng)
    for _ in range(rng.choice([1, 1, 1, 2])):
        clause.parts.append(clause.atom(rng.choice(predicates)))
    for _ in range(rng.choice([1, 1, 2, 3])):
        clause.parts.append(clause.formula(1))
    return clause.text("false")


def problem(rng):
    predicates = []
    for number in range(rng.choice([1, 1, 2, 2, 3])):
        sorts = ["Int" if rng.random() < 0.3 else rng.choice(SORTS) for _ in range(rng.choice([1, 2, 2, 3]))]
        predicates.append((f"p{number}", sorts))
    lines = ["(set-logic HORN)", DECLARATIONS.strip()]
    lines += [f"(declare-fun {name} ({' '.join(sorts)}) Bool)" for name, sorts in predicates]
    # A chain from facts through all predicates, each of which goes on by a step of its own; then more of any kind.
    lines.append(step(rng, [], predicates[0]))
    for before, after in zip(predicates, predicates[1:]):
        lines.append(step(rng, [before], after))
    lines += [step(rng, [predicate], predicate) for predicate in predicates]
    for _ in range(rng.randrange(1 + 2 * len(predicates))):
        sources = [rng.choice(predicates) for _ in range(rng.choices([0, 1, 2], [20, 65, 15])[0])]
        lines.append(step(rng, sources, rng.choice(predicates)))
    lines += [query(rng, predicates) for _ in range(rng.choice([1, 1, 2]))]
    return "\n".join([*lines, "(check-sat)", ""])


class Failure(Exception):
    """What went wrong with a problem."""


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("--systems", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=2, help="seconds for each run [2]")
    parser.add_argument("--entries", default="; ".join(ENTRIES), help="options of the runs, between semicolons")
    parser.add_argument("--out", default="check-horn-failures", help="where problems that fail are written")


def z3(text, limit, *options):
    words = oracles.z3(text, limit, *options).split()
    return words[0] if words and words[0] in ANSWERS else "unknown"


def decide(shem, entry, path, limit):
    """The verdict of an entry, and the model."""
    witness = ["--print-witness"] if not entry else []
    result = run([shem, *entry.split(), *witness, "--validate", "-t", limit, path], limit + 60)
    verdict, _, rest = result.out.partition("\n")
    if result.late or verdict not in (*ANSWERS, "unknown") or result.code not in (0, 2):
        raise Failure(f"{entry or 'default'}: code {result.code}: {result.out}{result.err}")
    if re.search(r"panic|refused|rejected|dropped|overflow", result.err):
        raise Failure(f"{entry or 'default'}: {result.err}")
    return verdict, rest


def check(options, entries, text, counts):
    verdicts = {"z3": z3(text, options.limit)}
    counts["z3", verdicts["z3"]] += 1
    if verdicts["z3"] == "unknown":
        # Its bounded search finds derivations, and says nothing else that counts.
        bounded = z3(text, options.limit, "fp.engine=bmc")
        verdicts["z3 bmc"] = "unsat" if bounded == "unsat" else "unknown"
    with tempfile.NamedTemporaryFile("w", suffix=".smt2") as file:
        file.write(text)
        file.flush()
        for entry in entries:
            name = entry or "default"
            verdicts[name], model = decide(options.shem, entry, file.name, options.limit)
            counts[name, verdicts[name]] += 1
            if not entry and verdicts[name] == "sat":
                confirmed = oracles.z3(model_question(text, model), 20)
                counts["model", confirmed] += 1
                if confirmed not in ("unsat", "timeout", "unknown"):
                    raise Failure(f"z3 says {confirmed} about the model")
    if len(set(verdicts.values()) - {"unknown"}) > 1:
        raise Failure(f"verdicts contradict each other: {verdicts}")
    counts["all", "decided"] += set(verdicts.values()) != {"unknown"}


def main(options):
    entries = [entry.strip() for entry in options.entries.split(";")]
    counts, failures = collections.Counter(), 0
    for number in range(options.systems):
        text = problem(random.Random(f"{options.seed} {number}"))
        try:
            check(options, entries, text, counts)
        except (Failure, ValueError) as failure:
            failures += 1
            os.makedirs(options.out, exist_ok=True)
            path = os.path.join(options.out, f"{options.seed}-{number}.smt2")
            with open(path, "w") as file:
                file.write(text)
            print(f"{path}: {failure}", flush=True)
    for name in ["z3", *(entry or "default" for entry in entries), "model"]:
        found = {key[1]: count for key, count in counts.items() if key[0] == name}
        print(f"{name}: " + ", ".join(f"{verdict} {count}" for verdict, count in sorted(found.items())))
    print(f"{options.systems} systems, {counts['all', 'decided']} decided, {failures} failures")
    return 1 if failures or 2 * counts["all", "decided"] < options.systems else 0
