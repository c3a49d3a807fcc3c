"""Compare public models in inlay with TensorFlow: values of every signature, and gradients.

    python -m scripts.foreign_models --tensorflow .envs/tensorflow/bin/python [--repositories FOLDER] [--only TEXT]

The models belong to their authors and are not part of this repository: they are read from FOLDER, which has a checkout
OWNER/NAME of each, or else are cloned into a temporary folder. Inputs are random numbers of a fixed seed. The same
program runs with both libraries; it prints the largest relative difference of each model.
"""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

LIMIT = 1e-5


class Model(NamedTuple):
    """A public model.

    Attributes:
      repository: OWNER/NAME on GitHub.
      path: its folder there, or the file of a frozen graph.
      gradients: whether gradients are compared.
      tags: the labels of the graph of a session; empty for a model of TensorFlow 2.
      feeds: name of a placeholder of a frozen graph -> its value, where random numbers make no sense.
      size: for unknown sizes of inputs.
    """

    repository: str
    path: str
    gradients: bool = False
    tags: tuple[str, ...] = ()
    feeds: Mapping[str, Any] = MappingProxyType({})
    size: int = 2


_SERVED = "tensorflow_serving/servables/tensorflow/testdata"
_ONNX = "onnx/tensorflow-onnx"
MODELS = [
    *[
        Model("tensorflow/serving", f"{_SERVED}/saved_model_{name}/{version}", tags=("serve",))
        for name, version in [
            ("half_plus_two_2_versions", "00000123"), ("half_plus_two_2_versions", "00000124"),
            ("half_plus_two_cpu", "00000123"), ("half_plus_two_cpu_with_saved_model_config", "00000123"),
            ("half_plus_two_cpu_with_empty_saved_model_config", "00000123"), ("half_plus_two_gpu", "00000123"),
            ("half_plus_two_gpu_trt", "00000123"),
            ("half_plus_two_mlmd", "00000123"), ("half_plus_three", "00000123"), ("counter", "00000123"),
        ]
    ],
    Model("tensorflow/serving", f"{_SERVED}/saved_model_half_plus_two_mkl/00000123", tags=("serve",), size=1),
    Model("tensorflow/serving", f"{_SERVED}/saved_model_half_plus_two_tf2_cpu/00000123"),
    Model("tensorflow/serving", f"{_SERVED}/saved_model_half_plus_two_tf2_cpu/00000123", tags=("serve",)),
    Model("tensorflow/serving", "tensorflow_serving/batching/testdata/matrix_half_plus_two/1", True, ("serve",)),
    Model("tensorflow/rust", "examples/regression_savedmodel"),
    Model("tensorflow/rust", "test_resources/regression-model"),
    Model("tensorflow/rust", "test_resources/regression-model", tags=("train", "serve")),
    Model("tensorflow/rust", "examples/addition/model.pb"),
    Model(_ONNX, "tests/models/regression/saved_model", True, ("serve",)),
    Model(_ONNX, "tests/models/saved_model_with_redundant_inputs"),
    Model(_ONNX, "tests/models/regression/graphdef/frozen.pb"),
    Model(_ONNX, "tests/models/fc-layers/frozen.pb", gradients=True),
    Model(_ONNX, "tests/models/lstm/frozen.pb", feeds={"keep_prob": 1.0}),  # without dropout
    Model(_ONNX, "tests/models/gru/frozen.pb", feeds={"X": [[0.25] * 784], "keep_prob": 1.0}),
    Model(_ONNX, "tests/models/ae0/frozen.pb"),
    Model("AdamPio/Digit-Recognition", "model", True, ("serve",)),  # tf.saved_model.load needs tf_keras for it
    Model("AndrewTaoWen/stock-price-prediction", "model", gradients=True),
]  # fmt: skip


# ---------------------------------------------------------------- run by either library

Values = dict[str, np.ndarray]
"""Values by name: those of inputs begin with `in `."""


