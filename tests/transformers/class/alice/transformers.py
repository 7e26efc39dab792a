# my own way: classes of my own, einsum, one thing after the other
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Bool, Float
from torch import Tensor, nn

from nextword.given.checks import require

# what was given, unchanged
IGNORE = -100
CHOICES = {
    "positions": ("learned", "sinusoidal", "rotary", "alibi", "none"),
    "feed": ("relu", "gelu", "gelu_tanh", "swiglu"),
    "norm": ("layer", "rms"),
}


@dataclass(frozen=True)
class Sizes:
    """Given: what a transformer is built from. ValueError: sizes that do not fit together.

    >>> Sizes(V=50257, D=768, L=12, H=12).K
    64
    """

    V: int  # words of the vocabulary
    D: int  # numbers of a token's vector
    L: int  # blocks
    H: int  # heads of queries; each has K = D / H numbers
    G: int = 0  # heads of keys and of values; 0: as many as H
    F: int = 0  # numbers inside a feed-forward layer; 0: 4 D
    T: int = 1024  # tokens of the longest text; a limit only where positions are learned
    positions: str = "rotary"  # or learned, sinusoidal, alibi, none
    feed: str = "gelu"  # or relu, gelu_tanh, swiglu
    norm: str = "layer"  # or rms
    pre: bool = True  # norms before the layers of a block; False: after them
    tied: bool = True  # the logits use the matrix of the words' vectors
    bias: bool = True  # linear layers have biases
    dropout: float = 0.0  # share of numbers that are set to 0 in training
    eps: float = 1e-5  # added in the root of a norm

    def __post_init__(self) -> None:
        for name in ("V", "D", "L", "H", "T"):
            require(name, getattr(self, name), getattr(self, name) >= 1, "at least 1")
        object.__setattr__(self, "G", self.G or self.H)  # how a frozen dataclass is filled in
        object.__setattr__(self, "F", self.F or 4 * self.D)
        require("D", self.D, self.D % self.H == 0, f"divisible by {self.H} heads")
        require("G", self.G, self.G > 0 and self.H % self.G == 0, f"a divisor of {self.H} heads")
        require("dropout", self.dropout, 0 <= self.dropout < 1, "at least 0 and below 1")
        for name, known in CHOICES.items():
            value = getattr(self, name)
            require(name, value, value in known, f"one of {', '.join(known)}")
        if self.positions in ("rotary", "sinusoidal"):  # these take numbers in pairs
            paired = self.D if self.positions == "sinusoidal" else self.K
            require(
                "D or K = D / H", paired, paired % 2 == 0, f"even for {self.positions} positions"
            )

    @property
    def K(self) -> int:  # noqa: N802 - the sign of the chapter
        """The numbers of a query, key or value."""
        return self.D // self.H

    def new_norm(self) -> nn.Module:
        """Return torch's own layer norm or RMS norm for vectors of D numbers, with `eps`."""
        if self.norm == "rms":
            return nn.RMSNorm(self.D, self.eps)
        return nn.LayerNorm(self.D, self.eps)

    def linear(self, n_in: int, n_out: int) -> nn.Linear:
        """Return a linear layer, with a bias if the sizes say so."""
        return nn.Linear(n_in, n_out, self.bias)


# and mine


def spread(x):
    return (x * x).sum(-1, keepdim=True) / x.shape[-1]


def layer_norm(x, gain, bias, eps=1e-5):
    c = x - x.sum(-1, keepdim=True) / x.shape[-1]
    return torch.einsum("...d,d->...d", c * (spread(c) + eps) ** -0.5, gain) + bias


