"""What a recurrence can do: the Lie algebra and the group that its transitions generate, and the order in which layers err.

Which algebra? Letters of a flow dh/dt = A_x h generate exp(eps A_x), so with `time="continuous"` the generators are the A_x.
Letters of a recurrence h <- T_x h are group elements, so with `time="discrete"` the generators are the principal logarithms
log T_x where all letters have one. Otherwise (a letter that forgets or reflects) they are the T_x themselves. Dimensions depend
on this choice. Two answers do not, because log T is a polynomial in T and T is one in log T: whether letters commute, and
whether the algebra is solvable, which says (Lie's theorem) that some complex basis makes all letters triangular.

A solvable algebra makes the group of all words solvable. The converse fails: finite groups have no Lie algebra to speak of, and
the logarithms of the letters of a finite solvable group may generate so(3). So a finite group decides first: as many abelian
layers as its derived length follow every word exactly, and fewer do not. Where the group is not finite, or too large, the
algebra says how many layers are exact. The order in eps of the error of fewer speaks of flows exp(eps A), so it is given only
where letters are exponentials.
"""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from depthjax.checks import at_least
from depthjax.probe import answers
from depthjax.probe.decision import HEAD, Decision
from depthjax.probe.generated import Generated, generated, hardest
from depthjax.probe.generated_algebra import GeneratedAlgebra, usual_tolerance
from depthjax.probe.generated_group import generated_group
from depthjax.probe.graded import first_degree
from depthjax.probe.letter_class import letter_class
from depthjax.probe.pattern import shared_pattern
from depthjax.probe.solvable_group import solvable_group
from depthjax.probe.transitions import Time, Transitions, read_transitions

NEVER = "never"  # as the number of abelian layers that are exact
NOT_FOLLOWED = "not solvable: no number of abelian layers follows it"
HIGHEST = 24  # degrees up to which the order of the error is decided on the given matrices


