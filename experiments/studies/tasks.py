"""The tasks of studies: what each follows, the key under which a configuration lists it, and its words with their answers."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from depthjax.tasks.followed import AcceptedWords, AlternationWords, AskedHopWords, AutomatonWords, DyckWords, HopWords
from depthjax.tasks.rotation import MODES, Rotations, rotation_matrices
from depthjax.tasks.words import GroupWords
from experiments.studies.composers import Compositions
from experiments.studies.study import Study
from theory import groups
from theory.automata import Dfa, language, machine
from theory.automata.files import from_json
from theory.automata.formats import read_automaton_text
from theory.groups import rotation

Sampler = (
    GroupWords
    | Rotations
    | AutomatonWords
    | AcceptedWords
    | DyckWords
    | HopWords
    | AskedHopWords
    | AlternationWords
    | Compositions
)
TYPES = 2  # of the brackets of a Dyck word
HOP_LETTERS = 4  # of the words on which hops are followed


class Task(NamedTuple):
    """A task.

    Attributes:
        subject: What a cell follows, as its name and its tables call it.
        key: The list of a configuration that holds what its cells follow.
        words: (what is followed, alphabet, whether a beginning-of-sequence token stands first) -> sampler.
    """

    subject: str
    key: str
    words: Callable[[Any, str, bool], Sampler]


def sampler(study: Study) -> Sampler:
    """Return the words of a study with what its task says of every position.

    Raises:
        ValueError: There is no such task, or what is to be followed does not exist.
    """
    if study.task not in TASKS:
        raise ValueError(f"task is {study.task!r}, expected one of {', '.join(TASKS)}")
    return TASKS[study.task].words(study.follows, study.alphabet, study.bos)


def table_of(automaton: str) -> np.ndarray:
    """The next states of an automaton that a text names: a name, ``regex:EXPRESSION``, the path of a file, or JSON.

    JSON is a table ``[[next state for every letter], ...]``, or an object such as ``{"regex": "(aa)*", "letters": "ab"}``,
    which gives the alphabet of an expression.

    Raises:
        ValueError: there is no such automaton; the nearest name is suggested.
    """
    if not automaton.startswith(("[", "{")):
        found = machine(automaton)
        return np.asarray((found.automaton if isinstance(found, Dfa) else found).table)
    try:
        return np.asarray(from_json(automaton).table)
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"{automaton[:40]!r} is no table, [[next state for every letter], ...]: {error}") from error


def language_of(automaton: str) -> Dfa:
    """Return the language of an automaton that a text names, with its accepting states.

    The text is ``regex:EXPRESSION``, JSON with ``accepting``, or the path of a file in HOA, DOT, BA or JSON.

    Raises:
        ValueError: there is no such automaton, or it does not say which states accept.
    """
    try:
        if automaton.startswith("{"):
            found = read_automaton_text(automaton)
            return found if isinstance(found, Dfa) else language(found)
        return language(automaton)
    except RecursionError as error:
        raise ValueError(f"{automaton[:40]!r} is no automaton: {error}") from error


def _accepted(automaton: str, alphabet: str, bos: bool) -> Sampler:
    found = language_of(automaton)
    return AcceptedWords(np.asarray(found.automaton.table), np.asarray(found.accepting), bos)


def _products(name: str, alphabet: str, bos: bool) -> Sampler:
    group = groups.group(name)
    if alphabet == "generators":
        return AutomatonWords(np.asarray(group.table)[:, [0, *group.generators]], bos)
    return GroupWords(np.asarray(group.table), bos)


def _rotations(mode: str, alphabet: str, bos: bool) -> Sampler:
    if mode not in MODES:
        raise ValueError(f"mode is {mode!r}, expected one of {', '.join(MODES)}")
    a5 = groups.group("A5")
    pairs = rotation.assignments("three", "right")
    published = [pair for pair in pairs if (pair.three, pair.five) == rotation.PUBLISHED]
    pair = next(pair for pair in pairs if pair.extends) if mode == "faithful" else published[0]
    turns = np.stack([turn.numpy() for turn in rotation.icosahedral_generators()])
    chosen = (a5.index(pair.three), a5.index(pair.five))
    matrices = rotation_matrices(a5.table, chosen, turns, mode=mode)
    letters = list(chosen) if alphabet == "generators" else slice(None)
    return Rotations(matrices[letters].astype(np.float32), bos)


TASKS = {
    "words": Task("group", "groups", _products),
    "rotation": Task("mode", "modes", _rotations),
    "automaton": Task("automaton", "automata", lambda name, alphabet, bos: AutomatonWords(table_of(name), bos)),
    "acceptance": Task("automaton", "automata", _accepted),
    "dyck": Task("nesting", "nestings", lambda nesting, alphabet, bos: DyckWords(TYPES, nesting, bos)),
    "hops": Task("hops", "hops", lambda hops, alphabet, bos: HopWords(hops, HOP_LETTERS, bos)),
    "asked_hops": Task("largest_hop", "largest_hops", lambda largest, alphabet, bos: AskedHopWords(largest, HOP_LETTERS)),
    "alternation": Task("blocks", "blocks", lambda blocks, alphabet, bos: AlternationWords(blocks, bos)),
    "composition": Task("group", "groups", lambda name, alphabet, bos: Compositions(np.asarray(groups.group(name).table))),
}
