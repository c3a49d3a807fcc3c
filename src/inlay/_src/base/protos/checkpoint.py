"""Checkpoints as messages: the entries of a tensor bundle, and the tree of objects that it belongs to.

Fields as in TensorFlow's `tensor_bundle.proto`, `tensor_slice.proto`, `versions.proto` and
`trackable_object_graph.proto`.
"""

from __future__ import annotations

from typing import Any

from inlay._src.base.protos.schema import Field, messages
from inlay._src.base.protos.tensor import FILE as TENSORS

FILE = "inlay/protos/checkpoint.proto"

_BUNDLES = {
    "BundleHeaderProto": {
        "num_shards": Field(1, "int32"),
        "endianness": Field(2, "BundleHeaderProto.Endianness"),
        "version": Field(3, "BundleHeaderProto.VersionDef"),
    },
    "BundleHeaderProto.VersionDef": {
        "producer": Field(1, "int32"),
        "min_consumer": Field(2, "int32"),
        "bad_consumers": Field(3, "int32", "repeated"),
    },
    "TensorSliceProto": {"extent": Field(1, "TensorSliceProto.Extent", "repeated")},
    "TensorSliceProto.Extent": {"start": Field(1, "int64"), "length": Field(2, "int64", "oneof has_length")},
    "BundleEntryProto": {
        "dtype": Field(1, "DataType"),
        "shape": Field(2, "TensorShapeProto"),
        "shard_id": Field(3, "int32"),
        "offset": Field(4, "int64"),
        "size": Field(5, "int64"),
        "crc32c": Field(6, "fixed32"),
        "slices": Field(7, "TensorSliceProto", "repeated"),
    },
}

_OBJECTS = {
    "TrackableObjectGraph": {"nodes": Field(1, "TrackableObjectGraph.TrackableObject", "repeated")},
    "TrackableObjectGraph.TrackableObject": {
        "children": Field(1, "TrackableObjectGraph.TrackableObject.ObjectReference", "repeated"),
        "attributes": Field(2, "TrackableObjectGraph.TrackableObject.SerializedTensor", "repeated"),
        "slot_variables": Field(3, "TrackableObjectGraph.TrackableObject.SlotVariableReference", "repeated"),
        "registered_saver": Field(4, "TrackableObjectGraph.TrackableObject.RegisteredSaver"),
        "has_checkpoint_values": Field(5, "TrackableObjectGraph.TrackableObject.BoolValue"),
    },
    "TrackableObjectGraph.TrackableObject.ObjectReference": {
        "node_id": Field(1, "int32"),
        "local_name": Field(2, "string"),
    },
    "TrackableObjectGraph.TrackableObject.SerializedTensor": {
        "name": Field(1, "string"),
        "full_name": Field(2, "string"),
        "checkpoint_key": Field(3, "string"),
    },
    "TrackableObjectGraph.TrackableObject.SlotVariableReference": {
        "original_variable_node_id": Field(1, "int32"),
        "slot_name": Field(2, "string"),
        "slot_variable_node_id": Field(3, "int32"),
    },
    "TrackableObjectGraph.TrackableObject.RegisteredSaver": {
        "name": Field(1, "string"),
        "object_name": Field(2, "string"),
    },
    "TrackableObjectGraph.TrackableObject.BoolValue": {"value": Field(1, "bool")},
}

_DOCS = {
    "BundleHeaderProto": "A protobuf message: the number of a bundle's data files, and its version.",
    "TensorSliceProto": "A protobuf message: a part of a tensor: where it begins and how long it is, for each axis.",
    "BundleEntryProto": "A protobuf message: the type and shape of a tensor, and the place of its bytes.",
    "TrackableObjectGraph": "A protobuf message: the objects of a checkpoint, by number.",
}

_made = messages(
    FILE,
    {**_BUNDLES, **_OBJECTS},
    __name__,
    _DOCS,
    enums={"BundleHeaderProto.Endianness": {"LITTLE": 0, "BIG": 1}},
    uses=(TENSORS,),
)

BundleHeaderProto: Any = _made["BundleHeaderProto"]
TensorSliceProto: Any = _made["TensorSliceProto"]
BundleEntryProto: Any = _made["BundleEntryProto"]
TrackableObjectGraph: Any = _made["TrackableObjectGraph"]
