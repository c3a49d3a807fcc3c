"""The objects of a model as TensorFlow reads them: its object graph, and the tables and constants that belong to it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import from_dims
from inlay._src.ops.hash_tables.table_state import TableState
from inlay._src.ops.serialized import tensor_message
from inlay._src.ops.variables.variable import Variable
from inlay._src.programs.functions.concrete import ConcreteFunction
from inlay._src.programs.functions.function import Function
from inlay._src.programs.graph_def import attributes
from inlay._src.programs.graph_def.exporting import Library, WrittenGradient
from inlay._src.saved.objects import Asset
from inlay._src.saved.tensorflow_models import structures

_CONTAINERS = {list: "trackable_list_wrapper", tuple: "trackable_tuple_wrapper", dict: "trackable_dict_wrapper"}
_PLAIN = "_generic_user_object"


class WrittenTrace(NamedTuple):
    """A traced function in the library of a message.

    Attributes:
      function: its name there.
      concrete: the function.
      captures: of each capture the number of an object, or a tensor with a value; None if one is neither.
    """

    function: str
    concrete: ConcreteFunction
    captures: Sequence[Any] | None


class ObjectGraphWriter:
    """Writes the object graph of a model.

    Args:
      meta: the `MetaGraphDef` that it becomes a part of.
      library: the functions of the message.
      children: of each object, name -> number.

    Attributes:
      children: the same, with the objects that only TensorFlow needs.
    """

    def __init__(self, meta: Any, library: Library, children: Sequence[Mapping[str, int]]) -> None:
        self._meta, self._library = meta, library
        self._graph: Any = meta.object_graph_def
        self.children: list[dict[str, int]] = [dict(each) for each in children]
        for _ in children:
            self._graph.nodes.add()
        self._constants: dict[int, tuple[Any, int]] = {}
        self._written: dict[int, str | None] = {}

    def _add(self) -> tuple[int, Any]:
        """A new object: its number, and its message."""
        self.children.append({})
        return len(self.children) - 1, self._graph.nodes.add()

    def finish(self) -> None:
        """Writes the gradients that nodes bring along, and the children of all objects."""
        for label, gradient in self._library.gradients.items():
            self._gradient(label, gradient)
        for node, children in zip(self._graph.nodes, self.children, strict=True):
            for name, number in children.items():
                node.children.add(local_name=name, node_id=number)

    # ---- objects

    def plain(self, number: int, value: Any) -> None:
        """An object of Python, or a container."""
        kind = next((name for container, name in _CONTAINERS.items() if isinstance(value, container)), _PLAIN)
        self._user_object(self._graph.nodes[number], kind)

    @staticmethod
    def _user_object(node: Any, identifier: str) -> None:
        node.user_object.identifier = identifier
        node.user_object.version.producer = node.user_object.version.min_consumer = 1

    def variable(self, number: int, variable: Variable) -> None:
        """A variable."""
        said = self._graph.nodes[number].variable
        said.dtype = variable.dtype.as_datatype_enum
        said.shape.CopyFrom(attributes.shape_message(from_dims(variable._dims)))
        said.trainable, said.name = variable.trainable, variable.name.removesuffix(":0")

    def asset(self, number: int, asset: Asset, filename: str) -> None:
        """A file of the model, under its path in the folder of assets."""
        self._graph.nodes[number].asset.asset_file_def_index = len(self._meta.asset_file_def)
        tensor = self._constant_node(np.array(asset._path.encode(), object), dtypes.string)
        self._meta.asset_file_def.add(filename=filename).tensor_info.name = f"{tensor}:0"

    def constant(self, tensor: Any) -> int:
        """The number of a constant that functions capture."""
        entry = self._constants.get(id(tensor))
        if entry is None:
            number, node = self._add()
            node.constant.operation = self._constant_node(np.asarray(tensor._value), tensor.dtype)
            entry = self._constants[id(tensor)] = tensor, number
        return entry[1]

    def _constant_node(self, value: np.ndarray, dtype: DType) -> str:
        """Adds a constant to the graph; its name."""
        node = self._meta.graph_def.node.add(name=f"captured/{len(self._meta.graph_def.node)}", op="Const")
        attributes.put(node.attr["dtype"], "type", dtype)
        attributes.put(node.attr["value"], "tensor", tensor_message(value, dtype))
        return str(node.name)

    # ---- functions

    def trace(self, trace: WrittenTrace) -> str | None:
        """The name of a trace for TensorFlow; None if it takes or gives what has no form there."""
        key = id(trace.concrete)
        if key not in self._written:
            self._written[key] = self._new_trace(trace)
        return self._written[key]

    def _new_trace(self, trace: WrittenTrace) -> str | None:
        if trace.captures is None:
            return None
        positional, keyword = trace.concrete.structured_input_signature
        said = type(self._graph).FromString(b"").concrete_functions["made"]
        try:
            structures.put_structure(said.canonicalized_input_signature, (tuple(positional), dict(keyword)))
            structures.put_structure(said.output_signature, _result_specs(trace.concrete))
        except TypeError:
            return None
        name = self._in_order(trace)
        said.bound_inputs.extend(c if isinstance(c, int) else self.constant(c) for c in trace.captures)
        self._graph.concrete_functions[name].CopyFrom(said)
        return name

    def _gradient(self, label: str, gradient: WrittenGradient) -> None:
        """Registers a gradient. TensorFlow finds what it captures by the names of tensors in the function around it."""
        if gradient.captures and gradient.within not in self._graph.concrete_functions:
            return
        self._meta.graph_def.library.registered_gradients.add(gradient_func=gradient.function, registered_op_type=label)
        said = self._graph.concrete_functions[gradient.function]
        function = self._library.functions[gradient.function].signature
        kinds = [attributes.dtype_of(a.type) for a in function.input_arg[: len(gradient.given)]]
        specs = [structures.TensorSpec(None, kind) for kind in kinds]
        structures.put_structure(said.canonicalized_input_signature, ((None, *specs), {}))
        results = iter(structures.TensorSpec(None, attributes.dtype_of(r.type)) for r in function.output_arg)
        structures.put_structure(
            said.output_signature, [next(results) if has_gradient else None for has_gradient in gradient.given]
        )
        for reference in gradient.captures:
            number, node = self._add()
            node.captured_tensor.name = _graph_name(self._library.functions[gradient.within], reference)
            node.captured_tensor.concrete_function = gradient.within
            said.bound_inputs.append(number)

    def _in_order(self, trace: WrittenTrace) -> str:
        """The function that takes keyword arguments in the order of their names, which is TensorFlow's."""
        positional, keyword = trace.concrete.structured_input_signature
        labels = list(keyword)
        if labels == sorted(labels):
            return trace.function
        inner = self._library.functions[trace.function]
        counts = {name: structures.count_of(spec) for name, spec in keyword.items()}
        first = structures.count_of(tuple(positional))
        starts, at = {}, first
        for name in labels:
            starts[name], at = at, at + counts[name]
        order = [*range(first)]
        for name in sorted(labels):
            order += range(starts[name], starts[name] + counts[name])
        order += range(at, len(inner.signature.input_arg))
        return self._reordered(inner, order)

    def _reordered(self, inner: Any, order: Sequence[int]) -> str:
        """A function that calls another one with its arguments in another order."""
        name = self._free(f"{inner.signature.name}_by_name")
        outer = self._library.functions[name] = type(inner)()
        outer.signature.CopyFrom(inner.signature)
        outer.signature.name = name
        del outer.signature.input_arg[:], outer.signature.control_output[:]
        arguments = inner.signature.input_arg
        for place, at in enumerate(order):
            outer.signature.input_arg.add().CopyFrom(arguments[at])
            if at in inner.arg_attr:
                outer.arg_attr[place].CopyFrom(inner.arg_attr[at])
        node = outer.node_def.add(name="call", op="StatefulPartitionedCall")
        node.input.extend(argument.name for argument in arguments)
        node.attr["f"].func.name = inner.signature.name
        attributes.put(node.attr["Tin"], "list(type)", [attributes.dtype_of(a.type) for a in arguments])
        results = inner.signature.output_arg
        attributes.put(node.attr["Tout"], "list(type)", [attributes.dtype_of(r.type) for r in results])
        for index, result in enumerate(results):
            outer.ret[result.name] = f"call:output:{index}"
        outer.signature.control_output.append("call")
        outer.control_ret["call"] = "call"
        return name

    def _free(self, name: str) -> str:
        unique, number = name, 0
        while unique in self._library.functions:
            number += 1
            unique = f"{name}_{number}"
        return unique

    def function(self, number: int, function: Function, traces: Sequence[WrittenTrace]) -> None:
        """A function with its traces."""
        node = self._graph.nodes[number]
        spec = node.function.function_spec
        try:
            structures.put_parameters(spec, function._python_signature, function._options.input_signature)
        except TypeError:  # a default without a form: the traces say all that TensorFlow needs
            spec.Clear()
            structures.put_parameters(spec, None, None)
        node.function.concrete_functions.extend(name for name in map(self.trace, traces) if name is not None)

    def concrete(self, number: int, trace: WrittenTrace) -> None:
        """A traced function that stands alone."""
        node, name = self._graph.nodes[number], self.trace(trace)
        if name is None:
            self._user_object(node, _PLAIN)
        else:
            self._bare(node, name, trace.concrete)

    def _bare(self, node: Any, name: str, concrete: ConcreteFunction) -> None:
        node.bare_concrete_function.concrete_function_name = name
        taken = self._library.functions[name].signature.input_arg
        count = len(concrete.program.graph.inputs)
        labels = {a.name: t.op.attrs.get("_user_specified_name") for a, t in zip(taken, concrete.inputs, strict=False)}
        positional, keyword = concrete.structured_input_signature
        names = sorted(keyword) if not positional else [
            (labels.get(a.name) or a.name.encode()).decode() for a in list(taken)[:count]
        ]  # fmt: skip
        node.bare_concrete_function.argument_keywords.extend(names)
        node.bare_concrete_function.allowed_positional_arguments = count if positional else min(count, 1)

    def signatures(self, traces: Mapping[str, WrittenTrace]) -> None:
        """The signatures of the model."""
        number, node = self._add()
        self._user_object(node, "signature_map")
        self.children[0]["signatures"] = number
        for label, trace in traces.items():
            name = self.trace(trace)
            if name is not None:
                bare, message = self._add()
                self._bare(message, name, trace.concrete)
                self.children[number][label] = bare

    # ---- tables

    def table(self, number: int, table: TableState) -> None:
        """A table: the functions that make it, fill it and drop it."""
        self._graph.nodes[number].resource.SetInParent()
        functions = {
            "_create_resource": _creator(self._library, number, table),
            "_initialize": _initializer(self._library, table),
            "_destroy_resource": _destroyer(self._library),
        }
        for label, message in functions.items():
            name = message.signature.name = self._free(f"__inference_{label}_{number}")
            self._library.functions[name] = message
            said = self._graph.concrete_functions[name]
            structures.put_structure(said.canonicalized_input_signature, ((), {}))
            resource = label == "_create_resource"
            spec = structures.TensorSpec((), dtypes.resource if resource else dtypes.int32)
            structures.put_structure(said.output_signature, spec)
            said.bound_inputs.extend([number] if message.signature.input_arg else [])
            child, node = self._add()
            node.function.concrete_functions.append(name)
            structures.put_structure(node.function.function_spec.fullargspec, structures.no_parameters())
            structures.put_structure(node.function.function_spec.input_signature, None)
            self.children[number][label] = child


