"""What an instructor writes into lti.toml: this tool's address and keys, and who may launch it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from examiner.errors import UserError
from examiner.platforms.lti.keys import SETTINGS

LAUNCH, LOGIN, JWKS = "/lti/launch", "/lti/login", "/lti/jwks"
MEGABYTE = 1 << 20
OPTIONAL = {"audience": "", "name": ""}
NUMBERS = {"port": 8766, "upload_mb": 4, "session_hours": 8}
_PATH = re.compile(r"(/[A-Za-z0-9][A-Za-z0-9._~-]*)*")
LOCAL = ("localhost", "127.0.0.1", "::1")
_HOST = re.compile(r"[A-Za-z0-9._-]+(:[0-9]{1,5})?|\[[0-9a-fA-F:]+\](:[0-9]{1,5})?")


@dataclass(frozen=True)
class Platform:
    """A learning platform in which this tool is registered."""

    name: str
    issuer: str
    client_id: str
    deployments: tuple[str, ...]
    login: str  # where a browser proves who it is
    token: str  # where this tool gets leave to send grades
    jwks: str  # the platform's public keys
    audience: str = ""  # of what is said to `token`, where that is not its address

    @property
    def origin(self) -> str:
        """Whose pages may show this tool's in a frame, before a launch has said more."""
        return origin_of(self.login)


@dataclass(frozen=True)
class Settings:
    """All of lti.toml."""

    folder: Path  # that it is in: keys and what is remembered lie beside it
    address: str  # of this tool, as browsers reach it
    keys: tuple[Path, ...]  # the first signs; older ones stay known until platforms have the new
    platforms: tuple[Platform, ...]
    host: str = "127.0.0.1"
    port: int = 8766
    upload_mb: int = 4
    session_hours: int = 8

    def platform(self, issuer: str, client_id: str = "") -> Platform | None:
        """Return the platform of an issuer; without a client the only one, None where several."""
        found = [each for each in self.platforms if each.issuer == issuer]
        if client_id:
            found = [each for each in found if each.client_id == client_id]
        return found[0] if len(found) == 1 else None

    @property
    def path(self) -> str:
        """The part of the address that stands before all paths; "" where it is a host alone."""
        return urlsplit(self.address).path

    def target(self, chapter: str = "") -> str:
        """Return the address of a chapter's assignment, as platforms keep it in a link."""
        return f"{self.address}{LAUNCH}{'/' + chapter if chapter else ''}"


def read_settings(path: Path) -> Settings:
    """Read lti.toml, also by its folder; raises UserError with what is wrong in it."""
    path = path / SETTINGS if path.is_dir() else path
    try:
        given = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UserError(
            f"{path} cannot be read ({error.strerror}): `lti keys` writes one"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is no TOML: {error}") from None
    where, known = str(path), {"address", "host", "keys", "platforms", *NUMBERS}
    _require_known(where, given, known)
    address = _address(where, given, "address").rstrip("/")
    if not is_place(address):
        text = "expected a host, and perhaps a path of plain letters"
        raise UserError(f"{where}: address = {address!r}: {text}")
    rows = given.get("platforms", [])
    if not isinstance(rows, list) or not all(isinstance(each, dict) for each in rows):
        raise UserError(f"{where}: expected [[platforms]], one for each platform")
    platforms = tuple(_platform(f"{where}, platform {n}", each) for n, each in enumerate(rows, 1))
    both = [(each.issuer, each.client_id) for each in platforms]
    if len(set(both)) < len(both):
        raise UserError(f"{where}: two platforms have the same issuer and client_id")
    keys = tuple(path.parent / each for each in _texts(where, given, "keys"))
    numbers = {name: _number(where, given, name, usual) for name, usual in NUMBERS.items()}
    host = str(given.get("host", "127.0.0.1"))
    return Settings(path.parent, address, keys, platforms, host, **numbers)


def _platform(where: str, row: Mapping[str, Any]) -> Platform:
    addresses = ("issuer", "login", "token", "jwks")
    _require_known(where, row, {*addresses, "client_id", "deployments", *OPTIONAL})
    urls = {name: _address(where, row, name) for name in addresses}
    client = row.get("client_id")
    if client is not None and not isinstance(client, str):
        raise UserError(f'{where}: client_id = {client!r}: expected a text such as "{client}"')
    if not client:
        raise UserError(f"{where}: client_id is missing: the platform shows it after registration")
    given = {name: str(row.get(name, usual)) for name, usual in OPTIONAL.items()}
    given["name"] = given["name"] or urlsplit(urls["issuer"]).netloc
    deployments = _texts(where, row, "deployments")
    return Platform(client_id=client, deployments=deployments, **urls, **given)


def _require_known(where: str, given: Mapping[str, Any], known: set[str]) -> None:
    if unknown := sorted(set(given) - known):
        raise UserError(f"{where}: {unknown[0]} is not known; known are {', '.join(sorted(known))}")


def is_address(text: str) -> bool:
    """Tell whether a text is an https address, or one of this machine, where nobody can listen.

    >>> is_address("https://a.example"), is_address("http://a.example"), is_address("grader")
    (True, False, False)
    """
    try:
        parts = urlsplit(text)
        local = parts.scheme == "http" and parts.hostname in LOCAL
    except ValueError:
        return False
    return bool((parts.scheme == "https" or local) and parts.netloc and not parts.username)


def is_place(text: str) -> bool:
    """Tell whether a text is an address under which pages can lie.

    >>> is_place("https://a.example/grader"), is_place("https://a.example/?x")
    (True, False)
    """
    if not is_address(text):
        return False
    parts = urlsplit(text)
    is_plain = _PATH.fullmatch(parts.path.rstrip("/"))
    return bool(is_plain and origin_of(text) and not (parts.query or parts.fragment))


def origin_of(text: str) -> str:
    """Return the origin of an address, as a header can name it; "" where there is none.

    >>> origin_of("https://school.example/courses/1?x=y"), origin_of("https://a b;c/")
    ('https://school.example', '')
    """
    if not is_address(text):
        return ""
    parts = urlsplit(text)
    return f"{parts.scheme}://{parts.netloc}" if _HOST.fullmatch(parts.netloc) else ""


def _address(where: str, given: Mapping[str, Any], name: str) -> str:
    text = given.get(name)
    if not isinstance(text, str) or not is_address(text):
        raise UserError(f"{where}: {name} = {text!r}: expected an address such as https://…")
    return text


def _texts(where: str, given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    found = given.get(name)
    if not isinstance(found, list) or not found or not all(isinstance(e, str) for e in found):
        raise UserError(f'{where}: {name} = {found!r}: expected texts such as ["1"]')
    return tuple(found)


def _number(where: str, given: Mapping[str, Any], name: str, usual: int) -> int:
    found = given.get(name, usual)
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found < 1 << 16:
        raise UserError(f"{where}: {name} = {found!r}: expected a number such as {usual}")
    return found
