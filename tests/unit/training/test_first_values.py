"""`init_from_checkpoint`: values and classes of errors as TensorFlow 2.21 has them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1
A, B = np.arange(6, dtype=np.float32).reshape(3, 2), np.float32([7, 8])
BIG = np.arange(10, dtype=np.float32).reshape(5, 2)


@pytest.fixture
def path(tmp_path: Path) -> str:
    with tf.Graph().as_default(), v1.Session() as session:
        for name, value in {"old/a": A, "old/b": B, "old/sub/c": np.int32(5), "big": BIG}.items():
            v1.get_variable(name, initializer=value)
        session.run(v1.global_variables_initializer())
        return str(v1.train.Saver().save(session, str(tmp_path / "model")))


def new(name: str, *shape: int, dtype: Any = tf.float32, **options: Any) -> Any:
    return v1.get_variable(name, shape, dtype, initializer=v1.zeros_initializer(), **options)


def in_two(name: str) -> Any:
    return new(name, 5, 2, partitioner=v1.fixed_size_partitioner(2))


CASES: dict[str, tuple[Callable[[], list[Any]], Any, list[Any]]] = {
    "scope": (
        lambda: [new("new/a", 3, 2), new("new/b", 2), new("new/sub/c", dtype=tf.int32)],
        {"old/": "new/"},
        [A, B, 5],
    ),
    "names": (lambda: [new("x", 3, 2), new("y/z", 2)], {"old/a": "x", "old/b": "y/z"}, [A, B]),
    "pairs": (lambda: [new("x", 2), new("y", 2)], [("old/b", "x"), ("old/b", "y")], [B, B]),
    "root into a scope": (lambda: [new("m/old/a", 3, 2), new("m/big", 5, 2)], {"/": "m/"}, [A, BIG]),
    "root": (lambda: [new("old/a", 3, 2), new("big", 5, 2)], {"/": "/"}, [A, BIG]),
    "parts": (lambda: [in_two("w/big")], {"big": "w/big"}, [BIG]),
    "parts in a scope": (lambda: [in_two("w/big")], {"/": "w/"}, [BIG]),
    "another variable of the graph": (lambda: [new("x", 2), new("y", 2)], {"old/b": "x"}, [B, [0, 0]]),
}


@pytest.mark.parametrize("name", CASES)
def test_variables_begin_with_the_values_of_a_checkpoint(name: str, path: str) -> None:
    make, mapping, expected = CASES[name]
    with tf.Graph().as_default(), v1.Session() as session:
        made = make()
        assert v1.train.init_from_checkpoint(path, mapping) is None
        session.run(v1.global_variables_initializer())
        for variable, value in zip(made, expected, strict=True):
            np.testing.assert_array_equal(session.run(tf.convert_to_tensor(variable)), value)


def test_variables_and_lists_of_parts_stand_for_themselves_and_a_folder_for_its_latest(path: str) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        b, parts = new("b", 2), in_two("w")
        v1.train.init_from_checkpoint(Path(path).parent, {"old/b": b, "big": list(parts)})
        assert b.initializer.type == "AssignVariableOp" and b.initial_value.shape == [2]
        session.run([b.initializer, *[v.initializer for v in parts]])
        np.testing.assert_array_equal(session.run(b), B)
        np.testing.assert_array_equal(session.run(tf.convert_to_tensor(parts)), BIG)
        b.load([1.0, 2.0], session)
        assert session.run(b).tolist() == [1.0, 2.0]


def test_parts_that_were_saved_are_found_again(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        saved = v1.get_variable("w", initializer=BIG, partitioner=v1.fixed_size_partitioner(2))
        session.run([v.initializer for v in saved])
        path = v1.train.Saver().save(session, str(tmp_path / "parts"))
    with tf.Graph().as_default(), v1.Session() as session:
        parts = in_two("s/w")
        v1.train.init_from_checkpoint(path, {"/": "s/"})
        session.run([v.initializer for v in parts])
        np.testing.assert_array_equal(session.run(tf.convert_to_tensor(parts)), BIG)


def test_an_eager_variable_is_given_its_value_at_once(path: str) -> None:
    variable = tf.Variable([0.0, 0.0])
    v1.train.init_from_checkpoint(path, {"old/b": variable})
    np.testing.assert_array_equal(variable.numpy(), B)


@pytest.mark.parametrize(
    ("mapping", "name", "shape", "error", "words"),
    [
        ({"nope": "x"}, "x", [2], ValueError, "Tensor nope is not found in"),
        ({"old/": "new/"}, "new/q", [2], ValueError, "Tensor old/q .*is not found in"),
        ({"old/b": "x"}, "x", [3], ValueError, r"Shape of variable x:0 .* tensor old/b \(\[2\]\)"),
        ({"old/": "new/"}, "new/b", [3], ValueError, "Shape of variable new/b:0"),
        ({"old/b": "none"}, "x", [2], ValueError, "should map to scope only old/b.*There is no variable 'none'"),
        ({"old": "new/"}, "new/a", [3, 2], ValueError, "Should be 'scope/': 'other_scope/'"),
        ({"old/b": 3}, "x", [2], TypeError, "the list of its parts, or a name, not 3"),
    ],
)
def test_what_does_not_fit_is_refused(
    mapping: Any, name: str, shape: list[int], error: Any, words: str, path: str
) -> None:
    with tf.Graph().as_default():
        new(name, *shape)
        with pytest.raises(error, match=words):
            v1.train.init_from_checkpoint(path, mapping)


def test_another_type_is_told_when_the_initializer_runs(path: str) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        variable = new("x", 2, dtype=tf.float64)
        v1.train.init_from_checkpoint(path, {"old/b": variable})
        with pytest.raises(tf.errors.InvalidArgumentError, match="expected dtype float64 does not equal"):
            session.run(variable.initializer)


def test_a_checkpoint_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "none"):
        with pytest.raises((tf.errors.NotFoundError, ValueError)):
            v1.train.init_from_checkpoint(place, {"a": "b"})
