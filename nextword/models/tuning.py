"""Tuning a language model by a reward on whole texts: it writes, is judged, and learns from that.

The chapter's own functions make the estimates and the steps; their module is a parameter, `course`.
Leaves out: reward models and recipes. Axes: B texts, T tokens, V words. Logarithms are natural.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from nextword.corpora import village
from nextword.given.batches import BOS, EOS, PAD, Ids
from nextword.models import transformer_training
from nextword.models.training import Report

IGNORE = -100  # a target that is not counted
LONGEST = 260  # words after which a story is cut off; the village's longest have about 240
TOGETHER = 32  # texts that are read side by side: more take longer for lack of fast memory
FEWER = 0.95  # texts that have ended leave the cache when at most this share still goes on

Words = list[str]
Reward = Callable[[list[Words]], Tensor]  # of texts in words, "</s>" last where the model ended


# ------------------------------------------------------------------ writing
class Written(NamedTuple):
    """Texts that a model wrote side by side, and how likely each word was when it was drawn."""

    texts: list[list[int]]  # ids without BOS; the prompt is among them, and EOS if it was written
    inputs: Tensor  # (B, T): BOS, prompt, words
    targets: Tensor  # (B, T): IGNORE where a target belongs to the prompt or to the padding
    log_p: Tensor  # (B, T): log-probability of each target, 0 where IGNORE

    def ended(self) -> list[bool]:
        """Whether each text was ended by the model; the others were cut off."""
        return [text[-1:] == [EOS] for text in self.texts]

    def lengths(self) -> Tensor:
        """How many tokens the model wrote of each text, (B,), EOS among them."""
        return (self.targets != IGNORE).sum(1).float()

    def words(self, names: Sequence[str]) -> list[Words]:
        """The texts in words; `names` has the word of each id."""
        return [[names[k] for k in text] for text in self.texts]


@torch.no_grad()
def write(
    model: Any,
    prompts: Sequence[Ids],
    rng: torch.Generator,
    most: int = LONGEST,
    temperature: float = 1.0,
) -> Written:
    """Continue each prompt (ids without BOS, maybe none) until EOS, or to `most` words in all.

    Where a longer prompt still has words, these are read in place of drawn ones. PAD and BOS are
    never drawn. `log_p` is that of temperature 1. model(tokens, past) is as in chapter 6.
    """
    if not prompts:
        raise ValueError("there are no prompts: [[]] * n lets the model write n whole texts")
    if max(map(len, prompts)) >= most:
        raise ValueError(f"a prompt has {max(map(len, prompts))} words: `most` must be above that")
    model.eval()
    texts = [list(prompt) for prompt in prompts]
    log_p: list[list[float]] = [[] for _ in prompts]
    shared = min(map(len, prompts))
    alive = list(range(len(texts)))
    new, past = torch.tensor([[BOS, *text[:shared]] for text in texts]), None
    never = torch.tensor([PAD, BOS])
    for place in range(shared, most):
        logits, past = model(new, past)
        said = logits[:, -1].log_softmax(-1)
        drawn = _drawn((said / temperature).index_fill(1, never, -math.inf).softmax(-1), rng)
        for row, k in enumerate(alive):
            if len(prompts[k]) > place:
                drawn[row] = prompts[k][place]
        of_drawn, words = said.gather(1, drawn)[:, 0].tolist(), drawn[:, 0].tolist()
        for k, word, value in zip(alive, words, of_drawn, strict=True):
            if len(prompts[k]) <= place and not _over(texts[k], prompts[k]):
                texts[k].append(word)
                log_p[k].append(value)
        going = [row for row, k in enumerate(alive) if not _over(texts[k], prompts[k])]
        if not going:
            break
        if len(going) <= FEWER * len(alive):
            alive, drawn, past = [alive[r] for r in going], drawn[going], _rows(past, going)
        new = drawn
    return as_written(texts, prompts, log_p)


def _drawn(p: Tensor, rng: torch.Generator) -> Tensor:
    """A word for each row of probabilities, (B, 1); a third of torch.multinomial's time."""
    up_to = p.cumsum(-1)
    u = torch.rand(len(p), 1, generator=rng) * up_to[:, -1:]
    return torch.searchsorted(up_to, u, right=True).clamp(max=p.shape[1] - 1)


