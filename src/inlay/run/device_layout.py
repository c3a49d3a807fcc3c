"""Plans laid out over the devices that are there; where there is no accelerator a plan stays what it is.

plan ── placement: a device per step, moves between them ──▶ segments: pure steps of one device, compiled ──▶ plan
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay.core import device
from inlay.devices import kernels
from inlay.devices.device_tensor import array_on, kept_on, on_host
from inlay.plan.placement import ANYWHERE, TO_DEVICE, TO_HOST, placed
from inlay.plan.plan import Plan, Step
from inlay.plan.step_call import StepCall
from inlay.run import compiled


def for_function(plan: Plan, compile: Callable[[Plan], Plan], place: str = "") -> Plan:
    """The plan of a function: it takes values where they lie and leaves its results where they were made.

    Args:
      plan: as `build` made it.
      compile: compiles what was asked for; it may return the plan that it is given.
      place: the device that it is called on, or "".
    """
    return _laid_out(plan, ANYWHERE, compile, place)


def for_session(plan: Plan, compile: Callable[[Plan], Plan]) -> Plan:
    """The plan of a session's run: it takes values on the host and leaves its results there.

    Args:
      plan, compile: as in `for_function`.
    """
    return _laid_out(plan, device.CPU, compile, "")


def _laid_out(plan: Plan, border: str, compile: Callable[[Plan], Plan], scope: str) -> Plan:
    if not device.accelerators():
        return compile(plan)
    laid = placed(plan, border, scope)
    made = compile(laid)
    return compiled.for_accelerators(laid) if made is laid else made


class _Move(StepCall):
    """The step that moves a value to a place."""

    __slots__ = ("place",)

    def __init__(self, step: Step, tables: Any = None) -> None:
        self.place = step.device

    def recorded(self, tensors: Sequence[Any]) -> Sequence[Any]:
        """The step under a tape."""
        return [kernels.identity_on(tensors[0], self.place)]


class _ToHost(_Move):
    __slots__ = ()

    def __call__(self, value: Any) -> Any:
        return on_host(value)


class _ToDevice(_Move):
    __slots__ = ()

    def __call__(self, value: Any) -> Any:
        return array_on(value, self.place)


class _Constant(_Move):
    """Moves what is the same in every run once, and keeps it."""

    __slots__ = ("_moved",)

    def __init__(self, step: Step, tables: Any = None) -> None:
        super().__init__(step)
        self._moved: Any = None

    def __call__(self, value: Any) -> Any:
        if self._moved is None:  # two threads may both move it: one of the arrays stays
            self._moved = array_on(value, self.place)
        return self._moved


class _Variable(_Move):
    """Moves what a variable holds, once until it is assigned."""

    __slots__ = ()

    def __call__(self, value: Any) -> Any:
        return kept_on(value, self.place)


_MOVES: dict[str, type[StepCall]] = {"value": _ToDevice, "constant": _Constant, "variable": _Variable}
TO_HOST.bind = _ToHost
TO_DEVICE.bind = lambda step, tables: _MOVES[step.attrs["of"]](step, tables)  # type: ignore[call-arg]
