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
    absent={
        "DTensorCheckpoint": "tf.train.Checkpoint saves a DVariable whole",
        "DTensorDataset": "pack the batches of a tf.data.Dataset, or copy_to_mesh and relayout them",
        "barrier": "one process holds the mesh, so no other has to arrive",
        "create_distributed_mesh": "one process holds the mesh: create_mesh",
        "create_tpu_mesh": "no TPU runtime; create_mesh makes a mesh of logical CPU devices",
        "default_mesh": "give a layout: call_with_layout, copy_to_mesh, DVariable(layout=)",
        "enable_save_as_bf16": "cast the variables that a tf.train.Checkpoint saves",
        "full_job_name": "one process holds the mesh: client_id and num_clients tell it",
        "get_default_mesh": "give a layout: call_with_layout, copy_to_mesh, DVariable(layout=)",
        "heartbeat_enabled": "one process holds the mesh: nobody has to be heard of",
        "initialize_accelerator_system": "tf.config.set_logical_device_configuration makes the CPU's devices",
        "initialize_multi_client": "tf.config.set_logical_device_configuration makes the CPU's devices",
        "initialize_tpu_system": "no TPU runtime",
        "job_name": "one process holds the mesh: client_id and num_clients tell it",
        "jobs": "one process holds the mesh: client_id and num_clients tell it",
        "name_based_restore": "tf.train.Checkpoint restores a DVariable",
        "name_based_save": "tf.train.Checkpoint saves a DVariable whole",
        "run_on": "give a layout: call_with_layout, copy_to_mesh, DVariable(layout=)",
        "sharded_save": "tf.train.Checkpoint saves a DVariable whole",
        "shutdown_accelerator_system": "the devices of the mesh are names of the CPU, which needs no shutdown",
        "shutdown_tpu_system": "no TPU runtime",
    },
)
