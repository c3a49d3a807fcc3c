"""Models saved and loaded in one process: what objects become, what is refused, and which functions run."""

from __future__ import annotations

import itertools
import json
import os
import pickle
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.saved import container
from inlay._src.saved.container import Container
from inlay._src.saved.loading import Inspected
from inlay._src.saved.showing import shown

FLOAT = tf.TensorSpec([None], tf.float32, name="x")


def loaded(path: Path) -> Any:
    """A model, all of whose functions are trusted."""
    return tf.saved_model.load(str(path), trust=Container(str(path)).digest)


def calling(function: Any, tout: Any = tf.float32) -> tf.Module:
    """A model that calls a function of arrays."""
    model = tf.Module()
    model.f = tf.function(lambda x: tf.numpy_function(function, [x], tout), input_signature=[FLOAT])
    return model


X = np.array([1.0, -2.0], np.float32)


def test_objects_come_back_with_what_they_own(tmp_path: Path) -> None:
    class Layer(tf.Module):
        def __init__(self, by: float) -> None:
            super().__init__(name="layer")
            self.w = tf.Variable(by, name="w")

        @tf.function
        def __call__(self, x: Any, k: Any = 2.0, *, shift: Any = 0) -> Any:
            return {"y": x * self.w * k + tf.cast(shift, tf.float32), "pair": (x, [x + 1.0])}

    (tmp_path / "words.txt").write_text("a\nb\n")
    model = tf.Module(name="root")
    model.layers, model.by_name = [Layer(2.0), Layer(3.0)], {"a": Layer(4.0)}
    model.frozen = tf.Variable([1, 2], trainable=False, dtype=tf.int64)
    model.text = tf.Variable(["x", "yz"])
    model.words = tf.saved_model.Asset(tmp_path / "words.txt")
    want = model.layers[0](X, shift=1)
    model.layers[1](X, 5.0)
    model.by_name["a"](X)
    tf.saved_model.save(model, str(tmp_path / "m"))
    (tmp_path / "words.txt").unlink()
    got = loaded(tmp_path / "m")
    np.testing.assert_array_equal(got.layers[0](X, shift=1)["y"], want["y"])
    assert isinstance(got.layers[0](X, shift=1)["pair"], tuple)
    np.testing.assert_array_equal(got.layers[1](X, k=5.0)["y"], X * 15)
    np.testing.assert_array_equal(got.by_name["a"](X)["y"], X * 8)
    assert [v.trainable for v in got.variables].count(False) == 1 and got.frozen.numpy().tolist() == [1, 2]
    assert got.text.numpy().tolist() == [b"x", b"yz"] and got.name == "root"
    assert Path(got.words.asset_path.numpy().decode()).read_text() == "a\nb\n"
    got.layers[0].w.assign(0.0)
    np.testing.assert_array_equal(got.layers[0](X, shift=1)["y"], [1.0, 1.0])
    with pytest.raises(ValueError, match=r"Could not find matching concrete function.*was saved with:\n"):
        got.layers[1](X, k=7.0)


def test_signatures_take_names_and_give_names(tmp_path: Path) -> None:
    model = calling(lambda v: v * 2)
    tf.saved_model.save(model, str(tmp_path / "a"))
    got = tf.saved_model.load(str(tmp_path / "a"), trust=Container(str(tmp_path / "a")).digest)
    assert list(got.signatures) == ["serving_default"]
    np.testing.assert_array_equal(got.signatures["serving_default"](x=X)["output_0"], X * 2)
    concrete = tf.function(lambda x, y: {"sum": x + y}).get_concrete_function(FLOAT, tf.TensorSpec([], tf.float32, "y"))
    tf.saved_model.save(model, str(tmp_path / "b"), signatures={"add": concrete, "twice": model.f})
    got = loaded(tmp_path / "b")
    np.testing.assert_array_equal(got.signatures["add"](x=X, y=tf.constant(1.0))["sum"], X + 1)
    infos = Inspected(str(tmp_path / "b")).signatures["add"]
    assert sorted(infos.inputs) == ["x", "y"] and infos.inputs["x"].tensor_shape.dim[0].size == -1


