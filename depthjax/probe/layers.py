"""What a block of a published kind can do, from its parameters and the vectors of its letters.

The parameters are read by name, from a module or a file, and give every letter a transition (`depthjax.probe.published`).
They are taken as exact numbers, whatever their type, and transitions are computed in float64. The kind says the class of the
layer, which decides what no stack of such layers does, at any width (`theory.automata.limits`). The numbers say the rest:
which Lie algebra the letters generate, whether they commute, and where their eigenvalues lie.

A block that looks back, by a convolution or a shift, has another transition for every window of letters. A letter stands for
a run of itself here, unless all windows are asked for.

A matrix state S <- A S + K is the matrix [[A, K], [0, 1]]. The heads of a block do not touch each other. So the block is
solvable if every head is, and its derived length is the largest of theirs; the diagonal coordinates of all channels are taken
together.
"""

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Inexact

from depthjax.checks import nearest
from depthjax.dtypes import is_complex, number
from depthjax.probe import answers
from depthjax.probe.decision import HEAD, Decision
from depthjax.probe.generated import Generated, generated_by_logarithms, hardest
from depthjax.probe.generated_algebra import usual_tolerance
from depthjax.probe.generated_group import generated_group
from depthjax.probe.published.kind import Diagonal, LayerHead, NonlinearStep
from depthjax.probe.published.kinds import Block, block_of
from depthjax.probe.published.parameters import exact, parameters
from depthjax.probe.recurrences import RecurrenceReport, recurrence, report_of
from depthjax.probe.transitions import Transitions, read_transitions

CLOSED = 12  # rows of a head up to which its brackets are closed
WINDOWS = 256  # windows of letters that are looked at
EPS = float(np.finfo(float).eps)
STATES = 3  # states at which a step that is not affine is linearised, unless they are given
Transition = Diagonal | LayerHead | NonlinearStep


