"""Code of other people, which may try to end the process that runs it.

A script without a guard calls ``sys.exit``, a parser of arguments ends the process after its help, and code may raise what is
no `Exception`. None of that is the end of a command: it is an error of the code, as every other exception is. Only what the
user does at the keyboard ends a command. What such code prints goes to standard error, because the output is the command's.
"""

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator


class Ended(Exception):
    """Code of a guest asked for the end of the process; the message says how."""


@contextlib.contextmanager
def guest() -> Iterator[None]:
    """Run code of other people in this block: whatever it raises is an `Exception`, but for the user's own Ctrl-C.

    Raises:
        Ended: the code called ``sys.exit``, or raised what is no `Exception`.
        KeyboardInterrupt: the user pressed Ctrl-C.
    """
    pressed: list[int] = []

    def note(number: int, frame: object) -> None:
        pressed.append(number)
        raise KeyboardInterrupt

    # who else handles the signal may raise what it likes, and nobody can tell its KeyboardInterrupt from that of the code
    here = threading.current_thread() is threading.main_thread()
    usual = here and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    foreign = here and not usual and callable(signal.getsignal(signal.SIGINT))
    if usual:
        signal.signal(signal.SIGINT, note)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    except Exception:
        raise
    except SystemExit as error:
        raise Ended(f"the code called sys.exit({'' if error.code is None else repr(error.code)[:200]})") from error
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and (pressed or foreign):
            raise
        raise Ended(f"the code raised {type(error).__name__}, which is no Exception") from error
    finally:
        if usual and signal.getsignal(signal.SIGINT) is note:
            signal.signal(signal.SIGINT, signal.default_int_handler)
