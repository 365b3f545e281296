"""The shell around every command line of this project: parses, runs, and turns every user error into one line and exit code 2.

A defect of the program itself is exit code 4, with its traceback on standard error: no crash looks like a refuted claim. Code
of somebody else that fails is exit code 4 as well, with its name. Nothing but the parser ends a command early with code 0.
"""

import contextlib
import dataclasses
import errno
import inspect
import io
import os
import re
import sys
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn, TextIO, Union, get_args, get_type_hints

import tyro

from depthjax.runs.catalogue import did_you_mean
from experiments.terminal import FAILED, SPELLED, Failure, UsageError, open_streams, tell_warnings, warn

COMPLETION, SHELLS = "--tyro-write-completion", ("bash", "fish", "zsh")
VALUES = r"('flags': \['{option}'\], 'description': '(?:[^'\\]|\\.)*', 'type': )'\w+'"
GROUPS = r"('{command}': {{'description': '{command}', .*?'subcommands': {{}}, 'frontier_groups': )\[\]"  # in what it writes


def guarded(run: Callable[[], int]) -> int:
    """Run a command and return its exit code, whatever happens: 2 usage, 4 a failure, 130 interrupted.

    Raises:
        SystemExit: the parser has said what was asked of it, such as the help; nobody else ends a command.
    """
    open_streams()
    tell_warnings()
    try:
        with contextlib.redirect_stdout(_Output(sys.stdout)):  # type: ignore[type-var]
            try:
                code = run()
            except _Answered:
                sys.stdout.flush()
                raise
            sys.stdout.flush()
            return code
    except _Answered:
        raise
    except UsageError as error:
        _say(str(error))
        return 2
    except Failure as error:
        _say(f"failed: {error}")
        return FAILED
    except KeyboardInterrupt:
        _say("interrupted")
        return 130
    except _Unwritable as failure:
        _silence()
        if isinstance(failure.error, BrokenPipeError):
            return 0  # the reader of a pipe has left; nothing more can be said to it
        reason = getattr(failure.error, "strerror", None) or failure.error
        _say(f"cannot write to standard output: {reason}; what was finished is on disk")
        return FAILED
    except BaseException as error:
        if mistake := _mistake(error):
            _say(mistake)
            return 2
        with contextlib.suppress(OSError, ValueError):
            traceback.print_exc()
        _say(f"failed: {type(error).__name__}: {error} (a defect of this program; the traceback is above)")
        return FAILED


def _mistake(error: BaseException) -> str:
    """What the user can put right about an error that every command may meet; empty for any other error."""
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return f"{str(error.filename)[:60]}... is no file: a name of {len(str(error.filename))} characters is too long"
    if isinstance(error, RuntimeError) and str(error).startswith("Unable to initialize backend"):
        return f"JAX finds no device (JAX_PLATFORMS={os.environ.get('JAX_PLATFORMS', '')}): {error}"
    return ""


class _Answered(SystemExit):
    """The parser has said what was asked of it: the help, or a completion."""


def answered(say: Callable[[], None]) -> NoReturn:
    """End with code 0 after a help that the parser does not write.

    Raises:
        SystemExit: always.
    """
    say()
    raise _Answered(0)


class _Unwritable(Exception):
    """Standard output takes nothing more; no OSError, which somebody on the way might handle."""

    def __init__(self, error: OSError | ValueError):
        self.error = error


class _Output:
    """Standard output, whose failures can be told from those of files; characters that its encoding lacks are spelled out."""

    def __init__(self, stream: TextIO):
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with self._failing():
            try:
                return self._stream.write(text)
            except UnicodeEncodeError as error:
                self._stream.write(text.encode(error.encoding, SPELLED).decode(error.encoding))
                return len(text)

    def flush(self) -> None:
        with self._failing():
            self._stream.flush()

    @staticmethod
    @contextlib.contextmanager
    def _failing() -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:  # the second: a claim has closed it
            raise _Unwritable(error) from error


def _say(message: str) -> None:
    """One line on standard error, if that can be written."""
    with contextlib.suppress(OSError, ValueError):
        warn(" ".join(message.split()))


