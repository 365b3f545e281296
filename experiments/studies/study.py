"""One kind of network on one task, at several depths from several seeds: what sweeps and claims train."""

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import jax
import numpy as np
import optax

from depthjax.models import SequenceModel, sequence_model
from depthjax.tasks.fixed import FixedWords
from depthjax.tasks.followed import AlternationWords, AskedHopWords, AutomatonWords, DyckWords, HopWords
from depthjax.tasks.rotation import MODES, Rotations, rotation_matrices
from depthjax.tasks.words import GroupWords
from depthjax.training import Checkpoints, Ensemble, Recipe, Segment, ensemble, named_optimiser
from depthjax.training.losses import cross_entropy, mean_square
from experiments.studies.composers import COMPOSERS, Composer, Compositions
from experiments.studies.scores import scores
from theory import groups
from theory.automata import semiautomaton
from theory.automata.files import from_json
from theory.groups import depth as depth_of
from theory.groups import rotation

Sampler = GroupWords | Rotations | AutomatonWords | DyckWords | HopWords | AskedHopWords | AlternationWords | Compositions
TASKS = ("words", "rotation", "automaton", "dyck", "hops", "asked_hops", "alternation", "composition")
ALPHABETS = ("all", "generators")


@dataclasses.dataclass(frozen=True)
class Study:
    """What is trained, and how.

    Attributes:
        task: "words" (follow the product), "rotation" (follow the turned vector), "automaton" (follow the state), "dyck" (name
            the innermost open bracket), "hops" (follow pointers), "asked_hops" (as often as the first token asks),
            "alternation" (has the word k blocks yet), "composition" (give the code of the whole product).
        group: of the word problem and of composition; the rotation task is A5's.
        automaton: a name, such as "parity" or "flip_flop", "regex:EXPRESSION", or JSON, see `table_of`.
        nesting: brackets of a Dyck word that may be open at once. types: of its brackets.
        hops: number of hops. largest_hop: the largest that is asked for. hop_letters: size of their alphabet.
        blocks: number of blocks of alternation.
        mode: of the rotation task, "faithful" or "as published".
        alphabet: letters of a group's words: "all" elements, or the "generators" and the identity; of rotation, all sixty or
            the two generators.
        model: kind of network; of composition, a name of `experiments.studies.composers.COMPOSERS`.
        width: of its residual stream.
        switches: of the model, beside its sizes.
        length: of the words, in letters.
        bos: whether a beginning-of-sequence token stands first.
        batch: words of a step.
        samples: words of a fixed training set; 0 draws fresh words for every batch.
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
    largest_hop: int = 4
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
    samples: int = 0
    tests: int = 512
    depths: tuple[int, ...] = (1, 2)
    seeds: int = 3
    recipe: Recipe = dataclasses.field(default_factory=Recipe)
    optimiser: str = ""
    hyperparameters: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a task that is not there.

        Raises:
            ValueError: an unknown task or mode; more blocks than letters; a network that does not compose.
        """
        if self.task not in TASKS:
            raise ValueError(f"task is {self.task!r}, expected one of {', '.join(TASKS)}")
        if self.mode not in MODES:
            raise ValueError(f"mode is {self.mode!r}, expected one of {', '.join(MODES)}")
        if self.task == "alternation" and self.length < self.blocks:
            raise ValueError(f"words of {self.length} letters have no {self.blocks} blocks: every block has a letter")
        if self.task == "composition" and self.model not in COMPOSERS:
            raise ValueError(f"model is {self.model!r}, expected one of {', '.join(COMPOSERS)}: they compose whole words")
        if self.alphabet not in ALPHABETS:
            raise ValueError(f"alphabet is {self.alphabet!r}, expected one of {', '.join(ALPHABETS)}")

    def sampler(self) -> Sampler:
        """Words with what the task says of every position.

        Raises:
            ValueError: What is to be followed does not exist.
        """
        match self.task:
            case "words":
                group = groups.group(self.group)
                if self.alphabet == "generators":
                    return AutomatonWords(np.asarray(group.table)[:, [0, *group.generators]], self.bos)
                return GroupWords(np.asarray(group.table), self.bos)
            case "automaton":
                return AutomatonWords(table_of(self.automaton), self.bos)
            case "dyck":
                return DyckWords(self.types, self.nesting, self.bos)
            case "hops":
                return HopWords(self.hops, self.hop_letters, self.bos)
            case "asked_hops":
                return AskedHopWords(self.largest_hop, self.hop_letters)
            case "alternation":
                return AlternationWords(self.blocks, self.bos)
            case "composition":
                return Compositions(np.asarray(groups.group(self.group).table))
        a5 = groups.group("A5")
        pairs = rotation.assignments("three", "right")
        pair = next(p for p in pairs if p.extends) if self.mode == "faithful" else _published(pairs)
        turns = np.stack([turn.numpy() for turn in rotation.icosahedral_generators()])
        chosen = (a5.index(pair.three), a5.index(pair.five))
        matrices = rotation_matrices(a5.table, chosen, turns, mode=self.mode)
        letters = list(chosen) if self.alphabet == "generators" else slice(None)
        return Rotations(matrices[letters].astype(np.float32), self.bos)

    def network(self, sampler: Sampler) -> SequenceModel | Composer:
        """The network of the largest depth."""
        if isinstance(sampler, Compositions):
            return Composer(self.model, sampler.table, self.length, self.width)
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
    # depths are at least 1, so no run has this key
    words = FixedWords(sampler, jax.random.fold_in(key, 0), study.samples) if study.samples else sampler
    return ensemble(
        key,
        model.init if init is None else init,
        loss_of(model, sampler),
        partial(words.sample, batch=study.batch, length=study.length),
        study.recipe,
        depths=study.depths,
        seeds=study.seeds,
        validate=partial(sampler.sample, batch=study.batch, length=study.length),
        optimiser=study.transformation(),
        test=partial(scores, sampler, model, study.tests, study.length),
        layout=layout,  # type: ignore[arg-type]
        devices=devices,
        segments=segments,
        checkpoints=checkpoints,
        watch=watch,
    )


def loss_of(
    model: SequenceModel | Composer, sampler: Sampler
) -> Callable[[Any, Any, Any], tuple[jax.Array, dict[str, jax.Array]]]:
    """The loss of a network on a task: (params, batch, depth) -> (mean loss, metrics)."""
    classes = mean_square if isinstance(sampler, Rotations) else cross_entropy
    judge = model.loss if isinstance(model, Composer) else classes
    return lambda params, batch, depth: judge(model.apply(params, batch.tokens, depth), batch)


def table_of(automaton: str) -> np.ndarray:
    """The next states of an automaton that a text names: a name, ``regex:EXPRESSION``, or JSON as in a file of an automaton.

    JSON is a table ``[[next state for every letter], ...]``, or an object such as ``{"regex": "(aa)*", "letters": "ab"}``,
    which gives the alphabet of an expression.

    Raises:
        ValueError: there is no such automaton; the nearest name is suggested.
    """
    if not automaton.startswith(("[", "{")):
        return np.asarray(semiautomaton(automaton).table)
    try:
        return np.asarray(from_json(automaton).table)
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"{automaton[:40]!r} is no table, [[next state for every letter], ...]: {error}") from error


def expressible(study: Study, depth: int) -> bool | None:
    """Whether exact weights for every length exist in the closure of this class; None: not known here."""
    return depth_of.expressible(study.model, groups.group(study.group), depth)


def _published(pairs):
    return next(p for p in pairs if (p.three, p.five) == rotation.PUBLISHED)
