r"""Weights convolved on the group begin as the leading singular vectors of x^, and end as |G|^2/2 times the inverse of x^*.

Statement: A network of neurons w (<u, x_a> + <v, x_b>)^2 answers the letters a and b of a finite group with the code of ab. Its
    feature is the sum of u[c] w[b] v[a] over all neurons and all c b^-1 a = g. Gradient flow from a vanishing start begins with
    neurons whose mean feature, for norms sqrt(3) and weighed by the cubes of their norms, has the leading singular vectors p, r
    of x^ at the irrep of the largest score and at its conjugate, and is zero elsewhere. C = 1 for real type and 2 otherwise;
    quaternionic type has two pairs p, r. A network that is trained until no loss is left (here by Adam, from an ordinary
    start) has the inverse of every coefficient that is not trivial, conjugated and transposed.
    $$ \hat t_{\text{start}}[\rho] = \Big(\frac{|G|}{C_\rho n_\rho}\Big)^{3/2} p\, r^*, \qquad
       \hat t_{\text{end}}[\rho] = \frac{|G|^2}{2}\, \big(\hat x[\rho]^*\big)^{-1} $$
Hypotheses: encodings are real and centred; one irrep has the largest score, and one singular value of its coefficient is the
    largest; no other coefficient is singular; some neuron starts in the basin of that irrep.
Source: derived here (theory.composition.features); the score is from Theorem 4.1 of Marchetti, Kunin, Myers, Acosta, Miolane,
    “Sequential Group Composition”, arXiv 2602.03655.
Refuted by: a network that starts with another feature, or one without loss that ends with another.
Cost: quick 15 s on one core, full about 5 min.

Weights are measured, and a sum over the Cayley table: the measurement knows no irrep. The prediction comes from the Fourier
coefficients of an encoding that is drawn, neither real nor symmetric where the irreps allow it. So a transform that is
transposed or conjugated predicts other functions, and one without its norm another size at the end.

Budget of the start. While the network is small, the directions of its neurons follow a path that does not depend on alpha (see
`agf_dynamics`), in the time s = t log(1/alpha). Near the maximum U of the utility in the leading irrep other irreps fall off
like exp(-3 U s). The second singular value, q times the first, leaves a part that falls off like exp(-3 U (1 - q) s). The
neurons of an irrep with the utility U' stay behind like exp(-9 (U - U') s), in their cubes. The network is read when its
answers have sqrt(alpha) of the size of the target, where exp(-3 U s) is about alpha^(5/6). So all that is left, the answers
included, is a power of alpha. It is squared from one scale to the next, and the distance of the two bounds what is left at the
second.

Budget of the end. The feature is a linear function of the answers: with P the inverse of the codes outside the constants, u and
v are P times what they read of all letters. Squares of one letter drop out, because P sends constants to zero. So by Cauchy and
Schwarz a loss L allows sqrt(|G|) ||P|| ||P||_F |G| sqrt(2 L) / 2. Constants in the weights are left out: codes do not see them.

Among 150 neurons between 15 and 150 started in that basin, for every irrep of 18 groups of order 6 to 24 and a score that is a
quarter above the next; the fewest for a character of Q8.

For answers ba in place of ab the last coefficient is n^2 times as small, which the control shows wherever n > 1.
"""

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from depthjax.verify import Grid, Prediction, Relation, axis, claim, control, domain, real, rival, scaled, whole
from experiments.composition.learned_features.common import placed
from experiments.composition.learned_features.encodings import drawn_encoding, function, hypotheses
from experiments.groups import NUMBERINGS, group_of, groups
from theory.composition import spectrum
from theory.composition.features import final_features, first_features, first_irreps
from theory.groups import fourier

