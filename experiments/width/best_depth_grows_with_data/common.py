"""Which hops are judged."""

EVERY = range(1, 10)  # the hops that any size judges