def layer_norm_gradients(x, gain, grad, eps=1e-5):
    D = x.shape[-1]
    rows, out = x.reshape(-1, D), grad.reshape(-1, D)
    d_x, d_gain, d_bias = torch.zeros_like(rows), torch.zeros_like(gain), torch.zeros_like(gain)
    centre = torch.eye(D, dtype=x.dtype) - 1 / D
    for k, (row, d_y) in enumerate(zip(rows, out, strict=True)):
        c = centre @ row
        r = float(torch.sqrt(spread(c)[0] + eps))
        z = c / r
        jacobian = (centre - torch.outer(z, z) / D) / r  # of z, by each number of the row
        d_x[k] = jacobian.T @ (gain * d_y)
        d_gain += d_y * z
        d_bias += d_y
    return [d_x.reshape(x.shape), d_gain, d_bias]


def rms_norm(x, gain, eps=1e-5):
    return x / (spread(x) + eps).sqrt() * gain


def gelu(x, approximate=False):
    if approximate:
        inner = (2 / math.pi) ** 0.5 * (x + 0.044715 * x * x * x)
        return x * torch.sigmoid(2 * inner)  # (1 + tanh(a)) / 2 is sigmoid(2 a)
    return x * torch.special.ndtr(x)


BENDS = {
    "relu": lambda x: x.clamp(min=0),
    "gelu": gelu,
    "gelu_tanh": lambda x: gelu(x, True),
    "swiglu": lambda x: x * torch.sigmoid(x),
}


