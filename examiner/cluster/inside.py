"""What runs in a Dask worker: it keeps the course's parts and a house, and answers with JSON.

Everything here arrives by reference: the grader sends names and texts, never code. What is answered
is one text, marked as msgpack, so that nobody who reads it needs pickle.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import threading
from pathlib import Path
from typing import Any

import msgpack
from distributed import WorkerPlugin, get_worker
from distributed.protocol.serialize import Serialized

from examiner.cluster.keeper import House, HouseError, RefusedError
from examiner.cluster.parcel import Unpacked, unpacked

# houses of other courses that stand idle, since two graders take turns at a worker; each holds
# some hundred megabytes, and to start one takes seconds
OTHERS = 1
BEGUN = "grading-begun"  # what a worker calls the event of beginning a job


class Course(WorkerPlugin):
    """Brings the course's parts to every worker, once, also to those that join later."""

    idempotent = True

    def __init__(self, digest: str, data: bytes) -> None:
        self.digest, self.data = digest, data
        self.name = f"course-{digest}"

    def setup(self, worker: Any) -> None:
        """Take note of the parts; they are laid out when they are first needed."""
        _CELLAR.parts[self.digest] = self.data

    def teardown(self, worker: Any) -> None:
        """Forget the course, and end what grades it."""
        _CELLAR.clear(self.digest)


class _Cellar:
    """The courses that this worker knows, and the houses that stand idle."""

    def __init__(self) -> None:
        self.parts: dict[str, bytes] = {}
        self._laid_out: dict[str, Unpacked] = {}
        self._idle: list[tuple[str, House]] = []  # by course, the last used at the end
        self._lock = threading.Lock()

    def lend(self, digest: str) -> House:
        """Return a house that is free, a new one if there is none."""
        with self._lock:
            for at in reversed(range(len(self._idle))):
                if self._idle[at][0] == digest:
                    return self._idle.pop(at)[1]
            while len(self._idle) > OTHERS:
                self._idle.pop(0)[1].close()
            parcel = self._unpacked(digest)
        return House(parcel.root, parcel.environment())

    def take_back(self, digest: str, house: House) -> None:
        """Keep a house for the next job."""
        with self._lock:
            self._idle.append((digest, house))

    def _unpacked(self, digest: str) -> Unpacked:
        if digest not in self._laid_out:
            if digest not in self.parts:
                raise HouseError("the course's parts have not arrived here")
            folder = Path(tempfile.mkdtemp(prefix="course-", dir=_place()))
            self._laid_out[digest] = unpacked(self.parts[digest], digest, folder)
        return self._laid_out[digest]

    def clear(self, digest: str) -> None:
        """End the houses of a course and forget its parts."""
        with self._lock:
            for _, house in (each for each in self._idle if each[0] == digest):
                house.close()
            self._idle = [each for each in self._idle if each[0] != digest]
            self.parts.pop(digest, None)
            if parcel := self._laid_out.pop(digest, None):
                shutil.rmtree(parcel.root, ignore_errors=True)


_CELLAR = _Cellar()


def _place() -> str | None:
    """Return the worker's own folder, which goes when it does; None: the system's."""
    try:
        return str(get_worker().local_directory)
    except ValueError:
        return None


def graded(digest: str, job: str) -> Serialized:
    """Return what became of a job, by one word: its result; why this worker refused it; what
    trouble the worker is in; or how the process died that had the job in hand."""
    try:
        house = _CELLAR.lend(digest)
    except (HouseError, OSError, ValueError) as error:
        return _plain(trouble=str(error))
    begun = False
    try:
        house.wait()
        _announce()  # from here on, whoever ends this worker, ends it with the job in hand
        begun = True
        result = house.ask(job)
    except RefusedError as error:
        house.close()
        return _plain(refused=str(error))
    except HouseError as error:
        house.close()
        return _plain(**{"died" if begun else "trouble": str(error)})
    except BaseException:
        house.close()
        raise
    _CELLAR.take_back(digest, house)
    return _plain(result=result)


def _announce() -> None:
    """Say that the job of this thread begins, and in which life of this worker."""
    worker = get_worker()
    worker.log_event(BEGUN, {"key": worker.get_current_task(), "life": worker.local_directory})


def _plain(**what: str) -> Serialized:
    """Return a text as Dask passes it on without looking into it."""
    return Serialized({"serializer": "msgpack"}, [msgpack.packb(json.dumps(what))])
