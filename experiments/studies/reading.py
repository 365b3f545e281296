"""Reading a sweep's configuration and a study of a paper: keys and types first, then values, before anything is trained.

A study is a TOML file of this folder. `shared` and each of the `settings` hold the keys of a sweep, and a setting wins; every
study has the settings "reduced", whose sizes were chosen for two hours of two cores, "card", which takes 1 to 15 hours of one
H100 by the dry run, and "published", which is the paper's.
"""

import dataclasses
import difflib
import tomllib
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from depthjax import files
from experiments.studies.configuration import Sweep, SweepError
from experiments.studies.schema import check, named

FOLDER = Path(__file__).parent
MAX_BYTES = 2**20  # of a configuration
SETTINGS = ("reduced", "card", "published")


def read(file: Path) -> Sweep:
    """Read a configuration and check all that can be checked before training.

    Raises:
        SweepError: the file cannot be read, or holds a key or a value that a sweep does not have or cannot use.
    """
    return _checked(_content(file), file)


@dataclasses.dataclass(frozen=True)
class Paper:
    """A study of a paper.

    Attributes:
        title: What is measured against what.
        source: Authors, title and number of the paper, and the table or figure.
        deviations: What is not as in the paper, and the setting or switch that does as the paper did.
        settings: The keys of a sweep that each setting gives, by its name.
        shared: The keys of a sweep that all settings share.
        published: Name of the published numbers, for `depthjax compare`; empty where none is known.
        file: The file that says so, which is no key of it.
    """

    title: str
    source: str
    deviations: tuple[str, ...]
    settings: dict[str, dict[str, Any]]
    shared: dict[str, Any] = dataclasses.field(default_factory=dict)
    published: str = ""
    file: Path = dataclasses.field(default=Path("a study"), compare=False)

    def sweep(self, setting: str) -> Sweep:
        """The sweep of a setting.

        Raises:
            SweepError: there is no such setting, or its keys are not those of a sweep.
        """
        named("setting", setting, list(self.settings))
        found = dict(self.shared)
        for key, value in self.settings[setting].items():
            found[key] = found[key] | value if isinstance(value, dict) and isinstance(found.get(key), dict) else value
        return _checked(found, self.file)


def papers() -> list[str]:
    """Names of the studies that are there."""
    return sorted(file.stem for file in FOLDER.glob("*.toml"))


def paper(name: str, folder: Path = FOLDER) -> Paper:
    """Read a study.

    Raises:
        SweepError: there is no such study, or its file lacks a key or has another one.
    """
    named("study", name, sorted(file.stem for file in folder.glob("*.toml")))
    content = _content(folder / f"{name}.toml")
    if lacking := [key for key in ("title", "source", "deviations", "settings") if key not in content]:
        raise SweepError(f"the study {name} lacks {', '.join(lacking)}: a study has a title, a source, deviations and settings")
    found = dataclasses.replace(_built(Paper, content, ""), file=folder / f"{name}.toml")
    for setting, keys in found.settings.items():
        if not isinstance(keys, dict):
            raise SweepError(f"settings.{setting} = {keys!r}: expected a table, [settings.{setting}]")
    if lacking := [setting for setting in SETTINGS if setting not in found.settings]:
        raise SweepError(f"the study {name} lacks the setting {lacking[0]!r}: every study has {', '.join(SETTINGS)}")
    return found


def _content(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(files.read(file, MAX_BYTES).decode())
    except OSError as error:
        raise SweepError(f"cannot read {file}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits and endless nesting among them
        raise SweepError(f"{file} is not TOML: {error}") from error


def _checked(content: Mapping[str, Any], file: Path) -> Sweep:
    try:
        sweep = _built(Sweep, content, "")
        check(sweep, content)
        sweep.studies()  # builds every network without its weights, and says what does not fit together
    except SweepError as error:
        raise SweepError(f"{file}: {error}") from error
    return sweep


def _built(kind: type, content: Mapping[str, Any], where: str) -> Any:
    """A dataclass from a table, every key and type checked."""
    hints = {name: hint for name, hint in typing.get_type_hints(kind).items() if hint is not Path}
    for key in content:
        if key not in hints:
            close = difflib.get_close_matches(key, hints, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(hints)}"
            raise SweepError(f"there is no key {where}{key!r}; {hint}")
    values = {key: _value(hints[key], value, f"{where}{key}") for key, value in content.items()}
    try:
        return kind(**values)
    except ValueError as error:
        raise SweepError(f"{where.rstrip('.') or 'configuration'}: {error}") from error


def _value(hint: Any, value: Any, where: str) -> Any:
    if dataclasses.is_dataclass(hint):
        if not isinstance(value, dict):
            raise SweepError(f"{where} = {value!r}: expected a table, [{where}]")
        return _built(typing.cast(type, hint), value, f"{where}.")
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        if not isinstance(value, list) or not value:
            raise SweepError(f"{where} = {value!r}: expected a list that is not empty")
        return tuple(_value(inside[0], item, where) for item in value)
    if origin is dict:
        if not isinstance(value, dict):
            raise SweepError(f"{where} = {value!r}: expected a table, [{where}.NAME]")
        return value
    if origin in (typing.Union, types.UnionType):
        return _value(next(one for one in inside if one is not type(None)), value, where)
    if origin is typing.Literal:
        if value not in inside:
            raise SweepError(f"{where} = {value!r}: expected one of {', '.join(map(str, inside))}")
        return value
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise SweepError(f"{where} = {value!r}: expected {hint.__name__}")
    return value
