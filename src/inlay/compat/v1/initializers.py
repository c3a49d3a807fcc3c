"""`tf.compat.v1.initializers`: initializers with the defaults of 1.x, and the operations that run them."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.initializers",
    {
        "ops.hash_tables.table": "tables_initializer",
        "ops.variables.collections": "global_variables local_variables variables",
        "ops.variables.initializers":
        "glorot_normal glorot_uniform he_normal he_uniform lecun_normal lecun_uniform ones orthogonal "
        "variance_scaling zeros",
        "ops.variables.legacy_initializers":
        "constant identity random_normal random_uniform truncated_normal uniform_unit_scaling",
    },
)
