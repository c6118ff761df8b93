"""``python -m shem``: the program ``shem``."""

import sys

from . import _shem


def run() -> None:
    """Runs the program with the arguments of this process."""
    # Ctrl-C is the program's own business.
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_shem.main(sys.argv[1:]))


if __name__ == "__main__":
    run()
