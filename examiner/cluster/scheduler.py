"""`python -m examiner.cluster.scheduler [--certificates FOLDER] …`: Dask's own, set for grading.

All of `dask scheduler`'s options can follow.
"""

from __future__ import annotations

import sys

from examiner.cluster.certificates import SCHEDULER
from examiner.cluster.setting import configuration, in_a_line, refuse, take_certificates
from examiner.errors import UserError


def main(words: list[str] | None = None) -> None:
    """Run a scheduler until it is told to stop."""
    certificates, words = take_certificates(list(sys.argv[1:] if words is None else words))
    try:
        settings = configuration(SCHEDULER, certificates)
    except UserError as error:
        refuse(error)
    import dask

    dask.config.set(settings)
    from distributed.cli.dask_scheduler import main as dask_scheduler

    protocol = ["--protocol", "tls"] if certificates and "--protocol" not in words else []
    with in_a_line("no scheduler", 2):
        dask_scheduler([*protocol, *words])


if __name__ == "__main__":
    main()
