"""A claim: a statement that a measurement can contradict."""

import dataclasses

from depthjax.card import Source
from depthjax.verify.relation import Relation

UNTRAINED = "test"  # at this size networks train for a few steps, to see that they run: nothing is decided about them


@dataclasses.dataclass(frozen=True)
class Claim:
    """A statement that a measurement can contradict.

    A claim's module writes ``CLAIM = claim(...)``; the words are filled in from the card at the top of its file.

    Attributes:
        slug: Name of the file, and of the claim everywhere.
        title: At most a line.
        statement: The theorem in plain words.
        latex: The theorem as a formula.
        relation: How measured and predicted numbers stand to each other; a prediction may state another for its own quantity.
        source: Where the statement is from.
        assumes: Its hypotheses, one sentence each.
        refuted_by: The observation that would refute it.
        cost: How long each size takes, and on what.
        needs_float64: Refuse to run in a narrower type, because an order or an exact identity is judged.
        trains: The claim judges trained networks. Such claims start first, because they take longest, and end INCONCLUSIVE at
            the size `UNTRAINED`.
        headline: The measured quantity that the title speaks of, which tables show; empty for the most telling one.

    >>> claim(Relation.EQUALS, needs_float64=True).needs_float64
    True
    """

    slug: str
    title: str
    statement: str
    latex: str
    relation: Relation
    source: Source
    assumes: tuple[str, ...]
    refuted_by: str
    cost: str = ""
    needs_float64: bool = False
    trains: bool = False
    headline: str = ""


def claim(relation: Relation, *, needs_float64: bool = False, trains: bool = False) -> Claim:
    """Return what a program must know of a claim; `Experiment.of` adds the words of the card.

    Write the arguments as literals: ``depthjax list`` reads them without importing the module.

    Args:
        relation: How measured and predicted numbers stand to each other.
        needs_float64: Refuse to run in a narrower type.
        trains: The claim judges trained networks.

    >>> claim(Relation.ORDER).relation
    <Relation.ORDER: 'order'>
    """
    return Claim("", "", "", "", relation, Source(""), (), "", needs_float64=needs_float64, trains=trains)
