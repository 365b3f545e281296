"""Which form of a scan runs: associative, chunked or sequential."""

import jax

METHODS = ("auto", "associative", "chunked", "sequential")


def method_named(scan: str, method: str, length: int, chunk: int) -> tuple[str, int]:
    """Return the form to run and its chunk: those given, or what `chosen` says for "auto".

    Raises:
        ValueError: an unknown form, or a chunk that does not divide the length.
    """
    if method not in METHODS:
        raise ValueError(f"method {method!r}: a scan is {', '.join(METHODS)}")
    if method == "auto":
        return chosen(scan, length)
    if method == "chunked":
        pieces(length, chunk)
    return method, chunk


def pieces(length: int, chunk: int) -> int:
    """Return how many chunks a sequence has.

    Raises:
        ValueError: the chunk is not positive or does not divide the length.
    """
    if chunk < 1 or length % chunk:
        raise ValueError(
            f"chunks of {chunk} do not cut a sequence of length {length}: the chunked form needs equal pieces; "
            'choose a divisor, pad the sequence, or use method="sequential"'
        )
    return length // chunk


def chosen(scan: str, length: int, backend: str | None = None) -> tuple[str, int]:
    """Return the form and the chunk for a scan, a function of `depthjax.scans`, on a backend (None: the one JAX uses).

    On a CPU the sequential form, by measurement (`benchmarks/scans.py`, one core, times of the others relative to it, with
    gradients): diagonal affine, real: 2.2 to 3.0 chunked, 1.3 to 3.4 associative; complex: 2.5 to 5.7 and 1.1 to 5.6; at two
    sizes matrix products 1.5 to 1.7 and Householder 3.1 to 3.6; at one size gated 1.1. Affine maps with a full matrix follow
    matrix products by analogy, unmeasured. The work of the other forms is larger and no idle hardware hides it.

    Elsewhere a step of the sequential form is a kernel launch, so the number of dependent steps decides: associative for
    diagonal recurrences and matrix products, chunks for the forms that would have to hold every matrix state. That rule is a
    count of dependent steps, not a measurement.
    """
    if (backend or jax.default_backend()) == "cpu":
        return "sequential", 1
    if scan not in ("gated_scan", "householder_scan"):
        return "associative", 1
    chunk = max(size for size in range(1, 17) if length % size == 0)
    return ("chunked", chunk) if chunk > 2 else ("sequential", 1)
