"""What both sides of the claim know."""

import numpy as np

SCALE = 0.5  # 1/sqrt(d) of the logits: queries and keys have size 4


MOST = 10  # tokens of any size


def scaled_start(profile: np.ndarray, start: float) -> np.ndarray:
    """The differences to token 1, the largest of them of this length."""
    differences = profile.astype(float)
    return differences * (start / np.linalg.norm(differences, axis=1).max())


def padded(profile: np.ndarray) -> np.ndarray:
    """The profile with zeros after its last token, up to `MOST`."""
    return np.pad(profile, (0, MOST - len(profile)))
