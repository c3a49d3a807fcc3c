"""Lists of tensors read from messages, and their gradients; comparisons of tensors whose shapes do not fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

FLOAT, INT, LONG = (dtype.as_datatype_enum for dtype in (tf.float32, tf.int32, tf.int64))
Node = tuple[str, str, list[str], dict[str, Any]]


def const(name: str, value: Any, dtype: Any = np.int32) -> Node:
    return name, "Const", [], {"dtype": INT if dtype is np.int32 else LONG, "value": np.array(value, dtype)}


def message(*nodes: Node) -> Any:
    """A graph of (name, op, inputs, attributes); numbers of attributes are types."""
    made = tf.compat.v1.GraphDef()
    made.node.add(name="x", op="Placeholder").attr["dtype"].type = FLOAT
    for name, op, inputs, attrs in nodes:
        node = made.node.add(name=name, op=op, input=inputs)
        for key, value in attrs.items():
            if isinstance(value, np.ndarray):
                node.attr[key].tensor.CopyFrom(tf.make_tensor_proto(value))
            elif isinstance(value, bool):
                node.attr[key].b = value
            else:
                node.attr[key].type = value
    return made


def called(made: Any, *fetches: str) -> Callable[[Any], Any]:
    """A function of `x` that gives tensors of a graph."""
    return tf.function(lambda x: tf.import_graph_def(made, {"x:0": x}, list(fetches)))  # type: ignore[no-any-return]


KIND = {"element_dtype": FLOAT}
SHAPED = {**KIND, "shape_type": INT}
SCALAR, ANY = const("scalar", np.zeros([0])), const("any", -1)
EMPTY: Node = ("empty", "EmptyTensorList", ["scalar", "most"], SHAPED)
START = [SCALAR, ANY, const("most", -1), EMPTY]


def test_a_list_grows_and_shrinks_at_its_end() -> None:
    made = message(
        *START, ("one", "TensorListPushBack", ["empty", "x"], KIND), ("twice", "AddV2", ["x", "x"], {"T": FLOAT}),
        ("two", "TensorListPushBack", ["one", "twice"], KIND), ("popped", "TensorListPopBack", ["two", "scalar"], KIND),
        ("length", "TensorListLength", ["popped"], {}), ("before", "TensorListLength", ["two"], {}),
        ("all", "TensorListStack", ["two", "scalar"], KIND),
    )  # fmt: skip
    function = called(made, "popped:1", "length:0", "before:0", "all:0")
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        last, length, before, every = function(x)
    assert (last.numpy(), length.numpy(), before.numpy(), every.numpy().tolist()) == (6, 1, 2, [3, 6])
    assert tape.gradient(last, x).numpy() == 2 and tape.gradient(every, x).numpy() == 3


def test_a_list_is_resized() -> None:
    made = message(
        *START, const("size", 3), ("one", "TensorListPushBack", ["empty", "x"], KIND),
        ("three", "TensorListResize", ["one", "size"], {}), ("length", "TensorListLength", ["three"], {}),
        const("zero", 0), ("item", "TensorListGetItem", ["three", "zero", "scalar"], KIND),
        const("none", 0), ("gone", "TensorListResize", ["three", "none"], {}),
        ("left", "TensorListLength", ["gone"], {}),
    )  # fmt: skip
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        length, item, left = called(made, "length:0", "item:0", "left:0")(x)
    assert (length.numpy(), item.numpy(), left.numpy()) == (3, 3, 0)
    assert tape.gradient(item, x).numpy() == 1
    made = message(*START, const("size", -2), ("less", "TensorListResize", ["empty", "size"], {}),
                   ("length", "TensorListLength", ["less"], {}))  # fmt: skip
    with pytest.raises((ValueError, tf.errors.OpError), match="size to be non-negative. Got: -2"):
        called(made, "length:0")(x)


def test_items_are_joined() -> None:
    rows = const("rows", [-1, 2])
    made = message(
        rows, ANY, const("most", -1), ("empty", "EmptyTensorList", ["any", "most"], SHAPED),
        ("one", "TensorListPushBack", ["empty", "x"], KIND), const("first", [0, 0]), const("size", [1, 2]),
        ("part", "Slice", ["x", "first", "size"], {"T": FLOAT, "Index": INT}),
        ("two", "TensorListPushBack", ["one", "part"], KIND), const("leading", np.zeros([0]), np.int64),
        ("joined", "TensorListConcatV2", ["two", "rows", "leading"], SHAPED),
    )  # fmt: skip
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        joined, lengths = called(made, "joined:0", "joined:1")(x)
    assert joined.numpy().tolist() == [[1, 2], [3, 4], [1, 2]] and lengths.numpy().tolist() == [2, 1]
    assert lengths.dtype is tf.int64
    assert tape.gradient(joined, x).numpy().tolist() == [[2, 2], [1, 1]]


def test_items_are_gathered_and_written() -> None:
    made = message(
        SCALAR, const("count", 3), ("made", "TensorListReserve", ["scalar", "count"], SHAPED),
        const("at", 2), ("set", "TensorListSetItem", ["made", "at", "x"], KIND),
        const("first", 0), ("both", "TensorListSetItem", ["set", "first", "twice"], KIND),
        const("middle", 1), ("full", "TensorListSetItem", ["both", "middle", "x"], KIND),
        ("twice", "AddV2", ["x", "x"], {"T": FLOAT}), const("places", [2, 0, 0]),
        ("found", "TensorListGather", ["full", "places", "scalar"], KIND),
        ("shape", "TensorListElementShape", ["full"], {"shape_type": INT}),
    )  # fmt: skip
    x = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        found, shape = called(made, "found:0", "shape:0")(x)
    assert found.numpy().tolist() == [5, 10, 10] and shape.numpy().tolist() == []
    assert tape.gradient(found, x).numpy() == 5  # TensorFlow gives 3: of an item that is found twice it counts one


def test_a_tensor_is_split_into_items() -> None:
    made = message(
        ANY, const("lengths", [1, 2], np.int64), ("parts", "TensorListSplit", ["x", "any", "lengths"], SHAPED),
        const("one", 1), ("item", "TensorListGetItem", ["parts", "one", "any"], KIND),
        ("whole", "TensorListFromTensor", ["x", "scalar"], SHAPED), SCALAR,
        ("stacked", "TensorListStack", ["whole", "scalar"], KIND),
    )  # fmt: skip
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        item, stacked = called(made, "item:0", "stacked:0")(x)
    assert item.numpy().tolist() == [2, 3] and stacked.numpy().tolist() == [1, 2, 3]
    assert tape.gradient(item, x).numpy().tolist() == [0, 1, 1]


@pytest.mark.parametrize("op", ["Equal", "NotEqual"])
def test_tensors_whose_shapes_do_not_fit_differ_as_a_whole(op: str) -> None:
    attrs = {"T": FLOAT, "incompatible_shape_error": False}
    made = message(("y", "Placeholder", [], {"dtype": FLOAT}), ("same", op, ["x", "y"], attrs))

    @tf.function
    def compared(x: Any, y: Any) -> Any:
        return tf.import_graph_def(made, {"x:0": x, "y:0": y}, ["same:0"])[0]

    equal = op == "Equal"
    assert compared(tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0])).numpy() == (not equal)
    assert compared(tf.constant([1.0, 2.0]), tf.constant([1.0, 3.0])).numpy().tolist() == [equal, not equal]
    assert compared(tf.constant(1.0), tf.constant(1.0)).numpy() == equal
    assert compared(tf.constant([[1.0], [2.0]]), tf.constant([1.0, 2.0])).numpy().tolist() == [
        [equal, not equal], [not equal, equal],
    ]  # fmt: skip
