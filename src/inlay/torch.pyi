"""`inlay.torch`: host functions in programs of PyTorch."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.compilers.torch_calls import op
__all__ = [
    "op"
]
