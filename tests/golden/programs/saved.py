"""What saved models offer."""

from __future__ import annotations

import collections
import tempfile
from pathlib import Path
from typing import Any


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