@dataclasses.dataclass(frozen=True, repr=False)
class RecurrenceReport:
    """What `recurrence` found.

    Attributes:
        transitions: The matrices, as they were read.
        generators: The matrices whose brackets were taken.
        generated_by: What the generators are, and why.
        is_flow: Whether letters are exponentials of the generators, so that the error has an order in eps.
        algebra: The Lie algebra of the generators, with what decided its dimensions.
        decisions: Every answer by name, with its standing (`STANDINGS`) and its gap. Its value is None
            where the numbers decide nothing. Where a finite group was found, it comes first and "solvable" speaks of it.
        group: Name, order, solvability and derived length of the group that the letters generate; None if it is not finite,
            or too large.
        table: The group's element after each letter, `table[element, letter]`; element 0 is the identity. None likewise.
        tolerance: Relative error of the transitions that counts as rounding.
    """

    transitions: Transitions
    generators: Float[np.ndarray, "letters size size"]
    generated_by: str
    is_flow: bool
    algebra: GeneratedAlgebra
    decisions: Mapping[str, Decision]
    group: Mapping[str, Any] | None
    table: Int[np.ndarray, "order letters"] | None
    tolerance: float
    _found: Generated

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
        """Dimension of the semisimple part of the algebra."""
        return self.algebra.levi.value

    @property
    def is_solvable(self) -> bool | None:
        """Whether some number of abelian layers follows every word: the group of all words is solvable.

        A solvable algebra makes it so. Where the algebra is not, `depthjax.probe.solvable_group` decides, or nothing does.
        """
        return self.decisions["solvable"].value

    @property
    def is_nilpotent(self) -> bool | None:
        """Whether the algebra is nilpotent: its lower central series reaches 0."""
        return self._found.nilpotent.value

    @property
    def is_order_blind(self) -> bool | None:
        """Whether all letters commute, so that the layer sees how often each letter occurs and not in which order."""
        return self.decisions["order-blind"].value

    @property
    def derived_length(self) -> int | None:
        """Number of abelian layers that are exact: the derived length of the finite group, or else of the algebra.

        None if there is no such number, or it is not decided.
        """
        value = self.decisions["abelian layers"].value
        return None if value == NEVER else value

    @property
    def cls(self) -> answers.ClassText | None:
        """The smallest class with a name that the letters belong to, with what it can and cannot do at any width.

        Other letters of the layer may leave it. None for the generators of a flow.
        """
        found = self.decisions.get("class")
        return None if found is None else answers.class_text(found.value)

    @property
    def gaps(self) -> dict[str, float]:
        """Ratio of the numbers on both sides of each cut; infinite where nothing had to be cut."""
        return {name: found.gap for name, found in self.decisions.items()}

    def layers(self, cls: str, length: int = 100) -> answers.ClassDepth:
        """Return how many layers of a class follow the finite group (`.layers`), at least how many (`.fewest`), or `.never`.

        Args:
            cls: One of `theory.automata.classes.CLASSES`, which says what they are.
            length: Number of letters of the longest words; only attention depends on it.

        Raises:
            ValueError: No finite group was found, there is no such class, or its depth is not known.
        """
        if self.table is None:
            raise ValueError(
                f"no finite group was found ({self.decisions['order of the group'].why}): layers of a class are known for "
                "automata, which have finitely many states; `derived_length` counts abelian layers"
                if "order of the group" in self.decisions
                else "a flow, or a step at some states, has no finite group: `derived_length` counts abelian layers"
            )
        return answers.class_depth(self.table, cls, length)

    def error_order(self, layers: int) -> int | float | None:
        """Return the order in eps of the error of k abelian layers on words of letters exp(eps A), infinity if they are exact.

        The order is m_k(n) for n letters without relations, and may be higher for these matrices. Beyond degree 24 that is not
        looked into, and m_k(n) is a lower bound (`order_decision`). None: not decided, or letters that are no exponentials.
        """
        return self.order_decision(layers).value

    def order_decision(self, layers: int) -> Decision:
        """Return `error_order` with its standing and its reason."""
        at_least("layers", layers, 1, "a network without layers is the identity")
        found = self._found
        if not self.is_flow:
            return Decision(None, "certain", f"the letters are no exponentials ({self.generated_by}), so there is no eps")
        if found.at_most is not None and (found.at_most if found.length.value is None else found.length.value) <= layers:
            decided = found.solvable if found.at_most <= layers else found.length
            return dataclasses.replace(decided, value=math.inf, why=f"exact: {decided.why}")
        free = answers.free_order(len(self.generators), layers)
        if free > HIGHEST:
            return Decision(
                free, "at least", f"m_{layers}({len(self.generators)}) = {free}: letters without relations err by this order"
            )
        if found.order_blind.value is None and layers == 1:
            return found.order_blind
        return first_degree(self.generators, layers, free, HIGHEST, self.algebra.tolerance, found.noise)

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
            "is": self.summary,
            "letters": list(self.transitions.names),
            "generated_by": self.generated_by,
            "tolerance": self.tolerance,
            "is_solvable": self.is_solvable,
            "derived_length": self.derived_length,
            "class": None if self.cls is None else self.cls._asdict(),
            "group": None if self.group is None else dict(self.group),
            "algebra_dimension": self.algebra_dimension,
            "derived_dimensions": list(self.derived_dimensions),
            "lower_central_dimensions": list(self.lower_central_dimensions),
            "levi_dimension": self.levi_dimension,
            "decisions": {name: found.as_dict() for name, found in self.decisions.items()},
            "error_orders": {str(count): self.order_decision(count).as_dict() for count in layers if self.is_flow},
        }

    def rows(self, layers: Sequence[int] = (1, 2, 3)) -> list[tuple[str, str, str, str]]:
        """Return name, answer, standing and reason of every answer, for tables."""
        series = {"derived series": self.algebra.derived, "lower central series": self.algebra.lower_central}
        orders = {
            f"error order of {count} layer{'s' * (count != 1)}": self.order_decision(count) for count in layers if self.is_flow
        }
        shown = [
            (name, _series(series[name]) if name in series else _word(found.value), found.standing, found.reason)
            for name, found in (*self.decisions.items(), *orders.items())
        ]
        if (cls := self.cls) is not None:
            why = f"of layers whose letters are all of this class: {cls.source}"
            shown += [("can, at any width", cls.can, "certain", why), ("cannot, at any width", cls.cannot, "certain", why)]
        return shown

    def page(self, path: str | Path, layers: Sequence[int] = (1, 2, 3)) -> Path:
        """Write one HTML page with pictures and return its path; it holds no script and loads nothing.

        Raises:
            OSError: The file cannot be written.
        """
        from depthjax.probe.pages import algebra_pictures, write  # matplotlib takes a second to import

        tables = [("", HEAD, self.rows(layers))]
        return write(Path(path), "A probed recurrence", self.summary, algebra_pictures(self.algebra), tables)

    @property
    def summary(self) -> str:
        """What follows the letters, the group if it is finite, and the algebra, in one line."""
        count, length = len(self.generators), self.derived_length
        algebra = f"algebra of dimension {_series(self.algebra.derived)}"
        many = f"{count} letter{'s' * (count != 1)}"
        if self.group is not None:
            name = f"group {self.group['name'] or 'without a name'} of order {self.group['order']}"
            return f"{many}: {name}, {_followed(length) if self.is_solvable else NOT_FOLLOWED}; {algebra}"
        if self.is_solvable is None:
            return f"{many}: {algebra}, undecided whether it is solvable"
        if not self.is_solvable:
            return f"{many}: {algebra}, not solvable"
        if not self._found.solvable.value:
            return f"{many}: {algebra}, but the group of all words is solvable"
        bound = f"of derived length at most {self._found.at_most}" if length is None else f"derived length {length}"
        return f"{many}: {algebra}, solvable, {bound}"

    def __repr__(self) -> str:
        return f"<RecurrenceReport of {self.summary}>"

    def _repr_html_(self) -> str:
        from depthjax.probe.pages import titled  # as in `page`

        return str(titled("", HEAD, self.rows()))


