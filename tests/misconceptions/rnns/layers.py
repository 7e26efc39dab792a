"""Plausible mistakes in section 4.8: layers on layers, and two directions."""

import torch

from examiner.judge.misconceptions import misconception


def walk(cell, x, s=None, carry=lambda old, new: new):
    """Read a sequence; all states, and the last."""
    s = x.new_zeros(len(x), cell.S) if s is None else s
    states = []
    for a in cell.W(x).unbind(1):
        new = cell.step(a, s)
        states.append(new)
        s = carry(s, new)
    return torch.stack(states, dim=1), s


def layers(cells, x, s=None, dropout=None, first=None, before=range(1, 99), after=False):
    """Layers on layers with one thing changed."""
    last, cells = [], list(cells)
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
    kind="edge",
    says="Dropout changed the first inputs, too. It belongs between layers, not before the first.",
)
def drops_inputs(cells, x, s=None, dropout=None):
    return layers(cells, x, s, dropout, before=range(99))


@misconception(
    "4.8",
    replaces="stack",
    kind="edge",
    says="Dropout changed the last outputs, too. It belongs between layers, not after the last.",
)
def drops_outputs(cells, x, s=None, dropout=None):
    return layers(cells, x, s, dropout, after=True)


@misconception(
    "4.8",
    replaces="stack",
    kind="idea",
    says="A layer began in the last state of the one below. Each has its own first state: s[:, k].",
)
def hands_the_state_upwards(cells, x, s=None, dropout=None):
    def first(k, s, last):
        return last[-1] if last else None if s is None else s[:, 0]

    return layers(cells, x, s, dropout, first)


@misconception(
    "4.8",
    replaces="stack",
    says="The states that were given are not used: layer k begins in s[:, k].",
)
def ignores_the_states(cells, x, s=None, dropout=None):
    return layers(cells, x, None, dropout)


@misconception(
    "4.8",
    replaces="stack",
    says="Only the highest layer's last state is returned; the next chunk needs those of all.",
)
def returns_one_state(cells, x, s=None, dropout=None):
    y, last = layers(cells, x, s, dropout)
    return y, last[:, -1]


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


@misconception(
    "4.8",
    replaces="stack",
    kind="edge",
    says="Dropout is never used: it changes the outputs between two layers.",
)
def never_drops(cells, x, s=None, dropout=None):
    return layers(cells, x, s)


@misconception(
    "4.8",
    replaces="stack",
    kind="idea",
    says="All layers read the first inputs; a layer reads the outputs of the one below.",
)
def reads_the_first_inputs_again(cells, x, s=None, dropout=None):
    found = [
        layers([cell], x, None if s is None else s[:, k, None]) for k, cell in enumerate(cells)
    ]
    return found[-1][0], torch.cat([last for _, last in found], dim=1)


@misconception(
    "4.8",
    replaces="stack",
    says="Every layer began in the state of the lowest: layer k begins in s[:, k].",
)
def begins_all_in_one_state(cells, x, s=None, dropout=None):
    return layers(cells, x, s, dropout, lambda k, s, last: None if s is None else s[:, 0])


@misconception(
    "4.8",
    replaces="stack",
    says="The last states were stacked along the first axis: sequences come first, then layers.",
)
def puts_the_layers_first(cells, x, s=None, dropout=None):
    y, last = layers(cells, x, s, dropout)
    return y, last.transpose(0, 1)


@misconception(
    "4.8",
    replaces="stack",
    kind="edge",
    says="The cells may come from a generator, which has no length: go through them with "
    "enumerate.",
)
def counts_the_cells(cells, x, s=None, dropout=None):
    return layers(cells[: len(cells)], x, s, dropout)


@misconception(
    "4.8",
    replaces="bidirectional",
    kind="idea",
    says="The second cell read from the beginning, and its outputs were reversed. Let it read x "
    "in reverse, and reverse what it puts out.",
)
def turns_the_outputs_only(ahead, back, x):
    one, other = walk(ahead, x)[0], walk(back, x)[0].flip(1)
    return torch.cat([one[..., : ahead.H], other[..., : back.H]], dim=-1)


@misconception(
    "4.8",
    replaces="bidirectional",
    says="One cell reads in both directions; `back` has weights of its own.",
)
def uses_one_cell_twice(ahead, back, x):
    one, other = walk(ahead, x)[0], walk(ahead, x.flip(1))[0].flip(1)
    return torch.cat([one[..., : ahead.H], other[..., : ahead.H]], dim=-1)


@misconception(
    "4.8",
    replaces="bidirectional",
    says="The outputs of `back` stand first; those of `ahead` must.",
)
def puts_back_first(ahead, back, x):
    one, other = walk(ahead, x)[0], walk(back, x.flip(1))[0].flip(1)
    return torch.cat([other[..., : back.H], one[..., : ahead.H]], dim=-1)
