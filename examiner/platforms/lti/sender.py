"""Sends points to platforms: in order, once the platform answers, and none twice that matters.

A score carries the time of its first sending. A platform that gets it a second time, because we
were killed before we wrote down that it has it, finds nothing newer in it. Of one student's scores
that wait the last alone is sent.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import requests
from pylti1p3.assignments_grades import AssignmentsGradesService
from pylti1p3.exception import LtiException, LtiServiceException
from pylti1p3.grade import Grade
from pylti1p3.lineitem import LineItem
from pylti1p3.names_roles import NamesRolesProvisioningService, TMember
from requests.exceptions import InvalidSchema, InvalidURL, MissingSchema

from examiner.errors import UserError
from examiner.platforms.lti.calls import Connector, Session, registration, tool_of
from examiner.platforms.lti.keys import Keys
from examiner.platforms.lti.ledger import REFUSED, SENT, Ledger, Link, Score
from examiner.platforms.lti.settings import Platform, Settings

FIRST, LONGEST = 5.0, 1800.0  # seconds until a platform that does not answer is tried again
LOOK = 60.0  # seconds between two looks when nothing wakes us
# answers to a score that no repetition will change
SCORE = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
FOR_GOOD = {400, 404, 405, 410, 413, 415, 422}
# what the library raises where an answer, or what was said at the launch, has another form
_NO_ADDRESS = (InvalidSchema, InvalidURL, MissingSchema)
ODD = (KeyError, TypeError, AttributeError, AssertionError, *_NO_ADDRESS)
NEWER = 409  # the platform has a score of a later time: this one is not needed any more
BUSY = {429, 502, 503, 504}  # answers of a whole platform; others may be of one course that ended
Where = tuple[str | int, ...]  # a platform, by issuer and client, or one link in it


@dataclass
class _Rest:
    """A platform, or a link in it, that takes no points, and until when it is left alone."""

    failed: int
    until: float


class _WaitError(Exception):
    """Points cannot be sent just now; says why not."""

    def __init__(self, why: str, *, alone: bool = False) -> None:
        """`alone`: those of other links in the platform may go all the same."""
        super().__init__(why)
        self.alone = alone


class Sender:
    """Sends what the ledger holds."""

    def __init__(
        self,
        settings: Settings,
        keys: Keys,
        ledger: Ledger,
        say: Callable[[str], None],
        session: requests.Session | None = None,
    ) -> None:
        self._settings, self._ledger, self._say = settings, ledger, say
        self._tool, self._session = tool_of(settings, keys), session or Session()
        self._rests: dict[Where, _Rest] = {}
        self._wake, self._ended = threading.Event(), False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Send from a thread of its own."""
        self._thread.start()

    def wake(self) -> None:
        """Say that there is something to send."""
        self._wake.set()

    def close(self) -> None:
        """End after the call that is under way; what is left is sent when we start again."""
        self._ended = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(5)

    def _run(self) -> None:
        while not self._ended:
            self._wake.clear()
            try:
                pause = self.send_due(time.monotonic())
            except Exception as error:  # whatever it is, the points of others still go out
                why = str(error) if isinstance(error, UserError) else type(error).__name__
                self._say(f"grades wait: {why}")
                pause = LOOK
            self._wake.wait(min(pause, LOOK))

    def send_due(self, now: float) -> float:
        """Send what can be sent now; return after how many seconds there may be more.

        Of a platform that does not answer nothing else is tried until its rest is over. Where it
        answers for one link that it takes nothing there now, that link alone rests.
        """
        connectors: dict[Where, Connector] = {}
        self._ledger.replaced()
        for score in self._ledger.unsent(most=1_000_000):
            if self._ended:
                break
            link = self._ledger.link(score.link)
            platform = self._settings.platform(link.issuer, link.client)
            where: Where = (link.issuer, link.client)
            places: tuple[Where, ...] = (where, (*where, link.id))
            if platform is None or any(self._rests_at(place, now) for place in places):
                continue
            if where not in connectors:
                known = registration(self._tool, platform)
                connectors[where] = Connector(known, self._session)
            try:
                self._send(score, link, connectors[where])
            except _WaitError as error:
                self._leave_alone(platform, places[error.alone], str(error), now)
            else:
                self._take_up(platform, places)
        waits = [rest.until - now for rest in self._rests.values() if rest.until > now]
        return max(0.1, min(waits, default=LOOK))

    def _send(self, score: Score, link: Link, connector: Connector) -> None:
        """Send a score, and settle what became of it; raises _WaitError."""
        service = AssignmentsGradesService(connector, dict(link.grades or {}))  # type: ignore[arg-type]
        scopes = (link.grades or {}).get("scope", [])
        if SCORE not in scopes:
            self._ledger.settle(score, REFUSED, "the platform lets this tool send no points there")
            return
        try:
            connector.get_access_token(scopes)
        except (LtiException, requests.RequestException, ValueError, *ODD) as error:
            raise _WaitError(f"gives no leave to send grades ({_why(error)})") from None
        try:
            service.put_grade(_grade(self._ledger.stamp(score)), _column(link, score))
        except LtiServiceException as error:
            status = error.response.status_code
            if status == NEWER:
                self._ledger.settle(score, SENT, "the platform has a later one")
            elif status in FOR_GOOD:
                self._ledger.settle(score, REFUSED, f"the platform answered {status}")
                self._say(f"{link.issuer} refuses points ({status}): see the page of the class")
            elif status in BUSY:
                raise _WaitError(f"takes no grades ({_why(error)})") from None
            else:
                text = f"takes no grades of {link.chapter} ({_why(error)})"
                raise _WaitError(text, alone=True) from None
        except LtiException as error:  # there is no column, and none may be made
            self._ledger.settle(score, REFUSED, str(error))
        except ODD as error:  # of this column alone: the platform's others may be as they should be
            text = f"the platform says of its columns what is not understood ({_why(error)})"
            self._ledger.settle(score, REFUSED, text)
        except (requests.RequestException, ValueError) as error:
            raise _WaitError(f"takes no grades ({_why(error)})") from None
        else:
            self._ledger.settle(score, SENT)

    def _rests_at(self, place: Where, now: float) -> bool:
        return place in self._rests and self._rests[place].until > now

    def _take_up(self, platform: Platform, places: tuple[Where, ...]) -> None:
        """Note that points were taken or refused for good; say so where they were not before."""
        if [place for place in places if self._rests.pop(place, None)]:
            self._say(f"{platform.name} takes grades again")

    def _leave_alone(self, platform: Platform, where: Where, trouble: str, now: float) -> None:
        """Leave a platform or a link alone for a while, longer each time; say so once."""
        before = self._rests.get(where)
        failed = before.failed + 1 if before else 1
        self._rests[where] = _Rest(failed, now + min(LONGEST, FIRST * 2 ** min(failed - 1, 20)))
        if failed == 1:
            self._say(f"{platform.name} {trouble}: points are kept, and sent later")

    def members(self, link: Link) -> list[TMember]:
        """Return the course's members; raises UserError where the platform does not tell."""
        platform = self._settings.platform(link.issuer, link.client)
        if platform is None or not link.members:
            raise UserError("the platform gives this tool no roster (Names and Roles)")
        connector = Connector(registration(self._tool, platform), self._session)
        data = {"context_memberships_url": link.members}
        try:
            service = NamesRolesProvisioningService(connector, data)  # type: ignore[arg-type]
            return service.get_members()
        except (LtiException, requests.RequestException, ValueError, *ODD) as error:
            raise UserError(f"the platform gives no roster ({_why(error)})") from None


def _grade(score: Score) -> Grade:
    """Return a score as the platform takes it; one that may still rise is marked as such."""
    progress = "PendingManual" if score.provisional else "FullyGraded"
    made = Grade().set_score_given(score.given).set_score_maximum(score.most)
    made.set_activity_progress("Submitted" if score.provisional else "Completed")
    made.set_grading_progress(progress).set_timestamp(score.at).set_user_id(score.user)
    return made.set_comment(f"{score.given:g} of {score.most:g}; open the assignment to see why")


def _column(link: Link, score: Score) -> LineItem | None:
    """Return the column to find or make where the launch named none."""
    if link.grades and link.grades.get("lineitem"):
        return None
    made = LineItem().set_score_maximum(score.most).set_label(link.title or link.chapter)
    return made.set_tag(f"{link.chapter}-{link.id}").set_resource_id(link.chapter)


def _why(error: Exception) -> str:
    """Return what may be said of a failed call: no address' query, no token, no body."""
    if isinstance(error, LtiServiceException):
        return f"status {error.response.status_code}"
    return type(error).__name__
