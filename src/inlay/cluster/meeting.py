"""Where servers are met: each listens at its address and tells who asks on which Ray cluster it runs, and as what.

Asked, a server answers with one line of JSON and closes the connection; it takes nothing. What it tells is enough to
reach its tasks, and so to run code on them: it listens at the address of the cluster's specification and no other.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from typing import Any, NamedTuple

from inlay import errors
from inlay.interpreter import messages

PATIENCE = 10.0
"""Seconds for which a server that does not answer is asked again: it may be about to start."""
_PAUSE = 0.1


class Welcome(NamedTuple):
    """What a server tells.

    Attributes:
      ray: the address of the Ray cluster that it runs on.
      auth_mode: how that is joined: see `ray_connection.connected`.
      key: what tells servers of its cluster from those of others on the same Ray.
      cluster: the jobs, as `ClusterSpec.as_dict` has them.
      job, task: which task it is.
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
    if not host or not port.isdigit():
        raise errors.InvalidArgumentError(None, None, f'Could not interpret "{address}" as a host-port pair.')
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

    def tell(self, welcome: Welcome) -> None:
        """Answers with this from now on."""
        self._answer = json.dumps(welcome).encode() + b"\n"
        threading.Thread(target=self._serve, name=f"inlay-server-{self.address}", daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:  # closed
                return
            with connection:
                try:
                    connection.settimeout(1.0)
                    connection.sendall(self._answer)
                except OSError as error:  # who asked went away
                    messages.debug("server at %s: %s", self.address, error)

    def close(self) -> None:
        """Stops listening."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        except OSError:
            pass
        self._socket.close()


def asked(address: str, patience: float = PATIENCE) -> Welcome:
    """What the server at an address tells.

    Args:
      address: "host:port".
      patience: seconds for which it is asked again if nothing answers.

    Raises:
      UnavailableError: if nothing answers there, or something that is no server of ours.
    """
    host, port = split(address)
    end = time.monotonic() + patience
    while True:
        try:
            with socket.create_connection((host, port), timeout=max(_PAUSE, min(patience, 5.0))) as connection:
                data = b"".join(iter(lambda: connection.recv(65536), b""))
            return _read(data, address)
        except OSError as error:
            if time.monotonic() + _PAUSE > end:
                raise errors.UnavailableError(
                    None,
                    None,
                    f"no server answers at {address}: {error}. Start it there (tf.distribute.Server, or `python -m "
                    "inlay server`), or correct the target",
                ) from error
        time.sleep(_PAUSE)


def _read(data: bytes, address: str) -> Welcome:
    try:
        return Welcome(*json.loads(data))
    except (ValueError, TypeError) as error:
        if not data:  # it is starting: its address is taken, and it says nothing so far
            raise ConnectionError("it is not ready") from error
        raise errors.UnavailableError(
            None, None, f"what answers at {address} is no server of inlay: it says {data[:60]!r}"
        ) from error
