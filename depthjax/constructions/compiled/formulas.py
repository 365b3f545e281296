r"""Formulas of temporal logic as masked attention: one layer for each nesting level of since, until and counts.

The residual stream holds one bit for each part of a formula, and a token at the beginning and one at the end. A layer, of the
kind that `depthjax.constructions.directions.layer` runs, is attention, then a feed-forward part of threshold gates:

* a *hard head* attends, under a strict mask, to the position with the largest (guard bit, nearness) and reads a bit there.
  Nearness breaks ties: the rightmost position before (since), or the leftmost after (until). Where it sees no letter it reads
  the 0 of the extra token. Its scores depend on the keys alone;
* two *uniform heads* average sums of bits over the positions up to this one and over those from this one on, and the extra
  token's share. A comparison of counts is then

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
from jaxtyping import Array, Bool, Float, Integer

from depthjax.attention import hard
from depthjax.checks import at_least, in_alphabet
from depthjax.constructions.directions.layer import Heads, Units, attended, fed, one_back, retrieve, step, times
from depthjax.constructions.directions.stream import Stream, Sum

MASKS = ("strict", "causal")
TIES = ("nearest", "farthest")
_TOKENS = {"begin": 1, "end": 1, "letter": 1, "one": 1, "position": 1}
AT_ONCE = 64  # words whose streams are held: those of short words fit a core's cache
_LONGEST = 2**20  # more than any position; scores up to three times it are exact in float32


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
    # rounded up, so that programs of similar sizes share one compilation
    tokens = sum(_TOKENS.values())
    stream = Stream({"bit": _rounded(max(p.embedding.shape[1] for p in programs) + tokens, 16) - tokens, **_TOKENS})
    heads = [_rounded(max(int((p.ahead == ahead).sum()) for p in programs), 4) for ahead in (False, True)]
    counts = _rounded(max(len(p.bound) for p in programs), 4)
    each = [_compiled(p, stream, heads, counts, mask, ties) for p in programs]
    return jax.tree.map(_stacked, *each)


def _compiled(program: Any, stream: Stream, heads: Sequence[int], counts: int, mask: str, ties: str) -> "CompiledFormulas":
    """One formula, without the leading axis."""
    bits, width = np.arange(program.embedding.shape[1]), stream.width
    past, future = (_hard_heads(program, stream, count, ahead) for count, ahead in zip(heads, (False, True), strict=True))
    embedding = np.zeros((len(program.embedding), width), np.float32)
    embedding[:, bits], embedding[:, stream.rows("letter")] = program.embedding, 1
    gather, gated = np.zeros((width, width), np.float32), np.zeros(width, bool)
    gather[np.ix_(bits, bits)], gated[bits] = program.weights.T, program.gated
    gather[stream.rows("one")] = -1  # no unit fires but the gates
    gather[stream.rows("one"), bits[program.gated]] = -program.thresholds[program.gated]
    values = []
    for factors, token in ((program.before, "begin"), (program.after, "end")):
        value = np.zeros((width, counts + 1), np.int64)
        value[bits, : len(factors)], value[stream.rows(token), -1] = factors.T, 1
        values.append(value)
    sets = stream.columns(*({("bit", bit): 1} for bit in program.counted.tolist()), *[{}] * (counts - len(program.counted))).T
    kept = np.ones(width, np.float32)
    kept[[*program.write, *program.counted]] = 0
    return CompiledFormulas(
        embedding=jax.device_put(embedding),
        gates=Units(jax.device_put(gather), None, jax.device_put(1 - gated.astype(np.float32))),
        past=past,
        future=future,
        before=values[0],
        after=values[1],
        bound=np.pad(program.bound, (0, counts - len(program.bound))),
        counted=jax.device_put(sets),
        kept=jax.device_put(kept),
        output=jax.device_put(np.int32(program.output)),
        depths=jax.device_put(np.int32(program.depth)),
        rounds=jax.device_put(np.int32(program.rounds)),
        nearest=jax.device_put(np.bool_(ties == "nearest")),
        strict=jax.device_put(np.bool_(mask == "strict")),
    )


def _hard_heads(program: Any, stream: Stream, count: int, ahead: bool) -> Heads | None:
    """The heads that look back, or those that look ahead, as many as `count`; None where no formula has any."""
    nearness = -1 if ahead else 1  # nearest after is leftmost, nearest before is rightmost
    heads: list[Heads] = []
    for h in np.flatnonzero(program.ahead == ahead):
        guard, value, write = (("bit", int(bit)) for bit in (program.guard[h], program.value[h], program.write[h]))
        key: Sum = {guard: _LONGEST, "letter": 2 * _LONGEST, "position": nearness}
        heads.append(stream.heads(None, [key], {write: {value: 1}}))
    heads += [stream.heads(None, [{}], {("bit", 0): {}})] * (count - len(heads))
    return jax.tree.map(_stacked, *heads) if heads else None


def _stacked(*arrays: Array | np.ndarray) -> Array | np.ndarray:
    """The arrays with a leading axis; stacked on the host, since JAX would compile for each number of them."""
    found = np.stack([np.asarray(array) for array in arrays])
    if isinstance(arrays[0], np.ndarray):
        return found
    return jax.device_put(found.astype(np.float32) if found.dtype == np.float64 else found)


def _rounded(size: int, to: int) -> int:
    return -(-size // to) * to


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class CompiledFormulas:
    """Formulas as one transformer each, padded to a common width; all arrays have a leading axis of formulas.

    Attributes:
        embedding: Directions of each letter, shape (letters, width): the bits of the atoms first.
        gates: The threshold units, which set the bits of the Boolean parts and of the guards.
        past, future: The hard heads that look back, and those that look ahead; None where no formula has any.
        before, after: What the uniform heads read, shape (width, counts + 1), the share of the extra token last; integers on
            the host, as is `bound`, the bound of each comparison.
        counted: The bits that the comparisons set, shape (counts, width).
        kept: 0 for each bit that the heads set, else 1.
        output: The bit that holds the truth of the formula.
        depths: Number of layers of each formula.
        rounds: Number of threshold layers of its feed-forward part.
        nearest: Whether ties of hard heads go to the nearest position.
        strict: Whether hard heads do not see their own position.
    """

    embedding: Array
    gates: Units
    past: Heads | None
    future: Heads | None
    before: Array | np.ndarray
    after: Array | np.ndarray
    bound: Array | np.ndarray
    counted: Array
    kept: Array
    output: Array
    depths: Array
    rounds: Array
    nearest: Array
    strict: Array

    @property
    def mask(self) -> str:
        """Mask of the hard heads."""
        return "strict" if bool(self.strict.all()) else "causal"

    @property
    def depth(self) -> int:
        """Number of attention layers that the deepest formula needs."""
        return int(self.depths.max())

    @property
    def width(self) -> int:
        """Number of directions of the residual stream."""
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

        Cost: formulas * layers * words * length * width * (heads + rounds * width); one formula is held at a time.

        Raises:
            ValueError: Words are empty, a letter is outside the alphabet, `layers` is negative, or no floating point type
                decides the comparison of counts at this length (see `counting`).
        """
        words = in_alphabet("words", words, self.embedding.shape[1])
        at_least("length", words.shape[-1], 1, "an empty word has no position")
        if words.shape[-1] > _LONGEST - 2:
            raise ValueError(f"words have {words.shape[-1]:,} letters; the hard heads tell {_LONGEST - 2:,} positions apart")
        layers = self.depth if layers is None else at_least("layers", layers, 0)
        lengths = jnp.full(len(words), words.shape[1]) if lengths is None else jnp.asarray(lengths)
        model = self.counting(words.shape[-1])
        return _run(model, words.astype(jnp.int32), lengths.astype(jnp.int32), jnp.asarray(layers, jnp.int32))

    def counting(self, length: int) -> "CompiledFormulas":
        """Return the formulas with their counts in the narrowest type that compares them exactly at this length.

        Raises:
            ValueError: Neither float32 nor float64 does, or float64 does but is switched off.
        """
        values = np.concatenate([self.before, self.after], axis=-2)[..., :-1]
        factors = np.abs(np.moveaxis(values, -1, -2).astype(object))  # exact, whatever their size
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
    def one(formula: CompiledFormulas) -> Array:
        def true(letters: tuple[Array, Array]) -> Array:
            stream = gated(formula, embedded(formula, *letters))
            repeats = jnp.minimum(layers, formula.depths)
            stream = jax.lax.fori_loop(0, repeats, lambda _, x: gated(formula, attend(formula, x)), stream)
            return stream[1:-1, formula.output] > 0

        return jax.lax.map(true, (words, lengths), batch_size=min(len(words), AT_ONCE))

    return jax.lax.map(one, model)


