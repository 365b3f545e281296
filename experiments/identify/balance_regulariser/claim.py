r"""A penalty for imbalance lets attention trained on Dyck words of two types, depth 3, read longer; many pairs hide the stack.

Statement: Second layers are trained to name the innermost open bracket, with the variance of a pair's score difference over
    closer queries in the loss, and without. From the same start and on the same words the typical layer with the penalty
    misreads fewer prefixes of once to four times the training length, and fewer than with the same penalty over opener queries.
    But the penalty does not make values cancel. After endlessly many closed pairs every layer, trained with the penalty or
    without, answers for all stacks alike, and so is right for one of k types. Where it fails first follows from one sum over
    the stack and one over a pair.
    $$ \mathrm{misread}(\infty) = k^D - k,\qquad m^* = \min_j \lfloor a_j/(-b_j) \rfloor + 1 $$
Hypotheses: that the penalty helps is judged for two types nested three deep (at `full` also four) and this recipe alone; what
    pairs hide, for two to four types nested two to four deep, after 1 to 200 steps too. The first layer is minimal; the
    read-out ignores scale; what a closed pair leaves is not exactly zero.
Source: Wen, Li, Liu, Risteski, “(Un)interpretability of transformers: a case study with bounded Dyck grammars”, arXiv
    2312.01429, the condition and the penalty; the counts and lengths are derived here.
Refuted by: a typical layer that the penalty does not help, or helps less than that on openers, another number of stacks that
    are misread in the end, or a first failure elsewhere.
Cost: quick 40 s of one core; full 6 min.

Derivation: a_j is by how much the reading of the stack puts the type on top ahead of type j, b_j what each closed pair adds to
it. The layer normalisation divides both by one positive number, so the sign of a_j + m b_j decides. For large m that is b, in
which the stack does not occur: of the k stacks that differ in the type on top one is read. Their number is that of the stacks
of depth 1 to D - 1, times the k types of the pair. In a balanced layer whose closers cancel their openers b is zero, and the
stack is read for ever. `dyck_imbalance_length` judges where a constructed table with one violation fails, and that this is of
the order of 1 over the violation.

In pilots with other root keys the penalty helped 71 of 72 seeds, and more than that on openers 69 of 72, but at one key of 20
seeds only 17 and 15. That on openers helped 52 of 72, so it is no control: it makes scores more alike too. With three types the
penalty helped 20 of 28 seeds, at depth two 19 of 28, which decides nothing; so that part of the statement names its language.
"""

import dataclasses

from depthjax.verify import Grid, Prediction, Relation, among, axis, claim, control, domain, off_by, rival, whole

CLAIM = claim(Relation.EQUALS, needs_float64=True, trains=True)
HEADLINE = "misread_balance"

LISTED = (2, 4), (3, 2), (3, 3), (4, 2), (5, 3)  # types and depths of languages whose stacks are also counted one by one


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The language, the letters of a prefix in training, the runs with their recipe; whether the penalty's help is judged."""

    types: int = axis(2)
    depth: int = axis(3)
    length: int = 24
    width: int = 8
    weight: float = 10.0
    seeds: int = 28
    batch: int = 32
    tests: int = 64
    steps: int = 1000
    rate: float = 1e-2
    helped: bool = True


LARGE = Sizes(depth=axis(3, 4), tests=256, steps=3000)


# of drawn languages only what pairs hide is judged, which needs no long training
DOMAIN = domain(
    types=among(2, 3, 4, quick=(3, 4)),
    depth=whole(2, 4, quick=3),
    length=whole(8, 48, quick=32),
    width=whole(4, 16, quick=12),
    steps=whole(1, 200, quick=60),
    helped=among(False),
    seeds=among(8),
    batch=among(8),
    tests=among(8),
    counts={"test": 0, "quick": 1, "full": 6},
)
GRIDS = {
    "test": Sizes(length=8, seeds=12, batch=8, tests=8, steps=20),
    "quick": Sizes(),
    "full": LARGE,
    "paper": dataclasses.replace(LARGE, seeds=48, width=16, batch=128, steps=20_000),
}


