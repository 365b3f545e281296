"""The automaton that a network computes: learned by queries, decomposed, and the layers that each class needs for it.

>>> import jax.numpy as jnp
>>> from depthjax import probe
>>> report = probe.network(lambda tokens: jnp.cumsum(tokens, axis=1) % 2, alphabet=2, length=8)
>>> report
<NetworkReport: 2 states, the Cayley machine of C2; certain for all words up to 8 letters>
>>> print(report.layers("positive"))
no number of positive layers suffices: a group is inside (a group of order 2 on the states {0, 1})
>>> print(report.layers("signed"))
1 layer of signed suffices: stages of exponent 2 [1], resets [0] (levels by the height of images)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from depthjax import dtypes
from depthjax.probe import answers
from depthjax.probe.adversaries import WORDS, AdversaryReport
from depthjax.probe.decision import HEAD
from depthjax.probe.learning import learned
from depthjax.probe.machine import Machine
from depthjax.probe.teacher import Teacher, Word

__all__ = ["NetworkReport", "network"]


@dataclasses.dataclass(frozen=True, repr=False)
class NetworkReport:
    """What a network computes on words up to a length.

    Attributes:
        automaton: The learned automaton: `states`, `table[state, letter]`, `outputs[state, letter]`; state 0 is the first. Its
            letters are the positions of the tokens in `alphabet`, and it has the fewest states.
        alphabet: The network's tokens.
        length: Number of letters of the words.
        exhausted: Number of letters up to which every word was asked.
        asked: Number of words that were asked.
        complete: Whether the learner ended, with an automaton that agrees with every word that was asked.
        reason: Why it is not complete; empty if it is.
        disagreements: The shortest words (tokens) at whose end the automaton and the network answer differently, at most ten.
            They are empty if the report is complete.
        note: How the network was asked, where that is not by a compiled program.
    """

    automaton: Machine
    alphabet: tuple[int, ...]
    length: int
    exhausted: int
    asked: int
    complete: bool
    reason: str
    disagreements: tuple[Word, ...]
    note: str = ""

    @property
    def standing(self) -> str:
        """How far the automaton is known to be the network's: "certain" if every word of the length was asked, or "sampled"."""
        return "certain" if self.complete and self.exhausted == self.length else "sampled"

    @property
    def extent(self) -> str:
        """The standing in a sentence, with the lengths; for a partial report what was missing."""
        if not self.complete:
            word = f"; it first disagrees on {self.disagreements[0]}" if self.disagreements else ""
            return f"partial: {self.reason}{word}"
        certain = f"certain for all words up to {self.exhausted} letters"
        return certain if self.exhausted == self.length else f"{certain}, sampled up to {self.length}"

    @cached_property
    def decomposition(self) -> answers.Decomposition:
        """The cascade and the groups of the automaton: exact for the automaton that was learned.

        Raises:
            ValueError: The automaton has too many states to decompose.
        """
        return answers.decomposition(self.automaton.table)

    def layers(self, cls: str) -> answers.ClassDepth:
        """Return how many layers of a class simulate the automaton (`.layers`), at least how many (`.fewest`), or `.never`.

        Args:
            cls: One of `theory.automata.classes.CLASSES`, which says what they are.

        Raises:
            ValueError: There is no such class, its depth is not known, or the automaton has too many states to decompose.
        """
        return answers.class_depth(self.automaton.table, cls, self.length)

    def first_difference(self, table: Any, outputs: Any = None) -> Word | None:
        """Return a shortest word (tokens) at whose end the learned automaton and another one answer differently.

        Args:
            table: Next states of the other one, `table[state, letter]`, or an object with such a `table`; it starts in state 0.
            outputs: Its answers, `outputs[state, letter]`; None answers with the next state, as networks that track states do.

        Returns:
            The word, or None if the two give the same answers to all words of any length.

        Raises:
            ValueError: The table has another number of letters or an entry that is no state, or the answers another shape.
            TypeError: The table or the answers hold no integers.
        """
        table = np.asarray(getattr(table, "table", table))
        said = table if outputs is None else np.asarray(outputs)
        if table.ndim != 2 or table.shape[1] != len(self.alphabet) or not len(table):
            raise ValueError(
                f"table has shape {table.shape}: expected a row for each state, and a column for each of "
                f"the {len(self.alphabet)} letters of the alphabet"
            )
        if said.shape != table.shape:
            raise ValueError(f"outputs have shape {said.shape}: expected {table.shape}, that of the table, an answer for each")
        for name, given in (("table", table), ("outputs", said)):
            if not dtypes.is_exact(given.dtype):
                raise TypeError(f"{name} hold {given.dtype}: expected integers, the numbers of states or answers")
        if wrong := [entry for entry in (table.min(), table.max()) if not 0 <= entry < len(table)]:
            raise ValueError(f"the table holds {wrong[0]}: expected states 0 .. {len(table) - 1}")
        word = self.automaton.first_difference(Machine(table.astype(int), said, []))
        return None if word is None else tuple(self.alphabet[letter] for letter in word)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain lists, numbers and texts."""
        found: dict[str, Any] = {
            "states": self.automaton.states,
            "alphabet": list(self.alphabet),
            "table": self.automaton.table.tolist(),
            "outputs": self.automaton.outputs.tolist(),
            "length": self.length,
            "exhausted": self.exhausted,
            "asked": self.asked,
            "complete": self.complete,
            "standing": self.standing,
            "extent": self.extent,
            "disagreements": [list(word) for word in self.disagreements],
        } | ({"note": self.note} if self.note else {})
        if self.complete:
            parts = self.decomposition
            found |= {"is": self.statement} | parts._asdict()
            found["layers"] = {kind: dataclasses.asdict(self.layers(kind)) for kind in answers.DEPTHS}
        return found

    def picture(self) -> str:
        """Return the transition table as SVG text without scripts, links or dates; next states by number, answers by colour."""
        from depthjax.probe.pages import transition_table  # matplotlib takes a second to import

        return transition_table(self.automaton.table, self.automaton.outputs, self.alphabet)

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Return question, answer, standing and reason of everything that is known, as lines of a table."""
        rows = [("automaton", self._found, self.standing, self.extent)]
        rows += [("network", self.note, "certain", "")] if self.note else []
        if self.complete:
            inside = "; ".join(self.decomposition.groups) or "none: aperiodic"
            rows += [("groups inside", inside, "certain", "exact for this automaton")]
            for kind in answers.DEPTHS:
                found = self.layers(kind)
                number = "never" if found.layers is None else str(found.layers)
                rows += [(f"layers of {kind}", number, "certain", f"{found.reason}; source: {found.source}")]
        return rows + [("disagreement", " ".join(map(str, word)), "certain", "") for word in self.disagreements]

    @property
    def summary(self) -> str:
        """The automaton and how far it is known, in one line."""
        return f"{self._found}; {self.extent}"

    @property
    def _found(self) -> str:
        states = f"{self.automaton.states} state{'s' * (self.automaton.states != 1)}"
        return f"{states}, {self.statement}" if self.complete else states

    @property
    def statement(self) -> str:
        """What the automaton is, in a few words, such as "the Cayley machine of C2"."""
        answer = np.unique(self.automaton.outputs)
        if len(answer) == 1 and self.automaton.states == 1:
            return f"constant: it answers {answer[0]} to every word"
        return self.decomposition.statement

    def page(self, path: str | Path, adversaries: Sequence[AdversaryReport] = ()) -> Path:
        """Write one HTML page with a picture and return its path; it holds no script and loads nothing.

        Args:
            path: The file.
            adversaries: Reports of `depthjax.probe.adversary` about the same network, shown below.

        Raises:
            OSError: The file cannot be written.
        """
        from depthjax.probe.pages import write  # as in `picture`

        caption = "The state after each letter; the colour is the answer."
        tables = [("", HEAD, self.rows()), *((tried.summary, WORDS, tried.rows()) for tried in adversaries)]
        return write(Path(path), "A probed network", self.summary, [(self.picture(), caption)], tables)

    def __repr__(self) -> str:
        return f"<NetworkReport: {self.summary}>"

    def _repr_html_(self) -> str:
        from depthjax.probe.pages import titled  # as in `picture`

        picture = self.picture()
        return f"{titled('', HEAD, self.rows())}{picture[picture.index('<svg') :]}"


