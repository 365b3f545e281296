"""What both sides of the claim know."""

# What a reader knows of a word: how often its letters follow each other in every pattern of one letter, of up to two, of up to
# three (the word in free nilpotent groups of class 1, 2, 3); and where each letter stands in the walk of the letter counts (the
# word in the free solvable group of length two).
READERS = ("class 1", "class 2", "class 3", "two solvable layers")

KINDS = ("transformer", "gla", "mamba", "signed_mamba", "aussm", "delta_product", "lstm")
ORDER_BLIND = ("transformer",)  # kinds whose first layer sees no order but which letter is the last one: no positions
TOWERS = (1, 2)  # layers of the towers whose order is judged
