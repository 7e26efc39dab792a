"""A policy on a language so short that all its texts are listed: samples beside exact sums.

Leaves out: which rewards and which steps (the chapter's own functions). Axes: N texts, P prefixes,
C choices, K batches, B texts of a batch.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from nextword.corpora.enumerable import Floats, Language


class Policy(nn.Module):
    """A table of logits, (P, C), that gives each text of a language its probability."""

    def __init__(self, language: Language, logits: Floats) -> None:
        super().__init__()
        language.log_probabilities(logits)  # refuses other shapes, and what is not finite
        self.language = language
        self.choices: Tensor
        self.register_buffer("choices", torch.from_numpy(language.choices))
        self.logits = nn.Parameter(torch.from_numpy(logits).clone())

    def log_p(self) -> Tensor:
        """The log-probability of every text, (N,), with its gradient."""
        return torch.einsum("npc,pc->n", self.choices, self.logits.log_softmax(-1))

    def draw(self, *shape: int, rng: torch.Generator) -> Tensor:
        """Numbers of texts, drawn with their probabilities, in a tensor of this shape."""
        n = torch.Size(shape).numel()
        p = self.log_p().detach().exp()
        return torch.multinomial(p, n, replacement=True, generator=rng).view(shape)

    def scores(self) -> Tensor:
        """d log p(text) / d logits for every text, (N, P, C), which autograd would give as well."""
        visits = self.choices.sum(-1, keepdim=True)  # (N, P, 1): whether a text passes a prefix
        return self.choices - visits * self.logits.detach().softmax(-1)


def estimates(scores: Tensor, texts: Tensor, advantages: Tensor) -> Tensor:
    """The gradient that each batch estimates, (K, P, C): the mean of (r - b) d log p.

    texts, advantages: (K, B), numbers of texts and r - b.
    """
    K, B = texts.shape
    weights = scores.new_zeros(K, len(scores)).scatter_add_(1, texts, advantages.to(scores)) / B
    return torch.einsum("kn,npc->kpc", weights, scores)
