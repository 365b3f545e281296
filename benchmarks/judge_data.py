"""Random data whose truth is known, with true and false statements about them: what the judge is tried on.

A family draws a dataset and says which statements about it are true. Families outside the hypotheses under which the judge
promises anything are marked: they show what the promise is worth without them.
"""

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import xarray as xr

from depthjax.verify import UNSHARP, Claim, Prediction, Quantity, Relation, Source
from depthjax.verify import measured as gathered
from depthjax.verify.orders import NO_LOGARITHM, UNDER_THE_FLOOR
from depthjax.verify.quantity import attach

Draw = Callable[[np.random.Generator], "Trial"]


@dataclasses.dataclass(frozen=True)
class Statement:
    """What is said of the data, and whether that is true; None where to support it and to refute it are both wrong."""

    name: str
    true: bool | None
    prediction: Prediction


@dataclasses.dataclass(frozen=True)
class Trial:
    """A dataset and what is said of it; ``unit`` is the true constant of a curve."""

    relation: Relation
    dataset: xr.Dataset
    statements: tuple[Statement, ...]
    unit: float = 1.0


@dataclasses.dataclass(frozen=True)
class Family:
    """Datasets of one kind.

    Attributes:
        name: in the table.
        draw: random generator -> trial.
        outside: which hypothesis of the judge fails, empty where all hold.
        fails: a part of the hypothesis, in the words of a finding, that is false of these data: a verdict that names it is not
            wrong, because it says on what it rests.
    """

    name: str
    draw: Draw
    outside: str = ""
    fails: str = ""


def claim(relation: Relation) -> Claim:
    """A claim that says nothing but its relation."""
    return Claim("trial", "a trial", "a statement", "x", relation, Source("nobody", "nothing"), (), "anything")


# --- orders ---------------------------------------------------------------------------------------------------------


def _order(
    points: int,
    shape: Callable,
    noise: Callable | None = None,
    floor: float = 1e-15,
    low: float = -3,
    high: float = 3,
    ratio: float = 2.0,
) -> Draw:
    """Curves ``C h^p shape(rng, h, C)`` with uniform rounding noise up to ``floor`` and relative noise."""

    def draw(rng: np.random.Generator) -> Trial:
        steps = 0.5 * ratio ** -np.arange(points)
        exponent, constant = int(rng.integers(1, 6)), 10 ** rng.uniform(low, high)
        errors = constant * steps**exponent * shape(rng, steps, constant) + floor * rng.uniform(-1, 1, points)
        errors = np.abs(errors * (1 if noise is None else 1 + noise(rng, points))) + 1e-300
        return _curve(steps, errors, np.full(points, floor), exponent, constant)

    return draw


def _curve(steps, errors, floor, exponent: int, constant: float, **parts) -> Trial:
    statements = (
        Statement("p", True, Prediction(exponent)),
        Statement("p, C", True, Prediction(exponent, constant=constant)),
        Statement("p + 1", False, Prediction(exponent + 1)),
        Statement("p - 1", False, Prediction(exponent - 1)),
        Statement("at least p - 1", True, Prediction(exponent - 1, one_sided=True)),
        Statement("at least p + 1", False, Prediction(exponent + 1, one_sided=True)),
        Statement("p, 1.05 C", False, Prediction(exponent, constant=1.05 * constant)),
        Statement("p, 1.5 C", False, Prediction(exponent, constant=1.5 * constant)),
    )
    data = gathered(step=steps, measured=Quantity(errors, "step", floor=floor, **parts))
    return Trial(Relation.ORDER, data, statements, constant)


def _tails(first: float, second: float, size: float = 0.8):
    return lambda rng, h, c: 1 + rng.uniform(-size, size) * h**first + rng.uniform(-size, size) * h**second


def _regimes(contamination: float):
    """C h^p + h^(p+1) + b h^(p+2), as a factor of C h^p."""
    return lambda rng, h, c: 1 + (h + rng.uniform(-contamination, contamination) * h**2) / c


def _sign_change(rng, h, c):
    return 1 - h / 2 ** rng.uniform(np.log2(h[-1]), np.log2(h[0]))


def _misdeclared(rng: np.random.Generator) -> Trial:
    trial = _order(9, _tails(1, 2), floor=2e-9)(rng)
    floor = trial.dataset["measured_floor"]
    return dataclasses.replace(trial, dataset=trial.dataset.assign(measured_floor=floor.copy(data=floor / 2)))


