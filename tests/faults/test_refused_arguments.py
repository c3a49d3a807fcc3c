"""Arguments of the wrong kind, swept over the functions that take such an argument: an error says what is wrong.

What the fuzzer (`benchmarks/soak_calls.py`) shows stands for a class of arguments: each is here with all its functions.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from tests.faults.internal_errors import cause_of

v1 = tf.compat.v1
layers = v1.layers


def refused(call: Callable[[], Any], kind: type[Exception], match: str) -> None:
    """Checks that a call is refused on purpose, in words."""
    with pytest.raises(kind, match=match) as caught:
        call()
    assert cause_of(caught.value) == ""


# ---------------------------------------------------------------- names of files


PATHS: dict[str, Callable[[Any], Any]] = {
    "load_checkpoint": tf.train.load_checkpoint,
    "load_variable": lambda path: tf.train.load_variable(path, "v"),
    "list_variables": tf.train.list_variables,
    "NewCheckpointReader": v1.train.NewCheckpointReader,
    "checkpoint_exists": v1.train.checkpoint_exists,
    "get_checkpoint_mtimes": lambda path: v1.train.get_checkpoint_mtimes([path]),
    "remove_checkpoint": v1.train.remove_checkpoint,
    "update_checkpoint_state": lambda path: v1.train.update_checkpoint_state(".", path),
    "generate_checkpoint_state_proto": lambda path: v1.train.generate_checkpoint_state_proto(".", path),
    "recover_last_checkpoints": lambda path: v1.train.Saver([tf.Variable(1.0)]).recover_last_checkpoints([path]),
    "set_last_checkpoints": lambda path: v1.train.Saver([tf.Variable(1.0)]).set_last_checkpoints([path]),
    "CheckpointManager": lambda path: tf.train.CheckpointManager(tf.train.Checkpoint(), path, 3),
    "Checkpoint.read": lambda path: tf.train.Checkpoint().read(path),
}


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("path", [3, np.array([None, 1], dtype=object), ["a"]], ids=["number", "array", "list"])
def test_names_of_files_are_texts_bytes_or_paths(name: str, path: Any) -> None:
    refused(lambda: PATHS[name](path), TypeError, "name of a file as a string, bytes or a path object, not ")


def test_checkpoints_are_found_by_bytes(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(str(tmp_path / "model"))
    for named in (path, path.encode(), Path(path)):
        assert v1.train.checkpoint_exists(named)
        assert v1.train.NewCheckpointReader(named).get_variable_to_shape_map() == (
            tf.train.load_checkpoint(path).get_variable_to_shape_map()
        )


# ---------------------------------------------------------------- texts of messages

WRONG_TEXTS = [1.5, True, np.array([1]), {"a": 1}, iter([])]
IMAGE = np.zeros([1, 2, 2, 1], np.float32)
TEXTS: dict[str, Callable[[Any], Any]] = {
    "scalar": lambda text: tf.summary.scalar("a", 1.0, 1, text),
    "histogram": lambda text: tf.summary.histogram("a", [1.0], 1, description=text),
    "image": lambda text: tf.summary.image("a", IMAGE, 1, description=text),
    "audio": lambda text: tf.summary.audio("a", np.zeros([1, 4, 1], np.float32), 8000, 1, description=text),
    "text": lambda text: tf.summary.text("a", "b", 1, text),
    "name of a scalar": lambda text: tf.summary.scalar(text, 1.0, 1),
    "name of an image": lambda text: tf.summary.image(text, IMAGE, 1),
    "scope": lambda text: tf.summary.experimental.summary_scope(text).__enter__(),
    "summary_description": lambda text: v1.summary.tensor_summary("a", 1.0, summary_description=text),
    "display_name": lambda text: v1.summary.tensor_summary("a", 1.0, display_name=text),
    "method_name": lambda text: v1.saved_model.build_signature_def(method_name=text),
    "name of a layer": lambda text: layers.Dense(2, name=text),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("text", WRONG_TEXTS, ids=lambda text: type(text).__name__)
def test_texts_of_messages_are_texts(name: str, text: Any) -> None:
    with tf.Graph().as_default():
        refused(lambda: TEXTS[name](text), TypeError, "Expected string for argument '")


def test_events_are_of_the_messages_of_their_kind(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.summary.FileWriter(str(tmp_path)) as writer:
        refused(lambda: writer.add_run_metadata(v1.RunMetadata(), np.float32), TypeError, "string for argument 'tag'")
        refused(lambda: writer.add_session_log(object), TypeError, "Expected a SessionLog, not ")


# ---------------------------------------------------------------- sizes and shapes of layers

SIDES = {"1D": 1, "2D": 2, "3D": 3}
POOLING = {f"{kind}{sides}": n for kind in ("MaxPooling", "AveragePooling") for sides, n in SIDES.items()}
CONVOLUTIONS = {
    **{f"Conv{sides}": n for sides, n in SIDES.items()},
    **{f"SeparableConv{sides}": n for sides, n in list(SIDES.items())[:2]},
    **{f"Conv{sides}Transpose": n for sides, n in list(SIDES.items())[1:]},
}
WRONG_SIZES: list[Any] = [slice(0, "a"), {}, "a", [[1, 1], 4], [1.5] * 3, [], None, np.ones([3, 3]), 1.5, object()]


@pytest.mark.parametrize("name", [*POOLING, *CONVOLUTIONS])
@pytest.mark.parametrize("size", WRONG_SIZES, ids=lambda size: str(size)[:20].split(" at ")[0])
def test_sizes_of_layers_are_integers(name: str, size: Any) -> None:
    make, what = getattr(layers, name), "pool_size" if name in POOLING else "kernel_size"
    made = (lambda: make(size, 1)) if name in POOLING else (lambda: make(2, size))
    refused(made, ValueError, f"The `{what}` argument must be a tuple of [123] integers. Received: ")
    if size is not None or name not in POOLING:
        made = (lambda: make(2, size)) if name in POOLING else (lambda: make(2, 3, size))
        refused(made, ValueError, "The `strides` argument must be a tuple of [123] integers. Received: ")


@pytest.mark.parametrize("name", [*POOLING, *CONVOLUTIONS, "Flatten"])
@pytest.mark.parametrize("layout", ["NHWC", 1.5, [], np.zeros(2)], ids=str)
def test_layouts_of_layers_are_two(name: str, layout: Any) -> None:
    arguments = () if name == "Flatten" else (2, 3)
    refused(lambda: getattr(layers, name)(*arguments, data_format=layout), ValueError, "`data_format` argument must be")


@pytest.mark.parametrize("name", CONVOLUTIONS)
@pytest.mark.parametrize("filters", [{}, "a", [1], 1.5], ids=str)
def test_numbers_of_filters_are_integers(name: str, filters: Any) -> None:
    refused(lambda: getattr(layers, name)(filters, 3), TypeError, "Expected int for argument 'filters'")


@pytest.mark.parametrize("name", [*POOLING, *CONVOLUTIONS])
@pytest.mark.parametrize("shape", [[], [7], [1] * 7, None], ids=str)
def test_shapes_of_inputs_have_the_rank_of_the_layer(name: str, shape: Any) -> None:
    sides = {**POOLING, **CONVOLUTIONS}[name]
    layer = getattr(layers, name)(2, 3)
    calls = [layer.compute_output_shape] if name in POOLING else [layer.compute_output_shape, layer.build]
    for call in calls:
        refused(lambda call=call: call(shape), ValueError, f"shape of inputs of rank {sides + 2}, got ")  # type: ignore[misc]


@pytest.mark.parametrize("shape", [[], None], ids=str)
def test_shapes_of_inputs_have_a_last_axis(shape: Any) -> None:
    cell = v1.nn.rnn_cell.BasicLSTMCell(2)
    for call in (
        layers.Dense(2).build, layers.Dense(2).compute_output_shape, layers.Flatten().compute_output_shape, cell.build
    ):  # fmt: skip
        refused(lambda call=call: call(shape), ValueError, "[Ss]hape|rank")  # type: ignore[misc]


@pytest.mark.parametrize("axis", [None, [None], "a", 1.5], ids=str)
def test_axes_of_a_batch_normalization_are_integers(axis: Any) -> None:
    refused(lambda: layers.BatchNormalization(axis), TypeError, "Expected int for argument 'axis'")


@pytest.mark.parametrize("arguments", [{}, {"fused": True}, {"axis": [0, 1]}], ids=str)
@pytest.mark.parametrize("training", [True, False])
def test_a_batch_normalization_that_is_not_built_says_so(arguments: dict[str, Any], training: bool) -> None:
    layer = layers.BatchNormalization(**arguments)
    refused(lambda: layer.call(tf.ones([2, 3]), training=training), ValueError, "has no averages yet")


def test_a_batch_normalization_is_built_before_it_is_called() -> None:
    layer = layers.BatchNormalization()
    layer.build([2, 3])
    assert [v.shape.as_list() for v in layer.variables] == [[3]] * 4


# ---------------------------------------------------------------- arrays where a tensor is expected


def test_layers_take_arrays() -> None:
    assert layers.Flatten().call(np.ones([2, 3, 2])).shape == [2, 6]
    assert layers.flatten([[], []]).shape == [2, 0]
    layers.InputSpec(ndim=1).check(np.ones(2), "a")
    assert tf.contrib.layers.unit_norm(np.ones([1, 4], np.float32), 1).numpy()[0, 0] == pytest.approx(0.5)
    refused(lambda: layers.InputSpec(ndim=2).check(np.ones(2), "a"), ValueError, "expected ndim=2, found ndim=1")
    v1.train.assert_global_step(np.int64(3))
    refused(lambda: v1.train.assert_global_step(np.ones(2)), TypeError, "does not have integer type")
    with tf.Graph().as_default():
        assert tf.contrib.layers.summarize_tensor(np.float32(3), "a").op.type == "ScalarSummary"


CALLED: dict[str, Callable[[], Any]] = {
    **{name: lambda name=name: getattr(layers, name)(2, 3) for name in (*POOLING, *CONVOLUTIONS)},  # type: ignore[misc]
    "Dense": lambda: layers.Dense(2),
    "Dropout": lambda: layers.Dropout(0.5),
    "Flatten": layers.Flatten,
    "BatchNormalization": layers.BatchNormalization,
}
INPUTS: dict[str, Callable[[], Any]] = {
    "array": lambda: np.ones(3, np.float32),
    "list": lambda: [[1.0, 2.0]],
    "scalar": lambda: tf.ones([]),
    "vector": lambda: tf.ones([3]),
    "rank 7": lambda: tf.ones([1] * 7),
    "strings": lambda: tf.constant([["a"]]),
    "sparse": lambda: tf.sparse.from_dense([[1.0, 0.0]]),
    "ragged": lambda: tf.ragged.constant([[1.0], [2.0, 3.0]]),
    "None": lambda: None,
    "object": object,
    "unknown rank": lambda: v1.placeholder(tf.float32),
}


@pytest.mark.parametrize("name", CALLED)
@pytest.mark.parametrize("inputs", INPUTS)
@pytest.mark.parametrize("is_built", [False, True])
def test_layers_called_by_hand_refuse_in_words(name: str, inputs: str, is_built: bool) -> None:
    with tf.Graph().as_default():
        layer = CALLED[name]()
        if is_built:
            ranks = [layer.input_spec.ndim or 2] if layer.input_spec else [2]
            layer.build([2, *[4] * (ranks[0] - 1)])
        try:
            layer.call(INPUTS[inputs]())
        except Exception as error:
            assert cause_of(error) == ""


@pytest.mark.parametrize("size", [["a", 1], [1.5, 2], np.zeros((), "i4,f4"), [[1], [2]]], ids=str)
def test_sizes_of_contribs_layers_are_integers(size: Any) -> None:
    utils = tf.contrib.layers.utils
    refused(lambda: utils.two_element_tuple(size), ValueError, "Must be an int, a list with 2 elements")
    refused(lambda: utils.n_positive_integers(2, size), TypeError, "Expected int for argument 'value'")


# ---------------------------------------------------------------- gradients and variables

PAIRS: dict[str, Callable[[Any], Any]] = {
    "GradientDescentOptimizer": lambda pairs: v1.train.GradientDescentOptimizer(0.1).apply_gradients(pairs),
    "AdamOptimizer": lambda pairs: v1.train.AdamOptimizer().apply_gradients(pairs),
    "MixedPrecisionLossScaleOptimizer": lambda pairs: v1.mixed_precision.MixedPrecisionLossScaleOptimizer(
        v1.train.AdamOptimizer(), 2.0
    ).apply_gradients(pairs),
    "add_gradients_summaries": tf.contrib.slim.learning.add_gradients_summaries,
    "clip_gradient_norms": lambda pairs: tf.contrib.slim.learning.clip_gradient_norms(pairs, 1.0),
    "multiply_gradients": lambda pairs: tf.contrib.slim.learning.multiply_gradients(list(pairs), {"a": 2.0}),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize(
    "pairs", [lambda: [1], lambda: ["ab"], lambda: iter([3]), lambda: np.array([1j]), lambda: [(1, 2, 3)]]
)
def test_gradients_come_in_pairs(name: str, pairs: Callable[[], Any]) -> None:
    refused(lambda: PAIRS[name](pairs()), TypeError, "Expected pairs of a gradient and a variable, not ")


class UsersAttributes:
    """Has every attribute: a text."""

    def __getattr__(self, name: str) -> str:
        return name


@pytest.mark.parametrize("method", ["apply", "average", "average_name", "variables_to_restore"])
@pytest.mark.parametrize("value", ["a", 3, (1, 2), UsersAttributes()], ids=lambda value: type(value).__name__)
def test_averages_are_of_variables(method: str, value: Any) -> None:
    averages = v1.train.ExponentialMovingAverage(0.5)
    argument = value if method.startswith("average") else iter([value])
    refused(lambda: getattr(averages, method)(argument), TypeError, "Expected a variable or a tensor, not ")


# ---------------------------------------------------------------- scalars of queues


def accumulator(sparse: bool) -> Any:
    kind = v1.SparseConditionalAccumulator if sparse else v1.ConditionalAccumulator
    return kind(tf.float32, [2])


SCALARS: dict[str, Callable[[Any], Any]] = {
    "set_global_step": lambda n: accumulator(False).set_global_step(n),
    "apply_grad": lambda n: accumulator(False).apply_grad([1.0, 2.0], n),
    "apply_grad of slices": lambda n: accumulator(True).apply_grad([0], [1.0], [2], n),
    "take_grad": lambda n: accumulator(False).take_grad(n),
    "take_grad of slices": lambda n: accumulator(True).take_grad(n),
    "take_indexed_slices_grad": lambda n: accumulator(True).take_indexed_slices_grad(n),
    "dequeue_many": lambda n: tf.queue.FIFOQueue(2, tf.float32, [[]]).dequeue_many(n),
    "dequeue_up_to": lambda n: tf.queue.FIFOQueue(2, tf.float32, [[]]).dequeue_up_to(n),
    "from_list": lambda n: tf.queue.QueueBase.from_list(n, [tf.queue.FIFOQueue(2, tf.float32)] * 2),
}


@pytest.mark.parametrize("name", SCALARS)
def test_scalars_of_queues_are_scalars(name: str) -> None:
    wrong = np.ones([2, 2], np.int32)
    refused(lambda: SCALARS[name](tf.constant(wrong)), tf.errors.InvalidArgumentError, "rank 0")
    with tf.Graph().as_default():
        refused(lambda: SCALARS[name](v1.placeholder(tf.int32, [2, 2])), ValueError, "rank 0")
        place = v1.placeholder(tf.int32)
        fetched = SCALARS[name](place)
        fetched = [fetched.queue_ref] if isinstance(fetched, tf.queue.QueueBase) else fetched
        with v1.Session() as session:
            refused(lambda: session.run(fetched, {place: wrong}), tf.errors.InvalidArgumentError, "rank 0")


@pytest.mark.parametrize("queue", [[], "a", 3, None], ids=str)
def test_readers_read_from_queues(queue: Any) -> None:
    with tf.Graph().as_default():
        reader, names = v1.TextLineReader(), v1.train.string_input_producer(["a"])
        refused(lambda: reader.read(queue), TypeError, "Expected a queue or its handle, not ")
        refused(lambda: reader.read_up_to(queue, 1), TypeError, "Expected a queue or its handle, not ")
        refused(lambda: reader.read_up_to(names, [1, 2]), ValueError, "rank 0")


# ---------------------------------------------------------------- what else the fuzzer showed

OTHERS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "a hook before its session": (
        lambda: v1.train.StopAtStepHook(3).after_run(None, None), RuntimeError, "comes before after_create_session"
    ),
    "classes of exceptions": (
        lambda: v1.train.Coordinator([3]), TypeError, "Expected classes of exceptions as `clean_stop_exception_types`"
    ),
    "a probability": (
        lambda: v1.nn.rnn_cell.DropoutWrapper(v1.nn.rnn_cell.BasicRNNCell(2), b"a"), TypeError,
        "scalar number for argument 'input_keep_prob'",
    ),
    "probabilities": (
        lambda: v1.nn.rnn_cell.DropoutWrapper(v1.nn.rnn_cell.BasicRNNCell(2), [0.5, 0.5]), TypeError,
        "scalar number for argument 'input_keep_prob'",
    ),
    "what a loop returns": (
        lambda: v1.nn.raw_rnn(v1.nn.rnn_cell.BasicRNNCell(2), lambda *_: None), TypeError, "`loop_fn` must return five"
    ),
    "no tensors with names": (
        lambda: tf.contrib.layers.utils.gather_tensors_aliases(iter([3])), TypeError, "Expected a tensor of a graph"
    ),
    "no blocks": (
        lambda: tf.contrib.slim.nets.resnet_utils.stack_blocks_dense(tf.ones([1, 2, 2, 1]), iter([3])), TypeError,
        "Expected blocks of residual units",
    ),
    "bytes as a stride": (
        lambda: tf.contrib.slim.nets.resnet_v2.resnet_v2_50(tf.ones([1, 8, 8, 3]), 3, output_stride=b""), TypeError,
        "Expected int for argument 'output_stride'",
    ),
    "no names of defaults": (
        lambda: v1.saved_model.build_signature_def(defaults={1: tf.constant(2)}), TypeError, "argument 'defaults'"
    ),
    "no scaffold": (lambda: v1.train.ChiefSessionCreator(""), TypeError, "Expected a Scaffold as `scaffold`"),
    "no scaffold of a worker": (lambda: v1.train.WorkerSessionCreator("a"), TypeError, "Expected a Scaffold"),
    "no scaffold of a session": (
        lambda: v1.train.SingularMonitoredSession(scaffold=tf.Variable([1.0, 2.0])), TypeError, "Expected a Scaffold"
    ),
    "no scaffold of a loop": (
        lambda: v1.train.MonitoredTrainingSession(scaffold=object()), TypeError, "Expected a Scaffold"
    ),
    "several truths of a queue": (
        lambda: tf.queue.FIFOQueue(2, tf.float32).close(np.ones(2)), TypeError,
        "Expected bool for argument 'cancel_pending_enqueues'",
    ),
    "the truth of a variable": (
        lambda: tf.contrib.layers.utils.collect_named_outputs(tf.Variable([1.0, 2.0]), "a", 0.0), ValueError,
        "`collections` of type Variable",
    ),
    "several steps": (lambda: v1.train.global_step(None, tf.Variable([1, 2])), TypeError, "Expected a step, a scalar"),
    "several steps of a checkpoint": (
        lambda: v1.train.Saver({"v": tf.Variable(1.0)}).save(None, "model", global_step=np.ones(2)),
        TypeError, "Expected a step, a scalar",
    ),
    "several truths": (
        lambda: tf.Threads(workers=1).shutdown(np.ones(2)), ValueError, "Threads.shutdown.* `wait` of type ndarray"
    ),
    "no truth": (
        lambda: tf.Threads(workers=1).shutdown(cancel_futures=np.ones(2)), ValueError, "`cancel_futures` of type"
    ),
}  # fmt: skip


@pytest.mark.parametrize("ragged_rank", [64, 10**40])
def test_more_levels_than_a_tensor_has_axes_are_refused(ragged_rank: int) -> None:
    with tf.Graph().as_default():
        dense = v1.placeholder(tf.float32)
        refused(lambda: tf.RaggedTensor.from_tensor(dense, ragged_rank=ragged_rank), ValueError, "must have rank at")


@pytest.mark.parametrize("case", OTHERS)
def test_what_does_not_fit_is_refused_in_words(case: str) -> None:
    refused(*OTHERS[case])


def test_an_initializer_is_of_variables() -> None:
    with tf.Graph().as_default():
        for values in (np.ones(3), np.ones([1, 2]), [None], "ab", [[tf.Variable(1.0)]]):
            refused(lambda: v1.variables_initializer(values), TypeError, "`var_list` must be a list of variables")  # noqa: B023
        assert v1.variables_initializer(None).name == "init"


def test_sizes_of_unknown_shapes_are_int32_or_int64() -> None:
    with tf.Graph().as_default():
        for dtype in (tf.float32, tf.int8, tf.string, "bool"):
            for shape in (None, [None, 2]):
                unknown = v1.placeholder(tf.float32, shape)
                refused(lambda: tf.size(unknown, dtype), TypeError, "Value passed to parameter 'out_type'")  # noqa: B023
                refused(lambda: tf.shape(unknown, dtype), TypeError, "Value passed to parameter 'out_type'")  # noqa: B023


def test_layers_are_not_repeated_more_often_than_a_graph_has_nodes() -> None:
    refused(
        lambda: tf.contrib.layers.repeat(tf.ones([1, 2]), 10**150, lambda x, scope: x),
        ValueError,
        "repetitions must be at most 2147483647, got 1000",
    )


def test_devices_are_named_by_strings() -> None:
    for wrong in (5, {1: 2}, [1]):
        refused(lambda: tf.distribute.OneDeviceStrategy(wrong), ValueError, "Expecting a string device name")  # noqa: B023
    for devices in ({1: 2}, [1]):
        refused(lambda: tf.distribute.MirroredStrategy(devices), ValueError, "Expecting a string device name")  # noqa: B023
    refused(lambda: tf.distribute.MirroredStrategy([1, 2]), NotImplementedError, r"2 devices \(1, 2\)")


def test_an_array_of_rank_0_is_no_list() -> None:
    scalar = np.array(None, object)
    refused(
        lambda: tf.float32.most_specific_common_supertype(scalar), TypeError, "`types` must be a sequence of dtypes"
    )
    refused(lambda: tf.identity_n(scalar), TypeError, "Expected list for 'input' argument")


def test_an_attribute_is_no_larger_than_a_float() -> None:
    image = np.ones([1, 1, 1, 1], np.float32)
    refused(
        lambda: tf.nn.local_response_normalization(image, bias=10**400), OverflowError, "bias is too large for a float"
    )


@pytest.mark.parametrize("size", [[[4, None]], [[4, 3]], np.array([[4, 3]]), 2.5, "ab"], ids=str)
def test_sizes_of_draws_are_whole_numbers(size: Any) -> None:
    random = tf.experimental.numpy.random
    for draw in (random.standard_normal, lambda size: random.uniform(size=size)):
        refused(lambda: draw(size), TypeError, "size")  # noqa: B023


def test_axes_are_not_nested_deeper_than_an_array() -> None:
    deep: Any = 0
    for _ in range(2000):
        deep = [deep]
    with tf.Graph().as_default():
        refused(lambda: tf.concat(tf.ones([2]), deep), ValueError, "64 levels|one length|known while the graph")
        for x in (tf.ones([2]), v1.placeholder(tf.float32)):
            refused(lambda: tf.expand_dims(x, deep), ValueError, "64 levels|deep")  # noqa: B023


def test_a_sparse_tensor_is_no_size_and_an_array_no_truth() -> None:
    sparse = tf.SparseTensor([[0]], [1], [2])
    refused(lambda: tf.experimental.numpy.random.poisson(1.0, sparse), TypeError, "Expected int for argument 'size'")
    refused(
        lambda: tf.constant(1.0, shape=[2], verify_shape=np.ones([2, 1])), ValueError, "Expected bool for argument 'ver"
    )


@pytest.mark.parametrize("name", [5, ValueError("a"), np.array(["a", "b"]), ["a"]], ids=str)
def test_a_read_of_a_variable_takes_no_name(name: Any) -> None:
    with tf.Graph().as_default():
        variable = v1.get_variable("v", [1], use_resource=True)
        assert tf.convert_to_tensor(variable, name=name).op.type == "ReadVariableOp"  # as in TensorFlow
        assert tf.stack(variable, name=name).op.type == "ReadVariableOp"


@pytest.mark.parametrize("state", ["-1.5", "[]", "{}", "null"])
def test_the_position_of_an_iterator_is_of_a_format(state: str) -> None:
    iterator = tf.data.Dataset.range(3).as_numpy_iterator()
    refused(lambda: iterator.restore(state), tf.errors.DataLossError, "The position of an iterator is damaged")


def test_a_number_of_outputs_has_31_bits() -> None:
    with tf.Graph().as_default():
        value = v1.placeholder(tf.float32, [None, 4])
        refused(lambda: tf.unstack(value, 1e308), ValueError, "Attr 'num' of 'Unpack' Op passed 1000.* out of range")
    refused(lambda: tf.unstack(tf.ones([3, 4]), 2**31), ValueError, "Op passed 2147483648 out of range")
