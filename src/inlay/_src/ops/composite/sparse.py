"""`SparseTensor`: coordinates, values and a dense shape. Gradients flow through the values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import ANSWERS, COMPOSITE_OF, emit
from inlay._src.core.eager.inputs import check_dtype
from inlay._src.core.graph import constant_of
from inlay._src.core.opdef import OPS
from inlay._src.core.operation import Operation
from inlay._src.core.pictured import RichValue
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.ops import array, math, placeholders, rearranging, shaping, stacking
from inlay._src.ops import sparse as kernels
from inlay._src.ops.composite.known_sizes import static_shape
from inlay._src.ops.composite.operators import Operators
from inlay._src.ops.gathering import gather_nd, gather_op
from inlay._src.ops.reductions import reduce_prod

__all__ = ["SparseTensor", "SparseTensorValue"]


@export("SparseTensorValue")
class SparseTensorValue(NamedTuple):
    """The value of a SparseTensor, as a session returns it."""

    indices: Any
    values: Any
    dense_shape: Any


@export("SparseTensor", "sparse.SparseTensor")
class SparseTensor(RichValue, Operators, Composite):
    """A tensor most of whose elements are zero.

    Args:
      indices: int64, one row of coordinates per value.
      values: the values.
      dense_shape: the shape of the whole, int64.

    Raises:
      ValueError: if the three do not belong together.
    """

    __slots__ = ("__dict__", "__weakref__", "_dense_shape", "_indices", "_known", "_values")

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self._known = TensorShape(None)  # what `set_shape` was told
        self._indices = math.cast(convert_to_tensor(indices, dtype_hint=dtypes.int64), dtypes.int64)
        self._values = convert_to_tensor(values)
        self._dense_shape = math.cast(convert_to_tensor(dense_shape, dtype_hint=dtypes.int64), dtypes.int64)
        for part, rank, what in (
            (self._indices, 2, "indices"),
            (self._values, 1, "values"),
            (self._dense_shape, 1, "dense_shape"),
        ):
            if part.shape.rank not in (None, rank):
                raise ValueError(f"{what} of a SparseTensor must have rank {rank}, got shape {part.shape}")
        self._agree(0, self._values.shape, 0, "values")
        self._agree(1, self._dense_shape.shape, 0, "dense_shape")

    def _agree(self, axis: int, other: TensorShape, at: int, what: str) -> None:
        mine = self._indices.shape
        if mine.rank is None or other.rank is None or mine[axis] is None or other[at] is None:
            return
        if mine[axis] != other[at]:
            raise ValueError(f"indices of shape {mine} do not go with {what} of shape {other}")

    @classmethod
    def _of(cls, components: Sequence[Any]) -> SparseTensor:
        """One made of parts that are taken as they are."""
        sparse = cls.__new__(cls)
        sparse._indices, sparse._values, sparse._dense_shape = components
        sparse._known = TensorShape(None)
        return sparse

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """A SparseTensor from a SparseTensorValue."""
        return (
            sparse_tensor_value
            if isinstance(sparse_tensor_value, SparseTensor)
            else cls(
                sparse_tensor_value.indices,
                sparse_tensor_value.values,
                sparse_tensor_value.dense_shape,
            )
        )

    @property
    def indices(self) -> Tensor:
        """One row of coordinates per value."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The values."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape of the whole, as a tensor."""
        return self._dense_shape

    @property
    def op(self) -> Operation:
        """The operation that made the values; of a tensor of a graph."""
        return self.values.op

    def consumers(self) -> list[Any]:
        """The operations that take one of its parts; none if it is eager."""
        parts = (part for part in (self.indices, self.values, self.dense_shape) if isinstance(part, SymbolicTensor))
        operations = (o for part in parts for o in part.consumers())
        return list(dict.fromkeys(operations))

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape of the whole."""
        return self._known.merge_with(static_shape(self._dense_shape))

    def get_shape(self) -> TensorShape:
        """The static shape of the whole."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Adds to what is known of the shape of the whole.

        Raises:
          ValueError: if that contradicts what is known already.
        """
        self._known = self.shape.merge_with(shape)

    def with_values(self, new_values: Any) -> SparseTensor:
        """The same coordinates with other values."""
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def _components(self) -> list[Any]:
        return [self._indices, self._values, self._dense_shape]

    def _printed(self, hole: Callable[..., str], limit: int) -> str:
        parts = (
            f"{what}={hole(p)}" for what, p in zip(("indices", "values", "shape"), self._components(), strict=True)
        )
        return f"'SparseTensor({', '.join(parts)})'"

    def _rebuild(self, components: Sequence[Any]) -> Any:
        if components[1] is None:  # no gradient
            return None
        parts = [own if new is None else new for new, own in zip(components, self._components(), strict=True)]
        return SparseTensor._of(parts)

    def _kind(self) -> Any:
        return SparseTensor, self._rows_shape()._dims

    def _traced(self, components: Sequence[Any]) -> SparseTensor:
        sparse = SparseTensor._of(components)
        sparse.set_shape(self._rows_shape())
        return sparse

    def _rows_shape(self) -> TensorShape:
        """The static shape but for the number of rows, which may differ between calls of one trace."""
        shape = self.shape
        return TensorShape([None, *shape[1:]]) if shape.rank else shape

    def _differentiable_parts(self) -> list[Any]:
        return [self._values]

    def _with_derivatives(self, derivatives: Sequence[Any]) -> Any:
        return None if derivatives[0] is None else self.with_values(convert_to_tensor(derivatives[0]))

    def _component_shape(self, dims: Sequence[TensorShape]) -> TensorShape:
        size = dims[2]
        return TensorShape(None if size.rank is None or size[0] is None else [None] * size[0])

    def _session_value(self, parts: Sequence[Any]) -> SparseTensorValue:
        return SparseTensorValue(*parts)

    def _feed_components(self, value: Any) -> list[Any]:
        """The parts of a fed value: a SparseTensorValue, a SparseTensor, a triple; a pair if the shape is known."""
        parts = value._components() if isinstance(value, SparseTensor) else value
        if isinstance(parts, (list, tuple)) and len(parts) == 3:
            return list(parts)
        shape = self.shape
        if isinstance(parts, (list, tuple)) and len(parts) == 2 and shape.is_fully_defined():
            return [*parts, shape.as_list()]
        raise TypeError(
            f"Cannot feed {value!r} for a SparseTensor: it needs (indices, values, dense_shape), or (indices, values) "
            "where the dense shape is known"
        )

    def eval(self, feed_dict: Any = None, session: Any = None) -> SparseTensorValue:
        """The value, from `session` or the default session."""
        values: Any = self._values
        return values.op.graph.session_for(session, "tensor").run(self, feed_dict)

    def __repr__(self) -> str:
        return f"SparseTensor(indices={self._indices!s}, values={self._values!s}, dense_shape={self._dense_shape!s})"

    def __reduce__(self) -> tuple[Any, ...]:
        return SparseTensor._of, (self._components(),)

    def __eq__(self, other: object) -> bool:
        """Whether it is the same object, as in TensorFlow."""
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __hash__(self) -> int:
        return id(self)


