"""Who may say what in a cluster, by the role in a peer's certificate; and what is never unpickled.

Dask's own protocol trusts every peer: who may connect may run code anywhere. Here a worker is a
machine on which students' code runs, so it is trusted with nothing but its answers:

    a worker     talks to its scheduler alone (and to the other processes of its own machine). The
                 scheduler takes from it the few orders that a worker needs, and no pickle
    a scheduler  may order workers about
    a grader     may order the scheduler about; it unpickles nothing, whoever says it

Dask's scheme of transports is open for this: the rules stand in the place of its own TLS. They need
certificates. Without these, only the grader's rule holds: nothing is unpickled there.
Imported as a `--preload` by every process of the cluster, scheduler and worker.
"""

from __future__ import annotations

import logging
from contextvars import ContextVar
from typing import Any

import dask
import distributed.client
from distributed.comm import tcp
from distributed.comm.core import CommClosedError
from distributed.comm.registry import backends
from distributed.protocol import core
from distributed.protocol import pickle as pickling

from examiner.cluster.certificates import GRADER, SCHEDULER, WORKER

logger = logging.getLogger("distributed.rules")
ROLE = "examiner.role"  # in Dask's configuration, which a nanny hands on to its worker
# what a scheduler does for a worker: orders of their own, and lines of a stream
WORKERS_ORDERS = frozenset(
    {"register-worker", "register_nanny", "heartbeat_worker", "unregister", "identity", "ping"}
    | {"close", "connection_stream"}
)
WORKERS_LINES = frozenset(
    {"task-finished", "task-erred", "release-worker-data", "add-keys", "long-running"}
    | {"reschedule", "keep-alive", "worker-status-change", "request-refresh-who-has"}
    | {"close-stream", "log-event", "stream-start", "stream-closed"}
)
_loads = pickling.loads
_PLAIN: ContextVar[bool] = ContextVar("_PLAIN", default=False)


class PickleRefusedError(ValueError):
    """Somebody sent a pickle who may send plain data alone."""


class _Pickle:
    """Stands in the place of Dask's module where messages are read."""

    dumps = staticmethod(pickling.dumps)

    @staticmethod
    def loads(data: Any, *, buffers: Any = ()) -> Any:
        if _PLAIN.get() or role() == GRADER:
            raise PickleRefusedError("a pickle, where only plain data may cross")
        return _loads(data, buffers=buffers)


def role() -> str:
    """Return the role of this process; "" where none was given."""
    return str(dask.config.get(ROLE, ""))


def _peer(comm: Any) -> str:
    """Return the role in the certificate of whom a connection leads to; "" without one."""
    socket: Any = getattr(comm.stream, "socket", None)
    if not hasattr(socket, "getpeercert"):
        return ""
    subject = (socket.getpeercert() or {}).get("subject", ())
    found = {key: value for part in subject for key, value in part}
    return str(found.get("organizationalUnitName", ""))


class _Ruled:
    """A connection that keeps to the rules; mixed into Dask's own."""

    stream: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.peer = _peer(self)
        self.plain = role() == GRADER or (role() == SCHEDULER and self.peer == WORKER)
        if self.plain:
            self.deserialize = False  # what is no plain data stays the bytes that it is
            self.allow_offload = False  # the refusal holds for this task, not for other threads

    async def read(self, deserializers: Any = None) -> Any:
        token = _PLAIN.set(self.plain)
        try:
            message = await super().read(deserializers)  # type: ignore[misc]
        except PickleRefusedError:
            self.abort()  # type: ignore[attr-defined]
            logger.error("%s sent a pickle: its connection is closed", self._who())
            raise CommClosedError("a pickle was refused") from None
        finally:
            _PLAIN.reset(token)
        if role() == SCHEDULER and self.peer == WORKER:
            return self._permitted(message)
        return message

    def _permitted(self, message: Any) -> Any:
        """Return of a worker's message what a worker may say; the connection ends at an order."""
        if isinstance(message, dict) and "op" in message:
            if message["op"] not in WORKERS_ORDERS | WORKERS_LINES:
                self.abort()  # type: ignore[attr-defined]
                logger.error("%s may not order %r", self._who(), str(message["op"])[:60])
                raise CommClosedError("a worker may not order this")
        elif isinstance(message, list | tuple):
            lines = [m for m in message if isinstance(m, dict) and "op" in m]
            return [m for m in lines if m["op"] in WORKERS_LINES] if lines else message
        return message

    def _who(self) -> str:
        return f"{self.peer or 'somebody'} at {self.peer_address}"  # type: ignore[attr-defined]


