"""Files that are no graphs: bytes of real graphs, changed at random. Reading ends, with an error of ours or a graph.

Every file follows from the seed of its test.
"""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import DecodeError

import inlay as tf

GRAPHS = sorted((Path(__file__).parents[2] / "recorded" / "graphs").glob("*.pb"))
MOST_MEMORY = 64 << 20


def changed(data: bytes, source: random.Random) -> bytes:
    """Bytes with a few changes: flipped bits, other numbers, parts left out, twice, or in another place."""
    made = bytearray(data)
    for _ in range(source.randint(1, 4)):
        at, size = source.randrange(len(made)), source.randint(1, 40)
        kind = source.randrange(6)
        if kind == 0:
            made[at] ^= 1 << source.randrange(8)
        elif kind == 1:
            made[at] = source.choice((0, 1, 127, 128, 255))
        elif kind == 2 and len(made) > 100:
            del made[at : at + size]
        elif kind == 3:
            made[at:at] = made[at : at + size]
        elif kind == 4:
            made[at:at] = source.randbytes(size)
        else:
            other = source.randrange(len(made))
            made[at : at + size] = made[other : other + size]
    return bytes(made)


def altered(data: bytes, source: random.Random) -> bytes:
    """A message with a few other values in it, each of the type of its field."""
    message = tf.compat.v1.GraphDef.FromString(data)
    for _ in range(source.randint(1, 3)):
        alter(message, source)
    return message.SerializeToString()  # type: ignore[no-any-return]


def alter(message: Any, source: random.Random) -> None:
    """Changes a value somewhere in a message."""
    fields = [(f, v) for f, v in message.ListFields()]
    if not fields:
        return
    field, value = source.choice(fields)
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        key = source.choice(sorted(value))
        if not hasattr(value[key], "ListFields") or source.random() < 0.1:
            del value[key]
        else:
            alter(value[key], source)
    elif hasattr(value, "append") or hasattr(value, "add"):
        at, kind = source.randrange(len(value)), source.randrange(8)
        if kind == 0:
            del value[at]
        elif kind == 1 and len(value) < 1000:
            value.extend([value[at]] * source.choice((1, 3)))
        elif field.message_type is not None:
            alter(value[at], source)
        else:
            value[at] = other(value[at], source)
    elif field.message_type is not None:
        if source.random() < 0.05:
            message.ClearField(field.name)
        else:
            alter(value, source)
    else:
        setattr(message, field.name, other(value, source))


def other(value: Any, source: random.Random) -> Any:
    """Another value of a type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return source.choice((0, 1, -1, 2, 3, 7, 19, 21, 101, 2**31 - 1, -(2**31), value ^ 1))
    if isinstance(value, float):
        return source.choice((0.0, -1.0, float("inf"), float("nan")))
    if isinstance(value, bytes):
        return source.choice((b"", b"\xff", value[:-1], value * 3, b"VALID"))
    return source.choice(("", "x", "^x", "x:1", "Const", "Neg", "While", "Inlay>Resize", value + "_", value[:-1]))


def read(data: bytes) -> str:
    """What reading a file came to."""
    try:
        message = tf.compat.v1.GraphDef.FromString(data)
    except DecodeError:
        return "no message"
    with tf.Graph().as_default():
        try:
            tf.import_graph_def(message)
        except (ValueError, tf.errors.OpError):
            return "refused"
    return "read"


@pytest.mark.parametrize("path", GRAPHS, ids=lambda p: p.stem)
def test_changed_graphs_are_refused_or_read(path: Path) -> None:
    data, source = path.read_bytes(), random.Random(path.stem)
    tracemalloc.start()
    outcomes = {read(change(data, source)) for _ in range(30) for change in (changed, altered)}
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert outcomes <= {"no message", "refused", "read"} and len(outcomes) > 1
    assert most < MOST_MEMORY
