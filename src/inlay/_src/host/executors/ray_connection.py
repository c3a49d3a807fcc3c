"""Ray, an extra, on first use: joined where it runs, started on this machine otherwise. No other module imports it.

A cluster that is started here listens on the loopback interface alone, has no dashboard, reports no usage, and is
stopped when the process ends: access to a Ray cluster lets a client run code on it (docs/security.md).
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import os
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from inlay._src.base import errors
from inlay._src.base.interpreter import messages
from inlay._src.base.interpreter.forking import new_lock

LOOPBACK = "127.0.0.1"
NAMESPACE = "inlay"
"""Where Ray knows our actors by name."""
_AUTH_MODE = "RAY_AUTH_MODE"
REACH = 5.0
"""Seconds within which a connection to a cluster must come about."""
ANSWERS = 120.0
"""Seconds within which a service that runs no user's function answers: an actor that starts, a body that is fetched."""
SILENT = 2.0
"""Seconds after which a connection that is not there yet is announced."""
_SLICE = 1.0
_COLOR = re.compile(r"\x1b\[[0-9;]*m")
_SAY = "is not installed: pip install 'inlay[ray]'"
_lock = new_lock()


def check(what: str) -> None:
    """Refuses `what` where Ray is missing, without importing it.

    Raises:
      ImportError: naming the extra to install.
    """
    if importlib.util.find_spec("ray") is None:
        raise ImportError(f"{what} needs Ray, which {_SAY}")


def ray() -> Any:
    """Ray itself.

    Raises:
      ImportError: if it is not installed; it names the extra to install.
    """
    try:
        import ray as module
    except ModuleNotFoundError as error:
        if error.name != "ray":  # it is there, and lacks something itself
            raise
        raise ImportError(f"This needs Ray, which {_SAY}") from error
    return module


def connected(address: str | None = None, auth_mode: str = "") -> Any:
    """Ray, with this process a member of a cluster: the one that it has joined already, else the one of `address`.

    Args:
      address: "host:port" of a cluster; None takes that of the environment variable RAY_ADDRESS, or starts one here.
      auth_mode: the authentication of the cluster, as its `auth_mode()` says: for "token", the user's token of Ray is
        sent. The environment variable RAY_AUTH_MODE takes precedence.

    Raises:
      ImportError: if Ray is not installed.
      UnavailableError: if nothing answers at the address.
      ValueError: if this process has joined another cluster.
    """
    module = ray()
    with _lock:
        if module.is_initialized():
            _same_cluster(module, address)
            return module
        address = address or os.environ.get("RAY_ADDRESS") or "local"
        options: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
        here = address == "local" or address.rpartition(":")[0] in (LOOPBACK, "localhost")
        if address not in ("local", "auto"):
            _reach(address)
            _show_token(auth_mode)
        with _announced(address), _quietly(), _on_loopback() if here else nullcontext():
            try:
                module.init(address, namespace=NAMESPACE, log_to_driver=False, logging_level=logging.ERROR, **options)
            except (ConnectionError, RuntimeError, TimeoutError) as error:
                module.shutdown()
                raise _unreachable(address, error) from error
        listens = module.get_runtime_context().gcs_address
        if address == "local" and listens.rpartition(":")[0] != LOOPBACK:
            module.shutdown()
            raise errors.InternalError(
                None,
                None,
                f"Ray {module.__version__} started on {listens} and not on the loopback interface, so it was stopped: "
                "others could have run code here. Start a cluster yourself (ray start --head) and give its address",
            )
    return module


@contextmanager
def _announced(address: str) -> Iterator[None]:
    """Logs that Ray is started or joined if that takes time: a cluster of this machine may take half a minute."""
    doing = "Starting a local Ray cluster" if address == "local" else f"Joining the Ray cluster at {address}"
    timer = threading.Timer(SILENT, messages.warning, [f"{doing}; the first time, this can take half a minute."])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def joined() -> Any:
    """Ray, for a process that is still a member of the cluster which it joined.

    After `ray.shutdown()`, Ray would start another cluster for anything that is asked of it, on any thread, and not
    on the loopback interface alone.

    Raises:
      UnavailableError: if this process has left its cluster.
    """
    module = ray()
    if not module.is_initialized():
        raise errors.UnavailableError(None, None, "this process has left its Ray cluster, by ray.shutdown()")
    return module


