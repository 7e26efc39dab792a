"""Who may say what, and that nobody's pickle is opened where students' work is judged."""

import asyncio
import json
import pickle

import msgpack
import pytest

dask = pytest.importorskip("dask", reason="Dask is not installed: pip install '.[cluster]'")
pytest.importorskip("distributed")

from distributed.protocol import core  # noqa: E402
from distributed.protocol.serialize import Serialized, ToPickle  # noqa: E402

from examiner.cluster import rules  # noqa: E402
from examiner.cluster.certificates import GRADER, ROLES, SCHEDULER, WORKER, make  # noqa: E402
from examiner.cluster.courier import MOST_BYTES, Courier, _Job, _text_of  # noqa: E402
from examiner.cluster.rules import PickleRefusedError, refusal  # noqa: E402
from examiner.cluster.setting import LONGEST, configuration  # noqa: E402
from examiner.errors import UserError  # noqa: E402

ALLOWED = {  # (mine, peer, whether we call): else refused
    (SCHEDULER, WORKER, False),
    (SCHEDULER, GRADER, False),
    (SCHEDULER, SCHEDULER, False),
    (SCHEDULER, WORKER, True),
    (WORKER, SCHEDULER, True),
    (WORKER, SCHEDULER, False),
    (WORKER, GRADER, True),
    (WORKER, GRADER, False),
    (GRADER, SCHEDULER, True),
    (GRADER, SCHEDULER, False),
}


@pytest.mark.parametrize("mine", ROLES)
@pytest.mark.parametrize("peer", [*ROLES, "", "somebody"])
@pytest.mark.parametrize("called", [True, False])
def test_who_may_talk_to_whom(mine: str, peer: str, called: bool) -> None:
    allowed = (mine, peer, called) in ALLOWED
    assert (refusal(mine, peer, same_host=False, called=called) == "") is allowed


class Bomb:
    """Fails the test where it is unpickled."""

    def __reduce__(self):
        return pytest.fail, ("a pickle was opened",)


def test_a_grader_opens_no_pickle() -> None:
    frames = core.dumps({"op": "x", "data": ToPickle(Bomb())})
    with dask.config.set({rules.ROLE: GRADER}), pytest.raises(PickleRefusedError):
        core.loads(frames)


def test_a_scheduler_opens_no_pickle_of_a_workers() -> None:
    frames = core.dumps({"op": "x", "data": ToPickle(Bomb())})
    token = rules._PLAIN.set(True)
    try:
        with pytest.raises(PickleRefusedError):
            core.loads(frames)
    finally:
        rules._PLAIN.reset(token)
    assert core.loads(core.dumps({"op": ToPickle([1])})) == {"op": [1]}  # others may


@pytest.mark.parametrize(
    "value",
    [
        None,
        "text",
        Bomb(),
        Serialized({"serializer": "pickle"}, [pickle.dumps(Bomb())]),
        Serialized({"serializer": "msgpack"}, [b"\xc1"]),
        Serialized({"serializer": "msgpack"}, [b"\x93\x01\x02\x03"]),
        Serialized({"serializer": "msgpack"}, [msgpack.packb("x" * (MOST_BYTES + 1))]),
    ],
)
def test_what_is_no_text_is_none(value: object) -> None:
    assert _text_of(value) is None
    _, error, traceback = rules._unread(value, value)
    assert isinstance(error.raw, bytes)
    assert traceback is None


@pytest.mark.parametrize("result", ["x" * (LONGEST + 1), 7, None])
def test_an_answer_without_end_reaches_the_grader_as_none(result: object) -> None:
    """A line that is too long would end the courier, and with it what all workers have in hand."""
    said: list[dict[str, object]] = []
    courier = Courier({}, lambda **what: said.append(what))
    courier._jobs[3] = job = _Job(3, "job", set())
    courier._told(job, "tls://w:1", json.dumps({"result": result}))
    assert said == [{"n": 3, "worker": "tls://w:1", "result": None}]


@pytest.mark.parametrize("second", [True, False])
def test_a_worker_that_keeps_silent_holds_up_no_class(second: bool, monkeypatch) -> None:
    """What it alone could still compare counts as it is; what it alone judges is waited for."""
    said: list[dict[str, object]] = []
    courier = Courier({"digest": "d" * 12}, lambda **what: said.append(what))
    courier.take({"n": 3, "job": "job", "not": ["w0"] if second else []})
    job = courier._jobs[3]
    courier._workers, job.copies["first"] = {"w0": 1, "w1": 1}, None

    async def has_it(job: _Job) -> set[str]:
        return {"w1"} if second else {"w0", "w1"}

    monkeypatch.setattr(courier, "_who_has_it", has_it)
    asyncio.run(courier._send(job, late=True))
    assert said == ([{"n": 3, "nobody": True}] if second else [])


def test_a_worker_may_say_what_workers_say_and_order_nothing_else() -> None:
    class Line(rules._Ruled):
        peer, peer_address, plain = WORKER, "tls://1.2.3.4:5", True

        def __init__(self) -> None:
            pass

        def abort(self) -> None:
            self.aborted = True

    line = Line()
    kept = {"op": "task-finished", "key": "k"}
    assert line._permitted([kept, {"op": "update-graph"}, {"op": "cancel-keys"}]) == [kept]
    assert line._permitted({"op": "heartbeat_worker"}) == {"op": "heartbeat_worker"}
    assert line._permitted({"status": "OK"}) == {"status": "OK"}
    for order in ("run_function", "register-client", "broadcast", "terminate", "proxy", "feed"):
        with pytest.raises(OSError, match="may not order"):
            line._permitted({"op": order})
    assert line.aborted


def test_certificates_are_made_once_and_missing_ones_are_named(tmp_path) -> None:
    made = make(tmp_path / "keys")
    assert {path.name for path in made} == {"authority.pem", *(f"{role}.pem" for role in ROLES)}
    assert all(path.stat().st_mode & 0o077 == 0 for path in made)
    with pytest.raises(UserError, match="holds certificates already"):
        make(tmp_path / "keys")
    (tmp_path / "keys" / "worker.pem").unlink()
    with pytest.raises(UserError, match=r"holds no worker\.pem"):
        configuration(WORKER, tmp_path / "keys")
    assert configuration(SCHEDULER, tmp_path / "keys")["distributed.comm.require-encryption"]
