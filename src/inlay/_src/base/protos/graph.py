"""Graphs as messages: nodes with attributes, and a library of functions.

Fields as in TensorFlow's `graph.proto`, `node_def.proto`, `attr_value.proto`, `op_def.proto` and `function.proto`.
"""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.protos.schema import Field, messages
from inlay._src.base.protos.tensor import FILE as TENSORS

FILE = "inlay/protos/graph.proto"

_VALUES = {
    "s": Field(2, "bytes", "oneof value"),
    "i": Field(3, "int64", "oneof value"),
    "f": Field(4, "float", "oneof value"),
    "b": Field(5, "bool", "oneof value"),
    "type": Field(6, "DataType", "oneof value"),
    "shape": Field(7, "TensorShapeProto", "oneof value"),
    "tensor": Field(8, "TensorProto", "oneof value"),
}

_ATTRIBUTES = {
    "AttrValue": {
        **_VALUES,
        "list": Field(1, "AttrValue.ListValue", "oneof value"),
        "func": Field(10, "NameAttrList", "oneof value"),
        "placeholder": Field(9, "string", "oneof value"),
    },
    "AttrValue.ListValue": {
        **{name: Field(number, kind, "repeated") for name, (number, kind, _) in _VALUES.items()},
        "func": Field(9, "NameAttrList", "repeated"),
    },
    "NameAttrList": {"name": Field(1, "string"), "attr": Field(2, "AttrValue", "map")},
}

_HANDLES = {
    "ResourceHandleProto": {
        "device": Field(1, "string"),
        "container": Field(2, "string"),
        "name": Field(3, "string"),
        "hash_code": Field(4, "uint64"),
        "maybe_type_name": Field(5, "string"),
        "dtypes_and_shapes": Field(6, "ResourceHandleProto.DtypeAndShape", "repeated"),
    },
    "ResourceHandleProto.DtypeAndShape": {"dtype": Field(1, "DataType"), "shape": Field(2, "TensorShapeProto")},
}

_OPS = {
    "OpDef": {
        "name": Field(1, "string"),
        "input_arg": Field(2, "OpDef.ArgDef", "repeated"),
        "output_arg": Field(3, "OpDef.ArgDef", "repeated"),
        "control_output": Field(20, "string", "repeated"),
        "attr": Field(4, "OpDef.AttrDef", "repeated"),
        "deprecation": Field(8, "OpDeprecation"),
        "summary": Field(5, "string"),
        "description": Field(6, "string"),
        "is_commutative": Field(18, "bool"),
        "is_aggregate": Field(16, "bool"),
        "is_stateful": Field(17, "bool"),
        "allows_uninitialized_input": Field(19, "bool"),
        "is_distributed_communication": Field(21, "bool"),
    },
    "OpDef.ArgDef": {
        "name": Field(1, "string"),
        "description": Field(2, "string"),
        "type": Field(3, "DataType"),
        "type_attr": Field(4, "string"),
        "number_attr": Field(5, "string"),
        "type_list_attr": Field(6, "string"),
        "handle_data": Field(7, "ResourceHandleProto.DtypeAndShape", "repeated"),
        "is_ref": Field(16, "bool"),
    },
    "OpDef.AttrDef": {
        "name": Field(1, "string"),
        "type": Field(2, "string"),
        "default_value": Field(3, "AttrValue"),
        "description": Field(4, "string"),
        "has_minimum": Field(5, "bool"),
        "minimum": Field(6, "int64"),
        "allowed_values": Field(7, "AttrValue"),
    },
    "OpDeprecation": {"version": Field(1, "int32"), "explanation": Field(2, "string")},
    "OpList": {"op": Field(1, "OpDef", "repeated")},
}

