"""What chapter 6 gives complete: sizes, and the parts that each of its modules is made of.

The modules here have parameters but not yet a `forward`: that is the reader's. Complete are
Embedding, Heads.visible, CrossAttention (chapter 5's) and LinearMixer.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from einops import rearrange
from torch import Tensor, nn

from nextword.corpora.checks import require, require_ids

IGNORE = -100  # a target that is not counted; cross_entropy leaves it out by itself
# parts of the names in GPT-2's files, in the order in which they become the names of this chapter
GPT2 = {"transformer.": "", "wte": "embed.words", "wpe": "embed.places", "h.": "blocks."}
GPT2 |= {"ln_1": "norm1", "ln_2": "norm2", "ln_f": "norm", "attn.c_attn": "mixer.W_qkv"}
GPT2 |= {"attn.c_proj": "mixer.W_o", "mlp.c_fc": "feed.up", "mlp.c_proj": "feed.down"}
FEEDS = {"relu": F.relu, "gelu": F.gelu, "gelu_tanh": partial(F.gelu, approximate="tanh")}
FEEDS |= {"swiglu": F.silu}
CHOICES = {
    "positions": ("learned", "sinusoidal", "rotary", "alibi", "none"),
    "feed": tuple(FEEDS),
    "norm": ("layer", "rms"),
}


@dataclass(frozen=True)
class Sizes:
    """What a transformer is built from."""

    V: int  # words in the vocabulary
    D: int  # numbers of a token's vector
    L: int  # blocks
    H: int  # heads of queries; each has K = D / H numbers
    G: int = 0  # heads of keys and values; 0: as many as H
    F: int = 0  # numbers inside a feed-forward layer; 0: 4 D
    T: int = 1024  # tokens of the longest text; a limit only where positions are learned
    positions: str = "rotary"  # or learned, sinusoidal, alibi, none
    feed: str = "gelu"  # or relu, gelu_tanh, swiglu
    norm: str = "layer"  # or rms
    pre: bool = True  # norms before the layers of a block; False: after them
    tied: bool = True  # the logits use the matrix of the words' vectors
    bias: bool = True  # linear layers have biases
    dropout: float = 0.0  # share of numbers set to 0 in training
    eps: float = 1e-5  # in the root of a norm

    def __post_init__(self) -> None:
        for name in ("V", "D", "L", "H", "T"):
            require(name, getattr(self, name), getattr(self, name) >= 1, "at least 1")
        object.__setattr__(self, "G", self.G or self.H)
        object.__setattr__(self, "F", self.F or 4 * self.D)
        require("D", self.D, self.D % self.H == 0, f"divisible by {self.H} heads")
        require("G", self.G, self.G > 0 and self.H % self.G == 0, f"a divisor of {self.H} heads")
        require("dropout", self.dropout, 0 <= self.dropout < 1, "at least 0 and below 1")
        for name, known in CHOICES.items():
            value = getattr(self, name)
            require(name, value, value in known, f"one of {', '.join(known)}")
        paired = self.D if self.positions == "sinusoidal" else self.K
        even = paired % 2 == 0 or self.positions not in ("rotary", "sinusoidal")
        require("D or K = D / H", paired, even, f"even for {self.positions} positions")

    @property
    def K(self) -> int:  # noqa: N802 - the sign of the chapter
        """The numbers of a query, key or value."""
        return self.D // self.H

    def new_norm(self) -> nn.Module:
        """Return torch's own layer norm or RMS norm for vectors of D numbers, with `eps`."""
        kind = nn.RMSNorm if self.norm == "rms" else nn.LayerNorm
        return kind(self.D, self.eps)

    def linear(self, n_in: int, n_out: int) -> nn.Linear:
        """Return a linear layer, with a bias if the sizes say so."""
        return nn.Linear(n_in, n_out, self.bias)


