"""GPT-2's published weights (124 million) and its tokenizer, fetched once.

Leaves out: the network, which chapter 6 builds.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from examiner.errors import UserError
from nextword.corpora import cache
from nextword.corpora.fetching import Download, check, transfer
from nextword.models.gpt2_tokenizer import Gpt2Tokenizer
from nextword.models.trainer.saved import fill

if TYPE_CHECKING:
    from types import ModuleType

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


def tokenizer(*, progress: bool = True) -> Gpt2Tokenizer:
    """GPT-2's tokenizer, with `encode` and `decode`. Raises `UserError` like `fetch`."""
    pieces, merges = (fetch(name, progress=progress) for name in ("pieces", "merges"))
    return Gpt2Tokenizer.read(pieces, merges)


def is_here(files: Mapping[str, Download] = FILES) -> bool:
    """Whether all files are in the cache folder, so that nothing need be fetched."""
    return all(_path(download).is_file() for download in files.values())


def fetch(name: str, *, progress: bool = True) -> Path:
    """The path of one of `FILES` whose bytes are right; from the cache folder, else from the web.

    Raises `UserError` for an unknown name, and like `fetching.transfer`.
    """
    if name not in FILES:
        raise UserError(f"unknown file {name!r} of GPT-2: expected one of {', '.join(FILES)}")
    download = FILES[name]
    path = _path(download)
    if not path.is_file():
        transfer(download, path, progress=progress)
    elif path.stat().st_size != download.n_bytes:  # the whole sha256 takes seconds each time
        check(path, download)
    return path


def _path(download: Download) -> Path:
    return cache.folder("pretrained") / NAME / download.file_name
