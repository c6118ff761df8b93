"""Builds the package: maturin does it, after the program ``shem`` was put beside the Python files, for ``python -m shem``.

``SHEM_PROGRAM`` names a program that is there already; without it cargo builds one. An installation that refers to the
sources (``pip install -e``, ``maturin develop``) has none: there ``python -m shem`` is the program on the path.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import maturin
from maturin import (  # noqa: F401
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_wheel,
)

HERE = Path(__file__).resolve().parent


def program():
    """The path of the program ``shem``."""
    built = os.environ.get("SHEM_PROGRAM")
    if built:
        return Path(built)
    command = ["cargo", "build", "--release", "-p", "shem", "--message-format=json-render-diagnostics"]
    output = subprocess.run(command, cwd=HERE.parent, check=True, stdout=subprocess.PIPE).stdout
    messages = [json.loads(line) for line in output.splitlines()]
    (path,) = (message["executable"] for message in messages if message.get("executable"))
    return Path(path)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The wheel, with the program."""
    path, folder = program(), HERE / "package/shem/bin"
    folder.mkdir(exist_ok=True)
    try:
        shutil.copy(path, folder / ("shem.exe" if path.suffix == ".exe" else "shem"))
        return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    finally:
        shutil.rmtree(folder)
