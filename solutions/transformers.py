"""Transformers, from the norm of one vector to GPT-2 and what followed. Leaves out: files.

Equations such as (6.4) are those of chapter 6. B texts of T tokens stand side by side; *B stands
for any leading axes. `Sizes` explains V, D, L, H, G, F and K. Wrong arguments: ValueError. The
classes inherit their parameters from nextword/corpora/transformer_parts.py, which lists them."""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from einops import rearrange
from jaxtyping import Float, Int
from torch import Tensor, nn

from nextword.corpora import transformer_parts as parts
from nextword.corpora.batches import BOS, EOS, PAD, until_end  # the ids 1, 2, 0
from nextword.corpora.shapes import BHKV, BHT, BHTK, BHTV, BTD, BTV, XD, XTK, Ids, Rows, Vector
from nextword.corpora.transformer_parts import GPT2, IGNORE, Sizes


# ------------------------------------------------------------------ 6.1 Norms
def layer_norm(x: XD, gain: Vector, bias: Vector, eps: float = 1e-5) -> XD:
    """Return gain (x - m) / sqrt(v + eps) + bias; m, v: mean and variance of each vector (6.1).
    The variance is the mean of (x - m)^2. No library's norm; about 3 lines.
    >>> layer_norm(torch.tensor([1.0, 1.0, 7.0, 7.0]), torch.ones(4), torch.zeros(4), eps=0.0)
    tensor([-1., -1.,  1.,  1.])"""
    # BEGIN SOLUTION
    c = x - x.mean(-1, keepdim=True)
    return gain * c / torch.sqrt(c.square().mean(-1, keepdim=True) + eps) + bias
    # END SOLUTION


def layer_norm_gradients(x: XD, gain: Vector, slopes: XD, eps=1e-5) -> tuple[XD, Vector, Vector]:
    """Return dL/dx, dL/dgain, dL/dbias from slopes = dL/dy (6.2, 6.3). No autograd; 5 lines."""
    # BEGIN SOLUTION
    c = x - x.mean(-1, keepdim=True)
    root = torch.sqrt(c.square().mean(-1, keepdim=True) + eps)
    z, d_z = c / root, gain * slopes
    d_x = (d_z - d_z.mean(-1, keepdim=True) - z * (d_z * z).mean(-1, keepdim=True)) / root
    return d_x, (slopes * z).sum_to_size(gain.shape), slopes.sum_to_size(gain.shape)
    # END SOLUTION


def rms_norm(x: XD, gain: Vector, eps: float = 1e-5) -> XD:
    """Return gain x / sqrt(mean of x^2 + eps), for each vector x (6.4). 1 line."""
    # BEGIN SOLUTION
    return gain * x / torch.sqrt(x.square().mean(-1, keepdim=True) + eps)
    # END SOLUTION


# ------------------------------------------------------------------ 6.2 Feed-forward layer
def gelu(x: Float[Tensor, "*B"], approximate: bool = False) -> Float[Tensor, "*B"]:
    """Return x P(z < x), z normal (6.6), by `torch.erf`; or GPT-2's formula (6.7). 3 lines.
    >>> gelu(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8413])"""
    # BEGIN SOLUTION
    if approximate:
        return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))
    # END SOLUTION


class FeedForward(parts.FeedForward):
    """Two linear layers for each vector by itself, up and down; SwiGLU has a third one, gate."""

    def forward(self, x: BTD) -> BTD:
        """Return down(f(up(x))) (6.5), where self.f is the function that self.kind names; for the
        kind "swiglu" down(f(gate(x)) up(x)), where self.f is F.silu (6.8). 3 lines."""
        # BEGIN SOLUTION
        if self.kind == "swiglu":
            return self.down(self.f(self.gate(x)) * self.up(x))
        return self.down(self.f(self.up(x)))
        # END SOLUTION


# ------------------------------------------------------------------ 6.3 Residual stream
class Block(parts.Block):
    """Lets tokens look at each other, then works on each by itself. Its layers go `around` x."""

    def around(self, x: BTD, norm: nn.Module, layer: Callable[[BTD], BTD]) -> BTD:
        """Return x + drop(layer(norm(x))) if self.pre (6.9), else norm(x + drop(layer(x))) (6.10).
        drop is self.dropout. 3 lines.
        >>> new_block(Sizes(1, 2, 1, 1)).around(torch.ones(1, 1, 1), torch.neg, torch.exp)
        tensor([[[1.3679]]])"""
        # BEGIN SOLUTION
        if self.pre:
            return x + self.dropout(layer(norm(x)))
        return norm(x + self.dropout(layer(x)))
        # END SOLUTION


