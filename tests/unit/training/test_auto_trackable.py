"""Objects that say their children: `tf.__internal__.tracking`, and variables of other libraries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf

tracking: Any = tf.__internal__.tracking  # type: ignore[attr-defined]
Variable = tf.Variable


class Held:
    """A variable of another library, as Keras has them."""

    _should_act_as_resource_variable = True

    def __init__(self, value: Any) -> None:
        self.value = tf.Variable(value)
        self.dtype = "float32"  # a text, as in Keras

    @property
    def handle(self) -> Any:
        return self.value.handle

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return tf.convert_to_tensor(self.value, dtype)


def saved_names(root: Any, folder: Path) -> list[str]:
    path = tf.train.Checkpoint(root=root).write(str(folder / "c"))
    return [name for name, _ in tf.train.list_variables(path) if not name.startswith("_CHECKPOINT")]


def test_attributes_become_children() -> None:
    node = tracking.AutoTrackable()
    node.v, node.parts, node.text = Variable(1.0), [Variable(2.0)], "x"
    assert [*node._trackable_children()] == ["v", "parts"]
    node.v = 3
    assert [*node._trackable_children()] == ["parts"]
    del node.parts
    assert node._trackable_children() == {} and not hasattr(node, "parts")


def test_children_are_saved_and_restored_also_late(tmp_path: Path) -> None:
    node = tracking.AutoTrackable()
    node.v, node.parts = Variable(1.0), [Variable(2.0), Variable(3.0)]
    assert saved_names(node, tmp_path) == [f"{n}/.ATTRIBUTES/VARIABLE_VALUE" for n in ("parts/0", "parts/1", "v")]
    other = tracking.AutoTrackable()
    status = tf.train.Checkpoint(root=other).read(str(tmp_path / "c"))
    other.v = Variable(0.0)
    assert float(other.v) == 1.0
    other.parts = [Variable(0.0), Variable(0.0)]
    assert [float(v) for v in other.parts] == [2.0, 3.0]
    status.assert_consumed()


def test_a_list_gets_what_comes_later(tmp_path: Path) -> None:
    node = tracking.AutoTrackable()
    node.parts = [Variable(2.0), Variable(3.0)]
    saved_names(node, tmp_path)
    other = tracking.AutoTrackable()
    tf.train.Checkpoint(root=other).read(str(tmp_path / "c"))
    other.parts = []
    for _ in range(2):
        other.parts.append(Variable(0.0))
    assert [float(v) for v in other.parts] == [2.0, 3.0]


def test_children_that_a_method_names(tmp_path: Path) -> None:
    class Node(tracking.Trackable):  # type: ignore[misc]
        def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
            return {"own": self.inner}

    node = Node()
    node.inner = Variable(4.0)
    assert saved_names(node, tmp_path) == ["own/.ATTRIBUTES/VARIABLE_VALUE"]
    assert tf.train.TrackableView.children(node) == {"own": node.inner}


def test_a_name_is_given_once() -> None:
    node, v = tracking.Trackable(), Variable(1.0)
    assert node._track_trackable(v, "v") is v and node._lookup_dependency("v") is v
    with pytest.raises(ValueError, match="a Trackable with this name is already declared"):
        node._track_trackable(Variable(2.0), "v")
    node._track_trackable(Variable(2.0), "v", overwrite=True)
    with pytest.raises(TypeError, match="can only be used to track Trackable objects, got int"):
        node._track_trackable(3, "w")


def test_attributes_set_without_tracking_are_no_children() -> None:
    class Node(tracking.AutoTrackable):  # type: ignore[misc]
        @tracking.no_automatic_dependency_tracking
        def fill(self) -> None:
            self.hidden = Variable(1.0)

    node = Node()
    node.fill()
    node.seen = Variable(2.0)
    assert [*node._trackable_children()] == ["seen"]


def test_functions_are_children_of_a_saved_model_alone(tmp_path: Path) -> None:
    class Node(tracking.AutoTrackable):  # type: ignore[misc]
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def double(self, x: Any) -> Any:
            return x * self.v

    node = Node()
    node.v = Variable(2.0)
    assert [*node._trackable_children()] == ["v"]
    assert set(node._trackable_children("savedmodel")) == {"v", "double"}
    tf.saved_model.save(node, str(tmp_path / "m"))
    assert float(tf.saved_model.load(str(tmp_path / "m")).double(3.0)) == 6.0


@pytest.mark.parametrize("make", [tf.Module, lambda: Variable(1.0), lambda: tf.function(abs), tf.train.Checkpoint])
def test_what_is_trackable(make: Any) -> None:
    assert isinstance(make(), tracking.Trackable)


def test_tables_are_resources() -> None:
    kind = tf.saved_model.experimental.TrackableResource
    entries = tf.lookup.KeyValueTensorInitializer(["a"], [1])
    table = tf.lookup.StaticHashTable(entries, -1)
    assert isinstance(table, kind) and isinstance(table, tracking.Trackable) and not isinstance(Variable(1.0), kind)

    class Own(kind):  # type: ignore[misc,valid-type]
        def _create_resource(self) -> Any:
            return table.resource_handle

    own = Own()
    assert own.resource_handle is table.resource_handle and isinstance(own, kind) and not isinstance(table, Own)
    with pytest.raises(NotImplementedError, match="_create_resource"):
        _ = kind().resource_handle


def test_a_tape_takes_variables_of_other_libraries() -> None:
    held = Held([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.convert_to_tensor(held) ** 2)
    assert tape.gradient(y, [held])[0].numpy().tolist() == [2.0, 4.0]

    @tf.function
    def traced() -> Any:
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(held)
            y = tf.reduce_sum(tf.convert_to_tensor(held) ** 3)
        return tape.gradient(y, held)

    assert traced().numpy().tolist() == [3.0, 12.0]


def test_a_custom_gradient_takes_variables_of_other_libraries() -> None:
    @tf.custom_gradient
    def scaled(x: Any, w: Any) -> Any:
        return x * tf.convert_to_tensor(w), lambda up: (up * 10.0, up * 100.0)

    held, x = Held([1.0, 2.0]), Variable([3.0, 4.0])
    with tf.GradientTape() as tape:
        y = scaled(x, held)
    assert [g.numpy().tolist() for g in tape.gradient(y, [x, held])] == [[10.0, 10.0], [100.0, 100.0]]


def test_checkpoints_keep_the_variable_of_another_library(tmp_path: Path) -> None:
    node = tracking.AutoTrackable()
    node.w = Held([5.0])
    assert saved_names(node, tmp_path) == ["w/.ATTRIBUTES/VARIABLE_VALUE"]
    other = tracking.AutoTrackable()
    other.w = Held([0.0])
    tf.train.Checkpoint(root=other).read(str(tmp_path / "c")).assert_consumed()
    assert other.w.value.numpy().tolist() == [5.0]


def test_the_names_of_a_variable() -> None:
    one, two = Variable(1.0, name="a"), Variable(1.0, name="a")
    assert one._unique_id == one._unique_id != two._unique_id and one._shared_name == "a"


def test_internal_names() -> None:
    internal: Any = tf.__internal__  # type: ignore[attr-defined]
    assert "tracking" in dir(internal) and isinstance(tf.constant(1), internal.EagerTensor)
    assert internal.smart_cond.smart_cond(True, lambda: 1, lambda: 2) == 1
    assert issubclass(tf.Tensor, internal.types.Tensor) and internal.tf2.enabled()
    assert internal.distribute.interim.maybe_merge_call(lambda s, x: x, tf.distribute.get_strategy(), 3) == 3
    with internal.FuncGraph("scratch").as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        assert tf.matmul(x, np.ones((3, 2), np.float32)).shape.as_list() == [None, 2]
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        _ = internal.absent
