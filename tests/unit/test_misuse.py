"""Accidents in public functions are told as errors of the argument that caused them; all else stays what it is."""

from __future__ import annotations

import inspect
import pickle
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base import misuse
from tests.faults.internal_errors import cause_of

v1 = tf.compat.v1


def deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


CALLS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "an attribute": (lambda: v1.train.assert_global_step(5), TypeError, "`global_step_tensor` of type int: 5"),
    "what is called": (
        lambda: tf.distribute.get_strategy().distribute_datasets_from_function(3), TypeError, "`dataset_fn` of type int"
    ),
    "a key": (lambda: v1.get_collection([1]), TypeError, "`key` of type list"),
    "a seed": (lambda: tf.random.Generator.from_seed(None), TypeError, "`seed` of type NoneType: None"),
    "an element of a text": (lambda: v1.train.MonitoredSession(hooks="ab"), TypeError, "`hooks` of type str: 'ab'"),
    "an element of bytes": (
        lambda: tf.contrib.framework.filter_variables(b"ab", ["a"]), TypeError, "variables as `var_list`, got 97"
    ),
    "an element of an array": (
        lambda: tf.contrib.framework.filter_variables(np.array([1j]), ["a"]), TypeError, "variables as `var_list`"
    ),
    "what a dictionary is made of": (
        lambda: v1.train.warm_start("ckpt", var_name_to_prev_var_name=iter([1])),
        TypeError, "`var_name_to_prev_var_name` of type list_iterator"
    ),
    "bytes for a text": (
        lambda: tf.contrib.framework.get_trainable_variables(suffix=b"a"), TypeError, "`suffix` of type bytes: b'a'"
    ),
    "a class": (lambda: v1.nn.raw_rnn(v1.nn.rnn_cell.BasicRNNCell(2), object), TypeError, "`loop_fn` of type type"),
    "a constructor with the parameters of the base class": (
        lambda: v1.layers.Dense({}), TypeError, "Dense() cannot do with `units` of type dict: {}"
    ),
    "what an object was made of": (
        lambda: v1.train.FeedFnHook(3).before_run(None), TypeError,
        "FeedFnHook.before_run() cannot do with what FeedFnHook has as `feed_fn`, of type int: 3",
    ),
    "another generator": (lambda: tf.random.Generator(copy_from=5), TypeError, "`copy_from` of type int"),
}  # fmt: skip


@pytest.mark.parametrize("case", CALLS)
def test_the_argument_is_named(case: str) -> None:
    call, kind, text = CALLS[case]
    with pytest.raises(kind, match=re.escape(text)):
        call()


def test_the_error_is_of_the_accidents_class_too_and_has_it_as_its_cause() -> None:
    with pytest.raises(AttributeError) as caught:
        v1.train.assert_global_step("a")
    assert isinstance(caught.value, TypeError) and type(caught.value).__name__ == "TypeError"
    assert isinstance(caught.value.__cause__, AttributeError)
    assert str(caught.value) == "assert_global_step() cannot do with `global_step_tensor` of type str: 'a'"


class UsersTensor:
    @property
    def dtype(self) -> Any:
        raise AttributeError("mine")


def test_what_the_callers_objects_raise_stays() -> None:
    with pytest.raises(AttributeError, match="^mine$"):
        v1.train.assert_global_step(UsersTensor())


@misuse.explained
def asked(function: Callable[[Any], Any], value: Any) -> Any:
    return function(value)


def test_what_no_argument_explains_stays() -> None:
    def missing(value: Any) -> Any:
        return {}["key"]

    with pytest.raises(KeyError, match="^'key'$"):
        asked(missing, 3)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'value'"):
        asked(missing)  # type: ignore[call-arg]


@misuse.explained
def typed(value: Any, count: int = 0, label: str = "", names: Sequence[str] = (), by: Callable[..., Any] = len) -> Any:
    return value()


