"""`tf.summary.experimental`: the step, and own kinds of summaries."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "summary.experimental",
    {
        "tf1.summaries.recording": "summary_scope write_raw_pb",
        "tf1.summaries.state": "get_step set_step",
    },
)
