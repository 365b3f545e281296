"""One kind of network on one task, at several depths from several seeds: what sweeps and claims train."""

import dataclasses
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from depthjax.models import SequenceModel, sequence_model
from depthjax.tasks.followed import AlternationWords, AutomatonWords, DyckWords, HopWords
from depthjax.tasks.rotation import MODES, Rotations, rotation_matrices
from depthjax.tasks.words import GroupWords
from depthjax.training import Checkpoints, Ensemble, Recipe, Segment, ensemble, named_optimiser
from depthjax.training.losses import correct, cross_entropy, longest_prefix, mean_square, word_accuracy
from theory import groups
from theory.automata import semiautomaton
from theory.groups import rotation
from theory.groups.subgroups import sign_length

Sampler = GroupWords | Rotations | AutomatonWords | DyckWords | HopWords | AlternationWords
TASKS = ("words", "rotation", "automaton", "dyck", "hops", "alternation")
ALPHABETS = ("all", "generators")
TESTS = (1, 2)  # multiples of the training length at which a run is tested


@dataclasses.dataclass(frozen=True)
class Study:
    """What is trained, and how.

    Attributes:
        task: "words" (follow the product), "rotation" (follow the turned vector), "automaton" (follow the state), "dyck" (name
            the innermost open bracket), "hops" (follow pointers), "alternation" (has the word k blocks yet).
        group: of the word problem; the rotation task is A5's.
        automaton: a name, such as "parity" or "flip_flop", "regex:EXPRESSION", or a table as JSON.
        nesting: brackets of a Dyck word that may be open at once. types: of its brackets.
        hops: number of hops. hop_letters: size of their alphabet.
        blocks: number of blocks of alternation.
        mode: of the rotation task, "faithful" or "as published".
        alphabet: of the rotation task, "all" sixty elements or the two "generators".
        model: kind of network.
        width: of its residual stream.
        switches: of the model, beside its sizes.
        length: of the words, in letters.
        bos: whether a beginning-of-sequence token stands first.
        batch: words of a step.
        tests: words of each test.
        depths: of the networks. seeds: of each depth.
        recipe: of the training.
        optimiser: name of an optimiser of optax; the recipe's own AdamW if empty.
        hyperparameters: of a named optimiser, beside its learning rate.
    """

    task: str = "words"
    group: str = "S3"
    automaton: str = "parity"
    nesting: int = 2
    types: int = 2
    hops: int = 1
    hop_letters: int = 4
    blocks: int = 2
    mode: str = "faithful"
    alphabet: str = "all"
    model: str = "transformer"
    width: int = 32
    switches: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    length: int = 16
    bos: bool = True
    batch: int = 64
    tests: int = 512
    depths: tuple[int, ...] = (1, 2)
    seeds: int = 3
    recipe: Recipe = dataclasses.field(default_factory=Recipe)
    optimiser: str = ""
    hyperparameters: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a task that is not there.

        Raises:
            ValueError: an unknown task or mode; more blocks than letters; or the recipe stops at a metric that the task lacks.
        """
        if self.task not in TASKS:
            raise ValueError(f"task is {self.task!r}, expected one of {', '.join(TASKS)}")
        if self.mode not in MODES:
            raise ValueError(f"mode is {self.mode!r}, expected one of {', '.join(MODES)}")
        if self.task == "alternation" and self.length < self.blocks:
            raise ValueError(f"words of {self.length} letters have no {self.blocks} blocks: every block has a letter")
        if self.alphabet not in ALPHABETS:
            raise ValueError(f"alphabet is {self.alphabet!r}, expected one of {', '.join(ALPHABETS)}")

    def sampler(self) -> Sampler:
        """Words with what the task says of every position.

        Raises:
            ValueError: What is to be followed does not exist.
        """
        match self.task:
            case "words":
                return GroupWords(np.asarray(groups.group(self.group).table), self.bos)
            case "automaton":
                return AutomatonWords(table_of(self.automaton), self.bos)
            case "dyck":
                return DyckWords(self.types, self.nesting, self.bos)
            case "hops":
                return HopWords(self.hops, self.hop_letters, self.bos)
            case "alternation":
                return AlternationWords(self.blocks, self.bos)
        a5 = groups.group("A5")
        pairs = rotation.assignments("three", "right")
        pair = next(p for p in pairs if p.extends) if self.mode == "faithful" else _published(pairs)
        turns = np.stack([turn.numpy() for turn in rotation.icosahedral_generators()])
        chosen = (a5.index(pair.three), a5.index(pair.five))
        matrices = rotation_matrices(a5.table, chosen, turns, mode=self.mode)
        letters = list(chosen) if self.alphabet == "generators" else slice(None)
        return Rotations(matrices[letters].astype(np.float32), self.bos)

    def network(self, sampler: Sampler) -> SequenceModel:
        """The network of the largest depth."""
        outputs = {"coordinates": 3} if isinstance(sampler, Rotations) else {"classes": sampler.classes}
        sizes = {"letters": sampler.letters, "width": self.width, "max_depth": max(self.depths)}
        return sequence_model(self.model, **sizes, **outputs, **self.switches)

    def transformation(self) -> optax.GradientTransformation:
        """The optimiser.

        Raises:
            ValueError: Optax has no optimiser of this name, or it does not take these hyperparameters.
        """
        if not self.optimiser:
            return self.recipe.optimiser()
        return named_optimiser(self.optimiser, self.recipe, self.hyperparameters)


def train(
    study: Study,
    key: jax.Array,
    sampler: Sampler,
    *,
    layout: str = "auto",
    devices: int | None = None,
    segments: int = 1,
    checkpoints: Checkpoints | None = None,
    watch: Callable[[Segment], None] = lambda segment: None,
    init: Callable[[jax.Array], Any] | None = None,
) -> Ensemble:
    """Train a study; its tests are on words of their own keys, at the training length and at twice that.

    Args:
        study: what.
        key: root of all its runs.
        sampler: the study's own.
        layout: as `depthjax.training.ensemble` takes it, and so are the next four.
        devices: that the runs are spread over.
        segments: pieces of the run.
        checkpoints: where states are stored.
        watch: told after every segment.
        init: key -> parameters; the network's own initialisation if None.

    Raises:
        ValueError: sizes that do not fit each other, as the model, the task or the ensemble say.
    """
    model = study.network(sampler)
    judge = mean_square if isinstance(sampler, Rotations) else cross_entropy

    def loss(params, batch, depth):
        return judge(model.apply(params, batch.tokens, depth), batch)

    return ensemble(
        key,
        model.init if init is None else init,
        loss,
        partial(sampler.sample, batch=study.batch, length=study.length),
        study.recipe,
        depths=study.depths,
        seeds=study.seeds,
        optimiser=study.transformation(),
        test=partial(_tested, study, sampler, model),
        layout=layout,  # type: ignore[arg-type]
        devices=devices,
        segments=segments,
        checkpoints=checkpoints,
        watch=watch,
    )


def table_of(automaton: str) -> np.ndarray:
    """The next states of an automaton that a text names: a name, ``regex:EXPRESSION``, or a table as JSON.

    Raises:
        ValueError: there is no such automaton; the nearest name is suggested.
    """
    if not automaton.startswith("["):
        return np.asarray(semiautomaton(automaton).table)
    try:
        return np.asarray(semiautomaton(json.loads(automaton)).table)
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"{automaton[:40]!r} is no table, [[next state for every letter], ...]: {error}") from error


def expressible(study: Study, depth: int) -> bool | None:
    """Whether exact weights for every length exist in the closure of this class, finite precision; None: not known here.

    Unit complex diagonals follow a group through its derived series, signs through quotients of exponent 2 (Shakerinava et
    al., arXiv 2603.01959), positive diagonals no group; dense recurrences any, at every depth.
    """
    group = groups.group(study.group)
    match study.model:
        case "mamba" | "gla":
            return group.order == 1
        case "signed_mamba":
            return (length := sign_length(group)) is not None and length <= depth
        case "aussm":
            return group.derived_length is not None and group.derived_length <= depth
        case "rnn" | "lstm" | "dense":
            return True
    return None


def _tested(study: Study, sampler, model: SequenceModel, key: jax.Array, params: Any, depth: Any) -> dict[str, jax.Array]:
    """One batch of twice the length; its first half is a batch of the training length."""
    batch = sampler.sample(key, study.tests, max(TESTS) * study.length)
    outputs = model.apply(params, batch.tokens, depth)
    found: dict[str, jax.Array] = {}
    for times in TESTS:
        end = times * study.length + study.bos
        labels, weights = batch.labels[:, :end], batch.weights[:, :end]
        if isinstance(sampler, Rotations):
            squares = jnp.square(outputs[:, :end] - labels).mean(axis=-1)
            found[f"mse_{times}x"] = squares.mean()
            found[f"mse_by_position_{times}x"] = squares.mean(axis=0)
            found[f"mse_spread_by_position_{times}x"] = squares.std(axis=0) / study.tests**0.5
            found[f"mse_spread_{times}x"] = squares.mean(axis=1).std() / study.tests**0.5
        else:
            right = correct(outputs[:, :end], labels, weights)
            found |= {f"{name}_{times}x": value for name, value in word_accuracy(right, weights).items()}
            found[f"prefix_{times}x"] = longest_prefix(right, study.bos)
    return found


def _published(pairs):
    return next(p for p in pairs if (p.three, p.five) == rotation.PUBLISHED)
