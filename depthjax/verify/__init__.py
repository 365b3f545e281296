"""Claims and the judge: plain numbers in, a verdict out. Knows nothing of theory, and nothing of files.

`run` and `load` are the front door to runs on disk, which lie above this room (`depthjax.session`) and load when first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from depthjax.card import Source as Source
from depthjax.verify.cell import Cell as Cell
from depthjax.verify.claim import Claim as Claim
from depthjax.verify.claim import claim as claim
from depthjax.verify.experiment import Experiment as Experiment
from depthjax.verify.experiment import Picture as Picture
from depthjax.verify.grid import Grid as Grid
from depthjax.verify.grid import axis as axis
from depthjax.verify.judge import judge as judge
from depthjax.verify.plain import judge_bound as judge_bound
from depthjax.verify.plain import judge_equal as judge_equal
from depthjax.verify.plain import judge_order as judge_order
from depthjax.verify.plain import judge_trend as judge_trend
from depthjax.verify.prediction import UNSHARP as UNSHARP
from depthjax.verify.prediction import Hypothesis as Hypothesis
from depthjax.verify.prediction import Prediction as Prediction
from depthjax.verify.quantity import Quantity as Quantity
from depthjax.verify.quantity import measured as measured
from depthjax.verify.rates import family_rate as family_rate
from depthjax.verify.rates import trials_needed as trials_needed
from depthjax.verify.relation import Relation as Relation
from depthjax.verify.trials import Control as Control
from depthjax.verify.trials import Rival as Rival
from depthjax.verify.trials import control as control
from depthjax.verify.trials import off_by as off_by
from depthjax.verify.trials import rival as rival
from depthjax.verify.trials import same_as as same_as
from depthjax.verify.trials import scaled as scaled
from depthjax.verify.verdict import Budget as Budget
from depthjax.verify.verdict import ControlVerdict as ControlVerdict
from depthjax.verify.verdict import Finding as Finding
from depthjax.verify.verdict import Outcome as Outcome
from depthjax.verify.verdict import Verdict as Verdict

if TYPE_CHECKING:
    from depthjax.session import Run as Run
    from depthjax.session import load as load
    from depthjax.session import run as run


def __getattr__(name: str) -> Any:
    if name in ("Run", "load", "run"):
        return getattr(import_module("depthjax.session"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