def _sampled(share: float = 0.02, points: int = 9, shape: Callable | None = None, **more) -> Draw:
    """Bounded noise, a share of every error, declared as sampling."""
    draw = _order(points, shape or _tails(1, 2), lambda rng, n: rng.uniform(-share, share, n), floor=1e-300, **more)

    def declared(rng: np.random.Generator) -> Trial:
        trial = draw(rng)
        return dataclasses.replace(
            trial, dataset=attach(trial.dataset, "measured", "sampling", 1.025 * share * trial.dataset["measured"])
        )

    return declared


def _higher(draw: Draw) -> Draw:
    """The same curves, of which the order p - 1 is the true one: a term of it lies under that of order p."""

    def turned(rng: np.random.Generator) -> Trial:
        trial = draw(rng)
        true = {"p": False, "p - 1": True, "p + 1": False, "at least p - 1": True, "at least p + 1": False}
        kept = tuple(dataclasses.replace(one, true=true[one.name]) for one in trial.statements if one.name in true)
        return dataclasses.replace(trial, statements=kept)

    return turned


def _beneath(low: float, high: float):
    """Tails, and a term one order lower that is this share of the error at the finest step."""
    return lambda rng, h, c: (
        _tails(1, 2)(rng, h, c) + rng.choice([-1, 1]) * 10 ** rng.uniform(*np.log10([low, high])) * h[-1] / h
    )


def _halves(rng, h, c):
    """C h^p + h^(p+1/2) + b h^(p+1), as a factor of C h^p."""
    return 1 + (h**0.5 + rng.uniform(-0.8, 0.8) * h) / c


def _some_noise(ratio: float, points: int, every: int) -> Draw:
    """Near steps in ascending order, some of which are noise with a floor that says so."""
    draw = _order(points, _tails(1, 2), ratio=ratio)

    def ascending(rng: np.random.Generator) -> Trial:
        trial = draw(rng)
        noisy, errors = np.arange(points) % every == int(rng.integers(every)), trial.dataset["measured"]
        parts = {"measured": errors * np.where(noisy, rng.uniform(0.5, 2, points), 1.0)}
        parts["measured_floor"] = trial.dataset["measured_floor"] + np.where(noisy, 1.0, 0.0) * errors
        return dataclasses.replace(trial, dataset=trial.dataset.assign(parts).isel(step=slice(None, None, -1)))

    return ascending


def _plateau(rng: np.random.Generator) -> Trial:
    """The error stops falling somewhere in the range, which no floor declares."""
    steps = 0.5 * 2.0 ** -np.arange(9)
    exponent, constant, stop = int(rng.integers(2, 6)), 10 ** rng.uniform(-3, 3), int(rng.integers(2, 7))
    errors = constant * (steps**exponent + steps[stop] ** exponent)
    return _curve(steps, errors, np.full(9, 1e-300), exponent, constant)


def _no_decay(rng: np.random.Generator) -> Trial:
    steps = 0.5 * 2.0 ** -np.arange(9)
    errors = 10 ** rng.uniform(-3, 3) * (1 + rng.uniform(-0.8, 0.8) * steps)
    statements = Statement("0", True, Prediction(0)), Statement("1", False, Prediction(1))
    return Trial(Relation.ORDER, gathered(step=steps, measured=Quantity(errors, "step", floor=0.0)), statements)


def _logarithm(points: int, power: float, noise: Callable | None = None, tail: float = 0.0, shift: float = 0.0) -> Draw:
    """C h^p (log(a/h) + shift)^power, a from 2 to 32 times the coarsest step: the order p is neither true nor false of it."""

    def shape(rng, h, c):
        return (np.log(2 ** rng.uniform(0, 4) / h) + shift) ** power * (1 + rng.uniform(-tail, tail) * h)

    draw = _order(points, shape, noise)

    def only(rng: np.random.Generator) -> Trial:
        trial = draw(rng)
        kept = tuple(dataclasses.replace(one, true=None if one.name == "p" else one.true) for one in trial.statements)
        return dataclasses.replace(trial, statements=tuple(one for one in kept if "C" not in one.name))

    return only


def _beside(words: str, draw: Draw) -> Family:
    return Family(f"beside a factor log(a/h)^{words}", draw, fails=NO_LOGARITHM)


