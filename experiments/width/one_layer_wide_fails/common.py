"""What is tried, and what counts as learned."""

ACCURACY = 0.9  # that counts as learned; above the ceiling for four entries or more


HOPS = (1, 2)


SEARCHED = (3, 4)  # entries of the tables for which the best single head is searched for
