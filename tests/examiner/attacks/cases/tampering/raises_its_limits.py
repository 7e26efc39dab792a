"""Raises its own limits."""

# expect: failed
import resource


def deed(*_):
    for name in (resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE):
        resource.setrlimit(name, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return "canary: this worked"


shout = mean = halves = Counter = deed