class RuledTCP(_Ruled, tcp.TCP):
    """Without certificates: nobody has a role, and the grader takes plain data alone."""


class RuledTLS(_Ruled, tcp.TLS):
    """With certificates."""


def refusal(mine: str, peer: str, *, same_host: bool, called: bool) -> str:
    """Return why two processes may not talk; "" if they may. `called`: the connection is ours.

    >>> refusal(WORKER, WORKER, same_host=False, called=False)
    'a worker may not talk to a worker of another machine'
    >>> refusal(SCHEDULER, WORKER, same_host=False, called=False)
    ''
    """
    if peer not in (GRADER, SCHEDULER, WORKER):
        return "its certificate names no role"
    if mine == SCHEDULER and called and peer != WORKER:
        return f"a scheduler calls workers, not a {peer}"
    if mine == WORKER and peer == WORKER and not same_host:
        return "a worker may not talk to a worker of another machine"
    if mine == GRADER and peer != SCHEDULER:
        return f"a {peer} answers where the scheduler should"
    return ""


def _require(comm: Any, *, called: bool) -> Any:
    why = refusal(role(), comm.peer, same_host=comm.same_host, called=called) if role() else ""
    if why:
        comm.abort()
        logger.error("%s: %s", comm.peer_address, why)
        raise CommClosedError(why)
    return comm


class _TCPConnector(tcp.TCPConnector):
    comm_class = RuledTCP


class _TCPListener(tcp.TCPListener):
    comm_class = RuledTCP


class _TLSConnector(tcp.TLSConnector):
    comm_class = RuledTLS

    async def connect(self, *args: Any, **kwargs: Any) -> Any:
        return _require(await super().connect(*args, **kwargs), called=True)


class _TLSListener(tcp.TLSListener):
    comm_class = RuledTLS

    async def on_connection(self, comm: Any, handshake_overrides: Any = None) -> None:
        _require(comm, called=False)
        await super().on_connection(comm, handshake_overrides)


class _TCPBackend(tcp.TCPBackend):
    _connector_class = _TCPConnector
    _listener_class = _TCPListener


class _TLSBackend(tcp.TLSBackend):
    _connector_class = _TLSConnector
    _listener_class = _TLSListener


def _nothing(*args: Any, **kwargs: Any) -> None:
    """Stand where Dask's client would unpickle what a worker said of a result's type."""


class UnreadError(Exception):
    """An error of a worker's or the scheduler's, as the bytes that came."""

    def __init__(self, sent: Any) -> None:
        super().__init__("an error that was not read")
        self.raw = b""
        frames = getattr(sent, "frames", ())
        if all(isinstance(each, bytes | bytearray | memoryview) for each in frames):
            self.raw = b"".join(bytes(each) for each in frames)


def _unread(exception: Any, traceback: Any = None, **_: Any) -> tuple[type, UnreadError, None]:
    """Stand where Dask's client would unpickle an error."""
    return UnreadError, UnreadError(exception), None


def install() -> None:
    """Put the rules in the place of Dask's own transports."""
    backends["tcp"], backends["tls"] = _TCPBackend(), _TLSBackend()
    vars(core)["pickle"] = _Pickle
    if role() == GRADER:
        vars(distributed.client).update(loads=_nothing, pickle=_Pickle, clean_exception=_unread)
        vars(pickling)["loads"] = _Pickle.loads


install()
