"""`tf.profiler.experimental`: spans of time that a program names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "profiler.experimental",
    {
        "base.traces.profile": "Profile ProfilerOptions Trace start stop",
    },
)
