"""``depthjax bound``: symbolic bounds, each with its hypotheses and its source. A new query is a dataclass and a line below."""

import dataclasses
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import tyro

from experiments.commands.usage import UsageError, console, number, print_json

if TYPE_CHECKING:
    from theory.bounds import AutomatonDepth
    from theory.bounds import Bound as TheoryBound


@dataclasses.dataclass(frozen=True, kw_only=True)
class Query:
    """A question with a bound for its answer; the fields of a query are its arguments."""

    latex: bool = False
    """Print the formula in LaTeX and nothing else."""
    json: bool = False
    """Print one JSON object and nothing else."""

    def bound(self) -> "TheoryBound":
        """The bound, from `theory`."""
        raise NotImplementedError

    def numbers(self) -> dict[str, Any]:
        """Parameters of the formula that the bound does not hold already."""
        return {}

    def details(self) -> dict[str, tuple[str, ...]]:
        """What else there is to say: rows of lines, by name."""
        return {}

    def run(self) -> int:
        """Print the bound, or what it would need."""
        try:
            bound = self.bound()
            checks = bound.check(**self.numbers())
            failed = [statement for statement, holds in checks if not holds]
            value = None if failed else bound.at(**self.numbers())
        except ValueError as error:
            raise UsageError(str(error)) from error
        if self.json:
            print_json(_facts(bound, checks, value) | self.details())
        elif self.latex and not failed:
            print(bound.latex())
        elif not failed or self.details():
            _print_bound(bound, checks, value, self.details())
        if failed:
            raise UsageError(f"{bound.quantity}: outside its hypotheses, so there is no number; fails: {'; '.join(failed)}")
        return 0


@dataclasses.dataclass(frozen=True, kw_only=True)
class Tower(Query):
    """Order of the error of a tower of abelian layers over the free Lie algebra.

    Example: depthjax bound tower --letters 3 --layers 2
    """

    letters: int
    """Generators of the free Lie algebra."""
    layers: int
    """Abelian layers."""
    eps: float | None = None
    """Size of the generators; gives the scale of the error instead of its order."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.tower`."""
        from theory.bounds import tower

        return tower(letters=self.letters, layers=self.layers)

    def numbers(self) -> dict[str, Any]:
        """The size, where it is given."""
        return {} if self.eps is None else {"eps": self.eps}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Magnus(Query):
    """Norm of the Magnus series beyond a degree.

    Example: depthjax bound magnus --order 4 --mass 0.5
    """

    order: int
    """Last degree that is kept."""
    mass: float
    """Integral of the generator's norm."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.magnus`."""
        from theory.bounds import magnus

        return magnus(order=self.order, mass=self.mass)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Bch(Query):
    """Norm of log(exp X exp Y) beyond a degree.

    Example: depthjax bound bch --order 3 --x 0.1 --y 0.2
    """

    order: int
    """Last degree that is kept."""
    x: float
    """Norm of X."""
    y: float
    """Norm of Y."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.bch`."""
        from theory.bounds import bch

        return bch(order=self.order, x=self.x, y=self.y)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Word(Query):
    """Abelian layers that tell all words of a length apart.

    Example: depthjax bound word --length 64
    """

    length: int
    """Letters of the word."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.word`."""
        from theory.bounds import word

        return word(length=self.length)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Algebra(Query):
    """Abelian layers that simulate a solvable Lie algebra exactly: its derived length.

    Example: depthjax bound algebra se2
    """

    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]
    """so3, sl2, gl4, heisenberg, aff1, se2, upper4, free2_5, ..."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.algebra`."""
        from theory.bounds import algebra

        found = algebra(self.name)
        series = ", ".join(map(str, found.derived_dimensions))
        return dataclasses.replace(found.bound, quantity=f"{found.bound.quantity} (derived series of dimensions {series})")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Group(Query):
    """Diagonal unitary layers that track a solvable finite group: its derived length.

    Example: depthjax bound group S4
    """

    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]
    """C12, D4 (order 8), Q8, S4, A5, H3_3, SL2_3, C3xC3, C7:C3, M11, ..."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.group`."""
        from theory.bounds import group

        found = group(self.name)
        series = ", ".join(map(str, found.derived_orders))
        return dataclasses.replace(found.bound, quantity=f"{found.bound.quantity} (derived series of orders {series})")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Composition(Query):
    """Width at which explicit weights compose a sequence of group elements.

    Example: depthjax bound composition --group A5 --length 3
    """

    group: str
    """C12, D4 (order 8), Q8, S4, A5, H3_3, SL2_3, C3xC3, C7:C3, ..."""
    length: int
    """Elements that are multiplied."""
    architecture: Literal["two-layer", "recurrent", "tree"] = "two-layer"
    """One hidden layer of z^k; quadratic units and k steps; or log2 k quadratic layers."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.composition`."""
        from theory.bounds import composition

        return composition(self.group, self.length, self.architecture)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Hop(Query):
    """Attention layers that suffice for k hops, by mask.

    Example: depthjax bound hop --hops 3 --mask causal --length 512 --dtype float32
    """

    hops: int
    """Number of hops."""
    mask: Literal["strict", "causal"] = "strict"
    """What layer 1 sees: earlier positions, or itself too."""
    length: int | None = None
    """Letters of a word; checked against the dtype."""
    dtype: Literal["float64", "float32", "float16", "bfloat16"] = "float32"
    """Type that holds the scores."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.hop`."""
        from theory.bounds import hop

        return hop(self.hops, self.mask, self.length, self.dtype)


