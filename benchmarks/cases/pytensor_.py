"""PyTensor: `as_op`."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.timing import Timed, control, loop


def load() -> Any:
    """The module that the programs call `pytensor`."""
    import pytensor
    import pytensor.compile.ops
    import pytensor.tensor

    return pytensor


def _unchanged(pytensor: Any) -> Any:
    vector = pytensor.tensor.fvector

    @pytensor.compile.ops.as_op(itypes=[vector], otypes=[vector])
    def unchanged(value: Any) -> Any:
        return value.copy()  # an op may not return its input

    return unchanged


def _compiled(pytensor: Any, build: Any) -> Timed:
    x = pytensor.tensor.fvector()
    function = pytensor.function([x], build(x))
    feed = np.ones(4, np.float32)
    return loop(lambda: function(feed))


def session_py_func(pytensor: Any) -> Timed:
    return _compiled(pytensor, _unchanged(pytensor))


def session_py_func_chain(pytensor: Any) -> Timed:
    unchanged = _unchanged(pytensor)

    def build(x: Any) -> Any:
        for _ in range(50):
            x = unchanged(x)
        return x

    return _compiled(pytensor, build)


def session_py_func_wide(pytensor: Any) -> Timed:
    # Distinct ops, because equal ops of equal inputs are merged.
    return _compiled(pytensor, lambda x: [_unchanged(pytensor)(x) for _ in range(100)])


CASES = {
    builder.__name__: builder for builder in (control, session_py_func, session_py_func_chain, session_py_func_wide)
}
