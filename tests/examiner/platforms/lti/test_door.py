"""The pages, by a browser's requests: who sees what, what is taken, and that points arrive."""

import contextlib
import io
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from examiner.catalogue import Chapter, Task
from examiner.inbox.arrivals import Arrival, InboxError
from examiner.platforms.lti.door import Door
from examiner.platforms.lti.inbox import ForwardingInbox
from examiner.platforms.lti.opening import opened
from tests.examiner.platforms.lti.platform import CLAIM, CLIENT, DEEP, ROLES, Platform

PAGE = "<h1>feedback of {}</h1>"


class Pile:
    """An inbox that keeps what is put."""

    def __init__(self) -> None:
        self.there: list[tuple[str, str, bytes]] = []
        self.finished: list[str] = []

    def put(self, student, name, data) -> str:
        self.there.append((student, name, data))
        return f"r{len(self.there)}"

    def finish(self, arrival, record, pages) -> None:
        self.finished.append(arrival.ticket)


@dataclass
class House:
    """A platform, a tool, and where its work lies."""

    platform: Platform
    door: Door
    pile: Pile
    inbox: ForwardingInbox
    address: str
    said: list[str]
    ledger: object
    tool: object


@pytest.fixture
def house(registered, tmp_path) -> Iterator[House]:
    tasks = (Task("9.1", "Sort", ("sort",), "9", 5, 5, "easy", ("a", "b", "c")),)
    chapter = Chapter("sorting", 9, "Sorting", tasks, "Algorithms")
    said: list[str] = []
    pile = Pile()
    settings = replace(registered.settings, folder=tmp_path, port=0, upload_mb=1)
    with opened(settings, registered.keys, {"sorting": (chapter, pile)}, said.append) as tool:
        address = f"http://127.0.0.1:{tool.door.port}"
        registered.platform.tool_keys = f"{address}/lti/jwks"
        inbox = tool.inboxes["sorting"]
        yield House(registered.platform, tool.door, pile, inbox, address, said, tool.ledger, tool)


class Browser:
    """Somebody's browser, which believes that this machine is safe."""

    def __init__(self, house: House) -> None:
        self.house, self.session, self.home = house, requests.Session(), ""

    def ask(self, method, url, **given):
        """Ask, and follow; what came before is the answer's `history`."""
        history = []
        while True:
            answer = self.session.request(method, url, allow_redirects=False, timeout=10, **given)
            for cookie in self.session.cookies:
                cookie.secure = False  # as browsers see it on this machine
            if answer.status_code not in (302, 303) or "/auth" in answer.headers["Location"]:
                answer.history = history
                return answer
            history.append(answer)
            method, url, given = "GET", f"{self.house.address}{answer.headers['Location']}", {}

    def launch(self, user="u1", role="Learner", target="sorting", **claims):
        """Launch an assignment; return the page that is shown."""
        tool = "https://grader.example.org/lti/launch"
        where = f"{tool}/{target}" if target else tool
        hint = {"iss": self.house.platform.address, "login_hint": user, "client_id": CLIENT}
        hint["target_link_uri"] = where
        login = self.ask("POST", f"{self.house.address}/lti/login", data=hint)
        asked = {k: v[0] for k, v in parse_qs(urlsplit(login.headers["Location"]).query).items()}
        make = self.house.platform.claims
        given = {f"{CLAIM}roles": [f"{ROLES}{role}"], "name": user.title(), **claims}
        said = make(asked["nonce"], where, user, **given)
        return self.arrive(self.house.platform.sign(said), asked["state"])

    def arrive(self, token, state):
        sent = {"id_token": token, "state": state}
        answer = self.ask("POST", f"{self.house.address}/lti/launch", data=sent)
        self.home = answer.url.removesuffix("class")
        return answer

    def hand_in(self, name="sorting.py", data=b"def sort(): ...", form=None):
        page = self.ask("GET", f"{self.home}?more").text
        found = re.search(r'name="form" value="([^"]+)"', page)
        return self.ask(
            "POST",
            self.home,
            data={"form": form if form is not None else found[1]},
            files={"work": (name, io.BytesIO(data))},
        )

    def get(self, path):
        return self.ask("GET", f"{self.home}{path}")


