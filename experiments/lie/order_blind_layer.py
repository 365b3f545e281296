r"""One abelian layer cannot tell AB from BA: a floor under its error, of order s^2, wherever the bracket is visible.

Statement: run the words AB and BA, each piece for a time s, with readout C from the state h0. A system whose output depends
only on the integrals of its inputs (one abelian layer, any readout) answers both alike, so one of its two errors is at least

    1/2 || C (e^{sA} e^{sB} - e^{sB} e^{sA}) h0 ||  =  1/2 || C [A, B] h0 || s^2 + O(s^3),

with an explicit floor in `theory.bounds.order_blind`. The bracket must be *visible*: C [A, B] h0 != 0. Without that the
statement is false (control): A = diag(1, 0), B = E12, h0 = e1 do not commute, and the two words end in one state.

Source: Heo et al., arXiv 2603.05573, with its minimality made explicit (derived here). Refuted by: an order-blind readout
whose larger error passes under the floor, or a gap of another order or constant. Cost: seconds on a CPU.
"""

import dataclasses
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.word_recorder import letter_counter
from depthjax.lie.exponential import exponential_excess
from depthjax.lie.products import word_excess
from depthjax.probe.rounding import rounding_floor
from depthjax.verify import Claim, Control, Grid, Hypothesis, Prediction, Relation, Source, axis
from theory import bounds, lie

