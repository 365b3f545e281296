r"""A trained stack lies on the floor of one layer, falls below it with the second, and on small turns gains less by the third.

Statement: A word of T uniform letters turns the unit vector v by rotations of space that do not commute, and y is where v ends.
    No reader of the word's image in a free group of a simpler kind has a smaller mean square error than the variance of y
    within the words of one image: of its letter counts (class 1), of its patterns of at most c letters (class c), of its walk
    (solvable of length two), which leaves nothing. One layer of attention without positions knows the letter counts and the
    last letter. In the trained cells, of large turns and of small ones, its typical seed errs by this floor, up to a tenth, and
    the typical stack of two, three or four layers errs by less. On small turns the typical second layer gains a larger factor
    than the third: the error does not fall doubly exponentially with depth, as that of a tower of k layers does, whose order in
    the size eps of the turns is m_k.
    $$ E\|\hat y - y\|^2 \ge E\,\mathrm{Var}(y \mid \mathrm{image}), \qquad
       \frac{E_1}{E_2} > \frac{E_2}{E_3}, \qquad E^{\mathrm{tower}}_k = \Theta(\varepsilon^{2 m_k}),\ m = 2, 5, \ldots $$
Hypotheses: letters are independent and uniform; attention has no positions; the order of two letters moves the end (checked
    exactly); of the orders, the tower's leading term on some word does not vanish (checked exactly).
Source: Heo et al., “Why Depth Matters in Parallelizable Sequence Models”, arXiv 2603.05573, whose rotation task and whose error
    of k layers are meant; floors, and what training makes of depth, are stated here first.
Refuted by: another variance within the words of one image, a layer below its floor, a typical seed of one layer away from it, a
    typical deeper stack above it, or a typical third layer that gains as large a factor on small turns as the second.
Cost: quick 40 s of one core; full, with seven kinds of networks, about half an hour of two cores.

`rotation_depth` has the floor of one layer on words in A5, `tower_floor_trained` its order in eps, `error_by_depth` the doubly
exponential fall of the tower, which is constructed. Here training stands beside all three. The other kinds of networks have no
such floor: their first layer forgets, or is not linear. They are measured at full and nothing is said of them. A trained stack
may err by less than the tower of as many layers, since its readouts are not linear: orders bind the tower alone.

Sizes and levels were chosen by looking at root seeds 0 to 5. There layers two, three and four gained factors with the medians
31, 2.1 and 1.3 on small turns, where the second closes 97 % of the floor, and 73, 2.6 and 2.1 on large ones, of whose order
nothing is said: with turns of size 2 they were about ten each, a geometric fall.
"""

import dataclasses
import random
from fractions import Fraction

import numpy as np

from depthjax.verify import (
    Grid,
    Hypothesis,
    Prediction,
    Relation,
    among,
    axis,
    claim,
    control,
    domain,
    off_by,
    rival,
    scaled,
    whole,
)
from experiments.training.trained_decay_by_depth.common import KINDS, ORDER_BLIND, TOWERS
from experiments.training.trained_decay_by_depth.order_classes import left, of_class, of_two_layers
from theory import lie
from theory.exact.rotation import cayley

CLAIM = claim(Relation.EQUALS, needs_float64=True, trains=True)
HEADLINE = "deeper_below"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """A kind of network; the size of the turns; alphabet, word, and axes, by rule (0) or drawn; stacks and their training."""

    kind: str = axis("transformer")
    turn: str = axis("1", "1/2")
    letters: int = 2
    length: int = 5
    draw: int = 0
    halvings: int = 7
    deepest: int = 4
    seeds: int = 14
    width: int = 8
    steps: int = 600
    rate: float = 2e-2

    @property
    def eps(self) -> Fraction:
        """The size of the turns; those of small steps have at most 1."""
        return Fraction(self.turn)

    @property
    def vectors(self) -> list[list[Fraction]]:
        """The axes of the letters' rotations, each with the length that its angle grows with."""
        if not self.draw:
            return [[Fraction((-1) ** (i * v), 1 + i + v) for v in range(3)] for i in range(self.letters)]
        source = random.Random(self.draw)
        return [[Fraction(source.randint(-6, 6), 8) for _ in range(3)] for _ in range(self.letters)]

    def rotations(self, eps: Fraction) -> np.ndarray:
        """The rotation of every letter, exactly: the Cayley transform of eps times the cross product with its axis."""
        return np.array([cayley(-eps / 2 * _cross(vector)) for vector in self.vectors])


