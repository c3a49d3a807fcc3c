"""Where servers are met: what listens answers who asks, and nothing hangs."""

from __future__ import annotations

import socket
import threading
from typing import Any

import pytest

import inlay as tf
from inlay.cluster import meeting
from inlay.cluster.meeting import Listener, Welcome

HELLO = Welcome("127.0.0.1:6379", "", "key", {"worker": ["127.0.0.1:1"]}, "worker", 0)


def test_who_asks_is_told_until_it_is_closed() -> None:
    listener = Listener("127.0.0.1:0")
    listener.tell(HELLO)
    assert [meeting.asked(listener.address) for _ in range(3)] == [HELLO] * 3
    listener.close()
    with pytest.raises(tf.errors.UnavailableError, match=f"no server answers at {listener.address}"):
        meeting.asked(listener.address, patience=0)


def test_a_server_that_is_about_to_start_is_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    made: list[Any] = []

    def start() -> None:
        made.append(Listener(f"127.0.0.1:{port}"))
        made[0].tell(HELLO)

    timer = threading.Timer(0.3, start)
    timer.start()
    assert meeting.asked(f"127.0.0.1:{port}", patience=30) == HELLO
    timer.join()
    made[0].close()


def test_an_address_that_is_taken_is_told() -> None:
    listener = Listener("127.0.0.1:0")
    with pytest.raises(tf.errors.UnknownError, match=f"nothing can listen at {listener.address}"):
        Listener(listener.address)
    listener.close()


@pytest.mark.parametrize("address", ["", "host", "host:", ":1", "host:x"])
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
        with pytest.raises(tf.errors.UnavailableError, match="is no server of inlay: it says b'220 mail"):
            meeting.asked(f"127.0.0.1:{other.getsockname()[1]}")
        thread.join()
