"""An entry's process behind the walls, and what may be asked of it: load, begin, follow, train.

Every answer of it is untrusted. Leaves out which words it is told (heat.py).
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from examiner.boundary.channel import Channel, ClosedError, SlowError
from examiner.boundary.conversation import Conversation
from examiner.boundary.deadline import Deadline
from examiner.boundary.errors import Stop, WireError
from examiner.boundary.proxy import Module
from examiner.candidate.confinement import EXIT_MEMORY, Limits
from examiner.candidate.server import ServerPlan
from examiner.judge.wording import one_line
from examiner.race import inside
from examiner.race.rules import MEGABYTE, THREADS_IN_TRAINING, OutError, Rules
from examiner.results import Verdict
from examiner.sandbox import bubblewrap
from examiner.sandbox.servers import CandidateServer, ServerError

LONGEST = 300  # characters of what is said of an entry
PRELOAD = ("numpy", "torch", "einops")
TRAINED_FILES = 8 * MEGABYTE  # bytes of an answer with the files that a training wrote


def plan(
    rules: Rules,
    words: int,
    *,
    confined: bool,
    library: Sequence[str] = (),
    hidden: Sequence[Path] = (),
) -> ServerPlan:
    """Return what the server of a race needs, in which entries are asked for so many words.

    library: packages that entries may import. hidden: folders in these that they must not see.
    """
    seconds = rules.seconds_for(words) + 60  # the examiner's own clock is the first to end it
    seconds = max(seconds, THREADS_IN_TRAINING * rules.train_seconds + 60)
    return ServerPlan(
        Limits(memory=rules.memory, cpu=int(seconds)),
        confined,
        bubblewrap.outer_uid() if confined else None,
        PRELOAD,
        library=tuple(library),
        hidden=tuple(map(str, hidden)),
    )


class Runner:
    """One process of an entry; use it in a `with`, which ends it.

    Raises OutError where the entry fails, and ServerError where the walls do.
    """

    def __init__(self, server: CandidateServer, files: Mapping[str, bytes], rules: Rules) -> None:
        self._server, self._files, self._rules = server, files, rules
        self._channel: Channel | None = None

    def __enter__(self) -> Runner:
        self._channel = self._server.start()
        self._talk = Conversation(self._ask, self._channel.meter)
        self._give(self._rules.to_load)
        directory = self._asked(
            lambda: self._talk.request("import", "inside", Path(inside.__file__).read_bytes())
        )
        self._module = Module(self._talk, directory)
        self._call("unpack", dict(self._files))
        self._say(self._call("open_module"))
        return self

    def __exit__(self, *error: object) -> None:
        if self._channel is not None:
            self._channel.close()
            with contextlib.suppress(ServerError):  # then the next start will say so
                self._server.end()

    # ------------------------------------------------------------------ what is asked

    def load(self, vocabulary: Sequence[str], words: int) -> None:
        """Have the model loaded; it may then take its time for so many words."""
        self._say(self._call("load", list(vocabulary)))
        left = self._rules.seconds_for(words) - min(self.seconds, self._rules.to_load)
        self._give(left)

    def begin(self, n: int) -> Any:
        """Return what it says of the first words of n texts; untrusted."""
        return self._rows("begin", n)

    def follow(self, words: np.ndarray) -> Any:
        """Tell it one more word of each text; return what it says of those after it; untrusted."""
        return self._rows("follow", words)

    def train(self, texts: Sequence[np.ndarray], vocabulary: Sequence[str]) -> dict[str, bytes]:
        """Have it train, and return the files that it has written."""
        seconds = THREADS_IN_TRAINING * self._rules.train_seconds
        self._give(seconds + self._rules.to_load)
        lengths = np.array([len(text) for text in texts])
        told = np.concatenate(texts).astype(np.int32)
        arguments = (told, lengths, list(vocabulary), float(seconds), THREADS_IN_TRAINING)
        self._say(self._call("train", *arguments))
        return self._checked_files(self._call("trained"))

    @property
    def seconds(self) -> float:
        """The seconds of processor that it has used, as the system counts them from outside."""
        meter = self._channel.meter if self._channel else None
        return meter.used().computed if meter else 0.0

    # ------------------------------------------------------------------ how it is asked

    def _give(self, seconds: float) -> None:
        """Let it compute for so long from now on; three times as long may it sleep."""
        assert self._channel is not None
        meters = [self._channel.meter] if self._channel.meter else []
        self._talk.deadline = Deadline(max(seconds, 0.1), *meters)

    def _rows(self, what: str, argument: Any) -> Any:
        answer = self._call(what, argument)
        if isinstance(answer, str):
            self._say(answer)
        return answer

    def _call(self, what: str, *arguments: Any) -> Any:
        self._talk.transcript.clear()
        return self._asked(lambda: getattr(self._module, what)(*arguments))

    def _asked(self, ask: Callable[[], Any]) -> Any:
        """Ask, and turn whatever goes wrong into a line about the entry."""
        try:
            return ask()
        except Stop as stop:
            raise OutError(one_line(stop.message, LONGEST)) from None
        except ServerError:
            raise
        except Exception as error:  # what the process says that an error was
            raise OutError(one_line(f"{type(error).__name__}: {error}", LONGEST)) from None

    def _say(self, text: Any) -> None:
        """Raise what an answer says in words."""
        if isinstance(text, str):
            said = one_line(text, LONGEST)
            no_room = said.startswith("MemoryError") or "DefaultCPUAllocator" in said
            most = self._rules.memory // MEGABYTE
            raise OutError(f"used more memory than {most:,} MB" if no_room else said)
        if text is not None:
            raise OutError("sent something that is no answer")

    def _checked_files(self, files: Any) -> dict[str, bytes]:
        sound = type(files) is dict and all(
            type(name) is str and type(data) is bytes and _is_plain(name)
            for name, data in files.items()
        )
        if not sound or sum(map(len, files.values())) > TRAINED_FILES:
            raise OutError("its training wrote files that cannot be used, or more than 8 MB")
        return dict(files)

    def _ask(
        self, number: int, test: int, released: list[int], body: bytes, deadline: Deadline
    ) -> bytes:
        assert self._channel is not None
        try:
            return self._channel.ask(number, test, released, body, deadline)
        except SlowError:
            why = deadline.why.partition(":")[0]  # the rest advises a student
            raise Stop(Verdict.TIMEOUT, f"slower than its budget: it {why}") from None
        except WireError:
            raise Stop(Verdict.CRASHED, "sent something that is no answer") from None
        except ClosedError:
            raise self._death() from None

    def _death(self) -> Stop:
        """Say how the process ended."""
        ending = self._server.bury()
        code = ending.get("exit", 0)
        if ending.get("killed"):
            return Stop(Verdict.CRASHED, "closed what it did not open")
        if code in (EXIT_MEMORY, -signal.SIGKILL):
            return Stop(Verdict.MEMORY, "used more memory than it may")
        if code == -signal.SIGXCPU:
            return Stop(Verdict.TIMEOUT, "slower than its budget")
        name = (signal.strsignal(-code) or f"signal {-code}") if code < 0 else f"exit {code}"
        return Stop(Verdict.CRASHED, f"its process ended ({name})")


@cache
def _is_plain(name: str) -> bool:
    """Tell whether a name stays in its folder."""
    path = Path(name)
    return not path.is_absolute() and ".." not in path.parts and "\0" not in name
