"""Saved models as messages: graphs with what they take and give.

Fields as in TensorFlow's `saved_model.proto`, `meta_graph.proto`, `variable.proto` and `saver.proto`.
"""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.protos.graph import FILE as GRAPHS
from inlay._src.base.protos.saved_objects import FILE as OBJECTS
from inlay._src.base.protos.schema import Field, messages
from inlay._src.base.protos.tensor import FILE as TENSORS

_COLLECTIONS = {
    "CollectionDef": {
        "node_list": Field(1, "CollectionDef.NodeList", "oneof kind"),
        "bytes_list": Field(2, "CollectionDef.BytesList", "oneof kind"),
        "int64_list": Field(3, "CollectionDef.Int64List", "oneof kind"),
        "float_list": Field(4, "CollectionDef.FloatList", "oneof kind"),
        "any_list": Field(5, "CollectionDef.AnyList", "oneof kind"),
    },
    "CollectionDef.NodeList": {"value": Field(1, "string", "repeated")},
    "CollectionDef.BytesList": {"value": Field(1, "bytes", "repeated")},
    "CollectionDef.Int64List": {"value": Field(1, "int64", "repeated")},
    "CollectionDef.FloatList": {"value": Field(1, "float", "repeated")},
    "CollectionDef.AnyList": {"value": Field(1, "CollectionDef.AnyList.Message", "repeated")},
    "CollectionDef.AnyList.Message": {"type_url": Field(1, "string"), "value": Field(2, "bytes")},
}

_SIGNATURES = {
    "TensorInfo": {
        "name": Field(1, "string", "oneof encoding"),
        "coo_sparse": Field(4, "TensorInfo.CooSparse", "oneof encoding"),
        "composite_tensor": Field(5, "TensorInfo.CompositeTensor", "oneof encoding"),
        "dtype": Field(2, "DataType"),
        "tensor_shape": Field(3, "TensorShapeProto"),
    },
    "TensorInfo.CooSparse": {
        "values_tensor_name": Field(1, "string"),
        "indices_tensor_name": Field(2, "string"),
        "dense_shape_tensor_name": Field(3, "string"),
    },
    "TensorInfo.CompositeTensor": {
        "type_spec": Field(1, "TypeSpecProto"),
        "components": Field(2, "TensorInfo", "repeated"),
    },
    "SignatureDef": {
        "inputs": Field(1, "TensorInfo", "map"),
        "outputs": Field(2, "TensorInfo", "map"),
        "method_name": Field(3, "string"),
        "defaults": Field(4, "TensorProto", "map"),
    },
    "AssetFileDef": {"tensor_info": Field(1, "TensorInfo"), "filename": Field(2, "string")},
}

_SAVED = {
    "SaverDef": {
        "filename_tensor_name": Field(1, "string"),
        "save_tensor_name": Field(2, "string"),
        "restore_op_name": Field(3, "string"),
        "max_to_keep": Field(4, "int32"),
        "sharded": Field(5, "bool"),
        "keep_checkpoint_every_n_hours": Field(6, "float"),
        "version": Field(7, "SaverDef.CheckpointFormatVersion"),
    },
    "MetaGraphDef": {
        "meta_info_def": Field(1, "MetaGraphDef.MetaInfoDef"),
        "graph_def": Field(2, "GraphDef"),
        "saver_def": Field(3, "SaverDef"),
        "collection_def": Field(4, "CollectionDef", "map"),
        "signature_def": Field(5, "SignatureDef", "map"),
        "asset_file_def": Field(6, "AssetFileDef", "repeated"),
        "object_graph_def": Field(7, "SavedObjectGraph"),
    },
    "MetaGraphDef.MetaInfoDef": {
        "meta_graph_version": Field(1, "string"),
        "stripped_op_list": Field(2, "OpList"),
        "tags": Field(4, "string", "repeated"),
        "tensorflow_version": Field(5, "string"),
        "tensorflow_git_version": Field(6, "string"),
        "stripped_default_attrs": Field(7, "bool"),
        "function_aliases": Field(8, "string", "map"),
    },
    "SaveSliceInfoDef": {
        "full_name": Field(1, "string"),
        "full_shape": Field(2, "int64", "repeated"),
        "var_offset": Field(3, "int64", "repeated"),
        "var_shape": Field(4, "int64", "repeated"),
    },
    "VariableDef": {
        "variable_name": Field(1, "string"),
        "initial_value_name": Field(6, "string"),
        "initializer_name": Field(2, "string"),
        "snapshot_name": Field(3, "string"),
        "save_slice_info_def": Field(4, "SaveSliceInfoDef"),
        "is_resource": Field(5, "bool"),
        "trainable": Field(7, "bool"),
    },
    "SavedModel": {
        "saved_model_schema_version": Field(1, "int64"),
        "meta_graphs": Field(2, "MetaGraphDef", "repeated"),
    },
}

_DOCS = {
    "CollectionDef": "A protobuf message: a collection of a graph: names of nodes, or bytes.",
    "TensorInfo": "A protobuf message: a tensor of a graph: its `name`, `dtype` and `tensor_shape`.",
    "SignatureDef": "A protobuf message: what a function of a saved model takes and gives, by name.",
    "AssetFileDef": "A protobuf message: a file that belongs to a model, and the tensor that holds its path.",
    "SaverDef": "A protobuf message: which nodes of a graph save and restore its variables.",
    "MetaGraphDef": "A protobuf message: a graph with its collections and signatures.",
    "SaveSliceInfoDef": "A protobuf message: where a part of a variable lies in the whole.",
    "VariableDef": "A protobuf message: a variable of a graph, by the names of its operations.",
    "SavedModel": "A protobuf message: the file `saved_model.pb`: graphs by tags.",
}

_made = messages(
    "inlay/protos/saved_model.proto",
    {**_COLLECTIONS, **_SIGNATURES, **_SAVED},
    __name__,
    _DOCS,
    enums={"SaverDef.CheckpointFormatVersion": {"LEGACY": 0, "V1": 1, "V2": 2}},
    uses=(TENSORS, GRAPHS, OBJECTS),
)

CollectionDef: Any = _made["CollectionDef"]
TensorInfo: Any = export("TensorInfo")(_made["TensorInfo"])
SignatureDef: Any = _made["SignatureDef"]
AssetFileDef: Any = _made["AssetFileDef"]
SaverDef: Any = export("train.SaverDef")(_made["SaverDef"])
MetaGraphDef: Any = export("MetaGraphDef")(_made["MetaGraphDef"])
SavedModel: Any = _made["SavedModel"]
SaveSliceInfoDef: Any = _made["SaveSliceInfoDef"]
VariableDef: Any = _made["VariableDef"]