@dataclasses.dataclass(frozen=True, kw_only=True)
class OneLayer(Query):
    """Longest word on which one attention layer can solve the induction head.

    Example: depthjax bound one-layer --heads 1 --width 16 --bits 32
    """

    heads: int
    """Heads of the layer."""
    width: int
    """Numbers that a head returns."""
    bits: int
    """Bits of a number."""
    length: int | None = None
    """Letters of a word; refused as vacuous where the bound says nothing of words so short."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.one_layer`."""
        from theory.bounds import one_layer

        return one_layer(self.heads, self.width, self.bits, self.length)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Automaton(Query):
    """Layers that simulate a semiautomaton: by its Krohn-Rhodes cascade, whatever the length, or by doubling.

    Example: depthjax bound automaton D4
    """

    target: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE.json|NAME")]
    """A file with a table (state, letter), or parity, C5, D4, Q8, S5, A5, gridworld4, flip_flop, dyck3, abab, adder, car,
    or regex:EXPRESSION."""
    scan: int | None = None
    """Length of the words, for the depth by doubling instead of the cascade's."""

    @cached_property
    def found(self) -> "AutomatonDepth":
        """The report of the automaton."""
        from theory.automata import load, semiautomaton
        from theory.bounds import automaton

        try:
            target = load(self.target) if self.target.endswith(".json") else semiautomaton(self.target)
        except ImportError as error:
            raise UsageError(str(error)) from error
        return automaton(target, self.scan)

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.automaton`."""
        return self.found.bound if self.scan is None else self.found.scan

    def details(self) -> dict[str, tuple[str, ...]]:
        """What its depth is in words, its levels, the groups inside, and the depth by each route."""
        found = self.found
        return {
            "in words": (found.statement,),
            "levels": found.levels or ("none: one state",),
            "groups": found.groups or ("none: aperiodic",),
            "routes": found.routes,
        }


@dataclasses.dataclass(frozen=True, kw_only=True)
class Logic(Query):
    """Attention layers of a formula of temporal logic, its minimal automaton, and whether that is star-free.

    Example: depthjax bound logic "a S (b & P a)"
    """

    formula: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FORMULA")]
    """Letters, ! & | -> <->, S (since), U (until), Y P H X F G, counts such as '#[a] - #>[b] >= 1'."""
    letters: str | None = None
    """The alphabet, one character a letter; by default the letters that occur."""
    expression: bool = False
    """The text is a regular expression, such as (ab)*; one that is not star-free is refused, with a witness."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.logic`."""
        from theory.bounds import logic

        return logic(self.formula, self.letters, expression=self.expression)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rank(Query):
    """Separation rank of linearised attention, or the width at which fewer layers have as much of it.

    Example: depthjax bound rank --width 3 --layers 3 --shallower 2
    """

    width: int
    """Width of the network."""
    layers: int
    """Attention layers."""
    heads: int = 1
    """Heads that share the width."""
    shallower: int | None = None
    """Answer with the least width at which so many layers of one head have the same rank."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.rank` and `theory.bounds.rank_width`."""
        from theory.bounds import rank, rank_width

        if self.shallower is None:
            return rank(self.width, self.layers, self.heads)
        if self.heads != 1:
            raise ValueError(f"--heads {self.heads} with --shallower: widths are compared for one head; leave --heads out")
        return rank_width(self.width, self.layers, self.shallower)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Collapse(Query):
    """Residual of pure attention after some layers: the doubly exponential bound.

    Example: depthjax bound collapse --layers 3 --width 16 --beta 0.5 --residual 0.5
    """

    layers: int
    """Layers of attention alone."""
    width: int
    """Size of queries and keys: logits are divided by its root."""
    beta: float
    """Largest |W_QK|_1 (|W_V|_1 |W_V|_inf)^(1/2) of a layer."""
    residual: float
    """|X - 1 x^T|_(1,inf) of the input: root of its largest column sum times its largest row sum."""
    heads: int = 1
    """Heads of a layer."""
    gamma: float | None = None
    """Factor that depends on the attention entries; by default 1, for logits up to 0.5089."""
    query_key: float | None = None
    """Largest |W_QK|_1; with it the size of the logits is checked."""
    decades: bool = False
    """Answer with the decades by which the residual lies under one, at least."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.collapse`."""
        from theory.bounds import collapse

        sizes = (self.width, self.beta, self.residual, self.heads, self.gamma, self.query_key)
        return collapse(self.layers, *sizes, decades=self.decades)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Glitch(Query):
    """How often attention to the most recent write reads a wrong bit of the flip-flop language, by the margin of its softmax.

    Example: depthjax bound glitch --margin 4 --ignore 0.98 --length 256
    """

    margin: float
    """Score that one position is worth."""
    ignore: float = 0.8
    """Probability that an instruction is ignored."""
    length: int = 256
    """Instructions of a word."""

    def bound(self) -> "TheoryBound":
        """See `theory.bounds.glitch_rate`."""
        from theory.bounds import glitch_rate

        return glitch_rate(self.ignore, self.length)

    def numbers(self) -> dict[str, Any]:
        """The margin."""
        return {"margin": self.margin}


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
    )

    def run(self) -> int:
        """Answer the query."""
        return self.query.run()


