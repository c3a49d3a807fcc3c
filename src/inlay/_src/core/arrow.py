"""Tensors as Arrow data, for libraries of data frames."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def arrow_stream(value: Any, requested_schema: Any = None) -> Any:
    """`__arrow_c_stream__` of an eager tensor or a variable: its rows as one column, in memory of the reader's own.

    Arrow's data are made by the library that asks, polars or PyArrow: this package needs neither.

    Args:
      value: the tensor or variable; strings become binary data.
      requested_schema: a capsule with the schema that the reader would like.

    Returns:
      A capsule with a stream of Arrow arrays.

    Raises:
      TypeError: if neither library is loaded.
    """
    array = np.asarray(value)
    rows = array.tolist() if array.dtype == object else array
    if polars := sys.modules.get("polars"):
        return polars.Series(rows).__arrow_c_stream__(requested_schema)
    if pyarrow := sys.modules.get("pyarrow"):
        return pyarrow.chunked_array([pyarrow.array(rows)]).__arrow_c_stream__(requested_schema)
    raise TypeError("a tensor becomes Arrow data through polars or PyArrow, and neither is loaded; pass `.numpy()`")
