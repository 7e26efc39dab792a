"""What one step of each way of tuning does, and what is measured at a look.

All losses and steps are chapter 7's. Everything that is drawn follows from the seed and the number
of the step, so that a stopped tuning goes on as if it had never stopped.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from nextword.corpora import names
from nextword.given.batches import EOS, ids
from nextword.models import preferring, training, tuning
from nextword.models.preferring import Preferring
from nextword.models.tuner import rewards, texts
from nextword.models.tuner.plan import TuningPlan
from nextword.models.tuner.start import Start
from nextword.models.tuning import IGNORE, Tuning, Written

Numbers = dict[str, float]
ASKED = 5_000  # words of true stories on which the gap is measured
SHOWN = 30  # words of a sample


class Lesson(ABC):
    """A way of tuning: one step after another, and looks in between."""

    rate: training.Rate | None = None  # of each step; None: the plan's, all the time

    def __init__(self, course: Any, start: Start, plan: TuningPlan) -> None:
        self.course, self.start, self.plan, self.model = course, start, plan, start.model
        self.optimizer = tuning.adamw(start.model, plan.rate)
        self.named = list(start.number)

    @abstractmethod
    def step(self, k: int) -> tuple[float, Numbers]:
        """Make step k (from 0); return its loss and what it saw."""

    @abstractmethod
    def look(self) -> Numbers:
        """Measure the network; at least one number that no step has seen."""

    @abstractmethod
    def sample(self, k: int) -> str:
        """What the network writes now, on one line."""

    @cached_property
    def true_stories(self) -> tuple[list[list[int]], float]:
        """True stories of the village in ids, and their floor."""
        told = names.load("village", 1_000, ASKED)
        assert told.floor is not None
        return ids(told.test, self.start.number), told.floor

    def gap(self) -> Numbers:
        """Percent above the floor on true stories of the village: what tuning makes it forget."""
        if not self.start.is_of_village:
            return {}
        return {"gap": tuning.gap(self.model, *self.true_stories)}

    def writes(self, prompt: Sequence[int], k: int) -> str:
        """How the network continues a prompt: at most so many words as are shown."""
        rng = torch.Generator().manual_seed(k)
        most = len(prompt) + SHOWN
        found = tuning.write(self.model, [list(prompt)], rng, most).texts[0]
        words = [self.named[each] for each in found if each != EOS]
        return " ".join(words)


def drawn(n: int, size: int, k: int, seed: int) -> list[int]:
    """Which of n texts stand in batch k: pass after pass, each in another order.

    >>> sorted(drawn(4, 2, 0, seed=0) + drawn(4, 2, 1, seed=0))
    [0, 1, 2, 3]
    """
    places = range(k * size, (k + 1) * size)
    orders = {p // n: np.random.default_rng((seed, p // n)).permutation(n) for p in places}
    return [int(orders[p // n][p % n]) for p in places]


# ------------------------------------------------------------------ by instruction
class Instruction(Lesson):
    """The network learns to write the answers of chats, and nothing else of them (7.1)."""

    def __init__(
        self, course: Any, start: Start, plan: TuningPlan, chats: texts.Chats, rate: training.Rate
    ) -> None:
        super().__init__(course, start, plan)
        self.rate = rate if plan.warm_up else None
        self.requests = chats.requests
        self.rows = [self._row(chat) for chat in chats.train]
        self.held_out = [self._row(chat) for chat in chats.held_out]
        self._step = training.minimise(self.optimizer, self._loss, plan.clip)

    def _row(self, chat: texts.Turns) -> tuple[list[int], list[bool]]:
        turns = [(role, texts.known(self.start, words)) for role, words in chat]
        row: tuple[list[int], list[bool]] = self.course.render_chat(turns, self.start.marks)
        return row

    def _loss(self, batch: tuple[Tensor, Tensor]) -> Tensor:
        loss: Tensor = self.course.answer_loss(self.model(batch[0])[0], batch[1])
        return loss

    def step(self, k: int) -> tuple[float, Numbers]:
        """One step of AdamW on the mean loss of a batch's answers."""
        batch = drawn(len(self.rows), self.plan.size, k, self.plan.seed)
        self.model.train()
        return self._step(self.course.answer_batch([self.rows[each] for each in batch])), {}

    @torch.no_grad()
    def look(self) -> Numbers:
        """The loss of held-out answers; of the village also how many requests are followed."""
        self.model.eval()
        total, n = 0.0, 0
        for some in tuning.batched(self.held_out, self.plan.size):
            batch = self.course.answer_batch(list(some))
            here = int((batch[1] != IGNORE).sum())
            total, n = total + here * self._loss(batch).item(), n + here
        found = {"validation": total / n}
        if self.requests:
            judged = rewards.followed(self.start, self.requests)
            found["followed"] = sum(judged) / len(judged)
        return found | self.gap()

    def sample(self, k: int) -> str:
        """The answer to the first turn of a held-out chat."""
        row, learned = self.held_out[k % len(self.held_out)]
        self.model.eval()
        return self.writes(row[1 : learned.index(True)], k)


