"""Transformers, from the norm of one vector to GPT-2 and what followed it.

On a first evening, read the plain model, 41 lines without blanks and docstrings: the code below
"All of it, plain" in chapters/06-transformers-assembled.ipynb, at the end of section 6.6. Then read
`initialise`, `train_step` and `generate` here, which it lacks. Its weights have the names used
here. It gives away parts of tasks 6.2, 6.3, 6.5 and 6.6: to solve these alone, wait.

The same from token ids to the loss: GPT-2, but with the exact GELU and without dropout. W_qkv,
W_o, up and down also add a bias, which is not shown:

    x = words[tokens] + places[:T]               (B, T, D)      Embedding
    in each of the L blocks:                                    Block
        q, k, v = parts of W_qkv(norm1(x))       (B, H, T, K)   SelfAttention
        scores = q k^T / sqrt(K)                 (B, H, T, T)   minus infinity for later tokens
        x = x + W_o(softmax(scores) v)           (B, T, D)      the H heads side by side
        x = x + down(gelu(up(norm2(x))))         (B, T, D)      FeedForward, F numbers inside
    logits = norm(x) words^T                     (B, T, V)      LanguageModel
    loss = mean of -log softmax(logits)[target]  a number       train_step

A logit is a token's score before the softmax. The vector at place t predicts the token at place
t + 1, so the targets are the inputs, shifted by one. The code of these lines, in the order of a
first reading: `FeedForward`, `SelfAttention`, `Block`, `Embedding`, `LanguageModel`, `train_step`,
`generate`. Read it for Sizes(V, D, L, H, positions="learned"), with past, mask and memory None.
Then G = H, S = T, and no more than this is left:

    SelfAttention.forward   steps 1, 4, 5 and 6; `seen` is a (T, T) triangle of True
    Block.forward           x = x + mixer(norm1(x))[0], then x = x + feed(norm2(x))
    LanguageModel.read      x = embed(tokens), then x = block(x)[0] for each block, then norm(x)

Leave the rest for later: norms and gradients by hand (the layers use torch's), other positions,
GPT-2's file, AdamW by hand, and everything from 6.10 on.

"Given" marks what is complete. (eq. 6.4) is an equation of chapter 6; 6.4 alone is a section and
its task. The letters are those of the chapter:

    B  texts in a batch                 V  tokens in the vocabulary (the code: words)
    T  tokens that are read now         D  length of a token's vector
    S  tokens that can be looked at     L  number of blocks
    H  heads of queries                 F  length inside a feed-forward layer
    G  heads of keys and of values      K  length of one query, key or value: D / H

    here        GPT-2 and minGPT                 here       GPT-2 and minGPT
    D, L, H     n_embd, n_layer, n_head          words      wte
    V           n_vocab (minGPT: vocab_size)     places     wpe
    Sizes.T     n_ctx (minGPT: block_size)       norm1, 2   ln_1, ln_2
    mixer       attn                             norm       ln_f
    W_qkv, W_o  c_attn, c_proj of attn           up, down   c_fc, c_proj of mlp

Float[Tensor, "B T D"] is a tensor of floats with the axes B, T and D. "*B D": any number of axes,
then D. "{T} {D}": as long as the arguments T and D say. S0 counts the tokens of earlier calls, and
S = S0 + T. In code, F is torch.nn.functional and sizes.F a length; x.T is a transpose, x.mT swaps
the last two axes, and sizes.T is the longest text. rearrange(x, "b t (n k) -> b n t k", k=K) cuts
the last axis into n pieces of length K and moves the axes: x.view(B, T, n, K).transpose(1, 2).
rearrange(y, "b h t k -> b t (h k)") is the way back: y.transpose(1, 2).reshape(B, T, H * K).
Tensors that you make go on the device of those that you are given, as in
torch.arange(T, device=x.device). Four words recur:

    mask    True where a token may be looked at, False where nobody may
    past    the argument: the second thing that the call before returned; None in the first call
    state   what a layer or a block returns second: in attention the pair (k, v). A LanguageModel
            returns the past of its next call: (tokens read so far, the state of each block)
    memory  another text, for cross-attention: its vectors; for a block, the pair (vectors, mask)

To compare: GPT-2's own code, github.com/openai/gpt-2, src/model.py, and github.com/karpathy/minGPT.

All of it together, once the tasks are done:

    sizes = Sizes(V=9, D=16, L=2, H=2, positions="learned")
    model = initialise(LanguageModel(sizes), torch.Generator().manual_seed(0))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    batch = (torch.tensor([[BOS, 3, 4, 5]]), torch.tensor([[3, 4, 5, EOS]]))  # inputs, targets
    for _ in range(50):
        train_step(model, optimizer, [batch], clip=1.0)
    generate(model.eval(), [[3]], most=5, rng=None, temperature=0)  # [[3, 4, 5]]
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F  # noqa: N812 - the usual name for it
from einops import rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from nextword.given.batches import BOS, EOS, PAD, until_end  # the ids 1, 2, 0
from nextword.given.checks import require, require_ids  # raise ValueError, no more

IGNORE = -100  # a target to leave out of the loss; F.cross_entropy does so by default
CHOICES = {
    "positions": ("learned", "sinusoidal", "rotary", "alibi", "none"),
    "feed": ("relu", "gelu", "gelu_tanh", "swiglu"),
    "norm": ("layer", "rms"),
}


# ------------------------------------------------------------------ Sizes
@dataclass(frozen=True)
class Sizes:
    """Given: the sizes and the choices of a transformer. The first four are required.

    The plain model at the top of this file is Sizes(V, D, L, H, positions="learned"); all other
    choices can wait until a section needs them. Raises ValueError if sizes do not fit together.

    >>> Sizes(V=50257, D=768, L=12, H=12).K
    64
    """

    V: int  # tokens in the vocabulary
    D: int  # length of a token's vector
    L: int  # number of blocks
    H: int  # heads of queries, each of length K = D / H
    G: int = 0  # heads of keys and of values; 0: as many as H (section 6.5)
    F: int = 0  # length inside a feed-forward layer; 0: 4 D
    T: int = 1024  # longest text; used only by learned positions (elsewhere T: tokens read now)
    positions: str = "rotary"  # or learned, sinusoidal, alibi, none (section 6.4)
    feed: str = "gelu"  # or relu, gelu_tanh, swiglu (section 6.2)
    norm: str = "layer"  # or rms (section 6.1)
    pre: bool = True  # norm before each layer of a block; False: after it (section 6.3)
    tied: bool = True  # the logits use the matrix of the tokens' vectors again (section 6.6)
    bias: bool = True  # linear layers have biases
    # share of numbers set to 0 in training (the others are scaled up), after embeddings and layers
    dropout: float = 0.0
    eps: float = 1e-5  # added to the variance, inside the root of a norm

    def __post_init__(self) -> None:
        # require(name, value, holds, expected) raises ValueError unless holds: skip to K
        for name in ("V", "D", "L", "H", "T"):
            require(name, getattr(self, name), getattr(self, name) >= 1, "at least 1")
        object.__setattr__(self, "G", self.G or self.H)  # frozen: no plain self.G = ...
        object.__setattr__(self, "F", self.F or 4 * self.D)
        require("D", self.D, self.D % self.H == 0, f"divisible by {self.H} heads")
        require("G", self.G, self.G > 0 and self.H % self.G == 0, f"a divisor of {self.H} heads")
        require("dropout", self.dropout, 0 <= self.dropout < 1, "at least 0 and below 1")
        for name, known in CHOICES.items():
            value = getattr(self, name)
            require(name, value, value in known, f"one of {', '.join(known)}")
        if self.positions in ("rotary", "sinusoidal"):  # these work on pairs of numbers
            name, n = ("D", self.D) if self.positions == "sinusoidal" else ("K = D / H", self.K)
            require(name, n, n % 2 == 0, f"even for {self.positions} positions")

    @property
    def K(self) -> int:  # noqa: N802 - the chapter's symbol
        """The length of one query, key or value."""
        return self.D // self.H

    def new_norm(self) -> nn.Module:
        """Return torch's own norm for D numbers: fast, and ready before 6.1 is solved."""
        if self.norm == "rms":
            return nn.RMSNorm(self.D, self.eps)
        return nn.LayerNorm(self.D, self.eps)

    def linear(self, n_in: int, n_out: int) -> nn.Linear:
        """Return a linear layer, with a bias if sizes.bias."""
        return nn.Linear(n_in, n_out, self.bias)


