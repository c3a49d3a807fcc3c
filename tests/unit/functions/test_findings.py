"""Functions where they once differed from TensorFlow without a word."""

from __future__ import annotations

import copy
import dataclasses
import logging
import pickle
import subprocess
import sys
from typing import Any

import cloudpickle
import pytest

import inlay as tf
from inlay._src.programs.functions import retracing

SCALAR = tf.TensorSpec([], tf.float32)


def scaled(x: Any, k: Any = 1.0) -> Any:
    return x * k


decorated = tf.function(scaled)


@tf.function
def in_place(x: Any) -> Any:
    return x + 1.0


def test_a_concrete_function_refuses_another_value_than_it_was_traced_for() -> None:
    """FINDINGS A15."""
    concrete = tf.function(scaled).get_concrete_function(SCALAR, 3.0)
    x = tf.constant(2.0)
    assert float(concrete(x)) == float(concrete(x, 3.0)) == float(concrete(x=x, k=3.0)) == 6.0
    with pytest.raises(TypeError, match=r"Binding inputs .* `Can not cast 4.0 to Literal\[3.0\]`"):
        concrete(x, 4.0)
    with pytest.raises(TypeError, match=r"Can not cast 4.0 to Literal\[3.0\]"):
        concrete(x, k=4.0)
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        concrete()
    with pytest.raises(TypeError, match="too many positional arguments"):
        concrete(x, 3.0, 3.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        concrete(x, z=3.0)
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'x': it is given by position too"):
        concrete(x, x=x)


def test_a_concrete_function_takes_numbers_lists_and_larger_tensors() -> None:
    """FINDINGS F: concrete functions with Python numbers and larger shapes than traced."""
    assert float(decorated.get_concrete_function(SCALAR, 2.0)(3.0)) == 6.0
    concrete = tf.function(lambda x: x + 1.0).get_concrete_function(tf.constant([1.0, 2.0]))
    assert concrete([1.0, 2.0]).numpy().tolist() == [2.0, 3.0]
    assert concrete(tf.constant([1.0, 2.0, 3.0])).numpy().tolist() == [2.0, 3.0, 4.0]
    assert float(concrete(tf.constant(1.0))) == 2.0
    with pytest.raises(TypeError, match=r"Can not cast TensorSpec\(shape=\(3,\)"):
        concrete([1.0, 2.0, 3.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a float32 tensor but is a int32 tensor"):
        concrete(tf.constant([1, 2]))


def test_a_concrete_function_tells_its_arguments_with_their_defaults() -> None:
    """FINDINGS F: `structured_input_signature`."""
    concrete = decorated.get_concrete_function(SCALAR)
    assert concrete.structured_input_signature == ((tf.TensorSpec([], tf.float32, "x"), 1.0), {})
    nested = tf.function(lambda a: a["p"]).get_concrete_function({"p": tf.constant(1.0), "q": "s"})
    assert nested.structured_input_signature == (({"p": tf.TensorSpec([], tf.float32, "a_p"), "q": "s"},), {})


def test_an_argument_and_its_default_share_a_trace() -> None:
    function = tf.function(lambda x, k=2.0, *, z=1: x * k + z)
    x = tf.constant(1.0)
    assert [float(y) for y in (function(x), function(x, 2.0), function(x, k=2.0, z=1), function(x=x))] == [3.0] * 4
    assert function.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda f: pickle.loads(pickle.dumps(f))])
def test_functions_are_copied_and_pickled(copied: Any) -> None:
    """ISSUE 10, point 8: `tf.function` pickles and deep-copies."""
    for function in (decorated, in_place, tf.function(abs, jit_compile=False)):
        assert float(copied(function)(tf.constant(1.0))) == float(function(tf.constant(1.0)))


def test_a_function_travels_by_value() -> None:
    """ISSUE 10, point 8: `tf.function` cloudpickles."""
    factor = 3.0
    data = cloudpickle.dumps(tf.function(lambda x: x * factor))
    code = "import sys, pickle, inlay as tf; print(float(pickle.load(sys.stdin.buffer)(tf.constant(2.0))))"
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, timeout=60)
    assert done.stdout == b"6.0\n", done.stderr


@pytest.mark.parametrize(
    ("function", "signature", "said"),
    [
        (lambda x, y: x, [SCALAR], "input_signature missing type constraint for y"),
        (lambda x=1, *, k: x, [SCALAR], "keyword-only parameter `k` must have a default value"),
        (lambda x: x, [SCALAR, SCALAR], "input_signature contains 1 extra type constraints"),
        (lambda x: x, [1], "must be a possibly nested sequence of TensorSpec objects"),
        (lambda x: x, SCALAR, "must be either a tuple or a list"),
        (lambda x: x, {"x": SCALAR}, "must be either a tuple or a list"),
    ],
)
def test_a_signature_that_does_not_fit_is_refused(function: Any, signature: Any, said: str) -> None:
    """FINDINGS F: too short `input_signature`."""
    with pytest.raises(TypeError, match=said):
        tf.function(function, input_signature=signature)


