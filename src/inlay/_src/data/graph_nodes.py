"""Writes datasets to graphs: a node for each transformation, under TensorFlow's op if that means the same.

    RangeDataset(start, stop, step)                               data in attributes and inputs
    MapDataset(input_dataset, captures..., f=the traced function)  functions of elements in the library
    MakeIterator(dataset, iterator)                               what the graph does with the dataset

A `Row` declares the serialized form of each class of `Node`: its op, its inputs and fields. A field is data or a traced
function; a Python object (the function of `from_generator`) becomes a body, which needs trust. The attribute `DATASET`
has, as JSON, the parts that TensorFlow's declaration of the op lacks: structures, and our own fields.
"""

from __future__ import annotations

import enum
import functools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.specs import TensorSpec
from inlay._src.base.types.structured import as_data
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.operation import Operation
from inlay._src.core.site import without_folder
from inlay._src.core.tensor import EagerTensor, SymbolicTensor
from inlay._src.data import (
    graph_ops,
    options,
    reading,
    reducing,
    storing,
)  # fmt: skip
from inlay._src.data.element import Element
from inlay._src.data.graph_ops import Task
from inlay._src.data.graph_rows import BY_KIND, own_declaration
from inlay._src.data.mapped import Mapped
from inlay._src.data.node import Node
from inlay._src.data.options import Options
from inlay._src.data.shuffling import Seeds, signed
from inlay._src.data.spec import DatasetSpec, GivenNode
from inlay._src.data.ways import Placing
from inlay._src.host.executors.selection import shared_name
from inlay._src.ops.seeds import RandomState
from inlay._src.programs.graph_def.declared import OWN, Argument, declare
from inlay._src.programs.graph_def.exporting import FORMS, Scope
from inlay._src.programs.graph_def.function_arguments import FunctionArgument, parameters_of
from inlay._src.programs.graph_def.wire import Wire, is_as_declared

DATASET = "_dataset"
"""The attribute that holds what a declaration has no place for."""
COMPOSES = "composes"
"""The entry of `DATASET` of the last node of several that are one node here: the op that it would be alone."""
# ---------------------------------------------------------------- fields as data


class _FieldWriter:
    """Writes the fields of a node, or of what a graph does with a dataset.

    Args:
      place: writes the datasets.
      arguments: the tensors that functions may capture: the inputs of what is written.
      inputs: the datasets that it reads.

    Attributes:
      functions: the names of the functions that the fields have, in their order.
    """

    def __init__(self, place: Place, arguments: Sequence[Any], inputs: Sequence[Node] = ()) -> None:
        self._place, self._arguments, self._inputs = place, arguments, inputs
        self.functions: list[str] = []

    def messages(self) -> list[Any]:
        """The functions, as attributes name them."""
        return [self._place.scope.library.messages.NameAttrList(name=name) for name in self.functions]

    def data(self, value: Any) -> Any:
        """A field as JSON; TypeError for what is no data."""
        return as_data(value, self._other)

    def _other(self, value: Any) -> Any:
        if isinstance(value, Mapped):
            return self._function(value)
        if isinstance(value, Element):
            return ["element", as_data(value.spec)]
        if isinstance(value, Seeds):
            return ["seeds", *value.written, value.again]
        if isinstance(value, Node):
            return ["input", _place_of(value, self._inputs)]
        if isinstance(value, Placing):
            return ["placing", _executor(value)]
        function, keywords = (value.func, value.keywords) if isinstance(value, functools.partial) else (value, {})
        name = getattr(function, "__name__", "")
        if reading.FILE_READERS.get(name) is function:
            return ["file_reader", name, as_data(dict(keywords))]
        return self._body(value)

    def _function(self, mapped: Mapped) -> Any:
        scope = self._place.scope
        name = scope.library.whole(mapped.program.graph) if mapped.plain else _making_datasets(scope, mapped)
        captures = [_place_of(tensor, self._arguments) for tensor in mapped.captures]
        self.functions.append(name)
        spec = as_data(mapped.element.spec)
        return ["function", len(self.functions) - 1, without_folder(mapped.label), spec, captures]

    def _body(self, value: Any) -> Any:
        """A Python object, which needs trust where it is read."""
        operation = self._place.operation
        if not callable(value) or operation is None:
            raise TypeError(f"{value!r} cannot be written as data")
        name = self._place.scope.library.body(operation, value)
        if name is None:
            raise TypeError(f"{value!r} is a Python function, and such are not written here")
        return ["body", name]


