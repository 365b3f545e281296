from depthjax.attention.heads import average as average
from depthjax.attention.heads import hard as hard
from depthjax.attention.heads import softmax as softmax
from depthjax.attention.masks import MASKS as MASKS
from depthjax.attention.masks import visible as visible