def test_signatures_that_fit() -> None:
    class Methods:
        @tf.function(input_signature=[SCALAR])
        def one(self, x: Any) -> Any:
            return x + 1.0

        @tf.function(input_signature=[])
        def none(self) -> Any:
            return tf.constant(1.0)

    assert float(Methods().one(1.0)) == 2.0 and float(Methods().none()) == 1.0
    assert float(tf.function(lambda *a: a[0] + a[1], input_signature=[SCALAR] * 2)(1.0, 2.0)) == 3.0
    assert float(tf.function(lambda x, y=2.0: x * y, input_signature=[SCALAR])(3.0)) == 6.0


def append(a: Any) -> Any:
    a.append(1)
    return a[0]


def replace(a: Any) -> Any:
    a[0] = a[0] + 1
    return a[0]


def remove(a: Any) -> Any:
    return a[1].pop("k")


@pytest.mark.parametrize("function", [append, replace, remove])
def test_a_function_that_changes_its_argument_is_refused(function: Any) -> None:
    """FINDINGS F: a function that changes its argument."""
    with pytest.raises(ValueError, match=r"should not modify its Python input arguments.* were modified: a"):
        tf.function(function)([tf.constant(1), {"k": tf.constant(2)}])


def test_changing_a_copy_or_an_object_is_no_change_of_an_argument() -> None:
    class Holder:
        value = 0

    def change(a: Any, holder: Any, r: Any) -> Any:
        a = [*a, 1]
        holder.value = 1
        return a[0] + r.nrows()

    holder = Holder()
    given = [tf.constant(1, tf.int64)], holder, tf.ragged.constant([[1], [2, 3]])
    assert int(tf.function(change)(*given)) == 3 and holder.value == 1


def test_tracing_again_and_again_warns_twice(caplog: pytest.LogCaptureFixture) -> None:
    """FINDINGS F: no warning for needless retracing."""
    function = tf.function(lambda x: x)
    with caplog.at_level(logging.WARNING, "inlay"):
        for i in range(12):
            function(i)
    assert [r.getMessage().partition(" calls")[0] for r in caplog.records] == [
        "5 out of the last 5",
        "6 out of the last 6",
    ]
    caplog.clear()
    for _ in range(5):
        tf.function(lambda x: x)(1)  # made in a loop: another object of the same code at every turn
    assert len(caplog.records) == 1


def test_traces_that_are_asked_for_are_no_reason_to_warn(caplog: pytest.LogCaptureFixture) -> None:
    function = tf.function(lambda x: x)
    with caplog.at_level(logging.WARNING, "inlay"):
        for i in range(12):
            function.get_concrete_function(i)
    assert not caplog.records


def test_traces_that_are_far_apart_are_no_reason_to_warn(caplog: pytest.LogCaptureFixture) -> None:
    function = tf.function(lambda x: x)
    for i in range(8):
        for _ in range(retracing.CALLS):
            function(i)
    relaxed = tf.function(lambda x: x, reduce_retracing=True)
    for i in range(8):
        relaxed(tf.zeros([i]))
    assert caplog.records == []


@dataclasses.dataclass
class Named:
    value: Any
    name: str

    def __tf_flatten__(self) -> Any:
        return (self.name,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata: Any, components: Any) -> Any:
        return cls(components[0], *metadata)


@dataclasses.dataclass
class ByInstance(Named):
    def __tf_unflatten__(self, metadata: Any, components: Any) -> Any:  # type: ignore[override]
        return ByInstance(components[0], *metadata)


def test_fields_that_a_dataclass_calls_metadata_are_no_leaves() -> None:
    """FINDINGS F6: nested dataclasses flatten their metadata."""
    nested = Named({"a": 1.0, "b": Named(2.0, "inner")}, "outer")
    assert tf.nest.flatten([nested, nested]) == [1.0, 2.0, 1.0, 2.0]
    assert tf.nest.map_structure(lambda v: v + 1, nested) == Named({"a": 2.0, "b": Named(3.0, "inner")}, "outer")
    assert tf.nest.pack_sequence_as(nested, [7, 8]) == Named({"a": 7, "b": Named(8, "inner")}, "outer")
    assert tf.nest.map_structure(lambda v: v + 1, ByInstance(1.0, "its own")) == ByInstance(2.0, "its own")
    found = tf.function(lambda n: n)(Named(tf.constant(1.0), "outer"))
    assert found.name == "outer" and float(found.value) == 1.0