def recurrence(
    transitions: Any, letters: Any = None, tolerance: float | None = None, *, states: Any = None, time: Time = "discrete"
) -> RecurrenceReport:
    """Return which Lie algebra and which finite group the transitions of a layer generate, their class, and what follows.

    Args:
        transitions: One matrix for each letter, (letters, n, n); or a pair of matrices and vectors (letters, n) of an affine
            layer h <- A h + b; or a function from a letter to a matrix or to such a pair; or, with `states`, a step
            (state, letter) -> next state. Real or complex.
        letters: Number of letters, or the letters themselves; None for all rows of an array.
        tolerance: Relative errors of the matrices up to this size count as rounding, and what they explain decides nothing;
            None takes the rounding of a product of matrices in the type that was given (`usual_tolerance`).
        states: Size of the state of a step that is affine, which is checked at random states; or an array (count, n) of states
            at which any step is linearised: answers are then sampled.
        time: "discrete" for h <- A h, "continuous" for dh/dt = A h; see `depthjax.probe.recurrences`.

    Raises:
        ValueError: Matrices are not square or not finite, a letter does not exist, a step is not affine, the tolerance is not
            between 0 and 1, or the algebra has more than 256 dimensions and no diagonal form.
        TypeError: `transitions` has another type.

    Cost: seconds for 12 rows, minutes for 16; a finite group is closed up to 2000 elements.

    >>> import numpy as np
    >>> swap, cycle = np.eye(3)[[1, 0, 2]], np.eye(3)[[1, 2, 0]]
    >>> recurrence(np.stack([swap, cycle]))
    <RecurrenceReport of 2 letters: group S3 of order 6, followed by 2 abelian layers, not by 1; algebra of dimension 5 > 3 > 3>
    """
    return report_of(read_transitions(transitions, letters, states, time), time, tolerance)


