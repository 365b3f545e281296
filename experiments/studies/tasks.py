"""The tasks of studies: what each follows, the key under which a configuration lists it, and its words with their answers."""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from depthjax.tasks.followed import AcceptedWords, AlternationWords, AskedHopWords, AutomatonWords, DyckWords, HopWords
from depthjax.tasks.rotation import MODES, Rotations, rotation_matrices
from depthjax.tasks.words import GroupWords
from experiments.studies.composers import Compositions
from experiments.studies.study import Study
from experiments.studies.word_file import PartedWords, words_of
from theory import groups
from theory.automata import Dfa, language, named_or_loaded
from theory.automata.files import from_json
from theory.automata.formats import read_automaton_text
from theory.groups import rotation
from theory.groups.subgroups import generated

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
    | PartedWords
)
TYPES = 2  # of the brackets of a Dyck word
HOP_LETTERS = 4  # of the words on which hops are followed


class Task(NamedTuple):
    """A task.

    Attributes:
        subject: What a cell follows, as its name and its tables call it.
        key: The list of a configuration that holds what its cells follow.
        words: (what is followed, alphabet, whether a beginning-of-sequence token stands first) -> sampler. Of a group the
            alphabet may be a list of its elements, and of an automaton of its letters.
    """

    subject: str
    key: str
    words: Callable[[Any, Any, bool], Sampler]


def sampler(study: Study) -> Sampler:
    """Return the words of a study with what its task says of every position.

    Raises:
        ValueError: There is no such task, or what is to be followed does not exist.
    """
    if study.task not in TASKS:
        raise ValueError(f"task is {study.task!r}, expected one of {', '.join(TASKS)}")
    if study.task == "file":
        return _words_of(str(study.follows), json.dumps(study.words), study.length, study.bos)
    letters = study.letters.get(str(study.follows), study.alphabet)
    if isinstance(letters, list) and all(isinstance(letter, str | int) for letter in letters):
        letters = tuple(letters)
    if not isinstance(letters, str | tuple):  # what cannot be a key is refused by its task
        return TASKS[study.task].words(study.follows, letters, study.bos)
    return _sampler(study.task, study.follows, letters, study.bos)


@lru_cache(maxsize=16)
def _sampler(task: str, follows: str | int, letters: str | tuple[Any, ...], bos: bool) -> Sampler:
    """Studies that follow the same share their words, and so their programs."""
    return TASKS[task].words(follows, letters, bos)


@lru_cache(maxsize=16)
def _words_of(path: str, settings: str, length: int, bos: bool) -> Sampler:
    return words_of(path, json.loads(settings), length, bos)


def table_of(automaton: str) -> np.ndarray:
    """The next states of an automaton that a text names: a name, ``regex:EXPRESSION``, the path of a file, or JSON.

    JSON is a table ``[[next state for every letter], ...]``, or an object such as ``{"regex": "(aa)*", "letters": "ab"}``,
    which gives the alphabet of an expression.

    Raises:
        ValueError: there is no such automaton; the nearest name is suggested.
    """
    if not automaton.startswith(("[", "{")):
        return np.asarray(named_or_loaded(automaton).table)
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


def letters_of(name: str, alphabet: str | Sequence[int | str]) -> list[int]:
    """Return the numbers of the elements of a group that are its letters.

    Args:
        name: Of the group.
        alphabet: "all", "generators" (and the identity), or elements by name or number.

    Raises:
        ValueError: An element is not one of the group, or is there twice; or the letters do not generate the group, so that
            words never reach the rest of it.

    >>> letters_of("D4", ["(2 4)", "(1 2 3 4)"]), letters_of("C3", "generators")
    ([2, 1], [0, 1])
    """
    group = groups.group(name)
    if alphabet == "all":
        return list(range(group.order))
    if alphabet == "generators":
        return [0, *group.generators]
    if isinstance(alphabet, str) or not isinstance(alphabet, Sequence) or not alphabet:
        raise ValueError(f"the letters of {name} are {alphabet!r:.80}: expected a list of elements, by name or number")
    found = [_element(group, given) for given in alphabet]
    if len(set(found)) < len(found):
        raise ValueError(f"the letters of {name} are {list(alphabet)!r:.80}: expected each element once")
    if len(reached := generated(group, found)) < group.order:
        raise ValueError(
            f"the letters of {name} are {list(alphabet)!r:.80}: they generate {len(reached)} of {group.order} elements, and "
            "words in them never reach the others; add a letter, or take the smaller group"
        )
    return found


def moves_of(automaton: str, letters: str | Sequence[int]) -> np.ndarray:
    """Return the next states of an automaton by some of its letters, by number; a text stands for all of them.

    Raises:
        ValueError: There is no such automaton or letter, or a letter is there twice; or fewer states are reached from the first
            one than by all letters.

    >>> moves_of("gridworld4", [0, 2]).tolist()  # left and right, and no stay
    [[0, 1], [0, 2], [1, 3], [2, 3]]
    """
    table = table_of(automaton)
    if isinstance(letters, str):
        return table
    told = f"the letters of {automaton:.40} are {letters!r:.80}"
    numbers, known = (list(letters) if isinstance(letters, Sequence) else []), range(table.shape[1])
    if not numbers or any(type(n) is not int or n not in known for n in numbers) or len(set(numbers)) < len(numbers):
        raise ValueError(f"{told}: expected numbers from 0 to {table.shape[1] - 1}, each once")
    some = table[:, numbers]
    if (reached := len(_reached(some))) < (every := len(_reached(table))):
        raise ValueError(f"{told}: they reach {reached} of the {every} states that all letters reach; add a letter")
    return some


def _reached(table: np.ndarray) -> set[int]:
    """States that some word leads to from the first."""
    found, fresh = {0}, [0]
    while fresh:
        fresh = [int(state) for state in np.unique(table[fresh]) if int(state) not in found]
        found |= set(fresh)
    return found


def _element(group: groups.FiniteGroup, given: Any) -> int:
    if isinstance(given, str) and given in group.names:
        return group.names.index(given)
    if type(given) is int and 0 <= given < group.order:
        return given
    raise ValueError(
        f"{given!r:.40} is no element of {group.name}: expected a number from 0 to {group.order - 1}, or a name such as "
        f"{', '.join(group.names[:4])}"
    )


def _products(name: str, alphabet: str | Sequence[int | str], bos: bool) -> Sampler:
    table = np.asarray(groups.group(name).table)
    return GroupWords(table, bos) if alphabet == "all" else AutomatonWords(table[:, letters_of(name, alphabet)], bos)


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
    "automaton": Task("automaton", "automata", lambda name, alphabet, bos: AutomatonWords(moves_of(name, alphabet), bos)),
    "acceptance": Task("automaton", "automata", _accepted),
    "file": Task("file", "files", lambda path, alphabet, bos: words_of(path, {}, Study.length, bos)),
    "dyck": Task("nesting", "nestings", lambda nesting, alphabet, bos: DyckWords(TYPES, nesting, bos)),
    "hops": Task("hops", "hops", lambda hops, alphabet, bos: HopWords(hops, HOP_LETTERS, bos)),
    "asked_hops": Task("largest_hop", "largest_hops", lambda largest, alphabet, bos: AskedHopWords(largest, HOP_LETTERS)),
    "alternation": Task("blocks", "blocks", lambda blocks, alphabet, bos: AlternationWords(blocks, bos)),
    "composition": Task("group", "groups", lambda name, alphabet, bos: Compositions(np.asarray(groups.group(name).table))),
}