class Embedding(nn.Module):
    """The vectors of words and places. Parameters: words.weight (V, D), learned: places.weight.

    table(T, D) gives the waves of sinusoidal positions: task 6.4.
    """

    def __init__(self, sizes: Sizes, table: Callable[[int, int], Tensor]) -> None:
        super().__init__()
        self.sizes, self.table, self.dropout = sizes, table, nn.Dropout(sizes.dropout)
        self.words = nn.Embedding(sizes.V, sizes.D)
        self.places = nn.Embedding(sizes.T, sizes.D) if sizes.positions == "learned" else None

    def forward(self, tokens: Tensor, start: int = 0) -> Tensor:
        """Return the vectors (B, T, D) of tokens (B, T), the first of which has place `start`.

        Rotary positions and ALiBi add nothing here. ValueError: an id that the vocabulary lacks, or
        a place that was never learned.
        """
        sizes, end = self.sizes, start + tokens.shape[1]
        if tokens.numel():
            require_ids("tokens", [int(tokens.min()), int(tokens.max())], sizes.V)
        x = self.words(tokens)
        if self.places is not None:
            require("the text", f"{end} tokens", end <= sizes.T, f"at most {sizes.T} tokens long")
            x = x + self.places.weight[start:end]
        elif sizes.positions == "sinusoidal":
            x = x + self.table(end, sizes.D)[start:].to(x)
        return self.dropout(x)


class FeedForward(nn.Module):
    """Parameters: up.weight (F, D), down.weight (D, F), for SwiGLU gate.weight (F, D); biases."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.kind, self.f = sizes.feed, FEEDS[sizes.feed]
        self.up, self.down = sizes.linear(sizes.D, sizes.F), sizes.linear(sizes.F, sizes.D)
        self.gate = sizes.linear(sizes.D, sizes.F) if self.kind == "swiglu" else None


class Block(nn.Module):
    """Parts: norm1, mixer, norm2, feed, dropout; with a memory to look at, also norm3 and cross.

    mixer(x, past, mask) returns its answers and a state, feed(x) and cross(x, vectors, mask)
    answers only.
    """

    around: Callable[..., Tensor]  # task 6.3

    def __init__(self, sizes: Sizes, mixer: Any, feed: Any, cross: Any = None) -> None:
        super().__init__()
        self.pre, self.dropout = sizes.pre, nn.Dropout(sizes.dropout)
        self.norm1, self.mixer = sizes.new_norm(), mixer
        self.norm2, self.feed = sizes.new_norm(), feed
        if cross is not None:
            self.norm3, self.cross = sizes.new_norm(), cross

    def forward(
        self, x: Tensor, past: Any = None, mask: Any = None, memory: Any = None
    ) -> tuple[Tensor, Any]:
        """Return x after all layers, and the mixer's state. memory: vectors and mask of a text."""
        states = []

        def mix(x: Tensor) -> Tensor:
            y, state = self.mixer(x, past, mask)
            states.append(state)
            return y

        x = self.around(x, self.norm1, mix)
        if memory is not None:
            x = self.around(x, self.norm3, lambda x: self.cross(x, *memory))
        return self.around(x, self.norm2, self.feed), states[0]


class Heads(nn.Module):
    """Parameters: W_qkv.weight ((H + 2 G) K, D), rows of all queries, then keys, then values;
    W_o.weight (D, D); and their biases."""

    def __init__(self, sizes: Sizes, causal: bool = True) -> None:
        super().__init__()
        self.H, self.G, self.K, self.causal = sizes.H, sizes.G, sizes.K, causal
        self.positions = sizes.positions
        self.W_qkv = sizes.linear(sizes.D, (sizes.H + 2 * sizes.G) * sizes.K)
        self.W_o = sizes.linear(sizes.D, sizes.D)

    def visible(self, T: int, S: int, mask: Tensor | None, device: torch.device) -> Tensor:
        """Return which of S keys the last T of the S tokens may see, (T, S) or (B, 1, T, S).

        Causal: no later ones. mask (B, S): False for keys that nobody sees, such as padding.
        """
        seen = torch.ones(T, S, dtype=torch.bool, device=device)
        seen = seen.tril(S - T) if self.causal else seen
        return seen if mask is None else seen & mask[:, None, None]


