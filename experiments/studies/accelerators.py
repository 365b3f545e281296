"""Published peaks of accelerators, and what an estimate of hours assumes of them."""

import dataclasses
import difflib

GIB = 2**30
UTILISATION = 0.05  # assumed share of the peak: networks of these sizes leave most of an accelerator idle


class CardTooSmall(ValueError):
    """Work was refused because it needs more memory than the device has."""


@dataclasses.dataclass(frozen=True)
class Accelerator:
    """A device as its manufacturer describes it.

    Attributes:
        peak: Floating-point operations per second of dense products, in the arithmetic that `how` names.
        how: The arithmetic. Products run at JAX's precision "highest": float32 on GPUs, and six passes of bfloat16 on TPUs.
        memory: Bytes.
    """

    peak: float
    how: str
    memory: float


def _tpu(bfloat16: float, memory: float) -> Accelerator:
    return Accelerator(bfloat16 / 6, f"a sixth of {bfloat16 / 1e12:g} TFLOP/s in bfloat16", memory)


ACCELERATORS = {  # data sheets of the manufacturers; the SXM form where there are several
    "V100": Accelerator(15.7e12, "float32", 32e9),
    "A100": Accelerator(19.5e12, "float32", 80e9),
    "H100": Accelerator(67e12, "float32", 80e9),
    "H200": Accelerator(67e12, "float32", 141e9),
    "L4": Accelerator(30.3e12, "float32", 24e9),
    "RTX4090": Accelerator(82.6e12, "float32", 24e9),
    "TPUv4": _tpu(275e12, 32e9),
    "TPUv5e": _tpu(197e12, 16e9),
    "TPUv5p": _tpu(459e12, 95e9),
    "TPUv6e": _tpu(918e12, 32e9),
}


def hours(operations: float, name: str, utilisation: float) -> float:
    """Return the hours that a number of floating-point operations takes at this share of the peak."""
    return operations / (ACCELERATORS[name].peak * utilisation) / 3600


def check_accelerator(name: str, utilisation: float) -> None:
    """Refuse unknown devices, and shares outside (0, 1].

    Raises:
        ValueError: names what was given and what was expected.
    """
    if name not in ACCELERATORS:
        folded = {known.casefold(): known for known in ACCELERATORS}
        near = difflib.get_close_matches(name.casefold(), folded, n=1)
        hint = f"; did you mean {folded[near[0]]!r}?" if near else ""
        raise ValueError(f"--accelerator {name}: expected one of {', '.join(ACCELERATORS)}, whose peaks are published{hint}")
    if not 0 < utilisation <= 1:
        raise ValueError(f"--utilisation {utilisation:g}: expected a share of the peak, above 0 and at most 1")


def check_memory(work: str, needed: float, there: float) -> None:
    """Refuse work that does not fit into the memory of a device, before it begins.

    Args:
        work: What, for the message.
        needed: Bytes that it needs.
        there: Bytes that the device has.

    Raises:
        CardTooSmall: names both numbers of bytes, and what to do.

    >>> check_memory("hop_depth", 3 * GIB, 2 * GIB)
    Traceback (most recent call last):
    experiments.studies.accelerators.CardTooSmall: hop_depth needs 3,221,225,472 bytes (3 GiB) and the device has 2,147...
    """
    if needed > there:
        raise CardTooSmall(
            f"{work} needs {needed:,.0f} bytes ({needed / GIB:.3g} GiB) and the device has {there:,.0f} "
            f"({there / GIB:.3g} GiB): take fewer seeds or depths, or smaller batches or widths"
        )
