"""Every name at the top of `inlay`, which loads this module when the first one is asked for."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "",
    ("autodiff.gradient_tape", "autodiff.graph_gradients", "autodiff.rules", "composite.example_features",
    "composite.example_parsing", "composite.indexed_slices", "composite.ragged", "composite.sparse",
    "composite.sparse_features", "composite.sparse_ops", "composite.specs", "composite.text",
    "control.branches", "control.custom_gradient", "control.loops", "control.maps", "control.tensor_array",
    "core.behavior", "core.context", "core.graph", "core.operation", "core.tensor", "datasets.optional",
    "eager.convert", "executors.chosen", "executors.processes.pool", "executors.ray", "executors.threads",
    "functions.function", "graph_def.importing", "host.api", "interpreter.messages", "module", "ops.array",
    "ops.asserting", "ops.bits", "ops.blocks", "ops.clipping", "ops.complex_numbers", "ops.control", "ops.csv",
    "ops.cumulative", "ops.diagonals", "ops.division", "ops.einsum", "ops.extremes", "ops.files",
    "ops.gathering", "ops.hashing", "ops.indexing", "ops.joining", "ops.legacy", "ops.linalg", "ops.math",
    "ops.matmul", "ops.matrix_functions", "ops.powers", "ops.printing", "ops.ragged", "ops.random",
    "ops.ranges", "ops.rearranging", "ops.reductions", "ops.scatter", "ops.seeds", "ops.segments",
    "ops.sequences", "ops.serialized", "ops.shaping", "ops.signal", "ops.slicing", "ops.sorting", "ops.special",
    "ops.strings", "ops.tiling", "ops.trigonometry", "session.options", "session.session", "types.dtypes",
    "types.shapes", "types.specs", "variables.assigning", "variables.collections", "variables.initializers",
    "variables.partitioners", "variables.scope", "variables.template", "variables.variable"),
    late={
        "AttrValue": "protos.graph",
        "GraphDef": "protos.graph",
        "MetaGraphDef": "protos.saved_model",
        "NameAttrList": "protos.graph",
        "NodeDef": "protos.graph",
        "TensorInfo": "protos.saved_model",
    },
    below=("autodiff", "autograph", "bitwise", "compat", "config", "contrib", "data", "debugging", "distribute",
    "dtypes", "errors", "experimental", "graph_util", "image", "initializers", "io", "linalg", "logging",
    "math", "nest", "nn", "python_io", "ragged", "random", "saved_model", "signal", "sparse", "strings", "test",
    "train"),
    absent={
        "app": "not yet here, see docs/compatibility.md",
        "depth_to_space": "not yet here, see docs/compatibility.md",
        "estimator": "write the loop; sessions and datasets are here",
        "invert_permutation": "not yet here, see docs/compatibility.md",
        "keras": "use Keras 3 on JAX, https://keras.io/keras_3",
        "losses": "not yet here, see docs/compatibility.md",
        "metrics": "not yet here, see docs/compatibility.md",
        "queue": "not yet here, see docs/compatibility.md",
        "space_to_depth": "not yet here, see docs/compatibility.md",
        "summary": "not yet here, see docs/compatibility.md",
        "tpu": "no TPU runtime",
    },
)
