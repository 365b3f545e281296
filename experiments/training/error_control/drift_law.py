r"""How errors that are fixed in the maps of a recurrence add up along random words, beside errors that are drawn at every step.

A recurrence holds the states ``P_g v`` of a group of permutations of n points, and its maps are ``P_x + eps N_x`` with fixed
matrices N_x, independent standard normal numbers: so errs a recurrence that was trained, or drawn, nearly right. To first order
its error after the letters x_1, .., x_t with products g_s = x_s .. x_1, pulled back to the start, is

    P_{g_t}^-1 e_t = eps sum_s P_{g_s}^-1 N_{x_s} P_{g_{s-1}} v.

Let Q project onto the complement U of the constant vectors and chi be its character, fixed points minus one. One step alone has
the mean square ``eps^2 (n - 1) |v|^2``. Two steps share their matrix iff their letters agree. With letters that are uniform on
the group, ``y = g_{s'-1} g_{s-1}^-1`` is uniform, and independent of whether the letters of s < s' agree, which has probability
1/|G|. Then the mean over N of the product of the two steps is ``chi(y) <v, P_a^-1 P_y P_a v>``. Since chi is a class function,
its mean over y does not depend on a = g_{s-1}. In units of one step,

    E |Q e_t|^2 = t + t (t - 1) c,     c = sum_y chi(y) <v, P_y v> / (|G|^2 (n - 1) |v|^2),

which is ``1/(|G| (n - 1)^2)`` for two-fold transitive permutations and centred v. So a recurrence of its own errors drifts
linearly in t after about 1/c steps, while noise that is drawn at every step diffuses like sqrt(t).

Source: derived here; return maps of arXiv 2605.07755.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from theory.checks import positive_integer

__all__ = ["drift_growth"]


def drift_growth(permutations: Sequence[Sequence[int]], start: Sequence[Fraction | int], length: int) -> Fraction:
    """Return ``E |Q e_t|^2`` in units of one step's, for errors that are fixed in the maps.

    Args:
        permutations: All permutations of the group, each as the images of 0, .., n - 1.
        start: v, the numbers at the points.
        length: t.

    Raises:
        ValueError: `start` has another length than the permutations, or is zero, or `length` is not an integer >= 1.

    Cost: |G| n operations.

    >>> drift_growth([(0, 1), (1, 0)], (-1, 1), 10)  # signs: errors of one letter add up, 10 + 90/2
    Fraction(55, 1)
    """
    length, points = positive_integer("length", length, "the letters of a word"), len(start)
    if {len(images) for images in permutations} != {points} or not any(start):
        raise ValueError(f"start = {tuple(start)!r}: expected one number for each point that is permuted, not all of them zero")
    v, shared = [Fraction(number) for number in start], Fraction(0)
    for images in permutations:
        fixed = sum(image == point for point, image in enumerate(images))
        shared += (fixed - 1) * sum(v[image] * number for image, number in zip(images, v, strict=True))
    alone = (points - 1) * sum(number**2 for number in v)
    return length + length * (length - 1) * shared / (len(permutations) ** 2 * alone)
