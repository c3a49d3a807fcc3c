"""The variables of a graph by name: making them, in parts if there is a partitioner, and sharing them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.core import context
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import Graph, default_graph, global_graph
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.ops.variables.initializers import first_value
from inlay._src.ops.variables.partitioned import PartitionedVariable, partitions_of, parts
from inlay._src.ops.variables.save_slice import SaveSliceInfo
from inlay._src.ops.variables.variable import Variable


class VariableStore:
    """The variables of one graph by full name."""

    def __init__(self) -> None:
        self.variables: dict[str, Variable] = {}
        self.wholes: dict[str, PartitionedVariable] = {}  # those whose parts are among the variables
        self.opened: dict[str, int] = {}

    def close_inside(self, scope: str) -> None:
        """Scopes inside `scope` count as never opened, so that opening it again makes the same default names."""
        for name in self.opened:
            if name.startswith(f"{scope}/"):
                self.opened[name] = 0

    def unique(self, prefix: str, inside: str) -> str:
        """`prefix`, with a suffix if a scope of that name was opened before."""
        name, k = prefix, 0
        while self.opened.get(f"{inside}/{name}" if inside else name, 0):
            k += 1
            name = f"{prefix}_{k}"
        return name


def store_of(graph: Graph | None) -> VariableStore:
    """The store of a graph; eagerly that of the default graph, so that `reset_default_graph` forgets its names too."""
    stores = (graph or global_graph())._collections.setdefault(("__variable_store",), [])
    if not stores:
        stores.append(VariableStore())
    return stores[0]  # type: ignore[no-any-return]


def dtype_of(dtype: Any, initializer: Any, default: DType) -> DType:
    """The type of a new variable, as stated or as its first value has it.

    Raises:
      ValueError: if the two differ.
    """
    stated = None if dtype is None else dtypes.as_dtype(dtype)
    if initializer is None or callable(initializer):
        return stated or default
    if not hasattr(initializer, "dtype"):  # a Python value has the type it has anywhere
        with context.using(context.EAGER):
            initializer = convert_to_tensor(initializer)
    own = dtypes.as_dtype(initializer.dtype)
    if stated not in (None, own):
        raise ValueError(f"Initializer type '{own!r}' and explicit dtype '{stated!r}' don't match.")
    return own


def make_or_share(
    name: str,
    shape: Any = None,
    dtype: Any = dtypes.float32,
    initializer: Any = None,
    regularizer: Any = None,
    reuse: Any = None,
    validate_shape: bool = True,
    partitioner: Any = None,
    part: SaveSliceInfo | None = None,
    **options: Any,
) -> Any:
    """The usual way to make a variable; `options` are those of `Variable`."""
    graph, kind = context.keeper(), dtypes.as_dtype(dtype)
    store = store_of(graph)
    if name in store.wholes and graph is not None:
        return _shared_whole(store.wholes[name], name, shape, kind, reuse, partitioner)
    existing = store.variables.get(name) if graph is not None else None
    if existing is not None:
        return _shared(existing, name, shape, kind, reuse)
    if reuse is True:
        raise ValueError(
            f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set "
            "reuse=tf.AUTO_REUSE in VarScope? (inlay explain variable-reuse)"
        )
    options = {"regularizer": regularizer, "validate_shape": validate_shape, **options}
    if partitioner is not None and (shape is None or shapes.as_shape(shape).rank != 0):
        return _made_in_parts(store, name, shape, kind, initializer, partitioner, options)
    del options["regularizer"]
    first = first_value(name, shape, kind, initializer, validate_shape, part)
    variable = Variable(first, name=name, dtype=kind, **options)
    if graph is not None:
        store.variables[name] = variable
    if regularizer is not None:
        with name_scope(f"{name}/Regularizer/"):
            loss = regularizer(variable)
        if loss is not None:
            (graph or default_graph()).add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
    return variable


def _made_in_parts(
    store: VariableStore,
    name: str,
    shape: Any,
    kind: DType,
    initializer: Any,
    partitioner: Any,
    options: dict[str, Any],
) -> PartitionedVariable:
    value = None
    if initializer is not None and not callable(initializer):
        value = convert_to_tensor(initializer, kind)
        shape = value.shape
    whole = shapes.as_shape(shape)
    counts = partitions_of(partitioner, whole, kind)
    variables = []
    for i, part in enumerate(parts(name, whole.as_list(), counts)):  # type: ignore[arg-type]
        begins = zip(part.var_offset, part.var_shape, strict=True)
        first = initializer if value is None else value[tuple(slice(at, at + size) for at, size in begins)]
        sizes = part.var_shape if value is None else None
        variable = make_or_share(f"{name}/part_{i}", sizes, kind, first, part=part, **options)
        variable._save_slice_info = part
        variables.append(variable)
    partitioned = store.wholes[name] = PartitionedVariable(name, whole, kind, variables, counts)
    return partitioned


def _shared_whole(
    existing: PartitionedVariable, name: str, shape: Any, kind: DType, reuse: Any, partitioner: Any
) -> PartitionedVariable:
    if not reuse:
        raise ValueError(
            f"Partitioned variable with name {name} already exists. Did you mean to set reuse=True or "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    _check_fits(existing, name, shape, kind)
    if partitioner is not None:
        counts = partitions_of(partitioner, existing.shape, kind)
        if counts != existing._get_partitions():
            raise ValueError(
                f"Trying to reuse partitioned variable {name}, but specified partitions {counts} and found partitions "
                f"{existing._get_partitions()}."
            )
    return existing


def _shared(existing: Variable, name: str, shape: Any, kind: DType, reuse: Any) -> Variable:
    if not reuse:
        where = "" if existing.graph is None else f" Originally defined at: {existing.op.site}"
        raise ValueError(
            f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in "
            f"VarScope?{where} (inlay explain variable-reuse)"
        )
    _check_fits(existing, name, shape, kind)
    return existing


def _check_fits(existing: Any, name: str, shape: Any, kind: DType) -> None:
    if shape is not None and not existing.shape.is_compatible_with(shape):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {shapes.as_shape(shape)} and found shape "
            f"{existing.shape}."
        )
    if kind is not existing.dtype:
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {kind.name} and found dtype {existing.dtype.name}."
        )


@contextmanager
def no_name_scope() -> Iterator[None]:
    """Names of variables come from variable scopes alone."""
    state = context.current()
    with context.using(state.replace(scope="")):
        yield
