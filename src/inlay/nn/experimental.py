"""`tf.nn.experimental`: dropout with random numbers of the caller's."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "nn.experimental",
    {
        "ops.nn": "general_dropout stateless_dropout",
    },
)
