r"""k prefix sums follow a product of exponentials exactly up to the lowest degree of the k-th derived ideal.

Statement: Build the cascade of k prefix sums from the derived series of the free Lie algebra on n letters. On a word of
    total generator mass eps it reproduces the product of the letters' exponentials up to order eps^m and no further, where
    m = m_k(n) is the lowest degree of the k-th derived ideal: 2, 4, 8, ... for three letters and more, 2, 5, 10, ... for two.
    $$ \left\|\prod_t e^{\varepsilon A_t} - e^{u_k}\cdots e^{u_1}\right\| = \Theta(\varepsilon^{m_k(n)}),
       \quad m_k(n) = \min\{d : L_d^{(k)} \ne 0\} $$
Hypotheses: n >= 2 letters and k >= 1 layers; the tower's class holds brackets of degree m_k(n) (checked); generators are
    generic, so that the leading bracket does not vanish on them (checked where the word is fixed).
Source: Heo et al., “Why Depth Matters in Parallelizable Sequence Models”, arXiv 2603.05573, Corollary 3.6 (v1;
    v2 of June 2026 corrects Corollary 3.6 and Proposition 3.7), sharpened.
Refuted by: a local slope clear of rounding that misses m_k(n) by more than its budget.
Cost: quick 40 s on one core, full about a minute.

The corollary gives the exponent 2^(k-1) + 1. Derivation: `depthjax.constructions.towers.lie` writes the product as exp(v)
exp(u_k) ... exp(u_1) with v in the k-th derived ideal, so the error is (exp(v) - 1) exp(u_k) ... exp(u_1). It starts at
that ideal's lowest degree, with the norm of v's leading bracket.

Three quantities are judged. `error`, the distance itself, shows the order where float64 can resolve it. At three layers it
hardly can, because truncation at a class c adds a large term in eps^(c+1) and rounding a floor. (At class m - 1 any tower
of k layers or more shows order m, whatever its depth is worth, so what one layer more still misses counts as a floor here.)
`left_out`, the factor that the tower leaves out, is computed by one layer more without cancellation and shows the order at
every mass. `complete` shows that this one layer explains the whole error: with it the distance falls to the order c + 1 of
the class.
"""

import dataclasses
from functools import partial

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, off_by, rival, scaled, whole
from experiments.lie._generators import generators
from theory import bounds, lie

CLAIM = claim(Relation.ORDER, needs_float64=True)
HEADLINE = "error"


FIXED_WORD = {2: (0, 0, 1, 0, 0, 1, 1, 1), 3: (0, 1, 2, 0, 2, 1, 1, 2), 4: (0, 1, 2, 3, 2, 1, 0, 3)}  # where nothing is drawn


