"""The package and a program that uses it satisfy mypy --strict and pyright."""

import os
import pathlib
import subprocess
import sys

import pytest

import shem

HERE = pathlib.Path(__file__).parent


@pytest.mark.parametrize("checker, words", [("mypy", ["--strict", "--cache-dir", os.devnull]), ("pyright", [])])
def test_types(checker, words):
    pytest.importorskip(checker)
    package = pathlib.Path(shem.__file__).parent
    environment = {**os.environ, "MYPYPATH": str(package.parent), "PYTHONPATH": str(package.parent)}
    command = [sys.executable, "-m", checker, *words, str(package), str(HERE / "typed_use.py")]
    # Where packages are installed, mypy finds this one by itself, and refuses to be told.
    if checker == "mypy" and package.parent.name == "site-packages":
        del environment["MYPYPATH"], environment["PYTHONPATH"]
        command[-2:] = [str(HERE / "typed_use.py")]
    if checker == "pyright":
        command[3:3] = ["--pythonpath", sys.executable]
    run = subprocess.run(command, cwd=HERE, env=environment, stdout=subprocess.PIPE, text=True)
    assert run.returncode == 0, run.stdout
