"""Words that every network of a class and depth must answer alike, and what a network answers on them.

A network that tells such words apart is outside the class, or breaks what the theorem takes for granted; both are said beside
each pair. A network that does not may still be outside the class.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from depthjax import dtypes
from depthjax.adapters.letters import unknown_letters
from depthjax.adapters.modes import unsteady
from depthjax.adapters.network import Adapted, adapted
from depthjax.checks import at_least
from depthjax.probe import answers
from depthjax.probe.decision import LEAST_GAP, Decision
from depthjax.readout import head_of

ROUNDINGS = 100.0  # roundings for each letter, relative to the largest output, that count as no difference
WORDS = ("words", "answers", "differ by", "told apart", "theorem")  # of a table of pairs
RULED_OUT = -float(np.finfo(np.float32).max)  # stands for minus infinity, the score of a class that is ruled out
UNFORCED = {
    "attention": "lower bounds for attention on hops are conditional and have unknown constants",
    "delta_product": "products of Householder factors satisfy no law; as a swap of two writes is what commutative layers miss, "
    "ask for 'abelian'",
    "dense": "one layer keeps any state, so no two words must be answered alike",
}


@dataclasses.dataclass(frozen=True)
class Tried:
    """One pair of words, and what the network said.

    Attributes:
        words: The two words.
        answers: The network's answer after each.
        difference: Largest difference of two outputs.
        told_apart: Whether the difference is above rounding; its gap is difference over rounding.
        theorem: What makes the answers of the class equal.
        given: What the theorem takes for granted of the network.
        must_fail: Whether the right answers differ, so that every network of the class is wrong on one of the words.
    """

    words: tuple[tuple[int, ...], tuple[int, ...]]
    answers: tuple[int, int]
    difference: float
    told_apart: Decision
    theorem: str
    given: str
    must_fail: bool

    @property
    def is_wrong(self) -> bool:
        """Whether one of the two answers must be wrong: the right ones differ, and the network's are one class."""
        return self.must_fail and self.answers[0] == self.answers[1]


