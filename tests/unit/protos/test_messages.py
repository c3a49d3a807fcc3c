"""Messages of TensorFlow's wire formats: their bytes, and how they behave as Python objects."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.protos.tensor import TensorProto


def example() -> object:
    return tf.train.Example(
        features=tf.train.Features(
            feature={
                "b": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"goat", b"\x00\xff"])),
                "f": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5, -2.0])),
                "i": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, -1, 2**40])),
            }
        )
    )


def test_a_message_is_the_bytes_of_the_wire_format() -> None:
    feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[3, 300, -1]))
    assert feature.SerializeToString().hex() == "1a0f0a0d03ac02ffffffffffffffffff01"
    feature = tf.train.Feature(float_list=tf.train.FloatList(value=[1.5]))
    assert feature.SerializeToString() == b"\x12\x06\x0a\x04" + np.float32(1.5).tobytes()
    one = tf.train.Example()
    one.features.feature["a"].bytes_list.value.append(b"xy")
    assert one.SerializeToString().hex() == "0a0d0a0b0a016112060a040a027879"


def test_numbers_may_also_come_one_by_one() -> None:
    assert list(tf.train.Int64List.FromString(b"\x08\x03\x08\x04").value) == [3, 4]


def test_a_message_is_read_back_and_says_which_kind_a_feature_is() -> None:
    found = tf.train.Example.FromString(example().SerializeToString())  # type: ignore[attr-defined]
    assert found == example()
    kinds = {name: found.features.feature[name].WhichOneof("kind") for name in found.features.feature}
    assert kinds == {"b": "bytes_list", "f": "float_list", "i": "int64_list"}
    other = tf.train.Example()
    assert other.ParseFromString(found.SerializeToString()) > 0
    other.features.feature["i"].float_list.value.append(1.0)
    assert other.features.feature["i"].WhichOneof("kind") == "float_list"


def test_sequences_have_a_context_and_lists_of_features() -> None:
    steps = tf.train.FeatureList(feature=[tf.train.Feature(), tf.train.Feature(int64_list={"value": [4]})])
    made = tf.train.SequenceExample(feature_lists=tf.train.FeatureLists(feature_list={"steps": steps}))
    made.context.feature["length"].int64_list.value.append(2)
    found = tf.train.SequenceExample.FromString(made.SerializeToString())
    assert [f.WhichOneof("kind") for f in found.feature_lists.feature_list["steps"].feature] == [None, "int64_list"]


@pytest.mark.parametrize("bad", [{"value": [1]}, {"value": ["é"]}, {"other": []}])
def test_a_value_of_another_type_is_refused(bad: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError)):
        tf.train.BytesList(**bad).value.append(1)


def test_messages_pickle_and_are_documented_under_their_public_names() -> None:
    assert pickle.loads(pickle.dumps(example())) == example()
    assert tf.train.Example.__module__ == "inlay.train" and tf.train.Example.__doc__
    assert "goat" in str(example())


def test_messages_of_tensorflows_names_may_stand_beside_ours() -> None:
    """Another file of descriptors with TensorFlow's names in the default pool, as importing TensorFlow makes it."""
    code = (
        "import inlay as tf; tf.train.Example\n"
        "from google.protobuf import descriptor_pb2 as d, descriptor_pool as p\n"
        "f = d.FileDescriptorProto(name='tensorflow/core/example/example.proto', package='tensorflow')\n"
        "f.message_type.add(name='Example').field.add(name='features', number=1, label=1, type=9)\n"
        "p.Default().AddSerializedFile(f.SerializeToString())\n"
        "f.name, f.package = 'inlay/protos/example.proto', 'inlay'\n"
        "p.Default().AddSerializedFile(f.SerializeToString())\n"
        "print(tf.train.Example.FromString(b''))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("value", "wire"),
    [
        (np.int32(1), "080312002204 01000000"),
        (np.float32([1.5, 2.0]), "0801120412020802 2208 0000c03f 00000040"),
        (np.array([b"a", b"b"], object), "080712041202080242016142 0162"),
        (np.zeros((0, 3)), "08021206 1200 12020803"),
        (np.float16(2.0), "08131200 2202 0040"),
        (True, "080a1200220101"),
    ],
)
def test_tensors_are_messages_too(value: object, wire: str) -> None:
    made = tf.io.serialize_tensor(value)
    assert made.numpy().hex() == wire.replace(" ", "")
    again = tf.io.parse_tensor(made, tf.convert_to_tensor(value).dtype)
    np.testing.assert_array_equal(again, tf.convert_to_tensor(value))


@pytest.mark.parametrize(
    ("fields", "kind", "value"),
    [
        ({"dtype": 1, "float_val": [2.0]}, tf.float32, [2.0, 2.0, 2.0]),
        ({"dtype": 3, "int_val": [1, -2]}, tf.int32, [1, -2, -2]),
        ({"dtype": 9, "int64_val": [-(2**40)]}, tf.int64, [-(2**40)] * 3),
        ({"dtype": 10, "bool_val": [True, False]}, tf.bool, [True, False, False]),
        ({"dtype": 19, "half_val": [0x4000]}, tf.float16, [2.0, 2.0, 2.0]),
        ({"dtype": 8, "scomplex_val": [1.0, 2.0]}, tf.complex64, [1 + 2j] * 3),
        ({"dtype": 7, "string_val": [b"a"]}, tf.string, [b"a"] * 3),
        ({"dtype": 22, "uint32_val": [7]}, tf.uint32, [7, 7, 7]),
        ({"dtype": 23, "uint64_val": [2**63]}, tf.uint64, [2**63] * 3),
        ({"dtype": 2}, tf.float64, [0.0, 0.0, 0.0]),
    ],
)
def test_elements_are_also_read_from_the_list_of_their_type(
    fields: dict[str, object], kind: tf.DType, value: list
) -> None:
    message = TensorProto(tensor_shape={"dim": [{"size": 3}]}, **fields)
    assert tf.io.parse_tensor(message.SerializeToString(), kind).numpy().tolist() == value


def test_messages_belong_to_messages_as_those_of_tensorflow_do() -> None:
    value = tf.compat.v1.AttrValue(list=tf.compat.v1.AttrValue.ListValue(type=[1, 3]))
    assert value.WhichOneof("value") == "list"
    assert value.SerializeToString().hex() == "0a0432020103"
    assert "DT_FLOAT" in str(value)


def test_a_graph_is_the_bytes_of_the_wire_format() -> None:
    graph = tf.compat.v1.GraphDef()
    graph.node.add(name="x", op="Placeholder").attr["dtype"].type = tf.float32.as_datatype_enum
    graph.versions.producer = 5
    node = b"\x0a\x01x\x12\x0bPlaceholder\x2a\x0b\x0a\x05dtype\x12\x02\x30\x01"
    assert graph.SerializeToString() == b"\x0a" + bytes([len(node)]) + node + b"\x22\x02\x08\x05"
    found = tf.compat.v1.GraphDef.FromString(graph.SerializeToString())
    assert found == graph and found.node[0].attr["dtype"].type == 1
    assert pickle.loads(pickle.dumps(graph)) == graph
