"""The Python package, as a wheel, under two versions of Python.

Builds the wheel into TARGET/wheels, installs it for two versions of Python, and runs its tests: those of all versions by
pytest, in the first one with pandas, the tutorial notebook, mypy and pyright. Needs python3 with venv and pip, and what Rust needs.
PYTHONS names other versions to use: PYTHONS="python3.9 python3.13".
"""
import os
import shutil
import subprocess
from pathlib import Path

from shemtools.oracles import ROOT

VERSION = "import ensurepip, sys; print('%d.%d' % sys.version_info[:2])"


def arguments(parser):
    parser.add_argument("target", type=Path)


def version(python):
    """The version of a Python that runs, or nothing."""
    try:
        return subprocess.run([python, "-c", VERSION], capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""


def pythons():
    """python3, and the oldest of the other versions from 3.9 on."""
    names = ["python3", *(f"python3.{minor}" for minor in range(9, 21))]
    names += sorted(Path.home().glob(".pyenv/versions/3.*/bin/python3"))
    found = {}
    for python in names:
        number = version(python)
        if number and int(number.split(".")[1]) >= 9:
            found.setdefault(number, str(python))
    first, *others = found.items()
    others.sort(key=lambda other: int(other[0].split(".")[1]))
    return [python for _, python in [first, *others[:1]]]


def main(options):
    target = options.target.resolve()
    chosen = os.environ.get("PYTHONS", "").split() or pythons()
    if len(chosen) < 2:
        print(f"only one version of Python is here: {chosen[0]}")

    def call(*command, **more):
        subprocess.run(command, check=True, **more)

    shutil.rmtree(target / "wheels", ignore_errors=True)
    call(chosen[0], "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", target / "wheels", ROOT / "python",
         env=os.environ | {"CARGO_TARGET_DIR": str(target)})
    wheels = list((target / "wheels").glob("*.whl"))
    for python in chosen:
        own = target / f"python-{version(python)}" / "bin/python"
        if not own.exists():
            call(python, "-m", "venv", own.parent.parent)
        more = ["pandas", "nbclient", "nbformat", "ipykernel", "mypy", "pyright[nodejs]"] if python == chosen[0] else []
        call(own, "-m", "pip", "install", "--quiet", "pytest", *more)
        call(own, "-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", *wheels)
        print(f"Python {version(python)}:", flush=True)
        call(own, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", cwd=ROOT / "python")
    return 0
