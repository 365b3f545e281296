"""``depthjax probe``: what a layer or a network in a user's file can do."""

import contextlib
import dataclasses
import importlib.util
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from depthjax.runs.guest import guest
from experiments.commands.given import OF_AUTOMATA, OF_GROUPS
from experiments.terminal import UsageError, console, failing, line_in, patience, print_json, printable, usage

FILES = (".npz", ".safetensors")
MANY = 1024  # letters of a recurrence: half a million pairs
OPTIONS = {"path": "--block", "kind": "--kind", "answer": "--answer", "alphabet": "--letters"}  # argument -> option
ASKED = 2**28  # letters of all words that a network is asked: with their answers 4 GiB


@dataclasses.dataclass(frozen=True)
class Probe:
    """What a layer or a network in a file of yours can do, and what it must fail on.

    The object is an array of transition matrices, a pair of arrays (A, b), a function from a letter to a matrix, a step (state,
    letter) with --states, or a network from tokens (batch, length) to logits. The file is imported, so its code runs; a file
    .npy holds the matrices, (letters, n, n).

    With --inputs it is a block of a published kind (Mamba, S4D, S5, LRU, GLA, DeltaNet, DeltaProduct, RWKV-7, PD-SSM, M2RNN): a
    module in FILE.py:NAME, or a file .npz or .safetensors, of which nothing is run.

    Examples:
      depthjax probe layer.py:transitions --letters 2 --depth 1..4 --page layer.html
      depthjax probe model.safetensors --inputs embeddings.npy --block backbone.layers.0.mixer
    """

    place: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE.py:NAME|FILE.npy|FILE.safetensors|FILE.npz")]
    """The file and the name of the object in it, such as layer.py:transitions; or a file of matrices, or of parameters."""
    inputs: str | None = None
    """File .npy of what a block reads for each letter, (letters, width), such as rows of an embedding."""
    kind: str | None = None
    """Kind of the block, such as mamba; by default the one kind whose names of parameters are there."""
    block: str = ""
    """Path of the block in a model, such as backbone.layers.0.mixer."""
    switches: tuple[str, ...] = ()
    """What a block's parameters do not say, such as num_heads=4 or allow_neg_eigval=true."""
    after: str | None = None
    """The same block after training, a file or FILE.py:NAME: says what training moved."""
    letters: int | None = None
    """Number of letters; needed for functions and networks."""
    depth: str = "1..3"
    """Numbers of layers, such as 2 or 1..6."""
    tolerance: float | None = None
    """Relative singular values up to this one count as zero; by default 6 roundings times the root of the number of rows."""
    states: int | None = None
    """Size of the state, for a step (state, letter) that is affine in the state."""
    time: Literal["discrete", "continuous"] = "discrete"
    """Whether letters map states, or are generators of flows."""
    length: int = 8
    """Longest word that a network is asked."""
    queries: int = 20_000
    """Words that a network is asked at most."""
    inverses: tuple[int, ...] = ()
    """The inverse of each letter, where the task's letters undo each other: adds words from the laws of solvable groups."""
    json: bool = False
    """Print one JSON object and nothing else."""
    answer: str | None = None
    """Which part of a network's outputs is its answer, where it returns several: a key, an attribute or a number."""
    page: str | None = None
    """Write the answers to this HTML file, with pictures."""

    def run(self) -> int:
        """Print the answers."""
        depths = _depths(self.depth)
        if self.inputs is not None or self.place.endswith(FILES):
            return self._block()
        for name, value in (("kind", self.kind), ("block", self.block), ("after", self.after), ("switches", self.switches)):
            if value:
                raise UsageError(f"--{name} belongs to a block of a published kind: give --inputs, too")
        found = _object(self.place)
        for name, value in (
            ("letters", self.letters),
            ("length", self.length),
            ("queries", self.queries),
            ("states", self.states),
        ):
            if value is not None and value < 1:
                raise UsageError(f"--{name} {value}: expected 1 or more")
        with _options():
            kind = "recurrence" if self.states is not None else _kind(found, self.letters, self._answer)
            self._check_size(kind)
            what = "the algebra of its letters" if kind == "recurrence" else f"{self.queries} words at most (--queries)"
            with patience(f"asking {self.place}, {what}; a large one takes minutes"):
                return self._recurrence(found, depths) if kind == "recurrence" else self._network(found, depths)

    def _block(self) -> int:
        """A block of a published kind, or what training moved of it."""
        import numpy as np

        from depthjax import probe
        from depthjax.probe import compared, decision

        if self.inputs is None:
            raise UsageError(f"{self.place} holds parameters: --inputs FILE.npy says what the block reads for each letter")
        try:
            letters = np.load(self.inputs, allow_pickle=False)
        except OSError as error:
            raise UsageError(f"--inputs {self.inputs} cannot be read ({error.strerror or error})") from error
        except (ValueError, EOFError):  # numpy takes every other file for one of pickled objects
            letters = None
        if not isinstance(letters, np.ndarray):
            raise UsageError(
                f"--inputs {self.inputs}: expected one array (letters, width), as np.save writes it; a table of text becomes "
                "one by np.save('letters.npy', np.loadtxt(FILE, delimiter=','))"
            )
        how = {"letters": letters, "path": self.block, "tolerance": self.tolerance} | _switches(self.switches)
        with _options(), patience(f"asking {self.place}; a large one takes minutes"), guest():
            reports = [
                probe.layer(place if place.endswith(FILES) else _object(place), self.kind, **how)
                for place in (self.place, *([self.after] if self.after else []))
            ]
            report = probe.compare(*reports) if self.after else reports[0]
            if self.page is not None:
                report.page(self.page)
        if self.json:
            what = "comparison" if self.after else "layer"
            print_json(_keyed({"kind": what, what: report.as_dict()}))
            return 0
        console().print(repr(report), markup=False, soft_wrap=True)
        _table(compared.HEAD if self.after else decision.HEAD, report.rows())
        return 0

    @property
    def _answer(self) -> int | str | None:
        return int(self.answer) if self.answer and self.answer.lstrip("-").isdecimal() else self.answer

    def _check_size(self, kind: str) -> None:
        """Refuse what would take more than minutes or 4 GiB before anything is asked."""
        letters = self.letters or 0
        if kind == "recurrence":
            if letters > MANY:
                raise UsageError(f"--letters {letters}: at most {MANY} for a recurrence, whose letters are compared in pairs")
            return
        if letters > self.queries:
            raise UsageError(
                f"--letters {letters}: every letter is asked at least once, and --queries allows {self.queries} words"
            )
        if self.length * self.queries > ASKED:
            raise UsageError(
                f"--length {self.length}: {self.queries} words of this length and their answers take "
                f"{16 * self.length * self.queries / 2**30:.3g} GiB, and at most 4 are taken; shorten them, or lower --queries"
            )

    def _recurrence(self, found: Any, depths: list[int]) -> int:
        from depthjax import probe
        from depthjax.probe.decision import HEAD

        with self._asking():
            report = probe.recurrence(found, self.letters, self.tolerance, states=self.states, time=self.time)
        if self.page is not None:
            with usage(OSError):
                report.page(self.page, depths)
        if self.json:
            print_json(_keyed({"kind": "recurrence", **report.as_dict(depths)}))
            return 0
        console().print(f"{report}\ngenerators: {report.generated_by}", markup=False, soft_wrap=True)
        _table(HEAD, report.rows(depths))
        return 0

    @contextlib.contextmanager
    def _asking(self) -> Iterator[None]:
        """Name the line of the user's file that fails when its object is asked; other failures are those of the program."""
        file = self.place.rpartition(":")[0]
        try:
            with guest():
                yield
        except (ValueError, TypeError):  # whoever raises it says what was wrong with the object
            raise
        except Exception as error:
            if line_in(file, error) is None:
                raise
            with failing(self.place, file):
                raise

    def _network(self, found: Callable, depths: list[int]) -> int:
        from depthjax import probe
        from depthjax.probe.adversaries import WORDS
        from depthjax.probe.decision import HEAD

        letters = self.letters or 0
        with self._asking():
            report = probe.network(found, letters, self.length, queries=self.queries, answer=self._answer)
            adversaries = list(_adversaries(found, letters, depths, self.inverses, self._answer))
        if self.page is not None:
            with usage(OSError):
                report.page(self.page, adversaries)
        if self.json:
            shown = {"network": report.as_dict(), "adversaries": [tried.as_dict() for tried in adversaries]}
            print_json(_keyed({"kind": "network", **shown}))
            return 0
        console().print(repr(report), markup=False, soft_wrap=True)
        _table(HEAD, report.rows())
        for tried in adversaries:
            console().print(f"\n{tried.summary}: {tried.outside.why}", markup=False, soft_wrap=True)
            _table(WORDS, tried.rows())
        return 0


