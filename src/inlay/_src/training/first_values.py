"""First values of variables that come out of a checkpoint: `init_from_checkpoint`."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.host.api import numpy_function
from inlay._src.ops.variables.partitioned import PartitionedVariable
from inlay._src.ops.variables.store import VariableStore, store_of
from inlay._src.ops.variables.variable import Variable
from inlay._src.training.checkpoint_state import CheckpointReader, load_checkpoint


@export("compat.v1.train.init_from_checkpoint")
def init_from_checkpoint(ckpt_dir_or_file: Any, assignment_map: Any) -> None:
    """Has variables take their first values out of a checkpoint: it is read when their initializers run.

    Args:
      ckpt_dir_or_file: a checkpoint's path, or a folder, of which the latest is meant.
      assignment_map: name in the checkpoint -> variable, list of the parts of one, or name of one in the default graph;
        scopes, which end with "/", stand for all variables in them, and "/" for all; a mapping, or pairs.

    Raises:
      NotFoundError: if there is no such checkpoint; also a ValueError.
      ValueError: if a name is not in the checkpoint or in the graph, or the shapes differ.
      InvalidArgumentError: when an initializer runs, if the types differ.
    """
    reader = load_checkpoint(ckpt_dir_or_file)
    shapes = reader.get_variable_to_shape_map()
    graph = None if context.executing_eagerly() else graphs.default_graph()
    store = store_of(graph)
    pairs = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    for name, meant in sorted(pairs, key=lambda pair: pair[0]):
        variables = _variables_of(store, meant)
        if variables is not None:
            if name not in shapes and not _in_parts(name, variables, shapes):
                raise ValueError(f"Tensor {name} is not found in {ckpt_dir_or_file} checkpoint {shapes}")
            _begin_with(variables, reader, name, shapes)
            continue
        for own, key in _in_scope(store, name, meant):
            variables = _variables_of(store, own)
            if key not in shapes and not _in_parts(key, variables, shapes):
                raise ValueError(f"Tensor {key} (of {own} in {name}) is not found in {ckpt_dir_or_file} checkpoint")
            _begin_with(variables, reader, key, shapes)


def _variables_of(store: VariableStore, meant: Any) -> Sequence[Variable] | None:
    """The variable that is meant, or its parts; None for a name that is no variable's.

    Raises:
      TypeError: for what is neither.
    """
    if isinstance(meant, Variable):
        return [meant]
    if isinstance(meant, (PartitionedVariable, list, tuple)) and all(isinstance(v, Variable) for v in meant):
        return list(meant)
    if not isinstance(meant, str):
        raise TypeError(f"init_from_checkpoint: a variable, the list of its parts, or a name, not {meant!r}")
    whole = store.wholes.get(meant)
    if whole is not None:
        return list(whole)
    return [store.variables[meant]] if meant in store.variables else None


def _in_scope(store: VariableStore, name: str, meant: str) -> Iterable[tuple[str, str]]:
    """(variable, name in the checkpoint) of all variables in the scope `meant`."""
    scope = meant.rpartition("/")[0]
    if not name.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {scope} should map to scope only {name}. Should be 'scope/': "
            f"'other_scope/'. There is no variable '{meant}' in the graph."
        )
    parts = {v.name.removesuffix(":0") for whole in store.wholes.values() for v in whole}
    before = "" if name == "/" else name
    for own in sorted({*store.variables, *store.wholes} - parts):
        if not scope or own.startswith(f"{scope}/"):
            yield own, before + own[len(scope) + 1 if scope else 0 :]


def _in_parts(name: str, variables: Sequence[Variable] | None, shapes: Mapping[str, Any]) -> bool:
    """Whether a checkpoint has the parts of a variable one by one, as a `Saver` writes them."""
    return len(variables or ()) > 1 and all(f"{name}/part_{i}" in shapes for i in range(len(variables or ())))


def _begin_with(
    variables: Sequence[Variable] | None, reader: CheckpointReader, name: str, shapes: Mapping[str, Sequence[int]]
) -> None:
    """Gives a variable, or its parts, their first values."""
    for i, variable in enumerate(variables or ()):
        info = getattr(variable, "_save_slice_info", None)
        key, cut, shape = name, None, list(shapes.get(name, ()))
        if name not in shapes:
            key = f"{name}/part_{i}"
            shape = list(shapes[key])
        elif info is not None and list(info.full_shape) == shape:
            cut = tuple([slice(at, at + n) for at, n in zip(info.var_offset, info.var_shape, strict=True)])
            shape = list(info.var_shape)
        if not variable.shape.is_compatible_with(shape):
            raise ValueError(
                f"Shape of variable {variable.name} ({variable.shape}) doesn't match with shape of tensor {key} "
                f"({shape}) from checkpoint reader."
            )
        load = functools.partial(_value, reader, key, cut, variable.dtype)
        if context.executing_eagerly():
            variable.assign(load())
        else:
            restored = numpy_function(load, [], variable.dtype, name="checkpoint_initializer")
            restored.set_shape(variable.shape)
            begin_with(variable, restored)


def begin_with(variable: Variable, value: Any) -> None:
    """Has the initializer of a graph's variable assign another value.

    Args:
      variable: the variable.
      value: a tensor of its graph.
    """
    write: Any = variable.assign(value, read_value=False)
    variable._initializer, variable._initial = write, value


def _value(reader: CheckpointReader, name: str, cut: Any, dtype: dtypes.DType) -> Any:
    """A value of a checkpoint, or the part of it that a variable is."""
    stored = reader.get_variable_to_dtype_map()[name]
    if stored is not dtype:
        raise errors.InvalidArgumentError(
            None, None, f"tensor_name = {name}; expected dtype {dtype.name} does not equal original dtype {stored.name}"
        )
    value = np.asarray(reader.get_tensor(name))
    return value if cut is None else value[cut]
