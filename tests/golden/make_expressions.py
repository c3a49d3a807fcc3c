"""Write tests/golden/expressions.json: what TensorFlow gives for the expressions in tests/golden/expressions.

pip install tensorflow-cpu==2.21.0
PYTHONPATH=. python tests/golden/make_expressions.py

An expression stands on a line of its own; lines that begin with # are headings. Besides `tf` and `np` it may use the
names that `names` gives.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
TABLES = sorted(path.stem for path in (HERE / "expressions").glob("*.py"))


def expressions(table: str) -> list[str]:
    """The expressions of a table."""
    text: str = importlib.import_module(f"tests.golden.expressions.{table}").EXPRESSIONS
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def names(tf: Any) -> dict[str, Any]:
    """What expressions may use: constructors of tensors of a type, values, and derivatives."""

    def of(dtype: str) -> Callable[[Any], Any]:
        return lambda value: tf.constant(value, getattr(tf, dtype))

    def grad(function: Callable[..., Any], *values: Any) -> list[Any]:
        """The gradient of the sum of a function with respect to each of its arguments."""
        xs = [tf.convert_to_tensor(v) for v in values]
        if not tf.executing_eagerly():
            ys = tf.nest.flatten(function(*xs))
            return tf.gradients(ys, xs, grad_ys=[tf.ones_like(y) for y in ys])  # type: ignore[no-any-return]
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = function(*xs)
        return tape.gradient(y, xs)  # type: ignore[no-any-return]

    def seen(interpolation: str, mode: str, images: Any = None, transforms: Any = None) -> Any:
        """Images seen through transforms."""
        return tf.raw_ops.ImageProjectiveTransformV3(
            images=np.arange(70.0).reshape(1, 5, 7, 2) if images is None else images,
            transforms=[[1.3, -0.4, 3, 0.2, 0.7, -4, 0.01, -0.02]] if transforms is None else transforms,
            output_shape=[6, 4], fill_value=7.0, interpolation=interpolation, fill_mode=mode,
        )  # fmt: skip

    cube = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    return {
        "tf": tf,
        "np": np,
        "v1": tf.compat.v1,
        "tnp": tf.experimental.numpy,
        "ds": tf.compat.v1.distributions,
        "inf": np.inf,
        "nan": np.nan,
        "grad": grad,
        "seen": seen,
        "definite": lambda matrix: tf.linalg.LinearOperatorFullMatrix(
            matrix, is_self_adjoint=True, is_positive_definite=True
        ),
        "now": lambda rate: rate() if callable(rate) else rate,
        "X": np.array([[1.0, -2.0, 3.0], [4.0, 0.5, -6.0]], np.float32),
        "CUBE": cube,
        "LETTERS": tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ["a", "b", "c"], [2, 2]),
        "PLACED": tf.SparseTensor([[0, 0], [1, 1]], [7, 8], [2, 2]),
        "NARROW": tf.ragged.constant([[1], [2, 3]], tf.int32, row_splits_dtype=tf.int32),
        "CORNERS": np.array(
            [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]],
            np.float32,
        ),
        "SCORES": np.array(
            [[[0.9, 0.3], [0.75, 0.5], [0.6, 0.95], [0.95, 0.6], [0.5, 0.75], [0.3, 0.9]]], np.float32
        ),
        "SQUARE": np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]], np.float32),
        "HUES": [
            [0.5, 0.5, 0.5], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.5, 0.2], [0.2, 0.5, 0.5],
            [0.5, 0.2, 0.5], [0.3, 0.7, 0.9], [0.9, 0.4, 0.1],
        ],
        "IMAGE": (np.arange(48, dtype=np.float32) * 7 % 48).reshape(1, 4, 4, 3) / 48,
        **{
            short: of(long)
            for short, long in {
                "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i8": "int8", "i16": "int16",
                "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
                "c64": "complex64", "c128": "complex128", "text": "string",
            }.items()
        },
    }  # fmt: skip


def plain(value: Any) -> Any:
    """A result as JSON: [dtype, shape, values] of a tensor, lists of those, Python's own values as they are."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if hasattr(value, "dense_shape"):
        return ["sparse", plain(value.indices), plain(value.values), plain(value.dense_shape)]
    if isinstance(value, (list, tuple)) and not type(value).__name__ == "TensorShape":
        return [plain(v) for v in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if hasattr(value, "to_list"):
        return ["ragged", json_of(value.to_list())]
    if type(value).__name__ in ("TensorShape", "DType", "Dimension"):
        return repr(value)
    array = value.numpy() if hasattr(value, "numpy") else value
    array = np.array(array, object) if isinstance(array, bytes) else np.asarray(array)
    return [array.dtype.name, list(array.shape), json_of(array.ravel().tolist())]


def json_of(value: Any) -> Any:
    """Numbers with nine digits; complex ones as pairs; bytes as text."""
    if isinstance(value, list):
        return [json_of(v) for v in value]
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, complex):
        return [json_of(value.real), json_of(value.imag)]
    return value if isinstance(value, (int, bool, str)) else float(f"{float(value):.9g}")


def main() -> None:
    import tensorflow as tf  # type: ignore[import-not-found]

    made = f"TensorFlow {tf.__version__}, NumPy {np.__version__}, {Path(__file__).name}"
    known, rows = names(tf), []
    for table in TABLES:
        for expression in expressions(table):
            try:
                value = plain(eval(expression, known))
            except Exception as error:
                raise SystemExit(f"{table}: {expression}\n{type(error).__name__}: {error}") from error
            rows.append(f"{json.dumps(f'{table}: {expression}')}:{json.dumps(value)}")
    text = ",\n".join(rows)
    (HERE / "expressions.json").write_text(f'{{"made_with":{json.dumps(made)},"values":{{\n{text}\n}}}}\n', "utf-8")
    print(f"{len(rows)} expressions", file=sys.stderr)


if __name__ == "__main__":
    main()