@contextlib.contextmanager
def _options() -> Iterator[None]:
    """Turn errors of values and types into usage errors, which name the options of this command and no arguments of Python."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{error.filename} cannot be read ({error.strerror})" if error.filename else str(error)) from error
    except (ValueError, TypeError, UsageError) as error:
        named = rf"\b({'|'.join(OPTIONS)})=(?P<value>[\w'\"-])?"
        said = re.sub(named, lambda match: OPTIONS[match[1]] + (f" {match['value']}" if match["value"] else ""), str(error))
        raise UsageError(said) from error


def _adversaries(apply: Any, letters: int, depths: list[int], inverses: tuple[int, ...], answer: int | str | None) -> Any:
    from depthjax import probe

    for depth in depths:
        for cls in ("abelian", "complex") if inverses else ("abelian",) if depth == 1 else ():
            yield probe.adversary(apply, cls, depth, alphabet=letters, inverses=inverses or None, answer=answer)


def _switches(given: tuple[str, ...]) -> dict[str, Any]:
    """Switches of a block, NAME=VALUE; numbers and truth values are written as in JSON, and other values are texts."""
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if (
            not equals
            or not name.isidentifier()
            or name in ("letters", "path", "tolerance", "kind", "source", "windows", "states")
        ):
            raise UsageError(f"--switches {text}: expected NAME=VALUE, such as num_heads=4")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def _depths(text: str) -> list[int]:
    found = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", text)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= first <= last <= 64:
        raise UsageError(f"--depth {text}: expected a number of layers such as 2, or a range such as 1..6, from 1 to 64")
    return list(range(first, last + 1))


def _object(place: str) -> Any:
    """The object that a file holds under a name; importing the file runs it, as its user asked."""
    file, colon, name = place.rpartition(":")
    if place.lower().endswith(".npy"):
        return _saved(place)
    if place.lower().endswith((*OF_GROUPS, *OF_AUTOMATA, ".json")):
        raise UsageError(f"{place} is no layer: `depthjax bound layers {place}` reads groups and automata from files")
    if not colon or not name.isidentifier():
        raise UsageError(f"{place}: expected FILE.py:NAME, such as layer.py:transitions")
    path = Path(file)
    if not path.is_file():
        raise UsageError(f"no file {file}")
    spec = importlib.util.spec_from_file_location(f"probed_{re.sub(r'[^0-9a-zA-Z_]', '_', path.stem)}", path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{file} is no Python file: its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(path.resolve().parent))
    try:
        with guest():
            spec.loader.exec_module(module)
    except Exception as error:
        line = line_in(file, error)
        place = f"{file}, line {line}" if line else file
        raise UsageError(f"{place}: importing it raised {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(path.resolve().parent))
    if not hasattr(module, name):
        names = ", ".join(known for known in vars(module) if not known.startswith("_"))
        raise UsageError(f"{file} has no {name}; it has {names or 'no public names'}")
    return getattr(module, name)


def _saved(place: str) -> Any:
    """The transition matrices that numpy saved."""
    import numpy as np

    from theory.reading import saved_array

    with usage(ValueError):
        found = saved_array(Path(place))
    if found.ndim != 3:
        table = found.ndim == 2 and np.issubdtype(found.dtype, np.integer)
        hint = f"; `depthjax bound group {place}` reads a multiplication table" if table else ""
        shape = f" of shape {found.shape}"
        raise UsageError(f"{place} holds an array{shape}: expected the matrices of the letters, (letters, n, n){hint}")
    return found


def _kind(found: Any, letters: int | None, answer: int | str | None = None) -> str:
    """Whether an object is a recurrence or a network: a function of letter 0 that returns a matrix is a recurrence."""
    import numpy as np

    from depthjax.adapters import adapted

    try:
        network = adapted(found, answer)
    except TypeError:
        if callable(found):
            raise
        return "recurrence"
    if letters is None:
        raise UsageError("a function needs --letters")
    if not callable(found):
        return "network"
    reasons = []
    for kind, asked, argument, ranks in (
        ("recurrence", found, 0, (2,)),
        ("network", network, np.zeros((1, 2), np.int32), (1, 2, 3)),
    ):
        try:
            with guest():
                returned = asked(argument)
        except Exception as error:  # whatever a user's function does with the wrong argument
            reasons.append(f"as a {kind}: {type(error).__name__}: {error}")
            continue
        first: Any = returned[0] if isinstance(returned, (tuple, list)) and returned else returned
        if np.ndim(first) in ranks:
            return kind
        reasons.append(f"as a {kind}: it returned an object of rank {np.ndim(first)}")
    raise UsageError(
        printable(f"neither a recurrence nor a network: {'; '.join(reasons)}. A step (state, letter) needs --states")
    )


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(*head, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*map(Text, row))
    console().print(table)


def _keyed(value: Any) -> Any:
    """The same value with keys that are identifiers: ``order_blind`` for "order-blind"."""
    if isinstance(value, Mapping):
        return {re.sub(r"\W+", "_", str(key)).strip("_"): _keyed(each) for key, each in value.items()}
    return [_keyed(each) for each in value] if isinstance(value, list | tuple) else value
