"""The compiler's representations of a traced function: `Function.experimental_get_compiler_ir`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base.interpreter import xla
from inlay._src.base.types import dtypes
from inlay._src.core import device
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.state import handle_key
from inlay._src.engine.plan import build as building
from inlay._src.engine.run.xla_segments import trace_step


def compiler_ir(graph: FuncGraph) -> Callable[..., str | bytes]:
    """A function that returns the compiler's representations of a traced function.

    Args:
      graph: the traced graph.

    Raises:
      ValueError: if the shape of a parameter is not known.
    """
    parameters = [*graph.inputs, *graph.internal_captures]
    shapes: list[Any] = []
    kinds: list[Any] = []
    for parameter in parameters:
        key = handle_key(parameter) if parameter.dtype is dtypes.resource else None
        dims, dtype = (parameter._dims, parameter.dtype) if key is None else (key.dims, key.dtype)
        if dims is None or None in dims:
            raise ValueError(f"Only support static input shape but got inputs = {parameters}")
        shapes.append(dims)
        kinds.append(dtype.np)

    def representation(
        stage: str = "hlo", device_name: str | None = None, platform_name: str | None = None
    ) -> str | bytes:
        """The function at a stage of the compiler.

        Args:
          stage: "hlo", "hlo_serialized", "stablehlo", "optimized_hlo", "optimized_hlo_serialized" or
            "optimized_hlo_proto_serialized".
          device_name: a device of this process.
          platform_name: "CPU", or the kind of the device.

        Returns:
          Text; bytes for what is serialized.

        Raises:
          ValueError: for another stage or a device that is missing; for an optimized stage of another platform; for a
            function with an op that does not compile.
        """
        names = device.available()
        if (
            device_name is not None
            and f"/device:{device.canonical(device_name).rpartition('/device:')[2]}" not in names
        ):
            raise ValueError(f"No matching device found for {device_name!r}")
        there = platform_name is None or any(f"device:{platform_name.upper()}:" in name for name in names)
        if stage.startswith("optimized") and not there:
            raise ValueError("GetCompilerIr with requested stage is not supported on this device.")
        if stage not in xla.IR_STAGES:
            stages = ", ".join(map(repr, xla.IR_STAGES))
            raise ValueError(f"Invalid stage selected: {stage!r}. Valid values are: {stages}")
        with xla.wide_types():
            return xla.IR_STAGES[stage](xla.lowered(_function(graph, parameters), shapes, kinds))

    return representation


def _function(graph: FuncGraph, parameters: Sequence[Any]) -> Callable[..., list[Any]]:
    """The function that JAX traces: it takes the value of a variable in place of its handle.

    Args:
      graph: the traced graph.
      parameters: its placeholders.
    """
    plan = building.build(graph, [*graph.outputs, *graph.effectful()], parameters)

    def function(*arrays: Any) -> list[Any]:
        cells = {**dict(plan.consts), **dict(zip([feed.slot for feed in plan.feeds], arrays, strict=True))}
        for step in plan.steps:
            values = [cells[slot] for slot in step.ins]
            try:
                results = values[:1] if step.op == "ReadVariableOp" else trace_step(step, values)
            except Exception as error:
                raise ValueError(
                    f"'{step.name}' ({step.op}), defined at {step.site}, does not compile: {error}"
                ) from error
            cells.update(zip(step.outs, results, strict=False))
        return [cells[slot] for slot in plan.fetches]

    return function
