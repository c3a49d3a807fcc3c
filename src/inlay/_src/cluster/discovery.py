"""Discovery of servers: each listens at its address and answers with its Ray cluster, its job and its task.

A server answers a connection with one line of JSON and closes it; it reads nothing. The answer is enough to reach the
tasks, and so to run code on them: a server listens at the address of the cluster's specification and no other.
"""

from __future__ import annotations

import errno
import json
import socket
import threading
import time
from typing import Any, NamedTuple

from inlay._src.base import errors
from inlay._src.base.files.damage import json_of
from inlay._src.base.interpreter import messages
from inlay._src.base.interpreter.conditions import Event
from inlay._src.cluster.spec import ClusterSpec

PATIENCE = 10.0
"""Seconds for which a server that does not answer is asked again: it may be about to start."""
ANSWERS = 5.0
"""Seconds that one answer may take, from the connection to its end."""
LONGEST = 1 << 16
"""Bytes of an answer."""
_PAUSE = 0.1
_LONGEST_PAUSE = 5.0
_LAST_PORT = 65535
_MOST_TASKS = 1 << 16
_ENDED = (errno.EBADF, errno.EINVAL, errno.ENOTSOCK)
"""Error numbers of `accept` on a closed socket."""


class Welcome(NamedTuple):
    """The answer of a server.

    Attributes:
      ray: the address of the Ray cluster that it runs on.
      auth_mode: the authentication of that cluster: see `ray_connection.connected`.
      key: the identity of its cluster among others on the same Ray.
      cluster: the jobs, as `ClusterSpec.as_dict` has them.
      job, task: its own task.
    """

    ray: str
    auth_mode: str
    key: str
    cluster: dict[str, Any]
    job: str
    task: int


def split(address: str) -> tuple[str, int]:
    """Host and port of an address.

    Raises:
      InvalidArgumentError: if it is not "host:port".
    """
    host, _, port = address.rpartition(":")
    if not host or not (port.isascii() and port.isdigit()):
        raise errors.InvalidArgumentError(None, None, f'Could not interpret "{address}" as a host-port pair.')
    if len(port) > 5 or int(port) > _LAST_PORT:
        raise errors.InvalidArgumentError(
            None, None, f'Could not interpret "{address}" as a host-port pair: the last port is {_LAST_PORT}.'
        )
    return host.strip("[]"), int(port)


class Listener:
    """Listens at an address until it is closed.

    Args:
      address: "host:port"; port 0 takes one that is free.

    Attributes:
      address: the same with the port that was taken.

    Raises:
      UnknownError: if nobody can listen there.
    """

    def __init__(self, address: str) -> None:
        host, port = split(address)
        try:
            family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
            self._socket = socket.create_server((host, port), family=family)
        except OSError as error:
            raise errors.UnknownError(
                None, None, f"Could not start the server: nothing can listen at {address}: {error}"
            ) from error
        self.address: str = f"{host}:{self._socket.getsockname()[1]}"
        self._answer = b""
        self._closing = Event()

    def tell(self, welcome: Welcome) -> None:
        """Answers with this from now on."""
        self._answer = json.dumps(welcome).encode() + b"\n"
        threading.Thread(target=self._serve, name=f"inlay-server-{self.address}", daemon=True).start()

    def _serve(self) -> None:
        pause = _PAUSE
        while not self._closed:
            try:
                connection, _ = self._socket.accept()
            except OSError as error:
                if self._closed or error.errno in _ENDED:
                    return
                # A connection that went away, or nothing left to hold one: descriptors, memory. It passes.
                messages.warning("server at %s cannot answer, and tries again in %g s: %s", self.address, pause, error)
                self._closing.wait(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                continue
            pause = _PAUSE
            with connection:
                try:
                    connection.settimeout(1.0)
                    connection.sendall(self._answer)
                except OSError as error:  # who asked went away
                    messages.debug("server at %s: %s", self.address, error)

    @property
    def _closed(self) -> bool:
        return self._closing.is_set()

    def close(self) -> None:
        """Stops listening."""
        self._closing.set()
        try:
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        except OSError:
            pass
        self._socket.close()


def ask(address: str, patience: float = PATIENCE) -> Welcome:
    """The answer of the server at an address.

    The answer is not authenticated: a program that took the port before the server did can name a Ray cluster of its
    own. See docs/security.md.

    Args:
      address: "host:port".
      patience: seconds for which a failed connection is retried.

    Raises:
      UnavailableError: if nothing answers there, or the answer is not a server's, has more than `LONGEST` bytes, or
        takes longer than `ANSWERS` seconds.
    """
    host, port = split(address)
    end = time.monotonic() + patience
    while True:
        try:
            return _read(_answer(host, port, time.monotonic() + max(_PAUSE, min(patience, ANSWERS))), address)
        except OSError as error:
            if time.monotonic() + _PAUSE > end:
                raise errors.UnavailableError(
                    None,
                    None,
                    f"no server answers at {address}: {error}. Start it there (tf.distribute.Server, or `python -m "
                    "inlay server`), or correct the target",
                ) from error
        time.sleep(_PAUSE)


def _answer(host: str, port: int, end: float) -> bytes:
    """The bytes that an address sends until it closes the connection.

    Args:
      host, port: the address.
      end: the deadline of the whole conversation, in seconds of `time.monotonic`.

    Raises:
      OSError: if the connection fails or does not end before the deadline.
    """
    parts, size = [], 0
    with socket.create_connection((host, port), timeout=max(end - time.monotonic(), 0.01)) as connection:
        while size <= LONGEST:
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError("what answers does not come to an end")
            connection.settimeout(left)
            part = connection.recv(LONGEST)
            if not part:
                break
            parts.append(part)
            size += len(part)
    return b"".join(parts)


def _read(data: bytes, address: str) -> Welcome:
    if not data:  # it is starting: its address is taken, and it says nothing so far
        raise ConnectionError("it is not ready")
    try:
        if len(data) > LONGEST:
            raise ValueError(f"it sent more than {LONGEST:,} bytes")
        return _checked(json_of(data))
    except ValueError as error:
        raise errors.UnavailableError(
            None, None, f"what answers at {address} is not a server of inlay: it sent {data[:60]!r} ({error})"
        ) from error


def _checked(said: Any) -> Welcome:
    """The welcome in a parsed answer.

    Raises:
      ValueError: if a field has the wrong type or value.
    """
    if not isinstance(said, list) or len(said) != len(Welcome._fields):
        raise ValueError("it is not a welcome message")
    welcome = Welcome(*said)
    texts = welcome.ray, welcome.auth_mode, welcome.key, welcome.job
    if not all(isinstance(text, str) and text.isascii() and (text.isprintable() or not text) for text in texts):
        raise ValueError("a name in it is not a text")
    if welcome.task.__class__ is not int or welcome.task < 0:
        raise ValueError("the index of its task is not a number")
    try:
        split(welcome.ray)
        spec = ClusterSpec(welcome.cluster)
        tasks = spec.task_indices(welcome.job)
        if any(not 0 <= i < _MOST_TASKS for job in spec.jobs for i in spec.task_indices(job)):
            raise ValueError("a task has a number out of range")
    except (errors.OpError, ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"it names no cluster: {error}") from None
    if welcome.task not in tasks:
        raise ValueError("its cluster lacks its task")
    return welcome
