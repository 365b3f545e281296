"""Formulas that were handed over as plain arrays, compiled to attention."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace

import numpy as np

from depthjax.constructions.compiled.formulas import CompiledFormulas, compile_formulas

__all__ = ["compiled"]


def compiled(programs: Mapping[str, Sequence | np.ndarray], mask: str = "strict", ties: str = "nearest") -> CompiledFormulas:
    """Return the network of formulas whose parts are given by name, each with one entry for each formula.

    Args:
        programs: The arrays that `compile_formulas` reads.
        mask: Mask of the hard heads, "strict" or "causal".
        ties: Where ties go, "nearest" or "farthest".
    """
    each = zip(*programs.values(), strict=True)
    return compile_formulas([SimpleNamespace(**dict(zip(programs, parts, strict=True))) for parts in each], mask, ties)
