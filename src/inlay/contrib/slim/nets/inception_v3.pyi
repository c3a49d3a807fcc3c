"""`tf.contrib.slim.nets.inception_v3`: the third Inception network."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.tf1.slim.inception import inception_v3, inception_v3_arg_scope, inception_v3_base
__all__ = [
    "inception_v3", "inception_v3_arg_scope", "inception_v3_base"
]
