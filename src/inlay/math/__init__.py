"""`tf.math`: mathematics under its namespaced names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "math",
    ("ops.activations", "ops.complex_numbers", "ops.cumulative", "ops.division", "ops.extremes", "ops.linalg",
    "ops.math", "ops.nn", "ops.powers", "ops.rearranging", "ops.reductions", "ops.segments", "ops.special",
    "ops.trigonometry"),
    below=("special",),
)
