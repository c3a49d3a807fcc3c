"""`tf.distribute.experimental`: strategies of several machines, refused when created."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.programs.cross_device_ops import (
    CommunicationImplementation as CollectiveCommunication, CollectiveHints, CommunicationImplementation,
    CommunicationOptions
)
from inlay._src.programs.strategies import (
    CentralStorageStrategy, MultiWorkerMirroredStrategy, ParameterServerStrategy, TPUStrategy
)
from inlay._src.programs.strategy_options import ValueContext
__all__ = [
    "CentralStorageStrategy", "CollectiveCommunication", "CollectiveHints", "CommunicationImplementation",
    "CommunicationOptions", "MultiWorkerMirroredStrategy", "ParameterServerStrategy", "TPUStrategy", "ValueContext"
]
