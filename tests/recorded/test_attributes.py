"""Attributes may be the numbers and texts that TensorFlow's ops say, recorded by make_attributes.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import inlay as tf
from inlay._src.base.export import load_all
from inlay._src.core.opdef import OPS
from inlay._src.core.signature import AtLeast, OneOf

RECORDED: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("attributes.json").read_text("utf-8"))
IMAGE = [[[[1.0], [2.0]], [[3.0], [4.0]]]]


def declared(kind: str) -> list[tuple[str, str]]:
    """The attributes of a kind that TensorFlow's op of the same name limits."""
    load_all()
    return [(n, a) for n, op in OPS.items() for a, k in op.attrs.items() if k.kind == kind and a in RECORDED.get(n, {})]


def test_least_numbers_are_those_that_are_recorded() -> None:
    limited = {*declared("int"), *declared("wholes")}
    assert len(limited) > 15
    limits = {(n, a): OPS[n].attrs[a].limit for n, a in limited}
    assert limits == {(n, a): AtLeast(RECORDED[n][a]) for n, a in limited}


def test_every_limit_is_one_that_is_recorded() -> None:
    limits = {(n, a): k.limit for n, op in OPS.items() for a, k in op.attrs.items() if n in RECORDED}
    numbers = {key: limit.least for key, limit in limits.items() if isinstance(limit, AtLeast)}
    assert numbers == {(n, a): RECORDED[n][a] for n, a in numbers}
    texts = {key: set(limit.options) for key, limit in limits.items() if isinstance(limit, OneOf)}
    assert {key: some - set(RECORDED[key[0]].get(key[1], some)) for key, some in texts.items()} == dict.fromkeys(
        texts, set()
    )


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: tf.nn.depth_to_space(tf.zeros([1, 2, 2, 4]), 1), "'block_size' of .*1"),
        (lambda: tf.strings.to_hash_bucket_fast(tf.constant(["a"]), 0), "'num_buckets' of .*0"),
        (lambda: tf.nn.dilation2d(IMAGE, [[[1.0]]], [1], "SAME", "NHWC", [1, 1, 1, 1]), "'strides' of .*1"),
        (lambda: tf.image.extract_patches(IMAGE, [1, 1, 1, 1], [1], [1, 1, 1, 1], "SAME"), "'strides' of .*1"),
        (lambda: tf.identity_n([]), "'T' of .*0"),
        (lambda: tf.shape_n([]), "'N' of .*0"),
    ],
)  # fmt: skip
def test_what_is_less_is_refused_at_once_and_while_a_graph_is_built(call: Any, says: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=says):
        call()
    with tf.Graph().as_default(), pytest.raises(ValueError, match="less than minimum"):
        call()


def test_attributes_that_are_lists_of_whole_numbers_are_lists() -> None:
    for strides in (1, tf.constant([1, 1, 1, 1])):
        with pytest.raises(TypeError, match="Expected list for 'strides' argument"):
            tf.nn.dilation2d(IMAGE, [[[1.0]]], strides, "SAME", "NHWC", [1, 1, 1, 1])
    with pytest.raises(TypeError, match="Expected list for 'axis' argument"):
        tf.squeeze([[1.0]], tf.constant([0]))
    with pytest.raises(TypeError, match="Expected int for argument 'axis'"):
        tf.squeeze([[1.0]], [[0]])
    assert tf.squeeze([[1.0]], [0]).shape == tf.squeeze([[1.0]], 0).shape == (1,)
