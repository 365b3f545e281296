"""After how many layers networks of hard attention tell pairs apart: universal, compiled and sampled ones."""

from functools import cache, partial

import jax
import numpy as np
import xarray as xr

from depthjax.constructions.compiled.formulas import CompiledFormulas
from depthjax.instruments.layers_needed import fewest_layers
from depthjax.tasks.short_words import short_words
from depthjax.verify import Cell, Quantity, measured
from experiments.logic._compiled import compiled
from experiments.logic.hard_attention_depth_strict.common import LETTERS, short
from experiments.logic.hard_attention_depth_strict.hard_networks import knowledge, random_networks, telling_networks


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The first layers at which universal and sampled networks tell the pairs apart, and the layers that recognise runs."""
    pairs, lengths = given["pairs"], given["lengths"]

    def first(letters: np.ndarray, lengths: np.ndarray, layers: int = cell.most, mask: str = "strict") -> np.ndarray:
        """After which layer the universal network tells each pair apart first."""
        last = [
            knowledge(pair, np.full(2, length), layers, sides=cell.sides, mask=mask)[:, :, length - 1]
            for pair, length in zip(letters, lengths, strict=True)
        ]
        return _first(np.array([each[:, 0] != each[:, 1] for each in last]))

    known = pairs + len(LETTERS) * np.arange(pairs.shape[-1])
    shorter = np.maximum(np.arange(cell.most) - 1, 0)
    far = given["far_pairs"], given["far_lengths"]
    short_ones, ends = short_words(len(LETTERS), cell.length)
    states = knowledge(short_ones, ends, cell.compiled, sides=cell.sides)
    networks = random_networks(key, cell.networks, cell.most, len(LETTERS))
    sampled = telling_networks(networks, pairs, lengths, sides=cell.sides) > 0
    types, runs = (compiled(given[name]) for name in ("types", "runs"))
    holds = _at_ends(types, short_ones, ends)
    answers = _at_ends(types, pairs.reshape(2 * len(pairs), -1), np.repeat(lengths, 2))
    typed = answers[:, ::2] != answers[:, 1::2]
    return measured(
        run=np.arange(1, cell.most + 1),
        depth=np.arange(cell.compiled + 1),
        layers=Quantity(first(pairs, lengths), "run", label="layers after which some network tells the pair apart"),
        far_layers=Quantity(first(*far, int(far[1].max()) // 2), "far_run", label="the same for longer runs"),
        layers_of_shorter=Quantity(first(pairs[shorter], lengths[shorter]), "run", label="the same for a run one shorter"),
        layers_not_strict=Quantity(
            first(pairs, lengths, mask="causal"),
            "run",
            label="the same if heads see their own place; one more than all if none",
        ),
        placed=Quantity(first(known, lengths), "run", label="the same if networks know positions"),
        letters_with_places=Quantity(np.unique(known).sum(), label="sum of the letters that such networks know"),
        networks=Quantity(len(networks.letters), label="sampled networks"),
        sampled=Quantity(_first(sampled.T), "run", label="layers after which some sampled network tells it apart"),
        needed=Quantity(_needed(cell, runs), "run", label="layers that see it"),
        typed=Quantity(
            [int((holds[given["depths"] == depth].sum(axis=0) == 1).sum()) for depth in range(cell.compiled + 1)],
            "depth",
            label="short words at whose end one compiled type holds",
        ),
        states=Quantity([len(np.unique(each[each >= 0])) for each in states], "depth", label="states of the universal network"),
        telling=Quantity(
            [typed[given["depths"] == depth].sum(axis=0) for depth in range(cell.compiled + 1)],
            "depth run",
            label="compiled types that tell the pair apart",
        ),
    )


def _first(told: np.ndarray) -> np.ndarray:
    """The first layer at which each pair is told apart, one more than there are if there is none."""
    return np.where(told.any(axis=1), told.argmax(axis=1), told.shape[1])


def _needed(cell: Cell, runs: CompiledFormulas) -> list[int]:
    """The fewest layers with which each network is right about its run at the last letter of every short word."""
    words, lengths = short_words(len(LETTERS), cell.length)
    whole = sum(len(LETTERS) ** length for length in range(1, cell.length + 1))

    @cache
    def answers(layers: int) -> np.ndarray:
        return _at_ends(runs, words, lengths, layers)

    def errors(run: int, layers: int) -> int:
        return whole - int((answers(layers)[run - 1] == np.array(["a" * run in word for word in short(cell.length)])).sum())

    return [fewest_layers(partial(errors, run), cell.most) for run in range(1, cell.most + 1)]


def _at_ends(networks: CompiledFormulas, words: np.ndarray, lengths: np.ndarray, layers: int | None = None) -> np.ndarray:
    """The answers at the last letters of words, (networks, words)."""
    return np.asarray(networks(words, layers, lengths=lengths))[:, np.arange(len(words)), lengths - 1]
