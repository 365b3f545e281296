"""Words and labels from a file: CSV, TSV or parquet, with a label at every letter or one for the whole word.

A row is a word. Its letters stand between blanks, or are its characters if there are none. Its labels are as many as its
letters, or one alone, which is that of the last letter: whether an automaton accepts the word, say.
"""

import csv
import dataclasses
import hashlib
import io
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Integer, Key

from depthjax.tasks.words import Batch

__all__ = ["FileWords", "read_words"]

WORDS = ("word", "words", "input", "inputs", "tokens", "text")
LABELS = ("label", "labels", "target", "targets", "output", "outputs", "accepted")
_LARGEST = 2**31
_TRUTH = {"true", "false", "yes", "no"}  # stand for whole words, however many letters these have


@dataclasses.dataclass(frozen=True, eq=False)
class FileWords:
    """The words of a file as a sampler for training; it draws rows with replacement.

    Attributes:
        tokens: Numbers of the letters, padded with 0 behind the end of a word.
        labels: Numbers of the labels, 0 where there is none.
        weights: 1 at each letter that has a label, else 0.
        letter_names: Name of each letter, in the order of their numbers.
        class_names: Name of each label, in the order of their numbers.
    """

    tokens: Integer[np.ndarray, "rows longest"]
    labels: Integer[np.ndarray, "rows longest"]
    weights: Float[np.ndarray, "rows longest"]
    letter_names: tuple[str, ...]
    class_names: tuple[str, ...]
    bos: bool = dataclasses.field(default=False, init=False)

    @property
    def letters(self) -> int:
        """Number of letters."""
        return len(self.letter_names)

    @property
    def classes(self) -> int:
        """Number of labels."""
        return len(self.class_names)

    def __len__(self) -> int:
        return len(self.tokens)

    def sample(self, key: Key[Array, ""], batch: int, length: int) -> Batch:
        """Return rows with the label at every letter that has one; under jit, batch and length are static.

        Raises:
            ValueError: The file's words are shorter than `length`; or they are longer, and some label would be cut off.
        """
        longest = self.tokens.shape[1]
        if length > longest:
            raise ValueError(f"length = {length}: the longest word of the file has {longest} letters")
        if length < longest and not self.weights[:, :length].any(axis=1).all():
            raise ValueError(
                f"length = {length}: the label of some word stands behind it; words of up to {longest} letters are read whole"
            )
        rows = jax.random.randint(key, (batch,), 0, len(self.tokens))
        parts = (jnp.asarray(part[:, :length])[rows] for part in (self.tokens, self.labels, self.weights))
        return Batch(*parts)

    def split(self, share: float = 0.2) -> tuple["FileWords", "FileWords"]:
        """Return the words to train on and those to test on, about this share of them.

        A digest of the word decides, so a word is never in both parts, however often it occurs, and the parts are always the
        same ones.

        Raises:
            ValueError: The share is not between 0 and 1, or one of the parts would be empty.
        """
        if not 0 < share < 1:
            raise ValueError(f"share = {share!r}: expected a number between 0 and 1")
        ends = [int(np.flatnonzero(row)[-1]) + 1 for row in self.weights]
        held = np.array([_digest(row[:end].tolist()) < share for row, end in zip(self.tokens, ends, strict=True)])
        if held.all() or not held.any():
            raise ValueError(f"share = {share}: of {len(held)} words {int(held.sum())} are left to test on; give more words")
        first, second = (
            dataclasses.replace(self, tokens=self.tokens[of], labels=self.labels[of], weights=self.weights[of])
            for of in (~held, held)
        )
        return first, second


def read_words(
    path: str | Path,
    *,
    word: str | None = None,
    label: str | None = None,
    letters: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
) -> FileWords:
    r"""Read words with their labels from .csv, .tsv or .parquet.

    A word is spelled by its characters, or by what stands between blanks. A label stands at the last letter of its word; labels
    of all letters stand between blanks, or are spelled by as many characters as the word has letters, in every row of the file.
    Letters and labels that are numbers are sorted as numbers, others as texts. Give `letters` and `classes` where two files
    must be numbered alike.

    Args:
        path: The file; its first row names the columns.
        word: Name of the column with the words; by default the first of `WORDS` that is there.
        label: Name of the column with the labels; by default the first of `LABELS` that is there.
        letters: Names of all letters, in the order of their numbers.
        classes: Names of all labels, in the order of their numbers.

    Raises:
        ValueError: The file is empty, a column is missing, a row has another number of labels than letters, or a letter or
            label is not among those given; the message names the row.
        ImportError: The file is parquet, and pandas or pyarrow is not installed.
        OSError: The file cannot be read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "mine.csv").write_text("word,accepted\nab,1\nba,0\n")
    ...     found = read_words(f"{folder}/mine.csv")
    >>> found.letter_names, found.class_names, found.tokens.tolist(), found.weights.tolist()
    (('a', 'b'), ('0', '1'), [[0, 1], [1, 0]], [[0.0, 1.0], [0.0, 1.0]])
    """
    path = Path(path)
    head, rows = _table(path)
    where = [_column(path, head, name, known, what) for name, known, what in ((word, WORDS, "word"), (label, LABELS, "label"))]
    if not rows:
        raise ValueError(f"{path} has no rows below its columns {', '.join(head)}")
    words, labels = [], []
    for number, row in enumerate(rows, start=2):
        if len(row) <= max(where):
            raise ValueError(f"{path}, row {number}: it has {len(row)} columns, and the head has {len(head)}")
    spelled = _spelled(path, [(row[where[0]], row[where[1]]) for row in rows], classes)
    for number, row in enumerate(rows, start=2):
        own, said = _split(row[where[0]]), _split(row[where[1]], spelled=spelled)
        if not own:
            raise ValueError(f"{path}, row {number}: the word is empty, and labels stand at letters")
        if len(said) not in (1, len(own)):
            told = f"{len(own)} letters and {len(said)} labels"
            raise ValueError(f"{path}, row {number}: {told}: expected one label for each letter, or one for the whole word")
        words.append(own)
        labels.append(said)
    names = _named(path, words, letters, "letter"), _named(path, labels, classes, "label")
    longest = max(map(len, words))
    tokens, targets = np.zeros((2, len(words), longest), np.int32)
    weights = np.zeros((len(words), longest), np.float32)
    index = [{name: n for n, name in enumerate(each)} for each in names]
    for row, (own, said) in enumerate(zip(words, labels, strict=True)):
        tokens[row, : len(own)] = [index[0][letter] for letter in own]
        place = slice(len(own) - len(said), len(own))
        targets[row, place] = [index[1][each] for each in said]
        weights[row, place] = 1
    return FileWords(tokens, targets, weights, *names)


