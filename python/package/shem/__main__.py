"""``python -m shem``: the program ``shem``."""

import os
import shutil
import subprocess
import sys
from typing import Optional


def program() -> Optional[str]:
    """The path of the program: a wheel has it; where the package is used from its sources, it is the one on the path."""
    own = os.path.join(os.path.dirname(__file__), "bin", "shem.exe" if os.name == "nt" else "shem")
    return own if os.path.exists(own) else shutil.which("shem")


def run() -> None:
    """Runs the program with the arguments of this process, in its place."""
    path = program()
    if path is None:
        sys.exit("shem: the program is neither in this installation of the package nor on the path")
    if os.name == "nt":
        sys.exit(subprocess.call([path, *sys.argv[1:]]))
    os.execv(path, ["shem", *sys.argv[1:]])


if __name__ == "__main__":
    run()
