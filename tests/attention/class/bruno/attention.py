"""Attention by head, by row and by number, with numpy where nothing is learned."""

import math

import numpy as np
import torch
from torch import nn


class AdditiveAttention(nn.Module):
    def __init__(self, D, E, A):
        super().__init__()
        self.W = nn.Linear(D, A, bias=False)
        self.U = nn.Linear(E, A, bias=False)
        self.v = nn.Linear(A, 1, bias=False)

    def forward(self, s, Uh, h, allowed):
        contexts, looks = [], []
        for b in range(len(s)):  # sentence by sentence, real words only
            places = allowed[b].nonzero()[:, 0]
            fit = torch.tanh(self.W(s[b]) + Uh[b, places]) @ self.v.weight[0]
            shares = softmax(fit)
            contexts.append(shares @ h[b, places])
            looks.append(torch.zeros(Uh.shape[1]).index_put((places,), shares))
        return torch.stack(contexts), torch.stack(looks)


class Translator(nn.Module):
    def __init__(self, V_source, V_target, W, D, A):
        super().__init__()
        self.source, self.target = nn.Embedding(V_source, W), nn.Embedding(V_target, W)
        self.encoder = nn.GRU(W, D, batch_first=True, bidirectional=True)
        self.start, self.attend = nn.Linear(D, D), AdditiveAttention(D, 2 * D, A)
        self.cell, self.out = nn.GRUCell(W + 2 * D, D), nn.Linear(W + 3 * D, V_target)

    def encode(self, source):
        T, found, ends = source.shape[1], [], []
        for row in source:
            h, last = self.encoder(self.source(row[row > 0])[None])
            found.append(nn.functional.pad(h[0], (0, 0, 0, T - h.shape[1])))
            ends.append(last[1, 0])
        h = torch.stack(found)
        return (self.attend.U(h), h, source > 0), torch.tanh(self.start(torch.stack(ends)))

    def step(self, y, s, source):
        context, weights = self.attend(s, *source)
        both = torch.cat([self.target(y), context], 1)
        s = self.cell(both, s)
        W = self.target.embedding_dim
        return self.out(torch.cat([s, context, both[:, :W]], 1)), s, weights

    def walk(self, source, choose):
        """Steps whose words `choose` gives from the number of the step and the last logits."""
        read, s = self.encode(source)
        logits = None
        while (y := choose(logits)) is not None:
            logits, s, weights = self.step(y, s, read)
            yield logits, weights

    def forward(self, source, inputs):
        words = iter(inputs.T)
        steps = list(self.walk(source, lambda _: next(words, None)))
        return [torch.stack([step[part] for step in steps]).transpose(0, 1) for part in (0, 1)]

    @torch.no_grad()
    def translate(self, source, most=60):
        rows, ended = [[] for _ in source], set()

        def choose(logits):
            if logits is None:
                return torch.ones(len(source), dtype=torch.long)
            y = logits.argmax(1)
            for b, word in enumerate(y.tolist()):
                if word == 2:
                    ended.add(b)
                if b not in ended:
                    rows[b].append(word)
            full = max(map(len, rows)) == most
            return None if full or len(ended) == len(rows) else y

        for _ in self.walk(source, choose):
            pass
        return rows


def np_softmax(e):
    p = np.exp(e - e.max(axis=-1, keepdims=True))
    return p / p.sum(axis=-1, keepdims=True)


def dot_product_sum(x):
    weights = softmax(x @ x.mT)
    return weights @ x, weights


def soft_lookup(q, k, v, temperature=1.0):
    q, k, v = q.numpy(), k.numpy(), v.numpy()
    e = q @ np.swapaxes(k, -1, -2)
    if temperature > 0:
        return np_softmax(e / temperature) @ v
    best = (e == e.max(axis=-1, keepdims=True)) * 1.0
    return best @ v / best.sum(axis=-1, keepdims=True)


def self_attention(x, W_q, W_k, W_v):
    return soft_lookup(*(x @ W.mT for W in (W_q, W_k, W_v)))


def softmax(scores):
    seen = (scores > -math.inf).any(-1, keepdim=True)
    calm = torch.where(seen, scores, torch.zeros_like(scores))
    powers = torch.exp(calm - calm.max(-1, keepdim=True)[0]) * seen
    return powers / (powers.sum(-1, keepdim=True) + (~seen))


def attention(q, k, v, mask=None):
    scores = torch.matmul(q, k.transpose(-1, -2)) * q.shape[-1] ** -0.5
    if mask is not None:
        if mask.dtype == torch.bool:
            mask = additive_mask(mask, scores.dtype)
        scores = scores + mask
    weights = softmax(scores)
    return torch.matmul(weights, v), weights


