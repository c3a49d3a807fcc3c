"""`tf.raw_ops`: TensorFlow's ops by the names and arguments of their declarations.

A raw op is the node of a `GraphDef` that consists of it, read as `import_graph_def` reads one. So there is one for
every op that is read, with TensorFlow's inputs, attributes and outputs; `hasattr(tf.raw_ops, name)` tells whether. In
eager code each call builds and runs such a graph: the public functions of `tf` are faster.
"""

from __future__ import annotations

import functools
import inspect
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.protos.graph import NodeDef
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core import context
from inlay._src.core.eager.convert import constant_in, convert_to_tensor, symbolic
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.graph import Graph
from inlay._src.core.operation import Operation
from inlay._src.core.state import handle_key
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.programs.graph_def import attributes
from inlay._src.programs.graph_def.checking import labels, named, size
from inlay._src.programs.graph_def.declared import REQUIRED, Argument, Declaration, declaration, declared_names
from inlay._src.programs.graph_def.reading import GraphReader, reader_of
from inlay._src.programs.program import Program

__all__: list[str] = []

KEYWORDS = {
    **{
        (op, "reduction_indices"): "axis" for op in ("All", "Any", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "Sum")
    },
    ("ExpandDims", "dim"): "axis",
    ("Select", "t"): "x",
    ("Select", "e"): "y",
    ("Split", "split_dim"): "axis",
    ("SplitV", "split_dim"): "axis",
    ("Squeeze", "squeeze_dims"): "axis",
    ("Where", "input"): "condition",
}
"""(op, argument as it is declared) -> the keyword of the raw op, if it is another one."""


def __getattr__(name: str) -> Any:
    if name.startswith("_") or not _is_read(name):
        instead = "no op of that name is known" if declaration(name) is None else "this op is not here"
        raise AttributeError(f"module 'inlay.raw_ops' has no attribute {name!r}: {instead}")
    return _named(name)


@functools.cache  # not the module's globals: `Any` is one of them
def _named(name: str) -> Callable[..., Any]:
    return _raw_op(_declaration(name))


def __dir__() -> list[str]:
    return sorted(name for name in declared_names() if not name.startswith("_") and _is_read(name))


def _declaration(name: str) -> Declaration:
    declared = declaration(name)
    assert declared is not None, name
    return declared


def _is_read(name: str) -> bool:
    """Whether nodes of an op can be read."""
    declared = declaration(name)
    if declared is None or any(a.reference for a in declared.inputs):
        return False
    return reader_of(name) is not None