class Inputs:
    """The inputs of a program: random in the first library, the same ones in the second.

    Args:
      tf: the library.
      size: for unknown sizes.
      values: the values of the first run, or None.
    """

    def __init__(self, tf: Any, size: int, values: Values | None) -> None:
        self._size = size
        self._tf, self._rng, self._before = tf, np.random.default_rng(7), values
        self.values: Values = {}

    def __call__(self, name: str, dtype: Any, shape: Any) -> np.ndarray:
        """An input of a shape; a scalar text is a vector, and an unknown rank 0."""
        name = f"in {name}"
        if self._before is not None:
            value = self._before[name]
        else:
            sizes = [] if shape.rank is None else [self._size if n is None else n for n in shape.as_list()]
            value = self._random(dtype, sizes or ([self._size] if dtype.name == "string" else []))
        self.values[name] = value
        return value

    def _random(self, dtype: Any, sizes: list[int]) -> np.ndarray:
        if dtype.name == "string":
            return self._examples(sizes)
        if dtype.name == "bool":
            return self._rng.integers(0, 2, sizes).astype(bool)
        if dtype.is_integer:
            return self._rng.integers(0, 3, sizes).astype(dtype.as_numpy_dtype)
        return np.asarray(self._rng.normal(size=sizes)).astype(dtype.as_numpy_dtype)

    def _examples(self, sizes: list[int]) -> np.ndarray:
        """Serialized examples with the features that the models of TensorFlow Serving take."""
        train, texts = self._tf.train, []
        for _ in range(int(np.prod(sizes))):
            feature = {n: train.Feature(float_list=train.FloatList(value=[self._rng.normal()])) for n in ("x", "x2")}
            texts.append(train.Example(features=train.Features(feature=feature)).SerializeToString())
        out = np.empty(len(texts), object)
        out[:] = texts
        return out.reshape(sizes)


def _objects(tf: Any, model: Model, path: str, inputs: Inputs) -> Values:
    """Every signature of a model of TensorFlow 2, called; its gradients by a tape."""
    results: Values = {}
    loaded = tf.saved_model.load(path)
    for name in sorted(loaded.signatures):
        function = loaded.signatures[name]
        specs = function.structured_input_signature[1]
        taken = {key: tf.constant(inputs(f"{name}/{key}", specs[key].dtype, specs[key].shape)) for key in sorted(specs)}
        watched = [x for x in taken.values() if x.dtype.is_floating]
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(watched)
            outputs = function(**taken)
            total = tf.add_n([tf.reduce_sum(y * y) for k, y in sorted(outputs.items()) if y.dtype.is_floating] or [0.0])
        results |= {f"{name}/{key}": np.asarray(value.numpy()) for key, value in outputs.items()}
        if model.gradients:
            variables = sorted(getattr(loaded, "trainable_variables", []), key=lambda v: v.name)
            for at, gradient in enumerate(tape.gradient(total, [*watched, *variables])):
                if gradient is not None:
                    results[f"{name}/gradient {at}"] = np.asarray(tf.convert_to_tensor(gradient).numpy())
    return results


def _session(tf: Any, model: Model, path: str, inputs: Inputs) -> Values:
    """Every signature of a model in a session."""
    results: Values = {}
    config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
    with tf.Graph().as_default() as graph, tf.compat.v1.Session(config=config) as session:
        meta = tf.compat.v1.saved_model.load(session, model.tags, path)
        for name in sorted(name for name in meta.signature_def if not name.startswith("__")):
            signature = meta.signature_def[name]
            feeds, fetches = {}, {}
            for key in sorted(signature.inputs):
                tensor = graph.get_tensor_by_name(signature.inputs[key].name)
                feeds[tensor] = inputs(f"{name}/{key}", tensor.dtype, tensor.shape)
            for key in sorted(signature.outputs):
                fetches[key] = tensor = graph.get_tensor_by_name(signature.outputs[key].name)
                if model.gradients:
                    gradients = tf.compat.v1.gradients(tensor, [t for t in feeds if t.dtype.is_floating])
                    fetches |= {f"{key} gradient {i}": g for i, g in enumerate(gradients) if g is not None}
            for key, value in session.run(fetches, feeds).items():
                results[f"{name}/{key}"] = np.asarray(value)
    return results


