"""The command line: `nextword COMMAND`. Exit 0: good; 1: the work fell short; 2: wrong use."""

from __future__ import annotations

import errno
import importlib
import importlib.util
import inspect
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from examiner.errors import UserError
from nextword import __version__

# One file per command, of the same name.
STUDENTS = ("check", "doctor", "install-torch", "progress", "submit")
INSTRUCTORS = (
    *("sync", "release", "schedule", "grade", "serve", "lti", "cluster", "feedback", "race"),
)
READERS = ("read", "ladder", "claims", "models", "train", "write")
AUTHORS = ("suites", "similar", "new-chapter", "pdf")
# what students get lacks the part of the examiner that grades and releases
COMPLETE = importlib.util.find_spec("examiner.release") is not None
COMMANDS = (
    *STUDENTS,
    *(INSTRUCTORS if COMPLETE else ()),
    *READERS,
    *(AUTHORS if COMPLETE else ()),
)
# what is not installed until it is asked for, and how
ASKED_FOR = {"torch": "nextword install-torch"}


def _wrong(text: str) -> typer.Exit:
    """Say what is wrong in one line; return what ends the command."""
    typer.secho(f"nextword: {text}", fg="red", err=True)
    return typer.Exit(2)


class PlainErrors(TyperGroup):
    """Prints a UserError as one line and exits with 2: wrong use, not a crash."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except UserError as error:
            how = ASKED_FOR.get(getattr(error, "package", ""))
            raise _wrong(f"{error}{f': {how}' if how else ''}") from None
        except ModuleNotFoundError as error:
            if error.name not in ASKED_FOR:
                raise
            how = ASKED_FOR[error.name]
            raise _wrong(f"this needs {error.name}, which is not installed: {how}") from None
        except OSError as error:
            file = error.filename2 or error.filename
            if file is None and error.errno != errno.ENOSPC:
                raise  # no file of the user's: a broken pipe, a lost connection
            reason = error.strerror or type(error).__name__
            raise _wrong(f"{file or 'writing'}: {reason}") from None
        except KeyboardInterrupt:
            typer.secho("nextword: stopped", err=True)
            raise typer.Exit(130) from None


app = typer.Typer(
    cls=PlainErrors,
    help="Next Word, a course in language models: check your work, grade a class.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # its boxes cut the names of options off where a terminal is narrow
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _flowing(text: str) -> str:
    """Join the lines of each paragraph: the terminal breaks them where it ends."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _in_the_list(text: str) -> str:
    """Return the sentences before the example, whole: without them, longer ones are cut off.

    >>> _in_the_list("Say what works. Example: nextword doctor")
    'Say what works.'
    """
    return text.split("\n\n")[0].partition(" Example: ")[0]


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(f"nextword {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", help="Print the version.", is_eager=True, callback=_tell_version
    ),
) -> None:
    pass


for _command in COMMANDS:
    _name = _command.replace("-", "_")
    _module = importlib.import_module(f"nextword.cli.{_name}")
    _function = getattr(_module, _name)
    _help = _flowing(inspect.getdoc(_function) or "")
    app.command(
        _command,
        help=_help,
        short_help=_in_the_list(_help),
        context_settings=getattr(_module, "SETTINGS", None),
    )(_function)


def main() -> None:
    """Run the command line; a console that lacks a character shows a replacement for it."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    app(prog_name="nextword")
