"""Train a network of the package under test; go on from the last checkpoint.

Leaves out: the network and the step of the optimizer, which the reader builds in the chapters.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from torch import Tensor, nn

from examiner.errors import UserError
from nextword.models import training
from nextword.models.trainer import networks, saved, streams, writing
from nextword.models.trainer.config import Config
from nextword.models.trainer.log import FILE as LOG
from nextword.models.trainer.log import Log
from nextword.models.trainer.parallel import Place
from nextword.models.trainer.streams import Stream
from nextword.models.trainer.tokenizers import Tokenizer
from nextword.models.training import parameter_groups

FILE = "last.safetensors"
ASKED = 20_000  # validation tokens at most
BETAS = (0.9, 0.95)
PRECISIONS = ("auto", "float32", "bfloat16")


@dataclass
class Look:
    """One look at a training: which step, the losses in nats per token, and what it wrote."""

    step: int
    training: float
    validation: float
    sample: str = ""


@dataclass
class Training:
    """A training under way: all that a checkpoint keeps."""

    course: ModuleType  # the chapter of the package under test that holds the network
    stream: Stream
    config: Config
    place: Place
    folder: Path
    losses: list[float] = field(default_factory=list)  # of each step
    looks: list[Look] = field(default_factory=list)
    precision: str = "float32"  # or bfloat16
    seconds: float = 0.0  # of all steps so far, without the looks
    stopped: bool = False  # before the last step, since somebody asked for it

    def __post_init__(self) -> None:
        self.config.check_processes(self.place.n_processes)
        self.stream.check(self.config.T)
        torch.manual_seed(self.config.seed)
        self.model = self.place.place(
            networks.build(self.course, self.config, len(self.stream.vocabulary))
        )
        groups = parameter_groups(self.model, self.config.decay)
        self.optimizer = torch.optim.AdamW(groups, self.config.rate, BETAS, fused=True)
        self.log = Log(self.folder / LOG if self.place.is_first else None)
        self.fast: nn.Module = self.model  # the same, as it is called in training: maybe compiled

    @property
    def path(self) -> Path:
        """Where the checkpoint is."""
        return self.folder / FILE

    @property
    def floor(self) -> float | None:
        """The perplexity on the validation text that no model can beat, where it is known."""
        loss = self.stream.floor(self.config.T, ASKED)
        return None if loss is None else streams.perplexity(loss)

    def resume(self) -> bool:
        """Go on from the checkpoint, if there is one; `UserError` if it does not fit."""
        found = self.place.from_first(
            lambda: saved.read(self.path) if self.path.is_file() else None
        )
        if found is None:
            return False
        self.config.check_same(found.notes["plan"], len(found.notes["losses"]))
        check_vocabulary(found.notes["vocabulary"], self.stream.vocabulary)
        check_text(found.notes.get("text", ""), self.stream.digest)
        saved.restore(found, self.model, self.optimizer)
        self.losses = list(found.notes["losses"])
        self.looks = [Look(**look) for look in found.notes["looks"]]
        return True

    def forget(self) -> None:
        """Begin anew: where processes are started again, none goes on from what was there."""
        if self.place.is_first and self.place.n_processes > 1:
            self.path.unlink(missing_ok=True)

    def run(
        self,
        report: Callable[[Training], object] = lambda training: None,
        must_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Do the steps that are left; `report` after each.

        After each step all processes ask `must_stop`: where one is told so, all stop, and a
        checkpoint of this very step is written. Raises `UserError` where a loss is no number; the
        last checkpoint stays.
        """
        model = self.place.wrap(self.fast, self.config.parts)
        self.stopped = False
        self.seconds = self.log.begin(len(self.losses))

        def after(n_done: int, loss: float) -> None:
            self.losses.append(loss)
            self._tell_step(n_done, loss)
            if n_done % self.config.every == 0 or n_done == self.config.steps:
                self._look()
            report(self)
            self.stopped = self.place.any(must_stop())
            if self.stopped and not (self.looks and self.looks[-1].step == n_done):
                self._save()

        try:
            training.train(
                partial(self._step, model),
                self._batches(),
                self.optimizer,
                networks.rate(self.course, self.config),
                first=len(self.losses),
                after=after,
            )
        except FloatingPointError as error:
            where = f"{self.path} is whole" if self.path.is_file() else "no checkpoint was written"
            raise UserError(
                f"{error}; {where}. Try a lower --rate or a longer --warm-up"
            ) from error
        finally:
            self.log.flush()

    def _batches(self) -> Iterator[streams.Batch]:
        """The batches of the steps that are left, until somebody asks to stop."""
        config = self.config
        for step in range(len(self.losses), config.steps):
            if self.stopped:
                return
            yield streams.batch(self.stream.train, config.size, config.T, config.seed, step)

    def _step(self, model: nn.Module, batch: streams.Batch) -> float:
        """A step of the chapter on this process's rows of a batch; the mean loss of all."""
        began = time.perf_counter()
        inputs, targets = (self.place.share(part).chunk(self.config.parts) for part in batch)
        parts = list(zip(inputs, targets, strict=True))
        model.train()
        self.place.draw_anew(self.config.seed, len(self.losses))
        with precision(self.place.device, self.precision):
            loss = networks.make_step(self.course, self.config, model, self.optimizer, parts)
        mean = self.place.mean(float(loss))
        self.seconds += time.perf_counter() - began
        return mean

    def compile(self) -> str:
        """Compile the network for training; why that cannot be done here, in words, or nothing.

        It is tried on rows of the size that training has, since the compiler waits for them.
        """
        logging.getLogger("torch._dynamo").setLevel(logging.ERROR)  # it reports what is just slow
        n_rows = self.config.size // (self.place.n_processes * self.config.parts)
        rows = torch.ones(n_rows, self.config.T, dtype=torch.long, device=self.place.device)
        with torch.random.fork_rng(), precision(self.place.device, self.precision):
            try:
                compiled = torch.compile(self.model.train())
                logits: Tensor = compiled(rows)[0]
                logits.float().sum().backward()
            except Exception as error:  # whatever the compiler of this machine says
                return str(error).strip().split("\n")[0] or type(error).__name__
            finally:
                self.model.zero_grad()
        self.fast = compiled  # type: ignore[assignment]
        return ""

    def _tell_step(self, n_done: int, loss: float) -> None:
        self.log.write(
            {
                "step": n_done,
                "loss": loss,
                "rate": self.optimizer.param_groups[0]["lr"],
                "seconds": round(self.seconds, 3),
                "tokens": n_done * self.config.size * self.config.T,
            }
        )

    def _look(self) -> None:
        """Measure on the validation text, write a little and a checkpoint."""
        since = self.looks[-1].step if self.looks else 0
        recent = self.losses[since:]
        found = validation_loss(self.model, self.stream, self.config, self.place.device)
        step = len(self.losses)
        self.looks.append(Look(step, sum(recent) / len(recent), found, self._sample(step)))
        self._save()
        self.log.write(vars(self.looks[-1]))
        self.log.flush()

    def _sample(self, step: int) -> str:
        """What the network writes now: the same in all processes, and drawn apart from all else."""
        tokenizer = self.stream.tokenizer or Tokenizer("words", self.stream.vocabulary)
        rng = torch.Generator().manual_seed(step)
        return writing.sample(self.model, self.config, tokenizer, self.stream.name, rng)

    def _save(self) -> None:
        """Write a checkpoint."""
        saved.write(
            *(self.path, self.model, self.optimizer, self.notes()), is_first=self.place.is_first
        )

    def notes(self) -> dict[str, Any]:
        """All of a checkpoint that is no tensor."""
        return {
            "plan": self.config.to_json(),
            "vocabulary": list(self.stream.vocabulary),
            **self.stream.notes(),
            "losses": self.losses,
            "looks": [vars(look) for look in self.looks],
        }