def _graph_name(function: Any, reference: str) -> str:
    """The name of a tensor in the graph of a function: `x:0` for the argument x, `y:1` for `y:output:1`."""
    name, _, output = reference.partition(":")
    return f"{name}:{output.rpartition(':')[2] or 0}"


def _result_specs(concrete: ConcreteFunction) -> Any:
    """The results of a trace with specs for tensors."""
    specs = [structures.TensorSpec(t.shape, t.dtype, t.op.name) for t in concrete.outputs]

    def spec(hole: Any, flat: Sequence[Any]) -> Any:
        if hole.composite is None:
            return flat[hole.index]
        return getattr(hole.composite, "_type_spec", hole.composite)

    return concrete._template.fill(specs, spec)


def _creator(library: Library, number: int, table: TableState) -> Any:
    """The function that makes a table."""
    spec, message = table.spec, library.messages.FunctionDef()
    node = message.node_def.add(name="table", op=f"{spec.kind}V2")
    attributes.put(node.attr["key_dtype"], "type", spec.key_dtype)
    attributes.put(node.attr["value_dtype"], "type", spec.value_dtype)
    keys, values = table.export()
    digest = hashlib.sha256(repr((np.asarray(keys).tolist(), np.asarray(values).tolist())).encode()).hexdigest()
    node.attr["shared_name"].s = f"table_{number}_{digest[:32]}".encode()
    if spec.kind in ("MutableHashTableOfTensors", "MutableDenseHashTable"):
        attributes.put(node.attr["value_shape"], "shape", from_dims(spec.value_dims))
    if spec.kind == "MutableDenseHashTable":
        attributes.put(node.attr["initial_num_buckets"], "int", max(4, spec.buckets))
        for label, key in zip(("empty_key", "deleted_key"), spec.reserved, strict=True):
            kind = object if spec.key_dtype is dtypes.string else spec.key_dtype.np
            node.input.append(_constant(message, label, np.array(key, kind).reshape(spec.key_dims), spec.key_dtype))
    message.signature.is_stateful = True
    message.signature.output_arg.add(name="handle", type=dtypes.resource.as_datatype_enum)
    message.ret["handle"] = "table:table_handle:0"
    _runs(message, "table")
    return message


