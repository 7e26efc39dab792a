"""Recurrent networks, from a window of words to the encoder-decoder. Leaves out: attention.

Equations such as (4.5) are those of chapter 4. B: sequences of T steps, or windows of N words.
V: words. L: layers. An input is D numbers, an output H, a state S. BTH is a tensor of shape
(B, T, H), XH one of (..., H). Arguments that make no sense: ValueError. Rules such as "no autograd"
are a matter of honour: the tests compare values.
"""

from collections.abc import Callable, Iterable
from copy import deepcopy

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

from nextword.corpora.batches import BOS, EOS, PAD, until_end  # the ids 1, 2, 0
from nextword.corpora.checks import require, require_ids
from nextword.corpora.recurrent import Cell, Rows, TwoNetworks, Weights, first_state
from nextword.corpora.shapes import BH, BLS, BS, BTD, BTH, BTV, BV, XA, XH, XS, Id, Ids


# ------------------------------------------------------------------ 4.1 A window of words
def feedforward(p: Weights, contexts: Int[Tensor, "*B N"]) -> tuple[Tensor, XH, Tensor]:
    """Return e, the N words' vectors side by side, h = tanh(W e + b), z = U h + c (4.1 to 4.3).

    p holds E (V, D), W (H, N D), b (H), U (V, H), c (V). B may be any axes, or none. About 3 lines.
    >>> p = dict(zip("EWbUc", map(torch.tensor, ([[1.0]], [[2.0, -2.0]], [0.0], [[1.0]], [5.0]))))
    >>> [each.tolist() for each in feedforward(p, torch.tensor([[0, 0]]))]  # h is tanh(2 - 2)
    [[[1.0, 1.0]], [[0.0]], [[5.0]]]
    """
    require_ids("contexts", contexts.unique().tolist(), len(p["E"]))
    # BEGIN SOLUTION
    e = p["E"][contexts].flatten(-2)
    h = torch.tanh(e @ p["W"].T + p["b"])
    return e, h, h @ p["U"].T + p["c"]
    # END SOLUTION


# ------------------------------------------------------------------ 4.2 Gradients by hand
def loss_and_gradients(
    p: Weights, contexts: Int[Tensor, "B N"], targets: Id, e: Float[Tensor, "B ND"], h: BH, z: BV
) -> tuple[Float[Tensor, ""], Weights]:
    """Return the mean of -ln softmax(z)[target] and its slopes for E, W, b, U, c (4.4 to 4.8).

    By hand, no autograd; e, h, z are those of `feedforward`. `index_add_` adds rows. 6 lines.
    """
    require_ids("targets", targets.tolist(), z.shape[-1])
    # BEGIN SOLUTION
    loss = (z.logsumexp(-1) - z.gather(-1, targets[:, None])[:, 0]).mean()
    d_z = (z.softmax(-1) - nn.functional.one_hot(targets, z.shape[-1])) / len(targets)
    d_a = d_z @ p["U"] * (1 - h**2)  # a = W e + b
    d_e = (d_a @ p["W"]).reshape(contexts.numel(), -1)
    d_E = torch.zeros_like(p["E"]).index_add_(0, contexts.flatten(), d_e)
    return loss, {"E": d_E, "W": d_a.T @ e, "b": d_a.sum(0), "U": d_z.T @ h, "c": d_z.sum(0)}
    # END SOLUTION


def sgd_step(p: Weights, gradients: Weights, rate: float) -> Weights:
    """Return new weights, each moved by -rate times its slope (4.9); p stays as it is. 1 line.
    >>> sgd_step({"b": torch.tensor([1.0, 2.0])}, {"b": torch.tensor([10.0, 0.0])}, 0.1)
    {'b': tensor([0., 2.])}
    """
    # BEGIN SOLUTION
    return {name: p[name] - rate * gradients[name] for name in p}
    # END SOLUTION


# ------------------------------------------------------------------ 4.3 Elman's network
class ElmanCell(Cell):
    """The simple recurrent network (Elman 1990); S = H. Linear layers W (with b) and U."""

    def step(self, a: XH, s: XH) -> XH:
        """Return h = tanh(a + U s), where a = W x + b and s is the old h (4.10). 1 line.
        >>> cell = ElmanCell(1, 1)
        >>> cell.U.weight.data[:] = 2.0
        >>> round(cell.step(torch.tensor([0.1]), torch.tensor([0.5])).item(), 3)  # tanh 1.1
        0.8
        """
        # BEGIN SOLUTION
        return torch.tanh(a + self.U(s))
        # END SOLUTION


