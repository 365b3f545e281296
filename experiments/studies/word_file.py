"""The task `file`: the words of a file with their labels, parted into those to train on, to validate on and to test on.

Words of more than the study's length are never trained on: they are tests of twice the length.
"""

import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax

from depthjax.models import SequenceModel
from depthjax.tasks.word_files import SHARES, FileWords, read_words
from depthjax.tasks.words import Batch
from depthjax.training.losses import correct, longest_prefix, word_accuracy

KEYS = ("word", "label", "part", "letters", "classes", "shares", "key")  # of [words]


@dataclasses.dataclass(frozen=True, eq=False)
class PartedWords:
    """The words of a file for a study: `sample` draws from those to train on, all in as many columns as the study has letters.

    Attributes:
        train: Words to train on.
        validation: Words to validate on.
        test: Words to test on; some may have up to twice the letters.
    """

    train: FileWords
    validation: FileWords
    test: FileWords

    @property
    def letters(self) -> int:
        """Number of tokens."""
        return self.train.letters

    @property
    def classes(self) -> int:
        """Number of labels."""
        return self.train.classes

    @property
    def bos(self) -> bool:
        """Whether a beginning-of-sequence token stands first."""
        return self.train.bos

    def sample(self, key: jax.Array, batch: int, length: int) -> Batch:
        """Return words to train on, drawn with replacement; under jit, batch and length are static."""
        return self.train.fitted(length).sample(key, batch, length)


def words_of(path: str, settings: Mapping[str, Any], length: int, bos: bool) -> PartedWords:
    """Read the words of a file and part them.

    Args:
        path: A file of `depthjax.tasks.word_files.read_words`.
        settings: The table [words]: the columns `word`, `label` and `part`, the names of all `letters` and `classes`, and,
            where no column says the part, three `shares` and the `key` that parts the words.
        length: Most letters of a word to train or to validate on.
        bos: Whether a beginning-of-sequence token stands first.

    Raises:
        ValueError: The file cannot be read, a key or a value is none of these, the parts do not fit, or a word has more than
            twice `length` letters.
    """
    if unknown := sorted(set(settings) - set(KEYS)):
        raise ValueError(f"[words] has the key {unknown[0]!r}: there are {', '.join(KEYS)}")
    for name in ("word", "label", "part"):
        if not isinstance(settings.get(name, ""), str):
            raise ValueError(f"words.{name} = {settings[name]!r:.60}: expected the name of a column")
    for name in ("letters", "classes"):
        given = settings.get(name, [])
        if not isinstance(given, list) or not all(isinstance(one, str | int) for one in given):
            raise ValueError(f"words.{name} = {given!r:.60}: expected a list of names")
    key = settings.get("key", 0)
    if type(key) is not int:
        raise ValueError(f"words.key = {key!r:.60}: expected an integer")
    if "part" in settings and (both := [name for name in ("shares", "key") if name in settings]):
        told = f"the column {settings['part']!r} says the parts, so this would be ignored"
        raise ValueError(f"words.{both[0]}: {told}; leave it out")
    columns = {name: settings[name] for name in ("word", "label", "part", "letters", "classes") if name in settings}
    try:
        found = dataclasses.replace(read_words(path, **columns), bos=bos)
    except (OSError, ImportError) as error:
        raise ValueError(f"{path} cannot be read ({getattr(error, 'strerror', None) or error})") from error
    longest = int(found.ends.max())
    if longest > 2 * length:
        raise ValueError(
            f"{path}: its longest word has {longest} letters, and tests go to twice length = {length}; set length = "
            f"{-(-longest // 2)} or more, or leave the word out"
        )
    try:
        train, validation, test = found.parts(settings.get("shares", SHARES), key, length)
    except ValueError as error:
        raise ValueError(f"{path}: {error}; length = {length}") from error
    return PartedWords(train.fitted(length), validation.fitted(length), test.fitted(2 * length))


def scores_of_file(
    sampler: PartedWords, model: SequenceModel, tests: int, length: int, key: jax.Array, params: Any, depth: Any
) -> dict[str, jax.Array]:
    """Return "token", "sequence" and "prefix" on words to test on: under "1x" those of up to `length` letters, under "2x" all.

    Where all words to test on have more letters, "1x" is "2x".

    Args:
        sampler: The words.
        model: The network.
        tests: Most words of each test; where there are more, some of them are drawn.
        length: Most letters of a training word.
        key: Key of that draw.
        params: Parameters of the run.
        depth: Its number of layers.
    """
    short, found = sampler.test.only(sampler.test.ends <= length), {}
    for times, words in ((1, short if len(short) else sampler.test), (2, sampler.test)):
        chosen = jax.random.choice(key, len(words), (min(tests, len(words)),), replace=False)
        batch = words.rows(chosen, times * length if len(short) else 2 * length)
        right = correct(model.apply(params, batch.tokens, depth), batch.labels, batch.weights)
        found |= {f"{name}_{times}x": value for name, value in word_accuracy(right, batch.weights).items()}
        found[f"prefix_{times}x"] = longest_prefix(right, sampler.bos)
    return found


def content_of(path: str) -> str:
    """Name of a file with eight digits of its content, so that a cell of other words has another name."""
    try:
        return f"{Path(path).name}.{hashlib.sha256(Path(path).read_bytes()).hexdigest()[:8]}"
    except OSError:
        return Path(path).name
