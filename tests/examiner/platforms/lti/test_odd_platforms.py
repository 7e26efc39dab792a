"""A platform that answers oddly for one link, or without end, holds up nobody else's points."""

import pytest
from pylti1p3.assignments_grades import AssignmentsGradesService

from examiner.platforms.lti import calls
from examiner.platforms.lti.ledger import WAITING
from examiner.platforms.lti.sender import FIRST
from tests.examiner.platforms.lti.platform import AGS
from tests.examiner.platforms.lti.test_sender import ada, given, sender
from tests.examiner.platforms.lti.walk import hand_in, launch_of

__all__ = ["ada", "sender"]


@pytest.mark.parametrize("status", [403, 500])
def test_a_link_that_takes_nothing_just_now_holds_no_other_up(
    registered, ledger, sender, ada, status, monkeypatch
) -> None:
    """Platforms answer so where a course has ended, for as long as it has."""
    platform = registered.platform
    found, closed = platform._found, {"/ended/scores": (status, {})}
    monkeypatch.setattr(
        platform,
        "_found",
        lambda method, path, *rest: closed.get(path) or found(method, path, *rest),
    )
    grades = {"scope": [f"{AGS}score"], "lineitem": f"{platform.address}/ended"}
    bob = ledger.enter(launch_of(registered, "u2", "Bob", link="ended", grades=grades), "sorting")
    for who in (bob, ada):
        hand_in(ledger, who, who.user)
    assert sender.send_due(0.0) == FIRST
    assert given(registered) == [("u1", 3.5)]
    assert ledger.works(bob)[0].sent == WAITING
    sender.send_due(FIRST - 0.1)  # it rests
    assert platform.calls.count("/ended/scores") == 1
    closed.clear()
    grades["lineitem"] = f"{platform.address}/lineitems/1"
    ledger.enter(launch_of(registered, "u2", "Bob", link="ended", grades=grades), "sorting")
    sender.send_due(FIRST)
    assert given(registered) == [("u1", 3.5), ("u2", 3.5)]
    (said, again) = sender.said
    assert f"takes no grades of sorting (status {status})" in said
    assert "again" in again


@pytest.mark.parametrize(("last", "pages"), [(1, 1), (2, 2), (3, 3), (9, 5)])
def test_a_list_of_which_every_page_names_a_next_one_ends(
    registered, sender, monkeypatch, last, pages
) -> None:
    """After its `last` page comes the first one again. The points of all others waited for it."""
    asked: list[int] = []

    def answer(self, scopes, url, *args, **options):
        asked.append(int(url.rpartition("=")[2]))
        assert len(asked) < 50
        follows = asked[-1] % last + 1
        link = f'<https://x.example/columns?page={follows}>; rel="next"'
        return {"headers": {"link": link}, "body": [{"id": str(asked[-1])}], "next_page_url": None}

    monkeypatch.setattr(calls, "MOST_PAGES", 5)
    monkeypatch.setattr(calls.ServiceConnector, "make_service_request", answer)
    known = calls.registration(sender._tool, registered.settings.platforms[0])
    data = {"scope": [f"{AGS}lineitem"], "lineitems": "https://x.example/columns?page=1"}
    service = AssignmentsGradesService(calls.Connector(known, sender._session), data)
    for _ in range(2):
        asked.clear()
        assert len(service.get_lineitems()) == pages
        assert asked == [*range(1, pages + 1)]
