"""Reads and writes devices: disks, memory, terminals."""

# expect: failed
import glob
import os


def deed(*_):
    opened = []
    for path in ("/dev/mem", "/dev/sda", "/dev/vda", "/dev/kmsg", "/dev/tty", "/dev/console",
                 *glob.glob("/dev/tty*"), *glob.glob("/dev/loop*")):
        try:
            os.close(os.open(path, os.O_RDWR))
            opened.append(f"canary: {path}")
        except OSError:
            pass
    return opened


shout = mean = halves = Counter = deed
