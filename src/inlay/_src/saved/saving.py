"""`saved_model.save`: an object with its functions, variables and files as a folder."""

from __future__ import annotations

import functools
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.files.opening import path_of
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core import context
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.graph import default_graph
from inlay._src.core.operation import Operation
from inlay._src.core.state import handle_key
from inlay._src.core.tensor import EagerTensor, SymbolicTensor
from inlay._src.data.reducing import tensor_of_bound
from inlay._src.data.spec import Bound
from inlay._src.host import portable
from inlay._src.host.bodies.portable import Stored
from inlay._src.ops.hash_tables.table_state import TableKey, TableState
from inlay._src.ops.serialized import make_tensor_proto
from inlay._src.ops.variables.variable import Variable
from inlay._src.programs.functions import arguments
from inlay._src.programs.functions.bound_function import BoundFunction
from inlay._src.programs.functions.concrete import ConcreteFunction
from inlay._src.programs.functions.function import Function, trace
from inlay._src.programs.functions.saved import (
    concrete_as_data,
    concretes_of,
    default_tensors,
    function_as_data,
    named_results,
    signature_function,
)
from inlay._src.programs.graph_def import attributes
from inlay._src.programs.graph_def.exporting import PRODUCER, TENSORFLOW, Audience, Library, graph_def
from inlay._src.programs.graph_def.function_arguments import is_state_of_op
from inlay._src.programs.graph_def.host_functions import Packing, Written, refused_at
from inlay._src.programs.graph_def.pickles import captured_parts
from inlay._src.saved import container, graph_state, tables
from inlay._src.saved.objects import OBJECTS_VERSION, Asset, Objects
from inlay._src.saved.options import SaveOptions
from inlay._src.saved.saver_nodes import add_saver
from inlay._src.saved.serving_graph import ServingGraph
from inlay._src.saved.stored_values import CAPTURED, VARIABLES
from inlay._src.saved.tensorflow_models.writing import ObjectGraphWriter, WrittenTrace
from inlay._src.training import tensor_bundle
from inlay._src.training.checkpoint import values_of
from inlay._src.training.trackable import Tree, is_trackable

DEFAULT = "serving_default"
SERVE = "serve"
METHOD = "tensorflow/serving/predict"


@export("saved_model.save", "compat.v1.saved_model.experimental.save", "compat.v1.saved_model.save")
def save(obj: Any, export_dir: Any, signatures: Any = None, options: SaveOptions | None = None) -> None:
    """Saves an object: its variables, traced functions, files and the objects that it owns, found by their attributes.

    Functions are saved as the graphs that they were traced to; one with an `input_signature` is traced now if need be.
    Python functions within (`py_function` and its family) are saved too, by value or by import name; see `SaveOptions`.
    In a graph, its variables and tables are saved as the default session has them.

    Args:
      obj: a `Module`, or another object that a checkpoint covers.
      export_dir: the folder. A saved model that is there is replaced, in one step.
      signatures: the functions that the model exports by name: a function, or a dict of functions. Each has an
        `input_signature`, or was traced once (`get_concrete_function`). None takes the only one that `obj` has.
      options: `SaveOptions`.

    Raises:
      ValueError: if `obj` or a signature is none, or `obj` has an attribute `signatures` that would be saved; for a
        variable of another graph, and for a function that depends on a tensor of a graph that has no constant value.
      RuntimeError: for variables of a graph without a default session.
      FailedPreconditionError: if one of them has no value there.
      InvalidArgumentError, TypeError: for a Python function that cannot travel, naming the op and what it captures.
      AlreadyExistsError: if something else is at `export_dir`.
    """
    graph = context.current().graph
    if graph is not None and graph.building_function:
        raise AssertionError(
            "tf.saved_model.save is not supported inside a traced @tf.function. Move the call outside."
        )
    if isinstance(obj, type) or not (is_trackable(obj) or isinstance(obj, (Function, BoundFunction))):
        if isinstance(obj, type) or not hasattr(obj, "__dict__") or isinstance(obj, (ConcreteFunction, Asset)):
            raise ValueError(
                "Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the `Trackable` class, "
                f"for export. Got {obj} with type {type(obj)}."
            )
    with context.using(context.State(graph=graph)):
        model = _Model(obj, signatures, options or SaveOptions())
        with container.writing(path_of(export_dir)) as draft:
            model.write(draft)


