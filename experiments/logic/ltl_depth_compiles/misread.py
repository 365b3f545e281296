"""What layers that are built otherwise read in place of a formula: again formulas, so that a control has a prediction."""

from collections.abc import Callable

from theory.logic import And, Formula, Not, Or, Since, Until
from theory.logic.formula import FALSE, TRUE

__all__ = ["after_layers", "ties_to_the_farthest", "with_own_position"]

Operator = type[Since] | type[Until]
Reading = Callable[[Operator, Formula, Formula], Formula]


def with_own_position(formula: Formula) -> Formula:
    """The formula that heads compute which see their own position: g, or f and the strict operator.

    >>> from theory.logic import evaluate, parse
    >>> evaluate(with_own_position(parse("a S b")), ["bba"]).tolist()
    [[True, True, True]]
    """
    return _rewritten(formula, lambda operator, left, right: Or((right, And((left, operator(left, right))))))


def ties_to_the_farthest(formula: Formula) -> Formula:
    """The formula if ties go to the farthest position with [not f or g]: g holds there, and no such position lies beyond.

    >>> from theory.logic import evaluate, parse
    >>> evaluate(ties_to_the_farthest(parse("a S b")), ["acba"], "abc").tolist()
    [[False, False, False, False]]
    """

    def read(operator: Operator, left: Formula, right: Formula) -> Formula:
        ends = Or((Not(left), right))
        return operator(TRUE, And((right, Not(operator(TRUE, ends)))))

    return _rewritten(formula, read)


def after_layers(formula: Formula, layers: int) -> Formula:
    """The formula after so many layers: what is nested more deeply is still false.

    >>> from theory.logic import parse
    >>> str(after_layers(parse("a S b"), 0))
    'false'
    """
    if not isinstance(formula, (Since, Until)):
        return _of_parts(formula, lambda part: after_layers(part, layers))
    return type(formula)(*(after_layers(part, layers - 1) for part in formula.children)) if layers else FALSE


def _rewritten(formula: Formula, reading: Reading) -> Formula:
    """The formula with each operator read otherwise."""
    if isinstance(formula, (Since, Until)):
        return reading(type(formula), *(_rewritten(part, reading) for part in formula.children))
    return _of_parts(formula, lambda part: _rewritten(part, reading))


def _of_parts(formula: Formula, read: Callable[[Formula], Formula]) -> Formula:
    """A Boolean combination, of the parts that `read` returns."""
    if isinstance(formula, Not):
        return Not(*map(read, formula.children))
    return type(formula)(tuple(map(read, formula.children))) if isinstance(formula, (And, Or)) else formula
