"""The ``depthjax`` command: which commands there are. `experiments.shell` parses them and turns errors into exit codes."""

import sys
from importlib import metadata
from typing import Any

from experiments.commands.bound import Bound
from experiments.commands.listing import List, Show
from experiments.commands.probe import Probe
from experiments.commands.replay import Replay, Report
from experiments.commands.sweep import Sweep
from experiments.commands.trace import Trace
from experiments.commands.verify import Verify
from experiments.shell import guarded, parsed

DESCRIPTION = """Verify what theory says of the depth of sequence models: predictions, measurements, verdicts.

examples:
  depthjax list                               every claim, its source, its last verdict
  depthjax show tower_error_order             what it says, and what would refute it
  depthjax verify                             all claims, quick size
  depthjax verify lie --size full --jobs 4    one topic
  depthjax bound tower --letters 3 --layers 2
  depthjax probe layer.py:transitions         the algebra and the group that your layer's letters generate
  depthjax --version

exit codes of verify: 0 all supported, 1 something refuted, 3 nothing refuted but something open, 2 usage, 4 the program
failed (its traceback is on standard error).
"""


COMMANDS: dict[str, type] = {
    "list": List,
    "show": Show,
    "verify": Verify,
    "replay": Replay,
    "report": Report,
    "bound": Bound,
    "trace": Trace,
    "sweep": Sweep,
    "probe": Probe,
}


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    return guarded(lambda: command(sys.argv[1:] if argv is None else argv).run())


def command(arguments: list[str]) -> Any:
    """The command that the arguments ask for.

    The questions of `depthjax bound` are made only when that command is asked, because they import `theory`.

    Raises:
        UsageError: the arguments fit no command.
    """
    if arguments == ["--version"]:
        return _Version()
    more = {"bound": Bound.about(arguments[1:])} if arguments[:1] == ["bound"] else {}
    return parsed(COMMANDS | more, "depthjax", DESCRIPTION, arguments)


class _Version:
    def run(self) -> int:
        print(f"depthjax {metadata.version('depthjax')}")
        return 0


if __name__ == "__main__":
    sys.exit(main())
