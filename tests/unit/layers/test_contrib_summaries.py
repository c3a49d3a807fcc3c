"""Summaries of tensors and collections, as `contrib.layers` of TensorFlow 1.15 makes them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import inlay as tf

layers, v1 = tf.contrib.layers, tf.compat.v1


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as graph:
        yield graph


def values(serialized: bytes) -> dict[str, float]:
    """Tag -> the number of a scalar, or the number of elements of a histogram."""
    summary = v1.Summary.FromString(serialized)
    return {
        value.tag: value.simple_value if value.WhichOneof("value") == "simple_value" else value.histo.num
        for value in summary.value
    }


def test_numbers_become_scalars_and_others_histograms() -> None:
    scalar = layers.summarize_tensor(tf.constant(2.5, name="loss"))
    histogram = layers.summarize_tensor(tf.constant([1.0, 2.0, 3.0], name="rows"), "mine")
    assert [s.op.type for s in (scalar, histogram)] == ["ScalarSummary", "HistogramSummary"]
    with v1.Session() as session:
        assert values(session.run(scalar)) == {"loss_summary": 2.5}
        assert values(session.run(histogram)) == {"mine": 3}


def test_text_and_truth_values_have_no_summary() -> None:
    assert layers.summarize_tensors([tf.constant("a"), tf.constant([True])]) == [None, None]


def test_activations_tell_the_share_of_elements_that_they_cut_off(graph: tf.Graph) -> None:
    x = tf.constant(np.array([-1.0, 2.0, 7.0, 8.0], np.float32))
    with tf.name_scope("net"):
        relu6 = tf.nn.relu6(x, name="cut")
    tanh = tf.tanh(x, name="bend")
    for tensor in (relu6, tanh):
        v1.add_to_collection(v1.GraphKeys.ACTIVATIONS, tensor)
    histograms = layers.summarize_activations()
    assert [h.op.type for h in histograms] == ["HistogramSummary"] * 2
    with v1.Session() as session:
        merged = values(session.run(v1.summary.merge_all()))
    assert merged == {"net/cut/zeros": 0.25, "net/cut/sixes": 0.5, "net/cut/activation": 4, "bend/activation": 4}


def test_collections_are_summarized_by_names_that_begin_with_a_pattern() -> None:
    with v1.variable_scope("first"):
        one = layers.fully_connected(tf.ones([2, 3]), 4)
    with v1.variable_scope("second"):
        layers.fully_connected(one, 5)
    for variable in v1.global_variables():
        kind = v1.GraphKeys.WEIGHTS if "weights" in variable.op.name else v1.GraphKeys.BIASES
        if variable not in v1.get_collection(kind):
            v1.add_to_collection(kind, variable)
    assert len(layers.summarize_variables()) == 4
    assert len(layers.summarize_variables("first")) == 2
    assert [s.op.type for s in layers.summarize_weights("second")] == ["HistogramSummary"]
    assert len(layers.summarize_biases()) == 2
    assert layers.summarize_collection("absent") == []
    names = layers.summarize_collection(v1.GraphKeys.BIASES, summarizer=lambda tensor: tensor.op.name)
    assert names == ["first/fully_connected/biases", "second/fully_connected/biases"]
