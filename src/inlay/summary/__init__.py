"""`tf.summary`: what TensorBoard shows, recorded into event files."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "summary",
    {
        "tf1.summaries.file_writer": "FileWriter FileWriterCache",
        "tf1.summaries.recording": "graph write",
        "tf1.summaries.state": "record_if should_record_summaries",
        "tf1.summaries.summary_ops": "get_summary_description merge merge_all",
        "tf1.summaries.tracing": "trace_export trace_off trace_on",
        "tf1.summaries.typed": "audio histogram image scalar text",
        "tf1.summaries.writers": "SummaryWriter create_file_writer create_noop_writer flush",
    },
    below=("experimental",),
)
