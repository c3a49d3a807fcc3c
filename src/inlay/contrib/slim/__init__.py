"""`tf.contrib.slim`: `tf.contrib.layers` with `arg_scope` and the variables of models."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.slim",
    {
        "tf1.layers.arg_scope":
        "add_arg_scope arg_scope arg_scope_func_key arg_scoped_arguments current_arg_scope has_arg_scope",
        "tf1.layers.model_variables":
        "add_model_variable assert_or_get_global_step assign_from_checkpoint assign_from_checkpoint_fn "
        "assign_from_values assign_from_values_fn filter_variables get_local_variables get_model_variables "
        "get_trainable_variables get_unique_variable get_variable_full_name get_variables "
        "get_variables_by_name get_variables_by_suffix get_variables_to_restore global_variable "
        "local_variable model_variable variable",
        "training.global_step":
        "assert_global_step create_global_step get_global_step get_or_create_global_step",
    },
    below=("layers", "learning", "losses", "nets"),
    continues="contrib.layers",
)
