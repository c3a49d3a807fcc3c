"""The checkpoint file of earlier versions: every dtype, atomic replacement, damage."""

from __future__ import annotations

import io
import json
import os
import struct
import tracemalloc
import zipfile
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import inlay as tf
from inlay._src.base.files import damage
from inlay._src.base.types import dtypes
from inlay._src.training import npz_checkpoint
from inlay._src.training.npz_checkpoint import FORMAT, VERSION

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
}


@pytest.fixture
def prefix(tmp_path):
    made = str(tmp_path / "model")
    npz_checkpoint.write(made, VALUES, {"note": 1})
    return made


@pytest.mark.parametrize("name", VALUES)
def test_values_come_back_with_their_types(prefix, name):
    array, dtype = VALUES[name]
    with npz_checkpoint.NpzReader(prefix) as reader:
        got = reader.read(name)
        assert (reader.dtype(name), reader.shape(name)) == (dtype, list(array.shape))
    assert got.dtype == dtype.np and got.shape == array.shape
    assert got.tolist() == array.tolist()


@given(
    hnp.arrays(
        st.sampled_from([np.float32, np.int64, np.bool_, np.complex128, np.uint8]),
        hnp.array_shapes(min_dims=0, min_side=0),
    )
)
def test_any_array_comes_back(tmp_path_factory, array):
    made = str(tmp_path_factory.mktemp("any") / "x")
    npz_checkpoint.write(made, {"x": (array, dtypes.as_dtype(array.dtype))}, {})
    with npz_checkpoint.NpzReader(made) as reader:
        np.testing.assert_array_equal(reader.read("x"), array)


def test_numpy_alone_can_read_it(prefix):
    with np.load(prefix + ".npz", allow_pickle=False) as archive:
        assert archive["values/half"].tolist() == [1.5, -2]
        assert archive["lengths/strings"].tolist() == [[0, 5], [2, 1000]]


def test_there_is_nothing_to_unpickle(prefix):
    with zipfile.ZipFile(prefix + ".npz") as archive:
        headers = [archive.read(n)[:128] for n in archive.namelist() if n.endswith(".npy")]
    assert not any(b"'|O'" in h for h in headers)


def test_missing_files_and_values_are_named(prefix):
    with pytest.raises(tf.errors.NotFoundError, match="there is no file .*absent.npz"):
        npz_checkpoint.NpzReader(prefix + "absent")
    with (
        npz_checkpoint.NpzReader(prefix) as reader,
        pytest.raises(tf.errors.NotFoundError, match="Key w not found in checkpoint"),
    ):
        reader.read("w")


def test_a_later_version_is_refused(tmp_path):
    npz_checkpoint.write(str(tmp_path / "m"), {}, {"version": 99})
    with pytest.raises(tf.errors.UnimplementedError, match="version 99"):
        npz_checkpoint.NpzReader(str(tmp_path / "m"))


@pytest.mark.parametrize(
    "manifest",
    [
        {"format": FORMAT, "entries": {}},
        {"format": FORMAT, "version": VERSION, "entries": "x"},
        {
            "format": FORMAT,
            "version": VERSION,
            "entries": {"x": {"dtype": "no such", "shape": []}},
        },
        {"format": FORMAT, "version": VERSION, "entries": {"x": {"shape": []}}},
    ],
)
def test_a_manifest_that_makes_no_sense_is_data_loss(tmp_path, manifest):
    prefix = str(tmp_path / "c")
    with zipfile.ZipFile(f"{prefix}.npz", "w") as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
    with pytest.raises(tf.errors.DataLossError, match="is damaged at"), npz_checkpoint.NpzReader(prefix) as reader:
        reader.read("x")


def test_the_header_of_an_array_that_is_no_python_is_data_loss(tmp_path):
    prefix, said = str(tmp_path / "c"), {"x": {"dtype": "float32", "shape": []}}
    header = (
        b"\x93NUMPY\x01\x00" + (76).to_bytes(2, "little") + "{'descr': '<f4', ®(".encode("latin1").ljust(75) + b"\n"
    )
    with zipfile.ZipFile(f"{prefix}.npz", "w") as archive:
        archive.writestr(
            "manifest.json",
            json.dumps({"format": FORMAT, "version": VERSION, "entries": said}),
        )
        archive.writestr("values/x.npy", header)
    with pytest.raises(tf.errors.DataLossError, match="is damaged at x: "), npz_checkpoint.NpzReader(prefix) as reader:
        reader.read("x")


def test_a_failed_write_leaves_the_old_file(prefix):
    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        npz_checkpoint.write(prefix, {"a": VALUES["float"], "b": (Broken(), dtypes.float32)}, {})
    with npz_checkpoint.NpzReader(prefix) as reader:
        assert reader.read("float") == np.float32(3.5)
    assert os.listdir(os.path.dirname(prefix)) == ["model.npz"]


def read_all(prefix: str) -> dict:
    with npz_checkpoint.NpzReader(prefix) as reader:
        return {name: reader.read(name).tolist() for name in reader.entries}


def test_a_file_cut_short_is_data_loss(prefix):
    whole = Path(prefix + ".npz").read_bytes()
    for size in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        Path(prefix + ".npz").write_bytes(whole[:size])
        with pytest.raises(tf.errors.DataLossError, match=r"model\.npz is damaged"):
            read_all(prefix)


