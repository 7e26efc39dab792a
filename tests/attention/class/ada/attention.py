"""My attention. Written from the docstrings, without einops."""

import torch as th
from torch.nn import GRU, Embedding, GRUCell, Linear, Module
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

NOWHERE = float("-inf")


class AdditiveAttention(Module):
    def __init__(self, D, E, A):
        super().__init__()
        self.W = Linear(D, A, bias=False)
        self.U = Linear(E, A, bias=False)
        self.v = Linear(A, 1, bias=False)
        self.calls = 0

    def forward(self, s, Uh, h, allowed):
        self.calls += 1
        fit = self.v((self.W(s).unsqueeze(1) + Uh).tanh()).squeeze(-1)
        fit = th.where(allowed, fit, th.full_like(fit, NOWHERE))
        shares = th.nn.functional.softmax(fit, 1)
        return (shares.unsqueeze(-1) * h).sum(1), shares


class Translator(Module):
    def __init__(self, V_source, V_target, W, D, A):
        super().__init__()
        self.source = Embedding(V_source, W)
        self.target = Embedding(V_target, W)
        self.encoder = GRU(W, D, batch_first=True, bidirectional=True)
        self.start = Linear(D, D)
        self.attend = AdditiveAttention(D, 2 * D, A)
        self.cell = GRUCell(W + 2 * D, D)
        self.out = Linear(W + 3 * D, V_target)

    def encode(self, source):
        lengths = (source != 0).sum(1)
        packed = pack_padded_sequence(
            self.source(source), lengths, batch_first=True, enforce_sorted=False
        )
        h, last = self.encoder(packed)
        h = pad_packed_sequence(h, batch_first=True, total_length=source.size(1))[0]
        return (self.attend.U(h), h, source != 0), self.start(last[1]).tanh()

    def step(self, y, s, source):
        e = self.target(y)
        c, a = self.attend(s, *source)
        s = self.cell(th.hstack((e, c)), s)
        return self.out(th.hstack((s, c, e))), s, a

    def forward(self, source, inputs):
        read, s = self.encode(source)
        T = inputs.size(1)
        logits = [None] * T
        looks = [None] * T
        for t in range(T):
            logits[t], s, looks[t] = self.step(inputs[:, t], s, read)
        return th.stack(logits, 1), th.stack(looks, 1)

    def translate(self, source, most=60):
        """Row by row: no padding, no batch."""
        rows = []
        with th.no_grad():
            for one in source:
                read, s = self.encode(one[one != 0].unsqueeze(0))
                row, y = [], th.tensor([1])
                for _ in range(most):
                    logits, s, _ = self.step(y, s, read)
                    y = logits.argmax(1)
                    if y == 2:
                        break
                    row.append(y.item())
                rows.append(row)
        return rows


def dot_product_sum(x):
    a = th.einsum("...id,...jd->...ij", x, x).softmax(-1)
    return th.einsum("...ij,...jd->...id", a, x), a


def soft_lookup(q, k, v, temperature=1.0):
    e = th.einsum("...ik,...jk->...ij", q, k)
    if temperature == 0:
        a = th.where(e == e.max(-1, keepdim=True).values, 0.0, NOWHERE).softmax(-1)
    else:
        a = (e / temperature).softmax(-1)
    return a.to(v.dtype) @ v


def self_attention(x, W_q, W_k, W_v):
    ask, found, say = (th.einsum("...d,kd->...k", x, W) for W in (W_q, W_k, W_v))
    return soft_lookup(ask, found, say)


def softmax(scores):
    hidden = scores == NOWHERE
    quiet = scores.masked_fill(hidden, 0.0)
    lowest = th.finfo(scores.dtype).min / 4
    top = scores.masked_fill(hidden, lowest).max(-1, keepdim=True).values
    powers = (quiet - top).masked_fill(hidden, lowest).exp().masked_fill(hidden, 0.0)
    total = powers.sum(-1, keepdim=True)
    return powers / th.where(total == 0, th.ones_like(total), total)


def attention(q, k, v, mask=None):
    e = (q / q.size(-1) ** 0.5) @ k.transpose(-2, -1)
    if mask is not None:
        e = e + (mask if mask.is_floating_point() else additive_mask(mask, e.dtype))
    a = softmax(e)
    return a @ v, a


