"""Tensors on a mesh: what lies where, what is refused, variables and gradients."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core import device
from inlay.experimental import dtensor

U = dtensor.UNSHARDED
VALUE = np.arange(24, dtype=np.float32).reshape(6, 4)


@pytest.fixture(autouse=True)
def mesh() -> Iterator[dtensor.Mesh]:
    device.use(None)
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 6)
    yield dtensor.create_mesh([("x", 3), ("y", 2)])
    device.use(None)


def lay(mesh: dtensor.Mesh, value: Any, *specs: str) -> Any:
    return dtensor.relayout(value, dtensor.Layout(specs, mesh))


def test_each_device_has_its_part(mesh: dtensor.Mesh) -> None:
    parts = dtensor.unpack(lay(mesh, VALUE, "x", "y"))
    assert [p.device[-5:] for p in parts] == [f"CPU:{i}" for i in range(6)]
    assert parts[3].numpy().tolist() == VALUE[2:4, 2:].tolist()
    again = dtensor.pack(parts, dtensor.Layout(["x", "y"], mesh))
    assert dtensor.relayout(again, dtensor.Layout.replicated(mesh, 2)).numpy().tolist() == VALUE.tolist()
    assert [p.numpy().tolist() for p in dtensor.unpack(lay(mesh, 7.0))] == [7.0] * 6


def test_a_tensor_is_printed_by_device_if_it_is_cut(mesh: dtensor.Mesh) -> None:
    text = str(lay(mesh, np.arange(6), "x"))
    assert text.startswith('tf.Tensor({"CPU:0": [0 1], "CPU:1": [0 1], "CPU:2": [2 3]')
    assert text.endswith("shape=(6,), dtype=int64)")
    assert repr(lay(mesh, [0.5, 1.0], U)).startswith(
        '<tf.Tensor: shape=(2,), dtype=float32, value=[0.5 1], layout="sharding_specs:unsharded, mesh:|x=3,y=2|0,1,2,3'
    )


def test_layouts_and_meshes_are_read_from_their_text(mesh: dtensor.Mesh) -> None:
    layout = dtensor.Layout(["y", U, "x"], mesh)
    assert dtensor.Layout.from_string(layout.to_string()) == layout
    assert dtensor.Mesh.from_string(mesh.to_string()) == mesh and hash(layout.mesh) == hash(mesh)
    assert mesh.local_device_locations()[3] == {"x": 1, "y": 1} and mesh.strides == [2, 1]
    assert layout.global_shape_from_local_shape([2, 3, 4]).as_list() == [4, 3, 12]
    assert pickle.loads(pickle.dumps(lay(mesh, VALUE, "x", U))).layout.sharding_specs == ["x", U]


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda m: dtensor.Layout(["z"], m), ValueError, "must either be a valid mesh dimension"),
        (lambda m: dtensor.Layout(["x", "x"], m), ValueError, "was repeated"),
        (lambda m: dtensor.create_mesh([("x", 4)]), ValueError, "length of devices"),
        (lambda m: dtensor.create_mesh([("x", 1)], devices=["GPU:0"]), ValueError, "not one of the CPU's logical"),
        (lambda m: dtensor.create_mesh([("x", 3), ("x", 2)]), ValueError, "distinct names"),
        (lambda m: lay(m, VALUE, U, "x"), tf.errors.InvalidArgumentError, "divisible by the 3 shards"),
        (lambda m: lay(m, VALUE, U), tf.errors.InvalidArgumentError, "matching rank required"),
        (lambda m: lay(m, VALUE, "x", U).numpy(), tf.errors.UnimplementedError, "non-replicated DTensor"),
        (lambda m: tf.cumsum(lay(m, VALUE, "x", U)), tf.errors.UnimplementedError, "Cumsum of a tensor that is cut"),
        (lambda m: lay(m, VALUE, U, U) + VALUE, tf.errors.UnimplementedError, "regular tensor for input 1"),
        (lambda m: dtensor.unpack(tf.ones(3)), tf.errors.InvalidArgumentError, "DTensorUnpack expects"),
        (lambda m: dtensor.fetch_layout(tf.ones(3)), tf.errors.InvalidArgumentError, "FetchLayout expects"),
        (lambda m: dtensor.pack([1, 2], dtensor.Layout([], m)), tf.errors.InvalidArgumentError, "6 devices"),
        (lambda m: dtensor.pack(range(6), dtensor.Layout([], m)), tf.errors.InvalidArgumentError, "device 0 differs"),
        (lambda m: tf.function(lambda t: t + 1)(lay(m, VALUE, "x", U)), tf.errors.UnimplementedError, "non-replicated"),
    ],
)  # fmt: skip
def test_what_cannot_lie_so_is_refused(mesh: dtensor.Mesh, wrong: Any, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        wrong(mesh)


def test_meshes_are_not_mixed(mesh: dtensor.Mesh) -> None:
    other = dtensor.create_mesh([("x", 6)])
    with pytest.raises(tf.errors.InvalidArgumentError, match="all inputs must have the same mesh"):
        lay(mesh, VALUE, U, U) + lay(other, VALUE, U, U)
    with pytest.raises(tf.errors.InvalidArgumentError, match="the same mesh"):
        dtensor.DVariable(lay(mesh, VALUE, U, U)).assign(lay(other, VALUE, U, U))


def test_a_variable_keeps_its_layout(mesh: dtensor.Mesh) -> None:
    v = dtensor.DVariable(lay(mesh, VALUE, "x", U))
    v.assign_add(lay(mesh, VALUE, U, U))
    assert dtensor.fetch_layout(v).sharding_specs == dtensor.fetch_layout(v + 1.0).sharding_specs == ["x", U]
    assert dtensor.unpack(v)[2].numpy().tolist() == (2 * VALUE[2:4]).tolist()
    assert "value={" in repr(v)
    with pytest.raises(tf.errors.UnimplementedError, match="regular tensor"):
        v.assign(VALUE)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Neither layout nor DTensor"):
        dtensor.DVariable(VALUE)


def test_gradients_lie_as_what_they_are_for(mesh: dtensor.Mesh) -> None:
    v = dtensor.DVariable(lay(mesh, VALUE, U, U))
    for _ in range(4):  # a structure that came back has a pullback of its own
        x = tf.constant(VALUE)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(v * v * lay(mesh, x, U, U))
        gv, gx = tape.gradient(y, [v, x])
        assert dtensor.is_dtensor(gv) and not dtensor.is_dtensor(gx)
        assert gv.numpy().tolist() == (2 * VALUE * VALUE).tolist()
        assert gx.numpy().tolist() == (VALUE * VALUE).tolist()


def test_results_of_a_function_are_laid(mesh: dtensor.Mesh) -> None:
    layout = dtensor.Layout(["x", "y"], mesh)
    ones = dtensor.call_with_layout(tf.function(tf.ones), layout, shape=(6, 4))
    dtensor.check_layout(ones, layout)
    with pytest.raises(ValueError, match="did not match expected layout"):
        dtensor.check_layout(ones, dtensor.Layout(["x", U], mesh))
    assert dtensor.call_with_layout(tf.ones, None, [2]).numpy().tolist() == [1.0, 1.0]
    assert dtensor.relayout(ones, dtensor.Layout([dtensor.MATCH, U], mesh)).layout.sharding_specs == ["x", U]


def test_a_mesh_says_where_its_devices_lie(mesh: dtensor.Mesh) -> None:
    assert mesh.dim_names == ["x", "y"] and mesh.shape() == [3, 2] and mesh.size == mesh.num_local_devices() == 6
    assert mesh["y"] == ("y", 2) and mesh.contains_dim("x") and not mesh.contains_dim("z")
    assert mesh.coords(3).numpy().tolist() == mesh.device_location(3) == [1, 1]
    assert mesh.global_device_ids().tolist() == [[0, 1], [2, 3], [4, 5]] and mesh.device_type() == "CPU"
    assert mesh.local_devices()[5] == "/job:localhost/replica:0/task:0/device:CPU:5" and not mesh.is_remote()
    with pytest.raises(ValueError, match="Dimension z does not exist in mesh. Available dimensions: x,y"):
        mesh.dim_size("z")
    named = dtensor.create_mesh({"a": 6}, mesh_name="all")
    assert named.name == "all" and named != mesh and dtensor.create_mesh().dim_names == ["x"]


def test_a_layout_says_how_it_cuts(mesh: dtensor.Mesh) -> None:
    layout = dtensor.Layout.batch_sharded(mesh, "x", 3, axis=1)
    assert layout.sharding_specs == [U, "x", U] and layout.rank == 3 and layout.shape == [3, 2]
    assert dtensor.Layout.inner_sharded(mesh, "y", 2).sharding_specs == [U, "y"]
    assert layout.delete([0]).sharding_specs == ["x", U] and layout.num_shards(1) == 3
    assert not layout.is_batch_parallel() and not layout.is_fully_replicated()
    assert layout.offset_to_shard()[4] == (0, 2, 0)
    assert layout.local_shape_from_global_shape([None, 6, 2]).as_list() == [None, 2, 2]


def test_there_is_one_process(mesh: dtensor.Mesh) -> None:
    assert dtensor.client_id() == 0 and dtensor.num_clients() == 1
    assert dtensor.num_local_devices("CPU") == dtensor.num_global_devices("CPU") == 6
    assert dtensor.num_local_devices("GPU") == 0
    assert [d.device_index for d in dtensor.local_devices("CPU")] == list(range(6))
    assert lay(mesh, 1.0).device == dtensor.device_name() and dtensor.preferred_device_type() == "CPU"
