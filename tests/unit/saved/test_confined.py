"""What may run while a model is loaded: `confined.check` on graphs that are made here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import inlay as tf
from inlay._src.base.files.allowance import allowance
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS
from inlay._src.saved.tensorflow_models.confined import check

v1 = tf.compat.v1


def built(build: Callable[[], Any]) -> tuple[Any, Any]:
    """A graph, and what a function that adds to it gave."""
    with tf.Graph().as_default() as graph:
        return graph, build()


def refused(build: Callable[[], Any], why: str) -> None:
    graph, _ = built(build)
    says = f"The saved model /m was not loaded: its part has .*{why}"
    with pytest.raises(tf.errors.PermissionDeniedError, match=says):
        check("/m", graph, "its part")


@pytest.mark.parametrize(
    ("build", "why"),
    [
        (lambda: tf.io.write_file("/tmp/x", "boom"), r"\(WriteFile\), which does more than to set variables"),
        (lambda: tf.io.read_file("/etc/passwd"), r"\(ReadFile\)"),
        (lambda: tf.print("boom"), r"\(PrintV2\)"),
        (lambda: tf.numpy_function(lambda: None, [], []), "which calls Python"),
        (lambda: tf.io.matching_files("/etc/*"), r"\(MatchingFiles\)"),
        (lambda: emit(OPS["RestoreV2"], ("/x", ["a"], [""]), {"dtypes": (tf.float32,)}), "not one of the model's"),
        (lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)]), "may do so for ever"),
    ],
)
def test_what_a_model_may_not_do_while_it_is_loaded(build: Callable[[], Any], why: str) -> None:
    refused(build, why)

    @tf.function(autograph=False)
    def inner() -> None:
        build()

    refused(inner, why)


def test_variables_and_tables_may_be_set() -> None:
    def build() -> None:
        w = v1.get_variable("w", initializer=[1.0, 2.0], use_resource=True)
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
        v1.assign_add(w, w * 2.0)
        table.lookup(tf.constant(["a"]))

    graph, _ = built(build)
    check("/m", graph, "its part")


def test_files_may_be_read_whose_paths_are_fed() -> None:
    path = built(lambda: v1.placeholder(tf.string, [], name="path"))[0]
    with path.as_default():
        fed = path.get_tensor_by_name("path:0")
        tf.lookup.StaticHashTable(
            tf.lookup.TextFileInitializer(tf.identity(fed), tf.string, 0, tf.int64, -1, delimiter=" "), -1
        )
    check("/m", path, "its part", feeds=[fed])
    with pytest.raises(tf.errors.PermissionDeniedError, match="not one of the model's"):
        check("/m", path, "its part")


@pytest.mark.parametrize("other", [False, True])
def test_a_path_may_go_through_a_variable_of_its_own(other: bool) -> None:
    with tf.Graph().as_default() as graph:
        fed = v1.placeholder(tf.string, [], name="path")
        kept = v1.get_variable("kept", initializer=fed, use_resource=True, validate_shape=False)
        emit(OPS["RestoreV2"], (kept.value(), ["a"], [""]), {"dtypes": (tf.float32,)})
        if other:
            kept.assign("/etc/passwd")
    if other:
        with pytest.raises(tf.errors.PermissionDeniedError, match="not one of the model's"):
            check("/m", graph, "its part", feeds=[fed])
    else:
        check("/m", graph, "its part", feeds=[fed])


def test_inputs_of_a_function_are_paths_unless_the_paths_are_listed() -> None:
    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def restore(path: Any) -> Any:
        return emit(OPS["RestoreV2"], (path, ["a"], [""]), {"dtypes": (tf.float32,)})

    graph = restore.get_concrete_function().graph
    check("/m", graph, "its part")
    check("/m", graph, "its part", feeds=graph.inputs, within=True)
    with pytest.raises(tf.errors.PermissionDeniedError, match="not one of the model's"):
        check("/m", graph, "its part", within=True)


def test_only_what_is_needed_is_looked_at() -> None:
    graph, (fine, _) = built(lambda: (tf.no_op(), tf.io.read_file("/etc/passwd")))
    check("/m", graph, "its part", [fine])


def test_results_that_take_more_memory_than_the_model_are_refused() -> None:
    graph, _ = built(lambda: tf.fill([1 << 20, 1 << 10], 0.0))
    with allowance(1000), pytest.raises(ValueError, match="more memory"):
        check("/m", graph, "its part")