_GRAPHS = {
    "NodeDef": {
        "name": Field(1, "string"),
        "op": Field(2, "string"),
        "input": Field(3, "string", "repeated"),
        "device": Field(4, "string"),
        "attr": Field(5, "AttrValue", "map"),
        "experimental_debug_info": Field(6, "NodeDef.ExperimentalDebugInfo"),
    },
    "NodeDef.ExperimentalDebugInfo": {
        "original_node_names": Field(1, "string", "repeated"),
        "original_func_names": Field(2, "string", "repeated"),
    },
    "VersionDef": {
        "producer": Field(1, "int32"),
        "min_consumer": Field(2, "int32"),
        "bad_consumers": Field(3, "int32", "repeated"),
    },
    "FunctionDefLibrary": {
        "function": Field(1, "FunctionDef", "repeated"),
        "gradient": Field(2, "GradientDef", "repeated"),
        "registered_gradients": Field(3, "RegisteredGradient", "repeated"),
    },
    "FunctionDef": {
        "signature": Field(1, "OpDef"),
        "attr": Field(5, "AttrValue", "map"),
        "arg_attr": Field(7, "FunctionDef.ArgAttrs", "map uint32"),
        "resource_arg_unique_id": Field(8, "uint32", "map uint32"),
        "node_def": Field(3, "NodeDef", "repeated"),
        "ret": Field(4, "string", "map"),
        "control_ret": Field(6, "string", "map"),
    },
    "FunctionDef.ArgAttrs": {"attr": Field(1, "AttrValue", "map")},
    "GradientDef": {"function_name": Field(1, "string"), "gradient_func": Field(2, "string")},
    "RegisteredGradient": {"gradient_func": Field(1, "string"), "registered_op_type": Field(2, "string")},
    "GraphDef": {
        "node": Field(1, "NodeDef", "repeated"),
        "versions": Field(4, "VersionDef"),
        "version": Field(3, "int32"),
        "library": Field(2, "FunctionDefLibrary"),
    },
}

_DOCS = {
    "AttrValue": "A protobuf message: the value of an attribute: `WhichOneof('value')` says of which kind.",
    "NameAttrList": "A protobuf message: a function by its `name` in the library, and what its attributes are.",
    "ResourceHandleProto": "A protobuf message: what a handle of a resource says.",
    "OpDef": "A protobuf message: the inputs, outputs and attributes of an op or a function.",
    "OpDeprecation": "A protobuf message: from which version of graphs on an op is refused.",
    "OpList": "A protobuf message: declarations of ops, in `op`.",
    "NodeDef": "A protobuf message: one node of a graph: its `name`, `op`, `input`, `device` and attributes.",
    "VersionDef": "A protobuf message: which version of the format a graph was written in.",
    "FunctionDefLibrary": "A protobuf message: the functions of a graph, in `function`.",
    "FunctionDef": "A protobuf message: a function: its `signature`, nodes in `node_def`, results in `ret`.",
    "GradientDef": "A protobuf message: which function is the gradient of another.",
    "RegisteredGradient": "A protobuf message: which function is the gradient of an op.",
    "GraphDef": "A protobuf message: a graph: its nodes in `node`, and a `library` of the functions that they call.",
}

_SCHEMA = {**_ATTRIBUTES, **_HANDLES, **_OPS, **_GRAPHS}
_made = messages(FILE, _SCHEMA, __name__, _DOCS, uses=(TENSORS,))

AttrValue: Any = export("AttrValue")(_made["AttrValue"])
NameAttrList: Any = export("NameAttrList")(_made["NameAttrList"])
ResourceHandleProto: Any = _made["ResourceHandleProto"]
OpDef: Any = _made["OpDef"]
OpDeprecation: Any = _made["OpDeprecation"]
OpList: Any = _made["OpList"]
NodeDef: Any = export("NodeDef")(_made["NodeDef"])
VersionDef: Any = _made["VersionDef"]
FunctionDefLibrary: Any = _made["FunctionDefLibrary"]
FunctionDef: Any = _made["FunctionDef"]
GradientDef: Any = _made["GradientDef"]
RegisteredGradient: Any = _made["RegisteredGradient"]
GraphDef: Any = export("GraphDef")(_made["GraphDef"])
