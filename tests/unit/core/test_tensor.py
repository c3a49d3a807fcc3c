"""Eager tensors: what they print, convert to and refuse."""

from __future__ import annotations

import copy
import pickle
import weakref
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import inlay as tf


@pytest.mark.parametrize(
    ("value", "shown", "printed"),
    [
        ([1.0, 2.0], "shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)",
         "tf.Tensor([1. 2.], shape=(2,), dtype=float32)"),
        (1.5, "shape=(), dtype=float32, numpy=1.5", "tf.Tensor(1.5, shape=(), dtype=float32)"),
        (3, "shape=(), dtype=int32, numpy=3", "tf.Tensor(3, shape=(), dtype=int32)"),
        (True, "shape=(), dtype=bool, numpy=True", "tf.Tensor(True, shape=(), dtype=bool)"),
        ("a", "shape=(), dtype=string, numpy=b'a'", "tf.Tensor(b'a', shape=(), dtype=string)"),
        ([["a"]], "shape=(1, 1), dtype=string, numpy=array([[b'a']], dtype=object)",
         "tf.Tensor([[b'a']], shape=(1, 1), dtype=string)"),
        ([[1], [2]], "shape=(2, 1), dtype=int32, numpy=\narray([[1],\n       [2]], dtype=int32)",
         "tf.Tensor(\n[[1]\n [2]], shape=(2, 1), dtype=int32)"),
    ],
)  # fmt: skip
def test_printing(value: Any, shown: str, printed: str) -> None:
    t = tf.constant(value)
    assert repr(t) == f"<tf.Tensor: {shown}>" and str(t) == printed


def test_conversions_to_python_and_numpy() -> None:
    t = tf.constant([[1, 2], [3, 4]])
    assert (len(t), t.ndim, t.shape, t.get_shape()) == (2, 2, (2, 2), tf.TensorShape([2, 2]))
    assert [row.numpy().tolist() for row in t] == [[1, 2], [3, 4]]
    assert np.array(t, np.float64).dtype == np.float64 and np.asarray(t).tolist() == [[1, 2], [3, 4]]
    two = tf.constant(2)
    assert (int(two), float(two), bool(two), complex(two), list(range(5))[two], "abc"[two]) == (2, 2.0, True, 2, 2, "c")
    assert "ab"[tf.constant(True)] == "b"
    assert isinstance(two.numpy(), np.int32) and tf.constant(b"x").numpy() == b"x"
    assert isinstance(tf.constant(1.5, tf.bfloat16).numpy(), ml_dtypes.bfloat16)
    assert f"{tf.constant(1.2345):.2f}" == "1.23"


def test_what_a_tensor_refuses() -> None:
    scalar, many = tf.constant(1.5), tf.constant([1, 2])
    with pytest.raises(TypeError, match="only integer scalar tensors can be converted to an index"):
        [0][scalar]  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="Cannot iterate over a scalar tensor"):
        iter(scalar)
    with pytest.raises(TypeError, match=r"Scalar tensor has no `len\(\)`"):
        len(scalar)
    with pytest.raises(TypeError, match="Tensor is unhashable"):
        hash(scalar)
    with pytest.raises(ValueError, match="ambiguous|more than one"):
        bool(many)
    for name in ("name", "op", "graph"):
        with pytest.raises(AttributeError, match=f"Tensor.{name} is undefined when eager execution is enabled"):
            getattr(scalar, name)
    with pytest.raises(ValueError, match=r"Tensor's shape \(2,\) is not compatible with supplied shape \(3,\)"):
        many.set_shape([3])
    with pytest.raises(NotImplementedError, match="eval is not supported when eager execution is enabled"):
        scalar.eval()


def test_equality_is_by_element_and_references_are_hashable() -> None:
    a, b = tf.constant([1, 2]), tf.constant([1, 3])
    assert (a == b).numpy().tolist() == [True, False]
    assert (a != b).numpy().tolist() == [False, True]
    assert a.ref() == a.ref() and a.ref() != b.ref() and a.ref().deref() is a
    assert len({a.ref(), a.ref(), b.ref()}) == 2
    assert (a.ref() < b.ref()) != (b.ref() < a.ref()) and not a.ref() < a.ref()
    keyed = {a.ref(): 1, b.ref(): 2}
    assert tf.nest.map_structure(lambda n: n * 10, keyed) == {a.ref(): 10, b.ref(): 20}
    with pytest.raises(TypeError):
        a.ref() < 1  # noqa: B015


@pytest.mark.parametrize("value", [1.5, [1, 2], "é", [b"a\0"], True, [], 1j])
def test_traveling(value: Any) -> None:
    t = tf.constant(value)
    again = pickle.loads(pickle.dumps(t))
    assert again.dtype is t.dtype and again.shape == t.shape and repr(again) == repr(t)
    assert repr(copy.deepcopy(t)) == repr(t)


def test_a_value_cannot_be_changed_from_outside() -> None:
    t = tf.constant([1.0, 2.0])
    for own in (t.numpy(), np.asarray(t), np.array(t), np.from_dlpack(t)):
        own[...] = 9.0
    with pytest.raises(ValueError, match="read-only"):
        t.__array__(copy=False)[...] = 9.0
    assert t.numpy().tolist() == [1.0, 2.0]


def test_the_methods_of_operators_are_listed() -> None:
    listed = tf.Tensor.OVERLOADABLE_OPERATORS
    assert {"__add__", "__radd__", "__getitem__", "__eq__", "__neg__"} <= listed
    assert all(callable(getattr(tf.Tensor, name)) for name in listed)


def test_tensors_take_attributes_and_weak_keys() -> None:
    x = tf.constant([1.0])
    x.label = "mine"
    with tf.Graph().as_default():
        y = tf.constant([2.0])
        y.label = x
    keys = weakref.WeakKeyDictionary({x.ref(): 1})
    assert x.label == "mine" and y.label is x and len(keys) <= 1


@pytest.mark.parametrize("name", ["dtype", "shape", "ndim"])
def test_a_property_of_tensors_has_hover_text(name: str) -> None:
    assert vars(tf.Tensor)[name].__doc__