def _cross(vector: list[Fraction]) -> np.ndarray:
    x, y, z = vector
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


SMALL = Fraction(1, 2)  # turns of at most this size are called small
START = np.array([Fraction(1, 3), Fraction(2, 3), Fraction(2, 3)])
DOMAIN = domain(
    turn=among("2", "1", "1/2", "1/3", "1/8"),
    letters=whole(2, 3, test=2),
    length=whole(2, 6, quick=5, test=4),
    draw=whole(1, 2**16),
    seeds=among(0),
    where={"the order of the letters matters": lambda cell: left(*_moved(cell), 2, of_class(1))[-1] > Fraction(1, 10**6)},
)
LARGE = Sizes(kind=axis(*KINDS), length=6, halvings=9)  # the slope of longer words settles later
GRIDS = {
    "test": Sizes(length=3, seeds=2, steps=20),
    "quick": Sizes(),
    "full": LARGE,
    "paper": dataclasses.replace(LARGE, turn=axis("1", "1/2", "1/8"), length=8, seeds=24, width=16, steps=10_000),
}


SHORT = 3  # letters of the words over a larger alphabet


def _more(cell: Sizes) -> Sizes:
    """Short words over an alphabet of a letter more, whose number is no power of the same base."""
    return dataclasses.replace(cell, letters=cell.letters + 1, length=SHORT)


def _moved(cell: Sizes) -> tuple[np.ndarray, np.ndarray]:
    return cell.rotations(cell.eps), START


def objects(cell: Sizes) -> dict:
    """Rational rotations, also for turns of halving sizes and about one axis alone; the start."""
    halved = [Fraction(1, 2 ** (1 + number)) for number in range(cell.halvings)]
    return {
        "rotations": cell.rotations(cell.eps),
        "more": _more(cell).rotations(cell.eps),
        "short": SHORT,
        "halved": np.array([cell.rotations(eps) for eps in halved]),
        "sizes": halved,
        "commuting": np.array([cayley(-cell.eps / (2 + i) * _cross(cell.vectors[0])) for i in range(cell.letters)]),
        "start": START,
    }


def _images(cell: Sizes) -> list:
    return [of_class(1), of_class(2), of_class(3), of_two_layers(cell.letters)]


def _mean(cell: Sizes, image: tuple) -> float:
    """What a reader of an image is left with, mean over positions."""
    return float(sum(left(*_moved(cell), cell.length, image)[1:], Fraction(0)) / cell.length)


