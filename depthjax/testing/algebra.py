"""Laws of algebra: equivariance, homomorphisms, Fourier transforms of groups, Lie brackets, and Chen's identity."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from depthjax import dtypes
from depthjax.adapters.libraries import NOT_TRACEABLE, wants_tensors
from depthjax.adapters.network import Adapted, adapted
from depthjax.testing.network import shown, unlike

KNOWN = 32.0
"""Roundings to which the entries of a representation are known: twice those of irreps that come from eigenvectors."""


def equivariant(function: Any, before: Any, after: Any, elements: Any, inputs: Any, *, answer: Any = None) -> None:
    """Assert ``function(before(g, x)) == after(g, function(x))`` for all given elements and inputs.

    Args:
        function: A function of one input, a pair ``(function, params)``, or a module of any library (`depthjax.adapters`).
        before: ``before(g, x)``, how an element acts on inputs.
        after: ``after(g, y)``, how it acts on outputs.
        elements: The elements, along the first axis: permutations, matrices or numbers.
        inputs: The inputs, along the first axis.
        answer: Which part of the outputs is the answer, as in answer="logits".

    Raises:
        AssertionError: The two sides differ; the message names the first element, and the first input for it.
        ValueError: There is no element or no input, or the two sides have different shapes.
        TypeError: One of the functions is not callable.

    Cost: one compilation for each triple of functions and shape.

    >>> swaps = jnp.array([[0, 1], [1, 0]])
    >>> move = lambda g, x: x[g]
    >>> equivariant(jnp.abs, move, move, swaps, jnp.array([[1.0, -2.0]]))
    >>> equivariant(jnp.cumsum, move, move, swaps, jnp.array([[1.0, -2.0]]))
    Traceback (most recent call last):
    AssertionError: not equivariant: element 1, [1, 0], moves input 0, [ 1., -2.], and its output should move along: ...
    """
    for name, given in (("before", before), ("after", after)):
        if not callable(given):
            raise TypeError(f"{name} = {given!r:.60}: expected a function {name}(element, array), how an element acts")
    network, elements, inputs = adapted(function, answer), _several("elements", elements), _several("inputs", inputs)
    found, expected = (np.asarray(side) for side in _sides(network, before, after, elements, inputs))
    if found.shape != expected.shape:
        raise ValueError(
            f"f(g x) has shape {found.shape[2:]} and g f(x) {expected.shape[2:]}: expected the same; look at `after`"
        )
    wrong = unlike(found, expected).reshape(*found.shape[:2], -1).any(axis=-1)
    if wrong.any():
        g, x = (int(i) for i in np.argwhere(wrong)[0])
        raise AssertionError(
            f"not equivariant: element {g}, {shown(elements[g])}, moves input {x}, {shown(inputs[x])}, and its output should "
            f"move along: f(g x) = {shown(found[g, x])}, but g f(x) = {shown(expected[g, x])}"
        )


def _several(name: str, given: Any) -> Any:
    """One object or more along the first axis of arrays; a list is one array."""
    given = np.asarray(given) if isinstance(given, list) else given
    shapes = [np.shape(leaf) for leaf in jax.tree.leaves(given)]
    if not shapes or not all(shape and shape[0] for shape in shapes):
        shown = shapes[0] if len(shapes) == 1 else shapes
        raise ValueError(f"{name}: expected one or more along the first axis of an array, got the shape {shown}")
    return given


def _sides(network: Adapted, before: Callable, after: Callable, elements: Any, inputs: Any) -> Any:
    """f(g x) and g f(x) for all g and x: in one program, or one by one where the function cannot be traced or mapped."""
    if not network.host:
        try:
            return _two_sides(network.apply, before, after, network.data, elements, inputs)
        except Exception as error:
            if not isinstance(error, (*NOT_TRACEABLE, NotImplementedError)) and not wants_tensors(error):
                raise
            network.host = True
    rows = [[(network(before(g, x)), after(g, network(x))) for x in inputs] for g in elements]
    return [np.array([[np.asarray(pair[side]) for pair in row] for row in rows]) for side in (0, 1)]


@partial(jax.jit, static_argnums=(0, 1, 2))
def _two_sides(function: Callable, before: Callable, after: Callable, data: Any, elements: Any, inputs: Any) -> Any:
    def sides(g: Any, x: Any) -> tuple[Any, Any]:
        return function(data, before(g, x)), after(g, function(data, x))

    return jax.vmap(lambda g: jax.vmap(lambda x: sides(g, x))(inputs))(elements)


def homomorphism(images: Any, group: Any) -> None:
    """Assert that matrices or permutations multiply as the elements of a group do, and that the identity's image is one.

    Entries of matrices may be off by `KNOWN` roundings, and a product of n x n matrices rounds n times more.

    Args:
        images: The image of each element, matrices (order, n, n) or permutations (order, n) with ``(p q)(i) = p[q[i]]``.
        group: Has a Cayley ``table``, or is one; element 0 is the identity.

    Raises:
        AssertionError: A product has another image; the message names the first pair of elements.
        ValueError: The table is no Cayley table, there is not one image for each element, or an image is no permutation.

    >>> homomorphism(np.array([[[1]], [[-1]]]), [[0, 1], [1, 0]])
    >>> homomorphism(np.array([[[1]], [[2]]]), [[0, 1], [1, 0]])
    Traceback (most recent call last):
    AssertionError: not a homomorphism: the images of 1 and 1 multiply to [[4]], but the image of 1 * 1 = 0 is [[1]]
    """
    table, images = cayley_table(group), np.asarray(images)
    matrices = images.ndim == 3 and images.shape[1] == images.shape[2]
    permutations = images.ndim == 2 and dtypes.is_integer(images.dtype)
    if len(images) != len(table) or not (matrices or permutations):
        raise ValueError(
            f"images have shape {images.shape} and type {images.dtype}: expected one for each of the {len(table)} elements, "
            f"matrices ({len(table)}, n, n) or permutations ({len(table)}, n) of integers"
        )
    one = np.arange(images.shape[1]) if permutations else np.eye(images.shape[1])
    if permutations and (others := (np.sort(images, axis=1) != one).any(axis=1)).any():
        element = int(others.argmax())
        raise ValueError(
            f"the image of {element} is {shown(images[element])}: expected a permutation, each of 0 .. {one[-1]} once"
        )
    if unlike(images[0], one, roundings=KNOWN).any():
        raise AssertionError(f"not a homomorphism: the image of the identity, element 0, is {shown(images[0])}")
    whole = images.astype(np.int64) if dtypes.is_exact(images.dtype) else dtypes.wide(images)  # products leave narrow types
    if matrices:  # n products of entries are summed: norms of rows and columns bound what their roundings amount to
        scale = float(np.linalg.norm(whole, axis=2).max() * np.linalg.norm(whole, axis=1).max())
    for g, row in enumerate(table):
        products = whole[g][whole] if permutations else whole[g] @ whole
        allowed = {} if permutations else {"roundings": 2 * KNOWN + images.shape[1], "scale": scale}
        wrong = unlike(products, images[row], **allowed).reshape(len(table), -1).any(axis=1)
        if wrong.any():
            h = int(np.argmax(wrong))
            raise AssertionError(
                f"not a homomorphism: the images of {g} and {h} multiply to {shown(products[h])}, but the image of {g} * {h} = "
                f"{row[h]} is {shown(images[row[h]])}"
            )


def cayley_table(group: Any) -> np.ndarray:
    """Return the Cayley table of a group, or a table itself.

    Raises:
        ValueError: It is no square table of element numbers.
    """
    table = np.asarray(getattr(group, "table", group))
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not dtypes.is_integer(table.dtype) or not table.size:
        raise ValueError(f"group = {group!r:.60}: expected a square Cayley table of integers, or an object with such a `table`")
    return table


def fourier_laws(fourier: Any, inverse: Any, group: Any) -> None:
    """Assert that a Fourier transform on a group is inverted, keeps norms, and turns convolutions into products.

    The transform is ``sum_g f(g) rho(g)^*``, so ``f * h`` has the coefficients ``h_rho f_rho``. All three laws are linear in
    each function, so they are tried for the functions that are 1 at one element and 0 elsewhere.

    Args:
        fourier: Values (..., order) -> one array (..., n, n) for each irrep.
        inverse: These arrays -> values (..., order).
        group: Has a Cayley ``table``, or is one; element 0 is the identity.

    Raises:
        AssertionError: A law fails; the message names the law and the first elements.
        ValueError: The coefficients are not square matrices with squares of dimensions that add up to the order.
        TypeError: One of the functions is not callable.

    >>> signs = np.array([[1.0, 1.0], [1.0, -1.0]])
    >>> forth = lambda f: [c[..., None, None] for c in np.moveaxis(f @ signs, -1, 0)]
    >>> back = lambda c: np.concatenate([x[..., 0] for x in c], axis=-1) @ signs / 2
    >>> fourier_laws(forth, back, [[0, 1], [1, 0]])
    >>> fourier_laws(forth, lambda c: back(c) * 2, [[0, 1], [1, 0]])
    Traceback (most recent call last):
    AssertionError: inversion: the function that is 1 at element 0 comes back as [2., 0.]
    """
    if not callable(fourier) or not callable(inverse):
        raise TypeError("fourier_laws takes two functions: fourier(values) and inverse(coefficients)")
    table = cayley_table(group)
    order, deltas = len(table), np.eye(len(table))
    parts = [np.asarray(part) for part in fourier(deltas)]  # type: ignore[attr-defined]
    if any(p.ndim != 3 or p.shape[0] != order or p.shape[1] != p.shape[2] for p in parts) or (
        sum(p.shape[1] ** 2 for p in parts) != order
    ):
        raise ValueError(
            f"the coefficients of {order} functions have shapes {[p.shape for p in parts]}: expected ({order}, n, n) for each "
            f"irrep, with squares n^2 that add up to the order {order}"
        )
    back, rounded = np.asarray(inverse(parts)), 2 * KNOWN + order  # sums of as many terms as the group has elements
    _first_wrong(
        back,
        deltas,
        lambda g: f"inversion: the function that is 1 at element {g[0]} comes back as {shown(back[g[0]])}",
        rounded,
    )
    gram = np.sum([p.shape[1] * np.einsum("gij,hij->gh", p.conj(), p) for p in parts], axis=0) / order
    _first_wrong(
        gram,
        deltas,
        lambda g: (
            f"Plancherel: the functions that are 1 at {g[0]} and at {g[1]} have the product {shown(gram[g])} after the "
            f"transform, expected {int(g[0] == g[1])}"
        ),
        rounded,
    )
    for number, part in enumerate(parts):
        products = np.einsum("hij,gjk->ghik", part, part)
        _first_wrong(
            products,
            part[table],
            lambda g, number=number: (
                f"convolution: for elements {g[0]} and {g[1]} the product of the coefficients of irrep "
                f"{number}, in reverse order, is not the coefficient at {g[0]} * {g[1]} = {table[g[0], g[1]]}"
            ),
            rounded,
        )


def _first_wrong(found: Any, expected: Any, words: Callable[[tuple[int, ...]], str], roundings: float | None = None) -> None:
    wrong = np.argwhere(unlike(found, expected, roundings=roundings))
    if len(wrong):
        raise AssertionError(words(tuple(wrong[0].tolist())))


def lie_algebra(bracket: Any, basis: Any) -> None:
    """Assert that a bracket is bilinear, alternating and meets the Jacobi identity.

    Args:
        bracket: ``bracket(x, y)`` of two elements.
        basis: Elements along the first axis, whose span is closed under the bracket or not; integers and Fractions (dtype
            object) are tried exactly and one by one, other arrays in one compiled batch where JAX can trace the bracket.

    Raises:
        AssertionError: An axiom fails; the message names it and the first elements of the basis.
        ValueError: There is no element, or the bracket of two has another shape than they have.
        TypeError: The bracket is not callable.

    Cost: n^3 brackets for n elements.

    >>> lie_algebra(jnp.cross, jnp.eye(3))
    >>> lie_algebra(lambda x, y: jnp.cross(x, y) + x, jnp.eye(3))
    Traceback (most recent call last):
    AssertionError: not alternating: [e_0, e_0] = [1., 0., 0.]
    """
    if not callable(bracket):
        raise TypeError(f"bracket = {bracket!r:.60}: expected a function bracket(x, y)")
    basis = _several("basis", np.asarray(basis))
    table = _brackets(bracket, basis, basis)
    if table.shape[2:] != basis.shape[1:]:
        raise ValueError(f"the bracket of elements of shape {basis.shape[1:]} has shape {table.shape[2:]}: expected the same")
    size, zero = len(basis), np.zeros_like(table)
    diagonal = table[np.arange(size), np.arange(size)]
    _first_wrong(diagonal, zero[0], lambda i: f"not alternating: [e_{i[0]}, e_{i[0]}] = {shown(diagonal[i[0]])}")
    _first_wrong(
        table,
        -np.swapaxes(table, 0, 1),
        lambda i: (
            f"not alternating: [e_{i[0]}, e_{i[1]}] = {shown(table[i[:2]])}, but [e_{i[1]}, e_{i[0]}] = "
            f"{shown(table[i[1], i[0]])}"
        ),
    )
    mixed = basis + 2 * np.roll(basis, 1, axis=0)
    found, expected = _brackets(bracket, mixed, basis), table + 2 * np.roll(table, 1, axis=0)
    _first_wrong(
        found,
        expected,
        lambda i: (
            f"not bilinear: [e_{i[0]} + 2 e_{(i[0] - 1) % size}, e_{i[1]}] is not [e_{i[0]}, e_{i[1]}] + "
            f"2 [e_{(i[0] - 1) % size}, e_{i[1]}]"
        ),
    )
    nested = _brackets(bracket, table.reshape(size * size, *basis.shape[1:]), basis).reshape(size, size, *table.shape[1:])
    cyclic = nested + np.moveaxis(nested, (0, 1, 2), (2, 0, 1)) + np.moveaxis(nested, (0, 1, 2), (1, 2, 0))
    scale = nested + np.where(unlike(cyclic, np.zeros_like(cyclic)), cyclic, 0)
    _first_wrong(
        scale,
        nested,
        lambda i: (
            f"the Jacobi identity fails for e_{i[0]}, e_{i[1]}, e_{i[2]}: the cyclic sum of [[e_{i[0]}, e_{i[1]}], "
            f"e_{i[2]}] is {shown(cyclic[i[:3]])}"
        ),
    )


def _brackets(bracket: Callable, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    kind = object if left.dtype == object else None
    if kind is None:
        with contextlib.suppress(*NOT_TRACEABLE):  # a bracket of numpy is tried one by one
            return np.asarray(_compiled_brackets(bracket, jnp.asarray(left), jnp.asarray(right)))
    return np.array([[np.asarray(bracket(x, y), dtype=kind) for y in right] for x in left], dtype=kind)


@partial(jax.jit, static_argnums=0)
def _compiled_brackets(bracket: Callable, left: Any, right: Any) -> Any:
    return jax.vmap(lambda x: jax.vmap(lambda y: bracket(x, y))(right))(left)


def chen(signature: Any, product: Any, increments: Any) -> None:
    """Assert Chen's identity: a path's signature is the product of the signatures of its two parts, wherever it is cut.

    Parts are padded with pauses (increments of zero), which change no signature, so all cuts have one shape. This law of pauses
    is asserted too, by the cuts at both ends.

    Args:
        signature: Increments (length, channels) -> an element of the algebra, an array or a tree of arrays.
        product: The product of two such elements.
        increments: The increments of a path, shape (length, channels).

    Raises:
        AssertionError: The identity fails; the message names the first cut.
        ValueError: The increments have another shape.
        TypeError: One of the functions is not callable.

    Cost: one compilation; 2 (length + 1) signatures.

    >>> increments = jnp.array([[1.0], [2.0], [3.0]])
    >>> chen(lambda x: jnp.exp(x.sum()), jnp.multiply, increments)
    >>> chen(lambda x: jnp.sum(x**2), jnp.multiply, increments)
    Traceback (most recent call last):
    AssertionError: Chen's identity fails for the cut after 0 of 3 increments: the path's signature has 14, the product ...
    """
    if not callable(signature) or not callable(product):
        raise TypeError("chen takes two functions: signature(increments) and product(first, second)")
    increments = jnp.asarray(increments)
    if increments.ndim != 2 or not increments.size:
        raise ValueError(f"increments have shape {increments.shape}: expected (length, channels)")
    whole, products = _cuts(signature, product, increments)
    for leaf, (one, cut) in enumerate(zip(jax.tree.leaves(whole), jax.tree.leaves(products), strict=True)):
        one = np.broadcast_to(one, cut.shape)
        _first_wrong(
            np.asarray(cut),
            one,
            lambda i, one=one, cut=cut, leaf=leaf: (
                f"Chen's identity fails for the cut after {i[0]} of {len(increments)} increments: the path's signature has "
                f"{shown(one[i])}, the product of its parts' {shown(cut[i])} (leaf {leaf}, entry {tuple(i[1:])})"
            ),
        )


@partial(jax.jit, static_argnums=(0, 1))
def _cuts(signature: Callable, product: Callable, increments: Any) -> tuple[Any, Any]:
    places = jnp.arange(len(increments))

    def cut(at: Any) -> Any:
        first = (places < at)[:, None]
        zero = jnp.zeros_like(increments)
        return product(signature(jnp.where(first, increments, zero)), signature(jnp.where(first, zero, increments)))

    return signature(increments), jax.vmap(cut)(jnp.arange(len(increments) + 1))
