"""The objects that a checkpoint covers, and the paths under which they are saved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.training.trackable import Tree, children_of, is_trackable

VALUE, STATE = "/.ATTRIBUTES/VARIABLE_VALUE", "/.ATTRIBUTES/py_state"


class State(tf.train.experimental.PythonState):
    def __init__(self, text: str | bytes) -> None:
        self.text = text

    def serialize(self) -> str | bytes:
        return self.text

    def deserialize(self, string_value: Any) -> None:
        self.text = string_value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (tf.Variable(1.0), True),
        (tf.Module(), True),
        ([tf.Variable(1.0)], True),
        ({"k": [tf.Variable(1.0)]}, True),
        (State("s"), True),
        (State, False),
        (tf.Module, False),
        ([], False),
        ({}, False),
        ([1, "text"], False),
        (3, False),
        (None, False),
        (tf.constant(1.0), False),
        (np.zeros(2), False),
    ],
)
def test_what_is_covered(value: Any, expected: bool) -> None:
    assert is_trackable(value) is expected


def test_children_have_the_names_through_which_they_are_reached() -> None:
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    module = tf.Module()
    module.v, module.number, module.parts = v, 3, [w]  # type: ignore[attr-defined]
    assert list(children_of(module)) == ["v", "parts"]
    assert children_of([v, 3, w]) == {"0": v, "2": w}
    assert list(children_of({7: v, "x": 1})) == ["7"]
    assert children_of(v) == children_of(3) == {}


def test_objects_are_numbered_breadth_first_and_once() -> None:
    shared = tf.Variable(1.0, name="shared")
    root = {"b": [shared], "a": {"deep": {"again": shared}}, "c": tf.Variable(2.0, name="own")}
    tree = Tree(root)
    assert tree.paths == ["", "b", "a", "c", "b/0", "a/deep"]
    assert [n["children"] for n in tree.nodes] == [
        {"b": 1, "a": 2, "c": 3},
        {"0": 4},
        {"deep": 5},
        {},
        {},
        {"again": 4},
    ]
    assert [(i, v.name) for i, v in tree.variables()] == [(3, "own:0"), (4, "shared:0")]
    assert tree.nodes[4] == {"children": {}, "value": "b/0" + VALUE, "name": "shared"}


def test_cycles_end() -> None:
    one, two = tf.Module(), tf.Module()
    one.other, two.other = two, one  # type: ignore[attr-defined]
    one.v = tf.Variable(1.0)  # type: ignore[attr-defined]
    tree = Tree(one)
    assert len(tree.objects) == 3 and tree.nodes[1]["children"] == {"other": 0}


@pytest.mark.parametrize(
    ("name", "path"),
    [("plain", "plain"), ("a/b", "a.Sb"), (".hidden", "..hidden"), ("a.b/c", "a..b.Sc"), ("a.b", "a.b")],
)
def test_slashes_and_leading_dots_of_names_are_escaped_as_in_tensorflow(name: str, path: str) -> None:
    assert Tree({name: tf.Variable(1.0)}).paths[1] == path


@pytest.mark.parametrize("names", [["x", "y"], ["a/b", "a.Sb"]])
def test_other_names_are_other_paths(names: list[str]) -> None:
    assert len(set(Tree({n: tf.Variable(1.0) for n in names}).paths)) == (3 if names[0] == "x" else 2)


def test_slots_lie_under_the_variable_they_belong_to() -> None:
    w, other = tf.Variable([1.0]), tf.Variable([2.0])
    optimizer = tf.compat.v1.train.MomentumOptimizer(0.1, 0.9)
    optimizer.apply_gradients([(tf.constant([1.0]), w), (tf.constant([1.0]), other)])
    tree = Tree({"net": {"w": w}, "opt": optimizer})
    at = tree.objects.index(optimizer)
    ((owner, name, slot),) = tree.nodes[at]["slots"]  # the other variable is not saved, so its slot is not either
    assert (tree.objects[owner], name) == (w, "momentum")
    assert tree.paths[slot] == "net/w/.OPTIMIZER_SLOT/opt/momentum"


@pytest.mark.parametrize("text", ["text \u00e9", b"bytes \xff\x00", "", b""])
def test_python_state_comes_back_as_bytes(text: Any, tmp_path: Any) -> None:
    path = tf.train.Checkpoint(s=State(text)).write(tmp_path / "c")
    assert [n for n, _ in tf.train.list_variables(path)] == ["_CHECKPOINTABLE_OBJECT_GRAPH", "s" + STATE]
    other = State("before")
    tf.train.Checkpoint(s=other).read(path).assert_consumed()
    assert other.text == (text.encode() if isinstance(text, str) else text)


@pytest.mark.parametrize("method", ["serialize", "deserialize"])
def test_a_state_class_must_say_how(method: str) -> None:
    with pytest.raises(NotImplementedError, match=f"defines no {method}"):
        getattr(tf.train.experimental.PythonState(), method)(*([""] if method == "deserialize" else []))
