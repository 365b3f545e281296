"""Errors of matrix states along words, at rest, and under constant errors."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.rounding import rounding_floor
from depthjax.verify import Cell, Quantity, measured

SMALL = 1e-6  # the error whose share of itself is left
LONG = 4000  # letters after which a bit counts as held
HALVINGS = 30
LOW = 0.9  # a gain at which nothing is held
SETTLED = 3000  # letters after which an entry rests


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Jacobians of letters, shares along a word, letters that a memory lasts, rates at rest, the largest survived error."""
    letters = {name: jnp.asarray(given[name]) for name in ("decay", "rate", "key", "written")}
    states = jnp.asarray(given["states"])
    found = {name: np.asarray(part) for name, part in _affine(letters, states, jnp.asarray(given["word"]), cell.share).items()}
    bent = {name: np.asarray(part) for name, part in _bent(states, cell.gain, cell.forget, cell.share, cell.error).items()}
    low = {name: np.asarray(part) for name, part in _bent(states, LOW, cell.forget, cell.share, cell.error).items()}
    (driven, held), (along, held_along), lost = _driven(*map(jnp.asarray, (given["drive"], cell.gain, cell.forget)))
    floor = rounding_floor(16 * cell.size**2, jnp.dtype(float), 1.0)
    return measured(
        eigenvalues=Quantity(
            np.sort(np.linalg.eigvals(found["jacobians"]).real, axis=1),
            "letter number",
            floor=1e3 * floor,
            label="eigenvalues of the Jacobian of RWKV-7",
        ),
        rows=Quantity(
            found["rows"],
            "state letter number",
            floor=floor * np.abs(found["rows"]).max(),
            label="where a letter takes the first row of a state, where the Jacobian is taken",
        ),
        jacobian_moves=Quantity(found["moves"], floor=floor, label="largest change of the Jacobian between two states"),
        jacobian_moves_bent=Quantity(bent["moves"], floor=cell.gain * floor, label="the same between bent states"),
        share=Quantity(found["share"], floor=floor * found["narrow"], label="share that an error has of the difference"),
        ends=Quantity(
            found["ends"],
            "run row number",
            floor=cell.length * floor * np.abs(found["ends"]).max(),
            label="where a word takes the states",
        ),
        read=Quantity(
            [np.unique(given["written"]).size, np.unique(given["states"]).size, len(given["word"])],
            "of",
            label="different numbers that are written, those of the states, and letters of the word",
        ),
        bent=Quantity(bent["ends"], "run row number", floor=floor, label="where two letters take bent states"),
        share_bent=Quantity(bent["share"], floor=floor),
        letters_held=Quantity(int(bent["held"]), label="letters until a constant error takes an unbent memory"),
        rest=Quantity(bent["rest"], floor=1e3 * floor, label="where an entry rests"),
        left=Quantity(bent["left"], floor=1e3 * floor / SMALL, label="share of an error that a letter leaves"),
        survived=Quantity(bent["survived"], floor=2.0**-HALVINGS, label="largest constant error that is survived"),
        written=Quantity(bent["written"], floor=cell.gain * 2.0**-HALVINGS, label="strongest letter that is survived"),
        survived_low=Quantity(low["survived"], floor=2.0**-HALVINGS, label="largest error survived at a gain of 0.9"),
        written_low=Quantity(low["written"], floor=2.0**-HALVINGS, label="strongest letter survived at a gain of 0.9"),
        left_low=Quantity(
            low["left"], floor=1e3 * floor / SMALL, label="share of an error that a letter leaves at a gain of 0.9"
        ),
        held=Quantity(
            [int(held), int(held_along)],
            "among",
            label="patterns against which it holds at these sums, of all and of those that agree",
        ),
        lost=Quantity(int(lost), label="patterns of the others against which an entry is lost, weights of the sum 2 g"),
        driven=Quantity(
            float(driven), floor=2 * cell.gain * 2.0**-HALVINGS, label="largest sum of weights that drive a held entry"
        ),
        driven_along=Quantity(float(along), floor=2 * cell.gain * 2.0 ** (1 - HALVINGS), label="the same of others that agree"),
    )


def update(state: jax.Array, letters: dict[str, jax.Array], letter: jax.Array) -> jax.Array:
    """Return S (diag(w) - kappa^T (a kappa)) + what is written."""
    decay, rate, key, written = (letters[name][letter] for name in ("decay", "rate", "key", "written"))
    return state * decay[None] - (state @ key)[:, None] * (rate * key)[None] + written


