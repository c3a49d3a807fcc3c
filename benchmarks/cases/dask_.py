"""Dask: `dask.get`, the synchronous scheduler; `dask.threaded.get` where calls are independent."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.timing import Timed, control, loop


def load() -> Any:
    """The module that the programs call `dask`."""
    import dask
    import dask.threaded

    return dask


def unchanged(value: Any) -> Any:
    return value


def session_py_func(dask: Any) -> Timed:
    x = np.ones(4, np.float32)
    return loop(lambda: dask.get({"x": x, "y": (unchanged, "x")}, "y"))


def session_py_func_chain(dask: Any) -> Timed:
    x = np.ones(4, np.float32)
    steps = {f"y{k}": (unchanged, f"y{k - 1}" if k else "x") for k in range(50)}
    return loop(lambda: dask.get({"x": x, **steps}, "y49"))


def session_py_func_wide(dask: Any) -> Timed:
    x = np.ones(4, np.float32)
    steps = {f"y{k}": (unchanged, "x") for k in range(100)}
    names = list(steps)
    return loop(lambda: dask.threaded.get({"x": x, **steps}, names))


CASES = {
    builder.__name__: builder for builder in (control, session_py_func, session_py_func_chain, session_py_func_wide)
}
