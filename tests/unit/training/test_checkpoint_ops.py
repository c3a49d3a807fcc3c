"""The ops of checkpoints in graphs, against checkpoints that TensorFlow wrote."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS
from inlay._src.training import checkpoint_ops  # noqa: F401  - declares the ops
from inlay._src.training.tensor_bundle import TensorBundleReader

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
PARTS = str(GOLDEN / "session_models" / "partitioned" / "variables" / "variables")
WHOLE = np.float32(json.loads((GOLDEN / "session_models.json").read_text())["partitioned"]["whole"])
ARRAY = np.arange(12, dtype=np.float32).reshape(3, 4)


def restored(prefix: str, names: list[str], parts: list[str], *kinds: Any) -> list[Any]:
    values = emit(OPS["RestoreV2"], (prefix, names, parts), {"dtypes": kinds})
    return [value.numpy() for value in (values if isinstance(values, (list, tuple)) else [values])]


def save(prefix: str, names: list[str], parts: list[str], *tensors: Any) -> None:
    emit(OPS["SaveV2"], (prefix, names, parts, [tf.constant(tensor) for tensor in tensors]), {})


@pytest.mark.parametrize(
    ("part", "cut"),
    [("", np.s_[:]), ("5 2 -:-", np.s_[:]), ("5 2 0,3:0,2", np.s_[:3]), ("5 2 3,2:-", np.s_[3:]),
     ("5 2 2,2:1,1", np.s_[2:4, 1:])],
)  # fmt: skip
def test_parts_of_a_tensor_that_was_saved_in_parts(part: str, cut: Any) -> None:
    (value,) = restored(PARTS, ["rows"], [part], tf.float32)
    np.testing.assert_array_equal(value, WHOLE[cut])


def test_several_tensors_of_one_checkpoint() -> None:
    prefix = str(GOLDEN / "session_models" / "references" / "variables" / "variables")
    w, count = restored(prefix, ["w", "count"], ["", ""], tf.float32, tf.int32)
    assert w.tolist() == [[1, -2], [0.25, 4]] and count == 0 and count.dtype == np.int32


@pytest.mark.parametrize(
    ("name", "part", "kind", "says"),
    [
        ("rows", "5 3 -:-", tf.float32, r"tensor_name = rows; shape in shape_and_slice spec \[5, 3\] does not match"),
        ("rows", "", tf.int32, "tensor_name = rows; expected dtype int32 does not equal original dtype float"),
        ("rows", "5 2 -", tf.float32, "names no part of a tensor: it has 2 sizes and 1 places"),
        ("rows", "5 2 4,2:-", tf.float32, "'4,2' is outside of an axis of size 5"),
        ("rows", "5 2 a,b:-", tf.float32, "."),
        ("nothing", "", tf.float32, "Key nothing not found in checkpoint"),
    ],
)
def test_what_the_checkpoint_does_not_have_is_told(name: str, part: str, kind: Any, says: str) -> None:
    with pytest.raises((tf.errors.OpError, ValueError), match=says):
        restored(PARTS, [name], [part], kind)


def test_lists_of_other_lengths_are_told(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="2 names, 1 parts and 1 types"):
        restored(PARTS, ["rows", "rows"], [""], tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="1 names, 2 parts and 1 tensors"):
        save(str(tmp_path / "x"), ["a"], ["", ""], ARRAY)


def test_parts_are_saved_as_one_tensor(tmp_path: Path) -> None:
    prefix = str(tmp_path / "deep" / "x")
    texts = np.array([b"one", b""], object)
    save(prefix, ["a", "a", "s"], ["3 4 0,1:-", "3 4 1,2:-", ""], ARRAY[:1], ARRAY[1:], texts)
    value, words = restored(prefix, ["a", "s"], ["", ""], tf.float32, tf.string)
    np.testing.assert_array_equal(value, ARRAY)
    assert words.tolist() == [b"one", b""]
    with TensorBundleReader(prefix) as reader:
        assert reader.shape("a") == [3, 4] and sorted(reader.entries) == ["a", "s"]


def test_parts_that_are_not_the_whole_are_refused(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="the parts of a do not make up the whole"):
        save(str(tmp_path / "x"), ["a"], ["3 4 0,1:-"], ARRAY[:1])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("delete", [True, False])
def test_checkpoints_are_merged_and_removed(tmp_path: Path, delete: bool) -> None:
    parts, target = [str(tmp_path / "parts" / name) for name in ("one", "two")], str(tmp_path / "all")
    save(parts[0], ["a"], [""], ARRAY)
    save(parts[1], ["b"], [""], np.int64([5]))
    emit(OPS["MergeV2Checkpoints"], (parts, target), {"delete_old_dirs": delete})
    a, b = restored(target, ["a", "b"], ["", ""], tf.float32, tf.int64)
    np.testing.assert_array_equal(a, ARRAY)
    assert b.tolist() == [5]
    assert (tmp_path / "parts").exists() is not delete
    if not delete:
        assert not os.listdir(tmp_path / "parts")


def test_missing_checkpoints_are_merged_if_they_may_be_missing(tmp_path: Path) -> None:
    one, target = str(tmp_path / "one"), str(tmp_path / "all")
    save(one, ["a"], [""], ARRAY)
    with pytest.raises(tf.errors.NotFoundError):
        emit(OPS["MergeV2Checkpoints"], ([one, str(tmp_path / "none")], target), {})
    emit(OPS["MergeV2Checkpoints"], ([one, str(tmp_path / "none")], target), {"allow_missing_files": True})
    assert restored(target, ["a"], [""], tf.float32)[0].shape == (3, 4)


def test_the_name_of_one_of_several_files() -> None:
    assert emit(OPS["ShardedFilename"], ("/a/b", 3, 12)).numpy() == b"/a/b-00003-of-00012"
