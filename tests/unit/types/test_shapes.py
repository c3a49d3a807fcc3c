"""`TensorShape` and the pure functions on partial shapes."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inlay as tf
from inlay._src.base.types import shapes

KNOWN = st.lists(st.integers(0, 3), max_size=4).map(tuple)


@given(KNOWN, KNOWN)
def test_broadcast_of_known_shapes_is_numpys(a: Any, b: Any) -> None:
    try:
        expected = np.broadcast_shapes(a, b)
    except ValueError:
        with pytest.raises(ValueError, match="Dimensions must be equal, but are"):
            shapes.broadcast(a, b)
    else:
        assert shapes.broadcast(a, b) == expected


@given(KNOWN, KNOWN, st.integers(0, 255))
def test_broadcast_of_partial_shapes_never_contradicts_numpy(a: Any, b: Any, mask: int) -> None:
    """Hiding sizes may lose knowledge; it must not invent any, nor refuse what fits."""
    try:
        expected = np.broadcast_shapes(a, b)
    except ValueError:
        return
    hidden_a = tuple(None if mask >> i & 1 else d for i, d in enumerate(a))
    hidden_b = tuple(None if mask >> (i + 4) & 1 else d for i, d in enumerate(b))
    assert shapes.compatible(shapes.broadcast(hidden_a, hidden_b), expected)


@given(KNOWN, st.integers(0, 15), st.integers(0, 15))
def test_merge_knows_what_either_knows(dims: Any, one: int, two: int) -> None:
    a, b = (tuple(None if m >> i & 1 else d for i, d in enumerate(dims)) for m in (one, two))
    assert shapes.merge(a, b) == tuple(y if x is None else x for x, y in zip(a, b, strict=True))
    assert shapes.merge(None, a) == shapes.merge(a, None) == a


def test_contradictions_are_refused_in_tensorflows_words() -> None:
    with pytest.raises(ValueError) as caught:
        shapes.merge((2, 3), (2, 4))
    assert str(caught.value) == (
        "Dimension 1 in both shapes must be equal, but are 3 and 4. Shapes are [2,3] and [2,4]."
    )
    with pytest.raises(ValueError) as caught:
        shapes.merge((2,), (2, None))
    assert str(caught.value) == "Shapes must be equal rank, but are 1 and 2. Shapes are [2] and [2,?]."


@pytest.mark.parametrize(
    ("given_dims", "printed", "shown"),
    [
        (None, "<unknown>", "TensorShape(None)"),
        ([], "()", "TensorShape([])"),
        (3, "(3,)", "TensorShape([3])"),
        ([2, None], "(2, None)", "TensorShape([2, None])"),
        (np.int64([4, 5]), "(4, 5)", "TensorShape([4, 5])"),
        (tf.TensorShape([1]), "(1,)", "TensorShape([1])"),
    ],
)
def test_how_shapes_print(given_dims: Any, printed: str, shown: str) -> None:
    shape = tf.TensorShape(given_dims)
    assert (str(shape), repr(shape)) == (printed, shown)
    for again in (pickle.loads(pickle.dumps(shape)), copy.deepcopy(shape)):
        assert again == shape and repr(again) == shown


def test_bad_dimensions_are_refused() -> None:
    with pytest.raises(ValueError, match="Dimension -1 must be >= 0"):
        tf.TensorShape([-1])
    with pytest.raises(TypeError, match="Dimension value must be integer or None"):
        tf.TensorShape(["a"])
    with pytest.raises(TypeError, match="it is text"):
        tf.TensorShape("12")


def test_unknown_rank_refuses_what_needs_it() -> None:
    unknown = tf.TensorShape(None)
    assert (unknown.rank, unknown.ndims, unknown.num_elements(), bool(unknown)) == (None, None, None, False)
    with pytest.raises(ValueError, match=r"as_list\(\) is not defined on an unknown TensorShape"):
        unknown.as_list()
    with pytest.raises(ValueError, match="Cannot take the length of shape with unknown rank"):
        len(unknown)
    with pytest.raises(ValueError, match="unknown rank"):
        list(unknown)


def test_equality_hashing_and_slicing() -> None:
    assert tf.TensorShape(None) == tf.TensorShape(None)
    assert tf.TensorShape([2, None]) == tf.TensorShape([2, None]) == (2, None)
    assert tf.TensorShape([2]) != tf.TensorShape([3])
    assert len({tf.TensorShape([2]), tf.TensorShape([2]), tf.TensorShape(None)}) == 2
    shape = tf.TensorShape([2, None, 4])
    assert (shape[0], shape[1], shape[-1], shape[1:]) == (2, None, 4, tf.TensorShape([None, 4]))
    assert shape + [5] == [2, None, 4, 5] and [1] + shape == [1, 2, None, 4]
    assert tf.TensorShape(None)[1:] == tf.TensorShape(None)


def test_what_is_compatible() -> None:
    assert tf.TensorShape([2, None]).is_compatible_with([None, 3])
    assert not tf.TensorShape([2, None]).is_compatible_with([3, 3])
    assert tf.TensorShape(None).is_compatible_with([7])
    assert tf.TensorShape([2, 3]).is_subtype_of([None, 3])
    assert not tf.TensorShape([None, 3]).is_subtype_of([2, 3])
    assert tf.TensorShape([2, 3]).num_elements() == 6
    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(3,\) are incompatible"):
        tf.TensorShape([2]).assert_is_compatible_with([3])
    with pytest.raises(ValueError, match=r"Shape \(2, 3\) must have rank 1"):
        tf.TensorShape([2, 3]).with_rank(1)
