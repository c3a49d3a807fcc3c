"""Restoring: all or nothing, later objects, graphs, and what a status says of it."""

from __future__ import annotations

import copy
import gc
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inlay as tf
from inlay._src.training import npz_checkpoint

v1 = tf.compat.v1
TREE = st.recursive(
    st.floats(-10, 10, width=32).map(float),
    lambda part: st.one_of(
        st.lists(part, min_size=1, max_size=3),
        st.dictionaries(st.text("ab./", min_size=1, max_size=2), part, min_size=1),
    ),
    max_leaves=6,
)


def variables(tree: Any, value: Any) -> Any:
    return tf.nest.map_structure(lambda leaf: tf.Variable(value(leaf)), tree)


@given(TREE)
def test_any_tree_comes_back(tmp_path_factory: Any, tree: Any) -> None:
    prefix = tmp_path_factory.mktemp("tree") / "c"
    saved = {"root": variables([tree], lambda leaf: leaf)}
    path = tf.train.Checkpoint(**saved).write(prefix)
    live = {"root": variables([tree], lambda leaf: 0.0)}
    tf.train.Checkpoint(**live).read(path).assert_consumed().assert_existing_objects_matched()
    assert [v.numpy() for v in tf.nest.flatten(live)] == [np.float32(x) for x in tf.nest.flatten(tree)]


def test_a_value_that_does_not_fit_leaves_every_variable_alone(tmp_path: Any) -> None:
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable([1.0, 2.0]), c=tf.Variable(3.0)).write(tmp_path / "c")
    a, b, c = tf.Variable(-1.0), tf.Variable([-1.0]), tf.Variable(-1.0)
    with pytest.raises(
        ValueError, match=r"shape \(2,\) when attempting to restore variable with shape \(1,\)"
    ) as caught:
        tf.train.Checkpoint(a=a, b=b, c=c).read(path)
    assert isinstance(caught.value, tf.errors.InvalidArgumentError)
    assert [v.numpy().tolist() for v in (a, b, c)] == [-1, [-1], -1]


def test_a_restored_variable_can_be_written_and_saved_again(tmp_path: Any) -> None:
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(tmp_path / "one")
    v = tf.Variable([0.0, 0.0])
    checkpoint = tf.train.Checkpoint(v=v)
    checkpoint.read(path)
    v.assign_add([10.0, 10.0])
    v.scatter_nd_update([[0]], [5.0])
    second = checkpoint.write(tmp_path / "two")
    assert tf.train.load_variable(second, "v/.ATTRIBUTES/VARIABLE_VALUE").tolist() == [5, 12]
    assert tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE").tolist() == [1, 2]


@pytest.mark.parametrize("late", ["attribute", "in a module", "never"])
def test_objects_that_appear_later_get_their_values_then(late: str, tmp_path: Any) -> None:
    def module(value: float) -> Any:
        made = tf.Module()
        made.w = tf.Variable(value)  # type: ignore[attr-defined]
        return made

    path = tf.train.Checkpoint(a=tf.Variable(1.0), part=module(2.0)).write(tmp_path / "c")
    checkpoint = tf.train.Checkpoint(a=tf.Variable(0.0))
    status = checkpoint.read(path)
    with pytest.raises(AssertionError, match="part/w"):
        status.assert_consumed()
    if late == "never":
        status.assert_existing_objects_matched().expect_partial()
        return
    part = module(0.0)
    if late == "attribute":
        checkpoint.part = part
        assert part.w.numpy() == 2.0
        status.assert_consumed()
    else:
        holder = tf.Module()
        holder.w = tf.Variable(0.0)  # type: ignore[attr-defined]
        checkpoint.part = holder
        assert holder.w.numpy() == 2.0  # type: ignore[attr-defined]


