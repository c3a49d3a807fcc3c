"""Layers of 1.x give what TensorFlow gave when make_layers.py recorded it: names and shapes of variables, outputs,
losses, updates, values, gradients, classes of errors.
"""

from __future__ import annotations

import functools
import gzip
import json
import re
from typing import Any

import numpy as np
import pytest

import inlay.compat.v1 as tf
from tests.recorded.layers import CASES, outcome
from tests.recorded.make_layers import FILE


@functools.cache
def recorded() -> dict[str, Any]:
    cases: dict[str, Any] = json.loads(gzip.decompress(FILE.read_bytes()))["cases"]
    return cases


def same(got: Any, want: Any) -> bool:
    """Whether arrays are: float32 sums in another order."""
    if got is None or want is None:
        return got is want
    return got[0] == want[0] and np.allclose(got[1], want[1], rtol=2e-4, atol=2e-5)


INSIDE = re.compile(
    r"/(FusedBatchNorm\w*|batchnorm|cond|Tensordot|Squeeze|BiasAdd|Conv\w+|separable_conv2d|Reshape\w*|softmax|Softmax|truediv|div)(/.*)?:0$"
)


def scoped(outputs: list[Any]) -> list[Any]:
    """Outputs by the scope of their layer: which op of a layer comes last is not compared where ours differ."""
    return [[INSIDE.sub(":0", name), shape] for name, shape in outputs]


def differing(got: dict[str, Any], want: dict[str, Any]) -> dict[str, Any]:
    """What differs -> (here, TensorFlow's)."""
    found = {}
    for key in {*got, *want}:
        a, b = got.get(key), want.get(key)
        if key in ("values", "costs", "gradients", "after") and a is not None and b is not None:
            if len(a) == len(b):
                bad = [i for i, pair in enumerate(zip(a, b, strict=True)) if not same(*pair)]
                a, b = [a[i] for i in bad], [b[i] for i in bad]
        if key == "outputs" and a is not None and b is not None:
            a, b = scoped(a), scoped(b)
        if a != b:
            found[key] = (a, b)
    return found


@pytest.mark.parametrize("name", CASES)
def test_layers_are_tensorflows(name: str) -> None:
    got = json.loads(json.dumps(outcome(tf, tf.contrib.slim, CASES[name])))
    assert differing(got, recorded()[name]) == {}


def test_every_case_is_recorded() -> None:
    assert set(CASES) == set(recorded())
