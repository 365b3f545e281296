"""When a language counts as solved."""

WHOLE = 0.9  # the share of words that are right at every prefix, to count as solved