def test_what_a_status_says_in_words(tmp_path: Any) -> None:
    path = tf.train.Checkpoint(a=tf.Variable(1.0), gone=tf.Variable(2.0)).write(tmp_path / "c")
    status = tf.train.Checkpoint(a=tf.Variable(0.0), new=tf.Variable(0.0)).read(path)
    with pytest.raises(AssertionError, match="no live object takes gone/.ATTRIBUTES/VARIABLE_VALUE"):
        status.assert_consumed()
    with pytest.raises(AssertionError, match=r"/c: new \(inlay explain"):
        status.assert_existing_objects_matched()
    assert status.assert_nontrivial_match() is status
    nothing = tf.train.Checkpoint(other=tf.Variable(0.0)).read(path)
    with pytest.raises(AssertionError, match="Nothing except the root object matched"):
        nothing.assert_nontrivial_match()


def test_a_checkpoint_without_values_matches_what_has_none(tmp_path: Any) -> None:
    path = tf.train.Checkpoint(a=[]).save(tmp_path / "c")
    status = tf.train.Checkpoint(b=[]).restore(path).assert_consumed()
    assert status.assert_nontrivial_match() is status
    with pytest.raises(AssertionError, match="Nothing except the root object matched"):
        tf.train.Checkpoint(w=tf.Variable(0.0)).restore(path).assert_nontrivial_match()


def test_restoring_nothing_has_a_status_too() -> None:
    status = tf.train.Checkpoint(v=tf.Variable(1.0)).restore(None)
    for check in (status.assert_consumed, status.assert_existing_objects_matched, status.assert_nontrivial_match):
        with pytest.raises(AssertionError):
            check()
    status.expect_partial()
    status.run_restore_ops()


def test_a_graph_restores_in_the_session_it_is_told(tmp_path: Any) -> None:
    path = tf.train.Checkpoint(v=tf.Variable(5.0)).write(tmp_path / "c")
    with tf.Graph().as_default():
        v, fresh = v1.get_variable("v", initializer=0.0), v1.get_variable("fresh", initializer=7.0)
        status = tf.train.Checkpoint(v=v, fresh=fresh).read(path)
        with v1.Session() as one, v1.Session() as two:
            status.initialize_or_restore(one)
            assert one.run([v, fresh]) == [5.0, 7.0]
            with pytest.raises(tf.errors.FailedPreconditionError):
                two.run(v)
            status.run_restore_ops(two)
            assert two.run(v) == 5.0


def test_shared_and_renamed_objects(tmp_path: Any) -> None:
    shared = tf.Variable(4.0)
    path = tf.train.Checkpoint(left=shared, right=shared).write(tmp_path / "c")
    assert len(tf.train.list_variables(path)) == 2  # the value, and the tree of objects
    left, right = tf.Variable(0.0), tf.Variable(0.0)
    tf.train.Checkpoint(left=left, right=right).read(path)
    assert 4.0 in (left.numpy(), right.numpy())
    both = tf.Variable(0.0)
    tf.train.Checkpoint(left=both, right=both).read(path).assert_consumed()
    assert both.numpy() == 4.0


@pytest.mark.parametrize("kind", ["adam", "rms", "adagrad", "momentum"])
def test_training_goes_on_as_if_it_had_not_been_interrupted(kind: str, tmp_path: Any) -> None:
    train = v1.train
    make = {
        "adam": lambda: train.AdamOptimizer(0.1),
        "rms": lambda: train.RMSPropOptimizer(0.1, momentum=0.5, centered=True),
        "adagrad": lambda: train.AdagradOptimizer(0.1),
        "momentum": lambda: train.MomentumOptimizer(0.1, 0.9),
    }[kind]

    def steps(w: Any, optimizer: Any, count: int) -> None:
        for _ in range(count):
            optimizer.minimize(lambda: tf.reduce_sum(tf.square(w - [1.0, -1.0])))

    w, optimizer = tf.Variable([3.0, 2.0]), make()
    steps(w, optimizer, 3)
    path = tf.train.Checkpoint(w=w, optimizer=optimizer).write(tmp_path / "c")
    steps(w, optimizer, 3)
    x, other = tf.Variable([0.0, 0.0]), make()
    status = tf.train.Checkpoint(w=x, optimizer=other).read(path)  # the slots do not exist yet
    steps(x, other, 3)
    status.assert_consumed()
    np.testing.assert_array_equal(w.numpy(), x.numpy())


