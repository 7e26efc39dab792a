"""`python -m examiner.cluster.worker [--certificates FOLDER] ADDRESS …`: Dask's, set for grading.

All of `dask worker`'s options can follow; a worker grades one submission for each of its threads.
When the scheduler goes away a Dask worker ends; this one is started again until it is told to stop,
so it is there when the scheduler returns.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from functools import partial
from types import FrameType

from examiner.cluster.certificates import WORKER, stranger
from examiner.cluster.setting import configuration, in_a_line, is_address, refuse, take_certificates
from examiner.ending import end_with_parent
from examiner.errors import UserError

ONCE = "--once"
PAUSE = 2.0  # seconds before it is started again


def main(words: list[str] | None = None) -> None:
    """Run a worker until it is told to stop."""
    words = list(sys.argv[1:] if words is None else words)
    if {ONCE, "--help", "--version"} & set(words):
        _once([word for word in words if word != ONCE])
        return
    try:
        certificates, rest = take_certificates(words)
        configuration(WORKER, certificates)
        address = _address(rest, encrypted=certificates is not None)
    except UserError as error:
        refuse(error)
    stopping = False
    child: subprocess.Popen[bytes] | None = None

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal stopping
        stopping = True
        if child:
            child.send_signal(signal.SIGTERM)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    while not stopping:
        if why := asyncio.run(stranger(address, str(certificates or ""), WORKER)):
            refuse(why)
        child = subprocess.Popen(
            [sys.executable, "-m", __spec__.name, ONCE, *words],
            preexec_fn=partial(end_with_parent, signal.SIGTERM),
        )
        if stopping:  # while the scheduler was asked: nobody has told this one
            child.send_signal(signal.SIGTERM)
        code = child.wait()
        if code == 2:  # wrong use: it would be wrong again
            sys.exit(code)
        if not stopping:
            time.sleep(PAUSE)


def _address(words: list[str], *, encrypted: bool) -> str:
    """Return the scheduler's address, "" where Dask finds it by other words; raises UserError."""
    import dask

    known = dask.config.get("scheduler-address", None) or "--scheduler-file" in words
    address = next((word for word in words if is_address(word)), "")
    if not address and not known:
        raise UserError("where is the scheduler? give its address, such as tls://10.0.0.1:8786")
    if encrypted and address.startswith("tcp"):
        raise UserError(f"{address} is not encrypted: give its tls:// address")
    own = dask.config.get("distributed.comm.tls.worker.cert", None)  # by Dask's settings or options
    own = own or any(word.startswith("--tls-") for word in words)
    if address.startswith("tls") and not encrypted and not own:
        raise UserError(f"{address} needs --certificates FOLDER")
    return address if address.startswith("tls") else ""


def _once(words: list[str]) -> None:
    certificates, words = take_certificates(words)
    import dask

    dask.config.set(configuration(WORKER, certificates))
    os.environ["OMP_NUM_THREADS"] = "1"
    from distributed.cli.dask_worker import main as dask_worker

    threads = ["--nthreads", "1"] if "--nthreads" not in words else []
    protocol = ["--protocol", "tls"] if certificates and "--protocol" not in words else []
    with in_a_line("no worker", 1):
        dask_worker([*protocol, *threads, *words])


if __name__ == "__main__":
    main()
