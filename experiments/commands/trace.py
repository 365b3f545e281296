"""``depthjax trace``: what every layer of a constructed network does to one word, letter by letter."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from experiments.commands.given import resolved
from experiments.terminal import UsageError, console, print_json, usage

if TYPE_CHECKING:
    from depthjax.figures.traces import Trace as Traced
    from depthjax.figures.traces import TracedLayer
    from experiments.networks import Network


@dataclasses.dataclass(frozen=True)
class TraceCommand:
    """Where each head looks and what is known after each layer: for hops, a temporal formula, or an automaton.

    Examples:
      depthjax trace abracadabra --hops 3 --mask causal
      depthjax trace babba --formula "a S (b & P a)" --figure trace.png
      depthjax trace 0110 --automaton D4
    """

    word: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="WORD")]
    """Its characters are the letters; with blanks in it, its words are."""
    hops: int | None = None
    """Number of hops; 2 where nothing else is asked."""
    mask: Literal["strict", "causal"] = "strict"
    """What layer 1 sees, for hops."""
    formula: str | None = None
    """A formula of temporal logic."""
    automaton: str | None = None
    """An automaton: its name, regex:EXPRESSION, or a file in HOA, DOT, BA or JSON."""
    letters: str | None = None
    """The alphabet of a formula or a regex, one character for each letter; with blanks in it, its words are the letters. By
    default the letters that occur."""
    figure: Path | None = None
    """Draw the picture into this file as well (PNG, SVG or PDF)."""
    json: bool = False
    """Print one JSON object, whose `layers` has an entry for each layer, and nothing else."""

    def run(self) -> int:
        """Print a table for every layer."""
        word = self.word.split() if " " in self.word.strip() else list(self.word)
        with usage(ValueError):
            network = self._network(word)
            traced = network.trace(word)
        if self.figure is not None:
            with usage(OSError, ValueError):
                traced.figure().savefig(self.figure)
        if self.json:
            print_json({"layers": [_facts(number, layer) for number, layer in enumerate(traced.layers) if number]})
        else:
            if network.reading:
                console().print(network.reading, style="italic", markup=False, soft_wrap=True)
            _print(traced)
        return 0

    def _network(self, word: list[str]) -> "Network":
        from experiments import networks
        from theory.automata import named_or_loaded, semiautomaton

        given = {"hops": self.hops, "formula": self.formula, "automaton": self.automaton}
        if sum(value is not None for value in given.values()) > 1:
            raise UsageError("give one of --hops, --formula and --automaton: each is another network")
        if self.formula is not None:
            return networks.formula(self.formula, self.letters)
        if self.automaton is not None:
            found = resolved("Semiautomaton", self.automaton) if self.letters is None else self.automaton
            return networks.automaton(named_or_loaded(found, self.letters) if isinstance(found, str) else semiautomaton(found))
        if self.letters is not None:
            raise UsageError(
                "--letters is the alphabet of a --formula or a regex; hops are traced among the letters of the word"
            )
        if not word:
            raise UsageError("length must be at least 1: the word is empty")
        return networks.hops(2 if self.hops is None else self.hops, sorted(set(word)), self.mask)


def _facts(number: int, layer: "TracedLayer") -> dict[str, Any]:
    return {
        "layer": number,
        "title": layer.title,
        "looks_at": {head: layer.looks_at(head) for head in layer.attention},
        "knows": dict(layer.knows),
        "least_weight": _least(layer),
    }


def _least(layer: "TracedLayer") -> float:
    """The least weight, over letters and heads, on the letter that has the most."""
    return min((float(weights.max(axis=1).min()) for weights in layer.attention.values()), default=0.0)


def _print(traced: "Traced") -> None:
    from rich.table import Table
    from rich.text import Text

    for layer in traced.layers[1:]:
        title = f"{layer.title}, weight on a target at least {_least(layer):.3f}" if layer.attention else layer.title
        console().print(title, style="italic", soft_wrap=True)
        lines: dict[str, Any] = {"position": range(1, len(traced.word) + 1), "letter": traced.word}
        lines |= {f"{head} at": layer.looks_at(head) for head in layer.attention}
        lines |= {
            name: [int(value) if isinstance(value, bool) else value for value in row] for name, row in layer.knows.items()
        }
        cells = {name: [*map(str, values)] for name, values in lines.items()}
        head, column = max(map(len, cells)) + 1, max(len(cell) for line in cells.values() for cell in line) + 1
        fitting = max(1, (console().width - head) // column)
        for start in range(0, len(traced.word), fitting):
            table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1, 0, 0))
            for name, line in cells.items():
                table.add_row(Text(name, style="bold"), *map(Text, line[start : start + fitting]))
            console().print(table)
