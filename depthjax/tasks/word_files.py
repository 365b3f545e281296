"""Words and labels from a file: CSV, TSV or parquet, with a label at every letter or one for the whole word.

A row is a word. Its letters stand between blanks, or are its characters if no word of the file has a blank. Its labels are as
many as its letters, or one alone, which is that of the last letter: whether an automaton accepts the word, say. A column of
lists, as pandas writes them ("[0, 1]"), has the entries of its lists as letters or labels.
"""

import csv
import dataclasses
import hashlib
import io
import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Integer, Key

from depthjax.tasks.words import Batch

__all__ = ["FileWords", "Parts", "read_words"]

WORDS = ("word", "words", "input", "inputs", "tokens", "text")
LABELS = ("label", "labels", "target", "targets", "output", "outputs", "accepted")
SHARES = (0.8, 0.1, 0.1)
"""Usual shares of the words to train on, to validate on and to test on."""
_PARTS = {"train": 0, "training": 0, "validation": 1, "valid": 1, "val": 1, "dev": 1, "test": 2, "testing": 2, "eval": 2}
DELIMITERS = ("\t", ",", ";", "|")
"""What parts the cells of a text: the first of these that its first row has."""
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
        part: For each row 0 to train on, 1 to validate on, 2 to test on, where the file says so.
        bos: Whether a beginning-of-sequence token, letter number `letters - 1`, stands first; it has no label.
    """

    tokens: Integer[np.ndarray, "rows longest"]
    labels: Integer[np.ndarray, "rows longest"]
    weights: Float[np.ndarray, "rows longest"]
    letter_names: tuple[str, ...]
    class_names: tuple[str, ...]
    part: Integer[np.ndarray, " rows"] | None = None
    bos: bool = False

    @property
    def letters(self) -> int:
        """Number of tokens."""
        return len(self.letter_names) + self.bos

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
        return self.rows(jax.random.randint(key, (batch,), 0, len(self.tokens)), length)

    def rows(self, numbers: Integer[Array, " batch"], length: int) -> Batch:
        """Return the rows of these numbers, cut after `length` letters; `length` is static."""
        parts = [jnp.asarray(part[:, :length])[numbers] for part in (self.tokens, self.labels, self.weights)]
        if self.bos:
            firsts = (self.letters - 1, 0, 0)
            parts = [jnp.pad(part, ((0, 0), (1, 0)), constant_values=n) for part, n in zip(parts, firsts, strict=True)]
        return Batch(*parts)

    @property
    def ends(self) -> Integer[np.ndarray, " rows"]:
        """Number of letters of each word."""
        return self.weights.shape[1] - np.argmax(self.weights[:, ::-1] > 0, axis=1)

    def only(self, rows: np.ndarray) -> "FileWords":
        """The words of some rows, by number or by truth values."""
        part = None if self.part is None else self.part[rows]
        return dataclasses.replace(
            self, tokens=self.tokens[rows], labels=self.labels[rows], weights=self.weights[rows], part=part
        )

    def fitted(self, length: int) -> "FileWords":
        """The same words in arrays of this length.

        Raises:
            ValueError: Some word has more letters.
        """
        if (most := int(self.ends.max(initial=0))) > length:
            raise ValueError(f"length = {length}: a word has {most} letters")
        more = ((0, 0), (0, max(length - self.tokens.shape[1], 0)))
        tokens, labels, weights = (np.pad(each[:, :length], more) for each in (self.tokens, self.labels, self.weights))
        return dataclasses.replace(self, tokens=tokens, labels=labels, weights=weights)

    def split(self, share: float = 0.2) -> tuple["FileWords", "FileWords"]:
        """Return the words to train on and those to test on, about this share of them.

        A digest of the word decides, so a word is never in both parts, however often it occurs, and the parts are always the
        same ones.

        Raises:
            ValueError: The share is not between 0 and 1, or one of the parts would be empty.
        """
        if not 0 < share < 1:
            raise ValueError(f"share = {share!r}: expected a number between 0 and 1")
        held = self._digests(0) < share
        if held.all() or not held.any():
            raise ValueError(f"share = {share}: of {len(held)} words {int(held.sum())} are left to test on; give more words")
        return self.only(~held), self.only(held)

    def parts(self, shares: Any = SHARES, key: int = 0, most: int | None = None) -> "Parts":
        """Return the words to train on, to validate on and to test on: those of the file's own column, or about these shares.

        A digest of the word and the key decides, so a word is in one part alone, however often it occurs. What is tested is
        what can be learned: every letter and every label of the other parts stands in the words to train on.

        Args:
            shares: Three shares that add up to 1; of no account where the file has a column of its own.
            key: Another integer parts the words otherwise.
            most: Words of more letters are for testing alone.

        Raises:
            ValueError: The shares are no such numbers; a part is empty; a word stands in two parts of the file's column, or has
                more letters than `most` in the wrong one; or a letter or a label is not in the words to train on.
        """
        beyond = self.ends > (self.tokens.shape[1] if most is None else most)
        part = np.where(beyond, 2, self._drawn(shares, key)) if self.part is None else self.part
        if (wrong := beyond & (part < 2)).any():
            name, longest = Parts._fields[part[wrong][0]], int(self.ends[wrong].max())
            raise ValueError(f"a word of the part {name!r} has {longest} letters, expected at most {most}")
        found = Parts(*(self.only(part == number) for number in range(3)))
        for name, words in zip(Parts._fields, found, strict=True):
            if not len(words):
                remedy = "give more words, or other shares or another key" if self.part is None else "name them in its column"
                raise ValueError(f"of {len(self)} words none is left for the part {name!r}; {remedy}")
        if self.part is not None:
            self._apart(found)
        for what, names, each in (("letter", self.letter_names, "tokens"), ("label", self.class_names, "labels")):
            known = _occurring(found.train, each)
            for name, words in zip(Parts._fields[1:], found[1:], strict=True):
                if strange := sorted(_occurring(words, each) - known):
                    raise ValueError(
                        f"the {what} {names[strange[0]]!r} stands in the part {name!r} and in no word to train on, so nobody "
                        "could know it; give more words, or part them otherwise"
                    )
        return found

    def _drawn(self, shares: Any, key: int) -> Integer[np.ndarray, " rows"]:
        numbers = [float(share) for share in shares] if isinstance(shares, (list, tuple, np.ndarray)) else []
        if len(numbers) != 3 or min(numbers) <= 0 or abs(sum(numbers) - 1) > 1e-6:
            raise ValueError(
                f"shares = {shares!r:.60}: expected three numbers above 0 that add up to 1, to train, to validate and to test "
                "on, such as [0.8, 0.1, 0.1]"
            )
        digests = self._digests(key)
        return np.where(digests < numbers[2], 2, np.where(digests < numbers[1] + numbers[2], 1, 0))

    def _digests(self, key: int) -> Float[np.ndarray, " rows"]:
        return np.array([_digest(row[:end].tolist(), key) for row, end in zip(self.tokens, self.ends, strict=True)])

    def _apart(self, found: "Parts") -> None:
        seen: dict[tuple[int, ...], str] = {}
        for name, words in zip(Parts._fields, found, strict=True):
            for row, end in zip(words.tokens.tolist(), words.ends.tolist(), strict=True):
                if (before := seen.setdefault(tuple(row[:end]), name)) != name:
                    word = " ".join(self.letter_names[letter] for letter in row[:end])
                    raise ValueError(f"the word {word[:60]!r} stands in the parts {before!r} and {name!r}: leave one out")


class Parts(NamedTuple):
    """The words of a file in three parts that share no word."""

    train: FileWords
    validation: FileWords
    test: FileWords


def read_words(
    path: str | Path,
    *,
    word: str | None = None,
    label: str | None = None,
    letters: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    part: str | None = None,
) -> FileWords:
    r"""Read words with their labels from .csv, .tsv or .parquet.

    A word is spelled by its characters or, where any word of the file has a blank, by what stands between blanks; a column of
    lists has their entries. A label stands at the last letter of its word; labels of all letters stand between blanks, or are
    spelled by as many characters as the word has letters, in every row of the file. Letters and labels that are numbers are
    sorted as numbers, others as texts. Give `letters` and `classes` where two files must be numbered alike.

    Args:
        path: The file; its first row names the columns, behind lines that begin with # if there are any. Cells are parted by
            commas, tabs, semicolons or bars, whichever the first row has.
        word: Name of the column with the words; by default the first of `WORDS` that is there.
        label: Name of the column with the labels; by default the first of `LABELS` that is there.
        letters: Names of all letters, in the order of their numbers.
        classes: Names of all labels, in the order of their numbers.
        part: Name of a column that says "train", "validation" or "test" of every word, for `FileWords.parts`; None if there is
            none.

    Raises:
        ValueError: The file is empty, a column is missing, a row has no label or another number of labels than letters, or a
            letter or label is not among those given; the message names the row.
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
    written, told = (_unlisted([row[place] for row in rows]) for place in where)
    in_characters = not any(len(word.split()) > 1 for word in written if isinstance(word, str))
    read = [_split(word, spelled=in_characters) for word in written]
    spelled = _spelled(path, list(zip(read, told, strict=True)), classes)
    for number, (row, own, cell) in enumerate(zip(rows, read, told, strict=True), start=2):
        said = _split(cell, spelled=spelled)
        if not own:
            raise ValueError(f"{path}, row {number}: the word is empty, and labels stand at letters")
        if not said:
            raise ValueError(f"{path}, row {number}: the word {row[where[0]]!r:.40} has no label; leave it out or label it")
        if len(said) not in (1, len(own)):
            counts = f"{len(own)} letters and {len(said)} labels"
            raise ValueError(f"{path}, row {number}: {counts}: expected one label for each letter, or one for the whole word")
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
    return FileWords(tokens, targets, weights, *names, _parted(path, head, rows, part))


