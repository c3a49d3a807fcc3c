"""`tf.distribute.cluster_resolver`: what cluster there is."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.cluster.resolver import ClusterResolver, SimpleClusterResolver, TFConfigClusterResolver
__all__ = [
    "ClusterResolver", "SimpleClusterResolver", "TFConfigClusterResolver"
]
