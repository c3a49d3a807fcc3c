"""An accumulator of a session: gradients that were applied, and who waits until there are enough of them.

    apply ──▶ sum, count ──▶ take (futures, which wait while there are too few)

An application whose step is behind that of the accumulator is dropped. Taking gives the sum or the mean, empties the
accumulator and increments its step. No method blocks: the application of a gradient completes the futures that it can.

    state of a future   held by                  moves to
    waiting             the line                 ended: `_serve`, `abandon` take it out, under the lock
                                                 cancelled: by any thread; `_serve` drops it
    ended (RUNNING)     the thread that took it  done: that thread sets it; Ctrl-C waits until it has

A gradient is in the sum or in the result of one future, never in both.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter.forking import new_lock
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.base.types import shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core.executor import NotifyingFuture
from inlay._src.core.state import Waited
from inlay._src.core.values import boxed
from inlay._src.tf1.queues.keys import SharedKey


def _refused(text: str) -> errors.OpError:
    return errors.InvalidArgumentError(None, None, text)


@dataclass(frozen=True, slots=True)
class AccumulatorSpec:
    """The declaration of an accumulator.

    Attributes:
      sparse: whether gradients are slices with their indices.
      dtype: the type of gradients.
      dims: their shape, as far as it is known.
      mean: whether the mean is taken, or else the sum.
    """

    sparse: bool
    dtype: DType
    dims: Dims
    mean: bool


class AccumulatorState(Waited):
    """An accumulator.

    Args:
      spec: the declaration of the accumulator.
      name: its name, for messages.
    """

    def __init__(self, spec: AccumulatorSpec, name: str) -> None:
        self.spec, self.name = spec, name
        self.count, self.step = 0, 0
        self._sum: Any = None  # an array; for sparse gradients index -> (the sum of its slices, how many there were)
        self._dims = spec.dims
        self._taking: deque[tuple[Future[Any], int]] = deque()
        self._abandoned: errors.OpError | None = None
        self._lock = new_lock()

    def __repr__(self) -> str:
        return f"<accumulator '{self.name}' of {self.count} gradients at step {self.step}>"

    def set_step(self, step: int) -> None:
        """Goes to a step: gradients of earlier ones are dropped from now on."""
        with self._lock:
            self.step = step

    def apply(self, step: int, gradient: Any) -> None:
        """Adds a dense gradient, unless it is of a step before that of the accumulator.

        Raises:
          InvalidArgumentError: if it has another shape.
        """
        with self._lock:
            if not shapes.compatible(np.shape(gradient), self._dims):
                difference = f"expected {shapes.bracketed(self._dims)}, got {shapes.bracketed(np.shape(gradient))}"
                raise _refused(f"Shape mismatch: {difference}")
            if step >= self.step:
                self._dims = np.shape(gradient)
                self._sum = np.array(gradient) if self._sum is None else np.add(self._sum, gradient)
                self.count += 1
        self._serve()

    def apply_slices(self, step: int, indices: Any, values: Any, shape: Sequence[int] | None) -> None:
        """Adds slices of a gradient, unless they are of a step before that of the accumulator.

        Args:
          step: the step.
          indices: [n]; the places of the slices along the first axis.
          values: [n, ...]; the slices.
          shape: that of the gradient, or None.

        Raises:
          InvalidArgumentError: if the shapes do not fit one another or those that came before.
        """
        indices, values = np.asarray(indices), np.asarray(values)
        with self._lock:
            self._check_slices(indices, values, shape)
            if step >= self.step:
                held = self._sum = {} if self._sum is None else self._sum
                self._dims = ((self._dims or (None,))[0], *values.shape[1:])
                for at, value in zip(indices.tolist(), values, strict=True):
                    before, times = held.get(at, (0, 0))
                    held[at] = before + value, times + 1
                self.count += 1
        self._serve()

    def _check_slices(self, indices: np.ndarray, values: np.ndarray, shape: Sequence[int] | None) -> None:
        if indices.ndim != 1:
            raise _refused(f"Input indices should be vector but received shape: {list(indices.shape)}")
        if not values.ndim:
            raise _refused("Values cannot be 0-dimensional.")
        if len(indices) != len(values):
            raise _refused(f"Expected {len(indices)} non-empty input values, got {len(values)}")
        own = self._dims
        if own is None:
            return
        if shape is not None:
            if len(shape) < len(own):
                raise _refused(f"Shape mismatch: expected shape rank at least {len(own)}, got {len(shape)}")
            for i, (mine, other) in enumerate(zip(own, shape, strict=False)):
                if mine not in (None, other):
                    raise _refused(f"Shape mismatch: expected shape dim {i} to be {mine}, got {other}")
        if own and own[0] is not None:
            for k, at in enumerate(indices.tolist()):
                if at >= own[0]:
                    raise _refused(
                        f"Shape mismatch: index of slice {k} exceeded limits of shape; index is {at} exceeded {own[0]}"
                    )
        dims = self.spec.dims if self._sum is None else own
        if dims is not None and (values.ndim < len(dims) if self._sum is None else values.ndim != len(dims)):
            least = "at least " if self._sum is None else ""
            raise _refused(f"Shape mismatch: expected values rank {least}{len(dims)}, got {values.ndim}")
        for i, (mine, other) in enumerate(zip(own[1:], values.shape[1:], strict=False), 1):
            if mine not in (None, other):
                raise _refused(f"Shape mismatch: expected values dim {i} to be {mine}, got {other}")

    def take(self, count: int) -> Future[Any]:
        """Begins to take the sum or the mean, which waits until so many gradients were applied.

        Raises:
          InvalidArgumentError: if the number is not positive.
        """
        if count < 1:
            raise _refused(f"num_required must be positive, got {count}")
        future: Future[Any] = NotifyingFuture()
        with self._lock:
            abandoned = self._abandoned
            if abandoned is None:
                self._taking.append((future, count))
        if abandoned is not None:
            future.set_exception(abandoned)
        else:
            self._serve()
        return future

    def abandon(self) -> None:
        """The session that it belongs to is gone: cancels whatever waits, and whatever is begun from now on."""
        with PutOff():
            with self._lock:
                self._abandoned = errors.CancelledError(None, None, "TakeGrad operation was cancelled")
                waiting = [f for f, _ in self._taking if f.set_running_or_notify_cancel()]
                self._taking.clear()
            for future in waiting:
                future.set_exception(self._abandoned)

    def _serve(self) -> None:
        """Ends the futures in front of the line for which there are enough gradients."""
        while True:
            with PutOff():
                with self._lock:
                    while self._taking and self._taking[0][0].cancelled():
                        self._taking.popleft()
                    if not self._taking or self.count < self._taking[0][1]:
                        return
                    future, _ = self._taking.popleft()
                    if not future.set_running_or_notify_cancel():
                        continue
                    result, error = self._taken()
                if error is None:
                    future.set_result(result)
                else:
                    future.set_exception(error)

    def _taken(self) -> tuple[Any, Exception | None]:
        """The result of taking, which empties the accumulator; or what failed, which leaves it as it is."""
        try:
            result = self._result()
        except Exception as error:
            return None, error
        self.count, self._sum, self.step = 0, None, self.step + 1
        if self.spec.sparse:
            self._dims = self.spec.dims
        return result, None

    def _result(self) -> Any:
        """The result of taking: an array, or (indices, values, shape)."""
        kind = self.spec.dtype.np
        if not self.spec.sparse:
            return boxed(np.asarray(self._sum / self.count if self.spec.mean else self._sum).astype(kind))
        places = sorted(self._sum)
        rows = [s / n if self.spec.mean else s for s, n in map(self._sum.get, places)]
        inner = (self._dims or (None,))[1:]  # of the slices; known since the first gradient, even if it had none
        values = np.asarray(rows, kind).reshape(len(places), *inner)
        own = self.spec.dims
        first = -1 if not own or own[0] is None else own[0]
        return np.array(places, np.int64), values, np.array([first, *values.shape[1:]], np.int64)


class AccumulatorKey(SharedKey[AccumulatorSpec]):
    """Names an accumulator of a graph; see `SharedKey`."""

    __slots__ = ()
    kind = "accumulator"

    def make(self) -> AccumulatorState:
        """An empty accumulator."""
        return AccumulatorState(self.spec, self.state_name())

    def check(self, shared: Any) -> None:
        """Checks what was made under the shared name before.

        Raises:
          InvalidArgumentError: if it is another kind of accumulator.
        """
        if not isinstance(shared, AccumulatorState) or shared.spec != self.spec:
            raise _refused(
                f"Shared accumulator '{self.shared_name}' is {shared!r}, not the one that {self.name} asks for"
            )
