"""What TensorFlow's private modules have and no public namespace has."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from types import ModuleType

import numpy as np
import pytest

import inlay as tf


@pytest.fixture(autouse=True)
def tensorflow() -> Iterator[ModuleType]:
    with tf.experimental.as_tensorflow() as found:
        yield found


def test_whether_behavior_is_that_of_2_is_told() -> None:
    from tensorflow.python import tf2

    assert tf2.enabled() is True
    tf.compat.v1.disable_eager_execution()
    try:
        assert tf2.enabled() is False
    finally:
        tf.compat.v1.enable_eager_execution()


def test_local_devices_are_listed() -> None:
    from tensorflow.python.client import device_lib

    first = device_lib.list_local_devices()[0]
    assert (first.device_type, first.name) == ("CPU", tf.config.list_logical_devices()[0].name)


def test_a_tensor_waits_for_what_it_depends_on() -> None:
    from tensorflow.python.ops import control_flow_ops

    ran: list[int] = []
    with tf.Graph().as_default():
        noted = tf.py_function(lambda: ran.append(1), [], [])
        y = control_flow_ops.with_dependencies([noted], tf.constant(2.0))
        with tf.compat.v1.Session() as sess:
            assert (sess.run(y), ran) == (2.0, [1])


@pytest.mark.parametrize(
    ("name", "rows", "values", "expected"),
    [
        ("alias_inplace_update", 1, [9, 9], [[1, 2], [9, 9], [5, 6]]),
        ("alias_inplace_update", [0, 2], [[7, 7], [8, 8]], [[7, 7], [3, 4], [8, 8]]),
        ("inplace_add", [2], [[1, 1]], [[1, 2], [3, 4], [6, 7]]),
        ("alias_inplace_sub", None, [[1, 1], [1, 1], [1, 1]], [[0, 1], [2, 3], [4, 5]]),
    ],
)
def test_rows_are_written_over(name: str, rows: object, values: object, expected: object) -> None:
    from tensorflow.python.ops import inplace_ops

    x = tf.constant([[1, 2], [3, 4], [5, 6]])
    np.testing.assert_array_equal(getattr(inplace_ops, name)(x, rows, values), expected)
    np.testing.assert_array_equal(x, [[1, 2], [3, 4], [5, 6]])


def test_a_deprecated_function_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    from tensorflow.python.util import deprecation

    @deprecation.deprecated("2030-01-31", "Use g.")
    @deprecation.deprecated_args(None, "x is gone", "x")
    def f(x: int) -> int:
        return x + 1

    with caplog.at_level(logging.WARNING, "inlay"):
        with deprecation.silence():
            assert f(1) == 2
        assert caplog.messages == []
        assert (f(1), f(2)) == (2, 3)
    assert [m.partition(".f ")[2] for m in caplog.messages] == [
        "is deprecated and will be removed after 2030-01-31. Use g."
    ]


def test_an_absent_private_name_says_what_to_do_instead() -> None:
    with pytest.raises(ImportError, match="tensor_list_gather is not here: use tf.TensorArray"):
        from tensorflow.python.ops.list_ops import tensor_list_gather  # noqa: F401
    with pytest.raises(AttributeError, match="tensor_list_stack is not here: use tf.TensorArray"):
        from tensorflow.python.ops import list_ops

        list_ops.tensor_list_stack(None)


def test_more_nests_are_found() -> None:
    from tensorflow.python.util import nest

    assert nest.map_structure_up_to is tf.contrib.framework.nest.map_structure_up_to
