"""Plausible mistakes in section 4.3: a cell, and a network that runs it."""

import torch

from examiner.judge.misconceptions import misconception


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
    kind="edge",
    says="The outputs are the first cell.H numbers of the states, not all of them.",
)
def returns_whole_states(cell, x, s=None):
    return walk(cell, x, s)


@misconception(
    "4.3",
    replaces="run",
    kind="edge",
    says="The second result must be the whole last state, not only the output in it: without the "
    "rest the next call cannot go on.",
)
def returns_the_last_output(cell, x, s=None):
    states, last = walk(cell, x, s)
    return states[..., : cell.H], last[:, : cell.H]


@misconception(
    "4.3",
    replaces="run",
    kind="edge",
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
    replaces="run",
    kind="idea",
    says="Each output is the state before its word: take the step first, then keep the output.",
)
def returns_the_states_before(cell, x, s=None):
    s = x.new_zeros(len(x), cell.S) if s is None else s
    states, last = walk(cell, x, s)
    return torch.cat([s[:, None], states[:, :-1]], dim=1)[..., : cell.H], last


@misconception(
    "4.3",
    replaces="run",
    says="The steps were stacked along the first axis: sequences come first, then steps (dim=1).",
)
def puts_time_first(cell, x, s=None):
    states, last = walk(cell, x, s)
    return states[..., : cell.H].transpose(0, 1), last


@misconception(
    "4.3",
    replaces="run",
    kind="edge",
    says="The output is the first cell.H numbers of a state, not the last.",
)
def takes_the_end_of_the_state(cell, x, s=None):
    states, last = walk(cell, x, s)
    return states[..., -cell.H :], last


@misconception(
    "4.3",
    replaces="run",
    says="A step is made here by a tanh. `run` serves every cell: call cell.step(a, s).",
)
def steps_by_itself(cell, x, s=None):
    s = x.new_zeros(len(x), cell.S) if s is None else s
    states = []
    for a in cell.W(x).unbind(1):
        s = torch.tanh(a + cell.U(s[:, : cell.H]))
        states.append(s[:, : cell.H])
    return torch.stack(states, dim=1), s


@misconception(
    "4.3",
    replaces="ElmanCell.step",
    kind="idea",
    says="There is no tanh: the new state is the tanh of a + U s.",
)
def steps_without_a_tanh(self, a, s):
    return a + self.U(s)


@misconception(
    "4.3",
    replaces="ElmanCell.step",
    kind="idea",
    says="U reads a here; it must read the old state.",
)
def applies_u_to_the_input(self, a, s):
    return torch.tanh(self.U(a) + s)


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
    kind="idea",
    says="That is the sigmoid; equation 4.10 has tanh.",
)
def steps_with_the_sigmoid(self, a, s):
    return torch.sigmoid(a + self.U(s))


@misconception(
    "4.3",
    replaces="run",
    kind="edge",
    says="The sequences are read one by one. A step takes all of them at once: no loop over "
    "sequences.",
)
def reads_one_sequence_at_a_time(cell, x, s=None):
    s = x.new_zeros(len(x), cell.S) if s is None else s
    read = [walk(cell, x[k : k + 1], s[k : k + 1]) for k in range(len(x))]
    states, last = (torch.cat(each) for each in zip(*read, strict=True))
    return states[..., : cell.H], last
