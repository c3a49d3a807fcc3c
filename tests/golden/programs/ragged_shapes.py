"""Row partitions and shapes of ragged tensors, in programs of our own."""

from __future__ import annotations

from typing import Any

from tests.golden.make_programs import refused, rows, session

_MAKERS: dict[str, Any] = {
    "splits": lambda p: p.from_row_splits([0, 3, 3, 7]),
    "lengths": lambda p: p.from_row_lengths([3, 0, 4], dtype="int32"),
    "rowids": lambda p: p.from_value_rowids([0, 0, 2]),
    "rowids with nrows": lambda p: p.from_value_rowids([0, 0, 2], nrows=5),
    "no rowids": lambda p: p.from_value_rowids([]),
    "starts": lambda p: p.from_row_starts([0, 2, 2], nvals=6),
    "limits": lambda p: p.from_row_limits([1, 4, 4]),
    "uniform of values": lambda p: p.from_uniform_row_length(3, nvals=12),
    "uniform of rows": lambda p: p.from_uniform_row_length(0, nrows=4, nvals=0),
    "splits that fall": lambda p: p.from_row_splits([0, 3, 2]),
    "splits from 1": lambda p: p.from_row_splits([1, 3]),
    "no splits": lambda p: p.from_row_splits([]),
    "matrix": lambda p: p.from_row_splits([[0, 1]]),
    "floats": lambda p: p.from_row_lengths([1.0, 2.0]),
    "negative length": lambda p: p.from_row_lengths([1, -1]),
    "rowids that fall": lambda p: p.from_value_rowids([1, 0]),
    "few rows": lambda p: p.from_value_rowids([0, 4], nrows=2),
    "negative rows": lambda p: p.from_value_rowids([], nrows=-1),
    "neither number": lambda p: p.from_uniform_row_length(3),
    "not divided": lambda p: p.from_uniform_row_length(3, nvals=10),
    "negative uniform": lambda p: p.from_uniform_row_length(-3, nvals=0, nrows=0),
    "validate is no bool": lambda p: p.from_row_splits([0, 1], validate="yes"),
    "constructor": lambda p: p([0, 1]),
}


def _partition(tf: Any, p: Any) -> Any:
    spec = tf.type_spec_from_value(p)
    return [
        [p.row_splits(), p.row_lengths(), p.row_starts(), p.row_limits(), p.value_rowids(), p.offsets_in_rows()],
        [p.nrows(), p.nvals(), p.is_uniform(), p.uniform_row_length(), p.dtype],
        [None if n is None else int(n) for n in (p.static_nrows, p.static_nvals, p.static_uniform_row_length)],
        [spec.nrows, spec.nvals, spec.uniform_row_length, spec.dtype, repr(spec)],
        p.with_dtype(tf.int32).row_lengths(),
        repr(p),
    ]


@rows(*_MAKERS)
def partition(tf: Any, how: str) -> Any:
    return refused(lambda: _partition(tf, _MAKERS[how](tf.experimental.RowPartition)))


def partition_through_a_function(tf: Any) -> Any:
    maker = tf.experimental.RowPartition
    doubled = tf.function(lambda p: (p.row_lengths() * 2, p))
    return [
        [lengths, _partition(tf, p)]
        for lengths, p in (doubled(maker.from_row_lengths([2, 0, 1])), doubled(maker.from_row_splits([0, 1, 5])))
    ]


_LENGTHS: dict[str, tuple[Any, ...]] = {
    "scalar": ([],),
    "dense": ([2, 3],),
    "ragged": ([2, (3, 2)],),
    "inner": ([2, (3, 2), 7],),
    "twice": ([2, (2, 1), (2, 0, 3)],),
    "uniform": ([2, 3, 2], 2),
    "uniform after ragged": ([2, (3, 2), 2], 2),
    "ragged after uniform": ([2, 2, (1, 0, 2, 1)],),
    "inconsistent": ([2, (3, 2, 1)],),
    "too many partitions": ([2, 3], 2),
    "no list": ((2, 3),),
    "floats": ([2.0],),
}


def _shape(tf: Any, shape: Any) -> Any:
    return [
        [shape.rank, shape.inner_rank, shape.num_row_partitions, shape.dtype, shape.inner_shape],
        [partition.row_splits() for partition in shape.row_partitions],
        [str(length) for length in shape.static_lengths()],
        [str(length) for length in shape.static_lengths(ragged_lengths=False)],
        repr(shape),
        repr(shape.with_dtype(tf.int32).dtype),
    ]


