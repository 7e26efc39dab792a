"""Login and launch, by the library, and what it leaves open closed.

The library trusts a nonce and a state as often as they come, takes a token without an expiry, and
compares neither audience nor target. Here state, nonce, platform and target belong to one login,
each works once, and a token must carry RS256, expiry and audience.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import jwt
import requests
from pylti1p3.deep_link import DeepLink
from pylti1p3.deep_link_resource import DeepLinkResource
from pylti1p3.exception import LtiException, OIDCException
from pylti1p3.lineitem import LineItem
from pylti1p3.message_launch import MessageLaunch
from pylti1p3.oidc_login import OIDCLogin
from pylti1p3.session import SessionService

from examiner.judge.wording import one_line
from examiner.platforms.lti.calls import KeySets, Session, tool_of
from examiner.platforms.lti.keys import Keys
from examiner.platforms.lti.memory import Asked, Cookies, Elsewhere, Memory
from examiner.platforms.lti.settings import Platform, Settings, origin_of

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
ENDPOINT = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
DEEP = "https://purl.imsglobal.org/spec/lti-dl/claim/"
MEMBERS = "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice"
LEEWAY = 60  # seconds that a platform's clock may be off
REQUIRED = ("exp", "iat", "iss", "aud", "sub", "nonce")
DEEP_SECONDS = 3600  # for which what an instructor chooses from stays good
INSTRUCTOR, STUDENT = "instructor", "student"
UNCONFIRMED = (
    "The launch could not be confirmed. Open the assignment in your course again. If that does not "
    "help, tell your instructor: the grader's console says why."
)
NO_COOKIES = (
    "The launch could not be confirmed. Open the assignment in your course again, in a window of "
    "its own if your browser keeps no cookies for pages inside others."
)
UNKNOWN = "This platform is not known here."
NO_TARGET = "This link leads to no assignment that is graded here: tell your instructor."
USED = "This launch has been used, or is too old. Open the assignment in your course again."
NOT_TEACHING = "Only an instructor of the course can choose an assignment."


class RefusedError(Exception):
    """A login or launch that is none; the text is for the instructor, `shown` for the browser."""

    def __init__(self, why: str, shown: str = UNCONFIRMED) -> None:
        super().__init__(why)
        self.shown = shown


class _PassedError(LtiException):
    """A launch whose login is missing; says what a browser is to show."""

    def __init__(self, why: str, shown: str) -> None:
        super().__init__(why)
        self.shown = shown


@dataclass(frozen=True)
class Launch:
    """Who opened which assignment in which course, as a platform has signed it."""

    platform: Platform
    deployment: str
    user: str  # the platform's name for whoever launched
    role: str  # instructor, student, or none of both
    target: str
    name: str = ""
    email: str = ""
    link: str = ""  # the assignment's in the platform
    title: str = ""
    context: str = ""  # the course's name
    grades: Mapping[str, Any] | None = None  # the service that takes them
    members: str = ""  # the address of the roster
    deep: DeepLink | None = None  # asks which assignment a new link is to lead to
    returns: str = ""  # where the answer to that is sent
    frames: tuple[str, ...] = ()  # origins of the platform's pages, as it has named them


class _Login(OIDCLogin[Asked, Any, SessionService, Cookies, str]):
    """The library's login, whose nonce is made before its state is kept."""

    nonce = ""

    def _generate_nonce(self) -> str:
        return self.nonce

    def _get_uuid(self) -> str:
        return secrets.token_urlsafe(24)

    def get_redirect(self, url: str) -> Elsewhere:
        return Elsewhere(url)


