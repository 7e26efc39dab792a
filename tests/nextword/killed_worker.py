"""`nextword`, of which one process is killed in its eighth step, the first time that it gets there.

Started by torchrun. The signal is the one that nobody can catch, as from a machine that goes down.
"""

import os
import signal

from nextword.cli import main
from nextword.models.trainer import streams

VICTIM, STEP = "1", 7

batch = streams.batch


def killing_batch(*given):
    """The batch of a step, unless this process dies of it."""
    *_, step = given
    is_first_try = os.environ["TORCHELASTIC_RESTART_COUNT"] == "0"
    if step == STEP and is_first_try and os.environ["RANK"] == VICTIM:
        print(f"killed in step {step + 1}", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    return batch(*given)


if __name__ == "__main__":
    streams.batch = killing_batch
    main()
