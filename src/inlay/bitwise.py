"""`tf.bitwise`: the bits of integers."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "bitwise",
    {
        "ops.bits": "bitwise_and bitwise_or bitwise_xor invert left_shift population_count right_shift",
    },
)