def _gaussian(size: float):
    return lambda rng, n: size * rng.standard_normal(n)


ORDERS = (
    Family("tails h, h^2 up to 0.8, 9 steps", _order(9, _tails(1, 2))),
    Family("the same, 6 steps", _order(6, _tails(1, 2))),
    Family("the same, 4 steps", _order(4, _tails(1, 2))),
    Family("tails up to 2", _order(9, _tails(1, 2, 2.0))),
    Family("tails h^(1/2), h", _order(9, _tails(0.5, 1))),
    Family("tails h^(1/2), h^(3/2), 7 steps", _order(7, _tails(0.5, 1.5))),
    Family("two regimes, C h^p + h^(p+1), C from 1e-4 to 0.3", _order(9, _regimes(0), low=-4, high=-0.52, floor=1e-16)),
    Family("the same and b h^(p+2), 9 steps", _order(9, _regimes(0.8), low=-4, high=-0.52, floor=1e-16)),
    Family("the same and b h^(p+2), 6 steps", _order(6, _regimes(0.8), low=-4, high=-0.52, floor=1e-16)),
    Family("sign change in range", _order(9, _sign_change, floor=1e-16)),
    Family("undeclared noise of 1 %", _order(9, _tails(1, 2), _gaussian(0.01))),
    Family("undeclared noise of 1 %, 6 steps", _order(6, _tails(1, 2), _gaussian(0.01))),
    Family("undeclared noise of 0.1 %", _order(9, _tails(1, 2), _gaussian(0.001))),
    Family("undeclared noise of 1 %, Student with 3 degrees", _order(9, _tails(1, 2), lambda r, n: 0.01 * r.standard_t(3, n))),
    Family("noise of 0.03 to 1 %, another at every step", _order(9, _tails(1, 2), lambda r, n: _uneven(r, n))),
    Family("declared sampling of 2 %", _sampled()),
    Family("declared sampling of 1 %", _sampled(0.01)),
    Family("declared sampling of 0.3 %, 6 steps", _sampled(0.003, 6)),
    Family("declared sampling of 1 %, 6 steps", _sampled(0.01, 6)),
    Family(
        "declared sampling of 1 %, order p - 1 is 0.3 to 3 % of the finest error",
        _higher(_sampled(0.01, shape=_beneath(0.003, 0.03))),
        fails=UNDER_THE_FLOOR,
    ),
    Family(
        "declared sampling of 1 %, order p - 1 is 15 to 50 % of the finest error",
        _higher(_sampled(0.01, shape=_beneath(0.15, 0.5))),
    ),
    Family(
        "declared sampling of 1 %, two regimes and b h^(p+2), 6 steps", _sampled(0.01, 6, _regimes(0.8), low=-4, high=-0.52)
    ),
    Family("floor declared half as large", _misdeclared),
    Family("a plateau that no floor declares", _plateau),
    Family("no decay", _no_decay),
    *(
        _beside(f"{power:g}, {points} steps{words}", _logarithm(points, power, **more))
        for power in (-2, -1, -0.5, 0.5, 1, 2)
        for points in (6, 9)
        for words, more in (("", {}), (", tail h up to 0.8", {"tail": 0.8}))
    ),
    *(
        _beside(f"{power:g}, noise of {100 * size:g} %", _logarithm(9, power, _gaussian(size)))
        for power in (-1, 1)
        for size in (0.001, 0.01)
    ),
    _beside("1, a from 2 e^10 to 32 e^10 times the coarsest step", _logarithm(9, 1, shift=10.0)),
    *(
        Family(f"steps of ratio {ratio:.3g}, {points} of them, {words}", _order(points, shape, ratio=ratio, **more))
        for ratio, points in ((1.05, 77), (1.2, 22), (2**0.5, 12), (1.5, 11), (3.0, 6))
        for words, shape, more in (
            ("tails h, h^2 up to 0.8", _tails(1, 2), {}),
            ("two regimes and b h^(p+2)", _regimes(0.8), {"low": -4, "high": -0.52, "floor": 1e-16}),
        )
    ),
    *(
        Family(
            f"steps of ratio {ratio:.3g}, {points} of them, two regimes and b h^(p+2)",
            _order(points, _regimes(0.8), low=-4, high=-0.52, floor=1e-16, ratio=ratio),
        )
        for ratio, points in ((1.3, 13), (2**0.5, 9), (1.5, 8))
    ),
    Family("steps of ratio 1.05, 120 of them, ascending, every seventh noise", _some_noise(1.05, 120, 7)),
    Family(
        "C h^p + h^(p+1/2) + b h^(p+1), C from 1e-4 to 0.3",
        _order(9, _halves, low=-4, high=-0.52, floor=1e-16),
        outside="orders lie half apart, and a tail h^(1/2) hides a hundredth of the error",
    ),
    Family("the constant has a tail 1 / log(2/h)", _order(9, lambda rng, h, c: 1 + rng.uniform(-0.8, 0.8) / np.log(2 / h))),
    Family("the constant has a tail h^(1/4)", _order(9, lambda rng, h, c: 1 + rng.uniform(-0.8, 0.8) * h**0.25)),
)


