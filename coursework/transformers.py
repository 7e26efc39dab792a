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
    raise NotImplementedError("6.1 layer_norm: see section 6.1, equations 6.1 to 6.4")


def layer_norm_gradients(x: XD, gain: Vector, slopes: XD, eps=1e-5) -> tuple[XD, Vector, Vector]:
    """Return dL/dx, dL/dgain, dL/dbias from slopes = dL/dy (6.2, 6.3). No autograd; 5 lines."""
    raise NotImplementedError("6.1 layer_norm_gradients: see section 6.1, equations 6.1 to 6.4")


def rms_norm(x: XD, gain: Vector, eps: float = 1e-5) -> XD:
    """Return gain x / sqrt(mean of x^2 + eps), for each vector x (6.4). 1 line."""
    raise NotImplementedError("6.1 rms_norm: see section 6.1, equations 6.1 to 6.4")


# ------------------------------------------------------------------ 6.2 Feed-forward layer
def gelu(x: Float[Tensor, "*B"], approximate: bool = False) -> Float[Tensor, "*B"]:
    """Return x P(z < x), z normal (6.6), by `torch.erf`; or GPT-2's formula (6.7). 3 lines.
    >>> gelu(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8413])"""
    raise NotImplementedError("6.2 gelu: see section 6.2, equations 6.5 to 6.8")


class FeedForward(parts.FeedForward):
    """Two linear layers for each vector by itself, up and down; SwiGLU has a third one, gate."""

    def forward(self, x: BTD) -> BTD:
        """Return down(f(up(x))) (6.5), where self.f is the function that self.kind names; for the
        kind "swiglu" down(f(gate(x)) up(x)), where self.f is F.silu (6.8). 3 lines."""
        raise NotImplementedError("6.2 FeedForward.forward: see section 6.2, equations 6.5 to 6.8")


# ------------------------------------------------------------------ 6.3 Residual stream
class Block(parts.Block):
    """Lets tokens look at each other, then works on each by itself. Its layers go `around` x."""

    def around(self, x: BTD, norm: nn.Module, layer: Callable[[BTD], BTD]) -> BTD:
        """Return x + drop(layer(norm(x))) if self.pre (6.9), else norm(x + drop(layer(x))) (6.10).
        drop is self.dropout. 3 lines.
        >>> new_block(Sizes(1, 2, 1, 1)).around(torch.ones(1, 1, 1), torch.neg, torch.exp)
        tensor([[[1.3679]]])"""
        raise NotImplementedError("6.3 Block.around: see section 6.3, equations 6.9 and 6.10")


# ------------------------------------------------------------------ 6.4 Positions
def sinusoidal(T: int, D: int) -> Float[Tensor, "{T} {D}"]:
    """Return rows t = 0 to T - 1 of sin(t w), cos(t w); w = 10000^(-2 i / D), i = 0 to D / 2 - 1.
    Sine and cosine of i are the numbers 2 i and 2 i + 1 of a row (6.11). D is even. 2 lines."""
    raise NotImplementedError("6.4 sinusoidal: see section 6.4, equations 6.11 to 6.14")


def shift_matrix(k: int, D: int) -> Float[Tensor, "{D} {D}"]:
    """Return M, so that M p_t = p_(t + k) for all rows p_t of `sinusoidal` (6.12). 3 or 4 lines."""
    raise NotImplementedError("6.4 shift_matrix: see section 6.4, equations 6.11 to 6.14")


def rotate(x: XTK, start: int = 0) -> XTK:
    """Turn pair i of row t by the angle (start + t) 10000^(-2 i / K): rotary positions (6.13).
    Pair i, (x_2i, x_2i+1) = (a, b), becomes (a cos - b sin, a sin + b cos). About 4 lines."""
    raise NotImplementedError("6.4 rotate: see section 6.4, equations 6.11 to 6.14")


