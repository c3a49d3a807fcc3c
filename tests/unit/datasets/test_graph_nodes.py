"""Datasets as nodes of graphs that are written and read: without trust, unless a Python function is in them."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.export import load_all
from inlay._src.data import graph_rows
from inlay._src.data.graph_nodes import DATASET
from inlay._src.data.node import Node
from inlay._src.data.taking import TakeNode

v1 = tf.compat.v1
Data = tf.data.Dataset
RUNTIME_ONLY = {"Given", "Held", "_StoredShards", "StoredShard"}
"""Nodes that stand for a tensor, or are made while a dataset runs."""


def options(**chosen: Any) -> Any:
    made = tf.data.Options()
    for name, value in chosen.items():
        setattr(made, name, value)
    return made


def reduced() -> Any:
    reducer = tf.data.experimental.Reducer(lambda k: k, lambda state, x: state + x, lambda state: state)
    return Data.range(9).apply(tf.data.experimental.group_by_reducer(lambda x: x % 2, reducer))


def resampled() -> Any:
    return (
        Data.range(20)
        .map(lambda x: (x, x % 2))
        .rejection_resample(lambda _, b: tf.cast(b, tf.int32), [0.5, 0.5], seed=3)
    )


def ragged() -> Any:
    return Data.range(5).map(lambda x: tf.fill([x], x)).ragged_batch(2)


PIPELINES: dict[str, Callable[[], Any]] = {
    "range, map, batch": lambda: Data.range(10).map(lambda x: x * 2).batch(2),
    "nests, filter, shuffle, repeat": lambda: (
        Data.from_tensor_slices({"a": np.arange(10.0), "b": np.arange(20).reshape(10, 2)})
        .filter(lambda d: d["a"] > 1)
        .shuffle(4, seed=3)
        .repeat(3)
    ),
    "flat_map within": lambda: Data.range(5).flat_map(lambda x: Data.range(x).map(lambda y: x + y)),
    "windows": lambda: Data.range(8).window(3, 2).flat_map(lambda d: d.map(lambda x: x + 1).batch(2)),
    "sliding windows": lambda: Data.range(9).apply(tf.contrib.data.sliding_window_batch(3, window_shift=2)),
    "interleave": lambda: Data.range(5).interleave(lambda x: Data.from_tensors(x).repeat(3), cycle_length=2),
    "interleave in parallel": lambda: Data.range(5).interleave(
        lambda x: Data.from_tensors(x).repeat(3), cycle_length=2, num_parallel_calls=2
    ),
    "parallel map, prefetch, cache": lambda: (
        Data.range(9).map(lambda x: x + 1, num_parallel_calls=2).prefetch(2).cache()
    ),
    "map of batches": lambda: Data.range(9).map(lambda x: x + 1, batch=4),
    "scan": lambda: Data.range(9).scan(tf.constant(0, tf.int64), lambda state, x: (state + x, state)),
    "zip, concatenate": lambda: Data.zip((Data.range(5), Data.range(2).concatenate(Data.range(9)))),
    "datasets listed": lambda: Data.from_tensor_slices([Data.range(3), Data.range(5, 7).map(lambda x: x + 1)]).flat_map(
        lambda d: d
    ),
    "padded": lambda: Data.range(5).map(lambda x: tf.fill([x], x)).padded_batch(3),
    "ragged": ragged,
    "sparse": lambda: Data.range(5).map(lambda x: tf.SparseTensor([[x]], [x], [20])),
    "sparse batch": lambda: (
        Data.range(1, 4).map(lambda x: tf.fill([x], x)).apply(tf.data.experimental.dense_to_sparse_batch(2, [3]))
    ),
    "groups": lambda: Data.range(10).group_by_window(lambda x: x % 2, lambda _, d: d.batch(3), 3),
    "reducer": reduced,
    "resampled": resampled,
    "draws": lambda: Data.range(5).map(lambda x: tf.random.uniform([], seed=3) + tf.cast(x, tf.float32)),
    "mixture": lambda: Data.sample_from_datasets([Data.range(10), Data.range(20, 30)], [0.5, 0.5], seed=3),
    "random": lambda: Data.random(seed=4).take(3),
    "random again": lambda: Data.random(seed=4, rerandomize_each_iteration=True).take(2).repeat(2),
    "ragged rows": lambda: Data.from_tensor_slices(tf.ragged.constant([[1, 2], [3]])),
    "shuffle in one order": lambda: Data.range(4).shuffle(4, seed=3, reshuffle_each_iteration=False).repeat(2),
    "choosing": lambda: Data.range(10).unique().shard(2, 1).take(5).skip(1),
    "take_while": lambda: Data.range(9).take_while(lambda x: x < 3),
    "rebatch": lambda: Data.range(12).batch(3).rebatch(2).unbatch(),
    "counter": lambda: Data.counter(3, 2).take(3),
    "errors": lambda: Data.range(5).apply(tf.data.experimental.ignore_errors()),
    "cardinality": lambda: Data.range(5).apply(tf.data.experimental.assert_cardinality(5)),
    "options": lambda: Data.range(5).with_options(options(deterministic=False)).map(lambda x: x + 1),
    "lines": lambda: tf.data.TextLineDataset([__file__]).take(2),
    "csv": lambda: tf.data.experimental.CsvDataset([__file__], [""], field_delim="|", use_quote_delim=False).take(1),
}


def written(make: Callable[[], Any]) -> tuple[Any, str, list[str], list[Any]]:
    """(the graph of an iterator as a message, its initializer, the names of its elements, the first elements)."""
    with tf.Graph().as_default() as graph, v1.Session() as session:
        iterator = v1.data.make_initializable_iterator(make())
        names = [t.name for t in tf.nest.flatten(iterator.get_next(), expand_composites=True)]
        names = [n for n in names if graph.get_tensor_by_name(n).dtype != tf.variant]
        session.run(iterator.initializer)
        return graph.as_graph_def(), iterator.initializer.name, names, taken(session, names)


def taken(session: Any, names: list[str]) -> list[Any]:
    out = []
    while len(out) < 4:
        try:
            out.append([np.asarray(v).tolist() for v in session.run(names)])
        except tf.errors.OutOfRangeError:
            break
    return out


@pytest.mark.parametrize("name", PIPELINES)
def test_a_pipeline_is_written_and_read_without_trust(name: str) -> None:
    message, begin, names, elements = written(PIPELINES[name])
    message = type(message).FromString(message.SerializeToString())
    with tf.Graph().as_default() as graph, v1.Session() as session:
        tf.import_graph_def(message, name="")
        graph.verify()
        session.run(graph.get_operation_by_name(begin))
        assert taken(session, names) == elements
        again = graph.as_graph_def()
    assert [n.op for n in again.node] == [n.op for n in message.node]
    assert not any(f.signature.name.startswith("body_") for f in message.library.function)


def test_sliding_windows_with_a_remainder_are_refused() -> None:
    message, *_ = written(PIPELINES["sliding windows"])
    (node,) = (node for node in message.node if node.op == "SlidingWindowDataset")
    del node.attr[DATASET]  # as TensorFlow writes it
    node.attr["drop_remainder"].b = False
    with tf.Graph().as_default(), pytest.raises(ValueError, match=f"{node.name}.*drop_remainder is False"):
        tf.import_graph_def(message, name="")


def test_every_kind_of_dataset_has_a_row() -> None:
    load_all()
    waiting, kinds = [Node], set()
    while waiting:
        for kind in waiting.pop().__subclasses__():
            waiting.append(kind)
            if kind.__module__.startswith("inlay.") and not inspect.isabstract(kind):
                kinds.add(kind)
    assert {kind.stage for kind in kinds - set(graph_rows.BY_KIND)} <= RUNTIME_ONLY


STAGES = """
    AssertCardinality Batch Cache Choose Concatenate Count Draws Fields Files Filter FlatMap Generated
    GroupByReducer GroupByWindow IgnoreErrors Interleave Listed Load Map PaddedBatch ParallelMap Prefetch
    RaggedBatch Random RandomChoice Range Rebatch Repeat Resample Rows Saving Scan Shard Shuffle Skip Slices Sliding
    Snapshot SparseBatch StackedRows Take TakeWhile Tensors Unbatch Unique Window Zip
