"""All states of a rounded count: against loops in the types' own arithmetic, and against words."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.lie.precision_horizon.every_word import every_word
from experiments.lie.precision_horizon.phases import earliest_failure, unitary_failures
from theory.lie.rounded_roots import reachable_states

BFLOAT16 = jnp.dtype("bfloat16")


@pytest.mark.parametrize(
    ("order", "dtype"), [(3, "bfloat16"), (6, "bfloat16"), (12, "bfloat16"), (5, "float16"), (16, "float16")]
)
def test_a_closed_set_of_states_is_that_of_a_loop_in_the_types_own_arithmetic(order, dtype):
    """Twin: scalars of the type, one state and one letter at a time."""
    kind = np.dtype(jnp.dtype(dtype)).type
    angles = 2 * np.pi * np.arange(order) / order
    cos, sin = (np.round(part * 2.0**50) / 2**50 for part in (np.cos(angles), np.sin(angles)))
    roots = [(kind(c), kind(s)) for c, s in zip(cos, sin, strict=True)]
    seen, waiting = {(1.0, 0.0)}, [(kind(1), kind(0))]
    while waiting:
        x, y = waiting.pop()
        for c, s in roots:
            after = kind(x * c) - kind(y * s), kind(x * s) + kind(y * c)
            name = float(after[0]) + 0.0, float(after[1]) + 0.0
            if name not in seen:
                seen.add(name)
                waiting.append(tuple(map(kind, after)))
    assert every_word(order, jnp.dtype(dtype)) == (0, len(seen)) == (0, reachable_states(order, dtype))


@pytest.mark.parametrize(("order", "misread"), [(16, 120), (24, 60), (43, 18), (60, 19)])
def test_the_earliest_misreading_is_that_of_a_word_and_no_word_is_earlier(order, misread):
    assert every_word(order, BFLOAT16).misread == misread
    assert misread <= int(earliest_failure(order, BFLOAT16, 2 * misread, 64)) <= 2 * misread + 1
    words = jax.random.randint(jax.random.key(1000), (misread, 256), 0, order)
    assert int(unitary_failures(words, order, BFLOAT16).min()) >= misread


def test_letters_that_are_off_are_misread_when_the_constant_word_is():
    """Two letters, off by a twelfth of a turn each: -1 and -1 twice are right, the third letter is not."""
    assert every_word(2, BFLOAT16, offset=np.pi / 6 + 0.01).misread == 3


def test_listings_that_are_too_long_or_too_fine_are_refused():
    with pytest.raises(ValueError, match="more than 1000 states"):
        every_word(7, BFLOAT16, most=1000)
    with pytest.raises(ValueError, match="at most 24"):
        every_word(7, jnp.dtype("float64"))
    with pytest.raises(ValueError, match="order"):
        every_word(0, BFLOAT16)
