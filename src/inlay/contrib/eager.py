"""`tf.contrib.eager`."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.eager",
    {
        "core.behavior": "enable_eager_execution",
        "data.iterating": "Iterator",
        "host.api": "py_func",
        "ops.variables.variable": "Variable",
        "tf1.platform.decorators": "run_all_tests_in_graph_and_eager_modes run_test_in_graph_and_eager_modes",
    },
)
