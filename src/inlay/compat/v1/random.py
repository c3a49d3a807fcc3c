"""`tf.compat.v1.random`: random numbers, with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.random",
    {
        "ops.random": "multinomial stateless_multinomial",
        "ops.seeds": "get_seed set_random_seed",
        "ops.shaped_draws": "poisson",
    },
    continues="random",
)
