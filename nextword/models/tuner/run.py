"""Tune a network and go on from the last checkpoint. Leaves out: what a step does (lessons.py)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from examiner.errors import UserError
from nextword.models import training, tuning
from nextword.models.trainer import networks, saved
from nextword.models.trainer.log import FILE as LOG
from nextword.models.trainer.log import Log
from nextword.models.trainer.run import FILE
from nextword.models.tuner import lessons, texts
from nextword.models.tuner.lessons import Lesson
from nextword.models.tuner.plan import INSTRUCTION, PREFERENCE, TuningPlan
from nextword.models.tuner.start import Chapters, Start, add_low_rank, reading, with_words

CHAPTER = "after_training"
DIALOGUE = 512  # tokens of a dialogue of the village, at most
Look = dict[str, Any]  # step, training loss, what a lesson measured, and a sample


@dataclass
class Tuned:
    """A tuning under way: all that a checkpoint keeps."""

    start: Start  # its model is what learns
    plan: TuningPlan
    folder: Path
    lesson: Lesson
    began_with: str  # a digest of the weights before
    learned_from: str  # a digest of the texts
    losses: list[float] = field(default_factory=list)  # of each step
    looks: list[Look] = field(default_factory=list)
    seconds: float = 0.0  # of all steps so far, without the looks
    stopped: bool = False  # before the last step, since somebody asked for it

    def __post_init__(self) -> None:
        self.log = Log(self.folder / LOG)

    @property
    def path(self) -> Path:
        """Where the checkpoint is."""
        return self.folder / FILE

    def resume(self) -> bool:
        """Go on from the checkpoint, if there is one; `UserError` if it does not fit."""
        if not self.path.is_file():
            return False
        found = saved.read(self.path)
        before = found.notes.get("tuning")
        if before is None:
            raise UserError(
                f"{self.path} is a training, not a tuning: take another --to folder, and "
                f"--start {self.folder} to tune what is there"
            )
        self.plan.check_same(before["plan"], len(found.notes["losses"]))
        if before["began_with"] != self.began_with:
            raise UserError(
                f"the checkpoint there began with another network than {self.start.name} is now: "
                "take another --to folder, or --again to begin anew"
            )
        if before["learned_from"] != self.learned_from:
            raise UserError(
                "the checkpoint there learned from other texts: take another --to folder, or "
                "--again to begin anew"
            )
        saved.restore(found, self.start.model, self.lesson.optimizer)
        self.losses, self.looks = list(found.notes["losses"]), list(found.notes["looks"])
        return True

    def run(
        self,
        report: Callable[[Tuned], object] = lambda tuned: None,
        must_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Do the steps that are left; `report` after each, and a look before the first.

        Where `must_stop` says so after a step, a checkpoint of this very step is written. Raises
        `UserError` where a loss is no number; the last checkpoint stays.
        """
        self.stopped = False
        self.seconds = self.log.begin(len(self.losses))
        if not self.looks:
            self._look()
            report(self)

        def after(n_done: int, loss: float) -> None:
            self.losses.append(loss)
            if n_done % self.plan.every == 0 or n_done == self.plan.steps:
                self._look()
            report(self)
            self.stopped = must_stop()
            if self.stopped and self.looks[-1]["step"] != n_done:
                self._save()

        try:
            training.train(
                self._step,
                self._steps(),
                self.lesson.optimizer,
                self.lesson.rate,
                first=len(self.losses),
                after=after,
            )
        except FloatingPointError as error:
            where = f"{self.path} is whole" if self.path.is_file() else "no checkpoint was written"
            raise UserError(f"{error}; {where}. Try a lower --rate") from error
        finally:
            self.log.flush()

    def _steps(self) -> Iterator[int]:
        """The numbers of the steps that are left, until somebody asks to stop."""
        for k in range(len(self.losses), self.plan.steps):
            if self.stopped:
                return
            yield k

    def _step(self, k: int) -> float:
        """Make a step and note what it saw; return its loss."""
        began = time.perf_counter()
        loss, seen = self.lesson.step(k)
        self.seconds += time.perf_counter() - began
        self.log.write({"step": k + 1, "loss": loss, "seconds": round(self.seconds, 3), **seen})
        return loss

    def _look(self) -> None:
        """Measure the network, let it write a little, and write a checkpoint."""
        step = len(self.losses)
        recent = self.losses[self.looks[-1]["step"] if self.looks else 0 :]
        look: Look = {"step": step, **self.lesson.look(), "sample": self.lesson.sample(step)}
        if recent:
            look["training"] = sum(recent) / len(recent)
        self.looks.append(look)
        self._save()
        self.log.write(look)
        self.log.flush()

    def _save(self) -> None:
        saved.write(self.path, self.start.model, self.lesson.optimizer, self.notes())

    def notes(self) -> dict[str, Any]:
        """All of a checkpoint that is no tensor."""
        return {
            "plan": self.start.config.to_json(),
            "vocabulary": list(self.start.tokenizer.vocabulary),
            "corpus": self.start.corpus,
            "text": self.learned_from,
            "tokenizer": self.start.tokenizer.to_json(),
            "losses": self.losses,
            "looks": self.looks,
            "tuning": {
                "plan": self.plan.to_json(),
                "start": self.start.name,
                "began_with": self.began_with,
                "learned_from": self.learned_from,
            },
        }


