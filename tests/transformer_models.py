"""Small models of chapter 6 for the tests of its reference, and torch's weights under our names."""

from typing import Any

import torch
from torch import Tensor, nn

from tests.reference import reference

ours: Any = reference("transformers")


def rng(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def small(**other: Any) -> Any:
    return ours.Sizes(**({"V": 11, "D": 12, "L": 2, "H": 2, "F": 10, "T": 20} | other))


def model_of(**other: Any) -> Any:
    """A language model whose words differ clearly from each other."""
    return ours.initialise(ours.LanguageModel(small(**other)), rng(), 0.3).eval()


def randomise(module: nn.Module, std: float = 0.5) -> None:
    """Change all weights by chance, so that no gain of 1 or bias of 0 hides a mistake."""
    with torch.no_grad():
        for p in module.parameters():
            p.add_(torch.randn_like(p) * std)


def torch_weights(layer: nn.Module) -> dict[str, Tensor]:
    """The weights of torch's encoder or decoder layer under our names."""
    names = {"self_attn.in_proj_": "mixer.W_qkv.", "self_attn.out_proj.": "mixer.W_o."}
    names |= {"linear1.": "feed.up.", "linear2.": "feed.down."}
    decoder = isinstance(layer, nn.TransformerDecoderLayer)
    names |= {"norm2": "norm3", "norm3": "norm2"} if decoder else {}
    found = {}
    for name, weight in layer.state_dict().items():
        if name.startswith("multihead_attn.in_proj_"):
            part = name.removeprefix("multihead_attn.in_proj_")
            D = len(weight) // 3
            found[f"cross.W_q.{part}"], found[f"cross.W_kv.{part}"] = weight[:D], weight[D:]
            continue
        old = next((old for old in names if name.startswith(old)), "")
        renamed = names[old] + name.removeprefix(old) if old else name
        found[renamed.replace("multihead_attn.out_proj", "cross.W_o")] = weight
    return found
