"""TensorFlow's checkpoint files: every dtype, parts, atomic replacement, damage, files of an enemy."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import inlay as tf
from inlay._src.base.files import sorted_table
from inlay._src.base.files.records import masked
from inlay._src.base.protos.checkpoint import BundleEntryProto, BundleHeaderProto, TensorSliceProto
from inlay._src.base.types import dtypes
from inlay._src.training import tensor_bundle
from inlay._src.training.tensor_bundle import TensorBundleReader, part_key

STRINGS = np.array([[b"", b"\x00nul\x00"], ["ü".encode(), b"x" * 1000]], object)
VALUES = {
    "half": (np.float16([1.5, -2]), dtypes.float16),
    "brain": (np.array([1.5, np.inf], ml_dtypes.bfloat16), dtypes.bfloat16),
    "float": (np.float32(3.5), dtypes.float32),
    "double": (np.zeros((0, 3)), dtypes.float64),
    "complex": (np.complex64([1 + 2j]), dtypes.complex64),
    "complex/wide": (np.complex128(1j), dtypes.complex128),
    "bool": (np.array([[True], [False]]), dtypes.bool_),
    "int": (np.arange(6, dtype=np.int8).reshape(2, 3).T, dtypes.int8),
    "unsigned": (np.uint64(2**64 - 1), dtypes.uint64),
    "quantized": (np.int8([1, 2]), dtypes.qint8),
    "strings": (STRINGS, dtypes.string),
    "no strings": (np.empty((0,), object), dtypes.string),
    "one string": (np.array(b"abc", object), dtypes.string),
    "ünïcode": (np.int32(7), dtypes.int32),
}


@pytest.fixture
def prefix(tmp_path: Path) -> str:
    path = str(tmp_path / "model")
    tensor_bundle.write(path, VALUES, {})
    return path


def read_all(prefix: str) -> dict[str, Any]:
    with TensorBundleReader(prefix) as reader:
        return {name: reader.read(name).tolist() for name in reader.entries}


@pytest.mark.parametrize("name", VALUES)
def test_values_come_back_with_their_types(prefix: str, name: str) -> None:
    array, dtype = VALUES[name]
    with TensorBundleReader(prefix) as reader:
        got = reader.read(name)
        assert (reader.dtype(name), reader.shape(name)) == (dtype, list(array.shape))
    assert got.dtype == dtype.np and got.shape == array.shape
    assert got.tolist() == array.tolist()
    assert got.flags.writeable and got.flags.owndata


@given(
    hnp.arrays(
        st.sampled_from([np.float32, np.int64, np.bool_, np.complex128, np.uint8]),
        hnp.array_shapes(min_dims=0, min_side=0),
    )
)
def test_any_array_comes_back(tmp_path_factory: pytest.TempPathFactory, array: np.ndarray) -> None:
    path = str(tmp_path_factory.mktemp("any") / "x")
    tensor_bundle.write(path, {"x": (array, dtypes.as_dtype(array.dtype))}, {})
    with TensorBundleReader(path) as reader:
        np.testing.assert_array_equal(reader.read("x"), array)


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_any_strings_come_back(tmp_path_factory: pytest.TempPathFactory, texts: list[bytes]) -> None:
    path, array = str(tmp_path_factory.mktemp("any") / "x"), np.empty(len(texts), object)
    array[:] = texts
    tensor_bundle.write(path, {"x": (array, dtypes.string)}, {})
    assert read_all(path) == {"x": texts}


def test_a_tree_of_objects_comes_back(tmp_path: Path) -> None:
    nodes = [
        {"children": {"v": 1, "p": 2, "t": 3, "o": 4}},
        {"children": {}, "value": "v/.ATTRIBUTES/VARIABLE_VALUE", "name": "v"},
        {"children": {}, "state": "p/.ATTRIBUTES/py_state"},
        {"children": {}, "saveables": {"table": "t/.ATTRIBUTES/table"}},
        {"children": {"again": 0}, "slots": [[1, "momentum", 5]]},
        {"children": {}, "value": "v/.OPTIMIZER_SLOT/o/momentum/.ATTRIBUTES/VARIABLE_VALUE", "name": "v/momentum"},
    ]
    tensor_bundle.write(str(tmp_path / "m"), {}, {"objects": nodes})
    with TensorBundleReader(str(tmp_path / "m")) as reader:
        assert reader.manifest == {"objects": nodes}
        assert list(reader.entries) == [tensor_bundle.OBJECTS]


def test_missing_values_and_files_are_named(prefix: str) -> None:
    with TensorBundleReader(prefix) as reader:
        with pytest.raises(tf.errors.NotFoundError, match="Key w not found in checkpoint"):
            reader.read("w")
    os.unlink(tensor_bundle.data_file(prefix, 0, 1))
    with TensorBundleReader(prefix) as reader:
        assert "half" in reader and reader.shape("half") == [2]  # the names are listed without the data
        with pytest.raises(
            tf.errors.NotFoundError, match=r"data-00000-of-00001 is missing, a data file of .*model.index"
        ):
            reader.read("half")


def index_of(prefix: str) -> dict[bytes, bytes]:
    return dict(sorted_table.entries(Path(prefix + ".index").read_bytes()))


def put_index(prefix: str, entries: dict[bytes, bytes]) -> None:
    Path(prefix + ".index").write_bytes(sorted_table.table(sorted(entries.items())))


def changed(prefix: str, name: str, change: Callable[[Any], Any]) -> None:
    """Changes an entry of the index."""
    index = index_of(prefix)
    entry = (BundleEntryProto if name else BundleHeaderProto).FromString(index[name.encode()])
    change(entry)
    put_index(prefix, index | {name.encode(): entry.SerializeToString()})


def test_a_later_version_is_refused(prefix: str) -> None:
    changed(prefix, "", lambda header: setattr(header.version, "min_consumer", 2))
    with pytest.raises(tf.errors.UnimplementedError, match="which readers from version 2 on read"):
        TensorBundleReader(prefix)


def test_another_order_of_bytes_is_refused(prefix: str) -> None:
    changed(prefix, "", lambda header: setattr(header, "endianness", 1))
    with pytest.raises(tf.errors.UnimplementedError, match="high byte of a number first"):
        TensorBundleReader(prefix)


# ---------------------------------------------------------------- parts


def in_parts(prefix: str, whole: np.ndarray, cuts: list[tuple[tuple[int, int], ...]]) -> None:
    """Writes a tensor in parts, as a `Saver` of partitioned variables does."""
    index, data = {b"": BundleHeaderProto(num_shards=1).SerializeToString()}, b""
    entry = BundleEntryProto(dtype=dtypes.as_dtype(whole.dtype).as_datatype_enum)
    for dim in whole.shape:
        entry.shape.dim.add(size=dim)
    for cut in cuts:
        part = entry.slices.add()
        for start, length in cut:
            extent = part.extent.add(start=start)
            if length >= 0:
                extent.length = length
        value = np.ascontiguousarray(whole[tuple(slice(a, a + n if n >= 0 else None) for a, n in cut)])
        saved = BundleEntryProto(dtype=entry.dtype, offset=len(data), size=value.nbytes, crc32c=masked(value.tobytes()))
        for dim in value.shape:
            saved.shape.dim.add(size=dim)
        index[part_key("w", part)] = saved.SerializeToString()
        data += value.tobytes()
    put_index(prefix, index | {b"w": entry.SerializeToString()})
    Path(tensor_bundle.data_file(prefix, 0, 1)).write_bytes(data)


WHOLE = np.arange(60, dtype=np.float32).reshape(10, 6)


@pytest.mark.parametrize(
    "cuts",
    [
        [((0, 10), (0, 6))],
        [((0, 4), (0, 6)), ((4, 3), (0, 6)), ((7, 3), (0, 6))],
        [((0, 10), (0, 2)), ((0, 10), (2, 4))],
        [((0, 5), (0, -1)), ((5, 5), (0, -1))],
        [((0, 5), (0, 6)), ((5, 5), (0, 1)), ((5, 5), (1, 5))],
    ],
)
def test_parts_make_up_the_whole(tmp_path: Path, cuts: list[Any]) -> None:
    in_parts(str(tmp_path / "m"), WHOLE, cuts)
    with TensorBundleReader(str(tmp_path / "m")) as reader:
        assert list(reader.entries) == ["w"] and reader.shape("w") == [10, 6]
        np.testing.assert_array_equal(reader.read("w"), WHOLE)


@pytest.mark.parametrize(
    "cuts",
    [
        [((0, 4), (0, 6))],
        [((0, 4), (0, 6)), ((3, 6), (0, 6))],
        [((0, 5), (0, 6)), ((0, 5), (0, 6))],
    ],
    ids=["one is missing", "they overlap", "one twice"],
)
def test_parts_that_do_not_make_up_the_whole_are_data_loss(tmp_path: Path, cuts: list[Any]) -> None:
    in_parts(str(tmp_path / "m"), WHOLE, cuts)
    with pytest.raises(tf.errors.DataLossError, match="do not make up the whole"):
        read_all(str(tmp_path / "m"))


def test_a_part_outside_of_the_whole_is_data_loss(tmp_path: Path) -> None:
    in_parts(str(tmp_path / "m"), WHOLE, [((0, 10), (0, 6))])
    changed(str(tmp_path / "m"), "w", lambda entry: setattr(entry.slices[0].extent[0], "start", 1))
    with pytest.raises(tf.errors.DataLossError, match=r"outside of shape \[10, 6\]|lacks the entry"):
        read_all(str(tmp_path / "m"))


@pytest.mark.parametrize(
    "name, extents, key",
    [  # recorded from TensorFlow 2.21
        ("p", [(0, 4), (0, 4)], b"\x00p\x00\x01\x01\x02\x80\x84\x80\x84"),
        ("p", [(7, 3), (0, 4)], b"\x00p\x00\x01\x01\x02\x87\x83\x80\x84"),
    ],
)
def test_keys_of_parts_are_those_of_tensorflow(name: str, extents: list[tuple[int, int]], key: bytes) -> None:
    part = TensorSliceProto()
    for start, length in extents:
        part.extent.add(start=start, length=length)
    assert part_key(name, part) == key


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=2))
def test_keys_have_the_order_of_their_numbers(numbers: list[int]) -> None:
    low, high = sorted(numbers)
    assert (tensor_bundle._signed(low) < tensor_bundle._signed(high)) is (low < high)


# ---------------------------------------------------------------- replacement


def test_a_failed_write_leaves_the_old_checkpoint(prefix: str) -> None:
    class Broken:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            raise OSError("disk full")

    before = read_all(prefix)
    with pytest.raises(OSError, match="disk full"):
        tensor_bundle.write(prefix, {"a": VALUES["float"], "b": (Broken(), dtypes.float32)}, {})
    assert read_all(prefix) == before
    assert sorted(os.listdir(os.path.dirname(prefix))) == ["model.data-00000-of-00001", "model.index"]


def test_a_replaced_checkpoint_leaves_nothing_behind(prefix: str) -> None:
    for number in range(4):
        tensor_bundle.write(prefix, {"n": (np.int32(number), dtypes.int32)}, {})
        assert read_all(prefix) == {"n": number}
        files = sorted(os.listdir(os.path.dirname(prefix)))
        assert len(files) == (2 if number % 2 else 3)


def test_data_that_an_interrupted_writer_left_is_no_live_checkpoint(prefix: str) -> None:
    """Its index would have come next. The next writer must not touch the files of the index that is there."""
    tensor_bundle.write(prefix, {"n": (np.int32(1), dtypes.int32)}, {})
    live = Path(tensor_bundle.data_file(prefix, 0, 2))
    Path(tensor_bundle.data_file(prefix, 0, 1)).write_bytes(b"left by a writer that was killed")
    before = live.stat()

    class Killed:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            assert (live.stat().st_ino, live.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tensor_bundle.write(prefix, {"n": (np.int32(2), dtypes.int32), "z": (Killed(), dtypes.int32)}, {})
    assert read_all(prefix) == {"n": 1}
    tensor_bundle.write(prefix, {"n": (np.int32(3), dtypes.int32)}, {})
    assert read_all(prefix) == {"n": 3} and not live.exists()


def test_a_reader_keeps_the_checkpoint_that_it_opened(prefix: str) -> None:
    with TensorBundleReader(prefix) as reader:
        tensor_bundle.write(prefix, {"float": (np.float32(-1), dtypes.float32)}, {})
        assert reader.read("float") == 3.5


def test_a_reader_never_sees_half_of_two_checkpoints(tmp_path: Path) -> None:
    """One thread replaces a checkpoint whose values are all equal; others open and read it."""
    prefix, done, errors = str(tmp_path / "m"), threading.Event(), list[BaseException]()

    def saved(number: int) -> None:
        tensor_bundle.write(prefix, {name: (np.full(100, number), dtypes.int64) for name in "abc"}, {})

    def read() -> None:
        try:
            while not done.is_set():
                assert len({value for values in read_all(prefix).values() for value in values}) == 1
        except BaseException as error:
            errors.append(error)

    saved(0)
    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(60):
        saved(number)
    done.set()
    for reader in readers:
        reader.join(30)
    assert not errors


_WRITER = """
import sys
import numpy as np
from inlay._src.base.types import dtypes
from inlay._src.training import tensor_bundle

