"""Finite groups as people give them: by name, cycles, matrices modulo a number, multiplication tables of GAP, and files.

>>> finite_group("[[1,1],[0,1]] [[1,0],[1,1]] mod 3").order, finite_group("(1 2 3), (1 2)").order
(24, 6)
>>> finite_group("[ [ 1, 2 ], [ 2, 1 ] ]").order
2
"""

from __future__ import annotations

import csv
import io
import json
import operator
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from theory.groups.foreign import cycles_of
from theory.groups.group import FiniteGroup
from theory.groups.named import group
from theory.reading import once, saved_array, text_of

__all__ = ["finite_group", "gap_table", "is_written_out", "write_group"]

LARGEST = 2**28
"""Most bytes of a file, because a file without an end would fill the memory."""
LARGEST_ROW = 2**14
"""Most entries of a row that is given as a range: a table of so many rows fills the largest file."""
_SUFFIXES = (".json", ".csv", ".tsv", ".txt", ".g", ".gap", ".tbl", ".npy")
_CYCLES = ("(", "Group(")  # how generators in cycles begin
_CONTENT = re.compile(r"[\[{(#]|Group\(|\w+\s*:=|[^\n]*\n")  # how a text begins that no name is
_KEYS = ("table", "permutations", "matrices", "modulus", "name")
_EXPECTED = (
    'expected a multiplication table [[...], ...], {"table": ...}, {"permutations": generators} or {"matrices": generators, '
    '"modulus": p}'
)


def finite_group(given: str | Path | FiniteGroup | Mapping[str, Any] | Any) -> FiniteGroup:
    """The finite group that a name, generators, a table or a file stand for.

    * Whatever `theory.groups.group` takes: names, cycles as text, permutations, groups of sympy, a numpy array as a table.
    * A text with matrices: ``"[[1,1],[0,1]] [[1,0],[1,1]] mod 3"`` generates over the integers modulo 3.
    * A list of sympy's DomainMatrix over GF(p): the group that they generate.
    * A dictionary: ``{"table": rows}``, ``{"permutations": generators}`` or ``{"matrices": generators, "modulus": p}``.
    * A path, or a text that ends in .json, .csv, .tsv, .txt, .g, .gap, .tbl or .npy: JSON with a table or such a dictionary;
      rows of numbers between commas, semicolons or blanks; a table as np.save writes it; GAP's ``[ [ 1, 2 ], [ 2, 1 ] ]``,
      also as ``t := ...;``; or generators in cycles.
    * A text of several lines, or one that opens with ``[``, ``{``, ``#`` or ``t :=``: it is read like the content of a file.

    The table of a file counts from 0, or from 1 as GAP's MultiplicationTable does: its least entry tells. The first element is
    the identity. ``#`` begins a comment.

    Raises:
        ValueError: There is no such group, or the table breaks an axiom; the message names which.
        TooExpensive: The group is too large, see `theory.cost`.
    """
    if isinstance(given, Path):
        return _from_file(given)
    if isinstance(given, Mapping):
        return _from_mapping(given)
    if isinstance(given, str):
        text = given.strip()
        if text.lower().endswith(_SUFFIXES):
            return _from_file(Path(text))
        if is_written_out(text):
            return _from_text(text, "G" if text.startswith(_CYCLES) else "this group")
        return group(given)
    if isinstance(given, (list, tuple)) and given and all(hasattr(each, "domain") for each in given):
        return _over_a_field(list(given))
    return group(given)


def is_written_out(text: str) -> bool:
    """Whether a text is what a file of a group holds, such as generators or a table, and no name or path.

    >>> [is_written_out(text) for text in ("gens := [ (1,2,3) ];", "(1 2), (3 4)", "SL(2,3)", "s3.g")]
    [True, True, False, False]
    """
    return _CONTENT.match(text.strip()) is not None


def _by_cycles(text: str, name: str) -> FiniteGroup:
    """The group of permutations in cycles.

    Raises:
        ValueError: There is none; where points come twice in one permutation, a comma may be what is missing.
    """
    try:
        return FiniteGroup.from_permutations(cycles_of(text) or [], name)
    except ValueError as error:
        if not re.search(r"\)\s*\(", text):
            raise
        raise ValueError(f"{error}. A comma stands between two permutations, as in '(1 2 3), (1 2)'") from error


