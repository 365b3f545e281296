"""What the values of a sweep must be: every wrong one is named with its key and with what was expected, before any training.

Keys and types are checked where the file is read; here are ranges, names, and values that contradict each other.
"""

import dataclasses
import difflib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from depthjax.models.kinds import KINDS
from depthjax.tasks.rotation import MODES
from depthjax.training.named import OWN, named_optimiser
from experiments.studies.composers import COMPOSERS
from experiments.studies.configuration import Sweep, SweepError
from experiments.studies.study import ALPHABETS
from experiments.studies.tasks import TASKS, language_of, letters_of, moves_of, table_of
from experiments.studies.word_file import words_of
from theory.groups import group

CLASSES, REAL = ("token", "sequence"), ("mse", "score")  # metrics of tasks with classes, and of the one with coordinates
AXES = ("models", "widths", "learning_rates", "batches")
CELLS = 10_000
RECORDS = 2**25  # of a cell: eight curves of this many float32 fill a file of MAX_CELL
NOWHERE = 2  # letters of a word from which no hop leads: neighbours differ, so a letter comes again after two places at best
ORDER = 1_024  # of a group: each element is a class, and all products of three are compared
# key -> smallest and largest value: beyond the largest no machine holds the arrays
RANGES = {
    "nestings": (1, 2**10),
    "hops": (1, 2**10),
    "largest_hops": (1, 2**10),
    "blocks": (1, 2**10),
    "widths": (1, 2**14),
    "batches": (1, 2**20),
    "depths": (1, 2**10),
    "seeds": (1, 2**12),
    "length": (1, 2**20),
    "tests": (1, 2**24),
    "samples": (0, 2**31 - 1),
    "segments": (1, 10**6),
    "seed": (0, 2**32 - 1),
}


def check(sweep: Sweep, content: Mapping[str, Any]) -> None:
    """Refuse values that a sweep cannot train or judge.

    Args:
        sweep: of the right types.
        content: the file that said so.

    Raises:
        SweepError: names the key, the value, what was expected, and what to do.
    """
    if "learning_rate" in content.get("recipe", {}):
        rate = _shown(content["recipe"]["learning_rate"])
        raise SweepError(
            f"recipe.learning_rate = {rate}: expected learning_rates = [{rate}] above the tables, because rates are "
            "crossed with the other lists; move it there"
        )
    named("task", sweep.task, TASKS)
    axes = (TASKS[sweep.task].key, *AXES)
    if ignored := [task.key for task in TASKS.values() if task.key in content and task.key != axes[0]]:
        told = f"the task {sweep.task!r} follows {axes[0]}, so this list would be ignored"
        raise SweepError(f"{ignored[0]}: {told}; leave it out")
    if sweep.task == "file":
        _of_file(sweep, content)
    elif "words" in content:
        raise SweepError(f"[words]: the task {sweep.task!r} reads no file of words, so this would be ignored; leave it out")
    cells = math.prod(len(getattr(sweep, key)) for key in axes)
    if cells > CELLS:
        raise SweepError(f"the lists cross to {cells} cells: expected at most {CELLS}, each one is trained; split the sweep")
    composes = sweep.task == "composition"
    if composes and (ignored := [key for key in ("depths", "bos", "alphabet", "switches") if key in content]):
        why = "whole words of all elements are composed, and their length gives the depth, so this would be ignored"
        raise SweepError(f"{ignored[0]}: {why}; leave it out")
    named("alphabet", sweep.alphabet, ALPHABETS)
    for mode in sweep.modes:
        named("modes", mode, MODES)
    if sweep.task == "asked_hops" and not sweep.bos:
        raise SweepError("bos = False: the first token of asked_hops asks for the number of hops; leave bos out")
    for key, (least, most) in RANGES.items():
        _each(sweep, key, lambda value, low=least, high=most: low <= value <= high, f"an integer from {least} to {most}")
    _each(sweep, "learning_rates", lambda rate: 0 < rate < math.inf, "a number above 0 and finite")
    _each(sweep, "success", lambda share: 0 < share <= 1, "a share of words, above 0 and at most 1")
    for name in sweep.models:
        named("models", name, COMPOSERS if composes else KINDS)
    for name in sweep.groups:
        try:
            order = group(name).order
        except ValueError as error:
            raise SweepError(f"groups = {name!r}: {error}") from error
        if order > ORDER:
            told = f"{order} elements, expected at most {ORDER}, because each is a class of the network"
            raise SweepError(f"groups = {name!r}: {told}; take a smaller group")
    for name, letters in sweep.letters.items():
        if sweep.task not in ("words", "automaton"):
            told = f"the task {sweep.task!r} follows no group or automaton, so this would be ignored"
            raise SweepError(f"[letters]: {told}; leave it out")
        named("letters", name, sweep.groups if sweep.task == "words" else sweep.automata)
        if not isinstance(letters, list | tuple):
            raise SweepError(f"letters.{name} = {_shown(letters)}: expected a list of letters")
        try:
            letters_of(name, letters) if sweep.task == "words" else moves_of(name, letters)
        except ValueError as error:
            raise SweepError(f"letters.{name}: {error}") from error
    for automaton in sweep.automata:
        try:
            language_of(automaton) if sweep.task == "acceptance" else table_of(automaton)
        except ValueError as error:
            raise SweepError(f"automata = {_shown(automaton)}: {error}") from error
    for key in (*axes, "depths"):
        _distinct(key, getattr(sweep, key))
    if (curves := sweep.recipe.records * sweep.seeds * len(sweep.depths)) > RECORDS:
        told = f"a cell would keep {curves} records of its seeds and depths, and its file holds at most {RECORDS}"
        raise SweepError(f"recipe.record_every = {sweep.recipe.record_every}: {told}; record less often, or take fewer seeds")
    if sweep.recipe.stop_metric:
        named("recipe.stop_metric", sweep.recipe.stop_metric, REAL if sweep.task == "rotation" else CLASSES)
        if sweep.task != "rotation" and not 0 < sweep.recipe.stop_at <= 1:
            told = f"{sweep.recipe.stop_metric} is a share, so that no run would stop there"
            raise SweepError(f"recipe.stop_at = {sweep.recipe.stop_at:g}: expected a number above 0 and at most 1; {told}")
    if len(sweep.curriculum) > sweep.recipe.steps:
        told = f"curriculum has {len(sweep.curriculum)} lengths and the training {sweep.recipe.steps} steps"
        raise SweepError(f"{told}: expected a step for each at least, or the last length is never trained; take fewer lengths")
    if (key := TASKS[sweep.task].key) in ("hops", "largest_hops"):
        asked, most = max(getattr(sweep, key)), max(sweep.length - NOWHERE, 0)
        if asked > most:
            told = f"a position of a word of {sweep.length} letters has {most} hops at most, so nothing would be asked"
            raise SweepError(f"{key} = {asked}: {told}; take fewer hops or a larger length")
    _optimiser(sweep, content)
    for kind, switches in sweep.switches.items():
        _switches(sweep, kind, switches)