def alibi(H: int, T: int, S: int) -> Float[Tensor, "{H} {T} {S}"]:
    """Return -|i - j| 2^(-8 h / H), h = 1..H; i: the last T of S tokens, j: all S (6.14). 2 lines.
    >>> alibi(8, 1, 3)[0, 0, :2]
    tensor([-1.0000, -0.5000])"""
    raise NotImplementedError("6.4 alibi: see section 6.4, equations 6.11 to 6.14")


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
        raise NotImplementedError("6.5 SelfAttention.forward: see section 6.5, equation 6.15")


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
        raise NotImplementedError("6.6 LanguageModel.read: see section 6.6, equations 6.16 to 6.18")

    def logits(self, x: BTD) -> BTV:
        """Return products with the rows of embed.words.weight, or out.weight if not tied (6.17).
        >>> LanguageModel(Sizes(V=5, D=2, L=1, H=1)).logits(torch.zeros(1, 3, 2)).shape
        torch.Size([1, 3, 5])"""
        raise NotImplementedError("6.6 LanguageModel.logits: see section 6.6, equations 6.16 to 6.18")


@torch.no_grad()
def initialise(model: nn.Module, rng: torch.Generator, std: float = 0.02) -> nn.Module:
    """Draw what has two axes from N(0, std^2), set "...bias" to 0, leave gains (6.18).
    The N that write into the residual stream, "...W_o.weight" and "...down.weight", get
    std / sqrt(N). Draw in order: p.normal_(mean, std, generator=rng). Return the model. 7 lines."""
    raise NotImplementedError("6.6 initialise: see section 6.6, equations 6.16 to 6.18")


