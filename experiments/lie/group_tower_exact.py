r"""A finite group is tracked exactly by k diagonal unitary layers precisely when its derived length is at most k.

Statement: k layers, each a product of phases driven by the letter and by the layers below, track the running product in G
exactly, over words of any length, iff G has a subnormal series of length k with abelian factors; the least such k is the
derived length. Groups that are not solvable (A5, S5) have none.

Sufficiency: for the derived series G = G_0 > .. > G_k = 1 and a section s of G -> G / G_{i-1}, stage i accumulates the class of

    s(q) x s(q x)^{-1}  in  G_{i-1} / G_i,

q the coset before letter x. Necessity: layers in which inverse letters act inversely generate a group of derived length at most
k, so every k-fold iterated commutator leaves them where they were, whereas in a group of larger derived length one of those has
a product other than 1. (A letter's inverse can also be spelled as a power of it, as its action on finitely many states has a
finite order.)

Measured: wrong prefix products of the compiled tower on random words, in both precisions; and, by random sampling in the
Cayley table alone, for which j the j-fold iterated commutators are not all 1: exactly for j below the derived length, and for
every j in A5 and S5. Hypotheses: none beyond the group's axioms. Source: arXiv 2603.01959; tower and necessity derived here.
Refuted by: one wrong prefix product, or a commutator that dies or survives where it should not. Cost: 10 s on a CPU.
"""

import dataclasses
from collections.abc import Sequence
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.group_tower import AbelianTable, group_tower, tower_numbers, tower_start
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import iterated_commutators, uniform_words
from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source
from theory.groups import group
from theory.groups.laws import iterated_commutator

CLAIM = Claim(
    slug="group_tower_exact",
    title="Abelian layers track a finite group exactly iff there are as many as its derived length",
    statement=(
        "k diagonal unitary layers track a finite group exactly iff it has a subnormal series of length k with abelian "
        "factors; the least k is the derived length, and a group that is not solvable has none."
    ),
    latex=r"\min\{k : k \text{ abelian layers track } G\} = \min\{k : G^{(k)} = 1\}",
    relation=Relation.EQUALS,
    source=Source(
        "Shakerinava, Khavari, Ravanbakhsh, Chandar",
        "The Expressive Limits of Diagonal SSMs for State-Tracking",
        "arXiv 2603.01959",
    ),
    assumes=("letters are the elements of the group, and the answer after each letter is the product so far",),
    refuted_by="a wrong prefix product of the tower, or an iterated commutator that dies or survives at the wrong depth",
    cost="10 s on a CPU",
)

DTYPES = ("float32", "float64")
# every group's tables are padded to these sizes, so that one program serves all
STAGES, COSETS, ORDER, RANK = 4, 25, 125, 3


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """One cell a group; its elements are the letters."""

    group: tuple[str, ...] | str = (
        *("C2", "C3", "C12", "C2xC2xC2", "D3", "D4", "D6", "Q8", "A4", "S4", "SL2_3", "GL2_3", "H3_3", "H3_5", "A5", "S5"),
    )
    length: int = 100_000
    batch: int = 1
    depths: int = 5
    samples: int = 4096


GRIDS = {"quick": Sizes(), "full": Sizes(batch=16, samples=2**16), "paper": Sizes(length=1_000_000, batch=16, samples=2**16)}


def setting(cell: Sizes) -> dict:
    """The Cayley table and, of a solvable group, the arrays of its tower and a word that one stage fewer gets wrong."""
    g = group(cell.group)
    arrays = {"table": np.pad(g.table, (0, ORDER - g.order)), "order": g.order}
    if not g.is_solvable:
        return arrays
    tower = g.tower()
    moduli, increments = np.ones((STAGES, RANK), int), np.zeros((STAGES, COSETS, ORDER, RANK), int)
    for i, stage in enumerate(tower.stages):
        cosets, letters, rank = stage.increments.shape
        moduli[i, :rank], increments[i, :cosets, :letters, :rank] = stage.moduli, stage.increments
    word = iterated_commutator(g, tower.depth - 1)
    return arrays | {
        "moduli": moduli,
        "increments": increments,
        "elements": np.pad(tower.elements, (0, ORDER - g.order)),
        "depth": tower.depth,
        "word": np.array(word),
    }


