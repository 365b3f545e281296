"""Errors of matrix states along words, at rest, and under constant errors."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured
from experiments.training.matrix_states_forget_errors.common import LONG, SMALL

HALVINGS = 30
SETTLED = 3000  # letters after which an entry rests


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Jacobians of letters, shares along a word, letters that a memory lasts, rates at rest, the largest survived error."""
    letters = {name: jnp.asarray(given[name]) for name in ("decay", "rate", "key", "written")}
    states = jnp.asarray(given["states"])
    word = jax.random.randint(key, (cell.length,), 0, cell.letters)
    found = {name: np.asarray(part) for name, part in _affine(letters, states, word, cell.share).items()}
    bent = {name: np.asarray(part) for name, part in _bent(states, cell.gain, cell.forget, cell.share, cell.error).items()}
    floor = rounding_floor(16 * cell.size**2, jnp.dtype(float), 1.0)
    return measured(
        eigenvalues=Quantity(
            np.sort(np.linalg.eigvals(found["jacobians"]).real, axis=1),
            "letter number",
            floor=1e3 * floor,
            label="eigenvalues of the Jacobian of RWKV-7",
        ),
        jacobian_moves=Quantity(found["moves"], floor=floor, label="largest change of the Jacobian between two states"),
        jacobian_moves_bent=Quantity(bent["moves"], floor=floor),
        share=Quantity(found["share"], floor=floor * found["narrow"], label="share that an error has of the difference"),
        share_bent=Quantity(bent["share"], floor=floor),
        letters_held=Quantity(int(bent["held"]), label="letters until a constant error takes an unbent memory"),
        rest=Quantity(bent["rest"], floor=1e3 * floor, label="where an entry rests"),
        left=Quantity(bent["left"], floor=1e3 * floor / SMALL, label="share of an error that a letter leaves"),
        survived=Quantity(bent["survived"], floor=2.0**-HALVINGS, label="largest constant error that is survived"),
    )


def low_gain(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The largest error that is survived at a gain at which nothing is held."""
    bent = _bent(jnp.asarray(given["states"]), 0.9, cell.forget, cell.share, cell.error)
    return measured(survived=Quantity(np.asarray(bent["survived"]), floor=2.0**-HALVINGS))


def update(state: jax.Array, letters: dict[str, jax.Array], letter: jax.Array) -> jax.Array:
    """Return S (diag(w) - kappa^T (a kappa)) + what is written."""
    decay, rate, key, written = (letters[name][letter] for name in ("decay", "rate", "key", "written"))
    return state * decay[None] - (state @ key)[:, None] * (rate * key)[None] + written


def bend(state: jax.Array, gain: jax.Array, forget: jax.Array) -> jax.Array:
    """Return f S + (1 - f) tanh(g S)."""
    return forget * state + (1 - forget) * jnp.tanh(gain * state)


@jax.jit
def _affine(letters: dict[str, jax.Array], states: jax.Array, word: jax.Array, share: float) -> dict[str, jax.Array]:
    def row(state: jax.Array, letter: jax.Array) -> jax.Array:
        """The Jacobian of the first row of the state, which no other row enters."""
        return jax.jacfwd(lambda first: update(state.at[0].set(first), letters, letter)[0])(state[0])

    every = jnp.arange(letters["decay"].shape[0])
    one, other = (jax.vmap(lambda letter, at=state: row(at, letter))(every) for state in (states[0], states[1]))
    began = jnp.stack([states[0], states[1], states[0] + share * (states[1] - states[0])])

    def step(runs: jax.Array, letter: jax.Array) -> tuple[jax.Array, None]:
        return jax.vmap(lambda state: update(state, letters, letter))(runs), None

    ends = jax.lax.scan(step, began, word)[0]
    return {
        "jacobians": one,
        "moves": jnp.abs(one - other).max(),
        "share": _share(ends),
        "narrow": word.shape[0] * jnp.abs(ends).max() / jnp.linalg.norm(ends[1] - ends[0]),
    }


def _share(runs: jax.Array) -> jax.Array:
    """How far the third state is on the way from the first to the second."""
    apart = runs[1] - runs[0]
    return jnp.vdot(runs[2] - runs[0], apart) / jnp.vdot(apart, apart)


@jax.jit
def _bent(states: jax.Array, gain: float, forget: float, share: float, error: float) -> dict[str, jax.Array]:
    move = partial(bend, gain=jnp.asarray(gain), forget=jnp.asarray(forget))

    def after(state: jax.Array, letters: int, harm: jax.Array) -> jax.Array:
        return jax.lax.fori_loop(0, letters, lambda _, now: move(now) - harm, state)

    rest = after(jnp.asarray(1.0), SETTLED, jnp.asarray(0.0))

    def halve(_: int, between: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        low, high = between
        middle = (low + high) / 2
        kept = after(rest, LONG, middle) > 0
        return jnp.where(kept, middle, low), jnp.where(kept, high, middle)

    survived = jax.lax.fori_loop(0, HALVINGS, halve, (jnp.asarray(0.0), jnp.asarray(1.0)))[0]
    slope = jax.vmap(jax.vmap(jax.grad(move)))
    mixed = jnp.stack([states[0], states[1], states[0] + share * (states[1] - states[0])])
    held = jax.lax.while_loop(
        lambda now: now[0] > 0, lambda now: (now[0] - error, now[1] + 1), (jnp.asarray(1.0), jnp.asarray(0))
    )
    return {
        "rest": rest,
        "left": (move(rest + SMALL) - move(rest)) / SMALL,
        "survived": survived,
        "moves": jnp.abs(slope(states[0]) - slope(states[1])).max(),
        "share": _share(move(move(mixed))),
        "held": held[1],
    }
