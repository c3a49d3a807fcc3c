"""Counts of occurrences: dense, as the parts of sparse tensors, as confusion matrices and as histograms."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import INDEX
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import answers, composite_of
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import Shapes, no_gradient
from inlay._src.core.signature import AtLeast
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, asserting, control, division, joining, math, ranges, reductions, shaping, stacking
from inlay._src.ops.segments import unsorted_segment_sum

_COUNTS = frozenset({dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64})
EXCLUSIVE = "Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one."
AXES = "Unsupported value for argument axis={}. Only 0 and -1 are currently supported."


# ---------------------------------------------------------------- counts as sparse tensors


def _table(
    rows: np.ndarray | None, lead: int, values: np.ndarray, weights: np.ndarray, said: tuple[bool, int, int]
) -> list[np.ndarray]:
    """The coordinates, values and dense shape of the counts of numbers in `lead` rows, or altogether if `rows` is None.

    Args:
      rows: the row of each value.
      lead: number of rows.
      values: numbers.
      weights: of the numbers; empty if each counts 1.
      said: whether "occurs" is 1 however often, the least and the greatest length, below 0 if there is none.
    """
    binary, least, greatest = said
    for bound, what in ((least, "minlength"), (greatest, "maxlength")):
        if bound < -1:
            raise ValueError(f"Value for attr '{what}' of {bound} must be at least minimum -1")
    if weights.size and weights.shape != values.shape:
        raise ValueError(
            f"Weights and values must have the same shape. Weight shape: {list(weights.shape)}; values shape: "
            f"{list(values.shape)}"
        )
    if (values < 0).any():
        raise ValueError("Input values must all be non-negative")
    size = greatest if greatest >= 0 else max(int(values.max(initial=0)) + 1, least)
    inside = values < size
    places = values[inside].astype(np.int64)
    if rows is not None:
        places = np.stack([rows[inside], places], axis=1)
    distinct, which = np.unique(places, axis=0, return_inverse=True)
    counts = np.zeros(len(distinct), weights.dtype)
    if binary:
        counts[:] = 1
    else:
        np.add.at(counts, which.reshape(-1), weights[inside] if weights.size else np.ones((), weights.dtype))
    shape = [size] if rows is None else [lead, size]
    return [distinct.reshape(len(distinct), len(shape)), counts, np.array(shape, np.int64)]


def _sparse_dims(rank: int | None) -> list[Dims]:
    return [(None, rank), (None,), (rank,)]


def _dense_infer(s: Shapes) -> list[Dims]:
    values, weights = s.dims
    if values is None:
        return _sparse_dims(None)
    static = values is not None and weights is not None and None not in (*values, *weights)
    if static and 0 not in weights and values != weights:  # type: ignore[operator, misc]
        raise ValueError(f"both shapes must be equal: values {list(values)}, weights {list(weights)}")  # type: ignore[arg-type]
    return _sparse_dims(len(values))


_TYPES: dict[str, Any] = {
    "types": {"T": INDEX, "output_type": _COUNTS},
    "vjp": no_gradient,
    "lower": REFUSES_VALUES,
    "attrs": {"minlength": AtLeast(-1), "maxlength": AtLeast(-1)},
}


@op(
    "DenseCountSparseOutput", "values:T, weights:output_type -> int64, output_type, int64", infer=_dense_infer, **_TYPES
)
def dense_counts(xp, values, weights, *, binary_output: bool, minlength: int = -1, maxlength: int = -1):
    """Counts of each number in a vector, or in each row of a matrix, as the parts of a sparse tensor.

    Args:
      values: numbers that are not negative, of rank 1 or 2.
      weights: of the shape of `values`; empty if each counts 1.
      binary_output: whether to say 1 for "occurs" instead of counting.
      minlength, maxlength: the least and the greatest length of a row of counts; -1: none.
    """
    values, weights = np.asarray(values), np.asarray(weights)
    if values.ndim not in (1, 2):
        raise ValueError(f"Input must be a 1 or 2-dimensional tensor. Got: {list(values.shape)}")
    if weights.size and weights.shape != values.shape:
        raise ValueError(
            f"Weights and data must have the same shape. Weight shape: {list(weights.shape)}; data shape: "
            f"{list(values.shape)}"
        )
    if values.ndim == 2 and not len(values):
        raise ValueError("Invalid input: Shapes dimension cannot be 0.")
    rows = None if values.ndim == 1 else np.repeat(np.arange(len(values)), values.shape[1])
    said = binary_output, minlength, maxlength
    return _table(rows, len(values), values.reshape(-1), weights.reshape(-1), said)


def _parts_infer(s: Shapes) -> list[Dims]:
    indices, values, dense_shape, _ = s.dims
    for dims, rank in ((indices, 2), (values, 1), (dense_shape, 1)):
        if dims is not None and len(dims) != rank:
            raise ValueError(f"Shape must be rank {rank} but is rank {len(dims)}")
    return _sparse_dims(None if dense_shape is None else dense_shape[0])


@op(
    "SparseCountSparseOutput",
    "indices:int64, values:T, dense_shape:int64, weights:output_type -> int64, output_type, int64",
    infer=_parts_infer,
    **_TYPES,
)
def sparse_counts(
    xp, indices, values, dense_shape, weights, *, binary_output: bool, minlength: int = -1, maxlength: int = -1
):
    """Counts of each number among the values of a sparse vector, or in the rows of a sparse matrix.

    Args:
      indices, values, dense_shape: the parts of the sparse tensor; the values are not negative.
      weights: of the shape of `values`; empty if each counts 1.
      binary_output: whether to say 1 for "occurs" instead of counting.
      minlength, maxlength: the least and the greatest length of a row of counts; -1: none.
    """
    indices, values, shape, weights = (np.asarray(x) for x in (indices, values, dense_shape, weights))
    if indices.ndim != 2:
        raise ValueError(f"Input indices must be a 2-dimensional tensor. Got: {list(indices.shape)}")
    if values.ndim != 1 or shape.ndim != 1 or not shape.size:
        raise ValueError(f"Input values and shape must be vectors, got {list(values.shape)} and {list(shape.shape)}")
    if weights.size and weights.shape != values.shape:
        raise ValueError(
            f"Weights and values must have the same shape. Got weight shape: {list(weights.shape)}; values shape: "
            f"{list(values.shape)}"
        )
    if len(values) != len(indices):
        raise ValueError(
            f"Number of values must match first dimension of indices. Got {len(values)} values, indices shape: "
            f"{list(indices.shape)}"
        )
    if indices.shape[1] != shape.size:
        raise ValueError(
            f"Number of dimensions must match second dimension of indices. Got {shape.size} dimensions, indices "
            f"shape: {list(indices.shape)}"
        )
    outside = np.argwhere((indices < 0) | (indices >= shape))
    if len(outside):
        at, axis = outside[0]
        raise ValueError(
            f"Invalid index value at {at}: dimension {axis} has value {indices[at, axis]} which is not in "
            f"[0, {shape[axis]})"
        )
    rows = None if shape.size == 1 else indices[:, 0]
    return _table(rows, int(shape[0]), values, weights, (binary_output, minlength, maxlength))


@op(
    "RaggedCountSparseOutput",
    "splits:int64, values:T, weights:output_type -> int64, output_type, int64",
    infer=lambda s: _sparse_dims(2),
    **_TYPES,
)
def ragged_counts(xp, splits, values, weights, *, binary_output: bool, minlength: int = -1, maxlength: int = -1):
    """Counts of each number in each row of a ragged matrix, as the parts of a sparse tensor.

    Args:
      splits: where each row begins, and the last one ends.
      values: numbers that are not negative, row after row.
      weights: of the shape of `values`; empty if each counts 1.
      binary_output: whether to say 1 for "occurs" instead of counting.
      minlength, maxlength: the least and the greatest length of a row of counts; -1: none.
    """
    splits, values, weights = np.asarray(splits), np.asarray(values), np.asarray(weights)
    if splits.size < 2:
        raise ValueError("Must provide at least 2 elements for the splits argument")
    if splits[0] != 0:
        raise ValueError(f"Splits must start with 0, not with {splits[0]}")
    if splits[-1] != len(values):
        raise ValueError(f"Splits must end with the number of values, got {splits[-1]} instead of {len(values)}")
    lengths = np.diff(splits)
    if (lengths < 0).any():
        raise ValueError(f"Splits must not fall, got {splits[:8].tolist()}")
    rows = np.repeat(np.arange(lengths.size), lengths)
    return _table(rows, lengths.size, values, weights, (binary_output, minlength, maxlength))


# ---------------------------------------------------------------- counts


def weights_of(values: Any, weights: Any) -> Any:
    """The stored weights of a ragged or sparse tensor, whose places are checked to be those of its values.

    Args:
      values: ragged or sparse.
      weights: of the same kind; or None.

    Raises:
      ValueError: for weights of another kind.
      InvalidArgumentError: when they run, if the places differ.
    """
    if weights is None:
        return None
    sparse = not hasattr(values, "flat_values")
    kind = "SparseTensor" if sparse else "RaggedTensor"
    if not answers(weights) or hasattr(weights, "flat_values") is sparse:
        raise ValueError(
            f"Argument `weights` must be a {kind} if `values` is a {kind}. Received weights={weights} of type: "
            f"{type(weights).__name__}"
        )
    if sparse:
        pairs = [
            (weights.dense_shape, values.dense_shape, "dense shape"),
            (weights.indices, values.indices, "indices"),
        ]
        stored = weights.values
    else:
        pairs = [
            (mine, its, "row splits")
            for mine, its in zip(weights.nested_row_splits, values.nested_row_splits, strict=False)
        ]
        stored = weights.flat_values
    said = "`weights` and `values` must have the same {}"
    checks = [asserting.assert_equal(mine, its, message=said.format(what)) for mine, its, what in pairs]
    with control.control_dependencies([check for check in checks if check is not None]):
        return array.identity(stored)


def _counted(arr: Any, weights: Any, axis: Any) -> tuple[Any, Any, Any]:
    """The counted values and their weights; with counts per row also the row sizes and each value's row."""
    if answers(arr) and not hasattr(arr, "flat_values"):  # sparse: stored values count
        weights = weights_of(arr, weights)
        if axis != -1 or arr.dense_shape.shape[0] == 1:
            return arr.values, weights, None
        return arr.values, weights, (arr.dense_shape[:1], arr.indices[:, 0])
    if answers(arr):
        return _counted_rows(arr, weights_of(arr, weights), axis)
    arr = convert_to_tensor(arr, dtype_hint=dtypes.int32)
    if axis != -1 or arr.shape.rank == 1:
        return arr, weights, None
    if (arr.shape.rank or 0) > 2:
        raise ValueError(f"Shape must be at most rank 2 but is rank {arr.shape.rank}: bincount with axis=-1")
    lead = array.shape(arr, dtypes.int64)[:-1]
    numbers = ranges.range_(reductions.reduce_prod(lead))
    return arr, weights, (lead, array.reshape(numbers, joining.concat([lead, [1]], 0)))