def test_lists_and_dicts_that_grow_after_a_restore_get_their_values(tmp_path):
    """FINDINGS B: a checkpoint's list that grows after `restore`."""
    saved = tf.train.Checkpoint(items=[tf.Variable(1.0), {"a": [tf.Variable(2.0)]}], named={"b": tf.Variable(3.0)})
    prefix = saved.write(str(tmp_path / "c"))
    other = tf.train.Checkpoint(items=[], named={})
    status = other.restore(prefix)
    other.items.append(tf.Variable(0.0))
    other.items.extend([{"a": [tf.Variable(0.0)]}])
    other.named["b"] = tf.Variable(0.0)
    status.assert_consumed()
    assert [v.numpy() for v in (other.items[0], other.items[1]["a"][0], other.named["b"])] == [1.0, 2.0, 3.0]
    assert isinstance(other.items, list) and isinstance(copy.deepcopy(other.named), dict)


def test_lists_inside_modules_that_grow_after_a_restore(tmp_path):
    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.layers = []

    net = Net()
    net.layers += [tf.Variable(1.0), tf.Variable(2.0)]
    prefix = tf.train.Checkpoint(net=net).write(str(tmp_path / "c"))
    other = Net()
    tf.train.Checkpoint(net=other).restore(prefix)
    other.layers += [tf.Variable(0.0), tf.Variable(0.0)]
    assert [v.numpy() for v in other.layers] == [1.0, 2.0]


def test_random_generators_are_saved(tmp_path):
    """FINDINGS B: `random.Generator` in a checkpoint."""
    generator = tf.random.Generator.from_seed(3)
    generator.normal([5])
    prefix = tf.train.Checkpoint(generator=generator).write(str(tmp_path / "c"))
    expected = generator.normal([4]).numpy()
    other = tf.random.Generator.from_seed(8)
    tf.train.Checkpoint(generator=other).restore(prefix).assert_consumed()
    assert other.normal([4]).numpy().tolist() == expected.tolist()


def test_a_list_set_after_a_restore_gets_the_values_of_its_items(tmp_path: Any) -> None:
    saved = tf.train.Checkpoint(rows=[tf.Variable(1.0), tf.Variable(2.0)], named={"a": tf.Variable(3.0)})
    path = saved.save(tmp_path / "c")
    later = tf.train.Checkpoint()
    later.restore(path)
    later.rows, later.named = [], {}
    later.rows.append(first := tf.Variable(0.0))
    later.named["a"] = named = tf.Variable(0.0)
    assert (first.numpy(), named.numpy()) == (1.0, 3.0)


def test_functions_templates_and_checkpoints_of_ones_own_are_covered(tmp_path: Any) -> None:
    def count() -> Any:
        return v1.get_variable("n", [], initializer=tf.zeros_initializer(), use_resource=True)

    class Mine(tf.train.Checkpoint):
        def __init__(self) -> None:  # does not call the one of its base
            self.step = tf.Variable(1)

    first, second = (v1.make_template("t", count) for _ in range(2))
    first().assign(5.0)
    path = tf.train.Checkpoint(template=first, function=tf.function(count), mine=Mine()).save(tmp_path / "c")
    assert second().numpy() == 0.0
    mine = Mine()
    mine.step.assign(9)
    tf.train.Checkpoint(template=second, function=tf.function(count), mine=mine).restore(path).assert_consumed()
    assert second().numpy() == 5.0 and mine.step.numpy() == 1