def prepare(
    start: Start,
    plan: TuningPlan,
    chapters: Chapters,
    folder: Path,
    path: Path | None,
    n_tokens: int,
    say: texts.Say,
) -> Tuned:
    """A tuning before its first step; path: a file of chats, pairs or prompts, or the village's.

    n_tokens: words of stories about which dialogues are told.
    """
    course, began_with, n_old = chapters(CHAPTER), start.digest(), len(start.number)
    found: texts.Chats | texts.Pairs | list[list[int]]
    if plan.way == INSTRUCTION:
        found = texts.chats(start, path, n_tokens)
        start = with_words(start, found.words(), chapters, plan.seed)
    elif plan.way == PREFERENCE:
        found = texts.pairs(start, path, plan, folder, say)
    else:
        found = texts.prompts(start, path)
    start = reading(start, _longest(start, found))
    reference = tuning.frozen(start.model)
    if plan.rank:
        add_low_rank(start, course, plan.rank, n_old, plan.seed)
    lesson: Lesson
    if isinstance(found, texts.Chats):
        rate = _rate(chapters, start, plan)
        lesson = lessons.Instruction(course, start, plan, found, rate)
    elif isinstance(found, texts.Pairs):
        lesson = lessons.Preference(course, start, plan, found)
    else:
        lesson = lessons.Reward(course, start, plan, found, reference)
    return Tuned(start, plan, folder, lesson, began_with, texts.digest(found))


def _longest(start: Start, found: texts.Chats | texts.Pairs | list[list[int]]) -> int:
    """The tokens of the longest row that will be read or written."""
    least = DIALOGUE if start.is_of_village else 0
    if isinstance(found, texts.Chats):
        rows = [*found.train, *found.held_out]
        return max([least, *(2 + sum(len(words) + 2 for _, words in row) for row in rows)])
    if isinstance(found, texts.Pairs):
        pairs = [*found.train, *found.held_out]
        return max([least, *(6 + len(p.prompt) + max(map(len, p[1:])) for p in pairs)])
    return max([least, *(2 * len(prompt) + 1 for prompt in found), start.config.T])


def _rate(chapters: Chapters, start: Start, plan: TuningPlan) -> training.Rate:
    """The rate of each step: a rise, then a fall to 0, by the function of chapter 6."""
    course = chapters(networks.chapter(start.config.kind))
    chosen = getattr(course, "learning_rate", networks.warmed_cosine)
    return lambda k: float(chosen(k, plan.rate, plan.warm_up, plan.steps))
