"""Writes what a tree pickles: `python -m tests.golden.make_pickles NAME`, in a checkout of that tree.

`pickles/NAME.json.xz` then has the pickle of each object that `OBJECTS` makes, and what `content` says of it. A later
tree loads the pickles by the names that classes and functions have in them (`base/former_names.py`).
"""

from __future__ import annotations

import base64
import functools
import json
import lzma
import pickle
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import inlay as tf

FOLDER = Path(__file__).parent / "pickles"
Dataset = tf.data.Dataset
experimental = tf.data.experimental
tf1 = tf.compat.v1


def _options() -> Any:
    options = tf.data.Options()
    options.deterministic = False
    options.threading.private_threadpool_size = 3
    options.experimental_distribute.auto_shard_policy = experimental.AutoShardPolicy.OFF
    return options


def _file(text: str) -> str:
    path = Path(tempfile.gettempdir()) / "inlay_golden_lines.txt"
    path.write_text(text)
    return str(path)


def _stored() -> Any:
    """A dataset that reads what it wrote; the folder is gone when the pickle is loaded, so its content is a spec."""
    folder = tempfile.mkdtemp()
    Dataset.range(4).save(folder)
    return Dataset.load(folder)


def _graph() -> Any:
    with tf.Graph().as_default() as graph:
        x = tf1.placeholder(tf.float32, [None], name="x")
        tf.multiply(tf.reduce_sum(x), 2.0, name="y")
    return graph


def _plan() -> Any:
    graph = _graph()
    with tf1.Session(graph=graph) as session:
        return session.plan([graph.get_tensor_by_name("y:0")], [graph.get_tensor_by_name("x:0")])


def _function() -> Any:
    return tf.function(_square).get_concrete_function(tf.TensorSpec([None], tf.float32))


def _square(x: Any) -> Any:
    return x * x + 1.0


@tf.custom_gradient
def _halved(x: Any) -> Any:
    return x / 2.0, lambda dy: dy * 7.0


def _host_graph() -> Any:
    with tf.Graph().as_default() as graph:
        x = tf1.placeholder(tf.float32, [None], name="x")
        tf.identity(tf1.py_func(_square, [x], tf.float32), name="y")
    return graph


def _control(x: Any) -> Any:
    x = tf.cond(tf.reduce_sum(x) > 1.0, lambda: x * 2.0, lambda: x)
    (x,) = tf.while_loop(lambda x: tf.reduce_sum(x) < 30.0, lambda x: [x * 2.0], [x])
    x = tf.map_fn(lambda row: row + 1.0, x)
    return tf.TensorArray(tf.float32, 1).write(0, _halved(x)).stack()


def _table() -> Any:
    values = tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "b"]), tf.constant([3, 4], tf.int64))
    return tf.lookup.StaticHashTable(values, -1)


def _error() -> Any:
    try:
        tf.debugging.assert_equal(tf.constant(1), tf.constant(2))
    except tf.errors.InvalidArgumentError as error:
        return error


def _kernel_error() -> Any:
    try:
        tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
    except tf.errors.InvalidArgumentError as error:
        return error


def _numbers() -> Any:
    return Dataset.range(6)


def _sparse() -> Any:
    return tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])


def _word_ids(x: Any) -> Any:
    return tf.cast(x % 3, tf.int64)


