"""Writes checkpoints with TensorFlow, and what is in them. Needs TensorFlow, which the tests do not.

pip install tensorflow-cpu==2.21.0
python tests/golden/make_checkpoints.py
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "checkpoints"


def tree(tf: Any) -> Any:
    """Variables of many types in modules, lists and dicts, one reached twice, a cycle, a state of Python's."""

    class State(tf.train.experimental.PythonState):
        def serialize(self) -> str:
            return "seven"

        def deserialize(self, string_value: bytes) -> None:
            self.value = string_value

    root = tf.Module()
    root.v = tf.Variable(np.arange(6, dtype=np.float32).reshape(2, 3), name="v")
    root.layers = [tf.Variable(1), {"k": tf.Variable(["a", "", "ünï"]), "a/b": tf.Variable([True, False])}]
    root.child = tf.Module()
    root.child.half = tf.Variable(tf.cast([1.5, -2.0], tf.bfloat16))
    root.child.parent, root.child.same = root, root.v
    root.empty = tf.Variable(np.zeros((0, 4)), shape=[None, 4])
    root.complex = tf.Variable(1 + 2j)
    root.state = State()
    root.generator = tf.random.Generator.from_seed(3)
    root.generator.normal([7])
    return root


def table(tf: Any) -> Any:
    """A table."""
    root = tf.Module()
    root.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    root.table.insert(["x", "y"], [1, 2])
    return root


def trained(tf: Any, steps: int) -> tuple[Any, Any]:
    """A variable and an optimizer with its slots after some steps."""
    v = tf.Variable([1.0, 2.0, 3.0], name="v")
    optimizer = tf.compat.v1.train.AdamOptimizer(0.1)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v)
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])
    return v, optimizer


def partitioned(tf: Any) -> Any:
    """A variable in three parts, and one that is whole, in a graph."""
    v1 = tf.compat.v1
    v1.get_variable("p", [10, 4], partitioner=v1.fixed_size_partitioner(3), initializer=v1.random_normal_initializer())
    v1.get_variable("w", initializer=tf.constant(["one", "two"]))
    return v1.global_variables()


def main() -> None:
    import tensorflow as tf

    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    checkpoint = tf.train.Checkpoint(root=tree(tf))
    checkpoint.save(str(FOLDER / "tree"))
    tf.train.Checkpoint(root=table(tf)).write(str(FOLDER / "table"))
    v, optimizer = trained(tf, 3)
    tf.train.Checkpoint(v=v, optimizer=optimizer).write(str(FOLDER / "optimizer"))
    v1 = tf.compat.v1
    for name, sharded in (("partitioned", False), ("sharded", True)):
        with tf.Graph().as_default():
            with v1.device("/cpu:0"):
                partitioned(tf)
            with v1.device("/cpu:1"):
                v1.get_variable("other", initializer=np.arange(5))
            with v1.Session(config=v1.ConfigProto(device_count={"CPU": 2})) as session:
                session.run(v1.global_variables_initializer())
                v1.train.Saver(sharded=sharded).save(session, str(FOLDER / name), write_meta_graph=False)
    (FOLDER / "checkpoint").unlink()
    said = {}
    for path in sorted(FOLDER.glob("*.index")):
        reader = tf.train.load_checkpoint(str(path.with_suffix("")))
        said[path.stem] = {
            name: [dtype.name, str(np.asarray(reader.get_tensor(name)).tolist())]
            for name, dtype in sorted(reader.get_variable_to_dtype_map().items())
            if not name.startswith("_CHECKPOINTABLE")
        }
    (FOLDER / "values.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {len(said)} checkpoints of TensorFlow {tf.__version__}", file=sys.stderr)


if __name__ == "__main__":
    main()
