"""`tf.summary`: what TensorBoard shows, recorded into event files."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "summary",
    {
        "summaries.file_writer": "FileWriter FileWriterCache",
        "summaries.recording": "graph trace_export trace_off trace_on write",
        "summaries.state": "record_if should_record_summaries",
        "summaries.summary_ops": "get_summary_description merge merge_all",
        "summaries.typed": "audio histogram image scalar text",
        "summaries.writers": "SummaryWriter create_file_writer create_noop_writer flush",
    },
    below=("experimental",),
)
