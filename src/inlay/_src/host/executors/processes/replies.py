"""The answers of workers, decoded: each belongs to the call whose request has its number."""

from __future__ import annotations

from typing import Any, NamedTuple

from inlay._src.host.executors import outcome
from inlay._src.host.executors.processes import wire
from inlay._src.host.executors.processes.wire import Kind, Packet

Outcome = tuple[Any, BaseException | None]
"""A value and None, or None and an exception."""


class Answer(NamedTuple):
    """An answer of a worker.

    Attributes:
      kind: RESULT, FAILURE, or UNKNOWN if the worker did not have what was to be called.
      seconds: how long the call ran.
      value: its result.
      error: what it raised, or why its result cannot be decoded; else None.
    """

    kind: int
    seconds: float
    value: Any
    error: BaseException | None


def decoded(packet: Packet) -> Answer:
    """The answer in a packet, which is not needed any more then; user code may run."""
    value, error = None, None
    try:
        if packet.kind == Kind.RESULT:
            value = wire.unpack(packet, mapped=False)
        elif packet.kind == Kind.FAILURE:
            outcome.opened(wire.unpack(packet, mapped=True))
    except BaseException as raised:
        error = raised
    return Answer(packet.kind, packet.seconds, value, error)


def delivered(answer: Outcome) -> Any:
    """The value of an outcome, or its error raised."""
    value, error = answer
    if error is None:
        return value
    try:
        raise error
    finally:
        del error, answer  # the traceback refers to this frame
