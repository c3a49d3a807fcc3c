"""The checkpoint file: every dtype, atomic replacement, damage."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import inlay as tf
from inlay.training import bundle
from inlay.types import dtypes

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
    "quantised": (np.int8([1, 2]), dtypes.qint8),
    "strings": (STRINGS, dtypes.string),
    "no strings": (np.empty((0,), object), dtypes.string),
    "one string": (np.array(b"abc", object), dtypes.string),
}


@pytest.fixture
def prefix(tmp_path):
    made = str(tmp_path / "model")
    bundle.write(made, VALUES, {"note": 1})
    return made


@pytest.mark.parametrize("name", VALUES)
def test_values_come_back_with_their_types(prefix, name):
    array, dtype = VALUES[name]
    with bundle.Reader(prefix) as reader:
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
    bundle.write(made, {"x": (array, dtypes.as_dtype(array.dtype))}, {})
    with bundle.Reader(made) as reader:
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
    with pytest.raises(tf.errors.NotFoundError, match="absent is|absent \\(no file .*absent.npz"):
        bundle.Reader(prefix + "absent")
    with bundle.Reader(prefix) as reader, pytest.raises(tf.errors.NotFoundError, match="Key w not found in checkpoint"):
        reader.read("w")


def test_a_checkpoint_of_tensorflow_is_refused_with_the_reason(tmp_path):
    (tmp_path / "model.index").write_bytes(b"")
    with pytest.raises(tf.errors.UnimplementedError, match="TensorFlow wrote"):
        bundle.Reader(str(tmp_path / "model"))


def test_a_later_version_is_refused(tmp_path):
    bundle.write(str(tmp_path / "m"), {}, {"version": 99})
    with pytest.raises(tf.errors.UnimplementedError, match="version 99"):
        bundle.Reader(str(tmp_path / "m"))


@pytest.mark.parametrize(
    "manifest",
    [
        {"format": bundle.FORMAT, "entries": {}},
        {"format": bundle.FORMAT, "version": bundle.VERSION, "entries": "x"},
        {"format": bundle.FORMAT, "version": bundle.VERSION, "entries": {"x": {"dtype": "no such", "shape": []}}},
        {"format": bundle.FORMAT, "version": bundle.VERSION, "entries": {"x": {"shape": []}}},
    ],
)
def test_a_manifest_that_makes_no_sense_is_data_loss(tmp_path, manifest):
    prefix = str(tmp_path / "c")
    with zipfile.ZipFile(f"{prefix}.npz", "w") as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
    with pytest.raises(tf.errors.DataLossError, match="is damaged at"), bundle.Reader(prefix) as reader:
        reader.read("x")


def test_the_header_of_an_array_that_is_no_python_is_data_loss(tmp_path):
    prefix, said = str(tmp_path / "c"), {"x": {"dtype": "float32", "shape": []}}
    header = (
        b"\x93NUMPY\x01\x00" + (76).to_bytes(2, "little") + "{'descr': '<f4', ®(".encode("latin1").ljust(75) + b"\n"
    )
    with zipfile.ZipFile(f"{prefix}.npz", "w") as archive:
        archive.writestr(
            "manifest.json", json.dumps({"format": bundle.FORMAT, "version": bundle.VERSION, "entries": said})
        )
        archive.writestr("values/x.npy", header)
    with pytest.raises(tf.errors.DataLossError, match="is damaged at x: "), bundle.Reader(prefix) as reader:
        reader.read("x")


def test_a_failed_write_leaves_the_old_file(prefix):
    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        bundle.write(prefix, {"a": VALUES["float"], "b": (Broken(), dtypes.float32)}, {})
    with bundle.Reader(prefix) as reader:
        assert reader.read("float") == np.float32(3.5)
    assert os.listdir(os.path.dirname(prefix)) == ["model.npz"]


def read_all(prefix: str) -> dict:
    with bundle.Reader(prefix) as reader:
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