# ---------------------------------------------------------------- functions


@export("sparse.from_dense")
def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The elements of a tensor that are not zero (False, "")."""
    dense = convert_to_tensor(tensor)
    filled = dense if dense.dtype.is_bool else math.not_equal(dense, array.zeros((), dense.dtype))
    where = array.where(filled)
    return SparseTensor(where, kernels.values_at(dense, where), array.shape(dense, dtypes.int64))


@export("sparse.to_dense", "sparse_tensor_to_dense")
def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """A dense tensor.

    Args:
      sp_input: the SparseTensor; its coordinates must be in order unless `validate_indices` is False.
      default_value: value of absent entries; zero if None.
      validate_indices: whether order and repetition are checked.
      name: the node's name.
    """
    sparse = checked(sp_input, "to_dense")
    fill = array.zeros((), sparse.dtype) if default_value is None else convert_to_tensor(default_value, sparse.dtype)
    inputs = (sparse.indices, sparse.dense_shape, sparse.values, fill)
    dense = emit(OPS["SparseToDense"], inputs, {"validate_indices": validate_indices}, name)
    if isinstance(dense, SymbolicTensor):
        dense.set_shape(sparse.shape)
    return dense


@export("sparse.reorder", "sparse_reorder")
def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The same tensor with its coordinates in order."""
    sparse = checked(sp_input, "reorder")
    order = kernels.sparse_order(sparse.indices, sparse.dense_shape)
    # Behind a reshape the gradient of what is gathered from is a tensor, not IndexedSlices: as in TensorFlow.
    values = gather_op(array.reshape(sparse.values, [-1]), order)
    return SparseTensor._of([gather_op(sparse.indices, order), values, sparse.dense_shape])


