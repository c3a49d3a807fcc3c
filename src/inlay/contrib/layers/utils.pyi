"""`tf.contrib.layers.utils`: outputs by name, collections of variables, sizes."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.tf1.layers.named_outputs import (
    append_tensor_alias, channel_dimension, collect_named_outputs, constant_value, convert_collection_to_dict,
    gather_tensors_aliases, get_tensor_aliases, get_variable_collections, last_dimension, n_positive_integers,
    smart_cond_of_values as smart_cond, static_cond, two_element_tuple
)
__all__ = [
    "append_tensor_alias", "channel_dimension", "collect_named_outputs", "constant_value",
    "convert_collection_to_dict", "gather_tensors_aliases", "get_tensor_aliases", "get_variable_collections",
    "last_dimension", "n_positive_integers", "smart_cond", "static_cond", "two_element_tuple"
]
