"""The losses of chapter 7 beside TRL's own trainers: DPO, GRPO with its KL, and both advantages.

The trainers get a small random GPT-2 and the same batches; their losses and gradients are compared
with the chapter's. Leaves out: training. It needs `pip install trl`, which brings `datasets` and
260 MB more; the course does without them.
"""

import argparse
import copy
import json
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import torch
import transformers
from datasets import Dataset
from datasets.fingerprint import Hasher
from rich.console import Console
from rich.table import Table
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from torch import Tensor
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from trl import DPOConfig, DPOTrainer, GRPOConfig, GRPOTrainer
from trl.trainer.utils import nanstd

from examiner.judge.modules import load_module

# nothing is cached here, so data sets need no fingerprints; to pickle them fails with some versions
Hasher.hash = classmethod(lambda cls, value: "0")
datasets.disable_progress_bars()
transformers.logging.set_verbosity_error()
after: Any = load_module(Path(__file__).parents[2] / "solutions" / "after_training.py", "after")
V = 12  # words
B, G = 6, 3  # texts, and those of a group
PROMPT, ANSWER = 3, 5  # tokens
WORDS = ["<pad>", "<s>", "</s>", *"abcdefghi"]


def new_model(seed: int) -> GPT2LMHeadModel:
    torch.manual_seed(seed)
    config = GPT2Config(
        vocab_size=V,
        n_positions=16,
        n_embd=8,
        n_layer=2,
        n_head=2,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
    )
    model = GPT2LMHeadModel(config).eval()
    for p in model.parameters():
        p.data += 0.3 * torch.randn_like(p)
    return model


def tokenizer() -> PreTrainedTokenizerFast:
    words = Tokenizer(WordLevel({word: k for k, word in enumerate(WORDS)}, unk_token="a"))
    return PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", bos_token="<s>", eos_token="</s>"
    )


def a_batch(rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """Rows of a prompt and an answer, (B, PROMPT + ANSWER), and which tokens are the answers'."""
    rows = torch.tensor(rng.integers(3, V, size=(B, PROMPT + ANSWER)))
    lengths = torch.tensor(rng.integers(1, ANSWER + 1, size=(B, 1)))
    places = torch.arange(PROMPT + ANSWER)
    answer = (places >= PROMPT) & (places < PROMPT + lengths)
    rows[places >= PROMPT + lengths] = 0
    return rows, answer


def inputs_and_targets(rows: Tensor, answer: Tensor) -> tuple[Tensor, Tensor]:
    return rows[:, :-1], rows.where(answer, after.IGNORE)[:, 1:]


def gradients(model: Any, loss: Tensor) -> Tensor:
    model.zero_grad()
    loss.backward()
    return torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])


def dpo(folder: str) -> dict[str, float]:
    model, reference = new_model(1), new_model(2)
    pairs = Dataset.from_dict({"prompt": ["a b"], "chosen": ["c"], "rejected": ["d"]})
    settings = DPOConfig(
        folder, beta=0.3, report_to="none", use_cpu=True, bf16=False, disable_dropout=True
    )
    trainer = DPOTrainer(
        copy.deepcopy(model),
        reference,
        settings,
        train_dataset=pairs,
        processing_class=tokenizer(),
    )
    rows, answer = a_batch(np.random.default_rng(3))  # the first half of the texts is chosen
    theirs = trainer._compute_loss(
        trainer.model,
        {
            "input_ids": rows,
            "attention_mask": (rows != 0).long(),
            "completion_mask": answer.long(),
        },
        return_outputs=False,
    )
    inputs, targets = inputs_and_targets(rows, answer)
    mask = (rows != 0).long()[:, :-1]

    def log_probs(model: Any) -> tuple[Tensor, Tensor]:
        logits = model(inputs, attention_mask=mask).logits
        return after.text_log_probs(logits, targets).chunk(2)

    with torch.no_grad():
        its = log_probs(reference)
    ours = after.dpo_loss(*log_probs(model), *its, 0.3)
    return differences(ours, theirs, gradients(model, ours), gradients(trainer.model, theirs))


