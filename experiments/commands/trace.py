"""``depthjax trace``: what every attention layer of a constructed hop transformer does to one word, position by position."""

import dataclasses
from typing import Annotated, Any, Literal

import numpy as np
import tyro

from experiments.terminal import console, print_json, usage


@dataclasses.dataclass(frozen=True)
class Trace:
    """Attention targets and residual fields by layer, for k hops on a word.

    Example: depthjax trace abracadabra --hops 3 --mask causal
    """

    word: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="WORD")]
    """Its characters are the letters."""
    hops: int = 2
    """Number of hops."""
    mask: Literal["strict", "causal"] = "strict"
    """What layer 1 sees."""
    json: bool = False
    """Print one JSON array, a layer an entry, and nothing else."""

    def run(self) -> int:
        """Print a table for every layer."""
        import jax.numpy as jnp

        from depthjax.constructions import hop_transformer

        letters = sorted(set(self.word))
        tokens = jnp.array([letters.index(letter) for letter in self.word], jnp.int32)
        with usage(ValueError):
            model, weights = hop_transformer(self.hops, len(self.word), len(letters), self.mask)
            layers = model.trace(weights, tokens)
        names = [*letters, "none"]
        rows = [{"layer": i, "mask": m, **_readable(layer, names)} for i, m, layer in _numbered(model.masks, layers)]
        if self.json:
            print_json(rows)
        else:
            _print(self.word, rows)
        return 0


def _numbered(masks: tuple[str, ...], layers: list[dict[str, np.ndarray]]) -> list[tuple[int, str, dict[str, np.ndarray]]]:
    return [(i, masks[i - 1], layer) for i, layer in enumerate(layers) if i]


def _readable(layer: dict[str, np.ndarray], names: list[str]) -> dict[str, Any]:
    """Positions 1, ..., length: where each attends, its pointer and its letter so far, and the least weight on a target."""
    return {
        "target": layer["target"][1:].tolist(),
        "pointer": layer["pointer"][1:].round().astype(int).tolist(),
        "token": [names[round(float(token))] for token in layer["token"][1:]],
        "least_weight": float(layer["attention"].max(axis=1).min()),
    }


def _print(word: str, rows: list[dict[str, Any]]) -> None:
    from rich.table import Table
    from rich.text import Text

    for row in rows:
        title = f"layer {row['layer']} ({row['mask']} mask), weight on a target at least {row['least_weight']:.3f}"
        console().print(title, style="italic", soft_wrap=True)
        lines = {"position": range(1, len(word) + 1), "letter": word, "attends to": row["target"]}
        lines |= {"pointer": row["pointer"], "token": row["token"]}
        cells = {name: [*map(str, values)] for name, values in lines.items()}
        head, column = max(map(len, cells)) + 1, max(len(cell) for line in cells.values() for cell in line) + 1
        fitting = max(1, (console().width - head) // column)
        for start in range(0, len(word), fitting):
            table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1, 0, 0))
            for name, line in cells.items():
                table.add_row(Text(name, style="bold"), *map(Text, line[start : start + fitting]))
            console().print(table)
