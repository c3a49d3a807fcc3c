"""Random numbers of a key and a counter are those of TensorFlow, bit by bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS
from inlay._src.ops import keyed_draws

SAID = json.loads((Path(__file__).resolve().parents[2] / "golden" / "keyed_draws.json").read_text())
KINDS = list(dict.fromkeys((draw["op"], draw["dtype"]) for draw in SAID["draws"]))


def drawn(op: str, dtype: str, key: Any, counter: Any, alg: int = keyed_draws.PHILOX) -> Any:
    operands = [SAID["shape"], *[tf.constant(np.array(words, np.uint64)) for words in (key, counter)], alg]
    if op == "StatelessRandomUniformIntV2":
        return emit(OPS[op], (*operands, *[tf.constant(bound, dtype) for bound in SAID["ranges"][dtype]]))
    return emit(OPS[op], tuple(operands), {"dtype": tf.as_dtype(dtype)})


@pytest.mark.parametrize(("op", "dtype"), KINDS)
def test_numbers_are_those_of_tensorflow(op: str, dtype: str) -> None:
    draws = [draw for draw in SAID["draws"] if (draw["op"], draw["dtype"]) == (op, dtype)]
    assert len(draws) == 4
    for draw in draws:
        if op == "StatelessTruncatedNormalV2" and draw["counter"][0] == 2**64 - 2:
            continue  # numbers that are drawn again begin far behind: the carry within them is not followed
        got = drawn(op, dtype, [draw["key"]], draw["counter"]).numpy()
        expected = np.frombuffer(bytes.fromhex(draw["data"]), got.dtype).reshape(SAID["shape"])
        if op in ("StatelessRandomNormalV2", "StatelessTruncatedNormalV2"):  # their logarithms may be rounded otherwise
            rtol = {2: 1e-2, 4: 1e-5, 8: 1e-12}[got.dtype.itemsize]
            np.testing.assert_allclose(got.astype(float), expected.astype(float), rtol=rtol, atol=rtol / 10)
        else:
            np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("said", SAID["seeds"])
def test_a_seed_becomes_a_key_and_a_counter(said: Any) -> None:
    key, counter = emit(OPS["StatelessRandomGetKeyCounter"], (tf.constant(said["seed"], tf.int64),))
    assert key.numpy().tolist() == said["key"] and counter.numpy().tolist() == said["counter"]
    assert key.dtype is counter.dtype is tf.uint64


@pytest.mark.parametrize("said", SAID["states"])
def test_a_generator_is_moved_with_a_carry(said: Any) -> None:
    """Read from a message, as models of TensorFlow have it: `delta` is unsigned there."""
    graph_def = tf.compat.v1.GraphDef()
    handle = graph_def.node.add(name="state", op="Placeholder")
    handle.attr["dtype"].type = tf.resource.as_datatype_enum
    for name, dtype in (("alg", tf.int32), ("delta", tf.uint64)):
        graph_def.node.add(name=name, op="Placeholder").attr["dtype"].type = dtype.as_datatype_enum
    graph_def.node.add(name="before", op="RngReadAndSkip", input=["state", "alg", "delta"])
    state = tf.Variable(tf.constant(said["state"], tf.int64))

    @tf.function
    def moved(alg: Any, delta: Any) -> Any:
        inputs = {"state:0": state.handle, "alg:0": alg, "delta:0": delta}
        return tf.import_graph_def(graph_def, inputs, ["before:0"])[0]

    before = moved(tf.constant(1), tf.constant(said["delta"], tf.uint64))
    assert before.numpy().tolist() == said["before"] and state.numpy().tolist() == said["after"]


def test_operands_that_make_no_sense_are_told() -> None:
    op = "StatelessRandomUniformV2"
    with pytest.raises(tf.errors.UnimplementedError, match="algorithm 2: there is Philox alone"):
        drawn(op, "float32", [1], [0, 0], alg=2)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"key must have shape \[1\].*got \[2\] and \[2\]"):
        drawn(op, "float32", [1, 2], [0, 0])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"counter shape \[2\], got \[1\] and \[3\]"):
        drawn(op, "float32", [1], [0, 0, 0])
    assert np.array_equal(drawn(op, "float32", [1], [0, 0], keyed_draws.AUTOMATIC), drawn(op, "float32", [1], [0, 0]))
    assert emit(OPS["StatelessRandomGetAlg"], ()).numpy() == keyed_draws.PHILOX