# ------------------------------------------------------------------ by preference
class Preference(Lesson):
    """The network learns from pairs of answers, of which one was preferred (DPO, 7.30)."""

    def __init__(self, course: Any, start: Start, plan: TuningPlan, pairs: texts.Pairs) -> None:
        super().__init__(course, start, plan)
        self.train, self.held_out = self._read(pairs.train), self._read(pairs.held_out)
        self.before = self._log_p(self.train)
        self.before_held_out = self._log_p(self.held_out)
        self.prompts = [texts.prompt(start, pair.prompt) for pair in pairs.held_out]
        self.preferring = Preferring(plan.steps, plan.size, plan.leash, plan.rate, plan.clip)

    def _read(self, pairs: Sequence[texts.Pair]) -> Written:
        """The answers in ids: the chosen one of each pair in an even row, the other behind it."""
        rows, prompts = [], []
        for pair in pairs:
            before = texts.prompt(self.start, pair.prompt)
            for words in (pair.chosen, pair.rejected):
                rows.append([*before, *texts.known(self.start, words), EOS])
                prompts.append(before)
        no_values = [[0.0] * (len(row) - len(p)) for row, p in zip(rows, prompts, strict=True)]
        return tuning.as_written(rows, prompts, no_values)

    def _log_p(self, written: Written) -> Tensor:
        return tuning.log_probs(self.model, written.inputs, written.targets).sum(1)

    def step(self, k: int) -> tuple[float, Numbers]:
        """One step of AdamW on the loss of a batch of pairs."""
        chosen = drawn(len(self.before) // 2, self.plan.size, k, self.plan.seed)
        batch = 2 * torch.tensor(chosen)[:, None] + torch.arange(2)
        found = preferring.step(
            *(self.course, self.model, self.optimizer, self.train, self.before),
            *(batch, self.preferring),
        )
        if not math.isfinite(found.loss):
            raise FloatingPointError(f"the loss is {found.loss}")
        return found.loss, {
            "right": found.right,
            "chosen": found.chosen,
            "rejected": found.rejected,
        }

    def look(self) -> Numbers:
        """The loss of held-out pairs, and in how many the chosen answer has gained more."""
        self.model.eval()
        now, before = self._log_p(self.held_out), self.before_held_out
        loss = self.course.dpo_loss(now[::2], now[1::2], before[::2], before[1::2], self.plan.leash)
        gained = (now - before).view(-1, 2)
        right = ((gained[:, 0] - gained[:, 1]).sign().mean() + 1) / 2  # equal ones count as half
        return {"validation": loss.item(), "right": right.item()} | self.gap()

    def sample(self, k: int) -> str:
        """What the network says to the prompt of a held-out pair."""
        self.model.eval()
        return self.writes(self.prompts[k % len(self.prompts)], k)


# ------------------------------------------------------------------ by reward
class Reward(Lesson):
    """The network writes, is judged, and learns from that, on a leash (7.15, 7.22)."""

    def __init__(
        self,
        course: Any,
        start: Start,
        plan: TuningPlan,
        prompts: Sequence[Sequence[int]],
        reference: nn.Module,
    ) -> None:
        super().__init__(course, start, plan)
        self.prompts, self.reference = prompts, reference
        self.reward = rewards.reward(start, plan.judge)
        self.tuning = Tuning(
            *(1, plan.size),
            group=plan.group,
            scaled=plan.group > 0,
            beta=plan.leash,
            rate=plan.rate,
            clip=plan.clip,
            most=start.config.T,
        )

    def step(self, k: int) -> tuple[float, Numbers]:
        """Write a batch of texts, have them judged, and make a step on the policy loss."""
        seed = int(np.random.default_rng((self.plan.seed, k)).integers(2**62))
        (found,) = tuning.reinforce(
            *(self.course, self.model, self.reward, self.named, self.tuning, seed),
            reference=self.reference,
            prompts=self.prompts,
            optimizer=self.optimizer,
        )
        told = ("reward", "kl", "words", "ended")
        return found.loss, {name: getattr(found, name) for name in told}

    def look(self) -> Numbers:
        """Fresh texts, as many as in a step, judged and compared with the reference."""
        self.model.eval()
        rng = torch.Generator().manual_seed(self.plan.seed)
        asked = torch.randint(len(self.prompts), (self.plan.size,), generator=rng).tolist()
        found = tuning.measure(
            *(self.model, self.reference, self.reward, self.named),
            *([self.prompts[each] for each in asked], rng, self.start.config.T),
        )
        told = ("reward", "kl", "words", "ended", "distinct")
        return {name: getattr(found, name) for name in told} | self.gap()

    def sample(self, k: int) -> str:
        """How the network continues one of the prompts."""
        self.model.eval()
        return self.writes(self.prompts[k % len(self.prompts)], k)
