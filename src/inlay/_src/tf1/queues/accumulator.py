"""Accumulators of 1.x: gradients that several runs apply, of which one run takes the mean or the sum."""

from __future__ import annotations

from inspect import Parameter
from typing import Any, ClassVar

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.parameters import constructor
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.core import context
from inlay._src.core.context import init_scope
from inlay._src.core.eager.attributes import text
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS, Effect, OpDef, no_gradient, scalar
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.ops import math
from inlay._src.ops.composite.indexed_slices import IndexedSlices
from inlay._src.ops.state import handle_op
from inlay._src.tf1.queues.accumulator_state import AccumulatorKey, AccumulatorSpec, AccumulatorState
from inlay._src.tf1.queues.waiting import BegunOperation, waiting_op

_HANDLES: dict[bool, OpDef] = {}
"""Whether gradients are sparse -> the op that makes the handle."""
for _sparse, _kind in ((False, "ResourceConditionalAccumulator"), (True, "SparseConditionalAccumulator")):
    _HANDLES[_sparse] = handle_op(_kind, "The handle of an accumulator.")


@op(
    "ResourceAccumulatorApplyGradient",
    "handle:resource, local_step:int64, gradient:T -> ",
    types=dtypes.NUMBERS,
    ranks={"local_step": 0},
    effect=Effect.WRITES,
    vjp=no_gradient,
)
def _apply(xp: Any, handle: AccumulatorState, local_step: Any, gradient: Any) -> Any:
    """Adds a gradient to an accumulator."""
    handle.apply(int(local_step), np.asarray(gradient))
    return ()


@op(
    "SparseAccumulatorApplyGradient",
    "handle:resource, local_step:int64, gradient_indices:int64, gradient_values:T, gradient_shape:int64 -> ",
    types=dtypes.NUMBERS,
    ranks={"local_step": 0},
    effect=Effect.WRITES,
    vjp=no_gradient,
)
def _apply_slices(
    xp: Any,
    handle: AccumulatorState,
    local_step: Any,
    gradient_indices: Any,
    gradient_values: Any,
    gradient_shape: Any,
    *,
    has_known_shape: bool,
) -> Any:
    """Adds slices of a gradient to an accumulator."""
    whole = np.asarray(gradient_shape).tolist() if has_known_shape and np.size(gradient_shape) else None
    handle.apply_slices(int(local_step), gradient_indices, gradient_values, whole)
    return ()


@waiting_op(
    "ResourceAccumulatorTakeGradient",
    "handle:resource, num_required:int32 -> *dtypes",
    {"dtypes": Parameter.empty},
    scalars=("num_required",),
)
def _begin_take(handle: AccumulatorState, num_required: Any, *, dtypes: Any) -> BegunOperation:
    """Takes the mean or the sum out of an accumulator, once so many gradients were applied."""
    future = handle.take(int(num_required))
    return BegunOperation(future, lambda: [future.result()])


@waiting_op(
    "SparseAccumulatorTakeGradient",
    "handle:resource, num_required:int32 -> *dtypes",
    {"dtypes": Parameter.empty},
    scalars=("num_required",),
)
def _begin_take_slices(handle: AccumulatorState, num_required: Any, *, dtypes: Any) -> BegunOperation:
    """Takes the mean or the sum of slices out of an accumulator, once so many gradients were applied."""
    future = handle.take(int(num_required))
    return BegunOperation(future, lambda: list(future.result()))


@op(
    "ResourceAccumulatorNumAccumulated",
    "handle:resource -> int32",
    effect=Effect.READS,
    infer=scalar,
    vjp=no_gradient,
)
def _count(xp: Any, handle: AccumulatorState) -> Any:
    """The number of gradients applied to an accumulator since the last take."""
    return np.int32(handle.count)


@op(
    "ResourceAccumulatorSetGlobalStep",
    "handle:resource, new_global_step:int64 -> ",
    ranks={"new_global_step": 0},
    effect=Effect.WRITES,
    vjp=no_gradient,
)
def _set_step(xp: Any, handle: AccumulatorState, new_global_step: Any) -> Any:
    """Sets the step of an accumulator."""
    handle.set_step(int(new_global_step))
    return ()


@export("compat.v1.ConditionalAccumulatorBase")
class ConditionalAccumulatorBase:
    """The base class of dense and sparse accumulators.

    Args:
      dtype: the type of gradients.
      shape: their shape.
      accumulator_ref: the handle.
    """

    def __init__(self, dtype: Any, shape: Any, accumulator_ref: Any) -> None:
        self._dtype, self._shape, self._accumulator_ref = (
            dtypes.as_dtype(dtype),
            shapes.TensorShape(shape),
            accumulator_ref,
        )
        eager = isinstance(accumulator_ref, EagerTensor)
        self._name: str = "accumulator" if eager else accumulator_ref.op.name.rpartition("/")[2]

    @property
    def accumulator_ref(self) -> Tensor:
        """The handle."""
        return self._accumulator_ref

    @property
    def name(self) -> str:
        """The name of its node."""
        return self._name

    @property
    def dtype(self) -> DType:
        """The type of gradients."""
        return self._dtype

    def num_accumulated(self, name: str | None = None) -> Tensor:
        """The number of gradients applied since the last take, an int32 scalar."""
        label = name or f"{self._name}_NumAccumulated"
        return emit(OPS["ResourceAccumulatorNumAccumulated"], (self._accumulator_ref,), {}, label)

    def set_global_step(self, new_global_step: Any, name: str | None = None) -> Operation | None:
        """Goes to a step: gradients of earlier ones are dropped from then on.

        Args:
          new_global_step: the step, an integer scalar.
          name: the operation's.
        """
        step = math.cast(new_global_step, dtypes.int64)
        return emit(OPS["ResourceAccumulatorSetGlobalStep"], (self._accumulator_ref, step), {}, name)

    def _take(self, kind: str, num_required: Any, types: list[DType], name: str | None) -> Any:
        count = convert_to_tensor(num_required, dtypes.int32)
        return emit(OPS[kind], (self._accumulator_ref, count), {"dtypes": tuple(types)}, name)


