"""Attention, from a decoder that looks back at its source, to heads, blocks and windows.

The heart of the file is one computation, in which T queries look at S keys:

    scores = q k^T / sqrt(K)     (..., T, S)   how well each key matches each query
    weights = softmax(scores)    (..., T, S)   nothing below 0, and each row sums to 1
    y = weights v                (..., T, V)   for each query, a weighted mean of the values

Sections 5.3 to 5.5 build it step by step, 5.6 hides keys from it, and 5.8 does it several times at
once. A first reading can leave out 5.7 (its gradient by hand) and 5.10 to 5.12 (less memory and
less work). Sections 5.1 and 5.2 show an older form of attention, in a translator.

(eq. 5.4) is an equation of chapter 5; 5.4 alone is a section and its task. The letters are those of
the chapter:

    B   sentences in a batch
    T   queries: the positions that look
    S   keys: the positions that are looked at
    D   numbers in a vector of the model, or in the state of a decoder
    E   numbers in a vector that is looked at, where this is not D
    K   numbers in a query or a key
    V   numbers in a value (in section 5.2: words of a vocabulary)
    H   heads
    G   heads of keys and values, where several heads of queries share one

A signature says what shapes a function takes and returns: `Float[Tensor, "B T D"]` is a tensor of
B * T * D floating-point numbers. Three dots stand for any number of leading axes, or none: a batch,
or a batch and its heads. They are the same for all arguments of a function, unless its text says
otherwise. `k.mT` swaps the last two axes of k: it is k^T for each of the leading axes. Tensors that
you make have the dtype and the device of those that you are given: torch.zeros(3).to(q).

A mask says where a query may look: True where it may, False where it may not.

Functions marked "Given" are complete. In the others, the first lines are given: `require` raises a
ValueError if an argument makes no sense. "On your honour" marks a rule that no test checks.
"""

import math

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from einops import rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

# PAD = 0 fills up short sentences, BOS = 1 begins and EOS = 2 ends one;
# until_end(rows) cuts each list of ids before its first EOS
from nextword.given.batches import BOS, EOS, PAD, until_end
from nextword.given.checks import require, require_attention, require_ids


# ------------------------------------------------------------------ 5.1 Additive attention
class AdditiveAttention(nn.Module):
    """A small network that scores how well a state and a word match (Bahdanau, Cho, Bengio 2015).

    D: length of a state. E: length of a word's vector. A: length to which both are mapped, so that
    they can be added.
    """

    def __init__(self, D: int, E: int, A: int) -> None:
        super().__init__()
        self.W = nn.Linear(D, A, bias=False)  # weight (A, D), for the state
        self.U = nn.Linear(E, A, bias=False)  # weight (A, E), for the words
        self.v = nn.Linear(A, 1, bias=False)  # weight (1, A), from their sum to a score

    def forward(
        self,
        s: Float[Tensor, "B D"],
        Uh: Float[Tensor, "B S A"],
        h: Float[Tensor, "B S E"],
        allowed: Bool[Tensor, "B S"],
    ) -> tuple[Float[Tensor, "B E"], Float[Tensor, "B S"]]:
        """Return the context vector of each sentence, and the attention weights of its words.

        One state s looks at the words of its sentence, with vectors h_j:

            score of word j     e_j = v . tanh(W s + U h_j)                 (eq. 5.1)
            weight of word j    a_j = exp(e_j) / sum_k exp(e_k)             (eq. 5.2)
            context               c = sum_j a_j h_j                         (eq. 5.3)

        Args:
            s: the state of the decoder, one for each sentence.
            Uh: self.U(h). It is the same at every step, so the caller computes it once.
            h: the vectors of the words.
            allowed: False where a word is hidden, such as padding. A hidden word has the weight 0,
                and the weights of the others sum to 1.

        Raises ValueError if all words of a sentence are hidden.
        `torch.softmax` may be used. About 4 lines. No loop, on your honour.

        Where v is 0, all scores are 0, and all words that are not hidden get the same weight:

        >>> attend = AdditiveAttention(D=1, E=1, A=1)
        >>> _ = nn.init.zeros_(attend.v.weight)
        >>> h = torch.tensor([[[4.0], [8.0], [500.0]]])
        >>> context, weights = attend(
        ...     torch.ones(1, 1), attend.U(h), h, torch.tensor([[True, True, False]])
        ... )
        >>> weights.tolist()
        [[0.5, 0.5, 0.0]]
        >>> context.tolist()
        [[6.0]]
        """
        require("allowed", "a row without any", bool(allowed.any(1).all()), "True once in each row")
        raise NotImplementedError("5.1 AdditiveAttention.forward: see section 5.1, equations 5.1 to 5.3")