def directions(model: CompiledFormulas) -> Stream:
    """Return the named directions of the residual stream of formulas."""
    return Stream({"bit": model.width - sum(_TOKENS.values()), **_TOKENS})


def embedded(model: CompiledFormulas, word: Integer[Array, " length"], length: Array) -> Float[Array, "rows width"]:
    """Return the stream of one formula before the first layer: a token, the letters, and a token; others are no letters."""
    stream, place = directions(model), jnp.arange(len(word) + 2, dtype=length.dtype)
    letters = jnp.where(((place >= 1) & (place <= length))[:, None], model.embedding[jnp.pad(word, 1)], 0)
    known = {"begin": place == 0, "end": place == len(word) + 1, "one": place >= 0}
    known["position"] = jnp.where(model.nearest, place, -place)
    table = jnp.asarray(stream.columns(*({name: 1} for name in known)).T, jnp.float32)
    return letters + times(jnp.stack([values.astype(jnp.float32) for values in known.values()], axis=1), table)


def gated(model: CompiledFormulas, stream: Float[Array, "rows width"]) -> Float[Array, "rows width"]:
    """Return the stream of one formula after the feed-forward part: `rounds` layers of threshold units at each position."""
    return jax.lax.fori_loop(0, model.rounds, lambda _, x: _at_letters(model, fed(model.gates, x, step), x), stream)


