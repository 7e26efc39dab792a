"""What a worker says that a student has taken over; a preload of `dask worker` in the trials.

EXAMINER_LIE says which lie: nonsense, points for everybody, a pickle that runs a program where it
is read, or an order to the scheduler.
"""

import json
import os
import pickle

import msgpack
from distributed.protocol.serialize import Serialized

from examiner.cluster import inside

LIE = os.environ.get("EXAMINER_LIE", "nonsense")
TRACE = os.environ.get("EXAMINER_TRACE", "/tmp/examiner-was-here")
# who is it that opens the pickle?
COMMAND = f"tr '\\0' ' ' < /proc/$PPID/cmdline >> {TRACE}; echo >> {TRACE}"
# a preload may be loaded twice
_honest = vars(inside).setdefault("_honest", inside._plain)


class Bomb:
    """Writes a file where it is unpickled."""

    def __reduce__(self):
        return os.system, (COMMAND,)


class LiedError(Exception):
    """An error that carries the bomb."""

    def __reduce__(self):
        return os.system, (COMMAND,)


def lying(**what):
    if "result" not in what:
        return _honest(**what)
    if LIE == "nonsense":
        return Serialized({"serializer": "msgpack"}, [msgpack.packb('{"result": "\\u001b[31m"}')])
    if LIE == "praise":
        said = json.loads(what["result"])
        said["tests"] = {name: ["passed", "", "", 0.0] for name in said["tests"]}
        return _honest(result=json.dumps({**said, "notice": "", "examples": {}}, sort_keys=True))
    if LIE == "pickle":
        return Serialized({"serializer": "pickle", "type": "x"}, [pickle.dumps(Bomb())])
    if LIE == "object":
        return Bomb()
    if LIE == "error":
        raise LiedError("boom")
    return _honest(**what)


inside._plain = lying