def _handle(sparse: bool, dtype: Any, shape: Any, shared_name: str | None, name: str, reduction: Any) -> Any:
    """The handle of a new accumulator; a function that is traced uses one of the graph, or the process, around it."""
    if str(reduction).upper() not in ("MEAN", "SUM") or not isinstance(reduction, str):
        raise ValueError(f'reduction_type must be "MEAN" or "SUM", got {reduction!r}')
    spec = AccumulatorSpec(sparse, dtypes.as_dtype(dtype), shapes.TensorShape(shape)._dims, reduction.upper() == "MEAN")
    with init_scope():
        graph = context.current().graph
        if graph is None:
            return EagerTensor(AccumulatorKey(name, spec).make(), dtypes.resource)
        shared = "" if shared_name is None else text(shared_name, "shared_name")
        key = AccumulatorKey("", spec, shared)
        attrs = {
            "handle": graph.resources.add(key, name),
            "dtype": spec.dtype,
            "shape": spec.dims,
            "shared_name": shared,
            "reduction_type": reduction.upper(),
        }
        node = graph.add(_HANDLES[sparse], (), attrs, (dtypes.resource,), ((),), name)
        key.name = node.name
        return node.outputs[0]


class _Accumulator(ConditionalAccumulatorBase):
    """An accumulator of a session; one of this process if it is constructed while executing eagerly.

    Args:
      dtype: the type of gradients.
      shape: their shape, as far as it is known, or None: the first one has it.
      shared_name: accumulators of a session that have the same are one.
      name: names its node.
      reduction_type: "MEAN" or "SUM".

    Raises:
      ValueError: for another reduction.
    """

    _sparse: ClassVar[bool] = False

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        super().__init__(dtype, shape, _handle(self._sparse, dtype, shape, shared_name, name, reduction_type))


@export("compat.v1.ConditionalAccumulator")
@constructor()
class ConditionalAccumulator(_Accumulator):
    """Gradients that several runs apply; one that takes the mean or the sum waits until there are enough."""

    def apply_grad(self, grad: Any, local_step: Any = 0, name: str | None = None) -> Operation | None:
        """Adds a gradient, which is dropped if its step is behind that of the accumulator.

        Args:
          grad: the gradient.
          local_step: the step at which it was computed.
          name: the operation's.

        Raises:
          ValueError: if its shape is known and another.
        """
        grad = convert_to_tensor(grad, self._dtype)
        grad.shape.assert_is_compatible_with(self._shape)
        operands = self._accumulator_ref, math.cast(local_step, dtypes.int64), grad
        return emit(OPS["ResourceAccumulatorApplyGradient"], operands, {}, name)

    def take_grad(self, num_required: Any, name: str | None = None) -> Tensor:
        """The mean or the sum of the gradients, once enough were applied; the accumulator is empty then.

        Args:
          num_required: the required number.
          name: the operation's.

        Raises:
          InvalidArgumentError: when it runs, if the number is not positive.
        """
        (out,) = self._take("ResourceAccumulatorTakeGradient", num_required, [self._dtype], name)
        out.set_shape(self._shape)
        return out


@export("compat.v1.SparseConditionalAccumulator", "compat.v1.sparse.SparseConditionalAccumulator")
@constructor(name="sparse_conditional_accumulator")
class SparseConditionalAccumulator(_Accumulator):
    """Slices of gradients that several runs apply; the mean of a slice is over the gradients that have it."""

    _sparse = True

    def apply_indexed_slices_grad(self, grad: Any, local_step: Any = 0, name: str | None = None) -> Operation | None:
        """`apply_grad` with the parts of IndexedSlices.

        Args:
          grad: the slices.
          local_step: the step at which they were computed.
          name: the operation's.
        """
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(
        self, grad_indices: Any, grad_values: Any, grad_shape: Any = None, local_step: Any = 0, name: str | None = None
    ) -> Operation | None:
        """Adds slices of a gradient, which are dropped if their step is behind that of the accumulator.

        Args:
          grad_indices: [n], their places along the first axis.
          grad_values: [n, ...].
          grad_shape: the shape of the gradient, or None.
          local_step: the step at which they were computed.
          name: the operation's.

        Raises:
          InvalidArgumentError: when it runs, if shapes do not fit.
        """
        operands = (
            self._accumulator_ref,
            math.cast(local_step, dtypes.int64),
            math.cast(grad_indices, dtypes.int64),
            convert_to_tensor(grad_values, self._dtype),
            math.cast([] if grad_shape is None else grad_shape, dtypes.int64),
        )
        attrs = {"has_known_shape": grad_shape is not None}
        return emit(OPS["SparseAccumulatorApplyGradient"], operands, attrs, name)

    def take_grad(self, num_required: Any, name: str | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """(indices, values, shape) of the mean or the sum, once enough gradients were applied.

        Args:
          num_required: the required number.
          name: the operation's.
        """
        types = [dtypes.int64, self._dtype, dtypes.int64]
        return tuple(self._take("SparseAccumulatorTakeGradient", num_required, types, name))

    def take_indexed_slices_grad(self, num_required: Any, name: str | None = None) -> IndexedSlices:
        """`take_grad` as IndexedSlices."""
        indices, values, dense_shape = self.take_grad(num_required, name)
        return IndexedSlices(values, indices, dense_shape)