def _over(text: Ids, prompt: Ids) -> bool:
    """Whether the model has ended a text; an EOS inside its prompt does not count."""
    return len(text) > len(prompt) and text[-1] == EOS


def _rows(past: Any, rows: list[int]) -> Any:
    """Some rows of whatever tensors a past holds."""
    if isinstance(past, Tensor):
        return past[rows]
    return (
        type(past)(_rows(part, rows) for part in past) if isinstance(past, list | tuple) else past
    )


def as_written(texts: list[list[int]], prompts: Sequence[Ids], log_p: list[list[float]]) -> Written:
    """Texts with tensors, filled up at their ends; log_p: of the words behind each prompt."""
    B, T = len(texts), max(map(len, texts))
    inputs, targets = torch.full((B, T), PAD), torch.full((B, T), IGNORE)
    values = torch.zeros(B, T)
    for row, (text, prompt, of_text) in enumerate(zip(texts, prompts, log_p, strict=True)):
        inputs[row, : len(text)] = torch.tensor([BOS, *text[:-1]])
        targets[row, len(prompt) : len(text)] = torch.tensor(text[len(prompt) :])
        values[row, len(prompt) : len(text)] = torch.tensor(of_text)
    return Written(texts, inputs, targets, values)


def together(parts: Sequence[Written]) -> Written:
    """Texts that were written in several batches as one."""
    T = max(part.inputs.shape[1] for part in parts)

    def filled(tensors: Iterable[Tensor], fill: int) -> Tensor:
        return torch.cat([nn.functional.pad(x, (0, T - x.shape[1]), value=fill) for x in tensors])

    return Written(
        [text for part in parts for text in part.texts],
        filled((part.inputs for part in parts), PAD),
        filled((part.targets for part in parts), IGNORE),
        filled((part.log_p for part in parts), 0),
    )


# ------------------------------------------------------------------ judging
@torch.no_grad()
def log_probs(model: Any, inputs: Tensor, targets: Tensor) -> Tensor:
    """The log-probability of each target, (B, T), 0 where IGNORE; no gradient."""
    model.eval()
    found = torch.zeros(targets.shape)
    for rows, T in by_length(targets):
        wanted = targets[rows, :T]
        said = model(inputs[rows, :T])[0].log_softmax(-1)
        of_targets = said.gather(-1, wanted.clamp(min=0)[..., None])[..., 0]
        found[rows, :T] = of_targets.masked_fill(wanted == IGNORE, 0.0)
    return found


def by_length(targets: Tensor, size: int = TOGETHER) -> Iterator[tuple[Tensor, int]]:
    """Rows of about equal lengths, `size` at a time, and the length of the longest of them."""
    ends = 1 + (targets != IGNORE).long().cumsum(1).argmax(1)  # the first largest: the last target
    for rows in ends.argsort().split(size):
        yield rows, int(ends[rows].max())


def accepted(texts: Iterable[Words]) -> Tensor:
    """The listener's reward: 1 for a whole story of the village that ends with "</s>", else 0.

    >>> accepted([["once", "upon", "a", "time", "</s>"]])
    tensor([0.])
    """
    return torch.tensor([float(village.score(text).complete) for text in texts])


def distinct(texts: Iterable[Words], n: int = 0) -> float:
    """The share of different ones among all runs of n words; with n = 0 among whole texts.

    NaN where no text has n words.

    >>> distinct([["a", "b", "a", "b"]], n=2)  # a b, b a, a b
    0.6666666666666666
    """
    whole: list[tuple[str, ...]] = [tuple(text) for text in texts]
    runs = whole if n == 0 else [t[k : k + n] for t in whole for k in range(len(t) - n + 1)]
    return len(set(runs)) / len(runs) if runs else math.nan


def gap(model: Any, stories: Sequence[Ids], floor: float) -> float:
    """Percent that the perplexity on true stories (ids) lies above the floor of these stories."""
    return 100 * (math.exp(transformer_training.loss(model, stories)) / floor - 1)


