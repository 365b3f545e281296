"""What is compared beside the ranks modulo primes."""

SHOWN = 2  # templates of each half whose outputs are compared one by one


FLOAT_LAYERS = 2  # beyond, the degree is 13 and more, and float64 shows no gap
