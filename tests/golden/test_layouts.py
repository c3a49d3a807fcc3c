"""Tensors on a mesh have the parts and layouts that TensorFlow gives them, recorded by make_layouts.py."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core import device
from tests.golden.layouts import EXPRESSIONS, names, outcome

RECORDED = dict(json.loads(Path(__file__).with_name("layouts.json").read_text()))


@pytest.fixture(scope="module")
def given() -> Iterator[dict[str, Any]]:
    device.use(None)
    yield names(tf)
    device.use(None)


def test_every_expression_is_recorded() -> None:
    assert list(RECORDED) == EXPRESSIONS


def test_results_lie_as_in_tensorflow(given: dict[str, Any]) -> None:
    wrong = []
    for expression, recorded in RECORDED.items():
        if recorded == "UnknownError":  # TensorFlow's compiler fails: the contracted axes are cut differently
            continue
        ours = outcome(tf, expression, given)
        alike = ours == recorded if expression.endswith(".shape") else ours[0] == recorded[0]
        if not alike or not np.allclose(ours[1], recorded[1], 1e-5):
            wrong.append((expression, ours, recorded))
    assert not wrong