@rows(*_LENGTHS)
def shape_of_lengths(tf: Any, which: str) -> Any:
    return refused(lambda: _shape(tf, tf.experimental.DynamicRaggedShape.from_lengths(*_LENGTHS[which])))


def _example(tf: Any) -> Any:
    return tf.ragged.constant([[[1, 2], [3]], [], [[4]]])


def shape_of_tensors(tf: Any) -> Any:
    of = tf.experimental.DynamicRaggedShape.from_tensor
    ragged = _example(tf)
    inner = tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
    return [
        _shape(tf, shape)
        for shape in (of(ragged), of(ragged, tf.int32), of([[1, 2]]), of(5), of(inner), tf.shape(ragged))
    ] + [_shape(tf, tf.shape(inner, out_type=tf.int64)), _shape(tf, tf.compat.v1.shape(inner))]


_INDICES: dict[str, Any] = {
    "first": 0,
    "last": -1,
    "ragged": 1,
    "beyond": 4,
    "front": slice(0, 1),
    "ragged front": slice(None, 2),
    "all": slice(None),
    "back": slice(2, None),
    "across": slice(1, 3),
    "nothing": slice(2, 1),
    "step": slice(0, 3, 2),
    "text": "a",
}


@rows(*_INDICES)
def item(tf: Any, which: str) -> Any:
    shape = tf.experimental.DynamicRaggedShape.from_lengths([2, (3, 2), 7, 5])

    def take() -> Any:
        part = shape[_INDICES[which]]
        return _shape(tf, part) if hasattr(part, "static_lengths") else part

    return refused(take)


_PAIRS: dict[str, tuple[list[Any], list[Any]]] = {
    "dense": ([2, 1], [3]),
    "scalar": ([2, (1, 3)], []),
    "vector": ([2, (1, 3)], [1]),
    "column": ([2, (1, 3)], [2, 1]),
    "same": ([2, (1, 3)], [2, (1, 3)]),
    "front": ([2, (1, 3)], [4, 1, 1]),
    "inner": ([2, (1, 3), 1], [5]),
    "rows differ": ([2, (1, 3)], [2, (3, 1)]),
    "too long": ([2, (1, 3)], [2]),
}


def _lengths(shape: Any) -> list[str]:
    return ["None" if n is None else str(tuple(n) if isinstance(n, tuple) else int(n)) for n in shape.static_lengths()]


@rows(*_PAIRS)
def common_shape(tf: Any, which: str) -> Any:
    make = tf.experimental.DynamicRaggedShape.from_lengths
    one, two = map(make, _PAIRS[which])

    def both() -> Any:
        shapes = tf.broadcast_dynamic_shape(one, two), tf.broadcast_dynamic_shape(two, one)
        return [[_lengths(shape), shape.num_row_partitions] for shape in shapes]

    return refused(both)


def filled(tf: Any) -> Any:
    shape = tf.experimental.DynamicRaggedShape.from_lengths([2, (3, 1), 2])
    flat = tf.range(8)
    dense = tf.experimental.DynamicRaggedShape.from_lengths([2, 2])
    ragged = tf.ragged.constant([[1, 2], [3, 4]])
    return [
        value.to_list() if hasattr(value, "to_list") else value
        for value in (
            tf.zeros(shape),
            tf.ones(shape, tf.int32),
            tf.fill(shape, "a"),
            tf.reshape(flat, shape),
            tf.reshape(ragged, [4]),
            tf.reshape(ragged, dense),
            tf.broadcast_to(5, shape),
            tf.broadcast_to([[[1]], [[2]]], shape),
            tf.broadcast_to([3, 4], shape),
            tf.broadcast_to(ragged, tf.shape(ragged, out_type=tf.int64)),
            tf.broadcast_to(7, dense),
            tf.ones(dense),
        )
    ]


