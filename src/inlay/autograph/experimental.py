"""Marks and options for AutoGraph."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "autograph.experimental",
    {
        "programs.conversion.calls": "do_not_convert",
        "programs.conversion.marks": "set_loop_options",
        "programs.conversion.public": "Feature",
    },
)
