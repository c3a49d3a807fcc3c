"""Plans laid out over the devices that are there; where there is no accelerator a plan stays what it is.

plan ── placement: a device per step, moves between them ──▶ segments: pure steps of one device, compiled ──▶ plan
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.core import device
from inlay._src.core.devices import kernels
from inlay._src.core.devices.device_tensor import array_on, kept_on, on_host
from inlay._src.engine.plan.placement import ANYWHERE, TO_DEVICE, TO_HOST, placed
from inlay._src.engine.plan.plan import Plan, Step
from inlay._src.engine.plan.step_call import PLAN_CALLS, StepCall
from inlay._src.engine.run import xla_segments


def laid_out(plan: Plan, compile: Callable[[Plan], Plan], border: str = ANYWHERE, scope: str = "") -> Plan:
    """The plan laid out, and compiled by `compile` where that was asked for; `border` and `scope` as in `placed`."""
    if not device.accelerators():
        return compile(plan)
    laid = placed(plan, border, scope)
    compiled = compile(laid)
    return xla_segments.for_accelerators(laid) if compiled is laid else compiled


class _Move(StepCall):
    """The step that moves a value to a place."""

    __slots__ = ("place", "send")

    def __init__(self, step: Step, tables: Any = None) -> None:
        self.place, self.send = step.device, kept_on if step.attrs["kept"] else array_on

    def __call__(self, value: Any) -> Any:
        return on_host(value) if self.place == device.CPU else self.send(value, self.place)

    def recorded(self, tensors: Sequence[Any]) -> Sequence[Any]:
        """The step under a tape."""
        return [kernels.identity_on(tensors[0], self.place)]


PLAN_CALLS[TO_HOST.name] = PLAN_CALLS[TO_DEVICE.name] = _Move