def test_every_flipped_byte_is_noticed_or_harmless(prefix):
    """Flips one byte at many places: what is read afterwards is right, or DataLossError; never other values."""
    whole = bytearray(Path(prefix + ".npz").read_bytes())
    expected = {name: array.tolist() for name, (array, _) in VALUES.items()}
    losses = 0
    for at in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[at] ^= 0xFF
        Path(prefix + ".npz").write_bytes(damaged)
        try:
            got = read_all(prefix)
        except tf.errors.DataLossError as error:
            assert "model.npz" in str(error)
            losses += 1
        else:
            assert got == expected, f"byte {at}"
    assert losses > 100


# ---------------------------------------------------------------- files of an enemy

SLACK = 64 << 20


def npy(array: np.ndarray) -> bytes:
    """An array as a `.npy` file."""
    out = io.BytesIO()
    np.lib.format.write_array(out, array, allow_pickle=False)
    return out.getvalue()


def archive_of(path: Path, members: dict[str, bytes]) -> None:
    """A checkpoint file with these members."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def manifest_of(**entries: tuple[str, list[int]]) -> bytes:
    """A manifest that lists values, with their types and shapes."""
    listed = {name: {"dtype": dtype, "shape": shape} for name, (dtype, shape) in entries.items()}
    return json.dumps({"format": FORMAT, "version": 1, "entries": listed}).encode()


def refused_in_proportion(path: Path, match: str) -> None:
    """Reading every value ends with an error, and takes memory in proportion to the file."""
    tracemalloc.start()
    try:
        with pytest.raises(tf.errors.DataLossError, match=match), npz_checkpoint.NpzReader(str(path)) as reader:
            for name in reader.entries:
                reader.read(name)
        assert tracemalloc.get_traced_memory()[1] < 4 * path.stat().st_size + SLACK
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "lengths",
    [
        np.resize(np.int64([100_000, -100_000]), 5000),
        np.concatenate([np.int64([2**63 - 1, 2**63 - 1, 2]), np.zeros(4997, np.int64)]),
        np.full(5000, 100_000, np.int64),
        np.zeros(5000, np.uint8),
        np.resize(np.float64([100_000, -100_000]), 5000),
    ],
    ids=["negative", "overflowing", "too long", "of another type", "no integers"],
)
def test_lengths_of_strings_that_are_no_lengths_are_refused(tmp_path: Path, lengths: np.ndarray) -> None:
    text = np.zeros(0 if lengths.dtype == np.uint8 else 100_000, np.uint8)
    if lengths[0] == 100_000 and lengths[1] == -100_000:
        lengths[-1] += 100_000  # the sum is right
    members = {"manifest.json": manifest_of(s=("string", [5000])), "values/s.npy": npy(text)}
    archive_of(tmp_path / "m.npz", {**members, "lengths/s.npy": npy(lengths)})
    refused_in_proportion(tmp_path / "m.npz", "lengths (and bytes )?of strings")


def test_members_that_lie_one_upon_another_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    archive_of(
        path, {"manifest.json": manifest_of(v=("uint8", [1 << 20])), "values/v.npy": npy(np.zeros(1 << 20, "u1"))}
    )
    data = path.read_bytes()
    start = data.index(b"PK\1\2")
    end = data.index(b"PK\5\6")
    entries = [b"PK\1\2" + part for part in data[start:end].split(b"PK\1\2")[1:]]
    more = [entries[1].replace(b"values/v.npy", b"values/%c.npy" % c) for c in b"abcdefghijkl"]
    directory = b"".join([*entries, *more])
    count = struct.pack("<HH", len(entries) + len(more), len(entries) + len(more))
    tail = b"PK\5\6\0\0\0\0" + count + struct.pack("<IIH", len(directory), start, 0)
    path.write_bytes(data[:start] + directory + tail)
    refused_in_proportion(path, "its members claim")


@pytest.mark.parametrize(
    "header",
    [
        "'|S0', 'shape': (1073741824,)",
        "'<U0', 'shape': (1073741824,)",
        "'<f4', 'shape': (-1, -1)",
        "'<f4', 'shape': (0, True)",
        "'|V8', 'shape': (0,)",
    ],
)
def test_an_array_that_claims_elements_of_no_size_is_refused(tmp_path: Path, header: str) -> None:
    text = f"{{'descr': {header}, 'fortran_order': False, }}\n".encode()
    data = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text
    archive_of(tmp_path / "m.npz", {"manifest.json": manifest_of(v=("uint8", [0])), "values/v.npy": data})
    refused_in_proportion(tmp_path / "m.npz", "an array of")


def test_the_error_of_a_header_passes_none_of_it_to_a_terminal() -> None:
    text = "{'descr': '<8\x84f8', 'fortran_order': False, 'shape': (0,), }\n".encode("latin-1")
    with pytest.raises(ValueError, match="^the header of an array makes no sense$"):
        npz_checkpoint.array_of(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text)


def test_a_manifest_of_many_small_values_is_refused(tmp_path: Path) -> None:
    archive_of(tmp_path / "m.npz", {"manifest.json": b'{"entries": {"a": [' + b"{}," * (1 << 21) + b"{}]}}"})
    refused_in_proportion(tmp_path / "m.npz", "values, more than")


def test_a_file_of_very_many_small_values_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(damage, "MOST_VALUES", 100)
    prefix = str(tmp_path / "many")
    npz_checkpoint.write(prefix, {f"value{i}": (np.float32(i), dtypes.float32) for i in range(300)}, {})
    with npz_checkpoint.NpzReader(prefix) as reader:
        assert reader.read("value299") == 299
