"""More readers of files and peers: event files, sounds, arrays, compressed strings, positions, states, servers."""

from __future__ import annotations

import gzip
import io
import json
import random
import struct
import wave
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.mutations import EXTREMES, changed, document, message
from benchmarks.structures import STEERING, grown, pointing, rewired

# ---------------------------------------------------------------- event files


def events(folder: Path) -> list[Any]:
    """Event files of a writer of 1.x and of 2.x."""
    import inlay as tf

    writer = tf.summary.create_file_writer(str(folder / "two"))
    with writer.as_default():
        tf.summary.scalar("loss", 1.5, step=3)
        tf.summary.text("words", "some", step=4)
        tf.summary.histogram("weights", np.arange(5.0), step=5)
    writer.close()
    return [path.read_bytes() for path in sorted((folder / "two").iterdir())]


def damaged_event(data: bytes, rand: random.Random, others: Sequence[bytes]) -> bytes:
    """An event file with a damaged event whose checksums are right."""
    from inlay._src.base.files.records import framed

    texts, at = [], 0
    while at + 16 <= len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        texts.append(data[at + 12 : at + 12 + size])
        at += size + 16
    if not texts:
        return changed(data, rand, others)
    chosen = rand.randrange(len(texts))
    texts[chosen] = rand.choice((changed, message, rewired, grown))(texts[chosen], rand, texts)
    return b"".join(map(framed, texts))


def read_events(data: bytes, folder: Path) -> None:
    """Every event with its values."""
    import inlay as tf

    path = folder / "given.events"
    path.write_bytes(data)
    for event in tf.compat.v1.train.summary_iterator(str(path)):
        for value in event.summary.value:
            if value.HasField("tensor"):
                try:
                    tf.make_ndarray(value.tensor)
                except (TypeError, ValueError):  # what its documentation says that it raises
                    continue


# ---------------------------------------------------------------- sounds


def sounds(folder: Path) -> list[Any]:
    """WAV files of one and two channels."""
    made = []
    for channels, width in ((1, 2), (2, 2), (1, 1)):
        out = io.BytesIO()
        with wave.open(out, "wb") as file:
            file.setparams((channels, width, 8000, 0, "NONE", ""))
            file.writeframes(bytes(range(120)))
        made.append(out.getvalue())
    return made


def damaged_sound(data: bytes, rand: random.Random, others: Sequence[bytes]) -> bytes:
    """A sound whose chunks say other sizes, or are there again, or hold other numbers."""
    parts = [data[:12], data[12:36], data[36:]]
    what = rand.randrange(4)
    if what == 0:
        at = rand.choice((4, 16, 22, 24, 32, 34, 40))
        width = 2 if at in (22, 32, 34) else 4
        number = rand.choice(EXTREMES) & ((1 << 8 * width) - 1)
        return data[:at] + number.to_bytes(width, "little") + data[at + width :]
    if what == 1:
        parts[1:1] = [rand.choice(parts[1:])] * rand.choice((1, 3, 500))
    elif what == 2:
        parts[1:1] = [
            rand.choice((b"LIST", b"fact", STEERING[:4])) + struct.pack("<I", rand.choice(EXTREMES) & (2**32 - 1))
        ]
    else:
        parts = [parts[0], parts[2], parts[1]]
    return b"".join(parts)


def read_sound(data: bytes, folder: Path) -> None:
    """The sound, as it is or of another length."""
    import inlay as tf

    tf.audio.decode_wav(data, *((-1, -1), (2, -1), (-1, 100))[len(data) % 3])


# ---------------------------------------------------------------- arrays


def arrays(folder: Path) -> list[Any]:
    """Arrays as `.npy` files."""
    made = []
    for array in (np.arange(6.0).reshape(2, 3), np.array([b"x", b"yz"]), np.int64(3), np.asfortranarray(np.eye(3))):
        out = io.BytesIO()
        np.lib.format.write_array(out, np.asarray(array), allow_pickle=False)
        made.append(out.getvalue())
    return made


