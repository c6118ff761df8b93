"""Models, pushes and pops through pySMT with Shem as its solver, and pySMT's own examples for linear arithmetic.

pySMT comes from PyPI into TARGET/pysmt; where it cannot be had, one line says so.
"""
import os
import subprocess
import sys
from pathlib import Path

from shemtools.oracles import ROOT, python_package


def arguments(parser):
    parser.add_argument("shem", type=Path)
    parser.add_argument("target", type=Path, nargs="?", default=ROOT / "target")


def main(options):
    found = python_package("pysmt", "pysmt==0.9.6", options.target.resolve() / "pysmt")
    if found is None:
        print("pySMT is not tested: pip could not install it")
        return 0
    environment = os.environ | {"PYTHONPATH": f"{found}:{os.environ.get('PYTHONPATH', '')}"}
    command = [sys.executable, ROOT / "tools/pysmt/check.py", options.shem.resolve()]
    return subprocess.run(command, env=environment, timeout=300).returncode
