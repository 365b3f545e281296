"""Cells that end well and badly, for processes that the tests start."""

import dataclasses
import os
import signal
import sys
import time

from depthjax.runs.children import waiting_for_another


@dataclasses.dataclass(frozen=True)
class Toy:
    """What happens to a cell, for so many seconds or mebibytes."""

    kind: str
    size: float = 0.0

    def __call__(self, tell):
        tell(self.kind, 1)
        match self.kind:
            case "is killed":
                os.kill(os.getpid(), signal.SIGKILL)
            case "exits":
                os._exit(3)
            case "fails":
                raise ValueError(f"size {self.size}")
            case "stands still":
                time.sleep(self.size)
            case "waits":
                with waiting_for_another():
                    time.sleep(self.size)
            case "eats":
                held = []
                while len(held) < self.size:
                    held.append(bytearray(os.urandom(1 << 10)) * (1 << 10))
                time.sleep(3)  # the limit is looked at once a second
        tell(self.kind, 2)
        return self.kind, os.getpid(), "" in sys.path or os.getcwd() in sys.path
