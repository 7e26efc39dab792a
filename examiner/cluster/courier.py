"""The grader's messenger: Dask's client in a process of its own, which sees no grades.

What it reads comes from machines on which students' code runs, through a library that is made for
friends. So it holds nothing that is worth taking, is locked in where a sandbox works, unpickles
nothing (rules.py), and tells the grader lines of JSON, which are checked there (plain.py).

    {"scheduler": …, "certificates": …, "digest": …, "data": …, "patience": …, "overdue": …}
    {"n": 3, "job": …, "not": [addresses]}   a job, and the workers that must not have it
    {"bad": address}                         a worker that is to get no more

    {"window": 6}                            how many jobs it wants at a time
    {"n": 3, "worker": …, "result": …}       what a worker answered, as text
    {"n": 3, "died": true}                   two workers died with this job in hand
    {"say": …}, {"gone": …}                  lines for a person; the last one before it ends
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from examiner.cluster.certificates import stranger
from examiner.cluster.setting import DEATHS, LONGEST

COPIES = 3  # of a job that are under way at a time, when workers keep us waiting
TROUBLES = 2  # of a worker that cannot grade, until it gets no more
FAILED = 3  # times that a job may end in an error of Dask's before the grader is told
LOOK = 0.5  # seconds between two looks at the cluster
MOST_WORKERS = 4096
MOST_BYTES = 16 * LONGEST  # of an answer; JSON in JSON writes a sign in up to thirteen


@dataclass
class _Job:
    """A job on its way."""

    number: int
    text: str
    avoid: set[str]
    second: bool = False  # whether a worker has answered it, and another's answer is to be compared
    began: float = 0.0
    copies: dict[str, Any] = field(default_factory=dict)  # Dask's futures by key
    failed: int = 0
    lives: set[str] = field(default_factory=set)  # of workers that have begun it
    deaths: int = 0  # of those


class Courier:
    """Takes jobs from the grader to a cluster, and answers back."""

    def __init__(self, order: dict[str, Any], say: Any) -> None:
        self._order, self._say = order, say
        self._jobs: dict[int, _Job] = {}
        self._bad: dict[str, str] = {}  # workers that get nothing, and why
        self._troubles: dict[str, int] = {}
        self._workers: dict[str, int] = {}  # slots by address
        self._lives: dict[str, str] = {}  # addresses by the workers' own folders
        self._client: Any = None
        self._window = 0
        self._names = itertools.count()
        self._waited = ""

    # ------------------------------------------------------------------ the connection

    async def run(self) -> None:
        """Serve until the grader closes the pipe, or the scheduler has been away too long."""
        scheduler, patience = self._order["scheduler"], self._order["patience"]
        away_since, told = time.monotonic(), False  # whether a person knows that we wait
        while True:
            try:
                await self._connect()
                self._say(connected=True)
                await self._stay()
                self._say(say=f"{scheduler} is gone: waiting for it to return")
                told = True
            except OSError as error:
                if why := await stranger(scheduler, self._order["certificates"]):
                    self._say(gone=why)
                    return
                if time.monotonic() - away_since > patience:
                    why = type(error).__name__ if not str(error) else str(error).split("\n")[0]
                    self._say(gone=f"{scheduler} does not answer ({why})")
                    return
                if not told:
                    self._say(say=f"{scheduler} does not answer: trying for {patience:.0f} s")
                    told = True
            else:
                away_since = time.monotonic()
            await self._leave()
            await asyncio.sleep(1)

    async def _connect(self) -> None:
        from distributed import Client
        from distributed.security import Security

        from examiner.cluster.inside import BEGUN, Course

        tls = {}
        if folder := self._order["certificates"]:
            own = str(Path(folder, "grader.pem"))
            tls = {
                "tls_ca_file": str(Path(folder, "authority.pem")),
                "tls_client_cert": own,
                "tls_client_key": own,
            }
        self._client = await Client(
            self._order["scheduler"],
            asynchronous=True,
            security=Security(require_encryption=True, **tls) if tls else None,
            timeout=min(15.0, self._order["patience"] / 4),  # so that a person hears early
            name="grader",
            set_as_default=False,
            direct_to_workers=False,
        )
        self._client.subscribe_topic(BEGUN, self._begun)
        data = base64.b64decode(self._order["data"])
        await self._client.register_plugin(Course(self._order["digest"], data))
        for job in self._jobs.values():
            job.copies.clear()

    async def _leave(self) -> None:
        if self._client is not None:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self._client.close(timeout=2), 5)
            self._client = None

    async def _stay(self) -> None:
        """Hand out jobs for as long as the connection holds."""
        client = self._client
        while client.status == "running":
            try:
                await self._look(client)
                for job in list(self._jobs.values()):
                    self._send_if_due(job)
            except OSError:
                return
            await asyncio.sleep(LOOK)

    async def _look(self, client: Any) -> None:
        """See which workers there are, and say how many jobs are wanted."""
        info = await asyncio.wait_for(client.scheduler.identity(n_workers=MOST_WORKERS), 30)
        self._workers = {
            address: int(each["nthreads"])
            for address, each in info["workers"].items()
            if each.get("status", "running") == "running"
        }
        self._lives = {str(w.get("local_directory")): a for a, w in info["workers"].items()}
        self._count_deaths(set(self._lives))
        good = [slots for address, slots in self._workers.items() if address not in self._bad]
        window = max(4, 2 * sum(good))  # some wait there even if nobody does: clusters grow by need
        if window != self._window:
            self._window = window
            self._say(window=window)
        if self._workers and not good:
            self._say(none="; ".join(sorted(set(self._bad.values()))))
        wait = "" if good else f"waiting for workers at {self._order['scheduler']}"
        if wait and wait != self._waited and not self._workers:
            self._say(say=wait)
        self._waited = wait

    def _begun(self, event: Any) -> None:
        """Note that a worker has begun a job."""
        with contextlib.suppress(KeyError, TypeError, ValueError, IndexError):
            said = event[1]
            number = int(said["key"].split("-")[3])
            if said["key"] in self._jobs[number].copies:
                self._jobs[number].lives.add(str(said["life"])[:1000])

    def _count_deaths(self, lives: set[str]) -> None:
        """Count for each job the workers that are gone since they began it."""
        for job in list(self._jobs.values()):
            job.deaths += len(job.lives - lives)
            job.lives &= lives
            self._tell_deaths(job)

    def _tell_deaths(self, job: _Job) -> None:
        if job.deaths >= DEATHS and job.number in self._jobs:
            self._done(job)
            self._say(n=job.number, died=True)

    def _done(self, job: _Job) -> None:
        """Forget a job, and have the cluster forget its other copies."""
        del self._jobs[job.number]
        for copy in job.copies.values():
            if copy is not None and not copy.done():
                asyncio.get_running_loop().create_task(_dropped(copy))

    # ------------------------------------------------------------------ jobs

    def take(self, order: dict[str, Any]) -> None:
        """Take an order of the grader's."""
        if "bad" in order:
            self._bad[order["bad"]] = order.get("why", "")
            for job in self._jobs.values():
                job.avoid.add(order["bad"])
            return
        told = set(order["not"])
        job = _Job(order["n"], order["job"], told | set(self._bad), bool(told - set(self._bad)))
        self._jobs[job.number] = job
        if self._client is not None and self._client.status == "running":
            self._send_if_due(job)

    def _send_if_due(self, job: _Job) -> None:
        """Send a job that is nowhere, or one that has been away for too long to other workers."""
        late = time.monotonic() - job.began > self._order["overdue"]
        if not job.copies or (late and len(job.copies) < COPIES):
            asyncio.get_running_loop().create_task(self._send(job, late=bool(job.copies)))
            job.began = time.monotonic()

    async def _send(self, job: _Job, *, late: bool) -> None:
        from examiner.cluster.inside import graded

        client, avoid = self._client, job.avoid | set(self._bad)
        key = f"grade-{self._order['digest'][:12]}-{os.getpid()}-{job.number}-{next(self._names)}"
        job.copies[key] = None
        try:
            if late:
                avoid |= await self._who_has_it(job)
            only = [address for address in self._workers if address not in avoid]
            if self._workers and not only:
                alone = not job.copies.keys() - {key}
                # subtle: a second opinion is not waited for where its only worker keeps silent
                if job.number in self._jobs and (alone or (late and job.second)):
                    self._done(job)
                    self._say(n=job.number, nobody=True)
                return
            limits: dict[str, Any] = {}
            if only and len(only) < len(self._workers):
                limits = {"workers": only, "allow_other_workers": False}
            future = client.submit(
                graded, self._order["digest"], job.text, key=key, pure=False, **limits
            )
            if job.number in self._jobs:
                job.copies[key] = future
            await self._await(client, job, key, future)
        except Exception as error:  # whatever it is, the job is sent again
            print(f"{key}: {type(error).__name__}: {error}", file=sys.stderr)
        finally:
            job.copies.pop(key, None)

    async def _who_has_it(self, job: _Job) -> set[str]:
        at = await asyncio.wait_for(self._client.scheduler.processing(workers=None), 10)
        return {address for address, keys in at.items() if set(keys) & set(job.copies)}

    async def _await(self, client: Any, job: _Job, key: str, future: Any) -> None:
        """Wait for what becomes of a copy of a job, and tell the grader."""
        await future._state.wait()
        if job.number not in self._jobs:
            return
        if future.status == "finished":
            worker = next(iter((await client.scheduler.who_has(keys=[key])).get(key, ())), "")
            answer = await client.scheduler.gather(keys=[key])
            text = _text_of(answer.get("data", {}).get(key)) if isinstance(answer, dict) else None
            if answer.get("status") == "OK":
                self._told(job, worker, text)
        elif future.status == "error":
            if b"KilledWorker" in getattr(future._state.exception, "raw", b""):
                del self._jobs[job.number]
                self._say(n=job.number, died=True)
                return
            job.failed += 1
            for worker in {self._lives[life] for life in job.lives if life in self._lives}:
                self._in_trouble(worker, "its answers are errors", job)
            if job.failed >= FAILED:
                del self._jobs[job.number]
                self._say(n=job.number, worker="", result=None)

    def _told(self, job: _Job, worker: str, text: str | None) -> None:
        """Pass an answer on; a worker that cannot grade is left out, and the job goes elsewhere."""
        said: Any = None
        with contextlib.suppress(ValueError, TypeError, RecursionError):
            said = json.loads(text or "")
        if isinstance(said, dict) and isinstance(said.get("refused"), str):
            self._leave_out(worker, f"{worker} is left out: {said['refused'][:500]}", job)
            return
        if isinstance(said, dict) and isinstance(said.get("trouble"), str):
            self._in_trouble(worker, said["trouble"][:500], job)
            return
        if isinstance(said, dict) and "died" in said:
            job.deaths += 1
            job.avoid.add(worker)
            self._tell_deaths(job)
            return
        result = said.get("result") if isinstance(said, dict) else None
        if not isinstance(result, str) or len(result) > LONGEST:  # the grader reads no endless line
            result = None
        self._done(job)
        self._say(n=job.number, worker=worker, result=result)

    def _in_trouble(self, worker: str, why: str, job: _Job) -> None:
        """Note that a worker could not grade a job; the second time it is left out."""
        job.avoid.add(worker)
        self._troubles[worker] = self._troubles.get(worker, 0) + 1
        if self._troubles[worker] >= TROUBLES or len(self._workers) == 1:
            self._leave_out(worker, f"{worker} is left out: it cannot grade ({why})", job)

    def _leave_out(self, worker: str, why: str, job: _Job) -> None:
        job.avoid.add(worker)
        if worker not in self._bad:
            self._bad[worker] = why
            self._say(say=why)


