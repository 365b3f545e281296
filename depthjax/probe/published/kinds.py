"""All kinds of published layers, and which of them the parameters of a block belong to."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from depthjax.checks import nearest
from depthjax.probe.published.delta import DELTA_NET, DELTA_PRODUCT
from depthjax.probe.published.gla import GLA
from depthjax.probe.published.kind import LayerKind
from depthjax.probe.published.lru import LRU
from depthjax.probe.published.m2rnn import M2RNN
from depthjax.probe.published.mamba import MAMBA
from depthjax.probe.published.mamba2 import MAMBA2
from depthjax.probe.published.parameters import exact
from depthjax.probe.published.pd_ssm import PD_SSM
from depthjax.probe.published.rwkv7 import RWKV7
from depthjax.probe.published.s4d import S4D
from depthjax.probe.published.s5 import S5

KINDS: dict[str, LayerKind] = {
    kind.name: kind for kind in (MAMBA, MAMBA2, S4D, S5, LRU, GLA, DELTA_NET, DELTA_PRODUCT, RWKV7, PD_SSM, M2RNN)
}
SHOWN = 40  # names that an error lists
TURNED = "^T"  # ends the name of a matrix that is stored transposed


@dataclasses.dataclass(frozen=True)
class Block:
    """The parameters of a block under the names of its kind.

    Attributes:
        kind: The kind.
        found: Parameters by the names of the kind, float64 or complex128.
        names: The name that each had in the module or the file.
        root: The path of the block inside it.
        dtypes: Types in which the parameters were given.
    """

    kind: LayerKind
    found: Mapping[str, np.ndarray]
    names: Mapping[str, str]
    root: str
    dtypes: tuple[str, ...]


def block_of(arrays: Mapping[str, np.ndarray], kind: str | None, path: str) -> Block:
    """Return the one block of a kind among named arrays.

    Args:
        arrays: Arrays by name.
        kind: A name of `KINDS`; None takes the one kind whose names are there.
        path: The block's path, such as "backbone.layers.0.mixer"; empty if the arrays hold one block.

    Raises:
        ValueError: There is no such kind, path or block, or there are several; the block has names that its kind does not know,
            or lacks some; or a parameter holds NaN.
    """
    if kind is not None and kind not in KINDS:
        raise ValueError(f"kind {kind!r}{nearest(kind, KINDS)}: the kinds are {', '.join(KINDS)}")
    path = path.strip(".")
    inside = {name: array for name, array in arrays.items() if not path or name.startswith(f"{path}.")}
    if not inside:
        raise ValueError(f"nothing lies under {path!r}; the arrays are {_listed(arrays)}")
    wanted = KINDS.values() if kind is None else [KINDS[kind]]
    roots = {(each.name, root): found for each in wanted for root, found in _roots(each, inside).items()}
    if not roots:
        raise ValueError(_missing(wanted, inside))
    if len({name for name, _ in roots}) > 1:  # kinds that share names differ by what else they have
        roots = {at: names for at, names in roots.items() if not _unknown(KINDS[at[0]], at[1], inside)} or roots
    if len(roots) > 1:
        if len({name for name, _ in roots}) == 1:
            places = ", ".join(repr(root) for _, root in list(roots)[:SHOWN])
            raise ValueError(f"{len(roots)} blocks of {next(iter(roots))[0]} are there: choose one by path=, one of {places}")
        raise ValueError(
            f"the names are those of several kinds, {', '.join(sorted({n for n, _ in roots}))}: choose one by kind="
        )
    ((name, root), names) = next(iter(roots.items()))
    chosen = KINDS[name]
    _check_known(chosen, root, inside)
    found, dtypes = {}, []
    for role, (label, turned) in names.items():
        array = exact(label, inside[label])
        found[role] = array.T if turned else array
        dtypes.append(str(inside[label].dtype))
    return Block(chosen, found, {role: label for role, (label, _) in names.items()}, root, tuple(sorted(set(dtypes))))


def _roots(kind: LayerKind, arrays: Mapping[str, np.ndarray]) -> dict[str, dict[str, tuple[str, bool]]]:
    """The paths under which every needed parameter of a kind is found once, with its names there."""
    first = next(iter(kind.needs.values()))
    found = {}
    for label in arrays:
        if any(_ends(label, spelling) for spelling in first):
            parts = label.split(".")[:-1]
            places = [".".join(parts[:depth]) for depth in range(len(parts), -1, -1)]
            at = next((number for number, root in enumerate(places) if _names(kind, root, arrays)), None)
            if at is None:
                continue
            root, names = places[at], _names(kind, places[at], arrays)
            for above in places[at + 1 :]:  # a part of the block may lie beside what is needed, such as a projection into it
                more = _names(kind, above, arrays)
                if len(more) > len(names) and not _unknown(kind, above, arrays):
                    root, names = above, more
            if kind.fits({role: arrays[name].T if turned else arrays[name] for role, (name, turned) in names.items()}):
                found[root] = names
    return found


def _names(kind: LayerKind, root: str, arrays: Mapping[str, np.ndarray]) -> dict[str, tuple[str, bool]]:
    """The names of a block under a path; empty if it lacks some there, or has some twice."""
    under = _under(root, arrays)
    matched = {role: _matches(spelling, under) for role, spelling in (_also(kind) | dict(kind.needs)).items()}
    if any(len(each) > 1 for each in matched.values()) or not all(matched[role] for role in kind.needs):
        return {}
    return {role: each[0] for role, each in matched.items() if each}


def _under(root: str, arrays: Mapping[str, np.ndarray]) -> list[str]:
    return [name for name in arrays if not root or name.startswith(f"{root}.")]


def _unknown(kind: LayerKind, root: str, arrays: Mapping[str, np.ndarray]) -> list[str]:
    """Names under a path that a block of this kind does not have."""
    known = [one for spelling in (*kind.needs.values(), *_also(kind).values()) for one in spelling] + list(kind.ignored)
    return [name for name in _under(root, arrays) if not any(_ends(name, one) for one in known)]


def _also(kind: LayerKind) -> dict[str, tuple[str, ...]]:
    """What a block may have, the bias of every linear map among it."""
    weights = {role: spelling for role, spelling in (dict(kind.needs) | dict(kind.also)).items() if role.endswith(".weight")}
    biases = {
        f"{role.removesuffix('.weight')}.bias": tuple(f"{one.removesuffix('.weight')}.bias" for one in spelling)
        for role, spelling in weights.items()
    }
    return {role: spelling for role, spelling in biases.items() if role not in kind.needs} | dict(kind.also)


def _matches(spelling: Sequence[str], names: Sequence[str]) -> list[tuple[str, bool]]:
    """The names that end as one spelling says, the first spelling that is there."""
    for one in spelling:
        if found := [(name, one.endswith(TURNED)) for name in names if _ends(name, one)]:
            return found
    return []


def _ends(name: str, end: str) -> bool:
    end = end.removesuffix(TURNED)
    return name == end or name.endswith(f".{end}")


def _check_known(kind: LayerKind, root: str, arrays: Mapping[str, np.ndarray]) -> None:
    if unknown := _unknown(kind, root, arrays):
        raise ValueError(
            f"a block of {kind.name} has no {_listed(unknown)}: expected {_expected(kind)}, beside {', '.join(kind.ignored)}, "
            "which do not touch the transitions; another layer than it seems, or more than one: name the block by path=, or "
            "leave out what is not of it"
        )


def _missing(wanted: Any, arrays: Mapping[str, np.ndarray]) -> str:
    """Why no block was found: what the nearest kind lacks."""
    lacking = {
        kind.name: [role for role, spelling in kind.needs.items() if not _matches(spelling, list(arrays))] for kind in wanted
    }
    name = min(lacking, key=lambda each: (len(lacking[each]) / len(KINDS[each].needs), len(lacking[each])))
    kinds = f"no block of {name}" if len(lacking) == 1 else f"no block of {', '.join(lacking)}; the nearest is {name}"
    lack = (
        f"it lacks {', '.join(lacking[name])}"
        if lacking[name]
        else "its parameters do not lie in one block, or do not fit together"
    )
    other = "a layer of another kind says its transitions itself: `probe.recurrence` reads matrices, pairs and steps"
    return f"{kinds}: {lack}; found {_listed(arrays)}; expected {_expected(KINDS[name])}; {other}"


def _expected(kind: LayerKind) -> str:
    return ", ".join(" or ".join(one.removesuffix(TURNED) for one in spelling) for spelling in kind.needs.values())


def _listed(names: Any) -> str:
    names = list(names)
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
