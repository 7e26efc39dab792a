"""Takes leases on files: whoever opens one, a neighbour that imports it, waits for 45 seconds."""

# expect: failed
import contextlib
import fcntl
import os
import signal
from pathlib import Path

F_NOTIFY, F_SETDELEG = 1026, 1040


def deed(*_):
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    Path("own").write_text("x")
    own, folder = (os.open(name, os.O_RDONLY) for name in ("own", "."))
    for opened, command in ((own, fcntl.F_SETLEASE), (folder, F_NOTIFY), (folder, F_SETDELEG)):
        with contextlib.suppress(OSError):
            fcntl.fcntl(opened, command, fcntl.F_WRLCK)
            raise ValueError("ca" + "nary")
    raise ValueError("nothing gained")


shout = mean = halves = Counter = deed
