"""One kind of network on one task, at several depths from several seeds: what sweeps and claims train."""

import dataclasses
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import jax
import optax

from depthjax.models import SequenceModel, sequence_model
from depthjax.tasks.fixed import FixedWords
from depthjax.tasks.rotation import Rotations
from depthjax.training import Checkpoints, Ensemble, Recipe, Segment, ensemble, forget, named_optimiser
from depthjax.training.losses import cross_entropy, mean_square
from experiments.studies.composers import COMPOSERS, Composer, Compositions
from experiments.studies.curriculum import check, counted, ticking
from experiments.studies.scores import scores
from experiments.studies.word_file import PartedWords, scores_of_file

ALPHABETS = ("all", "generators")
WHOLE = ("composition", "alternation")  # tasks whose words have no shorter ones in front


@dataclasses.dataclass(frozen=True)
class Terms:
    """What all cells of a sweep share.

    Attributes:
        task: "words" (follow the product), "rotation" (follow the turned vector), "automaton" (follow the state), "dyck" (name
            the innermost open bracket), "hops" (follow pointers), "asked_hops" (as often as the first token asks),
            "alternation" (has the word k blocks yet), "composition" (give the code of the whole product), "file" (give the
            labels of a file's words).
        depths: Depths of the networks; of composition, the length of the words gives them.
        seeds: Number of seeds of every depth.
        length: Length of the training words, in letters; of a file the most letters of a word to train on.
        alphabet: Letters of the words of a group: "all" elements, or the "generators" and the identity; of rotation, all sixty
            or the two generators.
        letters: By group, the elements that are its letters, by name or number, in the place of its `alphabet`; by automaton,
            which of its letters occur, by number.
        words: How a file of words is read: its columns `word`, `label` and `part`, the names of `letters` and `classes`, and
            where no column says the part, three `shares` and a `key` that part its words to train, validate and test on.
        curriculum: Lengths of the training words, each for an equal part of the steps; empty for `length` alone.
        samples: Words of a fixed training set; 0 draws fresh words for every batch.
        bos: Whether a beginning-of-sequence token stands first.
        tests: Number of words of each test.
        recipe: Recipe of the training; a sweep lists its learning rates.
        optimiser: Name of an optimiser of optax, such as "lion"; the recipe's own AdamW if empty.
        hyperparameters: Of a named optimiser, beside its learning rate.
    """

    task: str = "words"
    depths: tuple[int, ...] = (1, 2)
    seeds: int = 3
    length: int = 16
    alphabet: str = "all"
    letters: dict[str, Any] = dataclasses.field(default_factory=dict)
    words: dict[str, Any] = dataclasses.field(default_factory=dict)
    curriculum: tuple[int, ...] = ()
    samples: int = 0
    bos: bool = True
    tests: int = 512
    recipe: Recipe = dataclasses.field(default_factory=Recipe)
    optimiser: str = ""
    hyperparameters: dict[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Study(Terms):
    """What is trained, and how.

    Attributes:
        follows: What the task follows: a group, a mode of rotation ("faithful" or "as published"), an automaton, or a number of
            brackets, hops or blocks (`experiments.studies.tasks`).
        model: Kind of network; of composition, a name of `experiments.studies.composers.COMPOSERS`.
        width: Of its residual stream.
        switches: Of the model, beside its sizes.
        batch: Words of a training step.
    """

    follows: str | int = "S3"
    model: str = "transformer"
    width: int = 32
    switches: dict[str, Any] = dataclasses.field(default_factory=dict)
    batch: int = 64

    def __post_init__(self) -> None:
        """Refuse what does not fit together.

        Raises:
            ValueError: more blocks than letters; a network that does not compose; an unknown alphabet; a curriculum that does
                not grow to the length.
        """
        if self.task == "alternation" and isinstance(self.follows, int) and self.length < self.follows:
            raise ValueError(f"words of {self.length} letters have no {self.follows} blocks: every block has a letter")
        if self.task == "composition" and self.model not in COMPOSERS:
            raise ValueError(f"model is {self.model!r}, expected one of {', '.join(COMPOSERS)}: they compose whole words")
        if self.alphabet not in ALPHABETS:
            raise ValueError(f"alphabet is {self.alphabet!r}, expected one of {', '.join(ALPHABETS)}")
        if self.curriculum:
            check(self.curriculum, self.length)
            if self.task in WHOLE:
                raise ValueError(f"curriculum is {list(self.curriculum)}: {self.task} asks for whole words; leave it out")

    def __hash__(self) -> int:
        """Hash the text, because switches and hyperparameters are dictionaries."""
        return hash(repr(self))

    def network(self, sampler: Any) -> SequenceModel | Composer:
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
        named = named_optimiser(self.optimiser, self.recipe, self.hyperparameters) if self.optimiser else None
        chosen = self.recipe.optimiser() if named is None else named
        return ticking(chosen) if self.curriculum else chosen


def train(
    study: Study,
    key: jax.Array,
    sampler: Any,
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
        sampler: its words, as `experiments.studies.tasks.sampler` makes them.
        layout: as `depthjax.training.ensemble` takes it, and so are the next four.
        devices: that the runs are spread over.
        segments: pieces of the run.
        checkpoints: where states are stored.
        watch: told after every segment.
        init: key -> parameters; the network's own initialisation if None.

    Raises:
        ValueError: sizes that do not fit each other, as the model, the task or the ensemble say.
    """
    if shared := not study.samples and init is None:
        parts = _kept_parts(dataclasses.replace(study, recipe=without_rate(study)), sampler)
    else:
        # depths are at least 1, so no run has this key
        words = FixedWords(sampler, jax.random.fold_in(key, 0), study.samples) if study.samples else sampler
        parts = _parts(study, sampler, words, init)
    return ensemble(
        key,
        recipe=study.recipe,
        depths=study.depths,
        seeds=study.seeds,
        keep=shared,
        layout=layout,  # type: ignore[arg-type]
        devices=devices,
        segments=segments,
        checkpoints=checkpoints,
        watch=watch,
        **parts,
    )


def parts_of(study: Study, key: jax.Array, sampler: Any) -> dict[str, Any]:
    """The functions that `train` trains, for whoever times a step: key -> parameters, the loss, key -> batch, the optimiser."""
    words = FixedWords(sampler, jax.random.fold_in(key, 0), study.samples) if study.samples else sampler
    return _parts(study, sampler, words, None)


def without_rate(study: Study) -> Recipe:
    """The recipe of every study that shares programs with this one: the learning rate of AdamW is data."""
    own = study.optimiser or study.curriculum
    return study.recipe if own else dataclasses.replace(study.recipe, learning_rate=1.0)


@lru_cache(maxsize=1)
def _kept_parts(study: Study, sampler: Any) -> dict[str, Any]:
    """The parts of the last study; those of another make other programs, so the old ones leave the memory."""
    forget()
    return _parts(study, sampler, sampler, None)


def _parts(study: Study, sampler: Any, words: Any, init: Callable[[jax.Array], Any] | None) -> dict[str, Any]:
    """The functions that `depthjax.training.ensemble` trains."""
    model = study.network(sampler)
    begin, loss = model.init if init is None else init, loss_of(model, sampler)
    test = partial(scores_of_file if isinstance(sampler, PartedWords) else scores, sampler, model)
    validated = sampler.validation if isinstance(sampler, PartedWords) else sampler
    if study.curriculum:
        begin, loss, test = counted(study.curriculum, study.recipe.steps, bool(sampler.bos), begin, loss, test)
    return {
        "init": begin,
        "loss": loss,
        "sample": partial(words.sample, batch=study.batch, length=study.length),
        "validate": partial(validated.sample, batch=study.batch, length=study.length),
        "optimiser": study.transformation() if study.optimiser or study.curriculum else None,
        "test": partial(test, study.tests, study.length),
    }


def loss_of(model: SequenceModel | Composer, sampler: Any) -> Callable[[Any, Any, Any], tuple[jax.Array, dict[str, jax.Array]]]:
    """The loss of a network on a task: (params, batch, depth) -> (mean loss, metrics)."""
    classes = mean_square if isinstance(sampler, Rotations) else cross_entropy
    judge = model.loss if isinstance(model, Composer) else classes
    return lambda params, batch, depth: judge(model.apply(params, batch.tokens, depth), batch)
