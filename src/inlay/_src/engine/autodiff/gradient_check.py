"""A numerical check of gradients: `tf.test.compute_gradient`, of functions and in 1.x of tensors of a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.misuse import repr_of
from inlay._src.base.parameters import parameters_of
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import EagerTensor, SymbolicTensor
from inlay._src.engine.autodiff.gradient_tape import GradientTape
from inlay._src.engine.autodiff.graph_gradients import as_list, gradients
from inlay._src.ops.placeholders import placeholder

Value = Callable[[Sequence[Any]], Any]
"""The result of what is checked, from its arguments."""
Pull = Callable[[Any], Sequence[Any]]
"""The cotangents of the arguments, None where there is none, from that of the result."""

_STEP = 2.0**-10
"""TensorFlow's step, which is the greatest one for types of 32 bits and more: tolerances are written for it."""
_CURVED = 2.0**-6
"""A cube root of a precision above this one is that of a type of 16 bits, whose rounding hides a shorter step."""


@export("test.compute_gradient")
def compute_gradient(
    f: Callable[..., Any], x: Sequence[Any], delta: float | None = None
) -> tuple[list[Any], list[Any]]:
    """Theoretical and numerical Jacobians of a function, to compare: `max_error(*compute_gradient(f, [x]))`.

    While a graph is built, `f` adds to it, and the default session runs it.

    Args:
      f: takes tensors, returns one tensor.
      x: its arguments: arrays, lists or tensors of floating or complex types.
      delta: the step of the central differences; None takes the largest power of two that is not above the cube root of
        the type's precision, at most 2**-10 for types of 32 bits and more, and divides by the way that an argument
        really moved in its own type.

    Returns:
      (theoretical, numerical): per argument a matrix, one row per element of the result, one column per element of the
      argument. Complex numbers take two columns and rows each (real, imaginary part), as in TensorFlow.

    Raises:
      ValueError: if `x` is no list.
      TypeError: if `f` does not return a tensor.
      AssertionError: if an argument is of another type.
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(f"`x` must be a list or tuple of arguments, got {type(x).__name__}")
    graph = context.current().graph
    if graph is not None:
        session = graph.session_for(None, "compute_gradient")
        arrays = [session.run(v) if isinstance(v, SymbolicTensor) else _array(v) for v in x]
        _check_types([dtypes.as_dtype(a.dtype) for a in arrays])
        arguments = [placeholder(a.dtype, a.shape) for a in arrays]
        return _jacobians(*_in_session(session, arguments, _tensor(f(*arguments)), arrays, {}), arrays, delta)
    tensors = [convert_to_tensor(v) for v in x]
    _check_types([t.dtype for t in tensors])
    with GradientTape(persistent=True) as tape:
        tape.watch(tensors)
        y = _tensor(f(*tensors))

    def value(arrays: Sequence[Any]) -> Any:
        return np.asarray(_tensor(f(*(EagerTensor(a, t.dtype) for a, t in zip(arrays, tensors, strict=True)))))

    def pull(seed: Any) -> Sequence[Any]:
        gradients = tape.gradient(y, tensors, output_gradients=EagerTensor(seed, y.dtype))
        return [None if g is None else convert_to_tensor(g) for g in gradients]

    return _jacobians(value, pull, np.asarray(y), [np.asarray(t) for t in tensors], delta)


def _check_types(types: Sequence[dtypes.DType]) -> None:
    for i, dtype in enumerate(types):
        if not (dtype.is_floating or dtype.is_complex):
            raise AssertionError(f"Cannot compute gradient for unsupported type {dtype.name} of argument {i}")


def _tensor(result: Any) -> Any:
    """The result of the function, as a tensor.

    Raises:
      TypeError: if it is neither a tensor nor an array.
    """
    if not hasattr(result, "dtype"):
        raise TypeError(f"`f` must return a tensor, got {repr_of(result)}")
    return convert_to_tensor(result)


def _array(value: Any) -> Any:
    with context.using(context.EAGER):
        return np.asarray(convert_to_tensor(value))


def _in_session(
    session: Any, xs: Sequence[Any], y: Any, arrays: Sequence[Any], extra: Mapping[Any, Any]
) -> tuple[Value, Pull, Any]:
    """The value of `y` and its gradients in a session, as functions of arrays, and `y` for these arrays."""

    def fed(arrays: Sequence[Any]) -> dict[Any, Any]:
        return {**extra, **dict(zip(xs, arrays, strict=True))}

    cotangent = placeholder(y.dtype, y.shape)
    slopes = [None if g is None else convert_to_tensor(g) for g in gradients(y, list(xs), cotangent)]

    def pull(seed: Any) -> Sequence[Any]:
        values = iter(session.run([g for g in slopes if g is not None], {**fed(arrays), cotangent: seed}))
        return [None if g is None else next(values) for g in slopes]

    def value(arrays: Sequence[Any]) -> Any:
        return np.asarray(session.run(y, fed(arrays)))

    return value, pull, value(arrays)


def _parts(array: np.ndarray) -> np.ndarray:
    """An array as a flat vector of real numbers."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _jacobians(
    value: Value, pull: Pull, y: Any, arrays: Sequence[Any], delta: float | None
) -> tuple[list[Any], list[Any]]:
    theory: list[list[np.ndarray]] = [[] for _ in arrays]
    if not y.size:
        for grad, x in zip(pull(np.zeros(y.shape, y.dtype)), arrays, strict=True):
            if grad is not None and np.shape(grad) != x.shape:
                raise ValueError(f"Empty gradient has wrong shape: expected {x.shape}, got {np.shape(grad)}")
    for k in range(y.size):
        for unit in (1, 1j) if y.dtype.kind == "c" else (1,):
            seed = np.zeros(y.size, y.dtype)
            seed[k] = unit
            for rows, grad, x in zip(theory, pull(seed.reshape(y.shape)[()]), arrays, strict=True):
                rows.append(_parts(np.zeros_like(x) if grad is None else np.asarray(grad)))
    empty = [np.zeros((0, _parts(x).size)) for x in arrays]
    theoretical = [np.stack(rows) if rows else none for rows, none in zip(theory, empty, strict=True)]
    return theoretical, [_numerical(value, y, arrays, i, delta) for i in range(len(arrays))]


