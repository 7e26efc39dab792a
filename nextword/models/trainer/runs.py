"""A run that is read from its folder, to write with. Leaves out: going on with its training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from torch import nn

from examiner.errors import UserError
from nextword.models import low_rank
from nextword.models.trainer import networks, saved, tokenizers
from nextword.models.trainer.config import Config
from nextword.models.trainer.run import FILE
from nextword.models.trainer.tokenizers import Tokenizer

Chapters = Callable[[str], ModuleType]  # a chapter of the package under test, by its stem


@dataclass(frozen=True)
class Run:
    """A trained network with all that it needs to write."""

    model: nn.Module
    config: Config
    tokenizer: Tokenizer
    corpus: str  # the name of what it was trained on
    n_done: int  # steps


def open_run(path: Path, chapters: Chapters) -> Run:
    """The network of a run's folder, or of a checkpoint; `UserError` where there is none.

    `chapters` gives the modules whose code builds the network and, for byte pairs, encodes.
    """
    file = path / FILE if path.is_dir() else path
    if not file.is_file():
        made = " or ".join(sorted({str(p.parent) for p in path.parent.glob(f"*/{FILE}")})[:3])
        hint = f": did you mean {made}?" if made else ": `nextword train` makes one"
        raise UserError(f"there is no run {path}{hint}")
    found = saved.read(file)
    config = Config.from_json(found.notes["plan"])
    needs_pairs = (found.notes.get("tokenizer") or {}).get("kind") == "bpe"
    chapter_1 = chapters("language_models") if needs_pairs else None
    tokenizer = tokenizers.of_run(found.notes, chapter_1)
    course = chapters(networks.chapter(config.kind))
    model = networks.build(course, config, len(tokenizer.vocabulary))
    rank = found.notes.get("tuning", {}).get("plan", {}).get("rank", 0)
    chapter_7 = chapters("after_training") if rank else None
    if rank:  # it was tuned with LoRA, by chapter 7's layer
        low_rank.with_lora(chapter_7, model, rank, len(tokenizer.vocabulary))
    saved.fill(model, found.weights())
    if rank:
        low_rank.merge(chapter_7, model).requires_grad_(True)
    corpus = found.notes.get("corpus", "")
    return Run(model.eval(), config, tokenizer, corpus, len(found.notes["losses"]))