def _place_of(wanted: Any, items: Sequence[Any]) -> int:
    """Where an object is among others; TypeError if it is none of them."""
    place = next((i for i, item in enumerate(items) if item is wanted), None)
    if place is None:
        raise TypeError(f"{wanted!r} is not an input of the dataset that uses it")
    return place


def _executor(placing: Placing) -> str | None:
    """The name of the executor that the call asked for; None for the default."""
    if placing.inline or placing.automatic:
        return "inline" if placing.inline else "auto"
    name = None if placing.executor is None else shared_name(placing.executor)
    if name is None and placing.executor is not None:
        raise TypeError(f"{placing.executor!r} is not a named executor")
    return name


def _making_datasets(scope: Scope, mapped: Mapped) -> str:
    """Writes a function that makes datasets, which are nodes of it; its name."""
    graph = mapped.program.graph
    parameters = [FunctionArgument.like(t) for t in parameters_of(graph)]

    def finish(within: Scope, taken: list[str], results: list[str]) -> list[tuple[str, DType]]:
        returned, at = [], 0
        for node in mapped._datasets:
            if node is None:
                returned.append((results[at], graph.outputs[at].dtype))
                at += 1
                continue
            used = node.used()
            names = dict(zip(map(id, used), results[at : at + len(used)], strict=True))
            returned.append((Place(within, None, names, "dataset").dataset(node), dtypes.variant))
            at += len(used)
        return returned

    return scope.library.function(graph, parameters, range(len(parameters)), finish)


# ---------------------------------------------------------------- nodes


class Place:
    """Where the datasets of a node of the graph are written.

    Args:
      scope: the graph or function.
      operation: the node that uses them; None within a function of elements.
      references: id of a symbolic tensor that a dataset uses -> its reference.
      prefix: the prefix of the names of the datasets.
    """

    def __init__(self, scope: Scope, operation: Operation | None, references: Mapping[int, str], prefix: str) -> None:
        self.scope, self.operation, self._references, self._prefix = scope, operation, references, prefix

    def dataset(self, node: Node, options: Options | None = None) -> str:
        """Writes a dataset and those that it reads, each once in a graph, and returns its reference."""
        extras = self.scope.extras
        for part in reversed(list(node.walk())):
            if id(part) not in extras and not isinstance(part, GivenNode):
                name = self.scope.names.claim(f"{self._prefix}/{part.stage}")
                extras[id(part)] = part, self.scope.named(name, self.wire(part, name))[0]
        if options is None or options == Options():
            return self._of(node)
        key = id(node), json.dumps(options_as_data(options))
        if key not in extras:
            wire = self.with_options(node, options)
            extras[key] = node, self.scope.extra(f"{self._prefix}/Options", wire)[0]
        return extras[key][1]

    def _of(self, node: Node) -> str:
        """The reference of a dataset that is written, or of the tensor that it is."""
        return self.tensor(node.tensors[0], "")[0] if isinstance(node, GivenNode) else self.scope.extras[id(node)][1]

    def tensor(self, tensor: Any, name: str) -> tuple[str, DType]:
        """The reference and the dtype of a tensor that a dataset uses."""
        if isinstance(tensor, SymbolicTensor):
            if id(tensor) not in self._references:
                raise TypeError(f"{tensor!r} is not an input of the dataset")
            return self._references[id(tensor)], tensor.dtype
        tensor = tensor if isinstance(tensor, EagerTensor) else convert_to_tensor(tensor)
        if tensor.dtype not in dtypes.DENSE:
            raise TypeError(f"{tensor!r} cannot be written as data")
        return self.scope.constant(name, np.asarray(value_of(tensor)), tensor.dtype)

    def tensors(self, tensors: Sequence[Any], name: str) -> list[tuple[str, DType]]:
        """The tensors that a dataset uses, but for the states of generators, which are data."""
        return [self.tensor(t, f"{name}/{i}") for i, t in enumerate(tensors) if _state(t) is None]

    def with_options(self, node: Node, chosen: Options) -> Wire:
        """A dataset with options."""
        said = {"element": as_data(node.element.spec), "options": options_as_data(chosen), **_more([node], ())}
        attrs = {**_outputs_of(node.element), "serialized_options": b"", DATASET: json.dumps(said).encode()}
        return Wire("OptionsDataset", [(self._of(node), dtypes.variant)], attrs, [dtypes.variant])

    def wire(self, node: Node, name: str) -> Wire:
        """A dataset as a node.

        Raises:
          TypeError: if something of it is no data.
        """
        row = BY_KIND.get(type(node))
        if row is None:
            raise TypeError(f"a {node.stage} is not written as a node of a graph")
        if row.composed is not None:
            wire = self.wire(row.composed(node), name)
            whole = {**json.loads(wire.attrs[DATASET]), COMPOSES: row.own}
            return wire._replace(attrs={**wire.attrs, DATASET: json.dumps(whole).encode()})
        below = [*node.inputs, *(v for f in row.fields if isinstance(v := getattr(node, f), Node))]
        fields = _FieldWriter(self, node.tensors, below)
        said: dict[str, Any] = {"element": as_data(node.element.spec)}
        said["fields"] = {field: fields.data(getattr(node, field)) for field in row.fields}
        said |= _more(below, node.tensors)
        datasets = [(self.dataset(part), dtypes.variant) for part in below]
        tensors = self.tensors(node.tensors, name)
        shown = {**_outputs_of(node.element), DATASET: json.dumps(said).encode()}
        if (
            row.op
            and row.same(node)
            and "states" not in said
            and all(isinstance(leaf, (DatasetSpec, TensorSpec)) for leaf in node.element.leaves)
        ):
            more = [self.scope.constant(f"{name}/{n}", signed(s), dtypes.int64) for n, s in enumerate(row.extra(node))]
            attrs = {**shown, **dict(zip(row.functions, fields.messages(), strict=True))}
            attrs |= {public: getattr(node, field) for field, public in row.attrs.items()}
            if "ordered" in row.fields:
                attrs["deterministic"] = {True: "true", False: "false", None: "default"}[node.ordered]  # type: ignore[attr-defined]
            wire = Wire(row.op, [*datasets, *tensors, *more], attrs, [dtypes.variant])
            if is_as_declared(wire):
                return wire
        own = {**shown, "N": len(datasets), "functions": fields.messages()}
        return Wire(row.own, [*datasets, *tensors], own, [dtypes.variant])


