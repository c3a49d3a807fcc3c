"""Structured values of TensorFlow's messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import inlay as tf
from inlay._src.base.protos.saved_objects import StructuredValue
from inlay._src.saved.tensorflow_models import structures

FLOAT = tf.float32.as_datatype_enum


def value(change: Callable[[Any], Any]) -> Any:
    """A message, filled in."""
    made = StructuredValue()
    change(made)
    return made


def spec(made: Any, *sizes: int) -> None:
    """Makes a message the spec of a tensor."""
    made.tensor_spec_value.dtype = FLOAT
    made.tensor_spec_value.shape.SetInParent()
    for size in sizes:
        made.tensor_spec_value.shape.dim.add(size=size)


def test_values_of_every_kind() -> None:
    def change(made: Any) -> None:
        fields = made.dict_value.fields
        fields["none"].none_value.SetInParent()
        fields["number"].int64_value = -3
        fields["text"].string_value = "x"
        fields["dtype"].tensor_dtype_value = FLOAT
        fields["shape"].tensor_shape_value.dim.add(size=-1)
        spec(fields["spec"], -1, 2)
        fields["pair"].tuple_value.values.add().bool_value = True
        fields["list"].list_value.values.add().float64_value = 0.5

    assert structures.structure_in(value(change)) == {
        "none": None, "number": -3, "text": "x", "dtype": tf.float32, "shape": tf.TensorShape([None]),
        "spec": tf.TensorSpec([None, 2]), "pair": (True,), "list": [0.5],
    }  # fmt: skip


def test_named_tuples_have_their_fields() -> None:
    def change(made: Any) -> None:
        made.named_tuple_value.name = "Point"
        for key, number in (("x", 1), ("y", 2)):
            pair = made.named_tuple_value.values.add()
            pair.key, pair.value.int64_value = key, number

    point = structures.structure_in(value(change))
    assert type(point).__name__ == "Point" and (point.x, point.y) == (1, 2)


def test_specs_of_composites_and_of_classes_that_are_not_here() -> None:
    def change(made: Any) -> None:
        made.type_spec_value.type_spec_class = 1
        state = made.type_spec_value.type_state.tuple_value
        state.values.add().tensor_shape_value.dim.add(size=3)
        state.values.add().tensor_dtype_value = FLOAT

    assert structures.structure_in(value(change)) == tf.SparseTensorSpec([3], tf.float32)
    made = value(change)
    del made.type_spec_value.type_state.tuple_value.values[:]
    made.type_spec_value.type_state.tuple_value.values.add().string_value = "x"
    with pytest.raises(ValueError, match=r"a SparseTensorSpec of \('x',\) makes no sense"):
        structures.structure_in(made)
    made.type_spec_value.type_spec_class, made.type_spec_value.type_spec_class_name = 13, "my.OddSpec"
    with pytest.raises(tf.errors.UnimplementedError, match=r"described by a my\.OddSpec, a class that is not here"):
        structures.structure_in(made)


def test_nesting_has_a_limit() -> None:
    made = StructuredValue()
    inner = made
    for _ in range(structures.MOST_NESTED + 1):
        inner = inner.list_value.values.add()
    inner.int64_value = 1
    with pytest.raises(ValueError, match="nested more than 64 deep"):
        structures.structure_in(made)


def test_arguments_are_positional_and_by_keyword() -> None:
    def change(made: Any) -> None:
        spec(made.tuple_value.values.add().tuple_value.values.add(), 2)
        spec(made.tuple_value.values.add().dict_value.fields["y"])

    positional, keyword = structures.arguments_in(value(change))
    assert positional == (tf.TensorSpec([2]),) and keyword == {"y": tf.TensorSpec([])}
    for wrong in (lambda made: spec(made), lambda made: made.tuple_value.values.add(), lambda made: None):
        with pytest.raises((ValueError, TypeError)):
            structures.arguments_in(value(wrong))


def test_results_have_holes_for_tensors() -> None:
    def change(made: Any) -> None:
        spec(made.dict_value.fields["a"], 2)
        made.dict_value.fields["b"].list_value.values.add().int64_value = 7
        spec(made.dict_value.fields["b"].list_value.values.add())

    results = structures.results_in(value(change))
    assert list(results.specs) == [tf.TensorSpec([2]), tf.TensorSpec([])]
    assert [hole.index for hole in results.template.holes()] == [0, 1]
