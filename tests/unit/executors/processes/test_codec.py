"""The codec of plain values: what it encodes comes back as it was, and it refuses what it would change."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.host.executors.processes import codec

DTYPES = ["?", "i1", "u8", "f2", "f4", "f8", "c8", "c16", ml_dtypes.bfloat16]
plain = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.complex_numbers(), st.text(), st.binary(),
        st.sampled_from(["?", "i1", "u8", "f2", "f4", "f8", "c8", "c16"]).flatmap(
            lambda d: arrays.arrays(np.dtype(d), arrays.array_shapes(min_dims=0, min_side=0, max_side=4))
        ),
        st.floats(width=32).map(np.float32),
        st.lists(st.floats(width=32)).map(lambda v: tf.constant(v, tf.float32)),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.text(), inner, max_size=3),
    ),
    max_leaves=12,
)  # fmt: skip


def same(a: Any, b: Any) -> bool:
    """Whether nobody can tell two values apart."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, tf.Tensor):
        return a.dtype is b.dtype and same(a._value, b._value)
    if isinstance(a, (np.ndarray, np.generic)):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, float):
        return a == b and math.copysign(1, a) == math.copysign(1, b) or (math.isnan(a) and math.isnan(b))
    return repr(a) == repr(b)


@given(plain)
def test_a_value_comes_back_as_it_was_or_is_refused(value: Any) -> None:
    try:
        stream = codec.dumps(value)
    except codec.NotPlain:
        return
    assert stream[0] != codec.PICKLED
    assert same(codec.loads(memoryview(stream)), value)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (3,), (0, 4), (2, 3, 1)])
def test_arrays_own_their_memory(dtype: Any, shape: tuple[int, ...]) -> None:
    array = np.ones(shape, dtype)
    back = codec.loads(codec.dumps([array, array[()] if not shape else None]))[0]
    assert same(back, array)
    assert back.flags.owndata and back.flags.writeable and back.flags.c_contiguous


class Text(str):
    pass


class Columns(np.ndarray):
    pass


CYCLE: list[Any] = []
CYCLE.append(CYCLE)
ONE = np.ones(2)


@pytest.mark.parametrize(
    "value",
    [
        Text("a"),
        [{1: 2}],
        {1, 2},
        object(),
        CYCLE,
        [ONE, ONE],
        [[ONE], {"a": ONE}],
        np.ones(3, ">f4"),
        np.ones(3, np.dtype("f4", metadata={"a": 1})),
        np.ones((3, 3))[:, ::2],
        np.asfortranarray(np.ones((3, 3))),
        np.zeros(TUNING.sent_array_bytes, np.uint8),
        np.zeros(2, [("a", "i4")]),
        np.array([b"a"], object),
        np.ones(2).view(Columns),
        tf.constant(["text"]),
    ],
    ids=lambda v: type(v).__name__,
)
def test_all_else_is_refused(value: Any) -> None:
    with pytest.raises(codec.NotPlain):
        codec.dumps(value)
