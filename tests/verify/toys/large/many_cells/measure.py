"""What the program does."""

import os
import time

import jax

from depthjax.verify import Quantity, measured


def measure(cell, key):
    time.sleep(float(os.environ.get("TOYS_SLEEP", "0")))
    if log := os.environ.get("TOYS_LOG"):
        with open(log, "a") as stream:
            stream.write(f"{cell.name}\n")
    return measured(draw=Quantity(jax.random.uniform(key, (4,)), "sample", floor=1e-7))
