r"""Training finds a group's tower in one layer where it fits, and at no depth where the class has none.

Statement: A network solves a word problem if nine of ten fresh words of twice the training length are right at every position.
    The typical seed of one layer of signed diagonals solves C2, and of one LSTM layer C2 and S3. At depth 1 and 2 the typical
    seed does not solve a group of order up to 12 where its class has no weights for words of every length, such as C2 with
    positive diagonals and S3 with signs. The same network, trained alike, solves the words of a monoid of six resets.
    $$ P(\mathrm{solved}) > \tfrac12 \iff \text{the class has a tower of this depth} $$
Hypotheses: letters are uniform; the class has weights at depth 1, or at no depth (checked).
Source: Shakerinava, Khavari, Ravanbakhsh, Chandar, “The Expressive Limits of Diagonal SSMs for State-Tracking”, arXiv
    2603.01959, table of lengths.
Refuted by: a typical seed that fails where its class has weights at that depth, or that succeeds where it has none.
Cost: quick 70 s on one core, full about 40 min.

In finite precision positive diagonals (Mamba) follow no group and signs no element of order 3 (S3); the classes are also those
of Heo et al., arXiv 2603.05573, Table 1. Where training is not known to find weights that exist nothing is said
(`expressible_not_learned`). Any finite set of words can be stored, so words are longer than those of the training. A failure
speaks of the group only if this network can follow a product at all: it learns resets too, and an LSTM solves the groups.

Of 17 seeds 14 must agree in each statement. Lengths and rates are drawn, of what is learned as well. With signed diagonals of
width 8 in place of 16, 30 of 40 seeds solved C2 and 5 of 12 runs at fresh root keys stayed open; of width 16 18 of 20 seeds do
(another key), so that one run in twelve is expected to stay open. At rates up to 0.02 15 to 17 of 17 seeds learn what is said
to be learned; at 0.03 and 16 letters 14 do. Every group has letters of its own. Nothing is said of AUSSM: its phases never
forget, so it does not solve resets, and it has no other control at this criterion, since in pilots 7 or 8 of 12 seeds followed
C3 through twice the training length.
"""

import dataclasses

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, among, axis, claim, control, domain, off_by, real, whole
from theory import groups
from theory.groups.depth import expressible

CLAIM = claim(Relation.TREND, trains=True)
HEADLINE = "solved_C2"


ANY = 64  # layers, more than any group of the grids needs


ALL = ("C2", "C3", "D4", "S3", "S4", "A5", "H3_2")


# The claim speaks of pairs of a group and a kind that are written down; which of them have weights is computed.
LEARNED = ("C2/signed_mamba", "C2/lstm", "S3/lstm")  # at depth 1


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Kinds of network, depths and the largest; pairs of group and kind, some at one depth alone; network, words and recipe."""

    model: str = axis("mamba", "signed_mamba", "lstm")
    depth: int = axis(1, 2)
    deepest: int = 2
    pairs: str = "C2/mamba/1 C3/mamba/2 C2/signed_mamba/1 S3/signed_mamba C2/lstm/1 S3/lstm/1"
    seeds: int = 17
    width: int = 8
    signed_width: int = 16
    lstm_width: int = 16
    length: int = 12
    times: int = 2
    batch: int = 16
    steps: int = 800
    rate: float = 2e-2
    tests: int = 256

    def allows(self) -> bool:
        """Whether something is said of this cell."""
        return bool(self.judged)

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of all pairs, in alphabetical order."""
        return tuple(sorted({pair.partition("/")[0] for pair in self.pairs.split()}))

    @property
    def judged(self) -> tuple[str, ...]:
        """The groups of which something is said of this kind at this depth."""
        said = self.pairs.split()
        return tuple(g for g in self.groups if {f"{g}/{self.model}", f"{g}/{self.model}/{self.depth}"} & set(said))

    @property
    def failing(self) -> tuple[str, ...]:
        """The groups that this kind is said to fail at."""
        return tuple(group for group in self.judged if f"{group}/{self.model}" not in LEARNED)

    @property
    def controlled(self) -> bool:
        """Whether the network is trained on resets as well: it has one layer, and is said to fail."""
        return self.depth == 1 and bool(self.failing)


