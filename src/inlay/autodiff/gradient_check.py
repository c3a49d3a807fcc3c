"""A numerical check of gradients: `tf.test.compute_gradient`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay.autodiff.gradient_tape import GradientTape
from inlay.core.tensor import EagerTensor
from inlay.eager.convert import convert_to_tensor
from inlay.export import export


@export("test.compute_gradient")
def compute_gradient(
    f: Callable[..., Any], x: Sequence[Any], delta: float | None = None
) -> tuple[list[Any], list[Any]]:
    """Theoretical and numerical Jacobians of a function, to compare: `max_error(*compute_gradient(f, [x]))`.

    Args:
      f: takes tensors, returns one tensor.
      x: its arguments: arrays, lists or tensors of floating or complex types.
      delta: the step of the central differences; None takes the cube root of the type's precision.

    Returns:
      (theoretical, numerical): per argument a matrix, one row per element of the result, one column per element of the
      argument. Complex numbers take two columns and rows each (real, imaginary part), as in TensorFlow.

    Raises:
      ValueError: if `x` is no list.
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(f"`x` must be a list or tuple of arguments, got {type(x).__name__}")
    arguments = [convert_to_tensor(v) for v in x]
    return (
        [_theoretical(f, arguments, i) for i in range(len(arguments))],
        [_numerical(f, arguments, i, delta) for i in range(len(arguments))],
    )


def _parts(array: np.ndarray) -> np.ndarray:
    """An array as a flat vector of real numbers."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _theoretical(f: Callable[..., Any], arguments: list[Any], index: int) -> np.ndarray:
    x = arguments[index]
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(*arguments)
    value = np.asarray(y)
    units: list[np.ndarray] = []
    for k in range(value.size):
        for unit in (1, 1j) if value.dtype.kind == "c" else (1,):
            seed = np.zeros(value.size, value.dtype)
            seed[k] = unit
            units.append(seed.reshape(value.shape))
    rows = []
    for seed in units:
        grad = tape.gradient(y, x, output_gradients=EagerTensor(seed[()], y.dtype))
        grad = None if grad is None else convert_to_tensor(grad)
        rows.append(_parts(np.zeros(np.shape(x), x.dtype.np) if grad is None else np.asarray(grad)))
    return np.stack(rows) if rows else np.zeros((0, _parts(np.asarray(x)).size))


def _numerical(f: Callable[..., Any], arguments: list[Any], index: int, delta: float | None) -> np.ndarray:
    x = np.array(arguments[index])
    real = x.real.dtype
    step = delta if delta is not None else float(np.cbrt(np.finfo(real).eps)) if real.kind == "f" else 1e-2
    columns = []
    for k in range(_parts(x).size):
        ends = []
        for sign in (1, -1):
            moved = np.array(x, order="C", ndmin=1)
            _parts(moved)[k] += real.type(sign * step)
            given = [*arguments]
            given[index] = EagerTensor(moved.reshape(x.shape)[()], arguments[index].dtype)
            ends.append(_parts(np.array(np.asarray(f(*given)))).astype(np.float64))
        columns.append((ends[0] - ends[1]) / (2 * step))
    return np.stack(columns, axis=1) if columns else np.zeros((0, 0))


def max_error(theoretical: Sequence[Any], numerical: Sequence[Any]) -> float:
    """The largest difference between what `compute_gradient` returned."""
    return max(
        (float(np.max(np.abs(a - b))) for a, b in zip(theoretical, numerical, strict=True) if a.size), default=0.0
    )
