"""What transitions generate: structure decides first, numbers second, and two routes must agree.

The pattern of exact zeros (`depthjax.probe.pattern`) decides what it can whatever the numbers are. What is left is decided
twice: solvability by traces and a common basis of the letters themselves (`depthjax.probe.triangular`), commutativity by their
commutators, and both again by the closure of the algebra (`depthjax.probe.generated_algebra`). Where the two differ, the answer
is that nothing is decided.
"""

import dataclasses
import itertools
import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Inexact

from depthjax.probe.decision import LEAST_GAP, Decision
from depthjax.probe.diagonal_algebra import diagonal_algebra, diagonal_logarithms, without_logarithm
from depthjax.probe.generated_algebra import GeneratedAlgebra, bracket_noise, generated_algebra, of_norm_one, usual_tolerance
from depthjax.probe.pattern import (
    DiagonalAffine,
    Pattern,
    allowed,
    diagonal_affine,
    evening_scales,
    shared_pattern,
    triangular_length,
)
from depthjax.probe.spans import HIDDEN
from depthjax.probe.transitions import Time, Transitions, entry_errors, principal_logarithms
from depthjax.probe.triangular import triangularisable


@dataclasses.dataclass(frozen=True)
class Generated:
    """The algebra of some transitions, with what the second route says of it.

    Attributes:
        generators: The matrices whose brackets were taken.
        generated_by: What they are, and why.
        is_flow: Whether they are generators of flows, so that letters are exponentials of them.
        algebra: Their Lie algebra.
        noise: Error of each generator, over its norm and over the tolerance.
        solvable: Whether the algebra is solvable.
        nilpotent: Whether it is nilpotent.
        order_blind: Whether all letters commute.
        length: The derived length; None if the algebra is not solvable, or the length is not decided.
        at_most: A bound of the derived length; None if the algebra is not known to be solvable.
    """

    generators: Float[np.ndarray, "letters size size"]
    generated_by: str
    is_flow: bool
    algebra: GeneratedAlgebra
    noise: Float[np.ndarray, " letters"]
    solvable: Decision
    nilpotent: Decision
    order_blind: Decision
    length: Decision
    at_most: int | None


def generated(read: Transitions, time: Time, tolerance: float | None, *, closed: bool = True) -> Generated:
    """Return the Lie algebra that transitions generate, and what follows.

    Args:
        read: The transitions.
        time: Whether they are steps, or generators of flows.
        tolerance: Relative error of the matrices; None takes `usual_tolerance`.
        closed: Whether the brackets are closed. Else dimensions are not decided, and two letters that do not commute and a
            trace that is not 0 are all that is looked for.

    Raises:
        ValueError: The algebra has too many dimensions.
    """
    pattern = shared_pattern(read.matrices)
    form = diagonal_affine(read.matrices, pattern)
    if form is not None:
        return _of_diagonal(read, time, tolerance or usual_tolerance(1, read.epsilon), form, pattern)
    tolerance = tolerance or usual_tolerance(read.matrices.shape[-1], read.epsilon)
    errors, where = entry_errors(read.matrices, pattern.parts), allowed(pattern, read.matrices.shape[-1])
    generators, spoiled, why = read.matrices, errors, "the matrices A of dh/dt = A h"
    is_flow = time == "continuous"
    if not is_flow:
        logarithms, spoiled, reason = principal_logarithms(read.matrices, errors, tolerance, where)
        is_flow = logarithms is not None
        generators = read.matrices if logarithms is None else logarithms
        why = f"principal logarithms: {reason}" if is_flow else f"the matrices themselves: {reason}"
    even, noise = _even(generators, spoiled, pattern)
    room = _room(generators, pattern, where)
    algebra = generated_algebra(even, tolerance, noise, room) if closed else _not_closed(room, tolerance)
    solvable = _solvable(read.matrices, errors, pattern, tolerance, search=closed)
    blind = _commuting(*_even(_centred(read.matrices), errors, pattern), tolerance, _exactly_commute(read.matrices))
    path = pattern.path if pattern.is_triangular else len(read.matrices[0]) - 1
    return _agreed(algebra, generators, why, is_flow, noise, solvable, blind, path)


