"""Record draws of a key and a counter of TensorFlow 2.21.

    python tests/golden/make_keyed_draws.py            # tensorflow-cpu==2.21.0

Each array is the hexadecimal digits of its bytes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import tensorflow as tf

SHAPE = [3, 5]
COUNTERS = [[0, 0], [7, 0], [2**64 - 2, 5], [2**32 - 1, 2**63 + 11]]
DTYPES = {
    "StatelessRandomUniformV2": ["float16", "bfloat16", "float32", "float64"],
    "StatelessRandomNormalV2": ["float16", "bfloat16", "float32", "float64"],
    "StatelessTruncatedNormalV2": ["float16", "float32", "float64"],
    "StatelessRandomUniformFullIntV2": ["int32", "int64", "uint32", "uint64"],
    "StatelessRandomUniformIntV2": ["int32", "int64"],
}
RANGES = {"int32": [-5, 1000], "int64": [-(2**40), 2**50]}


def drawn(op: str, dtype: str, key: int, counter: list[int]) -> Any:
    operands = {"shape": SHAPE, "key": tf.constant([key], tf.uint64), "counter": tf.constant(counter, tf.uint64)}
    if op == "StatelessRandomUniformIntV2":
        low, high = (tf.constant(bound, dtype) for bound in RANGES[dtype])
        return tf.raw_ops.StatelessRandomUniformIntV2(**operands, alg=1, minval=low, maxval=high)
    return getattr(tf.raw_ops, op)(**operands, alg=1, dtype=dtype)


def advanced(state: list[int], delta: int) -> dict[str, Any]:
    """A generator's state before and after it is moved."""
    variable = tf.Variable(tf.constant(state, tf.int64))
    before = tf.raw_ops.RngReadAndSkip(resource=variable.handle, alg=1, delta=tf.constant(delta, tf.uint64))
    return {"state": state, "delta": delta, "before": before.numpy().tolist(), "after": variable.numpy().tolist()}


def main() -> None:
    draws = []
    for op, dtypes in DTYPES.items():
        for dtype in dtypes:
            for key, counter in zip([0, 1, 2**64 - 1, 0x123456789ABCDEF], COUNTERS, strict=True):
                data = drawn(op, dtype, key, counter).numpy().tobytes().hex()
                draws.append({"op": op, "dtype": dtype, "key": key, "counter": counter, "data": data})
    seeds = []
    for seed in ([0, 0], [1, 2], [-1, 3], [2**62, -(2**63)]):
        key, counter = tf.raw_ops.StatelessRandomGetKeyCounter(seed=tf.constant(seed, tf.int64))
        seeds.append({"seed": seed, "key": key.numpy().tolist(), "counter": counter.numpy().tolist()})
    states = [
        advanced(*each)
        for each in [
            ([0, 0, 9], 3), ([-1, 0, 9], 1), ([-3, 7, 9], 300), ([-1, -1, 9], 2), ([5, -1, 1], 2**63),
            ([-256, 4, 2], 1), ([0, 0, 0], 0), ([2**62, 1, 1], 2**56),
        ]
    ]  # fmt: skip
    said = {"shape": SHAPE, "ranges": RANGES, "draws": draws, "seeds": seeds, "states": states}
    Path(__file__).with_name("keyed_draws.json").write_text(json.dumps(said, indent=None, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
