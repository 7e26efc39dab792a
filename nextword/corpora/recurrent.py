"""What chapter 4 gives: what all cells share, and the parts of a translator. Leaves out: the steps.

There are B sequences of T steps. An input is D numbers, an output H, a state S.
"""

from torch import Tensor, nn

from nextword.corpora.checks import require

Rows, Weights = list[list[int]], dict[str, Tensor]  # rows of ids: stories without BOS and EOS


class Cell(nn.Module):
    """One step of a recurrent network. The first H numbers of its state of S are its output h.

    W and U are linear layers. W reads the input: a = W x + b. U reads the old output. Parameters:
    W.weight (G H, D), W.bias (G H), U.weight (G H, H), in G blocks of H rows.
    """

    blocks, carried, second_bias = 1, 1, False  # G, S / H, and whether there is a U.bias

    def __init__(self, D: int, H: int) -> None:
        super().__init__()
        self.D, self.H, self.S, rows = D, H, self.carried * H, self.blocks * H
        self.W, self.U = nn.Linear(D, rows), nn.Linear(H, rows, self.second_bias)


def first_state(cell: Cell, x: Tensor, s: Tensor | None) -> Tensor:
    """Return the state in which a cell begins to read x, (B, T, D): s, or zeros where it is None.

    Raises ValueError where x has no step or another D, and where s is not of shape (B, S).

    >>> first_state(Cell(2, 3), Tensor(4, 1, 2), None).shape
    torch.Size([4, 3])
    """
    require("x", (*x.shape,), x.shape[1] and x.shape[2] == cell.D, f"(B, 1 or more, {cell.D})")
    s = x.new_zeros(len(x), cell.S) if s is None else s
    require("s", (*s.shape,), s.shape == (len(x), cell.S), f"({len(x)}, {cell.S})")
    return s


class TwoNetworks(nn.Module):
    """The parts of an encoder and decoder, not yet at work.

    `source` and `target` turn words into vectors, `encoder` and `decoder` are torch's GRUs (that of
    chapter 4, but faster), `out` gives logits. Sources have no BOS or EOS; PAD fills them up.
    """

    def __init__(self, V_source: int, V_target: int, D: int, H: int) -> None:
        super().__init__()
        self.source, self.target = nn.Embedding(V_source, D), nn.Embedding(V_target, D)
        self.encoder, self.decoder = (nn.GRU(D, H, batch_first=True) for _ in range(2))
        self.out = nn.Linear(H, V_target)