# ------------------------------------------------------------------ 6.4 Positions
def sinusoidal(T: int, D: int) -> Float[Tensor, "{T} {D}"]:
    """Return rows t = 0 to T - 1 of sin(t w), cos(t w); w = 10000^(-2 i / D), i = 0 to D / 2 - 1.
    Sine and cosine of i are the numbers 2 i and 2 i + 1 of a row (6.11). D is even. 2 lines."""
    # BEGIN SOLUTION
    angles = torch.arange(T)[:, None] * 10000 ** (-torch.arange(0, D, 2) / D)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
    # END SOLUTION


def shift_matrix(k: int, D: int) -> Float[Tensor, "{D} {D}"]:
    """Return M, so that M p_t = p_(t + k) for all rows p_t of `sinusoidal` (6.12). 3 or 4 lines."""
    # BEGIN SOLUTION
    angles = k * 10000 ** (-torch.arange(0, D, 2) / D)
    c, s = angles.cos(), angles.sin()
    return torch.block_diag(*torch.stack([c, s, -s, c], dim=-1).view(-1, 2, 2))
    # END SOLUTION


def rotate(x: XTK, start: int = 0) -> XTK:
    """Turn pair i of row t by the angle (start + t) 10000^(-2 i / K): rotary positions (6.13).
    Pair i, (x_2i, x_2i+1) = (a, b), becomes (a cos - b sin, a sin + b cos). About 4 lines."""
    # BEGIN SOLUTION
    t, i = (torch.arange(n, device=x.device) for n in x.shape[-2:])
    angles = (start + t)[:, None] * 10000 ** (-i[::2] / len(i))
    c, s, a, b = angles.cos().to(x), angles.sin().to(x), x[..., ::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], dim=-1).flatten(-2)
    # END SOLUTION


def alibi(H: int, T: int, S: int) -> Float[Tensor, "{H} {T} {S}"]:
    """Return -|i - j| 2^(-8 h / H), h = 1..H; i: the last T of S tokens, j: all S (6.14). 2 lines.
    >>> alibi(8, 1, 3)[0, 0, :2]
    tensor([-1.0000, -0.5000])"""
    # BEGIN SOLUTION
    distance = (torch.arange(S - T, S)[:, None] - torch.arange(S)).abs()
    return -distance * 2.0 ** (-8 * torch.arange(1, H + 1) / H)[:, None, None]
    # END SOLUTION


# ------------------------------------------------------------------ 6.5 Self-attention
class SelfAttention(parts.Heads):
    """W_qkv(x) holds H heads of queries, then G of keys, then G of values, each K numbers wide."""

    rotate, alibi = staticmethod(rotate), staticmethod(alibi)

    def forward(self, x: BTD, past=None, mask=None) -> tuple[BTD, tuple[Tensor, Tensor]]:
        """Return W_o(answers of all heads) and k, v (B, G, S, K) of all S tokens, old first (6.15).
        past: k, v of the call before. seen = self.visible(T, S, mask, x.device). If self.positions
        is "rotary", turn q and new k by self.rotate(.., start); if "alibi", use numbers instead of
        True and False: self.alibi(H, T, S) where seen, else -inf. About 11 lines.
        >>> SelfAttention(Sizes(1, 8, 1, 4, 2, positions="none"))(torch.zeros(1, 3, 8))[1][0].shape
        torch.Size([1, 2, 3, 2])"""
        # BEGIN SOLUTION
        heads = rearrange(self.W_qkv(x), "b t (n k) -> b n t k", k=self.K)
        q, k, v = heads.split([self.H, self.G, self.G], dim=1)
        start = 0 if past is None else past[0].shape[2]
        if self.positions == "rotary":
            q, k = self.rotate(q, start), self.rotate(k, start)
        if past is not None:
            k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)
        seen = self.visible(x.shape[1], k.shape[2], mask, x.device)
        if self.positions == "alibi":
            seen = self.alibi(self.H, *seen.shape[-2:]).to(x).masked_fill(~seen, -math.inf)
        y = F.scaled_dot_product_attention(q, k, v, seen, enable_gqa=self.G < self.H)
        return self.W_o(rearrange(y, "b h t k -> b t (h k)")), (k, v)
        # END SOLUTION


# ------------------------------------------------------------------ 6.6 The language model
def new_block(sizes: Sizes, causal: bool = True, cross=None) -> Block:
    """Given: return a block of self-attention and feed-forward layer; cross-attention, if any."""
    return Block(sizes, SelfAttention(sizes, causal), FeedForward(sizes), cross)


