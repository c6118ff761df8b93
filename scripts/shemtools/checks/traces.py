"""The answers to every trace of a folder, compared with the recorded ones.

A recorded answer is the `(set-info :status …)` before a check. A check without one may be answered in any way; an
answer `unknown` to a check with one is a failure. Models and cores are not checked here.
"""
import re
import sys

from shemtools import sets
from shemtools.run import run

LINE = re.compile(r"^\(set-info :status (\w+)\)|^\(check-sat", re.M)


def arguments(parser):
    parser.add_argument("shem")
    parser.add_argument("folder")


def recorded(text):
    """The recorded answer to each check, or None."""
    expected, status = [], None
    for match in LINE.finditer(text):
        if match.group(1):
            status = match.group(1)
        else:
            expected.append(status)
            status = None
    return expected


def main(options):
    files = checks = failed = 0
    for trace in sets.problems([options.folder]):
        expected = recorded(sets.read(trace))
        if not expected:
            continue
        printed = run([options.shem, "smt", trace], 120).out.splitlines()
        answers = [line for line in printed if line in ("sat", "unsat", "unknown")]
        files, checks = files + 1, checks + len(expected)
        for at, status in enumerate(expected):
            answer = answers[at] if at < len(answers) else "no answer"
            if status not in (None, answer):
                print(f"{trace}: check {at + 1}: {answer} instead of {status}", file=sys.stderr)
                failed += 1
                break
    print(f"{checks} answers in {files} traces; {failed} traces with a wrong one")
    return 1 if failed or not files else 0