class Measured(NamedTuple):
    """What is told of a tuned model, from a fresh sample of its texts."""

    reward: float  # mean over the sample
    kl: float  # nats a text: the mean of log p - log q, k1
    kl_error: float  # its standard error
    words: float  # a text, as the model wrote it, without EOS
    ended: float  # share that the model ended by itself
    distinct: float  # share of different texts
    runs: float  # share of different runs of eight words


def measure(
    model: Any,
    reference: Any,
    reward: Reward,
    names: Sequence[str],
    prompts: Sequence[Ids],
    rng: torch.Generator,
    most: int = LONGEST,
    size: int = 256,
) -> Measured:
    """Let the model write a text for each prompt, `size` side by side, and judge them."""
    rewards, drift, lengths, texts = [], [], [], []
    for start in range(0, len(prompts), size):
        made = write(model, prompts[start : start + size], rng, most)
        log_q = log_probs(reference, made.inputs, made.targets)
        drift.append((made.log_p - log_q).sum(1))
        lengths.append(made.lengths())
        texts += made.words(names)
        rewards.append(reward(texts[start:]))
    kl, ended = torch.cat(drift), [text[-1:] == [village.EOS] for text in texts]
    return Measured(
        reward=torch.cat(rewards).mean().item(),
        kl=kl.mean().item(),
        kl_error=(kl.std() / len(kl) ** 0.5).item() if len(kl) > 1 else math.nan,
        words=torch.cat(lengths).mean().item() - sum(ended) / len(ended),
        ended=sum(ended) / len(ended),
        distinct=distinct(texts),
        runs=distinct(texts, 8),
    )


# ------------------------------------------------------------------ learning
@dataclass(frozen=True)
class Tuning:
    """How a model is tuned. Adjust, leash and baseline come in this order."""

    steps: int = 30  # batches of fresh texts
    size: int = 128  # texts of a batch
    group: int = 0  # texts for each prompt, compared with each other; 0: the batch is the group
    scaled: bool = False  # advantages of a group are divided by their standard deviation
    beta: float = 0.0  # the leash inside the reward, in units of reward for a nat
    beta_loss: float = 0.0  # the leash inside the loss (k3)
    clipped: bool = False  # the clipped loss of PPO and GRPO; else the plain policy gradient
    updates: int = 1  # optimizer steps on each batch
    eps: float = 0.2  # ratios are clipped at 1 - eps and 1 + eps; math.inf: never
    rate: float = 3e-4  # of AdamW
    clip: float = 1.0  # the largest norm of the gradient
    temperature: float = 1.0
    most: int = LONGEST  # words, after which a text is cut off

    def __post_init__(self) -> None:
        if self.size < 2 or self.steps < 1 or self.updates < 1:
            raise ValueError(f"need size >= 2, steps >= 1, updates >= 1, got {self}")
        if self.group and (self.group < 2 or self.size % self.group):
            raise ValueError(
                f"group={self.group} must be 0, or at least 2 and a divisor of size={self.size}"
            )


class Step(NamedTuple):
    """What one step saw, before it changed the model."""

    reward: float  # mean, as the judge gave it
    learned: float  # mean, after adjustment and leash
    kl: float  # nats a text, k1 on the batch
    words: float  # tokens that the model wrote of a text, EOS among them
    ended: float  # share of texts that the model ended
    loss: float  # of the last update


Adjust = Callable[[Tensor, Tensor], Tensor]  # rewards and lengths (B,) -> rewards


