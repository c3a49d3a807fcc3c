"""`tf.profiler`: where a program's time goes."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "profiler",
    {
        "base.traces.opentelemetry": "export_to_opentelemetry",
        "base.traces.recording": "summary trace",
        "base.traces.summary": "Summary",
    },
    below=("experimental",),
)
