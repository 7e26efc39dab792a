"""Train a transformer of the package under test; go on from the last checkpoint.

Leaves out: the network and the step of the optimizer, which the reader builds in chapter 6.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from torch import nn

from examiner.errors import UserError
from nextword.models import training
from nextword.models.trainer import saved, streams
from nextword.models.trainer.config import Config
from nextword.models.trainer.parallel import Place
from nextword.models.trainer.streams import Stream
from nextword.models.training import parameter_groups

FILE = "last.safetensors"
ASKED = 20_000  # validation tokens at most
BETAS = (0.9, 0.95)


@dataclass
class Look:
    """One look at a training: which step, and the losses in nats per token."""

    step: int
    training: float
    validation: float


@dataclass
class Training:
    """A training under way: all that a checkpoint keeps."""

    course: ModuleType  # chapter 6 of the package under test
    stream: Stream
    config: Config
    place: Place
    folder: Path
    losses: list[float] = field(default_factory=list)  # of each step
    looks: list[Look] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.config.check_processes(self.place.n_processes)
        self.stream.check(self.config.T)
        torch.manual_seed(self.config.seed)
        self.model = self.place.place(build(self.course, self.config, len(self.stream.vocabulary)))
        groups = parameter_groups(self.model, self.config.decay)
        self.optimizer = torch.optim.AdamW(groups, self.config.rate, BETAS, fused=True)

    @property
    def path(self) -> Path:
        """Where the checkpoint is."""
        return self.folder / FILE

    def resume(self) -> bool:
        """Go on from the checkpoint, if there is one; `UserError` if it does not fit."""
        found = self.place.from_first(
            lambda: saved.read(self.path) if self.path.is_file() else None
        )
        if found is None:
            return False
        self.config.check_same(found.notes["plan"])
        check_vocabulary(found.notes["vocabulary"], self.stream.vocabulary)
        saved.restore(found, self.model, self.optimizer)
        self.losses = list(found.notes["losses"])
        self.looks = [Look(**look) for look in found.notes["looks"]]
        return True

    def run(self, report: Callable[[Training], object] = lambda training: None) -> None:
        """Do the steps that are left; `report` after each.

        Raises `UserError` where a loss is no number; the last checkpoint stays.
        """
        model = self.place.wrap(self.model, self.config.parts)
        config, first = self.config, len(self.losses)
        batches = (
            streams.batch(self.stream.train, config.size, config.T, config.seed, step)
            for step in range(first, config.steps)
        )

        def rate(step: int) -> float:
            found: float = self.course.learning_rate(
                step, config.rate, config.warm_up, config.steps
            )
            return found

        def after(n_done: int, loss: float) -> None:
            self.losses.append(loss)
            if n_done % config.every == 0 or n_done == config.steps:
                self._look()
            report(self)

        try:
            training.train(
                partial(self._step, model), batches, self.optimizer, rate, first=first, after=after
            )
        except FloatingPointError as error:
            where = f"{self.path} is whole" if self.path.is_file() else "no checkpoint was written"
            raise UserError(
                f"{error}; {where}. Try a lower --rate or a longer --warm-up"
            ) from error

    def _step(self, model: nn.Module, batch: streams.Batch) -> float:
        """A step of the chapter on this process's rows of a batch; the mean loss of all."""
        inputs, targets = (self.place.share(part).chunk(self.config.parts) for part in batch)
        parts = list(zip(inputs, targets, strict=True))
        model.train()
        self.place.draw_anew(self.config.seed, len(self.losses))
        with precision(self.place.device):
            loss = self.course.train_step(model, self.optimizer, parts, self.config.clip)
        return self.place.mean(float(loss))

    def _look(self) -> None:
        """Measure on the validation text and write a checkpoint."""
        since = self.looks[-1].step if self.looks else 0
        recent = self.losses[since:]
        found = validation_loss(self.model, self.stream, self.config, self.place.device)
        self.looks.append(Look(len(self.losses), sum(recent) / len(recent), found))
        saved.write(
            *(self.path, self.model, self.optimizer, self.notes()), is_first=self.place.is_first
        )

    def notes(self) -> dict[str, Any]:
        """All of a checkpoint that is no tensor."""
        return {
            "plan": self.config.to_json(),
            "vocabulary": list(self.stream.vocabulary),
            "losses": self.losses,
            "looks": [vars(look) for look in self.looks],
        }


def build(course: ModuleType, config: Config, V: int) -> nn.Module:
    """The reader's decoder-only model of the configured sizes."""
    sizes = course.Sizes(
        *(V, config.D, config.layers, config.heads),
        T=config.T,
        positions=config.positions,
        dropout=config.dropout,
    )
    model: nn.Module = course.LanguageModel(sizes)
    return course.initialise(model, torch.Generator().manual_seed(config.seed))


def check_vocabulary(before: list[str], now: tuple[str, ...]) -> None:
    """Raise `UserError` where a checkpoint's vocabulary is not that of the text."""
    if tuple(before) != now:
        new = sorted(set(now) - set(before))
        example = f", such as {new[0]!r}" if new else ""
        raise UserError(
            f"the vocabulary of the checkpoint ({len(before)}) does not fit the text ({len(now)} "
            f"tokens{example}): train on the text it was made from, or use another --to folder"
        )


def precision(device: torch.device) -> AbstractContextManager[object]:
    """Half precision where a GPU is fast at it, single precision elsewhere."""
    if device.type == "cuda":
        return torch.autocast("cuda", torch.bfloat16)
    return nullcontext()


@torch.no_grad()
def validation_loss(
    model: nn.Module, stream: Stream, config: Config, device: torch.device
) -> float:
    """The mean surprise per token of the validation text, in nats."""
    model.eval()
    total, n_tokens = 0.0, 0
    for inputs, targets in streams.every_row(stream.validation, config.size, config.T, ASKED):
        logits = model(inputs.to(device))[0].float()
        targets = targets.to(device)
        total += float(F.cross_entropy(logits.mT, targets, reduction="sum"))
        n_tokens += targets.numel()
    return total / n_tokens


def perplexity(loss: float) -> float:
    """exp of a loss in nats; infinite where that is too large for a number."""
    return math.exp(loss) if loss < 700 else math.inf
