"""Compares checkpoints of random objects with TensorFlow's, both ways.

    python -m scripts.compare_checkpoints --tensorflow PYTHON [--count 200] [--seed 0]

Each library writes checkpoints of random trees of objects, and of random sets of variables in graphs. Each then
restores all of them into objects that lack some parts and have others, and says what it got: values, the outcome of
each assertion of the status, the error. Both must say the same. PYTHON is an interpreter that has TensorFlow.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DTYPES = ["float32", "float64", "int32", "int64", "bool", "string", "bfloat16", "float16", "uint8", "complex64"]
IN_PARTS = ["float32", "float64", "int32", "int64", "uint8", "complex64"]  # TensorFlow reads no parts of other types
NAMES = ["v", "w", "kernel", "layer_1", "a.b", ".hidden", "x/y", "with space", "ünï", "_private"]
LIBRARIES = ("inlay", "tensorflow")


def variable(rand: random.Random) -> dict[str, Any]:
    shape = [rand.randrange(4) for _ in range(rand.choice([0, 1, 1, 2, 3]))]
    count = 1
    for size in shape:
        count *= size
    return {
        "kind": "variable",
        "dtype": rand.choice(DTYPES),
        "shape": shape,
        "seed": rand.randrange(100),
        "count": count,
    }


def tree(rand: random.Random, depth: int = 0) -> dict[str, Any]:
    """A tree of objects, as data."""
    kind = rand.choice(["module", "module", "list", "dict", "variable"] if 0 < depth < 3 else ["module", "variable"])
    if depth == 0:
        kind = "module"
    if kind == "variable" or depth == 3:
        return variable(rand)
    names = rand.sample(NAMES if kind == "dict" else [n for n in NAMES if n.isidentifier()], rand.randrange(1, 4))
    if kind == "list":
        names = [str(k) for k in range(len(names))]
    return {"kind": kind, "children": {name: tree(rand, depth + 1) for name in names}, "again": rand.random() < 0.2}


def changed(rand: random.Random, node: dict[str, Any]) -> dict[str, Any]:
    """A tree that lacks some children of another one, and has some more."""
    if "children" not in node:
        return {**node, "shape": [*node["shape"], 2], "count": 2 * node["count"]} if rand.random() < 0.03 else node
    children = {
        n: changed(rand, c) for n, c in node["children"].items() if node["kind"] == "list" or rand.random() < 0.9
    }
    if node["kind"] == "module" and rand.random() < 0.15:
        children["more"] = variable(rand)
    return {**node, "children": children or node["children"]}


def values(node: dict[str, Any]) -> Any:
    """The values of a variable."""
    import numpy as np

    rand = np.random.default_rng(node["seed"])
    if node["dtype"] == "string":
        array = np.empty(node["shape"], object)
        array.reshape(-1)[:] = [b"text%d" % n * int(rand.integers(3)) for n in range(node["count"])]
        return array
    return rand.integers(0, 100, node["shape"])


def built(tf: Any, node: dict[str, Any], blank: bool) -> Any:
    """The objects of a tree, with its values or without."""
    import numpy as np

    if node["kind"] == "variable":
        value = values(node)
        if blank:
            value = np.full(value.shape, b"", object) if node["dtype"] == "string" else np.zeros_like(value)
        tensor = tf.constant(value) if node["dtype"] == "string" else tf.cast(tf.constant(value), node["dtype"])
        return tf.Variable(tensor)
    children = {name: built(tf, child, blank) for name, child in node["children"].items()}
    if node["kind"] == "list":
        return list(children.values())
    if node["kind"] == "dict":
        return children
    module = tf.Module()
    for name, child in children.items():
        setattr(module, name, child)
    if node["again"]:
        module.same = next(iter(children.values()))
    return module


def said(node: dict[str, Any], value: Any, path: str = "") -> dict[str, Any]:
    """Path -> value of all variables of an object that was built of a tree."""
    if node["kind"] == "variable":
        now = value.numpy()
        return {path: str(now if isinstance(now, bytes) else now.tolist())}
    out: dict[str, Any] = {}
    for name, child in node["children"].items():
        at = (
            value[int(name)]
            if node["kind"] == "list"
            else value[name]
            if node["kind"] == "dict"
            else getattr(value, name)
        )
        out |= said(child, at, f"{path}/{name}")
    return out


def restored(tf: Any, node: dict[str, Any], prefix: str) -> dict[str, Any]:
    """The outcome of restoring a checkpoint into objects of a tree: values and assertions, or errors."""
    root = built(tf, node, True)
    outcome: dict[str, Any] = {}
    try:
        status = tf.train.Checkpoint(root=root).read(prefix)
    except (ValueError, tf.errors.OpError) as error:
        kinds = {"ValueError": ValueError, "InvalidArgumentError": tf.errors.InvalidArgumentError}
        return {"errors": [name for name, kind in kinds.items() if isinstance(error, kind)]}
    for name in ("assert_consumed", "assert_existing_objects_matched", "assert_nontrivial_match"):
        try:
            getattr(status, name)()
            outcome[name] = True
        except AssertionError:
            outcome[name] = False
    return outcome | {"values": said(node, root)}


def variables(rand: random.Random) -> list[dict[str, Any]]:
    """A set of variables of a graph, some of them in parts."""
    out = []
    for number in range(rand.randrange(1, 5)):
        node = variable(rand) | {"name": f"scope_{rand.randrange(3)}/v{number}", "parts": 1}
        if node["dtype"] in IN_PARTS and rand.random() < 0.4:
            node |= {"shape": [6, 2], "count": 12, "parts": rand.choice([2, 3])}
        out.append(node)
    return out


def initializer(value: Any) -> Any:
    """An initializer that gives a value, or the part of it that a part of a variable is."""

    def start(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        if partition_info is None:
            return value
        offsets = zip(partition_info.var_offset, shape, strict=True)
        return value[tuple(slice(at, at + int(size)) for at, size in offsets)]

    return start


def in_graph(tf: Any, nodes: list[dict[str, Any]], prefix: str, restore: bool) -> dict[str, Any]:
    """Saves variables of a graph, or restores them and says their values."""
    import numpy as np

    v1 = tf.compat.v1
    with tf.Graph().as_default():
        created = []
        for node in nodes:
            value = values(node)
            if restore:
                value = np.full(value.shape, b"", object) if node["dtype"] == "string" else np.zeros_like(value)
            if node["dtype"] != "string":
                value = value.astype(tf.as_dtype(node["dtype"]).as_numpy_dtype)
            parts = v1.fixed_size_partitioner(node["parts"]) if node["parts"] > 1 else None
            start = initializer(value)
            created.append(v1.get_variable(node["name"], node["shape"], node["dtype"], start, partitioner=parts))
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            if not restore:
                v1.train.Saver().save(session, prefix, write_meta_graph=False, write_state=False)
                return {}
            v1.train.Saver().restore(session, prefix)
            read = session.run([tf.convert_to_tensor(v) for v in created])
            return {
                node["name"]: str(value if isinstance(value, bytes) else value.tolist())
                for node, value in zip(nodes, read, strict=True)
            }


def run(library: str, verb: str, folder: Path, seed: int, count: int) -> None:
    """Writes or restores all checkpoints by one library, in this process."""
    tf = __import__(library)
    for number in range(count):
        rand = random.Random(f"{seed} {number}")
        node, nodes = tree(rand), variables(rand)
        live = changed(rand, node) if number % 3 else node
        if verb == "write":
            tf.train.Checkpoint(root=built(tf, node, False)).write(str(folder / f"{library}-tree-{number}"))
            in_graph(tf, nodes, str(folder / f"{library}-set-{number}"), False)
            continue
        for writer in LIBRARIES:
            outcome = {
                "tree": restored(tf, live, str(folder / f"{writer}-tree-{number}")),
                "set": in_graph(tf, nodes, str(folder / f"{writer}-set-{number}"), True),
            }
            (folder / f"{library}-{writer}-{number}.json").write_text(json.dumps(outcome, indent=1, sort_keys=True))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tensorflow", metavar="PYTHON", help="an interpreter that has TensorFlow")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--run", nargs=3, metavar=("LIBRARY", "VERB", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run(options.run[0], options.run[1], Path(options.run[2]), options.seed, options.count)
        return 0
    pythons = {"inlay": sys.executable, "tensorflow": options.tensorflow}
    with tempfile.TemporaryDirectory() as folder:
        for verb in ("write", "restore"):
            for library, python in pythons.items():
                command = [python, __file__, "--seed", str(options.seed), "--count", str(options.count)]
                paths = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])} if library == "inlay" else {}
                done = subprocess.run(
                    [*command, "--run", library, verb, folder],
                    env={**os.environ, **paths},
                    stderr=subprocess.PIPE,  # TensorFlow warns of each value that is not restored
                    text=True,
                )
                if done.returncode:
                    sys.exit(f"{library} cannot {verb}: {done.stderr[-4000:]}")
        different = 0
        for number in range(options.count):
            for writer in LIBRARIES:
                ours, theirs = (
                    json.loads(Path(folder, f"{lib}-{writer}-{number}.json").read_text()) for lib in LIBRARIES
                )
                if "errors" in theirs["tree"] and set(theirs["tree"]["errors"]) <= set(ours["tree"].get("errors", ())):
                    theirs["tree"] = ours["tree"]  # an error of inlay may be of both classes
                if ours != theirs:
                    different += 1
                    print(f"{number}, written by {writer}:\n  inlay      {ours}\n  tensorflow {theirs}")
    print(f"{options.count} trees and sets, each written by both and restored by both: {different} differ")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
