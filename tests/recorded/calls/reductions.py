"""Calls of reductions, scans along an axis, orders and segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.recorded.draws import Call, Draws, Given, calls


def reduced(d: Draws, kind: str, odd: bool = True) -> Call:
    x = d.given(kind, d.shape(), odd=odd)
    axes = d.axes(x.array.ndim)
    if isinstance(axes, int) and d.chance(0.2):
        axes = d.pick(d.given, d.given)(np.dtype("int32"), (), axes, axes)  # known only when it runs
    return d.call(x, axis=axes, keepdims=d.optional(True, False))


@calls("reduce_sum reduce_mean reduce_max reduce_min math.reduce_euclidean_norm math.count_nonzero")
def reduction_of_numbers(d: Draws) -> Call:
    return reduced(d, "number" if d.chance(0.4) else "float")


@calls("reduce_prod reduce_logsumexp math.reduce_std math.reduce_variance", loose=5)
def reduction_of_floats(d: Draws) -> Call:
    return reduced(d, "floating" if d.chance(0.3) else "wide", odd=d.chance(0.3))


@calls("reduce_all reduce_any")
def reduction_of_truth(d: Draws) -> Call:
    return reduced(d, "bool")


@calls("compat.v1.reduce_sum compat.v1.reduce_mean compat.v1.reduce_max compat.v1.reduce_min compat.v1.reduce_prod")
def first_generation(d: Draws) -> Call:
    x = d.given("real", d.shape(), odd=False)
    words: dict[str, Any] = {d.pick("axis", "reduction_indices"): d.axes(x.array.ndim)}
    if d.chance(0.5):
        words[d.pick("keepdims", "keep_dims")] = d.pick(True, False)
    return d.call(x, **words)


@calls("cumsum math.cumprod math.cumulative_logsumexp")
def cumulative(d: Draws) -> Call:
    x = d.given("wide" if d.chance(0.7) else "number", d.shape(1), odd=d.chance(0.2))
    axis = d.axis(x.array.ndim)
    return d.call(x, axis=axis, exclusive=d.optional(True, False), reverse=d.optional(True, False))


@calls("argmax argmin")
def arg(d: Draws) -> Call:
    x = d.given("real", d.shape())
    return d.call(x, axis=d.pick(None, d.axis(x.array.ndim)), output_type=d.optional("int32", "int64"), order=0)


@calls("compat.v1.argmax compat.v1.argmin")
def arg_of_first_generation(d: Draws) -> Call:
    x = d.given("real", d.shape(1))
    return d.call(x, **{d.pick("axis", "dimension"): d.axis(x.array.ndim)}, order=0)


@calls("sort argsort")
def sort(d: Draws) -> Call:
    x = d.given("real", d.shape(), odd=False)
    return d.call(x, axis=d.optional(d.axis(x.array.ndim)), direction=d.optional("ASCENDING", "DESCENDING"), order=1)


@calls("math.top_k")
def top_k(d: Draws) -> Call:
    x = d.given("real", d.shape(1), odd=False)
    return d.call(x, d.whole(0, max(x.array.shape[-1], 1)), sorted=d.optional(True), order=1)


@calls("math.in_top_k")
def in_top_k(d: Draws) -> Call:
    rows, classes = d.whole(0, 3), d.whole(1, 4)
    return d.call(
        d.given(d.dtype("index"), (rows,), 0, classes - (0 if d.chance(0.1) else 1)),
        d.given("float32", (rows, classes)),
        d.whole(1, 3),
        order=0,
    )


@calls("unique unique_with_counts")
def unique(d: Draws) -> Call:
    return d.call(d.given("real", d.shape(1, 1), -2, 2, odd=False), order=0)


@calls("searchsorted")
def searchsorted(d: Draws) -> Call:
    kind, rows = d.dtype("real"), d.shape(0, 1)
    line = np.sort(d.array(kind, (*rows, d.whole(0, 4)), odd=False), axis=-1)
    return d.call(
        Given(line), d.given(kind, (*rows, d.whole(0, 3)), odd=False), side=d.optional("left", "right"), order=0
    )


def segment_ids(d: Draws, rows: int, segments: int) -> Given:
    return Given(np.sort(d.random.randint(0, segments, rows)).astype(d.dtype("index")))


@calls("math.segment_sum math.segment_mean math.segment_max math.segment_min math.segment_prod")
def segments(d: Draws) -> Call:
    x = d.given("real" if d.chance(0.8) else "number", d.shape(1, 3, empty=False), odd=False)
    return d.call(x, segment_ids(d, x.array.shape[0], 3))


@calls(
    "math.unsorted_segment_sum math.unsorted_segment_mean math.unsorted_segment_max math.unsorted_segment_min"
    " math.unsorted_segment_prod math.unsorted_segment_sqrt_n"
)
def unsorted_segments(d: Draws) -> Call:
    x = d.given("real" if d.chance(0.8) else "number", d.shape(1, 3), odd=False)
    ids = d.given(d.dtype("index"), x.array.shape[: d.pick(1, x.array.ndim)], -1 if d.chance(0.3) else 0, 2)
    return d.call(x, ids, d.pick(3, d.given(np.dtype("int32"), (), 3, 3)))


@calls("math.bincount")
def bincount(d: Draws) -> Call:
    x = d.given(d.pick("int32", "int64"), d.shape(0, 2), 0, 5)
    words: dict[str, Any] = {}
    if d.chance(0.4):
        words["minlength"] = d.whole(0, 8)
    if d.chance(0.4):
        words["maxlength"] = d.whole(0, 8)
    if d.chance(0.3):
        words["weights"] = d.given(d.pick("float32", "int32", "float64"), x.array.shape, odd=False)
    if d.chance(0.3):
        words["axis"] = d.pick(0, -1)
    return d.call(x, **words, order=0)


@calls("math.confusion_matrix")
def confusion_matrix(d: Draws) -> Call:
    n = d.whole(0, 5)
    kind = d.dtype("index")
    classes = d.optional(4)
    return d.call(d.given(kind, (n,), 0, 3), d.given(kind, (n,), 0, 3), num_classes=classes, order=0)


@calls("math.is_non_decreasing math.is_strictly_increasing")
def monotone(d: Draws) -> Call:
    return d.call(d.given("real", d.shape(0, 2), -1, 2, odd=False), order=0)


@calls("math.invert_permutation")
def invert_permutation(d: Draws) -> Call:
    return d.call(Given(d.random.permutation(d.whole(0, 5)).astype(d.dtype("index"))), order=0)


@calls("nn.softmax nn.log_softmax math.l2_normalize", loose=3)
def normalized(d: Draws) -> Call:
    x = d.given("float", d.shape(), odd=d.chance(0.2))
    return d.call(x, axis=d.optional(d.axis(x.array.ndim)))


@calls("nn.moments", loose=5)
def moments(d: Draws) -> Call:
    x = d.given("float", d.shape(1), odd=False)
    return d.call(x, d.axes(x.array.ndim) or [0], keepdims=d.optional(True, False))


@calls("norm linalg.norm", loose=5)
def norm(d: Draws) -> Call:
    x = d.given("floating" if d.chance(0.3) else "wide", d.shape(), odd=False)
    n = x.array.ndim
    if n >= 2 and d.chance(0.4):
        pair = [0, 1] if d.chance(0.5) else [-2, -1]
        return d.call(x, ord=d.pick("euclidean", "fro", 1, np.inf), axis=pair, keepdims=d.optional(True))
    return d.call(
        x, ord=d.optional("euclidean", 1, 2, np.inf, 3.0), axis=d.pick(None, d.axis(n)), keepdims=d.optional(True)
    )


@calls("clip_by_norm", loose=5)
def clip_by_norm(d: Draws) -> Call:
    x = d.given("wide", d.shape(), odd=False)
    return d.call(x, d.pick(1.0, 100.0), axes=d.optional(d.axes(x.array.ndim)))


@calls("linalg.global_norm", loose=5)
def global_norm(d: Draws) -> Call:
    return d.call([d.given("float32", d.shape(), odd=False) for _ in range(d.whole(1, 3))])


@calls("clip_by_global_norm", loose=5)
def clip_by_global_norm(d: Draws) -> Call:
    return d.call([d.given("float32", d.shape(), odd=False) for _ in range(d.whole(1, 3))], d.pick(1.0, 50.0))
