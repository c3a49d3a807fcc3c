"""Readers that know nothing of this library open our graphs: TensorFlow, TensorBoard, Netron.

Each runs in an environment of its own, and is skipped where that is not there:

    python -m venv benchmarks/.envs/tensorflow && benchmarks/.envs/tensorflow/bin/pip install tensorflow-cpu==2.21.0
    python -m venv benchmarks/.envs/readers && benchmarks/.envs/readers/bin/pip install tensorboard netron
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from tests.unit.datasets.test_graph_nodes import PIPELINES
from tests.unit.datasets.test_graph_nodes import written as written_iterator

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parents[1] / "benchmarks" / ".envs"
NODE = shutil.which("node")
pytestmark = pytest.mark.slow

# The graph, and what is asked for of it, on standard output as JSON.
RUN = """
import json, sys
import tensorflow as tf
message = tf.compat.v1.GraphDef.FromString(open(sys.argv[1], "rb").read())
with tf.Graph().as_default() as graph:
    tf.import_graph_def(message, name="")
with tf.compat.v1.Session(graph=graph) as session:
    found = session.run(sys.argv[2:], {"x:0": [[0.3, -1.0, 2.0, 0.5]] * 2})
print(json.dumps([v.tolist() for v in found]))
"""
# What the iterator of each graph gives: folder with NAME.pb and NAME.json (its initializer, its elements' tensors).
ITERATE = """
import json, pathlib, sys
import numpy as np
import tensorflow as tf
found = {}
for file in sorted(pathlib.Path(sys.argv[1]).glob("*.pb")):
    begin, names = json.loads(file.with_suffix(".json").read_text())
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        tf.import_graph_def(tf.compat.v1.GraphDef.FromString(file.read_bytes()), name="")
        session.run(graph.get_operation_by_name(begin))
        found[file.stem] = out = []
        while len(out) < 4:
            try:
                out.append([np.asarray(v).tolist() for v in session.run(names)])
            except tf.errors.OutOfRangeError:
                break
print(json.dumps(found))
"""
PREPARE = """
import json, sys
from tensorboard.backend import process_graph
from tensorboard.compat.proto import graph_pb2
message = graph_pb2.GraphDef.FromString(open(sys.argv[1], "rb").read())
process_graph.prepare_graph_for_ui(message)
print(json.dumps([[n.name, n.op] for n in message.node]))
"""


def build(x: Any) -> list[Any]:
    """Results of every kind of node that is written in a form of its own."""
    w = tf.constant(np.arange(12, dtype=np.float32).reshape(4, 3) / 10)
    y = tf.nn.relu(tf.matmul(x, w) + 1.0)
    z = tf.reduce_sum(y[:, 1:], axis=1, keepdims=True)
    joined = tf.concat([y, z], 1)
    first, second = tf.split(joined, 2, axis=1)
    chosen = tf.cond(tf.reduce_sum(z) > 0, lambda: z * 2, lambda: z - 1)
    _, turned = tf.while_loop(lambda i, a: i < 9, lambda i, a: (i + 1, a * 2 + chosen), [0, z], maximum_iterations=3)
    case = tf.switch_case(tf.shape(x)[0] - 1, [lambda: z, lambda: turned + z])
    called = tf.function(lambda v: v * 3 + w[0, 0])(z)
    at = tf.cast(tf.reduce_sum(z) * 0, tf.int32)
    return [
        joined,
        first * second,
        turned,
        case,
        called,
        x[at, ::-1],
        tf.gather(joined, [0, 2], axis=1),
        tf.squeeze(z, [1]),
    ]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[str], list[Any]]:
    """(the file of a graph, the names of tensors, their values)."""
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [None, 4], name="x")
        results = build(x)
        values = session.run(results, {x: [[0.3, -1.0, 2.0, 0.5]] * 2})
    folder = tmp_path_factory.mktemp("graph")
    return tf.io.write_graph(graph, str(folder), "graph.pb", as_text=False), [t.name for t in results], values


@pytest.fixture(scope="module")
def of_every_kind(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[list[str]]]:
    """(the file of a graph with ops that TensorFlow lacks and Python functions, its nodes)."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 4], name="x")
        build(x)
        y = tf.py_function(lambda v: v * v, [x], tf.float32, name="square")
        tf.gradients(y, x)
        tf.map_fn(lambda v: v + 1, x)
        tf.compat.v1.get_variable("v", [2])
    path = tf.io.write_graph(graph, str(tmp_path_factory.mktemp("graph")), "graph.pb", as_text=False)
    return path, [[n.name, n.op] for n in graph.as_graph_def().node]