@export("sparse.sparse_dense_matmul", "sparse_tensor_dense_matmul", "compat.v1.sparse.matmul")
def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """The product of a sparse matrix and a dense one, in either order.

    Args:
      sp_a: the sparse matrix.
      b: the dense matrix.
      adjoint_a, adjoint_b: whether a factor is transposed and conjugated first.
      name: ignored.
    """
    if is_sparse(b) and is_sparse(sp_a):
        raise TypeError("sparse_dense_matmul takes one sparse matrix and a dense one, got two sparse ones")
    if is_sparse(b):  # the product's adjoint is that of the adjoints, the other way round
        return rearranging.transpose(sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a), conjugate=True)
    sparse, dense = checked(sp_a, "sparse_dense_matmul"), convert_to_tensor(b)
    for factor in (sparse, dense):
        if factor.shape.rank not in (None, 2):
            raise ValueError(f"Shape must be rank 2 but is rank {factor.shape.rank}: {factor.shape} is not a matrix")
    if dense.shape.rank is None:
        dense = shaping.ensure_shape(dense, [None, None])
    if sparse.shape.rank is None:
        sparse = SparseTensor(sparse.indices, sparse.values, shaping.ensure_shape(sparse.dense_shape, [2]))
    if adjoint_b:
        dense = rearranging.transpose(dense, conjugate=True)
    values = math.conj(sparse.values) if adjoint_a and sparse.dtype.is_complex else sparse.values
    at, along = (1, 0) if adjoint_a else (0, 1)
    inner, size = sparse.dense_shape[along], array.shape(dense, dtypes.int64)
    if not sparse.shape[along : along + 1].is_compatible_with(dense.shape[:1]):
        if not context.executing_eagerly():
            raise ValueError(f"Dimensions must be equal, but are {sparse.shape[along]} and {dense.shape[0]}")
    size = stacking.stack([_equal_sizes(inner, size[0], sparse, dense), size[1]])
    terms = math.multiply(array.expand_dims(values, 1), gather_op(array.reshape(dense, size), sparse.indices[:, along]))
    out = math.cast(stacking.stack([sparse.dense_shape[at], size[1]]), dtypes.int32)
    return emit(OPS["GatherGrad"], (out, sparse.indices[:, at], terms), {"axis": 0, "batch_dims": 0})


def _equal_sizes(one: Any, two: Any, sparse: Any, dense: Any) -> Any:
    a, b = (constant_of(v) for v in (one, two))
    if a is not None and b is not None and a != b:
        text = f"Cannot multiply A and B because inner dimension does not match: {a} vs. {b}"
        raise errors.InvalidArgumentError(None, None, text)
    return two


@export("sparse.placeholder", "sparse_placeholder")
def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """A SparseTensor that every run must feed, with a SparseTensorValue or a triple.

    Args:
      dtype: the type of the values.
      shape: the dense shape; None is unknown.
      name: the prefix of its three placeholders.
    """
    dims = shapes.as_shape(shape)
    label = f"{name}/" if name else ""
    if dims.is_fully_defined():
        whole = array.constant(dims.as_list(), dtypes.int64)
        if isinstance(whole, EagerTensor):
            whole = placeholders.placeholder(dtypes.int64, [dims.rank], f"{label}shape")
    else:
        whole = placeholders.placeholder(dtypes.int64, [dims.rank], f"{label}shape")
    sparse = SparseTensor._of(
        [
            placeholders.placeholder(dtypes.int64, [None, dims.rank], f"{label}indices"),
            placeholders.placeholder(dtype, [None], f"{label}values"),
            whole,
        ]
    )
    sparse.set_shape(dims)
    return sparse