def _numerical(value: Value, y: Any, arrays: Sequence[Any], index: int, delta: float | None) -> np.ndarray:
    x = arrays[index]
    real = x.real.dtype
    kinds = [k for k in (real, np.asarray(y).real.dtype) if k.kind == "f"]  # the coarser one says what can be seen
    fine = max((float(np.cbrt(np.finfo(k).eps)) for k in kinds), default=1e-2) if real.kind == "f" else 1e-2
    # Sums with a power of two are exact for most numbers, so that what is linear has its slope without rounding.
    step = 2.0 ** np.floor(np.log2(fine)) if delta is None else delta
    if delta is None and fine < _CURVED:
        step = min(step, _STEP)
    columns = []
    for k in range(_parts(x).size):
        ends, places = [], []
        for sign in (1, -1):
            moved = np.array(x, order="C", ndmin=1)
            _parts(moved)[k] += real.type(sign * step)
            places.append(float(_parts(moved)[k]))
            arguments = [*arrays]
            arguments[index] = moved.reshape(x.shape)[()]
            ends.append(_parts(np.array(value(arguments))).astype(np.float64))
        moved_by = places[0] - places[1] if delta is None else 0.0  # a step that is given is taken at its word
        columns.append((ends[0] - ends[1]) / (moved_by or 2 * step))
    return np.stack(columns, axis=1).astype(real) if columns else np.zeros((_parts(y).size, 0), real)


def max_error(theoretical: Sequence[Any], numerical: Sequence[Any]) -> float:
    """The largest difference between what `compute_gradient` returned."""
    return max(
        (float(np.max(np.abs(a - b))) for a, b in zip(theoretical, numerical, strict=True) if a.size), default=0.0
    )


@export("compat.v1.test.compute_gradient")
def compute_gradient_v1(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]] | list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    """Theoretical and numerical Jacobians of a tensor of a graph, run by the default session.

    Args:
      x: a tensor, or a list of them.
      x_shape: its shape, or a list of them.
      y: a tensor that depends on `x`.
      y_shape: its shape.
      x_init_value: the value of `x`, or a list of them; random numbers from 0 to 1 where None.
      delta: the step of the central differences.
      init_targets: operations to run before.
      extra_feed_dict: further feeds.

    Returns:
      (theoretical, numerical), one row per element of `x`, one column per element of `y`; a list of such pairs for a
      list. Complex numbers take two columns and rows each (real, imaginary part).
    """
    if not isinstance(y, SymbolicTensor):
        raise TypeError(f"compute_gradient needs a tensor of a graph as `y`, got {repr_of(y)}")
    many = isinstance(x, (list, tuple))
    xs, dims = (list(x), list(x_shape)) if many else ([x], [x_shape])
    for t in xs:
        if not isinstance(t, SymbolicTensor):
            raise TypeError(f"compute_gradient needs tensors of a graph as `x`, got {repr_of(t)}")
    _check_types([t.dtype for t in xs])
    session = y.graph.session_for(None, "compute_gradient")
    if init_targets is not None:
        session.run(init_targets)
    starts = as_list(x_init_value) if x_init_value is not None else [None] * len(xs)
    pairs = []
    for value, t, shape in zip(starts, xs, dims, strict=True):  # the others keep what they are
        array = np.asarray(np.random.random_sample(tuple(shape)) if value is None else value, t.dtype.np)
        jacobians = _jacobians(*_in_session(session, [t], y, [array], extra_feed_dict or {}), [array], delta)
        pairs.append((jacobians[0][0].T, jacobians[1][0].T))
    return pairs if many else pairs[0]


@export("compat.v1.test.compute_gradient_error")
@parameters_of(compute_gradient_v1)
def compute_gradient_error(x: Any, **arguments: Any) -> float:
    """The largest difference between the theoretical and the numerical Jacobian of a tensor of a graph.

    Returns:
      The difference.
    """
    jacobians = compute_gradient_v1(x, **arguments)
    theory, numbers = zip(*(jacobians if isinstance(x, (list, tuple)) else [jacobians]), strict=True)
    return max_error(theory, numbers)
