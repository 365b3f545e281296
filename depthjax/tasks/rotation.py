"""The rotation task: follow a vector that each letter turns, v_t = M[x_t] v_{t-1} from v_0 = (1, 1, 1) / sqrt 3.

Letters multiply on the left. So v_t = M[x_t ... x_1] v_0 if M is a representation: the reversed product of the word problem.
The matrices are computed from generators. The mode "as published" does not check them; "faithful" refuses matrices that are not
a faithful representation. The Cayley table is an integer array, so any group and any generators will do.
"""

import dataclasses
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Integer, Key

from depthjax.checks import in_alphabet, marked, strange
from depthjax.tasks.words import Batch, length_weights, prepend, uniform_words

MODES = ("faithful", "as published")


@dataclasses.dataclass(frozen=True, eq=False)
class Rotations:
    """A sampler of words and of the turned vectors.

    Attributes:
        matrices: Rotation of each letter.
        bos: Whether a beginning-of-sequence token, the last letter, stands first; it turns nothing.
        shortest: Least length, if a batch mixes lengths (see `depthjax.tasks.words`).
    """

    matrices: Float[np.ndarray, "order 3 3"]
    bos: bool = True
    shortest: int | None = None

    @property
    def letters(self) -> int:
        """Number of tokens, the beginning-of-sequence token included."""
        return len(self.matrices) + self.bos

    @property
    def coordinates(self) -> int:
        """Number of real outputs at each position."""
        return 3

    def sample(self, key: Key[Array, ""], batch: int, length: int) -> Batch:
        """Return random words and v_t at every position, (batch, positions, 3); predicting 0 has mean square 1/3.

        Raises:
            ValueError: The length is below `shortest`.
        """
        draw, many = jax.random.split(key)
        words = uniform_words(draw, len(self.matrices), batch, length).astype(jnp.int32)
        start = jnp.full((batch, 3), 3**-0.5, self.matrices.dtype)
        path = turned(jnp.asarray(self.matrices), words, start)
        if self.bos:
            words, path = prepend(words, len(self.matrices)), jnp.concatenate([start[:, None], path], axis=1)
        return Batch(words, path, length_weights(many, batch, length, self.shortest, self.bos))


def turned(
    matrices: Float[Array, "order d d"], words: Integer[Array, "batch length"], start: Float[Array, "batch d"]
) -> Float[Array, "batch length d"]:
    """Return v_1 ... v_T of every word; NaN, under jit, for a word with a letter that has no matrix.

    Raises:
        ValueError: A letter has no matrix.
    """
    words = in_alphabet("words", words, matrices.shape[0])

    def step(vector: Array, letter: Array) -> tuple[Array, Array]:
        vector = jnp.einsum("bij,bj->bi", matrices[letter], vector, precision="highest")
        return vector, vector

    return marked(jnp.swapaxes(jax.lax.scan(step, start, words.T)[1], 0, 1), strange(words))


def rotation_matrices(
    table: Integer[np.ndarray, "order order"],
    generators: Sequence[int],
    turns: Float[np.ndarray, "generators d d"],
    *,
    mode: str,
    side: str = "right",
) -> Float[np.ndarray, "order d d"]:
    """Return the matrices of the task in one of the two modes.

    Raises:
        ValueError: The mode is unknown; or it is "faithful" and a product of two matrices is not that of their letters, or two
            letters share a matrix.
    """
    if mode not in MODES:
        raise ValueError(f"mode {mode!r}: the rotation task is {' or '.join(repr(each) for each in MODES)}")
    matrices = breadth_first_matrices(table, generators, turns, side=side)
    if mode == "faithful":
        products = np.einsum("xij,yjk->xyik", matrices, matrices)
        # d products of rounded entries below one, compounded along a search of at most `order` steps
        slack = len(table) * turns.shape[-1] * np.finfo(turns.dtype).eps
        wrong = int((np.abs(products - matrices[table]).max(axis=(-2, -1)) > slack).sum())
        if wrong:
            raise ValueError(
                f"{wrong} of {len(table) ** 2} products break M[x] M[y] = M[xy]: the generators {tuple(generators)} with these "
                'matrices are not a representation; choose others, or mode="as published"'
            )
        trivial = int((np.abs(matrices[1:] - np.eye(turns.shape[-1])).max(axis=(-2, -1)) <= slack).sum())
        if trivial:
            raise ValueError(f"{trivial} letters other than the identity turn nothing: the representation is not faithful")
    return matrices


def breadth_first_matrices(
    table: Integer[np.ndarray, "order order"],
    generators: Sequence[int],
    turns: Float[np.ndarray, "generators d d"],
    *,
    side: str = "right",
) -> Float[np.ndarray, "order d d"]:
    """Return a matrix for every element, along the first path on which a search from the identity reaches it; unchecked.

    Args:
        table: Cayley table, identity 0.
        generators: Elements, in the order in which the search tries them.
        turns: Matrix of each generator.
        side: Whether the search multiplies on the "right" (x -> x g) or the "left" (x -> g x).

    Raises:
        ValueError: The generators do not reach every element, or the side is neither "right" nor "left".
    """
    if side not in ("right", "left"):
        raise ValueError(f"the search multiplies on the 'right' or the 'left', not {side!r}")
    found = {0: np.eye(turns.shape[-1], dtype=turns.dtype)}
    queue = [0]
    for element in queue:  # grows while it is walked
        for generator, turn in zip(generators, turns, strict=True):
            product = int(table[element, generator] if side == "right" else table[generator, element])
            if product not in found:
                found[product] = found[element] @ turn if side == "right" else turn @ found[element]
                queue.append(product)
    if len(found) < len(table):
        raise ValueError(f"the generators {tuple(generators)} reach {len(found)} of {len(table)} elements: choose others")
    return np.stack([found[g] for g in range(len(table))])


def homomorphism_defects(
    matrices: Float[Array, "order d d"], table: Integer[Array, "order order"]
) -> Float[Array, "order order"]:
    """Return the largest entry of |M[x] M[y] - M[xy]| for every pair, zero for a representation. Cost: O(order^2 d^3)."""
    products = jnp.einsum("xij,yjk->xyik", matrices, matrices, precision="highest")
    return jnp.abs(products - matrices[table]).max(axis=(-2, -1))
