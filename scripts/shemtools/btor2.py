"""Circuits in BTOR2 as scripts of SMT-LIB: no code is shared with Shem."""

# Operations that are one of SMT-LIB with the same arguments.
OPERATIONS = {
    "not": "bvnot", "neg": "bvneg", "and": "bvand", "or": "bvor", "xor": "bvxor", "nand": "bvnand", "nor": "bvnor",
    "xnor": "bvxnor", "add": "bvadd", "sub": "bvsub", "mul": "bvmul", "udiv": "bvudiv", "urem": "bvurem",
    "sdiv": "bvsdiv", "srem": "bvsrem", "smod": "bvsmod", "sll": "bvshl", "srl": "bvlshr", "sra": "bvashr",
    "concat": "concat",
}
# Relations, whose result is a bit.
RELATIONS = {
    "eq": "=", "iff": "=", "neq": "distinct", "ult": "bvult", "ulte": "bvule", "ugt": "bvugt", "ugte": "bvuge",
    "slt": "bvslt", "slte": "bvsle", "sgt": "bvsgt", "sgte": "bvsge",
}
LITERALS = {"const": 2, "constd": 10, "consth": 16}
# Operations that do not have two operands; a name may follow the operands.
ARITIES = dict.fromkeys(("zero", "one", "ones"), 0) | {"ite": 3} | dict.fromkeys(
    ("not", "neg", "slice", "uext", "sext", "redor", "redand", "redxor", "inc", "dec"), 1)


class Unsupported(Exception):
    """A circuit has something that is not translated, such as memories."""


def bit(formula):
    return f"(ite {formula} #b1 #b0)"


def number(value, width):
    return f"(_ bv{value % (1 << width)} {width})"


class Circuit:
    """The lines of a circuit, by what they are."""

    def __init__(self, text):
        self.widths, self.lines, self.inits, self.nexts, self.constraints, self.bads = {}, [], {}, {}, [], []
        sorts = {}
        for line in text.splitlines():
            words = line.split(";")[0].split()
            if len(words) < 2:
                continue
            key, kind, rest = words[0], words[1], words[2:]
            if kind == "sort":
                if rest[0] != "bitvec":
                    raise Unsupported("a memory")
                sorts[key] = int(rest[1])
            elif kind in ("init", "next"):
                (self.inits if kind == "init" else self.nexts)[rest[1]] = rest[2]
            elif kind in ("constraint", "bad"):
                (self.constraints if kind == "constraint" else self.bads).append(rest[0])
            elif kind in ("fair", "justice"):
                raise Unsupported(kind)
            elif kind != "output":
                self.widths[key] = sorts[rest[0]]
                self.lines.append((key, kind, rest[1:]))

    def term(self, key, kind, args, name):
        """The term of a line that is neither an input nor a state; `name` gives those of its arguments."""
        width = self.widths[key]
        if kind in LITERALS:
            return number(int(args[0], LITERALS[kind]), width)
        if kind in ("zero", "one", "ones"):
            return number({"zero": 0, "one": 1, "ones": -1}[kind], width)
        of = [name(arg) for arg in self.operands(kind, args)]
        inner = self.widths[args[0].lstrip("-")]
        if kind in OPERATIONS:
            return f"({OPERATIONS[kind]} {' '.join(of)})"
        if kind in RELATIONS:
            return bit(f"({RELATIONS[kind]} {' '.join(of)})")
        if kind == "slice":
            return f"((_ extract {args[1]} {args[2]}) {of[0]})"
        if kind in ("uext", "sext"):
            return f"((_ {'zero' if kind == 'uext' else 'sign'}_extend {args[1]}) {of[0]})"
        if kind == "ite":
            return f"(ite (= {of[0]} #b1) {of[1]} {of[2]})"
        if kind in ("redor", "redand"):
            value, relation = (0, "distinct") if kind == "redor" else (-1, "=")
            return bit(f"({relation} {of[0]} {number(value, inner)})")
        if kind == "redxor":
            bits = [f"((_ extract {k} {k}) {of[0]})" for k in range(inner)]
            return f"(bvxor {' '.join(bits)})" if inner > 1 else bits[0]
        if kind == "inc":
            return f"(bvadd {of[0]} {number(1, width)})"
        if kind == "dec":
            return f"(bvsub {of[0]} {number(1, width)})"
        if kind == "implies":
            return f"(bvor (bvnot {of[0]}) {of[1]})"
        raise Unsupported(kind)

    def operands(self, kind, args):
        """The lines that a line refers to; negated ones have a minus in front."""
        if kind in ("input", "state", *LITERALS):
            return []
        return args[:ARITIES.get(kind, 2)]

    def needed(self, steps):
        """The lines of each step that constraints and what is bad in the last step depend on."""
        lines = {key: (kind, args) for key, kind, args in self.lines}
        found = [set() for _ in range(steps + 1)]
        stack = [(key.lstrip("-"), step) for key in self.constraints for step in range(steps + 1)]
        stack += [(key.lstrip("-"), steps) for key in self.bads]
        while stack:
            key, step = stack.pop()
            if key in found[step]:
                continue
            found[step].add(key)
            kind, args = lines[key]
            stack += [(arg.lstrip("-"), step) for arg in self.operands(kind, args)]
            if kind == "state":
                before = self.nexts.get(key) if step else self.inits.get(key)
                stack += [(before.lstrip("-"), max(step - 1, 0))] if before else []
        return found

    def unrolling(self, steps):
        """A script that asks whether something bad is reached after so many steps, the constraints holding until then."""
        script = ["(set-logic QF_BV)"]

        def name(key, step):
            return f"(bvnot {name(key[1:], step)})" if key.startswith("-") else f"n{key}_{step}"

        for step, needed in enumerate(self.needed(steps)):
            for key, kind, args in self.lines:
                if key not in needed:
                    continue
                sort = f"(_ BitVec {self.widths[key]})"
                before = self.nexts.get(key) if step else self.inits.get(key)
                if kind == "input" or kind == "state" and before is None:
                    script.append(f"(declare-const {name(key, step)} {sort})")
                    continue
                if kind == "state":
                    term = name(before, max(step - 1, 0))
                else:
                    term = self.term(key, kind, args, lambda arg: name(arg, step))
                script.append(f"(define-fun {name(key, step)} () {sort} {term})")
            script += [f"(assert (= {name(key, step)} #b1))" for key in self.constraints]
        bad = " ".join(f"(= {name(key, steps)} #b1)" for key in self.bads)
        return "\n".join([*script, f"(assert (or false {bad}))", "(check-sat)", ""])
