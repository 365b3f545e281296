"""What matrices that should generate so(3) and sl(2) are."""

import numpy as np

from depthjax.verify import Quantity

__all__ = ["so3_and_sl2"]


def so3_and_sl2(so3: np.ndarray, sl2: np.ndarray, dims: str = "algebra") -> dict[str, Quantity]:
    """Return the rows of the matrices, and what they have outside of their algebra: the symmetric part, or the traces.

    Args:
        so3: Matrices that should be skew, shape (letters, size, size).
        sl2: Matrices that should have no trace.
        dims: Name of the axis over the two.
    """
    symmetric = np.abs(so3 + np.swapaxes(so3, 1, 2)).max()
    traces = np.abs(np.trace(sl2, axis1=1, axis2=2)).max()
    return {
        "rows": Quantity([so3.shape[-1], sl2.shape[-1]], dims, label="rows of the generators"),
        "outside": Quantity(
            [float(symmetric), float(traces)],
            dims,
            floor=np.finfo(float).eps,
            label="what the generators have outside of their algebra",
        ),
    }
