"""Tensors as messages. Fields as in TensorFlow's `tensor.proto` and `tensor_shape.proto`."""

from __future__ import annotations

from typing import Any

from inlay.protos.schema import Field, messages

_SCHEMA = {
    "Dim": {"size": Field(1, "int64"), "name": Field(2, "string")},
    "TensorShapeProto": {"dim": Field(2, "Dim", "repeated"), "unknown_rank": Field(3, "bool")},
    "TensorProto": {
        "dtype": Field(1, "int32"),  # an enum, which is the same on the wire
        "tensor_shape": Field(2, "TensorShapeProto"),
        "version_number": Field(3, "int32"),
        "tensor_content": Field(4, "bytes"),
        "float_val": Field(5, "float", "repeated"),
        "double_val": Field(6, "double", "repeated"),
        "int_val": Field(7, "int32", "repeated"),
        "string_val": Field(8, "bytes", "repeated"),
        "scomplex_val": Field(9, "float", "repeated"),
        "int64_val": Field(10, "int64", "repeated"),
        "bool_val": Field(11, "bool", "repeated"),
        "dcomplex_val": Field(12, "double", "repeated"),
        "half_val": Field(13, "int32", "repeated"),
        "uint32_val": Field(16, "uint32", "repeated"),
        "uint64_val": Field(17, "uint64", "repeated"),
    },
}

_DOCS = {
    "Dim": "A protobuf message: the size of an axis, -1 if it is not known.",
    "TensorShapeProto": "A protobuf message: a shape.",
    "TensorProto": "A protobuf message: a tensor; its numbers in `tensor_content`, or in the list of their type.",
}

_made: list[Any] = messages("inlay/protos/tensor.proto", _SCHEMA, __name__, _DOCS)

Dim: Any = _made[0]
TensorShapeProto: Any = _made[1]
TensorProto: Any = _made[2]