class LanguageModel(parts.Stack):
    """A decoder-only transformer: LanguageModel(sizes), or with other blocks (sizes, new_block)."""

    new_block, sinusoidal = staticmethod(new_block), staticmethod(sinusoidal)

    def read(self, tokens: Ids, past=None, **look) -> tuple[BTD, tuple[int, list]]:
        """Return the vectors of all tokens, and (number of tokens read so far, states of blocks).
        past: what the call before returned; None: (0, [None] * L). self.embed(tokens, start) gives
        vectors, block(x, state, **look) returns x and state. self.norm comes last (6.16); if not
        self.sizes.pre, it comes first instead, before all blocks. 7 lines."""
        # BEGIN SOLUTION
        start, states = past or (0, [None] * len(self.blocks))
        x, new = self.embed(tokens, start), []
        x = x if self.sizes.pre else self.norm(x)
        for block, state in zip(self.blocks, states, strict=True):
            x, state = block(x, state, **look)
            new.append(state)
        return self.norm(x) if self.sizes.pre else x, (start + tokens.shape[1], new)
        # END SOLUTION

    def logits(self, x: BTD) -> BTV:
        """Return products with the rows of embed.words.weight, or out.weight if not tied (6.17).
        >>> LanguageModel(Sizes(V=5, D=2, L=1, H=1)).logits(torch.zeros(1, 3, 2)).shape
        torch.Size([1, 3, 5])"""
        # BEGIN SOLUTION
        return x @ (self.embed.words if self.sizes.tied else self.out).weight.T
        # END SOLUTION


@torch.no_grad()
def initialise(model: nn.Module, rng: torch.Generator, std: float = 0.02) -> nn.Module:
    """Draw what has two axes from N(0, std^2), set "...bias" to 0, leave gains (6.18).
    The N that write into the residual stream, "...W_o.weight" and "...down.weight", get
    std / sqrt(N). Draw in order: p.normal_(mean, std, generator=rng). Return the model. 7 lines."""
    # BEGIN SOLUTION
    named, writes = dict(model.named_parameters()), ("W_o.weight", "down.weight")
    n = sum(name.endswith(writes) for name in named)
    for name, p in named.items():
        if name.endswith("bias"):
            p.zero_()
        elif p.ndim > 1:
            p.normal_(0, std / math.sqrt(n) if name.endswith(writes) else std, generator=rng)
    return model
    # END SOLUTION


