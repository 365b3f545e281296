"""The damage that several constructions are tried with."""

import dataclasses

from depthjax.tasks.composition import isotypic_part
from theory.composition.encodings import Task


def without_last(task: Task) -> Task:
    """The task whose encoding lacks the last irrep, together with its conjugate."""
    return dataclasses.replace(task, encoding=task.encoding - isotypic_part(task.encoding, *task.irreps[-1]))
