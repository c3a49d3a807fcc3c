"""Every name at the top of `inlay`, which loads this module when the first one is asked for."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "",
    ("autodiff.gradient_tape", "autodiff.graph_gradients", "autodiff.rules", "composite.indexed_slices",
    "composite.ragged", "composite.sparse", "composite.sparse_ops", "composite.specs", "composite.text",
    "control.branches", "control.custom_gradient", "control.loops", "control.maps", "control.tensor_array",
    "core.context", "core.graph", "core.operation", "core.tensor", "eager.convert", "functions.function",
    "host.api", "module", "ops.array", "ops.asserting", "ops.bits", "ops.clipping", "ops.complex_numbers",
    "ops.control", "ops.cumulative", "ops.diagonals", "ops.division", "ops.einsum", "ops.extremes", "ops.gathering",
    "ops.indexing", "ops.joining", "ops.legacy", "ops.linalg", "ops.math", "ops.matmul", "ops.matrix_functions",
    "ops.powers", "ops.printing", "ops.random", "ops.ranges", "ops.rearranging", "ops.reductions", "ops.scatter",
    "ops.seeds", "ops.segments", "ops.sequences", "ops.shaping", "ops.signal", "ops.slicing", "ops.sorting",
    "ops.special", "ops.strings", "ops.tiling", "ops.trigonometry", "session.options", "session.session",
    "types.dtypes", "types.shapes", "types.specs", "variables.assigning", "variables.collections",
    "variables.initializers", "variables.scope", "variables.variable"),
    below=("autograph", "bitwise", "compat", "config", "contrib", "debugging", "dtypes", "errors", "experimental",
    "image", "initializers", "io", "linalg", "logging", "math", "nest", "nn", "ragged", "random", "signal",
    "sparse", "strings", "test", "train"),
)
