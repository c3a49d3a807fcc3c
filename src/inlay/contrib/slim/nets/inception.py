"""`tf.contrib.slim.nets.inception`: the third Inception network."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.slim.nets.inception",
    {
        "tf1.slim.inception": "inception_v3 inception_v3_arg_scope inception_v3_base",
    },
)
