"""Protobuf messages of a profile, for the profile plugin of TensorBoard.

Source: `xplane.proto` of OpenXLA, https://github.com/openxla/xla/tree/main/xla/tsl/profiler/protobuf.
"""

from __future__ import annotations

from typing import Any

from inlay._src.base.protos.schema import Field, messages

_MESSAGES = {
    "XSpace": {"planes": Field(1, "XPlane", "repeated"), "hostnames": Field(4, "string", "repeated")},
    "XPlane": {
        "id": Field(1, "int64"),
        "name": Field(2, "string"),
        "lines": Field(3, "XLine", "repeated"),
        "event_metadata": Field(4, "XEventMetadata", "map int64"),
    },
    "XLine": {
        "id": Field(1, "int64"),
        "name": Field(2, "string"),
        "timestamp_ns": Field(3, "int64"),
        "events": Field(4, "XEvent", "repeated"),
    },
    "XEvent": {"metadata_id": Field(1, "int64"), "offset_ps": Field(2, "int64"), "duration_ps": Field(3, "int64")},
    "XEventMetadata": {"id": Field(1, "int64"), "name": Field(2, "string")},
}
_DOCS = {
    "XSpace": "A protobuf message: a profile.",
    "XPlane": "A protobuf message: what a host or device did.",
    "XLine": "A protobuf message: what a thread did.",
    "XEvent": "A protobuf message: a span of time.",
    "XEventMetadata": "A protobuf message: the name of events.",
}
XSpace: Any = messages("inlay/protos/profile.proto", _MESSAGES, __name__, _DOCS)["XSpace"]