def _table(path: Path) -> tuple[list[str], list[list[str]]]:
    if path.suffix.lower() == ".parquet":
        try:
            for name in ("pandas", "pyarrow"):
                import_module(name)
        except ImportError as error:
            raise ImportError(
                f"{path} is parquet, which needs {error.name}: pip install pandas pyarrow, or write CSV"
            ) from None
        frame = import_module("pandas").read_parquet(path)
        return list(map(str, frame.columns)), [[_cell(cell) for cell in row] for row in frame.itertuples(index=False)]
    if path.stat().st_size > _LARGEST:
        raise ValueError(f"{path} has more than {_LARGEST} bytes")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no text ({error.reason})") from None
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        raise ValueError(f"{path} is empty: expected a row with the names of the columns, such as word,label")
    table = list(csv.reader(io.StringIO("\n".join(lines)), delimiter="\t" if "\t" in lines[0] else ","))
    return [name.strip() for name in table[0]], table[1:]


def _cell(cell: object) -> str:
    """A cell of a frame as text; a list is its entries between blanks."""
    return " ".join(map(str, cell)) if isinstance(cell, (list, tuple, np.ndarray)) else str(cell)


def _column(path: Path, head: list[str], name: str | None, known: Iterable[str], what: str) -> int:
    lower = [each.lower() for each in head]
    for each in [name] if name is not None else known:
        if each in head or each in lower:
            return head.index(each) if each in head else lower.index(each)
    wanted = repr(name) if name is not None else f"one of {', '.join(known)}"
    raise ValueError(f"{path} has the columns {', '.join(head)}: none is {wanted}; name it with {what}=")


def _spelled(path: Path, rows: list[tuple[str, str]], classes: Sequence[str] | None) -> bool:
    """Whether labels without blanks are spelled letter by letter: the file decides, not the row.

    Raises:
        ValueError: Some labels are as long as their words, and others are not.
    """
    plain = [(number, _split(word), label.strip()) for number, (word, label) in enumerate(rows, start=2)]
    longer = {number: len(word) == len(label) for number, word, label in plain if len(label) > 1 and len(label.split()) == 1}
    texts = {label for number, _, label in plain if number in longer}
    if (classes is not None and texts <= set(map(str, classes))) or {label.lower() for label in texts} <= _TRUTH:
        return False
    if len(set(longer.values())) > 1:
        first, other = (next(number for number, fits in longer.items() if fits is wanted) for wanted in (True, False))
        raise ValueError(
            f"{path}: the label in row {first} has as many characters as its word has letters, and that in row {other} has "
            "not: put blanks between the labels of letters, or name the labels of whole words by classes="
        )
    return all(longer.values())


def _split(text: str, *, spelled: bool = True) -> list[str]:
    """The parts of a text between blanks; without any, its characters if it is spelled, else the whole."""
    text = text.strip()
    if len(text.split()) > 1:
        return text.split()
    return list(text) if spelled else [text]


def _named(path: Path, rows: list[list[str]], given: Sequence[str] | None, what: str) -> tuple[str, ...]:
    found = {name for row in rows for name in row}
    if given is None:
        return tuple(sorted(found, key=lambda name: (0, int(name), name) if name.lstrip("-").isdecimal() else (1, 0, name)))
    names = tuple(map(str, given))
    if len(set(names)) < len(names):
        raise ValueError(f"{what}s = {given!r:.80}: one of them stands there twice")
    for number, row in enumerate(rows, start=2):
        if strange := [name for name in row if name not in names]:
            raise ValueError(f"{path}, row {number}: the {what} {strange[0]!r} is none of {', '.join(names)}")
    return names


def _digest(word: list[int]) -> float:
    """A number between 0 and 1 that depends on the word alone."""
    return int(hashlib.sha256(repr(word).encode()).hexdigest()[:12], 16) / 16**12
