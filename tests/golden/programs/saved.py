"""What saved models offer."""

from __future__ import annotations

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