class _Message(MessageLaunch[Asked, Any, SessionService, Cookies]):
    """The library's launch, with what it leaves open."""

    login: Mapping[str, str]
    key_sets: KeySets

    def _get_request_param(self, key: str) -> str:
        return self._request.get_param(key)

    def validate_state(self) -> _Message:
        state = self._get_request_param("state")
        if not state or self._cookie_service.get_cookie(state) != state:
            raise _PassedError("this browser has no login in progress", NO_COOKIES)
        self.login = self._session_service.get_state_params(state) or {}  # type: ignore[assignment]
        if not self.login:
            raise _PassedError("the login is unknown, used or too old", USED)
        if error := self._get_request_param("error"):  # it says no, by OpenID Connect
            raise LtiException(f"the platform answers {one_line(error, 60)}")
        return self

    def validate_jwt_format(self) -> _Message:
        super().validate_jwt_format()
        header, body = self._jwt.get("header"), self._jwt.get("body")
        if not isinstance(header, dict) or not isinstance(body, dict):
            raise LtiException("the token is no object")
        if header.get("alg") != "RS256" or not isinstance(header.get("kid"), str):
            raise LtiException("the token is not signed by RS256 with a named key")
        return self

    def validate_nonce(self) -> _Message:
        if self._jwt["body"].get("nonce") != self.login["nonce"]:
            raise LtiException("the nonce is another login's")
        super().validate_nonce()
        return self

    def validate_registration(self) -> _Message:
        body = self._jwt["body"]
        audience = body.get("aud")
        several = isinstance(audience, list) and len(audience) > 1
        authorised: Any = body.get("azp")
        if body.get("iss") != self.login["issuer"]:
            raise LtiException("the issuer is not the one of the login")
        if (several or authorised) and authorised != self.login["client"]:
            raise LtiException("the token is for another client")
        if self.get_client_id() != self.login["client"]:
            raise LtiException("the token is for another client")
        super().validate_registration()
        return self

    def fetch_public_key(self, key_set_url: str) -> Any:
        try:
            return self.key_sets.get(key_set_url, self._jwt["header"]["kid"])
        except (requests.RequestException, ValueError) as error:
            raise LtiException(f"no keys from {key_set_url}: {type(error).__name__}") from None

    def validate_jwt_signature(self) -> _Message:
        key, _ = self.get_public_key()
        try:
            jwt.decode(
                self._get_id_token(),
                key,
                algorithms=["RS256"],
                audience=self.login["client"],
                issuer=self.login["issuer"],
                leeway=LEEWAY,
                options={"require": list(REQUIRED)},
            )
        except jwt.InvalidTokenError as error:
            raise LtiException(f"the token is not good: {error}") from None
        return self

    def validate_deployment(self) -> _Message:
        deployment = _text(self._jwt["body"], f"{CLAIM}deployment_id")
        try:
            super().validate_deployment()
        except LtiException:
            raise LtiException(f"it is of another deployment: {_lacks(deployment)}") from None
        return self

    def validate_message(self) -> _Message:
        super().validate_message()
        # the specification of deep linking asks for no target: some platforms send none there
        usual = self.login["target"] if self.is_deep_link_launch() else None
        if self._jwt["body"].get(f"{CLAIM}target_link_uri", usual) != self.login["target"]:
            raise LtiException("the target is not the one of the login")
        return self

    def save_launch_data(self) -> _Message:
        return self  # a launch becomes a session, and cannot be taken up again


class Gate:
    """Lets in whom a platform has sent."""

    def __init__(self, settings: Settings, keys: Keys, targets: Collection[str]) -> None:
        self._settings, self._targets = settings, set(targets)
        self._tool, self._memory = tool_of(settings, keys), Memory()
        self._session = Session()
        self._key_sets = KeySets(self._session)

    def login(self, params: Mapping[str, str]) -> tuple[str, Mapping[str, str]]:
        """Return where to send a browser that wants to launch, and the cookies to give it.

        Raises RefusedError for a platform or target that is not known.
        """
        platform = self._settings.platform(params.get("iss", ""), params.get("client_id", ""))
        if platform is None:
            raise RefusedError(f"a login of an unknown platform: {_shown(params, 'iss')}", UNKNOWN)
        if params.get("target_link_uri", "").rstrip("/") not in self._targets:
            why = f"a login to an unknown target: {_shown(params, 'target_link_uri')}"
            raise RefusedError(why, NO_TARGET)
        deployment = params.get("lti_deployment_id")
        if deployment and deployment not in platform.deployments:
            raise RefusedError(
                f"a login of another deployment of {platform.name}: {_lacks(deployment)}"
            )
        asked = Asked({**params, "client_id": platform.client_id})
        cookies, service = Cookies({}), SessionService(asked)
        found = _Login(asked, self._tool, service, cookies, self._memory)
        found.nonce = secrets.token_urlsafe(24)
        kept = {"nonce": found.nonce, "target": params["target_link_uri"]}
        kept |= {"issuer": platform.issuer, "client": platform.client_id}
        found.pass_params_to_launch(dict(kept))
        try:
            return found.redirect(self._settings.target()), cookies.made
        except OIDCException as error:
            raise RefusedError(f"a login of {platform.name}: {one_line(str(error), 200)}") from None

    def launch(self, params: Mapping[str, str], cookies: Mapping[str, str]) -> Launch:
        """Return who launched what; it may call the platform for its keys.

        Raises RefusedError for whatever the platform has not signed for this login.
        """
        asked = Asked(params)
        message = _Message(
            asked, self._tool, SessionService(asked), Cookies(cookies), self._memory, self._session
        )
        message.key_sets = self._key_sets
        try:
            message.validate()
            platform = self._settings.platform(message.get_iss(), message.get_client_id())
            assert platform is not None
            return _launch_of(message, platform)
        except RefusedError:
            raise
        except Exception as error:  # subtle: what a stranger sends can break the library anywhere
            text = str(error) if isinstance(error, LtiException) else type(error).__name__
            shown = error.shown if isinstance(error, _PassedError) else UNCONFIRMED
            raise RefusedError(f"a launch: {one_line(text, 200)}", shown) from None