# ------------------------------------------------------------------ 5.2 A decoder that attends
# A source sentence as the decoder sees it at every step: Uh, h and `allowed` of section 5.1
Source = tuple[Float[Tensor, "B S A"], Float[Tensor, "B S E"], Bool[Tensor, "B S"]]


class Translator(nn.Module):
    """Reads a sentence into one vector per word, and looks back at them as it writes.

    V_source, V_target: how many words the two languages have. W: length of a word's vector (not
    the matrix of section 5.1). D: length of a state. A: as in `AdditiveAttention`.

    A source sentence is a row of ids without BOS and EOS, filled up with PAD at its end.
    """

    def __init__(self, V_source: int, V_target: int, W: int, D: int, A: int) -> None:
        super().__init__()
        E = 2 * D  # what is looked at: two states of the encoder, one for each direction
        self.source = nn.Embedding(V_source, W)  # the vectors of the source words
        self.target = nn.Embedding(V_target, W)  # the vectors of the target words
        self.encoder = nn.GRU(W, D, batch_first=True, bidirectional=True)
        self.start = nn.Linear(D, D)  # from the encoder's last state to the decoder's first
        self.attend = AdditiveAttention(D, E, A)
        self.cell = nn.GRUCell(W + E, D)  # reads [word, context]
        self.out = nn.Linear(D + E + W, V_target)  # reads [state, context, word]

    def encode(self, source: Int[Tensor, "B S"]) -> tuple[Source, Float[Tensor, "B D"]]:
        """Given: return the source as `step` reads it, and the first state of the decoder.

        The encoder reads each sentence in both directions. At each word, h holds its two states
        side by side. The first state of the decoder is made from the one that has read from right
        to left.
        Raises ValueError if an id is not one of the V_source.
        """
        require_ids("source", source.unique().tolist(), self.source.num_embeddings)
        S = source.shape[1]
        allowed = source != PAD
        words = pack_padded_sequence(
            self.source(source), allowed.sum(1).cpu(), batch_first=True, enforce_sorted=False
        )
        states, last = self.encoder(words)  # last: (2, B, D), one for each direction
        h, _ = pad_packed_sequence(states, batch_first=True, total_length=S)
        s = torch.tanh(self.start(last[1]))
        return (self.attend.U(h), h, allowed), s

    def step(
        self, y: Int[Tensor, "B"], s: Float[Tensor, "B D"], source: Source
    ) -> tuple[Float[Tensor, "B V"], Float[Tensor, "B D"], Float[Tensor, "B S"]]:
        """Read one word; return the logits of the next word, the new state and the weights.

            c_i = the context for s_(i-1)                       (eq. 5.3)
            s_i = GRU([y_(i-1); c_i], s_(i-1))                  (eq. 5.4)
            z_i = W_out [s_i; c_i; y_(i-1)] + b_out             (eq. 5.5)

        It is the old state that looks, once per step, and both `cell` and `out` read the context
        that it finds. [a; b] is a and b concatenated, in this order.

        Args:
            y: the word that each sentence reads, as an id; `self.target` has its vector.
            s: the old state.
            source: as `encode` returns it.

        About 5 lines.

        >>> net = Translator(V_source=5, V_target=6, W=2, D=3, A=4)
        >>> source, s = net.encode(torch.tensor([[3, 4], [4, PAD]]))
        >>> logits, s, weights = net.step(torch.tensor([BOS, BOS]), s, source)
        >>> tuple(logits.shape), tuple(s.shape), tuple(weights.shape)
        ((2, 6), (2, 3), (2, 2))
        """
        raise NotImplementedError("5.2 Translator.step: see section 5.2, equations 5.4 and 5.5")

    def forward(
        self, source: Int[Tensor, "B S"], inputs: Int[Tensor, "B T"]
    ) -> tuple[Float[Tensor, "B T V"], Float[Tensor, "B T S"]]:
        """Take T steps; return their logits and weights.

        Step t reads column t of the inputs. This is teacher forcing: `inputs` holds the true words
        of the translation, BOS first. Each step hands its state on to the next. About 8 lines.

        >>> net = Translator(V_source=5, V_target=6, W=2, D=3, A=4)
        >>> logits, weights = net(torch.tensor([[3, 4]]), torch.tensor([[BOS, 4, 5]]))
        >>> tuple(logits.shape), tuple(weights.shape)
        ((1, 3, 6), (1, 3, 2))
        """
        raise NotImplementedError("5.2 Translator.forward: see section 5.2, equations 5.4 and 5.5")

    @torch.no_grad()
    def translate(self, source: Int[Tensor, "B S"], most: int = 60) -> list[list[int]]:
        """Translate each sentence: always write the likeliest word, and read it in the next step.

        The first step reads BOS. Stop when every row has an EOS, or when there are `most` words in
        each. Return the words that were written, each row cut before its first EOS (`until_end`).
        About 8 lines.

        Here the weights of `out` are 0, so its bias alone decides, and that is for word 5:

        >>> net = Translator(V_source=5, V_target=6, W=2, D=3, A=4)
        >>> _ = nn.init.zeros_(net.out.weight)
        >>> _ = net.out.bias.data.copy_(torch.tensor([0.0, 0.0, 0.0, 0.0, 0.0, 1.0]))
        >>> net.translate(torch.tensor([[3, 4], [4, PAD]]), most=3)
        [[5, 5, 5], [5, 5, 5]]
        """
        raise NotImplementedError("5.2 Translator.translate: see section 5.2, equations 5.4 and 5.5")


