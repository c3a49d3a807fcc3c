"""TensorSpec."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import inlay as tf


def test_specs_compare_print_and_travel() -> None:
    spec = tf.TensorSpec([2, None], "float64", name="x")
    assert repr(spec) == "TensorSpec(shape=(2, None), dtype=tf.float64, name='x')"
    assert (spec.shape, spec.dtype, spec.name) == (tf.TensorShape([2, None]), tf.float64, "x")
    for again in (pickle.loads(pickle.dumps(spec)), copy.deepcopy(spec), tf.TensorSpec.from_spec(spec)):
        assert again == spec and hash(again) == hash(spec)
    assert spec != tf.TensorSpec([2, None], tf.float64) != tf.TensorSpec([2, None], tf.float32)
    assert tf.TensorSpec.from_tensor(tf.constant([1, 2])) == tf.TensorSpec([2], tf.int32)


def test_what_satisfies_a_spec() -> None:
    spec = tf.TensorSpec([None, 2], tf.float32)
    assert spec.is_compatible_with(tf.ones([3, 2]))
    assert spec.is_compatible_with(np.zeros((0, 2), np.float32))
    assert not spec.is_compatible_with(tf.ones([2]))
    assert not spec.is_compatible_with(np.zeros((3, 2)))
    assert not spec.is_compatible_with(3.0)
    assert spec.most_specific_compatible_type(tf.TensorSpec([4, 2])) == tf.TensorSpec([None, 2])
    with pytest.raises(ValueError, match="No TypeSpec is compatible with both"):
        spec.most_specific_compatible_type(tf.TensorSpec([4, 2], tf.int32))