def run(cell: Cell, x: BTD, s: BS | None = None) -> tuple[BTH, BS]:
    """Read T steps with one cell, from the state s or zeros: all outputs, and the last state.

    One call, cell.W(x), gives a for all steps; only `cell.step(a, s)` must wait for the state,
    whose first `cell.H` numbers are the output. No loop over sequences. About 5 lines.
    """
    s = first_state(cell, x, s)  # ValueError where a shape is wrong
    # BEGIN SOLUTION
    outputs = []
    for a in cell.W(x).unbind(1):
        s = cell.step(a, s)
        outputs.append(s[:, : cell.H])
    return torch.stack(outputs, dim=1), s
    # END SOLUTION


# ------------------------------------------------------------------ 4.4 Backpropagation in time
@torch.no_grad()
def bptt(cell: ElmanCell, x: BTD, h: BTH, slopes: BTH, chunk: int = 0) -> Weights:
    """Return dL/dW, dL/dU, dL/db of an Elman network that began with zeros (4.12 to 4.14).

    By hand, 7 lines. h are its outputs; slopes[:, t] is the direct slope of L for h[:, t], without
    what later steps hand back. If chunk > 0, steps 0, chunk, 2 chunk, ... hand nothing back.
    >>> cell, x, h = ElmanCell(1, 1), torch.ones(1, 2, 1), torch.zeros(1, 2, 1)
    >>> cell.W.weight.data[:], cell.W.bias.data[:], cell.U.weight.data[:] = 1.0, -1.0, 3.0
    >>> [bptt(cell, x, h, torch.ones(1, 2, 1), k)["W"].item() for k in (0, 1)]  # 1 + 1 * 3, and 1
    [5.0, 2.0]
    """
    # BEGIN SOLUTION
    before = torch.cat([torch.zeros_like(h[:, :1]), h[:, :-1]], dim=1)
    d_a, later = torch.zeros_like(h), 0.0  # a = W x + b + U h
    for t in reversed(range(x.shape[1])):
        d_a[:, t] = (slopes[:, t] + later) * (1 - h[:, t] ** 2)
        later = 0.0 if chunk and t % chunk == 0 else d_a[:, t] @ cell.U.weight
    rows = d_a.flatten(0, 1)
    return {"W": rows.T @ x.flatten(0, 1), "U": rows.T @ before.flatten(0, 1), "b": rows.sum(0)}
    # END SOLUTION


# ------------------------------------------------------------------ 4.5 Gradients over distance
def gradient_norms(cell: Cell, x: Float[Tensor, "T D"], s: Float[Tensor, "S"]) -> Tensor:
    """Return the norms of dh_T/ds_t, t = 0 to T, for one sequence from s_0 = s (4.15, 4.16).

    h_T is the first H numbers of s_T. The norm is the largest singular value, so the last one is 1.
    `torch.func.jacrev(cell.step, argnums=1)(a, s)` is the Jacobian of a step. About 7 lines.
    >>> cell = ElmanCell(1, 1)
    >>> cell.U.weight.data[:], cell.W.bias.data[:] = 0.5, 0.0
    >>> gradient_norms(cell, torch.zeros(3, 1), torch.zeros(1)).tolist()
    [0.125, 0.25, 0.5, 1.0]
    """
    # BEGIN SOLUTION
    inputs, states = cell.W(x), [s]
    for a in inputs:
        states.append(cell.step(a, states[-1]))
    slopes = [torch.eye(len(s), dtype=s.dtype)[: cell.H]]
    for a, s in zip(inputs.flip(0), states[-2::-1], strict=True):
        slopes.append(slopes[-1] @ torch.func.jacrev(cell.step, argnums=1)(a, s))
    return torch.linalg.matrix_norm(torch.stack(slopes[::-1]), 2).detach()
    # END SOLUTION


