"""The entries that the race ships: every rung of the ladder, an LSTM that was tuned, and the best.

Each is written as a reader would hand it in: `model.py`, `weights.safetensors`, `about.toml`.
Leaves out: training (nextword.models), and the code of the entries (nextword/race/entries).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from examiner.errors import UserError, unwritable
from examiner.files import SHARED, write_whole
from examiner.race.entry import ABOUT, CODE, count_numbers
from nextword.corpora import names
from nextword.models import store
from nextword.race import counted
from nextword.race.stories import WORDS

if TYPE_CHECKING:
    from torch import Tensor

WEIGHTS = "weights.safetensors"
MILLION = 1_000_000
LONGEST = 5  # words of an n-gram
Report = Callable[[str, bool], object]  # hears of an entry's name, and whether it was written


@dataclass(frozen=True)
class Shipped:
    """An entry that the race ships, but for the n-grams."""

    name: str
    model: str  # in the folder of shipped models
    code: str  # the file in entries/
    about: str
    words: int = MILLION


SHIPPED = (
    Shipped("log-bilinear", "ladder/log-bilinear", "logbilinear", "five words' vectors, weighed"),
    Shipped("feed-forward", "ladder/feed-forward", "feedforward", "a window of four words"),
    Shipped("rnn", "ladder/rnn", "recurrent", "128 numbers of memory, mixed at each word"),
    Shipped("lstm", "ladder/lstm", "recurrent", "gates decide what to keep"),
    Shipped("gru", "ladder/gru", "recurrent", "three gates in place of four"),
    Shipped("linear-attention", "ladder/linear-attention", "transformer", "a memory of fixed size"),
    Shipped("attention-only", "ladder/attention-only", "heads", "two layers of heads"),
    Shipped("transformer", "ladder/transformer", "transformer", "three blocks, rotary positions"),
    Shipped("lstm-tuned", "race/lstm", "recurrent", "a wider LSTM that has read more", 2 * MILLION),
    Shipped(
        "with-convolution",
        "race/with-convolution",
        "transformer",
        "a transformer with a convolution before attention",
        2 * MILLION,
    ),
)


def write_entries(
    folder: Path, package: str, root: Path, report: Report = lambda name, is_written: None
) -> None:
    """Write all entries, and report each. A file that is there stays: a reader may have changed it.

    package: the folder in `root` whose chapter 2 counts the n-grams. Raises UserError where the
    folder cannot be written.
    """
    for shipped in SHIPPED:
        tensors = store.load(shipped.model, root / store.FOLDER).tensors
        about: dict[str, str | int] = {"about": shipped.about, "words": shipped.words}
        is_written = _write(folder / shipped.name, shipped.code, _packed(tensors), about)
        report(shipped.name, is_written)
    for n, data in _ngrams(root, package):
        about = {"about": f"Kneser-Ney over {n} words", "words": MILLION}
        report(f"{n}-gram", _write(folder / f"{n}-gram", "ngram", data, about))


def _packed(tensors: Mapping[str, Tensor]) -> bytes:
    from safetensors.torch import save

    return save({name: tensor.contiguous() for name, tensor in tensors.items()})


def _ngrams(root: Path, package: str) -> Iterator[tuple[int, bytes]]:
    """Count once, and yield each order with its table."""
    from safetensors.numpy import save

    if not (root / package / "ngrams.py").is_file():
        raise UserError(f"{package} has no ngrams.py, which counts the n-grams")
    texts = names.load("village", MILLION, 1000)
    with store.importable(root, package):
        chapter: Any = import_module(f"{package}.ngrams")
        tables = chapter.count_ngrams(texts.train, LONGEST)
        for n in range(1, LONGEST + 1):
            model = chapter.KneserNey(tables[:n], texts.vocabulary)
            yield n, save(counted.table(model, WORDS))


def _write(folder: Path, code: str, weights: bytes, about: Mapping[str, str | int]) -> bool:
    """Write those of an entry's three files that are not there; tell whether any was written.

    Raises UserError where the folder cannot be written.
    """
    source = resources.files("nextword.race").joinpath("entries", f"{code}.py").read_bytes()
    files = {CODE: source, WEIGHTS: weights}
    n = count_numbers(files)
    small = n <= 200_000 and int(about["words"]) <= MILLION
    track = "small" if small else "open"
    said = {"name": folder.name, "by": "the course", "track": track, **about, "weights": n}
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in said.items()]
    files[ABOUT] = ("\n".join(lines) + "\n").encode()
    missing = {name: data for name, data in files.items() if not (folder / name).exists()}
    try:
        for name, data in missing.items():
            write_whole(folder / name, data, mode=SHARED)
    except OSError as error:
        raise unwritable(folder, error) from error
    return bool(missing)