@pytest.mark.parametrize(
    ("keywords", "text"),
    [
        ({"count": "a"}, "`count` of type str: 'a'"),
        ({"label": b"a"}, "`label` of type bytes: b'a'"),
        ({"names": [1]}, "`names` of type list: [1]"),
        ({"names": 1.5}, "`names` of type float: 1.5"),
        ({"by": 1.5}, "`by` of type float: 1.5"),
        ({"count": np.float32(1), "label": np.zeros(2)}, "`label` of type ndarray: array([0., 0.])"),
        ({"count": np.zeros(2)}, "`count` of type ndarray"),
    ],
)
def test_an_argument_of_another_type_than_annotated_explains_an_accident(keywords: dict[str, Any], text: str) -> None:
    error = in_the_library("{}['k']")
    told = misuse.explanation(error, misuse.written(typed), (1.5,), keywords)
    assert told is not None and text in str(told)


@pytest.mark.parametrize(
    "keywords",
    [
        {"count": True, "label": np.str_("a"), "names": ("a", "b"), "by": str},
        {"count": np.int64(3), "names": ["a"]},
        {"count": tf.constant(3)},
        {"count": 3.0},
    ],
)
def test_arguments_as_annotated_explain_nothing(keywords: dict[str, Any]) -> None:
    error = in_the_library("{}['k']")
    fits = not isinstance(keywords["count"], float)
    assert (misuse.explanation(error, misuse.written(typed), (1.5,), keywords) is None) is fits


@pytest.mark.parametrize("value", [object(), {1, 2}, np.zeros(1, [("a", "i4")]), np.zeros(1, "M8[D]"), iter([]), re])
def test_a_value_that_no_function_takes_explains_an_accident(value: Any) -> None:
    told = misuse.explanation(in_the_library("{}['k']"), signature, (value,), {})
    assert isinstance(told, ValueError) and "`x` of type" in str(told)
    nested = misuse.explanation(in_the_library("{}['k']"), signature, ([1, [value]],), {})
    assert isinstance(nested, ValueError)


@pytest.mark.parametrize("value", [range(3), memoryview(b"ab"), np.array([None, 1], object), {1: "a"}, {"a": 1}])
def test_elements_explain_accidents(value: Any) -> None:
    wrong = next(iter(value)) if not isinstance(value, dict) else [*value, *value.values()][-1]
    told = misuse.explanation(in_the_library(f"({wrong!r}).missing"), signature, (value,), {})
    assert isinstance(told, TypeError) and isinstance(told, AttributeError)


class Keeper:
    def __init__(self, label: Any) -> None:
        self._label, self._count = label, ["a"]

    def joined(self) -> str:
        return "".join(self._label)


def test_an_argument_that_the_constructor_keeps_explains_an_accident() -> None:
    error = in_the_library("'/'.join([1.5, 'a'])")
    told = misuse.explanation(error, Keeper.joined, (Keeper(1.5),), {})
    assert str(told) == "Keeper.joined() cannot do with what Keeper has as `label`, of type float: 1.5"
    unexplained = in_the_library("'/'.join([[], 'a'])")
    assert misuse.explanation(unexplained, Keeper.joined, (Keeper("a"),), {}) is None  # `_count` is its own


def test_an_inner_function_explains_what_no_outer_one_does() -> None:
    names: dict[str, Any] = {"__name__": "inlay.anything", "inner": v1.train.assert_global_step}
    exec("def outer(value):\n    return inner(value)", names)
    with pytest.raises(TypeError, match=re.escape("assert_global_step() cannot do with `global_step_tensor`")):
        names["outer"](5)
    with pytest.raises(TypeError, match=re.escape("outer() cannot do with `value` of type int: 5")):
        misuse.explained(names["outer"])(5)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.Variable(1).count_up_to([1]),  # type: ignore[arg-type]
        lambda: tf.Variable(1.0, name="a").scatter_nd_update(1, [[1], [1, 2]]),
        lambda: v1.Session(graph=tf.Graph()).make_callable([], 5),  # type: ignore[arg-type]
        lambda: v1.Session(graph=tf.Graph()).plan([], np.array(3.0)),
        lambda: v1.logging.log_first_n(4, "a", {}),  # type: ignore[arg-type]
        lambda: tf.contrib.framework.nest.assert_shallow_structure([1], [2], check_types=np.zeros(2)),
        lambda: tf.Graph().get_collection([1]),  # type: ignore[arg-type]
        lambda: tf.Graph().create_op("NoOp", [], []).colocate(range(3)),  # type: ignore[arg-type]
    ],
)
def test_methods_refuse_in_words(call: Callable[[], Any]) -> None:
    try:
        call()
    except (TypeError, ValueError, tf.errors.OpError) as error:
        assert cause_of(error) == ""
    else:
        pytest.fail("nothing was refused")


