"""Packets between a pool and its workers, and the encoding of values in them.

packet   kind, number of the request, seconds it ran, length of the stream, slot │ the stream, if it is short
batch    a packet whose stream is that of several packets, one behind the other; they have no segments. Its number
         is that of the first
stream   a value: by the codec of plain values (`codec`), else pickled; large arrays and bytes are references into a
         segment
slot     shared memory that is used again (`slots`). The arrays of a worker's function lie in it; the pool copies.
segment  a file in memory that has no name, for one packet without a slot: the receiver gets its only descriptor, so
         nothing can be left behind. A worker maps it, and its arrays are the worker's own; the pool reads it into
         arrays of its own.

A packet is a message of a SOCK_SEQPACKET socket: it comes whole or not at all, and exactly one reader gets it.
"""

from __future__ import annotations

import array
import enum
import io
import mmap
import os
import pickle
import socket
import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import cloudpickle  # type: ignore[import-untyped]
import numpy as np

from inlay._src.base import errors
from inlay._src.base.tuning import TUNING
from inlay._src.host.executors.processes import codec
from inlay._src.host.executors.processes.slots import ReceivedSlots, SentSlots, Slot

MOST_INLINE = 60_000
"""Bytes of a stream that travel in the packet itself: several packets fit into what a socket buffers by default."""
ALIGNED = 64
HEADER = struct.Struct("<B?QdQQQ")
"""Kind, retained, number, seconds, length of the stream, its place in the slot or segment, slot: see `Packet`."""
PACKET = HEADER.size + MOST_INLINE
_FLAGS = int(socket.MSG_CMSG_CLOEXEC)
_ROOM = socket.CMSG_SPACE(array.array("i", [0]).itemsize)
_PART = 1 << 30  # bytes that one system call is asked to move: Linux moves at most 2 GB


class PacketKind(enum.IntEnum):
    """The kind of a packet."""

    SETUP = 1  # to the worker: its setup
    BODY = 2  # a function
    CALL = 3
    PULL = 4  # a call of a pullback that the worker keeps
    DROP = 5  # pullbacks whose handles were deleted
    READY = 6  # from the worker: it takes calls
    RESULT = 7
    FAILURE = 8
    UNKNOWN = 9  # the function of a call has to be sent again; it was not called
    PRINTED = 10
    LOGGED = 11
    RELEASE = 13  # to the worker: slots of its answers that were read
    BATCH = 12  # several calls, or several answers
    TRACE = 14  # to the worker: whether it records spans
    SPANS = 15  # from the worker: the spans of a call, before its answer


_BATCH = int(PacketKind.BATCH)


class PackedValue(NamedTuple):
    """A serialized value.

    Attributes:
      stream: its encoding, or its pickle.
      pieces: the large parts outside the stream: (offset in the segment, memory).
      size: bytes of the pieces in the segment.
    """

    stream: bytes
    pieces: list[tuple[int, Any]]
    size: int


class Packet(NamedTuple):
    """A packet that came.

    Attributes:
      kind: its kind.
      number: the request that it is, or that it belongs to; the requests of a pool are numbered from 1.
      seconds: the duration of its call.
      stream: the value.
      segment: descriptor of the segment, -1 if there is none. The receiver closes it.
      slot: number of the slot that has the arrays, 0 if there is none.
      memory: the mapping of the slot.
      retained: of an answer: whether the function retained an array in the slot of the request.
    """

    kind: int
    number: int
    seconds: float
    stream: Any
    segment: int
    slot: int = 0
    memory: Any = None
    retained: bool = False


# ---------------------------------------------------------------- values


class _TooLarge(Exception):
    """A value has parts that should not be in its stream."""


def _small(buffer: pickle.PickleBuffer) -> bool:
    if buffer.raw().nbytes >= TUNING.sent_array_bytes:
        raise _TooLarge
    return True


def packed_plain(value: Any) -> PackedValue | None:
    """A plain value serialized, which runs nothing of the user's; None if it has to be pickled."""
    try:
        stream = codec.dumps(value)
    except codec.NotPlain:
        return None
    return PackedValue(stream, [], 0) if len(stream) <= MOST_INLINE else None


