"""What the measuring side knows; the claim types its own."""

LONGEST = {2: 7, 3: 4, 4: 3, 5: 3, 6: 2}  # length of the longest words, by letters; every word up to it is tried
