"""The words x, u, y with which languages are pumped."""

import itertools

SHORT = [word for n in range(1, 4) for word in itertools.product((0, 1), repeat=n)]

PUMPS = [(x, u, y) for u in SHORT for x in ((), *SHORT[:2]) for y in ((), *SHORT[:2])]
