"""`tf.summary`: what TensorBoard shows, recorded into event files."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.tf1.summaries.file_writer import FileWriter, FileWriterCache
from inlay._src.tf1.summaries.recording import graph, write
from inlay._src.tf1.summaries.state import record_if, should_record_summaries
from inlay._src.tf1.summaries.summary_ops import get_summary_description, merge, merge_all
from inlay._src.tf1.summaries.tracing import trace_export, trace_off, trace_on
from inlay._src.tf1.summaries.typed import audio, histogram, image, scalar, text
from inlay._src.tf1.summaries.writers import SummaryWriter, create_file_writer, create_noop_writer, flush
from inlay.summary import experimental
__all__ = [
    "FileWriter", "FileWriterCache", "SummaryWriter", "audio", "create_file_writer", "create_noop_writer",
    "experimental", "flush", "get_summary_description", "graph", "histogram", "image", "merge", "merge_all",
    "record_if", "scalar", "should_record_summaries", "text", "trace_export", "trace_off", "trace_on", "write"
]
