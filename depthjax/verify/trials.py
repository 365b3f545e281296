"""How a claim is tried: controls, for which its theorem must fail, and rivals, which the same data must refute.

A control holds the claim's own prediction against a measurement of something for which the theorem does not hold: a hypothesis
dropped, a weight damaged, one layer fewer. A rival is another prediction of the same data: its refutation says how finely the
data resolve. A claim is SUPPORTED only if the judge refutes all of them.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from depthjax.verify.prediction import Prediction, Predictions

Said = tuple[Prediction, ...] | None
Predict = Callable[..., Predictions | None]
Where = Callable[..., bool]
Reword = Callable[[Prediction], Prediction | None]


@dataclasses.dataclass(frozen=True)
class Control:
    """A measurement for which the theorem must fail.

    Attributes:
        name: Short, such as "one layer fewer".
        statement: The false statement that is held against it; empty where the name says enough.
        measure: Name of a function of ``measure.py``: cell, key[, objects] -> dataset; None: the control's quantity is among
            what the claim measures.
        objects: cell[, seed] -> what the claim's own ``measure`` is given instead; None: what the claim is given.
        instead: Comparison of the claim -> the quantity that its prediction is held against.
        predict: cell[, objects] -> prediction, where it is not the claim's own; None for a cell it does not speak of.
        finds: cell[, objects] -> predictions of what is measured for it, None for a cell of which nothing is known; the objects
            are those that its measurement is given. A control that finds anything else ran something else, and stays open.
        where: cell[, objects] -> whether the control speaks of this cell; None: of every cell. Elsewhere nothing is measured.
        everywhere: Every judged cell must refute the control, or one is enough.

    A control's own measurement is compared with the predictions of the quantities that it returns.

    >>> Control("one layer fewer").everywhere
    True
    """

    name: str
    statement: str = ""
    measure: str | Callable[..., xr.Dataset] | None = None
    objects: Callable[..., Any] | None = None
    instead: Mapping[str, str] = dataclasses.field(default_factory=dict)
    predict: Predict | None = None
    where: Where | None = None
    everywhere: bool = True
    finds: Predict | None = None

    @property
    def own_measurement(self) -> bool:
        """Whether cells are measured for this control alone."""
        return self.measure is not None or self.objects is not None

    def said(self, own: Said, cell: Any, given: tuple) -> Said:
        """Return what is held against the control's measurement in a cell, None where the control does not speak of it.

        Args:
            own: The claim's predictions for this cell.
            cell: The cell.
            given: The claim's objects of this cell, as the further arguments of its functions.
        """
        if self.where is not None and not self.where(cell, *given):
            return None
        if self.predict is not None:
            return several(self.predict(cell, *given))
        if own is None:
            return None
        if self.instead:
            return tuple(dataclasses.replace(p, of=self.instead[p.of]) for p in own if p.of in self.instead) or None
        return own

    def found(self, cell: Any, given: tuple) -> Said:
        """Return what is known of the control's own measurement in a cell, None where nothing is; arguments as in `said`."""
        return None if self.finds is None else several(self.finds(cell, *given))


@dataclasses.dataclass(frozen=True)
class Rival:
    """Another prediction of what the claim measures.

    Attributes:
        name: Short, such as "exponent one lower".
        statement: The false statement; empty where the name says enough.
        reword: The claim's prediction -> the rival's; None leaves a prediction out.
        predict: cell[, objects] -> the rival's prediction, where it does not follow from the claim's.
        everywhere: Every judged cell must refute the rival, or one is enough.

    >>> Rival("exponent one lower").name
    'exponent one lower'
    """

    name: str
    statement: str = ""
    reword: Reword | None = None
    predict: Predict | None = None
    everywhere: bool = True

    def said(self, own: Said, cell: Any, given: tuple) -> Said:
        """Return the rival's predictions for a cell; the arguments are those of `Control.said`."""
        if self.predict is not None:
            return several(self.predict(cell, *given))
        assert self.reword is not None
        changed = (self.reword(prediction) for prediction in own or ())
        return tuple(prediction for prediction in changed if prediction is not None) or None


