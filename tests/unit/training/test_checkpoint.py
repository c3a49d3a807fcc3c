"""Checkpoint: what is found, what is restored and when, and what the status says."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1
VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"


class Net(tf.Module):
    def __init__(self, first=0.0):
        super().__init__()
        self.w = tf.Variable([first, first + 1])
        self.layers = [tf.Variable(first + 2), {"b": tf.Variable(first + 3)}]
        self.alias = self.w


def numbers(net: Net) -> list:
    return [net.w.numpy().tolist(), net.layers[0].numpy(), net.layers[1]["b"].numpy()]


def files_of(name: str) -> list[str]:
    return [f"{name}.data-00000-of-00001", f"{name}.index"]


def test_round_trip(tmp_path):
    path = tf.train.Checkpoint(net=Net(5.0), step=tf.Variable(7)).save(tmp_path / "deep" / "ckpt")
    assert path == str(tmp_path / "deep" / "ckpt-1")
    assert tf.train.list_variables(path) == [
        ("_CHECKPOINTABLE_OBJECT_GRAPH", []),
        ("net/layers/0" + VALUE, []),
        ("net/layers/1/b" + VALUE, []),
        ("net/w" + VALUE, [2]),
        ("save_counter" + VALUE, []),
        ("step" + VALUE, []),
    ]
    net, step = Net(), tf.Variable(0)
    checkpoint = tf.train.Checkpoint(net=net, step=step)
    checkpoint.restore(path).assert_consumed().assert_existing_objects_matched()
    assert numbers(net) == [[5, 6], 7, 8] and step.numpy() == 7
    assert checkpoint.save_counter.numpy() == 1
    assert checkpoint.save(tmp_path / "deep" / "ckpt").endswith("ckpt-2")


@pytest.mark.parametrize(
    "value",
    [tf.constant([1.5, 2], tf.bfloat16), tf.constant([1 + 2j]), tf.constant([b"a", b"\x00"]), tf.constant(True)],
)
def test_every_type(tmp_path, value):
    v = tf.Variable(value)
    path = tf.train.Checkpoint(v=v).write(tmp_path / "c")
    w = tf.Variable(tf.zeros_like(value))
    tf.train.Checkpoint(v=w).read(path).assert_consumed()
    assert w.dtype is v.dtype and w.numpy().tolist() == v.numpy().tolist()


def test_a_root_object_has_its_attributes_saved(tmp_path):
    path = tf.train.Checkpoint(Net(5.0)).write(tmp_path / "c")
    net = Net()
    tf.train.Checkpoint(root=net).read(path).assert_consumed()
    assert numbers(net) == [[5, 6], 7, 8]


def test_partial_restores(tmp_path):
    path = tf.train.Checkpoint(net=Net(5.0), extra=tf.Variable(1.0)).write(tmp_path / "c")
    part = tf.Module()
    part.w = tf.Variable([0.0, 0.0])
    status = tf.train.Checkpoint(net=part).read(path).expect_partial()
    assert part.w.numpy().tolist() == [5, 6]
    status.assert_existing_objects_matched().assert_nontrivial_match()
    with pytest.raises(AssertionError, match="Unresolved object in checkpoint.*extra.*net/layers/0"):
        status.assert_consumed()


def test_variables_without_a_value_are_named(tmp_path):
    path = tf.train.Checkpoint(a=tf.Variable(1.0)).write(tmp_path / "c")
    status = tf.train.Checkpoint(a=tf.Variable(0.0), new=tf.Variable(0.0)).read(path)
    for check in (status.assert_consumed, status.assert_existing_objects_matched):
        with pytest.raises(AssertionError, match="Object not assigned a value.*: new"):
            check()
    with pytest.raises(AssertionError, match="Nothing except the root"):
        tf.train.Checkpoint(other=tf.Variable(0.0)).read(path).assert_nontrivial_match()


def test_objects_made_later_get_their_values_then(tmp_path):
    path = tf.train.Checkpoint(net=Net(5.0), step=tf.Variable(7)).save(tmp_path / "c")
    net, checkpoint = tf.Module(), tf.train.Checkpoint()
    status = checkpoint.restore(path)
    checkpoint.net = net
    net.layers = [tf.Variable(0.0)]
    net.w = tf.Variable([0.0, 0.0])
    assert (net.w.numpy().tolist(), net.layers[0].numpy()) == ([5, 6], 7)
    with pytest.raises(AssertionError, match="step"):
        status.assert_consumed()
    checkpoint.step = tf.Variable(0)
    assert checkpoint.step.numpy() == 7


def test_slots_and_powers_made_later_get_their_values_then(tmp_path):
    def steps(optimizer, v, count):
        for _ in range(count):
            optimizer.minimize(lambda: tf.reduce_sum(v * v))

    v, optimizer = tf.Variable([1.0, 2.0]), v1.train.AdamOptimizer(0.1)
    steps(optimizer, v, 3)
    path = tf.train.Checkpoint(opt=optimizer, v=v).save(tmp_path / "c")
    steps(optimizer, v, 3)
    w, fresh = tf.Variable([0.0, 0.0]), v1.train.AdamOptimizer(0.1)
    status = tf.train.Checkpoint(opt=fresh, v=w).restore(path)
    steps(fresh, w, 3)
    np.testing.assert_array_equal(v, w)
    status.assert_consumed()


def test_nothing_changes_if_one_value_does_not_fit(tmp_path):
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable([1.0, 2.0, 3.0])).write(tmp_path / "c")
    a, b = tf.Variable(0.0), tf.Variable([0.0, 0.0], name="bee")
    with pytest.raises(
        ValueError, match=r"shape \(3,\).*variable with shape \(2,\) and name bee:0 \(value b/.* of .*/c\)"
    ):
        tf.train.Checkpoint(a=a, b=b).read(path)
    assert a.numpy() == 0.0
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="variable bee:0.*has original dtype float32, expected int32"
    ):
        tf.train.Checkpoint(b=tf.Variable([0, 0, 0], name="bee")).read(path)


def test_missing_and_damaged_files(tmp_path):
    checkpoint = tf.train.Checkpoint(a=tf.Variable(1.0))
    with pytest.raises(tf.errors.NotFoundError, match="nowhere"):
        checkpoint.restore(tmp_path / "nowhere")
    path = checkpoint.write(tmp_path / "c")
    with open(path + ".index", "r+b") as file:
        file.truncate(60)
    with pytest.raises(tf.errors.DataLossError, match=r"/c is damaged at its index"):
        checkpoint.read(path)


def test_restoring_nothing(tmp_path):
    checkpoint = tf.train.Checkpoint(a=tf.Variable(1.0))
    status = checkpoint.restore(tf.train.latest_checkpoint(tmp_path))
    with pytest.raises(AssertionError, match="No checkpoint specified"):
        status.assert_consumed()


def test_a_folder_stands_for_its_latest(tmp_path):
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    for k in range(3):
        v.assign(float(k))
        checkpoint.save(tmp_path / "c")
    checkpoint.restore(tmp_path)
    assert v.numpy() == 2.0
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "c-3")
    assert tf.train.load_variable(tmp_path, "v" + VALUE) == 2.0


def test_python_state_travels(tmp_path):
    class Position(tf.train.experimental.PythonState):
        def __init__(self, at):
            self.at = at

        def serialize(self):
            return str(self.at)

        def deserialize(self, text):
            assert isinstance(text, bytes)
            self.at = int(text)

    path = tf.train.Checkpoint(p=Position(5)).write(tmp_path / "c")
    p = Position(0)
    tf.train.Checkpoint(p=p).read(path).assert_consumed()
    assert p.at == 5


def test_what_cannot_be_saved_is_refused():
    with pytest.raises(ValueError, match="expecting x to be a trackable object.*'abc'"):
        tf.train.Checkpoint(x="abc")


def test_graphs_and_sessions(tmp_path):
    with tf.Graph().as_default():
        v, w = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            path = v1.train.Checkpoint(v=v, w=w).save(str(tmp_path / "c"), session)
            again = tf.train.Checkpoint(v=v, w=w).save(tmp_path / "d")  # the default session
        assert (path, again) == (str(tmp_path / "c-1"), str(tmp_path / "d-1"))
    with tf.Graph().as_default():
        v, new = tf.Variable([0.0, 0.0]), tf.Variable(9.0)
        status = tf.train.Checkpoint(v=v, new=new).restore(path)
        with tf.Session() as session:
            status.initialize_or_restore(session)
            assert session.run([v, new])[0].tolist() == [1, 2] and session.run(new) == 9.0
        with tf.Session() as session:
            status.run_restore_ops()
            assert session.run(v).tolist() == [1, 2]
        with pytest.raises(RuntimeError, match="save the variable Variable:0 in graph mode without a default session"):
            tf.train.Checkpoint(v=v).write(tmp_path / "e")


def test_a_savers_file_restores_by_name(tmp_path):
    with tf.Graph().as_default():
        tf.get_variable("net/w", initializer=[1.0, 2.0])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            path = v1.train.Saver().save(session, str(tmp_path / "m"))
    v = tf.Variable([0.0, 0.0], name="net/w")
    tf.train.Checkpoint(anything=v).read(path).assert_existing_objects_matched()
    assert v.numpy().tolist() == [1, 2]


class TestManager:
    def test_keeps_the_newest(self, tmp_path):
        v = tf.Variable(0.0)
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path, max_to_keep=2)
        assert manager.latest_checkpoint is None and manager.restore_or_initialize() is None
        for k in range(4):
            v.assign(float(k))
            manager.save()
        assert manager.checkpoints == [str(tmp_path / "ckpt-3"), str(tmp_path / "ckpt-4")]
        assert sorted(os.listdir(tmp_path)) == ["checkpoint", *files_of("ckpt-3"), *files_of("ckpt-4")]
        assert tf.train.latest_checkpoint(tmp_path) == manager.latest_checkpoint
        state = tf.train.get_checkpoint_state(tmp_path)
        assert state.all_model_checkpoint_paths == manager.checkpoints

    def test_a_second_process_goes_on(self, tmp_path):
        v = tf.Variable(5.0)
        tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path, max_to_keep=2).save()
        w = tf.Variable(0.0)
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=w), tmp_path, max_to_keep=2)
        assert manager.restore_or_initialize() == str(tmp_path / "ckpt-1")
        assert w.numpy() == 5.0
        manager.save()
        manager.save()
        assert manager.checkpoints == [str(tmp_path / "ckpt-2"), str(tmp_path / "ckpt-3")]

    def test_numbers_and_intervals(self, tmp_path):
        step, called = tf.Variable(0), []
        manager = tf.train.CheckpointManager(
            tf.train.Checkpoint(step=step),
            tmp_path,
            max_to_keep=None,
            step_counter=step,
            checkpoint_interval=3,
            init_fn=lambda: called.append(1),
        )
        assert manager.restore_or_initialize() is None and called == [1]
        saved = []
        for _ in range(6):
            saved.append(manager.save(checkpoint_number=step))
            step.assign_add(1)
        assert [s and os.path.basename(s) for s in saved] == ["ckpt-0", None, None, "ckpt-3", None, None]

    def test_some_are_kept_for_good(self, tmp_path):
        manager = tf.train.CheckpointManager(
            tf.train.Checkpoint(v=tf.Variable(1.0)), tmp_path, max_to_keep=1, keep_checkpoint_every_n_hours=0
        )
        for _ in range(3):
            manager.save()
        assert sorted(os.listdir(tmp_path)) == [
            "checkpoint",
            *files_of("ckpt-1"),
            *files_of("ckpt-2"),
            *files_of("ckpt-3"),
        ]

    def test_senseless_numbers_are_refused(self, tmp_path):
        with pytest.raises(ValueError, match="positive integer"):
            tf.train.CheckpointManager(tf.train.Checkpoint(), tmp_path, max_to_keep=0)
        with pytest.raises(ValueError, match="step_counter"):
            tf.train.CheckpointManager(tf.train.Checkpoint(), tmp_path, 1, checkpoint_interval=2)


def test_the_state_file_is_text_that_tensorflow_writes_too(tmp_path):
    tf.train.update_checkpoint_state(
        str(tmp_path), str(tmp_path / 'a"b-2'), [str(tmp_path / "a-1")], save_relative_paths=True
    )
    lines = (tmp_path / "checkpoint").read_text().splitlines()
    assert lines[:2] == ['model_checkpoint_path: "a\\"b-2"', 'all_model_checkpoint_paths: "a-1"']
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.model_checkpoint_path == str(tmp_path / 'a"b-2')
    assert tf.train.latest_checkpoint(tmp_path) is None  # the file itself is missing
    assert tf.train.get_checkpoint_state(tmp_path / "none") is None


def test_single_values(tmp_path):
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(tmp_path / "c")
    reader = tf.train.load_checkpoint(path)
    assert reader.has_tensor("v" + VALUE) and not reader.has_tensor("v")
    assert reader.get_variable_to_dtype_map() == {"v" + VALUE: tf.float32, "_CHECKPOINTABLE_OBJECT_GRAPH": tf.string}
    assert reader.get_tensor("v" + VALUE).tolist() == [1, 2]
    with pytest.raises(tf.errors.NotFoundError, match="Key w not found"):
        reader.get_tensor("w")
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file"):
        tf.train.load_checkpoint(tmp_path)


def test_writing_inside_a_function_writes_when_it_runs(tmp_path):
    """FINDINGS F5."""
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    prefix = str(tmp_path / "c")

    @tf.function
    def step():
        checkpoint.v.assign_add(1.0)
        return checkpoint.write(prefix)

    for expected in (2.0, 3.0):
        assert step().numpy() == prefix.encode()
        assert tf.train.load_variable(prefix, "v/.ATTRIBUTES/VARIABLE_VALUE") == expected
    with pytest.raises(NotImplementedError, match="save.. from a function is not supported"):
        tf.function(lambda: checkpoint.save(prefix))()
    with pytest.raises(NotImplementedError, match="restored inside a function"):
        tf.function(lambda: checkpoint.restore(prefix))()


def test_a_manager_deletes_only_what_a_manager_saved(tmp_path: Path) -> None:
    for _ in range(2):
        unmanaged = tf.train.Checkpoint(v=tf.Variable(1.0)).save(str(tmp_path / "own"))
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=tf.Variable(2.0)), str(tmp_path), max_to_keep=1)
    assert manager.latest_checkpoint == unmanaged and manager.checkpoints == []
    saved = [manager.save() for _ in range(2)]
    assert manager.checkpoints == saved[1:]
    assert tf.train.load_checkpoint(unmanaged).has_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")
    assert tf.train.CheckpointManager(tf.train.Checkpoint(), str(tmp_path), 3).checkpoints == saved[1:]