def _facts(bound: "TheoryBound", checks: list[tuple[str, bool]], value: float | None) -> dict[str, Any]:
    return {
        "quantity": bound.quantity,
        "expression": str(bound.expr),
        "latex": bound.latex(),
        "value": value,
        "hypotheses": [{"statement": statement, "holds": holds} for statement, holds in checks],
        "source": bound.source,
    }


def _print_bound(
    bound: "TheoryBound", checks: list[tuple[str, bool]], value: float | None, details: dict[str, tuple[str, ...]]
) -> None:
    from rich.table import Table
    from rich.text import Text

    screen = console()
    formula = "none" if value is None else _formula(bound.expr, max(screen.width - 14, 40))
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    table.add_row("quantity", Text(bound.quantity))
    table.add_row("formula", Text(formula, no_wrap=True))
    table.add_row("value", Text("none" if value is None else number(value, 10)))
    for index, (statement, holds) in enumerate(checks):
        table.add_row("" if index else "hypotheses", Text(f"{'✓' if holds else '✗'} {statement}"))
    for name, lines in details.items():
        for index, line in enumerate(lines):
            table.add_row("" if index else name, Text(line))
    table.add_row("source", Text(bound.source))
    screen.print(table)


def _formula(expression: Any, columns: int) -> str:
    """The formula in two dimensions; the cases of a piecewise one below each other, so that they fit a terminal."""
    import sympy

    def drawn(part: Any) -> str:
        part = part.replace(sympy.Min, sympy.Function("min")).replace(sympy.Max, sympy.Function("max"))
        return sympy.pretty(part, use_unicode=True, num_columns=columns)

    if not isinstance(expression, sympy.Piecewise):
        return drawn(expression)
    cases = [
        f"{drawn(value)}\n{'otherwise' if condition == sympy.true else f'for {drawn(condition)}'}"
        for value, condition in cast(Any, expression.args)
    ]
    return "\n\n".join(cases)
