"""`inlay.jax`: host functions in programs that JAX compiles."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.compilers.jax_calls import call, op
from inlay._src.compilers.jax_errors import host_errors
from inlay._src.compilers.jax_functions import from_jax
from inlay._src.compilers.jax_lift import lift
__all__ = [
    "call", "from_jax", "host_errors", "lift", "op"
]
