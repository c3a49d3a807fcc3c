"""`tf.distribute.cluster_resolver`: what cluster there is."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "distribute.cluster_resolver",
    {
        "cluster.resolver": "ClusterResolver SimpleClusterResolver TFConfigClusterResolver",
    },
    absent={
        "GCEClusterResolver": "write the addresses into TF_CONFIG, or a SimpleClusterResolver",
        "KubernetesClusterResolver": "write the addresses into TF_CONFIG, or a SimpleClusterResolver",
        "KubernetesExecutableLocation": "write the addresses into TF_CONFIG, or a SimpleClusterResolver",
        "SlurmClusterResolver": "write the addresses into TF_CONFIG, or a SimpleClusterResolver",
        "TPUClusterResolver": "no TPU runtime",
        "UnionResolver": "put the jobs of both into one ClusterSpec, and that into a SimpleClusterResolver",
    },
)