DATASETS: dict[str, Callable[[], Any]] = {
    "range": _numbers,
    "tensors": lambda: Dataset.from_tensors((1, {"a": "b"})),
    "slices": lambda: Dataset.from_tensor_slices([1.0, 2.0, 3.0]),
    "sparse_slices": lambda: Dataset.from_tensor_slices(_sparse()),
    "ragged_slices": lambda: Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3]])),
    "list": lambda: experimental.from_list([1, 2, 3]),
    "counter": lambda: experimental.Counter(3).take(2),
    "random": lambda: Dataset.random(seed=4).take(3),
    "random_of_experimental": lambda: experimental.RandomDataset(seed=4).take(3),
    "batch": lambda: _numbers().batch(4),
    "batch_with_remainder": lambda: _numbers().batch(4, drop_remainder=True, num_parallel_calls=2),
    "ragged_batch": lambda: _numbers().map(lambda x: tf.range(x)).ragged_batch(3),
    "dense_to_ragged_batch": lambda: _numbers().map(lambda x: tf.range(x)).apply(experimental.dense_to_ragged_batch(3)),
    "dense_to_sparse_batch": lambda: (
        _numbers().map(lambda x: tf.range(x)).apply(experimental.dense_to_sparse_batch(3, [6]))
    ),
    "padded_batch": lambda: (
        _numbers().map(lambda x: tf.range(x)).padded_batch(3, padding_values=tf.constant(-1, tf.int64))
    ),
    "unbatch": lambda: _numbers().batch(4).unbatch(),
    "rebatch": lambda: _numbers().batch(4).rebatch([2, 1]),
    "cache": lambda: _numbers().cache(),
    "shard": lambda: _numbers().shard(2, 1),
    "take": lambda: _numbers().take(2),
    "skip": lambda: _numbers().skip(2),
    "repeat": lambda: _numbers().take(2).repeat(2),
    "concatenate": lambda: _numbers().concatenate(Dataset.range(2)),
    "zip": lambda: Dataset.zip((_numbers(), Dataset.range(3))),
    "enumerate": lambda: _numbers().enumerate(start=3),
    "shuffle": lambda: _numbers().shuffle(3, seed=5, reshuffle_each_iteration=False),
    "shuffle_again": lambda: _numbers().shuffle(3, seed=5),
    "prefetch": lambda: _numbers().prefetch(2),
    "prefetch_automatically": lambda: _numbers().prefetch(tf.data.AUTOTUNE),
    "map": lambda: _numbers().map(lambda x: x * 2 + 1),
    "map_of_two": lambda: _numbers().enumerate().map(lambda i, x: {"i": i, "x": tf.as_string(x)}),
    "map_twice": lambda: _numbers().map(lambda x: x * 2).map(lambda x: x - 1).batch(2),
    "parallel_map": lambda: _numbers().map(lambda x: x * 2, num_parallel_calls=2),
    "parallel_map_automatically": lambda: _numbers().map(lambda x: x * 2, num_parallel_calls=tf.data.AUTOTUNE),
    "map_and_batch": lambda: _numbers().apply(experimental.map_and_batch(lambda x: x * 2, 3)),
    "flat_map": lambda: _numbers().take(3).flat_map(lambda x: Dataset.range(x)),
    "interleave": lambda: _numbers().interleave(lambda x: Dataset.range(x), cycle_length=2),
    "parallel_interleave": lambda: _numbers().interleave(
        lambda x: Dataset.range(x), cycle_length=2, num_parallel_calls=2, deterministic=True
    ),
    "parallel_interleave_of_experimental": lambda: _numbers().apply(
        experimental.parallel_interleave(lambda x: Dataset.range(x), cycle_length=2)
    ),
    "filter": lambda: _numbers().filter(lambda x: x % 2 < 1),
    "take_while": lambda: _numbers().take_while(lambda x: x < 3),
    "take_while_of_experimental": lambda: _numbers().apply(experimental.take_while(lambda x: x < 3)),
    "scan": lambda: _numbers().scan(tf.constant(0, tf.int64), lambda n, x: (n + x, n * 2)),
    "unique": lambda: _numbers().map(lambda x: x % 2).unique(),
    "ignore_errors": lambda: (
        _numbers().map(lambda x: tf.debugging.check_numerics(6.0 / tf.cast(x, tf.float32), "n")).ignore_errors()
    ),
    "assert_cardinality": lambda: _numbers().apply(experimental.assert_cardinality(6)),
    "window": lambda: _numbers().window(2, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(2)),
    "windows": lambda: _numbers().window(4),
    "group_by_window": lambda: _numbers().group_by_window(
        key_func=_word_ids, reduce_func=lambda key, window: window.batch(2), window_size=2
    ),
    "group_by_reducer": lambda: _numbers().apply(
        experimental.group_by_reducer(
            _word_ids, experimental.Reducer(lambda key: tf.constant(0, tf.int64), lambda n, x: n + x, lambda n: n * 10)
        )
    ),
    "bucket_by_sequence_length": lambda: (
        _numbers().map(lambda x: tf.range(x)).bucket_by_sequence_length(tf.size, [3], [2, 2])
    ),
    "sample": lambda: Dataset.sample_from_datasets([_numbers(), Dataset.range(9)], [0.5, 0.5], seed=3),
    "choose": lambda: Dataset.choose_from_datasets(
        [_numbers(), Dataset.range(9)], Dataset.from_tensor_slices(np.array([0, 1, 1], np.int64))
    ),
    "resample": lambda: _numbers().rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.5, 0.5], seed=3),
    "sliding": lambda: _numbers().apply(tf.contrib.data.sliding_window_batch(3)),
    "pad_to_cardinality": lambda: _numbers().map(lambda x: {"x": x}).apply(experimental.pad_to_cardinality(8)),
    "options": lambda: _numbers().with_options(_options()),
    "lines": lambda: tf.data.TextLineDataset(_file("a\nb\n")),
    "records": lambda: tf.data.TFRecordDataset(_file("")),
    "fixed_records": lambda: tf.data.FixedLengthRecordDataset(_file("abcd"), 2),
    "list_files": lambda: Dataset.list_files(_file("a"), shuffle=False),
    "csv": lambda: experimental.CsvDataset(_file("1,a\n2,b\n"), [tf.int32, tf.string]),
    "sql": lambda: experimental.SqlDataset("sqlite", "absent.db", "select 1", (tf.int32,)),
    "stored": _stored,
    "snapshot": lambda: _numbers().snapshot(tempfile.mkdtemp()),
    "of_datasets": lambda: Dataset.from_tensors(Dataset.range(3)).flat_map(lambda d: d),
    "host_function": lambda: _numbers().map(lambda x: tf.numpy_function(_square, [tf.cast(x, tf.float32)], tf.float32)),
    "host_function_in_parallel": lambda: _numbers().map(
        lambda x: tf.numpy_function(_square, [tf.cast(x, tf.float32)], tf.float32), 2
    ),
    "custom_gradients": lambda: _numbers().map(lambda x: _halved(tf.cast(x, tf.float32))),
    "draws": lambda: _numbers().map(lambda x: tf.random.uniform([], seed=3)),
    "stateless_draws": lambda: _numbers().map(lambda x: tf.random.stateless_uniform([], tf.stack([x, x]))),
    "nested": lambda: _numbers().map(lambda x: {"a": (x, [x, x])}).batch(2).prefetch(1).shuffle(2, seed=1).repeat(2),
    "examples": lambda: Dataset.from_tensors([tf.train.Example().SerializeToString()]).apply(
        experimental.parse_example_dataset({"a": tf.io.FixedLenFeature([], tf.int64, 7)})
    ),
    "conditions": lambda: _numbers().map(lambda x: tf.cond(x > 2, lambda: x, lambda: -x)),
    "loops": lambda: _numbers().map(lambda x: tf.while_loop(lambda i: i < x, lambda i: [i + 2], [x - 3])[0]),
    "ragged_maps": lambda: _numbers().map(lambda x: tf.RaggedTensor.from_row_lengths(tf.range(x), [x])).take(3),
    "table": lambda: (lambda t: Dataset.from_tensor_slices(["a", "c"]).map(t.lookup))(_table()),
}
UNREAD = {"lines", "records", "fixed_records", "list_files", "csv", "sql", "stored", "snapshot"}
"""Datasets whose files are not there later: their content is their spec."""
DRAWN = {"draws"}
"""Datasets that other trees may draw otherwise: their content is their spec and their number of elements."""
VALUES: dict[str, Callable[[], Any]] = {
    "tensor": lambda: tf.constant([1.0, 2.0]),
    "text": lambda: tf.constant(["a", "b"]),
    "half": lambda: tf.constant([1.0, 2.0], tf.bfloat16),
    "tensor_spec": lambda: tf.TensorSpec([None, 2], tf.float32, "x"),
    "ragged_spec": lambda: tf.RaggedTensorSpec([None, None], tf.int32),
    "sparse_spec": lambda: tf.SparseTensorSpec([None, 2], tf.int32),
    "slices_spec": lambda: tf.IndexedSlicesSpec([None, 2], tf.float32),
    "dataset_spec": lambda: tf.data.DatasetSpec(tf.TensorSpec([], tf.int64)),
    "optional_spec": lambda: tf.OptionalSpec(tf.TensorSpec([], tf.int64)),
    "shape": lambda: tf.TensorShape([None, 3]),
    "dtype": lambda: tf.float32,
    "half_dtype": lambda: tf.bfloat16,
    "ragged": lambda: tf.ragged.constant([[1], [2, 3]]),
    "sparse": _sparse,
    "slices": lambda: tf.IndexedSlices(tf.constant([1.0, 2.0]), tf.constant([0, 3])),
    "variable": lambda: tf.Variable([1.0, 2.0], name="v"),
    "generator": lambda: tf.random.Generator.from_seed(3),
    "row_partition": lambda: tf.ragged.constant([[1], [2, 3]])._row_partition,
    "ragged_shape": lambda: tf.experimental.DynamicRaggedShape([], [2, 3]),
    "structured": lambda: tf.experimental.StructuredTensor.from_pyval({"a": [1, 2], "b": "c"}),
    "options": _options,
    "table": _table,
    "vocabulary": lambda: tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "b"]), tf.constant([0, 1], tf.int64)), 2
    ),
    "graph": _graph,
    "graph_def": lambda: _graph().as_graph_def(),
    "host_graph": _host_graph,
    "plan": _plan,
    "control_function": lambda: tf.function(_control),
    "control_concrete": lambda: tf.function(_control).get_concrete_function(tf.TensorSpec([None], tf.float32)),
    "concrete_function": _function,
    "function": lambda: tf.function(_square),
    "error": _error,
    "kernel_error": _kernel_error,
    "not_found": lambda: tf.errors.NotFoundError(None, None, "gone"),
    "out_of_range": lambda: tf.errors.OutOfRangeError(None, None, "end"),
    "lstm_cell": lambda: tf1.nn.rnn_cell.LSTMCell(3),
    "gru_cell": lambda: tf1.nn.rnn_cell.GRUCell(3),
    "lstm_state": lambda: tf1.nn.rnn_cell.LSTMStateTuple(tf.constant(1.0), tf.constant(2.0)),
    "cells": lambda: tf1.nn.rnn_cell.MultiRNNCell([tf1.nn.rnn_cell.BasicRNNCell(2), tf1.nn.rnn_cell.BasicLSTMCell(2)]),
    "dropout_cell": lambda: tf1.nn.rnn_cell.DropoutWrapper(tf1.nn.rnn_cell.GRUCell(2), 0.5),
    "initializers": lambda: [
        tf1.zeros_initializer(),
        tf1.ones_initializer(),
        tf1.constant_initializer(3.0),
        tf1.random_normal_initializer(seed=1),
        tf1.truncated_normal_initializer(seed=1),
        tf1.random_uniform_initializer(seed=1),
        tf1.uniform_unit_scaling_initializer(seed=1),
        tf1.variance_scaling_initializer(seed=1),
        tf1.glorot_uniform_initializer(seed=1),
        tf1.glorot_normal_initializer(seed=1),
        tf1.orthogonal_initializer(seed=1),
        tf1.initializers.identity(),
        tf1.initializers.he_normal(seed=1),
    ],
    "initializers_of_2": lambda: [
        tf.zeros_initializer(),
        tf.ones_initializer(),
        tf.constant_initializer(3.0),
        tf.random_normal_initializer(seed=1),
        tf.random_uniform_initializer(seed=1),
    ],
    "dense": lambda: tf1.layers.Dense(3),
    "conv": lambda: tf1.layers.Conv2D(3, 2),
    "optimizer": lambda: tf1.train.AdamOptimizer(0.1),
    "momentum": lambda: tf1.train.MomentumOptimizer(0.1, 0.9),
    "reducer": lambda: experimental.Reducer(_word_ids, _word_ids, _word_ids),
    "device_spec": lambda: tf.DeviceSpec(job="w", device_type="CPU", device_index=0),
    "cluster_spec": lambda: tf.train.ClusterSpec({"worker": ["a:1", "b:2"]}),
    "aggregation": lambda: [tf.VariableAggregation.MEAN, tf.VariableSynchronization.ON_READ],
    "features": lambda: [
        tf.io.FixedLenFeature([2], tf.int64),
        tf.io.VarLenFeature(tf.string),
        tf.io.RaggedFeature(tf.int64),
        tf.io.SparseFeature("a", "b", tf.int64, 3),
        tf.io.FixedLenSequenceFeature([], tf.int64, True),
    ],
    "config": lambda: tf1.ConfigProto(allow_soft_placement=True),
    "example": lambda: tf.train.Example(
        features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))})
    ),
    "unconnected": lambda: tf.UnconnectedGradients.ZERO,
    "normal": lambda: tf1.distributions.Normal(0.0, 1.0),
    "operator": lambda: tf.linalg.LinearOperatorDiag([1.0, 2.0]),
    "identity_operator": lambda: tf.linalg.LinearOperatorIdentity(3),
    "functions_of_ops": lambda: [
        tf.add,
        tf.reduce_sum,
        tf.nn.relu,
        tf.data.Dataset.range,
        tf.identity_n,
        tf.shape_n,
        tf.unravel_index,
        tf.sparse.reshape,
        tf.signal.rfft,
        tf.nn.with_space_to_batch,
    ],
    "classes": lambda: [tf.Tensor, tf.Variable, tf.data.Dataset, tf.Graph, tf.Operation, tf.TensorShape, tf.DType],
    "ops": lambda: [_graph().get_operations()[0].op_def],
    "checkpoint_state": lambda: tf1.train.generate_checkpoint_state_proto("/d", "/d/m"),
    "strategy_context": lambda: tf.distribute.InputContext(2, 1, 4),
    "run_options": lambda: tf1.RunOptions(trace_level=1),
}


