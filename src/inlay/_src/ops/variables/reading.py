"""The node that reads a variable: its name and its device."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from inlay._src.core import context
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS
from inlay._src.core.tensor import SymbolicTensor


def emitted(variable: Any, name: str | None) -> Any:
    """The value of a variable, read on the variable's own device and then copied to its caching device.

    Args:
      variable: the variable.
      name: of the node.
    """
    handle = variable._handle
    device = handle.op.device if isinstance(handle, SymbolicTensor) else ""
    with context.device_v1(device) if device else nullcontext():
        read = emit(OPS["ReadVariableOp"], (handle,), {"dtype": variable._dtype, "shape": variable._dims}, name)
    if variable._caching_device is not None:
        with context.device_v1(None), context.device_v1(variable._caching_device):
            read = emit(OPS["Identity"], (read,), {}, None)
    return read


def name_in_scope(name: Any) -> str | None:
    """The name of a read in the scope of the op that takes its value, as in TensorFlow.

    Args:
      name: of the op's input: "add/y/" gives "add/ReadVariableOp/", where the last "/" marks a name from the root.
        Anything but a string names nothing.
    """
    if not isinstance(name, str) or "/" not in name:
        return None
    root = "/" if name.endswith("/") else ""
    return f"{name.removesuffix('/').rpartition('/')[0]}/ReadVariableOp{root}"