CLAIM = claim(Relation.EQUALS, needs_float64=True, trains=True)
HEADLINE = "begins"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups with irreps of every type, and which irrep leads: the last one, or one before it."""

    group: str = axis("C5", "S3", "Q8", "A4", "C7:C3")
    leader: int = axis(0, 1)
    lead: float = 1.25  # the ratio of the largest score and the next one
    width: int = 150
    steps: int = 5000
    log_scale: float = 30.0
    large: float = 1.0
    trained: int = 12  # order of the largest group for which a network is trained to the end
    numbering: int = 0

    @property
    def trains(self) -> bool:
        """Whether a network is trained to the end."""
        return group_of(self).order <= self.trained


DOMAIN = domain(
    group=groups(24, quick=12), leader=whole(0, 11), lead=real(1.2, 3.0), width=whole(120, 240), numbering=NUMBERINGS
)
MORE = axis("C5", "C7", "S3", "Q8", "D5", "A4", "Q12", "C7:C3", "S4", "SL2_3")
GRIDS = {
    "test": Sizes(group=axis("S3", "Q8")),
    "quick": Sizes(),
    "full": Sizes(group=MORE, width=200, log_scale=45.0, trained=16),
    "paper": Sizes(group=MORE, width=400, log_scale=60.0, trained=24),
}


def objects(cell: Sizes, seed: int) -> dict:
    """The Cayley table, and an encoding."""
    finite = group_of(cell)
    return {"table": np.asarray(finite.table), "encoding": drawn_encoding(finite, cell.leader, cell.lead, seed)}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The feature at the start, and at the end where a network is trained to it; and how far both are trained."""
    features = (_prediction(cell, given, _features(cell, given, of), of) for of in ("begins", "ends")[: 1 + cell.trains])
    numbers = 3 * len(given["table"]) * cell.width
    return (
        *features,
        _reached([-cell.log_scale / 2, -cell.log_scale], ("scale",)),
        Prediction([numbers] * 2, of="numbers", dims=("scale",)),
        *([Prediction(cell.steps, of="steps")] if cell.trains else []),
    )


def _reached(logarithms: float | list[float], dims: tuple[str, ...] = ()) -> Prediction:
    """Answers have grown to sqrt(alpha) of the target, and to less than 3/2 of it: a step adds a tenth to their cube roots."""
    return Prediction(logarithms, of="reached", dims=dims, truncation=math.log(1.5), resolution=1.0)


