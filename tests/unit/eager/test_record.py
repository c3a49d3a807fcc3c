"""Structures of records: what of an input is part of them, and what a gradient may leave out."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.types.keys import NoKey
from inlay._src.core.eager.record import ASKED, Record, kept_attrs, structure_of, unshared
from inlay._src.core.opdef import OPS

tf.Graph  # noqa: B018  (declares the ops)


def test_of_a_tensor_its_type_and_rank_are_part() -> None:
    one, two = structure_of(tf.constant([1.0, 2.0])), structure_of(tf.constant([3.0]))
    assert one == two == (tf.float32, 1)
    assert structure_of(tf.constant(1.0)) == (tf.float32, 0)
    assert structure_of(tf.constant([1.0], tf.float64)) == (tf.float64, 1)
    assert structure_of(tf.Variable(1.0).__inlay_gradient_source__()) == (tf.resource,)


DISTINCT: list[Any] = [
    None, 0, 1, True, False, 0.0, -0.0, 1.0, "0", b"0", tf.float32, (), [], (0,), [0], [[0]], (0.0,),
    np.array([0]), np.array([1]), np.array([0], np.int32), np.array([[0]]), np.array([False]),
    tf.TensorShape([1]), tf.TensorShape([None]), tf.TensorShape(None),
]  # fmt: skip


def test_static_values_are_told_from_one_another_with_their_types() -> None:
    keys = [structure_of(v) for v in DISTINCT]
    assert len(set(keys)) == len(DISTINCT)
    assert keys == [structure_of(v) for v in DISTINCT]


@pytest.mark.parametrize("value", [object(), np.zeros(65, np.int32), np.zeros(2, np.float32), [object()], lambda: None])
def test_what_differs_from_call_to_call_can_be_no_part(value: Any) -> None:
    with pytest.raises(NoKey):
        structure_of(value)
    attrs, key = kept_attrs({"a": 1, "b": value})
    assert key is None and [*attrs] == ["a", "b"]


def test_attributes_are_known_by_their_names_types_and_values() -> None:
    one, two = kept_attrs({"axis": 1, "keep": True})[1], kept_attrs({"axis": True, "keep": 1})[1]
    assert one is not None and one[0].content[:2] == ("axis", "keep") and one != two
    assert kept_attrs({"axis": 1, "keep": True})[1] == one != kept_attrs({"axis": 1, "kept": True})[1]


@pytest.mark.parametrize("value", [1, "text", tf.float32, 2.5, (1, 2), [3, 4], np.array([1, 2])], ids=repr)
def test_equal_attributes_are_one_object_in_another_process_too(value: Any) -> None:
    one, two = (kept_attrs({"a": copy.copy(value), "b": None})[1] for _ in range(2))
    assert one is not None and two is not None and one[0] is two[0]
    assert pickle.loads(pickle.dumps(one))[0] is one[0]


def test_attributes_that_are_gone_are_not_taken_for_others_in_their_place() -> None:
    """What is met by identity is kept alive: no other value can take the identity."""
    keys = {kept_attrs({"a": 10_000 + k})[1] for k in range(50)}
    assert len(keys) == 50


def test_lists_and_arrays_are_copied_and_nothing_else_is() -> None:
    given = {"axes": [1, 2], "scale": 2.0}
    attrs = kept_attrs(given)[0]
    given["axes"].append(3)
    assert attrs == {"axes": [1, 2], "scale": 2.0}
    mutable, array, x = [1, 2], np.arange(3), tf.constant(1.0)
    assert unshared(mutable) == mutable and unshared(mutable) is not mutable
    assert (unshared(array) == array).all() and not np.shares_memory(unshared(array), array)
    assert unshared(x) is x and unshared((1,)) == (1,) and unshared(None) is None


def test_a_gradient_is_needed_for_what_is_asked() -> None:
    x, w = tf.constant(1.0), tf.constant(2.0)
    record = Record(OPS["Mul"], (x, w), (tf.constant(2.0),), {}, None)
    assert record.needs(0) and record.needs(1)  # nobody said
    token = ASKED.set({id(w)})
    try:
        assert not record.needs(0) and record.needs(1)
    finally:
        ASKED.reset(token)