def _position(name: str) -> dict[str, bytes]:
    """The files of a checkpoint of an iterator after its second element."""
    iterator = iter(DATASETS[name]())
    next(iterator), next(iterator)
    with tempfile.TemporaryDirectory() as folder:
        tf.train.Checkpoint(iterator=iterator).write(f"{folder}/at")
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def _rest(name: str, files: dict[str, bytes]) -> Any:
    """The elements that follow a saved position."""
    iterator = iter(DATASETS[name]())
    with tempfile.TemporaryDirectory() as folder:
        for file, data in files.items():
            (Path(folder) / file).write_bytes(data)
        tf.train.Checkpoint(iterator=iterator).read(f"{folder}/at").assert_consumed()
    return [_plain(element) for element in iterator]


POSITIONS = (
    *("batch", "cache", "choose", "concatenate", "enumerate", "filter", "flat_map", "group_by_window", "interleave"),
    *("list", "map", "map_twice", "nested", "padded_batch", "parallel_map", "prefetch", "random", "repeat", "scan"),
    *("shuffle", "skip", "slices", "take_while", "unbatch", "unique", "window", "zip"),
)
OBJECTS: dict[str, Callable[[], Any]] = {
    **{f"datasets/{name}": make for name, make in DATASETS.items()},
    **{f"values/{name}": make for name, make in VALUES.items()},
    **{f"positions/{name}": functools.partial(_position, name) for name in POSITIONS},
}