def _raw_op(declared: Declaration) -> Callable[..., Any]:
    """The function of an op: keyword arguments alone, inputs and then attributes that the inputs do not tell."""
    own = [name for name in declared.attributes if name not in {n for a in declared.inputs for n in _told_by(a)}]
    keywords = {KEYWORDS.get((declared.name, n), n): n for n in (*(a.name for a in declared.inputs), *own, "name")}
    defaults = {name: declared.attributes[name].default for name in own} | {"name": None}
    parameters = [
        inspect.Parameter(keyword, inspect.Parameter.KEYWORD_ONLY, default=defaults.get(name, REQUIRED))
        for keyword, name in keywords.items()
    ]
    signature = inspect.Signature(sorted(parameters, key=lambda p: p.default is not REQUIRED))

    def raw(*args: Any, **kwargs: Any) -> Any:
        if args:
            raise TypeError(
                f"{declared.name} only takes keyword args (possible keys: {list(signature.parameters)}). Please pass "
                "these args as kwargs instead."
            )
        try:
            bound = signature.bind(**kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{declared.name}: {error}") from None
        return _called(declared, {keywords[keyword]: value for keyword, value in bound.items()})

    raw.__name__ = raw.__qualname__ = declared.name
    raw.__signature__ = signature  # type: ignore[attr-defined]
    raw.__doc__ = f"TensorFlow's op `{declared.name}`: {', '.join(signature.parameters)}."
    return raw


def _told_by(argument: Argument) -> list[str]:
    return [name for name in (argument.letter, argument.number, argument.listed) if name]


def _called(declared: Declaration, arguments: Mapping[str, Any]) -> Any:
    inputs, attrs = _converted(declared, arguments)
    graph = next((t.graph for t in inputs if isinstance(t, SymbolicTensor)), None) or context.current().graph
    if graph is not None:
        tensors = [symbolic(t, graph) for t in inputs]
        return _packed(declared, attrs, _added(declared, attrs, tensors, graph, arguments.get("name")))
    try:
        return _packed(declared, attrs, _at_once(declared, attrs, inputs))
    except ValueError as error:
        if not str(error).startswith("Node "):  # it is not the op that refuses its inputs
            raise
        raise errors.InvalidArgumentError(None, None, str(error)) from error


def _at_once(declared: Declaration, attrs: Mapping[str, Any], inputs: Sequence[Any]) -> Any:
    """The results of an eager call, first with arguments that are fed, then with constants if the node needs them."""
    try:
        return _run(declared, attrs, inputs, frozenset())
    except ValueError as error:
        if "has to be a constant" not in str(error):
            raise
    constants = frozenset(i for i, t in enumerate(inputs) if not t.dtype.is_floating and not t.dtype.is_complex)
    return _run(declared, attrs, inputs, constants)


def _run(
    declared: Declaration, attrs: Mapping[str, Any], inputs: Sequence[EagerTensor], constants: frozenset[int]
) -> list[EagerTensor]:
    """Builds and runs the graph of one node; `constants` are the inputs that it has while it is built."""
    graph = FuncGraph(declared.name, None)
    taken = [t for i, t in enumerate(inputs) if i not in constants]
    parameters = iter([graph.add_input(t.dtype, t.shape._dims, "input") for t in taken])
    tensors = [constant_in(graph, t, "constant") if i in constants else next(parameters) for i, t in enumerate(inputs)]
    added = _added(declared, attrs, tensors, graph, None, in_function=True)
    graph.outputs = [] if isinstance(added, Operation) else list(added)
    if graph.outputs and graph.outputs[0].dtype is dtypes.resource and graph.outputs[0].op.type == "Const":
        state = handle_key(graph.outputs[0])  # of a variable or a table; it belongs to the handle
        state.name = attrs["shared_name"].decode() if isinstance(attrs["shared_name"], bytes) else attrs["shared_name"]
        return [EagerTensor(state, dtypes.resource)]
    return Program(graph).run_recorded(taken)


def _added(
    declared: Declaration,
    attrs: Mapping[str, Any],
    inputs: Sequence[SymbolicTensor],
    graph: Graph,
    name: str | None,
    in_function: bool = False,
) -> Sequence[SymbolicTensor] | Operation:
    """The tensors of a node that is added to a graph, or its operation if it has none."""
    message = NodeDef(name=graph.unique_name(name or declared.name, mark_as_used=False), op=declared.name)
    for attr, value in attrs.items():
        kind = declared.attributes[attr].kind
        if kind in ("func", "list(func)"):
            raise ValueError(f"{declared.name}: raw ops take no functions; use tf.function, tf.cond or tf.while_loop")
        named(attr, attributes.put, message.attr[attr], kind, value)
    references = {f"{message.name}_input_{i}:0": tensor for i, tensor in enumerate(inputs)}
    message.input.extend(references)
    site = GraphReader(graph, [message], "", _no_function, references, in_function)
    with graph.as_default():
        site.add_all()
    tensors, operation = site.results[message.name]
    return tensors if tensors or operation is None else operation


def _no_function(name: str) -> Any:
    raise ValueError(f"there is no function '{name}'")


def _converted(declared: Declaration, arguments: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The inputs as tensors, one behind the other, and every attribute.

    Raises:
      TypeError, ValueError: for an input or attribute that is not as declared, naming it.
    """
    attrs = {
        n: arguments.get(n, a.default)
        for n, a in declared.attributes.items()
        if n in arguments or a.default is not REQUIRED
    }
    for name, attribute in declared.attributes.items():
        if attribute.kind == "type" and name in attrs:
            attrs[name] = dtypes.as_dtype(attrs[name])
    dtypes_by_letter: dict[str, DType] = {}
    inputs: list[Any] = []
    for argument in sorted(declared.inputs, key=lambda a: not _is_tensor(arguments[a.name])):
        values = arguments[argument.name]
        if argument.many and not isinstance(values, (list, tuple)):
            raise TypeError(f"Expected list for '{argument.name}' argument to '{declared.name}' Op, not {values!r}.")
        for value in values if argument.many else [values]:
            dtype = argument.dtype or dtypes_by_letter.get(argument.letter)
            tensor = value if isinstance(value, Tensor) else convert_to_tensor(value, dtype)
            if dtype is not None and tensor.dtype is not dtype:
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"Input '{argument.name}' of '{declared.name}' Op has type {tensor.dtype.name} that does not match "
                    f"expected type of {dtype.name}.",
                )
            if argument.letter:
                dtypes_by_letter[argument.letter] = tensor.dtype
    attrs |= dtypes_by_letter
    for argument in declared.inputs:
        part = arguments[argument.name] if argument.many else [arguments[argument.name]]
        dtype = argument.dtype or dtypes_by_letter.get(argument.letter)
        tensors = [v if isinstance(v, Tensor) else convert_to_tensor(v, dtype) for v in part]
        if argument.number and attrs.setdefault(argument.number, len(tensors)) != len(tensors):
            raise ValueError(
                f"List argument '{argument.name}' to '{declared.name}' Op with length {len(tensors)} must have length "
                f"{attrs[argument.number]}."
            )
        if argument.listed:
            attrs[argument.listed] = tuple(t.dtype for t in tensors)
        inputs += tensors
    return inputs, attrs


def _is_tensor(value: Any) -> bool:
    return isinstance(value[0] if isinstance(value, (list, tuple)) and value else value, (Tensor, np.ndarray))


@functools.cache
def _outputs(name: str) -> Any:
    return namedtuple(name, [a.name for a in _declaration(name).outputs])  # type: ignore[misc]


def _packed(declared: Declaration, attrs: Mapping[str, Any], result: Any) -> Any:
    """The outputs as TensorFlow's raw ops give them: one, a list, a named tuple of several, or the operation."""
    if not declared.outputs:
        return result if isinstance(result, Operation) else None
    if isinstance(result, (Operation, EagerTensor)):
        result = [result]
    tensors = list(result)
    start = labels(declared.outputs, attrs, len(tensors))
    parts = []
    for argument in declared.outputs:
        first = start[argument.name]
        count = size(argument, attrs, len(tensors) - len(declared.outputs) + 1)
        parts.append(tensors[first : first + count] if argument.many else tensors[first])
    return parts[0] if len(parts) == 1 else _outputs(declared.name)(*parts)