KINDS = axis("mamba", "gla", "signed_mamba", "lstm")


ODD = ("C3", "S3", "S4", "A5")  # they have elements of odd order, which no sign follows


def _pairs(*names: str) -> str:
    """The pairs of these groups of which something is said, as a grid names them."""
    positive = [f"{name}/{kind}" for kind in ("mamba", "gla") for name in names]
    signs = [f"{name}/signed_mamba" for name in names if name in ODD]
    return " ".join([*positive, *signs, *(f"{pair}/1" for pair in LEARNED if pair.partition("/")[0] in names)])


FULL = Sizes(
    KINDS, axis(1, 2, 3, 4), pairs=_pairs("C2", "C3", "S3", "A5"), deepest=4, width=16, lstm_width=32, length=16, steps=1200
)


PAPER = {
    "seeds": 24,
    "width": 128,
    "signed_width": 128,
    "lstm_width": 128,
    "length": 128,
    "batch": 256,
    "steps": 10**5,
    "rate": 1e-3,
}


HARD = tuple(f"{group}/mamba" for group in ("C2", "C3", "C4", "C5", "C6", "C2xC2", "S3", "D4", "Q8", "A4"))


HARDER = tuple(f"{group}/signed_mamba" for group in ("C3", "C5", "C6", "S3", "A4"))


DOMAIN = domain(
    model=among("mamba", "signed_mamba", "lstm"),
    pairs=among(*HARD, *HARDER, *(f"{pair}/1" for pair in LEARNED)),
    depth=whole(1, 2),
    length=whole(12, 16),
    rate=real(1e-2, 2e-2),
    where={
        "something is said of this kind for the group at this depth": lambda cell: cell.allows(),
    },
    counts={"test": 0, "quick": 1},
)
GRIDS = {
    "test": Sizes(
        model=axis("mamba"), depth=axis(1), deepest=1, pairs="C2/mamba", seeds=9, width=4, length=4, steps=20, tests=32
    ),
    "quick": Sizes(),
    "full": FULL,
    "paper": Sizes(KINDS, axis(1, 2, 4, 8), pairs=_pairs(*ALL), deepest=8, **PAPER),
}


def objects(cell: Sizes) -> dict:
    """The Cayley tables of the groups that are judged."""
    return {"tables": {group: groups.group(group).table for group in cell.judged}}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Solved by the typical seed where the class has weights at this depth, and not where it has none at any depth."""
    found = []
    for group in cell.judged:
        table = groups.group(group)
        exists = expressible(cell.model, table, cell.depth)
        decided = Hypothesis(
            "weights exist at this depth, or at none", exists is True or expressible(cell.model, table, ANY) is False
        )
        found.append(Prediction(int(exists is True), of=f"solved_{group}", hypotheses=(decided,)))
    return (*found, *(each for group in cell.judged for each in _trained(cell, group)))


def _trained(cell: Sizes, name: str) -> tuple[Prediction, ...]:
    """What every run trains: half the rate a step on average, as many layers as are said, on words behind a first letter."""
    facts = {"steps": cell.steps, "travel": cell.steps * cell.rate / 2, "parts": cell.depth}
    return (
        *(Prediction(value, of=f"{fact}_{name}", relation=Relation.EQUALS) for fact, value in facts.items()),
        Prediction([cell.batch, cell.length + 1], of=f"drawn_{name}", dims=("extent",), relation=Relation.EQUALS),
    )


CONTROLS = (
    control(
        "resets",
        "the typical seed does not solve a monoid of resets either",
        measure="on_resets",
        predict=lambda cell, given: tuple(Prediction(0, of=f"solved_{group}") for group in cell.failing),
        finds=lambda cell, given: _trained(cell, "resets"),
        where=lambda cell, given: cell.controlled,
    ),
)


SOLVED = tuple(f"solved_{group}" for group in ALL)


RIVALS = (
    off_by(+1, of=SOLVED, name="every class follows a group", everywhere=False),
    off_by(-1, of=SOLVED, name="one layer is too few", everywhere=False),
)
