"""Arguments of functions in messages: the declaration of each, and the parameters that a call does not pass."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.state import handle_key
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.ops.seeds import RandomKey, RandomState
from inlay._src.programs.graph_def import attributes


class FunctionArgument(NamedTuple):
    """An argument of a function.

    Attributes:
      name: its name; made unlike others.
      dtype, dims: of it.
      key: the key of its state, if it is a handle with a known one.
      label: the user's name of it, or None.
    """

    name: str
    dtype: DType
    dims: Dims = ()
    key: Any = None
    label: bytes | None = None

    @staticmethod
    def like(tensor: SymbolicTensor) -> FunctionArgument:
        """An argument for a tensor."""
        key = handle_key(tensor) if tensor.dtype is dtypes.resource else None
        return FunctionArgument(
            tensor.op.name, tensor.dtype, tensor._dims, key, tensor.op.attrs.get("_user_specified_name")
        )


def is_state_of_op(tensor: Tensor) -> bool:
    """Whether a tensor is the state of a draw that is written as an op with a state of its own."""
    key = handle_key(tensor) if tensor.dtype is dtypes.resource else None
    if isinstance(key, RandomKey):
        return True
    # A state of two zeros counts executions, or stands in TensorFlow for a seed of the operating system.
    return isinstance(key, RandomState) and not key.kept and not (key.seeded and key.counts)


def parameters_of(graph: FuncGraph) -> list[SymbolicTensor]:
    """The placeholders of a function's inputs, then those of what it captures."""
    return [*graph.inputs, *(inner for _, inner in graph.captured)]


def declare_argument(claim: Callable[[str], str], message: Any, index: int, argument: FunctionArgument) -> str:
    """Declares an argument of a function; its name, which `claim` makes unlike others."""
    base = re.sub(r"[^a-z0-9_]", "_", argument.name.lower().rpartition("/")[2]).lstrip("_0123456789") or "argument"
    name = claim(base)
    message.signature.input_arg.add(name=name, type=argument.dtype.as_datatype_enum)
    attr = message.arg_attr[index].attr
    if argument.dtype not in (dtypes.resource, dtypes.variant):
        attributes.put(attr["_output_shapes"], "list(shape)", [shapes.from_dims(argument.dims)])
    if argument.label is not None:
        attr["_user_specified_name"].s = argument.label
    key = argument.key
    if isinstance(getattr(key, "dtype", None), DType) and key.dtype in dtypes.DENSE:
        attributes.put(attr["_trainable"], "bool", key.trainable)
        data = message.signature.input_arg[index].handle_data.add(dtype=key.dtype.as_datatype_enum)
        data.shape.CopyFrom(attributes.shape_message(shapes.from_dims(key.dims)))
    return name
