"""Calls of the functions that networks are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.recorded.draws import Call, Draws, Given, calls


def image_batch(d: Draws, channels: int, low: int = 3) -> Given:
    return d.given(
        "wide" if d.chance(0.8) else "float", (d.whole(1, 2), d.whole(low, 5), d.whole(low, 5), channels), odd=False
    )


@calls("nn.conv2d", loose=5)
def conv2d(d: Draws) -> Call:
    x = image_batch(d, d.whole(1, 2))
    kernel = d.given(x.array.dtype, (d.whole(1, 3), d.whole(1, 3), x.array.shape[-1], d.whole(1, 2)), odd=False)
    dilated = d.chance(0.2)
    strides = 1 if dilated else d.pick(1, 2, [1, 2, 2, 1], [1, 2])
    return d.call(x, kernel, strides, d.pick("SAME", "VALID"), dilations=2 if dilated else None)


@calls("compat.v1.nn.conv2d", loose=5)
def first_conv2d(d: Draws) -> Call:
    x = image_batch(d, 2)
    return d.call(x, d.given(x.array.dtype, (2, 2, 2, 1), odd=False), [1, 1, 1, 1], d.pick("SAME", "VALID"))


@calls("nn.conv1d", loose=5)
def conv1d(d: Draws) -> Call:
    x = d.given("wide", (d.whole(1, 2), d.whole(3, 5), 2), odd=False)
    return d.call(x, d.given(x.array.dtype, (d.whole(1, 3), 2, 2), odd=False), d.pick(1, 2), d.pick("SAME", "VALID"))


@calls("nn.conv2d_transpose", loose=5)
def conv2d_transpose(d: Draws) -> Call:
    x = image_batch(d, 2)
    b, h, w, _ = x.array.shape
    stride = d.pick(1, 2)
    kernel = d.given(x.array.dtype, (3, 3, 1, 2), odd=False)
    return d.call(x, kernel, [b, h * stride, w * stride, 1], stride, padding="SAME")


@calls("nn.depthwise_conv2d", loose=5)
def depthwise(d: Draws) -> Call:
    x = image_batch(d, 2)
    return d.call(x, d.given(x.array.dtype, (2, 2, 2, d.whole(1, 2)), odd=False), [1, 1, 1, 1], d.pick("SAME", "VALID"))


@calls("nn.max_pool2d nn.avg_pool2d nn.max_pool nn.avg_pool", loose=2)
def pool(d: Draws) -> Call:
    return d.call(image_batch(d, d.whole(1, 2)), d.pick(2, 3, [1, 2]), d.pick(1, 2), d.pick("SAME", "VALID"))


@calls("nn.bias_add")
def bias_add(d: Draws) -> Call:
    x = d.given("number", d.shape(2, 4, empty=False), odd=False)
    return d.call(x, d.given(x.array.dtype, x.array.shape[-1:], odd=False), data_format=d.optional("NHWC"))


@calls("nn.batch_normalization", loose=5)
def batch_normalization(d: Draws) -> Call:
    x = d.given("wide", d.shape(2, 3, empty=False), odd=False)
    kind, depth = x.array.dtype, x.array.shape[-1:]
    offset, scale = (d.pick(None, d.given(kind, depth, odd=False)) for _ in "os")
    return d.call(x, d.given(kind, depth, odd=False), d.given(kind, depth, 0.5, 2.0, odd=False), offset, scale, 0.001)


@calls("nn.softmax_cross_entropy_with_logits", loose=5)
def softmax_cross_entropy(d: Draws) -> Call:
    shape, kind = d.shape(1, 3, empty=False), d.dtype("float")
    labels = d.array(kind, shape, 0.1, 1.0, odd=False).astype(np.float64)
    labels = (labels / labels.sum(-1, keepdims=True)).astype(kind)
    return d.call(Given(labels), d.given(kind, shape, odd=False))


@calls("nn.sparse_softmax_cross_entropy_with_logits", loose=5)
def sparse_softmax_cross_entropy(d: Draws) -> Call:
    x = d.given("float", d.shape(1, 3, empty=False), odd=False)
    return d.call(d.given(d.dtype("index"), x.array.shape[:-1], 0, x.array.shape[-1] - 1), x)


@calls("nn.sigmoid_cross_entropy_with_logits", loose=5)
def sigmoid_cross_entropy(d: Draws) -> Call:
    kind, shape = d.dtype("float"), d.shape()
    return d.call(d.given(kind, shape if d.chance(0.9) else (*shape, 1), 0.0, 1.0, odd=False), d.given(kind, shape))


@calls("nn.weighted_cross_entropy_with_logits", loose=5)
def weighted_cross_entropy(d: Draws) -> Call:
    kind, shape = d.dtype("float"), d.shape()
    return d.call(d.given(kind, shape, 0.0, 1.0, odd=False), d.given(kind, shape), 2.0)


@calls("nn.crelu")
def crelu(d: Draws) -> Call:
    return d.call(d.given("float", d.shape(1)))


@calls("nn.embedding_lookup")
def embedding_lookup(d: Draws) -> Call:
    x = d.given("wide", (d.whole(1, 4), *d.shape(0, 2, empty=False)), odd=False)
    ids = d.given(d.dtype("index"), d.shape(0, 2), 0, x.array.shape[0] - 1)
    words: dict[str, Any] = {"max_norm": 1.5} if d.chance(0.2) and x.array.ndim > 1 else {}
    return d.call(x, ids, **words, order=1)


@calls("compat.v1.nn.softmax_cross_entropy_with_logits_v2 compat.v1.nn.softmax_cross_entropy_with_logits", loose=5)
def first_cross_entropy(d: Draws) -> Call:
    shape = d.shape(1, 2, empty=False)
    labels = np.eye(shape[-1], dtype=np.float32)[d.random.randint(0, shape[-1], shape[:-1])]
    return d.call(labels=Given(labels), logits=d.given("float32", shape, odd=False))


@calls("compat.v1.nn.max_pool compat.v1.nn.avg_pool", loose=2)
def first_pool(d: Draws) -> Call:
    return d.call(image_batch(d, 2), [1, 2, 2, 1], [1, d.pick(1, 2), 2, 1], d.pick("SAME", "VALID"))


@calls("compat.v1.nn.softmax compat.v1.nn.log_softmax", loose=3)
def first_softmax(d: Draws) -> Call:
    x = d.given("wide", d.shape(1), odd=False)
    return d.call(x, **{d.pick("axis", "dim"): d.axis(x.array.ndim)})


@calls("compat.v1.nn.moments", loose=5)
def first_moments(d: Draws) -> Call:
    x = d.given("wide", d.shape(1, 3, empty=False), odd=False)
    return d.call(x, [0], **{d.pick("keepdims", "keep_dims"): d.pick(True, False)})
