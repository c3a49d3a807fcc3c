"""The objects of a saved model as messages: their kinds, their references, and the signatures of functions.

Fields as in TensorFlow's `saved_object_graph.proto` and `struct.proto`.
"""

from __future__ import annotations

from typing import Any

from inlay._src.base.protos.checkpoint import FILE as CHECKPOINTS
from inlay._src.base.protos.graph import FILE as GRAPHS
from inlay._src.base.protos.schema import Field, messages
from inlay._src.base.protos.tensor import FILE as TENSORS

FILE = "inlay/protos/saved_objects.proto"

_VALUES = {
    "NoneValue": {},
    "StructuredValue": {
        "none_value": Field(1, "NoneValue", "oneof kind"),
        "float64_value": Field(11, "double", "oneof kind"),
        "int64_value": Field(12, "sint64", "oneof kind"),
        "string_value": Field(13, "string", "oneof kind"),
        "bool_value": Field(14, "bool", "oneof kind"),
        "tensor_shape_value": Field(31, "TensorShapeProto", "oneof kind"),
        "tensor_dtype_value": Field(32, "DataType", "oneof kind"),
        "tensor_spec_value": Field(33, "TensorSpecProto", "oneof kind"),
        "type_spec_value": Field(34, "TypeSpecProto", "oneof kind"),
        "bounded_tensor_spec_value": Field(35, "BoundedTensorSpecProto", "oneof kind"),
        "list_value": Field(51, "ListValue", "oneof kind"),
        "tuple_value": Field(52, "TupleValue", "oneof kind"),
        "dict_value": Field(53, "DictValue", "oneof kind"),
        "named_tuple_value": Field(54, "NamedTupleValue", "oneof kind"),
        "tensor_value": Field(55, "TensorProto", "oneof kind"),
        "numpy_value": Field(56, "TensorProto", "oneof kind"),
    },
    "ListValue": {"values": Field(1, "StructuredValue", "repeated")},
    "TupleValue": {"values": Field(1, "StructuredValue", "repeated")},
    "DictValue": {"fields": Field(1, "StructuredValue", "map")},
    "PairValue": {"key": Field(1, "string"), "value": Field(2, "StructuredValue")},
    "NamedTupleValue": {"name": Field(1, "string"), "values": Field(2, "PairValue", "repeated")},
    "TensorSpecProto": {
        "name": Field(1, "string"),
        "shape": Field(2, "TensorShapeProto"),
        "dtype": Field(3, "DataType"),
    },
    "BoundedTensorSpecProto": {
        "name": Field(1, "string"),
        "shape": Field(2, "TensorShapeProto"),
        "dtype": Field(3, "DataType"),
        "minimum": Field(4, "TensorProto"),
        "maximum": Field(5, "TensorProto"),
    },
    "TypeSpecProto": {
        "type_spec_class": Field(1, "TypeSpecProto.TypeSpecClass"),
        "type_state": Field(2, "StructuredValue"),
        "type_spec_class_name": Field(3, "string"),
        "num_flat_components": Field(4, "int32"),
    },
}

_SPEC_CLASSES = {
    "UNKNOWN": 0, "SPARSE_TENSOR_SPEC": 1, "INDEXED_SLICES_SPEC": 2, "RAGGED_TENSOR_SPEC": 3, "TENSOR_ARRAY_SPEC": 4,
    "DATA_DATASET_SPEC": 5, "DATA_ITERATOR_SPEC": 6, "OPTIONAL_SPEC": 7, "PER_REPLICA_SPEC": 8, "VARIABLE_SPEC": 9,
    "ROW_PARTITION_SPEC": 10, "REGISTERED_TYPE_SPEC": 12, "EXTENSION_TYPE_SPEC": 13,
}  # fmt: skip