def bend(state: jax.Array, gain: jax.Array, forget: jax.Array, letter: jax.Array | float = 0.0) -> jax.Array:
    """Return f S + (1 - f) tanh(g S + u); the gain is a number, or a matrix W for S W."""
    inside = state @ gain if gain.ndim else gain * state
    return forget * state + (1 - forget) * jnp.tanh(inside + letter)


@jax.jit
def _affine(letters: dict[str, jax.Array], states: jax.Array, word: jax.Array, share: float) -> dict[str, jax.Array]:
    def row(state: jax.Array, letter: jax.Array) -> tuple[jax.Array, jax.Array]:
        """The Jacobian of the first row of the state, which no other row enters, and where this row goes."""

        def moved(first: jax.Array) -> tuple[jax.Array, jax.Array]:
            after = update(state.at[0].set(first), letters, letter)[0]
            return after, after

        return jax.jacfwd(moved, has_aux=True)(state[0])

    every = jnp.arange(letters["decay"].shape[0])
    (one, other), rows = jax.vmap(lambda state: jax.vmap(lambda letter: row(state, letter))(every))(states)
    began = jnp.stack([states[0], states[1], states[0] + share * (states[1] - states[0])])

    def step(runs: jax.Array, letter: jax.Array) -> tuple[jax.Array, None]:
        return jax.vmap(lambda state: update(state, letters, letter))(runs), None

    ends = jax.lax.scan(step, began, word)[0]
    return {
        "jacobians": one,
        "moves": jnp.abs(one - other).max(),
        "rows": rows,
        "ends": ends,
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

    def after(state: jax.Array, letters: int, harm: jax.Array, letter: jax.Array) -> jax.Array:
        return jax.lax.fori_loop(0, letters, lambda _, now: move(now, letter=letter) - harm, state)

    nothing = jnp.zeros(2)
    rest = after(jnp.ones(2), SETTLED, nothing, nothing)

    def halve(_: int, between: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        """The error and the letter, each tried on an entry of its own."""
        low, high = between
        middle = (low + high) / 2
        kept = after(rest, LONG, middle * jnp.array([1.0, 0.0]), -middle * jnp.array([0.0, 1.0])) > 0
        return jnp.where(kept, middle, low), jnp.where(kept, high, middle)

    survived, written = jax.lax.fori_loop(0, HALVINGS, halve, (nothing, jnp.array([1.0, 1.0 + gain])))[0]
    rest = rest[0]
    slope = jax.vmap(jax.vmap(jax.grad(move)))
    mixed = jnp.stack([states[0], states[1], states[0] + share * (states[1] - states[0])])
    held = jax.lax.while_loop(
        lambda now: now[0] > 0, lambda now: (now[0] - error, now[1] + 1), (jnp.asarray(1.0), jnp.asarray(0))
    )
    return {
        "rest": rest,
        "left": (move(rest + SMALL) - move(rest)) / SMALL,
        "survived": survived,
        "written": written,
        "moves": jnp.abs(slope(states[0]) - slope(states[1])).max(),
        "ends": move(move(mixed)),
        "share": _share(move(move(mixed))),
        "held": held[1],
    }


@jax.jit
def _driven(weights: jax.Array, gain: jax.Array, forget: jax.Array) -> tuple[tuple, tuple, jax.Array]:
    """The largest sum of weights at which an entry holds against all patterns of the others, and against those that agree.

    Each with the number of these patterns; and how many there are against which it is lost at the largest sum that is tried.
    """
    size = len(weights)
    signs = 2.0 * (jnp.arange(2**size)[:, None] >> jnp.arange(size) & 1) - 1
    began = jnp.concatenate([signs, jnp.ones((2**size, 1))], axis=1)
    agree = signs @ weights > 0

    def lost(total: jax.Array) -> jax.Array:
        recurrent = (gain * jnp.eye(size + 1)).at[:-1, -1].set(total * weights)
        ends = jax.lax.fori_loop(0, LONG, lambda _, now: bend(now, recurrent, forget), began)
        return (jnp.sign(ends) != began).any(axis=1)

    def largest(counted: jax.Array) -> tuple[jax.Array, jax.Array]:
        def halve(_: int, between: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
            low, high = between
            middle = (low + high) / 2
            kept = ~(lost(middle) & counted).any()
            return jnp.where(kept, middle, low), jnp.where(kept, high, middle)

        total = jax.lax.fori_loop(0, HALVINGS, halve, (jnp.zeros(()), 2.0 * gain))[0]
        return total, (~lost(total) & counted).sum()

    return largest(jnp.ones(2**size, bool)), largest(agree), lost(2.0 * gain).sum()