def _uneven(rng: np.random.Generator, n: int) -> np.ndarray:
    return 10 ** rng.uniform(-3.5, -2, n) * rng.standard_normal(n)


# --- equalities and bounds --------------------------------------------------------------------------------------------

POINTS = 8


def _points(values, floor, statements: tuple[Statement, ...], relation: Relation) -> Trial:
    return Trial(relation, gathered(measured=Quantity(values, "i", floor=floor)), statements)


def _said(name: str, true: bool, values, **more) -> Statement:
    return Statement(name, true, Prediction(values, dims=("i",), **more))


def _floats(spread: float, beyond: float = 1.0):
    """Values known to a floor of ``spread`` times themselves; roundings reach ``beyond`` times the floor."""

    def draw(rng: np.random.Generator) -> Trial:
        values = 10 ** rng.uniform(-6, 6, POINTS)
        floor = spread * values
        wrong = values.copy()
        wrong[rng.integers(POINTS)] *= 1.5
        statements = _said("x", True, values), _said("one of them x 1.5", False, wrong), _said("x / 1.5", False, values / 1.5)
        return _points(values + beyond * floor * rng.uniform(-1, 1, POINTS), floor, statements, Relation.EQUALS)

    return draw


def _integers(rng: np.random.Generator) -> Trial:
    bits = int(rng.integers(1, 63))
    values = rng.integers(0, 2**bits, POINTS)
    wrong = values.copy()
    wrong[rng.integers(POINTS)] += rng.choice([-1, 1])
    return _points(values, 0.0, (_said("x", True, values), _said("one of them off by 1", False, wrong)), Relation.EQUALS)


def _complex(rng: np.random.Generator) -> Trial:
    values = rng.standard_normal(POINTS) + 1j * rng.standard_normal(POINTS)
    floor = 1e-15 * np.abs(values)
    wrong = values.copy()
    wrong[rng.integers(POINTS)] *= np.exp(0.4j)
    said = _said("z", True, values), _said("one of them turned", False, wrong), _said("conjugate", False, values.conj())
    return _points(values + floor * rng.uniform(-0.7, 0.7, POINTS), floor, said, Relation.EQUALS)


def _bound(reach: float, **more):
    """Data that come to ``reach`` times the least upper bound."""

    def draw(rng: np.random.Generator) -> Trial:
        bound = 10 ** rng.uniform(-6, 6)
        values = reach * bound * np.append(rng.uniform(0.1, 1, POINTS - 1), 1.0)
        said = _said("bound", True, np.full(POINTS, bound), **more), _said("/ 1.5", False, np.full(POINTS, bound / 1.5), **more)
        return _points(values, 1e-15 * bound, said, Relation.AT_MOST)

    return draw


def _under_the_floor(rng: np.random.Generator) -> Trial:
    """One point passes its bound by 2 to 1000 floors where the bound itself lies under the floor; the others are tight."""
    floor, bound = 10 ** rng.uniform(-16, -3), np.full(POINTS, 1.0)
    values = bound * rng.uniform(0.9, 1, POINTS)
    bound[0] = floor * rng.choice([0.0, 0.3, 1e-4])
    values[0] = bound[0] + floor * 10 ** rng.uniform(np.log10(2), 3)
    return _points(values, floor, (_said("bound", False, bound),), Relation.AT_MOST)


