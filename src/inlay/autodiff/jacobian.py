"""Jacobians, from one pull per element of the target; forward mode, from the pull of a pull; a numerical check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from inlay.autodiff.tape import GradientTape
from inlay.core.opdef import OPS
from inlay.core.tensor import EagerTensor
from inlay.eager.emit import convert_to_tensor, emit
from inlay.types import dtypes, nest


def one_hots(target: Any) -> list[Any]:
    """Cotangents of a target that each pick one element.

    Raises:
      ValueError: if its shape is not known while a graph is built.
    """
    if not target.shape.is_fully_defined():
        raise ValueError(
            f"a jacobian needs a target of known shape, got {target!r}; state its shape with set_shape or ensure_shape"
        )
    dims = tuple(target.shape.as_list())
    size = int(np.prod(dims, dtype=np.int64))
    rows = np.eye(size, dtype=target.dtype.np).reshape(size, *dims)
    return [convert_to_tensor(row) for row in rows]


def jacobian(pull: Callable[[Any], Sequence[Any]], target: Any) -> list[Any]:
    """Derivatives of every element of `target`.

    Args:
      pull: takes a cotangent of the target; returns one cotangent or None per source.
      target: a tensor of known shape.

    Returns:
      Per source: a tensor of shape `target.shape + source.shape`, or None.
    """
    rows = [list(pull(seed)) for seed in one_hots(target)]
    dims = list(target.shape.as_list())
    out: list[Any] = []
    for column in zip(*rows, strict=True):
        if any(c is None for c in column):
            out.append(None)
            continue
        stacked = emit(OPS["Pack"], (list(column),), {"axis": 0})
        tail = emit(OPS["Shape"], (column[0],), {"out_type": dtypes.int32})
        out.append(emit(OPS["Reshape"], (stacked, emit(OPS["ConcatV2"], ([dims, tail],), {"axis": 0})), {}))
    return out


def batch_jacobian(pull: Callable[[Any], Any], target: Any, source: Any) -> Any:
    """The jacobian of each row of `target` with respect to the same row of `source`.

    Args:
      pull: takes a cotangent of the target; returns the cotangent of the source, or None.
      target, source: tensors of known shape with the same number of rows.
    """
    for what, t in (("target", target), ("source", source)):
        if not t.shape.is_fully_defined() or not t.shape.rank:
            raise ValueError(f"batch_jacobian needs a {what} of known shape and rank of at least 1, got {t!r}")
    rows, tail = target.shape[0], tuple(target.shape.as_list()[1:])
    if rows != source.shape[0]:
        raise ValueError(f"batch_jacobian: target has {rows} rows, source {source.shape[0]}; they must be equal")
    size = int(np.prod(tail, dtype=np.int64))
    columns = []
    for k in range(size):  # the same element of every row at once: rows do not depend on one another
        seed = np.zeros((rows, size), target.dtype.np)
        seed[:, k] = 1
        grad = pull(convert_to_tensor(seed.reshape(rows, *tail)))
        if grad is None:
            return None
        columns.append(grad)
    stacked = emit(OPS["Pack"], (columns,), {"axis": 1})
    return emit(OPS["Reshape"], (stacked, [rows, *tail, *source.shape.as_list()[1:]]), {})


class ForwardAccumulator:
    """Forward-mode derivatives: `acc.jvp(y)` is the derivative of `y` along `tangents` at `primals`.

    It is the pull of a pull: the cotangent of `u` in `vjp(u)` is linear in the tangents. So it works for every op with
    a gradient, at about twice the cost of reverse mode.

    Args:
      primals: a tensor or variable, or a nest of them.
      tangents: tensors nested and shaped like `primals`.
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        nest.assert_same_structure(primals, tangents, check_types=False)
        self._primals = nest.flatten(primals)
        self._tangents = [convert_to_tensor(t) for t in nest.flatten(tangents)]
        for p, t in zip(self._primals, self._tangents, strict=True):
            if p.dtype is not t.dtype or not p.shape.is_compatible_with(t.shape):
                raise ValueError(f"the tangent of {p!r} must have its dtype and shape, got {t!r}")
        self._outer = GradientTape(persistent=True)
        self._inner = GradientTape(persistent=True)

    def __enter__(self) -> ForwardAccumulator:
        self._outer.__enter__()
        self._inner.__enter__()
        for p in self._primals:
            self._inner.watch(p)
            self._outer.watch(p)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._inner.__exit__(kind, error, trace)
        self._outer.__exit__(kind, error, trace)

    def jvp(self, primals: Any, unconnected_gradients: Any = "none") -> Any:
        """The derivative of `primals` along the tangents; None (or zeros) where it does not depend on them.

        Args:
          primals: a tensor computed in the block, or a nest of them.
          unconnected_gradients: "none" or "zero".
        """
        return nest.map_structure(lambda y: self._along(convert_to_tensor(y), unconnected_gradients), primals)

    def _along(self, y: Any, policy: Any) -> Any:
        zeros = emit(OPS["ZerosLike"], (y,), {})
        with GradientTape() as linear:
            linear.watch(zeros)
            pulled = self._inner.gradient(y, self._primals, output_gradients=zeros)
            live = [(p, t) for p, t in zip(pulled, self._tangents, strict=True) if p is not None]
        if not live:
            return emit(OPS["ZerosLike"], (y,), {}) if getattr(policy, "value", policy) == "zero" else None
        found = linear.gradient([p for p, _ in live], zeros, output_gradients=[t for _, t in live])
        return found if found is not None else emit(OPS["ZerosLike"], (y,), {})


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
