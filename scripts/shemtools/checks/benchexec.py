"""The examples through BenchExec with the tool-info module of Shem, and the module's own tests.

BenchExec comes from PyPI into TARGET/benchexec unless it is installed. No container and no control groups are needed.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from shemtools.oracles import ROOT, python_package


def arguments(parser):
    parser.add_argument("shem", type=Path)
    parser.add_argument("target", type=Path, nargs="?", default=ROOT / "target")


def main(options):
    found = python_package("benchexec", "benchexec", options.target.resolve() / "benchexec")
    if found is None:
        return 1
    tool, shem = ROOT / "tools/benchexec", options.shem.resolve()
    environment = os.environ | {"PYTHONPATH": f"{ROOT}:{found}:{os.environ.get('PYTHONPATH', '')}"}
    subprocess.run([sys.executable, "-m", "unittest", "--quiet", "tools.benchexec.test_shem"], cwd=ROOT,
                   env=environment, check=True)
    # A folder of its own: BenchExec looks for tasks beside the definition.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bin").mkdir()
        (folder / "bin/shem").symlink_to(shem)
        for file in ("examples.xml", "check-sat.prp"):
            shutil.copy(tool / file, folder)
        subprocess.run([tool / "make-tasks", folder / "tasks", folder / "check-sat.prp",
                        *sorted((ROOT / "examples/horn").glob("*.smt2"))], check=True)
        files = len(list((folder / "tasks").glob("**/*.yml")))
        command = [sys.executable, "-m", "benchexec.benchexec", "--no-container", "--tool-directory", folder / "bin",
                   "--outputpath", f"{folder}/results/", "--numOfThreads", "1", folder / "examples.xml"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
    correct = re.search(r"^  correct: *(\d+)$", done.stdout, re.M)
    if done.returncode or not correct or int(correct.group(1)) != files:
        print(done.stdout, done.stderr, f"BenchExec did not find all {files} answers correct", file=sys.stderr)
        return 1
    print(f"BenchExec: all {files} answers are correct")
    return 0
