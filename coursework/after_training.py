"""After pre-training: instructions, preferences and rewards, for any language model.

The heart of the file is five losses, which differ in what is known of an answer:

    7.1  answer_loss        it is good                -mean log p of its tokens
    7.4  preference_loss    which of two is better    -mean log sigmoid(r_chosen - r_rejected)
    7.5  policy_loss        its reward r              -mean (r - baseline) log p
    7.7  clipped_loss       its reward r              7.5, for several steps on the same answers
    7.8  dpo_loss           which of two is better    7.4, with r = beta log(p / p_reference)

The loss of 7.4 trains a judge, and the others train the language model. The leash (7.6) keeps it
near the reference, the model before tuning: beta is the price of a nat of distance. A first reading
can leave out 7.2 (fewer numbers to learn), 7.3 (choosing without learning) and 7.9 (wrong judges).

(eq. 7.4) is an equation of chapter 7; 7.4 alone is a section and its task. The letters are those of
the chapter:

    B   texts side by side: a batch        N   all texts of a language, if we can list them
    T   tokens of a text                   G   answers to one prompt: a group
    V   words of the vocabulary            M   judges of the same texts
    D   numbers of a token's vector        R   rank of a LoRA

In formulas, A and B are the two matrices of a LoRA in section 7.2, and A is an advantage in 7.7.

Float[Tensor, "B T V"] is a tensor of floats with the axes B, T and V. "*B" is any number of axes.
Logarithms are natural, so log-probabilities, losses and distances are in nats. log_p is the
log-probability of a text under the model as it is now, a sum over the text's tokens. r is a reward,
any number, and more is better.

The models are made elsewhere. `logits, _ = model(rows)` takes ids, (B, T), and gives logits,
(B, T, V). Those at place t predict the token at place t + 1, so the targets are the inputs, shifted
by one. A target that is IGNORE is not counted.

Functions marked "Given" are complete. In the others, the first lines may be given: they raise a
ValueError if an argument makes no sense. "On your honour" marks a rule that no test checks.

All of it together, one step towards an assistant whose answers are right:

    inputs, targets = answer_batch([render_chat(turns, marks) for turns in chats])
    old = token_log_probs(model(inputs)[0], targets).detach()  # of the model that wrote the answers
    rewards = verified(texts, answers).view(-1, G)  # G answers to each prompt
    advantages = group_advantages(rewards).flatten()
    tune_step(model, reference, optimizer, inputs, targets, old, advantages, beta=0.05)
"""

import copy
import math
from collections import Counter
from collections.abc import Callable, Hashable

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from nextword.given.batches import BOS, EOS, PAD  # the ids 1, 2, 0
from nextword.given.checks import require

IGNORE = -100  # a target that is not counted: F.cross_entropy leaves it out by itself


def require_alike(**tensors: Tensor) -> None:
    """Given: raise ValueError unless the tensors have one shape, and all numbers are finite.

    Without it, shapes (3,) and (1,) would be combined silently, and one NaN would spoil a model.

    >>> require_alike(chosen=torch.ones(3), rejected=torch.ones(1))
    Traceback (most recent call last):
    ValueError: rejected must be of the shape of chosen, (3,), got (1,)
    """
    (first, one), *_ = tensors.items()
    for name, tensor in tensors.items():
        shape = (*tensor.shape,)
        expected = (*one.shape,)
        require(name, shape, shape == expected, f"of the shape of {first}, {expected}")
        require(name, shape, tensor.numel(), "at least one number")
        wrong = tensor[~tensor.isfinite()].tolist()
        require(name, wrong, not wrong, "finite numbers")


# ------------------------------------------------------------------ 7.1 Answers only
def render_chat(
    turns: list[tuple[str, list[int]]], marks: dict[str, int]
) -> tuple[list[int], list[bool]]:
    """Write a conversation as one row of ids, and say which of them the model must learn to write.

    A turn is a role and the ids of its words; marks[role] is the id that opens a turn of this role.
    The row is BOS, then for each turn its mark, its words and EOS.

    The second list is as long as the row. It is True for what the assistant writes: the words of
    its turns, and the EOS after them, since the model must also learn to stop. It is False for
    everything else, including all marks.

    The given lines raise ValueError if there are no turns, a role has no mark, or no turn is the
    assistant's. About 8 lines.

    >>> marks = {"user": 3, "assistant": 4}
    >>> row, answer = render_chat([("user", [7, 8]), ("assistant", [9])], marks)
    >>> row
    [1, 3, 7, 8, 2, 4, 9, 2]
    >>> [int(each) for each in answer]
    [0, 0, 0, 0, 0, 0, 1, 1]
    """
    roles = [role for role, _ in turns]
    require("roles", roles, all(role in marks for role in roles), f"among {', '.join(marks)}")
    require("roles", roles, "assistant" in roles, "those of a chat in which the assistant speaks")
    raise NotImplementedError("7.1 render_chat: see section 7.1, equation 7.1")


