"""Host calls as steps of plans: every form is written out, and means what the unwritten one does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.host.call import HostCall
from inlay._src.host.steps import ArrayStep, OnDevice, RecordedStep, TensorStep, bound
from tests.unit.host.test_call import call_of

F32 = np.float32
NUMPY, EAGER = tf.numpy_function, tf.py_function
f32 = tf.float32


def one(a: Any) -> Any:
    return a + F32(1)


def two(a: Any) -> Any:
    return a + F32(1), a * F32(2)


def nested(a: Any) -> Any:
    return {"sum": a + F32(1), "more": (a, [a * F32(2)])}


def named(a: Any, k: Any, by: Any) -> Any:
    return a * F32(k) + by["t"]


FORMS: dict[str, Callable[..., Any]] = {
    "plain": lambda f, x: f(one, [x], f32),
    "two inputs": lambda f, x: f(lambda a, b: a + b, [x, x], f32),
    "two outputs": lambda f, x: f(two, [x], [f32, f32]),
    "one of two": lambda f, x: f(two, [x], [f32, f32])[1],
    "one in a list": lambda f, x: f(one, [x], [f32]),
    "spec": lambda f, x: f(one, [x], tf.TensorSpec([2], f32)),
    "partial shape": lambda f, x: f(two, [x], [f32, f32], output_shapes=[[None], [2]]),
    "shape rule": lambda f, x: f(one, [x], f32, output_shapes=lambda s: s),
    "nest": lambda f, x: f(nested, [x], {"sum": f32, "more": (f32, [f32])}),
    "keywords": lambda f, x: f(named, [x], f32, kwargs={"k": 3, "by": {"t": x, "n": [1]}}),
    "string": lambda f, x: f(lambda a: b"text" if f is NUMPY else tf.constant("text"), [x], tf.string),
    "chain": lambda f, x: f(two, f(two, [f(one, [x], f32)], [f32, f32])[:1], [f32, f32]),
    "nothing": lambda f, x: [x, *([] if f(lambda a: None, [x], []) is None else [])],
}
CASES = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
BOTH = pytest.mark.parametrize("f", [NUMPY, EAGER])
RUNS = 6  # until a plan is generated


def lists(result: Any) -> Any:
    return tf.nest.map_structure(lambda v: np.asarray(v.numpy() if hasattr(v, "numpy") else v).tolist(), result)


def in_session(form: Any, f: Any) -> Callable[[], Any]:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(f32, [None])
        fetch = form(f, x)
    session = tf.compat.v1.Session(graph=graph)
    return lambda: session.run(fetch, {x: F32([1, 2])})


def in_function(form: Any, f: Any) -> Callable[[], Any]:
    traced, x = tf.function(lambda a: form(f, a), autograph=False), tf.constant([1.0, 2.0])
    return lambda: traced(x)


@CASES
@BOTH
@pytest.mark.parametrize("where", [in_session, in_function])
def test_every_form_is_written_out(where: Any, f: Any, form: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run = where(form, f)
    first = lists(run())  # by the reference interpreter
    for _ in range(RUNS):
        run()
    monkeypatch.setattr(HostCall, "__call__", None)
    assert lists(run()) == first


def test_a_last_reader_gets_the_array_itself_and_others_a_copy() -> None:
    addresses: list[list[int]] = [[], [], []]

    def note(k: int) -> Any:
        def function(a: Any) -> Any:
            addresses[k].append(a.ctypes.data)
            a += F32(1)
            return a, a + F32(1)

        return function

    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(f32, [None])
        a, b = NUMPY(note(0), [x], [f32, f32])
        c, d = NUMPY(note(1), [a], [f32, f32])
        e, g = NUMPY(note(2), [c], [f32, f32])
    session, fed = tf.compat.v1.Session(graph=graph), np.zeros(1000, F32)
    for _ in range(RUNS):
        got = session.run([b, d, e, g], {x: fed})
        assert [v[0] for v in got] == [2, 3, 3, 4]
    assert addresses[0][-1] == addresses[1][-1] == addresses[2][-1]
    assert not fed.any()
    for _ in range(RUNS):  # `a` has two readers now, and is fetched
        got = session.run([a, c, e], {x: fed})
        assert [v[0] for v in got] == [1, 2, 3]


@BOTH
def test_results_that_do_not_fit_are_refused_in_a_written_plan(f: Any) -> None:
    answers: list[Any] = []
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(f32, [None])
        y = f(lambda a: answers[-1], [x], [f32, f32], name="call")
    session, good, x1 = tf.compat.v1.Session(graph=graph), F32([1]), F32([1, 2])
    answers.append((good, good))
    for _ in range(RUNS):
        session.run(y, {x: x1})
    for answer, says in [((good,), "returns 1 values"), ((good, {1}), "call"), (None, "returns 0 values")]:
        answers.append(answer)
        with pytest.raises(tf.errors.OpError, match=says) as caught:
            session.run(y, {x: x1})
        assert "inputs: float32" in str(caught.value) and "{{node call}}" in str(caught.value)
    answers.append([good, good * 2])
    assert [v.tolist() for v in session.run(y, {x: x1})] == [[1], [2]]
    assert good.tolist() == [1]


def test_views_pass_through_a_written_plan_and_cannot_be_written_into() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(f32, [None])
        a, b = NUMPY(lambda v: (v, v[:1]), [x], [f32, f32], copy=False)
        y = NUMPY(lambda v, w: v * w, [a, b], f32)
    session, fed = tf.compat.v1.Session(graph=graph), F32([2, 3])
    for _ in range(RUNS):
        assert session.run(y, {x: fed}).tolist() == [4, 6]
        got = session.run([a, b], {x: fed})
        got[0][:] = 9
        got[1][:] = 9
    assert fed.tolist() == [2, 3]


def test_what_steps_are_bound_to() -> None:
    arrays, tensors = call_of(one, f32), call_of(one, f32, tf_mode())
    assert isinstance(bound(arrays, False, [f32]), ArrayStep)
    plain, recorded = bound(tensors, False, [f32]), bound(tensors, True, [f32])
    assert plain.__class__ is TensorStep and plain.writes_source and not plain.owns_result
    assert recorded.__class__ is RecordedStep and not recorded.writes_source
    assert plain.on_device("/device:GPU:0").__class__ is OnDevice
    assert bound(arrays, False, [f32]).on_device("/device:GPU:0").__class__ is ArrayStep
    value, recording = recorded(F32([1]))
    assert value.tolist() == [2] and recording.label == "f (train.py:3)"
    assert plain(F32([1]))[0].tolist() == [2]


def tf_mode() -> Any:
    from inlay._src.host.record import Mode

    return Mode.EAGER


def test_gradients_of_a_written_recording_go_on() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(f32, [None])
        y = EAGER(lambda a: (a * a, {"k": a}), [x], (f32, {"k": f32}))
        dy = tf.gradients([y[0], y[1]["k"]], x)[0]
    session = tf.compat.v1.Session(graph=graph)
    for _ in range(RUNS):
        assert session.run(dy, {x: F32([1, 2])}).tolist() == [3, 5]
