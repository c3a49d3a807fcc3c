"""Checkpoints that TensorFlow wrote: their values, their names, and objects restored from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from tests.golden.make_checkpoints import FOLDER, partitioned, table, trained, tree

SAID = json.loads((FOLDER / "values.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SAID)
def test_values_are_those_that_tensorflow_reads(name: str) -> None:
    reader = tf.train.load_checkpoint(str(FOLDER / name))
    kinds = reader.get_variable_to_dtype_map()
    got = {
        key: [kinds[key].name, str(np.asarray(reader.get_tensor(key)).tolist())]
        for key in kinds
        if not key.startswith("_CHECKPOINTABLE")
    }
    assert got == SAID[name]
    assert tf.train.checkpoint_exists(str(FOLDER / name))


def values_under(root: Any) -> list[Any]:
    return [
        root.v,
        root.layers[0],
        root.layers[1]["k"],
        root.layers[1]["a/b"],
        root.child.half,
        root.empty,
        root.complex,
    ]


def test_a_tree_of_objects_is_restored() -> None:
    root = tree(tf)
    wanted = [v.numpy().tolist() for v in values_under(root)]
    for v in values_under(root):
        v.assign(tf.zeros_like(v) if v.dtype != tf.string else tf.fill(v.shape, ""))
    root.generator.reset_from_seed(8)
    checkpoint = tf.train.Checkpoint(root=root)
    checkpoint.restore(str(FOLDER / "tree-1")).assert_consumed()
    assert [v.numpy().tolist() for v in values_under(root)] == wanted
    assert root.state.value == b"seven"
    assert root.generator.state.numpy().tolist() == tree(tf).generator.state.numpy().tolist()
    assert checkpoint.save_counter.numpy() == 1


def test_objects_that_are_made_later_are_restored() -> None:
    root = tf.Module()
    status = tf.train.Checkpoint(root=root).restore(str(FOLDER / "tree-1"))
    with pytest.raises(AssertionError, match="Unresolved object in checkpoint"):
        status.assert_consumed()
    root.v = tf.Variable(tf.zeros([2, 3]))
    assert root.v.numpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    root.child = tf.Module()
    root.child.half = tf.Variable(tf.zeros([2], tf.bfloat16))
    assert root.child.half.numpy().tolist() == [1.5, -2.0]


def test_a_value_of_another_shape_is_refused() -> None:
    root = tf.Module()
    root.v = tf.Variable(tf.zeros([3, 2]))
    with pytest.raises(ValueError, match=r"tensor with shape \(2, 3\) .* variable with shape \(3, 2\)"):
        tf.train.Checkpoint(root=root).restore(str(FOLDER / "tree-1"))
    assert not root.v.numpy().any()


def test_an_optimizer_and_its_slots_are_restored() -> None:
    v, optimizer = trained(tf, 0)
    status = tf.train.Checkpoint(v=v, optimizer=optimizer).restore(str(FOLDER / "optimizer"))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v)
    optimizer.apply_gradients([(tape.gradient(loss, v), v)])
    status.assert_consumed()
    again, _ = trained(tf, 4)
    np.testing.assert_allclose(v.numpy(), again.numpy(), rtol=1e-6)


def test_a_table_is_restored() -> None:
    root = table(tf)
    root.table.insert(["z"], [3])
    tf.train.Checkpoint(root=root).restore(str(FOLDER / "table")).assert_consumed()
    assert root.table.lookup(tf.constant(["x", "y", "z"])).numpy().tolist() == [1, 2, -1]


@pytest.mark.parametrize("name", ["partitioned", "sharded"])
def test_variables_in_parts_are_restored(name: str) -> None:
    with tf.Graph().as_default():
        variables = partitioned(tf)
        other = tf.compat.v1.get_variable("other", initializer=np.zeros(5, np.int64))
        with tf.compat.v1.Session() as session:
            tf.compat.v1.train.Saver().restore(session, str(FOLDER / name))
            parts = session.run([v for v in variables if v.name.startswith("p")])
            assert session.run(other).tolist() == [0, 1, 2, 3, 4]
    assert str(np.concatenate(parts).tolist()) == SAID[name]["p"][1]


def test_names_and_shapes_are_listed() -> None:
    assert tf.train.list_variables(str(FOLDER / "partitioned")) == [("other", [5]), ("p", [10, 4]), ("w", [2])]
    assert tf.train.load_variable(str(FOLDER / "partitioned"), "w").tolist() == [b"one", b"two"]


@pytest.mark.parametrize("end", [".index", ".data-00000-of-00001"])
def test_the_name_of_a_file_is_answered_with_the_prefix(end: str) -> None:
    with pytest.raises(ValueError, match=r"tree-1\.\S+ \(it is a file of one: give its prefix, .*tree-1\)$"):
        tf.train.load_checkpoint(str(FOLDER / f"tree-1{end}"))


def test_a_checkpoint_is_removed_with_all_its_files(tmp_path: Path) -> None:
    for path in FOLDER.glob("sharded.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    tf.compat.v1.train.remove_checkpoint(str(tmp_path / "sharded"))
    assert not list(tmp_path.iterdir())
