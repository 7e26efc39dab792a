"""What browsers do: frames, back and reload, large files, a proxy with a path, pages that wait."""

import re
import time
from dataclasses import replace

import pytest
import requests

from examiner.catalogue import Chapter, Task
from examiner.platforms.lti.inside import MOST_WAITING
from examiner.platforms.lti.opening import opened
from tests.examiner.platforms.lti.conftest import ADDRESS
from tests.examiner.platforms.lti.platform import AGS, CLAIM, CLIENT, DEEP, ROLES
from tests.examiner.platforms.lti.test_door import Browser, Pile, grade, house

__all__ = ["house"]

SCHOOL = "https://school.example.com"
ENDPOINT = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
CHOICE = {
    f"{CLAIM}message_type": "LtiDeepLinkingRequest",
    f"{CLAIM}resource_link": None,
    f"{DEEP}deep_linking_settings": {
        "deep_link_return_url": f"{SCHOOL}/courses/1/deep_linking_response",
        "accept_types": ["ltiResourceLink"],
        "accept_presentation_document_targets": ["iframe"],
    },
}


def frames(page):
    """Whose pages may show this one."""
    return re.search(r"frame-ancestors ([^;]+)", page.headers["Content-Security-Policy"])[1].split()


@pytest.mark.parametrize(
    "claims",
    [
        {f"{CLAIM}launch_presentation": {"return_url": f"{SCHOOL}/courses/1/x?y=z"}},
        {ENDPOINT: {"scope": [f"{AGS}score"], "lineitems": f"{SCHOOL}/api/lti/courses/1/items"}},
        {f"{CLAIM}tool_platform": {"guid": "1", "url": SCHOOL}},
    ],
)
def test_a_schools_own_pages_may_show_the_tool(house, claims) -> None:
    """In the cloud everybody logs in at one address, and each school has pages at another."""
    page = Browser(house).launch("ada", **claims)
    assert frames(page) == [house.platform.address, SCHOOL]


def test_an_instructor_chooses_in_a_frame_of_the_school(house) -> None:
    page = Browser(house).launch("tess", "Instructor", "", **CHOICE)
    assert "Add " in page.text
    assert SCHOOL in frames(page)


@pytest.mark.parametrize(
    "address", ["https://a.example;script-src *", "https://*", "http://school.example.com", 7, None]
)
def test_what_is_no_address_opens_no_frame(house, address) -> None:
    claims = {f"{CLAIM}launch_presentation": {"return_url": address}}
    assert frames(Browser(house).launch("ada", **claims)) == [house.platform.address]


def test_a_sentence_can_be_read_in_any_frame(house) -> None:
    """Whoever has no cookie in a frame is told so, where a page that is not shown tells nothing."""
    for path in ("at/0123456789abcdef/", "launch", "nowhere"):
        page = requests.get(f"{house.address}/lti/{path}", timeout=10)
        assert "*" in frames(page)
        assert "<form" not in page.text
        assert "course" in page.text or path == "nowhere"


@pytest.mark.parametrize("path", ["launch", "launch/sorting"])
def test_an_address_that_was_kept_leads_back_to_the_course(house, path) -> None:
    page = requests.get(f"{house.address}/lti/{path}", timeout=10)
    assert page.status_code == 404
    assert "Open the assignment in your course" in page.text


