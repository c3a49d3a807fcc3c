"""Resizing equals TensorFlow's, recorded by make_resize.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from tests.golden.make_resize import gradients, resized

CASES: dict[str, Any] = json.loads((Path(__file__).parent / "resize.json").read_text(encoding="utf-8"))["cases"]


@pytest.fixture(scope="module")
def ours() -> dict[str, Any]:
    return resized(tf) | gradients(tf)


def test_the_recorded_cases_are_those_computed(ours: dict[str, Any]) -> None:
    assert sorted(ours) == sorted(CASES)


@pytest.mark.parametrize("name", CASES)
def test_equals_tensorflow(ours: dict[str, Any], name: str) -> None:
    want, got = CASES[name], ours[name]
    assert (got.dtype.name, got.shape.as_list()) == (want["dtype"], want["shape"])
    scale = 255 if "uint8" in name else 1
    np.testing.assert_allclose(got.numpy(), np.reshape(want["values"], want["shape"]), atol=1e-5 * scale)