async def _dropped(future: Any) -> None:
    with contextlib.suppress(Exception):
        await future.cancel()


def _text_of(value: Any) -> str | None:
    """Return the text in what Dask passed on without looking into it; None where it is no text."""
    import msgpack

    header, frames = getattr(value, "header", None), getattr(value, "frames", ())
    if not isinstance(header, dict) or header.get("serializer") != "msgpack":
        return None
    with contextlib.suppress(Exception):
        if sum(memoryview(each).nbytes for each in frames) > MOST_BYTES:
            return None
        found = msgpack.unpackb(b"".join(bytes(each) for each in frames))
        if isinstance(found, str):
            return found
    return None


@contextlib.contextmanager
def _voice() -> Iterator[Any]:
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(**what: Any) -> None:
        out.write(json.dumps(what) + "\n")
        out.flush()

    yield say


async def _serve(say: Any) -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 30)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    first = await reader.readline()
    if not first:
        return
    courier = Courier(json.loads(first), say)

    async def orders() -> None:
        while line := await reader.readline():
            courier.take(json.loads(line))

    listening = asyncio.create_task(orders())
    running = asyncio.create_task(courier.run())
    await asyncio.wait([listening, running], return_when=asyncio.FIRST_COMPLETED)
    for task in (listening, running):
        if task.done() and task.exception():
            raise task.exception()  # type: ignore[misc]


def main() -> None:
    """Serve the grader until the pipe is closed."""
    import dask

    from examiner.cluster.setting import configuration

    dask.config.set(configuration("grader", None))
    import examiner.cluster.rules  # noqa: F401 - which it installs

    with _voice() as say:
        with contextlib.suppress(BrokenPipeError):
            asyncio.run(_serve(say))
        os._exit(0)  # whatever Dask still has to say


if __name__ == "__main__":
    main()