CLAIM = Claim(
    slug="order_blind_layer",
    title="One abelian layer answers AB and BA alike: its error is at least half the gap, ||C [A, B] h0|| s^2 / 2",
    statement=(
        "A system whose output depends only on the integrals of its inputs errs on AB or on BA by at least half the distance "
        "of the two outputs, which is ||C [A, B] h0|| s^2 to leading order."
    ),
    latex=r"\max(\mathrm{err}_{AB}, \mathrm{err}_{BA}) \ge \tfrac12\bigl\|C(e^{sA}e^{sB} - e^{sB}e^{sA})h_0\bigr\|"
    r" = \tfrac12\|C[A,B]h_0\|\,s^2 + O(s^3)",
    relation=Relation.AT_LEAST,
    source=Source(
        "Heo et al.",
        "Why Depth Matters in Parallelizable Sequence Models",
        "arXiv 2603.05573",
        "lower bound (v1), visibility added",
    ),
    assumes=("the output depends only on the integrals of the inputs", "C [A, B] h0 != 0 (checked exactly)"),
    refuted_by="an order-blind output under the floor, or a gap of another order or constant",
    cost="5 s on a CPU at every size",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The algebra that the pair is taken from; steps of s."""

    algebra: str = axis("so3", "sl2", "se2", "heisenberg3", "aff1")
    steps: int = 16


GRIDS = {"quick": Sizes(), "full": Sizes(steps=24), "paper": Sizes(steps=24)}

SIZE = 3  # all matrices stand in a corner of 3x3 ones: one program


def setting(cell: Sizes) -> dict:
    """A generic rational pair of the algebra, a readout and an initial state; and the pair whose bracket h0 does not see."""
    basis = list(lie.named(cell.algebra).matrices or ())
    count, size = len(basis), basis[0].shape[0]
    weights = np.array([[Fraction((-1) ** (i * v), 1 + i + v) for v in range(count)] for i in range(2)])
    pair = np.tensordot(weights, np.array(basis, dtype=object), axes=1)
    return {
        "pair": np.pad(pair, ((0, 0), *[(0, SIZE - size)] * 2)),
        "readout": np.array([[Fraction(1), Fraction(1, 2), Fraction(-1, 3)], [Fraction(0), Fraction(1), Fraction(1)]]),
        "start": np.array([Fraction(1), Fraction(2, 3), Fraction(1) if size == 3 else Fraction(0)]),
        "hidden": np.pad(np.array([[[1, 0], [0, 0]], [[0, 1], [0, 0]]]), ((0, 0), (0, 1), (0, 1))),
    }


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The order and constant of the gap, the floor under every order-blind readout, and no gap for the hidden bracket."""
    a, b = given["pair"]
    visible = _norm(given["readout"] @ (a @ b - b @ a) @ given["start"])
    mass, gain = _norm(a) + _norm(b), _norm(given["readout"]) * _norm(given["start"])
    checks = (Hypothesis("the bracket is visible, C [A, B] h0 != 0", visible > 0),)
    floor = [bounds.order_blind(bracket=visible, step=s, mass=mass, gain=gain).at() for s in _steps(cell)] if visible else 0.0
    return (
        Prediction(2, of="gap", relation=Relation.ORDER, constant=visible, hypotheses=checks, formula=r"\|C[A,B]h_0\| s^2"),
        Prediction(np.array(floor), of="worst_error", dims=("step",), hypotheses=checks),
        Prediction(0, of="count_change", relation=Relation.EQUALS),
        Prediction(0.0, of="hidden_gap", relation=Relation.EQUALS),
    )


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Outputs on AB and BA; the larger error of two order-blind readouts; the state of an abelian layer on both words."""
    steps = _steps(cell)
    words = jnp.array([[0, 1], [1, 0]])
    counts = np.asarray(letter_counter(2).run(words.T, (jnp.zeros((2, 2), words.dtype),))[0])
    results = {}
    for name, readout, start in (("pair", given["readout"], given["start"]), ("hidden", np.eye(SIZE), np.eye(SIZE)[0])):
        matrices = jnp.asarray(given[name].astype(float))
        readout, start = (jnp.asarray(array.astype(float)) for array in (readout, start))
        results[name] = [np.asarray(x) for x in _outputs(words, matrices, jnp.asarray(steps), readout, start)]
    outputs, blind = results["pair"]
    gap = np.linalg.norm(outputs[:, 0] - outputs[:, 1], axis=-1)
    # the mean of the two outputs is the best that an order-blind system can answer; e^{s(A + B)} is what one layer computes
    guesses = np.stack([outputs.mean(axis=1), blind])
    worst = np.linalg.norm(outputs[None] - guesses[:, :, None], axis=-1).max(axis=-1)
    hidden = np.linalg.norm(results["hidden"][0][:, 0] - results["hidden"][0][:, 1], axis=-1)
    scale = np.linalg.norm(given["readout"].astype(float), 2) * np.linalg.norm(given["start"].astype(float))
    mass = steps * np.linalg.norm(given["pair"].astype(float), ord=2, axis=(1, 2)).sum()
    # outputs are kept without C h0, so that what is rounded is of the size of a step
    floor = rounding_floor(13 * SIZE * 2, jnp.dtype("float64"), scale * mass * np.exp(mass))
    unit = {"units": "norm of the output"}
    return xr.Dataset(
        {
            "gap": ("step", gap, unit | {"long_name": "distance of the outputs on AB and BA"}),
            "gap_floor": ("step", floor),
            "worst_error": (("readout", "step"), worst, unit | {"long_name": "larger error of an order-blind readout"}),
            "worst_error_floor": ("step", floor),
            "hidden_gap": ("step", hidden, unit | {"long_name": "distance of the states, hidden bracket"}),
            "hidden_gap_floor": ("step", rounding_floor(13 * SIZE * 2, jnp.dtype("float64"), steps * np.exp(2 * steps))),
            "count_change": ((), np.abs(counts[:, 0] - counts[:, 1]).max(), {"long_name": "distance of the layer's states"}),
        },
        coords={"step": ("step", steps, {"long_name": "s"}), "readout": ["best", "one layer"]},
    )


@jax.jit
def _outputs(
    words: jax.Array, matrices: jax.Array, steps: jax.Array, readout: jax.Array, start: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Outputs without their constant part C h0: on the two words, and of the exponential of the integral."""
    product = word_excess(words, matrices, steps)
    blind = exponential_excess(steps[:, None, None] * matrices.sum(axis=0)[None])
    return jnp.einsum("oi,swij,j->swo", readout, product, start), jnp.einsum("oi,sij,j->so", readout, blind, start)


def _steps(cell: Sizes) -> np.ndarray:
    return 2.0 ** (-np.arange(cell.steps) / 2 - 2)


def _norm(array: np.ndarray) -> float:
    return float(np.linalg.norm(array.astype(float), 2))


def _without_visibility(cell: Sizes, given: dict) -> Prediction:
    a, b = given["hidden"]
    floor = [bounds.order_blind(bracket=_norm(a @ b - b @ a), step=s, mass=2, gain=1).at() for s in _steps(cell)]
    return Prediction(np.array(floor), of="hidden_gap", dims=("step",))


def _order(shift: int):
    return lambda cell, given: Prediction(2 + shift, of="gap", relation=Relation.ORDER)


def _half_again(cell: Sizes, given: dict) -> Prediction:
    exact = next(p for p in predict(cell, given) if p.of == "gap")
    return dataclasses.replace(exact, constant=1.5 * (exact.constant or 0.0))


CONTROLS = (
    Control(
        "the published statement without visibility", "the floor holds whenever A and B do not commute", _without_visibility
    ),
    Control("order one", "the gap is of order s", _order(-1)),
    Control("order three", "the gap is of order s^3", _order(+1)),
    Control("constant half as large again", "the gap's constant is 3/2 ||C [A, B] h0||", _half_again),
)
