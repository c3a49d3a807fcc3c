"""Events and summaries as messages: the records of files that TensorBoard reads.

Fields as in TensorFlow's `event.proto`, `summary.proto` and `histogram.proto`.
"""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.protos.schema import Field, messages
from inlay._src.base.protos.tensor import FILE as TENSORS

_SUMMARIES = {
    "SummaryDescription": {"type_hint": Field(1, "string")},
    "SummaryMetadata": {
        "plugin_data": Field(1, "SummaryMetadata.PluginData"),
        "display_name": Field(2, "string"),
        "summary_description": Field(3, "string"),
        "data_class": Field(4, "DataClass"),
    },
    "SummaryMetadata.PluginData": {"plugin_name": Field(1, "string"), "content": Field(2, "bytes")},
    "HistogramProto": {
        "min": Field(1, "double"),
        "max": Field(2, "double"),
        "num": Field(3, "double"),
        "sum": Field(4, "double"),
        "sum_squares": Field(5, "double"),
        "bucket_limit": Field(6, "double", "repeated"),
        "bucket": Field(7, "double", "repeated"),
    },
    "Summary": {"value": Field(1, "Summary.Value", "repeated")},
    "Summary.Image": {
        "height": Field(1, "int32"),
        "width": Field(2, "int32"),
        "colorspace": Field(3, "int32"),
        "encoded_image_string": Field(4, "bytes"),
    },
    "Summary.Audio": {
        "sample_rate": Field(1, "float"),
        "num_channels": Field(2, "int64"),
        "length_frames": Field(3, "int64"),
        "encoded_audio_string": Field(4, "bytes"),
        "content_type": Field(5, "string"),
    },
    "Summary.Value": {
        "node_name": Field(7, "string"),
        "tag": Field(1, "string"),
        "metadata": Field(9, "SummaryMetadata"),
        "simple_value": Field(2, "float", "oneof value"),
        "obsolete_old_style_histogram": Field(3, "bytes", "oneof value"),
        "image": Field(4, "Summary.Image", "oneof value"),
        "histo": Field(5, "HistogramProto", "oneof value"),
        "audio": Field(6, "Summary.Audio", "oneof value"),
        "tensor": Field(8, "TensorProto", "oneof value"),
    },
}

_EVENTS = {
    "LogMessage": {"level": Field(1, "LogMessage.Level"), "message": Field(2, "string")},
    "SessionLog": {
        "status": Field(1, "SessionLog.SessionStatus"),
        "checkpoint_path": Field(2, "string"),
        "msg": Field(3, "string"),
    },
    "TaggedRunMetadata": {"tag": Field(1, "string"), "run_metadata": Field(2, "bytes")},
    "SourceMetadata": {"writer": Field(1, "string")},
    "Event": {
        "wall_time": Field(1, "double"),
        "step": Field(2, "int64"),
        "file_version": Field(3, "string", "oneof what"),
        "graph_def": Field(4, "bytes", "oneof what"),
        "summary": Field(5, "Summary", "oneof what"),
        "log_message": Field(6, "LogMessage", "oneof what"),
        "session_log": Field(7, "SessionLog", "oneof what"),
        "tagged_run_metadata": Field(8, "TaggedRunMetadata", "oneof what"),
        "meta_graph_def": Field(9, "bytes", "oneof what"),
        "source_metadata": Field(10, "SourceMetadata"),
    },
}

_ENUMS = {
    "DataClass": {
        "DATA_CLASS_UNKNOWN": 0,
        "DATA_CLASS_SCALAR": 1,
        "DATA_CLASS_TENSOR": 2,
        "DATA_CLASS_BLOB_SEQUENCE": 3,
    },
    "LogMessage.Level": {"UNKNOWN": 0, "DEBUGGING": 10, "INFO": 20, "WARN": 30, "ERROR": 40, "FATAL": 50},
    "SessionLog.SessionStatus": {"STATUS_UNSPECIFIED": 0, "START": 1, "STOP": 2, "CHECKPOINT": 3},
}

_DOCS = {
    "SummaryDescription": "A protobuf message: of what type a summary is, in `type_hint`.",
    "SummaryMetadata": "A protobuf message: which plugin of TensorBoard shows a summary, and what it says of it.",
    "HistogramProto": "A protobuf message: how many values are below each of `bucket_limit`, in `bucket`.",
    "Summary": "A protobuf message: values for TensorBoard, each with a `tag`, in `value`.",
    "LogMessage": "A protobuf message: a line of a log.",
    "SessionLog": "A protobuf message: that a session started, stopped or saved, in `status`.",
    "TaggedRunMetadata": "A protobuf message: what a run reported, under a `tag`.",
    "SourceMetadata": "A protobuf message: what wrote an event file, in `writer`.",
    "Event": "A protobuf message: a record of an event file: `WhichOneof('what')` says of which kind.",
}

_made = messages(
    "inlay/protos/event.proto",
    {**_SUMMARIES, **_EVENTS},
    __name__,
    _DOCS,
    enums=_ENUMS,
    uses=(TENSORS,),
)

SummaryDescription: Any = export("compat.v1.summary.SummaryDescription")(_made["SummaryDescription"])
SummaryMetadata: Any = export("SummaryMetadata")(_made["SummaryMetadata"])
HistogramProto: Any = export("HistogramProto")(_made["HistogramProto"])
Summary: Any = export("Summary", "compat.v1.summary.Summary")(_made["Summary"])
LogMessage: Any = export("LogMessage")(_made["LogMessage"])
SessionLog: Any = export("SessionLog", "compat.v1.summary.SessionLog")(_made["SessionLog"])
TaggedRunMetadata: Any = export("compat.v1.summary.TaggedRunMetadata")(_made["TaggedRunMetadata"])
SourceMetadata: Any = _made["SourceMetadata"]
Event: Any = export("Event", "compat.v1.summary.Event")(_made["Event"])
