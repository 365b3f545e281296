"""Claims, the judge, and what runs them. Knows nothing of theory: plain numbers in, a verdict out."""

from depthjax.verify.claim import UNSHARP as UNSHARP
from depthjax.verify.claim import Claim as Claim
from depthjax.verify.claim import Control as Control
from depthjax.verify.claim import Experiment as Experiment
from depthjax.verify.claim import Grid as Grid
from depthjax.verify.claim import Hypothesis as Hypothesis
from depthjax.verify.claim import Picture as Picture
from depthjax.verify.claim import Prediction as Prediction
from depthjax.verify.claim import Relation as Relation
from depthjax.verify.claim import Source as Source
from depthjax.verify.claim import axis as axis
from depthjax.verify.judge import judge as judge
from depthjax.verify.rates import family_rate as family_rate
from depthjax.verify.rates import trials_needed as trials_needed
from depthjax.verify.verdict import Budget as Budget
from depthjax.verify.verdict import ControlVerdict as ControlVerdict
from depthjax.verify.verdict import Finding as Finding
from depthjax.verify.verdict import Outcome as Outcome
from depthjax.verify.verdict import Verdict as Verdict
