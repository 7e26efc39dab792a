"""Real corpora and test sets, fetched once by name and checked against a pinned sha256.

The course needs none of them. Leaves out: unpacking to disk (zip members are read in place).
"""

import hashlib
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from examiner.errors import UserError
from nextword.corpora import cache

_GENSIM = "https://raw.githubusercontent.com/piskvorky/gensim/4.3.3/gensim/test/test_data"
_WIKITEXT = "https://wikitext.smerity.com"
_PARTS = {
    "train": "wiki.train.tokens",
    "validation": "wiki.valid.tokens",
    "test": "wiki.test.tokens",
}


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


DOWNLOADS: dict[str, Download] = {
    "tinyshakespeare": Download(
        title="Tiny Shakespeare: 1.1 MB of Shakespeare's plays, for character models",
        url="https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt",
        home="https://github.com/karpathy/char-rnn",
        licence="public domain (the plays)",
        n_bytes=1_115_394,
        sha256="86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
    ),
    "wikitext-2": Download(
        title="WikiText-2: 2 million words of good Wikipedia articles, cut into words",
        url=f"{_WIKITEXT}/wikitext-2-v1.zip",
        home="https://arxiv.org/abs/1609.07843",
        licence="CC BY-SA 4.0",
        n_bytes=4_475_746,
        sha256="92675f1d63015c1c8b51f1656a52d5bdbc33aafa60cc47a218a66e7ee817488c",
        parts={split: f"wikitext-2/{member}" for split, member in _PARTS.items()},
    ),
    "wikitext-103": Download(
        title="WikiText-103: 103 million words of good Wikipedia articles, cut into words",
        url=f"{_WIKITEXT}/wikitext-103-v1.zip",
        home="https://arxiv.org/abs/1609.07843",
        licence="CC BY-SA 4.0",
        n_bytes=190_229_076,
        sha256="242ba0f20b329cfdf1ccc61e9e9e5b59becf189db7f7a81cd2a0e2fc31539590",
        parts={split: f"wikitext-103/{member}" for split, member in _PARTS.items()},
    ),
    "text8": Download(
        title="text8: 100 million characters of Wikipedia, only a-z and spaces",
        url="http://mattmahoney.net/dc/text8.zip",
        home="http://mattmahoney.net/dc/textdata.html",
        licence="GFDL and CC BY-SA 3.0 (Wikipedia, March 2006)",
        n_bytes=31_344_016,
        sha256="a6640522afe85d1963ad56c05b0ede0a0c000dddc9671758a6cc09b7a38e5232",
        parts={"all": "text8"},
    ),
    "wordsim353": Download(
        title="WordSim-353: how related people find 353 pairs of words",
        url=f"{_GENSIM}/wordsim353.tsv",
        home="https://gabrilovich.com/resources/data/wordsim353/wordsim353.html",
        licence="CC BY 4.0",
        n_bytes=7_186,
        sha256="f92a022fc2537793a15bc3a8c162ebcd74990e033a228bb6388cb71e4c0b1e1d",
    ),
    "simlex999": Download(
        title="SimLex-999: how similar people find 999 pairs of words",
        url=f"{_GENSIM}/simlex999.txt",
        home="https://fh295.github.io/simlex.html",
        licence="none stated; published by its authors for research",
        n_bytes=18_126,
        sha256="d5e0501971478a511430ee880bd0121e94ac701ba86d90544d83e6d2ba3db05d",
    ),
    "analogies": Download(
        title="Google analogies: 19,544 questions such as Paris : France = Rome : ?",
        url=f"{_GENSIM}/questions-words.txt",
        home="https://arxiv.org/abs/1301.3781",
        licence="Apache 2.0",
        n_bytes=603_955,
        sha256="8c29b3332afc46f3fb8be04cb5297bf96f39aa7131272dff57869b4485b22a36",
    ),
}


