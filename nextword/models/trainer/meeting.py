"""Where the processes of a job meet, also when torchrun starts them again.

torchrun lends all its rounds one store. A process that is started again could read there where
another one was before it was killed, and wait for it in vain. So each round takes a part of the
store of its own. (PyTorch 2.13 says that it has a new store for each round, which holds for several
machines only; see its issue 135712.) Leaves out: what the processes do together (parallel.py).
"""

from __future__ import annotations

import os
import time
import uuid
from datetime import timedelta

from torch import distributed as dist

from examiner.errors import UserError

PLACE = "nextword/meeting"
LOOK = timedelta(seconds=1)  # how often a process looks whether the first one has come
LONGEST = 600.0  # seconds that it waits


def join(backend: str) -> bool:
    """Begin to work with the other processes that torchrun has started.

    Tells whether it has started them before, as far as this process can know.
    """
    counted = int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")) > 0  # on this machine only
    if os.environ.get("TORCHELASTIC_USE_AGENT_STORE") != str(True):
        dist.init_process_group(backend)  # the first process makes a new store
        return counted
    rank, n_processes = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    port = int(os.environ["MASTER_PORT"])
    shared = dist.TCPStore(os.environ["MASTER_ADDR"], port, is_master=False)
    met_before = rank == 0 and shared.check([PLACE])
    store = meet(shared, rank, n_processes)
    dist.init_process_group(backend, store=store, rank=rank, world_size=n_processes)
    return counted or met_before


def meet(shared: dist.Store, rank: int, n_processes: int) -> dist.Store:
    """The part of a store that the processes of this round alone use.

    The first process makes up its name. The others cannot know whether the name that they read is
    that of an earlier round: so each leaves a word there that nobody has used before, and waits
    until the first process has repeated it.
    """
    mine = uuid.uuid4().hex
    if rank == 0:
        shared.set(PLACE, mine)
        for other in range(1, n_processes):
            word = shared.get(f"{mine}/{other}").decode()  # waits for it
            shared.set(f"{mine}/{word}", "seen")
        return dist.PrefixStore(mine, shared)
    began = time.monotonic()
    while time.monotonic() - began < LONGEST:
        place = shared.get(PLACE).decode()
        shared.set(f"{place}/{rank}", mine)
        try:
            shared.wait([f"{place}/{mine}"], LOOK)
        except dist.DistStoreError:
            continue  # an earlier round's place, or the first process is slow
        return dist.PrefixStore(place, shared)
    raise UserError(f"process {rank} has waited {LONGEST:.0f} seconds for process 0")
