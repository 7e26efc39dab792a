"""All at once: numpy and einsum, torch.distributions, as few lines as possible."""

from itertools import chain

import numpy as np
import torch
import torch.nn.functional as F
from einops import einsum, rearrange
from torch.distributions import Categorical

from nextword.given.batches import BOS, EOS, PAD

IGNORE = -100


def check(holds, text):
    if not holds:
        raise ValueError(text)


def check_numbers(*tensors):
    check(len({each.shape for each in tensors}) == 1, "shapes differ")
    check(tensors[0].numel(), "nothing there")
    check(torch.stack([each.detach() for each in tensors]).isfinite().all(), "not finite")


def render_chat(turns, marks):
    check({role for role, _ in turns} <= marks.keys(), f"a role is not among {list(marks)}")
    check("assistant" in [role for role, _ in turns], "a chat has an assistant")
    rows = [[marks[role], *ids, EOS] for role, ids in turns]
    said = [[False] + [role == "assistant"] * (len(ids) + 1) for role, ids in turns]
    return list(chain([BOS], *rows)), list(chain([False], *said))


def answer_batch(rows):
    check(rows, "no rows")
    check(all(len(row) == len(said) for row, said in rows), "rows and marks differ in length")
    check(all(sum(said[1:]) for _, said in rows), "a row without an answer")
    pairs = [(torch.tensor(row), torch.tensor(said, dtype=torch.bool)) for row, said in rows]
    pad = torch.nn.utils.rnn.pad_sequence
    inputs = pad([row[:-1] for row, _ in pairs], True, PAD)
    targets = pad([row.where(said, IGNORE)[1:] for row, said in pairs], True, IGNORE)
    return inputs, targets


def answer_loss(logits, targets):
    kept = targets != IGNORE
    check(kept.any(), "no answers")
    return -Categorical(logits=logits[kept]).log_prob(targets[kept]).mean()


class LoRA(torch.nn.Module):
    def __init__(self, base, R, alpha):
        super().__init__()
        check(R >= 1, "R >= 1")
        self.base = base.requires_grad_(False)
        self.A = torch.nn.Parameter(base.weight.new_empty(R, base.in_features))
        self.B = torch.nn.Parameter(base.weight.new_zeros(base.out_features, R))
        torch.nn.init.normal_(self.A, std=base.in_features**-0.5)
        self.scale = alpha / R

    def forward(self, x):
        down = einsum(x, self.A, "... i, r i -> ... r")
        return self.base(x) + self.scale * einsum(down, self.B, "... r, o r -> ... o")

    def merged(self):
        W = torch.addmm(self.base.weight, self.B, self.A, alpha=self.scale).detach()
        plain = torch.nn.Linear(W.shape[1], W.shape[0], self.base.bias is not None)
        plain.weight = torch.nn.Parameter(W)
        if self.base.bias is not None:
            plain.bias = torch.nn.Parameter(self.base.bias.detach().clone())
        return plain


def add_lora(model, names, R, alpha):
    linear = (name for name, each in model.named_modules() if isinstance(each, torch.nn.Linear))
    check({name.rpartition(".")[2] for name in linear} & {*names}, f"no layer among {names}")
    model.requires_grad_(False)
    new = []
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if name in names and isinstance(child, torch.nn.Linear):
                setattr(parent, name, LoRA(child, R, alpha))
    for module in model.modules():
        if isinstance(module, LoRA):
            new += [module.A, module.B]
    return new


def majority(answers):
    known = [each for each in answers if each is not None]
    return max(known, key=known.count) if known else None


def pass_at_k(n, c, k):
    check(0 <= c <= n and 1 <= k <= n, f"n={n}, c={c}, k={k}")
    if n - c < k:
        return 1.0
    return float(1 - np.prod(1 - k / np.arange(n - c + 1, n + 1)))


def best_of_n(log_p, rewards, n):
    check(n >= 1, "n >= 1")
    check_numbers(log_p, rewards)
    logs = log_p.numpy().astype(float)
    check(np.isclose(np.exp(logs).sum(), 1, atol=1e-3), "these are not all texts")
    values, level = np.unique(rewards.numpy(), return_inverse=True)
    mass = np.full(len(values), -np.inf)
    np.logaddexp.at(mass, level, logs)
    upto = np.logaddexp.accumulate(mass)
    with np.errstate(divide="ignore"):
        some = np.log(-np.expm1(n * np.log1p(-np.exp(mass - upto))))
    return torch.from_numpy(logs + (n * upto + some - mass)[level]).to(log_p.dtype)


def best_of_n_kl(n):
    check(n >= 1, "n >= 1")
    return float(np.log(n) - (n - 1) / n)


class RewardModel(torch.nn.Module):
    def __init__(self, reader, D):
        super().__init__()
        self.reader, self.head = reader, torch.nn.Linear(D, 1)

    def forward(self, rows):
        real = rows != PAD
        check(real.any(1).all(), "only padding")
        T = rows.shape[1]
        last = T - 1 - real.flip(1).int().argmax(1)
        at = F.one_hot(last, T).to(self.head.weight.dtype)
        return einsum(self.head(self.reader(rows))[..., 0], at, "b t, b t -> b")


