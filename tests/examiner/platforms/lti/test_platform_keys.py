"""What platforms leave out, name anew, or are slow to give: their keys and claims."""

import contextlib
import io
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests

from examiner.platforms.lti import calls
from examiner.platforms.lti.launch import INSTRUCTOR, RefusedError
from tests.examiner.platforms.lti.conftest import ADDRESS
from tests.examiner.platforms.lti.platform import CLAIM, new_key
from tests.examiner.platforms.lti.test_launch import Tool


def test_a_deep_link_may_leave_out_its_target(registered) -> None:
    """The specification of deep linking asks for none; that of a launch does."""
    tool = Tool(registered)
    home = f"{ADDRESS}/lti/launch"
    for kind, target in [("deep_claims", None), ("claims", None)]:
        asked, cookies = tool.log_in(target_link_uri=home)
        given = {f"{CLAIM}target_link_uri": target}
        said = getattr(tool.platform, kind)(asked["nonce"], home, **given)
        if kind == "deep_claims":
            found = tool.launch(tool.platform.sign(said), asked, cookies)
            assert (found.role, found.target) == (INSTRUCTOR, home)
        else:
            with pytest.raises(RefusedError, match="target"):
                tool.launch(tool.platform.sign(said), asked, cookies)


def test_a_deployment_that_is_missing_is_named_once_the_launch_is_signed(registered) -> None:
    tool = Tool(registered)
    with pytest.raises(RefusedError, match="lacks '7:ab'"):
        tool.launched(**{f"{CLAIM}deployment_id": "7:ab"})
    with pytest.raises(RefusedError) as raised:
        tool.launched(how={"key": new_key()}, **{f"{CLAIM}deployment_id": "7:ab"})
    assert "7:ab" not in str(raised.value)


def test_keys_of_the_last_hour_are_good_while_the_platform_gives_none(
    registered, monkeypatch
) -> None:
    tool = Tool(registered)
    tool.launched()
    tool.platform.silent.append("/jwks")
    monkeypatch.setattr(calls, "KEPT", 0.0)
    assert tool.launched().user == "u1"
    tool.platform.kid = "next-key"
    with pytest.raises(RefusedError, match="no keys"):
        tool.launched()
    tool.platform.kid = "platform-key"
    monkeypatch.setattr(calls, "STALE", 0.0)
    with pytest.raises(RefusedError, match="no keys"):
        tool.launched()


class Slowly:
    """A session whose first platform keeps everybody waiting, and whose others answer."""

    def __init__(self) -> None:
        self.asked, self.go_on = threading.Event(), threading.Event()

    def get(self, url, **options):
        if url == "https://slow.example":
            self.asked.set()
            assert self.go_on.wait(10)
        answer = requests.Response()
        answer.status_code, answer.raw = 200, io.BytesIO(b'{"keys": [{"kid": "1"}]}')
        return answer


def test_nobody_waits_for_the_keys_of_another_platform() -> None:
    session = Slowly()
    keys = calls.KeySets(session)
    slow = threading.Thread(target=keys.get, args=("https://slow.example", "1"))
    slow.start()
    assert session.asked.wait(10)
    with ThreadPoolExecutor() as pool:
        quick = pool.submit(keys.get, "https://quick.example", "1")
        try:
            assert quick.result(5) == {"keys": [{"kid": "1"}]}
        finally:
            session.go_on.set()
    slow.join()


@pytest.mark.parametrize(
    "body", [b"[" + b" " * (2 << 20), b"[]", b"\xff", b'{"keys": 7}', b"[" * 100_000, b"<html>"]
)
def test_a_key_set_that_is_none(body) -> None:
    class Session:
        def get(self, url, **options):
            answer = requests.Response()
            answer.status_code, answer.raw = 200, io.BytesIO(body)
            return answer

    with pytest.raises(ValueError, match=r"key set|codec|Expecting"):
        calls.KeySets(Session()).get("https://lms.example", "1")


class Dripping(BaseHTTPRequestHandler):
    """A platform that sends byte after byte, or more than anybody wants."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        with contextlib.suppress(OSError):
            while True:
                self.wfile.write(b" " if self.path == "/slow" else b" " * (1 << 20))
                time.sleep(0.05 if self.path == "/slow" else 0)

    def log_message(self, *args) -> None:
        pass


@pytest.mark.parametrize("kind", ["slow", "huge"])
def test_an_answer_that_does_not_end_is_left(monkeypatch, kind) -> None:
    monkeypatch.setattr(calls, "WHOLE", 0.5 if kind == "slow" else 30.0)
    monkeypatch.setattr(calls, "MOST", 4 << 20)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Dripping)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        began = time.monotonic()
        with pytest.raises(requests.ConnectionError, match="does not end"):
            calls.Session().get(f"http://127.0.0.1:{server.server_port}/{kind}")
        assert time.monotonic() - began < 10
    finally:
        server.shutdown()
        server.server_close()
