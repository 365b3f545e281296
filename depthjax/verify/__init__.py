"""Claims and the judge: plain numbers in, a verdict out. Knows nothing of theory, and nothing of files.

`run` and `load`, for runs on disk, lie above this room, in `depthjax.session`. Every name loads when it is first used.
"""

from depthjax.doors import opened

opened(__name__)