def answer_batch(
    rows: list[tuple[list[int], list[bool]]],
) -> tuple[Int[Tensor, "B T"], Int[Tensor, "B T"]]:
    """Return the inputs and the targets of several rows of `render_chat`, of any lengths.

    The inputs are the row without its last token and the targets the row without its first, so each
    target is the next token. Targets that are no part of an answer become IGNORE. Shorter rows are
    filled up, on the right, with PAD in the inputs and IGNORE in the targets.

    The given lines raise ValueError if there are no rows, if the two lists of a row differ in
    length, or if a row has no token to learn. About 8 lines.

    >>> inputs, targets = answer_batch([
    ...     ([1, 3, 7, 2, 4, 9, 2], [False, False, False, False, False, True, True]),
    ...     ([1, 4, 8, 2], [False, False, True, True]),
    ... ])
    >>> inputs
    tensor([[1, 3, 7, 2, 4, 9],
            [1, 4, 8, 0, 0, 0]])
    >>> targets
    tensor([[-100, -100, -100, -100,    9,    2],
            [-100,    8,    2, -100, -100, -100]])
    """
    require("rows", rows, rows, "at least one row")
    for row, answer in rows:
        require("answer", answer, len(answer) == len(row), f"as long as its row, {len(row)}")
        require("answer", answer, any(answer[1:]), "True for a token after the first")
    raise NotImplementedError("7.1 answer_batch: see section 7.1, equation 7.1")


def answer_loss(logits: Float[Tensor, "B T V"], targets: Int[Tensor, "B T"]) -> Float[Tensor, ""]:
    """Return the mean cross-entropy of all targets of the batch that are not IGNORE (eq. 7.1).

        -1/n sum over all such places (b, t) of log softmax(logits[b, t])[targets[b, t]]

    n is the number of these places in the whole batch, so each token counts alike, whether its text
    has many of them or few. The given line raises ValueError if there are none. About 1 line.

    >>> logits = torch.tensor([[[1.0, 1.0], [1.0, 1.0]], [[1.0, 3.0], [1.0, 3.0]]]).log()
    >>> targets = torch.tensor([[IGNORE, 0], [0, 1]])
    >>> answer_loss(logits, targets)  # the mean of -ln 1/2, -ln 1/4 and -ln 3/4
    tensor(0.7890)
    """
    require("targets", "only IGNORE", (targets != IGNORE).any(), "a token to learn somewhere")
    raise NotImplementedError("7.1 answer_loss: see section 7.1, equation 7.1")


# ------------------------------------------------------------------ 7.2 LoRA
class LoRA(nn.Module):
    """A linear layer that stays as it is, and beside it a product of two thin matrices that learns.

        y = W x + b + (alpha / R) B A x     (eq. 7.2)

    A starts at random and B at 0, so that at first nothing changes (Hu et al. 2022).
    """

    def __init__(self, base: nn.Linear, R: int, alpha: float) -> None:
        super().__init__()
        require("R", R, R >= 1, "at least 1")
        n_out, n_in = base.weight.shape
        self.base = base.requires_grad_(False)  # W, (n_out, n_in), and b, (n_out,) or None
        start = base.weight.new_empty(R, n_in).normal_(std=1 / math.sqrt(n_in))
        self.A = nn.Parameter(start)  # (R, n_in)
        self.B = nn.Parameter(base.weight.new_zeros(n_out, R))  # (n_out, R)
        self.scale = alpha / R

    def forward(self, x: Float[Tensor, "*B n_in"]) -> Float[Tensor, "*B n_out"]:
        """Return W x + b + (alpha / R) B A x for each vector x (eq. 7.2). About 2 lines.

        `self.base` is the layer with W and b, and `self.scale` is alpha / R. On your honour: never
        build the matrix B A, which is as large as W.

        >>> base = nn.Linear(2, 1, bias=False)
        >>> base.weight.data = torch.tensor([[1.0, 2.0]])
        >>> layer = LoRA(base, R=1, alpha=2.0)
        >>> layer.A.data, layer.B.data = torch.tensor([[1.0, 1.0]]), torch.tensor([[3.0]])
        >>> layer(torch.tensor([1.0, 1.0])).tolist()  # 3 + 2 (3 (1 + 1))
        [15.0]
        """
        raise NotImplementedError("7.2 LoRA.forward: see section 7.2, equations 7.2 and 7.3")

    def merged(self) -> nn.Linear:
        """Return a new plain layer that gives the same outputs; self.base is not changed (eq. 7.3).

        Its matrix is W + (alpha / R) B A, and its bias is that of the base, or None. It has the
        dtype and the device of the base, and shares no memory with it. About 6 lines.

        >>> base = nn.Linear(2, 1, bias=False)
        >>> base.weight.data = torch.tensor([[1.0, 2.0]])
        >>> layer = LoRA(base, R=1, alpha=2.0)
        >>> layer.A.data, layer.B.data = torch.tensor([[1.0, 1.0]]), torch.tensor([[3.0]])
        >>> layer.merged().weight.tolist(), layer.base.weight.tolist()
        ([[7.0, 8.0]], [[1.0, 2.0]])
        """
        raise NotImplementedError("7.2 LoRA.merged: see section 7.2, equations 7.2 and 7.3")


