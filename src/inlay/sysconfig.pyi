"""`tf.sysconfig`: the build of the library."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.tf1.platform.sysconfig import get_build_info, get_compile_flags, get_include, get_lib, get_link_flags
__all__ = [
    "get_build_info", "get_compile_flags", "get_include", "get_lib", "get_link_flags"
]
