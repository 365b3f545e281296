"""Exact separation ranks by templates modulo a prime: seconds and peak memory; (width 3, 3 layers) and 2,000 x 2,000 templates.

Run with `python benchmarks/rank.py`. Targets on two cores: 60 s and 1 GiB each. The peak is that of the whole process so far.
"""

import resource
import time

import numpy as np

from theory.attention.linear_attention import LinearAttention, grid_tensor
from theory.attention.separation import separation_rank
from theory.exact.modular import PRIMES, rank_modulo

CASES = ((2, 3, 1, 240), (3, 2, 1, 2000), (4, 2, 4, 2000), (2, 3, 2, 2000), (3, 3, 3, 2445), (3, 3, 1, 3106))
"""Width, layers, heads, templates a side."""


def main() -> None:
    """Print one line for each case: seconds of the process to evaluate the grid and to find its rank."""
    for width, layers, heads, templates in CASES:
        network = LinearAttention.random(width, layers, heads)
        left, right = np.random.default_rng(0).integers(0, PRIMES[0], (2, templates, width, width))
        start = time.process_time(), time.perf_counter()
        grid = grid_tensor(network, left, right)
        middle = time.process_time()
        rank = rank_modulo(grid)
        cpu, wall = time.process_time() - start[0], time.perf_counter() - start[1]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        case = f"width {width}, layers {layers}, heads {heads}, {templates} templates"
        print(f"{case}: rank {rank}, by the formula {separation_rank(width, layers, heads)}")
        print(f"    {middle - start[0]:.1f} s to evaluate, {cpu + start[0] - middle:.1f} s to eliminate, {wall:.1f} s of wall")
        print(f"    peak {peak:.2f} GiB", flush=True)


if __name__ == "__main__":
    main()