def _of_file(sweep: Sweep, content: Mapping[str, Any]) -> None:
    if not sweep.files:
        raise SweepError("files: expected the words of the task 'file', such as files = ['mine.csv']; add them")
    if ignored := [key for key in ("alphabet", "samples", "curriculum") if key in content]:
        why = "the file holds the words, whole and in a fixed number, so this would be ignored"
        raise SweepError(f"{ignored[0]}: {why}; leave it out")
    for file in sweep.files:
        try:
            words_of(file, sweep.words, sweep.length, sweep.bos)
        except ValueError as error:
            raise SweepError(f"files = {_shown(file)}: {error}") from error


def _each(sweep: Sweep, key: str, fine: Callable[[Any], bool], expected: str) -> None:
    given = getattr(sweep, key)
    for value in given if isinstance(given, tuple) else (given,):
        if not fine(value):
            raise SweepError(f"{key} = {_shown(value)}: expected {expected}; change {key} in the configuration")


def named(key: str, value: str, known: Iterable[str]) -> None:
    """Refuse a name that is not known, and suggest the nearest.

    Raises:
        SweepError: the name is not among `known`.
    """
    if value not in known:
        close = difflib.get_close_matches(value, list(known), n=1)
        hint = f"did you mean {close[0]!r}?" if close else "choose one of them"
        raise SweepError(f"{key} = {_shown(value)}: expected one of {', '.join(known)}; {hint}")


def _distinct(key: str, values: tuple[Any, ...]) -> None:
    """Cells are named by six digits of a number: two values that look alike would share a cell."""
    seen = Counter(f"{value:g}" if isinstance(value, float) else value for value in values)
    if twice := [value for value, times in seen.items() if times > 1]:
        raise SweepError(f"{key} = {list(values)}: expected every value once, and {twice[0]} is there twice; leave one out")


def _optimiser(sweep: Sweep, content: Mapping[str, Any]) -> None:
    if not sweep.optimiser:
        if sweep.hyperparameters:
            raise SweepError(
                "[hyperparameters]: no optimiser is named, so they would be ignored; name one, such as optimiser = 'lion', or "
                "set betas, epsilon and weight_decay of AdamW in [recipe]"
            )
        return
    if ignored := [key for key in OWN if key in content.get("recipe", {})]:
        raise SweepError(
            f"recipe.{ignored[0]}: the optimiser {sweep.optimiser!r} is not the recipe's AdamW, so this would be ignored; set "
            "its numbers in [hyperparameters]"
        )
    try:
        named_optimiser(sweep.optimiser, sweep.recipe, sweep.hyperparameters)
    except ValueError as error:
        raise SweepError(f"optimiser = {_shown(sweep.optimiser)}: {error}") from error


def _switches(sweep: Sweep, kind: str, switches: Any) -> None:
    where = f"switches.{kind}"
    if kind not in sweep.models:
        named("switches", kind, KINDS)
        raise SweepError(
            f"[{where}]: expected a kind in models = {list(sweep.models)}, because these switches would be ignored; "
            f"add {kind!r} to models or leave the table out"
        )
    if not isinstance(switches, dict):
        raise SweepError(f"{where} = {_shown(switches)}: expected a table, [{where}]")
    usual = {field.name: field.default for field in dataclasses.fields(KINDS[kind].mixer)} | {"mlp": False}
    for name, value in switches.items():
        default = usual.get(name)
        # unknown names are told by the model itself; a field without a default says nothing of its type
        if isinstance(default, (bool, str, int)) and type(value) is not type(default):
            raise SweepError(f"{where}.{name} = {_shown(value)}: expected {type(default).__name__}, such as {default!r}")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
