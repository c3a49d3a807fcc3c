"""NumPy's behavior of tensors: off until it is asked for, and in force in graphs, with variables and gradients."""

from __future__ import annotations

import subprocess
import sys

import pytest

import inlay as tf

IN_FORCE = """
import numpy as np
import inlay as tf

tf.experimental.numpy.experimental_enable_numpy_behavior()
whole, single = tf.constant([1, 2], tf.int32), tf.constant([0.5, 1.5], tf.float32)

@tf.function
def sums(x, y):
    return x + y, y + x, x < y, x[[1, 0]], y[y > 1], y.reshape(2, 1).T

total, turned, less, chosen, masked, row = sums(whole, single)
assert total.dtype == turned.dtype == tf.float64 and total.numpy().tolist() == [1.5, 3.5], total
assert less.numpy().tolist() == [False, False]
assert chosen.numpy().tolist() == [2, 1] and masked.numpy().tolist() == [1.5] and row.shape == (1, 2)

with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    assert session.run(tf.constant([1]) + 0.5).tolist() == [1.5]

table = tf.experimental.numpy.copy(np.arange(6).reshape(2, 3))
assert whole.mean().dtype == tf.experimental.numpy.mean(whole).dtype == tf.float64
assert table[:, (True, False, True)].numpy().tolist() == [[0, 2], [3, 5]]

variable = tf.Variable([1, 2])
assert (variable + single).dtype == (single + variable).dtype == tf.float64
with tf.GradientTape() as tape:
    tape.watch(single)
    product = tf.reduce_sum((whole * single)[[1, 1]])
assert tape.gradient(product, single).numpy().tolist() == [0.0, 4.0]

class Answers:
    def __radd__(self, other):
        return "mine"

assert whole + Answers() == "mine"
for key, error in (([5], tf.errors.InvalidArgumentError), ([0.5], IndexError), ([], IndexError)):
    try:
        whole[key]
    except error:
        pass
    else:
        raise AssertionError(key)

tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="safe")
for call in (lambda: tf.add(whole, single), lambda: whole * 0.5, lambda: variable.assign(single)):
    try:
        call()
    except TypeError as refusal:
        assert "SAFE" in str(refusal), refusal
    else:
        raise AssertionError
assert tf.add(whole, tf.constant([1], tf.int64)).dtype == tf.int64
assert whole.mean().dtype == tf.experimental.numpy.mean(whole).dtype == tf.float32
small = tf.Variable([1.0, 2.0])
small.assign_add(tf.constant([1, 2], tf.int16))
assert small.numpy().tolist() == [2.0, 4.0]

tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="off")
try:
    tf.add(whole, single)
except tf.errors.InvalidArgumentError:
    print("in force")
"""


def test_operators_methods_and_indices_follow_numpy_where_it_is_in_force() -> None:
    done = subprocess.run([sys.executable, "-c", IN_FORCE], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.strip() == "in force", done.stderr


@pytest.mark.parametrize("name", ["T", "astype", "reshape", "size", "tolist", "clip"])
def test_a_method_of_numpy_says_how_tensors_get_it(name: str) -> None:
    tensor = tf.constant([1])
    assert not hasattr(tensor, name)
    with pytest.raises(AttributeError, match="experimental_enable_numpy_behavior"):
        getattr(tensor, name)


def test_another_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="dtype_conversion_mode must be one of off, legacy, all, safe"):
        tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="numpy")