# ------------------------------------------------------------------ 5.3 The plain sum
def dot_product_sum(
    x: Float[Tensor, "... T D"],
) -> tuple[Float[Tensor, "... T D"], Float[Tensor, "... T T"]]:
    """Mix each vector with those that resemble it; return the mixtures and their weights.

        y_i = sum_j a_ij x_j,   a_ij = exp(x_i . x_j) / sum_k exp(x_i . x_k)           (eq. 5.6)

    Row i of the weights holds the a_ij. Nothing is learned and nothing is scaled. Gradients flow
    through the sum and through the weights.
    `torch.softmax` may be used. About 2 lines. No loop, on your honour.

    The first vector below is 0, so both of its products are 0, its weights are equal, and it
    becomes the mean of the two vectors:

    >>> y, weights = dot_product_sum(torch.tensor([[0.0, 0.0], [4.0, 2.0]]))
    >>> y[0]
    tensor([2., 1.])
    >>> weights[0]
    tensor([0.5000, 0.5000])
    """
    raise NotImplementedError("5.3 dot_product_sum: see section 5.3, equation 5.6")


# ------------------------------------------------------------------ 5.4 Query, key, value
def soft_lookup(
    q: Float[Tensor, "... T K"],
    k: Float[Tensor, "... S K"],
    v: Float[Tensor, "... S V"],
    temperature: float = 1.0,
) -> Float[Tensor, "... T V"]:
    """Return for each query a mean of the values, weighted by how well their keys match the query.

        y_i = sum_j a_ij v_j,   a_ij = softmax over j of (q_i . k_j / temperature)     (eq. 5.7)

    At temperature 0 the formula would divide by 0. Return its limit (eq. 5.8): the value whose key
    matches the query best or, if several match equally well, the mean of their values.
    (torch.argmax would name only one of them.)

    Raises ValueError if the shapes do not fit or the temperature is below 0.
    `torch.softmax` may be used. About 6 lines.

    >>> k = torch.eye(2)
    >>> v = torch.tensor([[10.0], [20.0]])
    >>> query = torch.tensor([[0.0, 1.0]])  # matches the second key
    >>> [soft_lookup(query, k, v, temperature).item() for temperature in (1e9, 0)]
    [15.0, 20.0]
    """
    require_attention(q, k, v)
    require("temperature", temperature, temperature >= 0, "0 or above")
    raise NotImplementedError("5.4 soft_lookup: see section 5.4, equations 5.7 to 5.9")