def _other_order(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    r"""The feature of a network that answers ba: the coefficients are n^2 times as small.

    The sum of :math:`A_{ji} B_{lk} \hat w_{nm}` (see `theory.composition.features`) is then :math:`|G|^2 / (2 n^2)\,
    \delta_{li} \delta_{jm} \hat x_{nk}`, so that contraction leaves no trace.
    """
    smaller = [c / len(c) ** 2 for c in _features(cell, given, "ends")]
    return _prediction(cell, given, smaller, "ends"), Prediction(cell.steps, of="steps")


def _not_small(cell: Sizes, given: dict) -> tuple[Prediction, ...] | None:
    """Weights of variance alpha^2: the answers of 120 neurons or more to all pairs are larger than the target at once."""
    order = len(given["table"])
    return None if order < 4 else (*_begun_with(math.exp(-2 * cell.large)), _answers(order, order**2))


def _other_codes(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Every product has an answer of its own, which is never the product; and answers grow as those of the products do."""
    return _reached(-cell.log_scale), _answers(len(given["table"]), 0)


def _answers(pairs: int, right: int) -> Prediction:
    """So many different pairs of a product and its answer, and so many answers that are the product."""
    return Prediction([pairs, right], of="answers", dims=("of",))


def _begun_with(variance: float) -> tuple[Prediction, ...]:
    """Weights that were not trained, by their mean square, which is told from zero and from twice its value."""
    return Prediction(0, of="steps"), Prediction(variance, of="square", resolution=variance)


FORMULAS = {
    "begins": r"\frac{1}{|G|} \sum n_\rho \operatorname{tr}(\rho(g)\, (|G| / C_\rho n_\rho)^{3/2}\, p\, r^*)",
    "ends": r"\frac{1}{|G|} \sum n_\rho \operatorname{tr}(\rho(g)\, |G|^2 / 2\, (\hat x[\rho]^*)^{-1})",
}


def _features(cell: Sizes, given: dict, of: str) -> list[np.ndarray]:
    return {"begins": first_features, "ends": final_features}[of](group_of(cell), given["encoding"])


def _prediction(cell: Sizes, given: dict, coefficients: list[np.ndarray], of: str) -> Prediction:
    """All values of a feature, told apart to a hundredth of the largest, because some are small."""
    values = placed(function(group_of(cell), coefficients))
    return Prediction(
        values,
        of=of,
        dims=("element",),
        resolution=float(np.abs(values).max()) / 100,
        hypotheses=hypotheses(group_of(cell), given["encoding"]),
        formula=FORMULAS[of],
    )


Change = Callable[[Sizes, dict, list[np.ndarray]], list[np.ndarray]]  # of the coefficients of a feature


def _changed(of: str, change: Change) -> Callable[[Sizes, dict], Prediction | None]:
    """What other coefficients of a feature lead to, where they move it by more than a thousandth."""

    def predicted(cell: Sizes, given: dict) -> Prediction | None:
        if of == "ends" and not cell.trains:
            return None
        own = _features(cell, given, of)
        others = change(cell, given, own)
        moved, before = (function(group_of(cell), each) for each in (others, own))
        small = np.abs(moved - before).max() < 1e-3 * np.abs(before).max()
        return None if small else _prediction(cell, given, others, of)

    return predicted


def _each(change: Callable[[np.ndarray], np.ndarray]) -> Change:
    return lambda cell, given, own: [change(c) for c in own]


def _all_vectors(cell: Sizes, given: dict, own: list[np.ndarray]) -> list[np.ndarray]:
    """All singular vectors in place of the leading ones."""
    found = []
    for part, coefficient in zip(own, fourier(group_of(cell), given["encoding"]), strict=True):
        left, _, right = np.linalg.svd(coefficient)
        found.append(np.linalg.norm(part, 2) * left @ right)
    return found


def _without_type(cell: Sizes, given: dict, own: list[np.ndarray]) -> list[np.ndarray]:
    """The size for a real irrep of the same dimension."""
    return [c * (1 if irrep.kind == "real" else 2**1.5) for irrep, c in zip(group_of(cell).irreps, own, strict=True)]


def _in_proportion(cell: Sizes, given: dict, own: list[np.ndarray]) -> list[np.ndarray]:
    """All coefficients of the encoding, with the norm of the feature at the irrep that leads."""
    size, place = max((np.linalg.norm(part, 2), place) for place, part in enumerate(own))
    coefficients = fourier(group_of(cell), given["encoding"])
    return [size / np.linalg.norm(coefficients[place], 2) * c for c in coefficients]


def _by_power(cell: Sizes, given: dict, own: list[np.ndarray]) -> list[np.ndarray]:
    """The irrep with the largest part of the encoding in place of that of the largest score."""
    finite, encoding = group_of(cell), given["encoding"]
    powers = [
        component.dimension * float(component.square_norm) * (1 if irrep.conjugate == irrep.number else 2)  # type: ignore[arg-type]
        for irrep, component in zip(finite.irreps, spectrum(finite, encoding), strict=True)
    ]
    largest = int(np.argmax(powers))
    both = {largest, finite.irreps[largest].conjugate}
    if both == first_irreps(finite, encoding):
        return own
    alone = [c if number in both else 0 * c for number, c in enumerate(fourier(finite, encoding))]
    return first_features(finite, function(finite, alone))


def _not_inverted(cell: Sizes, given: dict, own: list[np.ndarray]) -> list[np.ndarray]:
    """The coefficients of the encoding themselves."""
    return [group_of(cell).order ** 2 / 2 * c for c in fourier(group_of(cell), given["encoding"])]


CONTROLS = (
    control(
        "scale not small",
        "learning begins with the feature at log(1/alpha) = 1 already",
        measure="not_small",
        instead={"begins": "begins"},
        finds=_not_small,
    ),
    control(
        "shuffled",
        "learning begins with the feature where answers are codes of other elements",
        measure="shuffled",
        instead={"begins": "begins"},
        finds=_other_codes,
    ),
    control(
        "untrained",
        "weights that are not trained have the feature",
        measure="untrained",
        instead={"ends": "ends"},
        finds=lambda cell, given: _begun_with(0.2**2),
        where=lambda cell, given: cell.trains,
    ),
    control(
        "the other order",
        "networks that answer with ba have the feature",
        measure="other_order",
        instead={"ends": "ends"},
        finds=_other_order,
        where=lambda cell, given: cell.trains and not group_of(cell).is_abelian,
    ),
)


RIVALS = (
    *(
        rival(f"{name}, {of}", _changed(of, _each(change)), f"coefficients are {name}", everywhere=False)
        for of in ("begins", "ends")
        for name, change in (("transposed", np.transpose), ("conjugated", np.conj), ("adjoint", lambda c: c.conj().T))
    ),
    rival("all vectors", _changed("begins", _all_vectors), "all singular vectors are read from the start", everywhere=False),
    rival("without C", _changed("begins", _without_type), "irreps of all types are read as real ones", everywhere=False),
    rival("in proportion", _changed("begins", _in_proportion), "all irreps are read from the start", everywhere=False),
    rival("by power", _changed("begins", _by_power), "the irrep of the largest part comes first", everywhere=False),
    rival("not inverted", _changed("ends", _not_inverted), "the coefficients are those of the encoding", everywhere=False),
    scaled(0.5, of="ends", name="one square", statement="the coefficients are |G|^2/4 times the inverse", everywhere=False),
)
