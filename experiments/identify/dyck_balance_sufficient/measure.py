"""Two attention layers with a given table, run on all short prefixes and on random long words of a bounded Dyck language."""

import jax
import jax.numpy as jnp
import xarray as xr

from depthjax.constructions.directions.dyck import DyckAttention, wrong_after_openers, wrong_prefixes
from depthjax.tasks.dyck import dyck_prefixes, dyck_stacks, dyck_words
from depthjax.verify import Cell, Quantity, measured


def measure(cell: Cell, key: jax.Array, tables: dict) -> xr.Dataset:
    """Wrong stacks over every short prefix, and over random long ones."""
    short = jnp.asarray(dyck_prefixes(cell.types, cell.depth, cell.exhaustive))
    long = dyck_words(key, cell.types, cell.depth, cell.words, cell.length)
    known = [(words, dyck_stacks(words, cell.types, cell.depth), cell.depth) for words in (short, long)]
    late = [(words, _late(stacks), depth) for words, stacks, depth in known]
    counts, too_late = ([wrong_prefixes(_model(cell, tables["closers"]), *one) for one in told] for told in (known, late))
    openers, by_closers, openers_late = (
        sum(int(wrong_after_openers(_model(cell, tables[name]), *one)) for one in told)
        for name, told in (("all", known), ("closers", known), ("all", late))
    )
    short_by_closers = int(wrong_after_openers(_model(cell, tables["closers"]), *known[0]))
    told = [jnp.full_like(known[0][1], kind) for kind in (-1, 0)]
    swapped = (short, _exchanged(known[0][1]), cell.depth)
    return measured(
        prefixes=Quantity(short.size + long.size, label="prefixes"),
        wrong_deeper=Quantity(_wrong_deeper(cell, tables), label="openers of wrong depth, words that nest one deeper"),
        wrong_if_told=Quantity(
            [int(wrong_prefixes(_model(cell, tables["closers"]), short, stacks, cell.depth)[0]) for stacks in told],
            "told",
            label="prefixes of another depth than none open, and than all",
        ),
        wrong_late=Quantity(
            [int(depths) for depths, _ in too_late], "length", label="prefixes of another depth than a letter before, by length"
        ),
        openers_late=Quantity(openers_late, label="stacks after openers that are others than a letter before"),
        wrong_exchanged=Quantity(
            int(wrong_prefixes(_model(cell, tables["closers"]), *swapped)[1]), label="wrong stacks if two types are exchanged"
        ),
        wrong_openers_exchanged=Quantity(
            int(wrong_after_openers(_model(cell, tables["all"]), *swapped)), label="the same after openers"
        ),
        wrong_depths=Quantity(int(counts[0][0] + counts[1][0]), label="prefixes of wrong depth"),
        wrong_short=Quantity(int(counts[0][1]), label="wrong stacks, all short prefixes"),
        wrong_long=Quantity(int(counts[1][1]), label="wrong stacks, prefixes of long words"),
        open_read=Quantity(_open_read(cell, tables["closers"], *known[0][:2]), label="open brackets read, all short prefixes"),
        wrong_openers=Quantity(openers, label="wrong stacks after openers"),
        wrong_openers_by_closers=Quantity(by_closers, label="the same by the table that is balanced for closers alone"),
        short_openers_by_closers=Quantity(short_by_closers, label="the same, all short prefixes"),
    )


def _open_read(cell: Cell, table: dict, words: jax.Array, stacks: jax.Array) -> int:
    """How many open brackets the second layer reads after closers, over all prefixes that do not end with nothing open."""
    model = _model(cell, table)
    read = jax.jit(DyckAttention.stacks)(model, model.symbols(words)).sum(axis=2)
    return int(read[(words >= cell.types) & (stacks >= 0).any(axis=2)].sum())


def _model(cell: Cell, table: dict) -> DyckAttention:
    return DyckAttention(*(jnp.asarray(table[name]) for name in ("scores", "ratios", "tolerance")), types=cell.types)


def _late(stacks: jax.Array) -> jax.Array:
    """The stack before every letter, in place of the one after it."""
    return jnp.full_like(stacks, -1).at[:, 1:].set(stacks[:, :-1])


def _exchanged(stacks: jax.Array) -> jax.Array:
    """The stacks with the first two types exchanged."""
    return jnp.where((stacks == 0) | (stacks == 1), 1 - stacks, stacks)


def _wrong_deeper(cell: Cell, tables: dict) -> int:
    """Wrong depths that layers for nesting up to D read off words that nest one deeper."""
    words = jnp.asarray(dyck_prefixes(cell.types, cell.depth + 1, min(cell.exhaustive, 8)))
    stacks = dyck_stacks(words, cell.types, cell.depth + 1)
    read = _model(cell, tables["closers"]).symbols(words) % (cell.types * cell.depth) // cell.types + 1
    return int((read != (stacks >= 0).sum(axis=2))[words < cell.types].sum())