def clip_gradients(parameters: Iterable[nn.Parameter], most: float) -> float:
    """Scale all gradients in place by one factor, so that their norm is at most `most` (4.17).

    The norm is that of all `parameter.grad` (some may be None) taken as one vector; if it
    is small enough, nothing changes. Returns the old norm. No torch.nn.utils; about 5 lines.
    """
    require("most", most, most > 0, "above 0")
    # BEGIN SOLUTION
    slopes = [p.grad for p in parameters if p.grad is not None]
    norm = sum(float((slope**2).sum()) for slope in slopes) ** 0.5
    for slope in slopes if norm > most else []:
        slope *= most / norm
    return norm
    # END SOLUTION


# ------------------------------------------------------------------ 4.6 LSTM
class LSTMCell(Cell):
    """Long short-term memory (Hochreiter and Schmidhuber 1997, Gers et al. 2000): s is h, then c.

    Its four blocks are i, f, g, o, in torch's order; W.bias is torch's bias_ih + bias_hh.
    """

    blocks, carried = 4, 2

    def step(self, a: XA, s: XS) -> XS:
        """Return h = o tanh(c) and c = f c' + i g side by side (4.18, 4.19). About 4 lines.

        h' and c' are the old ones. i, f, o are the sigmoid of their block of a + U h', g its tanh.
        >>> LSTMCell(1, 1).step(999 * torch.tensor([1.0, -1, 1, -1]), torch.ones(2)).tolist()
        [0.0, 1.0]
        """
        # BEGIN SOLUTION
        i, f, g, o = (a + self.U(s[..., : self.H])).chunk(4, dim=-1)
        c = f.sigmoid() * s[..., self.H :] + i.sigmoid() * g.tanh()
        return torch.cat([o.sigmoid() * c.tanh(), c], dim=-1)
        # END SOLUTION


# ------------------------------------------------------------------ 4.7 GRU
class GRUCell(Cell):
    """Gated recurrent unit (Cho et al. 2014), in torch's convention; S = H.

    Its three blocks are r, z, n; W.bias is torch's bias_ih and U.bias its bias_hh.
    """

    blocks, second_bias = 3, True

    def step(self, a: XA, s: XH) -> XH:
        """Return h = (1 - z) n + z s; r, z = sigmoid(a + u), n = tanh(a_n + r u_n) (4.20, 4.21).

        u = U s + U.bias: r multiplies what U has made of s, not s itself. About 5 lines.
        >>> GRUCell(1, 1).step(torch.tensor([0.0, 99.0, 0.0]), torch.tensor([0.5])).item()  # z: 1
        0.5
        """
        # BEGIN SOLUTION
        (a_r, a_z, a_n), (u_r, u_z, u_n) = a.chunk(3, dim=-1), self.U(s).chunk(3, dim=-1)
        r, z = (a_r + u_r).sigmoid(), (a_z + u_z).sigmoid()
        n = torch.tanh(a_n + r * u_n)
        return (1 - z) * n + z * s
        # END SOLUTION


# ------------------------------------------------------------------ 4.8 Stacked and bidirectional
def stack(cells: Iterable[Cell], x: BTD, s: BLS | None = None, dropout=None) -> tuple[BTH, BLS]:
    """Let each cell read the outputs of the one below: highest outputs, last states of all (4.22).

    s holds the L first states; None: zeros. `dropout`, a module or None, changes outputs between
    two layers, but neither the first inputs nor the last outputs. Use `run`; about 7 lines.
    >>> [list(y.shape) for y in stack([LSTMCell(2, 3), LSTMCell(3, 3)], torch.ones(4, 5, 2))]
    [[4, 5, 3], [4, 2, 6]]
    """
    # BEGIN SOLUTION
    last = []
    for k, cell in enumerate(cells):
        x = dropout(x) if k and dropout else x
        x, end = run(cell, x, None if s is None else s[:, k])
        last.append(end)
    return x, torch.stack(last, dim=1)
    # END SOLUTION


def bidirectional(ahead: Cell, back: Cell, x: BTD) -> Float[Tensor, "B T H2"]:
    """Return outputs of `ahead` and of `back`, which reads from the end, side by side (4.23)."""
    # BEGIN SOLUTION
    from_the_end, _ = run(back, x.flip(1))
    return torch.cat([run(ahead, x)[0], from_the_end.flip(1)], dim=-1)
    # END SOLUTION