def grade(house, number=0, **others):
    """Have the desk give back what lies there."""
    student = house.pile.there[number][0]

    arrival = Arrival(f"t{number}", student, Path(f"r{number + 1}"), 1000.0)
    record = {"student": student, "ticket": f"t{number}", "arrived": 1000.0, "score": 3.5}
    record |= {"max_score": 5, "provisional": False, **others}
    house.inbox.finish(arrival, record, {".html": PAGE.format(student)})


def test_a_student_hands_in_and_reads_feedback(house) -> None:
    ada = Browser(house)
    page = ada.launch("ada")
    assert page.status_code == 200
    assert "Nothing yet" in page.text
    assert "is being graded" in ada.hand_in().text
    student, name, data = house.pile.there[0]
    assert re.fullmatch(r"ada-[0-9a-f]{12}", student)
    assert (name, data) == ("sorting.py", b"def sort(): ...")
    grade(house)
    assert house.pile.finished == ["t0"]
    page = ada.get("").text
    assert "3.5 of 5" in page
    assert ada.get("feedback/1").text == PAGE.format(student)
    end = time.monotonic() + 60  # the door's own thread sends
    while "<td>yes</td>" not in ada.get("").text:
        assert time.monotonic() < end
        time.sleep(0.05)
    (score,) = house.platform.scores
    assert score["scoreGiven"] == 3.5


def test_feedback_is_its_students_alone(house) -> None:
    ada, bob = Browser(house), Browser(house)
    ada.launch("ada")
    bob.launch("bob")
    ada.hand_in()
    grade(house)
    assert ada.get("feedback/1").status_code == 200
    assert bob.get("feedback/1").status_code == 404
    assert bob.get("feedback/2").status_code == 404
    # her address without her cookie, and with his
    assert requests.get(f"{ada.home}feedback/1", timeout=10).status_code == 403
    assert bob.ask("GET", f"{ada.home}feedback/1").status_code == 403
    theft = {"Cookie": next(f"launch={c.value}" for c in bob.session.cookies if c.name == "launch")}
    assert requests.get(f"{ada.home}feedback/1", headers=theft, timeout=10).status_code == 403
    forged = {"Cookie": theft["Cookie"][:-4] + "0000"}
    assert requests.get(f"{bob.home}", headers=forged, timeout=10).status_code == 403


def test_instructors_see_their_class_and_students_do_not(house) -> None:
    house.platform.members = [
        {"user_id": "ada", "name": "Ada", "roles": ["Learner"]},
        {"user_id": "zoe", "name": "Zoe <b>Z</b>", "roles": ["Learner"]},
    ]
    ada, tess, elsewhere = Browser(house), Browser(house), Browser(house)
    ada.launch("ada")
    ada.hand_in()
    grade(house)
    page = tess.launch("tess", "Instructor")
    assert page.url.endswith("/class")
    rows, _, absent = page.text.partition("Not handed in")
    assert "Ada" in rows
    assert "3.5 of 5" in rows
    assert "Zoe &lt;b&gt;Z&lt;/b&gt;" in absent
    assert "Ada" not in absent
    assert tess.get("feedback/1").status_code == 200
    assert ada.get("class").status_code == 403
    assert ada.ask("POST", f"{ada.home}class").status_code == 403
    other = {f"{CLAIM}resource_link": {"id": "another-course"}}
    assert "Ada" not in elsewhere.launch("otto", "Instructor", **other).text.split("Not handed")[0]
    assert elsewhere.get("feedback/1").status_code == 404


def test_an_instructor_hands_nothing_in(house) -> None:
    tess = Browser(house)
    page = tess.launch("tess", "Instructor")
    assert 'type="file"' not in page.text
    assert requests.post(tess.home, timeout=10).status_code == 403
    assert house.pile.there == []


@pytest.mark.parametrize("role", ["Mentor", "Guest"])
def test_whoever_neither_learns_nor_teaches_sees_nothing(house, role) -> None:
    answer = Browser(house).launch("max", role)
    assert answer.status_code == 403
    assert "students and instructors" in answer.text


def test_another_site_cannot_hand_in(house) -> None:
    ada = Browser(house)
    ada.launch("ada")
    assert ada.hand_in(form="").status_code == 403
    assert ada.hand_in(form="guessed").status_code == 403
    assert house.pile.there == []


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("../../etc/cron.d/x.py", ".py"),
        ("C:\\work\\sorting.ZIP", ".zip"),
        ("sorting--2.py", ".py"),
        ("work.ipynb", ".zip"),
    ],
)
def test_a_files_name_never_becomes_a_path(house, name, ending) -> None:
    ada = Browser(house)
    ada.launch("ada")
    assert ada.hand_in(name).status_code == 200
    assert house.pile.there[0][1] == f"sorting{ending}"