def generated_by_logarithms(
    logs: Inexact[np.ndarray, "letters count"],
    drives: Inexact[np.ndarray, "letters count"],
    tolerance: float,
    *,
    of_weights: bool = False,
) -> Generated:
    """Return the algebra of letters h <- exp(log) h + drive from the logarithms, for any number of coordinates.

    Near weights of 1 the logarithms are known much better than the weights are. Matrices are not written out.

    Args:
        logs: Logarithms of the weights; of complex type for complex coordinates.
        drives: What is added.
        tolerance: Relative error of the logarithms and the drives.
        of_weights: Whether the tolerance is that of the weights, exp(log), instead: of a layer that computes with them.
    """
    letters, count = logs.shape
    turns = logs.astype(complex)
    slopes = np.divide(turns, np.expm1(turns), out=np.ones_like(turns), where=turns != 0)
    driven = bool(drives.any())
    form = DiagonalAffine(
        coordinates=np.arange(count),
        second=np.arange(count) if np.iscomplexobj(logs) else np.full(count, -1),
        weights=np.exp(turns) if of_weights else turns,
        drives=drives.astype(complex) if of_weights else slopes * drives,
        constant=np.ones(letters) if of_weights else np.zeros(letters),
        place=count if driven else -1,
        turned=False,
    )
    algebra = diagonal_algebra(form, tolerance, logarithms=of_weights)
    shape = "diagonal, with drives" if driven else "diagonal"
    solvable = Decision(True, "certain", f"the letters are {shape}, whatever the numbers are")
    if not driven:
        blind = solvable
    elif (logs == logs[0]).all() and (drives == drives[0]).all():
        blind = Decision(True, "certain", "all letters are equal")
    else:
        blind = _whether(algebra.derived[:2][-1], "all letters commute", "some letters do not commute")
    why = "logarithms of the weights, as the parameters give them"
    return _agreed(algebra, np.zeros((letters, 0, 0)), why, True, np.ones(letters), solvable, blind, int(driven))


def _of_diagonal(read: Transitions, time: Time, tolerance: float, form: DiagonalAffine, pattern: Pattern) -> Generated:
    """Diagonal letters with drives: their pattern says that they are solvable, and weights and drives say the rest."""
    reason = "" if time == "continuous" else without_logarithm(form, tolerance)
    is_flow, generators = not reason, read.matrices
    why = "the matrices A of dh/dt = A h" if time == "continuous" else f"the matrices themselves: {reason}"
    if time == "discrete" and is_flow:
        generators = diagonal_logarithms(form, read.matrices.shape[-1])
        why = "principal logarithms: every letter has a principal logarithm"
    algebra = diagonal_algebra(form, tolerance, logarithms=time == "discrete" and is_flow)
    shape = "diagonal" if pattern.is_diagonal else "diagonal, with drives"
    solvable = Decision(True, "certain", f"the letters are {shape}, whatever the numbers are")
    if pattern.is_diagonal:
        blind = solvable
    else:
        blind = _whether(algebra.derived[:2][-1], "all letters commute", "some letters do not commute")
        if _exactly_commute(read.matrices) or (form.weights == form.constant[:, None]).all():
            blind = Decision(True, "certain", "all letters commute exactly")
    noise = np.ones(len(generators))
    return _agreed(algebra, generators, why, is_flow, noise, solvable, blind, pattern.path)


