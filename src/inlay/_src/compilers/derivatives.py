"""A host function and its pullbacks of every order, as functions of lists of arrays.

    order 0    inputs                                   ─▶ outputs
    order 1    inputs, token, cotangents of outputs     ─▶ cotangents of inputs
    order n+1  what order n takes, token, cotangents    ─▶ cotangents of what order n takes

`values` computes an order, and `recorded` does so under a tape: the recording pulls the next order back. A token
names a recording (`residuals`). Only floating and complex arrays have cotangents, and tokens have none.

Cotangents of complex numbers are TensorFlow's and PyTorch's, the conjugates of JAX's. For JAX, `conjugated` and
`conjugates` say where an array is conjugated on its way in or out.
"""

from __future__ import annotations

import abc
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.compilers.residuals import RESIDUALS
from inlay._src.core import context
from inlay._src.core.eager.tape import Recording, record_execution
from inlay._src.core.opdef import Effect
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.autodiff.accumulation import IMPLICIT_ZERO
from inlay._src.engine.autodiff.backward import pull, pull_recorded
from inlay._src.host import taped
from inlay._src.host.call import HostCall
from inlay._src.host.record import HostFunction, Mode
from inlay._src.host.remote_call import host_call

WORD = np.dtype(np.int32)
"""The dtype of the two words of a token, which JAX has without 64-bit types too."""


def write_token(token: int, words: np.ndarray) -> None:
    """Writes a token into its words, or into those of every element of a batch."""
    words.view(np.int64)[...] = token


def _token_of(array: Any) -> int | None:
    """The token of a call, or the one that all calls of a batch share; None if they differ or there are none.

    Args:
      array: int64 numbers, or pairs of words along the last axis.
    """
    if array.dtype is WORD and array.shape == (2,):
        return int.from_bytes(array.tobytes(), sys.byteorder)
    tokens = (np.ascontiguousarray(array).view(np.int64) if array.dtype == WORD else np.asarray(array)).reshape(-1)
    if not tokens.size or (tokens != tokens[0]).any():
        return None
    return int(tokens[0])


def owned(array: Any) -> Any:
    """A copy of an array, or for rank 0 its element: a runtime value that nobody else can reach."""
    return array.copy() if array.ndim else array[()]


class Array(NamedTuple):
    """A shape and dtype of an argument or result."""

    shape: tuple[int, ...]
    dtype: DType


