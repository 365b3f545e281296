"""What theory says of a study: whether a kind of network can follow a group at a depth."""

from theory import groups
from theory.groups.subgroups import sign_length


def expressible(model: str, name: str, depth: int) -> bool | None:
    """Whether exact weights for every length exist in the closure of this class, finite precision; None: not known here.

    Unit complex diagonals follow a group through its derived series, signs through quotients of exponent 2 (Shakerinava et
    al., arXiv 2603.01959), positive diagonals no group; dense recurrences any, at every depth.

    Args:
        model: Kind of network, as in `depthjax.models.sequence_model`.
        name: Of the group.
        depth: Number of layers.

    Raises:
        ValueError: There is no such group.
    """
    group = groups.group(name)
    match model:
        case "mamba" | "gla":
            return group.order == 1
        case "signed_mamba":
            return (length := sign_length(group)) is not None and length <= depth
        case "aussm":
            return group.derived_length is not None and group.derived_length <= depth
        case "rnn" | "lstm" | "dense":
            return True
    return None
