"""`tf.distribute.experimental`: strategies of several machines, refused when created."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "distribute.experimental",
    {
        "programs.cross_device_ops": "CollectiveCommunication CommunicationImplementation CommunicationOptions",
        "programs.strategies":
        "CentralStorageStrategy MultiWorkerMirroredStrategy ParameterServerStrategy TPUStrategy",
    },
)
