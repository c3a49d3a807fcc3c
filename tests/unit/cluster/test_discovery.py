"""Where servers are met: what listens answers who asks, and nothing hangs."""

from __future__ import annotations

import errno
import json
import socket
import threading
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import inlay as tf
from inlay._src.cluster import discovery
from inlay._src.cluster.discovery import Listener, Welcome

HELLO = Welcome("127.0.0.1:6379", "", "key", {"worker": ["127.0.0.1:1"]}, "worker", 0)


def test_who_asks_is_told_until_it_is_closed() -> None:
    listener = Listener("127.0.0.1:0")
    listener.tell(HELLO)
    assert [discovery.ask(listener.address) for _ in range(3)] == [HELLO] * 3
    listener.close()
    with pytest.raises(tf.errors.UnavailableError, match=f"no server answers at {listener.address}"):
        discovery.ask(listener.address, patience=0)


def test_a_server_that_is_about_to_start_is_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    made: list[Any] = []

    def start() -> None:
        made.append(Listener(f"127.0.0.1:{port}"))
        made[0].tell(HELLO)

    timer = threading.Timer(0.3, start)
    timer.start()
    assert discovery.ask(f"127.0.0.1:{port}", patience=30) == HELLO
    timer.join()
    made[0].close()


def test_an_address_that_is_taken_is_told() -> None:
    listener = Listener("127.0.0.1:0")
    with pytest.raises(tf.errors.UnknownError, match=f"nothing can listen at {listener.address}"):
        Listener(listener.address)
    listener.close()


@pytest.mark.parametrize(
    "address", ["", "host", "host:", ":1", "host:x", "host:²", "host:٣", "host:99999", "host:65536"]
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="as a host-port pair"):
        Listener(address)


def test_another_program_that_answers_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:

        def answer() -> None:
            connection, _ = other.accept()
            with connection:
                connection.sendall(b"220 mail.example ESMTP\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(tf.errors.UnavailableError, match="is not a server of inlay: it sent b'220 mail"):
            discovery.ask(f"127.0.0.1:{other.getsockname()[1]}")
        thread.join()


@contextmanager
def answering(*parts: bytes, pause: float = 0.0) -> Iterator[str]:
    """The address of a program that answers one connection, and goes on until nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as other:

        def answer() -> None:
            connection, _ = other.accept()
            with connection:
                try:
                    for part in parts:
                        connection.sendall(part)
                        time.sleep(pause)
                except OSError:
                    return

        thread = threading.Thread(target=answer)
        thread.start()
        yield f"127.0.0.1:{other.getsockname()[1]}"
        thread.join()


def test_an_endless_answer_is_read_to_its_limit_only() -> None:
    with answering(*[b" " * (1 << 20)] * 64) as address:
        tracemalloc.start()
        with pytest.raises(tf.errors.UnavailableError, match="it sent more than 65,536 bytes"):
            discovery.ask(address, patience=30)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
        tracemalloc.stop()


def test_an_answer_drop_by_drop_has_one_deadline() -> None:
    began = time.monotonic()
    with (
        answering(*[b" "] * 60, pause=0.05) as address,
        pytest.raises(tf.errors.UnavailableError, match="to an end|out"),
    ):
        discovery.ask(address, patience=0.3)
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ([1], "not a welcome message"),
        ({}, "not a welcome message"),
        ([1, "", "key", {"worker": ["127.0.0.1:1"]}, "worker", 0], "not a text"),
        (["127.0.0.1:1", "", "key\x1b[31m", {"worker": ["127.0.0.1:1"]}, "worker", 0], "not a text"),
        (["127.0.0.1:1", "", "key", {"worker": ["127.0.0.1:1"]}, "worker", True], "not a number"),
        (["127.0.0.1:1", "", "key", {"worker": ["127.0.0.1:1"]}, "worker", 7], "lacks its task"),
        (["127.0.0.1:1", "", "key", {"worker": {"²": "a:1"}}, "worker", 0], "names no cluster"),
        (["127.0.0.1:1", "", "key", {"worker": {"999999999": "a:1"}}, "worker", 0], "out of range"),
        (["127.0.0.1:1", "", "key", ["worker"], "worker", 0], "names no cluster"),
        (["somewhere", "", "key", {"worker": ["127.0.0.1:1"]}, "worker", 0], "names no cluster"),
    ],
)
def test_an_answer_of_the_wrong_kind_is_told(said: Any, why: str) -> None:
    with answering(json.dumps(said).encode()) as address:
        with pytest.raises(tf.errors.UnavailableError, match=f"is not a server of inlay: .*{why}") as raised:
            discovery.ask(address, patience=0)
    assert str(raised.value).isprintable()


def test_a_deep_answer_is_told() -> None:
    why = "nested too deeply|Expecting value: line 1 column 60001"  # the depth that JSON's parser takes is the stack's
    with answering(b"[" * 60_000) as address:
        with pytest.raises(tf.errors.UnavailableError, match=rf"is not a server of inlay: .*({why})"):
            discovery.ask(address, patience=0)


class Failing:
    """A socket that cannot accept for a while."""

    def __init__(self, inner: socket.socket, failures: int) -> None:
        self._inner, self.left = inner, failures

    def accept(self) -> Any:
        if self.left:
            self.left -= 1
            raise OSError(errno.EMFILE, "Too many open files")
        return self._inner.accept()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def test_a_listener_without_descriptors_says_so_and_tries_again(caplog: pytest.LogCaptureFixture) -> None:
    listener = Listener("127.0.0.1:0")
    failing = listener._socket = Failing(listener._socket, 2)  # type: ignore[assignment]
    listener.tell(HELLO)
    assert discovery.ask(listener.address, patience=30) == HELLO
    assert not failing.left
    assert [r.levelname for r in caplog.records] == ["WARNING"] * 2
    assert "cannot answer, and tries again in 0.1 s: [Errno 24] Too many open files" in caplog.text
    listener.close()
