"""`tf.experimental.dtensor`: tensors with a layout over the CPU's logical devices."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "experimental.dtensor",
    {
        "programs.dtensor.api":
        "call_with_layout check_layout client_id copy_to_mesh device_name fetch_layout is_dtensor "
        "local_devices num_clients num_global_devices num_local_devices pack preferred_device_type relayout "
        "relayout_like unpack",
        "programs.dtensor.layout": "Layout MATCH UNSHARDED",
        "programs.dtensor.mesh": "Mesh create_mesh",
        "programs.dtensor.variable": "DVariable",
    },
)
