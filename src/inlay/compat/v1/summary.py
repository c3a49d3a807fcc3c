"""`tf.compat.v1.summary`: values in graphs as summaries for TensorBoard."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.summary",
    ("summaries.recording", "summaries.summary_ops"),
    late={
        "Event": "protos.event",
        "SessionLog": "protos.event",
        "Summary": "protos.event",
        "SummaryDescription": "protos.event",
        "TaggedRunMetadata": "protos.event",
    },
    continues="summary",
)