@dataclasses.dataclass(frozen=True, repr=False)
class PublishedReport:
    """What `layer` found.

    Attributes:
        kind: Name of the kind.
        what: The layer and its update.
        cls: The class of its transitions, with what it can and cannot do at any width, and the theorem.
        names: The name of each parameter in the module or the file.
        root: The path of the block there.
        dtypes: Types in which the parameters were given.
        switches: What parameters do not say, as it was told, or as the public implementation has it.
        letters: The letters, or the windows of letters.
        transitions: The diagonal coordinates together, or one head after the other.
        heads: What each head can do; empty for diagonal layers.
        decisions: Every answer by name, with its standing and its gap; its value is None where the numbers decide nothing.
    """

    kind: str
    what: str
    cls: answers.ClassText
    names: Mapping[str, str]
    root: str
    dtypes: tuple[str, ...]
    switches: Mapping[str, Any]
    letters: tuple[str, ...]
    transitions: tuple[Transition, ...]
    heads: tuple[RecurrenceReport, ...]
    decisions: Mapping[str, Decision]
    _algebra: Generated | None

    @property
    def is_solvable(self) -> bool | None:
        """Whether some number of abelian layers follows every word of these letters."""
        return self.decisions["solvable"].value

    @property
    def derived_length(self) -> int | None:
        """Number of abelian layers that are exact; None if there is no such number, or it is not decided."""
        value = self.decisions["abelian layers"].value
        return value if isinstance(value, int) else None

    @property
    def is_order_blind(self) -> bool | None:
        """Whether all letters commute."""
        return self.decisions["order-blind"].value

    @property
    def derived_dimensions(self) -> tuple[int | None, ...]:
        """Dimensions of g, [g, g], ... of a diagonal layer, or of the first head."""
        return tuple(one.value for one in self._first.derived)

    @property
    def algebra_dimension(self) -> int | None:
        """Dimension of the algebra of a diagonal layer, or of the first head."""
        return self._first.dimension.value

    @property
    def eigenvalues(self) -> tuple[Inexact[np.ndarray, "letters n"], ...]:
        """Eigenvalues of what each letter multiplies the state by, for each part of `transitions` that is affine."""
        return tuple(
            part.weights if isinstance(part, Diagonal) else np.linalg.eigvals(part.matrices)
            for part in self.transitions
            if not isinstance(part, NonlinearStep)
        )

    @property
    def _first(self) -> Any:
        return self.heads[0].algebra if self._algebra is None else self._algebra.algebra

    def layers(self, task: Any) -> Any:
        """Return how many layers of this class follow a task, at any width (`.number`, `.depth`), or that no number does.

        Args:
            task: A group or an automaton, or its name such as "S3", "parity" or "regex:(ab)*".

        Raises:
            ValueError: There is no such task, or the depth of this class is not known.
        """
        return answers.class_layers(self.cls.name, task)

    def recurrence(self, head: int = 0) -> RecurrenceReport:
        """Return what `probe.recurrence` says of one part of `transitions`, with every matrix written out.

        Raises:
            ValueError: There is no such part.
        """
        if not 0 <= head < len(self.transitions):
            raise ValueError(f"head {head} does not exist: there are {len(self.transitions)}, from 0 on")
        if self.heads:
            return self.heads[head]
        part = self.transitions[head]
        assert isinstance(part, Diagonal)
        return recurrence((np.stack([np.diag(row) for row in part.weights]), part.drives))

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON."""
        return {
            "is": self.summary,
            "kind": self.kind,
            "class": self.cls._asdict(),
            "root": self.root,
            "names": dict(self.names),
            "dtypes": list(self.dtypes),
            "switches": dict(self.switches),
            "letters": list(self.letters),
            "is_solvable": self.is_solvable,
            "derived_length": self.derived_length,
            "is_order_blind": self.is_order_blind,
            "derived_dimensions": list(self.derived_dimensions),
            "decisions": {name: found.as_dict() for name, found in self.decisions.items()},
        }

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Return name, answer, standing and reason of every answer, for tables."""
        known = [
            ("can, at any width", self.cls.can, "certain", self.cls.source),
            ("cannot, at any width", self.cls.cannot, "certain", f"{self.cls.source}; states are finitely many"),
        ]
        said = [(name, _said(found.value), found.standing, found.reason) for name, found in self.decisions.items()]
        told = ", ".join(f"{name}={value}" for name, value in self.switches.items() if value is not None)
        given = [("taken as given", told, "certain", "as told, or as the public implementation has it")] if told else []
        return [said[0], *known, *given, *said[1:]]

    def page(self, path: str | Path) -> Path:
        """Write one HTML page with pictures and return its path; it holds no script and loads nothing.

        Raises:
            OSError: The file cannot be written.
        """
        from depthjax.probe.pages import algebra_pictures, spectrum_picture, write  # matplotlib takes a second to import

        own = self.eigenvalues
        values = [np.concatenate([part[letter] for part in own]) for letter in range(len(self.letters) if own else 0)]
        pictures = [spectrum_picture(self.letters, values)] if own else []
        pictures += algebra_pictures(self._first) if self._first.found.size else []
        return write(Path(path), f"A block of {self.kind}", self.summary, pictures, [("", HEAD, self.rows())])

    @property
    def summary(self) -> str:
        """The kind, its class, and what the letters generate, in one line."""
        count = len(self.letters)
        dimensions = " > ".join(_said(value) if value is not None else "?" for value in self.derived_dimensions)
        parts = f"{len(self.heads)} heads, the first with an algebra" if len(self.heads) > 1 else "algebra"
        solvable = {None: "undecided whether it is solvable", True: "solvable", False: "not solvable"}[self.is_solvable]
        length = "" if self.derived_length is None else f", derived length {self.derived_length}"
        return (
            f"{self.kind}, of class {self.cls.name}, on {count} letter{'s' * (count != 1)}: {parts} of dimension {dimensions}, "
            f"{solvable}{length}; cannot at any width: {self.cls.cannot}"
        )

    def __repr__(self) -> str:
        return f"<PublishedReport of {self.summary}>"

    def _repr_html_(self) -> str:
        from depthjax.probe.pages import titled  # as in `page`

        return str(titled("", HEAD, self.rows()))


