"""Saved models of graphs: saved in a session, loaded into a graph, or both."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.golden.make_programs import refused, rows, session


@contextmanager
def _folder() -> Iterator[Callable[[str], str]]:
    """Paths in a folder of their own."""
    with tempfile.TemporaryDirectory() as folder:
        yield lambda name: str(Path(folder) / name)


def _model(tf: Any) -> Any:
    class Model(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.scale = tf.Variable(3.0, name="scale")
            self.parts = [tf.Variable([1.0, 2.0], trainable=False, name="shift"), {"count": tf.Variable(0)}]

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def call(self, x: Any) -> Any:
            return {"y": x * self.scale + self.parts[0]}

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def grow(self, by: Any) -> Any:
            self.scale.assign_add(by)
            self.parts[1]["count"].assign_add(1)
            return self.scale.read_value()

    return Model()


def _save(tf: Any, path: str, in_session: bool) -> None:
    """Saves the model after its scale has become 5."""
    if not in_session:
        model = _model(tf)
        model.scale.assign(5.0)
        tf.saved_model.save(model, path, {"call": model.call})
        return
    with session(tf) as sess:
        model = _model(tf)
        sess.run([v.initializer for v in model.variables])
        sess.run(model.scale.assign(5.0))
        tf.saved_model.save(model, path, {"call": model.call})


@rows(True, False)
def loaded_eagerly(tf: Any, in_session: bool) -> Any:
    with _folder() as path:
        _save(tf, path("model"), in_session)
        model = tf.saved_model.load(path("model"))
        results = [model.call(tf.constant(2.0)), model.grow(tf.constant(1.0)), model.scale, model.parts[1]["count"]]
        return results, model.scale.name, [v.trainable for v in (model.scale, model.parts[0])]


@rows(True, False)
def loaded_into_a_graph(tf: Any, in_session: bool) -> Any:
    """Variables have their values after their initializers ran, and again whenever these run."""
    v1 = tf.compat.v1
    results: list[Any] = []
    with _folder() as path:
        _save(tf, path("model"), in_session)
        with session(tf) as sess:
            model = tf.saved_model.load(path("model"))
            scale, (shift, counts) = model.scale, model.parts
            results += [scale.name, scale.shape, scale.dtype, scale.trainable, scale.graph is v1.get_default_graph()]
            results += [sorted(v.name for v in v1.global_variables()), len(v1.trainable_variables())]
            results += [scale.op.type, scale.initializer.type, sorted(sess.run(v1.report_uninitialized_variables()))]
            y = model.call(tf.constant(2.0))["y"]
            results.append(refused(lambda: sess.run(y)))
            sess.run(scale.initializer)
            results += [refused(lambda: sess.run(y)), sess.run(scale)]
            sess.run([shift.initializer, counts["count"].initializer])
            results += [sess.run(y), sess.run(model.grow(1.0)), sess.run(scale.assign(9.0)), sess.run(y)]
            results.append(sess.run(counts["count"]))
            sess.run(v1.global_variables_initializer())
            results += [sess.run(y), sess.run(counts["count"])]
            results.append(sess.run(model.signatures["call"](x=tf.constant(2.0))["y"]))
    return results


def gradients_of_what_was_loaded(tf: Any) -> Any:
    with _folder() as path:
        _save(tf, path("model"), True)
        with session(tf) as sess:
            model = tf.saved_model.load(path("model"))
            slope = tf.gradients(model.call(tf.constant(2.0))["y"], model.scale)[0]
            sess.run(tf.compat.v1.global_variables_initializer())
            return sess.run(slope)


def loaded_twice_and_in_scopes(tf: Any) -> Any:
    v1 = tf.compat.v1
    with _folder() as path:
        _save(tf, path("model"), True)
        with session(tf) as sess:
            first, second = (tf.saved_model.load(path("model")) for _ in range(2))
            with v1.variable_scope("outer"), tf.name_scope("inner"):
                scoped = tf.saved_model.load(path("model"))
            sess.run(v1.global_variables_initializer())
            sess.run(first.scale.assign(1.0))
            return [m.scale.name for m in (first, second, scoped)], sess.run([first.scale, second.scale])


def loaded_while_a_function_is_traced(tf: Any) -> Any:
    with _folder() as path:
        _save(tf, path("model"), True)

        def called() -> Any:
            models: list[Any] = []

            @tf.function
            def call(x: Any) -> Any:
                if not models:
                    models.append(tf.saved_model.load(path("model")))
                return models[0].call(x)["y"]

            return call(tf.constant(2.0)), models[0]

        results = [called()[0].numpy()]
        with session(tf) as sess:
            y, _ = called()
            sess.run(tf.compat.v1.global_variables_initializer())
            return [*results, sess.run(y)]


def loaded_and_saved_again(tf: Any) -> Any:
    with _folder() as path:
        _save(tf, path("model"), False)
        with session(tf) as sess:
            model = tf.saved_model.load(path("model"))
            sess.run(tf.compat.v1.global_variables_initializer())
            sess.run(model.grow(2.0))
            tf.saved_model.save(model, path("again"))
        again = tf.saved_model.load(path("again"))
        return again.scale, again.parts[1]["count"], again.call(tf.constant(1.0))


def the_1_x_loader_runs_its_signatures(tf: Any) -> Any:
    with _folder() as path:
        _save(tf, path("model"), True)
        with session(tf) as sess:
            signature = tf.compat.v1.saved_model.load(sess, ["serve"], path("model")).signature_def["call"]
            return sess.run(signature.outputs["y"].name, {signature.inputs["x"].name: 2.0})


def checkpoints_of_loaded_models(tf: Any) -> Any:
    v1 = tf.compat.v1
    with _folder() as path:
        _save(tf, path("model"), True)
        with session(tf) as sess:
            model = tf.saved_model.load(path("model"))
            checkpoint = tf.train.Checkpoint(model=model)
            sess.run(v1.global_variables_initializer())
            prefix = checkpoint.save(path("checkpoint"))
            results = []
            for restore in ("run_restore_ops", "initialize_or_restore"):
                sess.run(model.scale.assign(100.0))
                getattr(checkpoint.restore(prefix).assert_consumed(), restore)()
                results.append(sess.run(model.scale))
            return results


def a_checkpoint_is_saved_in_a_session(tf: Any) -> Any:
    with _folder() as path:
        with session(tf) as sess:
            checkpoint = tf.train.Checkpoint(weight=tf.Variable(4.0), counts=[tf.Variable(1)])
            sess.run([checkpoint.save_counter.initializer, checkpoint.weight.initializer])
            sess.run([v.initializer for v in checkpoint.counts])
            tf.saved_model.save(checkpoint, path("model"))
        loaded = tf.saved_model.load(path("model"))
        return loaded.weight, loaded.counts[0], loaded.save_counter


def functions_capture_constants_and_branches_of_a_graph(tf: Any) -> Any:
    with _folder() as path:
        with session(tf) as sess:
            model, rates = tf.Module(), tf.constant([1.0, 2.0])
            model.scale = tf.Variable(2.0)

            def loop(x: Any) -> Any:
                return tf.while_loop(lambda i: i < 5.0, lambda i: i + model.scale, [x])[0]

            def call(x: Any) -> Any:
                return rates * tf.cond(x > 0, lambda: x * model.scale, lambda: loop(x))

            model.call = tf.function(call, input_signature=[tf.TensorSpec([])])
            sess.run(model.scale.initializer)
            tf.saved_model.save(model, path("model"))
        model = tf.saved_model.load(path("model"))
        results = [model.call(x).numpy() for x in (3.0, -3.0)]
        with session(tf) as sess:
            model = tf.saved_model.load(path("model"))
            sess.run(tf.compat.v1.global_variables_initializer())
            return results, sess.run([model.call(x) for x in (3.0, -3.0)])


def a_function_that_was_called_in_the_graph_is_saved(tf: Any) -> Any:
    with _folder() as path:
        with session(tf) as sess:
            model = tf.Module()
            model.scale = tf.Variable(2.0)
            model.call = tf.function(lambda x: x * model.scale)
            model.call(tf.compat.v1.placeholder(tf.float32, [None]))
            sess.run(model.scale.initializer)
            tf.saved_model.save(model, path("model"))
        model = tf.saved_model.load(path("model"))
        return model.call(tf.constant([3.0])), refused(lambda: model.call(tf.constant(3)))


@rows("session", "eagerly")
def operators_are_attributes_and_arguments(tf: Any, saved: str) -> Any:
    def made() -> Any:
        model = tf.Module()
        model.diagonal = tf.Variable([1.0, 2.0])
        model.operator = tf.linalg.LinearOperatorDiag(model.diagonal)
        model.own = tf.function(lambda x: model.operator.matvec(x), input_signature=[tf.TensorSpec([2])])
        spec = tf.linalg.LinearOperatorDiag(tf.zeros([2]))._type_spec
        model.other = tf.function(lambda o: o.matvec(model.diagonal), input_signature=[spec])
        return model

    with _folder() as path:
        if saved == "eagerly":
            tf.saved_model.save(made(), path("model"))
        else:
            with session(tf) as sess:
                model = made()
                sess.run(model.diagonal.initializer)
                tf.saved_model.save(model, path("model"))
        with session(tf) as sess:
            model = tf.saved_model.load(path("model"))
            operator = tf.linalg.LinearOperatorDiag(tf.constant([3.0, 4.0]))
            results = [model.own(tf.ones([2])), model.other(operator)]
            sess.run(model.diagonal.initializer)
            return sess.run(results), len(tf.compat.v1.global_variables())


def values_of_every_kind(tf: Any) -> Any:
    with _folder() as path:
        with session(tf) as sess:
            model = tf.Module()
            model.text, model.truth = tf.Variable(["a", "b"]), tf.Variable([True])
            model.nothing, model.half = tf.Variable(tf.zeros([0, 3])), tf.Variable(tf.ones([2], tf.bfloat16))
            model.rows, model.any = tf.Variable([1, 2], shape=[None]), tf.Variable([[1]], shape=tf.TensorShape(None))
            sess.run([v.initializer for v in model.variables])
            tf.saved_model.save(model, path("model"))
        names = ["text", "truth", "nothing", "half", "rows", "any"]
        with session(tf) as sess:
            model = tf.saved_model.load(path("model"))
            sess.run(tf.compat.v1.global_variables_initializer())
            sess.run(model.rows.assign([1, 2, 3]))
            variables = [getattr(model, name) for name in names]
            return [(v.dtype, str(v.shape), sess.run(v).tolist()) for v in variables]


def _with_table(tf: Any, kind: str) -> Any:
    model = tf.Module()
    keys, values = tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64)
    if kind == "static":
        model.table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), -1)
        fill = None
    else:
        model.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        fill = model.table.insert(keys, values)
    model.find = tf.function(lambda x: model.table.lookup(x), input_signature=[tf.TensorSpec([None], tf.string)])
    return model, fill


@rows("static", "mutable")
def tables_loaded_into_a_graph_are_filled_by_the_initializer_of_tables(tf: Any, kind: str) -> Any:
    v1 = tf.compat.v1
    with _folder() as path:
        tf.saved_model.save(_with_table(tf, kind)[0], path("model"))
        with session(tf) as sess:
            y = tf.saved_model.load(path("model")).find(["b", "c"])
            before = refused(lambda: sess.run(y))
            sess.run(v1.tables_initializer())
            return before, sess.run(y)


@rows(True, False)
def a_static_table_of_a_graph_is_saved_with_or_without_its_entries(tf: Any, filled: bool) -> Any:
    with _folder() as path:
        with session(tf) as sess:
            model, _ = _with_table(tf, "static")
            if filled:
                sess.run(tf.compat.v1.tables_initializer())
            tf.saved_model.save(model, path("model"))
        return tf.saved_model.load(path("model")).find(tf.constant(["b", "c"]))


def files_loaded_into_a_graph(tf: Any) -> Any:
    with _folder() as path:
        Path(path("words.txt")).write_text("x\ny\n", encoding="utf-8")
        model = tf.Module()
        model.words = tf.saved_model.Asset(path("words.txt"))
        model.read = tf.function(lambda: tf.io.read_file(model.words.asset_path), input_signature=[])
        tf.saved_model.save(model, path("model"))
        with session(tf) as sess:
            loaded = tf.saved_model.load(path("model"))
            collected = sess.run(tf.compat.v1.get_collection("asset_filepaths"))
            return sess.run(loaded.read()), [os.path.basename(p) for p in collected]


@rows("no session", "no value", "placeholder", "eager", "another graph", "inside a function")
def refusals(tf: Any, case: str) -> Any:
    v1 = tf.compat.v1
    with _folder() as path:

        def saved(model: Any) -> Any:
            return refused(lambda: tf.saved_model.save(model, path("model")))

        model = tf.Module()
        if case == "inside a function":
            save = tf.function(lambda: tf.saved_model.save(tf.Module(), path("model")), autograph=False)
            with session(tf):
                return refused(save)
        with tf.Graph().as_default():
            model.scale = tf.Variable(1.0)
            if case == "no session":
                return saved(model)
            with v1.Session() as sess:
                if case == "no value":
                    return saved(model)
                sess.run(model.scale.initializer)
                if case == "placeholder":
                    x = v1.placeholder(tf.float32, [])
                    model.call = tf.function(lambda y: x + y, input_signature=[tf.TensorSpec([])])
                    return saved(model)
        if case == "eager":
            return saved(model)
        with session(tf):
            return saved(model)
