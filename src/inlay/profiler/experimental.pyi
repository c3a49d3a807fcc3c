"""`tf.profiler.experimental`: spans of time that a program names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.base.traces.profile import Profile, ProfilerOptions, Trace, start, stop
__all__ = [
    "Profile", "ProfilerOptions", "Trace", "start", "stop"
]
