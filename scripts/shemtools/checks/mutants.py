"""Changed Alethe proofs, refused by Carcara.

A mutation changes one step of a proof that shem prints: a number or truth value in its clause or arguments (another
coefficient, another instance), a premise that is dropped or replaced, an assumption that is changed. A changed proof
may still be right: a premise was not needed, or a variable does not matter. So what Carcara and scripts/check-steps
accept is given to z3, with the definitions of the proof: the clause of the changed step must follow from those of its
premises, and so must the clauses of the steps that use a name which the changed step gives to a term. If one does not,
or z3 does not say so, Carcara has accepted a wrong step, and the check fails. An assumption that is changed and accepted
is wrong. The check fails, too, if nothing was refused. Needs z3 on the path.
"""
import collections
import os
import random
import re
import sys
import tempfile

from shemtools import oracles, sets
from shemtools.run import run
from shemtools.smtlib import expressions

NUMBER = re.compile(r"(?<![\w@.!|$-])\d+(?:\.\d+)?(?![\w@.!|$])")
WORD = re.compile(r"[^\s()]+")
TRUTH = re.compile(r"(?<![\w@-])(?:true|false)(?![\w@-])")


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("carcara")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--mutations", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)


def parts(command):
    """The name, clause, premises and the rest of a step."""
    match = re.match(r"\(step (\S+) \(cl", command)
    inner = expressions(command[len("(step ") + len(match.group(1)) : -1])
    premises = re.search(r":premises \(([^()]*)\)", command)
    return match.group(1), expressions(inner[0][1:-1])[1:], premises.group(1).split() if premises else []


def change_constant(step, chance):
    """The step with another number or truth value in it, but not in its name and its premises."""
    start = step.index("(cl")
    end = step.find(":premises")
    places = [m for m in NUMBER.finditer(step, start) if end < 0 or m.start() < end or m.start() > step.index(")", end)]
    places += list(TRUTH.finditer(step, start))
    if not places:
        return None
    place = chance.choice(places)
    old = place.group()
    if old in ("true", "false"):
        new = "false" if old == "true" else "true"
    else:
        other = int(float(old)) + chance.choice([1, 2, 3, 10])
        new = f"{other}.0" if "." in old else str(other)
    return step[: place.start()] + new + step[place.end() :]


def change_premises(step, chance, names):
    """The step without one of its premises, or with another in its place."""
    _, _, premises = parts(step)
    if not premises:
        return None
    at = chance.randrange(len(premises))
    changed = list(premises)
    if len(premises) > 1 and chance.random() < 0.5:
        del changed[at]
    else:
        changed[at] = chance.choice(names)
    old, new = f":premises ({' '.join(premises)})", f":premises ({' '.join(changed)})"
    return step.replace(old, new) if changed != premises else None


def mutate(commands, chance):
    """The place of a command, and what it is changed to."""
    steps = [i for i, command in enumerate(commands) if command.startswith("(step ") or command.startswith("(assume ")]
    while True:
        at = chance.choice(steps)
        command = commands[at]
        if command.startswith("(assume "):
            places = list(NUMBER.finditer(command, command.index(" ", 8)))
            if not places:
                continue
            place = chance.choice(places)
            changed = command[: place.start()] + str(int(float(place.group())) + 1) + command[place.end() :]
        elif chance.random() < 0.6:
            changed = change_constant(command, chance)
        else:
            names = [parts(commands[i])[0] for i in steps if i < at and commands[i].startswith("(step ")]
            changed = change_premises(command, chance, names or ["h0"])
        if changed and changed != command:
            return at, changed


def concerned(commands, at):
    """The steps that a change of the command at this place concerns: itself, and those that use a name from it."""
    names, places = set(), []
    for place in range(at, len(commands)):
        words = set(WORD.findall(commands[place]))
        if place == at or names & words:
            names |= set(re.findall(r":named (\S+?)\)", commands[place]))
            if commands[place].startswith("(define-fun"):
                names.add(commands[place].split()[1])
            else:
                places.append(place)
    return places


def follows(problem, commands, at):
    """Whether z3 finds that the clauses that a changed step concerns follow from their premises, whatever the rules are."""
    declarations = [e for e in expressions(problem) if re.match(r"\(\s*(declare|define)-", e)]
    places = set(concerned(commands, at))
    lines, clauses, asked = [], {}, 0
    for place, command in enumerate(commands[: max(places) + 1]):
        # Names of parts of terms are definitions.
        for named in re.finditer(r":named (\S+?)\)", command):
            depth, start = 0, named.start()
            while depth >= 0:
                start -= 1
                depth += (command[start] == ")") - (command[start] == "(")
            body = re.sub(r" :named [^\s()]+", "", command[start + 2 : named.start()])
            body = re.sub(r"\(! ", "(and ", body)
            lines.append(f"(define-fun {named.group(1)} () Bool {body})")
        plain = re.sub(r"\(! ", "(and ", re.sub(r" :named [^\s()]+", "", command))
        if command.startswith("(define-fun"):
            lines.append(plain)
            continue
        if command.startswith("(assume"):
            name, formula = re.match(r"\(assume (\S+) (.*)\)$", plain, re.S).groups()
            clauses[name] = [formula]
            if place in places:
                return False
            continue
        name, clause, premises = parts(plain)
        clauses[name] = clause
        if place in places:
            asked += 1
            asserted = [f"(assert (or false {' '.join(clauses[premise])}))" for premise in premises]
            negated = [f"(assert (not {literal}))" for literal in clause]
            lines += ["(push 1)", *asserted, *negated, "(check-sat)", "(pop 1)"]
    return oracles.z3("\n".join(declarations + lines), 20).split() == ["unsat"] * asked


def main(options):
    chance = random.Random(options.seed)
    proofs = []
    for path in options.files:
        proof = run([options.shem, "-t", "60", "--print-witness", "--proof-format", "alethe", path], 120).out
        if proof.startswith("unsat\n") and ":rule" in proof:
            proofs.append((path, sets.read(path), expressions(proof)[1:]))
    if not proofs:
        sys.exit("there is no proof to change")
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "changed.alethe")
        for number in range(options.mutations):
            path, problem, commands = proofs[number % len(proofs)]
            at, changed = mutate(commands, chance)
            whole = commands[:at] + [changed] + commands[at + 1 :]
            with open(target, "w") as file:
                file.write("\n".join(whole) + "\n")
            if oracles.carcara(options.carcara, target, path) != "valid":
                counts["refused"] += 1
            elif oracles.steps(target, path):
                counts["refused by check-steps"] += 1
            elif changed.startswith("(step ") and follows(problem, whole, at):
                counts["still right"] += 1
            else:
                counts["wrong, but accepted"] += 1
                print(f"{path}: accepted though wrong: {changed}", file=sys.stderr)
    print(f"{options.mutations} mutations of {len(proofs)} proofs:", dict(sorted(counts.items())))
    return 1 if counts["wrong, but accepted"] or not counts["refused"] else 0
