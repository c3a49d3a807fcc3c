"""Save models of TensorFlow 1 with TensorFlow 2.21: the graphs of sessions, and what they give there.

    python tests/golden/make_session_models.py            # tensorflow-cpu==2.21.0

The values are in `session_models.json`. `references` and `resources` are one program with the two kinds of variables.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1
FOLDER = Path(__file__).parent / "session_models"
X = [[1.0, 2.0], [-3.0, 0.5]]


def variables(use_resource: bool) -> Callable[[Path], Any]:
    """A layer, an update of it, and a count."""

    def make(folder: Path) -> Any:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        target = v1.placeholder(tf.float32, [None, 2], name="target")
        w = v1.get_variable("w", initializer=[[1.0, 2.0], [3.0, 4.0]], use_resource=use_resource)
        b = v1.get_variable("layer/b", initializer=[0.5, -0.5], use_resource=use_resource)
        count = v1.get_variable("count", initializer=0, trainable=False, use_resource=use_resource)
        y = tf.add(tf.matmul(x, w), b, name="y")
        loss = tf.reduce_sum((y - target) ** 2.0, name="loss")
        train = v1.train.GradientDescentOptimizer(0.01).minimize(loss, name="train")
        with tf.control_dependencies([train]):
            counted = tf.identity(v1.assign_add(count, 1), name="counted")
        signatures = {
            "serving_default": signature({"x": x}, {"y": y}),
            "train": signature({"x": x, "target": target}, {"loss": loss, "count": counted}),
        }
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(w.assign([[1.0, -2.0], [0.25, 4.0]]))
            recorded = {"y": session.run(y, {x: X}).tolist()}
            save(folder, session, signatures)
            feeds = {x: X, target: [[0.0, 0.0], [1.0, 1.0]]}
            recorded["gradients"] = [g.tolist() for g in session.run(tf.gradients(loss, [w, b]), feeds)]
            recorded["count"] = int(session.run(counted, feeds))
            recorded["w"], recorded["b"] = (value.tolist() for value in session.run([w, b]))
        return recorded

    return make


def partitioned(folder: Path) -> Any:
    """A variable of two parts."""
    ids = v1.placeholder(tf.int32, [None], name="ids")
    rows = v1.get_variable(
        "rows",
        [5, 2],
        initializer=v1.random_uniform_initializer(seed=3),
        partitioner=v1.fixed_size_partitioner(2),
        use_resource=False,
    )
    looked_up = v1.nn.embedding_lookup(rows, ids, partition_strategy="div", name="found")
    whole = tf.identity(tf.convert_to_tensor(rows), name="whole")
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        save(folder, session, {"serving_default": signature({"ids": ids}, {"found": looked_up, "whole": whole})})
        return {"found": session.run(looked_up, {ids: [4, 0, 3]}).tolist(), "whole": session.run(whole).tolist()}


def asset_table(folder: Path) -> Any:
    """A table of a file, which the main operation fills."""
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "words.txt"
        path.write_text("one\ntwo\nthree\n")
        asset = tf.constant(str(path), name="words")
        v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, asset)
        words = v1.placeholder(tf.string, [None], name="words_in")
        initializer = tf.lookup.TextFileInitializer(
            asset, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER
        )
        numbers = tf.identity(tf.lookup.StaticHashTable(initializer, -1).lookup(words), name="ids")
        with v1.Session() as session:
            session.run(v1.tables_initializer())
            signatures = {"serving_default": signature({"words": words}, {"ids": numbers})}
            save(folder, session, signatures, main_op=v1.tables_initializer())
            return {"ids": session.run(numbers, {words: ["two", "four", "one"]}).tolist()}


def signature(inputs: Any, outputs: Any) -> Any:
    return v1.saved_model.signature_def_utils.predict_signature_def(inputs, outputs)


def save(folder: Path, session: Any, signatures: Any, main_op: Any = None) -> None:
    builder = v1.saved_model.Builder(str(folder))
    assets = v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS)
    builder.add_meta_graph_and_variables(
        session, ["serve"], signatures, assets_collection=assets or None, main_op=main_op, strip_default_attrs=True
    )
    builder.save()


MODELS: dict[str, Callable[[Path], Any]] = {
    "references": variables(use_resource=False),
    "resources": variables(use_resource=True),
    "partitioned": partitioned,
    "asset_table": asset_table,
}


def main() -> None:
    recorded = {}
    for name, make in MODELS.items():
        shutil.rmtree(FOLDER / name, ignore_errors=True)
        with tf.Graph().as_default():
            v1.disable_eager_execution()
            recorded[name] = make(FOLDER / name)
        (FOLDER / name / "fingerprint.pb").unlink(missing_ok=True)
        for empty in [path for path, folders, files in os.walk(FOLDER / name, topdown=False) if not folders + files]:
            os.rmdir(empty)
    (FOLDER.parent / "session_models.json").write_text(json.dumps(recorded, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