def self_attention(
    x: Float[Tensor, "... T D"],
    W_q: Float[Tensor, "K D"],
    W_k: Float[Tensor, "K D"],
    W_v: Float[Tensor, "V D"],
) -> Float[Tensor, "... T V"]:
    """Let the vectors of one text look at each other: queries, keys and values are made from x.

        q_i = W_q x_i,   k_i = W_k x_i,   v_i = W_v x_i                                (eq. 5.9)

    x_i is row i of x. Look up the values with `soft_lookup`, at temperature 1. Gradients flow to x
    and to all three matrices. About 4 lines.

    Here all queries are 0, so that all keys match equally well, and values are twice the vectors:

    >>> x = torch.tensor([[0.0, 2.0], [4.0, 0.0]])
    >>> self_attention(x, W_q=torch.zeros(2, 2), W_k=torch.eye(2), W_v=2 * torch.eye(2))
    tensor([[4., 2.],
            [4., 2.]])
    """
    raise NotImplementedError("5.4 self_attention: see section 5.4, equations 5.7 to 5.9")


# ------------------------------------------------------------------ 5.5 Scaled dot products
def softmax(scores: Float[Tensor, "... S"]) -> Float[Tensor, "... S"]:
    """Return the softmax over the last axis, for scores of any size.

        a_j = exp(e_j - max e) / sum_k exp(e_k - max e)                               (eq. 5.10)

    Subtracting the largest score of the row changes no weight, and exp cannot overflow. A score of
    -inf gets the weight 0.

    There is one special case: a row of nothing but -inf. Its weights are 0, and it sends back a
    gradient of 0. Keep 0 / 0 and -inf - (-inf) out of the computation, for both are NaN. To replace
    NaN afterwards (torch.where) is too late: it mends the weights, but not the gradient.

    Raises ValueError if the last axis is empty.
    Tests disable torch's own softmax and logsumexp. About 5 lines.

    >>> softmax(torch.tensor([[1000.0, 1000.0], [0.0, -math.inf], [-math.inf, -math.inf]]))
    tensor([[0.5000, 0.5000],
            [1.0000, 0.0000],
            [0.0000, 0.0000]])
    """
    require("scores", (*scores.shape,), scores.shape[-1] > 0, "of a shape with 1 score or more")
    raise NotImplementedError("5.5 softmax: see section 5.5, equations 5.10 and 5.11")


def attention(
    q: Float[Tensor, "... T K"],
    k: Float[Tensor, "... S K"],
    v: Float[Tensor, "... S V"],
    mask: Tensor | None = None,
) -> tuple[Float[Tensor, "... T V"], Float[Tensor, "... T S"]]:
    """Return the scaled dot-product attention of Vaswani et al. (2017), and its weights.

        weights = softmax(q k^T / sqrt(K) + mask),   y = weights v                     (eq. 5.11)

    Args:
        q, k, v: queries, keys and values.
        mask: None, or a tensor that can be expanded to (..., T, S): leading axes may be missing,
            and an axis of length 1 counts for all T or all S. If it is boolean, a query may look
            only where it is True, and one that may look nowhere gets zeros. If it holds floating-
            point numbers, they are added to the scaled scores, as the formula says.

    Raises ValueError if the shapes do not fit.
    Call your own `softmax`: tests stop torch's softmax and attention, and `look`. About 7 lines.

    The scores of the only query are 0 and ln 3, so its weights are 1 / 4 and 3 / 4:

    >>> q = torch.tensor([[1.0]])
    >>> k = torch.tensor([[0.0], [math.log(3)]])
    >>> v = torch.tensor([[0.0], [4.0]])
    >>> y, weights = attention(q, k, v)
    >>> weights
    tensor([[0.2500, 0.7500]])
    >>> round(y.item(), 3)
    3.0
    >>> attention(q, k, v, mask=torch.tensor([[True, False]]))
    (tensor([[0.]]), tensor([[1., 0.]]))
    """
    require_attention(q, k, v, mask)
    raise NotImplementedError("5.5 attention: see section 5.5, equations 5.10 and 5.11")


