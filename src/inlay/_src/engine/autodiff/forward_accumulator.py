"""Forward-mode derivatives, from the pull of a pull."""

from __future__ import annotations

import contextvars
from types import TracebackType
from typing import Any, overload

from inlay._src.base.export import export
from inlay._src.base.types import nest
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.engine.autodiff.gradient_tape import GradientTape
from inlay._src.engine.autodiff.graph_gradients import Derivative, UnconnectedGradients
from inlay._src.ops.array import zeros_like
from inlay._src.ops.variables.variable import Variable

_ACTIVE: contextvars.ContextVar[tuple[ForwardAccumulator, ...]] = contextvars.ContextVar("inlay_forward", default=())
"""The accumulators in force, outermost first."""


@export("autodiff.ForwardAccumulator")
class ForwardAccumulator:
    """Forward-mode derivatives: `acc.jvp(y)` is the derivative of `y` along `tangents` at `primals`.

    It is the pull of a pull: the cotangent of `u` in `vjp(u)` is linear in the tangents. So it works for every op with
    a gradient, at about twice the cost of reverse mode. Accumulators around this one follow its derivatives; neither it
    nor those inside it do.

    Args:
      primals: a tensor or variable, or a nest of them.
      tangents: tensors nested and shaped like `primals`.

    Raises:
      ValueError: if a primal occurs twice, or a tangent has another dtype or shape.
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        nest.assert_same_structure(primals, tangents, check_types=False)
        self._primals = nest.flatten(primals)
        self._tangents = [convert_to_tensor(t) for t in nest.flatten(tangents)]
        if len({id(p) for p in self._primals}) != len(self._primals):
            raise ValueError(
                "a primal was specified multiple times: if that was intended, pass it once, with the sum "
                "of its tangents"
            )
        for p, t in zip(self._primals, self._tangents, strict=True):
            if p.dtype is not t.dtype or not p.shape.is_compatible_with(t.shape):
                raise ValueError(f"the tangent of {p!r} must have its dtype and shape, got {t!r}")
        self._outer = GradientTape(persistent=True)
        self._inner = GradientTape(persistent=True)
        self._around: tuple[ForwardAccumulator, ...] = ()

    def __enter__(self) -> ForwardAccumulator:
        self._around = _ACTIVE.get()
        _ACTIVE.set((*self._around, self))
        self._outer.__enter__()
        self._inner.__enter__()
        for p in self._primals:
            self._inner.watch(p)
            self._outer.watch(p)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _ACTIVE.set(self._around)
        self._inner.__exit__(kind, error, trace)
        self._outer.__exit__(kind, error, trace)

    @property
    def _tapes(self) -> tuple[Any, ...]:
        return tuple(tape._tape for tape in (self._outer, self._inner) if tape._tape is not None)

    def _followed(self) -> context.State:
        """The state in which derivatives are computed: tapes and the accumulators around this one follow them."""
        state = context.current()
        of_accumulators = {id(tape) for accumulator in _ACTIVE.get() for tape in accumulator._tapes}
        others = [tape for tape in state.tapes if id(tape) not in of_accumulators]
        return state.with_tapes((*(tape for accumulator in self._around for tape in accumulator._tapes), *others))

    @overload
    def jvp(self, primals: Tensor | Variable, unconnected_gradients: Any = ...) -> Derivative: ...
    @overload
    def jvp(self, primals: Any, unconnected_gradients: Any = ...) -> Any: ...
    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """The derivative of `primals` along the tangents; None (or zeros) where it does not depend on them.

        Args:
          primals: a tensor computed in the block, or a nest of them.
          unconnected_gradients: an `UnconnectedGradients`, "none" or "zero".
        """
        return nest.map_structure(lambda y: self._along(y, unconnected_gradients), primals)

    def _along(self, value: Any, policy: Any) -> Any:
        if isinstance(value, Variable):  # a read of it now is no tensor of the block
            own = next((t for p, t in zip(self._primals, self._tangents, strict=True) if p is value), None)
            zero = own is None and UnconnectedGradients(policy) is UnconnectedGradients.ZERO
            return zeros_like(value) if zero else own
        with context.using(self._followed()):
            return self._derivative(convert_to_tensor(value), policy)

    def _derivative(self, y: Any, policy: Any) -> Any:
        zeros = zeros_like(y)
        with GradientTape() as linear:
            linear.watch(zeros)
            pulled = self._inner.gradient(y, self._primals, output_gradients=zeros)
            live = [(p, t) for p, t in zip(pulled, self._tangents, strict=True) if p is not None]
        if not live:
            return zeros_like(y) if UnconnectedGradients(policy) is UnconnectedGradients.ZERO else None
        derivative = linear.gradient([p for p, _ in live], zeros, output_gradients=[t for _, t in live])
        return derivative if derivative is not None else zeros_like(y)