def test_each_refusal_has_its_own_sentence(house) -> None:
    """Only who has no cookies is told of cookies."""
    ada = Browser(house)
    ada.launch("ada")
    said = {"id_token": "x.y.z", "state": "never-made"}
    post = f"{house.address}/lti/launch"
    assert "keeps no cookies" in requests.post(post, data=said, timeout=10).text
    state = next(cookie.value for cookie in ada.session.cookies if cookie.name != "launch")
    again = ada.arrive("x.y.z", state)  # back, and forward once more
    assert "has been used" in again.text
    other = Browser(house).launch("ada", **{f"{CLAIM}version": "1.1"})
    assert "tell your instructor" in other.text
    learner = Browser(house).launch("ada", "Learner", "", **CHOICE)
    assert "Only an instructor" in learner.text
    assert not any("cookies" in page.text for page in (again, other, learner))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"iss": "https://elsewhere.example"}, "platform is not known"),
        ({"target_link_uri": f"{ADDRESS}/lti/launch/other"}, "no assignment that is graded here"),
        ({"lti_deployment_id": "dep-2"}, "tell your instructor"),
    ],
)
def test_a_login_that_is_refused_says_what_is_not_known(house, given, says) -> None:
    hint = {"iss": house.platform.address, "login_hint": "ada", "client_id": CLIENT}
    hint |= {"target_link_uri": f"{ADDRESS}/lti/launch/sorting", **given}
    answer = requests.post(f"{house.address}/lti/login", data=hint, timeout=10)
    assert answer.status_code == 403
    assert says in answer.text


def test_a_link_that_somebody_typed_may_end_in_a_slash(house) -> None:
    ada = Browser(house)
    assert ada.launch("ada", target="sorting/").status_code == 200
    assert ada.hand_in().status_code == 200


def test_a_platform_that_says_no_is_quoted(house) -> None:
    ada = Browser(house)
    hint = {"iss": house.platform.address, "login_hint": "ada", "client_id": CLIENT}
    hint["target_link_uri"] = "https://grader.example.org/lti/launch/sorting"
    login = ada.ask("POST", f"{house.address}/lti/login", data=hint)
    state = re.search(r"state=([^&]+)", login.headers["Location"])[1]
    sent = {"error": "login_required", "state": state}
    answer = ada.ask("POST", f"{house.address}/lti/launch", data=sent)
    assert "tell your instructor" in answer.text
    assert house.said == ["refused a launch: the platform answers login_required"]


def test_a_launch_by_an_older_lti_is_named(house) -> None:
    sent = {"lti_message_type": "basic-lti-launch-request", "lti_version": "LTI-1p0"}
    for path in ("launch", "launch/sorting"):
        answer = requests.post(f"{house.address}/lti/{path}", data=sent, timeout=10)
        assert answer.status_code == 403
        assert "LTI 1.3" in house.said.pop()


@pytest.mark.parametrize("megabytes", [3, 40])
def test_a_file_that_is_much_too_large_gets_a_sentence(house, megabytes) -> None:
    """No connection that breaks off, which a browser shows as an error of its own."""
    ada = Browser(house)
    ada.launch("ada")
    answer = ada.hand_in(data=b"x" * (megabytes << 20))
    assert answer.status_code == 413
    assert "larger than 1 MB" in answer.text
    assert house.pile.there == []
    assert ada.hand_in().status_code == 200


def test_what_is_no_form_is_refused(house) -> None:
    ada = Browser(house)
    ada.launch("ada")
    kind = {"Content-Type": "multipart/form-data"}  # without a boundary
    for data, status in [(b"x", 400), (b"", 400)]:
        assert ada.ask("POST", ada.home, data=data, headers=kind).status_code == status
    assert ada.ask("POST", ada.home, data=b"").status_code == 403
    assert house.pile.there == []


def test_what_is_sent_where_nothing_is_taken_is_forgotten(house, capfd) -> None:
    ada = Browser(house)
    ada.launch("ada")
    assert ada.ask("GET", ada.home, data=b"x" * 100_000).status_code == 200
    stranger = requests.post(ada.home, data=b"x" * 1_000_000, timeout=10)
    assert stranger.status_code == 403
    assert ada.ask("PUT", ada.home, data=b"x").status_code == 405
    assert capfd.readouterr() == ("", "")
    assert house.pile.there == []