def _state(tensor: Any) -> RandomState | None:
    """The state of the generator that an eager tensor stands for."""
    value = value_of(tensor) if isinstance(tensor, EagerTensor) and tensor.dtype is dtypes.resource else None
    return value if isinstance(value, RandomState) and not value.kept else None


def _more(inputs: Sequence[Node], tensors: Sequence[Any]) -> dict[str, Any]:
    """Facts about the inputs of a node: the specs of datasets that are tensors, the states of generators."""
    specs = {i: as_data(node.element.spec) for i, node in enumerate(inputs) if isinstance(node, GivenNode)}
    states = {i: [s.name, s.key, s.high, s.seeded] for i, t in enumerate(tensors) if (s := _state(t)) is not None}
    return {name: part for name, part in (("given", specs), ("states", states)) if part}


def _outputs_of(element: Element) -> dict[str, Any]:
    """The attributes that say of what dtypes and shapes the elements are."""
    leaves = element.leaves
    kinds, sizes = tuple(leaf.dtype for leaf in leaves), tuple(leaf.shape for leaf in leaves)
    return {"output_types": kinds, "Toutput_types": kinds, "output_shapes": sizes}


def options_as_data(chosen: Any) -> Any:
    """The options that are set, as JSON; TypeError for one that is no data."""
    said = {}
    for name, value in vars(chosen).items():
        if isinstance(value, options._OptionFields):
            part = options_as_data(value)
            if part:
                said[name] = part
        elif isinstance(value, enum.Enum):
            said[name] = ["enum", type(value).__name__, value.name]
        elif value is not None:
            said[name] = as_data(value)
    return said


# ---------------------------------------------------------------- what graphs do with datasets


class Use(NamedTuple):
    """The serialized form of an op that consumes a dataset.

    Attributes:
      opdef: the op.
      run: the function that its `Task` runs.
      op: TensorFlow's op; "" if it has none.
      steps: whether `run` takes a traced function before all else.
    """

    opdef: Any
    run: Callable[..., Any]
    op: str = ""
    steps: bool = False

    @property
    def own(self) -> str:
        """The name of the op that this library declares for it; without `V2` the dataset is a body of its own."""
        return f"{OWN}{self.opdef.name}V2"


