"""How Dask is set for grading: its configuration for each role."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from examiner.cluster.certificates import AUTHORITY, SCHEDULER, WORKER, require
from examiner.judge.wording import one_line
from examiner.project import COMMAND

DEATHS = 2  # of workers that had a submission in hand, until it is charged
LONGEST = 4 << 20  # characters of a result: five hundred times a usual one
MOST_DEATHS = 20  # of workers that had it on their list: innocent ones wait there
RULES = "examiner.cluster.rules"
_ADDRESS = re.compile(r"(?:(?:tcp|tls)://)?[^\s/]+:(\d{1,5})")


def configuration(role: str, certificates: Path | None) -> dict[str, Any]:
    """Return Dask's configuration for a process of a role; raises UserError for no certificates."""
    found: dict[str, Any] = {
        "examiner.role": role,
        "distributed.scheduler.allowed-failures": MOST_DEATHS,
        "distributed.scheduler.worker-ttl": "60s",
        "distributed.scheduler.worker-saturation": 1.0,
        "distributed.scheduler.preload": [RULES],
        "distributed.worker.preload": [RULES],
        "distributed.nanny.preload": [RULES],
        "distributed.worker.profile.enabled": False,
        "distributed.comm.compression": False,
        "distributed.comm.timeouts.connect": "30s",
        "distributed.comm.timeouts.tcp": "30s",
    }
    if certificates:
        folder = certificates.resolve()
        require(folder, role)
        own = {"cert": str(folder / f"{role}.pem"), "key": str(folder / f"{role}.pem")}
        tls = "distributed.comm.tls"
        found |= {"distributed.comm.require-encryption": True}
        found |= {f"{tls}.ca-file": str(folder / AUTHORITY)}
        for part in (SCHEDULER, WORKER, "client"):  # a worker calls the scheduler as a client, too
            found |= {f"{tls}.{part}.{name}": path for name, path in own.items()}
    return found


def refuse(why: object, code: int = 2) -> NoReturn:
    """Say in a line why a process of a cluster cannot be started, and end: 2 is wrong use."""
    print(f"{COMMAND}: {why}", file=sys.stderr)
    sys.exit(code)


def is_address(word: str) -> bool:
    """Tell whether a word can be a scheduler's address.

    >>> [is_address(word) for word in ("tls://host:8786", "10.0.0.1:8786", "host", "host:99999")]
    [True, True, False, False]
    """
    found = _ADDRESS.fullmatch(word)
    return found is not None and int(found[1]) < 1 << 16


@contextmanager
def in_a_line(what: str, code: int) -> Iterator[None]:
    """End with one line for what Dask could not start, in the place of its chain of errors."""
    try:
        yield
    except Exception as error:
        cause: BaseException = error
        while why := cause.__cause__ or cause.__context__:
            cause = why
        text = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
        refuse(f"{what} could be started: {one_line(text, 300)}", code)


def take_certificates(words: list[str]) -> tuple[Path | None, list[str]]:
    """Take `--certificates FOLDER` out of a command's words.

    >>> take_certificates(["--certificates", "keys", "--nthreads", "1"])[1]
    ['--nthreads', '1']
    """
    if "--certificates" not in words:
        return None, words
    at = words.index("--certificates")
    given = words[at + 1 : at + 2]
    return Path(given[0]) if given else None, [*words[:at], *words[at + 2 :]]