def _silence() -> None:
    """Python flushes what is left of standard output when it ends: let that go nowhere."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def parsed(
    commands: Collection[str],
    kind: Callable[[str], type],
    prog: str,
    description: str,
    arguments: Sequence[str],
    names: Mapping[str, Sequence[str]] | None = None,
    values: Mapping[str, Sequence[str]] | None = None,
) -> Any:
    """The command that the arguments ask for. A command is a dataclass; its docstring is its help, with its line breaks.

    Args:
        commands: Names of the commands.
        kind: Loads the class of a command by its name; of the command that the arguments name, or of all where they name none.
        prog: Name of the program.
        description: The help of the program.
        arguments: What the user typed behind it.
        names: Command -> names that the shell completes after it, beside its options.
        values: Option -> values that the shell completes after it, where the parser knows of none.

    Raises:
        UsageError: the arguments fit no command.
    """
    _check_first(commands, prog, arguments)
    loaded = {name: kind(name) for name in ([arguments[0]] if arguments and arguments[0] in commands else commands)}
    kinds = [_subcommand(name, found) for name, found in loaded.items()]
    choice: Any = Union[tuple(kinds if len(kinds) > 1 else [*kinds, OTHERS])]  # noqa: UP007  (a tuple of any length)
    complaint = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", write_through=True)
    try:
        with contextlib.redirect_stderr(complaint):
            return tyro.cli(
                choice,
                prog=prog,
                description=description,
                args=arguments,
                config=(tyro.conf.OmitArgPrefixes, tyro.conf.OmitSubcommandPrefixes, tyro.conf.FlagCreatePairsOff),
            )
    except SystemExit as stop:
        if stop.code:
            said = _one_line(complaint.buffer.getvalue().decode(), prog)
            if said.startswith("Missing") and len(loaded) == 1:
                # what an option that the command does not have would take is not there for what is missing
                if strange := _strange_option(arguments[1:], *loaded.values()):
                    said = f"{strange} (see {prog} {arguments[0]} --help)"
            raise UsageError(said) from None
        if arguments[:1] == [COMPLETION] and names:
            _name(Path(arguments[2]), names, values or {})
        raise _Answered(0) from None
    except OSError as error:  # where the completion was to be written
        raise UsageError(f"cannot write {error.filename}: {error.strerror}") from None


def _subcommand(name: str, kind: type) -> Any:
    return Annotated[kind, tyro.conf.subcommand(name, description=inspect.cleandoc(kind.__doc__ or ""))]


@dataclasses.dataclass(frozen=True)
class _Others:
    """The other commands, which are not loaded to run one; the parser asks for two at least."""


OTHERS: Any = Annotated[_Others, tyro.conf.subcommand("...")]


def _check_first(commands: Collection[str], prog: str, arguments: Sequence[str]) -> None:
    """Refuse texts that no shell passes on, unknown commands, and completions for unknown shells."""
    for text in arguments:
        if "\0" in text or not _passes(text):
            raise UsageError(f"{text[:60]!r} holds a character that no file, name or word has: a zero, or half of a character")
    first = arguments[0] if arguments else "-"
    if not first.startswith("-") and first not in commands:
        hint = did_you_mean(first, commands)
        raise UsageError(f"there is no command {first!r}; {hint}{' ' * bool(hint)}`{prog} --help` lists all commands")
    if first == COMPLETION and (len(arguments) != 3 or arguments[1] not in SHELLS):
        raise UsageError(f"{COMPLETION}: expected one of {', '.join(SHELLS)}, and a file: {COMPLETION} bash ~/.{prog}.bash")


def _strange_option(arguments: Sequence[str], kind: type) -> str:
    """What to say of the first option that a command does not have; empty if it has all, or commands of its own."""
    if any(dataclasses.is_dataclass(part) for hint in get_type_hints(kind).values() for part in get_args(hint)):
        return ""
    options = ["--help"]
    for field in dataclasses.fields(kind):
        marks = getattr(get_type_hints(kind, include_extras=True)[field.name], "__metadata__", ())
        name = next((mark.name for mark in marks if getattr(mark, "name", None)), field.name)
        options.append(f"--{name.replace('_', '-')}")
    for text in arguments:
        option = text.partition("=")[0].replace("_", "-")
        if option.startswith("--") and option != "--" and option not in options:
            hint = did_you_mean(option, options)
            return f"there is no option {option}{'; ' * bool(hint)}{hint}"
    return ""


def _passes(text: str) -> bool:
    """Whether the system can pass a text on to a program."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


def _name(script: Path, names: Mapping[str, Sequence[str]], values: Mapping[str, Sequence[str]]) -> None:
    """Add names to the completion that the parser wrote, which knows commands and options alone.

    It offers the words of a command's groups until one of the group is used: so every name is a group.

    Raises:
        RuntimeError: the parser writes another form than the one that is known here.
    """
    text = script.read_text("utf-8")
    for command, known in names.items():
        groups = re.compile(GROUPS.format(command=re.escape(command)), re.DOTALL)
        text, count = groups.subn(lambda found, known=known: f"{found[1]}{[[name] for name in known]}", text)
        if count != 1:
            raise RuntimeError(f"{script}: expected the groups of {command} once, found them {count} times; is tyro too new?")
    for option, known in values.items():
        kinds = re.compile(VALUES.format(option=re.escape(option)))
        text, count = kinds.subn(lambda found, known=known: f"{found[1]}'choice', 'choices': {list(known)}", text)
        if not count:
            raise RuntimeError(f"{script}: expected the option {option}, found none; is tyro too new?")
    script.write_text(text, "utf-8")


def _one_line(box: str, prog: str) -> str:
    """What the parser of a program says in a box of several lines, without the box."""
    lines = [line.strip("│╭╰╮╯ ") for line in re.sub(r"\x1b\[[0-9;]*m", "", box).splitlines()]
    sections: list[list[str]] = [[]]
    for line in lines:
        if line and set(line) <= {"─"}:
            sections.append([])
        elif line and not line.startswith("─"):
            sections[-1].append(line)
    words = " ".join(sections[0])
    for section in sections[1:]:
        if section and section[0].startswith("Perhaps you meant") and len(section) > 1:
            words += f"; did you mean {section[1]}?"
        elif section and section[-1].startswith("For full helptext"):
            words += f" (see {re.sub(f'^.*?({re.escape(prog)})', prog, ' '.join(section))})"
    return words