def reinforce(
    course: Any,
    model: nn.Module,
    reward: Reward,
    names: Sequence[str],
    plan: Tuning,
    seed: int,
    *,
    reference: nn.Module | None = None,
    prompts: Sequence[Ids] = ((),),
    adjust: Adjust | None = None,
    optimizer: torch.optim.Optimizer | None = None,
    report: Report = lambda done: None,
    after: Callable[..., object] = lambda step, log, written, rewards: None,
) -> list[Step]:
    """Tune the model in place; return what each step saw.

    course: the chapter's functions. reference: None for a copy of the model as it is now. prompts:
    a batch draws among them, with replacement, and continues each `plan.group` times. adjust: such
    as the chapter's `without_length`. after: called with the number of steps done, the log (Step),
    the texts (Written) and their rewards. FloatingPointError: a loss or reward that is not finite.
    """
    rng = torch.Generator().manual_seed(seed)
    reference = frozen(model) if reference is None else reference
    optimizer = optimizer or adamw(model, plan.rate)
    steps: list[Step] = []
    for n in range(plan.steps):
        written = write(model, _chosen(prompts, plan, rng), rng, plan.most, plan.temperature)
        rewards = reward(written.words(names))
        if not rewards.isfinite().all():
            raise FloatingPointError(f"step {n + 1}: a reward is not finite")
        lengths, log_p = written.lengths(), written.log_p.sum(1)
        log_q = log_probs(reference, written.inputs, written.targets).sum(1)
        learned = rewards if adjust is None else adjust(rewards, lengths)
        if plan.beta:
            learned = course.leashed(learned, log_p, log_q, plan.beta)
        model.train()
        loss = 0.0
        for _ in range(plan.updates):
            loss = _update(course, model, reference, optimizer, written, learned, plan)
            if not math.isfinite(loss):
                raise FloatingPointError(f"step {n + 1}: the loss is {loss}")
        model.eval()
        kl = course.kl_estimates(log_p, log_q)[0].mean().item()
        told = (rewards.mean().item(), learned.mean().item(), kl, lengths.mean().item())
        steps.append(Step(*told, sum(written.ended()) / plan.size, loss))
        report((n + 1) / plan.steps)
        after(n + 1, steps[-1], written, rewards)
    return steps


def _chosen(prompts: Sequence[Ids], plan: Tuning, rng: torch.Generator) -> list[Ids]:
    """The prompts of a batch: groups of the same one stand together."""
    group = plan.group or 1
    drawn = torch.randint(len(prompts), (plan.size // group,), generator=rng).tolist()
    return list(chain.from_iterable([prompts[k]] * group for k in drawn))


def _update(
    course: Any,
    model: nn.Module,
    reference: nn.Module,
    optimizer: torch.optim.Optimizer,
    written: Written,
    rewards: Tensor,
    plan: Tuning,
) -> float:
    """One optimizer step on a batch; return its loss."""
    if plan.group:
        advantages = course.group_advantages(rewards.view(-1, plan.group), plan.scaled).flatten()
        baseline = rewards - advantages
    else:
        baseline = course.leave_one_out(rewards)
        advantages = rewards - baseline
    if plan.clipped or plan.beta_loss:
        loss, _ = course.tune_step(
            *(model, reference, optimizer, written.inputs, written.targets, written.log_p),
            *(advantages, plan.beta_loss, plan.eps, plan.clip),
        )
        return float(loss)
    return _policy_step(course, model, optimizer, written, rewards, baseline, plan.clip)


def _policy_step(
    course: Any,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    written: Written,
    rewards: Tensor,
    baseline: Tensor,
    clip: float,
) -> float:
    """One step on the plain policy loss; texts of about equal lengths are read side by side."""
    total, B = 0.0, len(rewards)
    optimizer.zero_grad()
    for rows, T in by_length(written.targets):
        logits = model(written.inputs[rows, :T])[0]
        log_p = course.text_log_probs(logits, written.targets[rows, :T])
        loss = course.policy_loss(log_p, rewards[rows], baseline[rows]) * (len(rows) / B)
        loss.backward()
        total += loss.item()
    nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return total


def adamw(model: nn.Module, rate: float) -> torch.optim.Optimizer:
    """AdamW without decay, for the parameters that learn."""
    learning = [p for p in model.parameters() if p.requires_grad]
    return torch.optim.AdamW(learning, rate, weight_decay=0.0)


def frozen(model: nn.Module) -> nn.Module:
    """A copy that does not learn."""
    return deepcopy(model).eval().requires_grad_(False)


def batched(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    """The items in order, `size` at a time."""
    return (items[k : k + size] for k in range(0, len(items), size))