_OBJECTS = {
    "SavedObjectGraph": {
        "nodes": Field(1, "SavedObject", "repeated"),
        "concrete_functions": Field(2, "SavedConcreteFunction", "map"),
    },
    "SavedObject": {
        "children": Field(1, "TrackableObjectGraph.TrackableObject.ObjectReference", "repeated"),
        "dependencies": Field(15, "TrackableObjectGraph.TrackableObject.ObjectReference", "repeated"),
        "slot_variables": Field(3, "TrackableObjectGraph.TrackableObject.SlotVariableReference", "repeated"),
        "user_object": Field(4, "SavedUserObject", "oneof kind"),
        "asset": Field(5, "SavedAsset", "oneof kind"),
        "function": Field(6, "SavedFunction", "oneof kind"),
        "variable": Field(7, "SavedVariable", "oneof kind"),
        "bare_concrete_function": Field(8, "SavedBareConcreteFunction", "oneof kind"),
        "constant": Field(9, "SavedConstant", "oneof kind"),
        "resource": Field(10, "SavedResource", "oneof kind"),
        "captured_tensor": Field(12, "CapturedTensor", "oneof kind"),
        "saveable_objects": Field(11, "SaveableObject", "map"),
        "registered_name": Field(13, "string"),
        "registered_saver": Field(16, "string"),
    },
    "SavedUserObject": {
        "identifier": Field(1, "string"),
        "version": Field(2, "VersionDef"),
        "metadata": Field(3, "string"),
    },
    "SavedAsset": {"asset_file_def_index": Field(1, "int32")},
    "SavedFunction": {
        "concrete_functions": Field(1, "string", "repeated"),
        "function_spec": Field(2, "FunctionSpec"),
    },
    "CapturedTensor": {"name": Field(1, "string"), "concrete_function": Field(2, "string")},
    "SavedConcreteFunction": {
        "bound_inputs": Field(2, "int32", "repeated"),
        "canonicalized_input_signature": Field(3, "StructuredValue"),
        "output_signature": Field(4, "StructuredValue"),
    },
    "SavedBareConcreteFunction": {
        "concrete_function_name": Field(1, "string"),
        "argument_keywords": Field(2, "string", "repeated"),
        "allowed_positional_arguments": Field(3, "int64"),
        "function_spec": Field(4, "FunctionSpec"),
    },
    "SavedConstant": {"operation": Field(1, "string")},
    "SavedVariable": {
        "dtype": Field(1, "DataType"),
        "shape": Field(2, "TensorShapeProto"),
        "trainable": Field(3, "bool"),
        "synchronization": Field(4, "int32"),
        "aggregation": Field(5, "int32"),
        "name": Field(6, "string"),
        "device": Field(7, "string"),
        "experimental_distributed_variable_components": Field(8, "SavedVariable", "repeated"),
    },
    "FunctionSpec": {
        "fullargspec": Field(1, "StructuredValue"),
        "is_method": Field(2, "bool"),
        "input_signature": Field(5, "StructuredValue"),
        "jit_compile": Field(6, "int32"),
    },
    "SavedResource": {"device": Field(1, "string")},
    "SaveableObject": {"save_function": Field(2, "int32"), "restore_function": Field(3, "int32")},
}

_DOCS = {
    "NoneValue": "A protobuf message: None.",
    "StructuredValue": "A protobuf message: a nest of numbers, text, dtypes, shapes and specs.",
    "ListValue": "A protobuf message: a list.",
    "TupleValue": "A protobuf message: a tuple.",
    "DictValue": "A protobuf message: a dict whose keys are texts.",
    "PairValue": "A protobuf message: a field of a named tuple.",
    "NamedTupleValue": "A protobuf message: a named tuple.",
    "TensorSpecProto": "A protobuf message: a spec of a tensor.",
    "BoundedTensorSpecProto": "A protobuf message: a spec of a tensor whose values have bounds.",
    "TypeSpecProto": "A protobuf message: a spec of another value, by its class and the arguments of that.",
    "SavedObjectGraph": "A protobuf message: the objects of a model, by number, and its traced functions, by name.",
    "SavedObject": "A protobuf message: an object: its kind, and the numbers of its children by name.",
    "SavedUserObject": "A protobuf message: an object of Python: the name of its class.",
    "SavedAsset": "A protobuf message: a file of the model, by its number.",
    "SavedFunction": "A protobuf message: a function by the names of its traces.",
    "CapturedTensor": "A protobuf message: a tensor of a function that another one captures.",
    "SavedConcreteFunction": "A protobuf message: a trace: its captures, arguments and results.",
    "SavedBareConcreteFunction": "A protobuf message: a trace that stands alone, and the names of its arguments.",
    "SavedConstant": "A protobuf message: a constant, by the name of its node in the graph.",
    "SavedVariable": "A protobuf message: a variable.",
    "FunctionSpec": "A protobuf message: the parameters of a function of Python.",
    "SavedResource": "A protobuf message: an object that functions of the model make and fill.",
    "SaveableObject": "A protobuf message: the functions that save and restore an object.",
}

_made = messages(
    FILE,
    {**_VALUES, **_OBJECTS},
    __name__,
    _DOCS,
    enums={"TypeSpecProto.TypeSpecClass": _SPEC_CLASSES},
    uses=(TENSORS, GRAPHS, CHECKPOINTS),
)

StructuredValue: Any = _made["StructuredValue"]
SavedObjectGraph: Any = _made["SavedObjectGraph"]
SavedObject: Any = _made["SavedObject"]
TypeSpecProto: Any = _made["TypeSpecProto"]
