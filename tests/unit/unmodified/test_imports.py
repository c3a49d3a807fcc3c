"""TensorFlow's modules, answered by ours."""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from pathlib import Path
from typing import Any

import pytest

import inlay as tf
from inlay._src.base.export import replace_everywhere
from inlay._src.tools.unmodified.imports import as_tensorflow


def test_public_modules_are_our_namespaces() -> None:
    with as_tensorflow() as library:
        import tensorflow  # type: ignore[import-not-found]
        import tensorflow.compat.v1 as first  # type: ignore[import-not-found]
        from tensorflow.io import decode_png  # type: ignore[import-not-found]

        assert library is tensorflow
        assert tensorflow.py_function is tf.py_function
        assert first.placeholder is tf.compat.v1.placeholder
        assert first.logging.info is tf.compat.v1.logging.info
        assert decode_png is tf.io.decode_png
        assert tensorflow.__version__ == "2.21.0" and {"constant", "data"} <= {*dir(tensorflow)}
    assert not [name for name in sys.modules if name.partition(".")[0] == "tensorflow"]


@pytest.mark.parametrize(("v1", "version"), [(False, "2.21.0"), (True, "1.15.5")])
def test_the_package_has_metadata_and_a_file(v1: bool, version: str) -> None:
    with as_tensorflow(v1) as tensorflow:
        assert importlib.metadata.version("tensorflow") == version
        assert "tensorflow" in {d.metadata["Name"] for d in importlib.metadata.distributions()}
        assert tensorflow.__file__ == tf.__file__
        with pytest.raises(importlib.metadata.PackageNotFoundError):
            importlib.metadata.version("tensorflow-gpu")


def test_the_names_of_the_first_version() -> None:
    with as_tensorflow(v1=True) as library:
        contrib = importlib.import_module("tensorflow.contrib.framework")
        assert library.Session is tf.compat.v1.Session
        assert library.train.AdamOptimizer is tf.compat.v1.train.AdamOptimizer
        assert library.nn.max_pool is tf.compat.v1.nn.max_pool
        assert importlib.import_module("tensorflow.compat.v2").nn.relu is tf.nn.relu
        assert contrib.py_func is tf.contrib.framework.py_func
        assert library.__version__ == library.VERSION == "1.15.5"


@pytest.mark.parametrize(
    ("module", "name", "public"),
    [
        ("tensorflow.python.framework.ops", "RegisterGradient", "RegisterGradient"),
        ("tensorflow.python.framework.ops", "convert_to_tensor", "compat.v1.convert_to_tensor"),
        ("tensorflow.python.framework.dtypes", "float32", "float32"),
        ("tensorflow.python.framework.errors", "OutOfRangeError", "errors.OutOfRangeError"),
        ("tensorflow.python.framework.tensor_util", "constant_value", "get_static_value"),
        ("tensorflow.python.ops.math_ops", "reduce_sum", "compat.v1.math.reduce_sum"),
        ("tensorflow.python.ops.nn_ops", "relu", "compat.v1.nn.relu"),
        ("tensorflow.python.ops.script_ops", "eager_py_func", "py_function"),
        ("tensorflow.python.ops.script_ops", "py_func", "compat.v1.py_func"),
        ("tensorflow.python.ops.resource_variable_ops", "ResourceVariable", "Variable"),
        ("tensorflow.python.data.ops.dataset_ops", "DatasetV2", "data.Dataset"),
        ("tensorflow.python.eager.backprop", "GradientTape", "GradientTape"),
        ("tensorflow.python.util.nest", "flatten", "nest.flatten"),
        ("tensorflow.core.protobuf.config_pb2", "ConfigProto", "compat.v1.ConfigProto"),
    ],
)
def test_private_modules_have_the_public_names(module: str, name: str, public: str) -> None:
    expected: Any = tf
    for part in public.split("."):
        expected = getattr(expected, part)
    with as_tensorflow():
        assert getattr(importlib.import_module(module), name) is expected


