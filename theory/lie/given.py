"""Lie algebras as people give them: by a name, as a direct sum of names, by matrices, by structure constants, from a file.

>>> lie_algebra("so3 x heisenberg").derived_dimensions, lie_algebra("su2^2").dimension
((6, 4, 3, 3), 6)
>>> lie_algebra([[[0, 1], [0, 0]], [[0, 0], [1, 0]]]).dimension
3
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from theory.cost import refuse
from theory.lie.algebra import LieAlgebra
from theory.lie.cost import structure
from theory.lie.named import NAMES
from theory.lie.named import named as family
from theory.lie.simple import SIMPLE, simple
from theory.reading import once, text_of

__all__ = ["direct_sum", "lie_algebra", "named", "summands"]

LARGEST = 2**26
"""Most bytes of a file, because a file without an end would fill the memory."""
_KEYS = ("matrices", "generators", "constants", "brackets", "basis", "name")
_EXPECTED = (
    'expected a list of matrices, or an object with one of "matrices" (a basis), "generators" (matrices that generate), '
    '"constants" (c[i][j][k]) or "brackets" ({"x,y": {"z": 1}})'
)


def lie_algebra(given: str | Path | LieAlgebra | Mapping[str, Any] | Sequence[Any] | np.ndarray) -> LieAlgebra:
    """The Lie algebra that a name, matrices, structure constants or a file stand for.

    * A name or a direct sum of names, as `named` reads them: so3, sl2, heisenberg, su3, so(3,1), g2, ``"so3 x heisenberg"``, ..
    * A sequence of square matrices, of numbers or of sympy: the algebra that they generate.
    * A dictionary: ``{"generators": matrices}``, ``{"matrices": basis}``, ``{"constants": c}`` with entry k of ``c[i][j]`` the
      coordinate k of the bracket of i and j, or ``{"brackets": {"x,y": {"z": 1}}, "basis": ["x", "y", "z"]}``, in which each
      bracket stands once, and the others are 0.
    * A path, or a text that ends in ``.json``: the same as JSON. A text that opens with ``[`` or ``{`` is JSON itself. Decimal
      numbers are read exactly (0.1 is 1/10), and ``"1/3"`` is a fraction.

    Raises:
        ValueError: There is no such algebra, or an axiom fails; the message names what.
        TypeError: What is given is none of these.
        TooExpensive: The algebra is too large, see `theory.cost`.
    """
    if isinstance(given, LieAlgebra):
        return given
    if isinstance(given, Path):
        return _from_file(given)
    if isinstance(given, str):
        text = given.strip()
        if text.startswith(("[", "{")):
            return _from_json(text, "the text", "this algebra")
        return _from_file(Path(text)) if text.endswith(".json") else named(text)
    if isinstance(given, Mapping):
        return _from_mapping(given)
    if isinstance(given, (Sequence, np.ndarray)):
        return LieAlgebra.generated_by(list(given), "this algebra")
    raise TypeError(f"given = {given!r:.80}: expected a name, matrices, structure constants or the path of a JSON file")


def named(name: str) -> LieAlgebra:
    """The Lie algebra of a name, or the direct sum of several.

    * Families: abelian3, so3, sl2, gl4, sp4, heisenberg (heisenberg5, ..), aff1, se2, upper4, strict4, graded3, free2_5.
    * Real forms: su3, su(p,q), u2, so(p,q), usp4, iso(p,q), lorentz, poincare.
    * Exceptional algebras: g2, f4, e6, e7, e8, the split forms.
    * A direct sum: ``"so3 x heisenberg"``, with ``x``, ``+`` or ``⊕``; ``"su2^3"`` has three equal summands.

    All but the free nilpotent and the exceptional algebras have ``.matrices``, integer matrices in the order of the basis.

    Raises:
        ValueError: There is no algebra of this name, or the family has no member of this size.
        TypeError: The name is not a text.
        TooExpensive: The algebra is too large, see `theory.cost`.

    >>> named("upper4").derived_dimensions, named("su(2,1)").dimension, named("g2 x so3").is_semisimple
    ((10, 6, 3, 0), 8, True)
    """
    return direct_sum(*map(_one, summands(name)))


def summands(name: str) -> list[str]:
    """The names whose direct sum a name stands for, each as often as it is there.

    Raises:
        ValueError: A name is missing.
        TypeError: The name is not a text.

    >>> summands("so3 x su2^2")
    ['so3', 'su2', 'su2']
    """
    if not isinstance(name, str):
        raise TypeError(f"name = {name!r:.80}: expected a text, one of {NAMES}, {SIMPLE}.")
    parts = [part.strip() for part in re.split(r"[x×⊕+]", name)]
    if not all(parts) or not name.isprintable():
        raise ValueError(
            f"no Lie algebra is called {name!r}: expected a name; a direct sum has names joined by x, as in 'so3 x heisenberg'."
        )
    found = []
    for part in parts:
        match = re.fullmatch(r"(.*?)\s*\^\s*([1-9]\d?)", part)
        found += [match[1] if match else part] * (int(match[2]) if match else 1)
    return found


def direct_sum(*summands: LieAlgebra) -> LieAlgebra:
    """The direct sum: brackets inside each summand, none between them; the bases follow each other.

    Matrices of the summands stand in blocks, where all of them have matrices.

    Raises:
        ValueError: There is no summand.
        TypeError: A summand is no Lie algebra.
        TooExpensive: The sum is too large, see `theory.cost`.

    >>> direct_sum(named("so3"), named("upper2")).derived_dimensions
    (6, 4, 3, 3)
    """
    if not summands:
        raise ValueError("direct_sum was given nothing: expected one algebra at least.")
    if wrong := [each for each in summands if not isinstance(each, LieAlgebra)]:
        raise TypeError(f"direct_sum was given {wrong[0]!r:.60}: expected Lie algebras, such as named('so3').")
    if len(summands) == 1:
        return summands[0]
    sizes = [each.dimension for each in summands]
    name = " x ".join(each.name or "this algebra" for each in summands)
    refuse(structure(sum(sizes), 0, name))
    constants = np.zeros((sum(sizes),) * 3, np.result_type(*(each.constants for each in summands)))
    matrices: list[np.ndarray] | None = []
    rows = [len(each.matrices[0]) if each.matrices is not None else 0 for each in summands]
    for number, each in enumerate(summands):
        place = slice(sum(sizes[:number]), sum(sizes[: number + 1]))
        constants[place, place, place] = each.constants
        if each.matrices is None or matrices is None:
            matrices = None
            continue
        for matrix in each.matrices:
            whole = np.zeros((sum(rows),) * 2, np.asarray(matrix).dtype)
            block = slice(sum(rows[:number]), sum(rows[: number + 1]))
            whole[block, block] = matrix
            matrices.append(whole)
    return LieAlgebra(constants, None if matrices is None else tuple(matrices), name)


def _one(name: str) -> LieAlgebra:
    found = simple(name)
    if found is not None:
        return found
    try:
        return family(name)
    except ValueError as error:
        if not str(error).startswith("no Lie algebra"):
            raise
        raise ValueError(
            f"no Lie algebra is called {name!r}: expected one of {NAMES}, {SIMPLE}, a direct sum such as so3 x heisenberg, or "
            "the path of a JSON file with matrices or structure constants."
        ) from None


def _from_file(path: Path) -> LieAlgebra:
    return _from_json(text_of(path, LARGEST), str(path), path.stem)


def _from_json(text: str, where: str, name: str) -> LieAlgebra:
    try:
        found = json.loads(text, parse_float=Fraction, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:  # a key that stands twice, or a number of too many digits, among them
        raise ValueError(f"{where} cannot be read as JSON ({error}); {_EXPECTED}") from error
    if not isinstance(found, (list, dict)):
        raise ValueError(f"{where} holds {found!r:.60}; {_EXPECTED}")
    try:
        return _from_mapping({"name": name, **(found if isinstance(found, dict) else {"generators": found})})
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where}: {error}") from error


def _from_mapping(given: Mapping[str, Any]) -> LieAlgebra:
    unknown = sorted(set(given) - set(_KEYS))
    kinds = [key for key in _KEYS[:4] if key in given]
    if unknown or len(kinds) != 1 or ("basis" in given and kinds != ["brackets"]):
        what = f"the key {unknown[0]!r} is not read" if unknown else f"got {', '.join(map(str, given)) or 'nothing'}"
        raise ValueError(f"{what}; {_EXPECTED}")
    name, value = str(given.get("name", "this algebra")), given[kinds[0]]
    match kinds[0]:
        case "matrices":
            return LieAlgebra.from_matrices(_numbers(value), name)
        case "generators":
            return LieAlgebra.generated_by(_numbers(value), name)
        case "constants":
            return LieAlgebra.from_structure_constants(_numbers(value), name)
    return _from_brackets(value, given.get("basis"), name)


def _from_brackets(brackets: Any, basis: Any, name: str) -> LieAlgebra:
    if not isinstance(brackets, Mapping) or not all(isinstance(row, Mapping) for row in brackets.values()):
        raise ValueError(f'brackets = {brackets!r:.80}: expected {{"x,y": {{"z": 1}}, ..}}, each bracket once')
    pairs = {}
    for key, row in brackets.items():
        pair = tuple(part.strip() for part in key.split(",")) if isinstance(key, str) else tuple(key)
        if len(pair) != 2 or pair in pairs or pair[::-1] in pairs or pair[0] == pair[1]:
            raise ValueError(f"brackets[{key!r}]: expected two different elements as in 'x,y', and each pair once")
        pairs[pair] = row
    used = dict.fromkeys([*(each for pair in pairs for each in pair), *(each for row in pairs.values() for each in row)])
    names = list(used) if basis is None else list(basis)
    if missing := [each for each in used if each not in names]:
        raise ValueError(f"brackets speak of {missing[0]!r}, which is not in the basis {', '.join(map(str, names))}")
    if not names or len(set(names)) < len(names):
        raise ValueError(f"basis = {names!r:.80}: expected one name for each element, none twice")
    index = {each: number for number, each in enumerate(names)}
    constants = np.zeros((len(names),) * 3, object)
    for (x, y), row in pairs.items():
        for z, coefficient in row.items():
            value = _numbers(coefficient)
            constants[index[x], index[y], index[z]], constants[index[y], index[x], index[z]] = value, -value
    return LieAlgebra.from_structure_constants(constants, name)


def _numbers(value: Any) -> Any:
    """Texts such as "1/3" as fractions, at any depth; all else as it is."""
    if isinstance(value, (list, tuple)):
        return [_numbers(each) for each in value]
    if isinstance(value, str):
        try:
            return Fraction(value)
        except (ValueError, ZeroDivisionError):
            raise ValueError(
                f"{value!r} is no number: expected an integer, a decimal number, or a fraction such as 1/3"
            ) from None
    return value