def _agreed(
    algebra: GeneratedAlgebra,
    generators: np.ndarray,
    why: str,
    is_flow: bool,
    noise: np.ndarray,
    solvable: Decision,
    blind: Decision,
    path: int,
) -> Generated:
    """Both routes together; series that contradict the other route are not decided."""
    ends = algebra.derived[-1].value
    if None not in (ends, solvable.value) and (ends == 0) is not solvable.value:
        word = "solvable" if solvable.value else "not solvable"
        algebra = _undone(algebra, f"the brackets do not agree that the letters are {word}: {solvable.why}")
        solvable = (
            solvable if solvable.standing == "certain" else dataclasses.replace(solvable, value=None, why=algebra.dimension.why)
        )
    abelian = None if algebra.derived[:2][-1].value is None else algebra.derived[:2][-1].value == 0
    if None not in (abelian, blind.value) and abelian is not blind.value:
        why_not = f"the brackets do not agree that {blind.why}"
        algebra = _undone(algebra, why_not)
        blind = blind if blind.standing == "certain" else dataclasses.replace(blind, value=None, why=why_not)
    if blind.value and not solvable.value:
        solvable = dataclasses.replace(blind, why=f"{blind.why}, so the algebra is abelian")
    if solvable.value:
        algebra = dataclasses.replace(algebra, levi=dataclasses.replace(solvable, value=0))
    central = algebra.lower_central[-1]
    nilpotent = _whether(central, "the lower central series reaches 0", "the lower central series stops above 0")
    if blind.value:
        nilpotent = blind
    elif solvable.value is False:
        nilpotent = dataclasses.replace(solvable, value=False)
    at_most = None if not solvable.value else 1 if blind.value else triangular_length(path)
    return Generated(
        generators,
        why,
        is_flow,
        algebra,
        noise,
        solvable,
        nilpotent,
        blind,
        _length(algebra, solvable, blind, at_most, 0 if is_flow else 1),
        at_most,
    )


def _length(algebra: GeneratedAlgebra, solvable: Decision, blind: Decision, at_most: int | None, least: int) -> Decision:
    """The derived length; `least` is 1 for letters that are their own generators, of which 0 is not the identity."""
    if at_most is None:
        why = "the derived series never reaches 0" if solvable.value is False else solvable.why
        return dataclasses.replace(solvable, value=None, why=why)
    if algebra.derived[-1].value == 0:
        hardest = min(algebra.derived, key=lambda member: member.gap)
        steps = max(len(algebra.derived) - 1, least)
        return dataclasses.replace(hardest, value=steps, why="steps of the derived series down to 0")
    if blind.value is False and at_most == 2:
        return dataclasses.replace(blind, value=2, why=f"{blind.why}, and the pattern allows at most 2")
    return Decision(None, "numerical", f"at most {at_most}: {solvable.why}; which, is not decided")


def _solvable(matrices: np.ndarray, errors: np.ndarray, pattern: Pattern, tolerance: float, *, search: bool) -> Decision:
    """Letters are triangular in one basis if and only if their blocks are."""
    if pattern.is_triangular:
        return Decision(True, "certain", "the letters are triangular by their exact zeros, whatever the numbers are")
    found = []
    for part, small in zip(pattern.parts, pattern.small, strict=True):
        if not small:
            block = np.ix_(np.arange(len(matrices)), part, part)
            centred = _centred(matrices[block])
            scaled, norms = of_norm_one(centred)
            own = norms > 0
            if own.any():
                noise = _sizes(errors[block])[own] / norms[own]
                found.append(triangularisable(scaled[own], np.maximum(noise, 1.0), tolerance, search=search))
    for decided in (*(one for one in found if one.value is False), *(one for one in found if one.value is None)):
        return decided
    if not found:
        return Decision(True, "certain", "every block of the letters is a multiple of 1")
    return max(found, key=lambda one: one.dropped)