def _launch_of(message: _Message, platform: Platform) -> Launch:
    body: Mapping[str, Any] = message.get_launch_data()
    link, context = _object(body, f"{CLAIM}resource_link"), _object(body, f"{CLAIM}context")
    deep = message.get_deep_link() if message.is_deep_link_launch() else None
    if not (deep or message.is_resource_launch()):
        raise RefusedError("a launch of a kind that this tool does not know")
    teaches = message.check_teacher_access() or message.check_teaching_assistant_access()
    role = INSTRUCTOR if teaches else STUDENT if message.check_student_access() else ""
    if deep and role != INSTRUCTOR:
        raise RefusedError("a deep link of somebody who is no instructor", NOT_TEACHING)
    if not (deep or _text(link, "id")):  # without one, all assignments would be the same
        raise RefusedError("a launch of an assignment without an id")
    grades = body.get(ENDPOINT)
    returns = _text(_object(body, f"{DEEP}deep_linking_settings"), "deep_link_return_url")
    return Launch(
        platform,
        body[f"{CLAIM}deployment_id"],
        _text(body, "sub"),
        role,
        message.login["target"].rstrip("/"),
        name=name_of(body),
        email=_text(body, "email"),
        link=_text(link, "id"),
        title=_text(link, "title"),
        context=_text(context, "title") or _text(context, "label"),
        grades=grades if isinstance(grades, dict) else None,
        members=_text(_object(body, MEMBERS), "context_memberships_url"),
        deep=deep,
        returns=returns,
        frames=_frames(body, returns),
    )


def _frames(body: Mapping[str, Any], returns: str) -> tuple[str, ...]:
    """Return whose pages may show this tool's, by the addresses that a platform has signed.

    subtle: in the cloud of Canvas or Blackboard a school's pages have an address of their own,
    and not the one at which everybody logs in.
    """
    presented = _text(_object(body, f"{CLAIM}launch_presentation"), "return_url")
    columns = _text(_object(body, ENDPOINT), "lineitems")
    named = (presented, returns, columns, _text(_object(body, f"{CLAIM}tool_platform"), "url"))
    return tuple(dict.fromkeys(filter(None, map(origin_of, named))))


def name_of(said: Mapping[str, Any]) -> str:
    """Return a person's name; some platforms give its parts alone.

    >>> name_of({"given_name": "Ada", "family_name": "Lovelace"})
    'Ada Lovelace'
    """
    parts = (_text(said, "given_name"), _text(said, "family_name"))
    return _text(said, "name") or " ".join(filter(None, parts))


def _object(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = given.get(name)
    return found if isinstance(found, dict) else {}


def _text(given: Mapping[str, Any], name: str) -> str:
    """Return a text that can be stored: a platform that cuts titles may send half of a sign.

    An id that a platform sends as a number is one, too.
    """
    found = given.get(name, "")
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    return found.encode("utf-8", "replace").decode() if isinstance(found, str) else ""


def _lacks(deployment: str) -> str:
    return f"`deployments` in lti.toml lacks {one_line(deployment, 80)!r}"


def _shown(params: Mapping[str, str], name: str) -> str:
    return one_line(params.get(name, "nothing"), 100)


class _NewWindow(DeepLinkResource):
    """A link that opens a window of its own, where a browser keeps this tool's cookies."""

    def to_dict(self) -> dict[str, object]:
        return {**super().to_dict(), "window": {"targetName": "_blank"}}


def deep_answer(deep: DeepLink, stem: str, title: str, target: str, points: float) -> str:
    """Return a signed message by which a platform makes a link to an assignment."""
    item = LineItem().set_score_maximum(points).set_label(title).set_resource_id(stem)
    link = _NewWindow().set_url(target).set_title(title).set_lineitem(item)
    message = deep.get_message_jwt([link.set_custom_params({"chapter": stem})])
    message["exp"] = int(str(message["iat"])) + DEEP_SECONDS
    if message[f"{DEEP}data"] is None:
        del message[f"{DEEP}data"]
    return str(deep.encode_jwt(message))
