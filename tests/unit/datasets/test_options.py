"""Options, and what a dataset tells of itself."""

from __future__ import annotations

import pytest

import inlay as tf


def test_older_names_of_options_mean_the_same() -> None:
    options = tf.data.Options()
    options.experimental_threading.private_threadpool_size = 3
    options.experimental_deterministic = False
    assert (options.threading.private_threadpool_size, options.deterministic) == (3, False)
    assert options.experimental_threading is options.threading
    with pytest.raises(AttributeError):
        options.experimental_thread = 1


def test_elements_by_place_of_a_dataset_without_end_are_refused() -> None:
    with pytest.raises(tf.errors.FailedPreconditionError):
        tf.data.experimental.at(tf.data.Dataset.range(3).repeat(), 0)
    with pytest.raises(tf.errors.OutOfRangeError):
        tf.data.experimental.at(tf.data.Dataset.range(3), 3)


def test_inside_function_is_true_while_a_function_is_traced() -> None:
    seen = []
    tf.function(lambda: seen.append(tf.inside_function()))()
    with tf.Graph().as_default():
        seen.append(tf.inside_function())
    assert [*seen, tf.inside_function()] == [True, False, False]


def test_options_of_a_dataset_cannot_be_set_and_fields_have_classes() -> None:
    chosen = tf.data.Options()
    chosen.deterministic = False
    dataset = tf.data.Dataset.range(3).with_options(chosen)
    assert dataset.options() == dataset.options() and dataset.options().deterministic is False
    for options, field, value in (
        (dataset.options(), "deterministic", True),
        (dataset.options().threading, "private_threadpool_size", 2),
    ):
        with pytest.raises(ValueError, match="has no effect. Use `tf.data.Dataset.with_options"):
            setattr(options, field, value)
    again = tf.data.Options().merge(dataset.options())
    again.deterministic = True
    for field in ("deterministic", "threading", "experimental_external_state_policy"):
        with pytest.raises(TypeError, match=f'Property "{field}" must be of type'):
            setattr(chosen, field, 3)


def test_how_a_dataset_is_divided_is_accepted() -> None:
    chosen = tf.data.Options()
    policy = tf.data.experimental.AutoShardPolicy
    assert chosen.experimental_distribute.auto_shard_policy == policy.AUTO == 0
    chosen.experimental_distribute.auto_shard_policy = policy.DATA
    chosen.experimental_distribute.num_devices = 2
    dataset = tf.data.Dataset.range(3).with_options(chosen).with_options(tf.data.Options())
    assert dataset.options().experimental_distribute == chosen.experimental_distribute
    assert list(dataset.as_numpy_iterator()) == [0, 1, 2]
    with pytest.raises(TypeError, match='Property "auto_shard_policy" must be of type'):
        chosen.experimental_distribute.auto_shard_policy = 2
    with pytest.raises(TypeError, match='Property "experimental_distribute" must be of type'):
        chosen.experimental_distribute = policy.OFF
    with tf.Graph().as_default() as graph:
        following = tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()
        read = tf.graph_util.import_graph_def(graph.as_graph_def(), return_elements=[following.name], name="read")
        with tf.compat.v1.Session() as session:
            assert session.run(read) == [0]
