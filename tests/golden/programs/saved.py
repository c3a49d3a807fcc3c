"""What saved models offer."""

from __future__ import annotations

import collections
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden.make_programs import Refused, refused


def the_only_function_that_can_be_called_by_names_is_the_signature(tf: Any) -> Any:
    """A function that returns nothing, or has no declared inputs, is none."""

    class Counter(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.count = tf.Variable(1.0)

        @tf.function
        def __call__(self, x: Any) -> Any:
            return x * self.count

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def mutate(self, value: Any) -> None:
            self.count.assign(value)

    class Reading(Counter):
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def plus(self, x: Any) -> Any:
            return self.count + x

    class Several(Reading):
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def minus(self, x: Any) -> Any:
            return self.count - x

    results = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in (Counter, Reading, Several):
            model = kind()
            model(tf.constant(2.0))
            tf.saved_model.save(model, str(Path(folder) / kind.__name__))
            results.append(sorted(tf.saved_model.load(str(Path(folder) / kind.__name__)).signatures))
    return results


def signatures_name_the_parts_of_their_arguments(tf: Any) -> Any:
    """Parts of one argument have its name and a number; a spec's own name is taken over."""
    point = collections.namedtuple("point", ["x", "y"])
    spec = tf.TensorSpec

    def total(*values: Any) -> Any:
        flat = tf.nest.flatten(values, expand_composites=True)
        return {"total": tf.add_n([tf.reduce_sum(tf.cast(v, tf.float32)) for v in flat])}

    def both(b: Any, a: Any) -> Any:
        return total(b, a)

    calls = [
        (both, (point(spec([1]), spec([2])), point(spec([3]), spec([4])))),
        (both, ({"y": spec([1]), "x": spec([2])}, spec([3]))),
        (both, ([spec([1], name="q"), [spec([2])]], spec([3], name="q"))),
        (lambda a, a_1: total(a, a_1), ([spec([1]), spec([2])], spec([3]))),
        (lambda *b: total(b), ([spec([1]), spec([2])], spec([3]))),
        (both, (tf.RaggedTensorSpec([None, None]), spec([3]))),
        (lambda b, a: total(b), (spec([1]), 7)),
    ]
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for i, (function, arguments) in enumerate(calls):
            model, path = tf.Module(), str(Path(folder) / str(i))
            model.call = tf.function(function)
            tf.saved_model.save(model, path, signatures=model.call.get_concrete_function(*arguments))
            signature = tf.saved_model.load(path).signatures["serving_default"]
            inputs = signature.structured_input_signature[1]
            ones = {name: tf.ones([size or 1 for size in s.shape], s.dtype) for name, s in inputs.items()}
            results.append([[(name, inputs[name].shape.as_list()) for name in sorted(inputs)], signature(**ones)])
    return results


def a_server_runs_signatures_that_predict_classify_or_regress(tf: Any) -> Any:
    """The names and dtypes of inputs and outputs decide; messages say which of them does not fit."""
    models = tf.compat.v1.saved_model
    results = []

    def outcome(call: Any, *args: Any) -> Any:
        signature = refused(lambda: call(*args))
        if isinstance(signature, Refused):
            return signature
        return (
            signature.method_name,
            sorted((name, info.dtype) for name, info in signature.inputs.items()),
            sorted((name, info.dtype) for name, info in signature.outputs.items()),
            models.is_valid_signature(signature),
        )

    with tf.Graph().as_default():
        text, number, whole = tf.constant("a"), tf.constant(2.5), tf.constant(1)
        for examples in (text, number, None, "text"):
            for result in (text, number, None):
                results.append(outcome(models.regression_signature_def, examples, result))
                for scores in (number, whole, None):
                    results.append(outcome(models.classification_signature_def, examples, result, scores))
        infos = {t.dtype: models.build_tensor_info(t) for t in (text, number, whole)}
        for kind in ("classify", "regress", "predict", "other"):
            for taken in ({}, {"inputs": text}, {"inputs": number}, {"other": text}):
                for returned in ({}, {"classes": text}, {"scores": text}, {"outputs": number}, {"other": whole}):
                    sides = [{name: infos[t.dtype] for name, t in side.items()} for side in (taken, returned)]
                    signature = models.build_signature_def(*sides, f"tensorflow/serving/{kind}")
                    results.append(models.is_valid_signature(signature))
        results.append(models.is_valid_signature(None))
        defaults = models.build_signature_def(defaults={"w": number}).defaults
    defaults_of_values = models.build_signature_def(defaults={"w": tf.constant(1.5)}).defaults
    return results, [tf.make_ndarray(d["w"]).tolist() for d in (defaults, defaults_of_values)]


def tensors_are_defaults_of_saved_functions(tf: Any) -> Any:
    """They are saved with the function, and signatures say them."""
    model, spec = tf.Module(), tf.TensorSpec([])
    ten, five, some, array = tf.constant(10.0), tf.constant(5.0), tf.constant([5.0, 6.0]), np.ones(2, np.float32)
    model.one = tf.function(lambda x, y=five: x + y, input_signature=[spec])
    model.both = tf.function(lambda x=ten, y=five: x + y, input_signature=[spec])
    model.plain = tf.function(lambda x, y=some, z=array: x + y + z)
    model.plain(tf.constant(1.0))
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(model, folder, {"one": model.one, "both": model.both})
        loaded = tf.saved_model.load(folder)
        with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
            signatures = tf.compat.v1.saved_model.load(sess, ["serve"], folder).signature_def
            results = [sess.run(signatures[name].outputs["output_0"].name) for name in ("both",)]
            one = signatures["one"]
            results.append(sess.run(one.outputs["output_0"].name, {one.inputs["x"].name: 2.0}))
            said = {
                name: {key: tf.make_ndarray(value) for key, value in sorted(signatures[name].defaults.items())}
                for name in ("one", "both")
            }
    one, two, pair = tf.constant(1.0), tf.constant(2.0), tf.constant([1.0, 1.0])
    calls = [
        lambda: loaded.one(one), lambda: loaded.one(one, two), lambda: loaded.one(one, y=two), lambda: loaded.one(),
        lambda: loaded.both(), lambda: loaded.both(one), lambda: loaded.both(y=two), lambda: loaded.plain(one),
        lambda: loaded.plain(one, pair), lambda: loaded.plain(one, z=pair), lambda: loaded.signatures["one"](x=one),
        lambda: loaded.signatures["one"](x=one, y=two), lambda: loaded.signatures["both"](),
    ]  # fmt: skip
    return said, results, [refused(call) for call in calls]