# ------------------------------------------------------------------ 6.1 Norms
def layer_norm(
    x: Float[Tensor, "*B D"],
    gain: Float[Tensor, "D"],
    bias: Float[Tensor, "D"],
    eps: float = 1e-5,
) -> Float[Tensor, "*B D"]:
    """Bring each vector to mean 0 and variance 1; then scale by the gain, add the bias (eq. 6.1).

        gain (x - m) / sqrt(v + eps) + bias

    m is the mean of the vector's D numbers; v is their variance, the mean of (x - m)^2. Gradients
    flow through both. Use no library's norm; the layers below use torch's. About 3 lines.

    >>> layer_norm(torch.tensor([1.0, 1.0, 7.0, 7.0]), torch.ones(4), torch.zeros(4), eps=0.0)
    tensor([-1., -1.,  1.,  1.])
    """
    # BEGIN SOLUTION
    centred = x - x.mean(-1, keepdim=True)
    variance = centred.square().mean(-1, keepdim=True)
    return gain * centred / torch.sqrt(variance + eps) + bias
    # END SOLUTION


def rms_norm(
    x: Float[Tensor, "*B D"], gain: Float[Tensor, "D"], eps: float = 1e-5
) -> Float[Tensor, "*B D"]:
    """Return gain x / sqrt(mean of x^2 + eps) for each vector x (eq. 6.4). About 2 lines.

    Nothing is subtracted; no bias, and no library's norm. Gradients flow through the mean, too. A
    first reading can leave it out.

    >>> rms_norm(torch.tensor([3.0, 4.0, 0.0, 0.0]), torch.ones(4), eps=0.0)
    tensor([1.2000, 1.6000, 0.0000, 0.0000])
    """
    # BEGIN SOLUTION
    mean_square = x.square().mean(-1, keepdim=True)
    return gain * x / torch.sqrt(mean_square + eps)
    # END SOLUTION


def layer_norm_gradients(
    x: Float[Tensor, "*B D"],
    gain: Float[Tensor, "D"],
    grad: Float[Tensor, "*B D"],
    eps: float = 1e-5,
) -> tuple[Float[Tensor, "*B D"], Float[Tensor, "D"], Float[Tensor, "D"]]:
    """Return the gradients dL/dx, dL/dgain and dL/dbias of `layer_norm` (eq. 6.2, 6.3).

    `grad` is dL/dy, the gradient of the loss with respect to the output y = gain z + bias, where
    z = (x - m) / sqrt(v + eps).

        dL/dx = (d_z - mean of d_z - z (mean of d_z z)) / sqrt(v + eps),  with d_z = gain grad

    The gain and the bias are used for every vector, so their gradients are sums over all vectors.
    Nothing below calls this function: a first reading can leave it out. No autograd. About 8 lines.

    >>> x, grad = torch.tensor([1.0, 1.0, 7.0, 7.0]), torch.tensor([1.0, 0.0, 0.0, 0.0])
    >>> d_x, d_gain, d_bias = layer_norm_gradients(x, torch.ones(4), grad, eps=0.0)
    >>> d_x
    tensor([ 0.1667, -0.1667,  0.0000,  0.0000])
    >>> d_gain[0], d_bias[0]
    (tensor(-1.), tensor(1.))
    """
    # BEGIN SOLUTION
    centred = x - x.mean(-1, keepdim=True)
    root = torch.sqrt(centred.square().mean(-1, keepdim=True) + eps)
    z = centred / root
    d_z = gain * grad
    along_z = z * (d_z * z).mean(-1, keepdim=True)
    d_x = (d_z - d_z.mean(-1, keepdim=True) - along_z) / root
    d_gain = (grad * z).sum_to_size(gain.shape)  # over all axes but the last
    d_bias = grad.sum_to_size(gain.shape)
    return d_x, d_gain, d_bias
    # END SOLUTION


# ------------------------------------------------------------------ 6.2 Feed-forward layer
def gelu(x: Float[Tensor, "*B"], approximate: bool = False) -> Float[Tensor, "*B"]:
    """Return x P(z < x) for each number x, where z is drawn from a standard normal (eq. 6.6).

        x (1 + erf(x / sqrt(2))) / 2
        x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2    if `approximate`, as in GPT-2 (eq. 6.7)

    Use `torch.erf`, and not torch's own GELU, which the layers below use. Gradients flow through
    both factors. About 3 lines.

    >>> gelu(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8413])
    >>> gelu(torch.tensor([1.0]), approximate=True)
    tensor([0.8412])
    """
    # BEGIN SOLUTION
    if approximate:
        return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))
    # END SOLUTION


# the function f for each `Sizes.feed`; torch's own, so that the layer does not need your `gelu`
FEEDS = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": partial(F.gelu, approximate="tanh"),
    "swiglu": F.silu,  # x sigmoid(x), the function inside the gate
}