def look(
    q: Float[Tensor, "... T K"],
    k: Float[Tensor, "... S K"],
    v: Float[Tensor, "... S V"],
    mask: Tensor | None = None,
) -> tuple[Float[Tensor, "... T V"], Float[Tensor, "... T S"]]:
    """Given: return what `attention` returns, computed by torch's own attention.

    The functions below look with it, so that a mistake above costs nothing there.
    """
    require_attention(q, k, v, mask)
    # torch returns weights @ v only; with the unit matrix for v, these are the weights
    S = k.shape[-2]
    unit = torch.eye(S).to(v).expand(*k.shape[:-1], S)
    weights = F.scaled_dot_product_attention(q, k, unit, mask)
    return weights @ v, weights


# ------------------------------------------------------------------ 5.6 Masks
def causal_mask(T: int, S: int | None = None) -> Bool[Tensor, "T S"]:
    """Return the boolean mask in which no query sees a key that comes later in the text.

        query i sees key j if j <= i + S - T                                           (eq. 5.12)

    If S is not given, the queries are all words of the text, and S = T. Otherwise they are the last
    T of its S words. i and j count from 0.
    Raises ValueError unless 1 <= T <= S. About 3 lines.

    >>> causal_mask(3).int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> causal_mask(2, 3).int().tolist()
    [[1, 1, 0], [1, 1, 1]]
    """
    S = T if S is None else S
    require("T and S", (T, S), 1 <= T <= S, "1 or more, and S no less than T")
    raise NotImplementedError("5.6 causal_mask: see section 5.6, equations 5.12 and 5.13")


def padding_mask(lengths: Int[Tensor, "B"], S: int) -> Bool[Tensor, "B 1 S"]:
    """Return the boolean mask that hides the padding at the end of each sentence.

        every query sees key j of sentence b if j < lengths[b]                         (eq. 5.13)

    S is the length to which all sentences have been filled up. The axis of length 1 stands for any
    number of queries. Raises ValueError unless each length is between 0 and S. About 1 line.

    >>> padding_mask(torch.tensor([2, 3]), 3).int().tolist()
    [[[1, 1, 0]], [[1, 1, 1]]]
    """
    require("lengths", lengths.tolist(), all(0 <= n <= S for n in lengths), f"from 0 to {S}")
    raise NotImplementedError("5.6 padding_mask: see section 5.6, equations 5.12 and 5.13")


def additive_mask(
    mask: Bool[Tensor, "..."], dtype: torch.dtype = torch.float32
) -> Float[Tensor, "..."]:
    """Return numbers that do the work of a boolean mask when they are added to the scores.

    They are 0 where a query may look and -inf elsewhere, and have the given dtype.
    Raises ValueError if the mask is not boolean. About 1 line.

    >>> additive_mask(torch.tensor([[True, False]]))
    tensor([[0., -inf]])
    """
    require("mask", mask.dtype, mask.dtype == torch.bool, "boolean")
    raise NotImplementedError("5.6 additive_mask: see section 5.6, equations 5.12 and 5.13")


