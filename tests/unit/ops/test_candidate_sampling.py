"""Candidate samplers and the losses that use them; the numbers are TensorFlow 2.21's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf

TRUE = np.array([[1, 2], [0, 4], [3, 3]])
FREQUENCIES = {"unigrams": [1.0, 2.0, 3.0, 4.0, 1.0, 1.0, 2.0, 9.0], "distortion": 0.75}
SAMPLES: list[tuple[Any, dict[str, Any], bool, list[int], list[list[float]]]] = [
    (tf.random.uniform_candidate_sampler, {}, True, [6, 7, 0, 2, 1, 4], [[0.65639, 0.65639]] * 3),
    (tf.random.uniform_candidate_sampler, {}, False, [6, 7, 7, 0, 2, 1], [[0.75, 0.75]] * 3),
    (
        tf.random.log_uniform_candidate_sampler, {}, True, [2, 0, 3, 6, 1, 4],
        [[0.91353, 0.81437], [0.98941, 0.64636], [0.72338, 0.72338]],
    ),
    (
        tf.random.log_uniform_candidate_sampler, {}, False, [2, 0, 3, 0, 0, 6],
        [[1.10721, 0.78558], [1.89279, 0.49787], [0.60934, 0.60934]],
    ),
    (
        tf.random.fixed_unigram_candidate_sampler, FREQUENCIES, True, [7, 4, 6, 0, 2, 5],
        [[0.72095, 0.82878], [0.52406, 0.52406], [0.89264, 0.89264]],
    ),
    (
        tf.random.fixed_unigram_candidate_sampler, FREQUENCIES, False, [7, 4, 4, 6, 6, 7],
        [[0.60541, 0.82057], [0.35998, 0.35998], [1.01817, 1.01817]],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("sampler", "more", "unique", "sample", "expected"), SAMPLES)
@pytest.mark.parametrize("mode", ["eager", "graph"])
def test_a_seed_gives_the_same_sample(
    sampler: Any, more: Any, unique: bool, sample: Any, expected: Any, mode: str
) -> None:
    if mode == "eager":
        tf.random.set_seed(5)
        values = [v.numpy() for v in sampler(TRUE, 2, 6, unique, 8, seed=7, **more)]
    else:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            tf.random.set_seed(5)
            drawn = sampler(TRUE, 2, 6, unique, 8, seed=7, **more)
            assert [t.shape.as_list() for t in drawn] == [[6], [3, 2], [6]]
            values = session.run(drawn)
    assert values[0].tolist() == sample and values[0].dtype == np.int64
    np.testing.assert_allclose(values[1], expected, atol=1e-5)
    if unique:
        assert values[2].max() < 1


def test_frequencies_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("".join(f"w{i},{n}\n" for i, n in enumerate(FREQUENCIES["unigrams"])))
    file = {"vocab_file": str(tmp_path / "words"), "distortion": 0.75, "seed": 7}
    samples = []
    for source in ({**FREQUENCIES, "seed": 7}, file):
        tf.random.set_seed(5)
        samples.append(tf.nn.fixed_unigram_candidate_sampler(TRUE, 2, 6, True, 8, **source))
    for one, other in zip(*samples, strict=True):
        np.testing.assert_array_equal(one, other)
    (tmp_path / "words").write_text("word\n")
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not end with a number"):
        tf.nn.fixed_unigram_candidate_sampler(TRUE, 2, 6, True, 8, **file)


def test_all_classes_and_accidental_hits() -> None:
    sample, true, sampled = tf.nn.all_candidate_sampler(TRUE, 2, 5, True)
    assert sample.numpy().tolist() == [0, 1, 2, 3, 4]
    assert true.numpy().tolist() == [[1, 1]] * 3 and sampled.numpy().tolist() == [1] * 5
    rows, places, weights = tf.nn.compute_accidental_hits(TRUE, [3, 1, 9], 2)
    assert rows.numpy().tolist() == [0, 2, 2] and places.numpy().tolist() == [1, 0, 0]
    assert weights.numpy().tolist() == [np.finfo(np.float32).min] * 3


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.random.uniform_candidate_sampler(TRUE, 3, 6, True, 8),
        lambda: tf.random.uniform_candidate_sampler(TRUE, 2, 6, True, 5),
        lambda: tf.random.uniform_candidate_sampler(TRUE, 2, 0, True, 5),
        lambda: tf.random.uniform_candidate_sampler([1], 2, 2, True, 5),
        lambda: tf.random.log_uniform_candidate_sampler([[0, 10]], 2, 9, False, 2),
        lambda: tf.random.log_uniform_candidate_sampler([[0, -10]], 2, 9, False, 2),
        lambda: tf.random.fixed_unigram_candidate_sampler(TRUE, 2, 6, True, 5, unigrams=[1.0, 1.0]),
        lambda: tf.nn.compute_accidental_hits(TRUE, [0, 1], 3),
    ],
)
def test_it_is_refused(call: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()


WEIGHTS = np.arange(80, dtype=np.float32).reshape(20, 4) % 7 / 7 - 0.4
BIASES = np.arange(20, dtype=np.float32) / 20
INPUTS = np.arange(12, dtype=np.float32).reshape(3, 4) % 5 / 5 - 0.3
SAMPLED = (np.array([3, 9, 1, 0]), np.full([3, 2], 0.5, np.float32), np.float32([0.1, 0.2, 0.4, 0.8]))
NCE = tf.nn.nce_loss, tf.compat.v1.nn.nce_loss
SOFTMAX = tf.nn.sampled_softmax_loss, tf.compat.v1.nn.sampled_softmax_loss
LOSSES = [
    (NCE, True, [7.03528, 7.41141, 5.89446], [0.229, 0.4395, 0, 0.4149, 0.0398, 0.5237]),
    (NCE, False, [8.2127, 8.16349, 8.86808], [0.3347, 0.4395, 0, 0.7944, 0.0398, 0.5237]),
    (SOFTMAX, True, [2.40945, 2.53601, 1.5815], [-0.0638, 0.0837, 0, -0.1421, -0.082, 0.2043]),
    (SOFTMAX, False, [2.49956, 2.57861, 2.28871], [-0.0673, 0.0499, 0, -0.0267, -0.0827, 0.1268]),
]


@pytest.mark.parametrize(("functions", "remove", "loss", "slopes"), LOSSES)
def test_losses_of_a_sample(functions: Any, remove: bool, loss: list[float], slopes: list[float]) -> None:
    given: dict[str, Any] = {"num_true": 2, "sampled_values": SAMPLED, "remove_accidental_hits": remove}
    weights = tf.constant(WEIGHTS)
    with tf.GradientTape() as tape:
        tape.watch(weights)
        losses = functions[0](weights, BIASES, TRUE, INPUTS, 4, 20, **given)
    np.testing.assert_allclose(losses, loss, atol=1e-4)
    gradient = tf.convert_to_tensor(tape.gradient(losses, weights)).numpy()
    np.testing.assert_allclose(gradient.sum(1)[[0, 1, 2, 3, 4, 9]], slopes, atol=2e-4)
    parts = [WEIGHTS[::2], WEIGHTS[1::2]]  # as 1.x deals out rows
    losses = functions[1](parts, BIASES, TRUE, INPUTS, 4, 20, **given)
    np.testing.assert_allclose(losses, loss, atol=1e-4)


def test_a_sample_is_drawn_if_none_is_given() -> None:
    for drawn in (
        tf.nn.nce_loss(WEIGHTS, BIASES, TRUE, INPUTS, 4, 20, 2),
        tf.nn.sampled_softmax_loss(WEIGHTS, BIASES, TRUE, INPUTS, 4, 20, 2),
    ):
        assert drawn.shape == [3] and np.isfinite(drawn).all()


def test_a_graph_with_samplers_comes_back() -> None:
    with tf.Graph().as_default() as graph:
        tf.random.set_seed(5)
        tf.random.uniform_candidate_sampler(TRUE, 2, 6, True, 8, seed=7, name="drawn")
        node = next(n for n in graph.as_graph_def().node if n.name == "drawn")
    assert (node.op, node.attr["num_sampled"].i, node.attr["seed2"].i) == ("UniformCandidateSampler", 6, 7)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        (sample,) = tf.graph_util.import_graph_def(graph.as_graph_def(), return_elements=["drawn:0"])
        assert session.run(sample).tolist() == [6, 7, 0, 2, 1, 4]