@pytest.mark.parametrize("loaded", [False, True])
def test_libraries_learn_of_the_classes_of_tensors(
    loaded: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "autoray"
    package.mkdir()
    (package / "__init__.py").write_text("from autoray.autoray import KNOWN")
    (package / "autoray.py").write_text("KNOWN = {}\ndef register_backend(cls, name): KNOWN[cls] = name")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("autoray", "autoray.autoray"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    if loaded:
        importlib.import_module("autoray")
    finders = list(sys.meta_path)
    with as_tensorflow():
        backends = importlib.import_module("autoray").KNOWN
        assert backends[type(tf.constant(1))] == backends[tf.Variable] == "tensorflow"
    assert [f for f in sys.meta_path if type(f).__name__ != "KerasFinder"] == [
        f for f in finders if type(f).__name__ != "KerasFinder"
    ]
    for name in ("autoray", "autoray.autoray"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_a_name_that_is_replaced_is_replaced_where_it_was_looked_up() -> None:
    def other(*args: Any) -> None:
        pass

    plain = tf.math.zero_fraction
    with as_tensorflow() as library:
        assert library.math.zero_fraction is plain
        stand_in = importlib.import_module("tensorflow.math")
        assert stand_in.zero_fraction is plain
        assert replace_everywhere(plain, other)
        try:
            assert stand_in.zero_fraction is other
        finally:
            replace_everywhere(other, plain)
        assert stand_in.zero_fraction is tf.math.zero_fraction is plain


def test_a_private_module_is_there_without_its_import() -> None:
    with as_tensorflow() as library:
        assert library.python.ops.array_ops.reshape is tf.compat.v1.reshape


@pytest.mark.parametrize("statement", ["import tensorflow.tpu", "from tensorflow import tpu", "tensorflow.tpu"])
def test_what_is_absent_is_refused_by_name_with_the_way_out(statement: str) -> None:
    with as_tensorflow() as library, pytest.raises((ImportError, AttributeError)) as caught:
        exec(statement, {"tensorflow": library})
    assert str(caught.value) == "tensorflow.tpu is not here: no TPU runtime"


def test_a_misspelt_name_is_told_the_nearest() -> None:
    with as_tensorflow(v1=True) as library:
        with pytest.raises(AttributeError, match="tensorflow.Placeholder is not here: the nearest name here is 'pla"):
            library.Placeholder  # noqa: B018
        with pytest.raises(ImportError, match="tensorflow.python.ops.array_ops.nothing is not here"):
            exec("from tensorflow.python.ops.array_ops import nothing")
        with pytest.raises(ImportError, match="tensorflow.identity is not here: identity is no module"):
            importlib.import_module("tensorflow.identity.x")


def test_modules_tell_strangers_what_they_ask_of_any_module() -> None:
    with as_tensorflow() as library:
        assert not hasattr(library, "__wrapped__")
        assert "inlay in place of tensorflow" in library.__doc__


def test_it_stands_for_tensorflow_once_and_not_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with as_tensorflow(), pytest.raises(RuntimeError, match="not to be nested"), as_tensorflow():
        pass
    monkeypatch.setitem(sys.modules, "tensorflow", tf)
    with pytest.raises(RuntimeError, match="TensorFlow is imported in this process"), as_tensorflow():
        pass
    assert sys.modules["tensorflow"] is tf


def test_private_modules_tell_the_context_and_what_tapes_record() -> None:
    with as_tensorflow():
        from tensorflow.python.eager import context, record  # type: ignore[import-not-found]
        from tensorflow.python.util import tf_contextlib, tf_decorator  # type: ignore[import-not-found]

        with tf.device("/CPU:0"):
            assert context.context().executing_eagerly() and context.context().device_spec.device_type == "CPU"
        with tf.Graph().as_default():
            assert not context.context().executing_eagerly()
        x, y = tf.constant(1.0), tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            assert record.should_record_backprop([x, y]) and not record.should_record_backprop([y])
        assert not record.should_record_backprop([x])

        @tf_contextlib.contextmanager
        def block() -> Any:
            yield 3

        with block() as value:
            assert value == 3
        assert tf_decorator.make_decorator(block, lambda: 4).__name__ == "block"
