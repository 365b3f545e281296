"""Alphabets: the letters that a user gives, or those that a text speaks of; the one rule of expressions and formulas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["alphabet_of", "listed"]


def alphabet_of(
    what: str, spoken: Iterable[str], letters: str | Sequence[str] | None = None, *, least: int = 0
) -> tuple[str, ...]:
    """The given alphabet, or else the letters that a text speaks of, sorted.

    Args:
        what: The text, for messages: "the formula a S b".
        spoken: The letters that it speaks of.
        letters: The alphabet: different letters in any order, or a text whose characters are the letters (with blanks in it,
            its words are).
        least: Number of letters to which spoken ones are filled up, at most 2.

    Raises:
        ValueError: The alphabet is empty, has a letter twice, or lacks a letter of the text.

    >>> alphabet_of("a | c", "ca"), alphabet_of("a", "a", least=2), alphabet_of("", "", least=2), alphabet_of("x", "x", "x y")
    (('a', 'c'), ('a', 'b'), ('a', 'b'), ('x', 'y'))
    """
    known = tuple(sorted(set(spoken)))
    if letters is None:
        spare = [letter for letter in "ab" if letter not in known]  # at most one letter is known where one is wanted
        found = tuple(sorted((*known, *spare[: max(least - len(known), 0)])))
        if not found:
            raise ValueError(f"{what} has no letters: name at least one in `letters`")
        return found
    given = _given(letters)
    if len(set(given)) < len(given) or not given:
        raise ValueError(f"letters = {letters!r}: the alphabet must have one letter at least and none twice")
    if missing := sorted(set(known) - set(given)):
        lacking = f"the letter{'s' * (len(missing) > 1)} {', '.join(map(repr, missing))}"
        add = f"add {'it' if len(missing) == 1 else 'them'} to `letters`"
        raise ValueError(f"{what} speaks of {lacking}; the alphabet is {listed(given)}: {add}")
    return given


def listed(letters: Iterable[str]) -> str:
    """The letters in one line; a letter that nobody would see, or that holds a comma or a blank, stands in quotes.

    >>> listed(["a", " ", "open"])
    "a, ' ', open"
    """
    return ", ".join(
        letter if letter.isprintable() and not set(letter) & set(" ,'") and letter else repr(letter) for letter in letters
    )


def _given(letters: str | Sequence[str]) -> tuple[str, ...]:
    if isinstance(letters, str):
        return tuple(letters.split()) if letters.strip() and len(letters.split()) > 1 else tuple(letters)
    if not isinstance(letters, Sequence) or not all(isinstance(letter, str) and letter for letter in letters):
        raise ValueError(f'letters = {letters!r:.80}: expected different texts, such as "ab" or ["open", "shut"]')
    return tuple(letters)
