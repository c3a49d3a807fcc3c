"""Damaged structure: valid bytes whose lengths, counts, references, offsets and nesting are changed, and nothing else.

rewired    protobuf: names within a message exchanged, so that its parts refer to others, to one, to themselves
grown      protobuf: one part of a message repeated until the file is full, or put within itself
pointing   JSON: all entries of one name made the same, or exchanged; an entry repeated until the file is full
packed     ZIP: what the directory says of members (offsets, sizes, names, how often) changed; the members stay
shaped     `.npy`: the header says another shape, type or order
counted    `.npy` of integers: lengths that are negative, overflow, or have the right sum all the same
expanded   compressed streams: zeros that stand for much, many empty streams one behind the other

Names are given control characters in all of them. Everything follows from the `random.Random` that is given.
"""

from __future__ import annotations

import functools
import io
import json
import random
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.mutations import EXTREMES, LARGEST, Wire, changed, fields_of, varint, written

STEERING = b"\x1b]0;owned\x07\xc2\x9b31m"
"""What would steer a terminal, in a name."""
_DEEP = 12
_MOST_GROWN = 1 << 16
"""Bytes of a part that is repeated: larger ones hold one another, and together take a thousand times the message."""
_BYTES = 2


# ---------------------------------------------------------------- protobuf


def _parts(fields: Wire, depth: int = 0) -> Iterator[tuple[Wire, int, Wire | None]]:
    """(fields, index, the fields within) of every part of a message that is bytes."""
    for at, (_, kind, value) in enumerate(fields):
        if kind != _BYTES:
            continue
        inner: Wire | None = None
        if len(value) > 1 and depth < _DEEP:
            try:
                inner = fields_of(value)
            except ValueError:
                inner = None
        yield fields, at, inner
        if inner is not None:
            yield from ((fs, i, deeper) for fs, i, deeper in _parts(inner, depth + 1))


def _replaced(data: bytes, old: bytes, skipped: int, new: bytes, most: int) -> bytes:
    """A message in which up to `most` of the parts that are `old` are `new`, without the first ones of them.

    The nesting stays right.
    """
    left, passed = [most], [skipped]

    def wanted(value: bytes) -> bool:
        if value != old:
            return False
        passed[0] -= 1
        return passed[0] < 0

    def walk(data: bytes, depth: int) -> bytes:
        try:
            fields = fields_of(data)
        except ValueError:
            return data
        for at, (number, kind, held) in enumerate(fields):
            if kind != _BYTES or not left[0]:
                continue
            if wanted(held):
                left[0] -= 1
                fields[at] = number, kind, new
            elif depth < _DEEP and len(held) > 1 and old in held:
                fields[at] = number, kind, walk(held, depth + 1)
        return written(fields)

    return walk(data, 0)


def _is_name(value: bytes) -> bool:
    return 0 < len(value) < 80 and value.isascii() and all(32 < c < 127 for c in value)


@functools.lru_cache(maxsize=16)  # of the valid messages, which come again
def _names(data: bytes) -> list[bytes]:
    """The texts within a message that may be names, each as often as it stands there."""
    try:
        fields = fields_of(data)
    except ValueError:
        return []
    return [fs[at][2] for fs, at, inner in _parts(fields) if inner is None and _is_name(fs[at][2])]