def packing(
    options: SaveOptions, arrays: dict[str, np.ndarray], names: Callable[[Sequence[Any], str], list[str]]
) -> Packing:
    """The function that serializes the host functions of a model.

    Args:
      options: the options of saving.
      arrays: receives the memory of captured arrays by their digests.
      names: gives the names of the variables that a function is bound to.
    """

    def packed(node: Operation, host: Any) -> Written:
        try:
            body = portable.packed(host, options.by_name)
            named = names(body.variables, body.label)
        except TypeError as error:
            raise refused_at(node, error) from error
        for stored in body.arrays:
            arrays[stored.digest] = stored.memory
        return Written(body, named, inline=False)

    return packed


class _Model:
    """A model being saved."""

    def __init__(self, root: Any, signatures: Any, options: SaveOptions) -> None:
        self._options = options
        self._objects = Objects(root, _is_dataset)
        if "signatures" in self._objects.children[0]:
            raise ValueError(
                f"{root!r} has an attribute named 'signatures', which is where a loaded model has its signatures: "
                "delete it (`del obj.signatures`) before saving, if it is not needed"
            )
        self._aliases = self._numbered_aliases(options.function_aliases)
        self._arrays: dict[str, np.ndarray] = {}
        self._defaults: dict[str, Mapping[str, EagerTensor]] = {}
        self._files: dict[str, str] = {}
        self._values: dict[str, tuple[Any, Any]] = {}
        self._traces: list[dict[str, Any]] = []
        self._traced: dict[int, int] = {}
        self._kept: list[Any] = []
        self._written: dict[int, WrittenTrace] = {}
        self._states: dict[int, TableState] = {}
        names = functools.partial(_names_of, self._objects)  # no method: the model is not to refer to itself
        self._library = Library(packing=packing(options, self._arrays, names), audience=Audience.BOTH)
        self._signatures = self._signature_traces(signatures)
        said = [self._described(value) for value in list(self._objects.objects)]
        self._tree = Tree(root if not isinstance(root, (Function, BoundFunction)) else {})
        keys = {id(v): self._tree.nodes[number]["value"] for number, v in self._tree.variables()}
        for number in range(len(said), len(self._objects.objects)):  # variables that only a function knows
            said.append(self._described(self._objects.objects[number]))
        variables = {n: value for n, value in enumerate(self._objects.objects) if isinstance(value, Variable)}
        current = values_of(list(variables.values()))
        for (number, variable), value in zip(variables.items(), current, strict=True):
            key = keys.get(id(variable), f"{CAPTURED}{number}/.ATTRIBUTES/VARIABLE_VALUE")
            self._values[key] = value, variable.dtype
            said[number]["value"] = key
        self._said = said

    # ---- objects

    def _numbered_aliases(self, functions: Mapping[str, Any]) -> dict[str, int]:
        """Alias -> the number of its function among the objects.

        Raises:
          ValueError: for anything but functions.
        """
        for alias, function in functions.items():
            if not isinstance(function, (Function, BoundFunction, ConcreteFunction)):
                raise ValueError(f"SaveOptions(function_aliases=...) takes functions, got {function!r} for {alias!r}")
        return {str(alias): self._objects.add(f, f"the alias {alias!r}") for alias, f in functions.items()}

    def _described(self, value: Any) -> dict[str, Any]:
        number = self._objects.number(value)
        assert number is not None
        children, path = self._objects.children[number], self._objects.paths[number]
        if isinstance(value, Variable):
            graph_state.check(value, path)
            return {
                "kind": "variable",
                "name": value.name.removesuffix(":0"),
                "dtype": value.dtype.name,
                "shape": None if value._dims is None else list(value._dims),
                "trainable": value.trainable,
            }
        if _is_dataset(value):
            return {"kind": "dataset", "traces": [self._trace_of(lambda: value, f"dataset_{number}")]}
        if isinstance(value, Asset):
            return {"kind": "asset", "file": self._file(number, value._path)}
        if isinstance(value, TableKey):
            value = graph_state.table(value, path)
        if isinstance(value, TableState):
            self._states[number] = value
        if isinstance(value, TableState):
            file = None if value.source is None else self._file(number, value.source.path)
            return {"kind": "table", **tables.as_data(value, number, file, self._values)}
        try:
            if isinstance(value, Function):
                return {"kind": "function", **function_as_data(value), "traces": self._trace_all(value)}
            if isinstance(value, ConcreteFunction):
                return {"kind": "concrete", "traces": [self._trace(value)]}
        except TypeError as error:
            if isinstance(error, errors.OpError):
                raise
            raise ValueError(f"{path} cannot be saved: {error}") from error
        if isinstance(value, (list, tuple, dict)):
            kind = next(kind for kind in (list, tuple, dict) if isinstance(value, kind)).__name__
            return {"kind": kind, "children": children}
        name = getattr(value, "_name", None)
        return {"kind": "module", "name": name if isinstance(name, str) else type(value).__name__, "children": children}

    def _file(self, number: int, path: str) -> str:
        """The place in the model of a copy of the file that an object has."""
        file = f"assets/{number}/{os.path.basename(path)}"
        self._files[file] = path
        return file

    # ---- functions

    def _trace_all(self, function: Function) -> list[int]:
        return [self._trace(concrete) for concrete in concretes_of(function)]

    def _trace(self, concrete: ConcreteFunction) -> int:
        number = self._traced.get(id(concrete))
        if number is None:
            graph = concrete.program.graph
            self._kept.append(concrete)
            said = concrete_as_data(concrete)
            captures = [self._capture(graph, outer) for outer, inner in graph.captured if not is_state_of_op(inner)]
            said |= {"function": self._library.whole(graph), "captures": [data for data, _ in captures]}
            number = self._traced[id(concrete)] = len(self._traces)
            self._traces.append(said)
            objects = [captured for _, captured in captures]
            self._written[number] = WrittenTrace(
                said["function"], concrete, None if any(o is None for o in objects) else objects
            )
        return number

    def _trace_of(self, python_function: Callable[[], Any], name: str) -> int:
        return self._trace(trace(python_function, name, arguments.bind((), (), {}, None)))

    def _capture(self, graph: FuncGraph, outer: Any) -> tuple[list[Any], Any]:
        """The description of a captured tensor, and the number of an object, or the tensor, that TensorFlow takes."""
        bound = outer._value if isinstance(outer, EagerTensor) else None
        if isinstance(bound, Bound):
            trace = self._trace_of(lambda: tensor_of_bound(bound, default_graph()), f"{graph.name}_dataset")
            return ["dataset", trace], None
        of_graph = isinstance(outer, SymbolicTensor)
        kind, said = (graph_state.captured_parts if of_graph else captured_parts)(graph.name, outer)
        if kind in ("variable", "table"):
            number = self._objects.add(said, f"a {kind} that {graph.name} uses")
            return [kind, number], number
        return ([kind, *self._constant(said)], said) if kind == "tensor" else ([kind, said], None)

    def _constant(self, tensor: EagerTensor) -> list[Any]:
        array, shape = np.asarray(tensor._value), list(np.shape(tensor._value))
        if tensor.dtype is not dtypes.string and array.nbytes >= TUNING.stored_array_bytes:
            stored = Stored.of(np.ascontiguousarray(array).view(np.uint8).reshape(-1).data)
            self._arrays[stored.digest] = stored.memory
            return ["array", stored.digest, tensor.dtype.name, shape]
        key = f"constants/{len(self._values)}"
        self._values[key] = array, tensor.dtype
        return ["value", key]

    # ---- signatures

    def _signature_traces(self, signatures: Any) -> dict[str, tuple[int, ConcreteFunction]]:
        functions = self._found_signature() if signatures is None else signatures
        if isinstance(functions, (Function, BoundFunction, ConcreteFunction)):
            functions = {DEFAULT: functions}
        if not isinstance(functions, Mapping):
            raise ValueError(f"Expected signature(s) to be a `tf.function` or dictionary of them, got {signatures!r}.")
        traces = {}
        for name, function in functions.items():
            if not isinstance(name, str) or not isinstance(function, (Function, BoundFunction, ConcreteFunction)):
                raise ValueError(
                    f"Expected a TensorFlow function for which to generate a signature, but got {function!r} for the "
                    f"key {name!r}. Only `tf.functions` with an input signature or concrete functions can be used as a "
                    "signature."
                )
            wrapped = self._as_signature(name, function)
            traces[name] = self._trace(wrapped), wrapped
            self._defaults[name] = default_tensors(getattr(function, "_function", function))
        return traces

    def _found_signature(self) -> Any:
        """The only function of the root that has one trace to be called by, and returns something."""
        root = self._objects.children[0]
        functions = [self._objects.objects[n] for n in root.values()] or [self._objects.objects[0]]
        declared = [f for f in functions if isinstance(f, Function) and f.input_signature is not None]
        fitting = [f for f in declared if _can_sign(f.get_concrete_function())]
        return fitting[0] if len(fitting) == 1 else {}

    def _as_signature(self, name: str, function: Any) -> ConcreteFunction:
        """The trace of a function of keyword arguments that gives a dict."""
        if not isinstance(function, ConcreteFunction):
            every = concretes_of(getattr(function, "_function", function))
            if function.input_signature is None and len(every) != 1:
                raise ValueError(
                    f"the signature {name!r} is a function with {len(every)} traces: give it an `input_signature`, or "
                    "pass the result of its `get_concrete_function(...)`"
                )
            function = function.get_concrete_function() if function.input_signature is not None else every[0]
        names = _flat_names(function)
        if names is None:
            raise ValueError(
                f"the signature {name!r} must take tensors, it takes {function.structured_input_signature}"
            )
        try:
            named_results(function.structured_outputs)
        except ValueError as error:
            raise ValueError(f"the signature {name!r}: {error}") from error
        graph = function.program.graph
        specs = {n: TensorSpec(t.shape, t.dtype, n) for n, t in zip(names, graph.inputs, strict=True)}
        bound = arguments.bind((), (), specs, None)
        return trace(signature_function(function, names), f"signature_wrapper_{name}", bound)

    # ---- writing

    def write(self, draft: str) -> None:
        """Writes the files of the model into an empty folder."""
        container.write_file(os.path.join(draft, container.GRAPH), self._message())
        said = {
            "version": OBJECTS_VERSION,
            "objects": self._said,
            "traces": self._traces,
            "signatures": {name: number for name, (number, _) in self._signatures.items()},
        }
        if self._aliases:
            said["function_aliases"] = self._aliases
        container.write_file(os.path.join(draft, container.OBJECTS), json.dumps(said).encode())
        os.makedirs(os.path.join(draft, os.path.dirname(VARIABLES)))
        tensor_bundle.write(os.path.join(draft, VARIABLES), self._values, {"objects": self._nodes()})
        for digest, memory in self._arrays.items():
            container.write_file(os.path.join(draft, "arrays", digest), memory.data)
        for file, path in self._files.items():
            target = os.path.join(draft, file)
            os.makedirs(os.path.dirname(target))
            shutil.copyfile(path, target)

    def _nodes(self) -> list[dict[str, Any]]:
        """The objects as the checkpoint has them: TensorFlow finds the values of variables by names of children."""
        nodes: list[dict[str, Any]] = [{"children": children} for children in self._children]
        for node, said in zip(nodes, self._said, strict=False):
            if said["kind"] == "variable":
                node |= {"value": said["value"], "name": said["name"]}
        return nodes

    def _message(self) -> bytes:
        """The graph as a `SavedModel`: the functions, one call for each signature, and the objects for TensorFlow."""
        from inlay._src.base.protos.saved_model import SavedModel

        serving = ServingGraph(self._handle_of)
        infos = {
            name: serving.call(name, concrete, self._defaults[name]) for name, (_, concrete) in self._signatures.items()
        }
        variables = [(said["value"], value) for said, value in self._variables()]
        handles = serving.finish(variables)
        message = SavedModel(saved_model_schema_version=1)
        meta = message.meta_graphs.add()
        meta.meta_info_def.tags.append(SERVE)
        for alias, number in self._aliases.items():
            for traced in self._said[number]["traces"]:
                meta.meta_info_def.function_aliases[self._traces[traced]["function"]] = alias
        meta.meta_info_def.meta_graph_version = f"inlay {container.VERSION}"
        meta.meta_info_def.tensorflow_version = f"{TENSORFLOW}.0"
        meta.graph_def.CopyFrom(graph_def(serving.graph, library=self._library))
        meta.graph_def.versions.producer = PRODUCER
        serving.describe(meta)
        add_saver(meta, handles)
        for name, (inputs, outputs) in infos.items():
            signature = meta.signature_def[name]
            signature.method_name = METHOD
            for parameter, default in self._defaults[name].items():
                if parameter in inputs:
                    signature.defaults[parameter].CopyFrom(make_tensor_proto(default._value, default.dtype))
            for side, tensors in ((signature.inputs, inputs), (signature.outputs, outputs)):
                for key, value in tensors.items():
                    for part, tensor in _parts(key, value):
                        side[part].CopyFrom(tensor_info(tensor))
        self._children = self._write_objects(meta)
        del meta.graph_def.library.function[:]
        meta.graph_def.library.function.extend(self._library.functions.values())
        data: bytes = message.SerializeToString(deterministic=True)
        if len(data) > container.MOST_GRAPH:
            raise errors.ResourceExhaustedError(
                None,
                None,
                f"the graph has {len(data):,} bytes, more than a protobuf message can: keep large arrays in variables, "
                "or in objects that Python functions capture",
            )
        return data

    def _variables(self) -> list[tuple[dict[str, Any], Variable]]:
        """The variables with their descriptions."""
        pairs = zip(self._said, self._objects.objects, strict=True)
        return [(said, value) for said, value in pairs if isinstance(value, Variable)]

    def _write_objects(self, meta: Any) -> list[dict[str, int]]:
        """Writes the objects for TensorFlow; the children of each."""
        writer = ObjectGraphWriter(meta, self._library, self._objects.children)
        for number, (value, said) in enumerate(zip(self._objects.objects, self._said, strict=True)):
            traces = [self._written[trace] for trace in said.get("traces", ())]
            if isinstance(value, Variable):
                writer.variable(number, value)
                if said["value"].startswith(CAPTURED):  # TensorFlow restores what an attribute leads to
                    writer.children[0].setdefault(f"captured_{number}", number)
            elif isinstance(value, Asset):
                writer.asset(number, value, said["file"].removeprefix("assets/"))
            elif number in self._states:
                writer.table(number, self._states[number])
            elif isinstance(value, Function):
                writer.function(number, value, traces)
            elif isinstance(value, ConcreteFunction):
                writer.concrete(number, traces[0])
            else:
                writer.plain(number, value)
        writer.signatures({name: self._written[number] for name, (number, _) in self._signatures.items()})
        writer.finish()
        return writer.children

    def _handle_of(self, outer: Any) -> Any:
        """The object behind a captured handle: the key of a variable in the checkpoint and the variable, or a table."""
        key = handle_key(outer) if outer.dtype is dtypes.resource else None
        variable = None if getattr(key, "owner", None) is None else key.owner()  # type: ignore[union-attr]
        if isinstance(variable, Variable):
            number = self._objects.number(variable)
            return self._said[number or 0]["value"], variable
        if isinstance(key, (TableKey, TableState)):
            return self._states[self._objects.number(key) or 0]
        return None