def add_lora(model: nn.Module, names: tuple[str, ...], R: int, alpha: float) -> list[nn.Parameter]:
    """Freeze a model, put a LoRA in place of some layers, and return what is left to learn.

    1. Find each nn.Linear whose own name is among `names`. A layer's own name is what follows the
       last dot of its path in model.named_modules(). Find all of them before you change anything,
       or the layers inside a new LoRA are found, too.
    2. Raise ValueError if there are none, with nothing changed.
    3. Freeze every parameter of the model: requires_grad is False.
    4. Replace each layer by LoRA(layer, R, alpha): model.get_submodule(path) is the module that
       holds it ("" is the model itself), and setattr(parent, name, lora) replaces it. That also
       works for a list of modules, whose names are "0", "1", ...

    Return A and B of the first LoRA, A and B of the second, ..., as named_modules() orders them.
    About 12 lines.

    >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    >>> [tuple(each.shape) for each in add_lora(model, ("2",), R=4, alpha=8.0)]
    [(4, 3), (1, 4)]
    >>> type(model[0]).__name__, type(model[2]).__name__, model[0].weight.requires_grad
    ('Linear', 'LoRA', False)
    """
    raise NotImplementedError("7.2 add_lora: see section 7.2, equations 7.2 and 7.3")


# ------------------------------------------------------------------ 7.3 Choosing among samples
def majority(answers: list[Hashable | None]) -> Hashable | None:
    """Return the most frequent answer that is not None (eq. 7.4).

    None means that a sample gave no answer, so it has no vote. Of equally frequent answers, return
    the one that occurs first. If there is no answer at all, return None. About 3 lines.

    >>> majority(["ten", None, "two", "six", "six", None, None, "two"])
    'two'
    """
    raise NotImplementedError("7.3 majority: see section 7.3, equations 7.4 to 7.7")


def pass_at_k(n: int, c: int, k: int) -> float:
    """Return the chance that k of n samples, drawn without replacement, hold a right one (eq. 7.5).

        1 - C(n - c, k) / C(n, k)

    c of the n samples are right. C(n, k) is `math.comb`: the number of ways to choose k of n, 0 if
    k > n. On average this is the chance that k new samples hold a right one, for which
    1 - (1 - c / n)^k is too small (Chen et al. 2021).

    For n = 10,000, C(n, k) may be larger than any float: divide the integers as they are, which
    Python does without overflow.

    The given lines raise ValueError unless 0 <= c <= n and 1 <= k <= n. About 1 line.

    >>> round(pass_at_k(4, 2, 2), 4)  # 1 - 1/6: one pair of six has no right answer
    0.8333
    """
    require("c", c, 0 <= c <= n, f"from 0 to n = {n}")
    require("k", k, 1 <= k <= n, f"from 1 to n = {n}")
    raise NotImplementedError("7.3 pass_at_k: see section 7.3, equations 7.4 to 7.7")


def best_of_n(log_p: Float[Tensor, "N"], rewards: Float[Tensor, "N"], n: int) -> Float[Tensor, "N"]:
    """Return the log-probability that each text is the best of n samples, exactly (eq. 7.6).

        log [ p(x) / p(level) (P(r <= r_x)^n - P(r < r_x)^n) ]

    log_p are the log-probabilities of all texts of the language. The level of x is the set of texts
    that have its reward r_x. p(level) is their probability, P(r <= r_x) that of all texts with at
    most this reward, and P(r < r_x) that of all with less. The difference is the chance that the
    best of the n samples is on the level of x; the texts of a level share it in proportion to p.

    Rare texts must survive, so work with logarithms: `logsumexp` over the rows of a table (N, N)
    adds probabilities. The difference is P(r <= r_x)^n (1 - (1 - q)^n), where q is
    p(level) / P(r <= r_x). The last factor is -torch.expm1(n * torch.log1p(-q)), even for a tiny q.

    The given lines raise ValueError if a number is not finite, the probabilities do not sum to 1,
    or n < 1. About 7 lines.

    >>> p, rewards = torch.tensor([0.5, 0.125, 0.375]), torch.tensor([0.0, 1.0, 1.0])
    >>> best_of_n(p.log(), rewards, n=2).exp()  # 1/4; and 3/4, divided 1 to 3
    tensor([0.2500, 0.1875, 0.5625])
    """
    require_alike(log_p=log_p, rewards=rewards)
    total = log_p.logsumexp(0).exp().item()
    require("probabilities", total, abs(total - 1) < 1e-3, "of sum 1: log_p are all texts'")
    require("n", n, n >= 1, "at least 1")
    raise NotImplementedError("7.3 best_of_n: see section 7.3, equations 7.4 to 7.7")


