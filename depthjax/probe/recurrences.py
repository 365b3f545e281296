"""What a recurrence can do: the Lie algebra and the group that its transitions generate, and the order in which layers err.

Which algebra? Letters of a flow dh/dt = A_x h generate exp(eps A_x), so with `time="continuous"` the generators are the A_x.
Letters of a recurrence h <- T_x h are group elements, so with `time="discrete"` the generators are the principal logarithms
log T_x where all letters have one. Otherwise (a letter that forgets or reflects) they are the T_x themselves. Dimensions depend
on this choice. Two answers do not, because log T is a polynomial in T and T is one in log T: whether letters commute, and
whether the algebra is solvable, which says (Lie's theorem) that some complex basis makes all letters triangular.

A solvable algebra makes the group of all words solvable. The converse fails: finite groups have no Lie algebra to speak of, and
the logarithms of the letters of a finite solvable group may generate so(3). So `group` is asked separately.
"""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from depthjax.checks import at_least
from depthjax.probe import answers
from depthjax.probe.decision import HEAD, Decision
from depthjax.probe.generated_algebra import GeneratedAlgebra, generated_algebra, usual_tolerance
from depthjax.probe.generated_group import generated_group
from depthjax.probe.graded import first_degree
from depthjax.probe.transitions import Time, Transitions, principal_logarithms, read_transitions

HIGHEST = 24  # degrees up to which the order of the error is decided on the given matrices


