"""The layout of the records of a recording; see `log` for their kinds.

C    id of function, id of op, number, thread, digest of the arguments | value
R X  id of function, number, flags                                     | value
value    number of blobs, the offset of each, canonical bytes
"""

from __future__ import annotations

import enum
import os
import struct
from collections.abc import Sequence
from typing import Any

from inlay._src.inspection.replaying.encoding import DIGEST_BYTES, Encoded

FORMAT, VERSION = "inlay recording", 1
CALL = struct.Struct(f"<IIQI{DIGEST_BYTES}s")
END_OF_CALL = struct.Struct("<IQB")
_COUNT = struct.Struct("<I")


class Flag(enum.IntFlag):
    """Properties of a result besides its value."""

    FOLLOWED = 1
    """A tape followed it: a gradient could flow through the body."""


def body_of(value: Encoded, places: Sequence[int]) -> bytes:
    """A value as it is in a record, from the offsets of its blobs."""
    return _COUNT.pack(len(places)) + struct.pack(f"<{len(places)}Q", *places) + value.data


def value_of(body: bytes) -> tuple[tuple[int, ...], bytes]:
    """The offsets of the blobs of a value, and its canonical bytes."""
    (count,) = _COUNT.unpack_from(body)
    places = struct.unpack_from(f"<{count}Q", body, _COUNT.size)
    return places, body[_COUNT.size + 8 * count :]


def definition_of(function: Any) -> dict[str, Any]:
    """The place of a function: module, name in it, file without its folder, and line."""
    inner = function
    while not hasattr(inner, "__code__"):
        following = next((f for n in ("func", "__func__", "__wrapped__") if (f := getattr(inner, n, None))), None)
        if following is None:
            break
        inner = following
    code = getattr(inner, "__code__", None)
    return {
        "module": str(getattr(inner, "__module__", "")),
        "qualname": str(getattr(inner, "__qualname__", "")),
        "file": os.path.basename(code.co_filename) if code is not None else "",
        "line": code.co_firstlineno if code is not None else 0,
    }
