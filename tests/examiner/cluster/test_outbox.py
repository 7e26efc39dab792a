"""Lines for another process: whoever sends them never waits for who reads them."""

import json
import os
import time

import pytest

from examiner.cluster.outbox import Outbox

LONG = "x" * 100_000  # more than a pipe holds


def test_who_sends_does_not_wait_for_who_reads() -> None:
    reads, writes = os.pipe()
    outbox = Outbox(os.fdopen(writes, "wb"))
    for number in range(20):
        outbox.send({"n": number, "job": LONG})  # nobody reads yet
    with os.fdopen(reads, "rb") as pipe:
        lines = [json.loads(pipe.readline()) for _ in range(20)]
        outbox.close()
        assert pipe.read() == b""
    assert lines == [{"n": number, "job": LONG} for number in range(20)]


def test_who_has_no_reader_is_told() -> None:
    reads, writes = os.pipe()
    outbox = Outbox(os.fdopen(writes, "wb"))
    os.close(reads)
    outbox.send({})
    outbox.close()
    with pytest.raises(BrokenPipeError):
        outbox.send({})


def test_a_full_pipe_whose_reader_ends_is_closed_at_once() -> None:
    reads, writes = os.pipe()
    outbox = Outbox(os.fdopen(writes, "wb"))
    outbox.send({"job": LONG})
    time.sleep(0.1)
    os.close(reads)
    began = time.monotonic()
    outbox.close()
    assert time.monotonic() - began < 4
