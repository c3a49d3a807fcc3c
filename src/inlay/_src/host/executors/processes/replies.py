"""Decoded replies of workers: each belongs to the call whose request has its number."""

from __future__ import annotations

from typing import Any, NamedTuple

from inlay._src.host.executors import outcome
from inlay._src.host.executors.processes import wire
from inlay._src.host.executors.processes.wire import Packet, PacketKind


class Reply(NamedTuple):
    """A reply of a worker.

    Attributes:
      kind: RESULT, FAILURE, or UNKNOWN if the worker did not have the function.
      number: the request that it answers.
      retained: whether the function retained an array in the slot of the request.
      seconds: the duration of the call.
      value: its result.
      error: its exception, or that of decoding its result; else None.
    """

    kind: int
    number: int
    retained: bool
    seconds: float
    value: Any
    error: BaseException | None


def decoded(packet: Packet) -> Reply:
    """The reply in a packet, which may be reused afterwards; user code may run."""
    value, error = None, None
    try:
        if packet.kind == PacketKind.RESULT:
            value = wire.unpack(packet, mapped=False)
        elif packet.kind == PacketKind.FAILURE:
            outcome.opened(wire.unpack(packet, mapped=False))  # the slot is used again
    except BaseException as raised:
        error = raised
    return Reply(packet.kind, packet.number, packet.retained, packet.seconds, value, error)
