"""`tf.contrib.layers.utils`: outputs of layers by the names of their scopes, and the collections of variables."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import shapes
from inlay._src.core.eager.attributes import whole, wholes
from inlay._src.core.graph import default_graph
from inlay._src.core.tensor import Tensor, Value
from inlay._src.ops.variables.partitioned import PartitionedVariable
from inlay._src.ops.variables.variable import Variable
from inlay._src.tf1.layers.choosing import smart_cond, smart_constant_value


def _aliases() -> dict[int, tuple[Any, list[str]]]:
    """id of a tensor -> (the tensor, its other names), of the default graph."""
    tables = default_graph()._collections.setdefault(("__tensor_aliases",), [{}])
    return tables[0]  # type: ignore[no-any-return]


@export("contrib.layers.utils.append_tensor_alias")
def append_tensor_alias(tensor: Any, alias: str) -> Tensor:
    """Gives a tensor another name; a slash at its end is dropped.

    Returns:
      The tensor.
    """
    _aliases().setdefault(id(tensor), (tensor, []))[1].append(alias.removesuffix("/"))
    return tensor


@export("contrib.layers.utils.get_tensor_aliases")
def get_tensor_aliases(tensor: Any) -> list[str]:
    """The other names of a tensor; its operation's name if it has none."""
    entry = _aliases().get(id(tensor))
    if entry is not None:
        return entry[1]
    name = getattr(tensor, "name", None)
    if not isinstance(name, str):
        raise TypeError(f"Expected a tensor of a graph, not {tensor!r}")
    return [name.removesuffix(":0")]


@export("contrib.layers.utils.gather_tensors_aliases")
def gather_tensors_aliases(tensors: Iterable[Any]) -> list[str]:
    """The other names of several tensors."""
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


@export("contrib.layers.utils.collect_named_outputs")
def collect_named_outputs(collections: Any, alias: str, outputs: Any) -> Tensor:
    """Adds a layer's output to graph collections under the name of its scope.

    Args:
      collections: one collection or several; None for none.
      alias: the name.
      outputs: a tensor.

    Returns:
      The tensor.
    """
    if collections:
        append_tensor_alias(outputs, alias)
        default_graph().add_to_collections(collections, outputs)
    return outputs


@export("contrib.layers.utils.convert_collection_to_dict")
def convert_collection_to_dict(collection: Any, clear_collection: bool = False) -> OrderedDict[str, Any]:
    """The tensors of a collection by their names.

    Args:
      collection: a graph collection.
      clear_collection: whether it is emptied.
    """
    graph = default_graph()
    tensors = OrderedDict((alias, t) for t in graph.get_collection(collection) for alias in get_tensor_aliases(t))
    if clear_collection:
        graph.clear_collection(collection)
    return tensors


@export("contrib.layers.utils.constant_value")
def constant_value(value_or_tensor_or_var: Any, dtype: Any = None) -> Value | None:
    """The static value of an argument; None if its value is known in a run only.

    Args:
      value_or_tensor_or_var: a value, tensor or variable.
      dtype: the type that a tensor must have.

    Raises:
      ValueError: for None, and for another type.
    """
    value = value_or_tensor_or_var
    if value is None:
        raise ValueError("value_or_tensor_or_var cannot be None")
    if not isinstance(value, (Tensor, Variable)):
        return value
    if dtype and value.dtype != dtype:
        raise ValueError(f"It has the wrong type {value.dtype} instead of {dtype}")
    return smart_constant_value(value)


def _check_branches(fn1: Callable[[], Any], fn2: Callable[[], Any]) -> None:
    for label, function in (("fn1", fn1), ("fn2", fn2)):
        if not callable(function):
            raise TypeError(f"{label} must be callable.")


@export("contrib.layers.utils.static_cond")
def static_cond(pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any]) -> Any:
    """`fn1()` if a Python value holds, else `fn2()`; TypeError if either is no function."""
    _check_branches(fn1, fn2)
    return fn1() if pred else fn2()


@export("contrib.layers.utils.smart_cond")
def smart_cond_of_values(pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any], name: str | None = None) -> Any:
    """`tf.cond`, or only one of the branches where the condition is known while the graph is built.

    Args:
      pred: a Python value, or a scalar bool tensor.
      fn1, fn2: functions without arguments.
      name: the node's name.
    """
    _check_branches(fn1, fn2)
    condition = pred if isinstance(pred, (Tensor, Variable)) else bool(pred)
    return smart_cond(condition, fn1, fn2, name)


@export("contrib.layers.utils.get_variable_collections")
def get_variable_collections(variables_collections: Any, name: str) -> Any:
    """The collections of a layer's variables: one list for all, or by the variable's name."""
    if isinstance(variables_collections, Mapping):
        return variables_collections.get(name)
    return variables_collections


def add_to_collections_of(variable: Any, variables_collections: Any, name: str) -> None:
    """Adds a layer's variable, or its parts, to the collections that are given for it."""
    graph = default_graph()
    for collection in get_variable_collections(variables_collections, name) or ():
        for var in list(variable) if isinstance(variable, PartitionedVariable) else [variable]:
            if all(member is not var for member in graph.get_collection(collection)):
                graph.add_to_collection(collection, var)


# ---------------------------------------------------------------- sizes


def _size(shape: Any, at: int, min_rank: int) -> int:
    dims = shapes.as_shape(shape)
    if dims.rank is None:
        raise ValueError("dims of shape must be known but is None")
    if dims.rank < min_rank:
        raise ValueError(f"rank of shape must be at least {min_rank} not: {dims.rank}")
    size = dims.as_list()[at]
    if size is None:
        raise ValueError(f"dimension {at} of shape must be known but is None: {dims}")
    return size


@export("contrib.layers.utils.channel_dimension")
def channel_dimension(shape: Any, data_format: str, min_rank: int = 1) -> int:
    """The number of channels of a shape; ValueError if that is not known.

    Args:
      shape: the shape.
      data_format: "channels_first" or "channels_last".
      min_rank: the least rank.
    """
    return _size(shape, 1 if data_format == "channels_first" else -1, min_rank)


@export("contrib.layers.utils.last_dimension")
def last_dimension(shape: Any, min_rank: int = 1) -> int:
    """The last size of a shape; ValueError if it is not known.

    Args:
      shape: the shape.
      min_rank: the least rank.
    """
    return _size(shape, -1, min_rank)


@export("contrib.layers.utils.two_element_tuple")
def two_element_tuple(int_or_tuple: Any) -> tuple[int, int]:
    """One number twice, or two; ValueError for anything else."""
    if isinstance(int_or_tuple, int):
        return int_or_tuple, int_or_tuple
    several = list(int_or_tuple) if isinstance(int_or_tuple, (list, tuple, shapes.TensorShape)) else []
    if len(several) != 2 or not all(isinstance(v, (int, np.integer)) for v in several):
        raise ValueError(f"Must be an int, a list with 2 elements or a TensorShape of length 2, got {int_or_tuple!r}")
    return int(several[0]), int(several[1])


@export("contrib.layers.utils.n_positive_integers")
def n_positive_integers(n: int, value: Any) -> tuple[int, ...]:
    """One positive number `n` times, or `n` of them; ValueError for anything else."""
    n = whole(n, "n")
    if n < 1:
        raise ValueError("n must be a positive integer")
    several = (int(value),) * n if isinstance(value, int) else tuple(wholes(value, "value"))
    if len(several) != n or min(several) < 1:
        raise ValueError(f"Expected sequence of {n} positive integers, but received {value!r}")
    return several