def fetch(name: str, *, progress: bool = True) -> Path:
    """The path of a download whose bytes are right; from the cache folder, else from the web.

    What is fetched stands in the cache folder only once it is whole and right; a broken transfer
    leaves nothing behind, so the next call starts again. A file that is there already is never
    changed or deleted. Raises `UserError` for an unknown name, without a connection, for an answer
    other than the file, and where the bytes are not the pinned ones; each says what to do.
    """
    download = _known(name)
    path = cache.folder("downloads") / name / download.file_name
    if path.exists():
        check(path, download)
    else:
        _transfer(name, download, path, progress)
    return path


def read(name: str, part: str | None = None, *, progress: bool = True) -> str:
    """The text of a download; for a zip, of one of its parts (see `DOWNLOADS[name].parts`)."""
    download = _known(name)
    if (part not in download.parts) if download.parts else part is not None:
        known = ", ".join(download.parts) or "no part (leave it out)"
        raise UserError(f"{name!r} has no part {part!r}: expected {known}")
    path = fetch(name, progress=progress)
    if part is None:
        return path.read_text(encoding="utf-8")
    with zipfile.ZipFile(path) as archive:
        return archive.read(download.parts[part]).decode("utf-8")


def _known(name: str) -> Download:
    if name not in DOWNLOADS:
        raise UserError(f"unknown download {name!r}: expected one of {', '.join(DOWNLOADS)}")
    return DOWNLOADS[name]


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


def _transfer(name: str, download: Download, path: Path, progress: bool) -> None:
    """Fetch one file; it appears at `path` only when its bytes are the pinned ones."""
    import pooch
    import requests

    pooch.get_logger().setLevel("WARNING")  # the bar and the error messages say it all
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with Bar(download.title, shown=progress) as bar:
            pooch.retrieve(
                download.url,
                known_hash=f"sha256:{download.sha256}",
                fname=path.name,
                path=path.parent,
                # Some servers refuse clients that call themselves Python.
                downloader=pooch.HTTPDownloader(
                    progressbar=bar, headers={"User-Agent": "Mozilla/5.0 nextword"}, timeout=30
                ),
            )
    except (requests.RequestException, ValueError, OSError) as error:
        raise UserError(f"{_reason(error, download)} {_by_hand(name, download, path)}") from error


def _reason(error: Exception, download: Download) -> str:
    """What went wrong, in one sentence."""
    import requests

    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"{download.url} answered with error {error.response.status_code}."
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return f"the connection to {download.url} broke before the end, and nothing was kept."
    if isinstance(error, requests.RequestException):
        return f"{download.url} cannot be reached; is this computer online?"
    if isinstance(error, ValueError):
        return (
            f"{download.url} sent another file than expected (its sha256 is not "
            f"{download.sha256}), and nothing was kept."
        )
    return f"the file cannot be saved ({error})."


def _by_hand(name: str, download: Download, path: Path) -> str:
    """What to do when the course cannot fetch the file itself."""
    return (
        f"Try again, or fetch {name!r} elsewhere ({download.n_bytes:,} bytes, sha256 "
        f"{download.sha256}) and put it at {path}"
    )


class Bar:
    """A rich progress bar under the names that pooch asks for: total, update, reset, close."""

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

    def __enter__(self) -> "Bar":
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: Any, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    @property
    def total(self) -> float | None:
        """How many bytes there are in all; None while nobody knows."""
        return self._progress.tasks[self._task].total

    @total.setter
    def total(self, n_bytes: int) -> None:
        self._progress.update(self._task, total=n_bytes or None)

    def update(self, n_bytes: int) -> None:
        """Show that so many bytes more are here."""
        self._progress.update(self._task, advance=n_bytes)

    def reset(self) -> None:
        """Begin again."""
        self._progress.update(self._task, completed=0)

    def close(self) -> None:
        """Nothing: the bar ends with its `with` block, also after an error."""