# ------------------------------------------------------------------ 5.7 Gradients by hand
@torch.no_grad()
def attention_gradients(
    q: Float[Tensor, "... T K"],
    k: Float[Tensor, "... S K"],
    v: Float[Tensor, "... S V"],
    weights: Float[Tensor, "... T S"],
    grad: Float[Tensor, "... T V"],
) -> tuple[Float[Tensor, "... T K"], Float[Tensor, "... S K"], Float[Tensor, "... S V"]]:
    """Return the gradients of a loss L with respect to q, k and v: dL/dq, dL/dk, dL/dv.

    Walk through `attention` backwards, from its output to its inputs (eq. 5.14 to 5.17):

        1. y = weights v                gives dL/dv and dL/dweights
        2. weights = softmax(scores)    gives dL/dscores
        3. scores = q k^T / sqrt(K)     gives dL/dq and dL/dk

    Args:
        q, k, v: what `attention` was given.
        weights: what it returned, 0 where a mask hid a key.
        grad: dL/dy, the gradient at its output y.

    Do not change any of them in place. Tests disable autograd. About 5 lines.

    >>> q = torch.tensor([[1.0]])
    >>> k = torch.tensor([[0.0], [0.0]])  # both keys fit equally well
    >>> v = torch.tensor([[0.0], [4.0]])
    >>> weights = torch.tensor([[0.5, 0.5]])
    >>> d_q, d_k, d_v = attention_gradients(q, k, v, weights, grad=torch.tensor([[1.0]]))
    >>> d_k  # the second value is above the mean, so to look there more makes y larger
    tensor([[-1.],
            [ 1.]])
    >>> d_v
    tensor([[0.5000],
            [0.5000]])
    """
    raise NotImplementedError("5.7 attention_gradients: see section 5.7, equations 5.14 to 5.17")


# ------------------------------------------------------------------ 5.8 Heads
class MultiHead(nn.Module):
    """H heads look at once, each with queries, keys and values of its own.

    D: numbers in a vector; a head works with K = D / H of them. E: numbers in a vector that is
    looked at, D if not given; only `CrossAttention` sets it.

    Raises ValueError unless D is divisible by H.
    """

    def __init__(self, D: int, H: int, E: int | None = None) -> None:
        super().__init__()
        require("D", D, H >= 1 and D % H == 0, f"divisible by {H} heads")
        E = D if E is None else E
        self.D = D
        self.H = H
        self.look = look  # an attribute, so that a layer can be given another
        # head h, counted from 0, owns the rows h K to (h + 1) K - 1 of W_q, W_k and W_v
        self.W_q = nn.Linear(D, D)  # weight (D, D), bias (D)
        self.W_o = nn.Linear(D, D)  # weight (D, D), bias (D)
        self.W_k = nn.Linear(E, D)  # weight (D, E), bias (D)
        self.W_v = nn.Linear(E, D)  # weight (D, E), bias (D)

    def forward(
        self, x: Float[Tensor, "B T D"], mask: Tensor | None = None
    ) -> tuple[Float[Tensor, "B T D"], Float[Tensor, "B H T T"]]:
        """Let the vectors of each text look at each other, with all heads at once.

            head h      y_h = attention of (W_q x)_h, (W_k x)_h, (W_v x)_h             (eq. 5.18)
            together      y = W_o [y_1; ...; y_H] + b_o                                (eq. 5.19)

        1. Compute W_q(x), W_k(x) and W_v(x), and cut each into heads, (B, H, T, K), by `rearrange`.
           (W_q x)_h are the K numbers that belong to head h, bias included.
        2. Give the mask an axis for the heads, since it holds for every head.
        3. Call self.look(q, k, v, mask). This is `look`, which takes any leading axes.
        4. Put the results of all heads side by side, (B, T, D), and send them through W_o.

        Return the new vectors, and the weights of each head. About 8 lines.

        mask: as in `attention`: (T, T), (B, T, T) or (B, 1, T).

        >>> heads = MultiHead(D=6, H=3)
        >>> y, weights = heads(torch.ones(2, 4, 6), mask=torch.ones(4, 4).tril().bool())
        >>> tuple(y.shape), tuple(weights.shape)
        ((2, 4, 6), (2, 3, 4, 4))
        """
        raise NotImplementedError("5.8 MultiHead.forward: see section 5.8, equations 5.18 and 5.19")