def got(reference: Any, what: str, seconds: float | None = ANSWERS) -> Any:
    """The value of a reference.

    Ray itself would wait for ever, also for an actor that a Ctrl-C stopped half-way, or for a cluster that was left.
    The wait is one of many short ones here: between two of them an interrupt is seen, and whether the cluster was left.

    Args:
      reference: of Ray's.
      what: the awaited service, for messages.
      seconds: the time limit; None waits without limit, for a call of a user's function.

    Raises:
      DeadlineExceededError: if it takes longer.
      UnavailableError: if this process has left its cluster.
    """
    end = None if seconds is None else time.monotonic() + seconds
    while True:
        module = joined()
        left = _SLICE if end is None else min(_SLICE, max(end - time.monotonic(), 0.0))
        try:
            return module.get(reference, timeout=left)
        except module.exceptions.GetTimeoutError as error:
            if end is not None and time.monotonic() >= end:
                raise errors.DeadlineExceededError(
                    None, None, f"{what} did not answer within {seconds:g} s on the Ray cluster"
                ) from error


def ready(references: list[Any]) -> list[Any]:
    """Those of several references that are there; waits for the first, as `got` does.

    Raises:
      UnavailableError: if this process has left its cluster.
    """
    while True:
        done, _ = joined().wait(references, num_returns=1, timeout=_SLICE)
        if done:
            return done  # type: ignore[no-any-return]


def auth_mode() -> str:
    """The authentication of the cluster that this process has joined: "token", or ""."""
    return os.environ.get(_AUTH_MODE, "")


def _show_token(mode: str) -> None:
    """Has Ray send the user's token to the cluster, if that authenticates by tokens."""
    if mode != "token" or _AUTH_MODE in os.environ:
        return
    os.environ[_AUTH_MODE] = mode  # Ray itself sets it where it starts a cluster that wants tokens
    config = getattr(importlib.import_module("ray._raylet"), "Config", None)
    if config is not None:
        config.initialize("")  # it has read the environment already


def _reach(address: str) -> None:
    """Checks at once that a service listens at an address; Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=REACH).close()
    except (OSError, ValueError) as error:
        raise _unreachable(address, error) from error


def _unreachable(address: str, error: BaseException) -> errors.OpError:
    return errors.UnavailableError(
        None,
        None,
        f"no Ray cluster could be joined at {address}: {message_of(error)}. The address is that of its head, "
        "host:port, and this machine must be a node of it: ray start --address=... A cluster that asks for a token "
        "(RAY_AUTH_MODE=token) wants that of the user who started it, in ~/.ray/auth_token or RAY_AUTH_TOKEN",
    )


def message_of(error: BaseException) -> str:
    """The message of an error of Ray, on one line and without colors."""
    return " ".join(_COLOR.sub("", str(error)).split())


def _same_cluster(module: Any, address: str | None) -> None:
    """Refuses another address than that of the cluster which this process is a member of."""
    if address is None:
        return
    joined = module.get_runtime_context().gcs_address
    host, _, port = address.replace("localhost", LOOPBACK).rpartition(":")
    if joined.rpartition(":")[2] != port or (host and host != joined.rpartition(":")[0]):
        raise ValueError(
            f"this process is a member of the Ray cluster {joined}, so it cannot join {address}: a process can be in "
            "one at a time. Leave the first with ray.shutdown(), or use another process"
        )


def _quietly() -> AbstractContextManager[None]:
    """Ray, started in the block, reports no usage, unless the user asked for it."""
    return _environment("RAY_USAGE_STATS_ENABLED", "0")


@contextmanager
def _on_loopback() -> Iterator[None]:
    """In the block, Ray starts services on the loopback interface only.

    Ray takes an address of 127.0.0.1 for the machine's outward one, except where it holds clusters of several machines
    for impossible: this variable selects it. It is read when Ray is imported, and by the processes that it starts.
    """
    constants = importlib.import_module("ray._private.ray_constants")
    before = getattr(constants, "ENABLE_RAY_CLUSTER", True)
    constants.ENABLE_RAY_CLUSTER = False  # type: ignore[attr-defined]
    try:
        with _environment("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0"):
            yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before  # type: ignore[attr-defined]


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """Sets a variable of the environment in the block, unless it is set."""
    added = name not in os.environ
    if added:
        os.environ[name] = value
    try:
        yield
    finally:
        if added:
            del os.environ[name]
