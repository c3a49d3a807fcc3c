"""`tf.app`: the main function of a program."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.app",
    {
        "tf1.platform.app": "run",
    },
    below=("flags",),
)
