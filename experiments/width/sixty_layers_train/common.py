"""What a stack of layers is."""

from typing import NamedTuple


class Stack(NamedTuple):
    """A stack of layers: its depth, the placement of its norms, and the squared weight of its stream where it is constant."""

    norm: str
    depth: int
    square: float = 1.0

    @property
    def name(self) -> str:
        """The stack in a word or two."""
        return f"{self.depth} {self.norm}" + (f" {self.square:g}" if self.norm == "constant" else "")