class Order(abc.ABC):
    """One order of derivative of a host function.

    Attributes:
      host: the host function.
      takes, gives: its arguments and results.
      tokens: the positions of the arguments that are tokens.
      held: the number of leading arguments that a recording holds: they are read, and copied, if that is gone.
      conjugated: per argument whether the function takes the conjugate of what the caller passes.
      conjugates: per result whether the caller gets the conjugate of what the function gives.
    """

    host: HostFunction
    takes: tuple[Array, ...]
    gives: tuple[Array, ...]
    tokens: frozenset[int] = frozenset()
    held: int = 0
    conjugated: tuple[bool, ...]
    conjugates: tuple[bool, ...]
    _next: Order | None = None

    @property
    def differentiable(self) -> tuple[int, ...]:
        """The positions of the arguments that have cotangents."""
        return tuple(i for i, array in enumerate(self.takes) if array.dtype.is_trainable)

    def next(self) -> Order:
        """The pullback of this order."""
        if self._next is None:
            self._next = OrderPullback(self)
        return self._next

    @abc.abstractmethod
    def values(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The results for arguments of any shapes; of a batched call they have more axes than declared."""

    @abc.abstractmethod
    def recorded(self, arrays: Sequence[np.ndarray]) -> tuple[Sequence[np.ndarray], Recording]:
        """`values`, and the recording that pulls cotangents of them back."""

    def with_token(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        """`values`, and after them the token of the recording."""
        outputs, recording = self.recorded(arrays)
        nbytes = 0
        for array in (*arrays, *outputs):
            nbytes += array.nbytes
        # Each record holds about as much; what it really holds is not known without a look at every one.
        return [*outputs, RESIDUALS.put(recording, nbytes * (1 + len(recording.tape.records)) // 2)]


class Primal(Order):
    """The host function itself.

    Args:
      host: the function; its inputs and results are single arrays.
      takes, gives: its arguments and results.
      form: the class of a call that is not recorded.

    Attributes:
      type: the type of the op that calls are of, for messages.
      state: the state in which a call that is not recorded is made.
    """

    def __init__(
        self, host: HostFunction, takes: Sequence[Array], gives: Sequence[Array], form: type[HostCall] = HostCall
    ) -> None:
        self.host, self.takes, self.gives = host, tuple(takes), tuple(gives)
        self.conjugated = (False,) * len(self.takes)
        self.conjugates = (False,) * len(self.gives)
        self.type = "EagerPyFunc" if host.mode is Mode.EAGER else "PyFunc"
        self._call = host_call(host, host.name, self.type, form=form)
        self._recorded_call = host_call(
            host, host.name, self.type
        )  # a recording holds results for longer than the call
        self._eager = host.mode is Mode.EAGER
        self.state = context.State(host=host.label)
        self._dtypes = [array.dtype for array in self.takes]

    def values(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        before = context.get()
        context.set_state(self.state)
        try:
            if not self._eager:
                return self._call(arrays)
            return [t._value for t in self._call(list(map(EagerTensor, arrays, self._dtypes)))]
        finally:
            context.set_state(before)

    def recorded(self, arrays: Sequence[np.ndarray]) -> tuple[Sequence[np.ndarray], Recording]:
        before = context.get()
        context.set_state(context.EAGER)
        try:
            outputs, recording = record_execution(
                self.host.label,
                lambda tensors: taped.call_recorded(self._recorded_call, tensors),
                list(map(EagerTensor, arrays, self._dtypes)),
                lambda tapes: context.State(tapes=tapes),
            )
        finally:
            context.set_state(before)
        return [t._value for t in outputs], recording


class OrderPullback(Order):
    """The pullback of another order."""

    def __init__(self, below: Order) -> None:
        self.host, self._below = below.host, below
        self._seeded = [j for j, array in enumerate(below.gives) if array.dtype.is_trainable]
        self.tokens = below.tokens | {len(below.takes)}
        self.held = len(below.takes) + 1
        arguments = [
            i for i in range(len(below.takes)) if i not in below.tokens
        ]  # the inputs of a recording of `below`
        asked = below.differentiable
        self._sources = [arguments.index(i) for i in asked]
        cotangents = [below.gives[j] for j in self._seeded]
        self.takes = (*below.takes, Array((2,), dtypes.FROM_NUMPY[WORD]), *cotangents)
        self.gives = tuple(below.takes[i] for i in asked)
        # With C a conjugation, h' = C h C' has the pullback conj C' pull(h) C conj.
        self.conjugated = (*below.conjugated, False, *(not below.conjugates[j] for j in self._seeded))
        self.conjugates = tuple(not below.conjugated[i] for i in asked)

    def values(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        recording, seeds = self._recording(arrays)
        sources = [recording.inputs[i] for i in self._sources]
        before = context.get()
        context.set_state(context.EAGER)
        try:
            pulled = pull(recording, seeds, sources)
        finally:
            context.set_state(before)
        return [
            np.zeros(source.shape.as_list(), source.dtype.np) if g is None or g is IMPLICIT_ZERO else g._value  # type: ignore[arg-type]
            for g, source in zip(pulled, sources, strict=True)
        ]

    def recorded(self, arrays: Sequence[np.ndarray]) -> tuple[Sequence[np.ndarray], Recording]:
        recording, seeds = self._recording(arrays)
        sources = [recording.inputs[i] for i in self._sources]
        with context.using(context.EAGER):
            pulled, again = pull_recorded(recording, seeds, sources, recording.inputs)
        return [t._value for t in pulled], again

    def _recording(self, arrays: Sequence[np.ndarray]) -> tuple[Recording, list[EagerTensor | None]]:
        """The recording that is pulled back, and the cotangents of its outputs."""
        count = len(self._below.takes)
        token = _token_of(arrays[count])
        seeds: list[EagerTensor | None] = [None] * len(self._below.gives)
        for j, array in zip(self._seeded, arrays[count + 1 :], strict=True):
            seeds[j] = EagerTensor(array, self._below.gives[j].dtype)
        recording = None if token is None else RESIDUALS.take(token)
        if recording is None or not _fits(recording, seeds):
            if self.host.effect is Effect.STATEFUL:
                raise errors.ResourceExhaustedError(
                    None,
                    None,
                    f"The gradient of {self.host.label} is gone: more forward calls than the table of residuals holds "
                    "came after this one, or they were no batch and their gradients are. A stateful function is not "
                    "called again for it. If a second call does no harm say stateful=False; else take the gradient "
                    "sooner, and batches with vmap='sequential'.",
                )
            recording = self._below.recorded([owned(a) for a in arrays[:count]])[1]
        return recording, seeds


def _fits(recording: Recording, seeds: Sequence[EagerTensor | None]) -> bool:
    """Whether cotangents have the shapes of the outputs; a batch of them may come to a call that was none."""
    for seed, output in zip(seeds, recording.outputs, strict=True):
        if seed is not None and seed._value.shape != output._value.shape:
            return False
    return True