def best_of_n_kl(n: int) -> float:
    """Return log n - (n - 1) / n, in nats (eq. 7.7). About 1 line.

    This is KL(best of n || p) if no two texts have the same reward and no single text is likely. In
    all other cases the KL is at most this. The given line raises ValueError if n < 1.

    >>> round(best_of_n_kl(4), 4)  # 1.3863 - 3/4
    0.6363
    """
    require("n", n, n >= 1, "at least 1")
    raise NotImplementedError("7.3 best_of_n_kl: see section 7.3, equations 7.4 to 7.7")


# ------------------------------------------------------------------ 7.4 A reward model
class RewardModel(nn.Module):
    """A network that has learned to read, and one new linear layer that turns a text into a number.

    reader(rows) takes ids, (B, T), and returns a vector for each token, (B, T, D).
    """

    def __init__(self, reader: nn.Module | Callable[[Tensor], Tensor], D: int) -> None:
        super().__init__()
        self.reader = reader
        self.head = nn.Linear(D, 1)  # weight: (1, D)

    def forward(self, rows: Int[Tensor, "B T"]) -> Float[Tensor, "B"]:
        """Return the reward of each text: the head's number for its last token (eq. 7.9).

        Rows are filled up with PAD, mostly on the right; but a PAD may also stand before a text or
        inside it. The last token is at the last place that is not PAD: only there has a reader that
        looks back seen the whole text.

        The given line raises ValueError if a row is nothing but PAD. About 4 lines.

        >>> model = RewardModel(lambda rows: rows[..., None].float(), D=1)  # vector: the id itself
        >>> model.head.weight.data.fill_(1.0), model.head.bias.data.fill_(0.5)
        (tensor([[1.]]), tensor([0.5000]))
        >>> model(torch.tensor([[BOS, 7, 5, 9], [BOS, 4, PAD, PAD]])).tolist()
        [9.5, 4.5]
        """
        require("rows", "only PAD", (rows != PAD).any(1).all(), "texts with at least one token")
        raise NotImplementedError("7.4 RewardModel.forward: see section 7.4, equations 7.8 to 7.10")


def preference_loss(
    chosen: Float[Tensor, "B"], rejected: Float[Tensor, "B"], scale: float = 1.0
) -> Float[Tensor, ""]:
    """Return the mean cross-entropy of a judge's choices between two texts (eq. 7.10).

        mean over all pairs of -log sigmoid(scale (r_chosen - r_rejected))

    chosen and rejected are the rewards that a model gives to the two texts of each pair. By Bradley
    and Terry (1952), a judge prefers text 1 to text 2 with probability sigmoid(scale (r_1 - r_2))
    (eq. 7.8). It must stay finite where rewards differ by 10,000 (see `F.logsigmoid`).

    The given line raises ValueError if there is not one rejected text for each chosen one, there
    are no pairs, or a reward is not finite. About 1 line.

    >>> preference_loss(torch.tensor([math.log(3)]), torch.tensor([0.0]))  # -ln 3/4
    tensor(0.2877)
    >>> preference_loss(torch.tensor([0.0]), torch.tensor([1e4]), scale=2.0)
    tensor(20000.)
    """
    require_alike(chosen=chosen, rejected=rejected)
    raise NotImplementedError("7.4 preference_loss: see section 7.4, equations 7.8 to 7.10")


# ------------------------------------------------------------------ 7.5 The policy gradient
def text_log_probs(
    logits: Float[Tensor, "B T V"], targets: Int[Tensor, "B T"]
) -> Float[Tensor, "B"]:
    """Return the log-probability of each text: of its targets that are not IGNORE (eq. 7.11).

        log p(text b) = sum over all such places t of log softmax(logits[b, t])[targets[b, t]]

    It is a sum and not a mean, since a text's probability is a product. Gradients flow through it.
    A token may be impossible, with a logit of -inf: the product of 0 and its logarithm is NaN.
    About 2 lines.

    >>> logits = torch.tensor([[[1.0, 1.0], [1.0, 3.0]], [[1.0, 1.0], [1.0, 3.0]]]).log()
    >>> targets = torch.tensor([[0, 1], [IGNORE, 0]])
    >>> text_log_probs(logits, targets).exp()  # 1/2 3/4 and 1/4
    tensor([0.3750, 0.2500])
    """
    raise NotImplementedError("7.5 text_log_probs: see section 7.5, equations 7.11 to 7.15")


