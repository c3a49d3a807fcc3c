"""`tf.experimental.dtensor`: tensors with a layout over the CPU's logical devices."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from collections.abc import Callable as _Callable
from inlay._src.core.tensor import Tensor as _Tensor
from inlay._src.programs.dtensor.api import (
    check_layout, client_id, copy_to_mesh, device_name, fetch_layout, is_dtensor, local_devices, num_clients,
    num_global_devices, num_local_devices, pack, preferred_device_type, relayout, relayout_like, unpack
)
from inlay._src.programs.dtensor.layout import Layout, MATCH, UNSHARDED, Layout as _Layout
from inlay._src.programs.dtensor.mesh import Mesh, create_mesh
from inlay._src.programs.dtensor.variable import DVariable
from typing import Any as _Any, overload as _overload
__all__ = [
    "DVariable", "Layout", "MATCH", "Mesh", "UNSHARDED", "call_with_layout", "check_layout", "client_id",
    "copy_to_mesh", "create_mesh", "device_name", "fetch_layout", "is_dtensor", "local_devices", "num_clients",
    "num_global_devices", "num_local_devices", "pack", "preferred_device_type", "relayout", "relayout_like", "unpack"
]
@_overload
def call_with_layout(fn: _Callable[..., _Tensor], layout: _Layout | None, *args: _Any, **kwargs: _Any) -> _Tensor:
    """The result of a function, laid over a mesh. Random numbers do not depend on the layout.

    Args:
      fn: a function of tensors.
      layout: of every tensor that it returns; None leaves them.
      args, kwargs: its arguments.

    Raises:
      InvalidArgumentError: if the shape of a result does not fit."""
@_overload
def call_with_layout(fn: _Callable[..., _Any], layout: _Layout | None, *args: _Any, **kwargs: _Any) -> _Any: ...