def test_a_page_that_renews_itself_takes_no_file(house) -> None:
    """It would forget the file that is being chosen."""
    ada = Browser(house)
    ada.launch("ada")
    page = ada.hand_in().text
    assert 'http-equiv="refresh"' in page
    assert 'type="file"' not in page
    (more,) = re.findall(r'href="(\?more)"', page)
    page = ada.get(more).text
    assert 'http-equiv="refresh"' not in page
    assert 'type="file"' in page
    grade(house)
    page = ada.get("").text
    assert 'http-equiv="refresh"' not in page
    assert 'type="file"' in page


def test_work_that_was_lost_keeps_nobody_out(house, monkeypatch) -> None:
    """An inbox may have been emptied, or another begun."""
    ada = Browser(house)
    ada.launch("ada")
    for _ in range(MOST_WAITING):
        ada.hand_in()
    assert "wait already" in ada.hand_in().text
    house.pile.there.clear()
    later = time.time() + 2 * 3600
    monkeypatch.setattr(time, "time", lambda: later)
    page = ada.get("").text
    assert "may be lost: hand it in again" in page
    assert 'http-equiv="refresh"' not in page
    assert "is being graded" not in page
    assert "is being graded" in ada.hand_in().text
    assert len(house.pile.there) == 1
    grade(house)
    assert "3.5 of 5" in ada.get("").text


@pytest.mark.parametrize("passed_on", ["whole", "rest"])
def test_behind_a_proxy_with_a_path(registered, tmp_path, passed_on) -> None:
    tasks = (Task("9.1", "Sort", ("sort",), "9", 5, 5, "easy", ("a", "b", "c")),)
    chapter, pile = Chapter("sorting", 9, "Sorting", tasks, "Algorithms"), Pile()
    outside = "https://uni.example/next/word"
    settings = replace(registered.settings, folder=tmp_path, port=0, address=outside)
    with opened(settings, registered.keys, {"sorting": (chapter, pile)}, print) as tool:
        inside = f"http://127.0.0.1:{tool.door.port}"
        inside += "/next/word" if passed_on == "whole" else ""
        session = requests.Session()

        def ask(path, **given):
            method = "POST" if "data" in given else "GET"
            return session.request(
                method, f"{inside}{path}", allow_redirects=False, timeout=10, **given
            )

        target = f"{outside}/lti/launch/sorting"
        hint = {"iss": registered.platform.address, "login_hint": "x", "target_link_uri": target}
        login = ask("/lti/login", data=hint)
        assert (
            "redirect_uri=https%3A%2F%2Funi.example%2Fnext%2Fword%2Flti%2Flaunch"
            in (login.headers["Location"])
        )
        assert "Path=/next/word/lti/launch" in login.headers["Set-Cookie"]
        asked = dict(re.findall(r"(state|nonce)=([^&]+)", login.headers["Location"]))
        token = registered.platform.sign(registered.platform.claims(asked["nonce"], target))
        cookie = {"Cookie": login.headers["Set-Cookie"].partition(";")[0]}
        sent = {"id_token": token, "state": asked["state"]}
        launched = ask("/lti/launch", data=sent, headers=cookie)
        where = launched.headers["Location"]
        assert where.startswith("/next/word/lti/at/")
        kept = launched.headers["Set-Cookie"]
        assert f"Path={where.rstrip('/')};" in kept
        cookie = {"Cookie": kept.partition(";")[0]}
        page = ask(where.removeprefix("/next/word"), headers=cookie)
        assert page.status_code == 200
        form = re.search(r'name="form" value="([^"]+)"', page.text)[1]
        done = ask(
            where.removeprefix("/next/word"),
            headers=cookie,
            data={"form": form},
            files={"work": ("sorting.py", b"x = 1")},
        )
        assert done.headers["Location"] == where
        assert len(pile.there) == 1


def test_roles_that_only_the_school_gives_choose_nothing(house) -> None:
    admin = ["http://purl.imsglobal.org/vocab/lis/v2/institution/person#Administrator"]
    page = Browser(house).launch("root", "", "", **{**CHOICE, f"{CLAIM}roles": admin})
    assert "Only an instructor" in page.text
    assert ROLES not in page.text
