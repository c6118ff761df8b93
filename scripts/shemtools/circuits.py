"""ABC on circuits that shem has converted to AIGER."""
from shemtools.run import run

# ABC takes latches without an initial value for zero, unless they are made inputs of the first step before. The
# constraints become part of the property.
PREPARE = "logic; undc; strash; zero; fold"


def abc(program, file, command, limit, by_processor=False):
    """The verdict of a command of ABC on a file in AIGER, and the seconds that it took."""
    done = run([program, "-c", f"read_aiger {file}; {PREPARE}; {command}"], limit, by_processor=by_processor)
    if "Property proved" in done.out:
        return "sat", done.seconds
    return ("unsat" if "was asserted in frame" in done.out else "unknown"), done.seconds
