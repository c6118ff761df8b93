"""What shem prints, read by z3 and cvc5: interpolants, formulas without quantifiers, models of Horn clauses.

Each SCRIPT is run, by `shem smt` or, if its logic is HORN, by `shem --print-witness`. Its own declarations and each
formula that shem prints, as an assertion, or the definitions of a model then have to be read by both solvers without a
complaint. Needs z3 on the path and the Python package cvc5.
"""
from shemtools import oracles, sets, smtlib
from shemtools.run import run
from shemtools.smtlib import head

# Commands that print one expression.
ASKING = ("check-sat", "check-sat-assuming", "get-qe", "get-qe-disjunct", "get-interpolants", "get-value", "get-model",
          "get-unsat-core", "get-info", "get-option", "echo", "get-assignment", "get-proof", "get-unsat-assumptions",
          "get-assertions")


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("scripts", nargs="+")


def formulas(commands, outputs):
    """The formulas that shem has printed for get-qe and get-interpolants."""
    for command, output in zip((c for c in commands if head(c) in ASKING), outputs):
        if output == "unknown" or head(output) == "error":
            continue
        if head(command) in ("get-qe", "get-qe-disjunct"):
            yield output
        elif head(command) == "get-interpolants":
            yield from smtlib.parts(output)


def z3_complaint(text):
    return next((line for line in oracles.z3(text, 60).splitlines() if "error" in line), None)


def main(options):
    count = bad = 0
    for file in options.scripts:
        text = sets.read(file)
        commands = smtlib.expressions(text)
        kept = [c for c in commands if head(c) in (*smtlib.DEFINITIONS, "declare-fun", "declare-const")]
        if smtlib.is_horn(text):
            outputs = smtlib.expressions(run([options.shem, "--print-witness", file], 120).out)
            sorts = [c for c in kept if not head(c).startswith("declare-fun") and head(c) != "declare-const"]
            printed = ["\n".join(sorts + smtlib.parts(outputs[1]))] if outputs[:1] == ["sat"] else []
        else:
            outputs = smtlib.expressions(run([options.shem, "smt", file], 120).out)
            printed = ["\n".join([*kept, f"(assert {formula})"]) for formula in formulas(commands, outputs)]
        for text in printed:
            count += 1
            for solver, complain in (("z3", z3_complaint), ("cvc5", oracles.cvc5_complaint)):
                if complaint := complain(text):
                    bad += 1
                    print(f"{file}: {solver} does not read what was printed: {complaint}\n{text}")
    print(f"{count} formulas and models of {len(options.scripts)} scripts read by z3 and cvc5, {bad} complaints")
    return 1 if bad or not count else 0