def python(environment: str) -> str:
    """The interpreter of an environment; the test is skipped where there is none."""
    found = ENVIRONMENTS / environment / "bin" / "python"
    if not found.exists():
        pytest.skip(f"no environment {found}")
    return str(found)


def printed(command: list[str]) -> Any:
    """The JSON of the last line that a command prints."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=55)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_tensorflow_runs_a_graph_of_ours(written: tuple[str, list[str], list[Any]]) -> None:
    path, names, values = written
    found = printed([python("tensorflow"), "-c", RUN, path, *names])
    for name, value, result in zip(names, values, found, strict=True):
        np.testing.assert_allclose(np.float32(result), value, rtol=1e-6, atol=1e-6, err_msg=name)


def test_tensorflow_runs_datasets_of_ours(tmp_path: Path) -> None:
    """Those that are written in its ops; what `shuffle` draws is ours alone, but not how often it draws."""
    data = tf.data.Dataset
    more: dict[str, Callable[[], Any]] = {
        "parallel": lambda: data.range(9).map(lambda x: x + 1, num_parallel_calls=2).batch(2, num_parallel_calls=2),
        "choice": lambda: data.choose_from_datasets([data.range(3), data.range(5, 6)], data.range(2).repeat(3)),
        "nests": lambda: data.from_tensor_slices({"a": [1, 2], "b": ([3, 4],)}).enumerate().map(lambda i, d: (d, i)),
        "failing": lambda: (
            data.from_tensor_slices([1.0, 0.0]).map(lambda x: tf.debugging.check_numerics(1 / x, "")).ignore_errors()
        ),
        "shuffled": lambda: data.range(5).shuffle(5, seed=3, reshuffle_each_iteration=False).repeat(2).batch(5),
    }
    pipelines = {**{n: p for n, p in PIPELINES.items() if "shuffle" not in n}, **more}
    expected = {}
    for name, make in pipelines.items():
        message, begin, names, elements = written_iterator(make)
        nodes = [*message.node, *(n for f in message.library.function for n in f.node_def)]
        if not any(n.op.startswith("Inlay>") for n in nodes):
            (tmp_path / f"{name}.pb").write_bytes(message.SerializeToString())
            (tmp_path / f"{name}.json").write_text(json.dumps([begin, names]))
            expected[name] = elements
    assert len(expected) >= 18
    found = printed([python("tensorflow"), "-c", ITERATE, str(tmp_path)])
    first, second = found.pop("shuffled")
    assert first == second
    assert sorted(first[0]) == [0, 1, 2, 3, 4]
    del expected["shuffled"]
    assert found == expected


def test_tensorboard_reads_a_graph_of_ours(of_every_kind: tuple[str, list[list[str]]]) -> None:
    path, nodes = of_every_kind
    assert printed([python("readers"), "-c", PREPARE, path]) == nodes


@pytest.mark.skipif(NODE is None, reason="Netron is run by Node")
def test_netron_opens_a_graph_of_ours(of_every_kind: tuple[str, list[list[str]]]) -> None:
    path, nodes = of_every_kind
    code = "import netron, os; print(__import__('json').dumps(os.path.dirname(netron.__file__)))"
    folder = printed([python("readers"), "-c", code])
    found = printed([str(NODE), str(HERE / "read_with_netron.mjs"), folder, path])
    assert found["format"] == "TensorFlow Graph"
    shown = {name: op for name, op, _ in found["nodes"]}
    assert {name: op for name, op in nodes if op != "Const"}.items() <= shown.items()