def rewired(data: bytes, rand: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """A message in which one name, wherever it stands or in one place, is another one of it."""
    names = _names(data)
    if not names:
        return changed(data, rand, others)
    old, new = rand.choice(names), rand.choice([*names, *names, STEERING, b"^" + names[0], names[0] + b":99", b"\xff"])
    once = rand.random() < 0.5
    skipped = rand.randrange(names.count(old)) if once else 0
    return _replaced(data, old, skipped, new, 1 if once else len(names))[:LARGEST]


def grown(data: bytes, rand: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """A message one part of which is there many times, or within itself many times, up to the size of a large file."""
    try:
        every = ((fs[at][2], inner is not None) for fs, at, inner in _parts(fields_of(data)))
        parts = [held for held, nests in every if len(held) < _MOST_GROWN and (nests or rand.random() < 0.2)]
    except ValueError:
        return changed(data, rand, others)
    if not parts:
        return changed(data, rand, others)
    chosen = rand.choice(parts)
    count = rand.choice((2, 3, 10, 30, 100, 300, 1000, 10_000)) if rand.random() < 0.5 else 5

    def walk(data: bytes, depth: int) -> bytes:
        try:
            fields = fields_of(data)
        except ValueError:
            return data
        for at, (number, kind, held) in enumerate(fields):
            if kind == _BYTES and held == chosen:
                size = len(held) + len(varint(len(held))) + 2
                if rand.random() < 0.2:
                    for _ in range(min(count, 300)):
                        held = written([(number, kind, held)])
                    fields[at] = number, kind, held
                else:
                    fields[at:at] = [fields[at]] * min(count, (LARGEST - 8192) // size)
                break
            if kind == _BYTES and depth < _DEEP and chosen in held:
                inner = walk(held, depth + 1)
                if inner != held:
                    fields[at] = number, kind, inner
                    break
        return written(fields)

    return walk(data, 0)[:LARGEST]


# ---------------------------------------------------------------- JSON


def pointing(data: bytes, rand: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """A JSON document whose entries refer to one another in another way, or are very many."""
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        return changed(data, rand, others)
    entries: list[tuple[Any, Any]] = []
    _walk_json(said, entries)
    if not entries:
        return changed(data, rand, others)
    holder, key = rand.choice(entries)
    what = rand.randrange(6)
    same = [(h, k) for h, k in entries if isinstance(key, str) and k == key]
    if what == 0 and same:  # all the same
        text = json.dumps(holder[key])
        for h, k in same:
            h[k] = json.loads(text)
    elif what == 1 and len(same) > 1:  # exchanged
        texts = [json.dumps(h[k]) for h, k in same]
        rand.shuffle(texts)
        for (h, k), text in zip(same, texts, strict=True):
            h[k] = json.loads(text)
    elif what == 2 and isinstance(holder, list):
        text = json.dumps(holder[key])
        most = (LARGEST - len(data)) // (len(text) + 2)
        holder[key:key] = [holder[key]] * max(min(rand.choice((2, 50, 5000)), most), 0)
    elif what == 3 and isinstance(holder[key], int):
        numbers = [h[k] for h, k in entries if isinstance(h[k], int)]
        holder[key] = rand.choice([*numbers, -1, -holder[key], len(numbers), *EXTREMES, -(2**63), 10**30])
    elif what == 4 and isinstance(holder[key], str):
        names = [h[k] for h, k in entries if isinstance(h[k], str)]
        holder[key] = rand.choice([*names, STEERING.decode(), "../" + holder[key], holder[key] + "\0"])
    else:
        deep: Any = holder[key]
        for _ in range(rand.choice((2, 60, 900))):
            deep = [deep]
        holder[key] = deep
    try:
        return json.dumps(said).encode()[:LARGEST]
    except RecursionError:
        return changed(data, rand, others)


def _walk_json(said: Any, entries: list[tuple[Any, Any]]) -> None:
    if isinstance(said, (dict, list)):
        for key in list(said) if isinstance(said, dict) else range(len(said)):
            entries.append((said, key))
            _walk_json(said[key], entries)


# ---------------------------------------------------------------- archives

_ENTRY, _END = struct.Struct("<4s6H3I5H2I"), struct.Struct("<4s4H2IH")


def packed(data: bytes, rand: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """A ZIP archive whose directory says other things of its members, which stay as they are."""
    at = data.rfind(b"PK\5\6")
    if at < 0 or len(data) - at < _END.size:
        return changed(data, rand, others)
    tail = list(_END.unpack_from(data, at))
    size, start = tail[5], tail[6]
    entries, place = [], start
    while place + _ENTRY.size <= min(start + size, len(data)) and data[place : place + 4] == b"PK\1\2":
        head = list(_ENTRY.unpack_from(data, place))
        rest = data[place + _ENTRY.size : place + _ENTRY.size + head[10] + head[11] + head[12]]
        entries.append([head, rest])
        place += _ENTRY.size + len(rest)
    if not entries:
        return changed(data, rand, others)
    what = rand.randrange(6)
    head, rest = rand.choice(entries)
    if what == 0:  # many names for one member
        more = []
        for number in range(min(rand.choice((2, 30, 1000)), (LARGEST - len(data)) // (_ENTRY.size + len(rest) + 8))):
            name = rest[: head[10]] + (b"" if rand.random() < 0.3 else b"%d" % number)
            more.append([[*head[:10], len(name), *head[11:]], name + rest[head[10] :]])
        entries += more
    elif what == 1:  # offsets
        head[16] = rand.choice([entry[0][16] for entry in entries] + [start, at, len(data), *EXTREMES]) & 0xFFFFFFFF
    elif what == 2:  # sizes
        head[8] = head[9] = rand.choice((head[8] + 1, max(head[8] - 1, 0), len(data), *EXTREMES)) & 0xFFFFFFFF
    elif what == 3:
        head[rand.choice((4, 7, 8, 9))] = rand.choice(EXTREMES) & 0xFFFF
    elif what == 4:
        name = rand.choice((STEERING, b"../x", b"manifest.json", b"", rest[: head[10]] + b"\0"))
        entries[0] = [[*head[:10], len(name), *head[11:]], name + rest[head[10] :]]
    else:
        rand.shuffle(entries)
        entries = entries[: rand.randrange(len(entries) + 1)]
    directory = b"".join(_ENTRY.pack(*head) + rest for head, rest in entries)
    tail[3] = tail[4] = len(entries) & 0xFFFF
    tail[5] = len(directory)
    if rand.random() < 0.1:
        tail[rand.choice((3, 4, 5, 6))] = rand.choice(EXTREMES) & 0xFFFF
    return (data[:start] + directory + _END.pack(*tail))[:LARGEST]


# ---------------------------------------------------------------- arrays

_TYPES = ("<f4", "<f8", "|S0", "<U0", "|S1", "|V8", "|O", "<i8", "|b1", "<M8[s]", ">i8", "<c16", "|u1", "<U1", "|V0")


def shaped(data: bytes, rand: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """A `.npy` file whose header says another shape, type or order."""
    if data[:6] != b"\x93NUMPY" or len(data) < 12:
        return changed(data, rand, others)
    size = int.from_bytes(data[8:10], "little")
    body = data[10 + size :]
    dims = rand.choice(
        ("()", "(0,)", "(1,)", f"({len(body)},)", f"({len(body) // 8},)", "(-1,)", "(-1, -8)", "(2, 3)", "(0, 1 << 40)",
         f"({2**40}, 0)", f"({2**62}, 4)", f"({2**63},)", "(3, True)", "[3]", "(1,)*40", "None", "(" * 60, "-" * 3000)
    )  # fmt: skip
    order = rand.choice(("False", "True", "1"))
    kind = rand.choice(_TYPES)
    descr = f"'{kind}'" if rand.random() < 0.9 else f"[('a', '{kind}', (100000, 100000))]"
    text = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {dims}, }}\n".encode()
    return (data[:8] + len(text).to_bytes(2, "little") + text + body)[:LARGEST]


def counted(data: bytes, rand: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """A `.npy` file of integers that are other lengths; their sum may be right all the same."""
    try:
        held = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    except Exception:
        return changed(data, rand, others)
    if held.dtype.kind not in "iu" or not held.size:
        return shaped(data, rand, others)
    flat = held.reshape(-1).astype(np.int64)
    what, total = rand.randrange(5), int(flat.sum())
    if what == 0:
        flat = np.resize(np.int64([total + 5, -5]), flat.size)
        flat[-1] += total - int(flat.sum())
    elif what == 1:
        flat = np.resize(np.int64([2**62, 2**62, 2**62, 2**62]), flat.size)
    elif what == 2:
        flat[rand.randrange(flat.size)] = rand.choice(EXTREMES[:13]) * rand.choice((1, -1))
    elif what == 3:
        flat = flat[::-1].copy()
    else:
        flat = np.full_like(flat, total)
    out = io.BytesIO()
    kind = rand.choice((np.int64, np.int64, np.int64, np.int8, np.uint64, np.float64))
    with np.errstate(all="ignore"):
        np.lib.format.write_array(out, flat.astype(kind).reshape(held.shape), allow_pickle=False)
    return out.getvalue()


def members(data: bytes, rand: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """A ZIP archive of arrays and a manifest, one of which is damaged in its structure; the checksums are right."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            held = {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, ValueError, KeyError, zlib.error, RuntimeError, NotImplementedError, EOFError):
        return changed(data, rand, others)
    if not held:
        return changed(data, rand, others)
    lengths = [name for name in held if name.startswith("lengths/")]
    name = rand.choice(lengths) if lengths and rand.random() < 0.3 else rand.choice(list(held))
    damage = pointing if name.endswith(".json") else counted if name in lengths else shaped
    held[name] = damage(held[name], rand)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for key, value in held.items():
            archive.writestr(zipfile.ZipInfo(key, (1980, 1, 1, 0, 0, 0)), value)
    return out.getvalue()


# ---------------------------------------------------------------- compressed streams


def expanded(data: bytes, rand: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """A GZIP file that stands for much more than it has, or of very many streams."""
    if data[:2] != b"\x1f\x8b":
        return changed(data, rand, others)
    if rand.random() < 0.3:
        empty = zlib.compressobj(9, zlib.DEFLATED, 31)
        stream = empty.compress(b"") + empty.flush()
        return (data + stream * rand.choice((3, 100, 5000)) + data)[:LARGEST]
    size = rand.choice((1 << 12, 1 << 14, 1 << 16, 1 << 20) if rand.random() < 0.98 else (100 << 20,))
    return _zeros(rand.choice((size, size - 16, 0, 1 << 40)), size)


@functools.cache
def _zeros(length: int, size: int) -> bytes:
    """A compressed record file whose first record says a length, with so many zeros behind it."""
    from inlay._src.base.files.records import masked

    head = struct.pack("<Q", length)
    stream = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts = [stream.compress(head + struct.pack("<I", masked(head)))]
    parts += [stream.compress(bytes(min(1 << 20, size))) for _ in range(max(size >> 20, 1))]
    return b"".join([*parts, stream.flush()])