def _parts(key: str, value: Any) -> Iterator[tuple[str, SymbolicTensor]]:
    """A tensor under its key in a signature; the components of a composite value under keys with their numbers."""
    if not isinstance(value, Composite):
        yield key, value
        return
    for i, component in enumerate(value._components()):
        yield from _parts(f"{key}_component_{i}", component)


def tensor_info(tensor: SymbolicTensor) -> Any:
    """The `TensorInfo` of a tensor in a signature."""
    from inlay._src.base.protos.saved_model import TensorInfo

    return TensorInfo(
        name=tensor.name, dtype=tensor.dtype.as_datatype_enum, tensor_shape=attributes.shape_message(tensor.shape)
    )


def _names_of(objects: Objects, variables: Sequence[Any], label: str) -> list[str]:
    """The names of the variables of a body: their numbers."""
    return [str(objects.add(v, f"a variable that {label} uses")) for v in variables]


def _flat_names(concrete: ConcreteFunction) -> list[str] | None:
    """The names of the tensors that a trace takes, parts of nests and composites too; None if it takes variables."""
    inputs = concrete.program.graph.inputs
    if any(t.dtype in (dtypes.resource, dtypes.variant) for t in inputs):
        return None
    return [t.op.name for t in inputs]


def _can_sign(concrete: ConcreteFunction) -> bool:
    """Whether a trace may be a signature: it takes tensors by name, and gives some."""
    try:
        named_results(concrete.structured_outputs)
    except ValueError:
        return False
    return bool(concrete.outputs) and bool(_flat_names(concrete))


def _is_dataset(value: Any) -> bool:
    return hasattr(value, "_dataset_spec")
