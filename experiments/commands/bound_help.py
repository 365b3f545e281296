"""``depthjax bound --help``: the questions, grouped by what one wants to know."""

import inspect

from experiments.commands.bound import BoundCommand
from experiments.commands.questions import summary
from experiments.terminal import console

GROUPS = {
    "How many layers are needed?": (
        "layers group automaton algebra logic word confused-words hop hops-reached written-steps alternation "
        "hard-attention-run scan looped-doubling tokens-after-loops composition-depth composition-points regular-language "
        "connectivity squarings mpc attention-rounds window-reach"
    ),
    "How wrong is a stack that is too shallow, or a reader without depth?": (
        "tower tower-leading error-by-depth average-error order-blind ceiling glitch least-glitch-rate worst-glitch "
        "unanimous-margin"
    ),
    "How wide, and how many bits?": (
        "permutation-diagonal reflections rank rank-width composition narrow-loss width-dichotomy one-layer one-layer-sort "
        "recurrent-bits self-exclusion-bits linear-readout subquadratic sharpness nearest-neighbour nearest-neighbour-threshold"
    ),
    "What is left of a series that is cut off?": (
        "bch bch-term bch-radius magnus magnus-classical magnus-recent magnus-radius a-posteriori flow witt"
    ),
    "How long does rounding leave a count right?": (
        "angle-horizon angle-loss phase-horizon phase-loss root-horizon earliest-misread count-horizon correctable-error"
    ),
    "What does depth do to signals and training?": "collapse residual sensitivity learning-time contrastive masked-pairs",
}
OTHERS = "Further questions"


def groups() -> dict[str, list[str]]:
    """The names of all bounds by what they answer; those that no group lists come last."""
    from theory.bounds.index import entries

    left, found = dict.fromkeys(entries()), {}
    for title, names in GROUPS.items():
        found[title] = [name for name in names.split() if name in left]
    listed = {name for names in found.values() for name in names}
    rest = [name for name in left if name not in listed]
    return found | ({OTHERS: rest} if rest else {})


def show() -> None:
    """Print the help of the command and a line for each bound."""
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    from theory.bounds.index import entries

    screen, known = console(), entries()
    screen.print("usage: depthjax bound [-h] NAME ...\n", markup=False, highlight=False)
    screen.print(inspect.cleandoc(BoundCommand.__doc__ or ""), markup=False, highlight=False, soft_wrap=True)
    for title, names in groups().items():
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1, 0, 0))
        table.add_column(no_wrap=True, width=30)
        table.add_column()
        for name in names:
            table.add_row(Text(f"• {name}"), Text(summary(known[name])))
        screen.print(Panel(table, title=title, title_align="left", border_style="dim"))
