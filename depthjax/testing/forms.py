"""Laws about the forms of one computation: scan and recurrence, parallel and stepwise, depth as data, one compilation."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import chex
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Integer

from depthjax.adapters.libraries import NOT_TRACEABLE, wants_tensors
from depthjax.adapters.network import Adapted, adapted
from depthjax.checks import at_least
from depthjax.testing.network import along_letters, shown, unlike, word_shown


def traced_at_most(times: int, function: Callable) -> Callable:
    """Return `jax.jit(function)` that raises AssertionError when it is traced more than `times` times.

    Counts of functions that were wrapped earlier start again from zero.

    >>> double = traced_at_most(1, lambda x: 2 * x)
    >>> int(double(3)), int(double(4))
    (6, 8)
    """
    chex.clear_trace_counter()
    return jax.jit(chex.assert_max_traces(n=times)(function))


def traces_once(function: Any, *calls: Any) -> None:
    """Assert that one compilation serves several calls.

    Args:
        function: A function of arrays, or a network of any library (`depthjax.adapters`) that is compiled; its parameters are
            data, and a module of equinox takes the arguments as it is.
        calls: The arguments of each call, as tuples.

    Raises:
        AssertionError: A call is compiled anew; the message names the first, and what differs from the call before.
        ValueError: There are fewer than two calls.
        TypeError: The function is no network, is called as it is and never compiled (numpy, PyTorch), or a call is no tuple.

    Cost: one tracing; nothing is compiled.

    >>> traces_once(lambda x: 2 * x, (1.0,), (2.0,))
    >>> traces_once(lambda x: 2 * x, (jnp.ones(2),), (jnp.ones(3),))
    Traceback (most recent call last):
    AssertionError: call 1 is compiled anew: argument leaf 0 is float...[3], and was float...[2] in call 0. ...
    """
    if not all(isinstance(call, tuple) for call in calls):
        raise TypeError("traces_once takes a function and the arguments of each call as tuples: traces_once(f, (x,), (y,))")
    network = adapted(function)
    part, data = network.function, network.data
    if len(calls) < 2:
        raise ValueError(f"traces_once was given {len(calls)} calls: expected at least two, the second may be compiled anew")
    traces = 0

    def counted(data: Any, *arguments: Any) -> Any:
        nonlocal traces
        traces += 1
        return part(data, *arguments)

    compiled = jax.jit(counted)
    for number, call in enumerate(calls):
        with _compilable(network):
            compiled.trace(data, *call)  # what is traced anew would be compiled anew
        if traces > 1:
            kinds = [[_kind(leaf) for leaf in jax.tree.leaves(arguments)] for arguments in (calls[number - 1], call)]
            changed = next((n for n, (a, b) in enumerate(zip(*kinds, strict=False)) if a != b), None)
            why = (
                "its tree of arguments differs"
                if changed is None
                else (f"argument leaf {changed} is {kinds[1][changed]}, and was {kinds[0][changed]} in call {number - 1}")
            )
            raise AssertionError(
                f"call {number} is compiled anew: {why}. Pad to one shape, use one type, or pass what changes as an array"
            )


@contextlib.contextmanager
def _compilable(network: Adapted) -> Iterator[None]:
    """Refuse a network that JAX cannot trace where the law is about what is compiled."""
    try:
        yield
    except Exception as error:
        if not isinstance(error, NOT_TRACEABLE) and not wants_tensors(error):
            raise
        raise TypeError(
            f"{network.given!r:.60} is {network.kind} that needs concrete numbers, so nothing of it is compiled: "
            f"{str(error).splitlines()[0]}. Write it with jax.numpy and without Python conditions on arrays"
        ) from error


def _kind(leaf: Any) -> str:
    aval = jax.typeof(leaf)
    return f"{aval.dtype}{list(aval.shape)}{' weak' if getattr(aval, 'weak_type', False) else ''}"  # type: ignore[attr-defined]


def scan_matches_recurrence(
    scan: Any,
    step: Any,
    initial: Any,
    letters: Any,
    *,
    read: Any = None,
    chunks: int | Sequence[int] | None = None,
    rtol: float | None = None,
    atol: float = 0.0,
) -> None:
    """Assert that a scan gives the states of a recurrence, for the whole sequence or piece by piece.

    Args:
        scan: ``scan(letters)``, the state after every letter, position first; or a pair ``(scan, params)``. With `chunks`,
            ``scan(initial, letters)``, these states and the last one, as the functions of `depthjax.scans.streams` give them.
        step: ``step(state, letter)``, the next state; with a pair, ``step(params, state, letter)``.
        initial: State before the first letter, an array or a tree of arrays.
        letters: What the scan reads, position first; an array or a tree of arrays.
        read: ``read(state, letter)``, what the scan gives of the state after a letter; None where it is the state. With a pair,
            ``read(params, state, letter)``.
        chunks: Letters of each piece, or the number of letters of every piece of which the last may be shorter. Each piece
            begins at the state in which the scan ended the one before.
        rtol: Relative tolerance; None compares the first half of the digits, relative to the largest number.
        atol: Absolute tolerance, used with `rtol`.

    Raises:
        AssertionError: A state differs; the message names the first position, the end of the shortest failing sequence.
        ValueError: The scan's states have another shape or number, or the pieces are not the whole sequence.
        TypeError: Scan or step is not callable, or a scan in pieces does not give states and the last one.

    Cost: one compilation for each pair of functions and shape, and with `chunks` for each length of a piece.

    >>> scan_matches_recurrence(lambda x: jnp.cumsum(x), lambda state, x: state + x, 0, jnp.arange(5))
    >>> scan_matches_recurrence(lambda x: jnp.cumsum(x), lambda state, x: state - x, 0, jnp.arange(5))
    Traceback (most recent call last):
    AssertionError: the scan leaves the recurrence at position 1 of 5: the scan's state is 1, the recurrence's -1. ...
    >>> from depthjax.scans import sum_stream
    >>> summed = lambda initial, x: sum_stream(x, initial)
    >>> scan_matches_recurrence(summed, lambda state, x: state + x, jnp.array(0), jnp.arange(5), chunks=2)
    >>> forgetful = lambda initial, x: sum_stream(x)
    >>> scan_matches_recurrence(forgetful, lambda state, x: state + x, jnp.array(0), jnp.arange(5), chunks=2)
    Traceback (most recent call last):
    AssertionError: the scan leaves the recurrence at position 2 of 5, in the piece of 2 letters from position 2 on: ...
    """
    if not callable(step):
        raise TypeError(f"step = {step!r:.60}: expected a function step(state, letter)")
    if read is not None and not callable(read):
        raise TypeError(f"read = {read!r:.60}: expected a function read(state, letter)")
    network, pair = adapted(scan), isinstance(scan, tuple)
    length = along_letters(letters)
    told = {"rtol": rtol, "atol": atol}
    if chunks is None:
        with _compilable(network):
            found, expected, _ = _scan_and_steps(network.function, step, read, pair, network.data, initial, letters)
        return _same_states(found, expected, 0, length, "", **told)
    state, right, at = initial, jax.tree.map(jnp.asarray, initial), 0
    for size in _sizes(chunks, length):
        piece = jax.tree.map(lambda leaf, at=at, size=size: leaf[at : at + size], letters)
        with _compilable(network):
            given = _pieces(network.function, network.data, state, piece)
            expected, after = _steps(step, read, pair, network.data, right, piece)
        if not (isinstance(given, tuple) and len(given) == 2):
            raise TypeError(
                f"the scan gives {type(given).__name__} for a piece: expected a pair, the states after its letters and the "
                "last one, as functions of depthjax.scans.streams give"
            )
        where = f", in the piece of {size} letters from position {at} on"
        _same_states(given[0], expected, at, length, where, **told)
        ended, last = (jax.tree.map(lambda leaf: np.asarray(leaf)[None], final) for final in (given[1], after))
        _same_states(
            ended, last, at + size - 1, length, f", in the last state of the piece of {size} letters from {at} on", **told
        )
        state, right, at = given[1], after, at + size


def _sizes(chunks: int | Sequence[int], length: int) -> list[int]:
    """The lengths of all pieces."""
    if isinstance(chunks, (int, np.integer)):
        size = at_least("chunks", chunks, 1, "a piece holds a letter")
        return [min(size, length - at) for at in range(0, length, size)]
    if not isinstance(chunks, Iterable):
        raise TypeError(f"chunks = {chunks!r:.60}: expected the number of letters of each piece, or of every piece")
    sizes = [at_least("each of chunks", size, 0) for size in chunks]
    if sum(sizes) != length:
        raise ValueError(f"chunks = {tuple(sizes)} have {sum(sizes)} letters: expected {length}, the whole sequence in pieces")
    return sizes


def _same_states(found: Any, expected: Any, begin: int, length: int, where: str, **told: Any) -> None:
    counts = [len(jax.tree.leaves(states)) for states in (found, expected)]
    if counts[0] != counts[1]:
        raise ValueError(
            f"the scan gives {counts[0]} array{'s' * (counts[0] != 1)} and the recurrence has a state of {counts[1]}: expected "
            "the states alone, position first; a scan that gives the last state too is tried in pieces, by chunks="
        )
    for leaf, (a, b) in enumerate(zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True)):
        if a.shape != b.shape:
            raise ValueError(f"the scan gives states of shape {a.shape}: expected {b.shape}, the recurrence's, position first")
        if not len(a):
            continue
        wrong = unlike(a, b, **told).reshape(len(a), -1)
        if wrong.any():
            at = int(np.argmax(wrong.any(axis=1)))
            place = int(np.argmax(wrong[at]))
            numbers = (shown(np.asarray(x[at]).reshape(-1)[place]) for x in (a, b))
            raise AssertionError(
                "the scan leaves the recurrence at position {} of {}{}: the scan's state is {}, the recurrence's {}. ".format(
                    begin + at, length, where, *numbers
                )
                + f"Leaf {leaf} of the state, entry {place}; the first {begin + at + 1} letters suffice to see it"
            )


@partial(jax.jit, static_argnums=(0, 1, 2, 3))
def _scan_and_steps(
    scan: Callable, step: Callable, read: Callable | None, pair: bool, data: Any, initial: Any, letters: Any
) -> tuple[Any, Any, Any]:
    return scan(data, letters), *_stepped(step, read, pair, data, initial, letters)


@partial(jax.jit, static_argnums=0)
def _pieces(scan: Callable, data: Any, initial: Any, letters: Any) -> Any:
    given = scan(data, initial, letters)
    return tuple(given) if isinstance(given, (tuple, list)) else given


@partial(jax.jit, static_argnums=(0, 1, 2))
def _steps(step: Callable, read: Callable | None, pair: bool, data: Any, initial: Any, letters: Any) -> tuple[Any, Any]:
    return _stepped(step, read, pair, data, initial, letters)


def _stepped(step: Callable, read: Callable | None, pair: bool, data: Any, initial: Any, letters: Any) -> tuple[Any, Any]:
    """What is read after every letter of a recurrence, and its last state."""
    own = (data,) if pair else ()

    def one(state: Any, letter: Any) -> tuple[Any, Any]:
        state = step(*own, state, letter)
        return state, state if read is None else read(*own, state, letter)

    last, states = jax.lax.scan(one, jax.tree.map(jnp.asarray, initial), letters)
    return states, last


def parallel_matches_stepwise(
    model: Any,
    params: Any,
    tokens: Integer[Array, "batch length"] | None = None,
    *,
    rtol: float | None = None,
    atol: float = 0.0,
) -> Float[Array, "batch length outputs"]:
    """Assert that the parallel form of a sequence model agrees with its stepwise form, and return the parallel outputs.

    Args:
        model: Hashable, with `apply(params, tokens)`, `initial(batch, length)` and `step(params, state, tokens)`, as
            `depthjax.models.SequenceModel`. Both forms are compiled once for each model and shape.
        params: Parameters of the model.
        tokens: Letters; None for four drawn words of twelve letters, from the model's ``letters``.
        rtol: Relative tolerance; None compares the first half of the digits, relative to the largest number.
        atol: Absolute tolerance, used with `rtol`.

    Raises:
        AssertionError: The two forms differ; the message names the shortest prefix where they do.
        TypeError: The model lacks one of the methods, or, without tokens, its number of letters.

    >>> from depthjax.models import sequence_model
    >>> model = sequence_model("rnn", letters=3, classes=2, width=4, max_depth=1)
    >>> parallel_matches_stepwise(model, model.init(jax.random.key(0))).shape
    (4, 12, 2)
    """
    lacking = [name for name in ("apply", "initial", "step") if not callable(getattr(model, name, None))]
    if lacking:
        raise TypeError(
            f"model = {model!r:.60} has no {', '.join(lacking)}: expected apply(params, tokens), initial(batch, length) and "
            "step(params, state, tokens), as depthjax.models.SequenceModel has"
        )
    if tokens is None:
        if not isinstance(getattr(model, "letters", None), int):
            raise TypeError(f"model = {model!r:.60} does not say its number of `letters`: pass tokens of shape (batch, length)")
        tokens = jnp.asarray(np.random.default_rng(0).integers(0, model.letters, (4, 12)))
    parallel, stepwise = _both_forms(model, params, tokens)
    wrong = np.asarray(unlike(parallel, stepwise, rtol=rtol, atol=atol).any(axis=-1))
    if wrong.any():
        at = int(np.argmax(wrong.any(axis=0)))
        row = int(np.argmax(wrong[:, at]))
        raise AssertionError(
            f"the parallel form leaves the stepwise form after {word_shown(tokens[row, : at + 1])}: it gives "
            f"{shown(parallel[row, at])}, the steps give {shown(stepwise[row, at])}"
        )
    return parallel


@partial(jax.jit, static_argnums=0)
def _both_forms(model: Any, params: Any, tokens: Array) -> tuple[Array, Array]:
    steps = jax.lax.scan(lambda state, now: model.step(params, state, now), model.initial(*tokens.shape), tokens.T)[1]
    return model.apply(params, tokens), jnp.swapaxes(steps, 0, 1)


def depth_is_data(network: Any, depths: int, tokens: Any) -> None:
    """Assert that one compilation serves every depth, and agrees with a program built for each depth.

    Args:
        network: ``apply(tokens, depth)``, or a pair ``(apply, params)`` with ``apply(params, tokens, depth)``; the depth is a
            Python int or an integer array.
        depths: The largest depth; all depths from 1 on are tried.
        tokens: What the network reads.

    Raises:
        AssertionError: The network needs a Python number, or the two forms differ; the message names the smallest depth.
        TypeError: It is no network, or one of PyTorch.
        ValueError: `depths` is less than 1.

    Cost: one compilation for the form with a traced depth, and one for each depth.

    >>> def powers(x, depth):
    ...     return jax.lax.fori_loop(0, depth, lambda _, y: 2 * y, x)
    >>> depth_is_data(powers, 3, jnp.ones(2))
    >>> depth_is_data(lambda x, depth: sum([x] * depth), 3, jnp.ones(2))
    Traceback (most recent call last):
    AssertionError: depth is not data: the network needs a Python number (...). ...
    """
    if depths < 1:
        raise ValueError(f"depths = {depths}: expected at least 1, the largest depth")
    function, data = (taken := adapted(network)).function, taken.data
    if taken.host:
        raise TypeError(f"{network!r:.60} is {taken.kind}, called through numpy: nothing of it is compiled, whatever its depth")
    for depth in range(1, depths + 1):
        try:
            found = _at_depth(function, data, tokens, jnp.asarray(depth, jnp.int32))
        except (TypeError, jax.errors.JAXTypeError) as error:
            raise AssertionError(
                f"depth is not data: the network needs a Python number ({str(error).splitlines()[0]}). Skip layers with "
                "jax.lax.cond or jnp.where, so that the depth may be an array"
            ) from error
        found, expected = np.asarray(found), np.asarray(_with_depth(function, data, tokens, depth))
        wrong = unlike(found, expected)
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            raise AssertionError(
                f"depth is not data: at depth {depth} the form with a traced depth gives {shown(found[place])} at {place}, and "
                f"the program of {depth} layers {shown(expected[place])}"
            )


@partial(jax.jit, static_argnums=0)
def _at_depth(function: Callable, data: Any, tokens: Any, depth: Any) -> Any:
    return function(data, tokens, depth)


@partial(jax.jit, static_argnums=(0, 3))
def _with_depth(function: Callable, data: Any, tokens: Any, depth: int) -> Any:
    return function(data, tokens, depth)
