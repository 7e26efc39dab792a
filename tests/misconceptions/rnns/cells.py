"""Plausible mistakes in sections 4.3 and 4.6 to 4.8: cells, and layers of them."""

import torch

from nextword.judge.misconceptions import misconception


# subtle: in some tests a `run` that forgets looks like a `step` that does; so it is tried first
def walk(cell, x, s=None, carry=lambda old, new: new):
    """Read a sequence; all states, and the last."""
    s = x.new_zeros(len(x), cell.S) if s is None else s
    states = []
    for a in cell.W(x).unbind(1):
        new = cell.step(a, s)
        states.append(new)
        s = carry(s, new)
    return torch.stack(states, dim=1), s


@misconception(
    "4.3",
    replaces="run",
    kind="idea",
    says="Each step begins in the first state again. It must begin in the state of the step "
    "before.",
)
def begins_anew_at_each_step(cell, x, s=None):
    states, _ = walk(cell, x, s, carry=lambda old, new: old)
    return states[..., : cell.H], states[:, -1]


@misconception(
    "4.3",
    replaces="run",
    says="The outputs are the first cell.H numbers of the states, not all of them.",
)
def returns_whole_states(cell, x, s=None):
    return walk(cell, x, s)


@misconception(
    "4.3",
    replaces="run",
    says="The second result must be the whole last state, not only the output in it: without the "
    "rest the next call cannot go on.",
)
def returns_the_last_output(cell, x, s=None):
    states, last = walk(cell, x, s)
    return states[..., : cell.H], last[:, : cell.H]


@misconception(
    "4.3",
    replaces="run",
    says="The state that was given is not used; begin with zeros only where it is None.",
)
def always_begins_with_zeros(cell, x, s=None):
    states, last = walk(cell, x)
    return states[..., : cell.H], last


@misconception(
    "4.3",
    replaces="run",
    says="The state was detached at each step, so no gradient flows back in time: the network "
    "cannot learn what to remember.",
)
def detaches_each_state(cell, x, s=None):
    states, last = walk(cell, x, s, carry=lambda old, new: new.detach())
    return states[..., : cell.H], last


@misconception(
    "4.3",
    replaces="ElmanCell.step",
    kind="idea",
    says="The old state does not count: without U s the network sees one input at a time.",
)
def forgets_the_state(self, a, s):
    return torch.tanh(a)


@misconception(
    "4.3",
    replaces="ElmanCell.step",
    says="U is applied transposed: the new h_i sums over row i of U, as `self.U(s)` does.",
)
def multiplies_by_columns(self, a, s):
    return torch.tanh(a + s @ self.U.weight)


@misconception(
    "4.3",
    replaces="ElmanCell.step",
    kind="idea",
    says="U s stands outside the tanh. Add it to a first; otherwise h grows without limit.",
)
def adds_after_the_tanh(self, a, s):
    return torch.tanh(a) + self.U(s)


@misconception(
    "4.3",
    replaces="ElmanCell.step",
    says="That is the sigmoid; equation 4.10 has tanh.",
)
def steps_with_the_sigmoid(self, a, s):
    return torch.sigmoid(a + self.U(s))


def lstm(self, a, s, order="ifgo", squash="tanh", of_old=False):
    """An LSTM's step with one thing changed."""
    blocks = (a + self.U(s[..., : self.H])).chunk(4, dim=-1)
    gate = dict(zip(order, blocks, strict=True))
    g = gate["g"].tanh() if squash == "tanh" else gate["g"].sigmoid()
    old = s[..., self.H :]
    c = gate["f"].sigmoid() * old + gate["i"].sigmoid() * g
    return gate["o"].sigmoid() * (old if of_old else c).tanh(), c, gate["o"].sigmoid()


@misconception(
    "4.6",
    replaces="LSTMCell.step",
    says="The blocks stand in the order i, f, g, o; you took the third for o and the fourth for g.",
)
def takes_g_for_o(self, a, s):
    return torch.cat(lstm(self, a, s, order="ifog")[:2], dim=-1)


@misconception(
    "4.6",
    replaces="LSTMCell.step",
    kind="idea",
    says="Input and forget gate are swapped: the first block, i, lets g in, and the second, f, "
    "keeps the old c.",
)
def swaps_input_and_forget(self, a, s):
    return torch.cat(lstm(self, a, s, order="figo")[:2], dim=-1)


@misconception(
    "4.6",
    replaces="LSTMCell.step",
    kind="idea",
    says="h is made from the old c; it must be o times the tanh of the new one.",
)
def shows_the_old_memory(self, a, s):
    return torch.cat(lstm(self, a, s, of_old=True)[:2], dim=-1)


@misconception(
    "4.6",
    replaces="LSTMCell.step",
    says="g goes through the sigmoid. It is no gate, but the candidate, and may be negative: "
    "take tanh.",
)
def writes_with_the_sigmoid(self, a, s):
    return torch.cat(lstm(self, a, s, squash="sigmoid")[:2], dim=-1)


@misconception(
    "4.6",
    replaces="LSTMCell.step",
    kind="idea",
    says="h is o times c; equation 4.19 has o times the tanh of c.",
)
def shows_the_memory_itself(self, a, s):
    _, c, o = lstm(self, a, s)
    return torch.cat([o * c, c], dim=-1)


@misconception(
    "4.6",
    replaces="LSTMCell.step",
    says="The new state holds c first. The first H numbers must be h, since they are the output.",
)
def puts_c_first(self, a, s):
    h, c, _ = lstm(self, a, s)
    return torch.cat([c, h], dim=-1)


