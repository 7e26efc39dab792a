"""A small torch chapter to measure with: attention, heads, training, a cache. No course text."""

import math

import torch
from torch import nn


def attention(q, k, v):
    """Causal attention: softmax(q kᵀ / √K) v, position t looking at positions 0 to t."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(later, -math.inf).softmax(-1) @ v


class MultiHead(nn.Module):
    """Causal attention with several heads, between two linear layers."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.inside = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, x):
        B, T, D = x.shape
        parts = self.inside(x).view(B, T, 3, self.n_heads, D // self.n_heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        return self.out(attention(q, k, v).transpose(1, 2).reshape(B, T, D))


class LanguageModel(nn.Module):
    """Embeddings, one layer of attention, logits."""

    def __init__(self, vocabulary, d_model, n_heads):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d_model)
        self.heads = MultiHead(d_model, n_heads)
        self.unembedding = nn.Linear(d_model, vocabulary)

    def forward(self, tokens):
        x = self.embedding(tokens)
        return self.unembedding(x + self.heads(x))


def train(model, tokens, steps, rate):
    """Minimise the cross-entropy of each next token with AdamW; return the losses."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
    losses = []
    for _ in range(steps):
        logits = model(tokens[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def generate(model, prompt, count):
    """Append the likeliest next token `count` times; keys and values are computed once each."""
    tokens, keys, values, heads = list(prompt), [], [], model.heads
    for at in range(len(prompt) + count):
        x = model.embedding(torch.tensor(tokens[at]))
        q, k, v = heads.inside(x).view(3, heads.n_heads, 1, -1)
        keys.append(k)
        values.append(v)
        if at >= len(prompt) - 1 and len(tokens) < len(prompt) + count:
            scores = q @ torch.cat(keys, 1).transpose(1, 2) / math.sqrt(k.shape[-1])
            mixed = heads.out((scores.softmax(-1) @ torch.cat(values, 1)).flatten())
            tokens.append(int(model.unembedding(x + mixed).argmax()))
    return tokens
