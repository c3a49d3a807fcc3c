"""Damaged checkpoints of TensorFlow's format: bytes, entries with right checksums, and the structure of tables."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.mutations import changed, message
from benchmarks.structures import grown, rewired

Files = dict[str, bytes]
"""The files of a checkpoint by their names."""
_INDEX, _DATA = "given.index", "given.data-00000-of-00001"


def bundles(folder: Path) -> list[Any]:
    """Checkpoints of values of several types, with a tree of objects and with parts of a tensor."""
    from inlay._src.base.protos.checkpoint import BundleEntryProto
    from inlay._src.base.types import dtypes
    from inlay._src.training import tensor_bundle

    values = {
        "a": (np.arange(6.0, dtype=np.float32).reshape(2, 3), dtypes.float32),
        "b": (np.array([b"x", b"yz" * 200], object), dtypes.string),
        "c": (np.zeros(3, dtypes.bfloat16.np), dtypes.bfloat16),
        **{f"layer_{k}/kernel": (np.array(k), dtypes.int64) for k in range(40)},
    }
    nodes = [{"children": {"a": 1}, "slots": [[1, "m", 2]]}, {"children": {}, "value": "a"}, {"children": {"up": 0}}]
    tensor_bundle.write(str(folder / "given"), values, {"objects": nodes})
    whole = {name: (folder / name).read_bytes() for name in (_INDEX, _DATA)}
    entries = dict(_entries(whole[_INDEX]))
    entry = BundleEntryProto.FromString(entries[b"a"])
    part = BundleEntryProto.FromString(entries[b"a"])
    cut = entry.slices.add()
    for length in (2, 3):
        cut.extent.add(start=0, length=length)
    entries |= {b"a": entry.SerializeToString(), tensor_bundle.part_key("a", cut): part.SerializeToString()}
    return [whole, whole | {_INDEX: _table(entries)}]


def _entries(index: bytes) -> Any:
    from inlay._src.base.files import sorted_table

    return sorted_table.entries(index)


def _table(entries: dict[bytes, bytes]) -> bytes:
    from inlay._src.base.files import sorted_table

    return sorted_table.table(sorted(entries.items()))


def damaged_bundle(valid: list[Any], rand: random.Random) -> Files:
    """A checkpoint with something damaged: most often an entry of its index, whose checksum is right."""
    files: Files = dict(rand.choice(valid))
    way = rand.random()
    if way < 0.2:
        name = rand.choice(list(files))
        files[name] = changed(files[name], rand)
    else:
        files[_INDEX] = (blocks if way < 0.4 else entry)(files[_INDEX], rand)
    if rand.random() < 0.05:
        del files[rand.choice(list(files))]
    return files


def entry(index: bytes, rand: random.Random) -> bytes:
    """An index with an entry that is damaged, or is under another name, and the right checksums."""
    entries = dict(_entries(index))
    if len(entries) < 2:  # of a model without variables: the header alone
        return changed(index, rand)
    key = rand.choice(list(entries))
    if rand.random() < 0.83:
        entries[key] = rand.choice((message, message, rewired, grown))(entries[key], rand, list(entries.values()))
    else:
        entries[rand.choice((changed(key, rand), rand.choice(list(entries)), b""))] = entries.pop(key)
    return _table(entries)


def blocks(index: bytes, rand: random.Random) -> bytes:
    """A table one of whose blocks has damaged contents and the right checksum, and may claim to be compressed."""
    from inlay._src.base.files import sorted_table
    from inlay._src.base.files.records import masked

    block = sorted_table._TableBlock(rand.choice((1, 16)))
    for key, value in _entries(index):
        block.add(key, value)
    contents = changed(block.finished()[: -sorted_table._TRAILER], rand) + bytes([rand.choice((0, 0, 1, 2))])
    contents += masked(contents).to_bytes(4, "little")
    outer = sorted_table._TableBlock(1)
    outer.add(b"~", sorted_table.varint(0) + sorted_table.varint(len(contents) - sorted_table._TRAILER))
    out = bytearray(contents)
    places = sorted_table._appended(out, sorted_table._TableBlock(16)) + sorted_table._appended(out, outer)
    return bytes(out) + places.ljust(40, b"\0") + sorted_table._MAGIC.to_bytes(8, "little")


def read_bundle(files: Files, folder: Path) -> None:
    """Reads all values of a checkpoint."""
    from inlay._src.training import tensor_bundle

    for name in (_INDEX, _DATA):
        (folder / name).unlink(missing_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    if not tensor_bundle.exists(str(folder / "given")):
        return
    with tensor_bundle.TensorBundleReader(str(folder / "given")) as reader:
        for name in list(reader.entries):
            reader.shape(name)
            reader.read(name)
