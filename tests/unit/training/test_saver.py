"""Saver: variables of sessions by name, and which checkpoints are kept."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import inlay as tf
from inlay._src.core import context

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as made:
        yield made


@pytest.fixture
def session(graph):
    with tf.Session() as made:
        yield made


def files_of(name: str) -> list[str]:
    return [f"{name}.data-00000-of-00001", f"{name}.index"]


def files(folder) -> list[str]:
    """Those in a folder; that of a graph stands for itself in test_meta_graph.py."""
    return sorted(name for name in os.listdir(folder) if not name.endswith(".meta"))


def test_round_trip(tmp_path, session):
    v = tf.get_variable("a/v", initializer=[1.0, 2.0])
    flags = tf.Variable([True, False], name="flags")
    text = tf.Variable([b"x", b"\x00y"], name="text")
    brain = tf.Variable(tf.constant([1.5, 2.5], tf.bfloat16), name="brain")
    session.run(tf.global_variables_initializer())
    saver = v1.train.Saver()
    assert saver.save(session, str(tmp_path / "m")) == str(tmp_path / "m")
    names = [n for n, _ in tf.train.list_variables(str(tmp_path / "m"))]
    assert names == ["a/v", "brain", "flags", "text"]
    with tf.Session() as other:
        saver.restore(other, str(tmp_path / "m"))  # without an initializer
        got = other.run([v, flags, text, brain])
    assert [g.tolist() for g in got] == [[1, 2], [True, False], [b"x", b"\x00y"], [1.5, 2.5]]


def test_lists_and_dicts_choose_and_rename(tmp_path, session):
    v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w")
    session.run(tf.global_variables_initializer())
    v1.train.Saver({"old": v}).save(session, str(tmp_path / "d"))
    v1.train.Saver([w]).save(session, str(tmp_path / "l"))
    assert tf.train.list_variables(str(tmp_path / "d")) == [("old", [])]
    assert tf.train.load_variable(str(tmp_path / "l"), "w") == 2.0
    v1.train.Saver({"old": w}).restore(session, str(tmp_path / "d"))
    assert session.run([v, w]) == [1.0, 1.0]


def test_steps_number_and_old_ones_go(tmp_path, session):
    v = tf.Variable(1.0)
    step = v1.train.create_global_step()
    session.run(tf.global_variables_initializer())
    saver = v1.train.Saver([v], max_to_keep=2)
    for k in range(4):
        session.run(step.assign(k))
        path = saver.save(session, str(tmp_path / "m"), global_step=step)
    assert path == str(tmp_path / "m-3")
    assert files(tmp_path) == ["checkpoint", *files_of("m-2"), *files_of("m-3")]
    assert saver.last_checkpoints == [str(tmp_path / "m-2"), path]
    assert tf.train.latest_checkpoint(str(tmp_path)) == path
    padded = v1.train.Saver([v], pad_step_number=True).save(session, str(tmp_path / "p"), global_step=7)
    assert padded.endswith("p-00000007")


def test_all_are_kept_on_request(tmp_path, session):
    v = tf.Variable(1.0)
    session.run(v.initializer)
    saver = v1.train.Saver(max_to_keep=0)
    for k in range(7):
        saver.save(session, str(tmp_path / "m"), global_step=k)
    assert len(files(tmp_path)) == 15


def test_another_process_can_take_over(tmp_path, session):
    v = tf.Variable(1.0)
    session.run(v.initializer)
    paths = [v1.train.Saver().save(session, str(tmp_path / "m"), global_step=k) for k in range(2)]
    saver = v1.train.Saver(max_to_keep=2)
    saver.recover_last_checkpoints([*paths, str(tmp_path / "gone")])
    saver.save(session, str(tmp_path / "m"), global_step=2)
    assert files(tmp_path) == ["checkpoint", *files_of("m-1"), *files_of("m-2")]


def test_errors_name_variable_got_and_expected(tmp_path, session):
    v = tf.Variable([1.0, 2.0], name="v")
    session.run(v.initializer)
    path = v1.train.Saver().save(session, str(tmp_path / "m"))
    wide, other, new = (
        tf.Variable([0.0] * 3, name="wide"),
        tf.Variable([0, 0], name="other"),
        tf.Variable(0.0, name="new"),
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"shape \(2,\).*shape \(3,\) and name wide:0"):
        v1.train.Saver({"v": wide}).restore(session, path)
    with pytest.raises(tf.errors.InvalidArgumentError, match="other:0 .*v has original dtype float32, expected int32"):
        v1.train.Saver({"v": other}).restore(session, path)
    with pytest.raises(tf.errors.NotFoundError, match="Key new not found in checkpoint .*/m$"):
        v1.train.Saver([v, new]).restore(session, path)
    for error in (ValueError, tf.errors.NotFoundError):
        with pytest.raises(error, match="not a valid checkpoint: .*nowhere"):
            v1.train.Saver([v]).restore(session, str(tmp_path / "nowhere"))
    with pytest.raises(ValueError, match="save_path when it is None"):
        v1.train.Saver([v]).restore(session, None)
    with pytest.raises(ValueError, match="Parent directory of .* doesn't exist"):
        v1.train.Saver([v]).save(session, str(tmp_path / "no" / "m"))


def test_a_damaged_file_changes_nothing(tmp_path, session):
    tf.Variable(np.arange(1000.0), name="v")
    w = tf.Variable(1.0, name="a")
    session.run(tf.global_variables_initializer())
    path = v1.train.Saver().save(session, str(tmp_path / "m"))
    data = Path(path + ".data-00000-of-00001")
    whole = bytearray(data.read_bytes())
    whole[2000] ^= 1
    data.write_bytes(whole)
    session.run(w.assign(5.0))
    with pytest.raises(tf.errors.DataLossError, match=r"/m is damaged at v: its checksum"):
        v1.train.Saver().restore(session, path)
    assert session.run(w) == 5.0


def test_saving_before_initialization_names_the_variable(tmp_path, session):
    tf.Variable(1.0, name="v")
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value v"):
        v1.train.Saver().save(session, str(tmp_path / "m"))
    assert files(tmp_path) == []


def test_what_cannot_be_saved_is_refused():
    with pytest.raises(ValueError, match="No variables to save"):
        v1.train.Saver()
    v1.train.Saver(allow_empty=True)
    v1.train.Saver(defer_build=True)
    with pytest.raises(TypeError, match="Variable to save is not a Variable"):
        v1.train.Saver([tf.constant(1.0)])
    v = tf.Variable(1.0)
    with pytest.raises(ValueError, match="At least two variables have the same name"):
        v1.train.Saver([v, v])


def test_reshape_on_request(tmp_path, session):
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable([[0.0], [0.0]], name="w")
    session.run(tf.global_variables_initializer())
    path = v1.train.Saver([v]).save(session, str(tmp_path / "m"))
    v1.train.Saver({"v": w}, reshape=True).restore(session, path)
    assert session.run(w).tolist() == [[1], [2]]


def test_a_checkpoint_of_objects_restores_by_name(tmp_path, session):
    v = tf.Variable(1.0, name="v")
    session.run(v.initializer)
    path = v1.train.Checkpoint(anything=v).write(str(tmp_path / "c"), session)
    session.run(v.assign(5.0))
    v1.train.Saver([v]).restore(session, path)
    assert session.run(v) == 1.0


def test_a_finalized_graph_can_be_saved_and_restored(tmp_path, session, graph):
    tf.Variable(1.0)
    init, saver = tf.global_variables_initializer(), v1.train.Saver()
    graph.finalize()
    session.run(init)
    saver.restore(session, saver.save(session, str(tmp_path / "m")))


def test_eager_variables(tmp_path):
    from inlay._src.core import context

    with context.using(context.State()):
        v = tf.Variable(1.0, name="v")
        saver = v1.train.Saver([v])
        path = saver.save(None, str(tmp_path / "m"))
        v.assign(5.0)
        saver.restore(None, path)
        assert v.numpy() == 1.0


class Mirrored:
    """Keeps one variable and gives its value to two."""

    def __init__(self):
        self.first, self.second = tf.Variable(6.0, name="first"), tf.Variable(15.0, name="second")

    def _gather_saveables_for_checkpoint(self):
        return {"VARIABLE_VALUE": lambda: Saveable(self.first, self.second)}


class Spec(NamedTuple):
    name: str
    tensor: Any


class Saveable:
    def __init__(self, first, second):
        self.name, self.variables = first.name, (first, second)
        self.specs = [Spec("kept", first.read_value())]

    def restore(self, tensors, shapes):
        assert shapes is None
        return tf.group(*[v.assign(tensors[0]) for v in self.variables])


@pytest.mark.parametrize("eager", [True, False])
def test_objects_that_say_what_is_kept_of_them(tmp_path, session, eager):
    with tf.init_scope() if not eager else context.using(context.State()):
        both, alone = Mirrored(), tf.Variable(1.0, name="alone")
        saver = v1.train.Saver([both, alone])
        run = (lambda op: op) if eager else session.run
        run([] if eager else [v.initializer for v in (both.first, both.second, alone)])
        run(both.first.assign(42.0))
        path = saver.save(session, str(tmp_path / "m"))
        assert sorted(n for n, _ in tf.train.list_variables(path)) == ["alone", "kept"]
        for _ in range(2):
            run(both.first.assign(43.0))
            run(both.second.assign(44.0))
            run(alone.assign(45.0))
            saver.restore(session, path)
            assert [float(run(v.read_value())) for v in (both.first, both.second, alone)] == [42.0, 42.0, 1.0]
        run(both.first.assign(50.0))
        path = saver.save(session, str(tmp_path / "n"))
        saver.restore(session, path)
        assert float(run(both.second.read_value())) == 50.0
        nodes = len(session.graph.get_operations())
        saver.restore(session, saver.save(session, str(tmp_path / "n")))
        assert len(session.graph.get_operations()) == nodes
        with pytest.raises(tf.errors.NotFoundError, match="kept"):
            saver.restore(session, v1.train.Saver([alone]).save(session, str(tmp_path / "o")))
        assert float(run(alone.read_value())) == 1.0


def test_saveable_objects_of_the_graph_are_saved(tmp_path, session, graph):
    both = Mirrored()
    graph.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, Saveable(both.first, both.second))
    session.run(v1.global_variables_initializer())
    path = v1.train.Saver().save(session, str(tmp_path / "m"))
    assert sorted(n for n, _ in tf.train.list_variables(path)) == ["first", "kept", "second"]


class Named(Mirrored):
    def _gather_saveables_for_checkpoint(self):
        def make(name="mirrored"):
            made = Saveable(self.first, self.second)
            made.specs = [Spec(name, self.first.read_value())]
            return made

        return {"VARIABLE_VALUE": make}


@pytest.mark.parametrize("eager", [True, False])
def test_checkpoints_keep_what_such_objects_keep(tmp_path, session, eager):
    with context.using(context.State()) if eager else tf.init_scope():
        both = Named()
        checkpoint = tf.train.Checkpoint(part={"both": both}, w=tf.Variable(1.0))
        run = (lambda op: op) if eager else session.run
        run([] if eager else [v.initializer for v in (both.first, both.second, checkpoint.w)])
        for kept in (42.0, 50.0):
            run(both.first.assign(kept))
            with contextlib.nullcontext() if eager else session.as_default():
                path = checkpoint.save(str(tmp_path / "m"))
                assert "part/both/.ATTRIBUTES/VARIABLE_VALUE" in dict(tf.train.list_variables(path))
                run(both.first.assign(43.0))
                run(both.second.assign(44.0))
                checkpoint.restore(path).assert_consumed().initialize_or_restore()
            assert [float(run(v.read_value())) for v in (both.first, both.second)] == [kept, kept]
        nodes = len(session.graph.get_operations())
        with contextlib.nullcontext() if eager else session.as_default():
            checkpoint.restore(checkpoint.save(str(tmp_path / "m"))).run_restore_ops()
        added = session.graph.get_operations()[nodes:]
        assert not any("Assign" in op.type and op.inputs[0] is both.first.handle for op in added)
        with contextlib.nullcontext() if eager else session.as_default():
            other = tf.train.Checkpoint(w=tf.Variable(0.0)).restore(path)
            with pytest.raises(AssertionError, match="no live object takes part/both/.ATTRIBUTES/VARIABLE_VALUE"):
                other.assert_consumed()
            late = tf.train.Checkpoint(part={"both": both}, other=Named()).restore(path)
            with pytest.raises(AssertionError, match="Object not assigned a value.*: other"):
                late.assert_existing_objects_matched()


def test_a_saver_that_is_built_later_is_built_before_it_saves(tmp_path: Path) -> None:
    variable = v1.get_variable("v", [])
    with pytest.raises(ValueError, match="defer_build"):
        v1.train.Saver([variable], defer_build=True)
    saver = v1.train.Saver(defer_build=True)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        with pytest.raises(RuntimeError, match="should be called before save"):
            saver.save(session, tmp_path / "m")
        saver.build()
        assert saver.save(session, tmp_path / "m") == str(tmp_path / "m")


def test_nothing_to_save_is_no_checkpoint_where_that_is_allowed(tmp_path: Path) -> None:
    with v1.Session() as session:
        assert v1.train.Saver(allow_empty=True).save(session, tmp_path / "m") is None
        v1.train.Saver(allow_empty=True).restore(session, tmp_path / "m")
    assert not files(tmp_path)


def _in_parts(count: int, name: str = "a/v") -> Any:
    partitioner = v1.fixed_size_partitioner(count) if count else None
    return v1.get_variable(name, [10, 3], partitioner=partitioner, initializer=v1.random_uniform_initializer(seed=1))


@pytest.mark.parametrize("given", ["list", "dict", "all"])
def test_a_variable_in_parts_is_saved_as_a_whole(tmp_path: Path, given: str) -> None:
    for saved in (0, 2, 3):
        for restored in (0, 2, 4):
            values = []
            for count in (saved, restored):
                with tf.Graph().as_default(), v1.Session() as session:
                    v = _in_parts(count)
                    saver = v1.train.Saver({"list": [v], "dict": {"a/v": v}, "all": None}[given])
                    if not values:
                        session.run(v1.global_variables_initializer())
                        saver.save(session, tmp_path / "m")
                    saver.restore(session, tmp_path / "m")
                    values.append(session.run(tf.convert_to_tensor(v)))
            np.testing.assert_array_equal(*values)
    assert v1.train.NewCheckpointReader(str(tmp_path / "m")).debug_string() == b"a/v (DT_FLOAT) [10,3]\n"


def test_some_parts_of_a_whole_are_saved_by_their_own_names(tmp_path: Path, session: Any) -> None:
    first, second = _in_parts(2)
    session.run(v1.global_variables_initializer())
    saver = v1.train.Saver([first])
    saver.save(session, tmp_path / "m")
    assert [name for name, _ in tf.train.list_variables(str(tmp_path / "m"))] == ["a/v/part_0"]
    v1.train.Saver({"x": first, "y": second}).save(session, tmp_path / "n")
    assert [name for name, _ in tf.train.list_variables(str(tmp_path / "n"))] == ["x", "y"]


def test_a_list_of_some_parts_of_a_whole_is_refused(session: Any) -> None:
    first, second, _ = _in_parts(3)
    for some in ([first, second], [], [first, first]):
        with pytest.raises(ValueError, match="must be all parts of one"):
            v1.train.Saver({"x": some})


def test_a_graph_with_parts_is_restored_into_a_scope_and_again_into_another(tmp_path: Path, session: Any) -> None:
    v = _in_parts(2)
    session.run(v1.global_variables_initializer())
    v1.train.Saver().save(session, tmp_path / "m")
    whole = session.run(tf.convert_to_tensor(v))
    with tf.Graph().as_default(), v1.Session() as other:
        outside = v1.get_variable("outside", initializer=1.0)
        savers = [v1.train.import_meta_graph(tmp_path / "m.meta", import_scope="in") for _ in range(2)]
        with tf.name_scope("here"):
            savers.append(v1.train.import_meta_graph(tmp_path / "m.meta"))
        for saver in savers:
            saver.restore(other, tmp_path / "m")
        for scope in ("in/", "in_1/", "here/"):
            parts = [v for v in v1.global_variables() if v.name.startswith(scope)]
            assert [v.name for v in parts] == [f"{scope}a/v/part_0:0", f"{scope}a/v/part_1:0"]
            np.testing.assert_array_equal(np.concatenate(other.run(parts)), whole)
        with pytest.raises(tf.errors.FailedPreconditionError):
            other.run(outside)


def test_a_saver_that_keeps_all_lists_none(tmp_path: Path, session: Any) -> None:
    session.run(_in_parts(0).initializer)
    for keep in (None, 0):
        saver = v1.train.Saver(max_to_keep=keep)
        for name in ("a", "b"):
            saver.save(session, tmp_path / name)
            assert saver.last_checkpoints == []
    assert [name for name in files(tmp_path) if name.endswith(".index")] == ["a.index", "b.index"]


def test_messages_of_any_kind_are_written_and_no_graph_is_refused(tmp_path: Path, session: Any) -> None:
    _in_parts(0)
    v1.train.write_graph(v1.train.Saver().as_saver_def(), str(tmp_path), "saver")
    v1.train.write_graph(v1.train.export_meta_graph(), str(tmp_path), "meta")
    with pytest.raises(OSError, match="Cannot parse file"):
        v1.train.import_meta_graph(str(tmp_path / "saver"))
    with tf.Graph().as_default():
        assert v1.train.import_meta_graph(str(tmp_path / "meta")) is not None
    with pytest.raises(TypeError, match="a graph or a protobuf message"):
        v1.train.write_graph(3, str(tmp_path), "no")


def test_only_a_sharded_checkpoint_may_be_called_as_the_list_of_them(tmp_path: Path, session: Any) -> None:
    session.run(_in_parts(0).initializer)
    with pytest.raises(ValueError, match="collides with"):
        v1.train.Saver().save(session, tmp_path / "checkpoint")
    v1.train.Saver(sharded=True).save(session, tmp_path / "checkpoint")
    assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "checkpoint")
