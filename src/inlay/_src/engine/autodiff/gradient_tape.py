"""`GradientTape`: records eager (and symbolic) ops and differentiates them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Literal, TypeVar, overload

from inlay._src.base.export import export
from inlay._src.base.spans import SPANS
from inlay._src.base.types import dtypes
from inlay._src.base.types.text import counted
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.tape import Tape
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.opdef import RowGradient
from inlay._src.core.state import handle_key
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.core.trackable import acts_as_variable
from inlay._src.engine.autodiff import jacobian
from inlay._src.engine.autodiff.accumulation import IMPLICIT_ZERO, ones_for
from inlay._src.engine.autodiff.backward import backward, variable_value, zeros_of
from inlay._src.engine.autodiff.graph_gradients import (
    Derivative,
    UnconnectedGradients,
    differentiate,
    own_cotangent,
    source_of,
    unconnected_message,
)
from inlay._src.engine.autodiff.structured import differentiable_tensors, with_derivatives
from inlay._src.ops.composite.indexed_slices import IndexedSlices
from inlay._src.ops.variables.variable import Variable

K = TypeVar("K")
S = TypeVar("S", bound="Tensor | Variable")


@export("GradientTape", "autodiff.GradientTape")
class GradientTape:
    """Records ops for automatic differentiation.

    ```python
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)  # 6.0
    ```

    Args:
      persistent: whether `gradient` may be called more than once.
      watch_accessed_variables: whether the tape watches trainable variables when they are read.
    """

    __slots__ = (
        "__dict__", "__weakref__", "_auto", "_before", "_during", "_persistent", "_recording", "_tape", "_used",
    )  # fmt: skip

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent, self._auto = bool(persistent), watch_accessed_variables
        self._tape: Tape | None = None
        self._recording = False
        self._used = False
        self._before: context.State | None = None  # what was in force when recording began
        self._during: context.State | None = None  # what has been in force since

    def __enter__(self) -> GradientTape:
        if self._recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        if self._tape is None:
            self._tape = Tape(trainable=self._auto)
        self._before = context.get()
        state = self._before or context.base()
        self._during = state.with_tapes((*state.tapes, self._tape))
        context.set_state(self._during)
        self._recording = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()  # also where a gradient that was asked for in a scope inside could not
        self._recording, self._before, self._during = False, None, None

    def _pop(self) -> None:
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._leave()
        self._recording = False

    def _leave(self) -> None:
        """Takes the tape out of what is in force."""
        state = context.current()
        if state is self._during:
            context.set_state(self._before)
        elif any(t is self._tape for t in state.tapes):  # another tape or scope began inside and has not ended
            left = state.with_tapes(tuple(t for t in state.tapes if t is not self._tape))
            context.set_state(None if left == context.base() else left)

    def watch(self, tensor: Any) -> None:
        """Records the ops on a tensor, a variable or a nest of them; integers and strings are ignored."""
        if self._tape is None:
            self._tape = Tape(trainable=self._auto)
        if tensor.__class__ is EagerTensor and tensor._dtype._kind in "fc" and (context.get() or context.base()).eager:
            self._tape.watch(tensor)
            return
        for t in _leaves(tensor):
            if not isinstance(t, Tensor) and (hasattr(t, "__inlay_gradient_source__") or acts_as_variable(t)):
                self._tape.watch_handle(source_of(t))
                continue
            if not isinstance(t, (EagerTensor, SymbolicTensor)):
                raise ValueError(
                    f"Passed in object {t!r} of type {type(t).__name__!r}, not tf.Tensor or tf.Variable or "
                    "ExtensionType."
                )
            if t.dtype._kind in "fcr":
                self._tape.watch(t)
                graph = context.current().graph
                inside = graph.captured_as(t) if isinstance(graph, FuncGraph) else None
                if inside is not None:
                    self._tape.watch(inside)

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Pauses recording in the block."""
        self._pop()
        try:
            yield
        finally:
            self.__enter__()

    def reset(self) -> None:
        """Forgets everything recorded and watched."""
        self._pop()
        self._tape = None
        self.__enter__()

    def __repr__(self) -> str:
        if self._recording:
            state = "recording"
        else:
            state = "used up" if self._used and not self._persistent else "stopped" if self._tape else "not begun"
        parts = [state, "persistent"] if self._persistent else [state]
        if self._tape is not None and state != "used up":
            count = len(self._tape.records) + len(self._tape.nodes)
            parts += [f"{counted(count, 'operation')} recorded", f"{len(self._tape.leaves)} watched"]
        return f"<GradientTape at {id(self):#x}: {', '.join(parts)}>"

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables read or watched so far."""
        return () if self._tape is None else tuple(self._tape.variables())

    @overload
    def gradient(
        self, target: Any, sources: Tensor | Variable, output_gradients: Any = None, *,
        unconnected_gradients: Literal["zero", "error", UnconnectedGradients.ZERO],
    ) -> Tensor | Any: ...  # fmt: skip
    @overload
    def gradient(
        self, target: Any, sources: Tensor | Variable, output_gradients: Any = ..., unconnected_gradients: Any = ...
    ) -> Derivative: ...
    @overload
    def gradient(
        self, target: Any, sources: list[Any], output_gradients: Any = ..., unconnected_gradients: Any = ...
    ) -> list[Derivative]: ...
    @overload
    def gradient(
        self, target: Any, sources: tuple[Any, ...], output_gradients: Any = ..., unconnected_gradients: Any = ...
    ) -> tuple[Derivative, ...]: ...
    @overload
    def gradient(
        self, target: Any, sources: dict[K, S], output_gradients: Any = ..., unconnected_gradients: Any = ...
    ) -> dict[K, Derivative]: ...
    @overload
    def gradient(
        self, target: Any, sources: Any, output_gradients: Any = ..., unconnected_gradients: Any = ...
    ) -> Any: ...
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """Derivatives of `target` with respect to `sources`.

        Args:
          target: a tensor or a nest of tensors, which are summed.
          sources: a tensor or variable, or a nest of them.
          output_gradients: cotangents shaped like `target`; ones where None.
          unconnected_gradients: "none", "zero", or "error", which names the op that let no gradient pass.

        Returns:
          A nest like `sources` of tensors or None.

        Raises:
          RuntimeError: if the tape is not persistent and was used before.
        """
        if self._used and not self._persistent:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians) "
                "(inlay explain tape-used-up)"
            )
        if self._tape is None:
            raise RuntimeError("GradientTape.gradient was called on a tape that recorded nothing; use `with tape:`")
        policy = (
            unconnected_gradients
            if unconnected_gradients.__class__ is UnconnectedGradients
            else UnconnectedGradients(unconnected_gradients)
        )
        if self._recording and not self._persistent:
            self._pop()
        self._used = True
        flat_sources = [sources] if sources.__class__ is EagerTensor else [source_of(s) for s in _leaves(sources)]
        targets = [target] if target.__class__ is EagerTensor else [_target(t) for t in _leaves(target)]
        watched = self._tape.watched
        for t in targets:
            if id(t) not in watched and id(t) in map(id, flat_sources):
                self._tape.watch(t)  # its derivative by itself is known without a record
        seeds = [None] * len(targets) if output_gradients is None else differentiable_tensors(output_gradients)
        eager = _EAGER.issuperset(map(type, targets)) or all([isinstance(t, EagerTensor) for t in targets])
        derive = self._eager_gradient if eager else self._symbolic_gradient
        if SPANS.on:
            with SPANS.span("GradientTape.gradient", "gradient"):
                grads = derive(targets, flat_sources, seeds, policy)
        else:
            grads = derive(targets, flat_sources, seeds, policy)
        if not self._persistent:
            self._tape.forget()
        if sources.__class__ is EagerTensor or isinstance(sources, Tensor):
            return grads[0]
        return grads if _is_flat(sources) else with_derivatives(sources, grads)

    @overload
    def jacobian(
        self, target: Any, sources: Tensor | Variable, unconnected_gradients: Any = ...,
        parallel_iterations: Any = ..., experimental_use_pfor: bool = ...,
    ) -> Tensor | None: ...  # fmt: skip
    @overload
    def jacobian(
        self, target: Any, sources: list[Any], unconnected_gradients: Any = ...,
        parallel_iterations: Any = ..., experimental_use_pfor: bool = ...,
    ) -> list[Tensor | None]: ...  # fmt: skip
    @overload
    def jacobian(
        self, target: Any, sources: Any, unconnected_gradients: Any = ...,
        parallel_iterations: Any = ..., experimental_use_pfor: bool = ...,
    ) -> Any: ...  # fmt: skip
    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: Any = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Derivatives of every element of `target`.

        Args:
          target: a tensor.
          sources: a tensor or variable, or a nest of them.
          unconnected_gradients: as in `gradient`.
          parallel_iterations: accepted and ignored.
          experimental_use_pfor: False takes a persistent tape when eager, as in TensorFlow; ignored otherwise.

        Returns:
          A nest like `sources` of tensors of shape `target.shape + source.shape`, or None.

        Raises:
          RuntimeError: if the tape is not persistent, and was used before or `experimental_use_pfor` is False when
            eager.
        """
        with self._asked_often(experimental_use_pfor):
            flat = _leaves(sources)
            columns = jacobian.jacobian(
                lambda seed: self.gradient(target, flat, seed, unconnected_gradients), convert_to_tensor(target)
            )
        return columns[0] if isinstance(sources, Tensor) else with_derivatives(sources, columns)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: Any = None,
        experimental_use_pfor: bool = True,
    ) -> Tensor:
        """The jacobian of each row of `target` with respect to the same row of `source`.

        Args:
          target: a tensor of shape `[b, y1, ..., yn]`.
          source: a tensor of shape `[b, x1, ..., xm]`; row i of `target` depends on row i of it only.
          unconnected_gradients: as in `gradient`.
          parallel_iterations: ignored on a persistent tape. Otherwise it must be greater than the number of elements
            of a row, as in TensorFlow.
          experimental_use_pfor: False takes a persistent tape when eager, as in TensorFlow; ignored otherwise.

        Returns:
          A tensor of shape `[b, y1, ..., yn, x1, ..., xm]`; zeros if `target` does not depend on `source`.

        Raises:
          RuntimeError: if the tape is not persistent, and was used before, `experimental_use_pfor` is False when
            eager, or `parallel_iterations` is too small.
          ValueError: if the numbers of rows differ or a rank is below 2.
        """
        y = convert_to_tensor(target)
        size = y.shape[1:].num_elements()
        whole = parallel_iterations is None or (size is not None and size < parallel_iterations)
        if not whole and experimental_use_pfor and not self._persistent:
            raise RuntimeError(
                "GradientTape must be created with persistent=True to compute the batch_jacobian with "
                f"parallel_iterations={parallel_iterations}, no more than a row of the target has elements: "
                f"{'unknown' if size is None else size}"
            )
        with self._asked_often(experimental_use_pfor):
            return jacobian.batch_jacobian(
                lambda seed: self.gradient(y, source, seed, unconnected_gradients), y, convert_to_tensor(source)
            )

    @contextmanager
    def _asked_often(self, at_once: bool) -> Iterator[None]:
        """Several gradients in the block count as one use of the tape, if they are said to be taken at once."""
        if self._used and not self._persistent:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians) "
                "(inlay explain tape-used-up)"
            )
        if not at_once and not self._persistent and context.executing_eagerly():
            raise RuntimeError(
                "GradientTape must be created with persistent=True to compute a jacobian eagerly with "
                "experimental_use_pfor=False"
            )
        persistent = self._persistent
        if self._recording and not persistent:
            self._pop()
        self._persistent = True
        try:
            yield
        finally:
            self._persistent = persistent
            self._used = True

    def _eager_gradient(
        self, targets: list[Any], sources: list[Any], seeds: list[Any], policy: UnconnectedGradients
    ) -> list[Any]:
        assert self._tape is not None
        tape = self._tape
        cotangents: list[Any] = []
        out: list[Any] = []
        for i, t in enumerate(targets):
            seed = seeds[i]
            value = t if t._dtype._kind != "r" else variable_value(t)
            if t._dtype._kind not in "fcr":
                cotangents.append(None)
            else:
                cotangents.append(ones_for(value) if seed is None else convert_to_tensor(seed, value._dtype))
        barriers: list[Any] | None = [] if policy is UnconnectedGradients.ERROR else None
        gradients = backward(tape, targets, cotangents, sources, barriers, rows=True)
        linked: set[int] | None = None
        for i, source in enumerate(sources):
            grad = gradients[i] if id(source) in tape.watched else None
            if source._dtype._kind in "biu":
                grad = own_cotangent(source, targets, seeds)
            if grad.__class__ is not EagerTensor:
                if barriers is not None and grad is IMPLICIT_ZERO:
                    unrecorded = [r for r in tape.records if getattr(r.pull, "results", None)]
                    grad = None if unrecorded else grad
                    barriers += unrecorded
                if grad is None and policy is not UnconnectedGradients.ERROR:
                    linked = tape.linked(targets) if linked is None else linked
                    grad = IMPLICIT_ZERO if id(source) in linked else None
                if grad is IMPLICIT_ZERO or (grad is None and policy is UnconnectedGradients.ZERO):
                    grad = zeros_of(source)
                if grad is None and barriers is not None:
                    raise ValueError(unconnected_message(source, barriers))
                if grad.__class__ is RowGradient:
                    grad = IndexedSlices(*grad.parts())
            out.append(grad)
        return out

    def _may_be_read(self, source: Any) -> bool:
        """Whether a source is a variable that a function body may have read unseen."""
        return self._auto and source.dtype is dtypes.resource and getattr(handle_key(source), "trainable", False)

    def _symbolic_gradient(
        self, targets: list[Any], sources: list[Any], seeds: list[Any], policy: UnconnectedGradients
    ) -> list[Any]:
        assert self._tape is not None
        watched, nodes = self._tape.watched, self._tape.nodes
        live = [i for i, t in enumerate(targets) if isinstance(t, SymbolicTensor)]
        symbolic, cotangents = [targets[i] for i in live], [seeds[i] for i in live]
        followed = [id(s) in watched or self._may_be_read(s) for s in sources]
        return differentiate(symbolic, cotangents, sources, followed, policy, "gradient_tape", recorded=nodes)


def _leaves(value: Any) -> list[Any]:
    """The tensors of a nest, composites taken apart."""
    if isinstance(value, Tensor):
        return [value]
    return value if _is_flat(value) else differentiable_tensors(value)


def _is_flat(value: Any) -> bool:
    """Whether a nest is a list of tensors and variables and nothing else."""
    return value.__class__ is list and _WHOLE.issuperset(map(type, value))


_EAGER = frozenset({EagerTensor})
_WHOLE = frozenset({EagerTensor, SymbolicTensor, Variable})


def _target(value: Any) -> Any:
    """A target as a tensor; a variable is its handle, so that it is differentiable by itself."""
    source = source_of(value)
    return source if source is not value else convert_to_tensor(value)
