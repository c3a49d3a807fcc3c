"""Tensors as messages. Fields as in TensorFlow's `tensor.proto` and `tensor_shape.proto`."""

from __future__ import annotations

from typing import Any

from inlay._src.base.protos.schema import Field, messages

_NAMES = (
    "INVALID FLOAT DOUBLE INT32 UINT8 INT16 INT8 STRING COMPLEX64 INT64 BOOL QINT8 QUINT8 QINT32 BFLOAT16 QINT16 "
    "QUINT16 UINT16 COMPLEX128 HALF RESOURCE VARIANT UINT32 UINT64 FLOAT8_E5M2 FLOAT8_E4M3FN FLOAT8_E4M3FNUZ "
    "FLOAT8_E4M3B11FNUZ FLOAT8_E5M2FNUZ INT4 UINT4 INT2 UINT2 FLOAT4_E2M1FN"
)
DATA_TYPES = {f"DT_{name}": number for number, name in enumerate(_NAMES.split())}
"""The members of the enumeration `DataType`, and beside each type that of a reference to one, as in 1.x."""
DATA_TYPES |= {f"{name}_REF": number + 100 for name, number in DATA_TYPES.items() if number}
FILE = "inlay/protos/tensor.proto"

_SCHEMA = {
    "TensorShapeProto": {"dim": Field(2, "TensorShapeProto.Dim", "repeated"), "unknown_rank": Field(3, "bool")},
    "TensorShapeProto.Dim": {"size": Field(1, "int64"), "name": Field(2, "string")},
    "TensorProto": {
        "dtype": Field(1, "DataType"),
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
    "TensorShapeProto": "A protobuf message: a shape: the size of each axis in `dim`, -1 if it is not known.",
    "TensorProto": "A protobuf message: a tensor; its numbers in `tensor_content`, or in the list of their type.",
}

_made = messages(FILE, _SCHEMA, __name__, _DOCS, enums={"DataType": DATA_TYPES})

TensorShapeProto: Any = _made["TensorShapeProto"]
TensorProto: Any = _made["TensorProto"]