def test_methods_that_are_called_often_have_no_frame_more() -> None:
    for method in (v1.Session.run, tf.Variable.assign, tf.Variable.read_value, tf.Variable.__init__):
        assert misuse.written(method) is method
    assert misuse.written(v1.Session.partial_run) is not v1.Session.partial_run


def in_the_library(source: str) -> Exception:
    """What an expression raises in a frame of the library."""
    names: dict[str, Any] = {"__name__": "inlay.anything", "np": np}
    exec(f"def run():\n    {source}", names)
    with pytest.raises(Exception) as caught:
        names["run"]()
    return caught.value


def signature(x: Any, *rest: Any, **named: Any) -> None:
    """Takes anything."""


@pytest.mark.parametrize(
    ("source", "args", "kwargs", "kind", "text"),
    [
        ("{}['k']", ("k",), {}, ValueError, "`x` of type str: 'k'"),
        ("[][0]", (1, []), {}, ValueError, r"`rest[0]` of type list: []"),
        ("1 // 0", (0,), {}, ValueError, "`x` of type int: 0"),
        ("float(10 ** 400)", (10**400,), {}, ValueError, "`x` of type int: 1000"),
        ("len(3)", ("a",), {"size": 3}, TypeError, "`size` of type int: 3"),
        ("len(None)", (None,), {}, TypeError, "`x` of type NoneType: None"),
        ("'a' < 3", (1.5, "a"), {}, TypeError, "`rest[0]` of type str: 'a'"),
        ("bool(np.zeros(3))", (np.zeros(3),), {}, ValueError, "`x` of type ndarray: array([0., 0., 0.])"),
        ("run()", (deep(200),), {}, ValueError, "`x` of type list: [[["),
        ("int({})", ("NHWC", {}), {}, TypeError, "signature() cannot do with `rest[0]` of type dict: {}"),
        ("'a' % 3", (2, "a"), {}, TypeError, "`rest[0]` of type str: 'a'"),
        ("list(int)", (3, np.float32), {}, TypeError, "`rest[0]` of type type: <class 'numpy.float32'>"),
        ("object(3)", (3, object), {}, TypeError, "`rest[0]` of type type: <class 'object'>"),
        ("assert 0", (1,), {}, None, ""),
        ("raise KeyError('k')", ("k",), {}, None, ""),
        ("int('a')", ("a",), {}, None, ""),
        ("run()", ([1],), {}, None, ""),
    ],
)
def test_which_argument_explains_an_accident(
    source: str, args: tuple[Any, ...], kwargs: dict[str, Any], kind: type[Exception] | None, text: str
) -> None:
    error = in_the_library(source)
    told = misuse.explanation(error, signature, args, kwargs)
    if kind is None:
        assert told is None
    else:
        assert isinstance(told, kind) and isinstance(told, type(error))
        assert text in str(told) and str(told).startswith("signature() cannot do with ")


def test_explained_functions_are_what_they_were() -> None:
    assert str(inspect.signature(v1.train.assert_global_step)).startswith("(global_step_tensor")
    assert pickle.loads(pickle.dumps(v1.train.assert_global_step)) is v1.train.assert_global_step
    assert v1.train.assert_global_step.__module__ == "inlay.train"


def test_ops_have_no_frame_more() -> None:
    for function in (tf.add, tf.nn.relu, tf.reshape, tf.concat, tf.cast, tf.constant, tf.py_function, tf.function):
        assert not hasattr(function, "__wrapped__"), function


def test_a_list_in_itself_is_refused() -> None:
    value: list[Any] = [1.0]
    value.append(value)
    for wrong in (value, deep(3000)):
        with pytest.raises(ValueError, match="more than 64 levels, or a list in itself"):
            tf.constant(wrong)


