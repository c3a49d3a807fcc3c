"""Calls with ragged and sparse values, and of functions that run a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.recorded.draws import Call, Draws, Given, calls, program


def ragged(d: Draws, kind: str = "wide") -> tuple[Given, Given]:
    """Values and row lengths."""
    lengths = np.array([d.whole(0, 3) for _ in range(d.whole(0, 4))], np.int64)
    return d.given(kind, (int(lengths.sum()),), odd=False), Given(lengths)


RAGGED: dict[str, Callable[[Any, Any], Any]] = {
    "reduce_sum": lambda tf, r: tf.reduce_sum(r, axis=1),
    "reduce_sum_all": lambda tf, r: tf.reduce_sum(r),
    "reduce_sum_0": lambda tf, r: tf.reduce_sum(r, axis=0),
    "reduce_mean": lambda tf, r: tf.reduce_mean(r, axis=-1),
    "reduce_max": lambda tf, r: tf.reduce_max(r, axis=1, keepdims=True),
    "reduce_min": lambda tf, r: tf.reduce_min(r, axis=1),
    "reduce_prod": lambda tf, r: tf.reduce_prod(r, axis=1),
    "reduce_any": lambda tf, r: tf.reduce_any(r > 0, axis=1),
    "add": lambda tf, r: r + 1,
    "multiply": lambda tf, r: r * r,
    "abs": lambda tf, r: tf.abs(r),
    "to_tensor": lambda tf, r: r.to_tensor(),
    "to_tensor_default": lambda tf, r: r.to_tensor(default_value=7, shape=[None, 2]),
    "row_lengths": lambda tf, r: r.row_lengths(),
    "value_rowids": lambda tf, r: r.value_rowids(),
    "bounding_shape": lambda tf, r: r.bounding_shape(),
    "concat": lambda tf, r: tf.concat([r, r], axis=1),
    "concat_0": lambda tf, r: tf.concat([r, r], axis=0),
    "stack": lambda tf, r: tf.stack([r, r]),
    "expand_dims": lambda tf, r: tf.expand_dims(r, 1),
    "reverse": lambda tf, r: tf.reverse(r, [1]),
    "tile": lambda tf, r: tf.tile(r, [1, 2]),
    "slice": lambda tf, r: r[:, :2],
    "first_rows": lambda tf, r: r[:1],
    "boolean_mask": lambda tf, r: tf.ragged.boolean_mask(r, r > 0),
    "map_flat_values": lambda tf, r: tf.ragged.map_flat_values(tf.square, r),
    "cast": lambda tf, r: tf.cast(r, tf.int32),
    "where": lambda tf, r: tf.where(r > 0, r, -r),
    "to_sparse": lambda tf, r: r.to_sparse(),
    "zeros_like": lambda tf, r: tf.zeros_like(r),
    "size": lambda tf, r: tf.size(r),
    "shape_of_rank": lambda tf, r: tf.rank(r),
    "softmax": lambda tf, r: tf.nn.softmax(r),
}


def of_ragged(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda tf, values, lengths: function(tf, tf.RaggedTensor.from_row_lengths(values, lengths))


for _name, _function in RAGGED.items():
    program(f"ragged:{_name}")(of_ragged(_function))


@calls(" ".join(f"ragged:{name}" for name in RAGGED))
def with_rows(d: Draws) -> Call:
    return d.call(*ragged(d))


@calls("ragged.range")
def ragged_range(d: Draws) -> Call:
    kind, rows = d.dtype("index"), d.shape(0, 1)
    return d.call(d.given(kind, rows, 0, 2), d.given(kind, rows, 2, 5), order=0)


@calls("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(d: Draws) -> Call:
    return d.call(Given(np.cumsum([0, *(d.whole(0, 3) for _ in range(3))]).astype(np.int64)), order=0)


@calls("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(d: Draws) -> Call:
    return d.call(Given(np.sort(d.random.randint(0, 4, d.whole(0, 4)))), order=0)


SPARSE: dict[str, Callable[[Any, Any], Any]] = {
    "from_dense": lambda tf, x: tf.sparse.from_dense(x),
    "round_trip": lambda tf, x: tf.sparse.to_dense(tf.sparse.from_dense(x)),
    "reorder": lambda tf, x: tf.sparse.reorder(tf.sparse.from_dense(x)),
    "matmul": lambda tf, x: tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(x), tf.transpose(x)),
    "matmul_adjoint": lambda tf, x: tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(x), x, adjoint_a=True),
}
for _name, _function in SPARSE.items():
    program(f"sparse:{_name}")(_function)


@calls(" ".join(f"sparse:{name}" for name in SPARSE))
def with_zeros(d: Draws) -> Call:
    x = d.array(d.dtype("wide"), (d.whole(1, 3), d.whole(1, 3)), odd=False)
    return d.call(Given(np.where(d.random.random_sample(x.shape) < 0.4, 0, x).astype(x.dtype)), order=0)


MAPPED: dict[str, Callable[[Any, Any], Any]] = {
    "map_fn": lambda tf, x: tf.map_fn(lambda v: v * v + 1, x),
    "vectorized_map": lambda tf, x: tf.vectorized_map(lambda v: tf.reduce_sum(v * v), x),
    "foldl": lambda tf, x: tf.foldl(lambda a, v: a * 0.5 + v, x),
    "foldr": lambda tf, x: tf.foldr(lambda a, v: a * 0.5 + v, x),
    "scan": lambda tf, x: tf.scan(lambda a, v: a + v * v, x),
    "while_loop": lambda tf, x: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), (0, x))[1],
    "cond": lambda tf, x: tf.cond(tf.reduce_sum(x) > 0, lambda: x * x, lambda: -x),
    "switch_case": lambda tf, x: tf.switch_case(tf.shape(x)[0] % 2, [lambda: x * 2, lambda: x * x]),
    "case": lambda tf, x: tf.case([(tf.reduce_sum(x) > 0, lambda: x * x)], default=lambda: x + 1),
}
for _name, _function in MAPPED.items():
    program(f"control:{_name}")(_function)


@calls(" ".join(f"control:{name}" for name in MAPPED), loose=5)
def over_rows(d: Draws) -> Call:
    return d.call(d.given("wide", d.shape(1, 3, empty=False), -1.5, 1.5, odd=False))
