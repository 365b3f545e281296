r"""Residual streams grow like (1 + alpha^2)^L with fresh weights and like sum_k C(L,k)^2 alpha^(2k) with tied ones.

Statement: Let x <- x + alpha W x with W of independent N(0, 1/n). With fresh weights in every layer E |x_L|^2 / |x_0|^2 is
    (1 + alpha^2)^L exactly, for every n. With the same weights in every layer it is sum_k C(L,k)^2 alpha^(2k) plus a known 1/n
    term; for two and three layers it is judged exactly, as a polynomial in 1/n. Under uniform attention with a skip the
    deviations from the mean token never change, and the mean grows as with fresh weights.
    $$ \mathbb E\,\frac{\|x_L\|^2}{\|x_0\|^2} = (1+\alpha^2)^L \quad\text{(fresh)},\qquad
       \sum_k \tbinom{L}{k}^2\alpha^{2k} + O(1/n) \quad\text{(tied)} $$
Hypotheses: weights are independent N(0, 1/n). For tied weights of four layers and more a proved bound on what follows the 1/n
    term is in the budget.
Source: this project, “theory.width.residual”.
Refuted by: a mean over seeds outside its interval at some depth, or a deviation from the mean token that changes.
Cost: quick 15 s on one core, full about 4 min.

How narrow the intervals are: in few numbers and layers, where a seed is the mean over all starts and over weights of both
signs, fresh growth is known to 1 in 100 and tied growth to a quarter of its 1/n term. Deeper streams have one start a
seed, and are told from half and from twice their law, a layer fewer or more with alpha = 1. There the relative variance of
fresh growth is (1 + 3/(2n))^L - 1, so that drawn streams are eight times as wide as deep: of 288 seeds the interval then has
two thirds of the width at which nothing is said. Of 160 seeds and four times as wide it was open now and then.

So fresh layers may have alpha = 1/sqrt(L), where the growth tends to e. Tied layers need 1/L, where it tends to
I_0(2) = 2.2796: at 1/sqrt(L) they grow like exp(2 sqrt(L)).
"""

import dataclasses
from collections.abc import Iterable

import numpy as np

from depthjax.verify import Grid, Prediction, Relation, claim, control, domain, real, rival, scaled, whole
from experiments.width.residual_second_moment.common import FEW
from theory.width import residual

CLAIM = claim(Relation.EQUALS, needs_float64=True)