REFUSED: dict[str, tuple[Callable[[], Any], type[Exception]]] = {
    "no dataset": (lambda: tf.data.experimental.table_from_dataset(), ValueError),
    "a text as a rank": (lambda: tf.TensorShape([1]).with_rank("a"), TypeError),
    "a list as a rank": (lambda: tf.TensorShape([1]).assert_has_rank([1]), TypeError),
    "a huge rank": (lambda: tf.TensorShape(None).with_rank(2**70), ValueError),
    "a text as an index": (lambda: tf.TensorShape([1])["a"], TypeError),
    "an index beyond": (lambda: tf.TensorShape([1])[3], IndexError),
    "no shapes": (lambda: tf.TensorShape([1]).most_specific_common_supertype(3), TypeError),  # type: ignore[arg-type]
    "no device": (lambda: tf.config.experimental.get_memory_growth(np.zeros(2)), ValueError),
    "no number of workers": (lambda: tf.Threads(workers=[1]), TypeError),
    "no spec of a device": (lambda: tf.DeviceSpec.from_string(5), TypeError),
    "a list of an iterator": (lambda: tf.ragged.constant_value([[1]]).__class__([1], [0, 1]), TypeError),
    "no strategy": (lambda: tf.distribute.ReplicaContext(3), TypeError),
    "no datasets": (lambda: tf.data.Dataset.sample_from_datasets([3]), TypeError),
    "several buffer sizes": (lambda: list(tf.data.Dataset.range(3).prefetch([1, 2])), tf.errors.InvalidArgumentError),
    "a state of a generator": (lambda: tf.random.Generator.from_state("a"), ValueError),
    "no error": (lambda: v1.Session(graph=tf.Graph()).describe(3), TypeError),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused_in_words(case: str) -> None:
    call, kind = REFUSED[case]
    with pytest.raises(kind) as caught:
        call()
    assert cause_of(caught.value) == ""


@pytest.mark.parametrize("name", [5, [1], np.array([])])
def test_names_are_texts(name: Any) -> None:
    with tf.Graph().as_default() as graph:
        with pytest.raises(TypeError, match="name of an operation must be a string or None"):
            tf.add(1, 2, name=name)
        with pytest.raises(TypeError, match="name of a scope must be a string or None"), graph.name_scope(name):
            pass
        assert tf.add(1, 2, name=b"a").op.name == "a"
    with pytest.raises(ValueError, match="must be a string"), tf.name_scope(name):
        pass


def _in_itself() -> list[Any]:
    nest: list[Any] = [1]
    nest.append(nest)
    return nest


@pytest.mark.parametrize(
    "call",
    [
        lambda nest: tf.contrib.framework.py_func(lambda *a: 1.0, nest, output_types=tf.float32),
        lambda nest: tf.contrib.framework.py_func(lambda: 1.0, output_types=tf.float32, output_shapes=nest),
        lambda nest: tf.py_function(lambda: 1.0, [], tf.float32, kwargs={"x": nest}),
        lambda nest: tf.py_function(lambda: 1.0, [], nest),
        lambda nest: tf.function(lambda x: 1.0)(nest),
        lambda nest: tf.nest.flatten(nest),
    ],
)
def test_a_nest_that_holds_itself_is_refused_in_words(call: Any) -> None:
    with pytest.raises(RecursionError, match="the structure is nested too deep, or holds itself"):
        call(_in_itself())


def test_arguments_of_other_kinds_are_refused_in_words() -> None:
    with pytest.raises(TypeError, match="'pred_fn_pairs' must be a list, tuple, or dict. Received"):
        tf.case(tf.TensorShape([None]))
    with pytest.raises(TypeError, match="Each entry in 'pred_fn_pairs' must be a 2-tuple. Received 5"):
        tf.case([5])
    with pytest.raises(TypeError, match="Argument `validate` must be a bool; got array"):
        tf.io.RaggedFeature(tf.int64, validate=np.array([1, 2]))
    with pytest.raises(ValueError, match="must have rank -9223372036854775809"):
        tf.TensorShape([1]).with_rank(-9223372036854775809)
