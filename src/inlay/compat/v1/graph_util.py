"""`tf.compat.v1.graph_util`: parts of a `GraphDef`, and variables that become constants."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.graph_util",
    {
        "programs.graph_def.graph_util":
        "convert_variables_to_constants extract_sub_graph must_run_on_cpu remove_training_nodes "
        "tensor_shape_from_node_def_name",
        "programs.graph_def.importing": "import_graph_def",
    },
)
