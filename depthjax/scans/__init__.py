"""Every prefix scan of the project, once: sums, products, recurrences, the cascade and its counters."""

from depthjax.doors import opened

opened(__name__)