"""
"""The names that saved graphs and positions have: a class may be renamed, its stage may not."""


def test_stages_keep_their_names() -> None:
    load_all()
    assert set(STAGES.split()) <= {row.kind.stage for row in graph_rows.BY_KIND.values()}
    assert graph_rows.BY_KIND[TakeNode].own == "Inlay>TakeDataset"


@pytest.mark.parametrize(
    "make",
    [
        lambda: Data.range(3).map(lambda x: tf.py_function(lambda v: v + 1, [x], tf.int64)),
        lambda: Data.from_generator(lambda: iter([1, 2]), tf.int64),
    ],
    ids=["py_function", "from_generator"],
)
def test_a_python_function_in_a_dataset_needs_trust(make: Callable[[], Any]) -> None:
    message, begin, names, elements = written(make)
    with tf.Graph().as_default(), pytest.raises(tf.errors.PermissionDeniedError, match="1 Python function"):
        tf.import_graph_def(message, name="")
    bodies = [f.signature.name for f in message.library.function if f.signature.name.startswith("body_")]
    trust = [f"sha256:{name.removeprefix('body_')}" for name in bodies]
    with tf.Graph().as_default() as graph, v1.Session() as session:
        tf.import_graph_def(message, name="", trust=trust)
        session.run(graph.get_operation_by_name(begin))
        assert taken(session, names) == elements


def test_what_a_graph_does_with_datasets_is_read_again() -> None:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.int64, [None], name="x")
        dataset = Data.from_tensor_slices(x).map(lambda v: v + x[0])
        total = dataset.reduce(tf.constant(0, tf.int64), lambda a, b: a + b * x[0])
        results = [total, dataset.batch(9).get_single_element(), dataset.cardinality(), v1.data.make_one_shot_iterator(
            Data.range(4)).get_next()]  # fmt: skip
        wanted = session.run(results, {x: [3, 4]})
    with tf.Graph().as_default(), v1.Session() as session:
        found = tf.import_graph_def(graph.as_graph_def(), name="", return_elements=[t.name for t in results])
        for a, b in zip(session.run(found, {"x:0": [3, 4]}), wanted, strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_saver_of_a_graph_that_is_read_restores_its_iterators(tmp_path: Path) -> None:
    prefix = str(tmp_path / "model")
    with tf.Graph().as_default(), v1.Session() as session:
        iterator = v1.data.make_initializable_iterator(Data.range(10).map(lambda x: x * x))
        v1.add_to_collection(v1.GraphKeys.SAVEABLE_OBJECTS, tf.data.experimental.make_saveable_from_iterator(iterator))
        element, begin = iterator.get_next().name, iterator.initializer.name
        saver = v1.train.Saver()
        session.run(begin)
        assert [session.run(element) for _ in range(3)] == [0, 1, 4]
        saver.save(session, prefix)
    with tf.Graph().as_default(), v1.Session() as session:
        saver = v1.train.import_meta_graph(f"{prefix}.meta")
        assert saver is not None
        session.run(begin)
        saver.restore(session, prefix)
        assert session.run(element) == 9


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said.pop("fields"),
        lambda said: said["fields"].update(mapped=3),
        lambda said: said["fields"]["mapped"].__setitem__(1, 7),
        lambda said: said["fields"]["mapped"].__setitem__(4, [5]),
        lambda said: said.update(element=["tuple", []]),
        lambda said: said.update(states={"0": [1]}),
    ],
)
def test_a_dataset_that_was_changed_is_refused_by_name(change: Callable[[Any], Any]) -> None:
    message, _, _, _ = written(lambda: Data.range(3).map(lambda x: x + 1))
    node = next(n for n in message.node if n.op == "MapDataset")
    said = json.loads(node.attr["_dataset"].s)
    change(said)
    node.attr["_dataset"].s = json.dumps(said).encode()
    with tf.Graph().as_default(), pytest.raises(ValueError, match=node.name):
        tf.import_graph_def(message, name="")


def test_examples_that_a_dataset_parses_are_read_again() -> None:
    feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))
    record = tf.train.Example(features=tf.train.Features(feature={"a": feature})).SerializeToString()
    wanted = {"a": tf.io.FixedLenFeature([], tf.int64), "b": tf.io.VarLenFeature(tf.string)}
    message, begin, names, elements = written(
        lambda: Data.from_tensors([record]).map(lambda r: tf.io.parse_example(r, wanted)["a"])
    )
    with tf.Graph().as_default() as graph, v1.Session() as session:
        tf.import_graph_def(message, name="")
        session.run(graph.get_operation_by_name(begin))
        assert taken(session, names) == elements == [[[7]]]
