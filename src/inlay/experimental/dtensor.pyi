"""`tf.experimental.dtensor`: tensors with a layout over the CPU's logical devices."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.programs.dtensor.api import (
    call_with_layout, check_layout, client_id, copy_to_mesh, device_name, fetch_layout, is_dtensor, local_devices,
    num_clients, num_global_devices, num_local_devices, pack, preferred_device_type, relayout, relayout_like, unpack
)
from inlay._src.programs.dtensor.layout import Layout, MATCH, UNSHARDED
from inlay._src.programs.dtensor.mesh import Mesh, create_mesh
from inlay._src.programs.dtensor.variable import DVariable
__all__ = [
    "DVariable", "Layout", "MATCH", "Mesh", "UNSHARDED", "call_with_layout", "check_layout", "client_id",
    "copy_to_mesh", "create_mesh", "device_name", "fetch_layout", "is_dtensor", "local_devices", "num_clients",
    "num_global_devices", "num_local_devices", "pack", "preferred_device_type", "relayout", "relayout_like", "unpack"
]
