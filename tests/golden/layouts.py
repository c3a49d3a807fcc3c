"""Ops on tensors that lie on a mesh of 3 by 2 devices, with axes x and y: which layout their results have.

`XY` is a float32[6,4] that is cut along x and y, `U` stands for an axis that is not cut; others likewise. `V` and `W`
are float32[4], `T` is float32[2,3,6,4] cut along its last axes.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

NAMES = ("UU", "XU", "YU", "UY", "XY")
_ONE = """
-{a}
tf.exp({a})
tf.cast({a}, tf.float64)
{a} + 1
2. * {a}
{a} > 3
{a} + V
{a} + W
tf.where({a} > 3, {a}, -{a})
tf.ones_like({a})
tf.nn.relu({a})
tf.add_n([{a}, {a}])
tf.reduce_sum({a})
tf.reduce_sum({a}, 0)
tf.reduce_mean({a}, 1, keepdims=True)
tf.reduce_max({a}, [1])
tf.argmax({a}, 1)
tf.transpose({a})
tf.expand_dims({a}, 0)
tf.expand_dims({a}, -1)
tf.nn.softmax({a})
tf.shape({a})
tf.einsum('ij->ji', {a})
tf.einsum('ij,kj->ik', {a}, UU)
{a}.shape
"""
_TWO = "{a} + {b}|tf.matmul({a}, {b}, transpose_b=True)|tf.matmul({a}, {b}, transpose_a=True)"
_MORE = """
tf.matmul(T, T, transpose_b=True)
tf.reduce_sum(T, [0, 2])
tf.transpose(T, [3, 0, 1, 2])
T + XY
"""
EXPRESSIONS = [
    *(line.format(a=a) for line in _ONE.splitlines() if line for a in NAMES),
    *(line.format(a=a, b=b) for line in _TWO.split("|") for a, b in itertools.product(NAMES, NAMES)),
    *filter(None, _MORE.splitlines()),
]


def names(tf: Any) -> dict[str, Any]:
    """What the expressions may use; the CPU is divided into 6 logical devices if it is not yet."""
    dtensor = tf.experimental.dtensor
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 6)
    mesh = dtensor.create_mesh([("x", 3), ("y", 2)], devices=[f"CPU:{i}" for i in range(6)])

    def lay(shape: tuple[int, ...], letters: str) -> Any:
        value = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        specs = [dtensor.UNSHARDED if s == "U" else s.lower() for s in letters]
        whole = dtensor.copy_to_mesh(value, dtensor.Layout.replicated(mesh, len(shape)))
        return dtensor.relayout(whole, dtensor.Layout(specs, mesh))

    return {
        "tf": tf,
        **{name: lay((6, 4), name) for name in NAMES},
        "V": lay((4,), "Y"),
        "W": lay((4,), "U"),
        "T": lay((2, 3, 6, 4), "UUXY"),
    }


def outcome(tf: Any, expression: str, given: Mapping[str, Any]) -> Any:
    """The layout of an expression's result, and the first device's part of it; or the class of its error."""
    try:
        result = eval(expression, dict(given))
    except Exception as error:
        return type(error).__name__
    if not tf.is_tensor(result):
        return list(result)
    part = tf.experimental.dtensor.unpack(result)[0].numpy()
    return [tf.experimental.dtensor.fetch_layout(result).sharding_specs, np.asarray(part, np.float64).tolist()]
