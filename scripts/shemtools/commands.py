"""Commands with subcommands, each of which is a module.

A module of a subcommand has a docstring, whose first line is its help, a function `arguments` that declares the
options, and a function `main` that takes them and returns the exit code. Only the module that is asked for is loaded,
so a subcommand may need what others do not.
"""
import argparse
import ast
import importlib
import sys
from pathlib import Path


def modules(folder):
    """The subcommands of a folder of this package, with their docstrings."""
    files = sorted((Path(__file__).parent / folder).glob("[a-z]*.py"))
    return {file.stem.replace("_", "-"): ast.get_docstring(ast.parse(file.read_text())) for file in files}


def parser(folder, name, prog):
    """The module of a subcommand, and the parser of its options."""
    module = importlib.import_module(f"shemtools.{folder}.{name.replace('-', '_')}")
    made = argparse.ArgumentParser(prog=f"{prog} {name}", description=module.__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
    module.arguments(made)
    return module, made


def main(folder, description):
    """Runs the subcommand that the command line names."""
    prog = f"scripts/{Path(sys.argv[0]).name}"
    found = modules(folder)
    words = sys.argv[1:]
    if not words or words[0] not in found:
        lines = [f"  {name:14} {text.splitlines()[0]}" for name, text in found.items()]
        text = "\n".join([f"usage: {prog} NAME …   ({prog} NAME --help tells more)", "", description, "", *lines])
        if words[:1] in (["--help"], ["-h"]):
            print(text)
            return 0
        sys.exit(text)
    module, made = parser(folder, words[0], prog)
    return module.main(made.parse_intermixed_args(words[1:]))