def _commuting(letters: np.ndarray, noise: np.ndarray, tolerance: float, exactly: bool) -> Decision:
    if exactly:
        return Decision(True, "certain", "all letters commute exactly")
    scaled, norms = of_norm_one(letters)
    kept, dropped, hidden = 0.0, 0.0, 0.0
    for a, b in itertools.combinations(np.flatnonzero(norms > 0), 2):
        bound = float(bracket_noise(noise[a : a + 1], noise[b : b + 1])[0, 0])
        size = float(np.linalg.norm(scaled[a] @ scaled[b] - scaled[b] @ scaled[a])) / bound
        kept, dropped = max(kept, size), max(dropped, size)
        hidden = max(hidden, bound * tolerance)
    if kept > LEAST_GAP * tolerance:
        return Decision(False, "numerical", "some letters do not commute", kept, tolerance)
    if dropped <= tolerance and hidden <= HIDDEN:
        return Decision(True, "numerical", "all letters commute up to rounding", math.inf, dropped)
    why = (
        f"cannot decide whether letters commute: commutators are {kept:.2g} of their noise, which counts up to {tolerance:.2g}"
    )
    if dropped <= tolerance:
        why = f"cannot decide whether letters commute: rounding alone may be {hidden:.2g} of what they do"
    return Decision(None, "numerical", why, kept, tolerance)


def _exactly_commute(matrices: np.ndarray) -> bool:
    """Whether all commutators are zero, where products are exact: matrices of integers, or equal letters."""
    if (matrices != np.round(matrices)).any() or np.abs(matrices).max() > 2.0**20:
        return bool((matrices == matrices[0]).all())
    return all((a @ b == b @ a).all() for a, b in itertools.combinations(matrices, 2))


def _even(matrices: np.ndarray, errors: np.ndarray, pattern: Pattern) -> tuple[np.ndarray, np.ndarray]:
    """Similar matrices whose blocks have similar sizes, and the noise of each."""
    scaled, norms = of_norm_one(matrices)
    scales = evening_scales(scaled, pattern)
    turned = scaled / scales[:, None] * scales
    # what is left of a matrix may be far smaller than its errors
    unit = np.where(norms > 0, norms, 1.0)[:, None, None]
    spoiled = _sizes(errors / unit / scales[:, None] * scales)
    new = np.linalg.norm(turned, axis=(1, 2))
    return turned, np.maximum(spoiled / np.where(new > 0, new, 1.0), 1.0)


def _room(generators: np.ndarray, pattern: Pattern, where: np.ndarray) -> int:
    """The largest dimension that the pattern allows: commutators have no entries on diagonal blocks of one coordinate."""
    single = np.concatenate([part for part in pattern.parts if len(part) == 1] or [np.zeros(0, int)])
    moved = (generators[:, single, single] != 0).any(axis=0).sum()
    return int(where.sum()) - len(single) + int(min(moved, len(generators)))


def _centred(matrices: np.ndarray) -> np.ndarray:
    """The matrices without their multiple of 1, which commutes with everything."""
    size = matrices.shape[-1]
    means = np.trace(matrices / size, axis1=1, axis2=2)
    return matrices - means[:, None, None] * np.eye(size)


def _sizes(matrices: np.ndarray) -> np.ndarray:
    return of_norm_one(matrices)[1]


def _not_closed(room: int, tolerance: float) -> GeneratedAlgebra:
    why = f"the brackets were not closed: up to {room} dimensions are possible, and that takes too long"
    open_one = Decision(None, "numerical", why)
    return GeneratedAlgebra(None, open_one, (open_one,), (open_one,), open_one, np.zeros(0), np.zeros(0), tolerance)


def _undone(algebra: GeneratedAlgebra, why: str) -> GeneratedAlgebra:
    open_one = Decision(None, "numerical", f"cannot decide: {why}", algebra.dimension.kept, algebra.dimension.dropped)
    return dataclasses.replace(algebra, dimension=open_one, derived=(open_one,), lower_central=(open_one,), levi=open_one)


def _whether(found: Decision, yes: str, no: str) -> Decision:
    """Whether a dimension is 0."""
    if found.value is None:
        return found
    return dataclasses.replace(found, value=found.value == 0, why=yes if found.value == 0 else no)


def hardest(series: Sequence[Decision]) -> Decision:
    """Return the member of a series with the smallest gap, which decides how sure the series is."""
    undecided = [member for member in series if member.value is None]
    return undecided[0] if undecided else min(series, key=lambda member: member.gap)