@export("compat.v1.convert_to_tensor_or_sparse_tensor")
def convert_to_tensor_or_sparse_tensor(value: Any, dtype: Any = None, name: str | None = None) -> Tensor | SparseTensor:
    """A value as a tensor; a SparseTensor, or the value of one, as a SparseTensor.

    Args:
      value: the value.
      dtype: the type it must have, or becomes.
      name: the node's name.

    Raises:
      RuntimeError: for a SparseTensor of another type.
    """
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype)
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if isinstance(value, SparseTensor):
        if dtype is not None and dtype is not value.dtype:
            raise RuntimeError(f"Sparse dtype mismatch. Requested: {dtype.name},  Actual: {value.dtype.name}")
        return value
    return convert_to_tensor(value, dtype, name)


def checked(value: Any, what: str) -> SparseTensor:
    """`value` as a SparseTensor; TypeError if it is none."""
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError(f"{what} needs a SparseTensor, got {type(value).__name__}")
    return value


# ---------------------------------------------------------------- ops applied to a sparse tensor


def _answer(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any], name: str | None) -> Any:
    rule = RULES.get(op.name)
    if rule is not None:
        return rule(op, inputs, attrs, name)
    if op.elementwise and len(inputs) == 1 and is_sparse(inputs[0]):
        check_dtype(op, op.args[0], {}, inputs[0].dtype, 0, context.executing_eagerly())
    if op.elementwise and len(inputs) == 1 and is_sparse(inputs[0]) and _keeps_zeros(op, inputs[0].dtype, attrs):
        return inputs[0].with_values(emit(op, (inputs[0].values,), attrs, name))
    raise TypeError(
        f"{op.name} does not take a SparseTensor here: only ops that leave zeros zero, products and quotients with "
        "dense tensors, shape, rank and size do. Use its .values, or tf.sparse.to_dense."
    )


def _keeps_zeros(op: Any, kind: DType, attrs: Mapping[str, Any]) -> bool:
    """Whether an op leaves zeros zero, so that it may work on the values alone: its kernel is asked."""
    zero = np.array(b"" if kind is dtypes.string else 0, kind.np)
    try:
        return not np.any(op.call(op.grouped([zero], attrs), op.own(attrs)))
    except ValueError:  # it refuses a zero
        return False


def _scaled(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any], name: str | None) -> Any:
    """A product or quotient with a dense tensor, which is broadcast to the sparse one's shape."""
    at = 0 if isinstance(inputs[0], SparseTensor) else 1
    sparse, other = inputs[at], inputs[1 - at]
    if isinstance(other, SparseTensor) or (at and op.name != "Mul"):
        raise TypeError(f"{op.name} takes a SparseTensor only beside a dense tensor that follows it or is its factor")
    dense = convert_to_tensor(other, dtype_hint=sparse.dtype)
    if dense.shape.rank != 0:
        size = array.shape(dense, dtypes.int64)
        dense = gather_nd(dense, kernels.beside_dense(sparse.indices, sparse.dense_shape, size))
    operands = (sparse.values, dense) if at == 0 else (dense, sparse.values)
    return sparse.with_values(emit(op, operands, attrs, name))


RULES: dict[str, Callable[..., Any]] = {
    "Mul": _scaled,
    "RealDiv": _scaled,
    "Shape": lambda op, inputs, attrs, name: math.cast(inputs[0].dense_shape, attrs["out_type"]),
    "Rank": lambda op, inputs, attrs, name: array.size(inputs[0].dense_shape),
    "Size": lambda op, inputs, attrs, name: math.cast(reduce_prod(inputs[0].dense_shape), attrs["out_type"]),
}
"""Op type -> `rule(op, inputs, attrs, name)`."""

ANSWERS[SparseTensor] = ANSWERS[SparseTensorValue] = _answer
COMPOSITE_OF[SparseTensorValue] = lambda value, dtype_hint: SparseTensor.from_value(value)


def is_sparse(value: Any) -> bool:
    """Whether `value` is a SparseTensor or the value of one."""
    return isinstance(value, (SparseTensor, SparseTensorValue))