def gap_table(given: FiniteGroup) -> str:
    """The multiplication table as GAP writes and reads it, counting from 1: ``GroupByMultiplicationTable( ... )`` takes it.

    Raises:
        TypeError: It is no group.

    >>> gap_table(group("C2"))
    '[ [ 1, 2 ], [ 2, 1 ] ]'
    """
    rows = (f"[ {', '.join(str(entry + 1) for entry in row)} ]" for row in _rows(given))
    return f"[ {', '.join(rows)} ]"


def write_group(given: FiniteGroup, path: str | Path) -> Path:
    """Write the multiplication table of a group: .g or .gap for GAP, .json (with the name), or .csv; `finite_group` reads them.

    Raises:
        TypeError: It is no group.
        ValueError: The suffix is another one.
    """
    rows, path = _rows(given), Path(path)
    match path.suffix.lower():
        case ".g" | ".gap":
            text = f"# {' '.join(given.name.split())}\ntable := {gap_table(given)};\n"
        case ".json":
            text = json.dumps({"name": given.name, "table": rows}) + "\n"
        case ".csv":
            text = "".join(",".join(map(str, row)) + "\n" for row in rows)
        case _:
            raise ValueError(f"{path}: expected one of the suffixes .g, .gap, .json, .csv, which say the format")
    path.write_text(text, encoding="utf-8")
    return path


def _rows(given: FiniteGroup) -> list[list[int]]:
    if not isinstance(given, FiniteGroup):
        raise TypeError(f"given = {given!r:.60}: expected a group, such as theory.groups.group('S3')")
    return given.table.tolist()


def _from_file(path: Path) -> FiniteGroup:
    if path.suffix.lower() == ".npy":
        return _from_array(path)
    text = text_of(path, LARGEST)
    try:
        return _from_text(text, path.stem)
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"{path}: {error}") from error


def _from_array(path: Path) -> FiniteGroup:
    """The group of a table that numpy saved."""
    table = saved_array(path)
    if table.ndim != 2 or not np.issubdtype(table.dtype, np.integer):
        what = f"{table.dtype} of shape {table.shape}"
        raise ValueError(
            f"{path} holds {what}: expected a multiplication table, (n, n) integers; matrices of letters, (letters, n, n), "
            "are a recurrence, which `depthjax probe` reads"
        )
    try:
        return _from_mapping({"name": path.stem, "table": table.tolist()})
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _from_text(text: str, name: str) -> FiniteGroup:
    bare = "\n".join(line.partition("#")[0].rstrip() for line in text.splitlines()).strip()
    if not bare:
        raise ValueError(f"it is {'empty' if not text.strip() else 'nothing but comments'}; {_EXPECTED}")
    bare = re.sub(r"^\w+\s*:=\s*|[;\s]+$", "", bare)
    bare = re.sub(r"\[\s*(\d+)\s*\.\.\s*(\d+)\s*\]", _written_out, bare)
    if listed := re.fullmatch(r"\[\s*(\(.*\))\s*\]", bare, re.DOTALL):  # GeneratorsOfGroup prints its permutations in brackets
        bare = listed[1]
    if bare.startswith(_CYCLES):
        return _by_cycles(re.sub(r"\)\s*\n\s*\(", "),(", bare), name)
    if modulus := re.fullmatch(r"(.*)\bmod\s+(\d+)", bare, re.DOTALL):
        matrices = re.sub(r"\]\s*\]\s*,?\s*\[\s*\[", "]],[[", modulus[1].strip())
        matrices = matrices if matrices.startswith("[[[") else f"[{matrices}]"
        return _from_mapping({"matrices": _json(matrices), "modulus": int(modulus[2]), "name": name})
    if bare.startswith(("[", "{")):
        found = _json(bare)
        return _from_mapping({"name": name, **(found if isinstance(found, dict) else {"table": found})})
    if command := re.match(r"(gap>\s*)?[A-Za-z]\w*\s*\(", bare):
        raise ValueError(
            f"{bare[: command.end()][:40]!r} begins a command, which GAP alone runs: save what `MultiplicationTable(G);` or "
            f"`GeneratorsOfGroup(G);` prints; {_EXPECTED}"
        )
    separator = next((sign for sign in "\t;," if sign in bare), " ")
    rows = [[cell for cell in row if cell.strip()] for row in csv.reader(io.StringIO(bare), delimiter=separator)]
    return _from_mapping({"name": name, "table": [row for row in rows if row]})