def _parted(path: Path, head: list[str], rows: list[list[Any]], column: str | None) -> Integer[np.ndarray, " rows"] | None:
    """The part of each row by the column of this name; None without a name."""
    if column is None:
        return None
    place, found = _column(path, head, column, (), "part"), []
    for number, row in enumerate(rows, start=2):
        said = str(row[place]).strip() if place < len(row) else ""
        if said.lower() not in _PARTS:
            raise ValueError(f"{path}, row {number}: {column} = {said!r:.40}: expected train, validation or test")
        found.append(_PARTS[said.lower()])
    return np.array(found)


def _occurring(words: FileWords, which: str) -> set[int]:
    """The letters or the labels of some words; of letters also those that have no label."""
    inside = np.arange(words.tokens.shape[1]) < words.ends[:, None] if which == "tokens" else words.weights > 0
    return set(np.unique(getattr(words, which)[inside]).tolist())


def _table(path: Path) -> tuple[list[str], list[list[Any]]]:
    """The names of the columns, and the cells: texts, or lists of texts."""
    if path.suffix.lower() == ".parquet":
        try:
            for name in ("pandas", "pyarrow"):
                import_module(name)
        except ImportError as error:
            raise ImportError(
                f"{path} is parquet, which needs {error.name}: pip install pandas pyarrow, or write CSV"
            ) from None
        try:
            frame = import_module("pandas").read_parquet(path)
        except ValueError as error:
            raise ValueError(f"{path} cannot be read as parquet ({error})") from None
        cells = frame.astype(object).where(frame.notna(), "")  # what is missing is empty
        return list(map(str, frame.columns)), [[_cell(cell) for cell in row] for row in cells.itertuples(index=False)]
    if path.stat().st_size > _LARGEST:
        raise ValueError(f"{path} has more than {_LARGEST} bytes")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no text in UTF-8 ({error.reason})") from None
    begun = re.sub(r"\A(\s*(#[^\n]*)?\n)*", "", text.replace("\r\n", "\n") + "\n")  # comments stand before the head alone
    head = begun.partition("\n")[0]
    delimiter = next((mark for mark in DELIMITERS if mark in head), ",")
    try:
        table = list(csv.reader(io.StringIO(begun, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise ValueError(f"{path} cannot be read as a table ({error})") from None
    table = [row for row in table if any(map(str.strip, row))]
    if not table:
        raise ValueError(f"{path} is empty: expected a row with the names of the columns, such as word,label")
    return [name.strip() for name in table[0]], table[1:]


def _cell(cell: object) -> str | list[str]:
    """A cell of a frame as text; the entries of a list as texts."""
    return list(map(str, cell)) if isinstance(cell, (list, tuple, np.ndarray)) else str(cell)


def _unlisted(cells: list[Any]) -> list[Any]:
    """The entries of cells that are all lists, as pandas and numpy write them in CSV; other cells as they are.

    >>> _unlisted(["[0, 1]", "[10]"]), _unlisted(["['a' 'b']"]), _unlisted(["[][]", "[a]"])
    ([['0', '1'], ['10']], [['a', 'b']], ['[][]', '[a]'])
    """
    found = [_entries(cell) if isinstance(cell, str) else cell for cell in cells]
    several = any(len(each) > 1 for each in found if each is not None)
    return found if several and all(each is not None for each in found) else cells


def _entries(cell: str) -> list[str] | None:
    listed = re.fullmatch(r"\[\s*(.*?)[\s,]*\]|\(\s*(.*?,.*?)[\s,]*\)", cell.strip(), re.DOTALL)
    inside = (listed[1] or listed[2] or "").rstrip(", ") if listed else ""
    parts = re.split(r"\s*,\s*|\s+", inside) if inside else []
    found = [re.fullmatch(r"""(['"]?)([^\s'"\[\](),]+)\1""", part) for part in parts]
    return [entry[2] for entry in found if entry] if found and all(found) else None


def _column(path: Path, head: list[str], name: str | None, known: Iterable[str], what: str) -> int:
    lower = [each.lower() for each in head]
    for each in [name] if name is not None else known:
        if each in head or each in lower:
            return head.index(each) if each in head else lower.index(each)
    wanted = repr(name) if name is not None else f"one of {', '.join(known)}"
    raise ValueError(f"{path} has the columns {', '.join(head)}: none is {wanted}; name it with {what}=")


def _spelled(path: Path, rows: list[tuple[list[str], Any]], classes: Sequence[str] | None) -> bool:
    """Whether labels without blanks are spelled letter by letter: the file decides, not the row.

    Raises:
        ValueError: Some labels are as long as their words, and others are not.
    """
    plain = [(number, word, label.strip()) for number, (word, label) in enumerate(rows, start=2) if isinstance(label, str)]
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


def _split(cell: str | list[str], *, spelled: bool = True) -> list[str]:
    """The parts of a text between blanks; without any, its characters if it is spelled, else the whole."""
    if not isinstance(cell, str):
        return cell
    parts = cell.split()
    return list(parts[0]) if len(parts) == 1 and spelled else parts


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


def _digest(word: list[int], key: int = 0) -> float:
    """A number between 0 and 1 that depends on the word and the key alone."""
    return int(hashlib.sha256(repr((key, word) if key else word).encode()).hexdigest()[:12], 16) / 16**12
