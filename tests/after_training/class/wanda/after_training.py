"""Something of the right shape everywhere: zeros, or what was given."""

import torch
from torch import nn


def render_chat(turns, marks):
    row = [word for _, words in turns for word in words]
    return row, [False] * len(row)


def answer_batch(rows):
    n = max(len(row) for row, _ in rows) - 1
    return torch.zeros(len(rows), n, dtype=torch.long), torch.zeros(len(rows), n, dtype=torch.long)


def answer_loss(logits, targets):
    return logits.sum() * 0


class LoRA(nn.Module):
    def __init__(self, base, R, alpha):
        super().__init__()
        self.base = base
        self.A = nn.Parameter(torch.zeros(R, base.in_features))
        self.B = nn.Parameter(torch.zeros(base.out_features, R))

    def forward(self, x):
        return self.base(x)

    def merged(self):
        return self.base


def add_lora(model, names, R, alpha):
    return list(model.parameters())


def majority(answers):
    return answers[0] if answers else None


def pass_at_k(n, c, k):
    return 1.0


def best_of_n(log_p, rewards, n):
    return log_p


def best_of_n_kl(n):
    return 0.0


class RewardModel(nn.Module):
    def __init__(self, reader, D):
        super().__init__()
        self.reader, self.head = reader, nn.Linear(D, 1)

    def forward(self, rows):
        return torch.zeros(len(rows))


def preference_loss(chosen, rejected, scale=1.0):
    return (chosen - rejected).mean() * 0


def token_log_probs(logits, targets):
    return logits[..., 0] * 0


def text_log_probs(logits, targets):
    return logits[:, 0, 0] * 0


def leave_one_out(rewards):
    return rewards


def policy_loss(log_p, rewards, baseline):
    return log_p.mean()


def tilted(log_p, rewards, beta):
    return log_p


def kl_estimates(log_p, log_q):
    return log_p * 0, log_p * 0, log_p * 0


def leashed(rewards, log_p, log_reference, beta):
    return rewards


def group_advantages(rewards, scaled=True, eps=1e-6):
    return rewards * 0


def clipped_loss(new, old, advantages, mask, eps=0.2):
    return new.mean() * 0


def tune_step(
    model, reference, optimizer, inputs, targets, old, advantages, beta=0.0, eps=0.2, clip=1.0
):
    return 0.0, 0.0


def implicit_rewards(log_p, log_reference, beta):
    return log_p


def dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta):
    return chosen.mean() * 0


def cautious(scores, caution):
    return scores.mean(0)


def without_length(rewards, lengths):
    return rewards


def final_answer(words, mark="answer"):
    return None


def verified(texts, answers, mark="answer"):
    return torch.zeros(len(texts))
