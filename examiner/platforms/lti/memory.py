"""What is remembered between login and launch: on this side, for minutes, and bounded.

Also the library's views of a request: its parameters, cookies and the answer that sends elsewhere.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from pylti1p3.cookie import CookieService
from pylti1p3.launch_data_storage.base import LaunchDataStorage
from pylti1p3.redirect import Redirect
from pylti1p3.request import Request

MINUTES = 10
MOST = 20_000  # logins that wait for their launch; beyond, the oldest has to be begun again


class Memory(LaunchDataStorage[Any]):
    """Values that can be taken out once, until they expire."""

    def __init__(self, most: int = MOST, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._most, self._clock, self._lock = most, clock, threading.Lock()
        self._values: OrderedDict[str, tuple[float, Any]] = OrderedDict()

    @property
    def held(self) -> int:
        """How many values are kept. Subtle: no `__len__`, an empty one would count as none."""
        return len(self._values)

    def get_session_cookie_name(self) -> None:
        """Return that there is no cookie: who launches has no session yet."""

    def can_set_keys_expiration(self) -> bool:
        """Return that values last as long as they are kept here."""
        return False

    def set_value(self, key: str, value: Any, exp: int | None = None) -> None:
        """Keep a value."""
        with self._lock:
            now = self._clock()
            self._values[key] = (now + 60 * MINUTES, value)
            self._values.move_to_end(key)
            while self._values:
                first = next(iter(self._values))
                if self._values[first][0] > now and len(self._values) <= self._most:
                    break
                del self._values[first]

    def get_value(self, key: str) -> Any:
        """Take a value out: a second call finds None."""
        with self._lock:
            until, value = self._values.pop(key, (0.0, None))
            return value if until > self._clock() else None

    def check_value(self, key: str) -> bool:
        """Tell whether a value is there, and take it out."""
        return self.get_value(key) is not None


class Asked(Request):
    """A request of a browser."""

    def __init__(self, params: Mapping[str, str]) -> None:
        self._params = params

    @property
    def session(self) -> dict[str, Any]:
        """Nothing: see Memory."""
        return {}

    def is_secure(self) -> bool:
        """Return that a proxy speaks TLS."""
        return True

    def get_param(self, key: str) -> str:
        """Return a parameter, an empty text where there is none."""
        return self._params.get(key, "")


class Cookies(CookieService):
    """The cookies of a request, and those that the answer sets."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given
        self.made: dict[str, str] = {}

    def get_cookie(self, name: str) -> str | None:
        """Return a cookie's value."""
        return self._given.get(name)

    def set_cookie(self, name: str, value: str | int, exp: int | None = 3600) -> None:
        """Have the answer set a cookie."""
        self.made[name] = str(value)


class Elsewhere(Redirect[str]):
    """An answer that is an address."""

    def __init__(self, location: str) -> None:
        self._location = location

    def do_redirect(self) -> str:
        """Return the address."""
        return self._location

    def do_js_redirect(self) -> str:
        """Return the address."""
        return self._location

    def set_redirect_url(self, location: str) -> None:
        """Take another address."""
        self._location = location

    def get_redirect_url(self) -> str:
        """Return the address."""
        return self._location
