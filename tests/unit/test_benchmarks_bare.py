"""The bare loop of a row does the row's work."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import inlay
from benchmarks.cases import bare, everyday
from benchmarks.environments import PEERS
from benchmarks.rows import ALL_ROWS

OWN_CASES = importlib.import_module(f"benchmarks.cases.{PEERS['inlay'].cases}").CASES


def test_every_form_op_loop_step_and_array_has_a_bare_loop() -> None:
    bounded = {row.bare for row in ALL_ROWS if row.group not in ("", "conversions")}
    assert "" not in bounded and bounded <= set(OWN_CASES)
    wide = next(row for row in ALL_ROWS if row.name == "session_py_func_wide")
    assert wide.bare == "session_py_func_wide_bare" and wide.bare in wide.references


@pytest.mark.parametrize("name", bare.OPS)
def test_the_bare_loop_of_an_op_computes_the_same(name: str) -> None:
    if name == "random_uniform":
        return
    result = everyday.OPS[name](inlay, everyday.values(inlay))
    expected = bare.OPS[name](bare.Numbers())
    if name == "top_k":
        result = result.indices
    for one, other in zip(inlay.nest.flatten(result), inlay.nest.flatten(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
