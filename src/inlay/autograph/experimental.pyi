"""Marks and options for AutoGraph."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.programs.conversion.calls import do_not_convert
from inlay._src.programs.conversion.marks import set_loop_options
from inlay._src.programs.conversion.public import Feature
__all__ = [
    "Feature", "do_not_convert", "set_loop_options"
]
