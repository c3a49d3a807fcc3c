"""Ops that TensorFlow has with other inputs: transforms, text, shuffles, pooled images, singular values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.operation import Operation
from inlay._src.ops import array, complex_numbers, joining, linalg, math, powers, reductions, slicing
from inlay._src.ops.diagonals import band_part, eye
from inlay._src.ops.matmul import adjoint, matmul
from inlay._src.ops.matrix_functions import APPROXIMANTS
from inlay._src.ops.ranges import range_
from inlay._src.ops.segments import unsorted_segment_min
from inlay._src.ops.stacking import stack
from inlay._src.programs.control.loops import while_loop
from inlay._src.programs.graph_def.composed_forms import Unwritten, composed, inline
from inlay._src.programs.graph_def.exporting import FORMS, Form, Scope, as_declared
from inlay._src.programs.graph_def.foreign_forms import rows_of_sparse
from inlay._src.programs.graph_def.forms import moved
from inlay._src.programs.graph_def.several import for_others
from inlay._src.programs.graph_def.wire import Wire

TRANSFORMS = {"IRFFT": 1, "IRFFT2D": 2, "IRFFT3D": 3, "RFFT": 1, "RFFT2D": 2, "RFFT3D": 3}
"""The transforms that take lengths -> their number of axes."""


def _transformed(scope: Scope, node: Operation) -> Wire | None:
    """A transform whose input is filled up with zeros, which TensorFlow leaves to its callers."""
    wire, axes = as_declared(scope, node), TRANSFORMS[node.type]
    if wire is None:
        return None

    def filled(x: Any, lengths: Any) -> Any:
        sizes = array.shape(x)
        if node.type.startswith("I"):
            lengths = joining.concat([lengths[:-1], lengths[-1:] // 2 + 1], 0)
        first = array.size(sizes) - axes
        missing = math.maximum(lengths - sizes[first:], 0)
        after = joining.concat([array.zeros(array.reshape(first, [1]), dtypes.int32), missing], 0)
        return slicing.pad(x, stack([array.zeros_like(after), after], 1))

    (whole,) = inline(scope, f"{node.name}/filled", filled, node.inputs, scope.inputs(node))
    return wire._replace(inputs=[whole, *wire.inputs[1:]])


def _bytes(scope: Scope, node: Operation) -> Wire:
    """The bytes of strings, which TensorFlow has as the parts of a sparse tensor."""
    references = scope.inputs(node)
    (texts,) = inline(scope, f"{node.name}/texts", lambda x: array.reshape(x, [-1]), node.inputs, references)
    nothing = scope.constant(f"{node.name}/delimiter", np.array(b"", object), dtypes.string)
    kinds = [dtypes.int64, dtypes.string, dtypes.int64]
    return rows_of_sparse(scope, node, Wire("StringSplit", [texts, nothing], {"skip_empty": False}, kinds))


def _code_points(scope: Scope, node: Operation) -> Wire:
    """The code points of strings, in another order of the results."""
    (texts,) = inline(scope, f"{node.name}/texts", lambda x: array.reshape(x, [-1]), node.inputs, scope.inputs(node))
    kinds: list[DType] = [dtypes.int64, dtypes.int32, dtypes.int64]
    wire = Wire("UnicodeDecodeWithOffsets", [texts], {**node.attrs, "Tsplits": dtypes.int64}, kinds)
    splits, points, starts = scope.extra(f"{node.name}/decoded", wire)
    parts = [(points, dtypes.int32), (starts, dtypes.int64), (splits, dtypes.int64)]
    return Wire("IdentityN", parts, {}, [d for _, d in parts])


def _joined(scope: Scope, node: Operation) -> Wire | None:
    """Joined strings; without axes those along all axes, the last one first."""
    if node.attrs.get("axis") is not None:
        return moved(scope, node)
    rank = node.inputs[0].shape.rank
    if rank is None:
        return None
    axes = scope.constant(f"{node.name}/axis", np.arange(rank)[::-1], dtypes.int32)
    attrs = {"keep_dims": node.attrs["keepdims"], "separator": node.attrs["separator"]}
    return Wire("ReduceJoin", [*scope.inputs(node), axes], attrs, [dtypes.string])


def _numbers(scope: Scope, node: Operation) -> Wire | None:
    """The bytes of strings as numbers; those of one length are another op."""
    length, dtype = node.attrs.get("fixed_length"), node.outputs[0].dtype
    attrs = {"out_type": dtype, "little_endian": node.attrs["little_endian"]}
    if length is None:
        return Wire("DecodeRaw", scope.inputs(node), attrs, [dtype])
    size = scope.constant(f"{node.name}/fixed_length", length, dtypes.int32)
    return Wire("DecodePaddedRaw", [*scope.inputs(node), size], attrs, [dtype])


def _first_rows(scope: Scope, node: Operation) -> Wire:
    """The first ones of equal rows, from the numbers of all rows."""
    (rows,) = scope.inputs(node)
    axis = scope.constant(f"{node.name}/axis", [0], dtypes.int64)
    wire = Wire("UniqueV2", [rows, axis], {"out_idx": dtypes.int64}, [rows[1], dtypes.int64])
    distinct, numbers = scope.extra(f"{node.name}/distinct", wire)
    (first,) = inline(
        scope,
        f"{node.name}/first",
        lambda y, idx: unsorted_segment_min(range_(array.size(idx, dtypes.int64)), idx, array.shape(y)[0]),
        [(rows[1], (None, None)), (dtypes.int64, (None,))],
        [(distinct, rows[1]), (numbers, dtypes.int64)],
    )
    return Wire("IdentityN", [first, (numbers, dtypes.int64)], {}, [dtypes.int64, dtypes.int64])


def _shuffled(scope: Scope, node: Operation) -> Wire:
    """Shuffled rows, by the key and the counter of a seed."""
    value, seed = scope.inputs(node)
    kinds = [dtypes.uint64, dtypes.uint64]
    parts = scope.extra(f"{node.name}/key", Wire("StatelessRandomGetKeyCounter", [seed], {}, kinds))
    algorithm = scope.constant(f"{node.name}/alg", 1, dtypes.int32)
    inputs = [value, (parts[0], dtypes.uint64), (parts[1], dtypes.uint64), algorithm]
    return Wire("StatelessShuffle", inputs, {}, [value[1]])


def _pooled(scope: Scope, node: Operation) -> Wire | None:
    """Pooled images with the places of their numbers; TensorFlow knows one order of the axes."""
    if node.attrs.get("data_format", "NHWC") != "NHWC":
        return None
    names = ("ksize", "strides", "padding", "include_batch_in_index")
    attrs = {name: node.attrs[name] for name in names if name in node.attrs}
    return Wire("MaxPoolWithArgmax", scope.inputs(node), attrs, [t.dtype for t in node.outputs])


def _singular_values(scope: Scope, node: Operation) -> Wire | None:
    """Singular values without the vectors."""
    dtype = node.inputs[0].dtype
    if dtype.is_complex:
        return None
    return Wire("Svd", scope.inputs(node), {"compute_uv": False, "full_matrices": False}, [dtype] * 3)


def _compared(scope: Scope, node: Operation) -> Wire:
    """Equal elements of tensors whose shapes might not fit."""
    op = "NotEqual" if node.attrs.get("negated") else "Equal"
    return Wire(op, scope.inputs(node), {"incompatible_shape_error": False}, [dtypes.bool_])


def _responses_back(scope: Scope, node: Operation) -> Wire:
    """The gradient of normalized responses, which TensorFlow makes of the images and of what became of them."""
    (images, dy), dtype = scope.inputs(node), node.outputs[0].dtype
    attrs = {name: node.attrs[name] for name in ("depth_radius", "bias", "alpha", "beta") if name in node.attrs}
    responses = scope.extra(f"{node.name}/responses", Wire("LRN", [images], attrs, [dtype]))[0], dtype
    return Wire("LRNGrad", [dy, images, responses], attrs, [dtype])


def _exponential(attrs: Mapping[str, Any], matrices: Any) -> Any:
    """The exponential of matrices that are halved until they are small: an approximant, squared as often."""
    dtype, real = matrices.dtype, matrices.dtype.real_dtype
    coefficients, reach = APPROXIMANTS[np.dtype(real.np).itemsize]
    norm = reductions.reduce_max(reductions.reduce_sum(complex_numbers.abs(matrices), -2, True), -1, True)
    two = math.cast(2.0, real)
    halvings = math.maximum(math.ceil(powers.log(norm / reach) / np.log(2.0)), 0.0)
    halvings = array.where(norm > 0, halvings, array.zeros_like(norm))
    small = matrices / math.cast(powers.pow(two, halvings), dtype)
    squared, last = matmul(small, small), eye(array.shape(matrices)[-1], dtype=dtype) + array.zeros_like(small)
    even, odd = array.zeros_like(small), array.zeros_like(small)
    for number in range(0, len(coefficients), 2):
        even = even + last * coefficients[number]
        odd = odd + last * coefficients[number + 1]
        last = matmul(last, squared)
    odd = matmul(small, odd)
    first = linalg.solve(even - odd, even + odd)
    most = reductions.reduce_max(joining.concat([array.reshape(halvings, [-1]), array.zeros([1], real)], 0))

    def square(turn: Any, result: Any) -> Any:
        return turn + 1.0, array.where(turn < halvings, matmul(result, result), result)

    return while_loop(lambda turn, _: turn < most, square, (array.zeros([], real), first))[1]


def _factors_back(attrs: Mapping[str, Any], a: Any, dq: Any, dr: Any) -> Any:
    """The gradient of a QR factorization, of matrices that are at least as high as wide (Liao and others, 2019)."""
    rows, columns = (None, None) if a.shape.rank is None else a.shape[-2:]
    if a.dtype.is_complex or rows is None or columns is None or rows < columns:
        raise Unwritten
    if attrs.get("full_matrices") and rows != columns:
        raise Unwritten
    q, r = linalg.qr(a)
    whole = matmul(r, dr, transpose_b=True) - matmul(dq, q, transpose_a=True)
    low = band_part(whole, -1, 0)
    mirrored = low + adjoint(low) - band_part(whole, 0, 0)
    return adjoint(linalg.triangular_solve(r, adjoint(dq + matmul(q, mirrored)), lower=False))


_WRITTEN: Mapping[str, Form] = {
    "BytesSplit": _bytes,
    "DecodeRaw": _numbers,
    "EqualWhereShapesFit": _compared,
    "FirstRows": _first_rows,
    "LRNVjp_1o0t1": _responses_back,
    "MaxPoolWithArgmax": _pooled,
    "ReduceJoin": _joined,
    "SingularValues": _singular_values,
    "StatelessRandomShuffle": _shuffled,
    "UnicodeDecodeWithOffsets": _code_points,
    **dict.fromkeys(TRANSFORMS, _transformed),
}
FORMS.update({op: for_others(form) for op, form in _WRITTEN.items()})
FORMS["MatrixExponential"] = composed(_exponential)
FORMS.update(dict.fromkeys(("QrVjp_1o0t1_1t1", "QrVjp_2o0t2_1t2"), composed(_factors_back)))  # float32, float64
