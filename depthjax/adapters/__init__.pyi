from depthjax.adapters.modes import training_parts as training_parts
from depthjax.adapters.network import Adapted as Adapted
from depthjax.adapters.network import adapted as adapted
