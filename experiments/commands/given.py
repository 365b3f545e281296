"""What a text on a command line stands for: a group, an automaton or a Lie algebra, by name, written out, or in a file."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments.terminal import UsageError

OF_GROUPS = (".csv", ".tsv", ".txt", ".g", ".gap", ".tbl", ".npy")
OF_AUTOMATA = (".hoa", ".dot", ".gv", ".ba")
REFUSED = {
    "tc0": "TC0 is a class of circuits, not a number of layers. Constant depth with log(n) bits lies in TC0, and so do "
    "solvable groups and automata; whether a word problem that is not solvable, such as that of S5, does is open (it is "
    "complete for NC1). `depthjax bound layers S5` says which case it is",
    "nc1": "NC1 is a class of circuits: the word problem of every group that is not solvable is complete for it (Barrington "
    "1989). `depthjax bound layers S5` says whether a group is, and how many layers doubling takes",
    "ac0": "AC0 is a class of circuits: it holds the star-free languages, which need no counter. `depthjax bound automaton "
    "regex:EXPRESSION` says whether one is aperiodic",
}
"""What is asked for and has no number, with the reason and the question that comes nearest."""


def refused(text: str) -> str | None:
    """The reason why what a text names has no number of layers; None if it is not in `REFUSED`."""
    return REFUSED.get(text.lower().replace("^", ""))


def with_option(words: list[str]) -> list[str]:
    """The words behind ``bound``, with the option that a bare word behind the name of a bound stands for: what it is about.

    Raises:
        UsageError: The word names nothing whose layers are counted, or the option is there as well.
    """
    if len(words) < 2 or words[0].startswith("-") or words[1].startswith("-"):
        return words
    name, what, *rest = words
    if name == "layers" and (reason := refused(what)):
        raise UsageError(f"`depthjax bound layers` was given {what!r}: {reason}")
    option = f"--{kind_of(what)}" if name == "layers" else "--group" if _asks_for_a_group(name) else None
    if option is None:
        return words
    if any(word.partition("=")[0] == option for word in rest):
        raise UsageError(f"`depthjax bound {name}` was given {what!r} and {option}: say the group, automaton or algebra once")
    return [name, option, what, *rest]


def _asks_for_a_group(name: str) -> bool:
    """Whether a bound is about a group, and says so by an option."""
    from theory.bounds.index import entry

    found = entry(name)
    return found is not None and not found.subject and next(iter(found.signature.parameters), "") == "group"


def kind_of(text: str) -> str:
    """Whether a text stands for a ``group``, an ``automaton`` or an ``algebra``; the first of them that it can be.

    Raises:
        UsageError: It is none of them.
    """
    from theory.cost import TooExpensive

    found = (
        ""
        if (lower := text.lower()).endswith(".json")
        else next((kind for kind, endings in (("group", OF_GROUPS), ("automaton", OF_AUTOMATA)) if lower.endswith(endings)), "")
    )
    if found or text.startswith("regex:"):
        return found or "automaton"
    why = {}
    for kind, read in _READERS.items():
        try:
            read(text)
        except TooExpensive:
            return kind
        except (ValueError, TypeError) as error:
            why[kind] = str(error).removeprefix(f"{text}: ").removeprefix(f"{text} ")
            continue
        return kind
    if Path(text).suffix == ".json":
        told = "; ".join(f"as a{'n' * (kind[0] == 'a')} {kind}: {reason[:300]}" for kind, reason in why.items())
        raise UsageError(f"{text} is no group, no automaton and no Lie algebra. {told}")
    if re.match(r"\s*(group)?\(\s*\d|\s*\w+\s*:=|\s*\[.*\bmod\s+\d+\s*$", text, re.IGNORECASE | re.DOTALL):  # cycles; matrices
        raise UsageError(why["group"])
    near = f"did you mean {meant!r}? Else " if (meant := _meant(text)) else ""
    raise UsageError(
        f"{text!r} names no group, no automaton and no Lie algebra: {near}give a language as --expression, a formula as "
        "--formula"
    )


def _meant(text: str) -> str | None:
    """The name that a text may be another spelling of; None if there is none."""
    from theory.cost import TooExpensive

    bare = re.sub(r"[\s_-]+", "", text)
    matrices = re.fullmatch(r"([GSP]+L)\(?(\d+),?\(?[Ffqz(]*(\d+)\)*", bare, re.IGNORECASE)
    fields = [f"{matrices[1].upper()}({matrices[2]},{matrices[3]})"] if matrices else []
    for spelled in dict.fromkeys((*fields, bare, bare.lower(), bare.upper(), re.sub(r"[\s-]+", "_", text.lower()))):
        for read in _READERS.values():
            try:
                read(spelled)
            except TooExpensive:
                return spelled
            except (ValueError, TypeError):
                continue
            return spelled
    return None


def resolved(annotation: Any, text: str) -> Any:
    """The object that a text stands for, for a parameter of this type; the text itself where the bound reads it by name.

    Raises:
        ValueError: It is the path of a file that cannot be read, or its content is no such object.
    """
    from theory.groups.given import is_written_out

    types = str(annotation)
    if "LieAlgebra" in types:
        return text
    lower = text.lower().strip()
    if "FiniteGroup" in types and "Semiautomaton" in types and lower.endswith(".json"):
        return _readable(text)
    if "FiniteGroup" in types and (lower.endswith(OF_GROUPS) or re.search(r"\]\s*mod\s+\d+$|^(group)?\(|^\w+\s*:=", lower)):
        return _group(text)
    if "Semiautomaton" in types:
        path = Path(text).suffix not in ("", ".json") or (
            ("/" in text or lower.startswith("hoa:")) and not lower.endswith("json")
        )
        path = path or (lower.endswith(".json") and _begins(text, ("HOA:", "digraph", "strict digraph")))
        if not lower.startswith(("regex:", "(", "group(")) and (
            lower.startswith(("[", "{")) or path or re.fullmatch(r"t_?\d+", lower)
        ):
            from theory.automata import load

            return load(text)
        return text
    return _group(text) if "FiniteGroup" in types and (is_written_out(text) or lower.endswith(".json")) else text


def _readable(path: str) -> Any:
    """The automaton of a file, or else the group."""
    try:
        return _automaton(path)
    except ValueError as error:
        try:
            return _group(path)
        except ValueError:
            raise error from None


def _begins(path: str, words: tuple[str, ...]) -> bool:
    """Whether a file has the name of one format and the content of another."""
    try:
        if not Path(path).is_file():
            return False
        with open(path, "rb") as file:
            return file.read(64).lstrip().startswith(tuple(word.encode() for word in words))
    except OSError:
        return False


def _group(text: str) -> Any:
    from theory.groups import finite_group

    return finite_group(text)


def _group_name(text: str) -> Any:
    from theory.groups.cost import order_of_name
    from theory.groups.given import is_written_out
    from theory.groups.spelling import standard_name

    if is_written_out(text) or text.lower().endswith(".json"):
        return _group(text)
    if not (order := order_of_name(standard_name(text))[0]):
        raise ValueError(f"no group is named {text!r}")
    return order


def _automaton(text: str) -> Any:
    from theory.automata import load

    return load(text)


def _algebra(text: str) -> Any:
    from theory.lie import lie_algebra

    return lie_algebra(text)


_READERS: dict[str, Callable[[str], Any]] = {"group": _group_name, "automaton": _automaton, "algebra": _algebra}
