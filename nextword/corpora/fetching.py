"""Files from the web, fetched once and checked; a transfer that breaks goes on where it stopped.

Leaves out: which files (downloads.py, nextword.models.pretrained).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from examiner.errors import UserError
from examiner.files import held
from nextword.corpora import cache

if TYPE_CHECKING:
    import requests

BLOCK = 1 << 16  # bytes that are read at a time: so much is lost where a transfer breaks
TIMEOUT = 30  # seconds without an answer


@dataclass(frozen=True)
class Download:
    """One file on the web: where it is, whose it is, and what its bytes must be."""

    title: str
    url: str
    home: str  # the page or paper that describes it
    licence: str
    n_bytes: int
    sha256: str
    parts: Mapping[str, str] = field(default_factory=dict)  # names of a zip's members

    @property
    def file_name(self) -> str:
        """The name of the file in the cache folder."""
        return self.url.rpartition("/")[2]


def check(path: Path, download: Download) -> None:
    """Raise `UserError` unless a file has the pinned bytes; leave it as it is."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    if digest.hexdigest() != download.sha256:
        raise UserError(
            f"{path} is not the expected file: sha256 {digest.hexdigest()}, expected "
            f"{download.sha256}. It was left as it is: move it away and try again"
        )


def transfer(download: Download, path: Path, *, progress: bool) -> None:
    """Fetch a file, or what is missing of it; it has its own name only when it is whole and right.

    What was fetched before a break is kept beside the file, and the next call goes on from there.
    Of two commands the second waits, and finds the file there. Raises `UserError` without a
    connection, for another answer than the file, for a full disk and for wrong bytes; each says
    what to do.
    """
    with ExitStack() as stack:
        lock = path.with_name(f".{path.name}.lock")
        with suppress(OSError):  # no locks, or a folder that cannot be written: said below
            stack.enter_context(held(lock, wait=True))
            stack.callback(lock.unlink, missing_ok=True)
        if not path.is_file():
            _transfer(download, path, progress)


def _transfer(download: Download, path: Path, progress: bool) -> None:
    import requests

    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with Bar(download.title, shown=progress) as bar:
            _append(download, part, bar)
    except requests.RequestException as error:
        raise UserError(f"{_reason(error, download)} {_what_to_do(download, path, part)}") from None
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise UserError(
            f"{path} cannot be saved: {why}. Make room there, or name another folder in "
            f"{cache.VARIABLE}, and try again"
        ) from error
    try:
        check(part, download)
    except UserError:
        part.unlink()
        raise UserError(
            f"{download.url} sent another file than expected (its sha256 is not "
            f"{download.sha256}), and nothing was kept. {_what_to_do(download, path, part)}"
        ) from None
    part.replace(path)


def _append(download: Download, part: Path, bar: Bar) -> None:
    """Add to the part what the server still has to send; begin again where it cannot go on."""
    import requests

    n_there = part.stat().st_size if part.is_file() else 0
    if n_there >= download.n_bytes:
        n_there = 0
    asked = {"User-Agent": "Mozilla/5.0 nextword"}
    if n_there:
        asked["Range"] = f"bytes={n_there}-"
    with requests.get(download.url, headers=asked, stream=True, timeout=TIMEOUT) as answer:
        answer.raise_for_status()
        goes_on = answer.status_code == requests.codes.partial_content
        bar.begin(download.n_bytes)
        bar.update(n_there if goes_on else 0)
        with part.open("ab" if goes_on else "wb") as file:
            for block in answer.iter_content(BLOCK):
                file.write(block)
                bar.update(len(block))


def _reason(error: requests.RequestException, download: Download) -> str:
    """What went wrong, in one sentence."""
    import requests

    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"{download.url} answered with error {error.response.status_code}."
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return f"the connection to {download.url} broke before the end."
    return f"{download.url} cannot be reached; is this computer online?"


def _what_to_do(download: Download, path: Path, part: Path) -> str:
    kept = f"{part.stat().st_size:,} of " if part.is_file() else ""
    so_far = f"Try again ({kept}{download.n_bytes:,} bytes are here)" if kept else "Try again"
    return (
        f"{so_far}, or fetch the file elsewhere ({download.n_bytes:,} bytes, "
        f"sha256 {download.sha256}) and put it at {path}"
    )


class Bar:
    """A rich progress bar of bytes: `total` and `update`."""

    def __init__(self, title: str, *, shown: bool) -> None:
        from rich import console, progress

        self._progress = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.DownloadColumn(),
            progress.TransferSpeedColumn(),
            progress.TimeRemainingColumn(),
            console=console.Console(stderr=True),
            disable=not shown,
        )
        self._task = self._progress.add_task(title.partition(":")[0], total=None)

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: Any, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def begin(self, n_bytes: int) -> None:
        """Say how many bytes there are in all."""
        self._progress.update(self._task, total=n_bytes)

    def update(self, n_bytes: int) -> None:
        """Show that so many bytes more are here."""
        self._progress.update(self._task, advance=n_bytes)