class LanguageModel(nn.Module):
    """Vectors of words, L recurrent layers, logits; tied: vectors and output share one matrix.
    Parameters: embed.weight (V, D), cells.0.W.weight, ..., out.weight (V, H), out.bias (V).
    """

    def __init__(self, V: int, D: int, H: int, cell=LSTMCell, L=1, dropout=0.0, tied=False) -> None:
        super().__init__()
        self.embed, self.out = nn.Embedding(V, D), nn.Linear(H, V)
        self.dropout = nn.Dropout(dropout)
        self.cells = nn.ModuleList([cell(H if k else D, H) for k in range(L)])
        self.embed.weight = self.out.weight if tied else self.embed.weight

    def forward(self, tokens: Ids, s: BLS | None = None) -> tuple[BTV, BLS]:
        """Return the logits after each token and the last states; s: the states before."""
        require_ids("tokens", tokens.unique().tolist(), self.out.out_features)
        x, s = stack(self.cells, self.embed(tokens), s, self.dropout)
        return self.out(x), s


# ------------------------------------------------------------------ 4.9 Batches of stories
def make_batch(stories: Rows) -> tuple[Ids, Ids]:
    """Return inputs, BOS and the words, and targets, the words and EOS; PAD fills up. 2 lines.
    >>> [rows.tolist() for rows in make_batch([[7, 8], [9]])]
    [[[1, 7, 8], [1, 9, 0]], [[7, 8, 2], [9, 2, 0]]]
    """
    require("stories", "none", stories, "at least one")
    # BEGIN SOLUTION
    rows = [[BOS, *story] for story in stories], [[*story, EOS] for story in stories]
    return tuple(pad_sequence([*map(torch.tensor, each)], True, PAD) for each in rows)
    # END SOLUTION


@torch.no_grad()
def log_probs(model: nn.Module, stories: Rows, size: int = 32) -> list[float]:
    """Return ln P of each word and each EOS in order, in one flat list (4.24). About 7 lines.

    `model(tokens)` returns logits and a state. `size` whole stories at a time; `model.eval()`.
    """
    # BEGIN SOLUTION
    model.eval()
    found = []
    for k in range(0, len(stories), size):
        inputs, targets = make_batch(stories[k : k + size])
        told = model(inputs)[0].log_softmax(-1).gather(-1, targets[:, :, None])[:, :, 0]
        found += told[targets != PAD].tolist()
    return found
    # END SOLUTION


# ------------------------------------------------------------------ 4.10 Training
def train_batch(model: nn.Module, optimizer, batch: tuple[Ids, Ids], chunk: int, clip: float):
    """Make one step for each `chunk` columns; return the mean loss of all targets but PAD (4.25).

    `model(tokens, s)` gives logits and a state: carry it to the next chunk, detached. A step's loss
    is the mean over its targets but PAD; nn.utils.clip_grad_norm_ clips at `clip`. A loss that is
    no finite number: FloatingPointError, before a weight changes. About 13 lines.
    """
    # BEGIN SOLUTION
    s, total, (inputs, targets) = None, 0.0, batch
    for k in range(0, inputs.shape[1], chunk):
        logits, s = model(inputs[:, k : k + chunk], s)
        s, expected = s.detach(), targets[:, k : k + chunk]
        loss = nn.functional.cross_entropy(logits.mT, expected, ignore_index=PAD)
        if not loss.isfinite():
            raise FloatingPointError(f"the loss is {loss.item()}: try a smaller rate, or clip more")
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        total += loss.item() * int((expected != PAD).sum())
    return total / int((targets != PAD).sum())
    # END SOLUTION


