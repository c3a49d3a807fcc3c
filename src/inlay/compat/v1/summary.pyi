"""`tf.compat.v1.summary`: values in graphs as summaries for TensorBoard."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.base.protos.event import Event, SessionLog, Summary, SummaryDescription, TaggedRunMetadata
from inlay._src.tf1.summaries.recording import all_v2_summary_ops, initialize
from inlay._src.tf1.summaries.summary_ops import audio, histogram, image, scalar, tensor_summary, text
from inlay.summary import (
    FileWriter, FileWriterCache, SummaryWriter, create_file_writer, create_noop_writer, experimental, flush,
    get_summary_description, graph, merge, merge_all, record_if, should_record_summaries, trace_export, trace_off,
    trace_on, write
)
__all__ = [
    "Event", "FileWriter", "FileWriterCache", "SessionLog", "Summary", "SummaryDescription", "SummaryWriter",
    "TaggedRunMetadata", "all_v2_summary_ops", "audio", "create_file_writer", "create_noop_writer", "experimental",
    "flush", "get_summary_description", "graph", "histogram", "image", "initialize", "merge", "merge_all", "record_if",
    "scalar", "should_record_summaries", "tensor_summary", "text", "trace_export", "trace_off", "trace_on", "write"
]
