"""GPT-2's published weights (124 million) and word pieces, fetched once and checked.

A transfer that breaks goes on where it stopped. Leaves out: the network, which chapter 6 builds.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from examiner.errors import UserError
from nextword.corpora import cache
from nextword.corpora.downloads import Bar, Download, check
from nextword.models.trainer.saved import fill
from nextword.models.word_pieces import WordPieces

if TYPE_CHECKING:
    from types import ModuleType

    import requests
    from torch import Tensor, nn

NAME = "gpt2"
HEAD = 64  # numbers of a head, in all sizes of GPT-2
_HOME = "https://huggingface.co/openai-community/gpt2"
_REVISION = "607a30d783dfa663caf39e06633721c8d4cfcd7e"


def _file(title: str, name: str, n_bytes: int, sha256: str) -> Download:
    url = f"{_HOME}/resolve/{_REVISION}/{name}"
    return Download(title, url, _HOME, "MIT", n_bytes, sha256)


FILES: dict[str, Download] = {
    "weights": _file(
        "GPT-2's weights: 124 million numbers",
        "model.safetensors",
        548_105_171,
        "248dfc3911869ec493c76e65bf2fcf7f615828b0254c12b473182f0f81d3a707",
    ),
    "pieces": _file(
        "GPT-2's word pieces: 50,257 of them",
        "vocab.json",
        1_042_301,
        "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
    ),
    "merges": _file(
        "GPT-2's merges: in which order pieces join",
        "merges.txt",
        456_318,
        "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
    ),
}
BLOCK = 1 << 16  # bytes that are read at a time: so much is lost where a transfer breaks
TIMEOUT = 30  # seconds without an answer


def weights(*, progress: bool = True) -> dict[str, Tensor]:
    """The tensors of GPT-2 by their published names; 548 MB are fetched at the first call.

    Raises `UserError` like `fetch`.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    path = fetch("weights", progress=progress)
    try:
        return load_file(path)
    except SafetensorError as error:
        raise UserError(f"{path} is damaged ({error}): move it away and try again") from error


def model(course: ModuleType, tensors: dict[str, Tensor] | None = None) -> nn.Module:
    """The reader's own network with GPT-2's weights, or with others of the same kind.

    course: chapter 6 of the package under test, with `Sizes`, `LanguageModel` and `from_gpt2`. The
    sizes follow from the tensors. Raises `UserError` like `fetch`, and for tensors that do not fit.
    """
    tensors = weights() if tensors is None else tensors
    renamed = course.from_gpt2(tensors)
    network: nn.Module = course.LanguageModel(sizes_of(course, tensors))
    fill(network, renamed)
    return network.eval()


def sizes_of(course: ModuleType, tensors: Mapping[str, Tensor]) -> Any:
    """The `Sizes` of a checkpoint of GPT-2's kind; `UserError` where it is of another kind."""
    shapes = {name.removeprefix("transformer."): t.shape for name, t in tensors.items()}
    if not {"wte.weight", "wpe.weight"} <= shapes.keys():
        some = ", ".join(list(shapes)[:3]) or "nothing"
        raise UserError(f"not of GPT-2's kind: expected wte.weight and wpe.weight in {some}")
    V, D = shapes["wte.weight"]
    layers = {name.split(".")[1] for name in shapes if name.startswith("h.")}
    return course.Sizes(
        *(V, D, len(layers), max(1, D // HEAD)),
        T=shapes["wpe.weight"][0],
        positions="learned",
        feed="gelu_tanh",
    )


def word_pieces(*, progress: bool = True) -> WordPieces:
    """GPT-2's tokenizer, with `encode` and `decode`. Raises `UserError` like `fetch`."""
    pieces, merges = (fetch(name, progress=progress) for name in ("pieces", "merges"))
    return WordPieces.read(pieces, merges)


def is_here(files: Mapping[str, Download] = FILES) -> bool:
    """Whether all files are in the cache folder, so that nothing need be fetched."""
    return all(_path(download).is_file() for download in files.values())


def fetch(name: str, *, progress: bool = True) -> Path:
    """The path of one of `FILES` whose bytes are right; from the cache folder, else from the web.

    What was fetched before a break is kept beside the file, and the next call goes on from there.
    Raises `UserError` for an unknown name, without a connection, for another answer than the file,
    for a full disk and for wrong bytes; each says what to do.
    """
    if name not in FILES:
        raise UserError(f"unknown file {name!r} of GPT-2: expected one of {', '.join(FILES)}")
    download = FILES[name]
    path = _path(download)
    if not path.is_file():
        _transfer(download, path, progress)
    elif path.stat().st_size != download.n_bytes:  # the whole sha256 takes seconds each time
        check(path, download)
    return path


def _path(download: Download) -> Path:
    return cache.folder("pretrained") / NAME / download.file_name


def _transfer(download: Download, path: Path, progress: bool) -> None:
    """Fetch what is missing of a file; it has its own name only when it is whole and right."""
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
        raise UserError(f"{path} cannot be saved: {why}. Make room and try again") from error
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
        bar.total = download.n_bytes
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
    return f"{so_far}, or fetch the file elsewhere (sha256 {download.sha256}) and put it at {path}"
