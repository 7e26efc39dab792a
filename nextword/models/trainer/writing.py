"""A trained network writes, token by token, and what is shown of each as soon as it is made.

Leaves out: reading a run from its folder (runs.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import torch
from torch import Tensor, nn

from nextword.corpora import text, village
from nextword.given.batches import BOS, EOS, PAD
from nextword.given.vocabulary import UNK
from nextword.models.trainer import networks
from nextword.models.trainer.config import Config
from nextword.models.trainer.tokenizers import FIRST, Tokenizer

SAMPLE = {"words": 30, "characters": 120, "bpe": 50}  # tokens that are written at a look
ANEW = 0.75  # share of what a network sees that it reads again when it has seen all it can
LONGEST_CHARACTER = 4  # bytes
LOST = "\ufffd"  # what stands for bytes that are no character, or not yet
POSSIBLE = 4  # words that the listener names


@dataclass(frozen=True)
class Taste:
    """Which of the likely tokens may be written."""

    temperature: float = 1.0  # 0: always the likeliest
    top_k: int = 0  # as many as may be written; 0: all
    top_p: float = 1.0  # the fewest that have this share of the probability together

    def choose(self, scores: Tensor, rng: torch.Generator) -> int:
        """Draw a token; scores: (V,) its logits, minus infinity for what may not be written.

        >>> Taste(temperature=0).choose(torch.tensor([0.0, 2.0, 1.0]), torch.Generator())
        1
        """
        if self.temperature == 0:
            return int(scores.argmax())
        shares = (scores / self.temperature).softmax(-1)
        ranked, order = shares.sort(descending=True, stable=True)
        keep = ranked.cumsum(-1) - ranked < self.top_p  # what the tokens before each hold
        if self.top_k:
            keep[self.top_k :] = False
        return int(order[torch.multinomial(ranked * keep, 1, generator=rng)])


@torch.no_grad()
def tokens(
    model: nn.Module,
    config: Config,
    tokenizer: Tokenizer,
    prompt: Sequence[int],
    taste: Taste,
    rng: torch.Generator,
) -> Iterator[int]:
    """Write without end after a prompt, which may be empty; `model` is in its evaluation mode.

    Each token is read once: what was read before is in the cache. A network that sees T tokens
    reads the last three quarters of them again when it has seen as many.
    """
    device = next(model.parameters()).device
    forbidden = [k for k in _never(tokenizer) if k < len(tokenizer.vocabulary)]
    most = networks.sees_at_most(config)
    row = [*first(tokenizer, prompt), *prompt]
    row = row[-most:] if most else row
    new, past, n_read = row, None, 0
    while True:
        if most and n_read + len(new) > most:
            new, past, n_read = row[-max(1, int(ANEW * most)) :], None, 0
        logits, past = model(torch.tensor([new], device=device), past)
        n_read += len(new)
        scores = logits[0, -1].float().cpu()
        scores[forbidden] = -torch.inf
        token = taste.choose(scores, rng)
        # in words, a sentence is followed by the begin of the next
        new = [token, BOS] if token == EOS else [token]
        row = [*row, *new][-(most or 1) :]
        yield token


def first(tokenizer: Tokenizer, prompt: Sequence[int]) -> list[int]:
    """What stands before a prompt: the begin of a sentence, or the end of a line."""
    if tokenizer.kind == "words":
        return [BOS]
    if prompt:
        return []
    if tokenizer.kind == "characters" and "\n" not in tokenizer.vocabulary:
        return [FIRST]
    return tokenizer.encode("\n")


def _never(tokenizer: Tokenizer) -> list[int]:
    """The ids that are no text."""
    if tokenizer.kind != "words":
        return [PAD, BOS, EOS]
    unknown = [tokenizer.vocabulary.index(UNK)] if UNK in tokenizer.vocabulary else []
    return [PAD, BOS, *unknown]


def pieces(
    tokenizer: Tokenizer, prompt: Sequence[int], ids: Iterable[int], *, as_prose: bool = False
) -> Iterator[str]:
    """What each token adds to the text: nothing while the bytes of a character are not all there.

    >>> words = Tokenizer("words", ("<pad>", "<s>", "</s>", "hens", "the", "."))
    >>> list(pieces(words, [4], [3, 5], as_prose=True))
    [' hens', '.']
    """
    tail = list(prompt) if tokenizer.kind == "words" else []
    shown = tokenizer.decode(tail, as_prose=as_prose)
    for token in ids:
        tail.append(token)
        found = tokenizer.decode(tail, as_prose=as_prose)
        if tokenizer.kind != "words":
            if found.endswith(LOST) and len(tail) < LONGEST_CHARACTER:
                yield ""
                continue
            tail, shown = [], ""
            yield found
            continue
        if token == EOS:
            tail, shown = [], ""
            yield "\n"
            continue
        yield found[len(shown) :]
        shown = found


def sample(
    model: nn.Module, config: Config, tokenizer: Tokenizer, name: str, rng: torch.Generator
) -> str:
    """A short text of a network in training, on one line; name: of its corpus."""
    model.eval()
    n = SAMPLE[tokenizer.kind]
    ids = []
    for token in islice(tokens(model, config, tokenizer, [], Taste(), rng), n):
        if token == EOS:
            break
        ids.append(token)
    return " ".join(tokenizer.decode(ids, as_prose=name == "village").split())


def listened(written: str, *, ended: bool) -> str:
    """What the listener says of a story of the village, in one line."""
    words = text.words(written, lower=True)
    if not words:
        return "the listener heard nothing"
    found = village.score([*words, village.EOS] if ended else words)
    if found.complete:
        return f"the listener accepts this story: all {len(words)} words"
    could = list(found.possible)
    expected = ", ".join(could[:POSSIBLE]) + (", …" if len(could) > POSSIBLE else "")
    if found.left_at is None:
        return f"the listener understands all {len(words)} words; the story goes on: {expected}"
    k = found.left_at
    heard = "the end" if k == len(words) else repr(words[k])
    before = " ".join(words[max(0, k - 4) : k])
    return (
        f"the listener stops understanding at word {k + 1}, {heard}"
        + (f" after '{before}'" if before else "")
        + f": it expected {expected}"
    )
