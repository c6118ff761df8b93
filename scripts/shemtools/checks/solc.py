"""The contracts of examples/solidity, compiled by solc-js with Shem behind its model checker.

Each verification target is compared with what the comments in the contracts expect. solc comes from npm into
TARGET/solc. Shem is called in three ways: as z3, which solc-js finds on the path by its own means; as Eldarica, with
models from which solc reads invariants; and as z3 with proofs, which are read by the rules of solc. (The build of solc
for JavaScript has a z3 of its own inside, so that it takes no proof from outside.)
"""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from shemtools.oracles import ROOT

VERSION = "0.8.37"


def arguments(parser):
    parser.add_argument("shem", type=Path)
    parser.add_argument("target", type=Path, nargs="?", default=ROOT / "target")


def install(folder):
    """The folder of solc, installed if it is not there in this version."""
    solc = folder / "node_modules/solc"
    package = solc / "package.json"
    if not package.exists() or json.loads(package.read_text())["version"] != VERSION:
        if not shutil.which("npm"):
            sys.exit("node with npm is needed for solc")
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder,
                        f"solc@{VERSION}"], check=True)
    return solc


def main(options):
    folder = options.target.resolve() / "solc"
    solc, links = install(folder), folder / "links"
    links.mkdir(exist_ok=True)
    for name in ("z3", "eld"):
        (links / name).unlink(missing_ok=True)
        (links / name).symlink_to(options.shem.resolve())

    def check(words, names, *more):
        print(words, flush=True)
        contracts = [file for name in names for file in sorted((ROOT / "examples/solidity").glob(f"{name}.sol"))]
        subprocess.run(["node", ROOT / "tools/solc/check.js", "--solc", solc, *more, *contracts], cwd=ROOT, check=True,
                       env=os.environ | {"PATH": f"{links}:{os.environ['PATH']}"})

    check("As z3, found by solc-js on the path:", ["*"], "--own", "z3")
    check("As Eldarica, with models:", ["counter", "structs", "reentrancy"],
          "--solver", f"{links}/eld -hsmt -in -t:10 -ssol", "--invariants")
    check("As z3, with proofs:", ["counter", "inheritance", "token"],
          "--solver", f"{links}/z3 -in -smt2 -t:10000", "--proofs")
    return 0
