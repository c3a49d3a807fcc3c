"""Data frames of polars and PyArrow take tensors and variables."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import inlay as tf


class Column:
    """Stands in for a column of either library."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.values, requested_schema


@pytest.fixture(params=["polars", "pyarrow"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A library of data frames that makes columns, the only one that is loaded."""
    for name in ("polars", "pyarrow"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    module = ModuleType(request.param)
    module.Series = module.array = Column  # type: ignore[attr-defined]
    module.chunked_array = lambda arrays: arrays[0]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, request.param, module)
    return module


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("kind", [tf.constant, tf.Variable])
def test_the_library_that_asks_makes_the_column(kind: Any) -> None:
    value = kind([1, 2])
    rows, schema = value.__arrow_c_stream__("schema")
    assert schema == "schema"
    assert isinstance(rows, np.ndarray) and rows.dtype == np.int32
    rows[0] = 9
    assert value.numpy().tolist() == [1, 2]
    assert kind(["a", "b"]).__arrow_c_stream__() == ([b"a", b"b"], None)


def test_without_a_library_the_error_says_what_to_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("polars", "pyarrow"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(TypeError, match=r"through polars or PyArrow, and neither is loaded; pass `\.numpy\(\)`"):
        tf.constant([1]).__arrow_c_stream__()


def test_constructors_of_polars_take_tensors() -> None:
    polars = pytest.importorskip("polars", reason="of no group: 100 MB")
    for value in (tf.constant([1.5, 2.5]), tf.Variable([1.5, 2.5])):
        series = polars.Series(value)
        assert (series.dtype, series.to_list()) == (polars.Float32, [1.5, 2.5])
        frame = polars.DataFrame({"a": value, "b": tf.constant(["x", "y"])})
        assert frame.schema == {"a": polars.Float32, "b": polars.Binary}
        assert frame.rows() == [(1.5, b"x"), (2.5, b"y")]
    assert polars.Series(tf.constant([[1, 2], [3, 4]])).to_list() == [[1, 2], [3, 4]]