def _floor(cell: Sizes) -> np.ndarray:
    """What one layer leaves after 1, ..., T letters: the last turn is known, and does not change lengths."""
    return np.array([float(part) for part in left(*_moved(cell), cell.length - 1, of_class(1))])


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Variances within images, the floor of one layer by position; orders of towers, and on which side trained stacks lie."""
    exact = np.array([_mean(cell, image) for image in _images(cell)])
    floor = _floor(cell)
    images = (
        Prediction(exact, of="left", dims=("reader",)),
        Prediction(
            np.array([_mean(_more(cell), image) for image in _images(_more(cell))]), of="left_of_more", dims=("reader",)
        ),
        Prediction(floor, of="layer_floor", dims=("position",)),
    )
    if not cell.seeds:
        return images
    towers = tuple(_order(cell, layers) for layers in TOWERS)
    if cell.kind not in ORDER_BLIND:
        return (*images, *towers)
    deeper = np.ones(cell.deepest - 1)
    slower = Prediction(1, of="third_gains_less", relation=Relation.TREND)
    return (
        *images,
        *towers,
        *_facts(cell, cell.deepest),
        Prediction(110, of="allowed"),
        Prediction(float(floor.mean()), of="one_layer", relation=Relation.AT_LEAST),
        Prediction(1, of="one_near", relation=Relation.TREND),
        Prediction(deeper, of="deeper_below", dims=("deeper",), relation=Relation.TREND),
        *(slower,) * (cell.eps <= SMALL),
    )


def _order(cell: Sizes, layers: int) -> Prediction:
    """Twice the lowest degree of the derived ideal, since errors are squared; the leading term of some word moves the start."""
    degree = lie.derived_ideal_degree(cell.letters, layers)
    word = [letter % cell.letters for letter in (0, 1, 1, 0, 1, 0, 0, 1)][: max(cell.length, 2)]
    series = lie.tower_error_series(word, [_cross(vector) for vector in cell.vectors], layers)
    visible = degree in series and bool(np.any(np.asarray(series[degree]) @ START != 0))
    leads = Hypothesis(f"the leading term of {layers} layers moves the start", visible)
    return Prediction(2 * degree, of=f"tower_{layers}", relation=Relation.ORDER, hypotheses=(leads,))


def _facts(cell: Sizes, deepest: int) -> tuple[Prediction, ...]:
    """What every run trains: half the rate a step on average; of `deepest` layers as many as its depth.

    Attention is four maps of the width and a perceptron of two and one of four widths, with two norms. Recurrence, which only a
    control trains, is four gates that read the letter and the state, and an output. Read are letters and the beginning.
    """
    width = cell.width
    layer = 16 * width**2 + 2 * width if deepest > 1 else 9 * width**2 + 5 * width
    facts = {
        "steps": cell.steps,
        "travel": cell.steps * cell.rate / 2,
        "weights": deepest * layer + (cell.letters + 1 + 1 + 3) * width + 3,
    }
    return (
        *(Prediction(value, of=name) for name, value in facts.items()),
        Prediction(list(range(1, deepest + 1)), of="parts", dims=("depth",)),
    )


def _about_one_axis(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Letters that commute: nothing is left to a reader of counts; to one who knows nothing, the variance of all words."""
    nothing: tuple = (), lambda image, letter: image
    spread = [float(part) for part in left(given["commuting"], START, cell.length, nothing)[1:]]
    return (
        Prediction(np.zeros(4), of="left", dims=("reader",)),
        Prediction(np.zeros(cell.length), of="layer_floor", dims=("position",)),
        Prediction(np.array(spread), of="spread", dims=("position",)),
        Prediction(cell.letters**cell.length, of="listed"),
    )


def _trained(cell: Sizes, given: dict) -> bool:
    return cell.seeds > 0 and cell.kind in ORDER_BLIND


def _with(of: str, cell: Sizes, value: float) -> Prediction | None:
    return Prediction(value, of=of, relation=Relation.AT_LEAST) if _trained(cell, {}) else None


def _class_less(cell: Sizes, given: dict) -> Prediction | None:
    """Every image is that of the class below; nothing where words are too short for a difference."""
    images = _images(cell)
    exact = [np.array([_mean(cell, image) for image in some]) for some in (images, (images[0], *images[:3]))]
    return None if (exact[0] == exact[1]).all() else Prediction(exact[1], of="left", dims=("reader",))


def _squared(cell: Sizes, given: dict) -> Prediction | None:
    small = _trained(cell, given) and cell.eps <= SMALL
    return Prediction(0, of="third_gains_less", relation=Relation.TREND) if small else None


CONTROLS = (
    control(
        "an LSTM",
        "the floor of one layer holds for a recurrence that is not linear",
        measure="lstm",
        instead={"one_layer": "one_layer"},
        finds=lambda cell, given: _facts(cell, 1),
        where=_trained,
    ),
    control(
        "letters about one axis", "something is left where letters commute", measure="about_one_axis", finds=_about_one_axis
    ),
    control(
        "two layers",
        "the floor of one layer holds for two",
        instead={"one_layer": "two_layers", "deeper_below": "shallower_below"},
        where=_trained,
    ),
    control(
        "a twentieth of the steps",
        "deeper stacks are below as early",
        instead={"deeper_below": "deeper_below_early"},
        where=_trained,
    ),
)
RIVALS = (
    rival(
        "the last letter is not seen",
        lambda cell, given: _with("one_layer", cell, _mean(cell, of_class(1))),
        "one layer knows the letter counts alone",
    ),
    scaled(1.1, of="one_layer", name="a floor a tenth higher"),
    rival("a class less", _class_less, "patterns of two letters tell as little as counts"),
    off_by(-1, of=tuple(f"tower_{layers}" for layers in TOWERS), name="an order less"),
    rival("doubly exponential", _squared, "the typical third layer gains as large a factor as the second, or a larger one"),
)
