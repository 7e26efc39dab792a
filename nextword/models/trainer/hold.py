"""One training at a time in a folder: two would write over each other's checkpoints.

Leaves out: the tokens of a text, which appear whole and are read by whoever has them open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from examiner.errors import UserError
from examiner.files import NoLocksError, held
from nextword.models.trainer.parallel import Place

LOCK = ".lock"


@contextmanager
def alone(folder: Path, place: Place | None = None) -> Iterator[None]:
    """Inside, no other command of this machine trains or tunes in the folder.

    Of several processes that train together, the first holds it for all. The system lets go of it
    when the process ends, however it ends. On Windows, and on disks that know no locks, nothing is
    held. Raises `UserError` where another command is at work there, or nothing can be written.
    """
    with ExitStack() as stack:
        if place is None:
            stack.enter_context(_held(folder))
        else:
            place.from_first(lambda: stack.enter_context(_held(folder)))
        yield


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    new = [each for each in folder.parents if not each.exists()]
    with ExitStack() as stack:
        try:
            stack.enter_context(held(folder / LOCK, wait=False))
        except BlockingIOError:
            raise UserError(
                f"another command is training in {folder}: wait until it is done, stop it, or take "
                "another --to folder"
            ) from None
        except NoLocksError:
            pass
        except OSError as error:
            raise UserError(f"nothing can be written to {folder}: {error.strerror}") from error
        stack.callback(_tidy, folder, new)
        yield


def _tidy(folder: Path, new: Sequence[Path]) -> None:
    """Take the folder away again where nothing has been written to it, and those made for it."""
    with suppress(OSError):
        if [path.name for path in folder.iterdir()] == [LOCK]:
            (folder / LOCK).unlink()
            folder.rmdir()
            for each in new:  # the innermost first
                each.rmdir()
