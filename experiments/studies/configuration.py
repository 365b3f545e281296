"""What a configuration file of a sweep may say."""

import dataclasses
import hashlib
import itertools
import re
from pathlib import Path
from typing import Any

import jax

from depthjax.models.kinds import KINDS
from experiments.studies.composers import hidden_layers
from experiments.studies.study import Study, Terms
from experiments.studies.tasks import TASKS, sampler
from experiments.studies.word_file import content_of


class SweepError(Exception):
    """A configuration that cannot be run; the message is one line for the user."""


@dataclasses.dataclass(frozen=True)
class Sweep(Terms):
    """The content of a configuration file; lists are crossed with each other.

    Attributes:
        groups: Groups whose words are tracked or composed. One combination of what the task follows and of the four lists
            below is a cell.
        automata: Automata whose states are tracked: names, "regex:EXPRESSION", tables as JSON, or
            '{"regex": "(aa)*", "letters": "ab"}', which gives the alphabet of an expression.
        nestings: Brackets of Dyck words that may be open at once.
        modes: Modes of the rotation task, "faithful" and "as published".
        hops: Numbers of hops.
        largest_hops: Largest numbers of hops that a word may ask for.
        blocks: Numbers of blocks of alternation.
        files: Files of words with their labels, CSV, TSV or parquet.
        models: Kinds of network.
        widths: Widths of the networks.
        learning_rates: Peak learning rates.
        batches: Words per training step.
        seeds: Number of seeds of every depth.
        seed: Root of all keys.
        tests: Number of words of each test.
        success: Sequence accuracy on test words of the training length that counts as success.
        segments: Number of pieces of a training between which states are stored.
        switches: Switches of the models, by kind.
    """

    groups: tuple[str, ...] = ("S3",)
    automata: tuple[str, ...] = ("parity",)
    nestings: tuple[int, ...] = (2,)
    modes: tuple[str, ...] = ("faithful",)
    hops: tuple[int, ...] = (1,)
    largest_hops: tuple[int, ...] = (4,)
    blocks: tuple[int, ...] = (2,)
    files: tuple[str, ...] = ()
    models: tuple[str, ...] = ("aussm",)
    widths: tuple[int, ...] = (32,)
    learning_rates: tuple[float, ...] = (1e-3,)
    batches: tuple[int, ...] = (64,)
    seeds: int = 12
    seed: int = 0
    tests: int = 1000
    success: float = 0.99
    segments: int = 10
    switches: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)

    def studies(self) -> dict[str, Study]:
        """Every cell by its name.

        Raises:
            SweepError: what a cell asks for does not exist or does not fit.
        """
        found, drawn = {}, set()
        if self.task not in TASKS:
            raise SweepError(f"task = {self.task!r}: expected one of {', '.join(TASKS)}; choose one of them")
        task = TASKS[self.task]
        terms = {field.name: getattr(self, field.name) for field in dataclasses.fields(Terms)}
        axes = (getattr(self, task.key), self.models, self.widths, self.learning_rates, self.batches)
        for follows, model, width, rate, batch in itertools.product(*axes):
            followed = follows
            if self.task == "file":  # workers stand in folders of their own, and other words are another cell
                followed, follows = content_of(follows), str(Path(follows).resolve())
            name = f"{task.subject}={_short(followed)},model={model},width={width},rate={rate:g},batch={batch}"
            own = {"recipe": dataclasses.replace(self.recipe, learning_rate=rate), "switches": self.switches.get(model, {})}
            try:
                if self.task == "composition":
                    own["depths"] = (hidden_layers(model, self.length),)
                study = Study(follows=follows, model=model, width=width, batch=batch, **terms | own)
                network = study.network(sampler(study))
                if model not in drawn and model in KINDS and not KINDS[model].mixer.__module__.startswith("depthjax."):
                    drawn.add(model)
                    _draw(model, network)
            except (ValueError, TypeError) as error:
                raise SweepError(f"{name}: {error}") from error
            found[name] = study
        return found


def _draw(kind: str, network: Any) -> None:
    """Draw the weights of a network with somebody else's layer, in shapes alone.

    Raises:
        SweepError: the layer fails.
    """
    try:
        jax.eval_shape(network.init, jax.eval_shape(jax.random.key, 0))
    except Exception as error:  # whatever the layer raises
        told = " ".join(str(error).split())[:200] or "a method of `depthjax.models.Mixer` that it does not define is called"
        raise SweepError(f"models = {kind!r}: the layer fails ({type(error).__name__}: {told})") from error


def _short(followed: str | int) -> str:
    """What a cell follows, as part of the name of a file: a text with other characters ends with digits of its own."""
    text = str(followed)
    if re.fullmatch(r"[\w^:.-]{1,40}", text, re.ASCII):
        return text
    plain = re.sub(r"[^\w^:.-]+", "_", text, flags=re.ASCII)[:30]
    return f"{plain}.{hashlib.sha256(text.encode()).hexdigest()[:8]}"
