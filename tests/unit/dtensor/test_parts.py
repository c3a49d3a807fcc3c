"""Whatever the layout is, parts make up the value, and ops compute what they compute elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inlay as tf
from inlay._src.core import device
from inlay.experimental import dtensor

U = dtensor.UNSHARDED


@pytest.fixture(autouse=True, scope="module")
def divided() -> Iterator[None]:
    device.use(None)
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 6)
    yield
    device.use(None)


def layouts(rank: int) -> Any:
    """Names of the mesh's axes for a tensor's axes, none of them twice."""
    names = st.permutations(["x", "y", U, U, U][: rank + 2])
    return names.map(lambda found: list(found)[:rank])


def laid(value: np.ndarray, specs: list[str]) -> Any:
    mesh = dtensor.create_mesh([("x", 3), ("y", 2)])
    return dtensor.relayout(value, dtensor.Layout(specs, mesh))


def whole(tensor: Any) -> np.ndarray:
    mesh = dtensor.fetch_layout(tensor).mesh
    return dtensor.relayout(tensor, dtensor.Layout.replicated(mesh, tensor.ndim)).numpy()  # type: ignore[no-any-return]


@settings(max_examples=50, deadline=None)
@given(st.data(), st.integers(0, 3))
def test_parts_make_up_the_value(data: Any, rank: int) -> None:
    value = np.arange(6**rank).reshape([6] * rank)
    tensor = laid(value, data.draw(layouts(rank)))
    parts = dtensor.unpack(tensor)
    layout = dtensor.fetch_layout(tensor)
    assert all(p.shape == layout.local_shape_from_global_shape(tensor.shape) for p in parts)
    again = dtensor.pack(parts, layout)
    assert dtensor.fetch_layout(again) == layout and np.array_equal(whole(again), value)


OPS: list[Callable[..., Any]] = [
    lambda a, b: a + b,
    lambda a, b: tf.maximum(a, 2 * b) - 1,
    lambda a, b: tf.matmul(a, b),
    lambda a, b: tf.matmul(a, b, transpose_a=True),
    lambda a, b: tf.einsum("ij,kj->ki", a, b),
    lambda a, b: tf.reduce_sum(a * b, 0),
    lambda a, b: tf.transpose(tf.where(a > b, a, b)),
    lambda a, b: tf.expand_dims(a, 1) + b,
]


@settings(max_examples=100, deadline=None)
@given(layouts(2), layouts(2), st.sampled_from(OPS))
def test_a_layout_changes_no_value(left: list[str], right: list[str], function: Callable[..., Any]) -> None:
    a, b = np.arange(36.0).reshape(6, 6), np.arange(36.0, 0.0, -1.0).reshape(6, 6)
    result = function(laid(a, left), laid(b, right))
    cut = [s for s in dtensor.fetch_layout(result).sharding_specs if s != U]
    assert len(cut) == len(set(cut))
    assert np.allclose(whole(result), function(tf.constant(a), tf.constant(b)).numpy())


def test_an_op_without_outputs_gives_nothing() -> None:
    assert tf.debugging.Assert(True, [laid(np.ones(2), [U])]) is None
