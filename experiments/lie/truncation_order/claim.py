r"""A BCH series cut after degree c errs by order c + 1, its constant being the norm of the next term.

Statement: Let Z_1 + Z_2 + ... = log(exp X exp Y) by degree. The exponential of the series cut after degree c differs from
    exp(eps X) exp(eps Y) by ||Z_{c+1}|| eps^(c+1) to leading order.
    $$ \left\|e^{\varepsilon X} e^{\varepsilon Y} - e^{\varepsilon Z_1 + \dots + \varepsilon^c Z_c}\right\|
       = \|Z_{c+1}\|\,\varepsilon^{c+1} + O(\varepsilon^{c+2}) $$
Hypotheses: the next term Z_{c+1}(X, Y) does not vanish on the pair (checked exactly).
Source: Dynkin, “Calculation of the coefficients in the Campbell-Hausdorff formula”, Dokl. Akad. Nauk SSSR 57 (1947).
Refuted by: a clean local slope other than c + 1, or a leading constant other than ||Z_{c+1}||.
Cost: quick 4 s on one core, full about 5 s.

Derivation: both sides are exponentials of series that agree through degree c, and exp is the identity to first order.
"""

import dataclasses
from fractions import Fraction
from functools import partial

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, off_by, scaled, whole
from theory import lie

CLAIM = claim(Relation.ORDER, needs_float64=True)
HEADLINE = "error_so3"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The degree of the cut, and how many steps of eps."""

    degree: int = axis(1, 2, 3, 4, 5, 6, 7, 8, 9)
    steps: int = 16


DOMAIN = domain(degree=whole(1, 9), steps=whole(12, 24))
GRIDS = {"test": Sizes(degree=axis(2)), "quick": Sizes(), "full": Sizes(steps=24), "paper": Sizes(steps=24)}


# generic combinations: on an orthogonal pair of so(3) the fourth term vanishes
PAIR = ((Fraction(1), Fraction(-1, 2), Fraction(1, 3)), (Fraction(1, 3), Fraction(1), Fraction(-1, 2)))


def objects(cell: Sizes, seed: int) -> dict:
    """A generic pair in so(3) and in sl(2), with rational entries, and the seed by which both sides draw one in gl(4)."""
    bases = {name: np.array(lie.named(name).matrices, dtype=object) for name in ("so3", "sl2")}
    return {name: np.tensordot(np.array(PAIR), basis, axes=1) for name, basis in bases.items()} | {"seed": seed}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The exponent for all three algebras, and the constant from the exact next term."""
    order = cell.degree + 1
    next_term = lie.bch(order).homogeneous(order)
    sixteenths = np.random.default_rng(given["seed"]).integers(-8, 9, (2, 4, 4))
    pairs = given | {"gl4": np.vectorize(lambda part: Fraction(int(part), 16), otypes=[object])(sixteenths)}

    def known(name: str) -> Prediction:
        term = next_term.evaluate(*pairs[name])
        constant = float(np.linalg.norm(term.astype(float), 2)) if term.any() else 0.0
        visible = Hypothesis(f"Z_{order} does not vanish on the pair in {name}", constant > 0)
        formula = rf"\|Z_{{{order}}}\|\,\varepsilon^{{{order}}}"
        return Prediction(order, of=f"error_{name}", constant=constant, hypotheses=(visible,), formula=formula)

    last = lie.bch(order).homogeneous(cell.degree)

    def fewer(name: str) -> Prediction:
        """A degree earlier the series misses its last term."""
        constant = float(np.linalg.norm(last.evaluate(*pairs[name]).astype(float), 2))
        return Prediction(cell.degree, of=f"error_{name}_fewer", constant=constant)

    equals = partial(Prediction, dims=("algebra",), relation=Relation.EQUALS)
    return (
        *(make(name) for make in (known, fewer) for name in ("so3", "sl2", "gl4")),
        equals([3, 2], of="rows"),
        equals([0.0, 0.0], of="outside"),
    )


CONTROLS = (
    control(
        "one term fewer",
        "the series cut one degree earlier errs by the same order",
        instead={f"error_{name}": f"error_{name}_fewer" for name in ("so3", "sl2", "gl4")},
    ),
)


RIVALS = (
    off_by(-1, of=("error_so3", "error_sl2", "error_gl4"), name="order c"),
    scaled(1.5, of="constant", name="constant half as large again"),
)