def pack(value: Any) -> PackedValue:
    """Serializes a value; raises the exceptions of pickling."""
    return packed_plain(value) or pickled(value)


def pickled(value: Any) -> PackedValue:
    """Serializes a value that is not plain; raises the exceptions of pickling."""
    try:
        stream = pickle.dumps(value, 5, buffer_callback=_small)
        if len(stream) <= MOST_INLINE and b"__main__" not in stream:
            return PackedValue(stream, [], 0)
    except Exception:  # parts that are large, or that only pickle by value
        pass
    for kind in (_SegmentPickler, _ValuePickler):
        try:
            packed = kind.packed(value)
        except Exception:
            if kind is _ValuePickler:
                raise
            continue
        if b"__main__" not in packed.stream:  # definitions of the main module are pickled by value
            break
    return packed


class _SegmentPickler(pickle.Pickler):
    """Leaves large arrays and bytes out of the stream."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, 5)
        self.pieces: list[tuple[int, Any]] = []
        self.size = 0
        self._references: dict[int, Any] = {}

    @classmethod
    def packed(cls, value: Any) -> PackedValue:
        """A value packed."""
        file = io.BytesIO()
        pickler = cls(file)
        pickler.dump(value)
        return PackedValue(file.getvalue(), pickler.pieces, pickler.size)

    def persistent_id(self, value: Any) -> Any:
        """The reference in the stream to a large array or large bytes; None for anything else."""
        if value.__class__ is np.ndarray:
            if value.nbytes < TUNING.sent_array_bytes or value.dtype.hasobject:
                return None
        elif value.__class__ is not bytes or len(value) < TUNING.sent_array_bytes:
            return None
        reference = self._references.get(id(value))
        if reference is None:
            reference = self._references[id(value)] = self._piece(value)
        return reference

    def _piece(self, value: Any) -> Any:
        offset = self.size
        if value.__class__ is bytes:
            self.pieces.append((offset, value))
            self.size += -(-len(value) // ALIGNED) * ALIGNED
            return offset, None, len(value), "C"
        order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
        flat = value.T if order == "F" else np.ascontiguousarray(value)
        self.pieces.append((offset, flat.reshape(-1).view(np.uint8)))
        self.size += -(-value.nbytes // ALIGNED) * ALIGNED
        return offset, value.dtype, value.shape, order


class _ValuePickler(_SegmentPickler, cloudpickle.Pickler):  # type: ignore[misc]
    """The same, with functions and classes that cannot be imported by value."""

    def __init__(self, file: io.BytesIO) -> None:
        cloudpickle.Pickler.__init__(self, file, 5)
        self.pieces, self.size, self._references = [], 0, {}


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream: Any, read: Callable[[int, Any, Any, str], Any]) -> None:
        super().__init__(io.BytesIO(stream))
        self._read, self._values = read, dict[int, Any]()

    def persistent_load(self, reference: Any) -> Any:
        """The large array or bytes of a reference in the stream."""
        offset = reference[0]
        if offset not in self._values:
            self._values[offset] = self._read(*reference)
        return self._values[offset]


def unpack(packet: Packet, mapped: bool) -> Any:
    """The value of a packet; closes its segment.

    Args:
      packet: the packet.
      mapped: whether arrays may lie in the slot or segment, which is theirs then; else they own memory of their own.
    """
    if packet.memory is not None:
        return _Unpickler(packet.stream, _in_place(packet.memory) if mapped else _copies(packet.memory)).load()
    if packet.segment < 0:
        return loads(packet.stream)
    try:
        mapped = mapped and os.fstat(packet.segment).st_size >= TUNING.mapped_bytes
        read = _in_place(_mapped(packet.segment)) if mapped else _copied(packet.segment)
        return _Unpickler(packet.stream, read).load()
    finally:
        os.close(packet.segment)


def loads(stream: Any) -> Any:
    """The value of a stream without a segment."""
    return pickle.loads(stream) if stream[0] == codec.PICKLED else codec.loads(stream)


def _mapped(segment: int) -> mmap.mmap:
    return mmap.mmap(segment, os.fstat(segment).st_size)


def _copies(memory: mmap.mmap) -> Callable[[int, Any, Any, str], Any]:
    def read(offset: int, dtype: Any, shape: Any, order: Any) -> Any:
        if dtype is None:
            return memory[offset : offset + shape]
        array = np.empty(shape, dtype, order)
        _flat(array, order)[...] = np.ndarray(array.nbytes, np.uint8, memory, offset)
        return array

    return read


def _flat(array: Any, order: str) -> Any:
    """The bytes of an array that is contiguous in an order, as an array in front of its memory."""
    return (array.T if order == "F" else array).reshape(-1).view(np.uint8)


def _in_place(memory: mmap.mmap) -> Callable[[int, Any, Any, str], Any]:
    def read(offset: int, dtype: Any, shape: Any, order: Any) -> Any:
        if dtype is None:
            return memory[offset : offset + shape]
        return np.ndarray(shape, dtype, memory, offset, order=order)

    return read


def _copied(segment: int) -> Callable[[int, Any, Any, str], Any]:
    def read(offset: int, dtype: Any, shape: Any, order: Any) -> Any:
        if dtype is None:
            return _read(segment, offset, shape)
        array = np.empty(shape, dtype, order)
        _read_into(segment, offset, _flat(array, order))
        return array

    return read


def _read(segment: int, offset: int, size: int) -> bytes:
    into = bytearray(size)
    _read_into(segment, offset, into)
    return bytes(into)


def _read_into(segment: int, offset: int, into: Any) -> None:
    memory = memoryview(into)
    while memory.nbytes:
        count = os.preadv(segment, [memory[:_PART]], offset)
        if not count:
            raise EOFError("a segment ended before its array")
        memory, offset = memory[count:], offset + count


# ---------------------------------------------------------------- packets


def new_segment(packed: PackedValue, stream: bool) -> int:
    """A segment with the pieces of a value, and its stream behind them if asked for: the descriptor.

    Raises:
      ResourceExhaustedError: if there is no room.
    """
    segment, size = -1, packed.size + (len(packed.stream) if stream else 0)
    try:
        segment = os.memfd_create("inlay", os.MFD_CLOEXEC)
        os.ftruncate(segment, size)
        for offset, piece in packed.pieces:
            _write(segment, piece, offset)
        if stream:
            _write(segment, packed.stream, packed.size)
    except OSError as error:
        if segment >= 0:
            os.close(segment)
        raise errors.ResourceExhaustedError(
            None,
            None,
            f"there is no room for {size:,} bytes of shared memory: {error}. "
            "Free memory, or give the function less at a time",
        ) from error
    return segment


def _write(segment: int, piece: Any, offset: int) -> None:
    memory = memoryview(piece)
    while memory.nbytes:
        count = os.pwrite(segment, memory[:_PART], offset)
        memory, offset = memory[count:], offset + count


class Outgoing(NamedTuple):
    """A packet that is ready to go.

    Attributes:
      data: its bytes.
      segment: descriptor of its segment, -1 if there is none.
      slot: its slot, LENT to the receiver; the sender takes it back if it does not send the packet.
    """

    data: bytes
    segment: int = -1
    slot: Slot | None = None

    def send(self, over: socket.socket, flags: int = 0) -> None:
        """Sends it. The segment on this side stays open."""
        slot = self.slot
        descriptor = self.segment if slot is None else -1 if slot.introduced else slot.descriptor
        if descriptor < 0:
            over.send(self.data, flags)
            return
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor]))]
        over.sendmsg([self.data], ancillary, flags)
        if slot is not None:
            slot.introduced = True

    def of_retained(self) -> Outgoing:
        """The same answer, which says that the function retained an array in the slot of the request."""
        return self._replace(data=self.data[:1] + b"\x01" + self.data[2:])

    def drop(self) -> None:
        """Closes the segment on this side."""
        if self.segment >= 0:
            os.close(self.segment)


def outgoing(
    kind: int,
    number: int,
    packed: PackedValue,
    seconds: float = 0.0,
    slots: SentSlots | None = None,
) -> Outgoing:
    """A packet of a value.

    Args:
      kind, number, seconds: see `Packet`.
      packed: the value.
      slots: the slots for its large arrays; without one they have a segment.

    Raises:
      ResourceExhaustedError: if there is no room for its segment.
    """
    stream = packed.stream
    inline = len(stream) <= MOST_INLINE
    if inline and not packed.pieces:
        return Outgoing(HEADER.pack(kind, False, number, seconds, len(stream), 0, 0) + stream)
    slot = None if slots is None else slots.take(packed.size + (0 if inline else len(stream)))
    if slot is None:
        segment, place = new_segment(packed, not inline), 0
    else:
        segment, place = -1, slot.number
        pieces = packed.pieces if inline else [*packed.pieces, (packed.size, stream)]
        for offset, piece in pieces:
            memory = memoryview(piece)
            np.ndarray(memory.nbytes, np.uint8, slot.memory, offset)[...] = np.frombuffer(memory, np.uint8)
    header = HEADER.pack(kind, False, number, seconds, len(stream), packed.size, place)
    return Outgoing(header + stream if inline else header, segment, slot)


def outgoing_batch(requests: Sequence[tuple[int, int, PackedValue]]) -> Outgoing:
    """The packet of several requests: (kind, number, value without pieces), whose streams `batched_size` counted."""
    parts: list[bytes] = []
    for kind, number, packed in requests:
        stream = packed.stream
        parts += HEADER.pack(kind, False, number, 0.0, len(stream), 0, 0), stream
    return Outgoing(in_batch(requests[0][1], b"".join(parts)))


def in_batch(number: int, packets: bytes) -> bytes:
    """A batch of packets, of which the first has a number."""
    return HEADER.pack(PacketKind.BATCH, False, number, 0.0, len(packets), 0, 0) + packets


def batched_size(packed: PackedValue) -> int:
    """Bytes that a value takes in a batch, `MOST_INLINE` and more if it cannot be in one."""
    return MOST_INLINE + 1 if packed.pieces else HEADER.size + len(packed.stream)


def packets_of(packet: Packet) -> Sequence[Packet]:
    """The packets in a batch; of any other packet itself."""
    if packet.kind != _BATCH:
        return (packet,)
    stream, start, packets = packet.stream, 0, list[Packet]()
    while start < len(stream):
        kind, _, number, seconds, length, _, _ = HEADER.unpack_from(stream, start)
        start += HEADER.size
        packets.append(Packet(kind, number, seconds, stream[start : start + length], -1))
        start += length
    return packets


def receive(
    over: socket.socket, buffer: bytearray, flags: int = 0, slots: ReceivedSlots | None = None
) -> Packet | None:
    """The next packet, None at the end; BlockingIOError if there is none now and the flags say not to wait.

    Args:
      over: the socket.
      buffer: `PACKET` bytes; the stream of the packet may lie in it.
      flags: of `recv`.
      slots: maps the slots; without it, the `segment` of a packet is the descriptor of a slot that is new.
    """
    count, ancillary, _, _ = over.recvmsg_into([buffer], _ROOM, _FLAGS | flags)
    if not count:
        return None
    kind, retained, number, seconds, length, place, slot = HEADER.unpack_from(buffer)
    segment, memory = -1, None
    for _, _, data in ancillary:
        segment = array.array("i", data)[0]
    if slot and slots is not None:
        segment, memory = -1, slots.memory(slot, segment, place)
    start = HEADER.size
    stream: Any
    if count > start or not length:
        stream = memoryview(buffer)[start : start + length]
    elif slot:
        stream = b"" if memory is None else memory[place : place + length]
    else:
        stream = _read(segment, place, length)
    return Packet(kind, number, seconds, stream, segment, slot, memory, retained)