def _counted_rows(arr: Any, weights: Any, axis: Any) -> tuple[Any, Any, Any]:
    """The same of a ragged tensor and of its flat weights."""
    flat = arr.flat_values
    if flat.shape.rank == 1 and axis != -1:
        return flat, weights, None
    if flat.shape.rank != 1 and axis == -1:
        raise ValueError(f"bincount with axis=-1 takes ragged rows of integers, got rows of shape {flat.shape[1:]}")
    if flat.shape.rank != 1:  # as TensorFlow counts: each inner row by itself
        return _counted(flat, weights, -1)
    count = array.reshape(arr.nrows(dtypes.int64), [1])
    return flat, weights, (count, math.cast(arr.value_rowids(), dtypes.int64))


@export("bincount", "math.bincount")
def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    axis: Any = None,
    binary_output: bool = False,
) -> Tensor:
    """Counts of each whole number from 0 in `arr`, or the sum of the weights of its occurrences.

    Args:
      arr: integers that are not negative, or booleans, which count as 0 and 1; they may be ragged or sparse.
      weights: numbers of the shape of `arr`; ragged or sparse as it is.
      minlength: the least length of the result.
      maxlength: the greatest; larger numbers are left out.
      dtype: the type of the counts; weights have their own.
      name: the node's name.
      axis: None or 0 counts everything; -1 counts each row of a matrix by itself.
      binary_output: whether to say 1 for "occurs" instead of counting.
    """
    arr, weights, rows = _counted(composite_of(arr), composite_of(weights), axis)
    if axis not in (None, 0, -1):
        raise ValueError(AXES.format(axis))
    if arr.dtype.is_bool or arr.dtype.is_floating:
        arr = math.cast(arr, dtypes.int32)
    if not arr.dtype.is_integer:
        raise TypeError(f"bincount counts integers, got {arr.dtype.name}")
    valid = asserting.assert_non_negative(arr, message="Input arr must be non-negative!")
    with control.control_dependencies([] if valid is None else [valid]):
        arr = array.identity(arr)
    if weights is not None and binary_output:
        raise ValueError(EXCLUSIVE)
    if rows is None:
        arr = array.reshape(arr, [-1])
        weights = weights if weights is None else array.reshape(convert_to_tensor(weights), [-1])
    ids, own = math.cast(arr, dtypes.int64), arr.dtype if arr.dtype in INDEX else dtypes.int32
    size = math.maximum(math.add(reductions.reduce_max(ids), 1), 0)
    if minlength is not None:
        size = math.maximum(size, math.cast(convert_to_tensor(minlength, own), dtypes.int64))
    if maxlength is not None:
        size = math.minimum(size, math.cast(convert_to_tensor(maxlength, own), dtypes.int64))
    kind = dtypes.as_dtype(dtype)
    values = math.cast(array.ones_like(ids), kind) if weights is None else convert_to_tensor(weights)
    if maxlength is not None:
        ids = array.where(math.less(ids, size), ids, math.number_of(-1, ids))
    if rows is not None:
        lead, rows = rows
        number = reductions.reduce_prod(lead)
        inside = math.greater_equal(ids, array.zeros_like(ids))
        ids = array.where(inside, math.add(ids, math.multiply(rows, size)), ids)
        values = array.reshape(values, array.shape(ids))
        flat = unsorted_segment_sum(values, ids, math.multiply(size, number))
        counts = array.reshape(flat, joining.concat([lead, array.reshape(size, [1])], 0))
    else:
        counts = unsorted_segment_sum(values, ids, size)
    if binary_output:
        counts = math.minimum(counts, array.ones_like(counts))
    return array.identity(counts, name=name)