def leave_one_out(rewards: Float[Tensor, "B"]) -> Float[Tensor, "B"]:
    """Return for each text the mean reward of the others, a baseline that adds no bias (eq. 7.14).

    No loop. The given lines raise ValueError if there are fewer than two texts or if a reward is
    not finite. About 1 line.

    >>> leave_one_out(torch.tensor([1.0, 2.0, 6.0]))
    tensor([4.0000, 3.5000, 1.5000])
    """
    require_alike(rewards=rewards)
    require("B", len(rewards), len(rewards) >= 2, "at least 2: one text has no others")
    raise NotImplementedError("7.5 leave_one_out: see section 7.5, equations 7.11 to 7.15")


def policy_loss(
    log_p: Float[Tensor, "B"], rewards: Float[Tensor, "B"], baseline: Float[Tensor, "B"]
) -> Float[Tensor, ""]:
    """Return a loss whose gradient is that of the expected reward, negated, on average (eq. 7.15).

        -mean((r - b) log p)

    r are the rewards of texts that were sampled from the model that gives log_p, and b is the
    baseline. The value means nothing. The gradient, -mean((r - b) d log p), is an unbiased estimate
    of -d E[r] (eq. 7.12, 7.13). No gradient may flow through r or b, even where they were computed
    with gradients.

    The given line raises ValueError if sizes differ or a number is not finite. About 2 lines.

    >>> log_p = torch.tensor([-1.0, -2.0], requires_grad=True)
    >>> loss = policy_loss(log_p, torch.tensor([1.0, 0.0]), torch.tensor([0.5, 0.0]))
    >>> loss.item()  # -(0.5 (-1) + 0 (-2)) / 2
    0.25
    >>> loss.backward()
    >>> log_p.grad
    tensor([-0.2500, -0.0000])
    """
    require_alike(log_p=log_p, rewards=rewards, baseline=baseline)
    raise NotImplementedError("7.5 policy_loss: see section 7.5, equations 7.11 to 7.15")


# ------------------------------------------------------------------ 7.6 The leash
def tilted(
    log_p: Float[Tensor, "N"], rewards: Float[Tensor, "N"], beta: float
) -> Float[Tensor, "N"]:
    """Return the logarithm of the best distribution on a leash of strength beta (eq. 7.17).

        pi*(x) = p(x) exp(r(x) / beta) / Z,   Z = sum over all x of p(x) exp(r(x) / beta)

    Of all distributions pi, it alone maximises E[r] - beta KL(pi || p) (eq. 7.16). log_p are the
    log-probabilities of all texts of the language. Stay with logarithms, for exp(r / beta) soon
    overflows.

    The given lines raise ValueError if sizes differ, a number is not finite, or beta <= 0.
    About 1 line.

    >>> log_p, rewards = torch.tensor([0.8, 0.2]).log(), torch.tensor([0.0, math.log(2)])
    >>> tilted(log_p, rewards, beta=0.5).exp()  # 0.8 to 0.2 times exp(2 ln 2) = 4
    tensor([0.5000, 0.5000])
    """
    require_alike(log_p=log_p, rewards=rewards)
    require("beta", beta, 0 < beta < math.inf, "above 0 and finite")
    raise NotImplementedError("7.6 tilted: see section 7.6, equations 7.16 to 7.22")


def kl_estimates(
    log_p: Float[Tensor, "*B"], log_q: Float[Tensor, "*B"]
) -> tuple[Float[Tensor, "*B"], Float[Tensor, "*B"], Float[Tensor, "*B"]]:
    """Return three estimates of KL(p || q) for each sample of p (Schulman 2020).

        u = log q - log p
        k1 = -u               (eq. 7.19)   no bias, but it may be below 0
        k2 = u^2 / 2          (eq. 7.20)   never below 0, but with some bias
        k3 = exp(u) - 1 - u   (eq. 7.21)   no bias and never below 0

    The bias is that of their mean over samples of p. `torch.expm1` keeps the digits of k3 where u
    is small. Gradients flow through log p. About 2 lines.

    >>> k1, k2, k3 = kl_estimates(torch.tensor([0.5]).log(), torch.tensor([0.25]).log())
    >>> k1, k2, k3  # u = -ln 2
    (tensor([0.6931]), tensor([0.2402]), tensor([0.1931]))
    """
    raise NotImplementedError("7.6 kl_estimates: see section 7.6, equations 7.16 to 7.22")


