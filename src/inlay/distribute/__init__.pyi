"""`tf.distribute`: servers that run parts of graphs. Strategies are not here."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.cluster.server import Server
from inlay.distribute import cluster_resolver
__all__ = [
    "Server", "cluster_resolver"
]