def test_a_prefix_may_be_a_folder(tmp_path: Any) -> None:
    value = tf.Variable(3.0)
    saved = tf.train.Checkpoint(value=value)
    assert saved.save(f"{tmp_path}/deep/") == f"{tmp_path}/deep/-1"
    value.assign(5.0)
    saved.restore(tf.train.latest_checkpoint(f"{tmp_path}/deep/")).assert_consumed()
    assert value.numpy() == 3.0


def test_a_partly_restored_object_is_freed_with_its_last_reference(tmp_path: Any) -> None:
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).write(tmp_path / "c")
    live = tf.train.Checkpoint(a=tf.Variable(0.0))
    references = [weakref.ref(live), weakref.ref(live.a)]
    gc.collect()
    gc.disable()
    try:
        live.read(path).expect_partial()
        assert live.a.numpy() == 1.0
        del live
        assert [reference() for reference in references] == [None, None]
    finally:
        gc.enable()


def test_dicts_in_dicts_get_their_items_later(tmp_path: Any) -> None:
    """A dict that lacks items is replaced in its parent, which lacks some too and has keys that are no text."""
    saved = {1: {"a": tf.Variable(1.0), "b": tf.Variable(2.0)}, "more": tf.Variable(3.0)}
    path = tf.train.Checkpoint(d=saved).write(tmp_path / "c")
    live: Any = tf.train.Checkpoint(d={1: {"a": tf.Variable(0.0)}})
    live.read(path)
    assert list(live.d) == [1] and live.d[1]["a"].numpy() == 1.0
    live.d[1]["b"] = tf.Variable(0.0)
    live.d["more"] = tf.Variable(0.0)
    assert (live.d[1]["b"].numpy(), live.d["more"].numpy()) == (2.0, 3.0)


def test_an_object_gets_the_values_of_the_first_saved_one_that_it_matches(tmp_path: Any) -> None:
    """Two saved objects, of which the second is of another type, are one live object: as in TensorFlow."""
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable([2, 3])).write(tmp_path / "c")
    both = tf.Variable(0.0)
    tf.train.Checkpoint(a=both, b=both).read(path).assert_consumed()
    assert both.numpy() == 1.0


def test_checkpoints_of_earlier_versions_are_read(tmp_path: Any) -> None:
    """An `.npz` file: a variable, the state of a generator as bytes, that of a `PythonState` behind a letter."""

    class State(tf.train.experimental.PythonState):
        def serialize(self) -> bytes:
            return self.value

        def deserialize(self, string_value: bytes) -> None:
            self.value = string_value

    end = "/.ATTRIBUTES/PYTHON_STATE"
    generator = tf.random.Generator.from_seed(5)
    generator.normal([3])
    states = {"g": generator.state.numpy().astype("<i8").tobytes(), "p": b"tseven"}
    nodes = [
        {"children": {"v": 1, "g": 2, "p": 3}},
        {"children": {}, "value": "v/.ATTRIBUTES/VARIABLE_VALUE", "name": "v"},
        {"children": {}, "state": "g" + end},
        {"children": {}, "state": "p" + end},
    ]
    values: dict[str, Any] = {name + end: (np.array(state, object), tf.string) for name, state in states.items()}
    values["v/.ATTRIBUTES/VARIABLE_VALUE"] = np.float32([1, 2]), tf.float32
    npz_checkpoint.write(str(tmp_path / "c"), values, {"objects": nodes})
    v, g, p = tf.Variable([0.0, 0.0]), tf.random.Generator.from_seed(1), State()
    checkpoint = tf.train.Checkpoint(v=v, g=g, p=p)
    checkpoint.read(tmp_path / "c").assert_consumed()
    assert v.numpy().tolist() == [1, 2] and p.value == b"seven"
    assert g.state.numpy().tolist() == generator.state.numpy().tolist()
    assert tf.train.checkpoint_exists(tmp_path / "c")
    checkpoint.write(tmp_path / "c")
    assert not (tmp_path / "c.npz").exists() and tf.train.list_variables(tmp_path / "c")
