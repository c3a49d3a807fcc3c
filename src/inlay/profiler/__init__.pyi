"""`tf.profiler`: where a program's time goes."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.base.traces.opentelemetry import export_to_opentelemetry
from inlay._src.base.traces.recording import summary, trace
from inlay._src.base.traces.summary import Summary
from inlay.profiler import experimental
__all__ = [
    "Summary", "experimental", "export_to_opentelemetry", "summary", "trace"
]