def leashed(
    rewards: Float[Tensor, "B"],
    log_p: Float[Tensor, "B"],
    log_reference: Float[Tensor, "B"],
    beta: float,
) -> Float[Tensor, "B"]:
    """Return the rewards less the price of leaving the reference (eq. 7.22).

        r - beta (log p - log reference)

    Its mean over samples of p estimates E[r] - beta KL(p || reference). The result is a reward like
    any other, so no gradient flows through it.

    The given lines raise ValueError if sizes differ, a number is not finite, or beta < 0.
    About 2 lines.

    >>> r, log_p, log_reference = torch.tensor([1.0]), torch.tensor([-2.0]), torch.tensor([-5.0])
    >>> leashed(r, log_p.requires_grad_(), log_reference, beta=0.1)  # 1 - 0.1 (-2 + 5)
    tensor([0.7000])
    """
    require_alike(rewards=rewards, log_p=log_p, log_reference=log_reference)
    require("beta", beta, 0 <= beta < math.inf, "at least 0 and finite")
    raise NotImplementedError("7.6 leashed: see section 7.6, equations 7.16 to 7.22")


# ------------------------------------------------------------------ 7.7 Groups and the clip
def token_log_probs(
    logits: Float[Tensor, "B T V"], targets: Int[Tensor, "B T"]
) -> Float[Tensor, "B T"]:
    """Given: return the log-probability of each target, 0 where it is IGNORE.

    A token is a text of one token, so `text_log_probs` of section 7.5 can do it.
    """
    alone = text_log_probs(logits.flatten(0, 1)[:, None], targets.flatten()[:, None])  # (B * T,)
    return alone.view(targets.shape)


def group_advantages(
    rewards: Float[Tensor, "B G"], scaled: bool = True, eps: float = 1e-6
) -> Float[Tensor, "B G"]:
    """Return how much better each answer is than the others of its group (eq. 7.23, 7.24).

        (r - mean of its group) / (s + eps)    if scaled, as in GRPO (Shao et al. 2024)
         r - mean of its group                 otherwise, as Liu et al. (2025) propose

    A row holds the rewards of G answers to one prompt, and s is their standard deviation
    (`torch.std`, which divides by G - 1).

    A group of equal rewards must give exactly 0, so that it teaches nothing. Rounding can move the
    mean a little off the rewards, and dividing by a tiny s would blow that up: subtract the group's
    first reward from all before you take the mean.

    The given lines raise ValueError if G < 2 or a reward is not finite. About 5 lines.

    >>> group_advantages(torch.tensor([[1.0, 2.0, 3.0], [5.1, 5.1, 5.1]]))
    tensor([[-1.0000,  0.0000,  1.0000],
            [ 0.0000,  0.0000,  0.0000]])
    >>> group_advantages(torch.tensor([[1.0, 2.0, 6.0]]), scaled=False)
    tensor([[-2., -1.,  3.]])
    """
    require_alike(rewards=rewards)
    require("G", rewards.shape[1], rewards.shape[1] >= 2, "at least 2: one answer is no group")
    raise NotImplementedError("7.7 group_advantages: see section 7.7, equations 7.23 to 7.27")


def clipped_loss(
    new: Float[Tensor, "B T"],
    old: Float[Tensor, "B T"],
    advantages: Float[Tensor, "B"],
    mask: Bool[Tensor, "B T"],
    eps: float = 0.2,
) -> Float[Tensor, ""]:
    """Return the clipped loss of PPO (Schulman et al. 2017), averaged as in GRPO (eq. 7.26).

        -min(rho A, clip(rho, 1 - eps, 1 + eps) A),   rho = exp(new - old)   (eq. 7.25)

    new and old are log-probabilities of the same tokens, by the model that learns and by the model
    that wrote the text. A is the advantage of the token's text.

    1. Compute rho and the loss of each token. No gradient flows through old.
    2. Take the mean over the tokens of each text where the mask is True, then over the texts.

    Tokens that are masked out have no influence, even if an infinite number stands there: set their
    new - old to 0 before exp (`masked_fill`), since 0 times infinity is NaN.

    The given lines raise ValueError if sizes differ, an advantage is not finite, or a text has no
    tokens. About 7 lines.

    >>> old = torch.tensor([[0.25, 0.25, 0.25], [0.25, 0.25, 0.25]]).log()
    >>> new = torch.tensor([[0.50, 0.25, 0.50], [0.50, 0.50, 0.50]]).log()  # rho is 2 or 1
    >>> mask = torch.tensor([[True, True, False], [True, False, False]])
    >>> clipped_loss(new, old, torch.tensor([1.0, -1.0]), mask)  # mean of -(1.2 + 1) / 2 and 2
    tensor(0.4500)
    """
    shape = (*new.shape,)
    require("old", (*old.shape,), old.shape == new.shape, f"of the shape of new, {shape}")
    require("advantages", len(advantages), len(advantages) == shape[0], f"of length B = {shape[0]}")
    require_alike(advantages=advantages)
    require("mask", "a row of False", mask.any(1).all(), "True somewhere in each text")
    raise NotImplementedError("7.7 clipped_loss: see section 7.7, equations 7.23 to 7.27")