def network(
    apply: Any,
    alphabet: int | Sequence[int],
    length: int,
    queries: int = 20_000,
    *,
    seed: int = 0,
    threshold: float | int | None = None,
    answer: Any = None,
) -> NetworkReport:
    """Learn the automaton that a trained or constructed network computes on words up to a length.

    Args:
        apply: The network, of tokens (batch, length): a function, a pair ``(apply, params)``, a module of flax, equinox, haiku
            or PyTorch, or an exported program; `depthjax.adapters` has the table. It gives integer answers, logits of classes,
            the largest counts, or one logit, positive for the answer 1; at every position, (batch, length) or
            (batch, length, classes), or for whole words: `depthjax.readout` has the table. It is compiled if JAX can trace it.
            Let it put a beginning-of-sequence token in front, and drop the answer there.
        alphabet: The tokens that words are made of, or their number.
        length: Number of letters of the longest words.
        queries: Largest number of words that are asked. A quarter of it covers all short words. A learner that needs more
            returns what it has learned, with `complete` False.
        seed: Seed of the random words.
        threshold: A single logit above it is the answer 1, such as 0.5 for probabilities. None stands for 0.
        answer: Which part of the outputs is the answer, as in answer="logits"; `depthjax.adapters` has the forms.

    Returns:
        The automaton, how certain it is, its decomposition, and the layers that each class of networks needs for it.

    Raises:
        TypeError: A size is not an integer, `apply` is no network, or it does not return one array of real numbers or integers.
        ValueError: A size is too small or too large, a token has no answers, the answers can be read in no way or in two, are
            not numbers, or are others in another batch, or the network is not causal; the message says the word.
        ImportError: AALpy, the extra `automata`, is not installed.

    Cost: two or three compilations, and at most `queries` words, in batches of 256; a network that answers whole words is asked
    for every prefix.

    Reference:
        Kearns and Vazirani, An Introduction to Computational Learning Theory, 1994, chapter 8; Weiss, Goldberg, Yahav,
        Extracting Automata from Recurrent Neural Networks, arXiv 1711.09576, for the use on networks.

    >>> network(lambda tokens: np.cumsum(tokens, axis=1) % 2, 2, 6)
    <NetworkReport: 2 states, the Cayley machine of C2; certain for all words up to 6 letters>
    """
    teacher = Teacher(apply, alphabet, length, queries, seed, threshold, answer)
    found = learned(teacher)
    return NetworkReport(
        automaton=found.machine,
        alphabet=teacher.alphabet,
        length=teacher.length,
        exhausted=found.exhausted,
        asked=found.asked,
        complete=found.complete,
        reason=found.reason,
        disagreements=found.disagreements,
        note=teacher.note,
    )
