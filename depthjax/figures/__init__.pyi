from depthjax.figures.pens import law as law
from depthjax.figures.pens import points as points
