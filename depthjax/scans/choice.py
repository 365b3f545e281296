"""Which form of a scan runs: associative, chunked or sequential."""

METHODS = ("auto", "associative", "chunked", "sequential")


def method_named(method: str, length: int, *, chunk: int) -> str:
    """Return the form to run: `method` itself, or what measurement recommends for "auto".

    Raises:
        ValueError: an unknown form, or a chunk that does not divide the length.
    """
    if method not in METHODS:
        raise ValueError(f"method {method!r}: a scan is {', '.join(METHODS)}")
    if method == "auto":
        method = "sequential"
    if method == "chunked":
        pieces(length, chunk)
    return method


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
