"""What a configuration file of a sweep may say."""

import dataclasses
import itertools
from typing import Any

from depthjax.training import Recipe
from experiments.studies.study import Study


class SweepError(Exception):
    """A configuration that cannot be run; the message is one line for the user."""


@dataclasses.dataclass(frozen=True)
class Sweep:
    """The content of a configuration file; lists are crossed with each other.

    Attributes:
        task: "words" or "rotation".
        groups: Groups whose words are tracked; one combination of the five lists is a cell.
        models: Kinds of network.
        widths: Widths of the networks.
        learning_rates: Peak learning rates.
        batches: Words per training step.
        depths: Depths of every cell.
        seeds: Number of seeds of every depth.
        seed: Root of all keys.
        length: Length of the training words, in letters.
        bos: Whether a beginning-of-sequence token stands first.
        mode: Mode of the rotation task.
        tests: Number of words of each test.
        success: Sequence accuracy on test words of the training length that counts as success.
        segments: Number of pieces of a training between which states are stored.
        recipe: Recipe of the training, without its learning rate.
        switches: Switches of the models, by kind.
    """

    task: str = "words"
    groups: tuple[str, ...] = ("S3",)
    models: tuple[str, ...] = ("aussm",)
    widths: tuple[int, ...] = (32,)
    learning_rates: tuple[float, ...] = (1e-3,)
    batches: tuple[int, ...] = (64,)
    depths: tuple[int, ...] = (1, 2)
    seeds: int = 12
    seed: int = 0
    length: int = 16
    bos: bool = True
    mode: str = "faithful"
    tests: int = 1000
    success: float = 0.99
    segments: int = 10
    recipe: Recipe = dataclasses.field(default_factory=Recipe)
    switches: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)

    def studies(self) -> dict[str, Study]:
        """Every cell by its name.

        Raises:
            SweepError: what a cell asks for does not exist or does not fit.
        """
        found = {}
        axes = (self.groups, self.models, self.widths, self.learning_rates, self.batches)
        for group, model, width, rate, batch in itertools.product(*axes):
            name = f"group={group},model={model},width={width},rate={rate:g},batch={batch}"
            try:
                study = Study(
                    task=self.task,
                    group=group,
                    mode=self.mode,
                    model=model,
                    width=width,
                    switches=self.switches.get(model, {}),
                    length=self.length,
                    bos=self.bos,
                    batch=batch,
                    tests=self.tests,
                    depths=self.depths,
                    seeds=self.seeds,
                    recipe=dataclasses.replace(self.recipe, learning_rate=rate),
                )
                study.network(study.sampler())
            except (ValueError, TypeError) as error:
                raise SweepError(f"{name}: {error}") from error
            found[name] = study
        return found
