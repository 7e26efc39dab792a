"""With which instructions libraries compute: the processor's best, or what all machines can do.

Leaves out how a run finds out that two machines compute alike (cluster/parcel.py). Import it before
numpy and torch, which read these settings once.
"""

from __future__ import annotations

import os
import platform

from examiner.errors import UserError

NATIVE, COMMON = "native", "common"
# AVX2 and FMA, as every x86 server since 2015 has them. MKL promises the same digits on processors
# of several makers in this mode alone
_COMMON = {
    "x86_64": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_CBWR": "COMPATIBLE",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "OPENBLAS_CORETYPE": "Haswell",
        "NPY_DISABLE_CPU_FEATURES": (
            "X86_V4 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
        ),
    },
    "aarch64": {"ATEN_CPU_CAPABILITY": "default", "OPENBLAS_CORETYPE": "ARMV8"},
}


def choose(kernels: str) -> None:
    """Have the libraries of this process, and of all that it starts, compute in one of two ways.

    Raises UserError for a way that is neither native nor common.
    """
    if kernels not in (NATIVE, COMMON):
        raise UserError(f"--kernels {kernels}: expected native or common")
    if kernels == COMMON:
        os.environ.update(_COMMON.get(platform.machine(), {}))
