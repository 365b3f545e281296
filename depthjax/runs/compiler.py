"""The compiler options under their former name."""

from depthjax.compiler import common_size as common_size
from depthjax.compiler import lean_options as lean_options
