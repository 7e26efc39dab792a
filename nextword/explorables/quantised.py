"""A trained network as few letters: matrices as 8-bit numbers with a scale for each row.

Leaves out: running it, which network.js does in the page.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping

import numpy as np
from torch import Tensor, from_numpy

LARGEST = 127  # of an 8-bit number


def quantised(tensors: Mapping[str, Tensor]) -> dict[str, dict[str, str]]:
    """Return the tensors in base64, ready for JSON.

    A matrix W becomes whole numbers round(W / s); s, for each row, is a 127th of its largest
    number, whatever the sign, so no number moves by more than s / 2. A vector is kept whole.
    """
    packed = {}
    for name, tensor in tensors.items():
        values = tensor.detach().float().numpy()
        if values.ndim == 2:
            scales = np.abs(values).max(1).astype(np.float32) / np.float32(LARGEST)
            scales[scales == 0] = 1
            whole = np.rint(values / scales[:, None]).astype(np.int8)
            packed[name] = {"bytes": _letters(whole), "scales": _letters(scales)}
        else:
            packed[name] = {"values": _letters(values)}
    return packed


def dequantised(packed: Mapping[str, Mapping[str, str]]) -> dict[str, Tensor]:
    """Return the 32-bit tensors that a page computes with.

    >>> import torch
    >>> dequantised(quantised({"w": torch.tensor([[127.0, -1.0], [0.0, 0.0]])}))["w"].tolist()
    [[127.0, -1.0], [0.0, 0.0]]
    """
    return {name: from_numpy(_unpacked(each)) for name, each in packed.items()}


def _unpacked(packed: Mapping[str, str]) -> np.ndarray:
    if "values" in packed:
        return _numbers(packed["values"], np.float32).copy()
    scales = _numbers(packed["scales"], np.float32)
    whole = _numbers(packed["bytes"], np.int8).reshape(len(scales), -1)
    return whole.astype(np.float32) * scales[:, None]


def _letters(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode("ascii")


def _numbers(letters: str, kind: type) -> np.ndarray:
    return np.frombuffer(base64.b64decode(letters), kind)
