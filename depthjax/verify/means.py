r"""Means of independent samples: an interval that stays valid for skewed samples.

No test of a mean holds for every distribution (Bahadur and Savage, Ann. Math. Stat. 27, 1956): a rare large value that no
sample has shown can carry the whole mean. An interval therefore needs a hypothesis, and here it is a bound :math:`\gamma` on
the skewness of one sample. With the standard error :math:`s` of :math:`n` samples, Student's quantile :math:`z` and the first
term of the Edgeworth expansion of the studentised mean (Hall, The Bootstrap and Edgeworth Expansion, section 2.6),

.. math:: \Pr\Bigl( \frac{|\bar x - \mu|}{s} > z + \gamma\, \frac{2 z^2 + 1}{6 \sqrt n} \Bigr) \lesssim \alpha,

where ``z`` leaves :math:`\alpha / 2` at either side. The skewness of the samples themselves would not do: samples that miss the
tail look symmetric exactly when their mean is most wrong.
"""

import math

import numpy as np
import xarray as xr
from scipy.special import stdtrit

SKEWNESS = 15.0
"""Skewness that is allowed for where a prediction states none: log-normal samples with a log-deviation of 1.5 (whose skewness
is larger, but whose quantiles stay inside), or samples of which every tenth is ten times as large."""


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
