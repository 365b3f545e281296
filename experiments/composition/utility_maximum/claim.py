r"""The largest utility of a neuron in an irrep is its score ||x^||_op^(k+1) / (C n)^((k-1)/2) over |G|^((k+1)/2).

Statement: The utility of a neuron is E_{g_1..g_k} <w, x_{g_1..g_k}> prod_j <u_j, x_{g_j}>. Over unit vectors u_1, ..., u_k, w,
    and for an encoding restricted to one irrep and its conjugate, its maximum is known exactly, with C = 1 for real type and 2
    otherwise.
    $$ \max U = |G|^{-\frac{k+1}{2}}\, \frac{\|\hat x[\rho]\|_{\mathrm{op}}^{k+1}}{(C_\rho n_\rho)^{(k-1)/2}} $$
Hypotheses: the encoding is real.
Source: Marchetti, Kunin, Myers, Acosta, Miolane, “Sequential Group Composition”, arXiv 2602.03655, Theorem 4.1 (score); the
    exact value is derived here.
Refuted by: alternating maximisation that ends higher, or lower, for some irrep.
Cost: quick 7 s on one core, full about two minutes.
"""

import dataclasses

import numpy as np

from depthjax.verify import UNSHARP, Grid, Prediction, Relation, axis, claim, control, domain, rival, scaled, whole
from experiments.composition.utility_maximum.common import SLOTS
from experiments.groups import NUMBERINGS, group_of, groups, order_and_classes
from theory.composition import Component, spectrum, utility_maximum
from theory.composition.encodings import generic_task

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "utility"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups with irreps of every type, all of whose non-trivial irreps are tried, and the length."""

    group: str = axis("S3", "D4", "Q8", "C10", "C11", "S4", "A5")
    length: int = axis(2, 3, 4)
    numbering: int = 0
    starts: int = 8
    sweeps: int = 200
    largest: int = 4000

    def allows(self) -> bool:
        """Whether the group is small enough for this length at this size of run."""
        return group_of(self).order ** self.length <= self.largest


DOMAIN = domain(group=groups(11), numbering=NUMBERINGS, length=whole(2, 4))
GRIDS = {
    "test": Sizes(group=axis("S3", "Q8"), length=axis(2), starts=4),
    "quick": Sizes(),
    "full": Sizes(length=axis(2, 3, 4), starts=32, sweeps=1000, largest=250_000),
    "paper": Sizes(length=axis(2, 3, 4, 5), starts=64, sweeps=2000, largest=10**9),
}


def objects(cell: Sizes) -> dict:
    """A generic centred encoding: its Fourier coefficients are not scalar."""
    return generic_task(group_of(cell))


def predict(cell: Sizes, task: dict) -> tuple[Prediction, ...]:
    """The maximum for every irrep; pairs of letters that commute, as in the group of this name."""
    order, classes = order_and_classes(cell.group)
    every = sum(float(utility_maximum(component, cell.length, order)) for component in _components(cell, task))
    return (
        _maxima(cell, _components(cell, task)),
        Prediction(every, of="total", resolution=every / 100),
        Prediction(order * classes, of="commuting", formula=r"|G|\, k(G)"),
        Prediction(2 * len(task["irreps"]), of="starts"),
        Prediction(np.resize(_squares(cell, task), SLOTS), of="square", dims=("irrep",)),
    )


def _components(cell: Sizes, task: dict) -> list[Component]:
    return spectrum(group_of(cell), task["encoding"])[1:]


def _squares(cell: Sizes, task: dict) -> list[float]:
    """The squares of the parts of the encoding in each irrep and its conjugate, by Plancherel."""
    shares = [component.dimension * float(component.square_norm) for component in _components(cell, task)]  # type: ignore[arg-type]
    pairs = [1 + (component.kind == "complex") for component in _components(cell, task)]
    return [share * pair / group_of(cell).order for share, pair in zip(shares, pairs, strict=True)]


def _maxima(cell: Sizes, components: list[Component]) -> Prediction:
    values = [float(utility_maximum(component, cell.length, group_of(cell).order)) for component in components]
    return Prediction(np.resize(values, SLOTS), of="utility", dims=("irrep",), formula=r"\max U_\rho")


def _without_type(cell: Sizes, task: dict) -> Prediction | None:
    components = _components(cell, task)
    if all(component.kind == "real" for component in components):
        return None
    return _maxima(cell, [dataclasses.replace(component, kind="real") for component in components])


def _mean_singular_value(cell: Sizes, task: dict) -> Prediction | None:
    components = _components(cell, task)
    # quaternionic coefficients of dimension two are quaternions: multiples of a unitary matrix, like numbers
    if all(abs(c.norm - c.smallest) < 1e-9 * c.norm for c in components):  # type: ignore[operator]
        return None
    means = [float(c.square_norm / c.dimension) ** 0.5 for c in components]  # type: ignore[operator]
    return _maxima(cell, [dataclasses.replace(c, norm=mean) for c, mean in zip(components, means, strict=True)])


def _of_whole(cell: Sizes, task: dict) -> tuple[Prediction, ...]:
    """The utility adds up over irreps, at most each maximum times the product of the parts of all unit vectors.

    The products of the parts of two unit vectors add up to one at most, so the sum is at most the largest of the maxima. Each
    of them is a local maximum, and ascent may end in the least.
    """
    maxima = [float(utility_maximum(component, cell.length, group_of(cell).order)) for component in _components(cell, task)]
    most, least = (np.full(SLOTS, pick(maxima)) for pick in (max, min))
    whole = np.full(SLOTS, float(task["encoding"] @ task["encoding"]))
    return (
        Prediction(most, of="utility", dims=("irrep",), relation=Relation.AT_MOST, resolution=UNSHARP),
        Prediction(least, of="utility", dims=("irrep",), relation=Relation.AT_LEAST, resolution=UNSHARP),
        Prediction(whole, of="square", dims=("irrep",)),
    )


CONTROLS = (
    control(
        "encoding not restricted",
        "neurons that read the whole encoding reach no more than those that read one irrep",
        measure="not_restricted",
        finds=_of_whole,
    ),
)


RIVALS = (
    scaled(1.001, of="utility", name="a thousandth more", statement="the maximum is larger by one in a thousand"),
    rival("without C", _without_type, "complex and quaternionic irreps score like real ones of their dimension"),
    rival(
        "mean singular value", _mean_singular_value, "the root mean square of the singular values replaces the operator norm"
    ),
)
