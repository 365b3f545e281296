"""What a configuration file of a sweep may say."""

import dataclasses
import hashlib
import itertools
import re
from typing import Any

import jax

from depthjax.models.kinds import KINDS
from depthjax.training import Recipe
from experiments.studies.composers import hidden_layers
from experiments.studies.study import Study

# task -> what a cell of it follows, and the list of these
SUBJECTS = {
    "words": ("group", "groups"),
    "rotation": ("mode", "modes"),
    "automaton": ("automaton", "automata"),
    "dyck": ("nesting", "nestings"),
    "hops": ("hops", "hops"),
    "asked_hops": ("largest_hop", "largest_hops"),
    "alternation": ("blocks", "blocks"),
    "composition": ("group", "groups"),
}


class SweepError(Exception):
    """A configuration that cannot be run; the message is one line for the user."""


@dataclasses.dataclass(frozen=True)
class Sweep:
    """The content of a configuration file; lists are crossed with each other.

    Attributes:
        task: "words", "rotation", "automaton", "dyck", "hops", "asked_hops", "alternation" or "composition".
        groups: Groups whose words are tracked or composed. One combination of what the task follows and of the four lists
            below is a cell.
        automata: Automata whose states are tracked: names, "regex:EXPRESSION", tables as JSON, or
            '{"regex": "(aa)*", "letters": "ab"}', which gives the alphabet of an expression.
        nestings: Brackets of Dyck words that may be open at once.
        modes: Modes of the rotation task, "faithful" and "as published".
        hops: Numbers of hops.
        largest_hops: Largest numbers of hops that a word may ask for.
        blocks: Numbers of blocks of alternation.
        models: Kinds of network.
        widths: Widths of the networks.
        learning_rates: Peak learning rates.
        batches: Words per training step.
        depths: Depths of every cell; of composition, the length gives them.
        seeds: Number of seeds of every depth.
        seed: Root of all keys.
        length: Length of the training words, in letters.
        alphabet: Letters of the words of a group, and of rotation: "all" elements or "generators".
        samples: Words of a fixed training set; 0 draws fresh words for every batch.
        bos: Whether a beginning-of-sequence token stands first.
        tests: Number of words of each test.
        success: Sequence accuracy on test words of the training length that counts as success.
        segments: Number of pieces of a training between which states are stored.
        recipe: Recipe of the training, without its learning rate.
        optimiser: Name of an optimiser of optax, such as "lion"; the recipe's own AdamW if empty.
        hyperparameters: Of a named optimiser, beside its learning rate.
        switches: Switches of the models, by kind.
    """

    task: str = "words"
    groups: tuple[str, ...] = ("S3",)
    automata: tuple[str, ...] = ("parity",)
    nestings: tuple[int, ...] = (2,)
    modes: tuple[str, ...] = ("faithful",)
    hops: tuple[int, ...] = (1,)
    largest_hops: tuple[int, ...] = (4,)
    blocks: tuple[int, ...] = (2,)
    models: tuple[str, ...] = ("aussm",)
    widths: tuple[int, ...] = (32,)
    learning_rates: tuple[float, ...] = (1e-3,)
    batches: tuple[int, ...] = (64,)
    depths: tuple[int, ...] = (1, 2)
    seeds: int = 12
    seed: int = 0
    length: int = 16
    alphabet: str = "all"
    samples: int = 0
    bos: bool = True
    tests: int = 1000
    success: float = 0.99
    segments: int = 10
    recipe: Recipe = dataclasses.field(default_factory=Recipe)
    optimiser: str = ""
    hyperparameters: dict[str, Any] = dataclasses.field(default_factory=dict)
    switches: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)

    def studies(self) -> dict[str, Study]:
        """Every cell by its name.

        Raises:
            SweepError: what a cell asks for does not exist or does not fit.
        """
        found, drawn = {}, set()
        subject, key = SUBJECTS[self.task]
        axes = (getattr(self, key), self.models, self.widths, self.learning_rates, self.batches)
        for followed, model, width, rate, batch in itertools.product(*axes):
            name = f"{subject}={_short(followed)},model={model},width={width},rate={rate:g},batch={batch}"
            try:
                study = Study(
                    task=self.task,
                    **{subject: followed},
                    model=model,
                    width=width,
                    switches=self.switches.get(model, {}),
                    length=self.length,
                    alphabet=self.alphabet,
                    samples=self.samples,
                    bos=self.bos,
                    batch=batch,
                    tests=self.tests,
                    depths=(hidden_layers(model, self.length),) if self.task == "composition" else self.depths,
                    seeds=self.seeds,
                    recipe=dataclasses.replace(self.recipe, learning_rate=rate),
                    optimiser=self.optimiser,
                    hyperparameters=self.hyperparameters,
                )
                network = study.network(study.sampler())
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
