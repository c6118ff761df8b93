"""The models that shem prints, confirmed by z3.

Each FILE is a Horn problem. Its answer must be the one of its (set-info :status ...); the options for shem are those of
a comment `; options: ...`. After sat, the printed definitions take the place of the declarations, and z3 must find that
no clause can be false. Needs z3 on the path.
"""
import re

from shemtools import oracles, sets, smtlib
from shemtools.run import run

LIMIT = 60


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("files", nargs="+")


def check(shem, path):
    """What is wrong, or None; and whether a model was confirmed."""
    script = sets.read(path)
    status = smtlib.statuses(script)
    options = re.search(r"^; options: (.*)$", script, re.M)
    options = options.group(1).split() if options else []
    result = run([shem, *options, "--print-witness", "--validate", "-t", LIMIT, path], 2 * LIMIT)
    answer, _, witness = result.out.partition("\n")
    if result.code != 0:
        return f"exit code {result.code}: {result.out}{result.err}", False
    if status and answer != status[0]:
        return f"the answer is {answer}, not {status[0]}", False
    if answer != "sat":
        return None, False
    try:
        verdict = oracles.z3(smtlib.model_question(script, witness), LIMIT)
    except ValueError as error:
        return str(error), False
    return (None, True) if verdict == "unsat" else (f"z3 says {verdict} about the model", False)


def main(options):
    failures = confirmed = 0
    for path in options.files:
        mistake, model = check(options.shem, path)
        confirmed += model
        failures += mistake is not None
        print(f"{path}: {mistake or ('model confirmed' if model else 'ok')}")
    print(f"{len(options.files)} files, {confirmed} models confirmed, {failures} failures")
    return 1 if failures or not confirmed else 0