@dataclasses.dataclass(frozen=True, repr=False)
class RecurrenceReport:
    """What `recurrence` found.

    Attributes:
        transitions: The matrices, as they were read.
        generators: The matrices whose brackets were taken.
        generated_by: What the generators are, and why.
        algebra: The numerical Lie algebra, with its basis and all singular values.
        decisions: Every answer by name, with its standing (`STANDINGS`) and its gap. Its value is None
            where the numbers decide nothing.
        group: Name, order, solvability and derived length of the group that the letters generate; None if it is not finite,
            or too large.
        tolerance: Relative singular values up to this one count as zero.
    """

    transitions: Transitions
    generators: Float[np.ndarray, "letters size size"]
    generated_by: str
    algebra: GeneratedAlgebra
    decisions: Mapping[str, Decision]
    group: Mapping[str, Any] | None
    tolerance: float

    @property
    def algebra_dimension(self) -> int | None:
        """Dimension of the algebra."""
        return self.algebra.dimension.value

    @property
    def derived_dimensions(self) -> tuple[int | None, ...]:
        """Dimensions of g, [g, g], ..., down to 0 or to the first repetition."""
        return tuple(found.value for found in self.algebra.derived)

    @property
    def lower_central_dimensions(self) -> tuple[int | None, ...]:
        """Dimensions of g, [g, g], [g, [g, g]], ..., likewise."""
        return tuple(found.value for found in self.algebra.lower_central)

    @property
    def levi_dimension(self) -> int | None:
        """Dimension of the semisimple part."""
        return self.algebra.levi.value

    @property
    def is_solvable(self) -> bool | None:
        """Whether the derived series reaches 0."""
        return self.decisions["solvable"].value

    @property
    def is_nilpotent(self) -> bool | None:
        """Whether the lower central series reaches 0."""
        return self.decisions["nilpotent"].value

    @property
    def is_order_blind(self) -> bool | None:
        """Whether all letters commute, so that the layer sees how often each letter occurs and not in which order."""
        return self.decisions["order-blind"].value

    @property
    def derived_length(self) -> int | None:
        """Number of abelian layers that are exact; None if the algebra is not solvable, or not decided."""
        return len(self.derived_dimensions) - 1 if self.is_solvable else None

    @property
    def gaps(self) -> dict[str, float]:
        """Ratio of the singular values on both sides of each cut; infinite where nothing had to be cut."""
        return {name: found.gap for name, found in self.decisions.items()}

    def error_order(self, layers: int) -> int | float | None:
        """Return the order in eps of the error of k abelian layers on words of letters exp(eps A), infinity if they are exact.

        The order is m_k(n) for n letters without relations, and may be higher for these matrices. Beyond degree 24 that is not
        looked into, and m_k(n) is a lower bound (`order_decision`). None: not decided.
        """
        return self.order_decision(layers).value

    def order_decision(self, layers: int) -> Decision:
        """Return `error_order` with its standing and its reason."""
        at_least("layers", layers, 1, "a network without layers is the identity")
        if self.is_solvable is None:
            return self.decisions["solvable"]
        if self.derived_length is not None and self.derived_length <= layers:
            solvable = self.decisions["solvable"]
            why = f"exact: the derived length is {self.derived_length}"
            return Decision(math.inf, solvable.standing, why, solvable.kept, solvable.dropped)
        free = answers.free_order(len(self.generators), layers)
        if free > HIGHEST:
            return Decision(
                free, "at least", f"m_{layers}({len(self.generators)}) = {free}: letters without relations err by this order"
            )
        return first_degree(self.generators, layers, free, HIGHEST, self.algebra.tolerance)

    def leading_constant(self, word: Sequence[int], layers: int) -> float:
        """Return c such that k abelian layers err by c eps^m on this word, m = m_k(n), in the operator norm; 0 for less.

        Args:
            word: Numbers of letters, first letter first.
            layers: k.

        Raises:
            ValueError: A letter does not exist.

        Cost: exact brackets of degree m; seconds for m = 10.
        """
        wrong = [letter for letter in word if not 0 <= letter < len(self.generators)]
        if wrong:
            raise ValueError(f"letter {wrong[0]} does not exist: the letters are 0 .. {len(self.generators) - 1}")
        if len(self.generators) == 1:
            return 0.0
        return float(np.linalg.norm(answers.leading_term(word, layers, self.generators), 2))

    def as_dict(self, layers: Sequence[int] = (1, 2, 3)) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON, with the orders of the error of these numbers of layers."""
        return {
            "letters": list(self.transitions.names),
            "generated_by": self.generated_by,
            "tolerance": self.tolerance,
            "algebra_dimension": self.algebra_dimension,
            "derived_dimensions": list(self.derived_dimensions),
            "lower_central_dimensions": list(self.lower_central_dimensions),
            "levi_dimension": self.levi_dimension,
            "group": None if self.group is None else dict(self.group),
            "decisions": {name: found.as_dict() for name, found in self.decisions.items()},
            "error_orders": {str(count): self.order_decision(count).as_dict() for count in layers},
        }

    def rows(self, layers: Sequence[int] = (1, 2, 3)) -> list[tuple[str, str, str, str]]:
        """Return name, answer, standing and reason of every answer, for tables."""
        series = "".join(f" > {found.value}" for found in self.algebra.derived[1:])
        central = "".join(f" > {found.value}" for found in self.algebra.lower_central[1:])
        more = {f"error order of {count} layer{'s' * (count != 1)}": self.order_decision(count) for count in layers}
        rows = [
            (name, _word(found.value), found.standing, found.why) for name, found in (*self.decisions.items(), *more.items())
        ]
        shown = {"derived series": series, "lower central series": central}
        return [
            (name, f"{self.algebra_dimension}{shown[name]}" if name in shown else value, standing, why)
            for name, value, standing, why in rows
        ]

    def page(self, path: str | Path, layers: Sequence[int] = (1, 2, 3)) -> Path:
        """Write one HTML page with pictures and return its path; it holds no script and loads nothing.

        Raises:
            OSError: The file cannot be written.
        """
        from depthjax.report.probe import algebra_pictures, write  # matplotlib takes a second to import

        tables = [("", HEAD, self.rows(layers))]
        return write(Path(path), "A probed recurrence", self.summary, algebra_pictures(self.algebra), tables)

    @property
    def summary(self) -> str:
        """The dimensions, what they mean, and the group, in one line."""
        solvable = {True: f"solvable, derived length {self.derived_length}", False: "not solvable", None: "undecided"}[
            self.is_solvable
        ]
        series = " > ".join(map(str, self.derived_dimensions))
        group = "" if self.group is None else f"; group {self.group['name'] or 'without a name'} of order {self.group['order']}"
        count = len(self.generators)
        return f"{count} letter{'s' * (count != 1)}: algebra of dimension {series}, {solvable}{group}"

    def __repr__(self) -> str:
        return f"<RecurrenceReport of {self.summary}>"

    def _repr_html_(self) -> str:
        from depthjax.report.probe import titled  # as in `page`

        return str(titled("", HEAD, self.rows()))


def recurrence(
    transitions: Any, letters: Any = None, tolerance: float | None = None, *, states: Any = None, time: Time = "discrete"
) -> RecurrenceReport:
    """Return which Lie algebra and which finite group the transitions of a layer generate, and what follows for depth.

    Args:
        transitions: One matrix for each letter, (letters, n, n); or a pair of matrices and vectors (letters, n) of an affine
            layer h <- A h + b; or a function from a letter to a matrix or to such a pair; or, with `states`, a step
            (state, letter) -> next state. Real or complex.
        letters: Number of letters, or the letters themselves; None for all rows of an array.
        tolerance: Relative singular values up to this one count as zero; None takes 1000 roundings for each row of a matrix.
        states: Size of the state of a step that is affine, which is checked at random states; or an array (count, n) of states
            at which any step is linearised: answers are then sampled.
        time: "discrete" for h <- A h, "continuous" for dh/dt = A h; see `depthjax.probe.recurrences`.

    Raises:
        ValueError: Matrices are not square or not finite, a letter does not exist, a step is not affine, the tolerance is not
            between 0 and 1, or the algebra has more than 256 dimensions.
        TypeError: `transitions` is none of these.

    Cost: seconds for 12 rows, minutes for 16; a finite group is closed up to 2000 elements.

    >>> import numpy as np
    >>> swap, cycle = np.eye(3)[[1, 0, 2]], np.eye(3)[[1, 2, 0]]
    >>> recurrence(np.stack([swap, cycle]))
    <RecurrenceReport of 2 letters: algebra of dimension 5 > 3 > 3, not solvable; group S3 of order 6>
    """
    read = read_transitions(transitions, letters, states, time)
    if tolerance is not None and not 0 < tolerance < 1:
        raise ValueError(f"tolerance {tolerance}: expected a number between 0 and 1, relative to the largest singular value")
    size = read.matrices.shape[-1]
    limit = usual_tolerance(size, read.epsilon) if tolerance is None else tolerance
    generators, generated_by, noise = _generators(read, time, limit)
    algebra = generated_algebra(generators, noise)
    group, order = _group(read, limit) if time == "discrete" and not read.sampled else (None, None)
    decisions = _decisions(algebra) | ({} if order is None else {"order of the group": order})
    if read.sampled:
        decisions = {name: dataclasses.replace(found, standing="sampled") for name, found in decisions.items()}
    return RecurrenceReport(read, generators, generated_by, algebra, decisions, group, limit)


def _generators(read: Transitions, time: Time, limit: float) -> tuple[np.ndarray, str, float]:
    """The generators, what they are, and the tolerance relative to the largest of them."""
    if time == "continuous":
        return read.matrices, "the matrices A of dh/dt = A h", limit
    logarithms, why = principal_logarithms(read.matrices, limit)
    if logarithms is None:
        return read.matrices, f"the matrices themselves: {why}", limit
    # the logarithm of a matrix near the identity keeps the rounding of the identity
    scale = np.linalg.norm(logarithms, axis=(1, 2)).max()
    noise = limit * np.linalg.norm(read.matrices, axis=(1, 2)).max()
    if scale <= noise:
        return np.zeros_like(logarithms), "principal logarithms, all zero: every letter is the identity", limit
    return logarithms, f"principal logarithms: {why}", min(noise / scale, 0.1) if scale < noise / limit else limit


def _decisions(algebra: GeneratedAlgebra) -> dict[str, Decision]:
    found: dict[str, Decision] = {
        "dimension": algebra.dimension,
        "derived series": _hardest(algebra.derived),
        "lower central series": _hardest(algebra.lower_central),
        "semisimple part": algebra.levi,
    }
    second = algebra.derived[:2][-1]
    for question, name, series in (
        ("solvable", "derived series", algebra.derived),
        ("nilpotent", "lower central series", algebra.lower_central),
    ):
        found[question] = _whether(found[name], series[-1].value == 0, f"the {name} reaches 0", f"the {name} stops above 0")
    found["order-blind"] = _whether(second, second.value in (0,), "all letters commute", "some letters do not commute")
    return found


def _hardest(series: Sequence[Decision]) -> Decision:
    """The member of a series with the smallest gap, which decides how sure the series is."""
    undecided = [member for member in series if member.value is None]
    return undecided[0] if undecided else min(series, key=lambda member: member.gap)


def _whether(found: Decision, holds: bool, yes: str, no: str) -> Decision:
    if found.value is None:
        return found
    return dataclasses.replace(found, value=holds, why=yes if holds else no)


def _group(read: Transitions, limit: float) -> tuple[dict[str, Any] | None, Decision]:
    found = generated_group(read.matrices, limit)
    if found.generators is None:
        return None, found.order
    return {"order": found.order.value} | answers.group_facts(found.generators), found.order


def _word(value: Any) -> str:
    if value is None:
        return "undecided"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "exact" if value == math.inf else str(value)
