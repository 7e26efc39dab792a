"""Calls to a platform's services: bounded in time, never sent on, with whole lists."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Sequence
from typing import Any

import requests
from pylti1p3.registration import Registration
from pylti1p3.service_connector import ServiceConnector, TServiceConnectorResponse
from pylti1p3.tool_config import ToolConfDict
from urllib3.exceptions import HTTPError

from examiner.platforms.lti.keys import Keys
from examiner.platforms.lti.settings import Platform, Settings

SECONDS = (5, 15)  # until a platform is reached; until it answers
WHOLE, MOST = 30.0, 1 << 25  # seconds until an answer has ended; bytes of it
BRIEFLY = 10.0  # seconds that nobody asks for keys after none came
MOST_PAGES = 1000  # of a list
KEPT, SOON = 600.0, 30.0  # seconds that public keys are kept; until they are asked for again
STALE = 3600.0  # seconds that they are good for while the platform gives none


class Session(requests.Session):
    """Calls that end, and that nobody can turn elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.headers["Accept-Encoding"] = "identity"  # what is small stays so

    def request(self, method: Any, url: Any, *args: Any, **options: Any) -> requests.Response:
        """Call; raises requests.RequestException where no answer comes, or one that leads on."""
        options.setdefault("timeout", SECONDS)
        options |= {"allow_redirects": False, "stream": True}
        answer = super().request(method, url, *args, **options)
        if 300 <= answer.status_code < 400:  # subtle: the library takes it for a success
            answer.close()
            raise requests.ConnectionError(f"the platform answers with {answer.status_code}")
        data = _whole(answer)
        answer.close()
        answer.raw = io.BytesIO(data)  # which its content is read from
        return answer


def _whole(answer: requests.Response) -> bytes:
    """Read an answer; raises requests.ConnectionError where it does not end.

    subtle: a time limit of the library's begins anew with each byte that comes.
    """
    until, data = time.monotonic() + WHOLE, bytearray()
    try:
        while piece := answer.raw.read1(1 << 16, decode_content=True):
            data += piece
            if len(data) > MOST or time.monotonic() > until:
                answer.close()
                raise requests.ConnectionError("the platform's answer does not end")
    except HTTPError as error:
        raise requests.ConnectionError(f"the platform's answer broke off: {error}") from None
    return bytes(data)


class Connector(ServiceConnector):
    """The library's, whose next pages keep their capital letters, and which come to an end.

    subtle: the library asks for the next page for as long as one is named. A platform whose last
    page names itself would keep the points of all others waiting.
    """

    _next: str | None = None  # page of a list
    _read: frozenset[str] = frozenset()  # its earlier pages

    def make_service_request(
        self, scopes: Sequence[str], url: str, *args: Any, **options: Any
    ) -> TServiceConnectorResponse:
        """Call a service with a token of these scopes."""
        options["case_insensitive_headers"] = True
        answer = super().make_service_request(scopes, url, *args, **options)
        links = requests.utils.parse_header_links(answer["headers"].get("link", ""))
        self._read = self._read | {url} if url == self._next else frozenset([url])
        following = [each["url"] for each in links if each.get("rel") == "next"]
        ended = not following or following[0] in self._read or len(self._read) >= MOST_PAGES
        self._next = answer["next_page_url"] = None if ended else following[0]
        return answer


class KeySets:
    """Public keys of platforms, kept for a while; an unknown key is asked for, but not at will.

    While a platform gives none, those that it gave in the last hour are good: at the hour when work
    is due its servers are as busy as they ever are.
    """

    def __init__(self, session: requests.Session) -> None:
        self._session, self._lock = session, threading.Lock()
        self._locks: dict[str, threading.Lock] = {}  # by address: no platform waits for another
        self._kept: dict[str, tuple[float, dict[str, Any]]] = {}
        self._failed: dict[str, float] = {}  # when an address last gave none

    def get(self, url: str, kid: str) -> dict[str, Any]:
        """Return the key set at an address; raises requests.RequestException or ValueError."""
        with self._lock:
            lock = self._locks.setdefault(url, threading.Lock())
        with lock:
            at, found = self._kept.get(url, (float("-inf"), {}))
            age = time.monotonic() - at
            known = any(key.get("kid") == kid for key in found.get("keys", []))
            if age >= KEPT or (not known and age >= SOON):
                try:
                    found = self._ask_again(url)
                except (requests.RequestException, ValueError):
                    if known and age < STALE:
                        return found
                    raise
                self._kept[url] = (time.monotonic(), found)
            return found

    def _ask_again(self, url: str) -> dict[str, Any]:
        # subtle: all launches wait for the lock; each that asked would keep them for long
        if time.monotonic() - self._failed.get(url, -BRIEFLY) < BRIEFLY:
            raise ValueError("the platform gave no keys a moment ago")
        try:
            return self._ask(url)
        except (requests.RequestException, ValueError):
            self._failed[url] = time.monotonic()
            raise

    def _ask(self, url: str) -> dict[str, Any]:
        answer = self._session.get(url)
        answer.raise_for_status()
        try:
            found = answer.json()
        except RecursionError:
            raise ValueError("the platform's key set is none") from None
        keys = found.get("keys") if isinstance(found, dict) else None
        if not isinstance(keys, list) or not all(isinstance(key, dict) for key in keys):
            raise ValueError("the platform's key set is none")
        return {"keys": keys}


def tool_of(settings: Settings, keys: Keys) -> ToolConfDict:
    """Return the settings as the library takes them."""
    rows: dict[str, list[Any]] = {}
    for each in settings.platforms:
        rows.setdefault(each.issuer, []).append(
            {
                "client_id": each.client_id,
                "auth_login_url": each.login,
                "auth_token_url": each.token,
                "auth_audience": each.audience or None,
                "key_set_url": each.jwks,
                "deployment_ids": list(each.deployments),
            }
        )
    tool = ToolConfDict(rows)  # type: ignore[arg-type]
    for each in settings.platforms:
        tool.set_private_key(each.issuer, keys.private, each.client_id)
        tool.set_public_key(each.issuer, keys.public, each.client_id)
    return tool


def registration(tool: ToolConfDict, platform: Platform) -> Registration:
    """Return how a platform knows this tool."""
    found = tool.find_registration_by_params(platform.issuer, platform.client_id)
    assert isinstance(found, Registration)
    return found
