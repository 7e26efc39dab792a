"""Text by text and token by token: loops, Python's own numbers where nothing is learned."""

import math
from collections import Counter
from fractions import Fraction

import torch
from torch import nn

PAD, BOS, EOS, IGNORE = 0, 1, 2, -100


def sound(*rows):
    """Refuse tensors of different shapes, empty ones, and numbers that are not finite."""
    for row in rows:
        if row.shape != rows[0].shape:
            raise ValueError(f"shapes {tuple(row.shape)} and {tuple(rows[0].shape)} do not fit")
        numbers = row.flatten().tolist()
        if not numbers or not all(math.isfinite(number) for number in numbers):
            raise ValueError(f"only finite numbers, and at least one: {numbers}")


def positive(beta):
    if not 0 < beta < math.inf:
        raise ValueError(f"beta lies above 0 and is finite, got {beta}")


def render_chat(turns, marks):
    row, said = [BOS], [False]
    for role, words in turns:
        if role not in marks:
            raise ValueError(f"nobody is called {role!r}, there are {sorted(marks)}")
        row.append(marks[role])
        said.append(False)
        for word in list(words) + [EOS]:
            row.append(word)
            said.append(role == "assistant")
    if True not in said:
        raise ValueError("the assistant says nothing in this chat")
    return row, said


def answer_batch(rows):
    if len(rows) == 0:
        raise ValueError("a batch needs a row")
    inputs, targets = [], []
    width = max(len(row) for row, _ in rows) - 1
    for row, said in rows:
        if len(row) != len(said):
            raise ValueError(f"{len(row)} tokens, but {len(said)} marks")
        if not any(said[1:]):
            raise ValueError("this row has no answer")
        left, right = [PAD] * width, [IGNORE] * width
        for t in range(len(row) - 1):
            left[t] = row[t]
            if said[t + 1]:
                right[t] = row[t + 1]
        inputs.append(left)
        targets.append(right)
    return torch.tensor(inputs), torch.tensor(targets)


def answer_loss(logits, targets):
    total, count = 0.0, 0
    for text, wanted in zip(logits, targets.tolist()):
        for row, word in zip(text, wanted):
            if word != IGNORE:
                total = total + torch.logsumexp(row, 0) - row[word]
                count += 1
    if count == 0:
        raise ValueError("no target is left")
    return total / count


class LoRA(nn.Module):
    def __init__(self, base, R, alpha):
        super().__init__()
        if R < 1:
            raise ValueError(f"R must be at least 1, got {R}")
        for weight in base.parameters():
            weight.requires_grad = False
        self.base, self.scale = base, alpha / R
        like = {"dtype": base.weight.dtype, "device": base.weight.device}
        A = torch.randn(R, base.in_features, **like) / math.sqrt(base.in_features)
        self.A = nn.Parameter(A)
        self.B = nn.Parameter(torch.zeros(base.out_features, R, **like))

    def forward(self, x):
        y = self.base(x)
        for r in range(len(self.A)):  # one outer product after the other
            y = y + self.scale * (x * self.A[r]).sum(-1, keepdim=True) * self.B[:, r]
        return y

    def merged(self):
        n_out, n_in = self.base.weight.shape
        layer = nn.Linear(n_in, n_out, bias=self.base.bias is not None).to(self.base.weight)
        with torch.no_grad():
            layer.weight.copy_(self.base.weight)
            for r in range(len(self.A)):
                layer.weight += self.scale * torch.outer(self.B[:, r], self.A[r])
            if self.base.bias is not None:
                layer.bias.copy_(self.base.bias)
        return layer


def add_lora(model, names, R, alpha):
    found = [
        (name, layer)
        for name, layer in model.named_modules()
        if isinstance(layer, nn.Linear) and name.split(".")[-1] in names
    ]
    if not found:
        raise ValueError(f"no linear layer is called {' or '.join(names)}")
    for weight in model.parameters():
        weight.requires_grad = False
    new = []
    for name, layer in found:
        *path, last = name.split(".")
        home = model
        for step in path:
            home = getattr(home, step)
        lora = LoRA(layer, R, alpha)
        setattr(home, last, lora)
        new.append(lora.A)
        new.append(lora.B)
    return new


