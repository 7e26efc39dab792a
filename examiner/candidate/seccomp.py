"""A filter on the system calls of a candidate: no new process, no socket, no mount, no tracing.

Threads are left: the resource limits count them. A notebook's kernel may have processes and sockets
besides. Leaves out machines that are neither x86-64 nor arm64, where the namespaces have to do
without it.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000, 0x80000000
CLONE_THREAD, CLONE_NEW = 0x10000, 0x7E020000  # the second: all flags that ask for namespaces
SCHED_OTHER = 0  # the usual way to share processors
X32_BIT = 0x40000000  # x86-64's second set of the same calls

# name: (number on x86-64, number on arm64); None where there is no such call
REFUSED: dict[str, tuple[int | None, int | None]] = {
    # new processes and programs
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    # the network, and sockets by name
    "socket": (41, 198),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    # other namespaces and file systems
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    # its own place in the queue for a processor: what waits there for long uses up no time
    "setpriority": (141, 140),
    "sched_setattr": (314, 274),
    # memory that no limit counts
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    # what a whole machine, or all programs of a user, have few of
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "io_setup": (206, 0),
    "sync": (162, 81),  # all disks, for everybody
    "syncfs": (306, 267),
    # parts of the kernel that many breakouts have gone through
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "personality": (135, 92),
    "modify_ldt": (154, None),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "fanotify_init": (300, 262),
    "quotactl": (179, 60),
    "syslog": (103, 116),
}
OF_A_KERNEL = frozenset(
    ("fork", "vfork", "execve", "execveat", "socket", "connect", "bind", "listen")
)
# done without being done, since they do not only wait for the own files: with one that can only be
# read they have the whole disk write down what it holds, again and again
PRETENDED = {"fsync": (74, 82), "fdatasync": (75, 83), "msync": (26, 227)}
CLONE, FCNTL, SET_SCHEDULER = (56, 220), (72, 25), (144, 119)
# commands of fcntl: whoever opens a file of this user's waits for 45 s while somebody has a lease
# on it, and to have one it is enough that the file can be read; a note of each change in a folder
LEASES = {"F_SETLEASE": 1024, "F_NOTIFY": 1026, "F_SETDELEG": 1040}
CLONE3 = (435, 435)  # its flags lie in memory, out of reach: the C library falls back to clone
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
# offsets in what the filter sees
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24
_Line = tuple[int, int, int, int]


def available() -> bool:
    """Tell whether there is a filter for this machine."""
    return sys.platform == "linux" and platform.machine() in _MACHINES


def program(*, of_a_kernel: bool = False) -> bytes:
    """Return the filter for this machine, in the kernel's own language (classic BPF).

    `of_a_kernel`: for a notebook's, which may start programs and speak to them by sockets.
    """
    column, architecture = _MACHINES[platform.machine()]
    refuse, absent = REFUSE | errno.EPERM, REFUSE | errno.ENOSYS
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, X32_BIT),
        (_RETURN, 0, 0, refuse),
        *_answer(CLONE3[column], absent),
    ]
    left = OF_A_KERNEL if of_a_kernel else frozenset()
    for number in (numbers[column] for name, numbers in REFUSED.items() if name not in left):
        code += _answer(number, refuse) if number is not None else []
    for numbers in PRETENDED.values():
        code += _answer(numbers[column], REFUSE)  # with the error 0, which is none
    leases = [line for command in LEASES.values() for line in _answer(command, refuse)]
    as_usual = [(_EQUAL, 1, 0, SCHED_OTHER), (_RETURN, 0, 0, refuse)]  # for this zmq asks
    clone = (_ANY_BIT, 0, 1, CLONE_NEW) if of_a_kernel else (_ANY_BIT, 1, 0, CLONE_THREAD)
    code += _look_closer(FCNTL[column], _SECOND_ARGUMENT, leases)
    code += _look_closer(SET_SCHEDULER[column], _SECOND_ARGUMENT, as_usual)
    code += _look_closer(CLONE[column], _FIRST_ARGUMENT, [clone, (_RETURN, 0, 0, refuse)])
    code.append((_RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("HBBI", *each) for each in code)


def _answer(number: int, answer: int) -> list[_Line]:
    """Return the lines that give an answer to what has this number, and go on with all else."""
    return [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, answer)]


def _look_closer(number: int, argument: int, then: list[_Line]) -> list[_Line]:
    """Return the lines that look at an argument of a call; what they do not refuse is allowed."""
    closer = [(_LOAD, 0, 0, argument), *then, (_RETURN, 0, 0, ALLOW)]
    return [(_EQUAL, 0, len(closer), number), *closer]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


def install(code: bytes) -> None:
    """Put this process, and all its threads to come, under the filter, for ever."""
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(code, len(code))
    filter_ = _Program(len(code) // 8, ctypes.addressof(buffer))
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs")
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(filter_), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")