SKEWNESS = 4.0  # growth is nearly log-normal, with a deviation over seeds below its mean


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Depths 1 .. depth at alpha = 1, 1/sqrt(depth), 1/depth; tied weights are fewer numbers, so there are more of them.

    The law of tied weights is judged to ``tied_depth``: beyond, the bound on the terms left out grows past the law itself. Its
    1/n term is judged at the width ``narrow`` at alpha = 1 and ``alpha``, with ``pairs`` of weights of both signs.
    """

    depth: int = 16
    width: int = 128
    seeds: int = 288
    tied_width: int = 256
    tied_seeds: int = 256
    tied_depth: int = 8
    tokens: int = 8
    narrow: int = 16
    alpha: float = 0.5
    pairs: int = 2**15

    @property
    def strong(self) -> tuple[float, float]:
        """Values of alpha in few numbers."""
        return 1.0, self.alpha

    @property
    def scales(self) -> tuple[float, ...]:
        """Values of alpha, by rule."""
        return 1.0, self.depth**-0.5, 1 / self.depth


DOMAIN = domain(
    depth=whole(8, 32, quick=18, test=10),
    width=whole(96, 256, quick=144),
    tied_width=whole(256, 512, quick=288),
    tokens=whole(2, 32),
    narrow=whole(12, 40, quick=20),
    alpha=real(0.3, 1.2),
    where={"fresh streams are eight times as wide as deep": lambda cell: cell.width >= 8 * cell.depth},
)
GRIDS = {
    "test": Sizes(depth=8, width=32, seeds=320, tied_width=64, tied_depth=6),
    "quick": Sizes(),
    "full": Sizes(depth=64, width=256, seeds=512, tied_width=512, tied_seeds=512),
    "paper": Sizes(depth=64, width=1024, seeds=256, tied_width=2048, tied_seeds=512),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """Both laws in few numbers, and at every depth and scale; the law of the mean token; one for the deviations."""
    few, fresh, early = _fresh(FEW, cell.strong), _fresh(range(1, cell.depth + 1), cell.scales), range(1, cell.tied_depth + 1)
    term = [[residual.tied_growth(depth, scale).correction / cell.narrow for scale in cell.strong] for depth in FEW]
    apart, sums = np.abs(term), r"\sum_k \tbinom{L}{k}^2\alpha^{2k}"
    exact = [[float(residual.tied_mean(depth, scale, cell.narrow)) for scale in cell.strong] for depth in FEW]
    return (
        _mean(np.array(exact), "tied_pair", of="tied_narrow", dims=("few", "strong"), resolution=apart / 2),
        # the 1/n term alone: told from what lies beyond the bound on the terms that follow it
        _tied(FEW, cell.strong, cell.narrow, mean="tied_pair", of="tied_narrow", dims=("few", "strong"), apart=apart / 2),
        _mean(few, "pair", of="fresh_narrow", dims=("few", "strong"), resolution=few / 40),
        _mean(fresh, of="fresh", dims=("depth", "scale"), formula=r"(1+\alpha^2)^L"),
        _tied(early, cell.scales, cell.tied_width, mean="tied_seed", of="tied_early", dims=("early", "scale"), formula=sums),
        _mean(fresh[:, 1], of="mean_token", dims=("depth",)),
        Prediction(1, of="deviations"),
        Prediction([2, 3], of="depths", dims=("few",)),
        # fresh and tied streams, attention, and pairs of tied and of fresh weights
        Prediction([cell.seeds, cell.tied_seeds, cell.seeds, cell.pairs, cell.pairs // 8], of="streams", dims=("kind",)),
    )


def _fresh(depths: Iterable[int], scales: Iterable[float]) -> np.ndarray:
    return np.array([[residual.fresh_growth(depth, scale) for scale in scales] for depth in depths])


def _tied(depths: Iterable[int], scales: Iterable[float], width: int, apart: np.ndarray | None = None, **more) -> Prediction:
    """The law of tied weights at this width, with the bound on the terms that it leaves out.

    With ``apart``, the nearest rival lies ``apart`` and twice that bound away. A mean known to half of ``apart`` tells it.
    """
    values = [[residual.tied_growth(depth, scale).at(width) for scale in scales] for depth in depths]
    rest = [[residual.tied_remainder(depth, scale, width) for scale in scales] for depth in depths]
    resolution = None if apart is None else apart + 2 * np.array(rest)
    return _mean(np.array(values), truncation=np.array(rest), resolution=resolution, **more)


def _mean(values: np.ndarray, mean: str = "seed", resolution: np.ndarray | None = None, **more) -> Prediction:
    """Of a mean over seeds, told from half and from twice the law where nothing else is said."""
    apart = values / 2 if resolution is None else resolution
    return Prediction(values, mean=mean, skewness=SKEWNESS, resolution=apart, **more)


def _bounded(cell: Sizes) -> Prediction:
    """The limit e of fresh weights with alpha = 1/sqrt(L)."""
    limit = residual.fresh_growth(cell.depth, cell.scales[1])
    return Prediction(limit, of="tied_root", relation=Relation.AT_MOST, mean="tied_seed", skewness=SKEWNESS)


def _without_term(cell: Sizes) -> Prediction:
    """The limit of wide layers in place of the law, told as the law is."""
    limit = np.array([[residual.tied_growth(depth, scale).limit for scale in cell.strong] for depth in FEW])
    return dataclasses.replace(predict(cell)[0], value=limit)


def _more(cell: Sizes) -> Prediction:
    """The 1/n term times 5/4."""
    own, limit = predict(cell)[0], np.asarray(_without_term(cell).value)
    return dataclasses.replace(own, value=limit + 1.25 * (np.asarray(own.value) - limit))


def _exchanged(cell: Sizes) -> tuple[Prediction, ...]:
    """Both laws in few numbers, each of the other's streams; an eighth of the pairs tells tied weights from a tenth more."""
    fresh = _fresh(FEW, cell.strong)
    tied = np.array([[float(residual.tied_mean(depth, scale, cell.narrow)) for scale in cell.strong] for depth in FEW])
    return (
        _mean(fresh, "tied_pair", of="tied_narrow", dims=("few", "strong"), resolution=fresh / 40),
        _mean(tied, "pair", of="fresh_narrow", dims=("few", "strong"), resolution=tied / 10),
    )


def _causal(cell: Sizes) -> Prediction:
    """The exact mean of the deviations under a causal mask: the Gram matrix G of tokens becomes G + alpha^2 A G A^T.

    Tokens start as N(0, I), a quarter of the width in size. Over the squared deviations at the start, the mean of G has the
    share 1/(n - 1) in every direction across the mean token, and d / ((n - 1) d - 2) along it, because one over a chi^2 of k
    degrees has the mean 1/(k - 2).
    """
    n, d, sizes = cell.tokens, cell.width // 4, []
    along = np.full((n, n), 1 / n)
    across = np.eye(n) - along
    mask = np.tril(np.ones((n, n))) / np.arange(1, n + 1)[:, None]
    gram = across / (n - 1) + along * d / ((n - 1) * d - 2)
    for _ in range(cell.depth):
        gram = gram + mask @ gram @ mask.T / cell.depth
        sizes.append(np.trace(across @ gram))
    return _mean(np.array(sizes), of="deviations", dims=("depth",))


CONTROLS = (
    control(
        "tied and fresh exchanged",
        "tied weights grow as fresh ones do",
        measure="tied_and_fresh_exchanged",
        finds=_exchanged,
    ),
    control("causal mask", "under a causal mask the deviations stay too", measure="causal_mask", finds=_causal),
)


RIVALS = (
    rival("1/sqrt(L) is enough", _bounded, "tied weights stay below e with alpha = 1/sqrt(L)"),
    rival("no 1/n term", _without_term, "tied weights follow the limit of wide layers at every width"),
    rival("a quarter more", _more, "the 1/n term is a quarter larger"),
    scaled(2.0, of="mean_token", name="the mean token doubles", statement="the mean token is twice as large at every depth"),
)
