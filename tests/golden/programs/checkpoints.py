"""Checkpoints: what is saved, restored, kept and said, whatever the file looks like inside."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows, session


def _net(tf: Any, first: float) -> Any:
    net = tf.Module()
    net.w = tf.Variable([first, first + 1])
    net.parts = [tf.Variable(first + 2), {"b": tf.Variable(first + 3)}]
    net.same = net.w
    return net


def _values(net: Any) -> Any:
    return [net.w.numpy(), net.parts[0].numpy(), net.parts[1]["b"].numpy(), net.same is net.w]


def _numbered(folder: str) -> list[str]:
    """The checkpoints that are there, without the endings of their files."""
    return sorted({name.split(".")[0] for name in os.listdir(folder) if name != "checkpoint"})


def objects_round_trip(tf: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(net=_net(tf, 5.0), step=tf.Variable(7)).save(os.path.join(folder, "c"))
        net, step = _net(tf, 0.0), tf.Variable(0)
        checkpoint = tf.train.Checkpoint(net=net, step=step)
        checkpoint.restore(path).assert_consumed()
        return [_values(net), step.numpy(), os.path.basename(path), checkpoint.save_counter.numpy(), _numbered(folder)]


def names_in_a_file(tf: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(net=_net(tf, 5.0)).write(os.path.join(folder, "c"))
        found = [n for n in tf.train.list_variables(path) if not n[0].startswith("_CHECKPOINTABLE")]
        return sorted([n.replace("same", "w"), list(shape)] for n, shape in found)


@rows("more saved than there is", "less saved than there is", "nothing in common", "renamed", "equal")
def partial_matches(tf: Any, what: str) -> Any:
    saved, live = {
        "more saved than there is": (("a", "b"), ("a",)),
        "less saved than there is": (("a",), ("a", "b")),
        "nothing in common": (("a",), ("b",)),
        "renamed": (("a", "b"), ("a", "c")),
        "equal": (("a", "b"), ("a", "b")),
    }[what]
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(**{n: tf.Variable(float(i + 1)) for i, n in enumerate(saved)}).write(folder + "/c")
        variables = {n: tf.Variable(-1.0) for n in live}
        status = tf.train.Checkpoint(**variables).read(path)
        status.expect_partial()
        checks = ("assert_consumed", "assert_existing_objects_matched", "assert_nontrivial_match")
        outcome = {}
        for check in checks:
            found = refused(getattr(status, check))
            outcome[check] = found if type(found).__name__ == "Refused" else "fine"
        return [{n: v.numpy() for n, v in variables.items()}, outcome]


def attributes_made_later(tf: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).write(folder + "/c")
        checkpoint = tf.train.Checkpoint(a=tf.Variable(0.0))
        checkpoint.read(path)
        checkpoint.b = tf.Variable(0.0)
        return [checkpoint.a.numpy(), checkpoint.b.numpy()]


@rows("another shape", "another type", "no file", "none", "not trackable")
def refuses(tf: Any, what: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(a=tf.Variable([1.0, 2.0])).write(folder + "/c")
        calls = {
            "another shape": lambda: tf.train.Checkpoint(a=tf.Variable([1.0])).read(path) and None,
            "another type": lambda: tf.train.Checkpoint(a=tf.Variable([1, 2])).read(path) and None,
            "no file": lambda: tf.train.Checkpoint(a=tf.Variable([1.0])).read(folder + "/none") and None,
            "none": lambda: tf.train.Checkpoint().restore(None) and None,
            "not trackable": lambda: tf.train.Checkpoint(a=3) and None,
        }
        return refused(calls[what])


@rows(1, 2, 3, None)
def managers_keep(tf: Any, most: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        v = tf.Variable(0.0)
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), folder, max_to_keep=most)
        seen = []
        for i in range(4):
            v.assign(float(i))
            manager.save()
            seen.append([os.path.basename(p) for p in manager.checkpoints])
        v.assign(99.0)
        again = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), folder, max_to_keep=most)
        restored = os.path.basename(again.restore_or_initialize())
        return [seen, _numbered(folder), restored, v.numpy(), os.path.basename(tf.train.latest_checkpoint(folder))]


def managers_count_on(tf: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        step = tf.Variable(5, dtype=tf.int64)
        manager = tf.train.CheckpointManager(
            tf.train.Checkpoint(step=step), folder, max_to_keep=3, checkpoint_name="model", step_counter=step,
            checkpoint_interval=2,
        )  # fmt: skip
        saved = []
        for _ in range(5):
            found = manager.save(checkpoint_number=step)
            saved.append(found and os.path.basename(found))
            step.assign_add(1)
        return [
            saved,
            manager.checkpoint_interval,
            manager.directory == folder,
            manager.save(check_interval=False) is None,
        ]


def optimizers_are_saved_with_their_slots(tf: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:

        def made() -> Any:
            w = tf.Variable([1.0, 2.0])
            optimizer = tf.compat.v1.train.MomentumOptimizer(0.1, 0.9)
            return w, optimizer, tf.train.Checkpoint(w=w, optimizer=optimizer)

        w, optimizer, checkpoint = made()
        optimizer.minimize(lambda: tf.reduce_sum(w * w))
        path = checkpoint.write(folder + "/c")
        optimizer.minimize(lambda: tf.reduce_sum(w * w))
        x, other, again = made()
        again.read(path)
        other.minimize(lambda: tf.reduce_sum(x * x))
        return [w.numpy(), x.numpy(), other.get_slot(x, "momentum").numpy()]


# ---- Saver


def _saved(tf: Any, folder: str) -> str:
    with session(tf) as s:
        tf.compat.v1.get_variable("a", initializer=[1.0, 2.0])
        tf.compat.v1.get_variable("scope/b", initializer=np.int64(3))
        s.run(tf.compat.v1.global_variables_initializer())
        return tf.compat.v1.train.Saver().save(s, folder + "/m", global_step=7)


@rows("all", "one", "renamed", "by list")
def savers_restore(tf: Any, what: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = _saved(tf, folder)
        with session(tf) as s:
            a = tf.compat.v1.get_variable("other" if what == "renamed" else "a", initializer=[0.0, 0.0])
            b = tf.compat.v1.get_variable("scope/b", initializer=np.int64(0))
            chosen = {"all": None, "one": [b], "renamed": {"a": a, "scope/b": b}, "by list": [a, b]}[what]
            s.run(tf.compat.v1.global_variables_initializer())
            tf.compat.v1.train.Saver(chosen).restore(s, path)
            return [s.run([a, b]), os.path.basename(path)]


@rows("a variable that was not saved", "no file", "none", "no variables", "two of one name")
def savers_refuse(tf: Any, what: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = _saved(tf, folder)
        with session(tf) as s:
            saver = tf.compat.v1.train.Saver
            if what == "no variables":
                return refused(saver)
            name = "none" if what == "a variable that was not saved" else "a"
            a = tf.compat.v1.get_variable(name, initializer=[0.0, 0.0])
            if what == "two of one name":
                return refused(lambda: saver([a, a]))
            where = {"no file": folder + "/none", "none": None}.get(what, path)
            return refused(lambda: saver().restore(s, where))


@rows(1, 2, 5)
def savers_keep(tf: Any, most: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder, session(tf) as s:
        tf.compat.v1.get_variable("a", initializer=1.0)
        s.run(tf.compat.v1.global_variables_initializer())
        saver = tf.compat.v1.train.Saver(max_to_keep=most)
        for step in (1, 5, 20):
            saver.save(s, folder + "/m", global_step=step, write_meta_graph=False)
        kept = [os.path.basename(p) for p in saver.last_checkpoints]
        return [kept, _numbered(folder), os.path.basename(tf.train.latest_checkpoint(folder))]


def the_state_file(tf: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        train = tf.compat.v1.train
        train.update_checkpoint_state(folder, "m-3", ["m-1", "m-3"])
        state = train.get_checkpoint_state(folder)
        with open(os.path.join(folder, "checkpoint"), encoding="utf-8") as file:
            text = file.read()
        return [
            text,
            os.path.basename(state.model_checkpoint_path),
            [os.path.basename(p) for p in state.all_model_checkpoint_paths],
            train.get_checkpoint_state(folder + "/none"),
            tf.train.latest_checkpoint(folder),
        ]


def single_values(tf: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = _saved(tf, folder)
        reader = tf.train.load_checkpoint(path)
        return [
            {k: list(v) for k, v in sorted(reader.get_variable_to_shape_map().items())},
            {k: v for k, v in sorted(reader.get_variable_to_dtype_map().items())},
            reader.get_tensor("a"), reader.get_tensor("scope/b"), reader.has_tensor("c"),
            tf.train.load_variable(folder, "a"), [[n, list(s)] for n, s in tf.train.list_variables(folder)],
            refused(lambda: reader.get_tensor("c")),
        ]  # fmt: skip


def python_state(tf: Any) -> Any:
    class Counter(tf.train.experimental.PythonState):
        def __init__(self) -> None:
            self.n = 0

        def serialize(self) -> str:
            return str(self.n)

        def deserialize(self, string_value: Any) -> None:
            self.n = int(string_value)

    with tempfile.TemporaryDirectory() as folder:
        counter = Counter()
        counter.n = 42
        path = tf.train.Checkpoint(counter=counter).write(folder + "/c")
        other = Counter()
        tf.train.Checkpoint(counter=other).read(path)
        return other.n


@rows("train", "train/", "./train", ".")
def paths_of_a_relative_folder(tf: Any, folder: str) -> Any:
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        try:
            os.mkdir("train")
            tf.compat.v1.train.update_checkpoint_state(folder, "train/model-2", ["train/model-1", "train/model-2"])
            text = Path(folder, "checkpoint").read_text(encoding="utf-8")
            return [text, os.path.normpath(tf.train.get_checkpoint_state(folder).model_checkpoint_path)]
        finally:
            os.chdir(before)


def as_they_are_written(tf: Any) -> Any:
    """The checkpoints of a folder one after another, when they were written, and what a folder's file says of them."""
    train = tf.compat.v1.train
    with tempfile.TemporaryDirectory() as folder:
        checkpoint, seen = tf.train.Checkpoint(v=tf.Variable(1.0)), [0]
        seen.append(len(list(tf.train.checkpoints_iterator(os.path.join(folder, "none"), timeout=0))))
        paths = [checkpoint.write(os.path.join(folder, "c-1"))]
        tf.train.Checkpoint(v=tf.Variable(2.0)).save(os.path.join(folder, "c"))
        found = tf.train.checkpoints_iterator(folder, timeout=0, timeout_fn=lambda: True)
        seen.append([os.path.basename(path) for path in found])
        seen.append(len(train.get_checkpoint_mtimes([*paths, os.path.join(folder, "none")])))
        state = train.generate_checkpoint_state_proto(folder, "b", ["a", "b"], [1.0, 2.0])
        seen.append([state.model_checkpoint_path, list(state.all_model_checkpoint_paths)])
        below = train.generate_checkpoint_state_proto("x", "x/b", ["x/a"])
        seen.append([below.model_checkpoint_path, list(below.all_model_checkpoint_paths)])
        seen.append(refused(lambda: train.generate_checkpoint_state_proto("x", "x/b", ["x/a"], [1.0])))
        reader = train.NewCheckpointReader(paths[0])
        return [*seen, reader.get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")]


def by_intervals(tf: Any) -> Any:
    """A manager whose first interval begins at a step that was said."""
    counter = tf.Variable(1)
    with tempfile.TemporaryDirectory() as folder:
        manager = tf.train.CheckpointManager(
            tf.train.Checkpoint(v=tf.Variable(1.0)),
            folder,
            None,
            step_counter=counter,
            checkpoint_interval=2,
            last_checkpoint_step=1,
        )
        saved = []
        for _ in range(4):
            saved.append(manager.save() is not None)
            counter.assign_add(1)
    return saved


def how_models_are_saved(tf: Any) -> Any:
    """The options of saved models, and their policies."""
    policy, options = tf.saved_model.experimental.VariablePolicy, tf.saved_model.SaveOptions
    given = [None, "Save_Variable_Devices", policy.EXPAND_DISTRIBUTED_VARIABLES]
    return [
        [options(experimental_variable_policy=g).experimental_variable_policy.name for g in given],
        refused(lambda: options(experimental_variable_policy="none")),
        options(experimental_io_device="/cpu:0").experimental_io_device,
        tf.saved_model.LoadOptions(allow_partial_checkpoint=True).allow_partial_checkpoint,
        refused(lambda: tf.saved_model.LoadOptions(experimental_variable_policy="other")),
    ]


@rows("trainable", "names", "variables", "words", "columns", "unused", "none")
def models_that_begin_with_an_earlier_one(tf: Any, what: str) -> Any:
    v1 = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder:
        with session(tf) as sess:
            v1.get_variable("a/w", initializer=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], use_resource=True)
            v1.get_variable("a/w/Momentum", initializer=7.0, trainable=False, use_resource=True)
            v1.get_variable("b", initializer=8.0, use_resource=True)
            sess.run(v1.global_variables_initializer())
            v1.train.Saver().save(sess, f"{folder}/model", global_step=1)
        for name, words in (("old", "apple\nbanana\ncherry"), ("new", "cherry\ndate\napple\nelder"), ("two", "x\ny")):
            with open(f"{folder}/{name}.txt", "w") as file:
                file.write(words)
        with session(tf) as sess:
            size = [5, 2] if what in ("words", "unused") else [3, 3] if what == "columns" else [3, 2]
            partitioner = v1.fixed_size_partitioner(2) if what == "words" else None
            zeros = v1.zeros_initializer()
            w = v1.get_variable("a/w", size, initializer=zeros, partitioner=partitioner, use_resource=True)
            slot = v1.get_variable("a/w/Momentum", initializer=0.0, trainable=False, use_resource=True)
            b = v1.get_variable("c", initializer=0.0, use_resource=True)
            ones = v1.ones_initializer()
            words = v1.train.VocabInfo(f"{folder}/new.txt", 4, 1, f"{folder}/old.txt", -1, ones)
            columns = v1.train.VocabInfo(f"{folder}/two.txt", 2, 1, f"{folder}/two.txt", axis=1)
            given: dict[str, Any] = {
                "trainable": {"var_name_to_prev_var_name": {"c": "b"}},
                "names": {"vars_to_warm_start": ["a/w[^/]", "a/w/M.*"]},
                "variables": {"vars_to_warm_start": [w, b], "var_name_to_prev_var_name": {"c": "b"}},
                "words": {"vars_to_warm_start": None, "var_name_to_vocab_info": {"a/w": words}},
                "columns": {"vars_to_warm_start": "a/w$|a/w:0", "var_name_to_vocab_info": {"a/w": columns}},
                "unused": {"var_name_to_prev_var_name": {"d": "b"}},
                "none": {"vars_to_warm_start": "c"},
            }
            failed = refused(lambda: v1.train.warm_start(folder, **given[what]))
            if failed is not None:
                return failed
            sess.run(v1.global_variables_initializer())
            return sess.run([tf.convert_to_tensor(w), slot, b])