@tf.function
def _taking_a_variable(v: Any) -> Any:
    return v + 1.0


_of_a_variable = _taking_a_variable.get_concrete_function(tf.Variable(1.0))


@pytest.mark.parametrize(
    ("root", "signatures", "said"),
    [
        (3, None, "Expected an object of type `Trackable`"),
        (tf.Module, None, "Expected an object of type `Trackable`"),
        (tf.Module(), 3, "Expected signature"),
        (tf.Module(), {"a": lambda x: x}, "Only `tf.functions` with an input signature"),
        (tf.Module(), tf.function(lambda x: x), "0 traces: give it an `input_signature`"),
        (tf.Module(), _of_a_variable, "must take tensors"),
    ],
)
def test_what_cannot_be_saved_is_told(tmp_path: Path, root: Any, signatures: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        tf.saved_model.save(root, str(tmp_path / "m"), signatures)
    assert not (tmp_path / "m").exists()


def test_a_function_that_cannot_travel_is_refused_when_it_is_saved_with_op_and_object(tmp_path: Path) -> None:
    lock = threading.Lock()
    with pytest.raises(TypeError, match=r"op 'PyFunc.*' \(PyFunc\), defined at .*'lock' .*is a lock") as caught:
        tf.saved_model.save(calling(lambda v: (v, lock)[0]), str(tmp_path / "m"))
    assert isinstance(caught.value, tf.errors.InvalidArgumentError) and list(tmp_path.iterdir()) == []


def test_a_refusal_names_its_class_once(tmp_path: Path) -> None:
    lock = threading.Lock()
    model = tf.Module()
    model.f = tf.function(lambda x: tf.numpy_function(lambda v: v if lock else v, [x], tf.float32))
    model.f(tf.constant(1.0))
    other = tf.Module()
    other.data = tf.data.Dataset.range(3).map(lambda i: tf.numpy_function(lambda v: v if lock else v, [i], tf.int64))
    for root, place in ((model, "op 'PyFunc'"), (other, "op 'DatasetFromGraph'")):
        with pytest.raises(TypeError, match=f"^TypeError: {place}.* is a lock; it locks") as raised:
            tf.saved_model.save(root, tmp_path / "model")
        assert str(raised.value).count("TypeError") == 1


def test_a_model_names_no_folders_of_the_machine_that_saved_it(tmp_path: Path) -> None:
    model = tf.Module()
    model.f = tf.function(lambda x: tf.py_function(lambda v: v + 1.0, [x], tf.float32))
    model.f(tf.constant(1.0))
    model.data = tf.data.Dataset.range(3).map(lambda i: tf.numpy_function(lambda v: v + 1, [i], tf.int64))
    tf.saved_model.save(model, tmp_path / "model")
    written = [file for file in (tmp_path / "model").rglob("*") if file.is_file()]
    assert str(Path(__file__).parent).encode() not in b"".join(file.read_bytes() for file in written)
    assert any(Path(__file__).name.encode() in file.read_bytes() for file in written)
    assert str(tmp_path).encode() not in b"".join(file.read_bytes() for file in written)


def test_nested_saves_are_refused(tmp_path: Path) -> None:
    @tf.function
    def inside() -> None:
        tf.saved_model.save(tf.Module(), str(tmp_path / "m"))

    with pytest.raises(AssertionError, match="not supported inside a traced @tf.function"):
        inside()


def test_models_side_by_side_run_their_own_functions(tmp_path: Path) -> None:
    """Their functions have the same names and tokens."""

    def model(by: float) -> tf.Module:
        def function(v: Any) -> Any:
            return v * np.float32(by)

        return calling(function)

    for by in (2.0, 3.0):
        tf.saved_model.save(model(by), str(tmp_path / str(by)))
    tokens = [
        [n.attr["token"].s for f in Inspected(str(tmp_path / by)).library for n in f.node_def if n.op == "PyFunc"]
        for by in ("2.0", "3.0")
    ]
    assert tokens[0] == tokens[1] != []
    for order in itertools.permutations([2.0, 3.0]):
        models = [(by, loaded(tmp_path / str(by))) for by in order]
        for by, got in [*models, *reversed(models)]:
            np.testing.assert_array_equal(got.f(tf.constant(X)), X * np.float32(by))


def test_functions_run_only_if_something_allows_them(tmp_path: Path) -> None:
    tf.saved_model.save(calling(lambda v: v + 1), str(tmp_path / "m"))
    seen = Inspected(str(tmp_path / "m"))
    (body,) = {body.digest: body for body in seen.bodies.values()}.values()
    for trust in (None, "numpy", "0" * 64, "ed25519:" + "2" * 64):
        with pytest.raises(tf.errors.PermissionDeniedError, match="holds 1 Python function that nothing allows"):
            tf.saved_model.load(str(tmp_path / "m"), trust=trust)
    for trust in (body.digest, [f"sha256:{seen.container.digest}"], ["numpy", f"sha256:{body.digest}"]):
        np.testing.assert_array_equal(tf.saved_model.load(str(tmp_path / "m"), trust=trust).f(X), X + 1)


def test_a_signature_allows_what_was_signed(tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    from inlay._src.saved import signing

    tf.saved_model.save(calling(lambda v: v + 1), str(tmp_path / "m"))
    signing.new_key(str(tmp_path / "key"))
    key = signing.sign(str(tmp_path / "m"), signing.read_key(str(tmp_path / "key")))
    np.testing.assert_array_equal(tf.saved_model.load(str(tmp_path / "m"), trust=key).f(X), X + 1)
    with pytest.raises(tf.errors.PermissionDeniedError):
        tf.saved_model.load(str(tmp_path / "m"), trust="ed25519:" + "1" * 64)
    kept = (tmp_path / "m" / container.SIGNATURE).read_bytes()
    tf.saved_model.save(calling(lambda v: v + 2), str(tmp_path / "m"))
    with pytest.raises(tf.errors.PermissionDeniedError):
        tf.saved_model.load(str(tmp_path / "m"), trust=key)
    (tmp_path / "m" / container.SIGNATURE).write_bytes(kept)
    with pytest.raises(tf.errors.DataLossError, match="was changed after it was signed"):
        tf.saved_model.load(str(tmp_path / "m"), trust=key)


def test_a_model_of_pure_ops_needs_no_trust(tmp_path: Path) -> None:
    model = tf.Module()
    model.f = tf.function(lambda x: tf.nn.softmax(x) + tf.random.normal([2]) * 0.0, input_signature=[FLOAT])
    tf.saved_model.save(model, str(tmp_path / "m"))
    np.testing.assert_allclose(tf.saved_model.load(str(tmp_path / "m")).f(X), model.f(X))


def test_there_is_a_model_or_none(tmp_path: Path) -> None:
    assert not tf.saved_model.contains_saved_model(str(tmp_path))
    tf.saved_model.save(tf.Module(), str(tmp_path / "m"))
    assert tf.saved_model.contains_saved_model(tmp_path / "m")
    with pytest.raises(OSError, match="SavedModel file does not exist at"):
        tf.saved_model.load(str(tmp_path / "other"))


@pytest.mark.parametrize("change", [{"objects": 3}, {"objects": [3]}, {"objects": [{"kind": "variable"}]}, {}])
def test_objects_that_make_no_sense_are_named(tmp_path: Path, change: dict[str, Any]) -> None:
    pure = tf.Module()
    pure.w = tf.Variable(1.0)
    tf.saved_model.save(pure, str(tmp_path / "pure"))
    said = json.loads((tmp_path / "pure" / container.OBJECTS).read_text())
    said = {**said, **change} if change else {"version": said["version"]}
    files = [str(p.relative_to(tmp_path / "pure")) for p in (tmp_path / "pure").rglob("*") if p.is_file()]
    with container.writing(str(tmp_path / "made")) as draft:
        for name in set(files) - {container.MANIFEST, container.OBJECTS}:
            container.write_file(os.path.join(draft, name), (tmp_path / "pure" / name).read_bytes())
        container.write_file(os.path.join(draft, container.OBJECTS), json.dumps(said).encode())
    with pytest.raises(tf.errors.DataLossError, match="is damaged at (its graph or its objects|objects.json)"):
        shown(Inspected(str(tmp_path / "made")))
    with pytest.raises(tf.errors.DataLossError, match="is damaged at (its graph or its objects|objects.json)"):
        tf.saved_model.load(str(tmp_path / "made"))


def test_the_graph_of_a_session_comes_back_with_its_values(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
        w = tf.compat.v1.get_variable("w", initializer=3.0)
        y = tf.identity(tf.numpy_function(lambda v: v + 1, [x], tf.float32) * w, name="y")
        sess.run(tf.compat.v1.global_variables_initializer())
        sess.run(w.assign(5.0))
        tf.compat.v1.saved_model.simple_save(sess, str(tmp_path / "m"), {"x": x}, {"y": y})
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        with pytest.raises(tf.errors.PermissionDeniedError):
            tf.compat.v1.saved_model.load(sess, ["serve"], str(tmp_path / "m"))
        with pytest.raises(RuntimeError, match="could not be found"):
            tf.compat.v1.saved_model.load(sess, ["train"], str(tmp_path / "m"))
        trust = Container(str(tmp_path / "m")).digest
        found = tf.compat.v1.saved_model.load(sess, ["serve"], str(tmp_path / "m"), trust=trust)
        name = found.signature_def["serving_default"].outputs["y"].name
        np.testing.assert_array_equal(sess.run(name, {"x:0": X}), (X + 1) * 5)
    with pytest.raises(tf.errors.PermissionDeniedError):
        tf.saved_model.load(str(tmp_path / "m"))
    model = tf.saved_model.load(str(tmp_path / "m"), trust=trust)
    np.testing.assert_array_equal(model.signatures["serving_default"](x=tf.constant(X))["y"], (X + 1) * 5)
    model.variables[0].assign(2.0)
    np.testing.assert_array_equal(model.signatures["serving_default"](x=tf.constant(X))["y"], (X + 1) * 2)


def test_graphs_and_datasets_pickle() -> None:
    import cloudpickle

    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, name="x")
        tf.numpy_function(lambda a: a * 2, [x], tf.float32, name="y")
    with tf.compat.v1.Session(graph=pickle.loads(pickle.dumps(graph))) as sess:
        assert sess.run("y:0", {"x:0": 3.0}) == 6.0
    v = tf.Variable(2.0)
    data = tf.data.Dataset.range(4).map(lambda i: tf.py_function(lambda a: tf.cast(a, tf.float32) * v, [i], tf.float32))
    again = pickle.loads(cloudpickle.dumps(data.shuffle(4, seed=1).batch(2)))
    assert sorted(float(n) for e in again for n in e) == [0.0, 2.0, 4.0, 6.0]


def test_a_dataset_that_its_own_function_refers_to_is_refused(tmp_path: Path) -> None:
    model = tf.Module()
    model.v = tf.Variable(2.0)
    model.data = tf.data.Dataset.range(4).map(lambda i: tf.py_function(lambda: model.v, [], tf.float32))
    with pytest.raises(TypeError, match="refers to what it is part of"):
        tf.saved_model.save(model, str(tmp_path / "m"))
    assert not os.path.exists(tmp_path / "m")


def test_a_model_lives_no_longer_than_its_owner_after_saving_and_loading(tmp_path: Path) -> None:
    variable = tf.Variable(1.0)
    root = tf.train.Checkpoint(v=variable)
    tf.saved_model.save(root, str(tmp_path / "m"))
    root, saved = tf.saved_model.load(str(tmp_path / "m")), weakref.ref(variable)
    del variable
    assert saved() is None
    loaded = weakref.ref(root.v)
    del root
    assert loaded() is None


def test_a_function_that_gives_a_composite_value_is_saved(tmp_path: Path) -> None:
    class Rows(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None])])
        def __call__(self, x: Any) -> Any:
            return tf.RaggedTensor.from_row_lengths(x, [1, 2])

    tf.saved_model.save(Rows(), str(tmp_path / "m"))
    loaded = tf.saved_model.load(str(tmp_path / "m"))
    assert loaded(tf.constant([1.0, 2.0, 3.0])).to_list() == [[1.0], [2.0, 3.0]]


