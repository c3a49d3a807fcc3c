"""`tf.distribute`: servers that run parts of graphs. Strategies are not here."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "distribute",
    {
        "cluster.server": "Server",
    },
    below=("cluster_resolver",),
    absent={
        "Strategy": "place parts of a graph with `tf.device` on servers, or functions with executors",
    },
)
