"""Variables of TensorFlow 1 that are references: results are those that TensorFlow 2.21 gave for the same messages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf

FLOAT, INT = 1, 3
T = {"T": FLOAT}
W = ("w", "VariableV2", [], {"dtype": FLOAT, "shape": [2]})
COUNT = ("c", "VariableV2", [], {"dtype": INT, "shape": []})
Node = tuple[str, str, list[str], dict[str, Any]]


def message(*nodes: Node) -> Any:
    """A graph of (name, op, inputs, attributes)."""
    made = tf.compat.v1.GraphDef()
    made.versions.producer = 27
    for name, op, inputs, attrs in nodes:
        node = made.node.add(name=name, op=op, input=inputs)
        for key, value in attrs.items():
            attr = node.attr[key]
            if key in ("T", "dtype", "Tindices"):
                attr.type = value
            elif key == "shape":
                attr.shape.SetInParent()
                for size in value:
                    attr.shape.dim.add(size=size)
            elif key == "value":
                attr.tensor.CopyFrom(tf.make_tensor_proto(value))
            else:
                attr.i = value
    return made


def const(name: str, value: Any, dtype: int = FLOAT) -> Node:
    array = np.array(value, {FLOAT: np.float32, INT: np.int32}[dtype])
    return name, "Const", [], {"dtype": dtype, "value": array}


V, D = const("v", [1.0, 2.0]), const("d", [10.0, 20.0])
INIT: Node = ("init", "Assign", ["w", "v"], T)


def run(made: Any, *fetches: Any) -> list[Any]:
    """The results of runs, one after the other, in one session."""
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(made, name="")
        with tf.compat.v1.Session(graph=graph) as session:
            results = [session.run(fetch) for fetch in fetches]
    return [None if result is None else np.asarray(result).tolist() for result in results]


def test_a_variable_is_assigned_read_and_fetched_by_every_name() -> None:
    made = message(
        W, V, D, INIT, ("read", "Identity", ["w"], T), ("add", "AssignAdd", ["w", "d"], T),
        ("sub", "AssignSub", ["w", "v"], T),
    )  # fmt: skip
    assert run(made, "init:0", "w:0", "add:0", "read:0", "sub", "sub:0", "w:0", "w") == [
        [1, 2], [1, 2], [11, 22], [11, 22], None, [9, 18], [9, 18], None,
    ]  # fmt: skip


def test_a_reference_is_passed_on_and_used_as_a_value() -> None:
    made = message(
        W, V, D, ("first", "Assign", ["w", "v"], T), ("second", "AssignAdd", ["first", "d"], T),
        ("third", "AssignAdd", ["second", "d"], T), ("y", "AddV2", ["third", "v"], T),
    )  # fmt: skip
    assert run(made, "y:0", "w:0", "third:0") == [[22, 44], [21, 42], [21, 42]]


def test_a_step_of_training_changes_it() -> None:
    made = message(
        W, V, INIT, const("a", 0.5), const("g", [2.0, 4.0]), ("step", "ApplyGradientDescent", ["w", "a", "g"], T),
        ("after", "Mul", ["step", "step"], T),
    )  # fmt: skip
    assert run(made, "init:0", "step:0", "after:0", "w:0") == [[1, 2], [0, 0], [1, 4], [-1, -2]]


def test_rows_are_added() -> None:
    made = message(
        W, V, INIT, const("i", [1, 1], INT), const("u", [5.0, 6.0]),
        ("s", "ScatterAdd", ["w", "i", "u"], {**T, "Tindices": INT}), ("n", "Neg", ["s"], T),
    )  # fmt: skip
    assert run(made, "init:0", "n:0", "w:0") == [[1, 2], [-1, -13], [1, 13]]


def test_it_is_counted_up_and_asked_whether_it_has_a_value() -> None:
    made = message(
        COUNT, const("z", 0, INT), ("is", "IsVariableInitialized", ["c"], {"dtype": INT}),
        ("init", "Assign", ["c", "z"], {"T": INT}), ("up", "CountUpTo", ["c"], {"T": INT, "limit": 2}),
    )  # fmt: skip
    assert run(made, "is:0", "init:0", "is:0", "up:0", "up:0", "c:0") == [False, 0, True, 0, 1, 2]
    with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 2"):
        run(made, "init:0", "up:0", "up:0", "up:0")


def test_one_variable_is_assigned_another_one() -> None:
    made = message(
        W, V, INIT, ("x", "Variable", [], {"dtype": FLOAT, "shape": [2]}), ("copy", "Assign", ["x", "w"], T),
        ("sum", "AddN", ["w", "x", "w"], {**T, "N": 3}),
    )  # fmt: skip
    assert run(made, "init:0", "copy:0", "x:0", "sum:0") == [[1, 2], [1, 2], [1, 2], [3, 6]]


def test_without_a_value_it_is_an_error_to_read_it() -> None:
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value w"):
        run(message(W, ("read", "Identity", ["w"], T)), "read:0")
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value w"):
        run(message(W), "w:0")


def test_names_that_are_taken_are_left_alone() -> None:
    others = [("init/update", "Identity", ["v"], T), ("w/read", "Identity", ["v"], T), ("y/w", "Neg", ["v"], T)]
    made = message(W, V, INIT, *others, ("y", "Neg", ["w"], T))
    assert run(made, "init:0", "y:0", "y/w:0", "w/read:0", "init/update:0", "w:0") == [
        [1, 2], [-1, -2], [-1, -2], [1, 2], [1, 2], [1, 2],
    ]  # fmt: skip


def test_the_message_is_not_changed() -> None:
    made = message(W, V, INIT, ("y", "Neg", ["init"], T))
    before = made.SerializeToString(deterministic=True)
    run(made, "y:0")
    assert made.SerializeToString(deterministic=True) == before


def test_a_circle_of_references_is_told() -> None:
    made = message(W, V, ("a", "Assign", ["b", "v"], T), ("b", "Assign", ["a", "v"], T))
    with tf.Graph().as_default(), pytest.raises(ValueError, match="the graph has a circle"):
        tf.import_graph_def(made)


def test_a_reference_that_is_none_is_told() -> None:
    made = message(W, V, ("a", "Assign", ["v", "v"], T))
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"Node 'a' \(Assign\)"):
        tf.import_graph_def(made)
