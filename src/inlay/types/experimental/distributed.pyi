"""`tf.types.experimental.distributed`: values that differ between replicas."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.programs.strategy_options import Mirrored, PerReplica
__all__ = [
    "Mirrored", "PerReplica"
]