USES: tuple[Use, ...] = (
    Use(graph_ops.MAKE_ITERATOR, graph_ops.begins, "MakeIterator"),
    Use(graph_ops.ONE_SHOT_ITERATOR, graph_ops.begins_once),
    Use(graph_ops.ANONYMOUS_ITERATOR, graph_ops.begins_new),
    Use(graph_ops.SINGLE_ELEMENT, reducing._single, "DatasetToSingleElement"),
    Use(graph_ops.ELEMENT_AT, reducing._element_at, "GetElementAtIndex"),
    Use(graph_ops.CARDINALITY, reducing._count, "DatasetCardinality"),
    Use(graph_ops.SAVE_DATASET, storing._save),
    Use(graph_ops.REDUCE_DATASET, reducing._reduce, steps=True),
)


def _placed(scope: Scope, node: Operation) -> tuple[Task, list[str], Place]:
    """The task of a node, the references of its other inputs, and the place where its dataset is written."""
    task: Task = node.graph.referred(node.attrs["task"])
    references = [scope.reference(t) for t in node.inputs]
    own = len(references) - len(task.used)
    names = dict(zip(map(id, task.used), references[own:], strict=True))
    return task, references[:own], Place(scope, node, names, node.name)


def _used(use: Use) -> Callable[[Scope, Operation], Wire | None]:
    """The form of an op that does something with a dataset."""

    def make(scope: Scope, node: Operation) -> Wire:
        task, references, place = _placed(scope, node)
        mapped = task._run.args[0] if use.steps else None  # type: ignore[attr-defined]
        captures = () if mapped is None else mapped.captures
        fields = _FieldWriter(place, [*node.inputs[: len(references)], *captures])
        step = {} if mapped is None else {"step": fields.data(mapped)}
        said = {**step, **_more([task._node], captures)}
        dataset = place.dataset(task._node, task._options), dtypes.variant
        own = [(r, t.dtype) for r, t in zip(references, node.inputs, strict=False)]
        kinds = tuple(t.dtype for t in node.outputs)
        attrs = {
            "output_types": kinds, "output_shapes": tuple(t.shape for t in node.outputs),
            "functions": fields.messages(), DATASET: json.dumps(said).encode(),
        }  # fmt: skip
        wire = Wire(use.op, [dataset, *own], attrs, kinds)
        if use.op and is_as_declared(wire):
            return wire
        return Wire(use.own, [dataset, *own, *place.tensors(captures, node.name)], attrs, kinds)

    return lambda scope, node: scope.tried(lambda: make(scope, node))


def _dataset(scope: Scope, node: Operation) -> Wire:
    """A dataset as a tensor: the node of its last transformation."""
    task, _, place = _placed(scope, node)
    last = task._node
    if task._options != Options() or id(last) in scope.extras:
        place.dataset(last)
        wire, key = place.with_options(last, task._options), (id(last), json.dumps(options_as_data(task._options)))
        scope.extras.setdefault(key, (last, scope.output(node.name, wire)))
        return wire
    for part in last.inputs:
        place.dataset(part)
    wire = place.wire(last, node.name)
    scope.extras[id(last)] = last, scope.output(node.name, wire)
    return wire


def add_use(use: Use) -> None:
    """Declares how nodes that do something with a dataset are written."""
    declare(own_declaration(use.own, True, Argument("results", None, "", "", "output_types", False)))
    FORMS[use.opdef.name] = _used(use)


for _use in USES:
    add_use(_use)
FORMS[graph_ops.DATASET.name] = lambda scope, node: scope.tried(lambda: _dataset(scope, node))


def _iterator(scope: Scope, node: Operation) -> Wire:
    """The handle of an iterator."""
    key = node.graph.referred(node.attrs["handle"])
    shared = "" if key.name == graph_ops.ITERATOR else key.name
    said = json.dumps({"element": as_data(key.element.spec)}).encode()
    attrs = {**_outputs_of(key.element), "shared_name": shared, "container": "", DATASET: said}
    return Wire("IteratorV2", (), attrs, [dtypes.resource])


def _next(scope: Scope, node: Operation) -> Wire:
    """The next element of an iterator."""
    kinds = tuple(t.dtype for t in node.outputs)
    attrs = {"output_types": kinds, "output_shapes": tuple(t.shape for t in node.outputs)}
    return Wire("IteratorGetNext", scope.inputs(node), attrs, kinds)


FORMS["IteratorV2"] = lambda scope, node: scope.tried(lambda: _iterator(scope, node))
FORMS["IteratorGetNext"] = _next
