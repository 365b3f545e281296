"""What a trial sees: the definitions under the seal of its claims, with the sizes that a campaign tries."""

from depthjax.runs.origin import digest, reached
from experiments import seals
from experiments.mutants.application import located
from experiments.mutants.mutant import Mutant

SIZES = ("test", "quick")  # that a campaign tries, in this order


def key(mutant: Mutant) -> str:
    """A digest of the mutant, of the definition that it changes, and of all that trials of its claims see."""
    module, _ = located(mutant.at, mutant.where)
    changed = mutant.at.removeprefix(module).lstrip(".").partition(".")[0]
    seen = reached(module, parts=(changed,)) | reached(*map(seals.module, mutant.claims), sizes=SIZES)
    return digest(seen, repr(mutant))


def trial_digest(slug: str) -> str:
    """A digest of all that a trial of a claim sees; empty where that cannot be read."""
    seen = reached(seals.module(slug), sizes=SIZES)
    return digest(seen) if seen else ""
