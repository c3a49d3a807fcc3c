"""`tf.sysconfig`: the build of the library."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "sysconfig",
    {
        "tf1.platform.sysconfig": "get_build_info get_compile_flags get_include get_lib get_link_flags",
    },
)
