"""Right answers of a network of fixed depth that reads what it has written, after every written token."""

import jax
import numpy as np
import xarray as xr

from depthjax.constructions.directions.hop import reach
from depthjax.tasks.hops import hop_words
from depthjax.tasks.words import uniform_words
from depthjax.verify import Cell, Quantity, measured
from experiments.attention.steps_for_depth.written import right_hops, right_states

FAR = (7, 100), (8, 1000), (9, 4080), (9, 4081), (10, 100_000), (12, 1_000_000)  # layers and hops beyond those that are run


def measure(cell: Cell, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """Right answers at the last letter of every word, after every written token; the least number of tokens for every k."""
    first, second = jax.random.split(key)
    words = hop_words(first, cell.alphabet, cell.words, cell.length)
    right, hidden = (
        right_hops(words, cell.alphabet, cell.layers, cell.largest, cell.written, hidden=hides) == cell.words
        for hides in (False, True)
    )
    tokens = np.where(right.any(axis=0), right.argmax(axis=0), cell.written + 1)
    products = uniform_words(second, table.shape[1], cell.factors, cell.words).T
    product, hidden_product = (right_states(table, products, hidden=hides) == cell.words for hides in (False, True))
    late = [np.concatenate([0 * answers[:1], answers[:-1]]) for answers in (right, product)]  # the answers a token earlier
    return measured(
        tokens=Quantity(tokens, "hops", label="written tokens that a number of hops needs"),
        far_tokens=Quantity([_passes(*far) - 1 for far in FAR], "far", label="tokens written by one pass after another"),
        elements=Quantity(len(_reached(table)), label="products of the letters"),
        right=Quantity(right.astype(int), "tokens_written hops", label="all words answered rightly"),
        right_before=Quantity(late[0].astype(int), "tokens_written hops", label="the same a token before"),
        product=Quantity(product.astype(int), "states_written", label="all products in S5 right"),
        right_hidden=Quantity(hidden.astype(int), "tokens_written hops", label="the same if no layer sees what is written"),
        product_hidden=Quantity(
            hidden_product.astype(int), "states_written", label="all products right, what is written hidden"
        ),
        product_before=Quantity(late[1].astype(int), "states_written", label="the same a token before"),
    )


def _passes(layers: int, hops: int) -> int:
    """Passes of layers until the hops are done, one after another."""
    passes, done = 0, 0
    while done < hops:
        passes, done = passes + 1, done + reach(layers, "strict")
    return passes


def _reached(table: np.ndarray) -> set[int]:
    """All products of letters."""
    found, new = {0}, {0}
    while new:
        new = {int(state) for state in table[list(new)].ravel()} - found
        found |= new
    return found
