"""Ray, an extra, on first use: joined where it runs, started on this machine otherwise. No other module imports it.

What is started here listens on the loopback interface alone, has no dashboard, reports no usage, and is stopped when
the process ends: whoever reaches a Ray cluster runs code on it (docs/security.md).
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from inlay import errors
from inlay.interpreter.forking import new_lock

LOOPBACK = "127.0.0.1"
NAMESPACE = "inlay"
"""Where Ray knows our actors by name."""
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
        import ray as found
    except ModuleNotFoundError as error:
        if error.name != "ray":  # it is there, and lacks something itself
            raise
        raise ImportError(f"This needs Ray, which {_SAY}") from error
    return found


def connected(address: str | None = None, log_to_driver: bool = False, **resources: Any) -> Any:
    """Ray, with this process a member of a cluster: the one that it has joined already, else the one of `address`.

    Args:
      address: "host:port" of a cluster; None takes that of the environment variable RAY_ADDRESS, or starts one here.
      log_to_driver: whether what workers print comes here.
      **resources: `num_cpus`, `num_gpus`, `resources` of a cluster that is started here.

    Raises:
      ImportError: if Ray is not installed.
      UnavailableError: if nothing answers at the address.
      ValueError: if this process has joined another cluster.
    """
    found = ray()
    with _lock:
        if found.is_initialized():
            _same_cluster(found, address)
            return found
        address = address or os.environ.get("RAY_ADDRESS") or "local"
        options: dict[str, Any] = {"include_dashboard": False, **resources} if address == "local" else {}
        here = address == "local" or address.rpartition(":")[0] in (LOOPBACK, "localhost")
        with _quietly(), _on_loopback() if here else nullcontext():
            try:
                found.init(
                    address, namespace=NAMESPACE, log_to_driver=log_to_driver, logging_level=logging.ERROR, **options
                )
            except (ConnectionError, RuntimeError, TimeoutError) as error:
                found.shutdown()
                raise errors.UnavailableError(
                    None, None, f"no Ray cluster could be joined at {address}: {error}"
                ) from error
        listens = found.get_runtime_context().gcs_address
        if address == "local" and listens.rpartition(":")[0] != LOOPBACK:
            found.shutdown()
            raise errors.InternalError(
                None,
                None,
                f"Ray {found.__version__} started on {listens} and not on the loopback interface, so it was stopped: "
                "others could have run code here. Start a cluster yourself (ray start --head) and give its address",
            )
    return found


def _same_cluster(found: Any, address: str | None) -> None:
    """Refuses another address than that of the cluster which this process is a member of."""
    if address is None:
        return
    joined = found.get_runtime_context().gcs_address
    host, _, port = address.replace("localhost", LOOPBACK).rpartition(":")
    if joined.rpartition(":")[2] != port or (host and host != joined.rpartition(":")[0]):
        raise ValueError(
            f"this process is a member of the Ray cluster {joined}, so it cannot join {address}: a process can be in "
            "one at a time. Leave the first with ray.shutdown(), or use another process"
        )


def _quietly() -> AbstractContextManager[None]:
    """Usage is not reported by what is started in the block, unless the user said otherwise."""
    return _environment("RAY_USAGE_STATS_ENABLED", "0")


@contextmanager
def _on_loopback() -> Iterator[None]:
    """What Ray starts in the block listens on the loopback interface only.

    Ray takes an address of 127.0.0.1 for the machine's outward one, except where it holds clusters of several machines
    for impossible: this variable says so. It is read when Ray is imported, and by the processes that it starts.
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
