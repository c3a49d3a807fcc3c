"""`tf.keras`: Keras finds inlay where it imports TensorFlow, and nothing else does."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import inlay as tf
from inlay._src.tools.unmodified import keras_backend

PUBLIC = keras_backend.PUBLIC


def printed(code: str, *command: str, **environment: str) -> str:
    """The output of a program that is a process of its own, with its errors."""
    done = subprocess.run(
        [sys.executable, *(command or ("-c", textwrap.dedent(code)))],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=55,
    )
    return done.stdout + (done.stderr if done.returncode else "")


def test_keras_is_loaded_when_it_is_asked_for_and_sees_no_tensorflow_elsewhere() -> None:
    code = """
        import sys
        import inlay as tf
        print("keras" in sys.modules)
        from inlay.keras.layers import Dense
        import inlay.keras.ops as ops
        import keras
        print(tf.keras is sys.modules["keras._tf_keras.keras"], Dense is keras.layers.Dense, ops.add is keras.ops.add)
        print(tf.losses is tf.keras.losses, tf.optimizers.Adam is keras.optimizers.Adam, tf.compat.v2.keras is tf.keras)
        print(keras.config.backend(), [name for name in sys.modules if name.startswith("tensorflow")])
        try:
            import tensorflow
        except ModuleNotFoundError as error:
            print(error)
    """
    assert printed(code).splitlines() == [
        "False",
        "True True True",
        "True True True",
        "tensorflow []",
        "No module named 'tensorflow'",
    ]


def test_importing_keras_alone_leaves_it_as_it_is() -> None:
    code = """
        import inlay as tf
        import keras
        print(keras.config.backend())
        try:
            tf.keras
        except ImportError as error:
            print(error)
    """
    backend, refusal = printed(code, KERAS_BACKEND="jax").splitlines()
    assert backend == "jax"
    assert refusal.startswith("Keras was imported in this process before tf.keras was asked for, and is on the backend")


def test_another_backend_in_the_environment_is_refused() -> None:
    out = printed("import inlay as tf\ntf.keras", KERAS_BACKEND="torch")
    assert "the variable KERAS_BACKEND of the environment says 'torch'" in out


def test_a_configuration_file_does_not_decide(tmp_path: Path) -> None:
    tmp_path.joinpath("keras.json").write_text('{"backend": "jax", "floatx": "float32", "epsilon": 1e-07}')
    out = printed("import inlay as tf\nprint(tf.keras.config.backend())", KERAS_HOME=str(tmp_path))
    assert out == "tensorflow\n"


@pytest.mark.parametrize(
    ("release", "said"),
    [
        (None, r"tf.keras needs Keras 3: pip install 'inlay\[keras\]'"),
        ("3.14.0", "works with Keras 3.15, and 3.14.0 is installed"),
        ("3.150.0", "works with Keras 3.15, and 3.150.0 is installed"),
    ],
)
def test_other_releases_are_refused(release: str | None, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        if release is None:
            raise keras_backend.importlib.metadata.PackageNotFoundError(name)
        return release

    monkeypatch.setattr(keras_backend.importlib.metadata, "version", version)
    with pytest.raises(ImportError, match=said):
        keras_backend.load()


def test_tensorflow_itself_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import ModuleType

    monkeypatch.setitem(sys.modules, "tensorflow", ModuleType("tensorflow"))
    with pytest.raises(ImportError, match="TensorFlow itself is imported in this process"):
        keras_backend.load()


def test_a_block_that_imports_no_keras_leaves_no_finder() -> None:
    code = """
        import sys
        import inlay as tf
        before = list(sys.meta_path)
        with tf.experimental.as_tensorflow():
            print(len(sys.meta_path) - len(before))
        print(sys.meta_path == before)
    """
    assert printed(code) == "3\nTrue\n"


def test_programs_that_are_run_find_keras_everywhere(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            """
            import keras
            import tensorflow as tf
            from tensorflow import keras as same
            from tensorflow.keras import layers
            from tensorflow.keras.layers import Dense
            import tensorflow.keras.utils as utils
            print(same is tf.keras, layers.Dense is Dense is keras.layers.Dense, utils is tf.keras.utils)
            print(keras.config.backend(), Dense(2)(tf.ones([1, 3])).shape, tf.losses is tf.keras.losses)
            """
        )
    )
    out = printed("", "-m", "inlay", "run", str(program))
    assert out.splitlines() == ["True True True", "tensorflow (1, 2) True"]


def test_builtins_that_a_program_replaces_are_replaced_in_keras(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins

    from inlay.keras.utils import get_file  # type: ignore[import-not-found]  # noqa: F401  # Keras is loaded

    prompt = vars(sys.modules["keras.src.utils.io_utils"])["ask_to_proceed_with_overwrite"]
    monkeypatch.setattr(builtins, "input", lambda text: "y")
    assert prompt("file") is True


def test_what_keras_knows_by_name_it_knows() -> None:
    keras: Any = tf.keras
    adapters = sys.modules["keras.src.trainers.data_adapters"]
    predicates = vars(sys.modules["keras.src.trainers.data_adapters.data_adapter_utils"])
    dataset = tf.data.Dataset.range(3)
    assert vars(adapters)["is_tf_dataset"](dataset) and not vars(adapters)["is_tf_dataset"]([1])
    assert predicates["is_tensorflow_tensor"](tf.constant(1)) and predicates["is_tensorflow_ragged"](
        tf.ragged.constant([[1]])
    )
    is_sparse = predicates["is_tensorflow_sparse"]
    assert is_sparse(tf.sparse.from_dense([1])) and not is_sparse(tf.constant(1))
    assert [len(list(part)) for part in keras.utils.split_dataset(dataset, 0.5)] == [2, 1]


def test_a_module_of_another_release_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import ModuleType

    finder = keras_backend.KerasFinder(forced=True)
    with pytest.raises(AttributeError, match="is_tf_dataset"):
        keras_backend._ADAPTED["keras.src.trainers.data_adapters"](ModuleType("data_adapters"), finder)
