"""Random circuits in BTOR2 and AIGER beside ABC: verdicts and witnesses.

Each circuit is written in BTOR2, and by `shem convert` as AIGER, encoded and as text. Shem decides all three, and ABC
the encoded one by `pdr`. Verdicts that contradict each other are a failure; unknown contradicts nothing, but is told.
What Shem prints of a bad state is simulated by a simulator of this script, which knows AIGER only.
"""
import random
import shutil
import tempfile
from pathlib import Path

from shemtools.circuits import abc
from shemtools.run import ANSWERS, run

WIDTHS = (1, 2, 3, 4)
BINARY = "and or xor nand nor xnor add sub mul udiv urem sdiv srem smod sll srl sra rol ror".split()
COMPARISONS = "eq neq ult ulte ugt ugte slt slte sgt sgte uaddo saddo usubo ssubo umulo smulo sdivo".split()


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("--circuits", type=int, default=20, help="how many circuits [20]")
    parser.add_argument("--seed", type=int, default=1, help="of the first circuit [1]")
    parser.add_argument("--timeout", type=float, default=20, help="seconds a run [20]")
    parser.add_argument("--abc", default="berkeley-abc", help="the program [berkeley-abc]")
    parser.add_argument("--options", default="--jobs 1", help="options for shem [--jobs 1]")


class Circuit:
    """Lines of a random circuit."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = [f"{width} sort bitvec {width}" for width in WIDTHS]
        self.words = {width: [] for width in WIDTHS}
        constants = {width: self.add(width, f"constd {width} {self.random.randrange(1 << width)}") for width in WIDTHS}
        states = [(width, self.add(width, f"state {width} s{at}"))
                  for at, width in enumerate(self.random.choices(WIDTHS, k=self.random.randint(2, 4)))]
        for at, width in enumerate(self.random.choices(WIDTHS, k=self.random.randint(0, 3))):
            self.add(width, f"input {width} i{at}")
        for _ in range(self.random.randint(5, 25)):
            self.operation()
        for width, state in states:
            if self.random.random() < 0.8:
                self.add(None, f"init {width} {state} {constants[width]}")
            if self.random.random() < 0.9:
                self.add(None, f"next {width} {state} {self.word(width)}")
        if self.random.random() < 0.4:
            self.add(None, f"constraint {self.word(1)}")
        bad = self.add(1, f"and 1 {self.word(1)} {self.word(1)}")
        self.add(None, f"bad {bad}")

    def add(self, width, text):
        self.lines.append(f"{len(self.lines) + 1} {text}")
        if width:
            self.words[width].append(len(self.lines))
        return len(self.lines)

    def word(self, width):
        return self.random.choice(["", "", "-"]) + str(self.random.choice(self.words[width]))

    def operation(self):
        width = self.random.choice(WIDTHS)
        a, b = self.word(width), self.word(width)
        kind = self.random.randrange(6)
        if kind == 0:
            self.add(1, f"{self.random.choice(COMPARISONS)} 1 {a} {b}")
        elif kind == 1:
            self.add(width, f"ite {width} {self.word(1)} {a} {b}")
        elif kind == 2 and width < 4:
            self.add(width + 1, f"{self.random.choice(['uext', 'sext'])} {width + 1} {a} 1")
        elif kind == 3 and width > 1:
            low = self.random.randint(0, 1)
            self.add(width - 1, f"slice {width - 1} {a} {low + width - 2} {low}")
        else:
            self.add(width, f"{self.random.choice(BINARY)} {width} {a} {b}")


def replay(text, witness):
    """Whether a witness leads to the bad state of a circuit in AIGER, as text, and keeps its constraints."""
    lines = [line.split() for line in text.splitlines()]
    counts = [int(word) for word in lines[0][1:]] + [0] * 9
    _, inputs, latches, outputs, gates, bads, constraints = counts[:7]
    lines = lines[1:]
    take = lambda count: [[int(word) for word in lines.pop(0)] for _ in range(count)]  # noqa: E731
    inputs, latches, _, bads, constraints = (take(count) for count in (inputs, latches, outputs, bads, constraints))
    gates = take(gates)
    frames = witness.split("\n")
    if frames[:2] != ["1", "b0"] or "." not in frames:
        return False
    frames = frames[2:frames.index(".")]
    state = {latch[0]: int(bit) for latch, bit in zip(latches, frames[0])}
    for latch in latches:
        reset = latch[2] if len(latch) > 2 else 0
        if reset < 2 and state[latch[0]] != reset:
            return False
    for frame in frames[1:]:
        values = {0: 0, **state, **{lit[0]: int(bit) for lit, bit in zip(inputs, frame)}}
        value = lambda lit: values[lit & ~1] ^ (lit & 1)  # noqa: E731
        for own, a, b in gates:
            values[own] = value(a) & value(b)
        if not all(value(lit[0]) for lit in constraints):
            return False
        last = value(bads[0][0])
        state = {latch[0]: value(latch[1]) for latch in latches}
    return bool(last)


def main(options):
    if not shutil.which(options.abc):
        print(f"{options.abc} is needed, and not there")
        return 1
    failures, counts = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.circuits):
            files = {name: Path(folder) / f"circuit.{name}" for name in ("btor2", "aag", "aig")}
            files["btor2"].write_text("\n".join(Circuit(seed).lines) + "\n")
            for name in ("aag", "aig"):
                with open(files[name], "wb") as out:
                    done = run([options.shem, "convert", name, files["btor2"]], 60, out=out)
                if done.code:
                    failures.append(f"circuit {seed}: not converted: {done.err.strip()}")
            limit = int(options.timeout)
            verdicts = {"abc": abc(options.abc, files["aig"], f"pdr -T {limit}", limit + 20)[0]}
            for name, file in files.items():
                command = [options.shem, "-t", options.timeout, *options.options.split(), "--print-witness", file]
                done = run(command, options.timeout + 60)
                verdicts[name] = done.answer
                if done.code or done.late:
                    failures.append(f"circuit {seed}: {name}: exit code {done.code}: {done.err.strip()}")
                elif done.answer not in ANSWERS:
                    print(f"circuit {seed}: {name}: {done.err.strip()}", flush=True)
                elif name != "btor2" and done.answer == "unsat":
                    if not replay(files["aag"].read_text(), done.out.partition("\n")[2]):
                        failures.append(f"circuit {seed}: {name}: the witness is wrong")
            if len(set(verdicts.values()) & set(ANSWERS)) > 1:
                failures.append(f"circuit {seed}: verdicts differ: {verdicts}")
            for name, verdict in verdicts.items():
                counts.setdefault(name, {}).setdefault(verdict, 0)
                counts[name][verdict] += 1
    for line in failures:
        print("FAILURE:", line)
    print(f"{options.circuits} circuits; {counts}; {len(failures)} failures")
    return int(bool(failures))