def layer(
    source: Any,
    kind: str | None = None,
    *,
    letters: Any = None,
    path: str = "",
    windows: bool = False,
    tolerance: float | None = None,
    states: Any = None,
    **switches: Any,
) -> PublishedReport:
    """Return what a block of a published kind can do: its class, the theorem about it, and what its letters generate.

    Args:
        source: A module of PyTorch, equinox or flax (nnx, or linen with variables bound), a mapping from names to arrays, or
            the path of an ``.npz`` or ``.safetensors`` file.
        kind: A name of `depthjax.probe.published.kinds.KINDS`: mamba, mamba2, s4d, s5, lru, gla, delta_net, delta_product,
            rwkv7, pd_ssm or m2rnn. None takes the one kind whose names are there.
        letters: What the block reads for each letter, (letters, width): rows of an embedding, after the norm before the block.
        path: The path of the block in a model, such as "backbone.layers.0.mixer".
        windows: Whether every window of letters has a transition of its own, in a block that looks back. Else a letter stands
            for a run of itself.
        tolerance: Relative error of the transitions, as of a layer that computes in bfloat16; None takes the parameters as
            exact numbers.
        states: States (count, n) at which a step that is not affine is linearised, each head alike; None takes 0 and two
            others.
        **switches: What parameters do not say: num_heads, allow_neg_eigval, gate_logit_normalizer, discretization, and others.
            A module says it by attributes, too.

    Raises:
        ValueError: There is no such kind or block, the block has names that its kind does not know or lacks some, parameters do
            not fit each other, letters are missing or of another width, or something holds NaN.
        TypeError: `source` has another type, or a switch is unknown.
        OSError: The file cannot be read.

    Cost: coordinates^2 * letters for diagonal layers; for each head up to 12 rows of the letters' keys and values seconds, and
    beyond that no dimension is computed.

    >>> import numpy as np
    >>> draw = np.random.default_rng(0)
    >>> block = {"nu_log": np.log([0.1, 0.2]), "theta_log": np.zeros(2), "gamma_log": np.zeros(2)}
    >>> block |= {"B_re": draw.normal(size=(2, 3)), "B_im": draw.normal(size=(2, 3))}
    >>> report = layer(block, letters=np.eye(3)[:2])
    >>> report.cls.name, report.derived_dimensions, report.layers("parity").number
    ('time_invariant', (5, 4, 0), None)
    """
    if tolerance is not None and not 0 < tolerance < 1:
        raise ValueError(f"tolerance {tolerance}: expected a number between 0 and 1, relative to the transitions")
    block = block_of(parameters(source), kind, path)
    known = _switches(block, source, switches)
    try:
        inputs, names = _inputs(block, letters, windows)
        with np.errstate(all="ignore"):
            transitions = tuple(block.kind.blocks(block.found, inputs, known))
    except (IndexError, KeyError, ValueError, TypeError) as error:
        if isinstance(error, ValueError) and type(error) is ValueError and not _of_numpy(error):
            raise
        shapes = ", ".join(f"{role} {array.shape}" for role, array in block.found.items())
        raise ValueError(
            f"the parameters of this block of {block.kind.name} do not fit each other ({error}): {shapes}"
        ) from error
    if not all(np.isfinite(array).all() for part in transitions for array in vars(part).values() if np.ndim(array)):
        raise ValueError("the transitions hold NaN or infinity: the parameters are so large that exponentials overflow")
    limits = answers.class_text(block.kind.cls(block.found, known))
    if isinstance(transitions[0], Diagonal):
        heads, algebra = (), _diagonal(transitions[0], inputs, block, tolerance)
        decisions = _of_algebra(algebra)
    else:
        heads, algebra = tuple(_head(part, len(names), tolerance, states) for part in transitions), None
        decisions = _of_heads(heads, transitions)
    first = {"class": Decision(limits.name, "certain", block.kind.why)}
    decisions = first | decisions | _spectrum(transitions)
    return PublishedReport(
        block.kind.name,
        block.kind.what,
        limits,
        block.names,
        block.root,
        block.dtypes,
        known,
        names,
        transitions,
        heads,
        decisions,
        algebra,
    )


