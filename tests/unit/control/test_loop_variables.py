"""A loop statement and its variables: what enters, what a turn leaves, what they are after the loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import inlay as tf
from inlay._src.programs.control.loop_variables import Carried, Entering, LoopIteration, entering
from inlay._src.programs.control.variables import Undefined, Variables


@dataclass
class Settings:
    rate: float


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


class Scope:
    """The variables of a program."""

    def __init__(self, **values: Any) -> None:
        self.values = values
        self.variables = Variables(tuple(values), lambda: tuple(self.values.values()), self.write)

    def write(self, values: Any) -> None:
        self.values = dict(zip(self.values, values, strict=True))

    def entry(self, turn: Any = lambda counter: None, invariants: Any = (), target: Any = None) -> Entering:
        return entering(self.variables, self.variables.read(), invariants, target, (), turn)


def test_tensors_numbers_and_nests_of_them_are_carried_and_nothing_else():
    settings = Settings(0.5)
    before = (tf.constant([1.0]), 2, {"b": 3.0, "a": "text"}, "text", settings, object)
    carried = Carried("xndtso", Entering(before, list(before), {}))
    assert [(v.label, v.dims) for v in carried.variables] == [("x", (1,)), ("n", ()), ("d", ())]
    x, n, d, text, same, kind = carried.filled(["X", "N", "B"])
    assert (x, n, d) == ("X", "N", {"b": "B", "a": "text"})
    assert (text, kind) == ("text", object) and same is settings


def test_composites_are_carried_by_their_components_whose_sizes_may_change():
    ragged = tf.ragged.constant([[1], [2, 3]])
    carried = Carried(["r"], Entering((ragged,), [ragged], {}))
    assert [v.dims for v in carried.variables] == [(None,), (None,)]


def test_a_stated_shape_holds_in_every_turn():
    scope = Scope(x=tf.constant([1.0]))
    x = scope.values["x"]
    entry = scope.entry(invariants=[(x, tf.TensorShape([None]))])
    assert [v.dims for v in Carried(["x"], entry).variables] == [(None,)]
    with pytest.raises(ValueError, match="is not a variable that this loop changes"):
        scope.entry(invariants=[(tf.constant(1.0), None)])


def test_what_has_no_value_is_found_by_trying_and_gets_a_stand_in(graph):
    scope = Scope(x=tf.constant(1.0), found=Undefined("found"))

    def turn(counter: Any) -> None:
        scope.write((scope.values["x"], tf.zeros([2], tf.int32)))

    before = len(graph.nodes)
    entry = scope.entry(turn)
    assert entry.values[1].dtype is tf.int32 and entry.stated[1].as_list() == [2]
    assert isinstance(scope.values["found"], Undefined)  # the try left no trace in the program
    assert all("zeros" not in n.name for n in graph.nodes[before:])


def test_the_target_of_a_for_needs_no_try():
    scope = Scope(item=Undefined("item"))
    entry = scope.entry(turn=pytest.fail, target=("item", (tf.float32, (2,))))
    assert entry.values[0].shape.as_list() == [2] and entry.values[0].dtype is tf.float32


def turned(before: tuple[Any, ...], after: Any) -> LoopIteration:
    carried = Carried([f"v{i}" for i in range(len(before))], Entering(before, list(before), {}))
    given = carried.filled([v.tensor for v in carried.variables])
    return LoopIteration(carried, given, after(given))


def test_a_turn_leaves_the_carried_tensors():
    turn = turned((1.0, "text", [2]), lambda given: (given[0] + 1.0, "text", [5]))
    first, second = turn.tensors()
    assert first.dtype is tf.float32 and second.op.constant_value() == 5


@pytest.mark.parametrize(
    ("before", "after", "error", "says"),
    [
        ((1.0,), lambda given: (None,), ValueError, "'v0' is None or undefined at the end of the iteration"),
        (([1],), lambda given: ([1, 2],), TypeError, "'v0' does not have the same nested structure"),
        (("a",), lambda given: ("b",), TypeError, "'v0' is 'a' before the loop, but 'b' after one iteration"),
        ((1.0,), lambda given: (object(),), TypeError, "'v0' is a tensor before the loop, but <object"),
    ],
)
def test_what_a_turn_may_not_do(before, after, error, says):
    with pytest.raises(error, match=says):
        turned(before, after).tensors()


def test_what_no_turn_changes_is_afterwards_what_it_was():
    held, numbers = object(), [1, 2]
    turn = turned((held, numbers, 3.0), lambda given: (held, given[1], given[2] + 1.0))
    same, list_, changed = turn.final(["one", "two", "three"])
    assert same is held and list_ is numbers and changed == "three"