def preference_loss(chosen, rejected, scale=1.0):
    check_numbers(chosen, rejected)
    return F.softplus(scale * (rejected - chosen)).mean()


def token_log_probs(logits, targets):
    found = F.cross_entropy(
        rearrange(logits, "b t v -> b v t"), targets, reduction="none", ignore_index=IGNORE
    )
    return -found


def text_log_probs(logits, targets):
    return token_log_probs(logits, targets).sum(1)


def leave_one_out(rewards):
    B = len(rewards)
    check(B >= 2, "two texts at least")
    check_numbers(rewards)
    others = (1 - torch.eye(B, dtype=rewards.dtype)) / (B - 1)
    return others @ rewards


def policy_loss(log_p, rewards, baseline):
    check_numbers(log_p, rewards, baseline)
    return torch.dot((baseline - rewards).detach(), log_p) / len(log_p)


def tilted(log_p, rewards, beta):
    check(0 < beta < np.inf, f"beta {beta}")
    check_numbers(log_p, rewards)
    return Categorical(logits=log_p + rewards / beta).logits


def kl_estimates(log_p, log_q):
    k1 = log_p - log_q
    return k1, 0.5 * k1.square(), k1 + torch.expm1(-k1)


def leashed(rewards, log_p, log_reference, beta):
    check(0 <= beta < np.inf, f"beta {beta}")
    check_numbers(rewards, log_p, log_reference)
    return torch.sub(rewards, log_p - log_reference, alpha=beta).detach()


def group_advantages(rewards, scaled=True, eps=1e-6):
    check(rewards.shape[1] >= 2, "G >= 2")
    check_numbers(rewards)
    std, mean = torch.std_mean(rewards, dim=1, keepdim=True)
    equal = (rewards == rewards[:, :1]).all(1, keepdim=True)
    above = (rewards - mean).masked_fill(equal, 0)
    return above / (std + eps) if scaled else above


def clipped_loss(new, old, advantages, mask, eps=0.2):
    check(mask.any(1).all(), "a text without tokens")
    A = advantages.detach()[:, None]
    rho = torch.exp(torch.where(mask, new - old.detach(), 0))
    worse = torch.minimum(rho * A, rho.clip(1 - eps, 1 + eps) * A)
    shares = mask / (mask.sum(1, keepdim=True) * len(mask))
    return -einsum(worse, shares.to(worse.dtype), "b t, b t ->")


def tune_step(
    model, reference, optimizer, inputs, targets, old, advantages, beta=0.0, eps=0.2, clip=1.0
):
    optimizer.zero_grad()
    mask = targets != IGNORE
    logits, others = model(inputs)[0], reference(inputs)[0].detach()
    check(logits.shape == others.shape, "the reference has other sizes")
    new, ref = token_log_probs(logits, targets), token_log_probs(others, targets)
    u = ref - new  # 0 where there is no target
    far = (((u.exp() - 1 - u) * mask).sum(1) / mask.sum(1)).mean()
    loss = clipped_loss(new, old, advantages, mask, eps)
    loss = loss + beta * far if beta > 0 else loss
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return float(loss), float(far)


def implicit_rewards(log_p, log_reference, beta):
    check(0 < beta < np.inf, f"beta {beta}")
    check_numbers(log_p, log_reference)
    return torch.mul(log_p - log_reference, beta)


def dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta):
    check(0 < beta < np.inf, f"beta {beta}")
    check_numbers(chosen, rejected, reference_chosen, reference_rejected)
    of_model, of_reference = chosen - rejected, reference_chosen - reference_rejected
    margin = implicit_rewards(of_model, of_reference, beta)
    return F.binary_cross_entropy_with_logits(margin, torch.ones_like(margin))


def cautious(scores, caution):
    check(0 <= caution < np.inf, "caution >= 0")
    check_numbers(scores)
    return scores.mean(0) - caution * scores.std(0, correction=0)


def without_length(rewards, lengths):
    check(len(rewards) >= 2, "two texts at least")
    check_numbers(rewards, lengths)
    r, x = rewards.double().numpy(), lengths.double().numpy()
    X = np.stack([np.ones_like(x), x - x.mean()], axis=1)
    line = X @ np.linalg.lstsq(X, r, rcond=None)[0]
    return torch.from_numpy(r - line + r.mean()).to(rewards.dtype)


def final_answer(words, mark="answer"):
    rest = []
    for word in reversed(words):
        if word == mark:
            return tuple(rest[::-1]) or None
        rest.append(word)
    return None


def verified(texts, answers, mark="answer"):
    check(len(texts) == len(answers), "as many texts as answers")
    check(all(map(len, answers)), "an empty answer")
    hits = [final_answer(text, mark) == tuple(right) for text, right in zip(texts, answers)]
    return torch.tensor(hits, dtype=torch.float32)
