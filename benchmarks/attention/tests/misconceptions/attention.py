"""Plausible mistakes in the torch chapter to measure with."""

import math

import torch
from torch import nn

from examiner.judge.misconceptions import misconception


@misconception("5.1", replaces="attention", says="The scores are not divided by √K.")
def unscaled(q, k, v):
    scores = q @ k.transpose(-2, -1)
    later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(later, -math.inf).softmax(-1) @ v


@misconception("5.1", replaces="attention", says="A position looks at what follows it.")
def unmasked(q, k, v):
    return (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1) @ v


@misconception("5.1", replaces="attention", says="The softmax runs over the queries.")
def over_queries(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(later, -1e9).softmax(-2) @ v


@misconception("5.3", replaces="train", says="The loss is summed, not averaged.")
def sums_the_loss(model, tokens, steps, rate):
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
    losses = []
    for _ in range(steps):
        logits = model(tokens[:, :-1])
        loss = nn.functional.cross_entropy(
            logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum"
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