def test_what_is_no_work_is_refused_with_a_sentence(house) -> None:
    ada = Browser(house)
    ada.launch("ada")
    assert "Choose one file" in ada.hand_in("work.pdf").text
    assert "larger than 1 MB" in ada.hand_in(data=b"x" * ((1 << 20) + 1)).text
    for _ in range(5):
        ada.hand_in()
    assert "5 of your files wait" in ada.hand_in().text
    assert len(house.pile.there) == 5


def test_an_inbox_that_cannot_be_written_is_told_to_whoever_watches(house, monkeypatch) -> None:
    ada = Browser(house)
    ada.launch("ada")

    def full(*args):
        raise InboxError("/srv/inbox cannot be written: No space left on device")

    for place, name in ((house.pile, "put"), (house.ledger, "waiting")):
        with monkeypatch.context() as patched:
            patched.setattr(place, name, full)
            answer = ada.hand_in()
        assert answer.status_code == 500
        assert "try again in a few minutes" in answer.text
        assert "/srv" not in answer.text
        assert "No space left" in house.said.pop()
    assert ada.hand_in().status_code == 200


def test_a_file_beyond_all_bounds_ends_the_connection(house) -> None:
    ada = Browser(house)
    ada.launch("ada")
    with contextlib.suppress(requests.ConnectionError):
        assert ada.hand_in(data=b"x" * (4 << 20)).status_code >= 400
    assert house.pile.there == []


def test_an_instructor_chooses_an_assignment(house) -> None:
    tess = Browser(house)
    deep = {
        f"{CLAIM}message_type": "LtiDeepLinkingRequest",
        f"{CLAIM}resource_link": None,
        f"{DEEP}deep_linking_settings": {
            "deep_link_return_url": f"{house.platform.address}/deep",
            "accept_types": ["ltiResourceLink"],
            "accept_presentation_document_targets": ["window"],
            "data": "kept",
        },
    }
    page = tess.launch("tess", "Instructor", "", **deep)
    assert f"form-action {house.platform.address};" in page.headers["Content-Security-Policy"]
    (answer,) = re.findall(r'name="JWT" value="([^"]+)"', page.text)
    said = house.platform.of_tool(answer, house.platform.address)
    (item,) = said[f"{DEEP}content_items"]
    assert item["url"] == "https://grader.example.org/lti/launch/sorting"
    assert item["lineItem"]["scoreMaximum"] == 5
    assert item["window"] == {"targetName": "_blank"}
    assert (said["iss"], said[f"{DEEP}data"]) == (CLIENT, "kept")
    assert said[f"{CLAIM}message_type"] == "LtiDeepLinkingResponse"


def test_headers_and_cookies(house) -> None:
    ada = Browser(house)
    page = ada.launch("ada")
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert f"frame-ancestors {house.platform.address}" in policy
    assert page.headers["Cache-Control"] == "no-store"
    (launched,) = page.history
    cookie = launched.headers["Set-Cookie"]
    for word in ("Secure", "HttpOnly", "SameSite=None", "Partitioned", "Path=/lti/at/"):
        assert word in cookie
    assert requests.get(f"{house.address}/", timeout=10).status_code == 404
    assert "Traceback" not in requests.get(f"{house.address}/x", timeout=10).text


def test_an_old_session_has_ended(house, monkeypatch) -> None:
    """Also where the browser, or a thief, keeps the cookie."""
    ada = Browser(house)
    ada.launch("ada")
    (value,) = (cookie.value for cookie in ada.session.cookies if cookie.name == "launch")
    kept, now = {"Cookie": f"launch={value}"}, time.time()
    for hours, status in [(7, 200), (9, 403)]:
        monkeypatch.setattr("tornado.web.time.time", lambda hours=hours: now + hours * 3600)
        assert requests.get(ada.home, headers=kept, timeout=10).status_code == status


def test_what_is_said_holds_nothing_that_was_sent(house) -> None:
    ada = Browser(house)
    ada.launch("ada")
    bad = Browser(house)
    answer = bad.arrive("eyJhbGciOiJub25lIn0.e30.", "state-unknown")
    assert answer.status_code == 403
    assert "eyJ" not in answer.text
    assert house.said == ["refused a launch: this browser has no login in progress"]