# ------------------------------------------------------------------ 5.9 Cross-attention
class CrossAttention(MultiHead):
    """Heads whose queries are made from one text, and keys and values from another, the memory.

    It has the parameters of a `MultiHead`. A vector of the memory has E numbers.
    """

    def remember(
        self, memory: Float[Tensor, "B S E"]
    ) -> tuple[Float[Tensor, "B H S K"], Float[Tensor, "B H S K"]]:
        """Return the keys and the values of all heads.

        They do not depend on who looks, so they are made once and serve any number of steps.
        They are cut into heads as in `MultiHead`. About 3 lines.

        >>> cross = CrossAttention(D=6, H=3, E=5)
        >>> k, v = cross.remember(torch.ones(2, 4, 5))
        >>> tuple(k.shape), tuple(v.shape)
        ((2, 3, 4, 2), (2, 3, 4, 2))
        """
        raise NotImplementedError("5.9 CrossAttention.remember: see section 5.9, equation 5.20")

    def forward(
        self,
        x: Float[Tensor, "B T D"],
        kv: tuple[Float[Tensor, "B H S K"], Float[Tensor, "B H S K"]],
        mask: Tensor | None = None,
    ) -> tuple[Float[Tensor, "B T D"], Float[Tensor, "B H T S"]]:
        """Let the vectors of x look at the memory, with all heads at once (eq. 5.20).

        The steps are those of `MultiHead.forward`, but keys and values are already there. Return
        the new vectors, and the weights of each head. About 6 lines.

        Args:
            x: the vectors that look.
            kv: the keys and the values of the memory, as `remember` returns them.
            mask: as in `attention`: (T, S), (B, T, S) or (B, 1, S), the same for all heads.

        >>> cross = CrossAttention(D=6, H=3, E=5)
        >>> kv = cross.remember(torch.ones(2, 4, 5))
        >>> mask = torch.tensor([[[True, True, False, False]], [[True, True, True, True]]])
        >>> y, weights = cross(torch.ones(2, 1, 6), kv, mask)
        >>> tuple(y.shape), tuple(weights.shape)
        ((2, 1, 6), (2, 3, 1, 4))
        """
        raise NotImplementedError("5.9 CrossAttention.forward: see section 5.9, equation 5.20")


# ------------------------------------------------------------------ 5.10 Shared keys and values
def grouped_attention(
    q: Float[Tensor, "B H T K"],
    k: Float[Tensor, "B G S K"],
    v: Float[Tensor, "B G S V"],
    mask: Tensor | None = None,
) -> tuple[Float[Tensor, "B H T V"], Float[Tensor, "B H T S"]]:
    """Return the attention of H heads of queries that share G heads of keys and values.

    The first H / G heads of q look at head 0 of k and v, the next H / G at head 1, and so on
    (Ainslie et al. 2023):

        head h of q looks at head floor(h G / H) of k and v                            (eq. 5.21)

    Never copy k or v. Treat the R = H / G heads of a group as one head with R T queries instead:

    1. Put the queries of these heads one below the other: (B, G, R T, K).
    2. Repeat the mask to match, as a whole: all its T rows, R times. Give it an axis for groups.
    3. Look with `look`.
    4. Take the heads apart again: y is (B, H, T, V), and the weights are (B, H, T, S).

    mask: as in `attention`: (T, S) or (B, T, S), with a row for each query, the same for all heads.

    Raises ValueError unless H is divisible by G. About 8 lines.

    Both heads of q look at the only head of k and v, whose two keys match equally well:

    >>> k = torch.zeros(1, 1, 2, 3)
    >>> v = torch.tensor([[[[2.0], [4.0]]]])
    >>> y, weights = grouped_attention(torch.ones(1, 2, 1, 3), k, v)
    >>> y.tolist()
    [[[[3.0]], [[3.0]]]]
    >>> weights.tolist()
    [[[[0.5, 0.5]], [[0.5, 0.5]]]]
    """
    H, T = q.shape[1:3]
    G = k.shape[1]
    require("H", H, G and H % G == 0, f"divisible into {G} groups")
    raise NotImplementedError("5.10 grouped_attention: see section 5.10, equations 5.21 and 5.22")


def cache_bytes(n_layers: int, G: int, K: int, T: int, n_bytes: int = 2) -> int:
    """Return how many bytes the keys and values of T words take in all layers (eq. 5.22).

    In each layer, a word has G keys and G values of K numbers each. A number takes n_bytes.
    About 1 line.

    >>> cache_bytes(n_layers=80, G=8, K=128, T=4096) / 2**30  # Llama 2 70B, in GiB
    1.25
    """
    raise NotImplementedError("5.10 cache_bytes: see section 5.10, equations 5.21 and 5.22")


