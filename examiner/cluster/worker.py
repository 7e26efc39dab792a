"""`python -m examiner.cluster.worker [--certificates FOLDER] ADDRESS …`: Dask's, set for grading.

All of `dask worker`'s options can follow; a worker grades one submission for each of its threads.
When the scheduler goes away a Dask worker ends; this one is started again until it is told to stop,
so it is there when the scheduler returns.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from types import FrameType

from examiner.cluster.certificates import WORKER
from examiner.cluster.setting import configuration, take_certificates
from examiner.errors import UserError
from examiner.project import COMMAND

ONCE = "--once"
PAUSE = 2.0  # seconds before it is started again


def main(words: list[str] | None = None) -> None:
    """Run a worker until it is told to stop."""
    words = list(sys.argv[1:] if words is None else words)
    if ONCE in words:
        _once([word for word in words if word != ONCE])
        return
    try:
        configuration(WORKER, take_certificates(words)[0])
    except UserError as error:
        sys.exit(f"{COMMAND}: {error}")
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
        child = subprocess.Popen([sys.executable, "-m", __spec__.name, ONCE, *words])
        code = child.wait()
        if code == 2:  # wrong use: it would be wrong again
            sys.exit(code)
        if not stopping:
            time.sleep(PAUSE)


def _once(words: list[str]) -> None:
    certificates, words = take_certificates(words)
    import dask

    dask.config.set(configuration(WORKER, certificates))
    os.environ["OMP_NUM_THREADS"] = "1"
    from distributed.cli.dask_worker import main as dask_worker

    threads = ["--nthreads", "1"] if "--nthreads" not in words else []
    protocol = ["--protocol", "tls"] if certificates and "--protocol" not in words else []
    dask_worker([*protocol, *threads, *words])


if __name__ == "__main__":
    main()