def _switches(block: Block, source: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    known = dict(block.kind.switches)
    if unknown := [name for name in given if name not in known]:
        has = ", ".join(known) or "none"
        raise TypeError(f"a block of {block.kind.name} has no switch {unknown[0]!r}{nearest(unknown[0], known)}; it has {has}")
    owner = source
    for part in block.root.split(".") if block.root else ():
        indexed = part.isdigit() and hasattr(owner, "__getitem__")
        owner = owner[int(part)] if indexed else getattr(owner, part, None)  # type: ignore[index]
    said = {name: getattr(owner, name, None) for name in known} if not isinstance(owner, (Mapping, str, Path)) else {}
    told = {name: value for name, value in said.items() if _is_switch(value)}
    return known | told | dict(given)


def _is_switch(value: Any) -> bool:
    """Whether an attribute of a module is a value of a switch: a number, a truth value, a text, or a tuple of these."""
    return all(map(_is_switch, value)) if isinstance(value, tuple) else isinstance(value, (bool, int, float, str))


def _inputs(block: Block, letters: Any, windows: bool) -> tuple[np.ndarray, tuple[str, ...]]:
    """The vectors that a transition looks at, (letters, reach, width), and their names."""
    width, reach = block.kind.width(block.found), block.kind.reach(block.found)
    if letters is None:
        raise ValueError(
            f"letters= is missing: give what the block reads for each letter, an array (letters, {width}), such as rows of the "
            "embedding after the norm before the block"
        )
    given = np.asarray(letters)
    if number(given.dtype) is None or is_complex(given.dtype):
        raise ValueError(f"letters of type {given.dtype}: expected real numbers, (letters, {width})")
    given = exact("letters", given)
    if given.ndim != 2 or given.shape[1] != width or not len(given):
        raise ValueError(f"letters of shape {given.shape}: the block reads vectors of {width} numbers, so (letters, {width})")
    if not windows or reach == 1:
        return np.repeat(given[:, None], reach, axis=1), tuple(map(str, range(len(given))))
    if len(given) ** reach > WINDOWS:
        raise ValueError(f"{len(given)} letters have {len(given)}^{reach} windows, more than {WINDOWS}: give fewer letters")
    every = list(itertools.product(range(len(given)), repeat=reach))
    return given[np.array(every)], tuple(" ".join(map(str, window)) for window in every)


def _of_numpy(error: ValueError) -> bool:
    """Whether numpy complains of shapes."""
    return any(word in str(error) for word in ("matmul", "broadcast", "reshape", "operands", "operand", "shapes", "concatenat"))


def _diagonal(part: Diagonal, inputs: np.ndarray, block: Block, tolerance: float | None) -> Generated:
    if tolerance is not None:
        return generated_by_logarithms(part.logs, part.drives, tolerance, of_weights=True)
    terms = max([inputs.shape[-1], *(size for array in block.found.values() for size in array.shape[1:])])
    return generated_by_logarithms(part.logs, part.drives, part.blur * usual_tolerance(terms, EPS))


def _head(part: Any, letters: int, tolerance: float | None, states: Any) -> RecurrenceReport:
    if isinstance(part, NonlinearStep):
        read = _linearised(part, _states(part, states))
    else:
        rows, columns = part.drives.shape[1:]
        whole = np.zeros((letters, rows + columns, rows + columns), np.result_type(part.matrices, part.drives))
        whole[:, :rows, :rows], whole[:, :rows, rows:] = part.matrices, part.drives
        whole[:, range(rows, rows + columns), range(rows, rows + columns)] = 1
        read = read_transitions(whole, None, None, "discrete")
    return report_of(read, "discrete", tolerance, closed=read.matrices.shape[-1] <= CLOSED)


def _linearised(part: NonlinearStep, points: np.ndarray) -> Transitions:
    """The letters h -> f(s) + J (h - s) at some states s."""
    size, matrices, names = part.size, [], []
    for number_, point in enumerate(points):
        values, slopes = part.linearised(point)
        whole = np.zeros((len(values), size + 1, size + 1))
        whole[:, :size, :size], whole[:, :size, size], whole[:, size, size] = slopes, values - slopes @ point, 1
        matrices.append(whole)
        names += [f"{letter} at state {number_}" for letter in range(len(values))]
    return Transitions(np.concatenate(matrices), tuple(names), True, True, EPS)


def _states(part: NonlinearStep, states: Any) -> np.ndarray:
    if states is None:
        points = np.random.default_rng(0).normal(size=(STATES, part.size))
        points[0] = 0
        return points
    points = exact("states", np.asarray(states))
    if points.ndim != 2 or points.shape[1] != part.size:
        raise ValueError(f"states of shape {points.shape}: a head has {part.size} numbers of state, so (count, {part.size})")
    return points


def _of_algebra(found: Generated) -> dict[str, Decision]:
    return {
        "solvable": found.solvable,
        "abelian layers": found.length,
        "order-blind": found.order_blind,
        "dimension": found.algebra.dimension,
        "derived series": dataclasses.replace(
            hardest(found.algebra.derived), value=_series([one.value for one in found.algebra.derived])
        ),
        "nilpotent": found.nilpotent,
    }


def _of_heads(heads: Sequence[RecurrenceReport], parts: Sequence[Transition]) -> dict[str, Decision]:
    """The answers of all heads together, and those of each head."""
    solvable = _all([head.decisions["solvable"] for head in heads])
    lengths = [head.decisions["abelian layers"] for head in heads]
    unsure = [one for one in lengths if one.value is None]
    length = unsure[0] if unsure else max(lengths, key=lambda one: one.value if isinstance(one.value, int) else 10**9)
    found = {
        "solvable": solvable,
        "abelian layers": length,
        "order-blind": _all([head.decisions["order-blind"] for head in heads]),
    }
    for number_, head in enumerate(heads):
        of = f" of head {number_}" if len(heads) > 1 else ""
        found[f"dimension{of}"] = head.decisions["dimension"]
        series = dataclasses.replace(hardest(head.algebra.derived), value=_series(head.derived_dimensions))
        found[f"derived series{of}"] = series
        part = parts[number_]
        if isinstance(part, LayerHead) and not np.iscomplexobj(part.matrices):
            limit = usual_tolerance(part.matrices.shape[-1], EPS) if head.tolerance is None else head.tolerance
            found[f"group without drives{of}"] = generated_group(part.matrices, limit).order
    return found


def _all(found: Sequence[Decision]) -> Decision:
    """Whether something holds of every head: one that does not decides, and one that is open leaves it open."""
    for wanted in (False, None):
        if of := [one for one in found if one.value is wanted]:
            return of[0]
    return min(found, key=lambda one: one.gap)


def _spectrum(parts: Sequence[Transition]) -> dict[str, Decision]:
    """Where the eigenvalues of the letters lie, as they were computed."""
    values = np.concatenate(
        [
            (part.weights if isinstance(part, Diagonal) else np.linalg.eigvals(part.matrices)).ravel()
            for part in parts
            if not isinstance(part, NonlinearStep)
        ]
        or [np.zeros(0)]
    )
    if not values.size:
        return {}
    sizes, noise = np.abs(values), EPS * 64
    turned = bool((np.abs(values.imag) > 1e6 * noise * np.maximum(sizes, 1e-300)).any())
    shown = f"|eigenvalues| from {sizes.min():.3g} to {sizes.max():.6g}"
    least = f"the smallest real part is {values.real.min():.3g}"
    where = "complex" if turned else "negative" if values.real.min() < -noise else "from 0 on"
    return {"eigenvalues": Decision(where, "numerical", f"{shown}; {least}")}


def _series(values: Sequence[int | None]) -> str | None:
    return None if None in values else " > ".join(map(str, values))


def _said(value: Any) -> str:
    if value is None:
        return "undecided"
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