def _initializer(library: Library, table: TableState) -> Any:
    """The function that enters the keys and values of a table."""
    spec, message = table.spec, library.messages.FunctionDef()
    message.signature.input_arg.add(name="table", type=dtypes.resource.as_datatype_enum)
    keys, values = (np.asarray(part) for part in table.export())
    if spec.reserved:
        free = [key in spec.reserved for key in map(_plain_key, keys)]
        keys, values = keys[np.logical_not(free)], values[np.logical_not(free)]
    if len(keys) or spec.is_static:
        op = "LookupTableImportV2" if not spec.reserved else "LookupTableInsertV2"
        inputs = [
            _constant(message, label, part, dtype)
            for label, part, dtype in (("keys", keys, spec.key_dtype), ("values", values, spec.value_dtype))
        ]
        node = message.node_def.add(name="fill", op=op, input=["table", *inputs])
        attributes.put(node.attr["Tin"], "type", spec.key_dtype)
        attributes.put(node.attr["Tout"], "type", spec.value_dtype)
        _runs(message, "fill")
    message.signature.is_stateful = True
    _gives_one(message)
    return message


def _plain_key(key: Any) -> Any:
    return tuple(key.tolist()) if isinstance(key, np.ndarray) else key.item() if isinstance(key, np.generic) else key


def _destroyer(library: Library) -> Any:
    """The function that is called when a table is dropped; nothing is left to do."""
    message = library.messages.FunctionDef()
    _gives_one(message)
    return message


def _gives_one(message: Any) -> None:
    """Lets a function return the number 1, as those of TensorFlow do."""
    message.signature.output_arg.add(name="done", type=dtypes.int32.as_datatype_enum)
    message.ret["done"] = _constant(message, "one", np.array(1, np.int32), dtypes.int32)


def _constant(message: Any, name: str, value: np.ndarray, dtype: DType) -> str:
    """Adds a constant to a function; the reference to it."""
    node = message.node_def.add(name=name, op="Const")
    attributes.put(node.attr["dtype"], "type", dtype)
    attributes.put(node.attr["value"], "tensor", tensor_message(value, dtype))
    return f"{name}:output:0"


def _runs(message: Any, node: str) -> None:
    """Lets a node of a function run in every call."""
    message.signature.control_output.append(node)
    message.control_ret[node] = node
