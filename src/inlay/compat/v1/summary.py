"""`tf.compat.v1.summary`: values in graphs as summaries for TensorBoard."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.summary",
    {
        "base.protos.event": "Event SessionLog Summary SummaryDescription TaggedRunMetadata",
        "tf1.summaries.recording": "all_v2_summary_ops initialize",
        "tf1.summaries.summary_ops": "audio histogram image scalar tensor_summary text",
    },
    continues="summary",
)