# highest degree of the brackets that are kept, by letters and layers; (3, 3) has the class that the size of the run affords
CLASSES = {(2, 1): 4, (2, 2): 7, (2, 3): 12, (3, 1): 4, (3, 2): 6, (4, 1): 4, (4, 2): 5, (5, 1): 3, (5, 2): 4}


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Letters and layers; generators and fixed word; lengths of random words, runs and samples, deepest class, steps of eps."""

    letters: int = axis(2, 3, 4)
    layers: int = axis(1, 2, 3)
    draw: int = 0  # of the generators and of the fixed word
    length: int = 256
    short: int = 16
    runs: int = 6
    samples: int = 12
    deepest: int = 9
    steps: int = 18

    def allows(self) -> bool:
        """Whether the class that holds the brackets is affordable; of one layer, three letters are left to the drawn cells."""
        if not self.draw:
            return self.letters != (3 if self.layers == 1 else 4)
        return self.letters <= 3 or self.layers <= 2

    @property
    def nilpotency(self) -> int:
        """The class at which the free Lie algebra is cut."""
        return CLASSES.get((self.letters, self.layers), self.deepest)


DOMAIN = domain(
    letters=whole(2, 5, quick=4),
    layers=whole(1, 3, test=2),
    draw=whole(1, 2**16),
    short=whole(8, 64, quick=32),
)
GRIDS = {
    "test": Sizes(letters=axis(3), layers=axis(2), length=32, samples=3),
    "quick": Sizes(),
    "full": Sizes(length=1024, samples=24),
    "paper": Sizes(length=4096, samples=128, deepest=10, steps=24),
}


def objects(cell: Sizes) -> dict:
    """Generators of so(3) and sl(2), and a short word whose leading bracket does not vanish on them."""
    exact = {name: generators(name, cell.letters, cell.draw) for name in ("so3", "sl2")}
    if not cell.draw:
        return {"algebras": {name: m.astype(float) for name, m in exact.items()}, "word": np.array(FIXED_WORD[cell.letters])}
    # at mass 4 exponentials of states of degree 12 would overflow
    algebras = {name: m / (2 * np.linalg.norm(m, 2, axis=(1, 2)).max()) for name, m in exact.items()}
    rng, word = np.random.default_rng(cell.draw), np.resize(np.arange(cell.letters), 8)
    while True:
        word = rng.permutation(word)
        remainder = lie.tower_remainder(tuple(word.tolist()), cell.letters, cell.layers)
        if all(np.any(remainder.evaluate(*matrices)) for matrices in exact.values()):
            return {"algebras": algebras, "word": word}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The exponent from the graded dimensions of the derived ideal, the constant from the fixed word's leading bracket."""
    exponent = int(bounds.tower(letters=cell.letters, layers=cell.layers).at())
    next_ideal = lie.derived_ideal_degree(cell.letters, cell.layers + 1)
    held = Hypothesis(f"class {cell.nilpotency} holds brackets of degree {exponent}", cell.nilpotency >= exponent)
    remainder = lie.tower_remainder(tuple(given["word"].tolist()), cell.letters, cell.layers)
    formula = rf"\varepsilon^{{{exponent}}}"

    def fixed(name: str) -> Prediction:
        norm = float(np.linalg.norm(np.asarray(remainder.evaluate(*given["algebras"][name]), dtype=float), 2))
        visible = Hypothesis(f"the fixed word's leading bracket does not vanish on {name}", norm > 0)
        constant = norm / len(given["word"]) ** exponent
        return Prediction(exponent, of=f"left_out_{name}", constant=constant, hypotheses=(visible,), formula=formula)

    above = lie.derived_ideal_degree(cell.letters, cell.layers - 1) if cell.layers > 1 else 1
    equals = partial(Prediction, relation=Relation.EQUALS)
    return (
        Prediction(exponent, of="left_out", hypotheses=(held,), formula=formula),
        Prediction(exponent, of="error", formula=formula),
        Prediction(_published(cell), of="left_out", one_sided=True, formula=r"\varepsilon^{2^{k-1}+1}"),
        Prediction(min(cell.nilpotency + 1, next_ideal), of="complete", one_sided=True),
        *(fixed(name) for name in ("so3", "sl2")),
        Prediction(above, of="fewer"),
        equals([3, 2], "rows", ("algebra_fixed",)),
        equals([0.0, 0.0], "outside", ("algebra_fixed",)),
        equals([2 * cell.samples + 1, cell.layers + 1, 8, cell.letters], "read", ("of",)),
        equals([1.0, 1.0], "weight", ("end",)),
    )


def _published(cell: Sizes) -> int:
    return 2 ** (cell.layers - 1) + 1


def _backwards(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The product of a word and that of its reverse differ by commutators; of the fixed word is left out what its reverse does.

    The constant of the difference is not known of random words: they are different ones in every run.
    """
    exponent = lie.derived_ideal_degree(cell.letters, cell.layers)
    remainder = lie.tower_remainder(tuple(given["word"][::-1].tolist()), cell.letters, cell.layers)
    norms = {
        name: float(np.linalg.norm(np.asarray(remainder.evaluate(*given["algebras"][name]), dtype=float), 2))
        for name in ("so3", "sl2")
    }
    left_out = (
        Prediction(exponent, of=f"left_out_{name}", constant=norm / len(given["word"]) ** exponent)
        for name, norm in norms.items()
        if norm > 0
    )
    return Prediction(2, of="error"), *left_out


DEFINITIONS = {"word": "the letters of the fixed word, which are small numbers"}


CONTROLS = (
    control("one layer fewer", "k - 1 layers have the error of k", instead={"error": "fewer"}),
    control(
        "read backwards",
        "the order in which the layers read the letters does not matter",
        measure="read_backwards",
        predict=lambda cell, given: predict(cell, given)[1],
        finds=_backwards,
        where=lambda cell, given: cell.layers == 2,
    ),
)


RIVALS = (
    off_by(-1, of="left_out", name="exponent one lower"),
    off_by(+1, of="left_out", name="exponent one higher"),
    rival(
        "published exponent as an order",
        lambda cell, given: Prediction(_published(cell), of="left_out") if cell.layers > 1 else None,
        "for k >= 2 the order is exactly 2^(k-1) + 1",
    ),
    scaled(1.5, of="constant", name="constant half as large again"),
)
