"""The command ``depthjax``, and ``python -m depthjax``: the command line of `experiments`, which lies beside this package.

A user's own package of that name may come first on the path. This process is depthjax's alone, so here ours comes first.
"""

import gc
import importlib
import sys

from depthjax.located import OWN
from depthjax.runs import places


def main() -> int:
    """Run the command of this process; returns its exit code."""
    places.settle(OWN)
    try:
        return importlib.import_module("experiments.cli").main()
    finally:
        gc.freeze()  # the process ends now, and a last search for garbage in sympy takes a tenth of a second


if __name__ == "__main__":
    sys.exit(main())
