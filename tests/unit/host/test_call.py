"""One host call in its four parts, each by itself: prepare, run, accept, explain."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.opdef import Effect
from inlay._src.core.site import Site
from inlay._src.core.tensor import EagerTensor
from inlay._src.host import codegen, declare
from inlay._src.host.call import HostCall
from inlay._src.host.convert import ResultError
from inlay._src.host.inputs import flatten_inputs
from inlay._src.host.record import HostFunction, Mode

F32 = np.float32
SITE = Site("train.py", 12, "main")


def call_of(
    function: Any, tout: Any, mode: Mode = Mode.NUMPY, inputs: Any = (), kwargs: Any = None, **more: Any
) -> Any:
    template = flatten_inputs(inputs, kwargs, "py_function").template
    outputs = declare.outputs_of(tout, "py_function", more.pop("output_shapes", None))
    host = HostFunction(function, mode, outputs, Effect.STATEFUL, "f (train.py:3)", SITE, template, **more)
    return HostCall(host, "layer/PyFunc", "PyFunc", tuple(leaf.dims for leaf in outputs.leaves))


def tensor(value: Any) -> EagerTensor:
    return tf.constant(value)  # type: ignore[no-any-return]


def test_prepare_gives_a_function_of_arrays_its_own() -> None:
    x, text = F32([1, 2]), np.array(b"text", object)
    (own, scalar, word), kwargs = call_of(None, tf.float32).prepare([x, F32(3), text])
    assert own.tolist() == [1, 2] and own is not x and own.flags.owndata
    assert scalar.__class__ is F32 and word == b"text"
    assert kwargs == {}


def test_prepare_gives_views_where_copies_are_not_wanted() -> None:
    x = F32([1, 2])
    ((view,), _) = call_of(None, tf.float32, copy=False).prepare([x])
    assert view.base is x and not view.flags.writeable


def test_prepare_fills_a_template() -> None:
    plain = [1, 2]
    call = call_of(None, tf.float32, inputs=[F32(0)], kwargs={"k": {"a": F32([1]), "n": 3}, "p": plain})
    args, kwargs = call.prepare([F32(0), F32([5])])
    assert args == (0.0,)
    assert kwargs["k"]["a"].tolist() == [5] and kwargs["k"]["n"] == 3
    assert kwargs["p"] is plain


def test_prepare_passes_tensors() -> None:
    x = tensor([1.0])
    assert call_of(None, tf.float32, Mode.EAGER).prepare([x])[0][0] is x


def scaled(x: Any, by: float = 1.0) -> Any:
    return (x * by).astype(x.dtype)


def test_run_needs_nothing_but_the_function_and_its_arguments() -> None:
    call = call_of(scaled, tf.float32, inputs=[F32([1, 2])], kwargs={"by": 3.0})
    args, kwargs = pickle.loads(pickle.dumps(call.prepare([F32([1, 2])])))
    result = HostCall.run(scaled, args, kwargs)  # this may be another process
    assert call.accept([pickle.loads(pickle.dumps(result))])[0].tolist() == [3, 6]


def test_accept_makes_values_of_the_declared_types() -> None:
    call = call_of(None, [tf.float32, tf.string, tf.int64])
    values = call.accept([(F32([1]), "ä", [1, 2])])
    assert [v.dtype for v in values] == [np.float32, object, np.int64]
    assert values[1].item() == "ä".encode()


def test_accept_takes_what_nobody_else_holds_and_copies_the_rest() -> None:
    call = call_of(None, tf.float32)
    box = [F32([1, 2])]
    address = box[0].ctypes.data
    assert call.accept(box)[0].ctypes.data == address
    assert box == []
    kept = F32([1, 2])
    assert call.accept([kept])[0] is not kept


@pytest.mark.parametrize("make", [
    lambda: np.asfortranarray(np.ones((2, 3), F32)),
    lambda: np.ones((4, 6), F32)[::2, ::2],
    lambda: np.broadcast_to(F32(1), (2, 3)),
])  # fmt: skip
def test_accept_gives_c_order_and_memory_of_its_own(make: Any) -> None:
    value = call_of(None, tf.float32).accept([make()])[0]
    assert value.flags.c_contiguous and value.flags.owndata and value.flags.writeable


@pytest.mark.parametrize(
    ("tout", "result", "says"),
    [
        (tf.float32, np.float64(1), "0-th value returned by f is double, but expects float"),
        ([tf.float32, tf.float32], (F32(1),), "f returns 1 values, but expects to see 2 values"),
        (tf.TensorSpec([2], tf.float32), F32([1]), r"output 0 of f has shape \[1\]; declared is \[2\]"),
        ({"a": tf.float32, "b": [tf.int32]}, {"a": F32(1), "b": []}, "expected a list of 1"),
        (tf.float32, {1}, "Unsupported object type set"),
    ],
)
def test_accept_refuses_what_does_not_fit(tout: Any, result: Any, says: str) -> None:
    with pytest.raises(ResultError, match=says):
        call_of(None, tout).accept([result])


def test_accept_holds_results_against_a_shape_rule() -> None:
    call = call_of(None, tf.float32, shape_of=lambda s: [s[0], 2])
    x = np.zeros((3, 1), F32)
    assert call.accept([np.zeros((3, 2), F32)], [x])[0].shape == (3, 2)
    with pytest.raises(ResultError, match=r"has shape \[2,2\]; declared is \[3,2\]"):
        call.accept([np.zeros((2, 2), F32)], [x])


def test_explain_names_op_function_site_and_inputs() -> None:
    original = KeyError("lost")
    error = call_of(None, tf.float32).explain(original, [F32([1, 2]), tensor(3)])
    assert isinstance(error, KeyError) and isinstance(error, tf.errors.OpError)
    assert error.__cause__ is original
    for part in ["raised in function f (train.py:3)", "'layer/PyFunc' (PyFunc)", "train.py:12 in main",
                 "float32[2], int32[]", "{{node layer/PyFunc}}"]:  # fmt: skip
        assert part in str(error)


def test_explain_words_a_refused_result_and_a_failing_shape_rule() -> None:
    call = call_of(None, tf.float32, shape_of=lambda s: 1 // 0)
    with pytest.raises(ResultError) as refused:
        call.accept([{1}])
    error = call.explain(refused.value, [])
    assert isinstance(error, tf.errors.InternalError) and "returned by function f" in str(error)
    with pytest.raises(tf.errors.OpError, match="raised in output_shapes of function f") as caught:
        call_of(lambda: F32(1), tf.float32, shape_of=lambda: 1 // 0)([])
    assert isinstance(caught.value, ZeroDivisionError)


# ---------------------------------------------------------------- written and unwritten

KEPT = F32([7, 8])
RESULTS: dict[str, Any] = {
    "array": lambda x: x + F32(1),
    "its argument": lambda x: x,
    "a view of it": lambda x: x[:1],
    "scalar": lambda x: F32(3),
    "rank 0": lambda x: np.array(3, F32),
    "fortran": lambda x: np.asfortranarray(np.arange(6, dtype=F32).reshape(2, 3)),
    "read-only": lambda x: np.broadcast_to(F32(1), (2, 2)),
    "kept": lambda x: KEPT,
    "list": lambda x: [x, x],
    "tuple": lambda x: (x * 2, KEPT),
    "one in a list": lambda x: [x],
    "dict": lambda x: {"b": [x], "a": F32(2)},
    "deeper": lambda x: {"a": F32(1), "b": (x,)},
    "wrong type": lambda x: np.float64(1),
    "bytes": lambda x: b"raw",
    "text": lambda x: "text",
    "none": lambda x: None,
    "nothing": lambda x: [],
    "big endian": lambda x: np.ones(2, ">f4"),
    "raises": lambda x: x["key"],
}
TOUTS: dict[str, Any] = {
    "float32": tf.float32,
    "[2]": tf.TensorSpec([2], tf.float32),
    "[None]": tf.TensorSpec([None], tf.float32),
    "[None, 3]": tf.TensorSpec([None, 3], tf.float32),
    "[]": tf.TensorSpec([], tf.float32),
    "one": [tf.float32],
    "two": [tf.float32, tf.float32],
    "none": [],
    "string": tf.string,
    "nest": {"a": tf.float32, "b": [tf.float32]},
}


def outcome(run: Any) -> Any:
    try:
        return [(v.dtype, v.shape, np.asarray(v).tolist(), np.shares_memory(v, KEPT)) for v in run()]
    except Exception as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("tout", TOUTS.values(), ids=TOUTS)
@pytest.mark.parametrize("function", RESULTS.values(), ids=RESULTS)
def test_what_is_written_means_what_the_parts_do(function: Any, tout: Any, copy: bool) -> None:
    call = call_of(function, tout, copy=copy)
    written = codegen.function(call.host, call.declared, call, 1)

    def parts() -> Any:
        args, kwargs = call.prepare([F32([1, 2])])
        box = [call.run(function, args, kwargs)]
        del args
        return call.accept(box)

    assert outcome(lambda: written([F32([1, 2])])) == outcome(parts)


@pytest.mark.parametrize("tout", [tf.float32, [tf.float32] * 2, {"a": tf.float32}, tf.TensorSpec([2], tf.float32)])
@pytest.mark.parametrize("result", [
    lambda x: x, lambda x: (x, x + 1.0), lambda x: {"a": x}, lambda x: 2.0, lambda x: tf.cast(x, tf.int32),
    lambda x: x[0],
])  # fmt: skip
def test_the_same_for_a_function_of_tensors(result: Any, tout: Any) -> None:
    call = call_of(result, tout, Mode.EAGER)
    written = codegen.function(call.host, call.declared, call, 1)

    def values(run: Any) -> Any:
        return lambda: [t.numpy() for t in run()]

    x = tensor([1.0, 2.0])
    assert outcome(values(lambda: written([x]))) == outcome(values(lambda: call.accept([result(x)])))


def test_a_call_that_comes_again_runs_what_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    call = call_of(scaled, tf.float32)
    for _ in range(3):
        assert call([F32([1])])[0].tolist() == [1]
    monkeypatch.setattr(HostCall, "accept", None)
    assert call([F32([2])])[0].tolist() == [2]


def test_a_written_call_takes_keywords_that_are_no_names_and_containers_of_any_kind() -> None:
    from collections import OrderedDict, namedtuple

    Pair = namedtuple("Pair", "one two")
    seen: dict[str, Any] = {}

    def function(*args: Any, **kwargs: Any) -> Any:
        seen.update(kwargs)
        return F32(0)

    kwargs = {"two words": F32(1), "class": F32(2), "pair": Pair(F32(3), "x"), "order": OrderedDict(b=F32(4), a=1)}
    call = call_of(function, tf.float32, inputs=[], kwargs=kwargs)
    assert codegen.function(call.host, call.declared, call, 4)([F32(10), F32(20), F32(30), F32(40)]) == [0]
    assert seen == {"two words": 10, "class": 20, "pair": Pair(30, "x"), "order": OrderedDict(b=40, a=1)}
    assert list(seen["order"]) == ["b", "a"]
