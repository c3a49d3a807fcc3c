"""`inlay.jax`: host functions in programs that JAX compiles."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "jax",
    {
        "compilers.jax_calls": "call op",
        "compilers.jax_errors": "host_errors",
        "compilers.jax_functions": "from_jax",
        "compilers.jax_lift": "lift",
    },
)