class CrossAttention(nn.Module):
    """Chapter 5's heads: queries from one text, keys and values from another, the memory.

    Parameters: W_q.weight (D, D), W_kv.weight (2 D, D), keys first, W_o.weight (D, D); biases.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        D, self.H = sizes.D, sizes.H
        self.W_q, self.W_kv, self.W_o = (sizes.linear(D, n) for n in (D, 2 * D, D))

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None = None) -> Tensor:
        """Return the answers (B, T, D) for x. memory: (B, S, D); mask: (B, S), True for words."""
        q = rearrange(self.W_q(x), "b t (h k) -> b h t k", h=self.H)
        k, v = rearrange(self.W_kv(memory), "b s (n h k) -> n b h s k", n=2, h=self.H)
        seen = None if mask is None else mask[:, None, None]
        y = F.scaled_dot_product_attention(q, k, v, seen)
        answer: Tensor = self.W_o(rearrange(y, "b h t k -> b t (h k)"))
        return answer


class Stack(nn.Module):
    """Parts: embed, blocks.0 ..., norm; out.weight (V, D) unless the logits are tied.

    norm belongs behind the last block; where norms stand after layers, before the first.
    """

    causal = True
    new_block: Callable[..., nn.Module]  # of sizes, causal
    sinusoidal: Callable[[int, int], Tensor]  # task 6.4
    read: Callable[..., tuple[Tensor, Any]]  # task 6.6
    logits: Callable[[Tensor], Tensor]  # task 6.6

    def __init__(self, sizes: Sizes, new_block: Callable[..., nn.Module] | None = None) -> None:
        super().__init__()
        make = new_block or self.new_block
        self.sizes, self.norm = sizes, sizes.new_norm()
        self.embed = Embedding(sizes, self.sinusoidal)
        self.blocks = nn.ModuleList([make(sizes, self.causal) for _ in range(sizes.L)])
        self.out = None if sizes.tied else nn.Linear(sizes.D, sizes.V, bias=False)

    def forward(self, tokens: Tensor, past: Any = None) -> tuple[Tensor, Any]:
        """Return the logits after each token, and what the next call takes as `past`."""
        x, past = self.read(tokens, past)
        return self.logits(x), past


class EncoderDecoder(Stack):
    """Parts: those of a Stack, whose blocks have cross-attention, and encoder."""

    def __init__(self, sizes: Sizes, encoder: nn.Module) -> None:
        make = self.new_block
        super().__init__(sizes, lambda sizes, causal: make(sizes, causal, CrossAttention(sizes)))
        self.encoder = encoder


class Classifier(nn.Module):
    """An encoder and a linear layer that reads the vector of each text's first token.

    Parts: encoder, head.weight (n, D), head.bias (n).
    """

    def __init__(self, encoder: nn.Module, D: int, n: int) -> None:
        super().__init__()
        self.encoder, self.head = encoder, nn.Linear(D, n)

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits (B, n) of the classes of texts (B, T), and the vectors they read."""
        vectors = self.encoder(tokens)[1][:, 0]
        return self.head(vectors), vectors


class LinearMixer(nn.Module):
    """Task 6.13 in the place of self-attention: its state has the same size after any text.

    Parameters: W_qkv.weight (3 D, D), W_a.weight (H, D), forget (H), W_o.weight (D, D); biases.
    """

    parallel: Callable[..., tuple[Tensor, Tensor]]
    recurrent: Callable[..., tuple[Tensor, Tensor]]

    def __init__(self, sizes: Sizes, causal: bool = True) -> None:
        super().__init__()
        require("causal", causal, causal, "True: a recurrence reads from left to right")
        D, self.H, self.K = sizes.D, sizes.H, sizes.K
        self.W_qkv, self.W_a, self.W_o = (sizes.linear(D, n) for n in (3 * D, sizes.H, D))
        # heads that at first keep one half to 499 of 500 parts of what they know at each step
        self.forget = nn.Parameter(torch.linspace(0.0, 6.2, sizes.H))

    def forward(
        self, x: Tensor, past: Tensor | None = None, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return the answers (B, T, D) and the state (B, H, K, K): all at once, or from `past`."""
        q, k, v = rearrange(self.W_qkv(x), "b t (n h k) -> n b h t k", n=3, h=self.H)
        log_a = F.logsigmoid(self.W_a(x) + self.forget).mT
        q = q / self.K**0.5
        if past is None:
            y, state = self.parallel(q, k, v, log_a)
        else:
            y, state = self.recurrent(q, k, v, log_a, past)
        y = F.rms_norm(y, (self.K,))  # sums grow with the text; their direction is what counts
        return self.W_o(rearrange(y, "b h t k -> b t (h k)")), state