def predict(cell: Sizes) -> tuple[Prediction, ...]:
    """Whom the penalty helps, what it sees, how many stacks are misread in the end, and no difference of first failures."""
    k, depth = cell.types, cell.depth
    helps = [Prediction(1, of=name, relation=Relation.TREND) for name in ("helps", "helps_more") if cell.helped]
    return (
        *helps,
        *(Prediction(_hidden(k, depth), of=f"misread_{name}", formula=r"k^D - k") for name in ("none", "balance")),
        Prediction([_hidden(*each) for each in LISTED], of="confused", dims=("language",), formula=r"k^D - k"),
        Prediction(0, of="gap", formula=r"m - m^*"),
        # no penalty, that on closers, that on openers: whether scores of closer queries count, and of opener queries
        Prediction([[0, 0], [1, 0], [0, 1]], of="penalised", dims=("penalty", "queries")),
        Prediction(0, of="astray"),
        *_trained(cell),
    )


def _hidden(k: int, depth: int) -> int:
    """Stacks that are misread in the end, among those with a closed pair of every type above them."""
    return k**depth - k


def _trained(cell: Sizes) -> tuple[Prediction, ...]:
    """What every run trains, at half of the rate on average, and how many letters it reads.

    Each symbol has a key, a query, a value and a reading of every type. Symbols are of two sides, and of every type and depth.
    """
    facts = {
        "steps": cell.steps,
        "travel": (cell.steps + (cell.steps < 20)) * cell.rate / 2,  # of fewer than 20 steps none warms up
        "weights": 2 * cell.types * cell.depth * cell.width * (3 + cell.types),
        "parts": 4,
        "networks": cell.seeds,
    }
    read = [cell.batch, *(span * cell.tests for span in (1, 1, 2, 4))]  # to once, twice, four and eight times the length
    return (
        *(Prediction(value, of=name, relation=Relation.EQUALS) for name, value in facts.items()),
        Prediction([words * cell.length for words in read], of="letters", dims=("use",)),
    )


def _cancelling(cell: Sizes) -> tuple[Prediction, ...]:
    """A pair that adds nothing leaves every stack as it was read; before its values cancelled it hid them."""
    stacks = sum(cell.types**height for height in range(2, cell.depth + 1))  # one letter more, the type of the pair
    return Prediction(stacks, of="alike"), Prediction(_hidden(cell.types, cell.depth), of="uncancelled")


def _helped(cell: Sizes) -> bool:
    return cell.helped


CONTROLS = (
    control(
        "values that cancel",
        "layers whose closers cancel their openers hide it too",
        measure="cancelling",
        finds=_cancelling,
    ),
    control("balanced by hand", "the stack is hidden all the same", instead={"misread_balance": "misread_by_hand"}),
    control("penalties exchanged", "that on openers helps more", instead={"helps_more": "helps_less"}, where=_helped),
    control("training lengths", "there the penalty helps as well", instead={"helps": "helps_early"}, where=_helped),
    control("scaled outputs add up", "the normalisation does not matter", instead={"gap": "gap_scaled"}),
)


RIVALS = (
    rival("the penalty cures", lambda cell: Prediction(0, of="misread_balance"), "no stack is hidden in the end"),
    rival(
        "all stacks are hidden",
        lambda cell: Prediction(sum(cell.types ** (d + 1) for d in range(1, cell.depth)), of="misread_none"),
        "none is read in the end, not even by chance",
    ),
    off_by(1, of="gap", name="one pair more"),
    rival(
        "one penalty",
        lambda cell: Prediction([[0, 0], [1, 1], [1, 1]], of="penalised", dims=("penalty", "queries")),
        "either penalty counts the scores of all queries",
    ),
    off_by(1, of="astray", name="one letter astray"),
)
