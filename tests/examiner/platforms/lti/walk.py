"""What tests of the tool have in common: launches that are written down, and results."""

from examiner.platforms.lti.launch import INSTRUCTOR, STUDENT, Launch
from tests.examiner.platforms.lti.platform import AGS

RECORD = {"score": 3.5, "max_score": 5, "provisional": False, "arrived": 1000.0}


def launch_of(registered, user="u1", name="Ada Lovelace", role=STUDENT, **others):
    """A launch, as the gate would have let it in."""
    platform = registered.platform
    given = {
        "link": "link-1",
        "title": "Assignment",
        "context": "Algorithms",
        "grades": {
            "scope": [f"{AGS}score", f"{AGS}lineitem"],
            "lineitem": f"{platform.address}/lineitems/1?type=x",
        },
        "members": f"{platform.address}/members",
        "email": f"{user}@example.org",
    }
    known = registered.settings.platforms[0]
    target = registered.settings.target("sorting")
    return Launch(known, "dep-1", user, role, target, name=name, **{**given, **others})


def record(person, ticket, **others):
    """What the desk notes of a result."""
    return {**RECORD, "student": person.student, "ticket": ticket, **others}


def hand_in(ledger, person, ticket, **others):
    """Hand in, and have it graded."""
    ledger.handed_in(person, ticket, "sorting.py")
    assert ledger.graded([ticket], record(person, ticket, **others), f"<h1>{ticket}</h1>")


__all__ = ["INSTRUCTOR", "STUDENT", "hand_in", "launch_of", "record"]