def grpo(folder: str, correct: bool = False) -> dict[str, float]:
    """correct: TRL's default, which multiplies k3 by rho; as published, GRPO does not."""
    model, reference, writer = new_model(1), new_model(2), new_model(3)
    settings = GRPOConfig(
        folder,
        beta=0.0,  # else it loads a reference from the hub
        epsilon=0.2,
        loss_type="grpo",
        num_generations=G,
        per_device_train_batch_size=B,
        report_to="none",
        use_cpu=True,
        bf16=False,
        disable_dropout=True,
        use_bias_correction_kl=correct,
    )
    trainer = GRPOTrainer(
        copy.deepcopy(model),
        lambda completions, **_: [0.0] * len(completions),
        settings,
        train_dataset=Dataset.from_dict({"prompt": ["a b"] * B}),
        processing_class=tokenizer(),
    )
    trainer.current_gradient_accumulation_steps = 1
    trainer.beta = 0.3
    rng = np.random.default_rng(4)
    rows, answer = a_batch(rng)
    inputs, targets = inputs_and_targets(rows, answer)
    mask = (rows != 0).long()[:, :-1]

    def token_log_probs(model: Any) -> Tensor:
        return after.token_log_probs(model(inputs, attention_mask=mask).logits, targets)

    with torch.no_grad():
        old, its = token_log_probs(writer), token_log_probs(reference)
        old = token_log_probs(model) + 0.3 * (old - token_log_probs(model))  # some are clipped
    rewards = torch.tensor(rng.random((B // G, G)), dtype=torch.float32)
    advantages = after.group_advantages(rewards, eps=1e-4).flatten()
    answers = slice(PROMPT - 1, None)  # what TRL keeps: the places of the answers
    theirs = trainer._compute_loss(
        trainer.model,
        {
            "prompt_ids": rows[:, :PROMPT],
            "prompt_mask": torch.ones(B, PROMPT, dtype=torch.long),
            "completion_ids": rows[:, PROMPT:],
            "completion_mask": answer[:, PROMPT:].long(),
            "advantages": advantages,
            "old_per_token_logps": old[:, answers],
            "ref_per_token_logps": its[:, answers],
            "num_items_in_batch": answer.sum(),
        },
    )
    new = token_log_probs(model)
    counted = targets != after.IGNORE
    k3 = after.kl_estimates(new, its)[2]
    if correct:
        k3 = k3 * (new - old).exp()
    k = (k3.sum(1) / counted.sum(1)).mean()
    ours = after.clipped_loss(new, old, advantages, counted, 0.2) + 0.3 * k
    clipped = ((new - old).exp() - 1).abs()[counted] > 0.2
    found = differences(ours, theirs, gradients(model, ours), gradients(trainer.model, theirs))
    return found | {"clipped": clipped.float().mean().item()}


def advantages(_: str) -> dict[str, float]:
    """The lines of GRPOTrainer._generate_and_score_completions, with its own nanstd."""
    rewards = torch.tensor(np.random.default_rng(5).random((4, G)), dtype=torch.float32)
    centred = rewards - torch.nanmean(rewards, dim=1, keepdim=True)
    theirs = centred / (nanstd(rewards, dim=1)[:, None] + 1e-4)
    ours = after.group_advantages(rewards, eps=1e-4)
    return {"loss": (ours - theirs).abs().max().item()}


def differences(ours: Tensor, theirs: Tensor, mine: Tensor, its: Tensor) -> dict[str, float]:
    return {
        "value": ours.item(),
        "loss": (ours - theirs).abs().item(),
        "gradient": ((mine - its).norm() / its.norm()).item(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")
    arguments = parser.parse_args()
    parts: dict[str, Callable[[str], dict[str, float]]] = {
        "DPO": dpo,
        "GRPO, clip and KL": grpo,
        "GRPO, k3 times rho": partial(grpo, correct=True),
        "advantages of groups": advantages,
    }
    with tempfile.TemporaryDirectory() as folder:
        found = {name: part(folder) for name, part in parts.items()}
    table = Table("beside TRL", "value", "difference", "of the gradient", "clipped tokens")
    for name, row in found.items():
        cells = [row.get(key) for key in ("value", "loss", "gradient", "clipped")]
        table.add_row(name, *("" if cell is None else f"{cell:.2g}" for cell in cells))
    Console().print(table)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1), "utf-8")


if __name__ == "__main__":
    main()