# ------------------------------------------------------------------ 6.7 GPT-2's weights
def from_gpt2(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return GPT-2's weights under the names of LanguageModel: replace the parts in GPT2, in order.
    In all "c_...weight", W is transposed (6.19). Leave out what ends with ".attn.bias" or
    ".attn.masked_bias", the masks, and lm_head.weight, which is tied. About 7 lines.
    >>> [(key, *w.shape) for key, w in from_gpt2({"h.0.mlp.c_fc.weight": torch.ones(2, 3)}).items()]
    [('blocks.0.feed.up.weight', 3, 2)]"""
    # BEGIN SOLUTION
    renamed = {}
    for name, weight in weights.items():
        turned = weight.T if ".c_" in name and name.endswith(".weight") else weight
        if not name.endswith((".attn.bias", ".attn.masked_bias", "lm_head.weight")):
            for old, new in GPT2.items():
                name = name.replace(old, new)
            renamed[name] = turned
    return renamed
    # END SOLUTION


# ------------------------------------------------------------------ 6.8 Training
def adamw(p, slope, m, v, t: int, rate: float, betas=(0.9, 0.95), eps=1e-8, decay=0.1) -> tuple:
    """Return p, m, v after step t = 1, 2, ... of AdamW (6.20 to 6.22). Vectors (p.ndim < 2), which
    are gains and biases, do not decay. No torch.optim; 3 lines."""
    # BEGIN SOLUTION
    m, v = betas[0] * m + (1 - betas[0]) * slope, betas[1] * v + (1 - betas[1]) * slope**2
    m_hat, v_hat = m / (1 - betas[0] ** t), v / (1 - betas[1] ** t)
    return p - rate * (m_hat / (v_hat.sqrt() + eps) + decay * p * (p.ndim > 1)), m, v
    # END SOLUTION


def learning_rate(step: int, peak: float, warmup: int, steps: int, last: float = 0.0) -> float:
    """Return peak (step + 1) / warmup if step < warmup, then a cosine (6.23). 4 lines.
    The cosine falls from `peak` at step = warmup to `last` at step = steps, and stays there.
    >>> [round(learning_rate(step, 1.0, 2, 6), 3) for step in range(7)]
    [0.5, 1.0, 1.0, 0.854, 0.5, 0.146, 0.0]"""
    # BEGIN SOLUTION
    if step < warmup:
        return peak * (step + 1) / warmup
    share = min(1.0, (step - warmup) / max(1, steps - warmup))
    return last + (peak - last) * (1 + math.cos(math.pi * share)) / 2
    # END SOLUTION


def train_step(model: nn.Module, optimizer, batches: list, clip: float, count=None) -> float:
    """Make one step for several small batches as if they were one; return its loss (6.24).
    A batch: the model's inputs, then targets; logits = model(*inputs)[0], (B, T, V) or (B, V). The
    loss is the sum over all targets but IGNORE, divided by their number in all batches, or `count`.
    Clip by nn.utils.clip_grad_norm_. A loss not finite: FloatingPointError, no change. 12 lines."""
    # BEGIN SOLUTION
    count, total = count or sum(int((batch[-1] != IGNORE).sum()) for batch in batches), 0.0
    optimizer.zero_grad()
    for *inputs, targets in batches:
        logits = model(*inputs)[0].flatten(0, -2)
        loss = F.cross_entropy(logits, targets.flatten(), reduction="sum") / count
        if not loss.isfinite():
            raise FloatingPointError(f"the loss is {loss.item()}: try a smaller rate, or clip more")
        loss.backward()
        total += loss.item()
    nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return total
    # END SOLUTION


# ------------------------------------------------------------------ 6.9 Generating
@torch.no_grad()
def generate(model, prompts: Rows, most: int, rng: torch.Generator, heat=1.0, cached=True) -> Rows:
    """Continue prompts of one length, side by side, to `most` words in all; cut before EOS (6.25).
    Read BOS and the prompt. Draw from softmax(logits / heat); heat 0: the likeliest. Never PAD or
    BOS. Stop when all rows have EOS. model(tokens, past) returns logits, past: read each token
    once, but all of them each time, without a past, if not `cached`. About 12 lines.
    >>> generate(lambda new, past: (F.one_hot(new + 1, 9) * 1.0, past), [[4]], 3, None, heat=0)
    [[4, 5, 6]]"""
    # BEGIN SOLUTION
    past, new = None, torch.tensor([[BOS, *prompt] for prompt in prompts])
    rows = new
    while rows.shape[1] <= most and not (rows == EOS).any(1).all():
        logits, past = model(new, past) if cached else model(rows)
        scores = logits[:, -1].index_fill(1, torch.tensor([PAD, BOS]), -math.inf)
        new = scores.argmax(-1, keepdim=True)
        if heat:
            new = torch.multinomial((scores / heat).softmax(-1), 1, generator=rng)
        rows = torch.cat([rows, new], dim=1)
    return until_end(rows[:, 1:].tolist())
    # END SOLUTION


# ------------------------------------------------------------------ 6.10 Masked words
def mask_words(tokens: Ids, V: int, rng: torch.Generator, share: float = 0.15) -> tuple[Ids, Ids]:
    """Choose a share of the words, none of PAD, BOS, EOS; return inputs and targets (6.26).
    Of the chosen, 80 % become MASK = V - 1, 10 % a word from EOS + 1 to V - 2, 10 % stay. Targets
    are the chosen words, IGNORE elsewhere. Each place by chance for itself. About 6 lines.
    >>> mask_words(torch.tensor([[BOS, 7, EOS]]), V=9, rng=torch.Generator(), share=1.0)[1]
    tensor([[-100,    7, -100]])"""
    # BEGIN SOLUTION
    chosen = (torch.rand(tokens.shape, generator=rng) < share) & (tokens > EOS)
    fate = torch.rand(tokens.shape, generator=rng)
    other = torch.randint(EOS + 1, V - 1, tokens.shape, generator=rng)
    changed = torch.where(fate < 0.8, V - 1, torch.where(fate < 0.9, other, tokens))
    return torch.where(chosen, changed, tokens), tokens.where(chosen, torch.tensor(IGNORE))
    # END SOLUTION


class Encoder(LanguageModel):
    """The same parts, but each token sees all of its text (BERT)."""

    causal = False

    def forward(self, tokens: Ids) -> tuple[BTV, BTD]:
        """Return the logits of each place's word, and the vectors (6.27). No token sees PAD: call
        self.read with the keyword mask, (B, T), False where PAD is. 2 lines."""
        # BEGIN SOLUTION
        x, _ = self.read(tokens, mask=tokens != PAD)
        return self.logits(x), x
        # END SOLUTION


# ------------------------------------------------------------------ 6.11 Encoder and decoder
class EncoderDecoder(parts.EncoderDecoder, LanguageModel):
    """A language model whose blocks also look at a source text, through `encoder`: (6.28)."""

    def forward(self, source: Ids, inputs: Int[Tensor, "B T2"], past=None) -> tuple:
        """Return the logits after each input, and what the next call takes as `past`. 4 lines.
        self.encoder(source)[1] are the vectors of the source, once for all calls: keep them in
        past, too. Read with the keyword memory: (vectors, source != PAD)."""
        # BEGIN SOLUTION
        vectors, past = past or (self.encoder(source)[1], None)
        x, past = self.read(inputs, past, memory=(vectors, source != PAD))
        return self.logits(x), (vectors, past)
        # END SOLUTION


# ------------------------------------------------------------------ 6.12 Counting
def count_parameters(s: Sizes) -> dict[str, int]:
    """Return how many weights of LanguageModel(s) are "embed" (words), "attention", "feed",
    "unembed" (0 if tied) and "rest": norms, biases, learned places (6.29, 6.30). 6 lines."""
    # BEGIN SOLUTION
    qkv, up = s.H * s.K + 2 * s.G * s.K, 2 if s.feed == "swiglu" else 1
    rest = s.T * s.D * (s.positions == "learned") + s.bias * s.L * (qkv + up * s.F + 2 * s.D)
    rest += (2 * s.L + 1) * s.D * (1 if s.norm == "rms" else 2)
    words, attention, feed = s.V * s.D, s.L * (qkv + s.D) * s.D, s.L * (up + 1) * s.F * s.D
    n = {"embed": words, "attention": attention, "feed": feed, "rest": rest}
    return n | {"unembed": 0 if s.tied else words}
    # END SOLUTION


def count_costs(s: Sizes, T: int, n_bytes: int = 2) -> tuple[int, int]:
    """Return the operations of one pass over T tokens (6.31) and the bytes of its k and v (6.32).
    A multiplication and an addition, two operations, for each token and weight of attention, feed
    and logits, and for each product in q k^T and the weighted sum, masked pairs, too. 3 lines.
    >>> count_costs(Sizes(V=4, D=8, L=1, H=2), T=2)
    (3328, 64)"""
    # BEGIN SOLUTION
    n = count_parameters(s)
    weights = n["attention"] + n["feed"] + s.V * s.D
    return 2 * T * weights + 4 * s.L * T**2 * s.D, 2 * s.L * s.G * s.K * T * n_bytes
    # END SOLUTION


# ------------------------------------------------------------------ 6.13 After the transformer
def recurrent(q: BHTK, k: BHTK, v: BHTV, log_a: BHT, S: BHKV | None = None) -> tuple[BHTV, BHKV]:
    """Return y_t = S_t^T q_t with S_t = a_t S_(t-1) + k_t v_t^T, and the last S (6.33). 6 lines.
    S is the state before, or None: zeros. log_a = 0: linear attention; else a state-space model.
    >>> recurrent(*torch.ones(3, 1, 1, 3, 1), torch.full((1, 1, 3), 0.5).log())[0].flatten()
    tensor([1.0000, 1.5000, 1.7500])"""
    # BEGIN SOLUTION
    S, told, a = 0.0 if S is None else S, [], log_a.exp()[..., None, None]
    for t in range(q.shape[2]):
        S = a[:, :, t] * S + k[:, :, t, :, None] * v[:, :, t, None]
        told.append((q[:, :, t, None] @ S)[:, :, 0])
    return torch.stack(told, dim=2), S
    # END SOLUTION


def parallel(q: BHTK, k: BHTK, v: BHTV, log_a: BHT) -> tuple[BHTV, BHKV]:
    """Return the same as `recurrent` from zeros, without a loop, no slope NaN (6.34). 4 lines."""
    # BEGIN SOLUTION
    total = log_a.cumsum(-1)
    left = (total[..., :, None] - total[..., None, :]).tril().exp().tril()
    return (q @ k.mT * left) @ v, (k * left[..., -1, :, None]).mT @ v
    # END SOLUTION


class LinearAttention(parts.LinearMixer):
    """Given: stands in for SelfAttention; parallel without a past, else recurrent."""

    recurrent, parallel = staticmethod(recurrent), staticmethod(parallel)
