r"""Formulas of temporal logic as masked attention: one layer for each nesting level of since, until and counts.

The residual stream holds one bit for each part of a formula. A layer is attention, then a feed-forward part of threshold gates:

* a *hard head* attends, under a strict mask, to the position with the largest (guard bit, nearness) and reads a bit there.
  Nearness breaks ties: the rightmost position before (since), or the leftmost after (until). On an empty set it reads 0;
* two *uniform heads* average all bits over the positions up to this one and over those from this one on, each with an extra
  token (at the beginning, at the end) that has only a constant, whose mean is the token's share. A comparison of counts is then

      sum_f c_f mean_f > (bound - 1/2) share,      no closer than share / 2, because counts are integers:

  linear in the output of the head. With counts of both sides it is quadratic (a gated unit): each side times the other's share.

  With u the unit roundoff, k factors and M = sum |c_f| length + |bound| the rounding of both sides is below (k + 8) u M shares.
  So float32 or float64 is exact as long as this is below share / 2; beyond it the program is refused.

The same layer is repeated; after d repetitions every bit of depth d is right. The number of repetitions is the depth.

Source: Yang, Chiang, Angluin, arXiv 2310.13897 (hard heads); Yang, Cadilhac, Chiang, arXiv 2506.16055 (counts). The gates are
derived in `theory.logic.program`, which makes the arrays.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Integer

from depthjax.attention import visible
from depthjax.checks import at_least, in_alphabet

MASKS = ("strict", "causal")
TIES = ("nearest", "farthest")


def compile_formula(program: Any, mask: str = "strict", ties: str = "nearest") -> "CompiledFormulas":
    """Compile one formula, as `compile_formulas`; the truth values have a leading axis of size one.

    >>> from theory.logic import parse
    >>> from theory.logic.program import program
    >>> compile_formula(program(parse("P a"), "ab"))(np.array([[1, 0, 1, 1]])).tolist()  # an a before here
    [[[False, False, True, True]]]
    """
    return compile_formulas([program], mask, ties)


def compile_formulas(programs: Sequence[Any], mask: str = "strict", ties: str = "nearest") -> "CompiledFormulas":
    """Compile formulas over one alphabet to one batched program, so that XLA compiles once for all of them.

    Args:
        programs: The arrays that `theory.logic.program` returns for each formula.
        mask: Mask of the hard heads: "strict" (their own position is not seen), or "causal", a control that is wrong.
        ties: "nearest", as the construction needs, or "farthest", a control that is wrong.

    Raises:
        ValueError: There are no programs, their alphabets differ, or the mask or tie rule is unknown.

    >>> from theory.logic import parse
    >>> from theory.logic.program import program
    >>> model = compile_formulas([program(parse(text), "ab") for text in ("P a", "P (a & P b)")])
    >>> model.depths.tolist(), model.depth
    ([1, 2], 2)
    """
    if mask not in MASKS or ties not in TIES:
        raise ValueError(f"mask must be one of {MASKS} and ties one of {TIES}, got {mask!r} and {ties!r}")
    if not programs or len({len(program.embedding) for program in programs}) > 1:
        raise ValueError("compile_formulas needs one program at least, and all of them over the same alphabet")
    # rounded up, so that programs of similar sizes share one compilation; the last bit is where padding writes
    width = _rounded(1 + max(program.embedding.shape[1] for program in programs), 16)
    heads, counts = (_rounded(max(len(getattr(program, name)) for program in programs), 4) for name in ("guard", "bound"))

    def padded(name: str, *sizes: int, fill: int = 0) -> np.ndarray:
        arrays = [np.asarray(getattr(program, name)) for program in programs]
        pads = [[(0, size - have) for size, have in zip(sizes, array.shape, strict=True)] for array in arrays]
        return np.stack([np.pad(a, p, constant_values=fill) for a, p in zip(arrays, pads, strict=True)])

    letters, spare = len(programs[0].embedding), width - 1
    return CompiledFormulas(
        embedding=jnp.asarray(padded("embedding", letters, width)),
        weights=jnp.asarray(padded("weights", width, width), jnp.float32),
        thresholds=jnp.asarray(padded("thresholds", width), jnp.float32),
        gated=jnp.asarray(padded("gated", width)),
        guard=jnp.asarray(padded("guard", heads, fill=spare)),
        value=jnp.asarray(padded("value", heads, fill=spare)),
        write=jnp.asarray(padded("write", heads, fill=spare)),
        ahead=jnp.asarray(padded("ahead", heads)),
        before=padded("before", counts, width),
        after=padded("after", counts, width),
        bound=padded("bound", counts),
        counted=jnp.asarray(padded("counted", counts, fill=spare)),
        output=jnp.array([program.output for program in programs]),
        depths=jnp.array([program.depth for program in programs], jnp.int32),
        rounds=jnp.array([program.rounds for program in programs], jnp.int32),
        strict=jnp.full(len(programs), mask == "strict"),
        nearest=jnp.full(len(programs), ties == "nearest"),
    )


def _rounded(size: int, to: int) -> int:
    return -(-size // to) * to


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class CompiledFormulas:
    """Formulas as one transformer each, padded to a common width; all arrays have a leading axis of formulas.

    Attributes:
        embedding, weights, thresholds, gated, guard, value, write, ahead, before, after, bound, counted, output: See
            `theory.logic.program`. The numbers of the counts, before, after and bound, are integers on the host.
        strict, nearest: Mask and tie rule of the hard heads.
        depths: Number of layers of each formula.
        rounds: Number of threshold layers of its feed-forward part.
    """

    embedding: Array
    weights: Array
    thresholds: Array
    gated: Array
    guard: Array
    value: Array
    write: Array
    ahead: Array
    before: Array | np.ndarray
    after: Array | np.ndarray
    bound: Array | np.ndarray
    counted: Array
    output: Array
    strict: Array
    nearest: Array
    depths: Array
    rounds: Array

    @property
    def depth(self) -> int:
        """Number of attention layers that the deepest formula needs."""
        return int(self.depths.max())

    @property
    def width(self) -> int:
        """Number of bits of the residual stream."""
        return self.embedding.shape[-1]

    def __call__(
        self,
        words: Integer[np.ndarray, "words length"] | Array,
        layers: int | None = None,
        *,
        lengths: np.ndarray | Array | None = None,
    ) -> Bool[Array, "formulas words length"]:
        """Return the truth of every formula at every position of every word.

        Args:
            words: Letters 0, 1, ...
            layers: Repetitions of the layer (default: the depth of each formula, beyond which nothing changes). With fewer,
                deeper formulas come out wrong.
            lengths: Number of letters of each word that count (default: all); no head sees the others.

        Cost: formulas * layers * words * (heads * length^2 + rounds * width^2 * length); one formula is held at a time.

        Raises:
            ValueError: Words are empty, a letter is outside the alphabet, `layers` is negative, or no floating point type
                decides the comparison of counts at this length (see `counting`).
        """
        words = in_alphabet("words", words, self.embedding.shape[1])
        at_least("length", words.shape[-1], 1, "an empty word has no position")
        layers = self.depth if layers is None else at_least("layers", layers, 0)
        lengths = jnp.full(len(words), words.shape[1]) if lengths is None else jnp.asarray(lengths)
        model = self.counting(words.shape[-1])
        return _run(model, words.astype(jnp.int32), lengths.astype(jnp.int32), jnp.asarray(layers, jnp.int32))

    def counting(self, length: int) -> "CompiledFormulas":
        """Return the formulas with their counts in the narrowest type that compares them exactly at this length.

        Raises:
            ValueError: Neither float32 nor float64 does, or float64 does but is switched off.
        """
        factors = np.abs(np.concatenate([self.before, self.after], axis=-1).astype(object))  # exact, whatever their size
        sums = factors.sum(axis=-1) * length + np.abs(self.bound.astype(object)) + 1
        errors = sums * ((factors > 0).sum(axis=-1) + 8)
        largest, error = (int(numbers.max(initial=0)) for numbers in (sums, errors))
        for kind in (np.float32, np.float64):
            if error < 2 ** np.finfo(kind).nmant:
                break
        else:
            raise ValueError(
                f"the counts of this formula reach {largest:,} at length {length}, and no floating point type tells sums of"
                f" that size from their neighbours: their rounding must stay below 1/2, so that {error:,} must be below 2^52;"
                " use smaller coefficients, shorter words, or theory.logic.evaluate, which is exact"
            )
        if kind == np.float64 and not jax.config.read("jax_enable_x64"):
            raise ValueError(
                f"the counts of this formula reach {largest:,} at length {length}, which takes float64, and float64 is switched"
                " off in JAX: call jax.config.update('jax_enable_x64', True) first"
            )
        return replace(self, before=self.before.astype(kind), after=self.after.astype(kind), bound=self.bound.astype(kind))


@jax.jit
def _run(model: CompiledFormulas, words: Array, lengths: Array, layers: Array) -> Array:
    letters, position = words.T, jnp.arange(words.shape[1], dtype=jnp.int32)  # words last: vector instructions run over them
    there = position[:, None] < lengths[None, :]

    def one(formula: CompiledFormulas) -> Array:
        bits = jnp.moveaxis(formula.embedding[letters], -1, 0) & there[None]  # width, length, words
        bits = gates(formula, bits, there)
        repeats = jnp.minimum(layers, formula.depths)
        bits = jax.lax.fori_loop(0, repeats, lambda _, x: gates(formula, attend(formula, x, there), there), bits)
        return bits[formula.output].T

    return jax.lax.map(one, model)


def gates(model: CompiledFormulas, bits: Array, there: Array) -> Array:
    """The feed-forward part: `rounds` layers of threshold units at each position."""

    def layer(_: Any, bits: Array) -> Array:
        sums = jnp.tensordot(model.weights, bits.astype(jnp.float32), axes=1)  # integers below 2^24: exact
        fires = (sums >= model.thresholds[:, None, None]) & there[None]
        return jnp.where(model.gated[:, None, None], fires, bits)

    return jax.lax.fori_loop(0, model.rounds, layer, bits)


def attend(model: CompiledFormulas, bits: Array, there: Array) -> Array:
    """All heads of a layer: they read the same stream, then write to it."""
    after = bits
    if model.guard.shape[0]:
        after = after.at[model.write].set(_hard(model, bits, there) & there[None])
    if model.bound.shape[0]:
        after = after.at[model.counted].set(_uniform(model, bits) & there[None])
    return after


def _hard(model: CompiledFormulas, bits: Array, there: Array) -> Array:
    """Unique hard attention: the value at the visible position with the largest score, and 0 where none is visible."""
    best = _best(model, bits, there)
    return jnp.moveaxis((best >= 0) & (best % 2 == 1), 0, 1)


def hard_targets(model: CompiledFormulas, bits: Array, there: Array) -> Array:
    """Return the position at which each head of one formula looks, -1 where it sees none; (heads, length, words)."""
    best, length = _best(model, bits, there), bits.shape[1]
    nearness = best // 2 % length
    targets = jnp.where((model.ahead != model.nearest)[None, :, None], nearness, length - 1 - nearness)
    return jnp.moveaxis(jnp.where(best >= 0, targets, -1), 0, 1)


def _best(model: CompiledFormulas, bits: Array, there: Array) -> Array:
    """The largest score that each head sees at each position, (length, heads, words); -1 where it sees none.

    The scores guard * length + nearness of different positions differ, so each carries the value of its position as a last bit.
    """
    length = bits.shape[1]
    kind = jnp.int16 if 4 * length < 2**15 else jnp.int32
    position = jnp.arange(length, dtype=kind)
    rightmost = model.ahead != model.nearest  # nearest before is rightmost, nearest after is leftmost
    nearness = jnp.where(rightmost[:, None], position[None, :], length - 1 - position[None, :])
    scores = bits[model.guard].astype(kind) * length + nearness[:, :, None]
    tagged = jnp.where(there[None], 2 * scores + bits[model.value].astype(kind), -1)  # heads, length, words

    def row(i: Array) -> Array:
        past, future = visible(i, position, "strict"), visible(position, i, "strict")
        seen = jnp.where(model.ahead[:, None], future[None], past[None]) | ((position[None, :] == i) & ~model.strict)
        return jnp.where(seen[:, :, None], tagged, -1).max(axis=1)

    return jax.lax.map(row, position)


def _uniform(model: CompiledFormulas, bits: Array) -> Array:
    """Averages over the past and over the future, compared with a bound by the share of the extra token."""
    kind = model.bound.dtype
    held = bits.astype(kind)
    totals, shares = [], []
    for factors, ahead in ((model.before, False), (model.after, True)):
        # softmax of equal scores over what the mask shows, the extra token included, is a running mean
        sums = jax.lax.cumsum(held, axis=1, reverse=ahead)
        seen = jax.lax.cumsum(jnp.ones(held.shape[1:2], kind), reverse=ahead)
        share = (1 / (1 + seen))[None, :, None]
        totals.append(jnp.tensordot(factors, sums * share, axes=1, precision="highest"))
        shares.append(share)
    (past, future), (begin, end) = totals, shares
    return past * end + future * begin > (model.bound[:, None, None] - 0.5) * (begin * end)
