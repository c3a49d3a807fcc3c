"""The objects of a saved model of TensorFlow 2: variables, functions with their captures, tables, files and modules.

    number of an object ─▶ its kind ─▶ a Python object     variables and constants first, then what captures them
    name of a trace ─▶ FunctionDef ─▶ FuncGraph, whose last inputs are the captured objects ─▶ ConcreteFunction

The checkpoint has a tree of objects of its own; names of children lead from both roots to the value of a variable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core.graph import Graph
from inlay._src.core.state import handle_key
from inlay._src.core.tensor import EagerTensor
from inlay._src.ops.hash_tables.table_state import TableState
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.ops.variables.variable import Variable
from inlay._src.programs.control.tracing import Traced
from inlay._src.programs.functions import arguments
from inlay._src.programs.functions.concrete import ConcreteFunction
from inlay._src.programs.functions.saved import LoadedFunction
from inlay._src.programs.graph_def.attributes import array_in, dtype_of, shape_in
from inlay._src.programs.graph_def.checking import UnsupportedError
from inlay._src.programs.graph_def.foreign import ForeignGradient, ForeignModel
from inlay._src.programs.graph_def.program_readers import Functions
from inlay._src.saved import graph_state
from inlay._src.saved.loaded import AbsentTrace, LoadedCallable, LoadedObject, LoadedResource, Signatures
from inlay._src.saved.objects import Asset
from inlay._src.saved.tensorflow_models import structures
from inlay._src.saved.tensorflow_models.confined import check
from inlay._src.saved.tensorflow_models.model import TensorFlowModel
from inlay._src.training.checkpoint_files import CheckpointFile

LIST, TUPLE, DICT, SIGNATURES = (
    "trackable_list_wrapper", "trackable_tuple_wrapper", "trackable_dict_wrapper", "signature_map",
)  # fmt: skip
"""The names that TensorFlow writes for classes of objects that are containers here."""
_CREATE, _INITIALIZE, _DESTROY = "_create_resource", "_initialize", "_destroy_resource"
_DEEPEST = 64
_PLACE = re.compile(r"[0-9]{1,18}")
"""The name of an item of a list."""


class ObjectGraph:
    """The objects of a model, made when they are asked for.

    Args:
      model: the model.
      hosts: name of a function of the library that holds a Python function -> the host function.
      host_functions: see `ForeignModel`.
      graph: the graph that variables and tables belong to, or None.
    """

    def __init__(
        self,
        model: TensorFlowModel,
        hosts: Callable[[str], Any],
        host_functions: Mapping[str, Callable[..., Any]],
        graph: Graph | None,
    ) -> None:
        self._model, self._graph = model, graph
        self._nodes: Any = model.objects.nodes
        self._concretes: Mapping[str, Any] = dict(model.objects.concrete_functions)
        bound = {name: list(said.bound_inputs) for name, said in self._concretes.items()}
        self.foreign = ForeignModel(host_functions, self._gradients(), bound, self._captured)
        self._functions = Functions(model.library, hosts, self.foreign)
        self._made: dict[int, Any] = {}
        self._making: set[int] = set()
        self._traces: dict[str, ConcreteFunction] = {}
        self._captures: dict[int, EagerTensor] = {}
        self._absent: dict[int, str] = {}  # number of a resource that cannot be made -> the reason
        self._files: set[int] = set()  # the ids of captures that are paths of files of the model
        self._constants: dict[str, Any] | None = None

    def _gradients(self) -> dict[str, ForeignGradient]:
        """The gradients that nodes of the model have by names of its own."""
        gradients: dict[str, ForeignGradient] = {}
        for registered in self._model.meta.graph_def.library.registered_gradients:
            said = self._said(registered.gradient_func)
            results, places = structures.structure_in(said.output_signature), list[int]()
            for result in results if isinstance(results, (list, tuple)) else [results]:
                places.append(-1 if result is None else sum(place >= 0 for place in places))
            captures = tuple(self._captured_by_gradient(number) for number in said.bound_inputs)
            gradient = ForeignGradient(registered.gradient_func, tuple(places), captures)
            gradients[registered.registered_op_type] = gradient
        return gradients

    def _captured_by_gradient(self, number: int) -> str | int:
        if not 0 <= number < len(self._nodes):
            raise ValueError(f"a gradient captures object {number} of {len(self._nodes)}")
        node = self._nodes[number]
        return str(node.captured_tensor.name) if node.WhichOneof("kind") == "captured_tensor" else number

    def root(self) -> Any:
        """The object that was saved."""
        if self._model.has_variables:
            with self._model.variables() as values:
                self._make_all(_Values(values, self._nodes, self._model))
        else:
            self._make_all(None)
        root = self._made[0]
        del self._functions  # it refers to what refers to it
        self.foreign = ForeignModel({})
        return root

    def aliases(self) -> dict[str, Any]:
        """Alias -> the function whose traces have it; a list of traces that are not all of a function."""
        named: dict[str, list[str]] = {}
        for trace, alias in self._model.meta.meta_info_def.function_aliases.items():
            if trace in self._concretes:  # TensorFlow names traces too that no object of the model has
                named.setdefault(str(alias), []).append(trace)
        wholes = {
            frozenset(node.function.concrete_functions): self._made[number]
            for number, node in enumerate(self._nodes)
            if node.WhichOneof("kind") == "function"
        }
        return {
            alias: wholes.get(frozenset(traces), [self._traces[name] for name in traces if name in self._traces])
            for alias, traces in named.items()
        }

    def _make_all(self, values: _Values | None) -> None:
        """Makes every object, and puts each where it belongs."""
        self._values = values
        for number, node in enumerate(self._nodes):
            if node.WhichOneof("kind") == "variable":
                self._made[number] = self._variable(number, node.variable, values)
        for number in range(len(self._nodes)):
            self._object(number)
        for number, node in enumerate(self._nodes):
            self._fill(number, node)

    # ---- objects

    def _object(self, number: int) -> Any:
        if number in self._made:
            return self._made[number]
        if not 0 <= number < len(self._nodes):
            raise ValueError(f"object {number} of {len(self._nodes)}")
        if number in self._making or len(self._making) > _DEEPEST:
            raise ValueError(f"object {number} needs itself to be made")
        self._making.add(number)
        try:
            node = self._nodes[number]
            kind = node.WhichOneof("kind")
            make = None if kind is None else _MAKE.get(kind)
            if make is None:
                raise ValueError(f"object {number} is of the unknown kind {kind!r}")
            self._made[number] = make(self, number, node)
        finally:
            self._making.discard(number)
        return self._made[number]

    def _variable(self, number: int, said: Any, values: _Values | None) -> Variable:
        dtype, shape = dtype_of(said.dtype), shape_in(said.shape)
        value = None if values is None else values.of_variable(number)
        if value is None:
            raise ValueError(f"the variable '{said.name}' has no value in the checkpoint")
        if dtypes.from_numpy(value.dtype) is not dtype:
            raise ValueError(f"the variable '{said.name}' is {dtype.name}, and its value {value.dtype}")
        name = said.name or "Variable"
        return graph_state.loaded_variable(self._graph, value, dtype, shape, name, trainable=said.trainable)

    def _user_object(self, number: int, node: Any) -> Any:
        identifier = node.user_object.identifier
        if identifier in (LIST, TUPLE):
            return []
        if identifier == DICT:
            return {}
        if identifier == SIGNATURES:
            return Signatures({c.local_name: self._object(c.node_id) for c in node.children})
        callable_ = any(child.local_name == "__call__" for child in node.children)
        return (LoadedCallable if callable_ else LoadedObject)(node.registered_name or identifier)

    def _asset(self, number: int, node: Any) -> Asset:
        files, index = self._model.meta.asset_file_def, node.asset.asset_file_def_index
        if not 0 <= index < len(files):
            raise ValueError(f"object {number} is file {index} of {len(files)}")
        try:
            asset = Asset(self._model.asset(files[index].filename))
        except FileNotFoundError:  # whose message has the name as the model says it
            raise ValueError(f"object {number} is the file '{files[index].filename}', which is missing") from None
        if self._graph is not None:
            self._graph.add_to_collection(GraphKeys.ASSET_FILEPATHS, asset.asset_path)
        return asset

    def _constant(self, number: int, node: Any) -> EagerTensor:
        if self._constants is None:
            self._constants = {n.name: n for n in self._model.meta.graph_def.node if n.op == "Const"}
        name = node.constant.operation
        if name not in self._constants:
            raise ValueError(f"the graph has no constant '{name}'")
        value, dtype = array_in(self._constants[name].attr["value"].tensor)
        return EagerTensor(value if value.ndim else value[()], dtype)

    def _resource(self, number: int, node: Any) -> Any:
        """A table, or another object that functions of the model make and fill."""
        functions = {c.local_name: c.node_id for c in node.children}
        if _CREATE not in functions:
            return LoadedResource(None)
        with context.using(context.EAGER):
            try:
                handle = self._run(functions[_CREATE])
                self._captures[number] = handle
                if _INITIALIZE in functions:
                    self._run(functions[_INITIALIZE])
            except errors.UnimplementedError as error:
                self._absent[number] = errors.said_by(error)
                return LoadedResource(None)
        state = handle_key(handle) if isinstance(handle, EagerTensor) else None
        if not isinstance(state, TableState):
            return LoadedResource(handle)
        for keys, entries in self._values.of_tables(number) if self._values is not None else ():
            state.insert(keys, entries)
        table = graph_state.loaded_table(self._graph, state)
        self._captures[number] = table.resource_handle  # type: ignore[assignment]
        return table

    def _run(self, number: int) -> Any:
        """The result of a function of the model, which only makes or fills tables: see `confined`."""
        function = self._object(number)
        if isinstance(function, LoadedFunction):
            traces = function._concretes()
            if not traces and function._absent:
                raise errors.UnimplementedError(None, None, function._absent[0])
        elif isinstance(function, (ConcreteFunction, AbsentTrace)):
            traces = [function] if isinstance(function, ConcreteFunction) else []
        else:
            raise ValueError(f"object {number} makes or fills a resource, and is no function")
        for concrete in traces:
            graph = concrete.graph
            files = [inner for outer, inner in graph.captured if id(outer) in self._files]
            check(self._model.folder.path, graph, f"the function '{graph.name}'", feeds=files, within=True)
        return function()

    def _fill(self, number: int, node: Any) -> None:
        """Gives an object its attributes or items."""
        target = self._made[number]
        items = {child.local_name: self._object(child.node_id) for child in node.children}
        if isinstance(target, LoadedObject):
            vars(target).update(items)
            for slot in node.slot_variables:
                target.slots[slot.slot_name, slot.original_variable_node_id] = self._object(slot.slot_variable_node_id)
        elif isinstance(target, list):
            target.extend(items[n] for n in sorted(filter(_PLACE.fullmatch, items), key=int))
        elif isinstance(target, dict):
            target.update(items)

    # ---- functions

    def _function(self, number: int, node: Any) -> Any:
        said = node.function
        name = _python_name(said.concrete_functions)
        parameters = structures.parameters_in(said.function_spec)
        function = _TensorFlowFunction(name, parameters.signature, parameters.input_signature)
        for trace in said.concrete_functions:
            try:
                positional, keyword = structures.arguments_in(self._said(trace).canonicalized_input_signature)
                bound = function._bind(positional, keyword)
                function.add(self._trace(trace, bound), bound)
            except (UnsupportedError, errors.UnimplementedError) as error:
                function.add_absent(errors.said_by(error))
        return function

    def _bare_function(self, number: int, node: Any) -> Any:
        said = node.bare_concrete_function
        try:
            positional, keyword = structures.arguments_in(
                self._said(said.concrete_function_name).canonicalized_input_signature
            )
            labels = list(said.argument_keywords) if positional else []
            bound = arguments.bind(positional, labels, keyword, None)
            return self._trace(said.concrete_function_name, bound)
        except (UnsupportedError, errors.UnimplementedError) as error:
            return AbsentTrace(said.concrete_function_name, errors.said_by(error))

    def _said(self, name: str) -> Any:
        if name not in self._concretes:
            raise ValueError(f"the model has no trace '{name}'")
        return self._concretes[name]

    def _trace(self, name: str, bound: arguments.BoundArguments) -> ConcreteFunction:
        """The trace of a name, for these arguments."""
        if name in self._traces:
            return self._traces[name]
        said = self._said(name)
        graph = self._functions.program(name).graph
        count = len(said.bound_inputs)
        results = structures.results_in(said.output_signature)
        if len(graph.inputs) != len(bound.tensors) + count or len(graph.outputs) != len(results.specs):
            raise ValueError(
                f"the trace '{name}' takes {len(graph.inputs)} tensors and gives {len(graph.outputs)}, expected "
                f"{len(bound.tensors)} + {count} and {len(results.specs)}"
            )
        graph.capture_last([self._captured(n) for n in said.bound_inputs])
        for tensor, spec in zip(graph.outputs, results.specs, strict=True):
            if tensor.dtype not in (dtypes.resource, dtypes.variant):
                tensor.set_shape(spec.shape)
        concrete = self._traces[name] = ConcreteFunction(Traced(graph, results.template), bound)
        return concrete

    def _captured(self, number: int) -> Any:
        """The tensor of an object that a trace captures."""
        origin = self._object(number) if number not in self._captures else None
        if isinstance(origin, Variable):
            return origin.handle
        if isinstance(origin, (EagerTensor, np.ndarray)):
            return origin
        if isinstance(origin, Asset):
            with context.using(context.EAGER):
                path: Any = self._captures.setdefault(number, origin.asset_path)  # type: ignore[arg-type]
            self._files.add(id(path))
            return path
        if number in self._absent:
            raise errors.UnimplementedError(None, None, f"object {number}: {self._absent[number]}")
        if isinstance(origin, LoadedResource) and origin.resource_handle is not None:
            return origin.resource_handle
        if number not in self._captures:
            raise ValueError(f"a trace captures object {number}, which is no tensor")
        return self._captures[number]


_MAKE: Mapping[str, Callable[[ObjectGraph, int, Any], Any]] = {
    "user_object": ObjectGraph._user_object,
    "asset": ObjectGraph._asset,
    "function": ObjectGraph._function,
    "bare_concrete_function": ObjectGraph._bare_function,
    "constant": ObjectGraph._constant,
    "resource": ObjectGraph._resource,
    "captured_tensor": lambda graph, number, node: None,  # of a graph around a gradient, which captures it by name
}


class _TensorFlowFunction(LoadedFunction):
    """A function whose traces take keyword arguments in the order of their names."""

    def _completed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        args, kwargs = super()._completed(args, kwargs)
        return args, dict(sorted(kwargs.items())) if kwargs else kwargs


def _python_name(traces: Any) -> str:
    """The name of the Python function that was traced: `__inference_predict_12` is one of `predict`."""
    if not traces:
        return "function"
    name: str = traces[0].removeprefix("__inference_")
    return name.rpartition("_")[0] if name.rpartition("_")[2].isdecimal() else name


class _Values:
    """The values of a model's objects, in its checkpoint.

    Args:
      reader: the checkpoint.
      nodes: the objects of the model.
      model: the model.
    """

    def __init__(self, reader: CheckpointFile, nodes: Any, model: TensorFlowModel) -> None:
        self._reader = reader
        self._saved: list[dict[str, Any]] = reader.manifest.get("objects", [])
        self._numbers: dict[int, int] = {0: 0} if self._saved else {}
        queue = list(self._numbers)
        for number in queue:  # grows
            queue.extend(self._found(nodes, number))

    def _found(self, nodes: Any, number: int) -> list[int]:
        """The objects that one leads to whose numbers in the checkpoint are found thereby."""
        node, saved = nodes[number], self._saved[self._numbers[number]]
        pairs = [(child.node_id, saved["children"].get(child.local_name)) for child in node.children]
        slots = {(owner, name): slot for owner, name, slot in saved.get("slots", ())}
        for slot in node.slot_variables:
            owner = self._numbers.get(slot.original_variable_node_id)
            pairs.append((slot.slot_variable_node_id, slots.get((owner, slot.slot_name))))
        numbers = []
        for one, other in pairs:
            if other is not None and one not in self._numbers and 0 <= one < len(nodes):
                self._numbers[one] = other
                numbers.append(one)
        return numbers

    def of_variable(self, number: int) -> np.ndarray | None:
        """The value of a variable; None if the checkpoint has none."""
        saved = self._numbers.get(number)
        key = None if saved is None else self._saved[saved].get("value")
        return None if key is None else self._reader.read(key)

    def of_tables(self, number: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """The keys and the values of an object that is a changeable table."""
        saved = self._numbers.get(number)
        keys = {} if saved is None else self._saved[saved].get("saveables", {})
        return [(self._reader.read(f"{key}-keys"), self._reader.read(f"{key}-values")) for key in keys.values()]
