"""The ops of queues: handles, what puts elements in and takes them out, closing."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from inspect import Parameter
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Effect, OpDef, no_gradient, scalar
from inlay._src.core.values import boxed
from inlay._src.ops.state import handle_op
from inlay._src.tf1.queues.elements import Element
from inlay._src.tf1.queues.queue_state import QueueState
from inlay._src.tf1.queues.waiting import BegunOperation, waiting_op

HANDLES: dict[str, OpDef] = {}
"""Kind of queue -> the op that makes its handle."""
for _kind in ("FIFOQueue", "RandomShuffleQueue", "PaddingFIFOQueue", "PriorityQueue"):
    HANDLES[_kind] = handle_op(f"{_kind}V2", "The handle of a queue.")


def _done(future: Future[None]) -> BegunOperation:
    """A started operation without results."""

    def results() -> Sequence[Any]:
        future.result()
        return ()

    return BegunOperation(future, results)


def _refused(text: str) -> errors.OpError:
    return errors.InvalidArgumentError(None, None, text)


def _dtype(value: Any, wanted: DType) -> DType:
    """The dtype of a runtime value; arrays of objects are text, or objects where these are wanted."""
    dtype = getattr(value, "dtype", None)
    if isinstance(dtype, DType):
        return dtype
    kind = dtypes.FROM_NUMPY[np.asarray(value).dtype]
    return wanted if kind is dtypes.string and wanted is dtypes.variant else kind


def _check(queue: QueueState, components: Sequence[Any], ahead: tuple[int, ...]) -> None:
    """Holds what is put in against what the queue holds; `ahead` is the size of a batch, if it is one."""
    spec = queue.spec
    wanted = len(spec.component_types)
    if len(components) != wanted:
        raise _refused(f"Wrong number of components in tuple. Expected {wanted}, got {len(components)}")
    for i, (value, dtype) in enumerate(zip(components, spec.component_types, strict=True)):
        got = _dtype(value, dtype)
        if got is not dtype:
            raise _refused(f"Type mismatch in tuple component {i}. Expected {dtype.c_name}, got {got.c_name}")
        if not spec.shapes:
            continue
        dims = spec.shapes[i]
        whole: Dims = None if dims is None else (*ahead, *dims)
        if not shapes.compatible(np.shape(value), whole):
            raise _refused(
                f"Shape mismatch in tuple component {i}. Expected {shapes.bracketed(whole)}, "
                f"got {shapes.bracketed(np.shape(value))}"
            )


@waiting_op("QueueEnqueueV2", "handle:resource, components:*any -> ")
def begin_enqueue(handle: QueueState, components: Sequence[Any]) -> BegunOperation:
    """Puts an element into a queue, once there is room."""
    _check(handle, components, ())
    element = tuple(components)
    return _done(handle.enqueue(1, lambda _: element))


@waiting_op("QueueEnqueueManyV2", "handle:resource, components:*any -> ")
def begin_enqueue_many(handle: QueueState, components: Sequence[Any]) -> BegunOperation:
    """Puts the slices of a batch into a queue, each once there is room."""
    sizes = [np.shape(c)[:1] for c in components]
    for i, size in enumerate(sizes):
        if not size:
            raise _refused(f"All components must have at least one dimension; component {i} is a scalar")
        if size != sizes[0]:
            raise _refused(
                f"All input tensors must have the same size in the 0th dimension. Component {i} has {size[0]}, and "
                f"should have {sizes[0][0]}"
            )
    _check(handle, components, sizes[0])

    def element(number: int) -> Element:
        return tuple(boxed(c[number]) for c in components)

    return _done(handle.enqueue(sizes[0][0], element))


@waiting_op("QueueDequeueV2", "handle:resource -> *component_types", {"component_types": Parameter.empty})
def begin_dequeue(handle: QueueState, *, component_types: Sequence[DType]) -> BegunOperation:
    """Takes an element out of a queue, once there is one."""
    _check_types(handle, component_types)
    future = handle.dequeue(1)
    return BegunOperation(future, lambda: future.result()[0])


@waiting_op(
    "QueueDequeueManyV2",
    "handle:resource, n:int32 -> *component_types",
    {"component_types": Parameter.empty},
    scalars=("n",),
)
def begin_dequeue_many(handle: QueueState, n: Any, *, component_types: Sequence[DType]) -> BegunOperation:
    """Takes a batch of elements out of a queue, once there are so many."""
    return _begin_batch(handle, n, component_types, fewer=False)


@waiting_op(
    "QueueDequeueUpToV2",
    "handle:resource, n:int32 -> *component_types",
    {"component_types": Parameter.empty},
    scalars=("n",),
)
def begin_dequeue_up_to(handle: QueueState, n: Any, *, component_types: Sequence[DType]) -> BegunOperation:
    """Takes a batch of elements out of a queue; once it is closed, those that are left."""
    return _begin_batch(handle, n, component_types, fewer=True)


def _begin_batch(handle: QueueState, n: Any, component_types: Sequence[DType], fewer: bool) -> BegunOperation:
    _check_types(handle, component_types)
    spec, count = handle.spec, int(n)
    if not spec.shapes:
        raise _refused(f"{spec.kind}'s DequeueMany and DequeueUpTo require the components to have specified shapes.")
    if count < 0:
        raise _refused(f"{spec.kind}: DequeueMany and DequeueUpTo: requested {count} elements, which is less than 0.")
    future = handle.dequeue(count, fewer)

    def results() -> Sequence[Any]:
        taken = future.result()
        return [
            _stacked([element[i] for element in taken], dtype, dims)
            for i, (dtype, dims) in enumerate(zip(spec.component_types, spec.shapes, strict=True))
        ]

    return BegunOperation(future, results)


def _check_types(queue: QueueState, component_types: Sequence[DType]) -> None:
    own = queue.spec.component_types
    if tuple(component_types) != own:
        raise _refused(
            f"{queue.label} has components of types {', '.join(d.name for d in own)}, and what takes elements out asks "
            f"for {', '.join(d.name for d in component_types)}"
        )


def _stacked(values: Sequence[Any], dtype: DType, dims: Dims) -> Any:
    """Values of one component as a batch, each filled up with zeros to the largest size along what is not known."""
    fixed = tuple(0 if d is None else d for d in dims or ())
    size = tuple(np.max([fixed, *map(np.shape, values)], axis=0).tolist()) if fixed else ()
    out = np.zeros((len(values), *size), dtype.np)
    if dtype is dtypes.string:
        out[...] = b""
    for i, value in enumerate(values):
        shape = np.shape(value)
        at: Any = (i, *map(slice, shape))
        out[at] = value if shape else (value.item() if dtype is dtypes.string else value)
    return out


@waiting_op("QueueCloseV2", "handle:resource -> ", {"cancel_pending_enqueues": False})
def begin_close(handle: QueueState, *, cancel_pending_enqueues: bool) -> BegunOperation:
    """Closes a queue, once what waits to be put in is in it, or has been cancelled."""
    return _done(handle.close(cancel_pending_enqueues))


@op("QueueSizeV2", "handle:resource -> int32", effect=Effect.READS, infer=scalar, vjp=no_gradient)
def size_of(xp: Any, handle: QueueState) -> Any:
    """The number of elements in a queue."""
    return np.int32(len(handle))


@op("QueueIsClosedV2", "handle:resource -> bool", effect=Effect.READS, infer=scalar, vjp=no_gradient)
def is_closed(xp: Any, handle: QueueState) -> Any:
    """Whether a queue is closed."""
    return np.bool_(handle.closed)


@op(
    "SelectQueue",
    "index:int32, queues:*resource -> resource",
    ranks={"index": 0},
    effect=Effect.READS,
    infer=scalar,
    vjp=no_gradient,
)
def select(xp: Any, index: Any, queues: Sequence[QueueState]) -> QueueState:
    """One of several queues."""
    return queues[int(index)]