def check_vocabulary(before: list[str], now: tuple[str, ...]) -> None:
    """Raise `UserError` where a checkpoint's vocabulary is not that of the text."""
    if tuple(before) != now:
        new = sorted(set(now) - set(before))
        example = f", such as {new[0]!r}" if new else ""
        raise UserError(
            f"the vocabulary of the checkpoint ({len(before)}) does not fit the text ({len(now)} "
            f"tokens{example}): train on the text it was made from, or use another --to folder"
        )


def check_text(before: str, now: str) -> None:
    """Raise `UserError` where a checkpoint was made from another text of the same words."""
    if before and now and before != now:
        raise UserError(
            "the checkpoint there was made from another text (or another number of --tokens): "
            "train on the text it was made from, use another --to folder, or --again to begin anew"
        )


def any_text(digest: str) -> None:
    """Take every text: where a training begins anew."""


def as_before(folder: Path) -> Callable[[str], None]:
    """What raises `UserError` for the digest of another text than a folder's checkpoint is of."""

    def check(digest: str) -> None:
        if (folder / FILE).is_file():
            check_text(saved.read(folder / FILE).notes.get("text", ""), digest)

    return check


def chosen_precision(device: torch.device, name: str) -> tuple[str, str]:
    """The precision to compute in, and a line that says why it is not the one asked for.

    >>> chosen_precision(torch.device("cpu"), "auto")
    ('float32', '')
    """
    if name not in PRECISIONS:
        raise UserError(f"precision can be {', '.join(PRECISIONS)}, not {name!r}")
    has_half = device.type != "cuda" or torch.cuda.is_bf16_supported()
    if name == "auto":
        return ("bfloat16" if device.type == "cuda" and has_half else "float32"), ""
    if name == "bfloat16" and (device.type == "mps" or not has_half):
        return "float32", f"bfloat16 is not used: {device.type} lacks it here; float32 instead"
    return name, ""


def precision(device: torch.device, name: str) -> AbstractContextManager[object]:
    """Where matrices are multiplied in half precision, if that is the name; sums stay in single."""
    if name == "bfloat16":
        return torch.autocast(device.type, torch.bfloat16)
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
