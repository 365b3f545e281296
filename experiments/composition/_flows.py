"""The sizes that the claims on learning share: gradient flow from a vanishing initialisation."""

import dataclasses

from depthjax.verify import Grid, axis

# the weakest pair of C6 draws one in forty starting directions; an irrep near which too few neurons start is learned in part
WIDER = {"C6": 4}
# simulated time: the flow stands still well before its end
HORIZON = {("S3", 2): 70.0, ("S3", 3): 235.0, ("C6", 2): 105.0, ("Q8", 2): 128.0, ("D4", 2): 90.0}


@dataclasses.dataclass(frozen=True)
class Flows(Grid):
    """Groups and lengths; ``width`` neurons for each letter but one, all seeds in one program."""

    group: str = axis("S3", "C6", "Q8")
    length: int = axis(2, 3)
    width: int = 80
    seeds: int = 12
    records: int = 400
    steps: int = 2
    log_scale: float = 20.0
    numbering: int = 0  # of the elements

    def allows(self) -> bool:
        """Words of three letters are many: only the smallest group has them."""
        return (self.group, self.length) in HORIZON

    @property
    def neurons(self) -> int:
        """Width of the network."""
        return self.width * WIDER.get(self.group, 1) * (self.length - 1)

    @property
    def spacing(self) -> float:
        """Time between two records."""
        return HORIZON[self.group, self.length] / self.records
