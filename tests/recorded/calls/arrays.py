"""Calls of functions that make, rearrange, join, cut, index and scatter arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.recorded.draws import Call, Draws, Given, calls


def whole(d: Draws, values: Any) -> Any:
    """Whole numbers as a list, as a constant or as a tensor that is known only when it runs."""
    if d.chance(0.6):
        return values
    return d.fixed(values, d.dtype("index")) if d.chance(0.5) else Given(np.array(values, np.int32))


@calls("reshape")
def reshape(d: Draws) -> Call:
    x = d.given("any", d.shape())
    n = x.array.size
    options = [[n], [-1], [1, n], [n, 1, 1]] + [[n // k, k] for k in (2, 3) if n % k == 0] + [[2, -1]]
    return d.call(x, whole(d, d.pick(*options)))


@calls("transpose")
def transpose(d: Draws) -> Call:
    x = d.given("any", d.shape())
    perm = [int(p) for p in d.random.permutation(x.array.ndim)]
    return d.call(x, perm=d.optional(whole(d, perm)), conjugate=d.optional(True))


@calls("expand_dims")
def expand_dims(d: Draws) -> Call:
    x = d.given("any", d.shape(0, 3))
    return d.call(x, d.axis(x.array.ndim + 1))


@calls("squeeze")
def squeeze(d: Draws) -> Call:
    x = d.given("any", [d.pick(1, 1, 2) for _ in range(d.whole(0, 4))])
    ones = [i for i, n in enumerate(x.array.shape) if n == 1]
    return d.call(x, axis=d.optional(None, ones[:1], ones))


@calls("concat")
def concat(d: Draws) -> Call:
    kind, shape = d.dtype("any"), d.shape(1)
    axis = d.axis(len(shape))
    at = axis % len(shape) if shape else 0
    several = [
        d.given(kind, [d.whole(0, 3) if i == at else n for i, n in enumerate(shape)]) for _ in range(d.whole(1, 3))
    ]
    return d.call(several, axis)


@calls("stack parallel_stack")
def stack(d: Draws) -> Call:
    kind, shape = d.dtype("any"), d.shape(0, 3)
    return d.call([d.given(kind, shape) for _ in range(d.whole(1, 3))])


@calls("stack:axis")
def stack_axis(d: Draws) -> Call:
    kind, shape = d.dtype("any"), d.shape(0, 3)
    return d.call([d.given(kind, shape) for _ in range(d.whole(1, 3))], axis=d.axis(len(shape) + 1))


@calls("unstack")
def unstack(d: Draws) -> Call:
    x = d.given("any", d.shape(1))
    axis = d.axis(x.array.ndim, wrong=False)
    return d.call(x, num=x.array.shape[axis] if d.chance(0.6) else None, axis=axis)


@calls("split")
def split(d: Draws) -> Call:
    x = d.given("any", d.shape(1))
    axis = d.axis(x.array.ndim, wrong=False)
    n = x.array.shape[axis]
    first = d.whole(0, n)
    return d.call(x, d.pick(1, max(n, 1), [first, n - first], [first, -1], 2), axis=axis)


@calls("slice")
def slice_(d: Draws) -> Call:
    x = d.given("any", d.shape())
    begin = [d.whole(0, n) for n in x.array.shape]
    size = [d.pick(-1, d.whole(0, n - b)) for b, n in zip(begin, x.array.shape, strict=True)]
    if size and d.chance(0.05):
        size[0] = 9
    return d.call(x, whole(d, begin), whole(d, size))


@calls("strided_slice")
def strided_slice(d: Draws) -> Call:
    x = d.given("any", d.shape(1))
    n = d.whole(1, x.array.ndim)
    begin, end = ([d.whole(-4, 4) for _ in range(n)] for _ in "be")
    strides = [d.pick(1, 1, 2, -1, -2) for _ in range(n)]
    return d.call(
        x,
        begin,
        end,
        strides,
        begin_mask=d.optional(1, 2),
        end_mask=d.optional(1, 3),
        shrink_axis_mask=d.optional(0, 0, 1),
    )


@calls("tile")
def tile(d: Draws) -> Call:
    x = d.given("any", d.shape(0, 3))
    return d.call(x, whole(d, [d.whole(0, 2) for _ in x.array.shape]))


@calls("repeat")
def repeat(d: Draws) -> Call:
    x = d.given("any", d.shape(0, 3))
    if x.array.ndim and d.chance(0.6):
        axis = d.axis(x.array.ndim, wrong=False)
        return d.call(x, d.pick(2, [d.whole(0, 2) for _ in range(x.array.shape[axis])]), axis=axis)
    return d.call(x, d.whole(0, 3))


@calls("reverse")
def reverse(d: Draws) -> Call:
    x = d.given("any", d.shape())
    return d.call(x, [a for a in range(x.array.ndim) if d.chance(0.5)])


@calls("roll")
def roll(d: Draws) -> Call:
    x = d.given("any", d.shape(1))
    axis = d.axis(x.array.ndim, wrong=False)
    return d.call(x, *([d.whole(-5, 5), axis] if d.chance(0.6) else [[1, -2], [axis, axis]]))


@calls("broadcast_to")
def broadcast_to(d: Draws) -> Call:
    x = d.given("any", d.shape(0, 3))
    return d.call(x, whole(d, [*([2] * d.whole(0, 1)), *(d.whole(2, 3) if n == 1 else n for n in x.array.shape)]))


@calls("pad")
def pad(d: Draws) -> Call:
    x = d.given("any", d.shape(1, 3))
    mode = d.optional("CONSTANT", "REFLECT", "SYMMETRIC")
    paddings = [[d.whole(0, 2), d.whole(0, 2)] for _ in x.array.shape]
    return d.call(x, whole(d, paddings), mode=mode)


@calls("pad:value")
def pad_value(d: Draws) -> Call:
    x = d.given("real", d.shape(1, 3))
    return d.call(x, [[d.whole(0, 2), d.whole(0, 2)] for _ in x.array.shape], constant_values=3)


@calls("fill")
def fill(d: Draws) -> Call:
    return d.call(whole(d, list(d.shape(1, 3))), d.given("any", ()))


@calls("zeros ones")
def zeros(d: Draws) -> Call:
    return d.call(whole(d, list(d.shape(1, 3))), dtype=d.optional("float32", "int32", "float64", "bool", "complex64"))


@calls("eye")
def eye(d: Draws) -> Call:
    rows = d.whole(0, 4)
    return d.call(
        rows, num_columns=d.optional(3), batch_shape=d.optional([2], []), dtype=d.optional("int32", "float64")
    )


@calls("range")
def range_(d: Draws) -> Call:
    kind = d.dtype("wide" if d.chance(0.5) else "index")
    start, limit = (d.given(kind, (), -3, 5, odd=False) for _ in "sl")
    if d.chance(0.3):
        return d.call(d.whole(0, 6))
    delta = d.given(kind, (), *d.pick((1, 2), (-2, -1), (0.5, 1.5)), odd=False)
    return d.call(start, limit, delta) if d.chance(0.7) else d.call(start, limit)


@calls("linspace")
def linspace(d: Draws) -> Call:
    kind, shape = d.dtype("wide" if d.chance(0.8) else "real"), d.shape(0, 2)
    return d.call(d.given(kind, shape, odd=False), d.given(kind, shape, odd=False), d.whole(1, 5), order=1)


@calls("one_hot")
def one_hot(d: Draws) -> Call:
    x = d.given(d.pick("int32", "int64", "uint8"), d.shape(0, 2), -1, 4)
    words: dict[str, Any] = {}
    if d.chance(0.4):
        words.update(on_value=5.0, off_value=-1.0)
    elif d.chance(0.4):
        words["dtype"] = d.pick("int32", "bool", "float64")
    return d.call(x, d.whole(0, 4), axis=d.optional(-1, 0), **words)


@calls("sequence_mask")
def sequence_mask(d: Draws) -> Call:
    x = d.given(d.dtype("index"), d.shape(0, 2), 0, 4)
    return d.call(x, maxlen=d.optional(5, 2, 0), dtype=d.optional("float32", "int32"), order=0)


@calls("meshgrid")
def meshgrid(d: Draws) -> Call:
    kind = d.dtype("real")
    several = [d.given(kind, d.shape(0, 1), odd=False) for _ in range(d.whole(1, 3))]
    return d.call(*several, indexing=d.optional("ij", "xy"))


@calls("gather")
def gather(d: Draws) -> Call:
    x = d.given("any", d.shape(1, 3))
    axis = d.axis(x.array.ndim, wrong=False)
    n = x.array.shape[axis]
    high = max(n - 1, 0) + (1 if d.chance(0.05) else 0)
    return d.call(x, d.given(d.dtype("index"), d.shape(0, 2), 0, high), axis=axis if d.chance(0.7) else None)


@calls("gather:batch")
def gather_batch(d: Draws) -> Call:
    rows = d.whole(1, 3)
    x = d.given("real", (rows, d.whole(1, 3), *d.shape(0, 1)))
    indices = d.given(d.dtype("index"), (rows, *d.shape(0, 1)), 0, x.array.shape[1] - 1)
    return d.call(x, indices, axis=d.optional(1), batch_dims=d.pick(1, 1, -1 if indices.array.ndim == 2 else 1))


@calls("gather_nd")
def gather_nd(d: Draws) -> Call:
    x = d.given("any", d.shape(1, 3, empty=False))
    depth = d.whole(0, x.array.ndim)
    at = (
        np.stack([d.random.randint(0, n, d.whole(2, 2)) for n in x.array.shape[:depth]], -1)
        if depth
        else np.zeros((2, 0))
    )
    return d.call(x, Given(at.astype(d.dtype("index"))))


@calls("gather_nd:batch")
def gather_nd_batch(d: Draws) -> Call:
    x = d.given("real", (2, 3, *d.shape(0, 1)))
    return d.call(x, d.given(np.dtype("int32"), (2, 2, 1), 0, 2), batch_dims=1)


@calls("boolean_mask")
def boolean_mask(d: Draws) -> Call:
    x = d.given("any", d.shape(1, 3))
    return d.call(x, d.given(np.dtype(bool), x.array.shape[: d.whole(1, x.array.ndim)]))


@calls("boolean_mask:axis")
def boolean_mask_axis(d: Draws) -> Call:
    x = d.given("any", d.shape(2, 3))
    return d.call(x, d.given(np.dtype(bool), x.array.shape[1:2]), axis=1)


@calls("scatter_nd")
def scatter_nd(d: Draws) -> Call:
    rows, inner = d.whole(0, 3), d.shape(0, 1)
    updates = d.given("number", (rows, *inner), odd=False)
    return d.call(d.given(d.dtype("index"), (rows, 1), 0, 3), updates, whole(d, [4, *inner]))


@calls(
    "tensor_scatter_nd_update tensor_scatter_nd_add tensor_scatter_nd_sub tensor_scatter_nd_max tensor_scatter_nd_min"
)
def tensor_scatter(d: Draws) -> Call:
    kind, inner = d.dtype("real"), d.shape(0, 1)
    rows = Given(d.random.permutation(4)[: d.whole(0, 3), None].astype(d.dtype("index")))
    return d.call(d.given(kind, (4, *inner), odd=False), rows, d.given(kind, (len(rows.array), *inner), odd=False))


@calls("dynamic_partition")
def dynamic_partition(d: Draws) -> Call:
    x = d.given("any", d.shape(1, 3))
    return d.call(x, d.given(np.dtype("int32"), x.array.shape[: d.whole(1, x.array.ndim)], 0, 2), d.pick(3, 3, 4))


@calls("dynamic_stitch")
def dynamic_stitch(d: Draws) -> Call:
    order, inner, kind = d.random.permutation(4).astype(np.int32), d.shape(0, 1), d.dtype("any")
    cut = d.whole(0, 4)
    return d.call(
        [Given(order[:cut]), Given(order[cut:])], [d.given(kind, (cut, *inner)), d.given(kind, (4 - cut, *inner))]
    )


@calls("reverse_sequence")
def reverse_sequence(d: Draws) -> Call:
    x = d.given("any", (d.whole(1, 3), d.whole(1, 4), *d.shape(0, 1)))
    rows, steps = x.array.shape[:2]
    return d.call(x, d.given(d.dtype("index"), (rows,), 0, steps), seq_axis=1, batch_axis=0)


@calls("linalg.diag")
def diag(d: Draws) -> Call:
    return d.call(d.given("any", d.shape(1, 3)), k=d.optional(0, 1, -1))


@calls("linalg.diag_part")
def diag_part(d: Draws) -> Call:
    return d.call(d.given("any", d.shape(2, 3, empty=False)), k=d.optional(0, (0, 1)))


@calls("linalg.set_diag")
def set_diag(d: Draws) -> Call:
    kind, shape = d.dtype("any"), d.shape(2, 3, empty=False)
    return d.call(d.given(kind, shape), d.given(kind, (*shape[:-2], min(shape[-2:]))))


@calls("linalg.band_part")
def band_part(d: Draws) -> Call:
    return d.call(d.given("any", d.shape(2, 3)), d.whole(-1, 1), d.whole(-1, 1))


@calls("linalg.tensor_diag linalg.tensor_diag_part")
def tensor_diag(d: Draws) -> Call:
    shape = d.pick((2,), (3, 3), (2, 3, 2, 3), (0,))
    return d.call(d.given("number", shape))


@calls("identity_n shape_n")
def of_several(d: Draws) -> Call:
    return d.call([d.given("any", d.shape()) for _ in range(d.whole(1, 3))])


@calls("broadcast_dynamic_shape")
def broadcast_dynamic_shape(d: Draws) -> Call:
    x, y = d.broadcasting(2, np.dtype("float32"))
    return d.call(Given(np.array(x.array.shape, np.int32)), Given(np.array(y.array.shape, np.int32)), order=0)


@calls("compat.v1.transpose")
def first_transpose(d: Draws) -> Call:
    x = d.given("any", d.shape())
    return d.call(x, perm=[int(p) for p in d.random.permutation(x.array.ndim)])


@calls("compat.v1.expand_dims")
def first_expand_dims(d: Draws) -> Call:
    x = d.given("any", d.shape(0, 3))
    return d.call(x, **{d.pick("axis", "dim"): d.axis(x.array.ndim + 1)})


@calls("compat.v1.squeeze")
def first_squeeze(d: Draws) -> Call:
    x = d.given("any", (1, 2, 1))
    return d.call(x, **{d.pick("axis", "squeeze_dims"): d.pick([0], [2], None, [-1])})


@calls("compat.v1.where")
def first_where(d: Draws) -> Call:
    kind, shape = d.dtype("any"), d.shape(1)
    condition = d.given(np.dtype(bool), shape[: d.pick(1, len(shape))])
    return d.call(condition, d.given(kind, shape), d.given(kind, shape))


@calls("compat.v1.boolean_mask")
def first_boolean_mask(d: Draws) -> Call:
    return boolean_mask_axis(d)


@calls("compat.v1.gather")
def first_gather(d: Draws) -> Call:
    return gather(d)


@calls("compat.v1.count_nonzero")
def first_count_nonzero(d: Draws) -> Call:
    x = d.given("any", d.shape(), -1, 1, odd=False)
    return d.call(x, axis=d.axes(x.array.ndim), order=0)