def causal_mask(T, S=None):
    S = T if S is None else S
    return torch.tensor([[j - S <= i - T for j in range(S)] for i in range(T)])


def padding_mask(lengths, S):
    return torch.stack([torch.arange(1, S + 1) <= n for n in lengths]).unsqueeze(1)


def additive_mask(mask, dtype=torch.float32):
    return torch.log(mask.to(dtype))  # ln 1 = 0 and ln 0 = -inf


def attention_gradients(q, k, v, weights, grad):
    """Row by row, with all derivatives of the softmax in one matrix."""
    lead = q.shape[:-2]
    flat = [x.reshape(-1, *x.shape[-2:]) for x in (q, k, v, weights, grad)]
    found = []
    for qs, ks, vs, A, dY in zip(*flat, strict=True):
        dE = torch.zeros_like(A)
        for i, a in enumerate(A):
            dE[i] = (torch.diag(a) - torch.outer(a, a)) @ (vs @ dY[i])
        dE = dE / math.sqrt(qs.shape[1])
        found.append((dE @ ks, dE.T @ qs, A.T @ dY))
    return [torch.stack(each).reshape(*lead, *each[0].shape) for each in zip(*found, strict=True)]


class MultiHead(nn.Module):
    def __init__(self, D, H, E=None):
        super().__init__()
        if D % H:
            raise ValueError("D must be divisible by H")
        self.H, self.K, self.look = H, D // H, attention
        E = E or D
        self.W_q, self.W_k = nn.Linear(D, D), nn.Linear(E, D)
        self.W_v, self.W_o = nn.Linear(E, D), nn.Linear(D, D)

    def forward(self, x, mask=None):
        return self.by_head(self.W_q(x), self.W_k(x).split(self.K, -1), self.W_v(x), mask)

    def by_head(self, q, keys, values, mask):
        values = values.split(self.K, -1) if isinstance(values, torch.Tensor) else values
        heads = [
            self.look(*each, mask) for each in zip(q.split(self.K, -1), keys, values, strict=True)
        ]
        joined = torch.cat([y for y, _ in heads], -1)
        return self.W_o(joined), torch.stack([a for _, a in heads], 1)


class CrossAttention(MultiHead):
    def remember(self, memory):
        return tuple(
            torch.stack(W(memory).split(self.K, -1), 1).contiguous() for W in (self.W_k, self.W_v)
        )

    def forward(self, x, kv, mask=None):
        return self.by_head(self.W_q(x), kv[0].unbind(1), kv[1].unbind(1), mask)


def grouped_attention(q, k, v, mask=None):
    B, H, T, K = q.shape
    G = k.shape[1]
    rows = q.reshape(B, G, H // G * T, K)
    if mask is not None:
        mask = torch.cat([mask] * (H // G), dim=-2).unsqueeze(-3)
    y, weights = attention(rows, k, v, mask)
    return y.reshape(B, H, T, -1), weights.reshape(B, H, T, -1)


def cache_bytes(n_layers, G, K, T, n_bytes=2):
    return float(n_layers * T * 2 * G * K * n_bytes)


def blockwise_attention(q, k, v, causal=False, block=256):
    """Two walks over the keys of a few queries: the first finds the top, the second adds up."""
    T, S = q.shape[-2], k.shape[-2]
    y = torch.zeros(*q.shape[:-1], v.shape[-1], dtype=v.dtype)
    for i in range(0, T, block):
        asked = q[..., i : i + block, :] / math.sqrt(q.shape[-1])
        last = torch.arange(i, i + asked.shape[-2])[:, None] + S - T

        def scores(j, asked=asked, last=last):
            e = asked @ k[..., j : j + block, :].mT
            return e.masked_fill(torch.arange(j, j + e.shape[-1]) > last, -1e30) if causal else e

        tops = [scores(j).amax(-1, keepdim=True) for j in range(0, S, block)]
        top = torch.stack(tops).amax(0)
        total, mixed = 0, 0
        for j in range(0, S, block):
            p = torch.exp(scores(j) - top) * (top > -1e29)
            total, mixed = total + p.sum(-1, keepdim=True), mixed + p @ v[..., j : j + block, :]
        y[..., i : i + block, :] = mixed / torch.where(total > 0, total, 1)
    return y


def windowed_attention(q, k, v, width):
    def near(x):
        return nn.functional.pad(x, (0, 0, width - 1, 0)).unfold(-2, width, 1).mT

    real = torch.arange(q.shape[-2])[:, None] >= torch.arange(width - 1, -1, -1)
    y, _ = attention(q.unsqueeze(-2), near(k), near(v), real.unsqueeze(-2))
    return y.squeeze(-2)


def receptive_field(width, n_layers):
    return np.int64(width * n_layers - n_layers + 1)
