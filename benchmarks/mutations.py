"""Damaged files: valid bytes, changed at random, in ways that know more or less of their format.

changed   any bytes: bits, numbers, parts left out, doubled, put in, moved, cut off, lengths set to extremes, two files
          joined
message   protobuf, by its wire format alone: fields removed, repeated, moved, of another number or wire type, other
          values, a field put within itself. Format: https://protobuf.dev/programming-guides/encoding/
document  JSON: entries removed, of other types and values, from elsewhere in the document, nested

Everything follows from the `random.Random` that is given.
"""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Sequence
from typing import Any

EXTREMES = (
    0,
    1,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0xFFFF,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**40,
    2**62,
    2**63 - 1,
    2**63,
    2**64 - 1,
)
LARGEST = 1 << 17
"""Bytes of a damaged file, at most."""
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5

_SMALL = [bytes((number,)) for number in range(0x80)]
Wire = list[tuple[int, int, Any]]
"""The fields of a message: number, wire type, value. A value of bytes that reads as a message may be one."""


# ---------------------------------------------------------------- bytes


def changed(data: bytes, rand: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """Bytes with one to four changes.

    Args:
      data: a valid file.
      rand: decides.
      others: further valid files of the kind, to take parts from.
    """
    made = bytearray(data)
    for _ in range(rand.choice((1, 1, 2, 3, 4))):
        _change(made, rand, others)
    return bytes(made[:LARGEST])


def _change(made: bytearray, rand: random.Random, others: Sequence[bytes]) -> None:
    at, size = rand.randrange(len(made) + 1), rand.choice((1, 2, 4, 8, 40, 400))
    kind = rand.randrange(10)
    if kind == 0 and at < len(made):
        made[at] ^= 1 << rand.randrange(8)
    elif kind == 1 and at < len(made):
        made[at] = rand.choice((0, 1, 127, 128, 255))
    elif kind == 2:
        del made[at : at + size]
    elif kind == 3:
        made[at:at] = made[at : at + size] * rand.choice((1, 1, 1, 50))
    elif kind == 4:
        made[at:at] = rand.randbytes(size)
    elif kind == 5:
        del made[at:]
    elif kind in (6, 7):  # what may be a length
        width = rand.choice((1, 2, 4, 8))
        number = rand.choice(EXTREMES) & ((1 << 8 * width) - 1)
        made[at : at + width] = number.to_bytes(width, rand.choice(("little", "big")))
    elif kind == 8:
        made[at : at + 1] = varint(rand.choice(EXTREMES))
    else:
        other = rand.choice(others) if others else bytes(made)
        start = rand.randrange(len(other) + 1)
        part = other[start:] if rand.random() < 0.3 else other[start : start + size]
        made[at : len(made) if rand.random() < 0.3 else at + size] = part


# ---------------------------------------------------------------- protobuf


def varint(number: int) -> bytes:
    """A number as protobuf writes it."""
    if number < 0x80:
        return _SMALL[number]
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _number(data: bytes, at: int) -> tuple[int, int]:
    """(number, where it ends); ValueError if there is none."""
    found = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        found, at, shift = found | (byte & 0x7F) << shift, at + 1, shift + 7
        if byte < 0x80:
            return found, at
    raise ValueError("no number")


def fields_of(data: bytes) -> Wire:
    """The fields of a message; ValueError if the bytes are none."""
    found: Wire = []
    at = 0
    while at < len(data):
        tag, at = _number(data, at)
        number, kind = tag >> 3, tag & 7
        if not 0 < number < 1 << 29:
            raise ValueError("no field")
        if kind == _VARINT:
            value, at = _number(data, at)
            found.append((number, kind, value))
            continue
        if kind == _BYTES:
            size, at = _number(data, at)
        elif kind in (_FIXED64, _FIXED32):
            size = 8 if kind == _FIXED64 else 4
        else:
            raise ValueError("no wire type")
        if at + size > len(data):
            raise ValueError("too short")
        found.append((number, kind, data[at : at + size]))
        at += size
    return found


def written(fields: Wire) -> bytes:
    """The inverse of `fields_of`."""
    out = bytearray()
    for number, kind, value in fields:
        out += varint(number << 3 | kind)
        if kind == _VARINT:
            out += varint(value)
        else:
            out += (varint(len(value)) if kind == _BYTES else b"") + value
    return bytes(out)


def message(data: bytes, rand: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """A protobuf message with one to three changes within it; see `changed`."""
    for _ in range(rand.randint(1, 3)):
        try:
            data = _message(data, rand, [*others, data], 0)
        except ValueError:
            return changed(data, rand, others)
        if len(data) > LARGEST:  # two more changes could make gigabytes of it
            return changed(data[:LARGEST], rand, others)
    return data


def _inner(field: tuple[int, int, Any]) -> Wire | None:
    """The fields of a field that may be a message."""
    if field[1] != _BYTES or len(field[2]) < 2:
        return None
    try:
        return fields_of(field[2])
    except ValueError:
        return None


def _message(data: bytes, rand: random.Random, files: Sequence[bytes], depth: int) -> bytes:
    fields = fields_of(data)
    if not fields:
        return written([_other_field(rand)])
    at = rand.randrange(len(fields))
    number, kind, value = fields[at]
    if depth < 12 and _inner(fields[at]) and rand.random() < 0.8:
        fields[at] = number, kind, _message(value, rand, files, depth + 1)
        return written(fields)
    what = rand.randrange(9)
    if what == 0:
        del fields[at]
    elif what == 1:
        fields[at:at] = [fields[at]] * rand.choice((1, 1, 3, 300))
    elif what == 2:
        rand.shuffle(fields)
    elif what == 3:
        fields[at] = _other_field(rand, number)
    elif what == 4:
        fields[at] = rand.choice((number + 1, max(number - 1, 1), rand.randint(1, 40))), kind, value
    elif what == 5 and kind == _BYTES:
        for _ in range(rand.choice((1, 3, 200))):
            value = written([(number, kind, value)])
            if len(value) > LARGEST:
                break
        fields[at] = number, kind, value
    elif what == 6:
        fields[at] = number, kind, _from_elsewhere(kind, value, rand.choice(files), rand)
    else:
        fields[at] = number, kind, _other_value(kind, value, rand)
    return written(fields)


def _other_field(rand: random.Random, number: int = 0) -> tuple[int, int, Any]:
    kind = rand.choice((_VARINT, _FIXED64, _BYTES, _FIXED32))
    return number or rand.randint(1, 20), kind, _other_value(kind, b"", rand)


def _other_value(kind: int, value: Any, rand: random.Random) -> Any:
    """Another value of a wire type."""
    if kind == _VARINT:
        near = [value ^ 1, value + 1, max(value - 1, 0)] if isinstance(value, int) else []
        return rand.choice((*EXTREMES, 2, 3, 7, 9, 19, 23, 101, *near)) & (2**64 - 1)
    if kind == _BYTES:
        return rand.choice(
            (
                b"",
                b"\xff",
                b"\0",
                b"\x1b[2J\x07\xc2\x9b",
                value[:-1],
                value * 3,
                value[::-1],
                b"x:1",
                b"^x",
                b"-1",
                b"9" * 30,
                b"x" * 5000,
            )
        )
    extremes = (0.0, -1.0, float("inf"), float("nan"), 1e30)
    return struct.pack("<d" if kind == _FIXED64 else "<f", rand.choice(extremes))


def _from_elsewhere(kind: int, value: Any, data: bytes, rand: random.Random) -> Any:
    """A value of the same wire type from another place of a file."""
    found = value
    for _ in range(rand.randint(1, 8)):
        try:
            fields = fields_of(data)
        except ValueError:
            return found
        if not fields:
            return found
        chosen = rand.choice(fields)
        if chosen[1] == kind:
            found = chosen[2]
        if chosen[1] != _BYTES:
            return found
        data = chosen[2]
    return found


# ---------------------------------------------------------------- JSON


def document(data: bytes, rand: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """A JSON document with one to three changes within it; see `changed`."""
    try:
        said = json.loads(data)
        for _ in range(rand.randint(1, 3)):
            said = _document(said, rand, said)
        return json.dumps(said).encode()[:LARGEST]
    except (ValueError, RecursionError):
        return changed(data, rand, others)


def _document(said: Any, rand: random.Random, whole: Any) -> Any:
    if isinstance(said, (dict, list)) and said and rand.random() < 0.93:
        made: Any = dict(said) if isinstance(said, dict) else list(said)
        key = rand.choice(list(made) if isinstance(made, dict) else range(len(made)))
        what = rand.randrange(12)
        if what == 0:
            del made[key]
        elif what == 1 and isinstance(made, dict):
            made[rand.choice(("", "x", "../x", str(key) + "_", "a/b/" * 20))] = made[key]
        elif what == 1:
            made[key:key] = [made[key]] * rand.choice((1, 3, 300))
        elif what == 2:
            made[key] = _part(whole, rand)
        else:
            made[key] = _document(made[key], rand, whole)
        return made
    deep: Any = said
    if rand.random() < 0.05:
        for _ in range(rand.choice((3, 90, 400))):
            deep = rand.choice(([deep], {"x": deep}))
        return deep
    numbers = (0, 1, -1, 2, 3, 255, 2**31, 2**40, 2**62, 2**63, 2**64, -(2**63), 10**40, 1.5, 1e308, float("nan"))
    near = [said + 1, said - 1] if isinstance(said, int) else [said[:-1], said + "_"] if isinstance(said, str) else []
    texts = (
        "",
        "x",
        "\x1b[2J\x07\x9b\u202e",
        "float32",
        "string",
        "variant",
        "resource",
        "\0",
        "../x",
        "/etc/passwd",
        "\ud800",
        "x" * 5000,
    )
    return rand.choice((None, True, False, [], {}, [[]], *numbers, *texts, *near, *near, *near))


def _part(whole: Any, rand: random.Random) -> Any:
    """Something from a document."""
    found = whole
    for _ in range(rand.randint(1, 8)):
        if not isinstance(found, (dict, list)) or not found:
            break
        found = rand.choice(list(found.values()) if isinstance(found, dict) else found)
    return found
