"""Examples: named features of one row, or of the steps of a sequence, as record files hold them.

Fields as in TensorFlow's `feature.proto` and `example.proto`.
"""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.protos.schema import Field, messages

_SCHEMA = {
    "BytesList": {"value": Field(1, "bytes", "repeated")},
    "FloatList": {"value": Field(1, "float", "repeated")},
    "Int64List": {"value": Field(1, "int64", "repeated")},
    "Feature": {
        "bytes_list": Field(1, "BytesList", "oneof kind"),
        "float_list": Field(2, "FloatList", "oneof kind"),
        "int64_list": Field(3, "Int64List", "oneof kind"),
    },
    "Features": {"feature": Field(1, "Feature", "map")},
    "FeatureList": {"feature": Field(1, "Feature", "repeated")},
    "FeatureLists": {"feature_list": Field(1, "FeatureList", "map")},
    "Example": {"features": Field(1, "Features")},
    "SequenceExample": {"context": Field(1, "Features"), "feature_lists": Field(2, "FeatureLists")},
}

_DOCS = {
    "BytesList": "A protobuf message: strings of bytes, in `value`.",
    "FloatList": "A protobuf message: float32 numbers, in `value`.",
    "Int64List": "A protobuf message: int64 numbers, in `value`.",
    "Feature": "A protobuf message: `bytes_list`, `float_list` or `int64_list`: `WhichOneof('kind')` says which.",
    "Features": "A protobuf message: name -> `Feature`, in `feature`.",
    "FeatureList": "A protobuf message: the features of the steps of a sequence, in `feature`.",
    "FeatureLists": "A protobuf message: name -> `FeatureList`, in `feature_list`.",
    "Example": "A protobuf message: one row of data, its features in `features`.",
    "SequenceExample": "A protobuf message: what holds of a whole sequence in `context`, its steps in `feature_lists`.",
}

_made = messages("inlay/protos/example.proto", _SCHEMA, __name__, _DOCS)

BytesList: Any = export("train.BytesList")(_made["BytesList"])
FloatList: Any = export("train.FloatList")(_made["FloatList"])
Int64List: Any = export("train.Int64List")(_made["Int64List"])
Feature: Any = export("train.Feature")(_made["Feature"])
Features: Any = export("train.Features")(_made["Features"])
FeatureList: Any = export("train.FeatureList")(_made["FeatureList"])
FeatureLists: Any = export("train.FeatureLists")(_made["FeatureLists"])
Example: Any = export("train.Example")(_made["Example"])
SequenceExample: Any = export("train.SequenceExample")(_made["SequenceExample"])