def refused_shapes(tf: Any) -> Any:
    shape = tf.experimental.DynamicRaggedShape.from_lengths([2, (3, 1)])
    ragged = tf.ragged.constant([[1, 2, 3], [4]])
    partition = tf.experimental.RowPartition.from_row_lengths([3, 1])
    make = tf.experimental.DynamicRaggedShape
    return [
        refused(lambda call=call: bool(call() is None))
        for call in (
            lambda: tf.broadcast_to([1, 2, 3], shape),
            lambda: tf.broadcast_to([[1], [2], [3]], shape),
            lambda: tf.broadcast_to(tf.zeros([2, 1, 1]), shape),
            lambda: tf.broadcast_to(ragged, tf.shape(ragged)),
            lambda: tf.reshape([1, 2], shape),
            lambda: make([partition, partition], [4]),
            lambda: make(partition, [4]),
            lambda: make([partition.row_splits()], [4]),
            lambda: make([], 2),
            lambda: make([], [2.5]),
            lambda: make.from_row_partitions([]),
            lambda: ragged + ragged.with_row_splits_dtype(tf.int32),
        )
    ]


def shapes_in_graphs(tf: Any) -> Any:
    make = tf.experimental.DynamicRaggedShape
    with session(tf) as opened:
        size = tf.compat.v1.placeholder(tf.int64, [])
        vector = tf.compat.v1.placeholder(tf.int32, [None])
        fed = tf.compat.v1.ragged.placeholder(tf.float32, 1, [])
        half, unknown, ragged = make([], [2, size]), make([], vector), make.from_tensor(fed)
        static = [[str(s.static_lengths()), s.rank, s.num_row_partitions] for s in (half, unknown, ragged)]
        value = tf.compat.v1.ragged.constant_value([[1.0, 2.0], [], [3.0]])
        values = opened.run([tf.zeros(half), tf.broadcast_to(1, ragged), ragged.inner_shape], {size: 3, fed: value})
    return [static, values[0], values[1].to_list(), values[2]]


def shapes_through_functions(tf: Any) -> Any:
    make = tf.experimental.DynamicRaggedShape
    traced: list[Any] = []

    @tf.function
    def ones(shape: Any) -> Any:
        traced.append([str(shape.static_lengths()), shape.num_row_partitions])
        return tf.ones(shape), shape

    results = [ones(make.from_lengths([2, (1, 3)])), ones(make.from_lengths([2, 2]))]
    return [
        [value.to_list() if hasattr(value, "to_list") else value, str(shape.static_lengths())]
        for value, shape in results
    ] + [traced]


def shapes_in_datasets(tf: Any) -> Any:
    make = tf.experimental.DynamicRaggedShape
    whole = tf.data.Dataset.from_tensors(make.from_lengths([4, (3, 0, 4, 5), 2]))
    apart = whole.unbatch()
    return [
        [str(shape.static_lengths()) for shape in whole],
        [str(shape.static_lengths()) for shape in apart],
        [str(shape.static_lengths()) for shape in apart.batch(2)],
        [value.to_list() if hasattr(value, "to_list") else value for value in apart.map(tf.ones)],
    ]


def specs(tf: Any) -> Any:
    shape = tf.experimental.DynamicRaggedShape
    spec = tf.type_spec_from_value(shape.from_lengths([2, (3, 2), 7]))
    rows = tf.type_spec_from_value(tf.experimental.RowPartition.from_row_lengths([3, 2]))
    wide = shape.Spec([rows], [None, 7], tf.int64)
    other = tf.type_spec_from_value(shape.from_lengths([2, (3, 1), 7]))
    return [
        [spec.rank, spec.inner_rank, spec.num_row_partitions, spec.dtype, wide.rank],
        [wide.is_compatible_with(spec), spec.is_compatible_with(wide), spec.is_compatible_with(other)],
        [spec == other, spec == tf.type_spec_from_value(shape.from_lengths([2, (3, 2), 7]))],
        refused(lambda: shape.Spec([], [2], tf.float32)),
        refused(lambda: shape.Spec([tf.TensorSpec([])], [2], tf.int64)),
    ]


def shape_fields_of_extension_types(tf: Any) -> Any:
    declared = {"__annotations__": {"values": tf.Tensor, "size": tf.TensorShape}}
    sized = type("Sized", (tf.experimental.ExtensionType,), declared)
    one, two = (tf.type_spec_from_value(sized([1], tf.TensorShape(size))) for size in ([2, None], [2, 3]))
    joined = one.most_specific_common_supertype([two])
    return [
        [one.is_compatible_with(two), two.is_compatible_with(one), one == two],
        [two.is_subtype_of(one), one.is_subtype_of(two)],
        joined.size,
    ]
