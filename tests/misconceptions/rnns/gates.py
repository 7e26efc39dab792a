"""Plausible mistakes in sections 4.6 and 4.7: the LSTM and the GRU."""

import torch

from examiner.judge.misconceptions import misconception


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
    kind="idea",
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


@misconception(
    "4.6",
    replaces="LSTMCell.step",
    says="The blocks stand in the order i, f, g, o; you took the second for g and the third for f.",
)
def takes_f_for_g(self, a, s):
    return torch.cat(lstm(self, a, s, order="igfo")[:2], dim=-1)


@misconception(
    "4.6",
    replaces="LSTMCell.step",
    kind="idea",
    says="1 - f lets the candidate in. The input gate i is a gate of its own.",
)
def ties_the_input_gate(self, a, s):
    _, f, g, o = (a + self.U(s[..., : self.H])).chunk(4, dim=-1)
    c = f.sigmoid() * s[..., self.H :] + (1 - f.sigmoid()) * g.tanh()
    return torch.cat([o.sigmoid() * c.tanh(), c], dim=-1)


@misconception(
    "4.6",
    replaces="LSTMCell.step",
    kind="idea",
    says="U reads the old c; it must read the old h, the first H numbers of s.",
)
def reads_the_memory(self, a, s):
    _, c = s.chunk(2, dim=-1)
    _, c, o = lstm(self, a, torch.cat([c, c], dim=-1))
    return torch.cat([o * c.tanh(), c], dim=-1)


@misconception(
    "4.6",
    replaces="LSTMCell.step",
    says="The forget gate got an extra 1. A bias that opens it belongs to the weights.",
)
def opens_the_forget_gate(self, a, s):
    i, f, g, o = (a + self.U(s[..., : self.H])).chunk(4, dim=-1)
    c = (f + 1).sigmoid() * s[..., self.H :] + i.sigmoid() * g.tanh()
    return torch.cat([o.sigmoid() * c.tanh(), c], dim=-1)


@misconception(
    "4.6",
    replaces="LSTMCell.step",
    kind="idea",
    says="i, f and o are not pressed into the range from 0 to 1: the sigmoid is missing.",
)
def leaves_gates_unbounded(self, a, s):
    i, f, g, o = (a + self.U(s[..., : self.H])).chunk(4, dim=-1)
    c = f * s[..., self.H :] + i * g.tanh()
    return torch.cat([o * c.tanh(), c], dim=-1)


@misconception(
    "4.6",
    replaces="LSTMCell.step",
    kind="idea",
    says="Only h is returned. The next step needs c as well: both, side by side.",
)
def returns_h_alone(self, a, s):
    return lstm(self, a, s)[0]


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
    kind="idea",
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


@misconception(
    "4.7",
    replaces="GRUCell.step",
    says="U.bias is missing: `self.U(s)` adds it, the weight alone does not.",
)
def forgets_the_bias_of_u(self, a, s):
    (a_r, a_z, a_n), u = a.chunk(3, dim=-1), s @ self.U.weight.T
    u_r, u_z, u_n = u.chunk(3, dim=-1)
    r, z = (a_r + u_r).sigmoid(), (a_z + u_z).sigmoid()
    return (1 - z) * torch.tanh(a_n + r * u_n) + z * s


@misconception(
    "4.7",
    replaces="GRUCell.step",
    kind="idea",
    says="n goes through the sigmoid. It is no gate, but the candidate: take tanh.",
)
def makes_the_candidate_a_gate(self, a, s):
    r, z, a_n, u_n = gru(self, a, s)
    return (1 - z) * torch.sigmoid(a_n + r * u_n) + z * s


@misconception(
    "4.7",
    replaces="GRUCell.step",
    kind="idea",
    says="The candidate is added whole: it counts by the share 1 - z only.",
)
def adds_the_whole_candidate(self, a, s):
    r, z, a_n, u_n = gru(self, a, s)
    return torch.tanh(a_n + r * u_n) + z * s


@misconception(
    "4.7",
    replaces="GRUCell.step",
    kind="idea",
    says="The reset gate plays no part: r multiplies what U has made of the state.",
)
def never_resets(self, a, s):
    _, z, a_n, u_n = gru(self, a, s)
    return (1 - z) * torch.tanh(a_n + u_n) + z * s