def majority(answers):
    votes = Counter(answer for answer in answers if answer is not None)
    best = None
    for answer in votes:  # in the order in which they came
        if best is None or votes[answer] > votes[best]:
            best = answer
    return best


def pass_at_k(n, c, k):
    if not (0 <= c <= n and 1 <= k <= n):
        raise ValueError(f"0 <= c <= n and 1 <= k <= n, got n={n}, c={c}, k={k}")
    return float(1 - Fraction(math.comb(n - c, k), math.comb(n, k)))


def best_of_n(log_p, rewards, n):
    sound(log_p, rewards)
    if n < 1:
        raise ValueError(f"n is at least 1, got {n}")
    logs = log_p.tolist()
    if abs(math.fsum(map(math.exp, logs)) - 1) > 1e-3:
        raise ValueError("these are not all texts")
    r = rewards.tolist()
    found = []
    for i in range(len(logs)):
        equal = log_sum(logs[j] for j in range(len(logs)) if r[j] == r[i])
        upto = log_sum(logs[j] for j in range(len(logs)) if r[j] <= r[i])
        q = math.exp(equal - upto)
        if q == 1:
            some = 0.0
        elif q > 0:
            some = math.log(-math.expm1(n * math.log1p(-q)))
        else:  # so rare that there is never more than one of them
            some = math.log(n) + equal - upto
        found.append(logs[i] - equal + n * upto + some)
    return torch.tensor(found).to(log_p)


def log_sum(logs):
    logs = list(logs)
    top = max(logs)
    return top + math.log(math.fsum(math.exp(each - top) for each in logs))


def best_of_n_kl(n):
    if n < 1:
        raise ValueError(f"n is at least 1, got {n}")
    return math.log(n) - 1 + 1 / n


class RewardModel(nn.Module):
    def __init__(self, reader, D):
        super().__init__()
        self.reader = reader
        self.head = nn.Linear(D, 1)

    def forward(self, rows):
        lasts = []
        for row in rows.tolist():
            places = [t for t, token in enumerate(row) if token != PAD]
            if not places:
                raise ValueError("a text of nothing but padding")
            lasts.append(places[-1])
        vectors = self.reader(rows)
        return torch.cat([self.head(text[t]) for text, t in zip(vectors, lasts)])


def softplus(x):
    return torch.logaddexp(x, torch.zeros_like(x))


def preference_loss(chosen, rejected, scale=1.0):
    sound(chosen, rejected)
    return softplus(-scale * (chosen - rejected)).mean()


def token_log_probs(logits, targets):
    rows = []
    for text, wanted in zip(logits, targets.tolist()):
        row = [
            scores[word] - torch.logsumexp(scores, 0) if word != IGNORE else 0 * scores.sum()
            for scores, word in zip(text, wanted)
        ]
        rows.append(torch.stack(row))
    return torch.stack(rows)


def text_log_probs(logits, targets):
    sums = []
    for text, wanted in zip(logits, targets.tolist()):
        total = text.new_zeros(())
        for scores, word in zip(text, wanted):
            if word != IGNORE:
                total = total + scores[word] - torch.logsumexp(scores, 0)
        sums.append(total)
    return torch.stack(sums)


def leave_one_out(rewards):
    sound(rewards)
    if len(rewards) < 2:
        raise ValueError("nobody else is there")
    means = []
    for b in range(len(rewards)):
        others = torch.cat([rewards[:b], rewards[b + 1 :]])
        means.append(others.mean())
    return torch.stack(means)


def policy_loss(log_p, rewards, baseline):
    sound(log_p, rewards, baseline)
    loss = 0.0
    for each, r, b in zip(log_p, rewards.tolist(), baseline.tolist()):
        loss = loss - (r - b) * each
    return loss / len(log_p)