number = int(sys.argv[2])
while True:
    values = {f"v{k}": (np.full(5000, number), dtypes.int64) for k in range(8)}
    tensor_bundle.write(sys.argv[1], values, {})
    number += 1
    print(number, flush=True)
"""


def test_a_killed_writer_leaves_the_old_checkpoint_or_the_new_one(tmp_path: Path) -> None:
    prefix, number, rand = str(tmp_path / "m"), 0, random.Random(1)
    for _ in range(2):
        command = [sys.executable, "-c", _WRITER, prefix, str(number)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            for _ in range(rand.randrange(2, 12)):
                number = int(writer.stdout.readline())
            writer.send_signal(signal.SIGKILL)
            number = max([number, *map(int, writer.stdout.read().split())])
        values = read_all(prefix)
        assert len({tuple(value) for value in values.values()}) == 1 and len(values) == 8
        assert values["v0"][0] in (number - 1, number)
        number += 1


# ---------------------------------------------------------------- damage


@pytest.mark.parametrize("suffix", [".index", ".data-00000-of-00001"])
def test_a_pipe_in_place_of_a_file_is_not_waited_for(prefix: str, suffix: str) -> None:
    os.unlink(prefix + suffix)
    os.mkfifo(prefix + suffix)
    with pytest.raises(tf.errors.OpError, match="no regular file|no file"):
        tf.train.load_checkpoint(prefix)


def test_a_file_cut_short_is_data_loss(prefix: str) -> None:
    for path in (Path(prefix + ".index"), Path(tensor_bundle.data_file(prefix, 0, 1))):
        whole = path.read_bytes()
        for size in (0, 1, 100, len(whole) // 2, len(whole) - 1):
            path.write_bytes(whole[:size])
            with pytest.raises(tf.errors.DataLossError, match="model is damaged at "):
                read_all(prefix)
        path.write_bytes(whole)


def test_every_flipped_byte_is_noticed_or_harmless(prefix: str) -> None:
    """Reading a changed file gives the right values or DataLossError, never other values."""
    expected, losses = read_all(prefix), 0
    for path in (Path(prefix + ".index"), Path(tensor_bundle.data_file(prefix, 0, 1))):
        whole = path.read_bytes()
        for at in range(len(whole)):
            damaged = bytearray(whole)
            damaged[at] ^= 0xFF
            path.write_bytes(damaged)
            try:
                assert read_all(prefix) == expected, f"byte {at} of {path.name}"
            except tf.errors.DataLossError:
                losses += 1
        path.write_bytes(whole)
    assert losses > 1000


def grow(entry: Any) -> None:
    for size in (1 << 20, 1 << 20, 1 << 20):
        entry.shape.dim.add(size=size)


@pytest.mark.parametrize(
    "name, change",
    [
        ("half", grow),
        ("half", lambda e: setattr(e, "size", 1 << 50)),
        ("half", lambda e: setattr(e, "size", -1)),
        ("half", lambda e: setattr(e, "offset", -4)),
        ("half", lambda e: setattr(e, "offset", 1 << 62)),
        ("half", lambda e: setattr(e, "shard_id", 3)),
        ("half", lambda e: setattr(e, "dtype", 1)),
        ("half", lambda e: setattr(e, "dtype", 99)),
        ("half", lambda e: e.shape.dim.add(size=-1)),
        ("half", lambda e: setattr(e.shape, "unknown_rank", True)),
        ("strings", grow),
        ("strings", lambda e: setattr(e, "crc32c", 1)),
        ("strings", lambda e: setattr(e, "offset", 0)),
        ("", lambda h: setattr(h, "num_shards", 0)),
        ("", lambda h: setattr(h, "num_shards", 1 << 30)),
    ],
)
def test_an_entry_that_claims_what_is_not_there_is_data_loss(prefix: str, name: str, change: Any) -> None:
    changed(prefix, name, change)
    tracemalloc.start()
    try:
        with pytest.raises(tf.errors.DataLossError, match="model is damaged at "):
            read_all(prefix)
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", [dtypes.variant, dtypes.resource])
def test_a_value_without_an_array_is_refused(prefix: str, kind: Any) -> None:
    changed(prefix, "half", lambda entry: setattr(entry, "dtype", kind.as_datatype_enum))
    with pytest.raises(tf.errors.UnimplementedError, match=f"of type {kind.name}"):
        read_all(prefix)


def test_a_tree_that_refers_to_no_object_is_data_loss(tmp_path: Path) -> None:
    tensor_bundle.write(str(tmp_path / "m"), {}, {"objects": [{"children": {"v": 7}}]})
    with TensorBundleReader(str(tmp_path / "m")) as reader:
        with pytest.raises(tf.errors.DataLossError, match="at its tree of objects: object 7 of 1"):
            _ = reader.manifest