POINTWISE = (
    Family("floats, rounding within the floor", _floats(1e-13)),
    Family("floats, floor of a tenth", _floats(0.1)),
    Family("floats, floor of a half", _floats(0.5)),
    Family("floats, floor declared half as large", _floats(1e-13, 2.0), outside="the floor is wrong"),
    Family("integers of up to 62 bits", _integers),
    Family("complex numbers", _complex),
    Family("bound, data reach all of it", _bound(1.0)),
    Family("bound, data reach half of it", _bound(0.5)),
    Family("bound said to hold, not to be sharp, data reach all of it", _bound(1.0, resolution=UNSHARP)),
    Family(
        "bound said to hold, not to be sharp, data reach half of it",
        _bound(0.5, resolution=UNSHARP),
        outside="no data break the false bound: such a verdict says no more, and is marked loose",
    ),
    Family("bound broken only where it lies under the floor", _under_the_floor),
)


# --- means ------------------------------------------------------------------------------------------------------------


def _mean(seeds: int, points: int, sample: Callable, expectation: float, truth: bool = True):
    def draw(rng: np.random.Generator) -> Trial:
        scale = 10 ** rng.uniform(-3, 3, points)
        values = scale[:, None] * sample(rng, (points, seeds))
        said = [_said(name, true, factor * scale * expectation, mean="seed") for name, true, factor in _FACTORS]
        above = _said("at most the mean", True, scale * expectation, mean="seed", relation=Relation.AT_MOST)
        below = _said("at most the mean / 1.5", False, scale * expectation / 1.5, mean="seed", relation=Relation.AT_MOST)
        data = gathered(measured=Quantity(values, "i seed"))
        return Trial(Relation.EQUALS, data, (*said, above, below))

    return draw


_FACTORS = (("mean", True, 1.0), ("mean x 1.5", False, 1.5), ("mean / 1.5", False, 1 / 1.5))


def _lognormal(size: float):
    return lambda rng, shape: np.exp(size * rng.standard_normal(shape))


def _outliers(share: float, times: float):
    return lambda rng, shape: rng.exponential(size=shape) * np.where(rng.random(shape) < share, times, 1.0)


def _rare(rng, shape):
    return 1 + 500.0 * (rng.random(shape) < 0.002) + 0.1 * rng.standard_normal(shape)