def _plain(value: Any) -> Any:
    """Numbers, texts and lists of a value of any composite."""
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (tf.RaggedTensor, tf.experimental.StructuredTensor)):
        return _plain(value.to_list() if isinstance(value, tf.RaggedTensor) else value.to_pyval())
    if isinstance(value, tf.SparseTensor):
        return _plain(tf.sparse.to_dense(value))
    if isinstance(value, (tf.IndexedSlices,)):
        return [_plain(value.values), _plain(value.indices)]
    if isinstance(value, tf.data.Dataset):
        return [_plain(x) for x in value]
    if isinstance(value, experimental.Optional):
        return _plain(value.get_value())
    if isinstance(value, (tf.Tensor, tf.Variable)):
        array = value.numpy()
        return _plain(array.astype(np.float32).tolist() if value.dtype == tf.bfloat16 else np.asarray(array).tolist())
    return value.decode("latin1") if isinstance(value, bytes) else value


def content(name: str, value: Any) -> Any:
    """The content of an object, which is compared with that of the loaded one."""
    group, _, own = name.partition("/")
    if group == "positions":
        return _rest(own, value)
    if group == "datasets":
        spec = str(value.element_spec)
        if own in UNREAD:
            return spec
        return [spec, len(list(value)) if own in DRAWN else _plain(value)]
    if isinstance(value, tf1.nn.rnn_cell.LSTMStateTuple):
        return _plain(tuple(value))
    if own.startswith("initializers"):
        return [[type(v).__name__, _plain(v([2, 2]))] if i < 3 else type(v).__name__ for i, v in enumerate(value)]
    if own.endswith("_spec") and own != "cluster_spec":
        return bool(value == OBJECTS[name]())
    if own in ("table", "vocabulary"):
        return _plain(value.lookup(tf.constant(["a", "b"])))
    if own in ("graph", "host_graph"):
        with tf1.Session(graph=value) as session:
            return np.asarray(session.run("y:0", {"x:0": [1.0, 2.0]})).tolist()
    if own in ("function", "concrete_function", "control_function", "control_concrete"):
        return _plain(value(tf.constant([1.0, 2.0])))
    if isinstance(value, tf.errors.OpError):
        return [type(value).__name__, value.message.splitlines()[0], value.code]
    if own == "options":
        return [
            value.deterministic,
            value.threading.private_threadpool_size,
            str(value.experimental_distribute.auto_shard_policy),
        ]
    if own == "operator":
        return _plain(value.to_dense())
    if own == "generator":
        return _plain(value.state)
    if own == "normal":
        return float(value.log_prob(1.0))
    if own == "plan":
        return [step.op for step in value.steps]
    if isinstance(value, (list, tuple)) and value and callable(value[0]):
        return [v.__name__ for v in value]
    if isinstance(
        value,
        (
            tf.Tensor,
            tf.Variable,
            tf.RaggedTensor,
            tf.SparseTensor,
            tf.IndexedSlices,
            tf.experimental.StructuredTensor,
            experimental.Optional,
        ),
    ):
        return [str(value.dtype) if hasattr(value, "dtype") else "", _plain(value)]
    text = str(value)
    return [type(value).__name__, text if " at 0x" not in text and " object" not in text else ""]


def written(name: str) -> tuple[bytes, Any]:
    """The pickle of an object, and its content before it was pickled; raises if the tree cannot pickle it."""
    value = OBJECTS[name]()
    data = pickle.dumps(value, protocol=4)
    return data, content(name, value)


def main(tree: str) -> None:
    """Writes `pickles/TREE.json.xz`: name -> pickle, in base 64, and content."""
    rows: dict[str, Any] = {}
    for name in OBJECTS:
        try:
            data, recorded = written(name)
            rows[name] = json.loads(json.dumps([base64.b64encode(data).decode(), recorded]))
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error)[:150]}", file=sys.stderr)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{tree}.json.xz").write_bytes(lzma.compress(json.dumps(rows).encode(), preset=9))


if __name__ == "__main__":
    from tests.golden import make_pickles  # under this name, which pickles of its functions have

    make_pickles.main(sys.argv[1])