def control(
    name: str,
    statement: str = "",
    *,
    measure: str | Callable[..., xr.Dataset] | None = None,
    objects: Callable[..., Any] | None = None,
    instead: Mapping[str, str] | None = None,
    predict: Predict | None = None,
    finds: Predict | None = None,
    where: Where | None = None,
    everywhere: bool = True,
) -> Control:
    """Return a control; the arguments are the attributes of `Control`.

    Raises:
        TypeError: nothing says what the control measures, or two arguments say it; or it finds what it does not measure.

    >>> control("a level dropped", instead={"wrong": "wrong_without_a_level"}).name
    'a level dropped'
    """
    if measure is None and objects is None and not instead and predict is None:
        raise TypeError(
            f"the control {name!r} measures nothing: give measure=, objects=, or instead={{quantity: quantity measured for it}}"
        )
    if predict is not None and instead:
        raise TypeError(
            f"the control {name!r} has predict= and instead=: a prediction of its own names its quantity itself, by of="
        )
    if measure is not None and objects is not None:
        raise TypeError(
            f"the control {name!r} has measure= and objects=: a measurement of its own takes its objects from itself"
        )
    if finds is not None and measure is None and objects is None:
        raise TypeError(
            f"the control {name!r} has finds= and no measurement of its own: what the claim measures is predicted by the claim"
        )
    return Control(name, statement, measure, objects, dict(instead or {}), predict, where, everywhere, finds)


def rival(name: str, predict: Predict, statement: str = "", *, everywhere: bool = True) -> Rival:
    """Return a rival with a prediction of its own; the arguments are the attributes of `Rival`.

    >>> rival("no error", lambda cell: Prediction(0, of="error")).predict(None).value
    0
    """
    return Rival(name, statement, predict=predict, everywhere=everywhere)


def off_by(
    shift: int | float, *, of: str | tuple[str, ...], name: str = "", statement: str = "", everywhere: bool = True
) -> Rival:
    """Return the rival whose value of some quantities is larger by ``shift`` (for an order: the exponent).

    >>> off_by(-1, of="error").reword(Prediction(3, of="error")).value
    2
    """
    names = (of,) if isinstance(of, str) else of

    def reword(prediction: Prediction) -> Prediction | None:
        if prediction.of not in names:
            return None
        return dataclasses.replace(prediction, value=_numbers(prediction) + shift, constant=None)

    return Rival(name or f"{', '.join(names)} off by {shift:+g}", statement, reword, everywhere=everywhere)


def scaled(factor: float, *, of: str | tuple[str, ...], name: str = "", statement: str = "", everywhere: bool = True) -> Rival:
    """Return the rival whose value of some quantities is ``factor`` times as large; ``of="constant"`` means all constants.

    >>> scaled(2.0, of="width").reword(Prediction(5, of="width")).value
    10.0
    """
    names = (of,) if isinstance(of, str) else of

    def reword(prediction: Prediction) -> Prediction | None:
        if of == "constant":
            constant = prediction.constant
            return None if constant is None else dataclasses.replace(prediction, constant=factor * constant)
        return dataclasses.replace(prediction, value=_numbers(prediction) * factor) if prediction.of in names else None

    return Rival(name or f"{', '.join(names)} times {factor:g}", statement, reword, everywhere=everywhere)


def same_as(other: str, *, of: str, name: str = "", statement: str = "", everywhere: bool = True) -> Rival:
    """Return the rival that predicts of one quantity what the claim predicts of another.

    >>> same_as("depth", of="height").reword(Prediction(5, of="depth")).of
    'height'
    """

    def reword(prediction: Prediction) -> Prediction | None:
        if prediction.of != other:
            return None
        return dataclasses.replace(prediction, of=of)

    return Rival(name or f"{of} the same as {other}", statement, reword, everywhere=everywhere)


def several(said: Predictions | None) -> Said:
    """Return predictions as a tuple, None where nothing is said.

    Raises:
        TypeError: something else was returned in their place; says what.
    """
    if said is None or isinstance(said, Prediction):
        return None if said is None else (said,)
    found = tuple(said) if isinstance(said, Iterable) else (said,)
    wrong = [one for one in found if not isinstance(one, Prediction)]
    if wrong:
        raise TypeError(
            f"what is predicted of a cell is {wrong[0]!r:.60}: return Prediction(value, of=quantity), several of them, "
            "or None where nothing is said"
        )
    return found


def _numbers(prediction: Prediction) -> Any:
    """The value as something that can be added to: integers and fractions of any size stay exact."""
    value = prediction.value
    return np.asarray(value, dtype=object) if isinstance(value, tuple | list) else value
