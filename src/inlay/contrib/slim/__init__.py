"""`tf.contrib.slim`: `tf.contrib.layers` with `arg_scope` and the variables of models."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.slim",
    ("layers.arg_scope", "layers.model_variables", "training.global_step"),
    below=("layers", "losses"),
    continues="contrib.layers",
)
