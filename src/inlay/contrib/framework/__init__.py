"""`tf.contrib.framework`: `py_func` over nests of arrays, `arg_scope`, variables of models."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.framework",
    ("host.contrib", "layers.arg_scope", "layers.choosing", "layers.model_variables", "training.global_step"),
    below=("nest",),
)
