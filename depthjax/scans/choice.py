"""The form in which a scan runs: associative, chunked or sequential."""

import jax

METHODS = ("auto", "associative", "chunked", "sequential")


def method_named(scan: str, method: str, length: int, chunk: int) -> tuple[str, int]:
    """Return the form to run and its chunk: the given ones, or those of `chosen` for "auto".

    Raises:
        ValueError: The form is unknown, or the chunk does not divide the length.
    """
    if method not in METHODS:
        raise ValueError(f"method {method!r}: a scan is {', '.join(METHODS)}")
    if method == "auto":
        return chosen(scan, length)
    if method == "chunked":
        pieces(length, chunk)
    return method, chunk


def pieces(length: int, chunk: int) -> int:
    """Return the number of chunks of a sequence.

    Raises:
        ValueError: The chunk is not positive or does not divide the length.
    """
    if chunk < 1 or length % chunk:
        raise ValueError(
            f"chunks of {chunk} do not cut a sequence of length {length}: the chunked form needs equal pieces; "
            'choose a divisor, pad the sequence, or use method="sequential"'
        )
    return length // chunk


def chosen(scan: str, length: int, backend: str | None = None) -> tuple[str, int]:
    """Return the recommended form and chunk of a scan.

    On a CPU the sequential form is the fastest measured one, because the other forms do more work and no idle hardware hides
    it. `benchmarks/scans.py` gives their times relative to it, with gradients, on one core: diagonal affine, real 2.2 to 3.0
    (chunked) and 1.3 to 3.4 (associative), complex 2.5 to 5.7 and 1.1 to 5.6; matrix products 1.5 to 1.7 and Householder 3.1 to
    3.6 at two sizes; gated 1.1 at one size. Affine maps with a full matrix follow matrix products by analogy.

    On other backends each sequential step is a kernel launch, so the number of dependent steps decides: the associative form
    for diagonal recurrences and matrix products, the chunked form for scans that would otherwise hold every matrix state. This
    rule counts dependent steps; it is not a measurement.

    Args:
        scan: Name of a function of `depthjax.scans`.
        length: Length of the sequence.
        backend: Backend as JAX names it; None takes JAX's default.
    """
    if (backend or jax.default_backend()) == "cpu":
        return "sequential", 1
    if scan not in ("gated_scan", "householder_scan"):
        return "associative", 1
    chunk = max(size for size in range(1, 17) if length % size == 0)
    return ("chunked", chunk) if chunk > 2 else ("sequential", 1)
