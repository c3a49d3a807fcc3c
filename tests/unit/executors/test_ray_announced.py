"""Ray that takes long to start is announced."""

from __future__ import annotations

import logging
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from inlay._src.base.interpreter import messages
from inlay._src.host.executors import ray_connection


@pytest.mark.parametrize(
    ("address", "text"), [("local", "Starting a local Ray cluster"), ("auto", "Joining the Ray cluster at auto")]
)
def test_a_connection_that_takes_long_is_announced(monkeypatch: pytest.MonkeyPatch, address: str, text: str) -> None:
    heard = threading.Event()
    lines: list[str] = []

    class Listening(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())
            heard.set()

    def init(*_: Any, **__: Any) -> None:
        assert heard.wait(30)

    runtime = SimpleNamespace(gcs_address="127.0.0.1:6379")
    module = SimpleNamespace(is_initialized=lambda: False, init=init, get_runtime_context=lambda: runtime)
    monkeypatch.setattr(ray_connection, "ray", lambda: module)
    monkeypatch.setattr(ray_connection, "SILENT", 0.0)
    logger, handler = messages.get_logger(), Listening()
    logger.addHandler(handler)
    try:
        ray_connection.connected(address)
    finally:
        logger.removeHandler(handler)
    assert len(lines) == 1 and lines[0].startswith(text)
