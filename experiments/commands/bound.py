"""``depthjax bound``: symbolic bounds, each with its hypotheses and its source.

A new question is a dataclass in `experiments.commands.queries` and a line below.
"""

import dataclasses
from typing import Annotated

import tyro

from experiments.commands.queries.attention import Collapse, Glitch, Hop, OneLayer, Rank
from experiments.commands.queries.automata import Automaton, Logic
from experiments.commands.queries.groups import Composition, Group
from experiments.commands.queries.learning import Contrastive, MaskedPairs, Residual, Sensitivity
from experiments.commands.queries.lie import Algebra, Bch, Magnus, Tower, Word


@dataclasses.dataclass(frozen=True)
class Bound:
    """A symbolic bound: formula, value, every hypothesis, source. Outside its hypotheses: exit code 2 and never a number."""

    query: (
        Annotated[Tower, tyro.conf.subcommand("tower")]
        | Annotated[Magnus, tyro.conf.subcommand("magnus")]
        | Annotated[Bch, tyro.conf.subcommand("bch")]
        | Annotated[Word, tyro.conf.subcommand("word")]
        | Annotated[Algebra, tyro.conf.subcommand("algebra")]
        | Annotated[Group, tyro.conf.subcommand("group")]
        | Annotated[Composition, tyro.conf.subcommand("composition")]
        | Annotated[Hop, tyro.conf.subcommand("hop")]
        | Annotated[OneLayer, tyro.conf.subcommand("one-layer")]
        | Annotated[Automaton, tyro.conf.subcommand("automaton")]
        | Annotated[Glitch, tyro.conf.subcommand("glitch")]
        | Annotated[Logic, tyro.conf.subcommand("logic")]
        | Annotated[Rank, tyro.conf.subcommand("rank")]
        | Annotated[Collapse, tyro.conf.subcommand("collapse")]
        | Annotated[Residual, tyro.conf.subcommand("residual")]
        | Annotated[Sensitivity, tyro.conf.subcommand("sensitivity")]
        | Annotated[Contrastive, tyro.conf.subcommand("contrastive")]
        | Annotated[MaskedPairs, tyro.conf.subcommand("masked-pairs")]
    )

    def run(self) -> int:
        """Answer the query."""
        return self.query.run()
