"""Arguments of the wrong kind where programs are built, saved, summarized and read: classes that the fuzzer shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from tests.faults.hostile_values import nested
from tests.faults.test_refused_arguments import refused

v1 = tf.compat.v1

# ---------------------------------------------------------------- lists without end

DEEP: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "a tensor": (lambda deep: tf.transpose({(): deep}), TypeError, "unsupported type"),
    "a host function": (lambda deep: tf.contrib.framework.py_func(deep), ValueError, "to be callable"),
    "the inputs of one": (lambda deep: tf.py_function(abs, [1], tf.int32, kwargs=deep), TypeError, "must be a dict"),
    "a converted type": (
        lambda deep: tf.register_tensor_conversion_function(deep, abs), TypeError, "must be a type"
    ),
    "a converting function": (
        lambda deep: tf.register_tensor_conversion_function(Path, deep), TypeError, "must be callable"
    ),
    "a traced function": (lambda deep: tf.function(deep), TypeError, "not a callable"),
    "a traced value": (tf.autograph.trace, ValueError, "trace.. cannot do with"),
    "what AutoGraph converts": (lambda deep: tf.autograph.to_graph(deep), ValueError, "functions and methods"),
}  # fmt: skip


@pytest.mark.parametrize("name", DEEP)
def test_lists_nested_too_deep_for_a_repr_are_refused_in_words(name: str) -> None:
    call, kind, match = DEEP[name]
    refused(lambda: call(nested(200_000)), kind, match)


# ---------------------------------------------------------------- summaries

SCALARS: dict[str, Callable[[Path], Any]] = {
    "logdir": lambda folder: tf.summary.create_file_writer([str(folder)]),
    "max_queue": lambda folder: tf.summary.create_file_writer(str(folder), max_queue=[1]),
    "flush_millis": lambda folder: tf.summary.create_file_writer(str(folder), flush_millis=[1, 2]),
    "filename_suffix": lambda folder: tf.summary.create_file_writer(str(folder), filename_suffix=[".a"]),
}


@pytest.mark.parametrize("name", SCALARS)
def test_settings_of_writers_are_scalars(name: str, tmp_path: Path) -> None:
    refused(lambda: SCALARS[name](tmp_path), tf.errors.InvalidArgumentError, f"{name} must be rank 0")
    with tf.Graph().as_default():
        refused(lambda: SCALARS[name](tmp_path), ValueError, "Shape must be rank 0 but is rank 1")


def test_steps_and_tags_of_summaries_are_scalars(tmp_path: Path) -> None:
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        refused(lambda: tf.summary.scalar("a", 1.0, step=[1]), tf.errors.InvalidArgumentError, "step must be rank 0")
        refused(lambda: tf.summary.write(["a", "b"], 1.0, 1), tf.errors.InvalidArgumentError, "tag must be rank 0")
        raw = tf.summary.experimental.write_raw_pb
        refused(lambda: raw("", step=[1]), tf.errors.InvalidArgumentError, "step must be rank 0")


def test_cached_writers_are_of_folders(tmp_path: Path) -> None:
    cache = v1.summary.FileWriterCache
    with tf.Graph().as_default():
        refused(lambda: cache.get([[], []]), TypeError, "name of a file")
        assert cache.get(tmp_path) is cache.get(str(tmp_path))
        cache.clear()


# ---------------------------------------------------------------- sessions

NO_SESSIONS: dict[str, Callable[[], Any]] = {
    "number": lambda: 3,
    "variable": lambda: tf.Variable([1.0]),
    "operation": lambda: tf.Graph().create_op("NoOp", [], []),
}


@pytest.mark.parametrize("name", NO_SESSIONS)
def test_graphs_are_saved_from_sessions(name: str, tmp_path: Path) -> None:
    other = NO_SESSIONS[name]()
    builder = v1.saved_model.Builder(str(tmp_path / "model"))
    refused(lambda: builder.add_meta_graph_and_variables(other, ["a"]), TypeError, "'sess' must be a Session")


def test_hooks_are_ended_with_sessions() -> None:
    operation = NO_SESSIONS["operation"]()
    with pytest.raises(TypeError, match="FinalOpsHook.end.. cannot do with `session` of type Operation"):
        v1.train.FinalOpsHook([1]).end(operation)


def test_scaffolds_have_savers() -> None:
    with tf.Graph().as_default():
        refused(lambda: v1.train.Scaffold(saver=len).finalize(), TypeError, "`saver` must be a Saver")


def test_grace_periods_are_numbers_where_threads_are_left() -> None:
    import threading

    coordinator, over = tf.train.Coordinator(), threading.Event()
    coordinator.join([], "a")  # as in TensorFlow: nobody waits
    coordinator.clear_stop()
    thread = threading.Thread(target=over.wait)
    thread.start()
    coordinator.request_stop()
    try:
        refused(lambda: coordinator.join([thread], "a"), TypeError, "argument 'stop_grace_period_secs'")
    finally:
        over.set()
        thread.join()


# ---------------------------------------------------------------- graphs in functions


def _exported(build: Callable[[], Any]) -> Any:
    with tf.Graph().as_default() as graph:
        build()
    return graph.as_graph_def()


STATES: dict[str, tuple[Callable[[], Any], list[int]]] = {
    "draw": (lambda: tf.random.uniform([2], name="r"), [2]),
    "variable": (lambda: tf.identity(v1.get_variable("v", [2], use_resource=True), name="r"), [2]),
    "table": (
        lambda: tf.identity(
            tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1).lookup(tf.constant(["a"])), name="r"
        ),
        [1],
    ),
}


@pytest.mark.parametrize("name", STATES)
def test_graphs_with_a_state_run_in_functions(name: str) -> None:
    build, shape = STATES[name]
    message = _exported(build)

    @tf.function(autograph=False)
    def imported() -> Any:
        tensors = tf.graph_util.import_graph_def(message, name="", return_elements=[f"{message.node[-1].name}:0"])
        return tensors[0]

    assert imported().shape == shape


def test_meta_graphs_are_added_to_functions(tmp_path: Path) -> None:
    path = str(tmp_path / "a.meta")
    with tf.Graph().as_default():
        v1.get_variable("v", [2], use_resource=True, initializer=v1.ones_initializer())
        v1.train.Saver().export_meta_graph(path)

    @tf.function(autograph=False)
    def imported() -> Any:
        v1.train.import_meta_graph(path)
        (variable,) = v1.get_collection(v1.GraphKeys.GLOBAL_VARIABLES)
        with tf.control_dependencies([variable.initializer]):
            return variable.read_value()

    assert imported().numpy().tolist() == [1.0, 1.0]


# ---------------------------------------------------------------- arrays, gradients, thresholds


def test_scalars_are_not_split() -> None:
    def split(value: Any) -> Any:
        return tf.TensorArray(tf.float32, 2).split(value, [0, 2]).stack()

    text = "to be at least a vector|must be at least rank 1"
    refused(lambda: split(3.0), tf.errors.InvalidArgumentError, text)
    refused(lambda: tf.function(split, autograph=False)(3.0), ValueError, text)
    unknown = tf.function(split, input_signature=[tf.TensorSpec(None, tf.float32)], autograph=False)
    refused(lambda: unknown(3.0), tf.errors.InvalidArgumentError, text)


@pytest.mark.parametrize("result", [None, "text", [1.0, 2.0]], ids=repr)
def test_gradients_are_checked_of_functions_that_return_tensors(result: Any) -> None:
    x = [np.float32([1.0, 2.0])]
    refused(lambda: tf.test.compute_gradient(lambda _: result, x), TypeError, "`f` must return a tensor")
    with tf.Graph().as_default(), v1.Session():
        refused(lambda: tf.test.compute_gradient(lambda _: result, x), TypeError, "`f` must return a tensor")


@pytest.mark.parametrize("value", [np.ones(1, np.uint8), np.ones(1, np.int32), np.ones(1, bool), ["a"]], ids=repr)
def test_gradients_are_checked_of_numbers_that_have_them(value: Any) -> None:
    text = "Cannot compute gradient for unsupported type .* of argument 0"
    refused(lambda: tf.test.compute_gradient(tf.identity, [value]), AssertionError, text)
    with tf.Graph().as_default(), v1.Session():
        refused(lambda: tf.test.compute_gradient(tf.identity, [value]), AssertionError, text)


SHARED: dict[str, Callable[[Any], Any]] = {
    "FIFOQueue": lambda name: tf.queue.FIFOQueue(2, tf.float32, shared_name=name),
    "PriorityQueue": lambda name: tf.queue.PriorityQueue(2, tf.float32, shared_name=name),
    "slice_input_producer": lambda name: v1.train.slice_input_producer([tf.ones([2])], shared_name=name),
    "batch": lambda name: v1.train.batch([tf.ones([2])], 2, shared_name=name),
    "ConditionalAccumulator": lambda name: v1.ConditionalAccumulator(tf.float32, shared_name=name),
    "Iterator": lambda name: v1.data.Iterator.from_structure(tf.int32, shared_name=name),
    "make_initializable_iterator": lambda name: v1.data.make_initializable_iterator(
        v1.data.Dataset.range(2), shared_name=name
    ),
}


@pytest.mark.parametrize("kind", SHARED)
@pytest.mark.parametrize("name", [{"a": 1}, ["a"], 3], ids=repr)
def test_shared_names_are_texts(kind: str, name: Any) -> None:
    with tf.Graph().as_default():
        SHARED[kind](b"a")
        refused(lambda: SHARED[kind](name), TypeError, "Expected string for argument 'shared_name'|must be a string")


@pytest.mark.parametrize("number", [2**31, 10**150])
def test_thresholds_are_limited(number: int) -> None:
    with tf.Graph().as_default():
        refused(lambda: v1.metrics.auc(tf.ones(1), tf.ones(1), num_thresholds=number), ValueError, "below 2..31")
        refused(lambda: tf.contrib.metrics.f1_score(tf.ones(1), tf.ones(1), num_thresholds=number), ValueError, "below")


@pytest.mark.parametrize("write", ["assign", "assign_add", "assign_sub"])
def test_results_of_writes_are_chosen_by_one_truth(write: str) -> None:
    variable = tf.Variable([1.0, 2.0])
    refused(
        lambda: getattr(variable, write)([1.0, 1.0], read_value=np.array([True, False])), ValueError,
        "bool for argument 'read_value'",
    )  # fmt: skip
    assert variable.numpy().tolist() == [1.0, 2.0]


def test_the_truth_of_a_class_is_asked_as_of_any_object() -> None:
    assert tf.compat.v1.reduce_sum(np.ones(2, "f"), keep_dims=np.float32).shape == [1]  # as in TensorFlow


def test_what_is_preserved_last_has_one_time() -> None:
    times = np.ones(3)
    refused(lambda: tf.train.CheckpointState("a", (), (), times), TypeError, "argument 'last_preserved_timestamp'")


@pytest.mark.parametrize("variables", [[1.0], np.ones(2), ["a"]], ids=repr)
def test_filtered_variables_have_names(variables: Any) -> None:
    refused(lambda: tf.contrib.framework.filter_variables(variables), TypeError, "Expected variables as `var_list`")


@pytest.mark.parametrize("kind", ["BlockDiag", "Kronecker", "Composition"])
@pytest.mark.parametrize("operators", [[3], [tf.TensorShape([None])], tf.TensorShape([None, 2])], ids=repr)
def test_operators_are_composed_of_operators(kind: str, operators: Any) -> None:
    make = getattr(tf.linalg, f"LinearOperator{kind}")
    refused(lambda: make(operators), TypeError, "Expected a list of linear operators")


# ---------------------------------------------------------------- elements

SPECS = [tf.TensorSpec([None, 2], tf.int32), tf.RaggedTensorSpec([None, None], tf.int32), tf.SparseTensorSpec([2, 2])]


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_specs_are_no_elements(spec: Any) -> None:
    for make in (tf.data.Dataset.from_tensors, tf.data.Dataset.from_tensor_slices):
        refused(lambda make=make: make(spec), ValueError, "unsupported type")  # type: ignore[misc]


CSV: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "several characters": ({"field_delim": "b/c"}, TypeError, "1-character string"),
    "no character": ({"field_delim": ""}, TypeError, "1-character string"),
    "a number": ({"field_delim": 3}, TypeError, "1-character string"),
    "no name": ({"encoding": ""}, LookupError, "unknown encoding"),
    "an unknown name": ({"encoding": "a"}, LookupError, "unknown encoding"),
    "no encoding of text": ({"encoding": "hex"}, LookupError, "not a text encoding"),
}


@pytest.mark.parametrize("name", CSV)
def test_tables_have_one_delimiter_and_an_encoding(name: str, tmp_path: Path) -> None:
    settings, kind, match = CSV[name]
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    refused(lambda: tf.data.experimental.make_csv_dataset(str(tmp_path / "a.csv"), 2, **settings), kind, match)


@pytest.mark.parametrize(
    ("sources", "kind", "match"),
    [
        (lambda: {"a": [tf.constant(1)]}, TypeError, "must be a list"),
        (lambda: {1, 2}, TypeError, "must be a list"),
        (lambda: [{"a": tf.constant(1)}, ["a"]], ValueError, "the same keys"),
        (list, ValueError, "at least one"),
    ],
)  # fmt: skip
def test_batches_are_joined_from_a_list_of_sources(sources: Any, kind: type[Exception], match: str) -> None:
    with tf.Graph().as_default():
        refused(lambda: v1.train.batch_join(sources(), 2), kind, match)
