"""Programs by others: z3, cvc5 and Carcara, with check-steps; and packages that are installed for a check."""
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

from shemtools.run import run

ROOT = Path(__file__).resolve().parents[2]
STEPS = ROOT / "scripts" / "check-steps"
# How Carcara has to read a problem: with `let` and `define-fun` put in, integers being reals.
READING = ["--expand-let-bindings", "--apply-function-defs", "--allow-int-real-subtyping"]


def z3(text, seconds, *options):
    """What z3 prints for a text."""
    return run(["z3", "-in", f"-T:{seconds}", *options], seconds + 30, text=text).out.strip()


def carcara(program, proof, problem):
    """Carcara's verdict about a proof: `valid`, or what is wrong with it."""
    done = subprocess.run([program, "check", *READING, proof, problem], capture_output=True, text=True)
    verdict = done.stdout.strip() or "error"
    return verdict if verdict == "valid" else f"{verdict}: {done.stderr.strip()[:300]}"


def steps(proof, problem):
    """What check-steps has against a proof, or nothing."""
    done = subprocess.run([STEPS, proof, problem], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr.strip() or "refused"


def answer_problems(words, decide):
    """Answers the problems of a file as shem-diff writes them for z3: options such as -t:MILLISECONDS, and the file. Each
    problem stands between (echo "#n") markers; `decide` gets its text, as one without scopes, and the limit."""
    *options, path = words
    limit = next((word[3:] for word in options if word.startswith("-t:")), "5000")
    first, *rest = re.split(r'\(echo "(#\d+)"\)\n', Path(path).read_text())
    if first.strip():
        decide(first, limit)
    for marker, problem in zip(rest[::2], rest[1::2]):
        print(marker, flush=True)
        if problem.strip():
            decide(problem.replace("(push 1)\n", "", 1).replace("(pop 1)\n", ""), limit)
        sys.stdout.flush()


def cvc5_solver(text, **options):
    """A solver of cvc5, and the parser of a text for it; the package is loaded only here."""
    import cvc5
    solver = cvc5.Solver(cvc5.TermManager())
    for option, value in options.items():
        solver.setOption(option.replace("_", "-"), value)
    solver.setLogic("ALL")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "text")
    return solver, parser


def cvc5_complaint(text):
    """What cvc5 says against reading a text, or None."""
    solver, parser = cvc5_solver(text)
    try:
        while not (command := parser.nextCommand()).isNull():
            command.invoke(solver, parser.getSymbolManager())
    except Exception as error:  # Whatever it is, cvc5 does not read the text.
        return str(error)
    return None


def python_package(module, requirement, folder):
    """The value of PYTHONPATH under which a package is found, installed from PyPI into a folder if need be; None if it
    cannot be had."""
    if importlib.util.find_spec(module):
        return ""
    if not (folder / module).exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", "--target", folder, requirement]
        if subprocess.run(command).returncode:
            return None
    return str(folder)