def _frozen(tf: Any, model: Model, path: str, inputs: Inputs) -> Values:
    """Everything that nothing takes in a frozen graph."""
    message = tf.compat.v1.GraphDef()
    message.ParseFromString(Path(path).read_bytes())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(message, name="")
        taken = {name.split(":")[0].lstrip("^") for node in message.node for name in node.input}
        nodes = [graph.get_operation_by_name(node.name) for node in sorted(message.node, key=lambda node: node.name)]
        feeds = {
            node.outputs[0]: np.array(model.feeds[node.name], np.float32)
            if node.name in model.feeds
            else inputs(node.name, node.outputs[0].dtype, node.outputs[0].shape)
            for node in nodes
            if node.type == "Placeholder"
        }
        last = [n.outputs[0] for n in nodes if n.name not in taken and n.outputs and n.type != "Placeholder"]
        fetches = {tensor.name: tensor for tensor in last}
        if model.gradients:
            for tensor in last:
                gradients = tf.compat.v1.gradients(tensor, [t for t in feeds if t.dtype.is_floating])
                fetches |= {f"{tensor.name} gradient {i}": g for i, g in enumerate(gradients) if g is not None}
        with tf.compat.v1.Session() as session:
            return {name: np.asarray(value) for name, value in session.run(fetches, feeds).items()}


def results_of(library: str, model: Model, path: str, before: Values | None = None) -> Values:
    """The values that a library computes with a model, and the inputs.

    Args:
      library: "tensorflow" or "inlay".
      model: the model.
      path: its folder or file.
      before: the values of the other library, whose inputs are taken.
    """
    tf = importlib.import_module(library)
    inputs = Inputs(tf, model.size, before)
    program = _frozen if path.endswith(".pb") else _session if model.tags else _objects
    return program(tf, model, path, inputs) | inputs.values


# ---------------------------------------------------------------- comparing


def _checkout(repository: str, folder: Path) -> Path:
    """The files of a repository."""
    target = folder / repository.replace("/", "+")
    for candidate in (folder / repository, target):
        if candidate.exists():
            return candidate
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"https://github.com/{repository}", str(target)], check=True)
    return target


def difference(one: np.ndarray, other: np.ndarray) -> float:
    """The largest difference of two arrays, relative to the larger of 1 and the largest number."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return float("inf")
    if one.dtype.kind not in "fc":
        return 0.0 if np.array_equal(one, other) else float("inf")
    if not one.size:
        return 0.0
    return float(np.max(np.abs(one - other)) / max(1.0, float(np.max(np.abs(other)))))


def _reason(text: str) -> str:
    """The line of a traceback that says what is wrong."""
    lines = [line for line in text.splitlines() if "Error" in line.partition(":")[0]]
    return lines[-1][:300] if lines else text[-300:]


def _compared(models: list[tuple[Model, str]], python: str) -> Iterator[bool]:
    with tempfile.TemporaryDirectory() as folder:
        for number, (model, path) in enumerate(models):
            output = Path(folder) / f"{number}.npz"
            command = [python, __file__, "--of", str(MODELS.index(model)), "--path", path, "--output", str(output)]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            if run.returncode:
                print(f"TensorFlow fails  {model.repository} {model.path}: {_reason(run.stderr)}")
                continue
            expected = dict(np.load(output, allow_pickle=True))
            start = time.perf_counter()
            try:
                got = results_of("inlay", model, path, expected)
            except Exception as error:
                print(f"FAILS    {model.repository} {model.path}: {type(error).__name__}: {str(error)[:300]}")
                yield False
                continue
            missing = expected.keys() ^ got.keys()
            worst = max((difference(got[k], expected[k]) for k in expected if k in got), default=0.0)
            fits = not missing and worst <= LIMIT
            yield fits
            print(
                f"{'ok' if fits else 'DIFFERS':8} {model.repository} {model.path}: {len(expected)} values, difference "
                f"{worst:.1e}, {time.perf_counter() - start:.2f} s"
                + (f", only in one: {sorted(missing)}" * bool(missing))
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tensorflow", help="a Python with TensorFlow 2.21")
    parser.add_argument("--repositories", type=Path, help="a folder with checkouts OWNER/NAME or OWNER+NAME")
    parser.add_argument("--only", default="", help="compare models with this text in their names only")
    parser.add_argument("--of", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--path", help=argparse.SUPPRESS)
    parser.add_argument("--output", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.of is not None:
        np.savez(options.output, **results_of("tensorflow", MODELS[options.of], options.path))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.repositories or Path(temporary)
        chosen = [
            (m, str(_checkout(m.repository, folder) / m.path))
            for m in MODELS
            if options.only in f"{m.repository} {m.path}"
        ]
        outcomes = list(_compared(chosen, options.tensorflow))
    print(f"{sum(outcomes)} of {len(outcomes)} alike")
    sys.exit(not all(outcomes))


if __name__ == "__main__":
    main()
