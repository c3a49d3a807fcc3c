"""Rows of the table of `Dataset`, and the forms of transformations for `Dataset.apply`."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import pytest

import inlay as tf
from inlay._src.data.node import Node
from inlay._src.data.pipeline import applied, as_method
from inlay._src.data.taking import TakeNode

ROWS = {
    name: value
    for name, value in vars(tf.data.Dataset).items()
    if not name.startswith("_") and (isinstance(value, classmethod) or inspect.isfunction(value))
}


@pytest.mark.parametrize("name", ROWS)
def test_a_method_is_named_and_documented_after_its_row(name: str) -> None:
    method: Any = getattr(tf.data.Dataset, name)
    assert (method.__name__, method.__qualname__) == (name, f"Dataset.{name}")
    parameters = inspect.signature(method).parameters
    described = inspect.getdoc(method) or ""
    assert [p for p in parameters if p not in ("self", "args", "kwargs") and p not in described] == []


@pytest.mark.parametrize("name", ["batch", "save", "stats", "map"])
def test_a_method_takes_self_and_no_node(name: str) -> None:
    assert next(iter(inspect.signature(getattr(tf.data.Dataset, name)).parameters)) == "self"


def test_a_class_method_shows_the_parameters_of_its_function() -> None:
    assert str(inspect.signature(tf.data.Dataset.from_tensors)) == (
        "(tensors: 'Any', name: 'str | None' = None) -> 'Dataset'"
    )


def test_a_call_that_does_not_fit_names_the_method() -> None:
    with pytest.raises(TypeError, match=r"^Dataset\.take\(\) missing 1 required positional argument: 'count'"):
        tf.data.Dataset.range(3).take()  # type: ignore[call-arg]


def test_methods_are_pickled_by_their_public_name() -> None:
    assert pickle.loads(pickle.dumps(tf.data.Dataset.batch)) is tf.data.Dataset.batch


def test_a_transformation_keeps_the_options() -> None:
    options = tf.data.Options()
    options.deterministic = False
    dataset = tf.data.Dataset.range(3).with_options(options)
    assert dataset.take(1).options().deterministic is False
    assert dataset.apply(tf.data.experimental.take_while(lambda x: x < 1)).options().deterministic is False


def first(source: Node, count: Any, name: str | None = None) -> Node:
    """The first elements.

    Args:
      count: an int64 scalar.
    """
    return TakeNode(source, tf.constant(count, tf.int64))


def test_an_applied_transformation_takes_the_arguments_without_the_name() -> None:
    transformation = applied(first)
    assert list(inspect.signature(transformation).parameters) == ["count"]
    assert (transformation.__doc__ or "").endswith("Returns:\n  A function for `Dataset.apply`.")
    assert list(tf.data.Dataset.range(3).apply(transformation(2)).as_numpy_iterator()) == [0, 1]
    with pytest.raises(TypeError, match=r"^first\(\) missing a required argument: 'count'"):
        transformation()  # type: ignore[call-arg]


def test_a_name_that_would_hide_a_builtin_loses_its_underscore() -> None:
    def filter_(source: Node, predicate: Any) -> Node:
        """Some elements."""
        return source

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return filter_(self, *args, **kwargs)

    assert as_method(method, filter_, passed=1).__qualname__ == "Dataset.filter"
    assert str(inspect.signature(method)) == "(self, predicate: 'Any') -> 'Dataset'"
