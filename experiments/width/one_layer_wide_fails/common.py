"""What is tried, and what counts as learned."""

ACCURACY = 0.8  # that counts as learned; the claim says independently which number this is


HOPS = (1, 2)


SEARCHED = (3, 4)  # entries of the tables for which the best single head is searched for
