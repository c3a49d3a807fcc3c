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
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

LIMIT = 1e-5


class Model(NamedTuple):
    """A public model.

    Attributes:
      repository: OWNER/NAME on GitHub.
      path: its folder there, or the file of a frozen graph.
      gradients: whether gradients are compared.
    """

    repository: str
    path: str
    gradients: bool = False


_SERVED = "tensorflow_serving/servables/tensorflow/testdata"
_ONNX = "onnx/tensorflow-onnx"
MODELS = [
    *[
        Model("tensorflow/serving", f"{_SERVED}/saved_model_{name}/{version}")
        for name, version in [
            ("half_plus_two_2_versions", "00000123"), ("half_plus_two_2_versions", "00000124"),
            ("half_plus_two_cpu", "00000123"), ("half_plus_two_cpu_with_saved_model_config", "00000123"),
            ("half_plus_two_cpu_with_empty_saved_model_config", "00000123"), ("half_plus_two_gpu", "00000123"),
            ("half_plus_two_gpu_trt", "00000123"), ("half_plus_two_mkl", "00000123"),
            ("half_plus_two_mlmd", "00000123"), ("half_plus_two_tf2_cpu", "00000123"),
            ("half_plus_three", "00000123"), ("counter", "00000123"),
        ]
    ],
    Model("tensorflow/serving", "tensorflow_serving/batching/testdata/matrix_half_plus_two/1", gradients=True),
    Model("tensorflow/rust", "examples/regression_savedmodel"),
    Model("tensorflow/rust", "test_resources/regression-model"),
    Model("tensorflow/rust", "examples/addition/model.pb"),
    Model(_ONNX, "tests/models/regression/saved_model", gradients=True),
    Model(_ONNX, "tests/models/saved_model_with_redundant_inputs"),
    Model(_ONNX, "tests/models/regression/graphdef/frozen.pb"),
    Model(_ONNX, "tests/models/fc-layers/frozen.pb", gradients=True),
    Model(_ONNX, "tests/models/lstm/frozen.pb"),
    Model(_ONNX, "tests/models/gru/frozen.pb"),
    Model(_ONNX, "tests/models/ae0/frozen.pb"),
    Model("AdamPio/Digit-Recognition", "model", gradients=True),
    Model("AndrewTaoWen/stock-price-prediction", "model", gradients=True),
]  # fmt: skip


# ---------------------------------------------------------------- run by either library


def _random(rng: np.random.Generator, dtype: Any, shape: Any) -> np.ndarray:
    """An input of a shape whose unknown sizes are 2; an unknown rank is that of a vector."""
    sizes = [2] if shape.rank is None else [2 if size is None else size for size in shape.as_list()]
    if dtype.name == "string":
        feature = b"\n\x0e\n\x0c\n\x01x\x12\x07\x12\x05\n\x03\n\x01\x31"  # no example: refused alike
        return np.full(sizes, feature, object)
    if dtype.is_integer:
        return rng.integers(0, 3, sizes).astype(dtype.as_numpy_dtype)
    if dtype.name == "bool":
        return rng.integers(0, 2, sizes).astype(bool)
    return rng.normal(size=sizes).astype(dtype.as_numpy_dtype)


def _examples(tf: Any, rng: np.random.Generator, sizes: list[int]) -> np.ndarray:
    """Serialized examples with the features that the models of TensorFlow Serving take."""
    texts = []
    for _ in range(int(np.prod(sizes))):
        features = {
            name: tf.train.Feature(float_list=tf.train.FloatList(value=[float(rng.normal())])) for name in ("x", "x2")
        }
        texts.append(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())
    return np.array(texts, object).reshape(sizes)


def _saved_model(tf: Any, model: Model, path: str) -> dict[str, np.ndarray]:
    rng, results = np.random.default_rng(7), {}
    loaded = tf.saved_model.load(path)
    for name in sorted(loaded.signatures):
        function = loaded.signatures[name]
        specs = function.structured_input_signature[1]
        inputs = {}
        for key in sorted(specs):
            value = _random(rng, specs[key].dtype, specs[key].shape)
            inputs[key] = tf.constant(_examples(tf, rng, list(value.shape)) if value.dtype == object else value)
        watched = [x for x in inputs.values() if x.dtype.is_floating]
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(watched)
            outputs = function(**inputs)
            total = tf.add_n([tf.reduce_sum(y * y) for k, y in sorted(outputs.items()) if y.dtype.is_floating] or [0.0])
        for key, value in outputs.items():
            results[f"{name}/{key}"] = np.asarray(value.numpy())
        if model.gradients:
            variables = sorted(loaded.trainable_variables, key=lambda v: v.name) if hasattr(loaded, "variables") else []
            for at, gradient in enumerate(tape.gradient(total, [*watched, *variables])):
                if gradient is not None:
                    results[f"{name}/gradient {at}"] = np.asarray(tf.convert_to_tensor(gradient).numpy())
    return results


def _frozen(tf: Any, model: Model, path: str) -> dict[str, np.ndarray]:
    rng, message = np.random.default_rng(7), tf.compat.v1.GraphDef()
    message.ParseFromString(Path(path).read_bytes())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(message, name="")
        taken = {name.split(":")[0].lstrip("^") for node in message.node for name in node.input}
        nodes = sorted(graph.get_operations(), key=lambda node: node.name)
        feeds = {
            node.outputs[0]: _random(rng, node.outputs[0].dtype, node.outputs[0].shape)
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


def results_of(library: str, model: Model, path: str) -> dict[str, np.ndarray]:
    """The values that a library computes with a model.

    Args:
      library: "tensorflow" or "inlay".
      model: the model.
      path: its folder or file.
    """
    tf = importlib.import_module(library)
    return (_frozen if path.endswith(".pb") else _saved_model)(tf, model, path)


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


def _compared(models: list[tuple[Model, str]], python: str) -> Iterator[bool]:
    with tempfile.TemporaryDirectory() as folder:
        for number, (model, path) in enumerate(models):
            output = Path(folder) / f"{number}.npz"
            command = [python, __file__, "--of", str(MODELS.index(model)), "--path", path, "--output", str(output)]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            if run.returncode:
                print(f"TensorFlow fails  {model.repository} {model.path}: {run.stderr.strip().splitlines()[-1][:200]}")
                continue
            expected = dict(np.load(output, allow_pickle=True))
            start = time.perf_counter()
            try:
                got = results_of("inlay", model, path)
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
                f"{worst:.1e}, {time.perf_counter() - start:.2f} s" + (f", only in one: {sorted(missing)}" * bool(missing))
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
