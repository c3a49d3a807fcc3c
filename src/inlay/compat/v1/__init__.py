"""`tf.compat.v1`: the 1.x names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1",
    ("autodiff.graph_gradients", "composite.indexed_slices", "control.branches", "control.loops", "core.context",
    "functions.wrapping", "hash_tables.table", "ops.array", "ops.asserting", "ops.blocks", "ops.clipping",
    "ops.csv", "ops.division", "ops.hashing", "ops.legacy", "ops.rearranging", "ops.scatter", "ops.seeds",
    "ops.sequences", "ops.session_handles", "ops.signal", "ops.sorting", "ops.strings", "platform.version",
    "types.shapes", "variables.collections", "variables.initializers"),
    below=("app", "data", "debugging", "flags", "gfile", "graph_util", "image", "initializers", "io", "layers",
    "lookup", "losses", "math", "metrics", "nn", "resource_loader", "saved_model", "sets", "sparse", "spectral",
    "strings", "summary", "test", "train"),
    continues="",
)