def read_array(data: bytes, folder: Path) -> None:
    """The array."""
    from inlay._src.training import npz_checkpoint

    npz_checkpoint.array_of(data).sum if data else npz_checkpoint.array_of(data)


# ---------------------------------------------------------------- compressed strings, and lines


def compressed(folder: Path) -> list[Any]:
    """Lines, compressed in both ways."""
    text = b"".join(b"word %d\tvalue\r\n" % number for number in range(60))
    return [gzip.compress(text, mtime=0), zlib.compress(text), text]


def read_compressed(data: bytes, folder: Path) -> None:
    """The string, or the lines of a file of it."""
    import inlay as tf
    from inlay._src.base.files.lines import Lines

    kind = "GZIP" if data[:2] == b"\x1f\x8b" else "ZLIB" if data[:1] == b"\x78" else ""
    if len(data) % 2:
        tf.io.decode_compressed([data], kind)
        return
    path = folder / "given.txt"
    path.write_bytes(data)
    lines = Lines(str(path), kind)
    try:
        for _ in lines:
            pass
    finally:
        lines.close()


# ---------------------------------------------------------------- positions and states


def positions(folder: Path) -> list[Any]:
    """Positions of iterators."""
    from inlay._src.data import positions as kept

    inner = {"values": [np.arange(3), b"x", np.array([b"a", b"bc"], object)], "at": (1, [2, None, True])}
    return [kept.to_bytes(inner), kept.to_bytes([1, {"a": 1.5}])]


def read_position(data: bytes, folder: Path) -> None:
    """The position."""
    from inlay._src.data import positions as kept

    kept.from_bytes(data)


def states(folder: Path) -> list[Any]:
    """The file `checkpoint` of a folder."""
    import inlay as tf

    tf.train.update_checkpoint_state(str(folder), "m-2", ["m-1", "m-2"], all_model_checkpoint_timestamps=[1.5, 2.5])
    return [(folder / "checkpoint").read_bytes()]


def damaged_state(data: bytes, rand: random.Random, others: Sequence[bytes]) -> bytes:
    """A state whose lines are exchanged, repeated, or hold values of another kind."""
    lines = data.splitlines()
    what = rand.randrange(3)
    if what == 0:
        rand.shuffle(lines)
    elif what == 1:
        lines *= rand.choice((2, 50, 500))
    else:
        name, _, _ = rand.choice(lines).partition(b":")
        values = (b"1", b"1e999", b'"\\ud800"', b'"a\\u0000b"', b'"' + STEERING + b'"', b"-", b"0x1", b'"\\x"', b'""')
        lines.append(name + b": " + rand.choice(values))
    return b"\n".join(lines)


def read_state(data: bytes, folder: Path) -> None:
    """The state."""
    import inlay as tf

    (folder / "checkpoint").write_bytes(data)
    tf.train.get_checkpoint_state(str(folder))


# ---------------------------------------------------------------- servers


def welcomes(folder: Path) -> list[Any]:
    """What servers answer."""
    one = [
        "127.0.0.1:6379",
        "",
        "key",
        {"worker": ["127.0.0.1:2222", "127.0.0.1:2223"], "ps": ["[::1]:1"]},
        "worker",
        1,
    ]
    two = ["10.0.0.1:1", "token", "0123", {"worker": {"3": "a:1", "7": "b:2"}}, "worker", 7]
    return [json.dumps(said).encode() + b"\n" for said in (one, two)]


def read_welcome(data: bytes, folder: Path) -> None:
    """The answer, as a client reads it."""
    from inlay._src.cluster import discovery
    from inlay._src.cluster.spec import ClusterSpec

    try:
        welcome = discovery._read(data, "127.0.0.1:1")
    except ConnectionError:  # it said nothing so far, and is asked again
        return
    spec = ClusterSpec(welcome.cluster)
    spec.task_address(welcome.job, welcome.task)
    spec.as_dict()
    spec.job_tasks(welcome.job)


DOCUMENTS = (changed, document, pointing)
"""How documents are damaged."""