def causal_mask(T, S=None):
    S = S or T
    return th.ones(T, S, dtype=th.bool).tril(S - T)


def padding_mask(lengths, S):
    mask = th.zeros(len(lengths), 1, S, dtype=th.bool)
    for row, n in zip(mask, lengths.tolist(), strict=True):
        row[:, :n] = True
    return mask


def additive_mask(mask, dtype=th.float32):
    return th.where(mask, 0.0, NOWHERE).to(dtype)


def attention_gradients(q, k, v, weights, grad):
    root = k.size(-1) ** 0.5
    d_a = th.einsum("...iv,...jv->...ij", grad, v)
    mean = (grad * (weights @ v)).sum(-1, keepdim=True)  # the gradient times the output
    d_e = weights * (d_a - mean)
    d_q = th.einsum("...ij,...jk->...ik", d_e, k) / root
    d_k = th.einsum("...ij,...ik->...jk", d_e, q) / root
    return d_q, d_k, th.einsum("...ij,...iv->...jv", weights, grad)


class MultiHead(Module):
    def __init__(self, D, H, E=None):
        super().__init__()
        self.H, self.look = H, attention
        for name in ("q", "o"):
            setattr(self, f"W_{name}", Linear(D, D))
        for name in ("k", "v"):
            setattr(self, f"W_{name}", Linear(E or D, D))

    def cut(self, x):
        return x.unflatten(-1, (self.H, -1)).transpose(1, 2)

    def look_and_join(self, q, k, v, mask):
        if mask is not None:
            mask = mask.unsqueeze(-3)
        y, a = self.look(q, k, v, mask)
        return self.W_o(y.transpose(1, 2).flatten(2)), a

    def forward(self, x, mask=None):
        return self.look_and_join(
            self.cut(self.W_q(x)), self.cut(self.W_k(x)), self.cut(self.W_v(x)), mask
        )


class CrossAttention(MultiHead):
    def remember(self, memory):
        return [self.cut(self.W_k(memory)), self.cut(self.W_v(memory))]

    def forward(self, x, kv, mask=None):
        return self.look_and_join(self.cut(self.W_q(x)), kv[0], kv[1], mask)


def grouped_attention(q, k, v, mask=None):
    """Group by group; nothing is copied."""
    G = k.size(1)
    outputs, weights = [], []
    for g, queries in enumerate(q.chunk(G, dim=1)):
        for one in queries.unbind(1):
            y, a = attention(one, k[:, g], v[:, g], mask)
            outputs.append(y)
            weights.append(a)
    return th.stack(outputs, 1), th.stack(weights, 1)


def cache_bytes(n_layers, G, K, T, n_bytes=2):
    one_word = G * (K + K) * n_bytes
    return T * n_layers * one_word


def blockwise_attention(q, k, v, causal=False, block=256):
    """All queries at once, keys block by block, with logarithms of sums."""
    T, S = q.size(-2), k.size(-2)
    lead = q.shape[:-1]
    y = q.new_zeros(*lead, v.size(-1))
    log_total = q.new_full((*lead, 1), NOWHERE)
    where = th.arange(T).unsqueeze(1) + S - T
    for j in range(0, S, block):
        e = q @ k[..., j : j + block, :].transpose(-2, -1) / q.size(-1) ** 0.5
        if causal:
            e = e.masked_fill(th.arange(j, j + e.size(-1)) > where, NOWHERE)
        here = e.logsumexp(-1, keepdim=True)
        part = softmax(e) @ v[..., j : j + block, :]
        new = th.logaddexp(log_total, here)
        share = (here - new).exp().nan_to_num(0.0)
        y = y * (1 - share) + part * share
        log_total = new
    return y


def windowed_attention(q, k, v, width):
    rows = []
    for t in range(q.size(-2)):
        near = slice(max(0, t + 1 - width), t + 1)
        rows.append(attention(q[..., t : t + 1, :], k[..., near, :], v[..., near, :])[0])
    return th.cat(rows, -2)


def receptive_field(width, n_layers):
    field = 1
    for _ in range(n_layers):
        field += width - 1
    return field