class _Squares(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.data = tf.data.Dataset.range(5).map(lambda i: i**2)

    @tf.function
    def __call__(self, x: Any) -> Any:
        total = tf.zeros([], tf.int64)
        for element in self.data:
            total += x * element
        return total


def test_a_dataset_without_python_functions_is_loaded_without_trust(tmp_path: Path) -> None:
    model = _Squares()
    assert model(tf.constant(3, tf.int64)) == 90
    for n in range(2):
        tf.saved_model.save(model, str(tmp_path / str(n)))
        model = tf.saved_model.load(str(tmp_path / str(n)))
        assert model(tf.constant(3, tf.int64)) == 90
        assert [int(i) for i in model.data] == [0, 1, 4, 9, 16]
        assert [int(i) for i in pickle.loads(pickle.dumps(model.data))] == [0, 1, 4, 9, 16]


def test_a_function_that_returns_a_dataset_is_loaded(tmp_path: Path) -> None:
    model = tf.Module()
    model.f = tf.function(
        lambda n: tf.data.Dataset.range(n).map(lambda i: i + n), input_signature=[tf.TensorSpec([], tf.int64)]
    )
    tf.saved_model.save(model, str(tmp_path / "m"))
    data = tf.saved_model.load(str(tmp_path / "m")).f(tf.constant(3, tf.int64))
    assert data.element_spec == tf.TensorSpec([], tf.int64)
    assert [int(i) for i in data] == [3, 4, 5]


@pytest.mark.parametrize(
    "batches",
    [
        lambda n: tf.data.Dataset.range(7).map(lambda i: i + n).batch(2),
        lambda n: tf.data.Dataset.range(7).window(2).flat_map(lambda w: w.map(lambda i: i + n).batch(2)),
        lambda n: tf.data.Dataset.range(3).flat_map(lambda j: tf.data.Dataset.range(5).map(lambda i: i + j).batch(2)),
    ],
)
def test_a_loaded_functions_datasets_stack_elements_that_depend_on_its_arguments(tmp_path: Path, batches: Any) -> None:
    @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
    def total(n: Any) -> Any:
        value = n * 0
        for batch in batches(n):
            value += tf.reduce_sum(batch)
        return value

    model = tf.Module()
    model.f = total
    tf.saved_model.save(model, str(tmp_path / "m"))
    three = tf.constant(3, tf.int64)
    assert tf.saved_model.load(str(tmp_path / "m")).f(three) == total(three)


def test_a_property_that_returns_a_function_is_read_once_and_saved(tmp_path: Path) -> None:
    class Counting(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.reads = 0

        @property
        def made(self) -> Any:
            self.reads += 1
            number = self.reads
            return tf.function(lambda: tf.constant(number), input_signature=[])

        @property
        def broken(self) -> Any:
            raise ValueError("not yet")

    model = Counting()
    tf.saved_model.save(model, str(tmp_path / "m"))
    assert model.reads == 1
    assert int(tf.saved_model.load(str(tmp_path / "m")).made()) == 1
