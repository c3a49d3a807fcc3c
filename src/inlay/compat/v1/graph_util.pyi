"""`tf.compat.v1.graph_util`: parts of a `GraphDef`, and variables that become constants."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.programs.graph_def.graph_util import (
    convert_variables_to_constants, extract_sub_graph, must_run_on_cpu, remove_training_nodes,
    tensor_shape_from_node_def_name
)
from inlay._src.programs.graph_def.importing import import_graph_def
__all__ = [
    "convert_variables_to_constants", "extract_sub_graph", "import_graph_def", "must_run_on_cpu",
    "remove_training_nodes", "tensor_shape_from_node_def_name"
]