def report_of(read: Transitions, time: Time, tolerance: float | None, *, closed: bool = True) -> RecurrenceReport:
    """Return what transitions that were read can do; see `recurrence`, and `depthjax.probe.generated.generated` for `closed`.

    Raises:
        ValueError: The tolerance is not between 0 and 1, or the algebra has too many dimensions.
    """
    if tolerance is not None and not 0 < tolerance < 1:
        raise ValueError(f"tolerance {tolerance}: expected a number between 0 and 1, relative to the largest singular value")
    found = generated(read, time, tolerance, closed=closed)
    limit = usual_tolerance(read.matrices.shape[-1], read.epsilon) if tolerance is None else tolerance
    group, table, order = None, None, None
    if time == "discrete" and not read.sampled:
        finite = generated_group(read.matrices, limit)
        order = finite.order
        if finite.generators is not None:
            group, table = {"order": order.value} | answers.group_facts(finite.generators), finite.generators.T
    words = found.solvable
    if not found.solvable.value and time == "discrete" and not read.sampled and group is None:
        of_words = solvable_group(read.matrices, shared_pattern(read.matrices), limit)
        words = of_words if (found.solvable.value, of_words.value) != (None, None) else found.solvable
    decisions = _decisions(found, words, group, order)
    if time == "discrete":
        decisions = decisions | {"class": letter_class(read, limit)}
    if read.sampled:
        decisions = {name: dataclasses.replace(one, standing="sampled") for name, one in decisions.items()}
    return RecurrenceReport(
        read, found.generators, found.generated_by, found.is_flow, found.algebra, decisions, group, table, limit, found
    )


def _followed(length: int | None) -> str:
    if not length:
        return "every letter is the identity"
    fewer = f", not by {length - 1}" if length > 1 else ""
    return f"followed by {length} abelian layer{'s' * (length != 1)}{fewer}"


def _decisions(
    found: Generated, words: Decision, group: Mapping[str, Any] | None, order: Decision | None
) -> dict[str, Decision]:
    """Every answer by name, the headline first; `words` says whether the group of all words is solvable."""
    algebra = {
        "dimension": found.algebra.dimension,
        "derived series": hardest(found.algebra.derived),
        "lower central series": hardest(found.algebra.lower_central),
        "semisimple part": found.algebra.levi,
    }
    if group is None or order is None:
        layers = found.length
        if not found.solvable.value:
            layers = dataclasses.replace(words, value=NEVER if words.value is False else None)
        head = {"solvable": words, "abelian layers": layers}
        rest = {} if words.value is found.solvable.value else {"solvable algebra": found.solvable}
        rest |= {"nilpotent algebra" if rest else "nilpotent": found.nilpotent, "order-blind": found.order_blind}
        return head | algebra | rest | ({} if order is None else {"order of the group": order})
    name, length = group["name"] or "the group", group["derived_length"]
    why = f"{name} has the derived series of orders {' > '.join(map(str, group['derived_orders']))}"
    layers = f"{why}: {_followed(length) if group['is_solvable'] else NOT_FOLLOWED}"
    return {
        "abelian layers": dataclasses.replace(order, value=length if group["is_solvable"] else NEVER, why=layers),
        "solvable": dataclasses.replace(order, value=group["is_solvable"], why=why),
        "order of the group": order,
        "order-blind": dataclasses.replace(order, value=length <= 1, why=why) if length is not None else found.order_blind,
        "solvable algebra": found.solvable,
        "nilpotent algebra": found.nilpotent,
    } | algebra


def _series(members: Sequence[Decision]) -> str:
    return " > ".join("?" if member.value is None else str(member.value) for member in members)


def _word(value: Any) -> str:
    if value is None:
        return "undecided"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "exact" if value == math.inf else str(value)