@dataclasses.dataclass(frozen=True, repr=False)
class AdversaryReport(Sequence[Tried]):
    """The pairs, as a sequence, and whether the network is outside the class.

    Attributes:
        cls: The class.
        depth: Number of layers.
        tried: The pairs.
        outside: True if some pair was told apart; None if none was, which proves nothing.
    """

    cls: str
    depth: int
    tried: tuple[Tried, ...]
    outside: Decision

    def __len__(self) -> int:
        return len(self.tried)

    def __getitem__(self, index: Any) -> Any:
        return self.tried[index]

    def __iter__(self) -> Iterator[Tried]:
        return iter(self.tried)

    @property
    def summary(self) -> str:
        """The class, and what its words say of the network, in one line."""
        apart = sum(bool(pair.told_apart.value) for pair in self.tried)
        verdict = "outside the class" if self.outside.value else "not shown to be outside"
        return f"{self.cls}, depth {self.depth}: {apart} of {len(self)} pairs told apart, {verdict}"

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """Return both words, the answers, their difference and the theorem of each pair, as lines of a table."""
        apart = {True: "yes", False: "no", None: "undecided"}
        return [
            (
                " | ".join(map(_shown, pair.words)),
                " | ".join(map(str, pair.answers)),
                f"{pair.difference:.3g}",
                apart[pair.told_apart.value],
                pair.theorem,
            )
            for pair in self.tried
        ]

    def __repr__(self) -> str:
        return f"<AdversaryReport of {self.summary}>"

    def _repr_html_(self) -> str:
        from depthjax.probe.pages import titled  # matplotlib takes a second to import

        return str(titled(self.summary, WORDS, self.rows()))

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON."""
        pairs = [vars(pair) | {"told_apart": pair.told_apart.as_dict(), "is_wrong": pair.is_wrong} for pair in self.tried]
        return {"class": self.cls, "depth": self.depth, "outside": self.outside.as_dict(), "pairs": pairs}


def adversary(
    apply: Any,
    cls: str,
    depth: int,
    *,
    alphabet: int = 2,
    inverses: Sequence[int] | Mapping[int, int] | None = None,
    group: str | None = None,
    reach: int | None = None,
    coefficient: int = 1,
    threshold: float | int | None = None,
    answer: Any = None,
) -> AdversaryReport:
    """Return words that any network of a class and depth must answer alike, with this network's answers.

    Args:
        apply: The network, as `depthjax.probe.network` takes it: of any library, with integer answers, logits of classes or one
            logit, at every position or for the whole word.
        cls: One of `theory.automata.classes.CLASSES`, which says what they are.
        depth: Number of layers.
        alphabet: Number of letters; at least as many as the words hold, which `group` may spell with more.
        inverses: The inverse of each letter, where letters come in pairs that the task makes undo each other. Diagonal classes,
            and abelian ones of more than one layer, need it, or `group`.
        group: Instead of `inverses`: the name of a group whose elements are the letters, in the order of `theory.groups`; the
            words then have different products, so a network of the class is wrong on one of them.
        reach: Class "window": earlier positions that a layer reads.
        coefficient: Class "counting": largest absolute coefficient.
        threshold: A single logit above it is the answer 1, such as 0.5 for probabilities. None stands for 0.
        answer: Which part of the outputs is the answer, as in answer="logits"; `depthjax.adapters` has the forms.

    Raises:
        TypeError: `apply` is no network, or does not return one array of real numbers or integers.
        ValueError: Nothing is proved for the class at this depth, a letter does not exist, the network is not causal, or its
            outputs are not finite, are others in another batch, or can be read in no way or in two.

    >>> import jax.numpy as jnp
    >>> def count(tokens):  # a network that sees how often letter 1 occurred
    ...     return jnp.stack([jnp.cumsum(tokens, axis=1), -jnp.cumsum(tokens, axis=1)], axis=-1)
    >>> report = adversary(count, "abelian", 1)
    >>> report
    <AdversaryReport of abelian, depth 1: 0 of 2 pairs told apart, not shown to be outside>
    >>> [(pair.words, pair.answers) for pair in report]
    [(((0, 1, 0), (1, 0, 0)), (0, 0)), (((0, 1, 1), (1, 0, 1)), (0, 0))]
    """
    depth, alphabet = at_least("depth", depth, 1), at_least("alphabet", alphabet, 2, "one letter has no two words")
    pairs = _pairs(cls, depth, alphabet, inverses, group, reach, coefficient)
    alphabet = max(alphabet, 1 + max(letter for pair in pairs for word in pair.words for letter in word))
    network = adapted(apply, answer)
    asked = _Asked(network, alphabet, len(pairs[0].words[0]), threshold)
    _check_network(network, asked, pairs[0].words[0], alphabet)
    tried = tuple(_tried(asked, pair) for pair in pairs)
    apart = [pair.told_apart for pair in tried if pair.told_apart.value]
    if apart:
        best = max(apart, key=lambda found: found.gap)
        why = f"it tells {len(apart)} of {len(tried)} pairs apart, or breaks what is given: {pairs[0].given}"
        outside = dataclasses.replace(best, value=True, why=why)
    else:
        outside = Decision(None, "sampled", f"none of {len(tried)} pairs was told apart, which proves nothing")
    return AdversaryReport(cls, depth, tried, outside)


def _pairs(cls, depth, alphabet, inverses, group, reach, coefficient) -> list[answers.ForcedPair]:
    known = answers.layer_class(cls)
    if cls in UNFORCED:
        raise ValueError(f"no words are known that every network of class {cls!r} must answer alike: {UNFORCED[cls]}")
    if cls == "window":
        if reach is None:
            raise ValueError("the class 'window' needs reach=, the earlier positions that one layer reads")
        return answers.far_pairs(alphabet, depth * at_least("reach", reach, 0) + 1)
    if cls == "counting":
        if depth not in (2, 3):
            raise ValueError(f"nothing is proved for counting formulas of depth {depth}: depth 2 and 3 are known")
        return answers.counting_pairs(depth, at_least("coefficient", coefficient, 1))
    length = depth * known.derived_length
    if group is not None:
        return answers.group_pairs(group, length)
    if inverses is not None:
        return answers.law_pairs(_signed(inverses, alphabet), length, range(alphabet))
    if cls == "abelian" and depth == 1:
        return answers.commuting_pairs(alphabet)
    raise ValueError(
        f"nothing is proved for {cls} at depth {depth} on letters that need not undo each other: a clock, or a decaying state, "
        "records the whole word (two_layers_record_the_word); give inverses= or group="
    )


def _shown(word: tuple[int, ...], most: int = 24) -> str:
    return " ".join(map(str, word)) if len(word) <= most else f"{' '.join(map(str, word[:8]))} .. ({len(word)} letters)"


def _signed(inverses: Sequence[int] | Mapping[int, int], alphabet: int) -> list[tuple[int, int]]:
    """The letters with their inverses, one entry for each pair."""
    back = dict(inverses) if isinstance(inverses, Mapping) else dict(enumerate(inverses))
    for letter, other in back.items():
        if not (0 <= letter < alphabet and 0 <= other < alphabet):
            raise ValueError(
                f"letter {letter} with the inverse {other}: one of them does not exist, letters are 0 .. {alphabet - 1}"
            )
        if back.get(other) != letter:
            raise ValueError(f"the inverse of {letter} is {other}, but that of {other} is {back.get(other)}: expected {letter}")
    signed = [(letter, other) for letter, other in sorted(back.items()) if letter <= other]
    if len(signed) < 2:
        raise ValueError("a law needs two letters that are not inverse to each other, and their inverses")
    return signed


def _check_network(apply: Adapted, asked: "_Asked", word: Sequence[int], alphabet: int) -> None:
    """Refuse a network without a row for some letter, with other outputs in another batch, or that a later letter changes."""
    unknown = unknown_letters(apply, range(alphabet), (2, len(word)))
    if unknown:
        raise ValueError(
            f"letter {', '.join(map(str, unknown))} of the alphabet has no answers: the network has no row for it, and JAX "
            f"would read another letter's; expected alphabet={unknown[0]}, or a network for {alphabet} letters"
        )
    tokens = np.array([word, [*word[:-1], (word[-1] + 1) % alphabet]])
    outputs, _, rounding = asked(tokens)
    company = np.random.default_rng(1).integers(0, alphabet, (3, len(word)))
    outputs, again = _same_width([outputs, asked(np.concatenate([company, tokens]))[0][3:]])
    apart = np.abs(outputs - again).max(axis=-1)
    if (apart > LEAST_GAP * rounding).any():
        row, at = np.argwhere(apart > LEAST_GAP * rounding)[0].tolist()
        texts = (np.array2string(part[row, at], precision=6) for part in (outputs, again))
        raise ValueError(unsteady(apply.given, _shown(tuple(tokens[row].tolist())), *texts))
    before = np.abs(outputs[0, :-1] - outputs[1, :-1]).max(axis=-1)
    wrong = np.flatnonzero(before > LEAST_GAP * rounding)
    if len(wrong):
        raise ValueError(
            f"the network is not causal: its output at position {wrong[0]} changes by {before[wrong[0]]:.3g} when letter "
            f"{len(word) - 1} does; words are compared at their last position, so mask the future"
        )


def _tried(asked: "_Asked", pair: answers.ForcedPair) -> Tried:
    same = len(pair.words[0]) == len(pair.words[1])
    parts = [asked(np.array(words)) for words in ([pair.words] if same else [[word] for word in pair.words])]
    rounding = max(size for *_, size in parts)
    outputs = np.concatenate(_same_width([part[:, -1] for part, *_ in parts]))
    difference = float(np.abs(outputs[0] - outputs[1]).max())
    gap = difference / rounding
    text = f"outputs differ by {difference:.3g}, rounding explains {rounding:.2g}"
    if gap > LEAST_GAP:
        apart = Decision(True, "numerical", text, difference, rounding)
    elif gap <= 1:
        apart = Decision(False, "numerical", text, rounding, difference)
    else:
        apart = Decision(None, "numerical", f"cannot decide whether the answers are equal: {text}", difference, rounding)
    one, other = np.concatenate([answers[:, -1] for _, answers, _ in parts]).tolist()
    return Tried(pair.words, (one, other), difference, apart, pair.theorem, pair.given, pair.must_fail)


def _same_width(parts: list[np.ndarray]) -> list[np.ndarray]:
    """Outputs with as many numbers each: labels are spelled with as many classes as occur."""
    width = max(part.shape[-1] for part in parts)
    return [np.pad(part, [(0, 0)] * (part.ndim - 1) + [(0, width - part.shape[-1])]) for part in parts]


class _Asked:
    """A network as outputs (words, positions, numbers), answers and rounding; with one position if it answers whole words."""

    def __init__(self, apply: Adapted, alphabet: int, length: int, threshold: float | int | None):
        self._apply, self._labels = apply, np.empty(0, int)
        self._head = head_of(
            self._apply, np.random.default_rng(0).integers(0, alphabet, (16, length)).astype(np.int32), threshold=threshold
        )

    def __call__(self, words: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        tokens = np.asarray(words, np.int32)
        given = np.asarray(self._apply(tokens))
        numbers = dtypes.wide(given)
        if dtypes.is_inexact(numbers.dtype) and (np.isnan(numbers) | (numbers == np.inf)).any():
            raise ValueError(f"the network answers NaN or infinity on the word {tuple(tokens[0].tolist())}")
        answers = self._head.answers(given, tokens.shape)
        if (answers < 0).any():
            raise ValueError(f"the network answers {answers.min()}: expected classes 0, 1, ..., or logits (real numbers)")
        if self._head.reads == "labels":  # as outputs, one for the class that is answered
            new = np.setdiff1d(answers, self._labels)
            self._labels = np.concatenate([self._labels, new])  # in the order in which they came: a class keeps its place
            outputs = (answers[..., None] == self._labels).astype(float)
        else:
            outputs = np.where(np.isneginf(numbers), RULED_OUT, numbers)
        outputs = outputs.astype(float).reshape(len(tokens), 1 if self._head.whole else tokens.shape[1], -1)
        kind = given.dtype if dtypes.is_floating(given.dtype) else np.dtype("float32")
        largest = np.abs(outputs, where=outputs > RULED_OUT, out=np.zeros_like(outputs)).max()
        rounding = float(ROUNDINGS * tokens.shape[1] * dtypes.eps(kind) * largest + np.finfo(np.float32).tiny)
        return outputs, answers.reshape(len(tokens), -1), rounding