class FeedForward(nn.Module):
    """Two linear layers, up and down, for each vector separately; SwiGLU adds a third, the gate."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.kind = sizes.feed
        self.f = FEEDS[sizes.feed]
        self.up = sizes.linear(sizes.D, sizes.F)  # weight: (F, D)
        self.down = sizes.linear(sizes.F, sizes.D)  # weight: (D, F)
        self.gate = None
        if self.kind == "swiglu":
            self.gate = sizes.linear(sizes.D, sizes.F)  # weight: (F, D)

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        """Return down(f(up(x))) (eq. 6.5), or for "swiglu" down(f(gate(x)) * up(x)) (eq. 6.8).

        f is `self.f`, already chosen for the kind. About 3 lines.
        """
        # BEGIN SOLUTION
        if self.kind == "swiglu":
            return self.down(self.f(self.gate(x)) * self.up(x))
        return self.down(self.f(self.up(x)))
        # END SOLUTION


# ------------------------------------------------------------------ 6.3 Residual stream
class Block(nn.Module):
    """One block: tokens look at each other, then each is processed by itself.

        x = x + mixer(norm1(x))
        x = x + feed(norm2(x))

    The vectors x that run through all blocks, and to which each layer adds, are the residual
    stream. The layers are given to the block: a mixer, which lets tokens look at each other, a
    feed-forward layer and, for a decoder that also reads another text, cross-attention. Until
    `SelfAttention` comes, in task 6.5, take the mixer as any function that mixes tokens.

        mixer(x, past, mask)      returns its output and its state, the next call's past
        feed(x)                   returns its output only
        cross(x, vectors, mask)   returns its output only
    """

    def __init__(
        self,
        sizes: Sizes,
        mixer: nn.Module | Callable,
        feed: nn.Module | Callable,
        cross: nn.Module | Callable | None = None,
    ) -> None:
        super().__init__()
        self.pre = sizes.pre
        self.dropout = nn.Dropout(sizes.dropout)
        self.norm1 = sizes.new_norm()  # weight: (D,); a layer norm has a bias, too
        self.mixer = mixer  # attention, in most models called attn
        self.norm2 = sizes.new_norm()
        self.feed = feed
        if cross is not None:
            self.norm3 = sizes.new_norm()  # for `cross`, which runs between the other two
            self.cross = cross

    def around(
        self,
        x: Float[Tensor, "B T D"],
        norm: nn.Module | Callable[[Tensor], Tensor],
        layer: nn.Module | Callable[[Tensor], Tensor],
    ) -> Float[Tensor, "B T D"]:
        """Put a norm, dropout and a residual connection around a layer; return the new x.

            x + drop(layer(norm(x)))    if self.pre  (eq. 6.9)
            norm(x + drop(layer(x)))    otherwise    (eq. 6.10)

        drop is `self.dropout`. About 3 lines.

        >>> block = Block(Sizes(V=1, D=2, L=1, H=1), torch.nn.Identity(), torch.nn.Identity())
        >>> block.around(torch.ones(1, 1, 2), torch.neg, torch.exp)  # 1 + exp(-1)
        tensor([[[1.3679, 1.3679]]])
        """
        # BEGIN SOLUTION
        if self.pre:
            return x + self.dropout(layer(norm(x)))
        return norm(x + self.dropout(layer(x)))
        # END SOLUTION

    def forward(
        self, x: Float[Tensor, "B T D"], past=None, mask=None, memory: tuple | None = None
    ) -> tuple:
        """Send x through all layers of the block; return it and the mixer's state.

        First the mixer, with `norm1`; then, if there is a memory, self.cross(x, *memory), with
        `norm3`; last the feed-forward layer, with `norm2`. For a pre-norm block without dropout
        and memory this is

            y, state = self.mixer(self.norm1(x), past, mask)
            x = x + y
            x = x + self.feed(self.norm2(x))

        Write it with `around`, so that post-norm and dropout need no further code. There is one
        difficulty: the layer given to `around` must return vectors only, and the mixer returns
        (vectors, state). So write an inner function that calls the mixer, stores the state in a
        variable of `forward` (declare it `nonlocal`) and returns the vectors, and give it to
        `around`. So the mixer runs once. About 10 lines.

        Args:
            past: the state that this block returned in the call before; None in the first call.
            mask: handed to the mixer: (B, S), False for tokens that nobody may see.
            memory: (vectors, mask) of another text, of shapes (B, S, D) and (B, S).

        >>> mixer = lambda x, past, mask: (x + 1, "the mixer's state")
        >>> block = Block(Sizes(V=1, D=2, L=1, H=1, norm="rms"), mixer, torch.exp)
        >>> x, state = block(torch.ones(1, 1, 2))  # 1 + (1 + 1) = 3, whose norm is 1: 3 + exp(1)
        >>> x.detach(), state
        (tensor([[[5.7183, 5.7183]]]), "the mixer's state")
        """
        # BEGIN SOLUTION
        state = None

        def mix(x: Tensor) -> Tensor:
            nonlocal state  # mix returns only the vectors; this is how the state gets out
            y, state = self.mixer(x, past, mask)
            return y

        x = self.around(x, self.norm1, mix)
        if memory is not None:
            x = self.around(x, self.norm3, lambda x: self.cross(x, *memory))
        x = self.around(x, self.norm2, self.feed)
        return x, state
        # END SOLUTION


# ------------------------------------------------------------------ 6.4 Positions
def sinusoidal(T: int, D: int) -> Float[Tensor, "{T} {D}"]:
    """Return the sinusoidal positions: row t holds D / 2 pairs sin(t w), cos(t w) (eq. 6.11).

    Pair i = 0, ..., D / 2 - 1, the numbers 2 i and 2 i + 1 of a row, has w = 10000^(-2 i / D). Rows
    are counted from 0 to T - 1; D is even. A first reading can leave it out. About 4 lines.

    >>> sinusoidal(2, 4)
    tensor([[0.0000, 1.0000, 0.0000, 1.0000],
            [0.8415, 0.5403, 0.0100, 0.9999]])
    """
    # BEGIN SOLUTION
    w = 10000 ** (-torch.arange(0, D, 2) / D)  # (D / 2,)
    angles = torch.arange(T)[:, None] * w  # (T, D / 2)
    pairs = torch.stack([angles.sin(), angles.cos()], dim=-1)  # (T, D / 2, 2)
    return pairs.flatten(1)
    # END SOLUTION


def shift_matrix(k: int, D: int) -> Float[Tensor, "{D} {D}"]:
    """Return the matrix M that moves every row p_t of `sinusoidal` on by k places (eq. 6.12).

        M p_t = p_(t + k), whatever t is

    M has D / 2 blocks of 2 by 2 on its diagonal, one for each w: see sin(a + b) and cos(a + b), and
    `torch.block_diag`. Nothing below calls this function. About 4 lines.

    >>> shift_matrix(1, 2)
    tensor([[ 0.5403,  0.8415],
            [-0.8415,  0.5403]])
    """
    # BEGIN SOLUTION
    angles = k * 10000 ** (-torch.arange(0, D, 2) / D)
    c = angles.cos()
    s = angles.sin()
    pairs = torch.stack([c, s, -s, c], dim=-1).view(-1, 2, 2)  # (D / 2, 2, 2)
    return torch.block_diag(*pairs)
    # END SOLUTION


def rotate(x: Float[Tensor, "*B T K"], start: int = 0) -> Float[Tensor, "*B T K"]:
    """Rotate the pairs of numbers of each row by angles that grow with its place (eq. 6.13).

    Row t of x stands at place start + t. Its pair i = 0, ..., K / 2 - 1, (a, b) = (x_2i, x_2i+1),
    becomes (a cos - b sin, a sin + b cos) of the angle (start + t) 10000^(-2 i / K). K is even.

    Queries and keys are rotated. To rotate both by one angle more leaves their product as it is, so
    q . k depends on the two vectors and on their distance, not on where they stand. The result has
    x's dtype, but compute the angles in float32 or better: bfloat16 cannot tell 256 from 257.
    About 7 lines.

    >>> rotate(torch.tensor([[1.0, 0.0], [1.0, 0.0]]))
    tensor([[1.0000, 0.0000],
            [0.5403, 0.8415]])
    """
    # BEGIN SOLUTION
    T, K = x.shape[-2:]
    places = start + torch.arange(T, device=x.device)
    w = 10000 ** (-torch.arange(0, K, 2, device=x.device) / K)
    angles = places[:, None] * w  # (T, K / 2)
    c = angles.cos().to(x)
    s = angles.sin().to(x)
    a = x[..., ::2]
    b = x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], dim=-1).flatten(-2)
    # END SOLUTION


def alibi(H: int, T: int, S: int) -> Float[Tensor, "{H} {T} {S}"]:
    """Return what ALiBi adds to the scores: a penalty that grows with the distance (eq. 6.14).

        -|i - j| 2^(-8 h / H)    for head h = 1, ..., H

    The queries i are the last T of S tokens, the keys j all S. A first reading can leave it out.
    About 4 lines.

    >>> alibi(8, 1, 3)[0, 0, :2]
    tensor([-1.0000, -0.5000])
    """
    # BEGIN SOLUTION
    i = torch.arange(S - T, S)
    j = torch.arange(S)
    distance = (i[:, None] - j).abs()  # (T, S)
    steepness = 2.0 ** (-8 * torch.arange(1, H + 1) / H)  # (H,)
    return -distance * steepness[:, None, None]
    # END SOLUTION


# ------------------------------------------------------------------ 6.5 Self-attention
class SelfAttention(nn.Module):
    """H heads of queries that share G heads of keys and values; each head is K numbers wide."""

    # the functions of 6.4, as attributes, so that a layer can be given others: layer.rotate = ...
    rotate = staticmethod(rotate)
    alibi = staticmethod(alibi)

    def __init__(self, sizes: Sizes, causal: bool = True) -> None:
        super().__init__()
        self.H = sizes.H
        self.G = sizes.G
        self.K = sizes.K
        self.causal = causal  # True: no token looks at later ones
        self.positions = sizes.positions
        rows = (sizes.H + 2 * sizes.G) * sizes.K  # all queries, then all keys, then all values
        self.W_qkv = sizes.linear(sizes.D, rows)  # weight: ((H + 2 G) K, D)
        self.W_o = sizes.linear(sizes.D, sizes.D)  # weight: (D, D)

    def visible(
        self, T: int, S: int, mask: Bool[Tensor, "B S"] | None, device: torch.device
    ) -> Bool[Tensor, "*B T S"]:
        """Given: return what each query may see, (T, S), or (B, 1, T, S) if there is a mask.

        The queries are the last T of the S tokens. If `causal`, no token sees later ones: with
        T = 2 and S = 4 the rows are 1110 and 1111. Where the mask is False, nobody sees the key.
        """
        seen = torch.ones(T, S, dtype=torch.bool, device=device)
        if self.causal:
            seen = seen.tril(S - T)  # row i of the T rows sees the first S - T + i + 1 keys
        if mask is not None:
            seen = seen & mask[:, None, None]  # (B, 1, T, S)
        return seen

    def forward(
        self,
        x: Float[Tensor, "B T D"],
        past: tuple[Float[Tensor, "B G S0 K"], Float[Tensor, "B G S0 K"]] | None = None,
        mask: Bool[Tensor, "B S"] | None = None,
    ) -> tuple[Float[Tensor, "B T D"], tuple[Float[Tensor, "B G S K"], Float[Tensor, "B G S K"]]]:
        """Return the outputs for T new tokens, and the keys and values of all S tokens (eq. 6.15).

        In each of the H heads a token has a query, which says what it looks for, a key, which says
        what it has, and a value, which is what it gives, all of K numbers. The head's output for
        the token is a mean of the values that it may see, weighted by how well its query fits
        their keys. In code, where G = H, and `seen` is True for what may be seen (step 4; the plain
        model's `later` is the opposite, ~seen):

            scores = q @ k.mT / math.sqrt(K)               # (B, H, T, S)
            scores = scores.masked_fill(~seen, -math.inf)  # the softmax makes these weights 0
            y = scores.softmax(-1) @ v                     # (B, H, T, K)

        There are several heads because one softmax gives one mean: with H heads a token can take H
        means, each with weights of its own. A product q . k is a sum of K terms. For random q and
        k its size grows like sqrt(K); undivided, it could make the softmax put nearly all weight
        on one token.

        1. Cut W_qkv(x) into H queries, then G keys, then G values for each token:
           q (B, H, T, K), k and v (B, G, T, K).
        2. If positions are "rotary", rotate q and the new k: self.rotate(q, start). `start` is the
           place of the first new token: S0, the number of old keys.
        3. Put the old keys and values before the new ones: k and v (B, G, S, K).
        4. self.visible(T, S, mask, x.device) is True where a query may see a key. If positions are
           "alibi", replace True by self.alibi(H, T, S) and False by minus infinity, in x's dtype
           and on its device (`.to(x)` gives both): these numbers are added to the scores.
        5. F.scaled_dot_product_attention(q, k, v, what step 4 gave) is y, (B, H, T, K), but faster.
           If G < H, add enable_gqa=True: H / G neighbouring heads of queries then share a head of
           keys and values. Do not use its is_causal: where S > T it hides the newest keys.
        6. Put the outputs of all heads side by side, (B, T, D), and send them through W_o.

        Steps 1, 4, 5 and 6 are attention; write them first. About 14 lines.

        Args:
            past: k and v as the call before returned them; None: there was none.
            mask: False for keys that nobody may see, such as padding; None: all may be seen.

        >>> layer = SelfAttention(Sizes(V=1, D=8, L=1, H=4, G=2, positions="none"))
        >>> y, (k, v) = layer(torch.zeros(1, 3, 8))
        >>> y.shape, k.shape
        (torch.Size([1, 3, 8]), torch.Size([1, 2, 3, 2]))
        >>> y, (k, v) = layer(torch.zeros(1, 1, 8), past=(k, v))  # one token more
        >>> y.shape, k.shape
        (torch.Size([1, 1, 8]), torch.Size([1, 2, 4, 2]))
        """
        # BEGIN SOLUTION
        # 1. queries, keys and values of all heads, from one product
        T = x.shape[1]
        heads = rearrange(self.W_qkv(x), "b t (n k) -> b n t k", k=self.K)  # n = H + 2 G
        q, k, v = heads.split([self.H, self.G, self.G], dim=1)  # (B, H, T, K), twice (B, G, T, K)

        # 2. the new tokens follow `start` old ones
        start = 0 if past is None else past[0].shape[2]
        if self.positions == "rotary":
            q = self.rotate(q, start)
            k = self.rotate(k, start)

        # 3. old keys and values first
        if past is not None:
            k = torch.cat([past[0], k], dim=2)  # (B, G, S, K)
            v = torch.cat([past[1], v], dim=2)
        S = k.shape[2]

        # 4. True and False, (T, S) or (B, 1, T, S); for ALiBi numbers instead, (H, T, S) or more
        seen = self.visible(T, S, mask, x.device)
        if self.positions == "alibi":
            seen = self.alibi(self.H, T, S).to(x).masked_fill(~seen, -math.inf)

        # 5. where G = H, the three lines of the docstring; for ALiBi scores + seen
        y = F.scaled_dot_product_attention(q, k, v, seen, enable_gqa=self.G < self.H)

        # 6. heads side by side, (B, T, D), and mixed by W_o
        return self.W_o(rearrange(y, "b h t k -> b t (h k)")), (k, v)
        # END SOLUTION


# ------------------------------------------------------------------ 6.6 The language model
class Embedding(nn.Module):
    """Given: turns token ids into vectors, and adds learned or sinusoidal positions."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.dropout = nn.Dropout(sizes.dropout)
        self.words = nn.Embedding(sizes.V, sizes.D)  # weight: (V, D)
        self.places = None
        if sizes.positions == "learned":
            self.places = nn.Embedding(sizes.T, sizes.D)  # weight: (longest text, D)

    def forward(self, tokens: Int[Tensor, "B T"], start: int = 0) -> Float[Tensor, "B T D"]:
        """Return the vectors of tokens, the first of which stands at place `start`.

        Rotary positions and ALiBi add nothing here. Raises ValueError for an id outside the
        vocabulary, or a text longer than sizes.T if positions are learned.
        """
        sizes = self.sizes
        end = start + tokens.shape[1]
        # ids outside the vocabulary: say which, where torch says only "index out of range in self"
        if tokens.numel():
            require_ids("tokens", [int(tokens.min()), int(tokens.max())], sizes.V)
        x = self.words(tokens)  # (B, T, D)
        if self.places is not None:
            require("the text", f"{end} tokens", end <= sizes.T, f"at most {sizes.T} tokens long")
            x = x + self.places.weight[start:end]  # (T, D), for all B texts
        elif sizes.positions == "sinusoidal":
            x = x + sinusoidal(end, sizes.D)[start:].to(x)
        return self.dropout(x)


def new_block(sizes: Sizes, causal: bool = True, cross: nn.Module | None = None) -> Block:
    """Given: return a block with self-attention, a feed-forward layer and, if given, `cross`."""
    return Block(sizes, SelfAttention(sizes, causal), FeedForward(sizes), cross)


class LanguageModel(nn.Module):
    """A decoder-only transformer: embedding, L blocks, a norm, and a logit for each word.

    `new_block(sizes, causal)` makes each of the blocks. The default is the function above; pass
    another one to build the model from your own blocks.
    """

    causal = True

    def __init__(
        self, sizes: Sizes, new_block: Callable[[Sizes, bool], nn.Module] = new_block
    ) -> None:
        super().__init__()
        self.sizes = sizes
        # after the blocks. In a post-norm model each block ends with a norm, so this one stands
        # before the first block, as in BERT
        self.norm = sizes.new_norm()
        self.embed = Embedding(sizes)
        self.blocks = nn.ModuleList([new_block(sizes, self.causal) for _ in range(sizes.L)])
        self.out = None
        if not sizes.tied:
            self.out = nn.Linear(sizes.D, sizes.V, bias=False)  # weight: (V, D)

    def read(
        self, tokens: Int[Tensor, "B T"], past: tuple[int, list] | None = None, **look
    ) -> tuple[Float[Tensor, "B T D"], tuple[int, list]]:
        """Send tokens through the whole stack; return their vectors, and the past (eq. 6.16).

        The plain case is x = embed(tokens), then x = block(x) for each block, then norm(x).

        past is (how many tokens were read before, a list with each block's state). With it, those
        tokens need not be read again. If it is None, nothing was read: 0, and None for each block.

        self.embed(tokens, start) gives the vectors, where `start` is the place of the first new
        token. Then each block in turn: block(x, state, **look) returns x and its new state. `look`
        is {} here, {"mask": ...} in an `Encoder` and {"memory": ...} in an `EncoderDecoder`.
        self.norm comes after the last block if self.sizes.pre, otherwise before the first one.
        About 12 lines.

        >>> model = LanguageModel(Sizes(V=5, D=2, L=3, H=1))
        >>> x, (n_read, states) = model.read(torch.tensor([[3, 4]]))
        >>> x.shape, n_read, len(states)
        (torch.Size([1, 2, 2]), 2, 3)
        """
        # BEGIN SOLUTION
        # at first nothing was read: place 0, and no state for any block
        if past is None:
            past = (0, [None] * len(self.blocks))
        start, states = past

        # (B, T, D), from here to the end
        x = self.embed(tokens, start)
        if not self.sizes.pre:
            x = self.norm(x)

        # each block passes the vectors on and keeps its own state; `look` holds its other arguments
        new_states = []
        for block, state in zip(self.blocks, states, strict=True):
            x, new_state = block(x, state, **look)
            new_states.append(new_state)
        if self.sizes.pre:
            x = self.norm(x)
        return x, (start + tokens.shape[1], new_states)
        # END SOLUTION

    def logits(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T V"]:
        """Return the dot product of each vector with the vector of every token (eq. 6.17).

        The tokens' vectors are the rows of embed.words.weight, or of out.weight if the sizes are
        not tied. About 4 lines.

        >>> LanguageModel(Sizes(V=5, D=2, L=1, H=1)).logits(torch.zeros(1, 3, 2)).shape
        torch.Size([1, 3, 5])
        """
        # BEGIN SOLUTION
        if self.sizes.tied:
            return x @ self.embed.words.weight.T
        return x @ self.out.weight.T
        # END SOLUTION

    def forward(
        self, tokens: Int[Tensor, "B T"], past: tuple[int, list] | None = None
    ) -> tuple[Float[Tensor, "B T V"], tuple[int, list]]:
        """Given: return the logits after each token, and what the next call takes as `past`.

        >>> model = LanguageModel(Sizes(V=5, D=2, L=1, H=1))
        >>> logits, (n_read, states) = model(torch.tensor([[BOS, 3, 4]]))
        >>> logits.shape, n_read, states[0][0].shape  # the keys of the only block: B, G, S, K
        (torch.Size([1, 3, 5]), 3, torch.Size([1, 1, 3, 2]))
        """
        x, past = self.read(tokens, past)
        return self.logits(x), past


@torch.no_grad()
def initialise(model: nn.Module, rng: torch.Generator, std: float = 0.02) -> nn.Module:
    """Give a model its first weights, in place, and return the model (eq. 6.18).

    Call it once, on a new model. The outputs of N layers add up in the stream, and so do their
    variances. The matrices that write into it therefore start with std / sqrt(N).

    - Names that end with "bias": 0.
    - Other parameters with two axes: drawn from N(0, std^2). Of these, the N that write into the
      residual stream, whose names end with "W_o.weight" or "down.weight", have std / sqrt(N).
    - Other parameters with one axis, such as the gains of norms, stay as they are.

    Go through model.named_parameters() in order, and draw by p.normal_(mean, std, generator=rng).
    About 10 lines.
    """
    # BEGIN SOLUTION
    writers = ("W_o.weight", "down.weight")
    N = sum(name.endswith(writers) for name, _ in model.named_parameters())
    for name, p in model.named_parameters():
        if name.endswith("bias"):
            p.zero_()
        elif name.endswith(writers):
            p.normal_(0, std / math.sqrt(N), generator=rng)
        elif p.ndim > 1:
            p.normal_(0, std, generator=rng)
    return model
    # END SOLUTION


# ------------------------------------------------------------------ 6.7 GPT-2's weights
GPT2 = {  # parts of GPT-2's names and what replaces them, from top to bottom
    "transformer.": "",
    "wte": "embed.words",
    "wpe": "embed.places",
    "h.": "blocks.",
    "ln_1": "norm1",
    "ln_2": "norm2",
    "ln_f": "norm",
    "attn.c_attn": "mixer.W_qkv",
    "attn.c_proj": "mixer.W_o",
    "mlp.c_fc": "feed.up",
    "mlp.c_proj": "feed.down",
}


def from_gpt2(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return GPT-2's weights under the names of `LanguageModel`.

    Replace the parts of each name that GPT2 lists, in its order. GPT-2 computes x W + b, torch's
    linear layers x W^T + b, so the weights of c_attn, c_proj and c_fc are transposed (eq. 6.19).
    They fit Sizes(50257, 768, 12, 12, positions="learned", feed="gelu_tanh"), the small GPT-2.
    Leave out names that end with ".attn.bias" or ".attn.masked_bias", which are masks, and
    lm_head.weight, which is tied. About 9 lines.

    >>> renamed = from_gpt2({"h.0.mlp.c_fc.weight": torch.ones(2, 3)})
    >>> {name: weight.shape for name, weight in renamed.items()}
    {'blocks.0.feed.up.weight': torch.Size([3, 2])}
    """
    # BEGIN SOLUTION
    renamed = {}
    for name, weight in weights.items():
        if name.endswith((".attn.bias", ".attn.masked_bias", "lm_head.weight")):
            continue
        if ".c_" in name and name.endswith(".weight"):
            weight = weight.T
        for old, new in GPT2.items():
            name = name.replace(old, new)
        renamed[name] = weight
    return renamed
    # END SOLUTION


# ------------------------------------------------------------------ 6.8 Training
def adamw(
    p: Float[Tensor, "*D"],
    grad: Float[Tensor, "*D"],
    m: Float[Tensor, "*D"],
    v: Float[Tensor, "*D"],
    t: int,
    rate: float,
    betas: tuple[float, float] = (0.9, 0.95),
    eps: float = 1e-8,
    decay: float = 0.1,
) -> tuple[Float[Tensor, "*D"], Float[Tensor, "*D"], Float[Tensor, "*D"]]:
    """Return the parameter p and its means m and v after one step of AdamW (eq. 6.20 to 6.22).

        m = beta1 m + (1 - beta1) grad
        v = beta2 v + (1 - beta2) grad^2
        m_hat = m / (1 - beta1^t), v_hat = v / (1 - beta2^t)
        p = p - rate (m_hat / (sqrt(v_hat) + eps) + decay p)

    m and v are running means of the gradient and of its square. They start at 0 and so are too
    small at first; m_hat and v_hat correct that. Steps are counted from t = 1.
    Only matrices decay: gains and biases, which are vectors (p.ndim < 2), do not. Do not change the
    arguments in place, and do not use torch.optim. Nothing below calls this function: `train_step`
    uses one of torch's optimizers. About 9 lines.

    >>> zero = torch.zeros(1)
    >>> adamw(torch.ones(1), torch.tensor([5.0]), zero, zero, t=1, rate=0.1)[0]
    tensor([0.9000])
    """
    # BEGIN SOLUTION
    beta1, beta2 = betas
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad**2
    m_hat = m / (1 - beta1**t)
    v_hat = v / (1 - beta2**t)
    step = m_hat / (v_hat.sqrt() + eps)
    if p.ndim > 1:
        step = step + decay * p
    return p - rate * step, m, v
    # END SOLUTION


def learning_rate(step: int, peak: float, warmup: int, steps: int, last: float = 0.0) -> float:
    """Return the learning rate at a step: up to the peak, then down to `last` (eq. 6.23).

    The warm-up is peak (step + 1) / warmup while step < warmup. The cosine falls from `peak` at
    step = warmup to `last` at step = steps, and stays there. About 5 lines.

    >>> [round(learning_rate(step, 1.0, 2, 6), 3) for step in range(7)]
    [0.5, 1.0, 1.0, 0.854, 0.5, 0.146, 0.0]
    """
    # BEGIN SOLUTION
    if step < warmup:
        return peak * (step + 1) / warmup
    share = min(1.0, (step - warmup) / max(1, steps - warmup))  # of the way down
    return last + (peak - last) * (1 + math.cos(math.pi * share)) / 2
    # END SOLUTION


def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    batches: list,
    clip: float,
    count: int | None = None,
) -> float:
    """Make one training step and return its loss (eq. 6.24).

    A batch is a tuple: one or more inputs of the model, then the targets. model(*inputs)[0] are the
    logits, (B, T, V), or (B, V) if each text has one target. The loss is the mean cross-entropy
    over all targets that are not IGNORE; there is always at least one such target. Targets at
    padding must already be IGNORE, since PAD would count as a token to predict.

    1. Clear the gradients (optimizer.zero_grad).
    2. Compute the loss and its gradients.
    3. Clip the gradients, all together, by nn.utils.clip_grad_norm_.
    4. Let the optimizer make its step.

    Several batches are one large batch that would not fit into memory. Call backward for each of
    them, so that the gradients add up, and divide each sum of cross-entropies by the number of
    targets in all of them together. The optimizer still makes one step.

    Leave the model in the mode that it is in (train or eval). About 14 lines.

    Args:
        count: divide by this number of targets instead. Only for training on several machines,
            where each sees a part of the step; a first version can leave it out.

    Raises FloatingPointError if a loss is not finite; the weights then stay as they are.
    """
    # BEGIN SOLUTION
    if count is None:
        count = sum(int((targets != IGNORE).sum()) for *_, targets in batches)
    optimizer.zero_grad()
    total = 0.0
    for *inputs, targets in batches:
        logits = model(*inputs)[0].flatten(0, -2)  # (B T, V)
        # cross_entropy takes -log softmax at each of the B T targets, and leaves out IGNORE
        loss = F.cross_entropy(logits, targets.flatten(), reduction="sum") / count
        if not loss.isfinite():
            raise FloatingPointError(f"the loss is {loss.item()}: try a smaller rate, or clip more")
        loss.backward()  # adds to the gradients of the batches before
        total += loss.item()
    nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return total
    # END SOLUTION


# ------------------------------------------------------------------ 6.9 Generating
@torch.no_grad()
def generate(
    model: nn.Module | Callable,
    prompts: list[list[int]],
    most: int,
    rng: torch.Generator | None,
    temperature: float = 1.0,
    cached: bool = True,
) -> list[list[int]]:
    """Continue prompts, all of the same length, as one batch, token by token (eq. 6.25).

    1. The model reads BOS and the prompt. Only the logits at the last place are used.
    2. PAD and BOS are never written: their logits become minus infinity.
    3. The next token is drawn from softmax(logits / temperature), by torch.multinomial(P, 1,
       generator=rng); at temperature 0 it is the likeliest.
    4. Again from 1, until each text has `most` tokens (the prompt counts, BOS does not) or each
       has had its EOS. A text that has ended is continued with the others, and cut afterwards.

    Return the texts without BOS, each cut before its first EOS: until_end(rows).

    model(tokens, past) returns the logits and the past of the next call. If `cached`, give it
    only the tokens that it has not read, and its past; otherwise give it all tokens at each step,
    model(tokens). The model stays in its mode: with dropout, call model.eval() before. Everything
    is on the CPU. About 15 lines.

    >>> counts = lambda tokens, past: (1.0 * F.one_hot(tokens + 1, 9), past)
    >>> generate(counts, [[4]], most=3, rng=None, temperature=0)
    [[4, 5, 6]]
    """
    # BEGIN SOLUTION
    rows = torch.tensor([[BOS, *prompt] for prompt in prompts])  # (B, 1 + tokens so far)
    new = rows  # what the model has not read yet: the prompts, then one token for each text
    past = None
    # with BOS, a row may grow to most + 1; stop early when there is an EOS in each
    while rows.shape[1] <= most and not (rows == EOS).any(1).all():
        if cached:
            logits, past = model(new, past)
        else:
            logits, _ = model(rows)
        # the last place predicts the next token
        scores = logits[:, -1].index_fill(1, torch.tensor([PAD, BOS]), -math.inf)  # (B, V)
        if temperature == 0:
            new = scores.argmax(-1, keepdim=True)
        else:
            p = (scores / temperature).softmax(-1)
            new = torch.multinomial(p, 1, generator=rng)
        rows = torch.cat([rows, new], dim=1)
    return until_end(rows[:, 1:].tolist())
    # END SOLUTION


# ------------------------------------------------------------------ 6.10 Masked words
def mask_words(
    tokens: Int[Tensor, "B T"], V: int, rng: torch.Generator, share: float = 0.15
) -> tuple[Int[Tensor, "B T"], Int[Tensor, "B T"]]:
    """Choose words that the model has to guess; return the inputs and the targets (eq. 6.26).

    Each place is chosen independently, with probability `share`; never PAD, BOS or EOS. Of the
    chosen words, 80 % become MASK = V - 1, 10 % a random word from EOS + 1 to V - 2 (it may be the
    same), and 10 % stay. The targets are the chosen words, and IGNORE elsewhere. Draw with
    torch.rand and torch.randint, which take generator=rng; randint never draws its upper end. The
    tokens are on the CPU. About 6 lines.

    >>> mask_words(torch.tensor([[BOS, 7, EOS]]), V=9, rng=torch.Generator(), share=1.0)[1]
    tensor([[-100,    7, -100]])
    """
    # BEGIN SOLUTION
    chosen = (torch.rand(tokens.shape, generator=rng) < share) & (tokens > EOS)
    u = torch.rand(tokens.shape, generator=rng)  # decides what becomes of a chosen word
    other = torch.randint(EOS + 1, V - 1, tokens.shape, generator=rng)
    # 80 % are hidden, of the others half become another word, and half stay
    changed = torch.where(u < 0.8, V - 1, torch.where(u < 0.9, other, tokens))
    return torch.where(chosen, changed, tokens), torch.where(chosen, tokens, IGNORE)
    # END SOLUTION


class Encoder(LanguageModel):
    """The same parts, but each token sees the whole text, before and after it (BERT).

    A call returns the logits and the vectors; there is no past.
    """

    causal = False

    def forward(
        self, tokens: Int[Tensor, "B T"]
    ) -> tuple[Float[Tensor, "B T V"], Float[Tensor, "B T D"]]:
        """Return the logits of the word at each place, and the vectors (eq. 6.27).

        No token may see PAD: give self.read the keyword mask, (B, T), False where PAD is, and what
        it returns first to self.logits. About 2 lines.

        >>> logits, vectors = Encoder(Sizes(V=5, D=2, L=1, H=1))(torch.tensor([[BOS, 3, PAD]]))
        >>> logits.shape, vectors.shape
        (torch.Size([1, 3, 5]), torch.Size([1, 3, 2]))
        """
        # BEGIN SOLUTION
        x, _ = self.read(tokens, mask=tokens != PAD)
        return self.logits(x), x
        # END SOLUTION


class Classifier(nn.Module):
    """An encoder that has been trained, and a new linear layer that classifies its texts."""

    def __init__(self, encoder: nn.Module, D: int, n: int) -> None:
        super().__init__()
        self.encoder = encoder  # a call returns logits, (B, T, V), and vectors, (B, T, D)
        self.head = nn.Linear(D, n)  # weight: (n, D)

    def forward(
        self, tokens: Int[Tensor, "B T"]
    ) -> tuple[Float[Tensor, "B n"], Float[Tensor, "B D"]]:
        """Return the logits of the n classes of each text, and the vectors they come from.

        A text is judged by the vector of its first token, BOS, which has seen all others. About 2
        lines.

        >>> encoder = lambda tokens: (None, torch.ones(*tokens.shape, 2))
        >>> logits, vectors = Classifier(encoder, D=2, n=3)(torch.tensor([[BOS, 3, PAD]]))
        >>> logits.shape, vectors.shape
        (torch.Size([1, 3]), torch.Size([1, 2]))
        """
        # BEGIN SOLUTION
        vectors = self.encoder(tokens)[1][:, 0]
        return self.head(vectors), vectors
        # END SOLUTION


def fine_tune(
    model: nn.Module,
    batches: Iterable[tuple[Tensor, Tensor]],
    rate: float,
    head_rate: float,
) -> list[float]:
    """Fine-tune a classifier: one step of torch's AdamW for each batch of texts and labels.

    A batch is the tokens of B texts, (B, T), and their labels, (B,): for each text the index of
    its class, from 0. B and T may differ from batch to batch. The loss of a batch is the mean
    cross-entropy of its labels. Return the loss of each batch, as it was before the step.

    The learning rate is `rate` for model.encoder, which was trained before, and `head_rate` for
    model.head, which is new: give the optimizer two groups of parameters, and no weight decay. With
    rate 0 the encoder stays as it is, and only the layer on top learns (a linear probe); a later
    call may still tune the encoder. Leave the model in the mode that it is in (train or eval).
    About 10 lines.

    >>> model = nn.Module()  # which says that all four classes are equally likely
    >>> model.encoder, model.head = nn.Embedding(5, 4), nn.Linear(4, 4)
    >>> model.forward = lambda tokens: (0 * model.head(model.encoder(tokens[:, 0])), None)
    >>> batch = torch.tensor([[BOS, 3], [BOS, 4]]), torch.tensor([0, 2])
    >>> [round(loss, 3) for loss in fine_tune(model, [batch], 0.0, 0.1)]  # ln 4
    [1.386]
    """
    # BEGIN SOLUTION
    groups = [
        {"params": model.encoder.parameters(), "lr": rate},
        {"params": model.head.parameters(), "lr": head_rate},
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.0)
    losses = []
    for tokens, labels in batches:
        logits, _ = model(tokens)
        loss = F.cross_entropy(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
    # END SOLUTION


# ------------------------------------------------------------------ 6.11 Encoder and decoder
class CrossAttention(nn.Module):
    """Given: attention in which x asks (queries) and another text answers (keys and values)."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.H = sizes.H
        self.W_q = sizes.linear(sizes.D, sizes.D)  # weight: (D, D)
        self.W_kv = sizes.linear(sizes.D, 2 * sizes.D)  # weight: (2 D, D), keys first
        self.W_o = sizes.linear(sizes.D, sizes.D)  # weight: (D, D)

    def forward(
        self,
        x: Float[Tensor, "B T D"],
        memory: Float[Tensor, "B S D"],
        mask: Bool[Tensor, "B S"] | None = None,
    ) -> Float[Tensor, "B T D"]:
        """Return the outputs for x. The mask is False where the memory is padding."""
        q = rearrange(self.W_q(x), "b t (h k) -> b h t k", h=self.H)  # (B, H, T, K)
        # both (B, H, S, K)
        k, v = rearrange(self.W_kv(memory), "b s (n h k) -> n b h s k", n=2, h=self.H)
        seen = None if mask is None else mask[:, None, None]  # (B, 1, 1, S)
        y = F.scaled_dot_product_attention(q, k, v, seen)  # (B, H, T, K)
        return self.W_o(rearrange(y, "b h t k -> b t (h k)"))


def new_decoder_block(sizes: Sizes, causal: bool = True) -> Block:
    """Given: return a block with cross-attention."""
    return new_block(sizes, causal, CrossAttention(sizes))


class EncoderDecoder(LanguageModel):
    """A language model whose blocks also look at a source text, which an encoder has read."""

    def __init__(self, sizes: Sizes, encoder: nn.Module) -> None:
        super().__init__(sizes, new_decoder_block)
        self.encoder = encoder

    def forward(
        self,
        source: Int[Tensor, "B S"],
        inputs: Int[Tensor, "B T"],
        past: tuple | None = None,
    ) -> tuple[Float[Tensor, "B T V"], tuple]:
        """Return the logits after each input, and what the next call takes as `past` (eq. 6.28).

        The encoder reads the source once: its vectors are self.encoder(source)[1]. The decoder
        looks at them: self.read(..., memory=(vectors, source != PAD)). The past of this model is
        the pair (vectors, what self.read returned as its past), so that later calls do not read
        the source again. `generate` can then take partial(model, source). About 6 lines.
        """
        # BEGIN SOLUTION
        if past is None:
            past = (self.encoder(source)[1], None)
        vectors, past_of_inputs = past
        memory = (vectors, source != PAD)
        x, past_of_inputs = self.read(inputs, past_of_inputs, memory=memory)
        return self.logits(x), (vectors, past_of_inputs)
        # END SOLUTION


# ------------------------------------------------------------------ 6.12 Counting
def count_parameters(s: Sizes) -> dict[str, int]:
    """Return how many parameters the model has, by parts of the network (eq. 6.29, 6.30).

        "embed"        the vectors of tokens
        "attention"    the matrices W_qkv and W_o of all blocks
        "feed"         the matrices up, down and, for SwiGLU, gate of all blocks
        "unembed"      out.weight; 0 if tied
        "rest"         gains and biases of norms, biases of linear layers, learned places

    Exact for all sizes: see `Sizes`, and the comments beside the layers above. About 16 lines.

    >>> sum(count_parameters(Sizes(50257, 768, 12, 12, positions="learned")).values())
    124439808
    """
    # BEGIN SOLUTION
    qkv = (s.H + 2 * s.G) * s.K  # rows of W_qkv
    ups = 2 if s.feed == "swiglu" else 1  # matrices that lead up: up, and gate
    per_norm = s.D if s.norm == "rms" else 2 * s.D  # a gain, and a bias
    words = s.V * s.D
    rest = (2 * s.L + 1) * per_norm
    if s.positions == "learned":
        rest += s.T * s.D
    if s.bias:
        attention = qkv + s.D  # biases of W_qkv and W_o
        feed = ups * s.F + s.D  # of up, gate if there is one, and down
        rest += s.L * (attention + feed)
    return {
        "embed": words,
        "attention": s.L * (qkv + s.D) * s.D,
        "feed": s.L * (ups + 1) * s.F * s.D,
        "unembed": 0 if s.tied else words,
        "rest": rest,
    }
    # END SOLUTION


def count_costs(s: Sizes, T: int, n_bytes: int = 2) -> tuple[int, int]:
    """Return the operations of a pass over T tokens, and the bytes of its cache (eq. 6.31, 6.32).

    Only matrix products count; each multiplication and each addition in them is one operation:

        2 T (weights of "attention", "feed" and the logits, tied or not)
        + 2 (2 L T^2 D) for q k^T and for the weighted sums of values, masked pairs too

    The cache holds k and v of all blocks, `n_bytes` for each number. About 6 lines.

    >>> count_costs(Sizes(V=4, D=8, L=1, H=2), T=2)
    (3328, 64)
    """
    # BEGIN SOLUTION
    n = count_parameters(s)
    weights = n["attention"] + n["feed"] + s.V * s.D
    products = 2 * s.L * T**2 * s.D  # q k^T, and the weighted sum: H heads of T T K each
    cached = 2 * s.L * s.G * s.K * T  # k and v
    return 2 * T * weights + 2 * products, cached * n_bytes
    # END SOLUTION


# ------------------------------------------------------------------ 6.13 After the transformer
def recurrent(
    q: Float[Tensor, "B H T K"],
    k: Float[Tensor, "B H T K"],
    v: Float[Tensor, "B H T V"],
    log_a: Float[Tensor, "B H T"],
    S: Float[Tensor, "B H K V"] | None = None,
) -> tuple[Float[Tensor, "B H T V"], Float[Tensor, "B H K V"]]:
    """Compute linear attention step by step; return all y_t and the last state S (eq. 6.33).

        S_t = a_t S_(t-1) + k_t v_t^T
        y_t = S_t^T q_t

    S is the state before the first step; if it is None, start from 0. With log_a = 0 this
    is plain linear attention; below 0 it forgets, as state-space models do. Two letters change
    here: V is the length of one value, and S the state, a K x V matrix. About 8 lines.

    >>> ones, log_a = torch.ones(1, 1, 3, 1), torch.full((1, 1, 3), 0.5).log()
    >>> recurrent(ones, ones, ones, log_a)[0].flatten()
    tensor([1.0000, 1.5000, 1.7500])
    """
    # BEGIN SOLUTION
    B, H, T, K = q.shape
    if S is None:
        S = v.new_zeros(B, H, K, v.shape[-1])
    a = log_a.exp()
    outputs = []
    for t in range(T):
        S = a[:, :, t, None, None] * S + k[:, :, t, :, None] * v[:, :, t, None, :]
        outputs.append(q[:, :, t, None, :] @ S)  # (B, H, 1, V)
    return torch.cat(outputs, dim=2), S
    # END SOLUTION


def parallel(
    q: Float[Tensor, "B H T K"],
    k: Float[Tensor, "B H T K"],
    v: Float[Tensor, "B H T V"],
    log_a: Float[Tensor, "B H T"],
) -> tuple[Float[Tensor, "B H T V"], Float[Tensor, "B H K V"]]:
    """Return what `recurrent` returns from a state of 0, but all steps at once (eq. 6.34).

        y_t = sum over s <= t of (a_(s+1) ... a_t) (q_t . k_s) v_s

    The last S is such a sum for the last t, of k_s v_s^T. No loop.

    The product a_(s+1) ... a_t is exp(c_t - c_s), where c is the running sum of log_a; the quotient
    exp(c_t) / exp(c_s) would underflow. For s > t the exponent is positive and can overflow. Set it
    to 0 before exp, not only afterwards: a masked infinity still has the gradient NaN. About 5
    lines.

    >>> ones, log_a = torch.ones(1, 1, 3, 1), torch.full((1, 1, 3), 0.5).log()
    >>> parallel(ones, ones, ones, log_a)[0].flatten()
    tensor([1.0000, 1.5000, 1.7500])
    """
    # BEGIN SOLUTION
    total = log_a.cumsum(-1)
    # total is the log of a_1 ... a_t, so total[t] - total[j] is that of a_(j+1) ... a_t.
    # left[t, j], its exp, is what step t still has of step j; 0 where j is later.
    # subtle: tril before exp, too: for later j, exp could overflow, and its gradient be NaN
    left = (total[..., :, None] - total[..., None, :]).tril().exp().tril()  # (B, H, T, T)
    # (q k^T) times left, number by number; then the weighted sum of values
    y = (q @ k.mT * left) @ v
    # the state after the last step: the sum of what is left of each k_j v_j^T
    S = (k * left[..., -1, :, None]).mT @ v
    return y, S
    # END SOLUTION


class LinearAttention(nn.Module):
    """Given: a replacement for `SelfAttention` whose state does not grow with the text.

    It has no groups of heads (G), positions or masks.
    """

    # the functions of 6.13, as attributes, so that a layer can be given others
    recurrent = staticmethod(recurrent)
    parallel = staticmethod(parallel)

    def __init__(self, sizes: Sizes, causal: bool = True) -> None:
        super().__init__()
        require("causal", causal, causal, "True: a recurrence reads from left to right")
        self.H = sizes.H
        self.K = sizes.K
        self.W_qkv = sizes.linear(sizes.D, 3 * sizes.D)  # weight: (3 D, D)
        self.W_a = sizes.linear(sizes.D, sizes.H)  # weight: (H, D)
        self.W_o = sizes.linear(sizes.D, sizes.D)  # weight: (D, D)
        # at first a head keeps sigmoid(0) = 0.5 to sigmoid(6.2) = 0.998 of its state at each step
        self.forget = nn.Parameter(torch.linspace(0.0, 6.2, sizes.H))  # (H,)

    def forward(
        self,
        x: Float[Tensor, "B T D"],
        past: Float[Tensor, "B H K K"] | None = None,
        mask: Bool[Tensor, "B T"] | None = None,
    ) -> tuple[Float[Tensor, "B T D"], Float[Tensor, "B H K K"]]:
        """Return the outputs and the state: all at once, or from `past`. The mask is ignored."""
        q, k, v = rearrange(self.W_qkv(x), "b t (n h k) -> n b h t k", n=3, h=self.H)
        log_a = F.logsigmoid(self.W_a(x) + self.forget).mT  # (B, H, T)
        q = q / self.K**0.5
        if past is None:
            y, state = self.parallel(q, k, v, log_a)
        else:
            y, state = self.recurrent(q, k, v, log_a, past)
        y = F.rms_norm(y, (self.K,))  # sums grow with the text: keep only their direction
        return self.W_o(rearrange(y, "b h t k -> b t (h k)")), state