def stop_early(model: nn.Module, epoch: Callable, validate: Callable, most: int, patience=1):
    """Train until validation gets no better; list (training loss, validation loss) per epoch.

    Call `epoch()`, then `validate()`. Stop after `most` epochs, or when `patience` in a row were
    no better than the best before. Then give the model its best weights. About 7 lines.
    >>> losses = iter([3.0, 2.0, 2.5, 1.0])
    >>> stop_early(nn.Linear(1, 1), lambda: 0.5, lambda: next(losses), most=9)
    [(0.5, 3.0), (0.5, 2.0), (0.5, 2.5)]
    """
    # BEGIN SOLUTION
    curve, best, lowest, weights = [], 0, float("inf"), deepcopy(model.state_dict())
    while len(curve) < min(most, best + patience):
        curve.append((epoch(), validate()))
        if curve[-1][1] < lowest:
            best, lowest, weights = len(curve), curve[-1][1], deepcopy(model.state_dict())
    model.load_state_dict(weights)
    return curve
    # END SOLUTION


# ------------------------------------------------------------------ 4.11 Generating
@torch.no_grad()
def generate(model: nn.Module, n: int, rng: torch.Generator, most: int, prompt=()) -> Rows:
    """Draw n stories of at most `most` words, side by side, from P(word | words before) (4.26).

    Reads BOS and the prompt, then each drawn word once; `model(tokens, s)` gives logits, state.
    Never draws PAD or BOS; stops when all have drawn EOS. `until_end` cuts rows. About 10 lines.
    >>> generate(LanguageModel(3, 2, 2), 2, torch.Generator(), most=9)  # of 3 ids only EOS is left
    [[], []]
    """
    require("most", most, most >= 1, "at least 1")
    # BEGIN SOLUTION
    model.eval()
    tokens, s = torch.tensor([[BOS, *prompt]] * n), None
    rows = tokens[:, :0]
    while rows.shape[1] < most and not (rows == EOS).any(1).all():
        logits, s = model(tokens, s)
        chances = logits[:, -1].softmax(-1)
        chances[:, [PAD, BOS]] = 0.0
        tokens = torch.multinomial(chances, 1, generator=rng)
        rows = torch.cat([rows, tokens], dim=1)
    return until_end(rows.tolist())
    # END SOLUTION


# ------------------------------------------------------------------ 4.12 Encoder and decoder
class Seq2Seq(TwoNetworks):
    """Reads a sentence into one vector and writes another from it (Sutskever et al. 2014).
    Embeddings `source`, `target`; GRUs `encoder`, `decoder`; `out` to logits. PAD fills up sources.
    """

    def encode(self, source: Ids) -> Float[Tensor, "1 B H"]:
        """Return the encoder's state after the last word of each row; PAD changes nothing (4.27).

        `pack_padded_sequence(x, lengths, True, enforce_sorted=False)` leaves PAD out. 2 lines.
        >>> model = Seq2Seq(9, 8, 4, 5)
        >>> torch.allclose(model.encode(torch.tensor([[3, 0]])), model.encode(torch.tensor([[3]])))
        True
        """
        require_ids("source", source.unique().tolist(), self.source.num_embeddings)
        require("each source", "only PAD", (source != PAD).any(1).all(), "one word or more")
        # BEGIN SOLUTION
        lengths, x = (source != PAD).sum(1), self.source(source)
        return self.encoder(pack_padded_sequence(x, lengths, True, enforce_sorted=False))[1]
        # END SOLUTION

    def forward(self, source: Ids, inputs: Int[Tensor, "B T2"]) -> Float[Tensor, "B T2 V"]:
        """Return the logits after each input, BOS and the true words: teacher forcing (4.28).

        The decoder begins in the encoder's last state, and one call reads all steps. 2 lines.
        """
        require_ids("inputs", inputs.unique().tolist(), self.target.num_embeddings)
        # BEGIN SOLUTION
        states, _ = self.decoder(self.target(inputs), self.encode(source))
        return self.out(states)
        # END SOLUTION

    @torch.no_grad()
    def translate(self, source: Ids, most: int = 60) -> Rows:
        """Write: read BOS, then each time the likeliest word, up to EOS or `most` words (4.29).

        Step by step from a state; `until_end` cuts rows before EOS. About 8 lines.
        """
        # BEGIN SOLUTION
        s, tokens, rows = self.encode(source), torch.full_like(source[:, :1], BOS), source[:, :0]
        while rows.shape[1] < most and not (rows == EOS).any(1).all():
            states, s = self.decoder(self.target(tokens), s)
            tokens = self.out(states).argmax(-1)
            rows = torch.cat([rows, tokens], dim=1)
        return until_end(rows.tolist())
        # END SOLUTION
