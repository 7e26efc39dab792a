"""Processes that train together without a launcher, and what they tell of it.

One process imports torch once and forks the others, so that many small trainings take seconds.
"""

import importlib
import multiprocessing
import os
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import distributed as dist

from nextword.models.trainer import networks, parallel
from nextword.models.trainer.config import Config
from nextword.models.trainer.run import Training
from nextword.models.trainer.streams import Stream

FORKS = multiprocessing.get_context("forkserver")
PRELOADED = [__name__, "solutions.transformers", "torch.distributed.fsdp", "torch._dynamo"]
LONGEST = 120  # seconds

Job = Callable[..., Any]


def stream() -> Stream:
    """A small text without sense."""
    tokens = torch.randint(3, 9, (300,), generator=torch.Generator().manual_seed(0))
    return Stream(tokens[:200], tokens[200:], tuple("abcdefghi"))


@cache
def store_of_all() -> dist.TCPStore:
    """The place where all of them meet, again and again, as under torchrun with its restarts."""
    return dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)


def together(n: int, job: Job, *given: Any, shard: bool = False) -> list[Any]:
    """What `job(place, *given)` returns in each of n processes, in their order.

    An error in one of them is raised here as a RuntimeError with its text.
    """
    FORKS.set_forkserver_preload(PRELOADED)
    store = store_of_all()
    pipes = [FORKS.Pipe(duplex=False) for _ in range(n)]
    processes = [
        FORKS.Process(target=_work, args=(rank, n, store.port, shard, pipes[rank][1], job, given))
        for rank in range(n)
    ]
    for process in processes:
        process.start()
    answers = [pipe.recv() if pipe.poll(LONGEST) else ("error", "no answer") for pipe, _ in pipes]
    for process in processes:
        process.join()
    for kind, answer in answers:
        if kind == "error":
            raise RuntimeError(answer)
    return [answer for _, answer in answers]


def _work(
    rank: int, n: int, port: int, shard: bool, pipe: Any, job: Job, given: tuple[Any, ...]
) -> None:
    os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(n)}
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    os.environ["TORCHELASTIC_USE_AGENT_STORE"] = "True"  # the store is this test's
    torch.set_num_threads(1)
    try:
        with parallel.joined("cpu", shard=shard) as place:
            pipe.send(("answer", job(place, *given)))
    except Exception:
        pipe.send(("error", traceback.format_exc()))


def prepared(place: parallel.Place, folder: Path, **changes: Any) -> Training:
    """A small training before its first step."""
    plan = Config(
        **{
            **{"D": 16, "layers": 2, "heads": 2, "T": 8, "size": 16, "steps": 20, "every": 10},
            **{"warm_up": 2, "rate": 0.01},
            **changes,
        }
    )
    course = importlib.import_module(f"solutions.{networks.chapter(plan.kind)}")
    return Training(course, stream(), plan, place, folder)


def train(place: parallel.Place, folder: Path, changes: dict[str, Any]) -> list[float]:
    """Train from the checkpoint in the folder, if there is one; the losses of all steps."""
    training = prepared(place, folder, **changes)
    training.resume()
    training.run()
    return training.losses


def sums_in_a_step(place: parallel.Place, folder: Path, parts: int) -> int:
    """How often the processes add up gradients in one step."""
    training = prepared(place, folder, parts=parts, steps=1)
    sums = []
    replica = place.wrap(training.model, parts)

    def counted(state: Any, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
        sums.append(bucket.buffer().numel())
        return (
            dist.all_reduce(bucket.buffer(), async_op=True)
            .get_future()
            .then(lambda done: done.value()[0] / place.n_processes)
        )

    replica.register_comm_hook(None, counted)
    object.__setattr__(place, "wrap", lambda model, n_parts: replica)
    training.run()
    return len(sums)


def held(place: parallel.Place, folder: Path) -> tuple[int, int]:
    """How many numbers of the weights and of the optimizer's state this process holds."""
    training = prepared(place, folder, steps=1)
    training.run()
    state = training.optimizer.state.values()
    return (
        sum(_here(weight) for weight in training.model.parameters()),
        sum(_here(each[name]) for each in state for name in ("exp_avg", "exp_avg_sq")),
    )


def _here(tensor: torch.Tensor) -> int:
    return (tensor.to_local() if hasattr(tensor, "to_local") else tensor).numel()


def masks(place: parallel.Place) -> list[list[float]]:
    """What dropout leaves of ones in two steps, and in the first one again."""
    found = []
    for step in (0, 1, 0):
        place.draw_anew(0, step)
        found.append(torch.nn.functional.dropout(torch.ones(40)).tolist())
    return found


def refused(place: parallel.Place, folder: Path) -> str:
    """What a process is told whose checkpoint, of another plan, only the first one can see."""
    mine = folder if place.is_first else folder / "another machine"
    try:
        train(place, mine, {"D": 32})
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


def from_one_disk(place: parallel.Place, folder: Path) -> list[float]:
    """Go on from a checkpoint that only the first process can see."""
    return train(place, folder if place.is_first else folder / "another machine", {})
