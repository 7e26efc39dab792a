"""A module in this process, behind the same messages as one in a candidate.

So whatever runs here gives what it gives when a class is graded; only walls are missing.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from nextword.boundary.conversation import Conversation
from nextword.candidate.host import Host
from nextword.judge.session import Refusal, Session
from nextword.judge.suite import Suite
from nextword.judge.timelimit import TimeLimitError, time_limit
from nextword.judge.wording import Source
from nextword.results import Verdict

IMPORT_SECONDS = 30.0
_NOT_THE_STUDENTS = (KeyboardInterrupt, TimeLimitError)  # they end a test, or the whole run


def _talk_to(host: Host) -> Conversation:
    return Conversation(lambda _, test, gone, body, __: (0, host.handle(test, gone, body)))


def on_module(suite: Suite, stem: str, module: ModuleType) -> Session:
    """Return a session on a module that the course trusts: the reference, a misconception."""
    host = Host(Path(module.__file__ or "").parent, _NOT_THE_STUDENTS)
    host.use(module)
    session = Session(suite, _talk_to(host), stem, Source(f"{stem}.py", ""))
    session.hold(host.directory())
    return session


def on_file(suite: Suite, path: Path) -> Session | Refusal:
    """Return a session on a student's own file, imported afresh, or why there is none."""
    if not path.is_file():
        return Refusal(Verdict.MISSING, f"there is no {path.parent.name}/{path.name}")
    data = path.read_bytes()
    source = Source(path.name, data.decode("utf-8-sig", errors="replace"))
    session = Session(suite, _talk_to(Host(path.parent, _NOT_THE_STUDENTS)), path.stem, source)
    try:
        with time_limit(IMPORT_SECONDS):
            return session.open("run", data, IMPORT_SECONDS) or session
    except TimeLimitError as error:
        return Refusal(Verdict.TIMEOUT, f"{path.name} cannot be imported: {error}")