def require_fit(logits: Tensor, reference_logits: Tensor) -> None:
    """Given: raise ValueError unless a model and its reference answered with the same sizes."""
    shape = (*reference_logits.shape,)
    expected = (*logits.shape,)
    require("the reference's logits", shape, shape == expected, f"of the model's shape, {expected}")


def tune_step(
    model: nn.Module,
    reference: nn.Module | Callable,
    optimizer: torch.optim.Optimizer,
    inputs: Int[Tensor, "B T"],
    targets: Int[Tensor, "B T"],
    old: Float[Tensor, "B T"],
    advantages: Float[Tensor, "B"],
    beta: float = 0.0,
    eps: float = 0.2,
    clip: float = 1.0,
) -> tuple[float, float]:
    """Take one step of the optimizer; return the loss and the mean k3 before the step (eq. 7.27).

        loss = clipped loss + beta k,   k = mean over texts of the mean over tokens of k3

    1. Compute the logits of the model and, without gradients, of the reference. Call `require_fit`,
       which raises ValueError if their shapes differ.
    2. Turn both into the log-probabilities of the targets (`token_log_probs`).
    3. k3, for each token, is the last of `kl_estimates`, of the model against the reference. Tokens
       whose target is IGNORE count in neither part of the loss.
    4. Compute the loss. If beta is 0, leave k out of it: 0 times an infinite k is NaN.
    5. Clear the gradients, compute new ones, bring the norm of all of them together down to `clip`
       if it is above (`nn.utils.clip_grad_norm_`), and take the step.

    old are the log-probabilities that were noted when the texts were sampled. Leave model and
    reference in the modes that they are in (train or eval). About 16 lines.

    Raises ValueError in step 1, or if a text has no tokens (`clipped_loss` does that).

    >>> model = nn.Module()  # for which four tokens are equally likely; the reference: 3 is 1/2
    >>> model.table = nn.Embedding.from_pretrained(torch.zeros(4, 4), freeze=False)
    >>> model.forward = lambda rows: (model.table(rows), None)
    >>> reference = lambda rows: (torch.tensor([1.0, 1, 1, 3]).log().expand(*rows.shape, 4), None)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    >>> old, advantages = torch.full((1, 2), 0.25).log(), torch.tensor([1.0])
    >>> batch = torch.tensor([[BOS, 3]]), torch.tensor([[3, IGNORE]])
    >>> loss, k = tune_step(model, reference, optimizer, *batch, old, advantages, beta=0.1)
    >>> round(loss, 4), round(k, 4)  # k = 2 - 1 - ln 2
    (-0.9693, 0.3069)
    >>> tune_step(model, reference, optimizer, *batch, old, advantages)[0] < -1  # more likely now
    True
    """
    raise NotImplementedError("7.7 tune_step: see section 7.7, equations 7.23 to 7.27")


# ------------------------------------------------------------------ 7.8 DPO
def implicit_rewards(
    log_p: Float[Tensor, "B"], log_reference: Float[Tensor, "B"], beta: float
) -> Float[Tensor, "B"]:
    """Return the rewards for which the model is already the best on its leash (eq. 7.29).

        beta (log p - log reference)

    That is eq. 7.17 solved for r, without beta log Z, which is the same for all texts. Gradients
    flow through log p. About 1 line.

    The given lines raise ValueError if sizes differ, a number is not finite, or beta <= 0.

    >>> implicit_rewards(torch.tensor([-2.0]), torch.tensor([-5.0]), beta=0.1)
    tensor([0.3000])
    """
    require_alike(log_p=log_p, log_reference=log_reference)
    require("beta", beta, 0 < beta < math.inf, "above 0 and finite")
    raise NotImplementedError("7.8 implicit_rewards: see section 7.8, equations 7.28 to 7.30")


