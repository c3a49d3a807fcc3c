"""Python control flow on tensors as graph control flow: what `tf.function` does to the functions it traces."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "autograph",
    {
        "programs.conversion.public": "set_verbosity to_code to_graph trace",
    },
    below=("experimental",),
)