class FeedForward(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.bend = BENDS[sizes.feed]
        self.up = nn.Linear(sizes.D, sizes.F, sizes.bias)
        self.down = nn.Linear(sizes.F, sizes.D, sizes.bias)
        if sizes.feed == "swiglu":
            self.gate = nn.Linear(sizes.D, sizes.F, sizes.bias)

    def forward(self, x):
        h = self.up(x)
        return self.down(self.bend(self.gate(x)) * h if hasattr(self, "gate") else self.bend(h))


class Block(nn.Module):
    def __init__(self, sizes, mixer, feed, cross=None):
        super().__init__()
        self.pre, self.dropout = sizes.pre, nn.Dropout(sizes.dropout)
        self.norm1, self.norm2, self.norm3 = (sizes.new_norm() for _ in range(3))
        self.mixer, self.feed, self.cross = mixer, feed, cross

    def around(self, x, norm, layer):
        entry = norm(x) if self.pre else x
        total = self.dropout(layer(entry)).add(x)
        return total if self.pre else norm(total)

    def forward(self, x, past=None, mask=None, memory=None):
        answers = []

        def mix(x):
            answers.append(self.mixer(x, past, mask))
            return answers[0][0]

        x = self.around(x, self.norm1, mix)
        if memory is not None:
            x = self.around(x, self.norm3, lambda x: self.cross(x, *memory))
        return self.around(x, self.norm2, self.feed), answers[0][1]


def speeds(D):
    return torch.tensor([10000 ** (-2 * i / D) for i in range(D // 2)])


def sinusoidal(T, D):
    table = torch.zeros(T, D)
    for t in range(T):
        table[t, ::2] = torch.sin(t * speeds(D))
        table[t, 1::2] = torch.cos(t * speeds(D))
    return table


def shift_matrix(k, D):
    M = torch.zeros(D, D)
    for i, w in enumerate(speeds(D).tolist()):
        M[2 * i, 2 * i] = M[2 * i + 1, 2 * i + 1] = math.cos(k * w)
        M[2 * i, 2 * i + 1] = math.sin(k * w)
        M[2 * i + 1, 2 * i] = -math.sin(k * w)
    return M


def rotate(x, start=0):
    y = torch.empty_like(x)
    for t in range(x.shape[-2]):
        y[..., t, :] = x[..., t, :] @ shift_matrix(start + t, x.shape[-1]).to(x.dtype)
    return y


def alibi(H, T, S):
    table = torch.zeros(H, T, S)
    for h in range(H):
        for i in range(T):
            for j in range(S):
                table[h, i, j] = -abs(S - T + i - j) / 2 ** (8 * (h + 1) / H)
    return table


class SelfAttention(nn.Module):
    def __init__(self, sizes, causal=True):
        super().__init__()
        self.sizes, self.causal, self.rotate, self.alibi = sizes, causal, rotate, alibi
        self.W_qkv = nn.Linear(sizes.D, (sizes.H + 2 * sizes.G) * sizes.K, sizes.bias)
        self.W_o = nn.Linear(sizes.D, sizes.D, sizes.bias)

    def forward(self, x, past=None, mask=None):
        H, G, K, (B, T, D) = self.sizes.H, self.sizes.G, self.sizes.K, x.shape
        qkv = self.W_qkv(x).view(B, T, H + 2 * G, K).transpose(1, 2)
        q, k, v = qkv[:, :H], qkv[:, H : H + G], qkv[:, H + G :]
        before = past[0].shape[-2] if past else 0
        if self.sizes.positions == "rotary":
            q, k = self.rotate(q, before), self.rotate(k, before)
        if past:
            k, v = torch.cat([past[0], k], -2), torch.cat([past[1], v], -2)
        S = before + T
        q = q.reshape(B, G, H // G, T, K)
        scores = torch.einsum("bgrtk,bgsk->bgrts", q, k) / math.sqrt(K)
        if self.sizes.positions == "alibi":
            scores = scores + self.alibi(H, T, S).view(G, H // G, T, S)
        if self.causal:
            later = torch.arange(S) > torch.arange(before, S)[:, None]
            scores = scores.masked_fill(later, -math.inf)
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None, None], -math.inf)
        y = torch.einsum("bgrts,bgsk->btgrk", scores.softmax(-1), v)
        return self.W_o(y.reshape(B, T, D)), (k, v)


class Embedding(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.sizes, self.words = sizes, nn.Embedding(sizes.V, sizes.D)
        if sizes.positions == "learned":
            self.places = nn.Embedding(sizes.T, sizes.D)

    def forward(self, tokens, start=0):
        end, x = start + tokens.shape[1], self.words(tokens)
        if self.sizes.positions == "learned":
            x = x + self.places(torch.arange(start, end))
        if self.sizes.positions == "sinusoidal":
            x = x + sinusoidal(end, self.sizes.D)[start:]
        return x


def block_of(sizes, causal=True, cross=None):
    return Block(sizes, SelfAttention(sizes, causal), FeedForward(sizes), cross)


class LanguageModel(nn.Module):
    looks_ahead = False

    def __init__(self, sizes, new_block=block_of):
        super().__init__()
        self.sizes, self.embed, self.norm = sizes, Embedding(sizes), sizes.new_norm()
        self.blocks = nn.ModuleList(
            [new_block(sizes, not self.looks_ahead) for _ in range(sizes.L)]
        )
        if not sizes.tied:
            self.out = nn.Linear(sizes.D, sizes.V, bias=False)

    def read(self, tokens, past=None, **look):
        n, states = past if past is not None else (0, [None] * len(self.blocks))
        stations = [self.embed(tokens, n)]
        if not self.sizes.pre:
            stations.append(self.norm(stations[-1]))
        kept = []
        for number, block in enumerate(self.blocks):
            x, state = block(stations[-1], states[number], **look)
            stations.append(x)
            kept.append(state)
        if self.sizes.pre:
            stations.append(self.norm(stations[-1]))
        return stations[-1], (n + tokens.shape[-1], kept)

    def logits(self, x):
        matrix = self.embed.words.weight if self.sizes.tied else self.out.weight
        return torch.einsum("btd,vd->btv", x, matrix)

    def forward(self, tokens, past=None):
        x, past = self.read(tokens, past)
        return self.logits(x), past


def initialise(model, rng, std=0.02):
    writers = [n for n, _ in model.named_parameters() if "W_o.w" in n or "down.w" in n]
    for name, p in model.named_parameters():
        width = std * len(writers) ** -0.5 if name in writers else std
        if name.endswith("bias"):
            p.data = torch.zeros(p.shape)
        elif p.ndim == 2:
            p.data = torch.randn(p.shape, generator=rng) * width
    return model


GPT2 = {  # parts of the names in GPT-2's files, and what they become, in the order of replacing
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


def from_gpt2(weights):
    found = {}
    for name, weight in weights.items():
        *layers, kind = name.removeprefix("transformer.").split(".")
        path = ".".join(layers)
        if path == "lm_head" or (path.endswith(".attn") and kind in ("bias", "masked_bias")):
            continue
        for old, new in GPT2.items():
            path = path.replace(old, new)
        conv = layers[-1].startswith("c_") and kind == "weight"
        found[f"{path}.{kind}"] = weight.transpose(0, 1) if conv else weight
    return found


def adamw(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    m = m + (1 - betas[0]) * (grad - m)
    v = v + (1 - betas[1]) * (grad * grad - v)
    step = m / (1 - math.pow(betas[0], t)) / (torch.sqrt(v / (1 - math.pow(betas[1], t))) + eps)
    shrunk = p * (1 - rate * decay) if p.dim() >= 2 else p
    return [shrunk - rate * step, m, v]


def learning_rate(step, peak, warmup, steps, last=0.0):
    if step < warmup:
        return (step + 1) * peak / warmup
    if step >= steps:
        return last
    angle = math.pi * (step - warmup) / (steps - warmup)
    return last + (peak - last) * math.cos(angle / 2) ** 2


def train_step(model, optimizer, batches, clip, count=None):
    n = 0
    for batch in batches:
        n += (batch[-1] >= 0).sum().item()
    for p in model.parameters():
        p.grad = None
    losses = []
    for batch in batches:
        logs = model(*batch[:-1])[0].log_softmax(-1)
        targets = batch[-1]
        told = logs.gather(-1, targets.clamp(min=0)[..., None])[..., 0]
        loss = -(told * (targets >= 0)).sum() / (count or n)
        if not math.isfinite(loss.item()):
            raise FloatingPointError("not a number")
        loss.backward()
        losses.append(loss.detach())
    nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return torch.stack(losses).sum()


def generate(model, prompts, most, rng, temperature=1.0, cached=True):
    texts, past, n_read = [[1, *prompt] for prompt in prompts], None, 0
    while len(texts[0]) <= most and not all(2 in text for text in texts):
        columns = torch.tensor([text[n_read:] for text in texts])
        answer = model(columns, past) if cached else model(columns)
        if cached:
            n_read, past = len(texts[0]), answer[1]
        for text, scores in zip(texts, answer[0][:, -1], strict=True):
            if temperature == 0:
                text.append(2 + int(scores[2:].argmax()))
            else:
                chances = (scores[2:] / temperature).softmax(0)
                text.append(2 + int(torch.multinomial(chances, 1, generator=rng)))
    return [(text[1 : text.index(2)] if 2 in text else text[1:]) for text in texts]


def mask_words(tokens, V, rng, share=0.15):
    inputs, targets = tokens.clone(), torch.full_like(tokens, -100)
    die = torch.rand(tokens.shape, generator=rng) / share  # below 1: chosen
    chosen = (die < 1) & (tokens > 2)
    targets[chosen] = tokens[chosen]
    inputs[chosen & (die < 0.8)] = V - 1
    other = chosen & (die >= 0.8) & (die < 0.9)
    inputs[other] = torch.randint(3, V - 1, (int(other.sum()),), generator=rng)
    return inputs, targets


class Encoder(LanguageModel):
    looks_ahead = True

    def forward(self, tokens):
        vectors = self.read(tokens, mask=tokens > 0)[0]
        return self.logits(vectors), vectors


class Classifier(nn.Module):
    """An encoder that has been trained, and one new linear layer that tells texts apart."""

    def __init__(self, encoder, D, n):
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(D, n)

    def forward(self, tokens):
        _, vectors = self.encoder(tokens)
        of_text = vectors.select(1, 0)
        return self.head(of_text), of_text


def fine_tune(model, batches, rate, head_rate):
    slow = torch.optim.Adam(model.encoder.parameters(), lr=rate)
    fast = torch.optim.Adam(model.head.parameters(), lr=head_rate)

    def learn(tokens, labels):
        model.zero_grad()
        chosen = model(tokens)[0].log_softmax(dim=1).gather(1, labels[:, None])
        loss = -chosen.mean()
        loss.backward()
        slow.step()
        fast.step()
        return float(loss)

    return [learn(*batch) for batch in batches]


class CrossAttention(nn.Module):
    """Given: the heads of chapter 5, with queries from one text, keys and values from another."""

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
        """Return the answers for x. The mask is False where the memory is padding."""
        q = rearrange(self.W_q(x), "b t (h k) -> b h t k", h=self.H)
        k, v = rearrange(self.W_kv(memory), "b s (n h k) -> n b h s k", n=2, h=self.H)
        seen = None if mask is None else mask[:, None, None]
        y = F.scaled_dot_product_attention(q, k, v, seen)
        return self.W_o(rearrange(y, "b h t k -> b t (h k)"))


class EncoderDecoder(LanguageModel):
    def __init__(self, sizes, encoder):
        super().__init__(sizes, lambda s, causal: block_of(s, causal, CrossAttention(s)))
        self.encoder = encoder

    def forward(self, source, inputs, past=None):
        memory = (self.encoder(source)[1], source.ne(0)) if past is None else past["memory"]
        x, said = self.read(inputs, past and past["said"], memory=memory)
        return self.logits(x), {"memory": memory, "said": said}


def count_parameters(s):
    ways = 3 if s.feed == "swiglu" else 2
    shapes = {"embed": [(s.V, s.D)], "attention": [], "feed": [], "rest": [], "unembed": []}
    if not s.tied:
        shapes["unembed"].append((s.V, s.D))
    if s.positions == "learned":
        shapes["rest"].append((s.T, s.D))
    for _ in range(s.L):
        shapes["attention"] += [(s.D, s.D), (2 * s.G * s.K, s.D), (s.D, s.D)]
        shapes["feed"] += [(s.F, s.D)] * ways
        if s.bias:
            shapes["rest"] += [(s.D,), (2 * s.G * s.K,), (s.D,), (s.D,), *[(s.F,)] * (ways - 1)]
    shapes["rest"] += [(s.D,)] * (2 * s.L + 1) * (1 if s.norm == "rms" else 2)
    return {name: sum(math.prod(shape) for shape in found) for name, found in shapes.items()}


def count_costs(s, T, n_bytes=2):
    n = count_parameters(s)
    looking = s.L * s.H * (2 * T * T * s.K) * 2
    weights = n["attention"] + n["feed"] + s.V * s.D
    return [2 * weights * T + looking, s.L * T * s.G * (s.K + s.K) * n_bytes]


def recurrent(q, k, v, log_a, S=None):
    S = torch.zeros(*k.shape[:2], k.shape[-1], v.shape[-1]) if S is None else S
    y = torch.zeros_like(v)
    for t in range(q.shape[2]):
        S = torch.exp(log_a[..., t])[..., None, None] * S
        S = S + torch.einsum("bhk,bhv->bhkv", k[..., t, :], v[..., t, :])
        y[..., t, :] = torch.einsum("bhk,bhkv->bhv", q[..., t, :], S)
    return y, S


def parallel(q, k, v, log_a):
    T = q.shape[2]
    pieces = log_a[..., None].expand(*log_a.shape, T).tril(-1)  # of step t, for each earlier one
    left = pieces.cumsum(-2).exp().tril()
    y = torch.einsum("bhtk,bhsk,bhts,bhsv->bhtv", q, k, left, v)
    return y, torch.einsum("bhs,bhsk,bhsv->bhkv", left[..., -1, :], k, v)