def dpo_loss(
    chosen: Float[Tensor, "B"],
    rejected: Float[Tensor, "B"],
    reference_chosen: Float[Tensor, "B"],
    reference_rejected: Float[Tensor, "B"],
    beta: float,
) -> Float[Tensor, ""]:
    """Return the loss of direct preference optimisation (Rafailov et al. 2023) (eq. 7.30).

        -mean log sigmoid(beta (log p_c - log ref_c) - beta (log p_r - log ref_r))

    Each argument holds one log-probability per pair: of the chosen text (c) or the rejected one
    (r), by the model that learns (p) or by the reference (ref). The prompt is no part of either
    text. The loss must stay finite where log-probabilities differ by thousands.

    The given lines raise ValueError if sizes differ, a number is not finite, or beta <= 0.
    About 3 lines.

    >>> one = lambda number: torch.tensor([number])
    >>> beta = math.log(3) / 2  # implicit rewards beta and -beta: sigmoid(ln 3) = 3/4
    >>> dpo_loss(one(-2.0), one(-5.0), one(-3.0), one(-4.0), beta)
    tensor(0.2877)
    """
    require_alike(
        chosen=chosen,
        rejected=rejected,
        reference_chosen=reference_chosen,
        reference_rejected=reference_rejected,
    )
    require("beta", beta, 0 < beta < math.inf, "above 0 and finite")
    raise NotImplementedError("7.8 dpo_loss: see section 7.8, equations 7.28 to 7.30")


# ------------------------------------------------------------------ 7.9 Judges that are deceived
def cautious(scores: Float[Tensor, "M B"], caution: float) -> Float[Tensor, "B"]:
    """Return the mean over M judges less `caution` times their standard deviation (eq. 7.31).

    What judges do not agree on is not trusted (Coste et al. 2024). The standard deviation of a
    text's M scores divides by M, so a single judge has 0. Subtract the mean before you square: the
    mean of the squares less the square of the mean loses the digits of a small spread.

    The given lines raise ValueError if a score is not finite or caution is below 0. About 2 lines.

    >>> cautious(torch.tensor([[1.0, 2.0], [3.0, 2.0]]), caution=0.5)  # 2 - 0.5 and 2 - 0
    tensor([1.5000, 2.0000])
    """
    require_alike(scores=scores)
    require("caution", caution, 0 <= caution < math.inf, "at least 0 and finite")
    raise NotImplementedError("7.9 cautious: see section 7.9, equations 7.31 to 7.33")


def without_length(rewards: Float[Tensor, "B"], lengths: Float[Tensor, "B"]) -> Float[Tensor, "B"]:
    """Return the rewards without what a straight line through (length, reward) explains (eq. 7.33).

        r - a (l - mean of l),   a = sum (l - mean of l) r / sum (l - mean of l)^2   (eq. 7.32)

    l are the lengths, and a is the slope of the least-squares line. The mean reward stays as it
    was, and rewards no longer correlate with lengths. If all lengths are equal, the rewards are
    unchanged: compare the lengths themselves, since rounding can move their mean off them.

    The given lines raise ValueError if B < 2, sizes differ, or a number is not finite.
    About 5 lines.

    >>> without_length(torch.tensor([1.0, 2.0, 6.0]), torch.tensor([10.0, 20.0, 30.0]))  # a = 1/4
    tensor([3.5000, 2.0000, 3.5000])
    """
    require_alike(rewards=rewards, lengths=lengths)
    require("B", len(rewards), len(rewards) >= 2, "at least 2: one point makes no line")
    raise NotImplementedError("7.9 without_length: see section 7.9, equations 7.31 to 7.33")


# ------------------------------------------------------------------ 7.10 Verified rewards
def final_answer(words: list[str], mark: str = "answer") -> tuple[str, ...] | None:
    """Return the words after the last `mark`; None if there is none, or nothing after it.

    The words before it are steps on the way, in which the mark may occur, too. About 5 lines.

    >>> final_answer("one answer two and answer three eggs".split())
    ('three', 'eggs')
    """
    raise NotImplementedError("7.10 final_answer: see section 7.10, equation 7.34")


def verified(
    texts: list[list[str]], answers: list[tuple[str, ...]], mark: str = "answer"
) -> Float[Tensor, "B"]:
    """Return 1.0 for each text whose final answer is exactly the right one, else 0.0 (eq. 7.34).

    The given lines raise ValueError if there are not as many answers as texts, or if an answer has
    no words. About 2 lines.

    >>> verified([["answer", "two"], ["two"], ["answer", "two", "eggs"]], [("two",)] * 3)
    tensor([1., 0., 0.])
    """
    require("answers", len(answers), len(answers) == len(texts), f"as many as texts, {len(texts)}")
    require("answers", answers, all(answers), "at least one word each")
    raise NotImplementedError("7.10 verified: see section 7.10, equation 7.34")
