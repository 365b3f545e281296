"""When a run has found a network, which both sides know."""

ZERO = 1e-4  # of what one product fewer than the rank of the target leaves
EARLY = 20  # records of a run; the first one is early