def _drifting(memory: float):
    """Samples about 3 that forget the one before by the share ``1 - memory``."""

    def sample(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        fresh, values = rng.standard_normal(shape), np.empty(shape)
        values[:, 0] = fresh[:, 0]
        for index in range(1, shape[1]):
            values[:, index] = memory * values[:, index - 1] + math.sqrt(1 - memory**2) * fresh[:, index]
        return 3 + values

    return sample


def _uneven_seeds(rng, shape):
    """Every seed has a scale of its own, a hundredfold apart at most."""
    return 10 ** rng.uniform(-1, 1, shape) * rng.exponential(size=shape)


_FEW = (16, 64, 256)
MEANS = (
    Family("log-normal, 32 seeds, 30 points", _mean(32, 30, _lognormal(1.0), np.exp(0.5))),
    Family("log-normal, 32 seeds, 1 point", _mean(32, 1, _lognormal(1.0), np.exp(0.5))),
    Family("log-normal, 1024 seeds, 30 points", _mean(1024, 30, _lognormal(1.0), np.exp(0.5))),
    Family("log-normal of deviation 1.5, 32 seeds, 30 points", _mean(32, 30, _lognormal(1.5), np.exp(1.125))),
    Family("log-normal of deviation 1/2, 256 seeds, 30 points", _mean(256, 30, _lognormal(0.5), np.exp(0.125))),
    Family("normal of mean 3, 64 seeds, 30 points", _mean(64, 30, lambda r, s: 3 + r.standard_normal(s), 3.0)),
    Family("exponential, 64 seeds, 30 points", _mean(64, 30, lambda r, s: r.exponential(size=s), 1.0)),
    Family("Student with 3 degrees about 3, 128 seeds, 30 points", _mean(128, 30, lambda r, s: 3 + r.standard_t(3, s), 3.0)),
    Family("Pareto with 3 degrees, 128 seeds, 30 points", _mean(128, 30, lambda r, s: r.pareto(3, s), 0.5)),
    Family("every tenth sample ten times as large, 32 seeds, 30 points", _mean(32, 30, _outliers(0.1, 10), 1.9)),
    Family("every seed with its own scale, 64 seeds, 30 points", _mean(64, 30, _uneven_seeds, 99 / 20 * 0.4342944819)),
    Family("0 or 1, one in five, 64 seeds, 30 points", _mean(64, 30, lambda r, s: (r.random(s) < 0.2) * 1.0, 0.2)),
    Family("exponential, 3 seeds", _mean(3, 1, lambda r, s: r.exponential(size=s), 1.0)),
    Family("samples without variance", _mean(32, 1, lambda r, s: np.full(s, r.choice([0.5, 1.0, 2.0])), 1.0)),
    Family(
        "one sample in a thousand carries half of the mean, 32 seeds",
        _mean(32, 1, _outliers(0.001, 1000), 1.999),
        fails="no rare value",
    ),
    Family("log-normal of deviation 2, 256 seeds", _mean(256, 1, _lognormal(2.0), np.exp(2.0)), fails="no more skewed"),
    Family("one sample in 500 is 500, 64 seeds", _mean(64, 1, _rare, 2.0), fails="no rare value"),
    *(
        Family(f"each sample like the one before, {n} seeds", _mean(n, 1, _drifting(0.9), 3.0), fails="independent")
        for n in _FEW
    ),
)


# --- seeds ------------------------------------------------------------------------------------------------------------


def _trend(chance: float, seeds: int, points: int = 1):
    def draw(rng: np.random.Generator) -> Trial:
        runs = (rng.random((points, seeds)) < chance) * 1.0
        said = Statement("succeeds", chance > 0.5, Prediction(1)), Statement("fails", chance < 0.5, Prediction(0))
        return Trial(Relation.TREND, gathered(measured=Quantity(runs, "i seed")), said)

    return draw


def _pairs(chance: float, seeds: int, together: int):
    """Seeds of which some do always the same."""

    def draw(rng: np.random.Generator) -> Trial:
        runs = np.repeat(rng.random(seeds // together) < chance, together) * 1.0
        said = Statement("succeeds", chance > 0.5, Prediction(1)), Statement("fails", chance < 0.5, Prediction(0))
        return Trial(Relation.TREND, gathered(measured=Quantity(runs, "seed")), said)

    return draw


def _ranking(chance: float, seeds: int):
    def draw(rng: np.random.Generator) -> Trial:
        right = rng.random(seeds) < chance
        times = np.sort(rng.random((seeds, 3)), axis=1)
        times[~right] = times[~right][:, ::-1]
        said = (
            Statement("order", chance > 0.5, Prediction([0, 1, 2], dims=("item",))),
            Statement("reverse", chance < 0.5, Prediction([2, 1, 0], dims=("item",))),
        )
        return Trial(Relation.RANKING, gathered(measured=Quantity(times, "seed item")), said)

    return draw


def _impossible(chance: float, trials: int):
    def draw(rng: np.random.Generator) -> Trial:
        data = gathered(measured=Quantity((rng.random(trials) < chance) * 1.0, "i", possible=np.ones(3)))
        return Trial(Relation.IMPOSSIBLE, data, (Statement("impossible", chance == 0, Prediction(0)),))

    return draw


SEEDS = (
    *(Family(f"trend, a fair coin, {n} seeds", _trend(0.5, n)) for n in (7, 8, 16, 32)),
    Family("trend, a fair coin, 16 seeds, 20 points", _trend(0.5, 16, 20)),
    Family("trend, nine in ten, 16 seeds", _trend(0.9, 16)),
    Family("trend, all succeed, 3 seeds", _trend(1.0, 3)),
    Family("trend, a fair coin, 16 seeds in pairs", _pairs(0.5, 16, 2), fails="independent"),
    Family("trend, a fair coin, 16 seeds in fours", _pairs(0.5, 16, 4), fails="independent"),
    Family("ranking, a fair coin, 16 seeds", _ranking(0.5, 16)),
    Family("ranking, nine in ten, 16 seeds", _ranking(0.9, 16)),
    *(Family(f"impossible, success rate 0.01, {n} trials", _impossible(0.01, n)) for n in (1, 32, 128, 459)),
    Family("impossible, success rate 0, 459 trials", _impossible(0.0, 459)),
)

GROUPS = {"Orders": ORDERS, "Equalities and bounds": POINTWISE, "Means of samples": MEANS, "Seeds and trials": SEEDS}
