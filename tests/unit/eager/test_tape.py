"""What tapes record: which applications, under which numbers, and when two recordings have one structure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core import context
from inlay._src.core.eager.record import Record
from inlay._src.core.eager.tape import Recording, Tape, distinct, note_read, record_execution, record_operation
from inlay._src.core.opdef import OPS

tf.Graph  # noqa: B018  (declares the ops)


def recorded(body: Callable[..., Any], *watched: Any, trainable: bool = False) -> tuple[Tape, Any]:
    """A tape that follows `watched` while `body` runs on them, and what it returned."""
    tape = Tape(watched, trainable)
    with context.using(context.State(tapes=(tape,))):
        result = body(*watched)
    return tape, result


def structures(tape: Tape) -> list[Any]:
    return [record.structure for record in tape.records]


def test_only_applications_that_depend_on_what_is_watched_are_kept_in_order() -> None:
    x, w = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])

    def body(x: Any) -> Any:
        aside = w * w  # nobody follows it
        return tf.sin(x * aside) + 1.0

    tape, y = recorded(body, x)
    assert [r.type for r in tape.records] == ["Mul", "Sin", "AddV2"]
    assert tape.records[-1].outputs == (y,)
    assert tape.follows([w, y]) and not tape.follows([w])


def test_leaves_count_down_and_records_count_up() -> None:
    a, b = tf.constant(1.0), tf.constant(2.0)
    tape, (y, parts) = recorded(lambda a, b: (a * b, tf.unstack(tf.stack([a, b]), num=2)), a, b)
    assert tape.leaves == [(-1, a), (-2, b)]
    number = tape.watched
    assert number[id(a)] == -1 and number[id(b)] == -2 and number[id(y)] == 2
    assert [number[id(p)] for p in parts] == [4, (4, 1)]  # an output beyond the first has its place beside the number


def test_a_tensor_that_is_watched_twice_keeps_its_number() -> None:
    x = tf.constant(1.0)
    tape = Tape([x])
    tape.watch(x)
    assert tape.leaves == [(-1, x)] and tape.watched == {id(x): -1}


def test_results_that_no_cotangent_can_come_back_from_are_not_followed() -> None:
    x = tf.constant([1.0, 2.0])
    tape, (flags, whole, n) = recorded(lambda x: (x > 1.5, tf.cast(x, tf.int32), tf.shape(x)), x)
    assert [id(t) in tape.watched for t in (flags, whole, n)] == [False] * 3
    tape, _ = recorded(lambda x: tf.where(x > 0, x, 0.0), x)
    assert [r.type for r in tape.records] == ["SelectV2"]


@pytest.mark.parametrize(
    "body",
    [
        lambda x: x * x,
        lambda x: tf.reduce_sum(x, axis=0),
        lambda x: tf.reduce_sum(x, axis=[0], keepdims=True),
        lambda x: tf.reshape(x, [2, 1]),
        lambda x: tf.stack([x, x * 2.0])[0],
        lambda x: tf.py_function(lambda a: a * 2.0, [x], tf.float32),
        lambda x: x * tf.constant([5.0, 6.0]),
    ],
)
def test_recordings_of_one_program_have_one_structure_whatever_the_values_and_sizes(body: Callable[[Any], Any]) -> None:
    body(tf.constant([1.0, 2.0]))  # the first call of an op goes another way
    one, _ = recorded(body, tf.constant([1.0, 2.0]))
    two, _ = recorded(body, tf.constant([3.0, 4.0]))
    assert structures(one) == structures(two) and None not in structures(one)


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "x * x": lambda x: x * x,
    "x * w": lambda x: x * tf.constant([2.0, 3.0]),
    "w * x": lambda x: tf.constant([2.0, 3.0]) * x,
    "x * scalar": lambda x: x * tf.constant(2.0),
    "x + x": lambda x: x + x,
    "sum 0": lambda x: tf.reduce_sum(x, axis=0),
    "sum -1": lambda x: tf.reduce_sum(x, axis=-1),
    "sum kept": lambda x: tf.reduce_sum(x, axis=0, keepdims=True),
    "clip 0.0": lambda x: tf.nn.leaky_relu(x, alpha=0.0),
    "clip -0.0": lambda x: tf.nn.leaky_relu(x, alpha=-0.0),
}


def test_another_program_has_another_structure() -> None:
    for body in PROGRAMS.values():
        body(tf.constant([1.0, 2.0]))
    found = {name: tuple(structures(recorded(body, tf.constant([1.0, 2.0]))[0])) for name, body in PROGRAMS.items()}
    assert len(set(found.values())) == len(PROGRAMS)
    wide, _ = recorded(PROGRAMS["x * w"], tf.constant([[1.0, 2.0]]))
    assert tuple(structures(wide)) == found["x * w"]  # the rank of a leaf is in the key of a pullback, with the leaf
    double, _ = recorded(lambda x: x * tf.constant([2.0, 3.0], tf.float64), tf.constant([1.0, 2.0], tf.float64))
    assert tuple(structures(double)) != found["x * w"]


def test_what_depends_on_more_than_structure_has_none() -> None:
    @tf.custom_gradient
    def closure(x: Any) -> Any:
        return x * 2.0, lambda dy: dy

    x = tf.constant([1.0, 2.0])
    assert structures(recorded(closure, x)[0]) == [None]
    large = np.zeros(1000, np.int32)
    tape, _ = recorded(lambda x: tf.gather(x, large), x)
    gathers = [r for r in tape.records if r.type.startswith("Gather")]
    assert gathers
    tape = Tape([x])
    record_operation(OPS["Sum"], (x, large), (tf.constant(1.0),), {"keep_dims": False}, context.State(tapes=(tape,)))
    record_operation(OPS["Sum"], (x, None), (tf.constant(1.0),), {"keep_dims": object()}, context.State(tapes=(tape,)))
    assert structures(tape) == [None, None]
    state = context.State(tapes=(tape,), overrides=(("Sin", "Whatever"),))
    with context.using(state):
        tf.sin(x)
    assert tape.records[-1].override == "Whatever" and tape.records[-1].structure is None


def test_the_short_way_records_what_the_long_way_records() -> None:
    """`record_simple` is what the public functions call; `record` is what the funnel calls."""
    x, w = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    state = context.State(host="f")
    for name, inputs, attrs in [
        ("Mul", (x, x), {}), ("Mul", (x, w), {}), ("Mul", (w, x), {}), ("Mul", (w, w), {}), ("Sin", (x,), {}),
        ("Sum", (x, None), {"keep_dims": True}), ("SelectV2", (w, x, x), {}), ("Less", (x, w), {}),
    ]:  # fmt: skip
        out = tf.constant([True, False]) if name == "Less" else tf.constant([0.0, 0.0])
        short, long = Tape([x]), Tape([x])
        short.record_simple(OPS[name], inputs, out, attrs, state)
        long.record(OPS[name], inputs, (out,), attrs, state)
        if name == "Less":  # the short way does not keep what no cotangent can come back from
            assert not short.records and len(long.records) == 1
            continue
        assert [(r.opdef, r.inputs, r.outputs, r.attrs, r.body) for r in short.records] == [
            (r.opdef, r.inputs, r.outputs, r.attrs, r.body) for r in long.records
        ]
        assert short.watched == long.watched
        assert [r.structure is None for r in short.records] == [r.structure is None for r in long.records]


def test_attributes_and_static_inputs_are_the_records_own() -> None:
    x, axes = tf.constant([[1.0, 2.0]]), [0, 1]
    for through in (lambda tape, state: tape.record(OPS["Sum"], (x, axes), (x,), {"a": axes}, state),
                    lambda tape, state: tape.record_simple(OPS["Sum"], (x, None), x, {"a": axes}, state)):  # fmt: skip
        axes[:] = [0, 1]
        tape = Tape([x])
        through(tape, context.State())
        axes.reverse()
        (record,) = tape.records
        assert record.attrs == {"a": [0, 1]} and record.inputs[1] in (None, [0, 1])


def test_several_tapes_record_for_themselves() -> None:
    x, y = tf.constant(1.0), tf.constant(2.0)
    of_x, of_y, of_none = Tape([x]), Tape([y]), Tape()
    with context.using(context.State(tapes=(of_x, of_y, of_none))):
        tf.sin(x)
        x * y
    assert [[r.type for r in t.records] for t in (of_x, of_y, of_none)] == [["Sin", "Mul"], ["Mul"], []]


def test_trainable_variables_are_watched_when_they_are_read_and_asked_for() -> None:
    v, fixed = tf.Variable(1.0), tf.Variable(1.0, trainable=False)
    tape, y = recorded(lambda: v * fixed, trainable=True)
    assert tape.handles == [tape_handle(v)]
    assert [r.type for r in tape.records] == ["ReadVariableOp", "Mul"] and id(y) in tape.watched
    tape, _ = recorded(lambda: v * fixed)
    assert not tape.records and not tape.handles
    eager = Tape(trainable=True)
    note_read(tape_handle(v), context.State(tapes=(eager, Tape())))
    note_read(tape_handle(fixed), context.State(tapes=(eager,)))
    assert eager.handles == [tape_handle(v)]


def tape_handle(variable: Any) -> Any:
    """The tensor that stands for a variable."""
    return variable.__inlay_gradient_source__()


def test_a_tape_in_a_graph_follows_what_nodes_make() -> None:
    with tf.Graph().as_default():
        x, w = tf.compat.v1.placeholder(tf.float32), tf.compat.v1.placeholder(tf.float32)
        tape, (y, aside, whole) = recorded_in_graph(lambda: (x * w, w * w, tf.cast(x, tf.int32)), x)
        assert tape.follows([y]) and not tape.follows([aside]) and not tape.follows([whole])
    assert not tape.records  # the graph has the nodes


def recorded_in_graph(body: Callable[[], Any], *watched: Any) -> tuple[Tape, Any]:
    tape = Tape(watched)
    with context.using(context.current().with_tapes((tape,))):
        return tape, body()


def test_a_tape_that_forgot_knows_its_variables_only() -> None:
    v = tf.Variable(1.0)
    tape, _ = recorded(lambda: v * 2.0, trainable=True)
    tape.forget()
    assert (tape.records, tape.watched, tape.leaves) == ([], {}, []) and tape.handles == [tape_handle(v)]


def test_copies_go_on_by_themselves_and_alike() -> None:
    x = tf.constant(2.0)
    tape, y = recorded(lambda x: tf.unstack(tf.stack([x, x]), num=2)[1] * x, x)
    one, two = tape.copy(), tape.copy()
    for made in (one, two):
        with context.using(context.State(tapes=(made,))):
            tf.sin(y)
    assert len(tape.records) + 1 == len(one.records) == len(two.records)
    assert structures(one) == structures(two)
    assert len(set(map(repr, one.watched.values()))) == len(one.watched)  # no number is given twice


def test_an_input_that_comes_again_is_told_from_the_first() -> None:
    x, y, n = tf.constant(1.0), tf.constant(2.0), tf.constant(3)
    assert distinct([x, y]) == [x, y]
    assert distinct([x]) == [x]
    made = distinct([x, y, x, n, n])
    assert [m is t for m, t in zip(made, [x, y, x, n, n], strict=True)] == [True, True, False, True, True]
    assert made[2].numpy() == 1.0
    outer = Tape([x])
    with context.using(context.State(tapes=(outer,))):
        apart = distinct([x, x])
    assert outer.follows([apart[1]])  # an outer tape goes through the identity


def test_a_recording_finds_what_stands_for_a_primal() -> None:
    v, unread = tf.Variable(2.0), tf.Variable(3.0)
    x = tf.constant(1.0)
    tape, y = recorded(lambda x: x * v, x, trainable=True)
    recording = Recording("f", tape, (x,), (y,))
    assert recording.source(0, tf.constant(9.0)) is x
    assert recording.source(1, tape_handle(v)) is tape.handles[0]
    other = recording.source(1, tape_handle(unread))
    assert other._value is tape_handle(unread)._value and other is not tape_handle(unread)


def test_a_record_looks_like_a_node_to_gradient_rules() -> None:
    x = tf.constant([1.0, 2.0])
    record = Record(OPS["Sum"], (x, 0), (x,), {"keep_dims": False}, None, "f")
    assert (record.name, record.type, record.body, record.host, record.site) == ("Sum", "Sum", "f", None, None)
    assert record.get_attr("keep_dims") is False
    with pytest.raises(KeyError):
        record.get_attr("no such")


def test_an_execution_is_recorded_by_a_tape_of_its_own_and_by_those_in_force() -> None:
    x, v, outer = tf.constant(2.0), tf.Variable(3.0), Tape()
    outer.watch(x)
    states: list[Any] = []

    def within(tapes: tuple[Any, ...]) -> context.State:
        states.append(context.State(tapes=tapes, host="f"))
        return states[-1]

    def run(tensors: Any) -> list[Any]:
        assert context.current() is states[-1]
        return [tensors[0] * tensors[1] * v]

    with context.using(context.State(tapes=(outer,))) as state:
        (y,), recording = record_execution("f", run, [x, x], within)
        assert context.current() is state
    assert states[-1].tapes == (outer, recording.tape)
    assert recording.label == "f" and recording.outputs == (y,) and recording.inputs[0] is x
    assert recording.inputs[1] is not x and outer.follows([y])
    assert [r.body for r in recording.tape.records] == ["f"] * 3
    assert [h._value for h in recording.tape.handles] == [tape_handle(v)._value]


def test_what_an_execution_raises_leaves_the_state_as_it_was() -> None:
    def run(tensors: Any) -> list[Any]:
        raise ZeroDivisionError

    before = context.current()
    with pytest.raises(ZeroDivisionError):
        record_execution("f", run, [tf.constant(1.0)], before.with_tapes)
    assert context.current() is before
