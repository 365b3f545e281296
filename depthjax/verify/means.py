r"""Means of independent samples: an interval that stays valid for skewed samples.

No test of a mean holds for every distribution (Bahadur and Savage, Ann. Math. Stat. 27, 1956): a rare large value that no
sample has shown can carry the whole mean. An interval therefore needs a hypothesis, and here it is a bound :math:`\gamma` on
the skewness of one sample. With the standard error :math:`s` of :math:`n` samples, Student's quantile :math:`z` and the first
term of the Edgeworth expansion of the studentised mean (Hall, The Bootstrap and Edgeworth Expansion, section 2.6),

.. math:: \Pr\Bigl( \frac{|\bar x - \mu|}{s} > z + \gamma\, \frac{2 z^2 + 1}{6 \sqrt n} \Bigr) \lesssim \alpha,

where ``z`` leaves :math:`\alpha / 2` at either side. The skewness of the samples themselves would not do: samples that miss the
tail look symmetric exactly when their mean is most wrong. So every finding names the bound as its hypothesis, beside the
independence of the samples. Data can contradict either: neighbours that are alike, or a skewness beyond the bound, and then
nothing is decided. They cannot show either.
"""

import math

import numpy as np
import xarray as xr
from scipy.special import ndtri, stdtrit
from scipy.stats import rankdata

SKEWNESS = 15.0
"""Skewness that is allowed for where a prediction states none: log-normal samples with a log-deviation of 1.5 (whose skewness
is larger, but whose quantiles stay inside), or samples of which every tenth is ten times as large."""

ALARM = 0.002  # how often a claim whose samples are independent is left open because they seem alike
_SHUFFLES, _WORK = 20_000, 2e7


def fewest(rate: float) -> int:
    """Return how many samples it takes until a fair coin shows one side alone with probability ``rate`` at most.

    >>> fewest(0.01), fewest(0.01 / 64)
    (8, 14)
    """
    return 1 + math.ceil(-math.log2(rate))


def critical(samples: int, rate: float, skewness: float = SKEWNESS) -> float:
    """Return the number of standard errors that a mean misses its expectation by with probability at most ``rate``.

    Args:
        samples: how many independent samples, at least 2.
        rate: the probability, between 0 and 1.
        skewness: bound on the absolute skewness of one sample.

    Raises:
        ValueError: if an argument is out of range.

    >>> round(critical(32, 0.01), 1), round(critical(10**6, 0.01), 1)
    (9.8, 2.6)
    """
    if samples < 2 or not 0 < rate < 1 or not skewness >= 0:
        raise ValueError(
            f"{samples} samples, rate {rate}, skewness {skewness}: expected 2 or more, between 0 and 1, and 0 or more"
        )
    z = float(stdtrit(samples - 1, 1 - rate / 2))
    return z + skewness * (2 * z * z + 1) / (6 * math.sqrt(samples))


def interval(values: xr.DataArray, dim: str, rate: float, skewness: float = SKEWNESS) -> tuple[xr.DataArray, xr.DataArray]:
    """Mean over ``dim`` and half width of its interval, both without ``dim``.

    The half width is NaN if all samples are equal, because their spread then says nothing about the mean.
    """
    samples = values.sizes[dim]
    numbers = values.astype(float)
    spread = numbers.std(dim, ddof=1) if samples > 1 else numbers.isel({dim: 0}, drop=True) * 0
    constant = numbers.max(dim) == numbers.min(dim)
    width = spread * (critical(samples, rate, skewness) / math.sqrt(samples)) if samples > 1 else spread
    return numbers.mean(dim), width.where(~constant, np.nan)


def hypothesis(dim: str, skewness: float = SKEWNESS) -> str:
    """What an interval of a mean rests on, in words."""
    tail = f"no more skewed than {skewness:g}, so that no rare value, unseen here, carries the mean"
    return f"the samples along {dim!r} are independent, and {tail}"


def unlike(values: xr.DataArray, dim: str, skewness: float = SKEWNESS, rate: float = ALARM) -> str:
    """Return how samples contradict that they are independent and no more skewed than this; empty if they do not.

    Args:
        values: The samples along ``dim``, and points along other axes.
        dim: The axis of samples, in their order.
        skewness: Bound on the absolute skewness of one sample.
        rate: How often neighbours of independent samples may seem alike, at each point.
    """
    numbers = values.astype(float).transpose(..., dim).to_numpy()
    numbers = numbers.reshape(-1, numbers.shape[-1])
    numbers = numbers[np.ptp(numbers, axis=1) > 0]
    samples = numbers.shape[1]
    if not numbers.size or samples < 4:
        return ""
    if alike := max(serial_correlation(numbers, rate), default=0.0):
        return (
            f"samples that follow each other along {dim!r} are alike (rank correlation {alike:.2f}): they are not independent, "
            "so their spread says too little of their mean"
        )
    centred = numbers - numbers.mean(axis=1, keepdims=True)
    seen = float(np.abs((centred**3).mean(axis=1) / (centred**2).mean(axis=1) ** 1.5).max())
    # samples of a skewed number scatter: of gamma and log-normal ones at the bound one set in a thousand reaches three times it
    if seen > 3 * skewness + 4 * math.sqrt(6 / samples):
        return f"the samples along {dim!r} have skewness {seen:.3g}, more than the {skewness:g} that is allowed for"
    return ""


def serial_correlation(samples: np.ndarray, rate: float = ALARM) -> list[float]:
    """Return the rank correlations of neighbours that independent samples show with probability ``rate`` at most.

    The mean and the variance of the sum of products of neighbours are those over all orders of the ranks (Wald and Wolfowitz,
    Ann. Math. Stat. 14, 1943). Tied ranks make it far from normal, so what stands out is held against shuffled samples.

    Args:
        samples: Rows of samples in their order, none of them constant, shape ``(points, n)``.
        rate: The probability, at each point.
    """
    n = samples.shape[1]
    ranks = rankdata(samples, axis=1)
    ranks -= ranks.mean(axis=1, keepdims=True)
    ranks /= np.sqrt((ranks**2).mean(axis=1, keepdims=True))
    fourth = (ranks**4).mean(axis=1)
    variance = n - 1 - fourth + (n - 2 * fourth) / (n - 1)
    sums = (ranks[:, 1:] * ranks[:, :-1]).sum(axis=1)
    found = []
    for row in np.flatnonzero(sums + 1 > -ndtri(rate) * np.sqrt(np.maximum(variance, 0))):
        shuffles = int(min(_SHUFFLES, max(_WORK / n, 100)))
        mixed = np.random.default_rng(0).permuted(np.tile(ranks[row], (shuffles, 1)), axis=1)
        as_large = int(((mixed[:, 1:] * mixed[:, :-1]).sum(axis=1) >= sums[row]).sum())
        if as_large <= rate * shuffles:
            found.append(float(sums[row] / (n - 1)))
    return found
