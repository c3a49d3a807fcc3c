"""Writes saved models of the format's version, which every later version must load, and what they give.

    python -m tests.golden.make_saved_models

A version of the format has a folder in `saved_models`, which is written once: `container.VERSION` names it. Run it
again only where a model is added to the newest version, and only for that one: `--only NAME`.
"""

from __future__ import annotations

import argparse
import json
import linecache
import operator
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import inlay as tf
from inlay._src.saved.container import VERSION, Container

FOLDER = Path(__file__).parent / "saved_models"
X = [[0.5, -3.0], [2.5, 1.0]]
SPEC = [tf.TensorSpec([None, 2], tf.float32, name="x")]
BODY = """
import numpy as np

table = np.arange(4, dtype=np.float32)

def shifted(v):
    return np.clip(v, -1, 1) + table[:2]
"""


def pure() -> tf.Module:
    """Ops alone: control flow, a random op that is multiplied by zero, nests."""
    model = tf.Module(name="pure")

    @tf.function(input_signature=SPEC)
    def f(x: Any) -> Any:
        for _ in tf.range(3):
            x = tf.cond(tf.reduce_sum(x) > 0.0, lambda x=x: x * 0.5, lambda x=x: tf.nn.softplus(x))
        return {"y": tf.matmul(x, [[1.0, 2.0], [3.0, 4.0]]), "sum": tf.reduce_sum(x, axis=1)}

    model.f = f
    return model


def variables() -> tf.Module:
    """Variables of several types, in lists and dicts, a file, and a captured array."""
    model = tf.Module(name="variables")
    model.layers = [tf.Variable([2.0, 3.0], name="scale"), tf.Variable(tf.cast([1.5], tf.bfloat16), name="half")]
    model.by_name = {"count": tf.Variable(7, trainable=False, name="count")}
    model.words = tf.Variable(["x", "yz"], name="words")
    large = tf.constant(np.arange(2000, dtype=np.float32))

    @tf.function(input_signature=SPEC)
    def f(x: Any) -> Any:
        count = tf.cast(model.by_name["count"], tf.float32)
        return x * model.layers[0] + count + large[1000] + tf.cast(model.layers[1], tf.float32)

    model.f = f
    return model


def by_name() -> tf.Module:
    """A Python function by its import name: any version of Python loads it."""
    model = tf.Module(name="by_name")
    model.f = tf.function(lambda x: tf.ensure_shape(tf.numpy_function(operator.neg, [x], tf.float32), [None, 2]) * 2.0,
                          input_signature=SPEC)  # fmt: skip
    return model


def by_value() -> tf.Module:
    """Python functions by value, one bound to a variable: the minor version of Python that wrote it loads it."""
    model, space = tf.Module(name="by_value"), {"__name__": "__main__"}
    exec(compile(BODY, "body.py", "exec"), space)
    model.w = tf.Variable([4.0, 5.0], name="w")
    weighted = eval(compile("lambda v: v * v * w", "body.py", "eval"), {"w": model.w})

    @tf.function(input_signature=SPEC)
    def f(x: Any) -> Any:
        y = tf.ensure_shape(tf.numpy_function(space["shifted"], [x], tf.float32), [None, 2])
        return y + tf.ensure_shape(tf.py_function(weighted, [x], tf.float32), [None, 2])

    model.f = f
    return model


MODELS: dict[str, Callable[[], tf.Module]] = {
    "pure": pure, "variables": variables, "by_name": by_name, "by_value": by_value,
}  # fmt: skip


def given(model: Any) -> dict[str, Any]:
    """What a model gives: outputs and gradients of its function, and its signature's outputs."""
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        outputs = tf.nest.flatten(model.f(x))
    variables = sorted((v for v in model.variables if v.dtype is tf.float32), key=lambda v: v.name)
    gradients = tape.gradient(outputs, [x, *variables])
    named = model.signatures["serving_default"](x=x)
    return {
        "outputs": [o.numpy().tolist() for o in outputs],
        "gradients": [None if g is None else np.asarray(g).tolist() for g in gradients],
        "signature": {name: value.numpy().tolist() for name, value in sorted(named.items())},
    }


def models() -> dict[str, Callable[[], tf.Module]]:
    """`MODELS` of this file as if it lay nowhere: a model says where its functions were defined."""
    text, name = Path(__file__).read_text(encoding="utf-8"), Path(__file__).name
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    space: dict[str, Any] = {"__name__": "models", "__file__": __file__}
    exec(compile(text, name, "exec"), space)
    return space["MODELS"]  # type: ignore[no-any-return]


def main() -> None:
    """Writes the models."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=MODELS)
    only = parser.parse_args().only
    folder = FOLDER / f"v{VERSION}"
    said = folder / "expected.json"
    expected = json.loads(said.read_text()) if said.exists() else {}
    for name in [only] if only else MODELS:
        tf.saved_model.save(models()[name](), str(folder / name))
        digest = Container(str(folder / name)).digest
        loaded = tf.saved_model.load(str(folder / name), trust=digest)
        python = f"{sys.version_info[0]}.{sys.version_info[1]}" if name == "by_value" else None
        expected[name] = {"digest": digest, "python": python, **given(loaded)}
    said.write_text(json.dumps(expected, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
