"""The automaton that a network computes up to a length, learned by queries.

The learner is KV (Kearns and Vazirani, An Introduction to Computational Learning Theory, 1994, chapter 8) with the binary
search of Rivest and Schapire for its counterexamples, as AALpy has it. Its equivalence oracle is bounded: every word up to the
length that a quarter of the queries can cover, uniform words of full length, and, for each hypothesis that survives them, words
that pass through each of its transitions and go on at random (the W-method's cover, with random endings). Every word that was
ever asked is held against every hypothesis.
"""

from typing import Any, NamedTuple

import numpy as np

from depthjax.probe.machine import Machine
from depthjax.probe.teacher import ROWS, OutOfQueries, Teacher, Word
from depthjax.tasks.words import all_words

SHARE = 4  # of the queries each: words that are exhausted; at most this many uniform words, and words through transitions
SHOWN = 10  # disagreements that are kept


class LearnedMachine(NamedTuple):
    """What was learned of a network.

    Attributes:
        machine: The automaton; if it is not complete, the one that agrees with the network longest.
        disagreements: The shortest prefixes, as tokens, at whose end the automaton and the network answer differently.
        complete: Whether the learner ended, with an automaton that agrees with all words that were asked.
        reason: Why it is not complete; empty if it is.
        exhausted: Number of letters up to which all words were asked.
        asked: Number of words that were asked.
    """

    machine: Machine
    disagreements: tuple[Word, ...]
    complete: bool
    reason: str
    exhausted: int
    asked: int


def learned(teacher: Teacher) -> LearnedMachine:
    """Return the automaton of a network, as far as the teacher's queries go.

    Raises:
        ImportError: AALpy is not installed.
        ValueError: As the teacher's `ask`.
    """
    try:
        from aalpy.learning_algs import run_KV
    except ImportError as error:
        raise ImportError(
            "learning the automaton of a network needs AALpy, the extra `automata`: pip install 'depthjax[automata]'"
        ) from error
    exhausted = _exhausted(teacher)
    oracle, reason = _oracle(teacher), ""
    try:
        teacher.ask(np.asarray(all_words(teacher.letters, exhausted)))
        teacher.ask(teacher.random_words(min(teacher.left // SHARE, 8 * ROWS)))
        run_KV(list(range(teacher.letters)), oracle.sul, oracle, "mealy", cache_and_non_det_check=False, print_level=0)
    except OutOfQueries as error:
        reason = str(error)
    machine = oracle.best.least()
    wrong = disagreements(teacher, machine)
    return LearnedMachine(machine, wrong, not reason and not wrong, reason, exhausted, teacher.asked)


def disagreements(teacher: Teacher, machine: Machine) -> tuple[Word, ...]:
    """Return the shortest prefixes of asked words at whose end the machine and the network answer differently, as tokens."""
    differ = machine.run(teacher.words) != teacher.answers
    rows = np.flatnonzero(differ.any(axis=1))
    words = {tuple(teacher.words[row][: differ[row].argmax() + 1].tolist()) for row in rows}
    return tuple(teacher.spelled(word) for word in sorted(words, key=lambda word: (len(word), word))[:SHOWN])


def _exhausted(teacher: Teacher) -> int:
    """The length of the longest words that are all asked: one letter at least."""
    covered = 1
    while covered < teacher.length and teacher.letters ** (covered + 1) <= teacher.queries // SHARE:
        covered += 1
    return covered


def _oracle(teacher: Teacher) -> Any:
    """The bounded equivalence oracle, with the system under learning: AALpy's classes are there only if AALpy is."""
    from aalpy.base import SUL, Oracle

    class Answers(SUL):
        """Answers of the teacher; a word that was not asked yet is asked together with its neighbours."""

        def query(self, word: tuple) -> list:
            self.num_queries += 1
            if not word:
                return []
            found = teacher.known(word)
            if found is None:
                teacher.ask(_neighbours(teacher, word))
                found = teacher.known(word)
            return found  # type: ignore[return-value]

        def pre(self) -> None:
            """Words are asked whole: nothing is reset."""

        post = step = pre  # type: ignore[assignment]

    class Bounded(Oracle):
        """Holds every hypothesis against all words that were asked, and asks more of those that survive."""

        best = Machine(np.zeros((1, teacher.letters), int), np.zeros((1, teacher.letters), int), [()])
        agreement = -1.0, 0.0

        def find_cex(self, hypothesis: Any) -> Word | None:
            machine = _machine(hypothesis, teacher.letters)
            if not self._wrong(machine).any() and (words := _through_transitions(teacher, machine)):
                teacher.ask(words)
            wrong = self._wrong(machine)
            ends = wrong.any(axis=0)
            end = int(ends.argmax()) if ends.any() else teacher.length
            agreement = end, float(1 - wrong.any(axis=1).mean())
            if agreement > self.agreement:
                self.best, self.agreement = machine, agreement
            return tuple(teacher.words[wrong[:, end].argmax()][: end + 1].tolist()) if ends.any() else None

        def _wrong(self, machine: Machine) -> np.ndarray:
            return machine.run(teacher.words) != teacher.answers

    return Bounded(list(range(teacher.letters)), Answers())


def _machine(hypothesis: Any, letters: int) -> Machine:
    """A Mealy machine of AALpy as arrays, the initial state first."""
    states = [hypothesis.initial_state, *(state for state in hypothesis.states if state is not hypothesis.initial_state)]
    number = {id(state): place for place, state in enumerate(states)}
    table = [[number[id(state.transitions[letter])] for letter in range(letters)] for state in states]
    outputs = [[state.output_fun[letter] for letter in range(letters)] for state in states]
    return Machine(np.array(table), np.array(outputs), [state.prefix for state in states])


def _neighbours(teacher: Teacher, word: Word) -> list[Word]:
    """The word and words that differ from it in one letter, last letters first: a learner asks for most of them next."""
    found = [word]
    for place in reversed(range(len(word))):
        found += [(*word[:place], x, *word[place + 1 :]) for x in range(teacher.letters) if x != word[place]]
    fresh = [near for near in found[:ROWS] if teacher.known(near) is None]
    return fresh[: max(teacher.left, 1)]


def _through_transitions(teacher: Teacher, machine: Machine) -> list[Word]:
    """Words through every transition of a machine, several of each as far as the queries go; the teacher continues them."""
    words = [(*word, letter) for word in machine.least().access for letter in range(teacher.letters)]
    words = [word for word in words if len(word) <= teacher.length]
    times = min(SHARE, teacher.left // SHARE // max(len(words), 1))
    return words * times