def _written_out(span: re.Match[str]) -> str:
    """The list of a range such as ``[ 1 .. 6 ]``, as GAP prints rows that count up; one that no row can be stays as it is."""
    first, last = int(span[1]), int(span[2])
    return f"[{', '.join(map(str, range(first, last + 1)))}]" if 0 <= last - first < LARGEST_ROW else span[0]


def _json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise ValueError(f"{text[:40]!r} cannot be read ({error}); {_EXPECTED}") from error


def _from_mapping(given: Mapping[str, Any]) -> FiniteGroup:
    kinds = [key for key in _KEYS[:3] if key in given]
    if unknown := [key for key in given if key not in _KEYS]:
        raise ValueError(f"the key {unknown[0]!r} is not read; {_EXPECTED}")
    if len(kinds) != 1 or ("modulus" in given) != (kinds == ["matrices"]):
        raise ValueError(f"got {', '.join(map(str, given)) or 'nothing'}; {_EXPECTED}")
    name, content = str(given.get("name", "this group")), given[kinds[0]]
    content = content.tolist() if isinstance(content, np.ndarray) else content
    if not isinstance(content, (list, tuple)):
        raise ValueError(f"{kinds[0]} = {content!r:.60}; {_EXPECTED}")
    match kinds[0]:
        case "permutations":
            return FiniteGroup.from_permutations(content, name)
        case "matrices":
            return FiniteGroup.from_matrices(content, given["modulus"], name)
    return FiniteGroup.from_table(_table(content), name)


def _table(rows: Sequence[Any]) -> np.ndarray:
    if not rows or not all(isinstance(row, (list, tuple)) for row in rows):
        raise ValueError(f"table = {rows!r:.60}; {_EXPECTED}")
    for number, row in enumerate(rows):
        if len(row) != len(rows):
            raise ValueError(
                f"row {number} of the table has {len(row)} entries, and there are {len(rows)} rows: it is not square"
            )
    table = np.array([list(map(_element, row)) for row in rows], dtype=np.int64)
    table = table - 1 if table.min() == 1 and table.max() == len(table) else table
    _check_first(table)
    return table


def _element(entry: Any) -> int:
    """The number of an element, from a table or from text.

    Raises:
        ValueError: It is no integer, or one that no table is large enough for.
    """
    try:
        number = int(entry) if isinstance(entry, str) else operator.index(entry)
    except (ValueError, TypeError):
        number = LARGEST
    if isinstance(entry, bool) or abs(number) >= LARGEST:
        raise ValueError(f"the table holds {entry!r:.60}: expected the numbers of elements, from 0 or from 1 on")
    return number


def _check_first(table: np.ndarray) -> None:
    """Refuse a table whose neutral element is not the first one; the axioms would say that there is none.

    Raises:
        ValueError: Another element is neutral; the message says which.
    """
    counted = np.arange(len(table))
    neutral = [element for element in counted if (table[element] == counted).all() and (table[:, element] == counted).all()]
    if neutral and neutral[0]:
        raise ValueError(
            f"the neutral element of the table is element {neutral[0]} (counted from 0): expected element 0; exchange "
            "the two, as rows, as columns and as entries"
        )


def _over_a_field(matrices: list[Any]) -> FiniteGroup:
    moduli = {int(getattr(matrix.domain, "mod", 0)) for matrix in matrices}
    if len(moduli) != 1 or 0 in moduli:
        raise ValueError(f"matrices over {', '.join(str(matrix.domain) for matrix in matrices)}: expected one field GF(p)")
    modulus = moduli.pop()
    plain = [[[int(entry) % modulus for entry in row] for row in matrix.to_list()] for matrix in matrices]
    return FiniteGroup.from_matrices(plain, modulus)
