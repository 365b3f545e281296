"""What all networks of this package share: words of named letters in, answers and traces out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from depthjax.figures.layer_stacks import draw_stacks
from depthjax.figures.plots import styled
from depthjax.figures.traces import Trace, TracedLayer

__all__ = ["Network"]


class Network(ABC):
    """A network that reads words; a string spells letters of one character, and a list names any letters.

    Attributes:
        title: What it computes.
        letters: The alphabet.
        kinds: What each layer does, lowest first.
        reading: How its title is read, where other tools read the same text otherwise.
    """

    title: str
    letters: tuple[str, ...]
    kinds: tuple[str, ...]
    reading: str = ""

    @property
    def depth(self) -> int:
        """Number of layers."""
        return len(self.kinds)

    def __repr__(self) -> str:
        return f"<Network for {self.title}: {self.depth} layer{'s' * (self.depth != 1)}, letters {' '.join(self.letters[:20])}>"

    def __call__(self, word: str | Sequence[str]) -> tuple[bool | str, ...]:
        """Return the answer at each letter.

        Raises:
            ValueError: The word is empty, or a letter is unknown.
        """
        return self.answers(self.numbers(word))

    def trace(self, word: str | Sequence[str]) -> Trace:
        """Return what every layer does to a word: `layers` as named arrays, `figure()` as a picture.

        Raises:
            ValueError: The word is empty, or a letter is unknown.
        """
        numbers = self.numbers(word)
        return Trace(self.title, tuple(word), tuple(self.layers(numbers)), self.answers(numbers))

    def figure(self) -> Figure:
        """Return the picture of the layers, lowest at the bottom."""
        with styled(self.title):
            page = Figure(figsize=(0.11 * max(24, *map(len, self.kinds), len(self.title)), 0.7 + 0.55 * self.depth))
            FigureCanvasSVG(page)
            draw_stacks(page, [""], [self.kinds], self.title)
        return page

    def numbers(self, word: str | Sequence[str]) -> np.ndarray:
        """Return the numbers of the letters of a word.

        Raises:
            ValueError: The word is empty, or a letter is unknown.
        """
        if not len(word):
            raise ValueError("the word is empty: a network answers at letters, so it needs one at least")
        for place, letter in enumerate(word, 1):
            if letter not in self.letters:
                raise ValueError(
                    f"letter {letter!r} at place {place} is unknown: the letters are {', '.join(self.letters)}; others can be "
                    "given for a formula or an expression (letters=, --letters)"
                )
        return np.array([self.letters.index(letter) for letter in word], np.int32)

    @abstractmethod
    def answers(self, word: np.ndarray) -> tuple[bool | str, ...]:
        """Return the answer at each letter of a word of numbers."""

    @abstractmethod
    def layers(self, word: np.ndarray) -> list[TracedLayer]:
        """Return what each layer does to a word of numbers; the first entry holds what the letters alone say."""
