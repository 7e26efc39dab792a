"""What a candidate tries in order to see whether its walls hold; sent there like a submission.

Each function says what it could do, or raises the error that stopped it.
"""

import os
import socket
import threading
import time
from pathlib import Path


def sees(path: str) -> bool:
    """Tell whether a path of the examiner's is there to be seen."""
    return Path(path).exists()


def reads(path: str) -> bool:
    """Read a file, or list a folder."""
    if Path(path).is_dir():
        list(Path(path).iterdir())
    else:
        Path(path).read_bytes()
    return True


def writes(path: str) -> bool:
    """Open a file for writing, without harm to what is in it."""
    Path(path).open("a").close()
    return True


def connects() -> bool:
    """Make a socket and send something to this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.sendto(b"x", ("127.0.0.1", 9))
        return True


def forks() -> bool:
    """Start another process."""
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    return True


def signals(pid: int) -> bool:
    """Find a process of the examiner's; the first one of a container has this one's number."""
    if pid == os.getpid():
        raise ProcessLookupError("a number of its own")
    os.kill(pid, 0)
    return True


def processes() -> int:
    """Count the processes that can be seen."""
    return sum(path.name.isdigit() for path in Path("/proc").iterdir())


def takes_memory(size: int) -> bool:
    """Take memory, all of it touched."""
    return len(bytearray(size)) == size


def fills_disk(size: int) -> bool:
    """Write a large file in the private folder."""
    with Path("large").open("wb") as file:
        for _ in range(size >> 20):
            file.write(bytes(1 << 20))
    return True


def starts_threads(count: int) -> bool:
    """Start many threads."""
    stop = threading.Event()
    try:
        for _ in range(count):
            threading.Thread(target=stop.wait, args=(5,), daemon=True).start()
    finally:
        stop.set()
    return True


def sleeps(seconds: float) -> bool:
    """Do not come back in time."""
    time.sleep(seconds)
    return True
