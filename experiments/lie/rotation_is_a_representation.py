r"""The A5 rotation task is a representation only for suitable generators.

Statement: send a 3-cycle of A5 to the rotation by 120 degrees about (1, 1, 1) and a 5-cycle to the one by 72 degrees about
(0, 1, phi), and fill the other 58 elements by breadth-first search. The result is a representation exactly when the product of
the two cycles has order 2; that is so for 120 of the 480 pairs. The published assignment, (0 1 2) and (0 1 2 3 4), is none of
them: their product has order 5.

    M[x] M[y] = M[xy] for all x, y in A5   <=>   (p r)^2 = 1, since < p, r | p^3 = r^5 = (p r)^2 = 1 > presents A5

Hypotheses: none beyond the choice of the two rotations. The violated products of the other pairs depend on the order of the
search, so every order is counted: either generator first, multiplying on either side.

Source: the task of Heo et al., arXiv 2603.05573; the presentation is Hamilton's. Refuted by: one pair whose count of violated
products differs between exact arithmetic over Q(sqrt 5) and float64. Cost: seconds on a CPU at every size.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.tasks.rotation import breadth_first_matrices, homomorphism_defects
from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source, axis
from theory.groups import group, rotation

CLAIM = Claim(
    slug="rotation_is_a_representation",
    title="The rotation task is a representation of A5 for 120 of 480 generator pairs, the published one not among them",
    statement=(
        "Sending a 3-cycle and a 5-cycle of A5 to the two icosahedral rotations extends to a representation exactly when the "
        "product of the cycles has order 2, which 120 of the 480 pairs do. Every other pair breaks thousands of the 3600 "
        "products."
    ),
    latex=r"M_x M_y = M_{xy}\ \forall x, y \in A_5 \iff (p r)^2 = 1",
    relation=Relation.EQUALS,
    source=Source(
        "Heo et al.", "Why Depth Matters in Parallelizable Sequence Models", "arXiv 2603.05573", "rotation task (v1)"
    ),
    assumes=("the two rotations generate the icosahedral group (checked: 60 exact matrices)",),
    refuted_by="a pair of cycles whose violated products number differently in exact and in floating arithmetic",
    cost="2 s on a CPU at every size",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The order of the search: which generator it tries first, on which side it multiplies."""

    first: str = axis("three", "five")
    side: str = axis("right", "left")


GRIDS = {"quick": Sizes(), "full": Sizes(), "paper": Sizes()}


def setting(cell: Sizes) -> dict:
    """The table of A5, the 480 pairs, the two rotations, the least gap between rotations, where the published pair stands."""
    a5, pairs = group("A5"), rotation.assignments(cell.first, cell.side)
    turned = rotation.icosahedral()[1].numpy()
    gaps = np.abs(turned[:, None] - turned[None, :]).max(axis=(-2, -1))
    return {
        "table": a5.table,
        "pairs": np.array([(a5.index(pair.three), a5.index(pair.five)) for pair in pairs]),
        "turns": np.stack([turn.numpy() for turn in rotation.icosahedral_generators()]),
        "separation": gaps[gaps > 0].min(),
        "published": [(pair.three, pair.five) for pair in pairs].index(rotation.PUBLISHED),
    }


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Violated products of every pair, exactly; zero for the pairs that satisfy the presentation."""
    pairs = rotation.assignments(cell.first, cell.side)
    counts = np.array([0 if pair.extends else pair.violations for pair in pairs])
    published = counts[given["published"]]
    return (
        Prediction(counts, of="violations", dims=("pair",), formula=r"\#\{(x, y): M_x M_y \ne M_{xy}\}"),
        Prediction(sum(pair.extends for pair in pairs), of="representations", formula=r"\#\{(p, r): (pr)^2 = 1\}"),
        Prediction(int(published), of="published_violations"),
    )


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """The same counts in float64; no randomness."""
    order = slice(None) if cell.first == "three" else slice(None, None, -1)
    matrices = np.stack(
        [
            breadth_first_matrices(given["table"], pair[order], given["turns"][order], side=cell.side)
            for pair in given["pairs"].tolist()
        ]
    )
    table = jnp.asarray(given["table"])
    defects = jax.lax.map(lambda m: homomorphism_defects(m, table), jnp.asarray(matrices), batch_size=32)
    # different rotations of the group differ by at least the separation (0.8) in some entry; rounding stays below 1e-13
    counts = np.asarray((defects > given["separation"] / 2).sum(axis=(-2, -1)))
    return xr.Dataset(
        {
            "violations": ("pair", counts, {"long_name": "violated products", "units": "of 3600"}),
            "representations": (
                (),
                (counts == 0).sum(),
                {"long_name": "pairs that extend to a representation", "units": "of 480"},
            ),
            "published_violations": ((), counts[given["published"]], {"long_name": "violated products, published pair"}),
        }
    )


CONTROLS = (
    Control(
        name="the published assignment",
        statement="(0 1 2) and (0 1 2 3 4), sent to the two rotations, extend to a representation: no product is violated",
        predict=lambda cell, given: Prediction(0, of="published_violations"),
    ),
    Control(
        name="every pair extends",
        statement="any 3-cycle and 5-cycle extend to a representation",
        predict=lambda cell, given: Prediction(len(given["pairs"]), of="representations"),
    ),
)