def _of_one_rank(*values: Any) -> list[Any]:
    """Two tensors; one that has an axis more than the other is without its last one, if that has size 1.

    Of unknown rank they are vectors.
    """
    one, other = (v.shape.rank for v in values)
    if None in (one, other):
        return [array.reshape(v, [-1]) for v in values]
    if abs(one - other) != 1:
        return list(values)
    return [
        array.squeeze(v, [-1]) if v.shape.rank == max(one, other) and v.shape[-1:].is_compatible_with([1]) else v
        for v in values
    ]


@export("confusion_matrix", "math.confusion_matrix")
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Counts of predictions by true label (row) and predicted class (column).

    Args:
      labels, predictions: class numbers, of one shape.
      num_classes: number of classes; the greatest label plus 1 if None.
      weights: weight of each pair; 1 if None.
      dtype: the type of the result.
      name: the node's name.
    """
    pairs = stacking.stack(_of_one_rank(math.cast(labels, dtypes.int64), math.cast(predictions, dtypes.int64)), 1)
    rows, columns = (array.reshape(side, [-1]) for side in stacking.unstack(pairs, 2, 1))
    top = math.maximum(reductions.reduce_max(rows), reductions.reduce_max(columns))
    count = math.add(math.maximum(top, -1), 1) if num_classes is None else math.cast(num_classes, dtypes.int64)
    valid = [asserting.assert_less(top, count, message="`labels` or `predictions` out of bound")]
    for classes, what in ((rows, "labels"), (columns, "predictions")):
        valid.append(asserting.assert_non_negative(classes, message=f"`{what}` contains negative values.  "))
    with control.control_dependencies([v for v in valid if v is not None]):
        rows = array.identity(rows)
    kind = dtypes.as_dtype(dtype)
    values = array.ones_like(rows) if weights is None else array.reshape(convert_to_tensor(weights), [-1])
    flat = math.add(math.multiply(rows, count), columns)
    counted = unsorted_segment_sum(math.cast(values, kind), flat, math.multiply(count, count))
    matrix = array.reshape(counted, stacking.stack([count, count]), name=name)
    if matrix.shape.rank is None:
        matrix.set_shape([None, None])
    return matrix


def _bins(values: Any, value_range: Any, nbins: Any, kind: Any) -> Any:
    """The bin of each value, reckoned in the type `kind`, or of the values if None."""
    values, nbins = convert_to_tensor(values), convert_to_tensor(nbins, dtypes.int32)
    ends = convert_to_tensor(value_range, values.dtype)
    if not ends.shape.is_compatible_with([2]):
        raise ValueError(f"value_range should be a vector of 2 elements, got shape {ends.shape}")
    ends = shaping.ensure_shape(ends, [2])
    if not nbins.shape.is_compatible_with([]):
        raise ValueError(f"nbins should be a scalar, got shape {nbins.shape}")
    checks = [
        asserting.assert_less(ends[0], ends[1], message="value_range[0] must be less than value_range[1]"),
        asserting.assert_positive(nbins, message="nbins should be a positive number, it must > 0"),
        asserting.assert_equal(values, values, message="Histogram values must not contain NaN"),
    ]
    with control.control_dependencies([c for c in checks if c is not None]):
        wide, ends = (math.cast(x, kind or values.dtype) for x in (values, ends))
    place = division.divide(math.subtract(wide, ends[0]), math.subtract(ends[1], ends[0]))
    place = math.multiply(place, math.cast(nbins, place.dtype))
    last = math.cast(math.subtract(nbins, 1), place.dtype)
    return math.minimum(math.maximum(place, array.zeros_like(place)), last)


@export("histogram_fixed_width_bins")
def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """The number, int32, of the bin into which each value falls; the outer bins take what lies outside.

    Args:
      values: real numbers.
      value_range: the lower end of the first bin, and the upper end of the last.
      nbins: number of bins of equal width.
      dtype: accepted and ignored.
      name: the node's name.
    """
    return math.cast(_bins(values, value_range, nbins, None), dtypes.int32, name=name)


@export("histogram_fixed_width")
def histogram_fixed_width(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Counts of values in each of `nbins` bins of equal width; the outer bins include all values outside the range.

    Args:
      values: real numbers.
      value_range: the lower end of the first bin, and the upper end of the last.
      nbins: number of bins.
      dtype: int32 or int64.
      name: the node's name.
    """
    place = array.reshape(math.cast(_bins(values, value_range, nbins, dtypes.float64), dtypes.int32), [-1])
    ones = array.ones_like(math.cast(place, dtype))
    return array.identity(unsorted_segment_sum(ones, place, convert_to_tensor(nbins, dtypes.int32)), name=name)