# ------------------------------------------------------------------ 6.7 GPT-2's weights
def from_gpt2(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return GPT-2's weights under the names of LanguageModel: replace the parts in GPT2, in order.
    In all "c_...weight", W is transposed (6.19). Leave out what ends with ".attn.bias" or
    ".attn.masked_bias", the masks, and lm_head.weight, which is tied. About 7 lines.
    >>> [(key, *w.shape) for key, w in from_gpt2({"h.0.mlp.c_fc.weight": torch.ones(2, 3)}).items()]
    [('blocks.0.feed.up.weight', 3, 2)]"""
    raise NotImplementedError("6.7 from_gpt2: see section 6.7, equation 6.19")


# ------------------------------------------------------------------ 6.8 Training
def adamw(p, slope, m, v, t: int, rate: float, betas=(0.9, 0.95), eps=1e-8, decay=0.1) -> tuple:
    """Return p, m, v after step t = 1, 2, ... of AdamW (6.20 to 6.22). Vectors (p.ndim < 2), which
    are gains and biases, do not decay. No torch.optim; 3 lines."""
    raise NotImplementedError("6.8 adamw: see section 6.8, equations 6.20 to 6.24")


def learning_rate(step: int, peak: float, warmup: int, steps: int, last: float = 0.0) -> float:
    """Return peak (step + 1) / warmup if step < warmup, then a cosine (6.23). 4 lines.
    The cosine falls from `peak` at step = warmup to `last` at step = steps, and stays there.
    >>> [round(learning_rate(step, 1.0, 2, 6), 3) for step in range(7)]
    [0.5, 1.0, 1.0, 0.854, 0.5, 0.146, 0.0]"""
    raise NotImplementedError("6.8 learning_rate: see section 6.8, equations 6.20 to 6.24")


def train_step(model: nn.Module, optimizer, batches: list, clip: float, count=None) -> float:
    """Make one step for several small batches as if they were one; return its loss (6.24).
    A batch: the model's inputs, then targets; logits = model(*inputs)[0], (B, T, V) or (B, V). The
    loss is the sum over all targets but IGNORE, divided by their number in all batches, or `count`.
    Clip by nn.utils.clip_grad_norm_. A loss not finite: FloatingPointError, no change. 12 lines."""
    raise NotImplementedError("6.8 train_step: see section 6.8, equations 6.20 to 6.24")


# ------------------------------------------------------------------ 6.9 Generating
@torch.no_grad()
def generate(model, prompts: Rows, most: int, rng: torch.Generator, heat=1.0, cached=True) -> Rows:
    """Continue prompts of one length, side by side, to `most` words in all; cut before EOS (6.25).
    Read BOS and the prompt. Draw from softmax(logits / heat); heat 0: the likeliest. Never PAD or
    BOS. Stop when all rows have EOS. model(tokens, past) returns logits, past: read each token
    once, but all of them each time, without a past, if not `cached`. About 12 lines.
    >>> generate(lambda new, past: (F.one_hot(new + 1, 9) * 1.0, past), [[4]], 3, None, heat=0)
    [[4, 5, 6]]"""
    raise NotImplementedError("6.9 generate: see section 6.9, equation 6.25")


# ------------------------------------------------------------------ 6.10 Masked words
def mask_words(tokens: Ids, V: int, rng: torch.Generator, share: float = 0.15) -> tuple[Ids, Ids]:
    """Choose a share of the words, none of PAD, BOS, EOS; return inputs and targets (6.26).
    Of the chosen, 80 % become MASK = V - 1, 10 % a word from EOS + 1 to V - 2, 10 % stay. Targets
    are the chosen words, IGNORE elsewhere. Each place by chance for itself. About 6 lines.
    >>> mask_words(torch.tensor([[BOS, 7, EOS]]), V=9, rng=torch.Generator(), share=1.0)[1]
    tensor([[-100,    7, -100]])"""
    raise NotImplementedError("6.10 mask_words: see section 6.10, equations 6.26 and 6.27")


class Encoder(LanguageModel):
    """The same parts, but each token sees all of its text (BERT)."""

    causal = False

    def forward(self, tokens: Ids) -> tuple[BTV, BTD]:
        """Return the logits of each place's word, and the vectors (6.27). No token sees PAD: call
        self.read with the keyword mask, (B, T), False where PAD is. 2 lines."""
        raise NotImplementedError("6.10 Encoder.forward: see section 6.10, equations 6.26 and 6.27")


# ------------------------------------------------------------------ 6.11 Encoder and decoder
class EncoderDecoder(parts.EncoderDecoder, LanguageModel):
    """A language model whose blocks also look at a source text, through `encoder`: (6.28)."""

    def forward(self, source: Ids, inputs: Int[Tensor, "B T2"], past=None) -> tuple:
        """Return the logits after each input, and what the next call takes as `past`. 4 lines.
        self.encoder(source)[1] are the vectors of the source, once for all calls: keep them in
        past, too. Read with the keyword memory: (vectors, source != PAD)."""
        raise NotImplementedError("6.11 EncoderDecoder.forward: see section 6.11, equation 6.28")


# ------------------------------------------------------------------ 6.12 Counting
def count_parameters(s: Sizes) -> dict[str, int]:
    """Return how many weights of LanguageModel(s) are "embed" (words), "attention", "feed",
    "unembed" (0 if tied) and "rest": norms, biases, learned places (6.29, 6.30). 6 lines."""
    raise NotImplementedError("6.12 count_parameters: see section 6.12, equations 6.29 to 6.32")


def count_costs(s: Sizes, T: int, n_bytes: int = 2) -> tuple[int, int]:
    """Return the operations of one pass over T tokens (6.31) and the bytes of its k and v (6.32).
    A multiplication and an addition, two operations, for each token and weight of attention, feed
    and logits, and for each product in q k^T and the weighted sum, masked pairs, too. 3 lines.
    >>> count_costs(Sizes(V=4, D=8, L=1, H=2), T=2)
    (3328, 64)"""
    raise NotImplementedError("6.12 count_costs: see section 6.12, equations 6.29 to 6.32")


# ------------------------------------------------------------------ 6.13 After the transformer
def recurrent(q: BHTK, k: BHTK, v: BHTV, log_a: BHT, S: BHKV | None = None) -> tuple[BHTV, BHKV]:
    """Return y_t = S_t^T q_t with S_t = a_t S_(t-1) + k_t v_t^T, and the last S (6.33). 6 lines.
    S is the state before, or None: zeros. log_a = 0: linear attention; else a state-space model.
    >>> recurrent(*torch.ones(3, 1, 1, 3, 1), torch.full((1, 1, 3), 0.5).log())[0].flatten()
    tensor([1.0000, 1.5000, 1.7500])"""
    raise NotImplementedError("6.13 recurrent: see section 6.13, equations 6.33 and 6.34")


def parallel(q: BHTK, k: BHTK, v: BHTV, log_a: BHT) -> tuple[BHTV, BHKV]:
    """Return the same as `recurrent` from zeros, without a loop, no slope NaN (6.34). 4 lines."""
    raise NotImplementedError("6.13 parallel: see section 6.13, equations 6.33 and 6.34")


class LinearAttention(parts.LinearMixer):
    """Given: stands in for SelfAttention; parallel without a past, else recurrent."""

    recurrent, parallel = staticmethod(recurrent), staticmethod(parallel)