def gru(self, a, s, order="rz"):
    """The gates of a GRU, and the blocks of its candidate."""
    (a_r, a_z, a_n), (u_r, u_z, u_n) = a.chunk(3, dim=-1), self.U(s).chunk(3, dim=-1)
    r, z = (a_r + u_r).sigmoid(), (a_z + u_z).sigmoid()
    return (r, z, a_n, u_n) if order == "rz" else (z, r, a_n, u_n)


@misconception(
    "4.7",
    replaces="GRUCell.step",
    kind="idea",
    says="z and 1 - z are swapped. In this convention z is the share of the old state that stays.",
)
def keeps_with_one_minus_z(self, a, s):
    r, z, a_n, u_n = gru(self, a, s)
    return z * torch.tanh(a_n + r * u_n) + (1 - z) * s


@misconception(
    "4.7",
    replaces="GRUCell.step",
    says="r was multiplied by the state before U, as in the paper. torch and this task multiply r "
    "by what U has made of the state.",
)
def resets_before_the_product(self, a, s):
    r, z, a_n, _ = gru(self, a, s)
    n = torch.tanh(a_n + self.U(r * s).chunk(3, dim=-1)[2])
    return (1 - z) * n + z * s


@misconception(
    "4.7",
    replaces="GRUCell.step",
    says="The reset gate scales the whole sum. Only what comes from the old state is scaled; the "
    "input counts in full.",
)
def resets_the_input_as_well(self, a, s):
    r, z, a_n, u_n = gru(self, a, s)
    return (1 - z) * torch.tanh(r * (a_n + u_n)) + z * s


@misconception(
    "4.7",
    replaces="GRUCell.step",
    kind="idea",
    says="The first block is r and the second z; you took them the other way round.",
)
def swaps_r_and_z(self, a, s):
    r, z, a_n, u_n = gru(self, a, s, order="zr")
    return (1 - z) * torch.tanh(a_n + r * u_n) + z * s


@misconception(
    "4.7",
    replaces="GRUCell.step",
    says="The bias of U stands outside the reset gate: r multiplies U s and its bias together.",
)
def leaves_the_bias_outside(self, a, s):
    r, z, a_n, u_n = gru(self, a, s)
    d = self.U.bias.chunk(3)[2]
    return (1 - z) * torch.tanh(a_n + r * (u_n - d) + d) + z * s


def layers(cells, x, s=None, dropout=None, first=None, before=(), after=False):
    """Layers on layers with one thing changed."""
    last = []
    for k, cell in enumerate(cells):
        x = dropout(x) if dropout and k in before else x
        begin = (None if s is None else s[:, k]) if first is None else first(k, s, last)
        states, end = walk(cell, x, begin)
        x = states[..., : cell.H]
        last.append(end)
    x = dropout(x) if dropout and after else x
    return x, torch.stack(last, dim=1)


@misconception(
    "4.8",
    replaces="stack",
    says="Dropout changed the first inputs, too. It belongs between layers, not before the first.",
)
def drops_inputs(cells, x, s=None, dropout=None):
    return layers(cells, x, s, dropout, before=range(len(cells)))


@misconception(
    "4.8",
    replaces="stack",
    says="Dropout changed the last outputs, too. It belongs between layers, not after the last.",
)
def drops_outputs(cells, x, s=None, dropout=None):
    return layers(cells, x, s, dropout, before=range(1, len(cells)), after=True)


@misconception(
    "4.8",
    replaces="stack",
    kind="idea",
    says="A layer began in the last state of the one below. Each has its own first state: s[:, k].",
)
def hands_the_state_upwards(cells, x, s=None, dropout=None):
    def first(k, s, last):
        return last[-1] if last else None if s is None else s[:, 0]

    return layers(cells, x, s, dropout, first, before=range(1, len(cells)))


@misconception(
    "4.8",
    replaces="stack",
    says="The states that were given are not used: layer k begins in s[:, k].",
)
def ignores_the_states(cells, x, s=None, dropout=None):
    return layers(cells, x, None, dropout, before=range(1, len(cells)))


@misconception(
    "4.8",
    replaces="stack",
    says="Only the highest layer's last state is returned; the next chunk needs those of all.",
)
def returns_one_state(cells, x, s=None, dropout=None):
    y, last = layers(cells, x, s, dropout, before=range(1, len(cells)))
    return y, last[:, -1:]


@misconception(
    "4.8",
    replaces="bidirectional",
    kind="idea",
    says="The outputs of the second cell are in its own order: reverse them, so that position t "
    "holds what it knew at step t.",
)
def does_not_turn_back(ahead, back, x):
    one, other = walk(ahead, x)[0], walk(back, x.flip(1))[0]
    return torch.cat([one[..., : ahead.H], other[..., : back.H]], dim=-1)


@misconception(
    "4.8",
    replaces="bidirectional",
    kind="idea",
    says="Both cells read from the beginning; the second must read from the end.",
)
def reads_ahead_twice(ahead, back, x):
    one, other = walk(ahead, x)[0], walk(back, x)[0]
    return torch.cat([one[..., : ahead.H], other[..., : back.H]], dim=-1)


@misconception(
    "4.8",
    replaces="bidirectional",
    says="The two outputs were added; put them side by side, 2 H numbers at each step.",
)
def adds_the_directions(ahead, back, x):
    one, other = walk(ahead, x)[0], walk(back, x.flip(1))[0].flip(1)
    return one[..., : ahead.H] + other[..., : back.H]