def attend(model: CompiledFormulas, stream: Float[Array, "rows width"]) -> Float[Array, "rows width"]:
    """Return the stream of one formula after all heads of a layer: they read the same stream, then write to it."""
    after = stream * model.kept[None]
    if model.past is not None:
        after = attended(model.past, after, _looked(model, model.past, stream))
    if model.future is not None:
        after = attended(model.future, after, _looked(model, model.future, stream[::-1])[..., ::-1, :])
    if model.bound.shape[0]:
        after = after + times(_compared(model, stream), model.counted)
    return _at_letters(model, after, stream)


def _looked(model: CompiledFormulas, heads: Heads, stream: Float[Array, "rows width"]) -> Float[Array, "heads rows 1"]:
    """Return what hard heads read; the mask is data, so that a control with another one shares the program."""
    found = retrieve(heads, stream, "causal", hard)
    return jnp.where(model.strict, one_back(found), found)


def _compared(model: CompiledFormulas, stream: Float[Array, "rows width"]) -> Float[Array, "rows counts"]:
    """Averages over the past and over the future, compared with a bound by the shares of the extra tokens."""
    held = stream.astype(model.bound.dtype)
    before, after = (Heads(None, None, jnp.asarray(value), model.counted) for value in (model.before, model.after))
    past, future = retrieve(before, held, "causal"), retrieve(after, held[::-1], "causal")[::-1]
    begin, end = past[:, -1:], future[:, -1:]
    found = past[:, :-1] * end + future[:, :-1] * begin > (model.bound[None, :] - 0.5) * (begin * end)
    return found.astype(stream.dtype)


def _at_letters(model: CompiledFormulas, after: Array, before: Array) -> Array:
    """The stream after a part at the letters that count, and before it elsewhere."""
    return jnp.where(before[:, directions(model).rows("letter")] > 0, after, before)
