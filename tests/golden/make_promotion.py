"""Write tests/golden/promotion.json: the dtypes that TensorFlow gives operands of several in the modes of its NumPy
behaviour.

pip install tensorflow-cpu==2.21.0
PYTHONPATH=. python tests/golden/make_promotion.py
"""

from __future__ import annotations

import json
import operator
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
MODES = ("legacy", "all", "safe", "off")
DTYPES = (
    "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 bfloat16 float16 float32 float64 complex64 complex128"
).split()
NUMBERS = {"1": 1, "1.5": 1.5, "1j": 1j, "[1, 2]": [1, 2], "[1.5, 2]": [1.5, 2.0]}
METHODS = {
    "T": lambda x: x.T,
    "astype": lambda x: x.astype(np.int8),
    "clip": lambda x: x.clip(2, 3),
    "flatten": lambda x: x.flatten("F"),
    "max": lambda x: x.max(axis=1, keepdims=True),
    "mean": lambda x: x.mean(0),
    "mean of integers": lambda x: x.astype(np.int32).mean(),
    "min": lambda x: x.min(),
    "ravel": lambda x: x.ravel(),
    "reshape": lambda x: x.reshape(4, 1),
    "reshape in Fortran's order": lambda x: x.reshape((4, 1), order="F"),
    "size": lambda x: x.size,
    "tolist": lambda x: x.tolist(),
    "transpose": lambda x: x.transpose([1, 0]),
    "a list of rows": lambda x: x[[1, 0, 1]],
    "a list of columns": lambda x: x[:, [1]],
    "two lists": lambda x: x[[0, 1], [1, 0]],
    "a mask": lambda x: x[x > 2],
    "an array between slices": lambda x: x[None, np.array([1]), ..., 0],
}
"""What is done with [[1, 2], [3, 4]], float32."""


def outcomes(tf: Any, mode: str) -> dict[str, Any]:
    """The dtype of each result, or "refused"; and what the methods give."""
    if mode != "off":
        tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=mode)

    def named(call: Callable[[], Any]) -> str:
        try:
            result: str = call().dtype.name
        except (TypeError, ValueError, tf.errors.OpError):
            return "refused"
        return result

    def of(dtype: str) -> Any:
        return tf.cast(tf.constant([1, 1], tf.int32), dtype)

    found: dict[str, Any] = {}
    calls: dict[str, Callable[[Any, Any], Any]] = {
        "+": operator.add, "/": operator.truediv, "==": operator.eq, "tf.add": tf.add, "tf.maximum": tf.maximum,
        "tf.divide": tf.divide,
    }  # fmt: skip
    for text, call in calls.items():
        for x in DTYPES:
            found[f"{x} {text}"] = " ".join(named(lambda: call(of(x), of(d))) for d in DTYPES)  # noqa: B023
    for x in DTYPES:
        found[f"{x} + numbers"] = " ".join(named(lambda: of(x) + number) for number in NUMBERS.values())  # noqa: B023
        found[f"numbers + {x}"] = " ".join(named(lambda: number + of(x)) for number in (1, 1.5, 1j))  # noqa: B023
    for x in ("uint8", "int32", "float16", "float32", "complex64"):
        variable = tf.Variable(tf.cast(1, x))
        found[f"{x} variable"] = " ".join(
            named(lambda: variable.assign_add(tf.cast(1, d)))  # noqa: B023
            for d in DTYPES
        )
        found[f"{x} variable, numbers"] = " ".join(named(lambda: variable.assign(n)) for n in (1, 1.5, 1j))  # noqa: B023
    if mode != "off":
        matrix = tf.constant([[1.0, 2.0], [3.0, 4.0]], tf.float32)
        results = {name: method(matrix) for name, method in METHODS.items()}
        found |= {f"x: {name}": [str(getattr(r, "dtype", "")), np.asarray(r).tolist()] for name, r in results.items()}
    return found


def main() -> None:
    import tensorflow as tf  # type: ignore[import-not-found]

    rows = [f"{json.dumps(mode)}:{json.dumps(outcomes(tf, mode))}" for mode in (MODES[-1], *MODES[:-1])]
    made = f"TensorFlow {tf.__version__}, {Path(__file__).name}"
    text = ",\n".join(rows)
    (HERE / "promotion.json").write_text(f'{{"made_with":{json.dumps(made)},"modes":{{\n{text}\n}}}}\n', "utf-8")
    print(f"{len(rows)} modes", file=sys.stderr)


if __name__ == "__main__":
    main()