def tilted(log_p, rewards, beta):
    sound(log_p, rewards)
    positive(beta)
    return torch.log_softmax(log_p + rewards / beta, 0)


def kl_estimates(log_p, log_q):
    u = log_q - log_p
    return -u, u * u / 2, torch.expm1(u) - u


def leashed(rewards, log_p, log_reference, beta):
    sound(rewards, log_p, log_reference)
    if not 0 <= beta < math.inf:
        raise ValueError(f"beta is a number from 0 on, got {beta}")
    with torch.no_grad():
        return rewards - beta * log_p + beta * log_reference


def group_advantages(rewards, scaled=True, eps=1e-6):
    sound(rewards)
    B, G = rewards.shape
    if G < 2:
        raise ValueError("a group needs two answers")
    found = torch.zeros_like(rewards)
    for b in range(B):
        group = rewards[b]
        if (group == group[0]).all():
            continue
        found[b] = group - group.mean()
        if scaled:
            found[b] /= group.std() + eps
    return found


def clipped_loss(new, old, advantages, mask, eps=0.2):
    old = old.detach()
    loss = 0.0
    for b, A in enumerate(advantages.tolist()):
        kept = mask[b].nonzero()[:, 0]
        if len(kept) == 0:
            raise ValueError(f"text {b} has no tokens")
        rho = torch.exp(new[b, kept] - old[b, kept])
        # where the clip decides, the gradient is zero
        if A >= 0:
            rho = rho.clamp(max=1 + eps)
        else:
            rho = rho.clamp(min=1 - eps)
        loss = loss - A * rho.sum() / len(kept)
    return loss / len(new)


def tune_step(
    model, reference, optimizer, inputs, targets, old, advantages, beta=0.0, eps=0.2, clip=1.0
):
    mask = targets != IGNORE
    logits = model(inputs)[0]
    with torch.no_grad():
        others = reference(inputs)[0]
    if others.shape != logits.shape:
        raise ValueError("model and reference have other sizes")
    new, base = token_log_probs(logits, targets), token_log_probs(others, targets)
    k3 = kl_estimates(new, base)[2]
    distance = sum(k3[b, mask[b]].mean() for b in range(len(new))) / len(new)
    loss = clipped_loss(new, old, advantages, mask, eps)
    if beta:
        loss = loss + beta * distance
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return loss.item(), distance.item()


def implicit_rewards(log_p, log_reference, beta):
    sound(log_p, log_reference)
    positive(beta)
    return beta * (log_p - log_reference)


def dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta):
    sound(chosen, rejected, reference_chosen, reference_rejected)
    positive(beta)
    margin = beta * (chosen - reference_chosen - rejected + reference_rejected)
    return softplus(-margin).mean()


def cautious(scores, caution):
    sound(scores)
    if not 0 <= caution < math.inf:
        raise ValueError(f"caution is a number from 0 on, got {caution}")
    M = len(scores)
    mean = sum(scores) / M
    spread = (sum((score - mean) ** 2 for score in scores) / M).sqrt()
    return mean - caution * spread


def without_length(rewards, lengths):
    sound(rewards, lengths)
    if len(rewards) < 2:
        raise ValueError("a line needs two texts")
    r, x = rewards.double(), lengths.double()
    far = x - x.mean()
    spread = (far * far).sum()
    if spread == 0:
        return rewards.clone()
    slope = (far * (r - r.mean())).sum() / spread
    return (r - slope * far).to(rewards)


def final_answer(words, mark="answer"):
    found = None
    for place, word in enumerate(words):
        if word == mark:
            found = tuple(words[place + 1 :])
    return found if found else None


def verified(texts, answers, mark="answer"):
    if len(texts) != len(answers):
        raise ValueError(f"{len(texts)} texts and {len(answers)} answers")
    points = []
    for text, answer in zip(texts, answers):
        if len(answer) == 0:
            raise ValueError("a right answer has at least one word")
        points.append(1.0 if final_answer(text, mark) == tuple(answer) else 0.0)
    return torch.tensor(points)
