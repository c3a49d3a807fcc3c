"""Every op written as a message and read back: the same node, the same values."""

from __future__ import annotations

import itertools
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.eager.building import build
from inlay._src.core.opdef import Effect
from inlay._src.programs.graph_def.exporting import FORMS, RENAMED
from tests.conformance.samples import SAMPLES
from tests.conformance.sampling import Case, cases, declared

# Attributes that say the same in another way: an adjoint of real numbers, a number that is a constant, a stride of 1.
ALIKE = {"BatchMatMulV2", "MatrixDiagPartV3", "MatrixDiagV3", "StridedSlice", "StridedSliceGrad"}
CONVERTED_AGAIN = {"MaxPoolGrad", "MaxPool3DGrad", "StringSplitV2"}
"""Ops that differ from those of TensorFlow of the same name: what is read is converted, and is converted again."""
COMPOSED = {
    *(
        "BytesSplit",
        "EqualWhereShapesFit",
        "FirstRows",
        "GatherNdGrad",
        "IRFFT",
        "IRFFT2D",
        "IRFFT3D",
        "LinearRecurrence",
    ),
    *("MirrorPadGrad", "RFFT", "RFFT2D", "RFFT3D", "RowGather", "RowSlice", "RowsByNumber", "SearchSorted"),
    *("SliceBox", "SparseGroups", "StatelessRandomShuffle", "Stitch", "StridedSliceAdd", "UnicodeDecodeWithOffsets"),
    "FirstRows",
}
"""Ops that are written as ops of TensorFlow that stand here for several: these are what is written again."""
SEVERAL = {"BroadcastLike", "ImagesOfBoxes", "Resize", "ResizeIntegers", "Softmax", "SumLike"}
"""Ops that are written as other ops of TensorFlow, besides those whose result is passed on by an `Identity`."""


def first_case(name: str) -> Case:
    """The first call that a sample row stands for."""
    (found,) = itertools.islice(cases(declared(name), SAMPLES[name]), 1)
    return found


def built(case: Case, graph: Any) -> Any:
    """The case as a node of a graph, on constants."""
    with graph.as_default():
        inputs = [
            [tf.constant(v) for v in value] if arg.variadic else tf.constant(value)
            for arg, value in zip(case.op.args, case.inputs, strict=True)
        ]
        made = build(case.op, tuple(inputs), dict(case.attrs), None, graph)
    first = made[0] if isinstance(made, list) else made
    return getattr(first, "op", first)


def read(message: Any) -> Any:
    """The graph of a message."""
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(message, name="")
    return graph


def check_values(node: Any, again: Any) -> None:
    """Compares the outputs of a node with those of the node of its name in another graph."""
    wanted, got = (tf.compat.v1.Session(graph=n.graph).run(n.outputs) for n in (node, again))
    for one, other in zip(wanted, got, strict=False):  # the node of the name has the first of several outputs
        if np.asarray(one).dtype.kind in "OSU":
            np.testing.assert_array_equal(other, one)
        else:
            np.testing.assert_allclose(np.asarray(other, complex), np.asarray(one, complex), rtol=1e-2)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_node_is_read_back_as_it_was_written(name: str) -> None:
    graph = tf.Graph()
    node = built(first_case(name), graph)
    message = tf.compat.v1.GraphDef.FromString(graph.as_graph_def().SerializeToString())
    again = read(message)
    found = again.get_operation_by_name(node.name)
    if name in SEVERAL or name in COMPOSED or (found.type != node.type and found.type in ("Identity", "IdentityN")):
        check_values(node, found)
        if name in CONVERTED_AGAIN or name in COMPOSED:
            check_values(node, read(again.as_graph_def()).get_operation_by_name(node.name))
        else:
            assert again.as_graph_def() == message
        return
    assert found.type == node.type
    assert [(t.dtype, t.shape.as_list() if t.shape.rank is not None else None) for t in found.outputs] == [
        (t.dtype, t.shape.as_list() if t.shape.rank is not None else None) for t in node.outputs
    ]
    if name not in ALIKE:
        assert sorted(found.attrs) == sorted(node.attrs)
        for attr, value in node.attrs.items():
            assert (
                np.array_equal(found.attrs[attr], value)
                if isinstance(value, np.ndarray)
                else found.attrs[attr] == value
            )
        assert again.as_graph_def() == message
    if node.effect is Effect.PURE and name in {*ALIKE, *FORMS, *RENAMED}:  # the others are the same node, by now
        values = [tf.compat.v1.Session(graph=g).run(n.outputs) for g, n in ((graph, node), (again, found))]
        for got, wanted in zip(*values, strict=True):
            np.testing.assert_array_equal(got, wanted)


EAGER = {"BooleanMask"}
"""What only eager calls make: graphs have the ops of TensorFlow's composition in its place."""


def test_most_ops_are_written_as_tensorflow_declares_them() -> None:
    own = []
    for name in SAMPLES.keys() - EAGER:
        graph = tf.Graph()
        node = built(first_case(name), graph)
        if node.node_def.op.startswith("Inlay>"):
            own.append(name)
    assert len(own) <= 60 < len(SAMPLES) - 200
    assert not {"StridedSlice", "ConcatV2", "Sum", "MatMul", "Conv2D", "Cast", "Squeeze", "Split"} & set(own)


FIRST = """
from tests.conformance.first_in_a_process import differing
print(*differing())
"""


def test_what_a_process_writes_and_reads_first_is_as_later() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, timeout=50, check=False)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, [], "")