def predict(cell: Sizes, arrays: dict) -> tuple[Prediction, ...]:
    """No wrong product; commutators of depth j survive iff the derived length is larger than j."""
    length = group(cell.group).derived_length
    survive = Prediction(
        np.array([length is None or j < length for j in range(cell.depths)], dtype=int), of="survive", dims=("commutator",)
    )
    return (Prediction(0, of="wrong"), survive) if length is not None else (survive,)


def measure(cell: Sizes, key: jax.Array, arrays: dict) -> xr.Dataset:
    """Wrong prefix products by precision, and whether random iterated commutators are other than 1, by depth."""
    words_key, commutator_key = jax.random.split(key)
    table = jnp.asarray(arrays["table"])
    values = np.asarray(iterated_commutators(commutator_key, table, arrays["order"], cell.samples, cell.depths))
    return xr.Dataset(
        {
            "wrong": ("dtype", _wrong(cell, words_key, arrays, DTYPES), {"long_name": "wrong prefix products"}),
            "survive": (
                "commutator",
                (values != 0).any(axis=1).astype(int),
                {"long_name": "iterated commutators other than 1"},
            ),
        },
        coords={"dtype": list(DTYPES), "commutator": ("commutator", np.arange(cell.depths), {"long_name": "depth j"})},
    )


def _wrong(cell: Sizes, key: jax.Array, arrays: dict, dtypes: Sequence[str]) -> list[int]:
    """Wrong prefix products of random words in each precision; none where there is no tower."""
    if "moduli" not in arrays:
        return [0] * len(dtypes)
    words = uniform_words(key, arrays["order"], cell.batch, cell.length)
    right = np.asarray(prefix_products(jnp.asarray(arrays["table"]), words))
    return [int((arrays["elements"][_track(words, arrays, dtype)] != right).sum()) for dtype in dtypes]


def _track(words: jax.Array, arrays: dict, dtype: str) -> np.ndarray:
    numbers = _numbers(words, arrays["moduli"], arrays["increments"], jnp.result_type(dtype, jnp.complex64))
    return np.asarray(numbers)


@partial(jax.jit, static_argnames="dtype")
def _numbers(words: jax.Array, moduli: jax.Array, increments: jax.Array, dtype: np.dtype) -> jax.Array:
    """The number of the tower's element after each letter; shape (batch, length). In pieces: a small program."""
    stages = [AbelianTable(m, table) for m, table in zip(moduli, increments, strict=True)]
    states = group_tower(stages, dtype).run(words.T, tower_start(stages, len(words), dtype), chunk=500, stream=True)
    return tower_numbers(stages, states).T


def _one_stage_fewer(cell: Sizes, key: jax.Array, arrays: dict) -> xr.Dataset:
    """Failing words: the stages below the last are where they started, but the product is not 1."""
    if "moduli" not in arrays:
        return _precise(0)
    # filled up with the identity to the shape of the random words: one program for both
    word = np.zeros((cell.batch, cell.length), int)
    word[:, : len(arrays["word"])] = arrays["word"]
    product = int(prefix_products(jnp.asarray(arrays["table"]), jnp.asarray(word))[0, -1])
    moduli = np.where(np.arange(STAGES)[:, None] < arrays["depth"] - 1, arrays["moduli"], 1)
    return _precise(int(_track(jnp.asarray(word), arrays | {"moduli": moduli}, DTYPES[-1])[0, -1] == 0 and product != 0))


def _side_by_side(cell: Sizes, key: jax.Array, arrays: dict) -> xr.Dataset:
    """The same tower with every increment taken as if the stages below stood at 1."""
    blind = np.broadcast_to(arrays["increments"][:, :1], arrays["increments"].shape) if "moduli" in arrays else None
    return _precise(*_wrong(cell, key, arrays | {"increments": blind}, DTYPES[-1:]))


def _precise(wrong: int) -> xr.Dataset:
    """Of a falsehood, which fails whatever the rounding: in the higher precision alone."""
    return xr.Dataset({"wrong": ("dtype", [wrong])}, coords={"dtype": [DTYPES[-1]]})


def _exact(cell: Sizes, arrays: dict) -> Prediction | None:
    return Prediction(0, of="wrong") if "moduli" in arrays else None


CONTROLS = (
    Control("one stage fewer", "one stage fewer than the derived length tracks the group", _exact, _one_stage_fewer),
    Control(
        "side by side",
        "stages that do not see those below track a group that is not abelian",
        lambda cell, arrays: _exact(cell, arrays) if arrays.get("depth", 0) > 1 else None,
        _side_by_side,
    ),
)