# ------------------------------------------------------------------ 5.11 Attention in blocks
def blockwise_attention(
    q: Float[Tensor, "... T K"],
    k: Float[Tensor, "... S K"],
    v: Float[Tensor, "... S V"],
    causal: bool = False,
    block: int = 256,
) -> Float[Tensor, "... T V"]:
    """Return attention's output y, without ever holding T x S numbers.

    For each block of queries, go once through the keys, a block at a time, and keep three things
    for each query (Dao et al. 2022):

        top      m, the largest score so far                                           (eq. 5.23)
        total    l, the sum of exp(score - m) so far                                   (eq. 5.24)
        mixed    o, the sum of exp(score - m) times the value, so far                  (eq. 5.24)

    1. Compute the scores of these queries and this block of keys, scaled as in `attention`.
    2. If m grows, rescale l and o: multiply them by exp(old m - new m).
    3. Add the new scores' part to l and to o.

    After the last block of keys, the output is mixed / total (eq. 5.25). Write it without `causal`
    first. About 20 lines: two loops over blocks, and no other, on your honour.

    Args:
        q, k, v: as in `attention`.
        causal: if True, query i sees key j only if j <= i + S - T. Here S may be less than T; a
            query that sees no key gets zeros. If False, every query sees all keys.
        block: how many queries, and how many keys, are taken at a time. The last block of each
            may be smaller.

    Raises ValueError if the shapes do not fit or `block` is below 1.
    Tests measure how much memory all tensors that you make take at the same time: keep no scores of
    a block that you have read.

    The three keys match equally well, so each output is the mean of the values that its query sees:

    >>> q = torch.zeros(3, 2)
    >>> v = torch.tensor([[0.0], [3.0], [6.0]])
    >>> blockwise_attention(q, q, v, block=2).tolist()
    [[3.0], [3.0], [3.0]]
    >>> blockwise_attention(q, q, v, causal=True, block=2).tolist()
    [[0.0], [1.5], [3.0]]
    """
    require_attention(q, k, v)
    require("block", block, block >= 1, "at least 1")
    T, S = q.shape[-2], k.shape[-2]
    raise NotImplementedError("5.11 blockwise_attention: see section 5.11, equations 5.23 to 5.25")


# ------------------------------------------------------------------ 5.12 Windows
def windowed_attention(
    q: Float[Tensor, "... T K"],
    k: Float[Tensor, "... T K"],
    v: Float[Tensor, "... T V"],
    width: int,
) -> Float[Tensor, "... T V"]:
    """Return attention's output y, where each query sees at most `width` keys, its own among them.

        query i sees key j if i - width < j <= i                                       (eq. 5.26)

    Work and memory must grow only with T times width. So take `width` queries at a time, and with
    them only the keys and values that at least one of these queries sees. Look with `look`, and a
    mask for what each of them sees.

    Raises ValueError if the shapes do not fit, if there are not as many keys as queries, or if
    `width` is below 1.
    Tests measure how much memory all tensors that you make take at the same time. About 11 lines.

    All keys match equally well, so each output is the mean of the query's own value and the one
    before (the first query has only its own):

    >>> q = torch.zeros(3, 2)
    >>> v = torch.tensor([[0.0], [3.0], [6.0]])
    >>> windowed_attention(q, q, v, width=2).tolist()
    [[0.0], [1.5], [4.5]]
    """
    require_attention(q, k, v)
    require("width", width, width >= 1, "at least 1")
    require("T and S", (q.shape[-2], k.shape[-2]), q.shape[-2] == k.shape[-2], "equal")
    raise NotImplementedError("5.12 windowed_attention: see section 5.12, equations 5.26 and 5.27")


def receptive_field(width: int, n_layers: int) -> int:
    """Return how many words can influence one output vector through layers of windows (eq. 5.27).

    The vector's own word is one of them. Assume that the text is long enough. About 1 line.

    >>> receptive_field(width=3, n_layers=2)
    5
    """
    raise NotImplementedError("5.12 receptive_field: see section 5.12, equations 5.26 and 5.27")
