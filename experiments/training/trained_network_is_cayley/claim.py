r"""A network that was trained to follow the products of S3, or of an abelian group of order at most 4, is its Cayley machine.

Statement: A dense recurrence is trained on products of random elements of a group. The automaton that is learned from its
    answers to short words has one state for each element. It gives the answers of the group's table, and the network gives its
    answers on random words that are longer than those of the training.
    $$ \text{states} = |G|, \qquad P(\text{learned automaton} = \text{Cayley machine of } G) > \tfrac12 $$
Hypotheses: the group is S3, C2, C3, C4 or C2xC2 (at `full` D4 and Q8 are judged too); letters are all elements of it, drawn
    uniformly; network, steps and horizon as in the grid.
Source: derived here; automata of trained networks by queries are from Weiss, Goldberg, Yahav, “Extracting Automata from
    Recurrent Neural Networks Using Queries and Counterexamples”, arXiv 1711.09576.
Refuted by: a typical seed whose automaton has another number of states, another table, or answers a word of the horizon
    otherwise than the network.
Cost: quick 15 s on one core, full about 16 min.

Derivation: two words lead to one state if and only if every continuation has the same products after both, that is, if their
own products are equal (the empty word counts as the identity). So the minimal automaton has as many states as its letters
generate maps of the group by multiplication from the right: the group's order. Which of its states a network uses inside is
not asked. The automaton is built from its answers alone, to words of at most three letters, breadth first; states get the
numbers in which they are found, and the table is compared from the first state on, so their names do not matter. Then the
automaton and the network answer random words of the horizon, which is half as long again as a training word. Rare words, such
as one letter many times, may fail earlier: `depthjax.probe.network` finds some of 12 letters.

The same network, trained alike on the products up to commutators, answers in the largest abelian quotient. Its automaton is not
the group's.

Of 17 seeds 14 must agree. After 400 steps all 51 seeds of three pilots were right on 2048 words up to 14 letters at least; the
horizon is 12. At `full` the horizon is 18 letters, half as long again as training words. With 24 seeds all networks of S3 and
D4 were the groups' machines, and 18 of Q8, which left Q8 open. With 48 seeds, from another root seed, 48, 48 and 44 are.
"""

import dataclasses

from depthjax.verify import Grid, Prediction, Relation, among, axis, claim, control, domain, off_by, rival
from theory import automata, groups
from theory.groups.subgroups import quotient

CLAIM = claim(Relation.TREND, trains=True)
HEADLINE = "is_cayley"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups; the network and its recipe; letters and number of the words that it is asked."""

    group: str = axis("S3")
    seeds: int = 17
    width: int = 16
    length: int = 8
    batch: int = 32
    steps: int = 400
    rate: float = 1e-2
    horizon: int = 12
    words: int = 1024
    queries: int = 4096


LARGE = Sizes(group=axis("S3", "D4", "Q8"), seeds=48, length=12, batch=64, steps=1500, horizon=18, words=4096, queries=16_384)


DOMAIN = domain(group=among("C2", "C3", "C4", "C2xC2"), counts={"test": 0, "quick": 1, "full": 4, "paper": 4})
GRIDS = {
    "test": Sizes(seeds=7, width=8, length=4, batch=8, steps=10, horizon=4, words=64, queries=512),
    "quick": Sizes(),
    "full": LARGE,
    "paper": dataclasses.replace(LARGE, group=axis("S3", "D4", "Q8", "A4"), seeds=48, width=32, steps=6000),
}


def objects(cell: Sizes) -> dict:
    """The Cayley table, and the number of every element's coset of the commutator subgroup."""
    group = groups.group(cell.group)
    table = {"table": group.table}
    return table if group.is_abelian else table | {"cosets": quotient(group, group.derived_series[1])[1]}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """One state for each map of the group by products from the right; the typical seed is the Cayley machine."""
    maps = automata.semiautomaton(given["table"]).transition_monoid().size
    # a changed answer shows after a letter that leads to its state, or at once in the first, and a letter that asks for it
    order = len(given["table"])
    return (
        Prediction(maps, of="states", relation=Relation.EQUALS),
        Prediction(1, of="is_cayley"),
        Prediction(order * (1 + 2 * (order - 1)), of="told", relation=Relation.EQUALS, formula="|G| (2 |G| - 1)"),
        *_trained(cell, given),
    )


def _trained(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """What is trained on products, and on cosets: one layer, at half the rate a step on average; and where both answer.

    A layer is a norm, a map and a bias for what a letter adds, four for what it does to four coordinates together, and an
    output. The automaton answers random words of the horizon beside the network.
    """
    order, width = len(given["table"]), cell.width
    facts = {
        "steps": cell.steps,
        "travel": (cell.steps + (cell.steps < 20)) * cell.rate / 2,  # of fewer than 20 steps none warms up
        "weights": 6 * width**2 + 6 * width + (2 * order + 1) * width + order,
        "parts": 1,
        "compared": cell.words * cell.horizon,
    }
    found = []
    for name in ("", "_of_cosets") if "cosets" in given else ("",):
        found += [Prediction(value, of=f"{fact}{name}", relation=Relation.EQUALS) for fact, value in facts.items()]
        found.append(Prediction([cell.batch, cell.length], of=f"batch{name}", dims=("size",), relation=Relation.EQUALS))
    return tuple(found)


def _begun(cell: Sizes, given: dict) -> Prediction:
    """What training starts from: both norms are ones, and the biases of letters and answers are zeros."""
    plain = [2 * cell.width, 5 * cell.width + len(given["table"])]
    return Prediction(plain, of="plain", dims=("number",), relation=Relation.EQUALS)


def _classes(cell: Sizes, given: dict) -> Prediction | None:
    if groups.group(cell.group).is_abelian:
        return None
    return Prediction(len(groups.group(cell.group).conjugacy_classes), of="states", relation=Relation.EQUALS)


CONTROLS = (
    control(
        "no training",
        "a network that was not trained has the automaton of the group too",
        measure="untrained",
        instead={"states": "states", "is_cayley": "is_cayley"},
        finds=_begun,
    ),
    control(
        "products up to commutators",
        "a network that was trained on the largest abelian quotient has the automaton of the whole group",
        instead={"states": "states_of_cosets", "is_cayley": "is_cayley_of_cosets"},
        where=lambda cell, given: "cosets" in given,
    ),
)


RIVALS = (
    off_by(-1, of="states"),
    off_by(+1, of="states"),
    rival("conjugate elements share a state", _classes, "the automaton has a state for each conjugacy class"),
)
