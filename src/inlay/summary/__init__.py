"""`tf.summary`: what TensorBoard shows, recorded into event files."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "summary",
    ("summaries.file_writer", "summaries.recording", "summaries.state", "summaries.summary_ops", "summaries.typed",
    "summaries.writers"),
    below=("experimental",),
)
