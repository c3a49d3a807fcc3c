"""Random, string, printing, image and array ops equal TensorFlow's, recorded by make_values.py."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from tests.golden.make_values import all_cases, plain

RECORDED: dict[str, Any] = json.loads((Path(__file__).parent / "values.json").read_text(encoding="utf-8"))["cases"]
TOLERANCE = {"float16": 2e-3, "bfloat16": 2e-2}


@pytest.fixture(scope="module")
def cases() -> dict[str, Callable[[], Any]]:
    return all_cases(tf)


def test_the_recorded_cases_are_those_computed(cases: dict[str, Any]) -> None:
    assert list(cases) == list(RECORDED)


@pytest.mark.parametrize("name", RECORDED)
def test_equals_tensorflow(cases: dict[str, Callable[[], Any]], name: str) -> None:
    compare(plain(cases[name]()), RECORDED[name])


def compare(got: Any, want: Any) -> None:
    """Equal dtypes, shapes and values; numbers up to rounding."""
    if want and isinstance(want[0], list):
        assert len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            compare(g, w)
    elif want[0] in ("ragged", "object", "bool") or "int" in want[0]:
        assert got == want
    else:
        assert got[:2] == want[:2]
        tolerance = TOLERANCE.get(want[0], 2e-6)
        np.testing.assert_allclose(got[2], want[2], rtol=tolerance, atol=tolerance)
